//! The ruler: runs measured against a reference. Pure and exact: distances are integers, scores are fractions
//! with their doubles beside them, and the same input gives the same bytes natively and as Wasm.
//!
//! - [`mod@classic`]: the published formula over all steps. [`mod@strict`]: metric costs with targets, over the
//!   canonical steps ([`mod@canon`]) that do not answer a perturbation; its alignment is the path that is shown and
//!   judged, and its steps are those that efficiency and recovery count.
//! - `soft`: all the reference's assertions hold at the end. `hard`: soft, and no anomaly on the path.
//! - Step efficiency and recovery score as SPEC A25 and A26, undefined where there is nothing to measure.

mod align;
pub mod canon;
pub mod classic;
mod cost;
mod fraction;
mod goal;
mod habits;
pub mod model;
mod path;
pub mod recovery;
pub mod strict;
#[cfg(test)]
mod tests;
pub(crate) mod view;
pub mod words;

pub use align::Pair;
pub use fraction::Fraction;
pub use model::{Report, Run};
pub use view::Relation;

use crate::reference::Subject;
use crate::trace::{Assertion, EndingStatus, Trace};
use model::{
    Classic, Efficiency, FoldedSides, Outcome, PairCost, Profiles, Radar, Reason, ReasonCode, ReferenceSummary, Strict,
    SubjectKind,
};
use view::View;
use words::Lang;

/// Measures runs, each with its name, against a reference.
pub fn score(reference: &Subject, runs: &[(String, Subject)]) -> Report {
    let assertions = trace(reference).map_or(&[][..], |trace| &trace.header.assertions);
    Report {
        format: model::FORMAT.to_owned(),
        version: model::VERSION,
        scorer: env!("CARGO_PKG_VERSION").to_owned(),
        reference: ReferenceSummary {
            title: reference.title().to_owned(),
            kind: kind(reference),
            steps: count(reference.len()),
            assertions: assertions.iter().map(|assertion| words::assertion(Lang::En, assertion)).collect(),
            warnings: vec![],
        },
        runs: runs.iter().map(|(name, run)| score_run(reference, assertions, name, run)).collect(),
    }
}

fn score_run(reference: &Subject, assertions: &[Assertion], name: &str, subject: &Subject) -> Run {
    let wanted = View::of(reference);
    let run = View::of(subject);
    let recorded = trace(subject);

    let folded = FoldedSides { reference: canon::fold(&wanted), run: canon::fold(&run) };
    let (alignment, rows) = path::follow(&wanted, &run, &folded);
    let anomalies = path::anomalies(&wanted, &run, &rows);
    let verdicts = recorded.map(|trace| goal::verdicts(assertions, trace)).unwrap_or_default();
    let soft = goal::soft(&verdicts);
    let hard = soft.map(|soft| soft && anomalies.is_empty());
    let encounters = recorded.map(|trace| recovery::encounters(trace, &run, &rows, &folded.run)).unwrap_or_default();
    let met: Vec<Option<u32>> =
        encounters.iter().filter(|e| e.result != model::EncounterResult::NotMet).map(|e| e.steps).collect();
    let recovered = recovery::mean(&met);

    let handling: Vec<u32> =
        (0u32..).zip(&run).filter(|(_, view)| view.handles().is_some()).map(|(at, _)| at).collect();
    let reference_steps = count(wanted.iter().filter(|view| view.handles().is_none()).count() - folded.reference.len());
    let run_steps = count(run.len() - handling.len() - folded.run.len());
    let raw = if soft == Some(false) { None } else { Fraction::new(reference_steps.into(), run_steps.into()) };
    let step_efficiency = raw.map(|raw| raw.value.min(1.0));
    let efficiency = Efficiency { reference_steps, run_steps, handling_steps: handling, raw };

    let infra = recorded
        .and_then(|trace| trace.header.ending.as_ref())
        .is_some_and(|ending| ending.status == EndingStatus::Infra);
    let profiles = Profiles { classic: classic(&wanted, &run), strict: strict(&alignment) };
    let mut reasons = Vec::new();
    let mut say = |about: &str, code: ReasonCode, count: u32| {
        let text = words::reason(Lang::En, code, count);
        reasons.push(Reason { about: about.to_owned(), code, count, text });
    };
    if infra {
        say("outcome", ReasonCode::Infra, 0);
    }
    let verdicts_that = |holds| count(verdicts.iter().filter(|verdict| verdict.holds == holds).count());
    match soft {
        None if assertions.is_empty() => say("soft", ReasonCode::NoAssertions, 0),
        None if recorded.is_none() => say("soft", ReasonCode::NoPage, 0),
        None => say("soft", ReasonCode::NotEvaluated, verdicts_that(None)),
        Some(false) => say("soft", ReasonCode::AssertionsFailed, verdicts_that(Some(false))),
        Some(true) => {}
    }
    match soft {
        None => say("hard", ReasonCode::GoalUnknown, 0),
        Some(false) => say("hard", ReasonCode::GoalMissed, 0),
        Some(true) if !anomalies.is_empty() => say("hard", ReasonCode::Anomalies, count(anomalies.len())),
        Some(true) => {}
    }
    if soft == Some(false) {
        say("step_efficiency", ReasonCode::GoalMissed, 0);
    } else if efficiency.raw.is_none() {
        say("step_efficiency", ReasonCode::NoSteps, 0);
    }
    for (code, folded) in [(ReasonCode::FoldedReference, &folded.reference), (ReasonCode::FoldedRun, &folded.run)] {
        if !folded.is_empty() {
            say("strict", code, count(folded.len()));
        }
    }
    if recovered.is_none() {
        say("recovery_score", ReasonCode::NoEncounter, 0);
    }

    Run {
        name: name.to_owned(),
        kind: kind(subject),
        outcome: if infra { Outcome::Infra } else { Outcome::Agent },
        hard,
        soft,
        step_efficiency,
        recovery_score: recovered.map(|fraction| fraction.value),
        steps: count(run.len()),
        reference_steps: count(wanted.len()),
        efficiency,
        recovery: recovered,
        encounters,
        assertions: verdicts,
        anomalies,
        loops: habits::loops(&run),
        no_effect: habits::no_effect(&run, &folded.run),
        redundant_wait_ms: habits::redundant_wait_ms(&run, &rows),
        settle_ms: habits::settle_ms(&run),
        rate_limited_ms: recorded.map_or(0.0, habits::rate_limited_ms),
        duration_ms: recorded.and_then(|trace| Some(trace.header.ended_ms? - trace.header.started_ms)),
        tokens: recorded.and_then(habits::tokens),
        radar: Radar {
            alignment: profiles.classic.score,
            soft: soft.map(|soft| if soft { 1.0 } else { 0.0 }),
            step_efficiency,
            recovery: recovered.map(|fraction| fraction.value),
        },
        profiles,
        alignment: rows,
        folded,
        reasons,
        warnings: vec![],
    }
}

fn classic(reference: &[View<'_>], run: &[View<'_>]) -> Classic {
    let reference: Vec<&str> = reference.iter().map(|view| view.symbol).collect();
    let run: Vec<&str> = run.iter().map(|view| view.symbol).collect();
    let found = classic::align(&reference, &run);
    let pairs = found
        .pairs
        .iter()
        .map(|(i, j)| PairCost {
            reference: *i,
            run: *j,
            cost: match (i.map(|i| reference[i as usize]), j.map(|j| run[j as usize])) {
                (Some(a), Some(b)) => cost::published(a, b),
                (Some(a), None) | (None, Some(a)) => cost::alone(a),
                (None, None) => 0,
            },
        })
        .collect();
    Classic {
        version: classic::VERSION.to_owned(),
        distance: found.distance,
        max_possible: found.max_possible,
        score: found.score,
        exact: exact(found.distance, found.max_possible, found.score),
        pairs,
    }
}

fn strict(found: &strict::Alignment) -> Strict {
    Strict {
        version: strict::VERSION.to_owned(),
        canonical: canon::VERSION.to_owned(),
        distance: found.distance,
        worst: found.worst,
        score: found.score,
        exact: exact(found.distance, found.worst, found.score),
    }
}

/// (worst − distance) ÷ worst, with the published double.
fn exact(distance: u32, worst: u32, score: f64) -> Fraction {
    let left = u64::from(worst.saturating_sub(distance));
    match Fraction::new(left, worst.into()) {
        Some(fraction) => Fraction { value: score, ..fraction },
        None => Fraction { num: 1, den: 1, value: score },
    }
}

fn trace(subject: &Subject) -> Option<&Trace> {
    match subject {
        Subject::Trace(trace) => Some(trace),
        Subject::List(_) => None,
    }
}

fn kind(subject: &Subject) -> SubjectKind {
    match subject {
        Subject::Trace(_) => SubjectKind::Trace,
        Subject::List(_) => SubjectKind::List,
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
