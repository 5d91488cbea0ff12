//! Dialogs of the browser (alert, confirm, prompt, the question before leaving). They are no part of any document:
//! Chromium's debugger tells of them, in Firefox a companion over WebDriver BiDi. Elsewhere the most that can be
//! known is that a page stood still.

use serde_json::{Value, json};
use tracerule::trace::{Dialog, DialogKind, FailureCode, MASK};
use tracerule::wire::agent::Failure;
use tracerule::wire::log::Entry;
use tracerule::wire::secrets::asks_for_secret;
use tracerule::wire::sensor::Ask;

use crate::aim::failure;
use crate::browser::{Tab, debugger, tabs};
use crate::hub::{self, now};
use crate::{frames, relay, session, trusted};

/// What the page told before its dialog comes over another way, and comes first, ms.
const WAY_MS: f64 = 80.0;
/// A page that answers later than this stood still, ms.
const STILL_MS: f64 = 1000.0;
/// The longest that a page is waited for, ms.
const PATIENCE_MS: f64 = 600_000.0;
/// A dialog that was caused opens within this time, ms.
const OPEN_MS: f64 = 1000.0;
/// An answered dialog closes within this time, ms.
const CLOSE_MS: f64 = 3000.0;

/// A dialog that is open.
pub struct Open {
    dialog: Dialog,
    /// What the log is to be told of it, until it is.
    untold: Option<Entry>,
}

/// The dialog that is open in a tab.
pub fn open(tab: Tab) -> Option<Dialog> {
    hub::with(|hub| hub.dialogs.get(&tab).map(|open| open.dialog.clone()))
}

/// A dialog opened.
pub fn opened(session: &str, tab: Tab, kind: DialogKind, message: String) {
    let t = now();
    let dialog = Dialog { kind, message: message.clone(), accepted: None, text: None };
    let untold = Some(Entry::DialogOpened { t, tab: tab.id(), kind, message });
    hub::with(|hub| hub.dialogs.insert(tab, Open { dialog, untold }));
    let id = session.to_owned();
    hub::spawn(async move {
        hub::sleep(WAY_MS).await;
        let untold = hub::with(|hub| hub.dialogs.get_mut(&tab).and_then(|open| open.untold.take()));
        if let Some(entry) = untold {
            session::log(&id, entry);
        }
        Ok(())
    });
    // An agent that leaves a page has said so; to be held there would be no answer.
    let acting = hub::session(session, |s| s.acting && s.granted) == Some(true);
    if acting && kind == DialogKind::Beforeunload {
        trusted::say(tab, "the page asked whether to leave it, which was accepted".to_owned());
        hub::spawn(async move {
            // It may have been answered by somebody else.
            let _ = send(tab, true, None).await;
            Ok(())
        });
    }
}

/// A dialog was answered.
pub fn closed(session: &str, tab: Tab, accepted: Option<bool>, text: Option<String>) {
    let Some(Open { dialog, untold }) = hub::with(|hub| hub.dialogs.remove(&tab)) else { return };
    if let Some(entry) = untold {
        session::log(session, entry);
    }
    let secret =
        |text: String| if asks_for_secret(&dialog.message) && !text.is_empty() { MASK.to_owned() } else { text };
    let text = text.filter(|_| dialog.kind == DialogKind::Prompt && accepted == Some(true)).map(secret);
    // At once: what comes of the answer, as the page that was asked whether to be left, follows it.
    session::log(session, Entry::DialogClosed { t: now(), tab: tab.id(), accepted, text });
}

/// The debugger tells of a dialog.
pub fn debugger_event(session: &str, tab: Tab, method: &str, parameters: &Value) {
    let text = |name: &str| parameters[name].as_str().unwrap_or_default().to_owned();
    match method {
        "Page.javascriptDialogOpening" => opened(session, tab, DialogKind::from_name(&text("type")), text("message")),
        "Page.javascriptDialogClosed" => {
            closed(session, tab, parameters["result"].as_bool(), Some(text("userInput")));
        }
        _ => {}
    }
}

/// A companion tells of a dialog: `{url, opened: {type, message}}` or `{url, closed: {accepted, text}}`. It knows
/// tabs by their addresses only, so of several that fit the one in front is meant.
pub async fn companion_event(params: &Value) {
    let url = params["url"].as_str().unwrap_or_default();
    let all = tabs::all().await.unwrap_or_default();
    let mut fitting: Vec<_> = all.iter().filter(|info| info.url == url).collect();
    fitting.sort_by_key(|info| !info.active);
    let tabs = fitting.iter().filter_map(|info| info.tab());
    let by_address = tabs.filter_map(|tab| Some((session::of_tab(tab)?, tab))).next();
    // A page that is on its way out may have told its next address already.
    let front = || hub::with(|hub| hub.sessions.iter().next_back().map(|(id, s)| (id.clone(), s.current)));
    let open =
        || hub::with(|hub| hub.dialogs.keys().next().copied()).and_then(|tab| Some((session::of_tab(tab)?, tab)));
    if let Some(said) = params.get("opened") {
        let Some((session, tab)) = by_address.or_else(front) else { return };
        let kind = DialogKind::from_name(said["type"].as_str().unwrap_or_default());
        opened(&session, tab, kind, said["message"].as_str().unwrap_or_default().to_owned());
    } else if let Some(said) = params.get("closed") {
        let here = by_address.filter(|(_, tab)| self::open(*tab).is_some());
        let Some((session, tab)) = here.or_else(open) else { return };
        closed(&session, tab, said["accepted"].as_bool(), said["text"].as_str().map(str::to_owned));
    }
}

/// Answers the open dialog.
pub async fn answer(tab: Tab, accept: bool, text: Option<&str>) -> Result<(), Failure> {
    // One that the last action brings may be a moment late.
    let since = now();
    while open(tab).is_none() && now() - since < OPEN_MS {
        hub::sleep(25.0).await;
    }
    let Some(dialog) = open(tab) else {
        let message = "no dialog is open: nothing is there to be answered";
        return Err(failure(FailureCode::BadValue, message));
    };
    if text.is_some() && dialog.kind != DialogKind::Prompt {
        let message =
            format!("this is a dialog of the kind {:?}, which takes no text: answer without", dialog.kind.name());
        return Err(failure(FailureCode::BadValue, message));
    }
    send(tab, accept, text).await.map_err(|why| failure(FailureCode::Browser, why))?;
    let since = now();
    while open(tab).is_some() {
        if now() - since > CLOSE_MS {
            return Err(failure(FailureCode::Timeout, "the dialog was answered and did not close"));
        }
        hub::sleep(25.0).await;
    }
    Ok(())
}

async fn send(tab: Tab, accept: bool, text: Option<&str>) -> Result<(), String> {
    if trusted::holds(tab) {
        let mut how = json!({ "accept": accept });
        if let Some(text) = text {
            how["promptText"] = text.into();
        }
        return debugger::send(tab, "Page.handleJavaScriptDialog", &how).await.map(|_| ()).map_err(|e| e.to_string());
    }
    if relay::performs() {
        let url = tabs::get(tab).await.map(|info| info.url).unwrap_or_default();
        let how = json!({ "url": url, "accept": accept, "text": text });
        return relay::request("dialog.answer", how).await.map(|_| ());
    }
    Err("this browser lets no extension answer dialogs: a person has to".to_owned())
}

/// Returns once a dialog is open in the tab.
pub async fn opens(tab: Tab) {
    while open(tab).is_none() {
        hub::sleep(20.0).await;
    }
}

/// Whether dialogs of a tab are told of.
fn told(tab: Tab) -> bool {
    trusted::holds(tab) || relay::performs()
}

/// After a step in a tab whose dialogs nobody tells of: does its page answer?
pub fn probe(session: &str, tab: Tab) {
    if told(tab) || !hub::with(|hub| hub.probing.insert(tab)) {
        return;
    }
    let session = session.to_owned();
    hub::spawn(async move {
        // Once for what the step itself opens, once for what its page opens a little later.
        for pause in [0.0, 400.0] {
            hub::sleep(pause).await;
            let paused = hub::session(&session, |s| s.recorder.paused());
            let Some((port, _)) = frames::of_tab(tab).into_iter().next() else { break };
            let Some(paused) = paused else { break };
            let since = now();
            let ask = if paused { Ask::Pause } else { Ask::Resume };
            let answer = frames::ask::<Value>(port, ask, PATIENCE_MS).await;
            let ms = now() - since;
            if ms >= STILL_MS && !told(tab) && !matches!(answer, Err(frames::FrameError::Garbled(_))) {
                session::log(&session, Entry::Blocked { t: since, tab: tab.id(), ms });
                break;
            }
        }
        hub::with(|hub| hub.probing.remove(&tab));
        Ok(())
    });
}

/// The tab is gone.
pub fn forget(tab: Tab) {
    hub::with(|hub| {
        hub.dialogs.remove(&tab);
        hub.probing.remove(&tab);
    });
}
