//! Exact numbers of scores.

use serde::{Deserialize, Serialize};

/// A fraction in lowest terms, with its nearest double for people and plots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fraction {
    /// Numerator.
    pub num: u64,
    /// Denominator; at least 1.
    pub den: u64,
    /// `num / den`, rounded once.
    pub value: f64,
}

impl Fraction {
    /// `num / den` in lowest terms; `None` when `den` is 0.
    pub fn new(num: u64, den: u64) -> Option<Fraction> {
        if den == 0 {
            return None;
        }
        let common = gcd(num, den);
        let (num, den) = (num / common, den / common);
        // Step counts are far below 2^53, so both conversions are exact and the division rounds once.
        #[allow(clippy::cast_precision_loss, reason = "counts of steps")]
        let value = num as f64 / den as f64;
        Some(Fraction { num, den, value })
    }
}

/// Never 0, as `b` is not 0 at the start.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_terms() {
        assert_eq!(Fraction::new(5, 10), Some(Fraction { num: 1, den: 2, value: 0.5 }));
        assert_eq!(Fraction::new(0, 7), Some(Fraction { num: 0, den: 1, value: 0.0 }));
        assert_eq!(Fraction::new(1, 0), None);
    }
}
