//! Scrolls, if a person caused them.

use super::tab::{Burst, Cause};
use super::{At, Recorder};
use crate::action::Action;
use crate::mirror::NodeRef;
use crate::trace::Point;

/// A pause longer than this ends a scroll, ms.
const BURST_GAP_MS: f64 = 400.0;
/// A scroll later than this after the wheel or the key has another cause, ms.
const CAUSE_MS: f64 = 500.0;

impl Recorder {
    pub(super) fn wheel(&mut self, at: &At) {
        let tab = &mut self.tabs[at.tab];
        for burst in tab.bursts.iter_mut().filter(|burst| at.t <= burst.until) {
            // Where wheels turn smoothly the scroll answers late.
            burst.until = burst.until.max(at.t + CAUSE_MS);
        }
        tab.cause = Some(Cause { t: at.t, node: at.node, by_key: false, n: at.n });
    }

    pub(super) fn scroll(&mut self, at: &At, to: Point) {
        let tab = &mut self.tabs[at.tab];
        tab.bursts.retain(|burst| at.t <= burst.until);
        if let Some(burst) = tab.bursts.iter_mut().find(|burst| burst.node == at.node) {
            burst.until = burst.until.max(at.t + BURST_GAP_MS);
            let uid = burst.uid;
            if let Some(i) = self.ledger.find(uid) {
                self.ledger.steps[i].to = Some(to);
                self.extend(i, at.t, [at.n]);
            }
            return;
        }
        let whole = self.is_whole(at.node);
        // The bar of the container is held.
        let bar = tab_down(self, at).filter(|under| *under == at.node || (whole && self.is_whole(*under)));
        let cause = match (bar, self.tabs[at.tab].cause) {
            (Some(node), _) => {
                if let Some(down) = &mut self.tabs[at.tab].down {
                    down.used = true;
                }
                let down = self.tabs[at.tab].down.as_ref();
                let (t, n) = down.map_or((at.t, at.n), |down| (down.before.t, down.facts[0]));
                Cause { t, node, by_key: false, n }
            }
            (None, Some(cause)) if at.t - cause.t <= CAUSE_MS && self.may_scroll(cause.node, at.node) => cause,
            _ => return,
        };
        if cause.by_key {
            // The key is the step; it goes on as long as it scrolls.
            if let Some(tab_cause) = &mut self.tabs[at.tab].cause {
                tab_cause.t = at.t;
            }
            if let Some(i) = self.ledger.tail(at.tab).filter(|i| self.ledger.steps[*i].action == Action::Press) {
                self.ledger.live[i].answered = true;
                self.ledger.steps[i].facts.push(at.n);
            }
            return;
        }
        let node = (!whole).then_some(at.node);
        let before = self.before(at.tab, cause.t.min(at.t), Some(at.doc), node, &at.url);
        let mut facts = vec![cause.n, at.n];
        facts.dedup();
        let i = self.open(before, Action::Scroll, facts);
        self.ledger.steps[i].to = Some(to);
        self.extend(i, at.t, []);
        let uid = self.ledger.live[i].uid;
        self.tabs[at.tab].bursts.push(Burst { uid, node: at.node, until: at.t + BURST_GAP_MS });
    }

    /// The document itself scrolls.
    pub(super) fn is_whole(&self, node: NodeRef) -> bool {
        node.node <= 1 || matches!(self.mirror.tag(node), "html" | "body" | "")
    }

    /// A wheel over a node can scroll what holds it; over a frame, what holds the frame.
    fn may_scroll(&self, over: NodeRef, container: NodeRef) -> bool {
        if over.doc != container.doc {
            return true;
        }
        self.is_whole(container) || over.node == 0 || self.within(over, container)
    }
}

/// What is held down in the document of an event.
fn tab_down(recorder: &Recorder, at: &At) -> Option<NodeRef> {
    let down = recorder.tabs[at.tab].down.as_ref()?;
    (down.button == 0 && down.up.is_none_or(|(t, _)| at.t - t <= CAUSE_MS) && down.under.doc == at.doc)
        .then_some(down.under)
}
