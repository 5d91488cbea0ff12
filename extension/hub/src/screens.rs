//! Pictures of tabs: one at a time, within what the browser allows, secrets blacked out.
//!
//! What a step looked like before is known only once it begins. So the last pictures are held in memory, and stored when a
//! step takes them for its own: what nobody needs costs nothing.

use std::collections::VecDeque;

use futures_channel::oneshot;
use serde_json::{Value, json};
use tracerule::trace::blob_name;
use tracerule::trace::{Point, Rect, Viewport};
use tracerule::wire::log::Entry;
use tracerule::wire::sensor::{Ask, SecretsReply};

use crate::browser::{Refused, Tab, capture, debugger, runtime, tabs};
use crate::hub::{self, Trouble, now};
use crate::places::{frame_box, place};
use crate::{frames, picture, session, trusted};

/// A picture wanted.
struct Wanted {
    session: String,
    tab: Tab,
    /// It is somebody's, whether or not a step takes it.
    keep: bool,
    /// Who waits for its name.
    waiters: Vec<oneshot::Sender<Option<String>>>,
}

/// A picture that is held.
struct Held {
    session: String,
    tab: Tab,
    blob: String,
    t_end: f64,
    /// The file and what the log is to say of it; `None` once they are stored, or on their way to it.
    fresh: Option<(Vec<u8>, Entry)>,
}

/// The queue of pictures, and the last ones.
#[derive(Default)]
pub struct Screens {
    queue: VecDeque<Wanted>,
    running: bool,
    /// When the last captures of visible tabs began.
    captured: VecDeque<f64>,
    /// The last pictures, oldest first.
    ring: VecDeque<Held>,
    /// Pictures on their way to the store.
    storing: Vec<String>,
}

/// Chromium allows two captures a second; a little more than a second keeps clear of its clock.
const WINDOW_MS: f64 = 1050.0;
/// How long the browser may take for a picture, ms.
const PATIENCE_MS: f64 = 5000.0;
/// So many pictures are held at most, of all tabs together.
const HELD: usize = 3;
/// And so many bytes of them.
const HELD_BYTES: usize = 12 << 20;
/// A picture that is still a tab's last after so long, ms, is stored: a worker with nothing to do is ended, and the
/// page may stand as it is for hours.
const RESTED_MS: f64 = 8000.0;
/// The tallest picture of a whole page, device pixels: browsers draw no taller one.
const TALLEST: f64 = 16_384.0;
/// Its largest area, device pixels: decoded it takes four bytes for each.
const LARGEST: f64 = 24e6;

/// How long a session's end waits for pictures that are being stored, ms.
const FINISH_MS: f64 = 10_000.0;

/// Takes a picture of the tab as soon as it is its turn; requests for the same tab that still wait share one. `keep`
/// stores it in any case; others are stored when a step takes them.
/// Returns the blob's name, or `None` when there could be none (the log says why).
pub async fn take(session: &str, tab: Tab, keep: bool) -> Option<String> {
    let (sender, receiver) = oneshot::channel();
    let start = hub::with(|hub| {
        let screens = &mut hub.screens;
        match screens.queue.iter_mut().find(|wanted| wanted.session == session && wanted.tab == tab) {
            Some(wanted) => {
                wanted.keep |= keep;
                wanted.waiters.push(sender);
            }
            None => {
                let session = session.to_owned();
                screens.queue.push_back(Wanted { session, tab, keep, waiters: vec![sender] });
            }
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
        let front = hub::with(|hub| hub.screens.queue.front().map(|wanted| wanted.tab));
        let free = front.is_none_or(trusted::holds);
        if !free && !runtime::is_firefox() {
            quota().await;
        }
        let next = hub::with(|hub| {
            let next = hub.screens.queue.pop_front();
            hub.screens.running = next.is_some();
            next
        });
        let Some(wanted) = next else { return };
        let taken = match shoot(&wanted).await {
            Ok(name) => name,
            Err(trouble) => {
                // A tab that closed meanwhile needs no excuse.
                if session::of_tab(wanted.tab).is_some() {
                    hub::coverage(&wanted.session, "screenshot", trouble.to_string());
                }
                None
            }
        };
        for waiter in wanted.waiters {
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

/// What is known of a picture besides itself.
struct Shown {
    black: Vec<Rect>,
    /// Of the top document; nothing where it does not say.
    viewport: Option<Viewport>,
    scroll: Option<Point>,
}

async fn shoot(wanted: &Wanted) -> Result<Option<String>, Trouble> {
    let (session, tab) = (wanted.session.as_str(), wanted.tab);
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
    let how = hub::session(session, |s| s.meta.header.capture.clone()).unwrap_or_default();
    let before = shown(session, tab).await?;
    // For a whole page browsers lay it out anew, and what is secret may lie elsewhere then.
    let whole = attached && how.full_page && before.black.is_empty();
    let (mut taken, mut after) = capture(session, tab, window, whole).await?;
    if taken.full_page && !after.black.is_empty() {
        (taken, after) = capture(session, tab, window, false).await?;
    }
    // A field may have moved, or come, while the picture was taken.
    let black = [before.black, after.black].concat();
    let width = hub::session(session, |s| s.top_width(tab)).flatten();
    let done = picture::redact(&taken.jpeg, width, &black, &how).await.map_err(Trouble::Said)?;
    if !recording() {
        return Ok(None);
    }
    let name = blob_name(&done.bytes, done.extension);
    let entry = Entry::Shot {
        t_start: taken.t_start,
        t_end: taken.t_end,
        tab: tab.id(),
        blob: name.clone(),
        width: done.width,
        height: done.height,
        viewport: before.viewport,
        scroll: before.scroll,
        full_page: taken.full_page,
    };
    hold(wanted, name.clone(), taken.t_end, done.bytes, entry);
    if wanted.keep {
        keep(session, &name, taken.t_end).await?;
    } else {
        // A step that began in the meantime may have waited for it.
        bind_last(session, tab);
    }
    Ok(Some(name))
}

/// A picture as the browser gives it: a JPEG of high quality in base64.
struct Taken {
    jpeg: String,
    t_start: f64,
    t_end: f64,
    full_page: bool,
}

/// Takes one picture, and looks at what is secret afterwards.
async fn capture(session: &str, tab: Tab, window: Option<f64>, whole: bool) -> Result<(Taken, Shown), Trouble> {
    let clip = if whole { extent(tab).await } else { None };
    let t_start = now();
    let jpeg = match window {
        None => {
            let mut how = json!({"format": "jpeg", "quality": 92, "optimizeForSpeed": true});
            if let Some(clip) = &clip {
                how["captureBeyondViewport"] = true.into();
                how["clip"] = clip.clone();
            }
            // Where nothing is drawn, as in a window that is minimized, it does not answer.
            let answer = hub::within(PATIENCE_MS, debugger::send(tab, "Page.captureScreenshot", &how)).await;
            let answer = answer.ok_or_else(|| Trouble::said("no picture: the browser does not draw the page"))??;
            answer["data"].as_str().unwrap_or_default().to_owned()
        }
        Some(window) => {
            let taken = hub::within(PATIENCE_MS, visible(window)).await;
            taken.ok_or_else(|| Trouble::said("no picture: the browser does not draw the page"))??
        }
    };
    let t_end = now();
    let after = shown(session, tab).await?;
    Ok((Taken { jpeg, t_start, t_end, full_page: clip.is_some() }, after))
}

/// The visible tab of a window. The quota may have been used up by a worker that died since.
async fn visible(window: f64) -> Result<String, Refused> {
    let begin = || hub::with(|hub| hub.screens.captured.push_back(now()));
    begin();
    match capture::visible(window).await {
        Err(refused) if refused.why.contains("MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND") => {
            hub::sleep(WINDOW_MS).await;
            begin();
            capture::visible(window).await
        }
        answer => answer,
    }
}

/// The whole page as the debugger's `clip`, as far as a picture can show it; `None` where that is not told.
async fn extent(tab: Tab) -> Option<Value> {
    let metrics = debugger::send(tab, "Page.getLayoutMetrics", &json!({})).await.ok()?;
    let size = |name: &str| metrics["cssContentSize"][name].as_f64().filter(|length| *length >= 1.0);
    let (width, height) = (size("width")?, size("height")?);
    let css = metrics["cssVisualViewport"]["clientWidth"].as_f64();
    let device = metrics["visualViewport"]["clientWidth"].as_f64();
    let dpr = css.zip(device).map_or(1.0, |(css, device)| if css > 0.0 { device / css } else { 1.0 }).max(0.1);
    let most = f64::min(TALLEST / dpr, LARGEST / (dpr * dpr * width));
    Some(json!({"x": 0, "y": 0, "width": width, "height": height.min(most).max(1.0), "scale": 1}))
}

/// Holds a picture in memory; the oldest goes. One that goes and is its tab's last is stored: it is what the next step
/// there will have looked like before.
fn hold(wanted: &Wanted, blob: String, t_end: f64, bytes: Vec<u8>, entry: Entry) {
    let (session, tab) = (wanted.session.clone(), wanted.tab);
    let held = Held { session, tab, blob: blob.clone(), t_end, fresh: Some((bytes, entry)) };
    let last = hub::with(|hub| {
        let ring = &mut hub.screens.ring;
        ring.push_back(held);
        let heavy = |ring: &VecDeque<Held>| {
            let bytes = ring.iter().filter_map(|held| held.fresh.as_ref()).map(|(bytes, _)| bytes.len()).sum::<usize>();
            ring.len() > 1 && bytes > HELD_BYTES
        };
        let mut last = Vec::new();
        while ring.len() > HELD || heavy(ring) {
            let Some(gone) = ring.pop_front() else { break };
            if gone.fresh.is_some() && ring.iter().all(|other| other.tab != gone.tab) {
                last.push(gone);
            }
        }
        last
    });
    for held in last {
        hub::spawn(store(held.session, held.blob, held.fresh));
    }
    let session = wanted.session.clone();
    hub::spawn(async move {
        hub::sleep(RESTED_MS).await;
        let newest = hub::with(|hub| {
            let newest = hub.screens.ring.iter().rfind(|held| held.session == session && held.tab == tab);
            newest.is_some_and(|held| held.blob == blob && held.t_end.to_bits() == t_end.to_bits())
        });
        if newest { keep(&session, &blob, t_end).await } else { Ok(()) }
    });
}

/// Stores a held picture, unless that was done.
async fn keep(session: &str, blob: &str, t_end: f64) -> Result<(), Trouble> {
    let fresh = hub::with(|hub| {
        let same =
            |held: &&mut Held| held.session == session && held.blob == blob && held.t_end.to_bits() == t_end.to_bits();
        hub.screens.ring.iter_mut().find(same).and_then(|held| held.fresh.take())
    });
    store(session.to_owned(), blob.to_owned(), fresh).await
}

/// Stores a picture, once for each content, and then says so in the log.
async fn store(session: String, name: String, fresh: Option<(Vec<u8>, Entry)>) -> Result<(), Trouble> {
    let Some((bytes, entry)) = fresh else { return Ok(()) };
    let known = hub::session(&session, |s| s.blobs.contains(&name)).unwrap_or(true);
    if !known {
        hub::with(|hub| hub.screens.storing.push(session.clone()));
        let stored = match hub::store() {
            Ok(store) => store.put_blob(&session, &name, &bytes).await.map_err(Trouble::from),
            Err(trouble) => Err(trouble),
        };
        hub::with(|hub| {
            let storing = &mut hub.screens.storing;
            storing.iter().position(|of| *of == session).map(|at| storing.swap_remove(at));
        });
        if let Err(trouble) = stored {
            hub::coverage(&session, "screenshot", trouble.to_string());
            return Ok(());
        }
        // Known only now: until it is there, the same picture is stored by whoever has it.
        hub::session(&session, |s| s.blobs.insert(name));
    }
    session::log(&session, entry);
    Ok(())
}

/// A step takes the last picture from before it began for its own.
pub fn bind(session: &str, seq: u32) {
    let begun = hub::session(session, |s| s.recorder.begun(seq)).flatten();
    let Some((t, tab)) = begun.map(|(t, tab)| (t, Tab::new(tab))) else { return };
    let last = hub::with(|hub| {
        let before = |held: &&Held| held.session == session && held.tab == tab && held.t_end <= t;
        let last = hub.screens.ring.iter().rfind(before).filter(|held| held.fresh.is_some());
        last.map(|held| (held.blob.clone(), held.t_end))
    });
    if let Some((blob, t_end)) = last {
        let session = session.to_owned();
        hub::spawn(async move { keep(&session, &blob, t_end).await });
    }
}

/// The last step of a tab may have begun while its picture was being made.
fn bind_last(session: &str, tab: Tab) {
    let last = hub::session(session, |s| s.recorder.last_step(tab.id())).flatten();
    if let Some(seq) = last {
        bind(session, seq);
    }
}

/// Waits until all pictures of a session that somebody needs are stored, and lets go of the others.
pub async fn finish(session: &str) {
    // Steps that have just begun come first.
    hub::sleep(0.0).await;
    hub::with(|hub| hub.screens.ring.retain(|held| held.session != session));
    let end = now() + FINISH_MS;
    while hub::with(|hub| hub.screens.storing.iter().any(|of| of == session)) {
        if now() > end {
            return hub::coverage(session, "screenshot", "the disk is too slow: the last pictures are not stored");
        }
        hub::sleep(20.0).await;
    }
}

/// What the tab shows, and the boxes of all secret fields, in the top viewport. A frame that does not answer is blacked
/// out whole; if the top frame does not, there can be no picture.
async fn shown(session: &str, tab: Tab) -> Result<Shown, Trouble> {
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
    let top = answers.first().and_then(|(_, answer)| answer.as_ref().ok()).filter(|reply| reply.dpr > 0.0);
    let viewport = top.map(|reply| Viewport { width: reply.size.0, height: reply.size.1, dpr: reply.dpr });
    let scroll = top.map(|reply| Point { x: reply.scroll.0, y: reply.scroll.1 });
    Ok(Shown { black, viewport, scroll })
}
