//! The radar: alignment, soft success, step efficiency, recovery; all runs over one another.

use maud::{Markup, html};

use super::shots::px;
use super::text::Text;
use super::{shown, value};
use crate::score::Run;

const RADIUS: f64 = 100.0;

/// The unit vectors of the axes: up, right, down, left.
const AXES: [(f64, f64); 4] = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)];

/// Dashes tell runs apart without colours.
const DASHES: [&str; 4] = ["none", "7 4", "2 4", "10 3 2 3"];

pub(super) fn values(run: &Run) -> [Option<f64>; 4] {
    [Some(run.radar.alignment), run.radar.soft, run.radar.step_efficiency, run.radar.recovery]
}

pub(super) fn chart(runs: &[Run], text: &Text) -> Markup {
    let names = [text.alignment, text.soft, text.efficiency, text.recovery];
    let described: Vec<String> = runs
        .iter()
        .map(|run| {
            let axes: Vec<String> =
                names.iter().zip(values(run)).map(|(name, axis)| format!("{name} {}", value(axis))).collect();
            format!("{}: {}.", shown(&run.name), axes.join(", "))
        })
        .collect();
    html! {
        figure.radar {
            svg viewBox="-205 -134 410 268" role="img" aria-label={ (text.radar) ". " (described.join(" ")) } {
                @for ring in [0.25, 0.5, 0.75, 1.0] {
                    polygon.ring points=(points(&[Some(ring); 4])) {}
                }
                @for (x, y) in AXES {
                    line.axis x1="0" y1="0" x2=(px(x * RADIUS)) y2=(px(y * RADIUS)) {}
                }
                @for (at, run) in runs.iter().enumerate() {
                    g class={ "c" (at % 6) } { (shape(&values(run), at)) }
                }
                text x="0" y="-112" text-anchor="middle" { (names[0]) }
                text x="108" y="-8" text-anchor="start" { (names[1]) }
                text x="0" y="124" text-anchor="middle" { (names[2]) }
                text x="-108" y="-8" text-anchor="end" { (names[3]) }
                text.tick x="5" y=(px(-RADIUS + 13.0)) { "1" }
                text.tick x="5" y=(px(-RADIUS / 2.0 + 11.0)) { "0.5" }
            }
        }
    }
}

/// A run's outline. An undefined axis is a gap: the outline is open there.
fn shape(axes: &[Option<f64>; 4], at: usize) -> Markup {
    let dashes = DASHES[at % DASHES.len()];
    let whole = axes.iter().all(Option::is_some);
    html! {
        @if whole {
            polygon.area points=(points(axes)) stroke-dasharray=(dashes) {}
        } @else {
            @for from in 0..4 {
                @if let (Some(a), Some(b)) = (point(axes, from), point(axes, (from + 1) % 4)) {
                    line.edge x1=(px(a.0)) y1=(px(a.1)) x2=(px(b.0)) y2=(px(b.1)) stroke-dasharray=(dashes) {}
                }
            }
        }
        @for axis in 0..4 {
            @if let Some((x, y)) = point(axes, axis) { (marker(x, y, at)) }
        }
    }
}

/// A legend's line and marker.
pub(super) fn sample(at: usize) -> Markup {
    html! {
        svg class={ "key c" (at % 6) } viewBox="0 0 34 14" aria-hidden="true" {
            line.edge x1="1" y1="7" x2="33" y2="7" stroke-dasharray=(DASHES[at % DASHES.len()]) {}
            (marker(17.0, 7.0, at))
        }
    }
}

/// Circle, square, diamond or triangle.
fn marker(x: f64, y: f64, at: usize) -> Markup {
    let around = |corners: &[(f64, f64)]| {
        corners.iter().map(|(dx, dy)| format!("{},{}", px(x + dx), px(y + dy))).collect::<Vec<_>>().join(" ")
    };
    html! {
        @match at % 4 {
            0 => { circle.mark cx=(px(x)) cy=(px(y)) r="4" {} }
            1 => { rect.mark x=(px(x - 3.5)) y=(px(y - 3.5)) width="7" height="7" {} }
            2 => { polygon.mark points=(around(&[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)])) {} }
            _ => { polygon.mark points=(around(&[(0.0, -5.0), (4.6, 3.6), (-4.6, 3.6)])) {} }
        }
    }
}

fn point(axes: &[Option<f64>; 4], axis: usize) -> Option<(f64, f64)> {
    let (x, y) = AXES[axis];
    axes[axis].map(|value| (x * value * RADIUS, y * value * RADIUS))
}

fn points(axes: &[Option<f64>; 4]) -> String {
    let all = (0..4).filter_map(|axis| point(axes, axis));
    all.map(|(x, y)| format!("{},{}", px(x), px(y))).collect::<Vec<_>>().join(" ")
}
