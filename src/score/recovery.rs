//! Recovery: what was put in the run's way, and how many actions it took to be back on the path (SPEC A26).
//!
//! In this version only pop-ups are encounters: of SPEC A26's list nothing else is put in the way, and an error
//! page or a CAPTCHA that the site itself shows is not recognised as one.

use super::fraction::Fraction;
use super::model::{Encounter, EncounterResult, Folded, Row};
use super::path::{is_folded, position};
use super::view::{Relation, View};
use crate::trace::{Event, PerturbationEvent, PerturbationPhase, Trace};

/// Halves of a point for an encounter: 2 for at most 2 actions, 1 for 3 to 5, 0 for more or when stuck.
pub fn halves(steps: Option<u32>) -> u64 {
    match steps {
        Some(0..=2) => 2,
        Some(3..=5) => 1,
        _ => 0,
    }
}

/// The mean over encounters, each given by its number of actions (`None`: stuck); `None` without encounters.
pub fn mean(encounters: &[Option<u32>]) -> Option<Fraction> {
    Fraction::new(encounters.iter().map(|steps| halves(*steps)).sum(), 2 * encounters.len() as u64)
}

/// Every encounter of a run, in the order in which they were shown.
pub(super) fn encounters(trace: &Trace, run: &[View<'_>], rows: &[Row], folded: &[Folded]) -> Vec<Encounter> {
    let events = || {
        trace.events.iter().filter_map(|event| match event {
            Event::Perturbation(event) => Some(event),
            _ => None,
        })
    };
    events()
        .filter(|event| event.phase == PerturbationPhase::Shown)
        .map(|shown| {
            let gone = events().find(|event| {
                event.phase == PerturbationPhase::Dismissed && event.id == shown.id && event.t_ms >= shown.t_ms
            });
            encounter(shown, gone, run, rows, folded)
        })
        .collect()
}

fn encounter(
    shown: &PerturbationEvent,
    gone: Option<&PerturbationEvent>,
    run: &[View<'_>],
    rows: &[Row],
    folded: &[Folded],
) -> Encounter {
    let t = |at: usize| run[at].step.map_or(f64::NEG_INFINITY, |step| step.t_ms);
    let first = (0..run.len()).find(|at| t(*at) >= shown.t_ms);
    let exposed = first.map_or(0..0, |first| first..run.len());
    let dismissed = gone.and_then(|gone| {
        let answers = exposed.clone().rfind(|at| run[*at].handles() == Some(&shown.id) && t(*at) <= gone.t_ms);
        answers.or_else(|| exposed.clone().rfind(|at| t(*at) <= gone.t_ms))
    });
    // Where the run stood on the path when it was exposed.
    let row = first.and_then(position).and_then(|first| rows.iter().position(|row| row.run == Some(first)));
    let ahead = rows.get(row.unwrap_or(rows.len())..).unwrap_or_default();
    let progress =
        ahead.iter().find(|row| row.relation == Relation::Same).and_then(|row| row.run).map(|at| at as usize);
    let path_is_done = ahead.iter().all(|row| row.reference.is_none() || row.relation == Relation::Folded);

    let last = match (first, gone, progress) {
        (Some(_), Some(_), Some(progress)) => Some(dismissed.map_or(progress, |at| at.max(progress))),
        // Nothing of the path was left: being rid of it is all that can be asked. It may have gone by itself.
        (Some(first), Some(_), None) if path_is_done => Some(dismissed.unwrap_or(first)),
        _ => None,
    };
    let steps = match (first, last) {
        // A click into the field that is then filled is no action of its own.
        (Some(first), Some(last)) => position((first..=last).filter(|at| !is_folded(folded, *at)).count()),
        _ => None,
    };
    let path_end = rows.iter().rfind(|row| row.relation != Relation::Folded);
    let result = match (first, steps) {
        // Shown after the last step, and that step was the last of the path as well.
        (None, _) if path_end.is_none_or(|row| row.run.is_some()) => EncounterResult::NotMet,
        (_, Some(_)) => EncounterResult::Recovered,
        _ => EncounterResult::Stuck,
    };
    let score = match result {
        EncounterResult::NotMet => None,
        _ => match halves(steps) {
            2 => Some(1.0),
            1 => Some(0.5),
            _ => Some(0.0),
        },
    };
    Encounter {
        id: shown.id.clone(),
        operator: shown.operator,
        shown_ms: shown.t_ms,
        dismissed_ms: gone.map(|gone| gone.t_ms),
        first_step: first.and_then(position),
        dismissed_step: dismissed.and_then(position),
        progress_step: progress.and_then(position),
        last_step: last.and_then(position),
        steps,
        result,
        score,
    }
}
