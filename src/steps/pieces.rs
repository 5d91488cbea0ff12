//! Edits by hand, as the log tells them, and pieces recorded afterwards for another place.

use super::{Recorder, Tab};
use crate::edit::{Edit, Op, Recording};

impl Recorder {
    /// A recorder of what is recorded after an imported trace: input events go on being counted where it stopped.
    pub fn continuing(prior: &Recording) -> Recorder {
        Recorder { facts: prior.facts(), ended: true, ..Recorder::default() }
    }

    /// What was recorded and what was done to it, behind what was there before.
    pub fn with_edits(&self, prior: Option<&Recording>) -> Recording {
        let mut recording = prior.cloned().unwrap_or_default();
        let steps = self.ledger.steps.iter().cloned();
        recording.extend(steps.zip(self.ledger.live.iter().map(|live| live.segment)));
        recording.edit(self.edits.iter().cloned());
        recording
    }

    /// The edits so far, those taken back as well.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The piece that is being recorded for another place.
    pub fn segment(&self) -> Option<u32> {
        self.ledger.segment
    }

    pub(super) fn edit(&mut self, edit: &Edit) {
        if let Op::Segment { number, .. } = edit.op {
            self.between_pieces();
            self.ledger.segment = Some(number);
            // A session that had ended is taken up again.
            self.ended = false;
            self.paused = false;
        }
        self.edits.push(edit.clone());
    }

    pub(super) fn segment_end(&mut self) {
        self.between_pieces();
        self.ledger.segment = None;
    }

    /// No gesture reaches from one piece into another.
    fn between_pieces(&mut self) {
        self.flush_all();
        self.tabs.iter_mut().for_each(Tab::rest);
    }
}
