//! The goal: whether the reference's assertions hold at a run's end.

use super::model::{AssertionVerdict, VerdictSource};
use super::words::{self, Lang};
use crate::trace::{Assertion, CheckEvent, Event, Target, Trace};

/// A verdict for each assertion: the run's own last check of it, else unknown.
pub(super) fn verdicts(assertions: &[Assertion], run: &Trace) -> Vec<AssertionVerdict> {
    assertions
        .iter()
        .map(|assertion| {
            let sentence = words::assertion(Lang::En, assertion);
            match last_check(run, assertion) {
                Some(check) => AssertionVerdict {
                    sentence,
                    holds: Some(check.holds),
                    seen: check.seen.clone(),
                    source: Some(VerdictSource::Check),
                },
                None => AssertionVerdict { sentence, holds: None, seen: String::new(), source: None },
            }
        })
        .collect()
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
