//! Pictures of tabs: one at a time, within what the browser allows, secrets blacked out.

use std::collections::VecDeque;

use futures_channel::oneshot;
use tracerule::trace::Rect;
use tracerule::trace::blob_name;
use tracerule::wire::log::Entry;
use tracerule::wire::sensor::{Ask, SecretsReply};

use crate::browser::{Tab, capture, debugger, runtime, tabs};
use crate::hub::{self, Trouble, now};
use crate::{frames, picture, session, trusted};

/// A picture wanted: for which session, of which tab, and who waits for its name.
type Wanted = (String, Tab, Vec<oneshot::Sender<Option<String>>>);

/// The queue of pictures.
#[derive(Default)]
pub struct Screens {
    queue: VecDeque<Wanted>,
    running: bool,
    /// When the last captures of visible tabs began.
    captured: VecDeque<f64>,
}

/// Chromium allows two captures a second; a little more than a second keeps clear of its clock.
const WINDOW_MS: f64 = 1050.0;

/// How long the browser may take for a picture, ms.
const PATIENCE_MS: f64 = 5000.0;

/// Takes a picture of the tab as soon as it is its turn; requests for the same tab that still wait share one.
/// Returns the blob's name, or `None` when there could be none (the log says why).
pub async fn take(session: &str, tab: Tab) -> Option<String> {
    let (sender, receiver) = oneshot::channel();
    let start = hub::with(|hub| {
        let screens = &mut hub.screens;
        match screens.queue.iter_mut().find(|(of, at, _)| of == session && *at == tab) {
            Some((_, _, waiters)) => waiters.push(sender),
            None => screens.queue.push_back((session.to_owned(), tab, vec![sender])),
        }
        !std::mem::replace(&mut screens.running, true)
    });
    if start {
        wasm_bindgen_futures::spawn_local(run());
    }
    receiver.await.ok().flatten()
}

async fn run() {
    loop {
        // The debugger's captures need not wait for the quota.
        let front = hub::with(|hub| hub.screens.queue.front().map(|(_, tab, _)| *tab));
        let free = front.is_none_or(trusted::holds);
        if !free && !runtime::is_firefox() {
            quota().await;
        }
        let next = hub::with(|hub| {
            let next = hub.screens.queue.pop_front();
            hub.screens.running = next.is_some();
            next
        });
        let Some((session, tab, waiters)) = next else { return };
        let taken = match shoot(&session, tab).await {
            Ok(name) => name,
            Err(trouble) => {
                // A tab that closed meanwhile needs no excuse.
                if session::of_tab(tab).is_some() {
                    hub::coverage(&session, "screenshot", trouble.to_string());
                }
                None
            }
        };
        for waiter in waiters {
            let _ = waiter.send(taken.clone());
        }
    }
}

async fn quota() {
    loop {
        let wait = hub::with(|hub| {
            let now = now();
            hub.screens.captured.retain(|t| now - t < WINDOW_MS);
            match hub.screens.captured.front() {
                Some(first) if hub.screens.captured.len() >= 2 => WINDOW_MS - (now - first),
                _ => 0.0,
            }
        });
        if wait <= 0.0 {
            return;
        }
        hub::sleep(wait).await;
    }
}

async fn shoot(session: &str, tab: Tab) -> Result<Option<String>, Trouble> {
    let recording = || hub::session(session, |s| !s.recorder.paused()) == Some(true);
    if !recording() {
        return Ok(None);
    }
    if trusted::dialog_open(tab) {
        return Err(Trouble::said("no picture while a dialog of the browser is open"));
    }
    let attached = trusted::holds(tab);
    let info = tabs::get(tab).await?;
    if !info.active {
        return Err(Trouble::said("no picture of a tab that is not in front"));
    }
    let window = (!attached).then_some(info.window_id);
    let mut black = secrets(session, tab).await?;
    let t_start = now();
    let jpeg = match window {
        None => {
            let how = serde_json::json!({"format": "jpeg", "quality": 92, "optimizeForSpeed": true});
            // Where nothing is drawn, as in a window that is minimized, it does not answer.
            let answer = hub::within(PATIENCE_MS, debugger::send(tab, "Page.captureScreenshot", &how)).await;
            let answer = answer.ok_or_else(|| Trouble::said("no picture: the browser does not draw the page"))??;
            answer["data"].as_str().unwrap_or_default().to_owned()
        }
        Some(window) => {
            hub::with(|hub| hub.screens.captured.push_back(t_start));
            let taken = hub::within(PATIENCE_MS, capture::visible(window)).await;
            taken.ok_or_else(|| Trouble::said("no picture: the browser does not draw the page"))??
        }
    };
    let t_end = now();
    // A field may have moved, or come, while the picture was taken.
    black.extend(secrets(session, tab).await?);
    let width = hub::session(session, |s| s.top_width(tab)).flatten();
    let done = picture::redact(&jpeg, width, &black).await.map_err(Trouble::Said)?;
    if !recording() {
        return Ok(None);
    }
    let name = blob_name(&done.bytes, done.extension);
    let known = hub::session(session, |s| !s.blobs.insert(name.clone())).unwrap_or(true);
    if !known && let Err(error) = hub::store()?.put_blob(session, &name, &done.bytes).await {
        // The same picture another time has to be stored then.
        hub::session(session, |s| s.blobs.remove(&name));
        return Err(error.into());
    }
    let (width, height) = (done.width, done.height);
    let blob = name.clone();
    session::log(session, Entry::Shot { t_start, t_end, tab: tab.id(), blob, width, height });
    Ok(Some(name))
}

/// The boxes of all secret fields, in the top viewport. A frame that does not answer is blacked out whole; if
/// the top frame does not, there can be no picture.
async fn secrets(session: &str, tab: Tab) -> Result<Vec<Rect>, Trouble> {
    let answers = frames::ask_all::<SecretsReply>(tab, &Ask::Secrets, 2000.0).await;
    if answers.is_empty() {
        return Err(Trouble::said("no picture of a page that cannot be asked for its secret fields"));
    }
    let mut black = Vec::new();
    for (doc, answer) in &answers {
        match answer {
            Ok(reply) if reply.secrets.is_empty() => {}
            Ok(reply) => {
                let Some(at) = place(session, doc, &answers) else {
                    return Err(Trouble::said("no picture: it is not known where a frame with a secret field lies"));
                };
                match frame_box(session, doc, &answers).filter(|_| at.turned()) {
                    Some(whole) => black.push(whole),
                    None => black.extend(reply.secrets.iter().map(|r| at.outside(r))),
                }
            }
            Err(error) => match frame_box(session, doc, &answers) {
                Some(rect) => black.push(rect),
                None if matches!(error, frames::FrameError::Gone) => {}
                None => return Err(Trouble::said(format!("no picture: {error}"))),
            },
        }
    }
    Ok(black)
}

type Answers = [(String, Result<SecretsReply, frames::FrameError>)];

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
fn frame_box(session: &str, doc: &str, answers: &Answers) -> Option<Rect> {
    let (above, node) = parent(session, doc)?;
    let reply = answers.iter().find(|(of, _)| *of == above)?.1.as_ref().ok()?;
    let rect = reply.frames.iter().find(|(frame, _)| *frame == node)?.1;
    Some(place(session, &above, answers)?.outside(&rect))
}

/// A document's viewport in the top viewport: where it begins, and what its px count there.
#[derive(Clone, Copy)]
struct Place {
    x: f64,
    y: f64,
    across: f64,
    down: f64,
}

impl Place {
    fn outside(&self, inner: &Rect) -> Rect {
        Rect {
            x: self.x + inner.x * self.across,
            y: self.y + inner.y * self.down,
            width: inner.width * self.across,
            height: inner.height * self.down,
        }
    }

    /// Its element is turned or skewed, so that boxes in it are no boxes outside.
    fn turned(&self) -> bool {
        (self.across - self.down).abs() > 0.02 * self.across.max(self.down)
    }
}

fn place(session: &str, doc: &str, answers: &Answers) -> Option<Place> {
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
