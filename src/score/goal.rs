//! The goal: whether the reference's assertions hold at a run's end.

use super::model::{AssertionVerdict, VerdictSource};
use super::words::{self, Lang};
use crate::steps::{self, Recorder};
use crate::trace::{Assertion, CheckEvent, Event, Target, Trace};
use crate::wire::log::Entry;

/// A verdict for each assertion: the run's own last check of it, else what the document in its DOM chunks says,
/// else unknown.
pub(super) fn verdicts(assertions: &[Assertion], run: &Trace) -> Vec<AssertionVerdict> {
    let checks: Vec<Option<&CheckEvent>> = assertions.iter().map(|assertion| last_check(run, assertion)).collect();
    let end = if checks.iter().any(Option::is_none) { End::of(run) } else { None };
    assertions
        .iter()
        .zip(checks)
        .map(|(assertion, check)| {
            let sentence = words::assertion(Lang::En, assertion);
            let known = match (check, &end) {
                (Some(check), _) => Some((check.holds, check.seen.clone(), VerdictSource::Check)),
                (None, Some(end)) => {
                    let verdict = end.recorder.mirror().evaluate(end.tab, assertion);
                    Some((verdict.holds, verdict.seen, VerdictSource::Replay))
                }
                (None, None) => None,
            };
            match known {
                Some((holds, seen, source)) => {
                    AssertionVerdict { sentence, holds: Some(holds), seen, source: Some(source) }
                }
                None => AssertionVerdict { sentence, holds: None, seen: String::new(), source: None },
            }
        })
        .collect()
}

/// The pages of a trace as they were at its end, and the tab that was acted in last.
struct End {
    recorder: Recorder,
    tab: f64,
}

impl End {
    /// `None` when the trace holds no pages, or not all of them: half a document proves nothing.
    fn of(run: &Trace) -> Option<End> {
        let tabs = tabs(run);
        let last = run.steps().last().map_or(0, |step| step.tab as usize);
        let tab = tabs.get(last).or(tabs.last()).copied()?;
        let recorder = steps::replay_dom(run);
        let whole = !recorder.coverage().iter().any(|event| event.what == "gap");
        (whole && recorder.mirror().top(tab).is_some()).then_some(End { recorder, tab })
    }
}

/// The browser's tabs in order of appearance, which is how steps number them.
fn tabs(run: &Trace) -> Vec<f64> {
    let mut tabs: Vec<f64> = Vec::new();
    for entry in steps::dom_entries(run) {
        if let Ok(Entry::Document(document)) = entry
            && !tabs.iter().any(|tab| tab.to_bits() == document.tab.to_bits())
        {
            tabs.push(document.tab);
        }
    }
    tabs
}

fn last_check<'a>(run: &'a Trace, assertion: &Assertion) -> Option<&'a CheckEvent> {
    run.events.iter().rev().find_map(|event| match event {
        Event::Check(check) if same(&check.assertion, assertion) => Some(check),
        _ => None,
    })
}

/// The same question: boxes and pointers, which change with the viewport, are no part of it.
fn same(a: &Assertion, b: &Assertion) -> bool {
    let asked = |target: &Option<Target>| {
        target.as_ref().map(|t| {
            let ways = t.locators.iter().map(|l| l.value.clone()).collect::<Vec<_>>();
            (t.role.clone(), t.name.clone(), ways)
        })
    };
    (a.kind, &a.expected, &a.frame) == (b.kind, &b.expected, &b.frame) && asked(&a.target) == asked(&b.target)
}

/// All hold; `None` when one is unknown and none is known not to hold, or when there is none.
pub(super) fn soft(verdicts: &[AssertionVerdict]) -> Option<bool> {
    if verdicts.iter().any(|verdict| verdict.holds == Some(false)) {
        return Some(false);
    }
    if verdicts.is_empty() || verdicts.iter().any(|verdict| verdict.holds.is_none()) { None } else { Some(true) }
}
