//! The canonical form that the path is judged on (SPEC section 1, definition 3): what two people do differently
//! without doing anything else. The recorder has already made keystrokes one fill and two clicks a double click;
//! here steps are folded into the step they serve, on both sides by the same rule. The steps themselves stay as
//! they are; [`Folded`] tells which were folded and into what, and `classic` counts them all.
//!
//! Only recorded steps fold. A plain list tells too little (no pages, targets by name) and is taken as canonical.

use super::model::{Folded, FoldedWhy};
use super::path::position;
use super::view::{View, same_aim};
use crate::action::Action;
use crate::trace::{Button, Outcome, Step};

/// Names the rules; a change of them gets a new name.
pub const VERSION: &str = "canonical-1";

/// The steps of one side that are folded, in order.
pub(super) fn fold(views: &[View<'_>]) -> Vec<Folded> {
    let mut folded = Vec::new();
    // The steps of the path so far: without those that answer a perturbation and those that were folded.
    let mut path: Vec<usize> = Vec::new();
    let mut note = |at: usize, into: usize, why: FoldedWhy| {
        if let (Some(step), Some(into)) = (position(at), position(into)) {
            folded.push(Folded { step, into, why });
        }
    };
    for (at, view) in views.iter().enumerate().filter(|(_, view)| view.handles().is_none()) {
        if let Some(&before) = path.last() {
            if settles(view) {
                note(at, before, FoldedWhy::Settling);
                continue;
            }
            let why = if focuses(&views[before], view) {
                Some(FoldedWhy::Focus)
            } else if scrolls_on(&views[before], view) {
                Some(FoldedWhy::Scroll)
            } else {
                None
            };
            if let Some(why) = why {
                note(before, at, why);
                path.pop();
            }
        }
        path.push(at);
    }
    folded.sort_by_key(|folded| folded.step);
    folded
}

/// A wait during which the page still changed: it only let the step before it settle. One at rest, or one that
/// timed out, is a step of its own.
fn settles(view: &View<'_>) -> bool {
    let changed = |step: &Step| {
        let hashes = (&step.pre.state_hash, &step.post.state_hash);
        matches!(hashes, (Some(before), Some(after)) if before != after)
    };
    view.known == Some(Action::Wait) && view.step.is_some_and(|step| step.outcome == Outcome::Ok && changed(step))
}

/// `step` only put the focus where `fill` types: a click on the same field, or Tab from another. Several clicks in
/// a row there, or the pointer drawn over its text, also select what is typed over, which is no more than that.
fn focuses(step: &View<'_>, fill: &View<'_>) -> bool {
    let (Some(one), Some(two)) = (step.step, fill.step) else { return false };
    let fills = matches!(fill.known, Some(Action::Fill | Action::Select | Action::Paste));
    let failed = matches!(one.outcome, Outcome::Error { .. });
    if !fills || failed || one.tab != two.tab || two.target.is_none() {
        return false;
    }
    let same_field = one.target.is_some() && same_aim(step.aim, fill.aim);
    match step.known {
        Some(Action::Click | Action::Dblclick | Action::Drag) => {
            same_field && matches!(one.button, None | Some(Button::Left)) && one.modifiers.is_empty()
        }
        Some(Action::Press) => matches!(step.key, Some("Tab" | "Shift+Tab")) && !same_field,
        _ => false,
    }
}

/// Two scrolls of one container in a row are one scroll to where the second ended.
fn scrolls_on(first: &View<'_>, second: &View<'_>) -> bool {
    let (Some(one), Some(two)) = (first.step, second.step) else { return false };
    let scrolls = |view: &View<'_>| view.known == Some(Action::Scroll);
    let failed = matches!(one.outcome, Outcome::Error { .. });
    let same = match (&one.target, &two.target) {
        (None, None) => one.frame == two.frame,
        (Some(_), Some(_)) => same_aim(first.aim, second.aim),
        _ => false,
    };
    scrolls(first) && scrolls(second) && !failed && one.tab == two.tab && one.url == two.url && same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::sample;

    fn step(seq: u32, action: Action, name: &str) -> Step {
        sample::step(seq, action, if name.is_empty() { "" } else { "textbox" }, name)
    }

    fn tab(seq: u32, from: &str) -> Step {
        Step { key: Some("Tab".to_owned()), ..step(seq, Action::Press, from) }
    }

    fn folded(steps: &[Step]) -> Vec<(u32, u32, FoldedWhy)> {
        let views: Vec<View<'_>> = steps.iter().map(View::step).collect();
        fold(&views).into_iter().map(|folded| (folded.step, folded.into, folded.why)).collect()
    }

    #[test]
    fn focus_steps_fold_into_the_edit_they_serve() {
        use Action::{Click, Fill, Paste, Select};
        for edit in [Fill, Select, Paste] {
            assert_eq!(folded(&[step(0, Click, "Name"), step(1, edit, "Name")]), [(0, 1, FoldedWhy::Focus)]);
        }
        assert_eq!(folded(&[step(0, Click, "Name"), step(1, Fill, "Street")]), []);
        assert_eq!(folded(&[step(0, Fill, "Name"), step(1, Click, "Name")]), []);
        let by_tab = [step(0, Fill, "Name"), tab(1, "Name"), step(2, Fill, "Street")];
        assert_eq!(folded(&by_tab), [(1, 2, FoldedWhy::Focus)]);
        // Tab out of a field does not land on it; one that is not followed by an edit is a step.
        assert_eq!(folded(&[tab(0, "Name"), step(1, Fill, "Name")]), []);
        assert_eq!(folded(&[tab(0, "Name"), step(1, Click, "Save")]), []);
        let triple = Step { count: Some(3), ..step(0, Click, "Name") };
        assert_eq!(folded(&[triple, step(1, Fill, "Name")]), [(0, 1, FoldedWhy::Focus)]);
        assert_eq!(folded(&[step(0, Action::Drag, "Name"), step(1, Fill, "Name")]), [(0, 1, FoldedWhy::Focus)]);
        let right = Step { button: Some(Button::Right), ..step(0, Click, "Name") };
        assert_eq!(folded(&[right, step(1, Fill, "Name")]), []);
        let lost = Outcome::Error { code: crate::trace::FailureCode::Covered, message: String::new() };
        assert_eq!(folded(&[Step { outcome: lost, ..step(0, Click, "Name") }, step(1, Fill, "Name")]), []);
        // Only the step directly before.
        assert_eq!(folded(&[step(0, Click, "Name"), step(1, Click, "Help"), step(2, Fill, "Name")]), []);
        // A pop-up answered in between is no part of the path.
        let answer = Step { perturbation: Some("p".to_owned()), ..step(1, Click, "Stay") };
        let steps = [step(0, Click, "Name"), answer, step(2, Fill, "Name")];
        assert_eq!(folded(&steps), [(0, 2, FoldedWhy::Focus)]);
    }

    #[test]
    fn scrolls_collapse_and_settling_waits_go() {
        let scroll = |seq| step(seq, Action::Scroll, "");
        let steps = [scroll(0), scroll(1), scroll(2), step(3, Action::Click, "Save"), scroll(4)];
        assert_eq!(folded(&steps), [(0, 1, FoldedWhy::Scroll), (1, 2, FoldedWhy::Scroll)]);

        let wait = |seq, before: &str, after: &str| {
            let mut wait = step(seq, Action::Wait, "");
            wait.pre.state_hash = Some(before.to_owned());
            wait.post.state_hash = Some(after.to_owned());
            wait
        };
        let click = || step(0, Action::Click, "Name");
        assert_eq!(folded(&[click(), wait(1, "a", "b"), wait(2, "b", "b")]), [(1, 0, FoldedWhy::Settling)]);
        assert_eq!(folded(&[wait(0, "a", "b"), step(1, Action::Click, "Save")]), []);
        // What was waited out between focus and fill does not part them.
        let steps = [click(), wait(1, "a", "b"), step(2, Action::Fill, "Name")];
        assert_eq!(folded(&steps), [(0, 2, FoldedWhy::Focus), (1, 0, FoldedWhy::Settling)]);
    }
}
