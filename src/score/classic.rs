//! The profile `classic`: the published weighted edit distance, exactly (SPEC A18 to A22 and 6.1).
//!
//! Known of it and kept: it sees types alone; doing nothing still scores; waiting for a click costs 1. The
//! matrix's cells press–wait, press–scroll and unknown–{press, wait, scroll, other unknown} (3 and 4) can
//! never be chosen, as a deletion and an insertion cost 2.

use super::align::{Pair, align as align_positions};
use super::cost;

/// Names the formula and its costs; a change of either gets a new name.
pub const VERSION: &str = "classic-1";

/// The distance, its score, and the pairs that explain it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// Least total cost.
    pub distance: u32,
    /// What the distance is measured by: 4 times the longer length.
    pub max_possible: u32,
    /// 1 − distance ÷ `max_possible`; 1 when both are empty.
    pub score: f64,
    /// Positions in reference and run, in order.
    pub pairs: Vec<Pair>,
}

/// Aligns two sequences of names. Names are compared as they are, upper and lower case apart.
pub fn align(reference: &[&str], agent: &[&str]) -> Alignment {
    let deletions: Vec<u32> = reference.iter().map(|name| cost::alone(name)).collect();
    let insertions: Vec<u32> = agent.iter().map(|name| cost::alone(name)).collect();
    // Names are looked up once, not in every cell.
    let (left, right) = cost::table(reference, agent);
    let (distance, pairs) = align_positions(&deletions, &insertions, |i, j| cost::looked_up(left[i], right[j]));
    let longer = u32::try_from(reference.len().max(agent.len())).unwrap_or(u32::MAX);
    let max_possible = cost::LARGEST.saturating_mul(longer);
    Alignment { distance, max_possible, score: score(distance, max_possible), pairs }
}

/// 1 − d ÷ w in that order of operations, so that every double is the published one.
pub(super) fn score(distance: u32, worst: u32) -> f64 {
    debug_assert!(distance <= worst, "no alignment costs more than the worst");
    if worst == 0 { 1.0 } else { 1.0 - f64::from(distance) / f64::from(worst) }
}
