//! How a run spends its steps and its time: loops, steps without effect, waits.

use std::collections::BTreeMap;

use super::model::{Folded, Loop, Row, Tokens};
use super::path::{is_folded, position};
use super::view::{Relation, View};
use super::words::{self, Lang};
use crate::action::Action;
use crate::trace::{Event, Outcome, Trace, WaitReason};

/// How often the same action in the same state makes a loop.
const LOOP: usize = 3;

/// The same action in the same state, three times or more, in order of the first.
pub(super) fn loops(run: &[View<'_>]) -> Vec<Loop> {
    let mut seen: BTreeMap<(&str, String), Vec<u32>> = BTreeMap::new();
    for (at, view) in run.iter().enumerate() {
        let Some(hash) = view.step.and_then(|step| step.pre.state_hash.as_deref()) else { continue };
        let Some(at) = position(at) else { continue };
        seen.entry((hash, words::step(Lang::En, view))).or_default().push(at);
    }
    let mut loops: Vec<Loop> = seen
        .into_iter()
        .filter(|(_, steps)| steps.len() >= LOOP)
        .map(|((hash, what), steps)| Loop { state_hash: hash.to_owned(), what, steps })
        .collect();
    loops.sort_by(|a, b| a.steps.cmp(&b.steps));
    loops
}

/// Steps after which the state was as before; the focus, which folded ones move, is no part of it.
pub(super) fn no_effect(run: &[View<'_>], folded: &[Folded]) -> u32 {
    let idle = |view: &View<'_>| matches!(view.step.map(|step| &step.outcome), Some(Outcome::NoEffect));
    let counts = |(at, view): &(usize, &View<'_>)| idle(view) && !is_folded(folded, *at);
    u32::try_from(run.iter().enumerate().filter(counts).count()).unwrap_or(u32::MAX)
}

/// Ms in waiting steps that the reference does not have.
pub(super) fn redundant_wait_ms(run: &[View<'_>], rows: &[Row]) -> f64 {
    rows.iter()
        .filter(|row| row.relation == Relation::Extra)
        .filter_map(|row| run.get(row.run? as usize))
        .filter(|view| view.known == Some(Action::Wait))
        .filter_map(|view| view.step)
        .fold(0.0, |sum, step| sum + step.elapsed_ms)
}

/// Ms in settling, over all steps.
pub(super) fn settle_ms(run: &[View<'_>]) -> f64 {
    run.iter().filter_map(|view| view.step?.settle).fold(0.0, |sum, settle| sum + settle.ms)
}

/// Ms lost to the agent's provider.
pub(super) fn rate_limited_ms(trace: &Trace) -> f64 {
    trace.events.iter().fold(0.0, |sum, event| match event {
        Event::Wait(wait) if wait.reason == WaitReason::RateLimit => sum + wait.ms,
        _ => sum,
    })
}

/// Tokens and cost, when the agent reports them.
pub(super) fn tokens(trace: &Trace) -> Option<Tokens> {
    let mut total: Option<Tokens> = None;
    for event in &trace.events {
        if let Event::Usage(usage) = event {
            let sum = total.get_or_insert_default();
            sum.input = sum.input.saturating_add(usage.input_tokens);
            sum.output = sum.output.saturating_add(usage.output_tokens);
            if let Some(cost) = usage.cost_usd {
                sum.cost_usd = Some(sum.cost_usd.unwrap_or(0.0) + cost);
            }
        }
    }
    total
}
