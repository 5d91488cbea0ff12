//! The published costs (SPEC A18 to A20) and the metric table made of them.

use std::collections::BTreeMap;

use crate::action::{Action, Letter};

/// Substitution, rows and columns in the order of [`Letter`].
const SUBSTITUTION: [[u32; 5]; 5] =
    [[0, 3, 4, 1, 2], [3, 0, 2, 2, 3], [4, 2, 0, 3, 3], [1, 2, 3, 0, 2], [2, 3, 3, 2, 0]];

/// Substitution where a name is unknown, and the largest cost of all (press for click).
pub(super) const LARGEST: u32 = 4;

/// The formula's letter of exactly that name.
fn letter(symbol: &str) -> Option<Letter> {
    Some(match symbol {
        "click" => Letter::Click,
        "fill" => Letter::Fill,
        "press" => Letter::Press,
        "wait" => Letter::Wait,
        "scroll" => Letter::Scroll,
        _ => return None,
    })
}

/// What the formula sees of an action: its letter's name, or its own name where it has no letter.
pub(super) fn symbol(action: &str) -> &str {
    match Action::from_name(action).and_then(Action::letter) {
        Some(Letter::Click) => "click",
        Some(Letter::Fill) => "fill",
        Some(Letter::Press) => "press",
        Some(Letter::Wait) => "wait",
        Some(Letter::Scroll) => "scroll",
        None => action,
    }
}

/// Deletion and insertion: 3 for click and fill, else 1.
pub(super) fn alone(symbol: &str) -> u32 {
    match letter(symbol) {
        Some(Letter::Click | Letter::Fill) => 3,
        _ => 1,
    }
}

/// Substitution as published: the matrix; 4 where a name is unknown, unless both are equal.
pub(super) fn published(a: &str, b: &str) -> u32 {
    match (letter(a), letter(b)) {
        (Some(a), Some(b)) => SUBSTITUTION[a as usize][b as usize],
        _ if a == b => 0,
        _ => LARGEST,
    }
}

/// A name as a number: a letter's place in the matrix, or one of an unknown name, from 5 on.
pub(super) type Code = usize;

/// The codes of two sequences; equal names have equal codes.
pub(super) fn table(reference: &[&str], run: &[&str]) -> (Vec<Code>, Vec<Code>) {
    let mut unknown: BTreeMap<&str, Code> = BTreeMap::new();
    for name in reference.iter().chain(run).filter(|name| letter(name).is_none()) {
        let next = SUBSTITUTION.len() + unknown.len();
        unknown.entry(name).or_insert(next);
    }
    let code = |name: &&str| letter(name).map_or_else(|| unknown[*name], |letter| letter as Code);
    (reference.iter().map(code).collect(), run.iter().map(code).collect())
}

/// [`published`], for names that were looked up.
pub(super) fn looked_up(a: Code, b: Code) -> u32 {
    match SUBSTITUTION.get(a).and_then(|row| row.get(b)) {
        Some(cost) => *cost,
        None if a == b => 0,
        None => LARGEST,
    }
}

/// Substitution as a metric: waiting and scrolling may not stand for doing, and no pair costs more than
/// leaving one out and adding the other.
pub(super) fn metric(a: &str, b: &str) -> u32 {
    let apart = alone(a) + alone(b);
    let passive = |symbol| matches!(letter(symbol), Some(Letter::Wait | Letter::Scroll));
    let active = |symbol| matches!(letter(symbol), Some(Letter::Click | Letter::Fill | Letter::Press));
    if passive(a) && active(b) || active(a) && passive(b) { apart } else { published(a, b).min(apart) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 7] = ["click", "fill", "press", "wait", "scroll", "goto", "Click"];

    #[test]
    fn metric_is_a_metric() {
        for a in NAMES {
            assert_eq!(metric(a, a), 0);
            for b in NAMES {
                assert_eq!(metric(a, b), metric(b, a));
                assert!(alone(a) <= metric(a, b) + alone(b), "{a} {b}");
                for c in NAMES {
                    assert!(metric(a, c) <= metric(a, b) + metric(b, c), "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn published_is_symmetric_and_bounded() {
        for a in NAMES {
            for b in NAMES {
                assert_eq!(published(a, b), published(b, a));
                assert!(published(a, b) <= LARGEST);
            }
        }
        let (left, right) = table(&NAMES, &["click", "Click", "hover", "goto"]);
        for (a, name_a) in left.iter().zip(NAMES) {
            for (b, name_b) in right.iter().zip(["click", "Click", "hover", "goto"]) {
                assert_eq!(looked_up(*a, *b), published(name_a, name_b));
            }
        }
        assert_eq!(symbol("dblclick"), "click");
        assert_eq!(symbol("upload"), "fill");
        assert_eq!(symbol("cut"), "press");
        assert_eq!(symbol("goto"), "goto");
        assert_eq!(symbol("Click"), "Click");
    }
}
