//! The `classic` alignment against a plain one of the same costs: strings compared in every cell and a whole
//! matrix of doubles, as the published formula is usually written down. Times are told as a ratio, measured
//! turn by turn in the same run, so that a busy machine slows both.

use std::hint::black_box;
use std::time::Instant;

use tracerule::score::classic;

const NAMES: [&str; 5] = ["click", "fill", "press", "wait", "scroll"];
const COSTS: [[f64; 5]; 5] = [
    [0.0, 3.0, 4.0, 1.0, 2.0],
    [3.0, 0.0, 2.0, 2.0, 3.0],
    [4.0, 2.0, 0.0, 3.0, 3.0],
    [1.0, 2.0, 3.0, 0.0, 2.0],
    [2.0, 3.0, 3.0, 2.0, 0.0],
];

fn index(name: &str) -> Option<usize> {
    NAMES.iter().position(|n| *n == name)
}

fn alone(name: &str) -> f64 {
    if matches!(name, "click" | "fill") { 3.0 } else { 1.0 }
}

fn together(one: &str, other: &str) -> f64 {
    match (index(one), index(other)) {
        (Some(i), Some(j)) => COSTS[i][j],
        _ if one == other => 0.0,
        _ => 4.0,
    }
}

fn plain(reference: &[&str], agent: &[&str]) -> f64 {
    let (n, m) = (reference.len(), agent.len());
    let mut d = vec![vec![0.0; m + 1]; n + 1];
    for i in 0..=n {
        for j in 0..=m {
            let mut least = f64::INFINITY;
            if i == 0 && j == 0 {
                least = 0.0;
            }
            if i > 0 {
                least = least.min(d[i - 1][j] + alone(reference[i - 1]));
            }
            if j > 0 {
                least = least.min(d[i][j - 1] + alone(agent[j - 1]));
            }
            if i > 0 && j > 0 {
                least = least.min(d[i - 1][j - 1] + together(reference[i - 1], agent[j - 1]));
            }
            d[i][j] = least;
        }
    }
    d[n][m]
}

/// Names that look drawn, the same at every run.
fn sequence(length: usize, mut state: u32) -> Vec<&'static str> {
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        NAMES[(state >> 16) as usize % NAMES.len()]
    };
    (0..length).map(|_| next()).collect()
}

fn main() {
    println!("{:<24} {:>12} {:>12} {:>8}", "classic alignment", "core, µs", "plain, µs", "ratio");
    for length in [10, 100, 1000] {
        let (reference, agent) = (sequence(length, 1), sequence(length + length / 5, 2));
        assert!((f64::from(classic::align(&reference, &agent).distance) - plain(&reference, &agent)).abs() < 1e-9);
        let rounds = 200_000 / (length * length) + 5;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            let start = Instant::now();
            black_box(classic::align(black_box(&reference), black_box(&agent)));
            times[0].push(start.elapsed().as_secs_f64() * 1e6);
            let start = Instant::now();
            black_box(plain(black_box(&reference), black_box(&agent)));
            times[1].push(start.elapsed().as_secs_f64() * 1e6);
        }
        let [core, plain] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!("{:<24} {core:>12.1} {plain:>12.1} {:>8.2}", format!("{length} steps"), core / plain);
    }
}
