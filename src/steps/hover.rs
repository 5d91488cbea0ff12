//! Hovers: a step only where what is pressed next could not have been without one.
//!
//! Two kinds of evidence: a style sheet that shows an ancestor of what is pressed only while something is
//! hovered (the sensor reads that), and a change of the document soon after the pointer came over something, with no
//! other input between, that brought forth or showed what is pressed. The pointer moves on its own with every
//! click; so nothing is hovered for what was clicked after it.

use std::collections::VecDeque;

use super::{At, Recorder};
use crate::action::Action;
use crate::mirror::{DocKey, NodeRef};
use crate::trace::Point;
use crate::wire::fact::Pointer;
use crate::wire::op::{self, Op};

/// A page answers a hover within this, ms; menus that wait for the hand to rest take up to half of it.
const ANSWER_MS: f64 = 1000.0;
/// Clocks of the pointer and of changes differ by this at most, ms.
const CLOCK_MS: f64 = 2.0;
/// A pointer within this of where it was last pressed has not moved, CSS px.
const REST_PX: f64 = 1.5;
/// Changes kept for the next press.
const CHANGES: usize = 256;

/// The latest changes that can have shown something.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// When, what, and whether it is only one of several things that its attribute can mean.
    changes: VecDeque<(f64, NodeRef, bool)>,
    /// Nodes that come with one of their ancestors are no change of their own.
    run: Option<(DocKey, u32)>,
    /// A document is being told as a whole.
    snapshot: Option<DocKey>,
}

impl Shown {
    fn push(&mut self, t: f64, node: NodeRef, vague: bool) {
        if self.changes.len() == CHANGES {
            self.changes.pop_front();
        }
        self.changes.push_back((t, node, vague));
    }
}

/// A changed attribute can have brought an element to light.
fn shows(name: &str, old: Option<&str>, new: Option<&str>) -> bool {
    const LIGHT: [&str; 6] = ["open", "show", "visible", "expand", "reveal", "unfold"];
    const DARK: [&str; 7] = ["hid", "collapse", "closed", "invisible", "d-none", "sr-only", "display-none"];
    let words = |text: Option<&str>| -> Vec<String> {
        text.unwrap_or_default().split_ascii_whitespace().map(str::to_ascii_lowercase).collect()
    };
    match name {
        "hidden" => old.is_some() && new.is_none(),
        "open" => old.is_none() && new.is_some(),
        "aria-hidden" => old == Some("true") && new != Some("true"),
        "style" => {
            let dark = |text: Option<&str>| {
                let text: String = text.unwrap_or_default().split_whitespace().collect();
                ["display:none", "visibility:hidden", "opacity:0;"].iter().any(|dark| format!("{text};").contains(dark))
            };
            let lit = |text: Option<&str>| text.is_some_and(|text| text.contains("display") || text.contains("visib"));
            !dark(new) && (dark(old) || (lit(new) && !lit(old)))
        }
        "class" | "data-state" => {
            let (old, new) = (words(old), words(new));
            let mut came = new.iter().filter(|word| !old.contains(word));
            let mut went = old.iter().filter(|word| !new.contains(word));
            came.any(|word| LIGHT.iter().any(|light| word.contains(light)))
                || went.any(|word| DARK.iter().any(|dark| word.contains(dark)))
        }
        _ => false,
    }
}

impl Recorder {
    /// Takes note of what an operation is about to show.
    pub(super) fn about_to_show(&mut self, tab: usize, doc: DocKey, op: &Op<'_>, t: f64) {
        let node = |id: u32| NodeRef { doc, node: id };
        let shown = &mut self.tabs[tab].shown;
        match *op {
            Op::Reset => shown.snapshot = Some(doc),
            Op::Mark(op::mark::SNAPSHOT) if shown.snapshot == Some(doc) => shown.snapshot = None,
            _ if shown.snapshot == Some(doc) => {}
            Op::Element { parent, .. } if shown.run.is_some_and(|(of, first)| of == doc && parent >= first) => {}
            Op::Element { id, .. } => {
                shown.run = Some((doc, id));
                shown.push(t, node(id), false);
            }
            Op::Move { id, .. } => shown.push(t, node(id), false),
            Op::Attribute { id, name, value } if shows(name, self.mirror.attribute(node(id), name), value) => {
                self.tabs[tab].shown.push(t, node(id), matches!(name, "class" | "data-state"));
            }
            _ => {}
        }
    }

    /// Before a press: the hovers that it needed. `since` is the last other input of the tab.
    pub(super) fn hovered(&mut self, at: &At, pointer: &Pointer, since: Option<f64>) {
        if !at.known || pointer.over.is_empty() || pointer.pointer == "touch" {
            return;
        }
        let mut needed: Vec<(f64, NodeRef, Option<Point>)> = Vec::new();
        for [_, host] in &pointer.shown {
            let host = NodeRef { doc: at.doc, node: *host };
            let entry = pointer.over.iter().find(|over| self.within(NodeRef { doc: at.doc, node: over.n }, host));
            needed.push((entry.map_or(at.t, |over| over.t), host, entry.map(|over| Point { x: over.x, y: over.y })));
        }
        // What comes under a pointer at rest tells of itself as if it were pointed at.
        let rested = self.ledger.last_in(at.tab).and_then(|i| self.ledger.steps[i].target.as_ref()?.pointer);
        let moved = |x: f64, y: f64| {
            let place = self.in_top(at.doc, x, y);
            rested.zip(place).is_none_or(|(was, is)| (was.x - is.x).hypot(was.y - is.y) > REST_PX)
        };
        let changes = self.tabs[at.tab].shown.changes.iter().rev();
        let shown = changes.filter(|(t, node, _)| *t <= at.t && self.within(at.node, *node));
        let causes: Vec<_> = shown
            .filter_map(|(changed, shown, vague)| {
                let over = pointer.over.iter().rev().find(|over| over.t <= changed + CLOCK_MS)?;
                let node = NodeRef { doc: at.doc, node: over.n };
                let soon = changed - over.t <= ANSWER_MS && since.is_none_or(|since| since < over.t);
                // What lies in what was shown came after it.
                let outside = *vague || !self.within(node, *shown);
                (soon && outside && moved(over.x, over.y) && self.mirror.contains(node) && !self.within(node, at.node))
                    .then_some((over.t, node, over))
            })
            .map(|(t, node, over)| (t, self.meant(node).0, Some(Point { x: over.x, y: over.y })))
            .collect();
        needed.extend(causes);
        needed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut done: Vec<NodeRef> = Vec::new();
        for (t, node, place) in needed {
            if !done.contains(&node) && !self.pointed_within(at.tab, node) && !self.within(node, at.node) {
                done.push(node);
                self.hover(at, t, node, place);
            }
        }
    }

    /// The last thing done with the pointer lies in a node: it is hovered already.
    fn pointed_within(&self, tab: usize, node: NodeRef) -> bool {
        let steps = self.ledger.steps.iter().zip(&self.ledger.live).rev().filter(|(_, live)| live.before.tab == tab);
        let mut pointed = steps.filter(|(step, _)| step.target.as_ref().is_some_and(|target| target.pointer.is_some()));
        pointed.next().is_some_and(|(step, live)| {
            step.action != Action::Hover && live.before.node.is_some_and(|last| self.within(last, node))
        })
    }

    fn hover(&mut self, at: &At, t: f64, node: NodeRef, place: Option<Point>) {
        let previous = self.ledger.last_in(at.tab);
        let t = previous.map_or(t, |i| t.max(self.ledger.live[i].last)).min(at.t);
        let mut before = self.before(at.tab, t, Some(at.doc), Some(node), &at.url);
        if let Some(i) = previous
            && let (Some(after), Some(hash)) = (self.ledger.live[i].after, &self.ledger.steps[i].post.state_hash)
        {
            // The page as it was left, before the hover changed it.
            before.hash.clone_from(hash);
            before.counters = after;
        }
        if let (Some(target), Some(place)) = (&mut before.target, place) {
            target.pointer = self.in_top(at.doc, place.x, place.y);
        }
        let i = self.open(before, Action::Hover, Vec::new());
        self.extend(i, t, []);
    }
}

#[cfg(test)]
mod tests {
    use super::shows;

    #[test]
    fn what_can_show_an_element() {
        for (name, old, new) in [
            ("hidden", Some(""), None),
            ("style", Some("display: none"), Some("")),
            ("style", None, Some("display: block")),
            ("style", Some("opacity:0"), Some("opacity:1")),
            ("class", Some("menu"), Some("menu is-open")),
            ("class", Some("menu hidden"), Some("menu")),
            ("aria-hidden", Some("true"), Some("false")),
        ] {
            assert!(shows(name, old, new), "{name} {old:?} {new:?}");
        }
        for (name, old, new) in [
            ("hidden", None, Some("")),
            ("style", Some("color: red"), Some("color: blue")),
            ("style", None, Some("display: none")),
            ("class", Some("row"), Some("row hover")),
            ("title", None, Some("open")),
        ] {
            assert!(!shows(name, old, new), "{name} {old:?} {new:?}");
        }
    }
}
