//! Scrolls: steps, if a person caused them; else events that say what did.

use super::field::Field;
use super::tab::{Burst, Cause, Drift};
use super::{At, Recorder};
use crate::action::Action;
use crate::mirror::NodeRef;
use crate::trace::{Event, InputCause, Point, ScrollEvent};

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
        tab.cause = Some(Cause { t: at.t, node: at.node, by: InputCause::Wheel, n: at.n });
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
                Cause { t, node, by: InputCause::ScrollBar, n }
            }
            (None, Some(cause)) if at.t - cause.t <= CAUSE_MS && self.may_scroll(cause.node, at.node) => cause,
            _ => return self.drift(at, to, InputCause::Program),
        };
        if cause.by == InputCause::Key {
            // The key is the step; it goes on as long as it scrolls.
            if let Some(tab_cause) = &mut self.tabs[at.tab].cause {
                tab_cause.t = at.t;
            }
            if let Some(i) = self.ledger.tail(at.tab).filter(|i| self.ledger.steps[*i].action == Action::Press) {
                self.ledger.live[i].answered = true;
                self.ledger.steps[i].facts.push(at.n);
            }
            return self.drift(at, to, InputCause::Key);
        }
        let node = (!whole).then_some(at.node);
        let before = self.before(at.tab, cause.t.min(at.t), Some(at.doc), node, &at.url);
        let mut facts = vec![cause.n, at.n];
        facts.dedup();
        let i = self.open(before, Action::Scroll, facts);
        self.ledger.steps[i].to = Some(to);
        self.ledger.steps[i].cause = Some(cause.by);
        self.extend(i, at.t, []);
        let uid = self.ledger.live[i].uid;
        self.tabs[at.tab].bursts.push(Burst { uid, node: at.node, until: at.t + BURST_GAP_MS });
    }

    /// A scroll that is no step: an event, which goes on as long as it moves. Within a text field it follows the
    /// caret, and nobody asks why.
    pub(super) fn drift(&mut self, at: &At, to: Point, cause: InputCause) {
        if Field::of(&self.mirror, at.node).is_text() {
            return;
        }
        let until = at.t + BURST_GAP_MS;
        let tab = &mut self.tabs[at.tab];
        tab.drifts.retain(|drift| at.t <= drift.until);
        if let Some(drift) = tab.drifts.iter_mut().find(|drift| drift.node == at.node)
            && let Some(Event::Scroll(event)) = self.events.get_mut(drift.event)
            && event.cause == cause
        {
            drift.until = until;
            event.to = to;
            event.elapsed_ms = (at.t - event.t_ms).max(event.elapsed_ms);
            return;
        }
        tab.drifts.retain(|drift| drift.node != at.node);
        tab.drifts.push(Drift { event: self.events.len(), node: at.node, until });
        let target = (!self.is_whole(at.node)).then(|| self.mirror.target(at.node));
        self.events.push(Event::Scroll(ScrollEvent {
            t_ms: at.t,
            elapsed_ms: 0.0,
            tab: u32::try_from(at.tab).unwrap_or(u32::MAX),
            url: at.url.clone(),
            frame: self.mirror.frame_path(at.doc),
            target: target.and_then(|target| target.locators.into_iter().next()).map(|locator| locator.value),
            to,
            cause,
        }));
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
