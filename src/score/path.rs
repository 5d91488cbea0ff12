//! The path: how a run follows the reference, row by row, and where it leaves it.

use super::cost;
use super::model::{Anomaly, AnomalyKind, Folded, FoldedSides, Row};
use super::strict::{self, Alignment};
use super::view::{Relation, View};
use super::words::{self, Lang};
use crate::trace::Outcome;

/// The strict alignment of the steps that count, and the rows of all steps.
pub(super) fn follow(reference: &[View<'_>], run: &[View<'_>], folded: &FoldedSides) -> (Alignment, Vec<Row>) {
    // Steps that answer a perturbation are no part of either path; folded ones are part of another step.
    let counted = |views: &[View<'_>], folded: &[Folded]| -> Vec<usize> {
        (0..views.len()).filter(|at| views[*at].handles().is_none() && !is_folded(folded, *at)).collect()
    };
    let (wanted, done) = (counted(reference, &folded.reference), counted(run, &folded.run));
    let left: Vec<&View<'_>> = wanted.iter().map(|at| &reference[*at]).collect();
    let right: Vec<&View<'_>> = done.iter().map(|at| &run[*at]).collect();
    let alignment = strict::align(&left, &right);

    let mut rows = Vec::with_capacity(alignment.pairs.len() + run.len() - done.len());
    let mut between = Between { folded, reference: 0, run: 0 };
    for (i, j) in &alignment.pairs {
        let i = i.map(|i| wanted[i as usize]);
        let j = j.map(|j| done[j as usize]);
        between.rows(&mut rows, i, j);
        let (relation, cost) = match (i, j) {
            // Waiting does not stand for doing: one was left out, the other added, at the same cost.
            (Some(i), Some(j)) if reference[i].is_passive() != run[j].is_passive() => {
                let (left_out, added) = (cost::alone(reference[i].symbol), cost::alone(run[j].symbol));
                rows.push(Row { reference: position(i), run: None, relation: Relation::Missing, cost: left_out });
                rows.push(Row { reference: None, run: position(j), relation: Relation::Extra, cost: added });
                continue;
            }
            (Some(i), Some(j)) => (reference[i].relation(&run[j]), strict::substitution(&reference[i], &run[j])),
            (Some(i), None) => (Relation::Missing, cost::alone(reference[i].symbol)),
            (None, Some(j)) => (Relation::Extra, cost::alone(run[j].symbol)),
            (None, None) => continue,
        };
        rows.push(Row { reference: i.and_then(position), run: j.and_then(position), relation, cost });
    }
    between.rows(&mut rows, Some(reference.len()), Some(run.len()));
    (alignment, rows)
}

/// Whether the step at that position is folded; `folded` is in order.
pub(super) fn is_folded(folded: &[Folded], at: usize) -> bool {
    folded.binary_search_by(|folded| (folded.step as usize).cmp(&at)).is_ok()
}

/// The steps that stand between the aligned ones, each side from its next position on.
struct Between<'a> {
    folded: &'a FoldedSides,
    reference: usize,
    run: usize,
}

impl Between<'_> {
    /// Rows for what stands before the steps `i` and `j`. Steps folded on both sides share a row.
    fn rows(&mut self, rows: &mut Vec<Row>, i: Option<usize>, j: Option<usize>) {
        let folded = |reference: Option<usize>, run: Option<usize>| Row {
            reference: reference.and_then(position),
            run: run.and_then(position),
            relation: Relation::Folded,
            cost: 0,
        };
        let of_reference = i.map_or(0..0, |i| self.reference..i);
        let mut wanted = of_reference.filter(|at| is_folded(&self.folded.reference, *at));
        for at in j.map_or(0..0, |j| self.run..j) {
            rows.push(if is_folded(&self.folded.run, at) {
                folded(wanted.next(), Some(at))
            } else {
                Row { reference: None, run: position(at), relation: Relation::Handled, cost: 0 }
            });
        }
        rows.extend(wanted.map(|at| folded(Some(at), None)));
        self.reference = i.map_or(self.reference, |i| i + 1);
        self.run = j.map_or(self.run, |j| j + 1);
    }
}

pub(super) fn position(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}

/// Every way in which the run left the path, in the order of the rows.
///
/// Passive steps (wait, scroll, hover) are never one: whether they are needed depends on the machine and the
/// viewport. Steps that answer a perturbation are exempt, and folded ones are part of another step.
pub(super) fn anomalies(reference: &[View<'_>], run: &[View<'_>], rows: &[Row]) -> Vec<Anomaly> {
    let mut found = Vec::new();
    // The last active step, if it changed nothing.
    let mut idle: Option<&View<'_>> = None;
    for row in rows {
        let wanted = row.reference.map(|at| (at, &reference[at as usize]));
        let did = row.run.map(|at| (at, &run[at as usize]));
        let mut report = |kind: AnomalyKind| {
            found.push(Anomaly {
                kind,
                step: row.run,
                reference: row.reference,
                sentence: words::anomaly(Lang::En, kind, did, wanted),
            });
        };
        if matches!(row.relation, Relation::Handled | Relation::Folded) {
            continue;
        }
        let Some((_, view)) = did else {
            if wanted.is_some_and(|(_, view)| !view.is_passive()) {
                report(AnomalyKind::Missing);
            }
            continue;
        };
        if matches!(view.step.map(|step| &step.outcome), Some(Outcome::Error { .. })) {
            report(AnomalyKind::Failed);
            continue;
        }
        if view.is_passive() {
            continue;
        }
        let unchanged = matches!(view.step.map(|step| &step.outcome), Some(Outcome::NoEffect));
        let repeats = unchanged && idle.is_some_and(|before| before.relation(view) == Relation::Same);
        idle = unchanged.then_some(view);
        if repeats {
            report(AnomalyKind::NoEffectRepeat);
            continue;
        }
        match row.relation {
            Relation::Same | Relation::Handled | Relation::Folded | Relation::Missing => {}
            Relation::Extra => report(AnomalyKind::Extra),
            Relation::OtherTarget => report(AnomalyKind::OtherTarget),
            Relation::OtherValue => report(AnomalyKind::OtherValue),
            Relation::OtherKey => report(AnomalyKind::OtherKey),
            Relation::OtherAction => report(AnomalyKind::OtherAction),
        }
    }
    found
}
