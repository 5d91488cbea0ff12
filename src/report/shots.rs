//! Screenshots: each is stored once in the page and drawn wherever it is needed, with the target's box.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};

use super::text::Text;
use crate::trace::{Screenshot, Target, Trace};

/// The pictures of all traces of a report.
#[derive(Default)]
pub(super) struct Shots<'a> {
    found: BTreeMap<&'a str, Shot<'a>>,
}

struct Shot<'a> {
    bytes: &'a [u8],
    mime: &'static str,
    /// CSS px.
    width: f64,
    height: f64,
}

impl<'a> Shots<'a> {
    /// Takes in a trace's pictures.
    pub fn add(&mut self, trace: &'a Trace) {
        let dpr = trace.header.viewport.map(|viewport| viewport.dpr).filter(|dpr| *dpr > 0.0).unwrap_or(1.0);
        // What the file shows, where that is known: a page may be told of other pixels than it is drawn with.
        let dpr_of = |shot: &Screenshot| match shot.viewport {
            Some(view) if view.width > 0.0 && !shot.full_page => f64::from(shot.width) / view.width,
            Some(view) if view.dpr > 0.0 => view.dpr,
            _ => dpr,
        };
        for shot in trace.steps().flat_map(|step| [&step.pre, &step.post]).filter_map(|state| state.screenshot.as_ref())
        {
            let Some(bytes) = trace.blobs.get(&shot.blob) else { continue };
            let mime = match shot.blob.rsplit('.').next() {
                Some("webp") => "image/webp",
                Some("png") => "image/png",
                Some("jpg" | "jpeg") => "image/jpeg",
                _ => continue,
            };
            if shot.width > 0 && shot.height > 0 {
                let dpr = dpr_of(shot);
                let (width, height) = (f64::from(shot.width) / dpr, f64::from(shot.height) / dpr);
                self.found.entry(&shot.blob).or_insert(Shot { bytes, mime, width, height });
            }
        }
    }

    /// The pictures themselves; nothing is seen of them until they are used.
    pub fn store(&self) -> Markup {
        html! {
            svg.store width="0" height="0" aria-hidden="true" focusable="false" {
                defs {
                    @for (name, shot) in &self.found {
                        image id=(id(name)) width=(px(shot.width)) height=(px(shot.height))
                            href={ "data:" (shot.mime) ";base64," (STANDARD.encode(shot.bytes)) } {}
                    }
                }
            }
        }
    }

    /// One picture, with the box of the target and the pointer where they are known.
    pub fn draw(&self, shot: Option<&Screenshot>, label: &str, target: Option<&Target>, text: &Text) -> Markup {
        let Some((shot, picture)) = shot.and_then(|shot| Some((shot, self.found.get(shot.blob.as_str())?))) else {
            return html! { span.shot.none { (text.no_picture) } };
        };
        let (width, height) = (px(picture.width), px(picture.height));
        let label = if shot.stale { format!("{label} ({})", text.stale) } else { label.to_owned() };
        html! {
            svg.shot viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(label) {
                title { (taken(shot, picture, text)) }
                use href={ "#" (id(&shot.blob)) } {}
                @if let Some(target) = target.filter(|_| !shot.full_page) {
                    @if let Some(rect) = target.rect {
                        @for class in ["halo", "box"] {
                            rect class=(class) x=(px(rect.x - 3.0)) y=(px(rect.y - 3.0)) rx="4"
                                width=(px((rect.width + 6.0).max(0.0))) height=(px((rect.height + 6.0).max(0.0))) {}
                        }
                    }
                    @if let Some(point) = target.pointer {
                        circle.dot cx=(px(point.x)) cy=(px(point.y)) r=(px(picture.width / 150.0)) {}
                    }
                }
            }
        }
    }

    /// Whether a picture can be drawn.
    pub fn has(&self, shot: Option<&Screenshot>) -> bool {
        shot.is_some_and(|shot| self.found.contains_key(shot.blob.as_str()))
    }
}

/// How a picture was taken, for whoever points at it: its size, its age, what is unusual of it.
fn taken(shot: &Screenshot, picture: &Shot<'_>, text: &Text) -> String {
    let mut parts = vec![format!("{} × {} px", px(picture.width), px(picture.height))];
    parts.extend(shot.viewport.filter(|view| (view.dpr - 1.0).abs() > 0.001).map(|view| format!("× {}", px(view.dpr))));
    parts.extend(shot.scroll.filter(|at| at.x != 0.0 || at.y != 0.0).map(|at| {
        let (x, y) = (px(at.x), px(at.y));
        format!("{} {x}, {y}", text.scrolled)
    }));
    parts.extend(shot.full_page.then(|| text.whole_page.to_owned()));
    parts.extend(shot.age_ms.filter(|age| age.is_finite()).map(|age| format!("{} {age:.0} ms", text.age)));
    parts.extend(shot.stale.then(|| text.stale.to_owned()));
    parts.join(" · ")
}

/// Names from outside reach an id only as what [`crate::trace::is_blob_name`] allows.
fn id(blob: &str) -> String {
    let hash = blob.strip_prefix("blobs/").unwrap_or(blob);
    let safe: String = hash.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    format!("tr-shot-{safe}")
}

/// A length, short.
pub(super) fn px(length: f64) -> String {
    if !length.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{length:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
