//! The profile `strict`: metric costs, targets and values compared, and doing nothing scores 0 (SPEC
//! section 1, definitions 1 and 2).
//!
//! Steps of one type on the same target with another value cost 1, on another target (or with another key) 2;
//! waiting and scrolling may not stand for doing; no pair costs more than leaving one out and adding the other.

use super::align::{Pair, align as align_positions};
use super::view::{Relation, View};
use super::{classic, cost};

/// Names the costs and the normaliser; a change of either gets a new name.
pub const VERSION: &str = "strict-1";

/// The distance, its score, and the pairs that explain it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// Least total cost.
    pub distance: u32,
    /// The cost of leaving out the whole reference and adding the whole run.
    pub worst: u32,
    /// 1 − distance ÷ worst; 1 when both are empty.
    pub score: f64,
    /// Positions in reference and run, in order.
    pub pairs: Vec<Pair>,
}

pub(super) fn align(reference: &[&View<'_>], run: &[&View<'_>]) -> Alignment {
    let deletions: Vec<u32> = reference.iter().map(|view| cost::alone(view.symbol)).collect();
    let insertions: Vec<u32> = run.iter().map(|view| cost::alone(view.symbol)).collect();
    let (distance, pairs) = align_positions(&deletions, &insertions, |i, j| substitution(reference[i], run[j]));
    let worst = deletions.iter().chain(&insertions).fold(0u32, |sum, cost| sum.saturating_add(*cost));
    Alignment { distance, worst, score: classic::score(distance, worst), pairs }
}

/// What it costs to take one step for the other.
pub(super) fn substitution(reference: &View<'_>, run: &View<'_>) -> u32 {
    let apart = cost::alone(reference.symbol) + cost::alone(run.symbol);
    let cost = match reference.relation(run) {
        Relation::Same => 0,
        Relation::OtherValue => 1,
        Relation::OtherTarget | Relation::OtherKey => 2,
        Relation::OtherAction if reference.symbol == run.symbol => 1,
        _ => cost::metric(reference.symbol, run.symbol),
    };
    cost.min(apart)
}

/// Aligns two sequences of bare names: the same profile where no targets are known.
pub fn align_names(reference: &[&str], agent: &[&str]) -> Alignment {
    let reference: Vec<View<'_>> = reference.iter().map(|name| View::bare(name)).collect();
    let agent: Vec<View<'_>> = agent.iter().map(|name| View::bare(name)).collect();
    align(&reference.iter().collect::<Vec<_>>(), &agent.iter().collect::<Vec<_>>())
}
