//! From an agent's words to a point that can be hit.

use tracerule::mirror::{Mirror, NodeRef};
use tracerule::trace::{FailureCode, Point};
use tracerule::wire::agent::{Failure, Recorded};
use tracerule::wire::sensor::{Ask, PointReply};

use crate::browser::Tab;
use crate::frames::{self, FrameError};
use crate::hub::{self, now};
use crate::places;

/// A page that is just moving gets so long to come to rest, ms.
const PATIENCE_MS: f64 = 1200.0;

/// An element of the page.
#[derive(Clone, Debug)]
pub struct Aim {
    /// Its document's token.
    pub doc: String,
    /// Its number there.
    pub node: u32,
    /// What it is, for messages: `button "Save"`.
    pub what: String,
    /// Its `type`, where it has one.
    pub kind: String,
    /// Whether it is checked, where it can be.
    pub checked: Option<bool>,
    /// The frame elements above it, the top one first: document token and node.
    above: Vec<(String, u32)>,
    /// The addresses of the frames it is in, the outermost first.
    pub frames: Vec<String>,
}

/// A failure in words.
pub fn failure(code: FailureCode, message: impl Into<String>) -> Failure {
    Failure { code, message: message.into() }
}

/// A frame's silence as a failure.
pub fn unanswered(error: &FrameError) -> Failure {
    match error {
        FrameError::Gone => {
            failure(FailureCode::Gone, "the page went away meanwhile: look at the newest snapshot and try again")
        }
        _ => failure(FailureCode::Browser, error.to_string()),
    }
}

/// Finds what the agent means.
pub fn find(session: &str, tab: Tab, target: &str) -> Result<Aim, Failure> {
    let found = hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        let node = mirror.resolve(tab.id(), target).map_err(|e| failure(e.code, e.message))?;
        Ok(of_node(mirror, node))
    });
    found.unwrap_or_else(|| Err(failure(FailureCode::NotGranted, "the session has ended")))
}

/// Finds what a recording means, by all that it knows of it, and tells which locator told it; waits for what is about
/// to come.
pub async fn find_recorded(session: &str, tab: Tab, recorded: &Recorded, until: f64) -> Result<(Aim, u32), Failure> {
    loop {
        let found = hub::session(session, |s| {
            let mirror = s.recorder.mirror();
            let found = mirror.resolve_target(tab.id(), &recorded.frame, &recorded.target);
            let (node, at) = found.map_err(|e| failure(e.code, e.message))?;
            Ok((of_node(mirror, node), u32::try_from(at).unwrap_or(u32::MAX)))
        });
        match found.unwrap_or_else(|| Err(failure(FailureCode::NotGranted, "the session has ended"))) {
            Err(missed) if now() < until && matches!(missed.code, FailureCode::NotFound | FailureCode::Ambiguous) => {
                hub::sleep(100.0).await;
            }
            answer => return answer,
        }
    }
}

fn of_node(mirror: &Mirror, node: NodeRef) -> Aim {
    let (mut above, mut frames, mut doc) = (Vec::new(), Vec::new(), node.doc);
    while let Some(element) = mirror.parent_frame(doc) {
        above.push((mirror.token(element.doc).to_owned(), element.node));
        frames.push(mirror.url(doc).to_owned());
        doc = element.doc;
    }
    above.reverse();
    frames.reverse();
    let name = mirror.name(node);
    let role = mirror.role(node);
    let role = if role.is_empty() || role == "generic" { mirror.tag(node).to_owned() } else { role };
    Aim {
        doc: mirror.token(node.doc).to_owned(),
        node: node.node,
        what: if name.is_empty() { role } else { format!("{role} {name:?}") },
        kind: mirror.attribute(node, "type").unwrap_or_default().to_ascii_lowercase(),
        checked: mirror.checked(node),
        above,
        frames,
    }
}

/// The labels of a control.
pub fn labels(session: &str, control: &Aim) -> Vec<Aim> {
    let found = hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        let Some(doc) = mirror.key(&control.doc) else { return Vec::new() };
        let labels = mirror.labels(tracerule::mirror::NodeRef { doc, node: control.node });
        labels.into_iter().map(|label| Aim { node: label.node, ..control.clone() }).collect()
    });
    found.unwrap_or_default()
}

/// The page itself, for what has no element.
pub fn page(session: &str, tab: Tab) -> Result<Aim, Failure> {
    find(session, tab, "css=html")
}

impl Aim {
    /// Asks the element's frame.
    pub async fn ask<T: serde::de::DeserializeOwned>(&self, ask: Ask) -> Result<T, Failure> {
        let port = frames::of_doc(&self.doc).ok_or_else(|| unanswered(&FrameError::Gone))?;
        frames::ask(port, ask, 5000.0).await.map_err(|e| unanswered(&e))
    }

    /// Scrolls it into view and checks that it can be used; waits a moment for what moves or is about to come.
    /// Returns the point to use, in the top viewport.
    pub async fn locate(&self, session: &str, tab: Tab) -> Result<(Point, PointReply), Failure> {
        self.locate_at(session, tab, None).await
    }

    /// The same for a point of it, CSS px from its box's top left, if that can be reached.
    pub async fn locate_at(&self, session: &str, tab: Tab, at: Option<Point>) -> Result<(Point, PointReply), Failure> {
        let until = now() + PATIENCE_MS;
        loop {
            match self.try_locate(session, tab, at).await {
                Err(failed)
                    if now() < until
                        && matches!(
                            failed.code,
                            FailureCode::Hidden | FailureCode::Covered | FailureCode::Disabled
                        ) =>
                {
                    hub::sleep(100.0).await;
                }
                answer => return answer,
            }
        }
    }

    /// Locates once, without patience.
    pub async fn try_locate(&self, session: &str, tab: Tab, at: Option<Point>) -> Result<(Point, PointReply), Failure> {
        let mut scrolled = false;
        for (doc, node) in &self.above {
            let port = frames::of_doc(doc).ok_or_else(|| unanswered(&FrameError::Gone))?;
            let frame: PointReply =
                frames::ask(port, Ask::Locate { node: *node, at: None }, 5000.0).await.map_err(|e| unanswered(&e))?;
            self.check(&frame, "the frame that holds it")?;
            scrolled |= frame.scrolled;
        }
        let reply: PointReply = self.ask(Ask::Locate { node: self.node, at }).await?;
        self.check(&reply, "it")?;
        if (scrolled || reply.scrolled) && !self.above.is_empty() {
            // The browser finds the frame under a point by what was drawn last: draw first.
            for _ in 0..2 {
                frames::ask_all::<serde_json::Value>(tab, &Ask::Frames, 500.0).await;
            }
            hub::sleep(50.0).await;
        }
        let point = reply.point.ok_or_else(|| failure(FailureCode::Hidden, self.hidden("it")))?;
        let (x, y) = if self.above.is_empty() {
            (0.0, 0.0)
        } else {
            places::offset_now(session, tab, &self.doc).await.ok_or_else(|| {
                failure(
                    FailureCode::Hidden,
                    format!("{} is in a frame whose place in the page is not known", self.what),
                )
            })?
        };
        Ok((Point { x: point.x + x, y: point.y + y }, reply))
    }

    fn hidden(&self, part: &str) -> String {
        let part = if part == "it" { String::new() } else { format!(" ({part})") };
        format!("{}{part} has no visible box: open what holds it, or scroll, then look again", self.what)
    }

    fn check(&self, reply: &PointReply, part: &str) -> Result<(), Failure> {
        if !reply.connected {
            let message = format!("{} is gone: it left the page since the snapshot; look again", self.what);
            return Err(failure(FailureCode::Gone, message));
        }
        if !reply.visible {
            return Err(failure(FailureCode::Hidden, self.hidden(part)));
        }
        if reply.disabled && part == "it" {
            return Err(failure(FailureCode::Disabled, format!("{} is disabled: do what enables it first", self.what)));
        }
        if reply.point.is_some() && !reply.hits {
            let by = if reply.covered_by.is_empty() { "something else" } else { &reply.covered_by };
            let message = format!("{} is covered by {by}: close or move that first", self.what);
            return Err(failure(FailureCode::Covered, message));
        }
        Ok(())
    }

    /// As a node of the log.
    pub fn in_log(&self) -> Option<(String, u32)> {
        Some((self.doc.clone(), self.node))
    }
}
