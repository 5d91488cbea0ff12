//! Lasting changes of a page's looks: shifted elements, other colours.

use super::draw::Key;
use super::{Operator, Settings};
use crate::trace::Rect;

/// The largest shift that may be asked for, CSS px.
pub const MAX_JITTER_PX: f64 = 8.0;

/// A planned shift. The page may realise less of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// The position in the list of candidates.
    pub index: usize,
    /// What decided it.
    pub key: String,
    /// As drawn, CSS px.
    pub drawn: (f64, f64),
    /// Shortened to a quarter of the gap to the nearest interactive neighbour and to half pixels, CSS px.
    pub planned: (f64, f64),
    /// That gap, CSS px; absent without a neighbour.
    pub gap: Option<f64>,
}

/// Other colours for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// Its name.
    pub name: &'static str,
    /// A CSS filter list for the root element.
    pub filter: &'static str,
    /// What decided it.
    pub key: String,
}

/// None of these lowers the contrast of black on white under 4.5.
const SCHEMES: [(&str, &str); 6] = [
    ("inverted", "invert(1) hue-rotate(180deg)"),
    ("warm", "sepia(0.6)"),
    ("hue_shifted", "hue-rotate(120deg)"),
    ("grey", "grayscale(1)"),
    ("vivid", "saturate(1.8)"),
    ("dim", "brightness(0.85)"),
];

/// The shift drawn for an element, each axis within ±`jitter_px` (8 at most); `(0, 0)` when switched off.
pub fn jitter(settings: &Settings, page_key: &str, element_key: &str) -> (f64, f64) {
    draw(settings, &Key::new(settings, Some(page_key), None, Some(element_key), Operator::Jitter))
}

fn draw(settings: &Settings, key: &Key) -> (f64, f64) {
    let most = if settings.jitter_px.is_finite() { settings.jitter_px.clamp(0.0, MAX_JITTER_PX) } else { 0.0 };
    let axis = |facet| (key.unit(facet) * 2.0 - 1.0) * most;
    (axis("x"), axis("y"))
}

/// Plans the shifts of a page. `candidates` are the element's key (see [`super::element_key`]), its box, and
/// whether it is interactive; all interactive elements of the page must be among them, since a shift is at most
/// a quarter of the gap to the nearest other one: two that move towards each other keep half of it. Elements
/// that touch, overlap or hold another are not moved. Shifts of nothing are left out.
pub fn plan_jitter(settings: &Settings, page_key: &str, candidates: &[(String, Rect, bool)]) -> Vec<Shift> {
    if settings.jitter_px <= 0.0 {
        return Vec::new();
    }
    let plan = candidates.iter().enumerate().filter_map(|(index, (element, rect, _))| {
        let key = Key::new(settings, Some(page_key), None, Some(element), Operator::Jitter);
        let drawn = draw(settings, &key);
        let gap = candidates
            .iter()
            .enumerate()
            .filter(|(other, (_, _, interactive))| *other != index && *interactive)
            .map(|(_, (_, other, _))| gap(rect, other))
            .min_by(f64::total_cmp);
        let cap = gap.map_or(MAX_JITTER_PX, |gap| gap / 4.0);
        let axis = |value: f64| half_pixels(value.clamp(-cap, cap));
        let planned = (axis(drawn.0), axis(drawn.1));
        (planned != (0.0, 0.0)).then(|| Shift { index, key: key.text().to_owned(), drawn, planned, gap })
    });
    plan.collect()
}

/// Towards zero, so that rounding never breaks the cap.
fn half_pixels(value: f64) -> f64 {
    // Adding zero makes -0 a plain 0.
    (value * 2.0).trunc() / 2.0 + 0.0
}

/// The distance between two boxes, CSS px; 0 when they touch, overlap or are not finite.
fn gap(a: &Rect, b: &Rect) -> f64 {
    let axis = |a0: f64, a1: f64, b0: f64, b1: f64| (b0 - a1).max(a0 - b1).max(0.0);
    let x = axis(a.x, a.x + a.width, b.x, b.x + b.width);
    let y = axis(a.y, a.y + a.height, b.y, b.y + b.height);
    let gap = (x * x + y * y).sqrt();
    if gap.is_nan() { 0.0 } else { gap }
}

/// The colours of a page; `None` when switched off.
pub fn color_scheme(settings: &Settings, page_key: &str) -> Option<Scheme> {
    if !settings.color_scheme {
        return None;
    }
    let key = Key::new(settings, Some(page_key), None, None, Operator::ColorScheme);
    let index = (key.bits("scheme") % SCHEMES.len() as u64) as usize;
    SCHEMES.get(index).map(|(name, filter)| Scheme { name, filter, key: key.text().to_owned() })
}
