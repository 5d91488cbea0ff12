//! Where the documents of a tab lie in its top viewport: frames within frames, scaled or turned.

use tracerule::trace::Rect;
use tracerule::wire::sensor::{Ask, SecretsReply};

use crate::browser::Tab;
use crate::{frames, hub};

/// What each document of a tab says of itself, beside its token.
pub type Answers = [(String, Result<SecretsReply, frames::FrameError>)];

/// The frame element of a document: its parent's token and the node in it; `None` for a top document.
fn parent(session: &str, doc: &str) -> Option<(String, u32)> {
    hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        let element = mirror.parent_frame(mirror.key(doc)?)?;
        Some((mirror.token(element.doc).to_owned(), element.node))
    })
    .flatten()
}

/// The content box of a document's frame, in the top viewport.
pub fn frame_box(session: &str, doc: &str, answers: &Answers) -> Option<Rect> {
    let (above, node) = parent(session, doc)?;
    let reply = answers.iter().find(|(of, _)| *of == above)?.1.as_ref().ok()?;
    let rect = reply.frames.iter().find(|(frame, _)| *frame == node)?.1;
    Some(place(session, &above, answers)?.outside(&rect))
}

/// A document's viewport in the top viewport: where it begins, and what its px count there.
#[derive(Clone, Copy)]
pub struct Place {
    x: f64,
    y: f64,
    across: f64,
    down: f64,
}

impl Place {
    /// A box of it, in the top viewport.
    pub fn outside(&self, inner: &Rect) -> Rect {
        Rect {
            x: self.x + inner.x * self.across,
            y: self.y + inner.y * self.down,
            width: inner.width * self.across,
            height: inner.height * self.down,
        }
    }

    /// Its element is turned or skewed, so that boxes in it are no boxes outside.
    pub fn turned(&self) -> bool {
        (self.across - self.down).abs() > 0.02 * self.across.max(self.down)
    }
}

/// A document's viewport in the top viewport, if it is known where it lies.
pub fn place(session: &str, doc: &str, answers: &Answers) -> Option<Place> {
    let top = hub::with(|hub| hub.frames.values().any(|f| f.doc.as_deref() == Some(doc) && f.frame == 0.0));
    if top {
        return Some(Place { x: 0.0, y: 0.0, across: 1.0, down: 1.0 });
    }
    let rect = frame_box(session, doc, answers)?;
    let size = answers.iter().find(|(of, _)| of == doc).and_then(|(_, answer)| answer.as_ref().ok()).map(|r| r.size);
    let scale = |outside: f64, inside: f64| if inside > 0.0 && outside > 0.0 { outside / inside } else { 1.0 };
    let (width, height) = size.unwrap_or_default();
    Some(Place { x: rect.x, y: rect.y, across: scale(rect.width, width), down: scale(rect.height, height) })
}

/// Where a document's viewport begins in the top viewport.
fn offset(session: &str, doc: &str, answers: &Answers) -> Option<(f64, f64)> {
    place(session, doc, answers).map(|at| (at.x, at.y))
}

/// Where the viewports of a tab's documents begin in the top viewport, as it is now.
pub async fn offset_now(session: &str, tab: Tab, doc: &str) -> Option<(f64, f64)> {
    let answers = frames::ask_all::<SecretsReply>(tab, &Ask::Secrets, 2000.0).await;
    offset(session, doc, &answers)
}
