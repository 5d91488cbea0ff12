//! The sensors' ports: whose they are, what they send, and what is asked of them.

use futures_channel::oneshot;
use js_sys::{Array, Int32Array, Reflect};
use serde::de::DeserializeOwned;
use serde_json::json;
use tracerule::wire::log::{Batch, Document, Entry};
use tracerule::wire::op;
use tracerule::wire::sensor::{ACTING, Ask, Command, Hello, LATER, Yours};
use vecmap::VecMap;
use wasm_bindgen::JsValue;

use crate::browser::ports::Port;
use crate::browser::{Tab, object, read};
use crate::hub::{self, now};
use crate::{session, settle, writer};

/// A frame with a sensor.
pub struct Frame {
    /// Its port.
    pub port: Port,
    /// Its tab.
    pub tab: Tab,
    /// The browser's number of it; 0 for the top frame.
    pub frame: f64,
    /// Its document's token, once it has said so.
    pub doc: Option<String>,
    /// The session it is recorded in.
    pub session: Option<String>,
    /// What it said before it was known whether its tab belongs to a session.
    held: Vec<JsValue>,
    waiting: VecMap<u32, oneshot::Sender<JsValue>>,
    /// It has what measures.
    furnished: bool,
    /// It has what acts.
    equipped: bool,
}

/// A frame did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FrameError {
    /// It went away.
    #[error("the frame went away before it could answer")]
    Gone,
    /// It kept silent.
    #[error("the page did not answer within {0} ms: it is busy, or a dialog holds it")]
    Silent(f64),
    /// It said something else.
    #[error("the page's sensor answered what the recorder does not understand ({0}): reload the page")]
    Garbled(String),
}

/// A sensor connects.
pub fn connect(number: u32, port: Port) {
    let from = port.from();
    let Some(tab) = from.tab.as_ref().and_then(crate::browser::tabs::Info::tab) else {
        port.close();
        return;
    };
    let session = session::of_tab(tab);
    let undecided = session.is_none();
    if let Some(session) = &session {
        take_on(session, &port);
    }
    let any_live = hub::with(|hub| {
        let frame = Frame {
            port: port.clone(),
            tab,
            frame: from.frame_id,
            doc: None,
            session,
            held: Vec::new(),
            waiting: VecMap::new(),
            furnished: false,
            equipped: false,
        };
        hub.frames.insert(number, frame);
        !hub.sessions.is_empty()
    });
    if undecided && any_live {
        // A tab opened by a tab of ours may speak before the browser tells of it.
        hub::spawn(async move {
            session::adopt_if_opened(tab).await;
            decide(number);
            Ok(())
        });
    } else if undecided {
        decide(number);
    }
}

/// It is known by now whether the frame's tab belongs to a session.
fn decide(number: u32) {
    let tab = hub::with(|hub| hub.frames.get(&number).map(|frame| frame.tab));
    let Some(tab) = tab else { return };
    let session = session::of_tab(tab);
    let held = hub::with(|hub| {
        let frame = hub.frames.get_mut(&number)?;
        frame.session = session.clone();
        Some(std::mem::take(&mut frame.held))
    });
    let Some(session) = session else {
        dismiss(number);
        return;
    };
    if let Some(port) = hub::with(|hub| hub.frames.get(&number).map(|frame| frame.port.clone())) {
        take_on(&session, &port);
    }
    for message in held.unwrap_or_default() {
        self::message(number, &message);
    }
}

/// Tells a sensor that its document is recorded, and what is secret in this session: before that it says nothing.
fn take_on(session: &str, port: &Port) {
    let yours = hub::session(session, |s| {
        let (names, hidden) = s.learned();
        Yours {
            mask: s.meta.header.mask.clone(),
            salt: s.meta.header.secret_salt.clone().unwrap_or_default(),
            names,
            hidden,
        }
    });
    // A port that has closed tells so itself.
    let _ = port.post(&object(&json!({"yours": yours.unwrap_or_default()})));
}

/// Sends a frame's sensor home: nothing may listen where nothing is recorded.
fn dismiss(number: u32) {
    let port = hub::with(|hub| hub.frames.remove(&number).map(|frame| frame.port));
    if let Some(port) = port {
        let _ = port.post(&object(&json!({"command": Command { id: 0, ask: Ask::Stop }})));
    }
}

/// Sends the sensors of a session home.
pub fn dismiss_all(session: &str) {
    let numbers: Vec<u32> = hub::with(|hub| {
        hub.frames.iter().filter(|(_, f)| f.session.as_deref() == Some(session)).map(|(n, _)| *n).collect()
    });
    numbers.into_iter().for_each(dismiss);
}

/// A sensor is gone.
pub fn disconnect(number: u32) {
    let Some(frame) = hub::with(|hub| hub.frames.remove(&number)) else { return };
    let (Some(session), Some(doc)) = (frame.session, frame.doc) else { return };
    // The same document may have come back on another port already.
    let again = hub::with(|hub| hub.frames.values().any(|other| other.doc.as_ref() == Some(&doc)));
    if !again {
        session::log(&session, Entry::Gone { doc, t: now() });
    }
    if frame.frame == 0.0 {
        hub::spawn(died(frame.tab));
    }
}

/// A top document went without another: the process may have died, which the browser tells no extension.
async fn died(tab: Tab) -> Result<(), hub::Trouble> {
    for pause in [300.0, 1200.0] {
        hub::sleep(pause).await;
        let alive = hub::with(|hub| {
            hub.frames.values().any(|frame| frame.tab == tab && frame.frame == 0.0) || hub.navigating.contains_key(&tab)
        });
        if alive || session::of_tab(tab).is_none() {
            return Ok(());
        }
    }
    // A tab that closed meanwhile is told of by its own event.
    let Ok(info) = crate::browser::tabs::get(tab).await else { return Ok(()) };
    if (info.status == "unloaded" && !info.discarded) || info.url.starts_with("about:tabcrashed") {
        session::crashed(tab);
    }
    Ok(())
}

/// A sensor says something.
pub fn message(number: u32, message: &JsValue) {
    let state = hub::with(|hub| {
        let frame = hub.frames.get_mut(&number)?;
        if frame.session.is_none() {
            frame.held.push(message.clone());
        }
        Some((frame.session.clone()?, frame.tab))
    });
    let Some((session, tab)) = state else { return };
    if let Some(reply) = field(message, "reply") {
        let id = field(&reply, "id").and_then(|id| id.as_f64()).unwrap_or(0.0) as u32;
        let sender = hub::with(|hub| hub.frames.get_mut(&number).and_then(|frame| frame.waiting.remove(&id)));
        if let Some(sender) = sender {
            // Whoever asked may have given up.
            let _ = sender.send(reply);
        }
    } else if let Some(hello) = field(message, "hello") {
        match read::<Hello>(&hello) {
            Ok(hello) => greet(number, &session, tab, hello),
            Err(why) => hub::coverage(&session, "frame", format!("a frame's greeting could not be read ({why})")),
        }
    } else if let Some(batch) = field(message, "batch") {
        take(number, &session, &batch);
    } else if field(message, "more").is_some() {
        hub::spawn(async move {
            // A frame that is gone needs nothing more.
            let _ = equip(number).await;
            Ok(())
        });
    } else if let Some(fault) = field(message, "fault") {
        let fault = fault.as_string().unwrap_or_default();
        hub::coverage(&session, "fault", format!("the recorder stumbled in a page ({fault}): please report it"));
    } else if let Some(popup) = field(message, "popup") {
        let id = field(&popup, "id").and_then(|id| id.as_string()).unwrap_or_default();
        let how = field(&popup, "dismissed").and_then(|how| how.as_string()).unwrap_or_default();
        crate::perturb::dismissed(&session, &id, &how);
    } else {
        hub::coverage(&session, "frame", "a frame sent a message that the recorder does not know");
    }
}

fn greet(number: u32, session: &str, tab: Tab, hello: Hello) {
    hub::with(|hub| {
        if let Some(frame) = hub.frames.get_mut(&number) {
            frame.doc = Some(hello.doc.clone());
        }
    });
    let missing = hub::session(session, |s| {
        let expected = s.batches.get(&hello.doc).copied();
        if expected.is_none() {
            s.batches.insert(hello.doc.clone(), hello.next_seq);
        }
        hello.next_seq > expected.unwrap_or(0)
    });
    session::log(session, document(&hello, tab));
    if hello.top && hub::with(|hub| hub.crashed.remove(&tab)) | !crate::trusted::holds(tab) {
        let session = session.to_owned();
        hub::spawn(async move {
            crate::trusted::watch(&session, tab).await;
            Ok(())
        });
    }
    if hello.top {
        crate::navigation::reached(tab, hello.t);
    }
    if missing == Some(true) {
        hub::coverage(session, "gap", format!("a part of what happened in {} was lost: reload the page", hello.url));
    }
    settle::touched(session, tab, hello.t);
    crate::linking::greeted(session, number);
    hub::spawn(async move {
        // A frame that is gone needs nothing more.
        let _ = furnish(number).await;
        Ok(())
    });
}

/// A greeting, as the log keeps it.
pub fn document(hello: &Hello, tab: Tab) -> Entry {
    Entry::Document(Document {
        t: hello.t,
        doc: hello.doc.clone(),
        tab: tab.id(),
        top: hello.top,
        url: hello.url.clone(),
        viewport: Some(hello.viewport),
    })
}

/// A batch is logged once, in order; it is acknowledged when it is stored.
fn take(number: u32, session: &str, message: &JsValue) {
    let doc = hub::with(|hub| hub.frames.get(&number).and_then(|frame| frame.doc.clone()));
    let Some(doc) = doc else {
        hub::coverage(session, "frame", "a frame sent facts before it said who it is");
        return;
    };
    let Some(batch) = batch(&doc, message) else {
        hub::coverage(session, "gap", "a frame's batch could not be read; reload the page if this happens again");
        return;
    };
    let expected = hub::session(session, |s| s.batches.get(&doc).copied()).flatten().unwrap_or(0);
    if batch.seq < expected {
        writer::ack(number, batch.seq);
        return;
    }
    if batch.seq > expected {
        let lost = batch.seq - expected;
        hub::coverage(session, "gap", format!("{lost} batches of a frame's facts were lost before this one"));
    }
    let seq = batch.seq;
    hub::session(session, |s| s.batches.insert(doc, seq.saturating_add(1)));
    session::log_and_ack(session, Entry::Batch(batch), Some((number, seq)));
}

/// Reads a batch; its operations come as a typed array or, where those do not survive, as a list. Its strings come
/// as one text with their lengths, or one by one.
pub fn batch(doc: &str, message: &JsValue) -> Option<Batch> {
    let number = |name| field(message, name).and_then(|value| value.as_f64());
    let ops = field(message, "ops")?;
    let strings = match field(message, "text").and_then(|text| text.as_string()) {
        Some(text) => op::split(&text, &Int32Array::new(&field(message, "lengths")?).to_vec()),
        None => {
            let strings: Array = field(message, "strings")?.into();
            strings.iter().map(|text| text.as_string().unwrap_or_default()).collect()
        }
    };
    Some(Batch {
        doc: doc.to_owned(),
        seq: number("seq").filter(|seq| (0.0..4e9).contains(seq))? as u32,
        t0: number("t0").filter(|t0| t0.is_finite())?,
        strings,
        ops: Int32Array::new(&ops).to_vec(),
    })
}

/// A field of an object, unless absent.
pub fn field(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &name.into()).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

/// Whether a frame needs more than the sensor for this.
fn acts(ask: &Ask) -> bool {
    !matches!(
        ask,
        Ask::Measure
            | Ask::Secrets
            | Ask::Rest
            | Ask::Place
            | Ask::Child { .. }
            | Ask::Tie { .. }
            | Ask::Frames
            | Ask::PickCancel
            | Ask::Pause
            | Ask::Resume
            | Ask::Stop
    )
}

/// Puts what acts into a frame, once.
async fn equip(port: u32) -> Result<(), FrameError> {
    put(port, &ACTING, |frame| &mut frame.equipped).await
}

/// Puts what measures into a frame, once.
async fn furnish(port: u32) -> Result<(), FrameError> {
    put(port, &LATER, |frame| &mut frame.furnished).await
}

/// Where it cannot be put in, the sensor says what it cannot do.
async fn put(port: u32, scripts: &[&str], done: fn(&mut Frame) -> &mut bool) -> Result<(), FrameError> {
    let at = hub::with(|hub| hub.frames.get_mut(&port).map(|frame| (frame.tab, frame.frame, *done(frame))));
    let (tab, frame, there) = at.ok_or(FrameError::Gone)?;
    if !there && crate::browser::scripting::execute(tab, frame, scripts).await.is_ok() {
        hub::with(|hub| {
            if let Some(frame) = hub.frames.get_mut(&port) {
                *done(frame) = true;
            }
        });
    }
    Ok(())
}

/// Asks a frame, and waits for its answer at most so many ms.
pub async fn ask<T: DeserializeOwned>(port: u32, ask: Ask, patience_ms: f64) -> Result<T, FrameError> {
    if acts(&ask) {
        hub::within(patience_ms, equip(port)).await.unwrap_or(Err(FrameError::Silent(patience_ms)))?;
    } else if matches!(ask, Ask::Measure | Ask::Secrets | Ask::Rest) {
        hub::within(patience_ms, furnish(port)).await.unwrap_or(Err(FrameError::Silent(patience_ms)))?;
    }
    let (sender, receiver) = oneshot::channel();
    let command = hub::with(|hub| {
        hub.command = hub.command.wrapping_add(1).max(1);
        let id = hub.command;
        let frame = hub.frames.get_mut(&port)?;
        frame.waiting.insert(id, sender);
        Some((frame.port.clone(), Command { id, ask }))
    });
    let (to, command) = command.ok_or(FrameError::Gone)?;
    let id = command.id;
    to.post(&object(&json!({ "command": command }))).map_err(|_| FrameError::Gone)?;
    let late = gloo::timers::callback::Timeout::new(patience_ms as u32, move || {
        // Dropping the sender ends the wait; the frame is still there, so it was silent.
        hub::with(|hub| hub.frames.get_mut(&port).and_then(|frame| frame.waiting.remove(&id)));
    });
    let answer = receiver.await;
    drop(late);
    match answer {
        Ok(reply) => read(&reply).map_err(FrameError::Garbled),
        Err(_) if hub::with(|hub| hub.frames.contains_key(&port)) => Err(FrameError::Silent(patience_ms)),
        Err(_) => Err(FrameError::Gone),
    }
}

/// The port of a document.
pub fn of_doc(doc: &str) -> Option<u32> {
    hub::with(|hub| hub.frames.iter().find(|(_, frame)| frame.doc.as_deref() == Some(doc)).map(|(n, _)| *n))
}

/// The ports of a tab's documents, the top frame first.
pub fn of_tab(tab: Tab) -> Vec<(u32, String)> {
    hub::with(|hub| {
        let mut frames: Vec<_> = hub
            .frames
            .iter()
            .filter(|(_, f)| f.tab == tab && f.session.is_some())
            .filter_map(|(n, f)| Some((f.frame != 0.0, *n, f.doc.clone()?)))
            .collect();
        frames.sort_by_key(|(child, number, _)| (*child, *number));
        frames.into_iter().map(|(_, number, doc)| (number, doc)).collect()
    })
}

/// Asks all frames of a tab at once. Each answer stands beside its document's token.
pub async fn ask_all<T: DeserializeOwned>(
    tab: Tab,
    ask: &Ask,
    patience_ms: f64,
) -> Vec<(String, Result<T, FrameError>)> {
    let answers = of_tab(tab).into_iter().map(|(port, doc)| async move {
        let answer = self::ask(port, ask.clone(), patience_ms).await;
        (doc, answer)
    });
    futures_util::future::join_all(answers).await
}
