//! The link to the companion: a WebSocket to this machine's loopback, JSON-RPC 2.0 both ways.

use futures_channel::oneshot;
use js_sys::Array;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tracerule::trace::Step;
use tracerule::wire::agent::Which;
use vecmap::VecMap;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{CloseEvent, MessageEvent, WebSocket};

use crate::browser::{runtime, storage};
use crate::hub::{self, Trouble, now};
use crate::{panel, rpc};

/// Where a companion listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// As `ws://127.0.0.1:PORT/extension`.
    pub relay: String,
    /// Known to whoever may connect.
    pub token: String,
    /// It can perform trusted input in this browser.
    #[serde(default)]
    pub bidi: bool,
    /// It launched this browser so that its debugger shows no bar.
    #[serde(default)]
    pub silent: bool,
}

/// The link.
#[derive(Default)]
pub struct Relay {
    pairing: Option<Pairing>,
    link: Option<Link>,
    /// Counts attempts, so that an old one's events are told apart.
    attempt: u32,
    waiting: VecMap<u64, oneshot::Sender<Result<Value, String>>>,
    next: u64,
    /// Agents heard of: name and when.
    agents: VecMap<String, f64>,
}

struct Link {
    socket: WebSocket,
    open: bool,
    _handlers: Vec<Closure<dyn FnMut(JsValue)>>,
}

/// Often enough that neither the worker nor the socket is put to sleep, ms.
const PING_MS: f64 = 20_000.0;
const PAIRING: &str = "pairing";

/// Connects as `companion.json` says, or as the person did in this run of the browser.
pub async fn begin() -> Result<(), Trouble> {
    let file = runtime::file("companion.json").await?;
    let pairing = match file {
        Some(text) => Some(
            serde_json::from_str(&text).map_err(|e| Trouble::said(format!("companion.json cannot be read: {e}")))?,
        ),
        None => storage::get::<Pairing>(PAIRING).await?,
    };
    if let Some(pairing) = pairing {
        connect_to(pairing);
    }
    Ok(())
}

/// Connects to the companion that printed this line.
pub async fn pair(line: &str) -> Result<(), Trouble> {
    let wrong = || Trouble::said("paste the line that `tracerule serve` printed, as ws://127.0.0.1:PORT/#TOKEN");
    let (address, token) = line.trim().split_once('#').ok_or_else(wrong)?;
    let url = web_sys::Url::new(address).map_err(|_| wrong())?;
    let host = url.hostname();
    if url.protocol() != "ws:" || !matches!(host.as_str(), "127.0.0.1" | "localhost" | "[::1]") {
        return Err(Trouble::said("the companion is on this machine: the line begins with ws://127.0.0.1:"));
    }
    if token.is_empty() || !token.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
        return Err(wrong());
    }
    let pairing = Pairing {
        relay: format!("ws://{}/extension", url.host()),
        token: token.to_owned(),
        bidi: false,
        silent: false,
    };
    storage::set(PAIRING, &pairing).await?;
    connect_to(pairing);
    for _ in 0..50 {
        if is_open() {
            return Ok(());
        }
        hub::sleep(100.0).await;
    }
    disconnect().await?;
    Err(Trouble::said(format!(
        "no companion answers at {}: is `tracerule serve` running, and is this its newest line?",
        url.host()
    )))
}

/// Hangs up, and forgets the companion.
pub async fn disconnect() -> Result<(), Trouble> {
    let link = hub::with(|hub| {
        hub.relay.attempt += 1;
        hub.relay.pairing = None;
        hub.relay.link.take()
    });
    if let Some(link) = link {
        // Closing one that never opened is all it takes.
        let _ = link.socket.close();
    }
    storage::set(PAIRING, &Value::Null).await?;
    panel::changed();
    Ok(())
}

/// The companion's address, when connected.
pub fn address() -> Option<String> {
    hub::with(|hub| {
        let open = hub.relay.link.as_ref().is_some_and(|link| link.open);
        hub.relay.pairing.as_ref().filter(|_| open).map(|pairing| pairing.relay.clone())
    })
}

/// Whether the companion is there and performs trusted input.
pub fn performs() -> bool {
    is_open() && hub::with(|hub| hub.relay.pairing.as_ref().is_some_and(|pairing| pairing.bidi))
}

/// Whether the debugger may be attached without the person's seeing it.
pub fn silent() -> bool {
    hub::with(|hub| hub.relay.pairing.as_ref().is_some_and(|pairing| pairing.silent))
}

/// Agents heard of lately.
pub fn agents() -> Vec<String> {
    let now = now();
    hub::with(|hub| {
        hub.relay.agents.iter().filter(|(_, t)| now - **t < 300_000.0).map(|(name, _)| name.clone()).collect()
    })
}

/// An agent spoke.
pub fn heard(client: &str) {
    let fresh = hub::with(|hub| hub.relay.agents.insert(client.to_owned(), now()).is_none());
    if fresh {
        panel::changed();
    }
}

fn is_open() -> bool {
    hub::with(|hub| hub.relay.link.as_ref().is_some_and(|link| link.open))
}

fn connect_to(pairing: Pairing) {
    let (attempt, old) = hub::with(|hub| {
        hub.relay.pairing = Some(pairing);
        hub.relay.attempt += 1;
        (hub.relay.attempt, hub.relay.link.take())
    });
    if let Some(old) = old {
        let _ = old.socket.close();
    }
    wasm_bindgen_futures::spawn_local(keep(attempt));
}

/// Keeps the link up until a newer attempt takes over: connects, pings, connects again.
async fn keep(attempt: u32) {
    let current = || hub::with(|hub| (hub.relay.attempt == attempt).then(|| hub.relay.pairing.clone()).flatten());
    let mut pause = 250.0;
    while let Some(pairing) = current() {
        let (closed, wait) = oneshot::channel();
        match open(&pairing, attempt, closed) {
            Ok(()) => {
                let began = now();
                let mut wait = wait;
                loop {
                    let nap = Box::pin(hub::sleep(PING_MS));
                    match futures_util::future::select(wait, nap).await {
                        futures_util::future::Either::Left(_) => break,
                        futures_util::future::Either::Right(((), rest)) => {
                            wait = rest;
                            notify("ping", &json!({}));
                            // Firefox's event page sleeps over sockets, but not over calls to the browser.
                            let _ = crate::browser::tabs::active().await;
                        }
                    }
                }
                if now() - began > 5000.0 {
                    pause = 250.0;
                }
            }
            Err(thrown) => {
                hub::problem(&format!("the companion cannot be reached: {}", crate::browser::words(&thrown)))
            }
        }
        if current().is_none() {
            return;
        }
        hub::with(|hub| hub.relay.link = None);
        fail_all();
        panel::changed();
        hub::sleep(pause).await;
        pause = f64::min(pause * 2.0, 5000.0);
    }
}

fn open(pairing: &Pairing, attempt: u32, closed: oneshot::Sender<()>) -> Result<(), JsValue> {
    let protocols = Array::of2(&"tracerule".into(), &format!("token.{}", pairing.token).into());
    let socket = WebSocket::new_with_str_sequence(&pairing.relay, &protocols)?;
    let mine = move || hub::with(|hub| hub.relay.attempt == attempt);
    let opened = Closure::<dyn FnMut(JsValue)>::new(move |_| {
        if mine() {
            hub::with(|hub| {
                if let Some(link) = &mut hub.relay.link {
                    link.open = true;
                }
            });
            panel::changed();
        }
    });
    let message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let text = event.dyn_ref::<MessageEvent>().and_then(|event| event.data().as_string());
        if let (true, Some(text)) = (mine(), text) {
            receive(text);
        }
    });
    let mut closed = Some(closed);
    let ended = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        if let Some(event) = event.dyn_ref::<CloseEvent>()
            && event.code() == 1008
        {
            hub::problem(&format!("the companion refused the connection: {}", event.reason()));
        }
        if let Some(closed) = closed.take() {
            let _ = closed.send(());
        }
    });
    socket.set_onopen(Some(opened.as_ref().unchecked_ref()));
    socket.set_onmessage(Some(message.as_ref().unchecked_ref()));
    socket.set_onclose(Some(ended.as_ref().unchecked_ref()));
    hub::with(|hub| hub.relay.link = Some(Link { socket, open: false, _handlers: vec![opened, message, ended] }));
    Ok(())
}

fn receive(text: String) {
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(e) => return send(&rpc::error(&Value::Null, rpc::PARSE, &format!("this is no JSON: {e}"))),
    };
    let is_answer = value.get("method").is_none() && (value.get("result").is_some() || value.get("error").is_some());
    if is_answer {
        let waiting = value["id"].as_u64().and_then(|id| hub::with(|hub| hub.relay.waiting.remove(&id)));
        if let Some(waiting) = waiting {
            let result = match value.get("error") {
                Some(error) => Err(error["message"].as_str().unwrap_or("no reason given").to_owned()),
                None => Ok(value["result"].clone()),
            };
            let _ = waiting.send(result);
        }
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        if let Some(answer) = rpc::answer(value).await {
            send(&answer);
        }
    });
}

fn send(message: &Value) {
    let socket = hub::with(|hub| hub.relay.link.as_ref().filter(|link| link.open).map(|link| link.socket.clone()));
    if let Some(socket) = socket {
        // A socket that closes meanwhile is told by its own event.
        let _ = socket.send_with_str(&message.to_string());
    }
}

fn notify(method: &str, params: &Value) {
    send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
}

fn fail_all() {
    let waiting = hub::with(|hub| std::mem::take(&mut hub.relay.waiting));
    for sender in waiting.into_values() {
        let _ = sender.send(Err("the connection to the companion was lost".to_owned()));
    }
}

/// Asks the companion.
pub async fn request(method: &str, params: Value) -> Result<Value, String> {
    if !is_open() {
        return Err("no companion is connected".to_owned());
    }
    let (sender, receiver) = oneshot::channel();
    let id = hub::with(|hub| {
        hub.relay.next += 1;
        let id = hub.relay.next;
        hub.relay.waiting.insert(id, sender);
        id
    });
    send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    receiver.await.unwrap_or_else(|_| Err("the companion did not answer".to_owned()))
}

/// Tells the companion of a step that is new or changed.
pub fn step(session: &str, step: &Step) {
    if is_open() {
        notify("session.step", &json!({"session": session, "step": step}));
    }
}

/// Tells the companion that a session ended.
pub fn ended(session: &str) {
    notify("session.ended", &json!(Which { session: Some(session.to_owned()) }));
}
