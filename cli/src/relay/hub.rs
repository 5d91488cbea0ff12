//! The leg to the extension: requests out, notifications and requests in.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tracerule::trace::Step;
use tracerule::wire::agent::From;

use super::gate::{Flight, Gate};
use super::rpc::{self, Incoming, Parsed, RpcError};

/// How long a request waits for an extension that was there before (its worker restarts).
const RECONNECT_GRACE: Duration = Duration::from_secs(8);
/// The longest a request may take; a wait of an agent is at most 60 s.
const ANSWER_CAP: Duration = Duration::from_secs(120);

/// What the extension tells on its own.
#[derive(Clone, Debug)]
pub enum HubEvent {
    /// It connected.
    Connected,
    /// It is gone.
    Disconnected,
    /// A step was opened or changed.
    Step(Box<Step>),
    /// A session ended without our asking (its tab closed, the person stopped it).
    Ended {
        /// Its id, if told.
        session: Option<String>,
    },
}

/// Answers requests of the extension that need the browser's remote port (`input.perform`, `dialog.answer`).
pub trait Performer: Send + Sync {
    /// Performs WebDriver BiDi actions, or answers a dialog. `params` as the hub sent them.
    fn perform(
        &self,
        method: String,
        params: Value,
    ) -> Pin<Box<dyn Future<Output = Result<Value, RpcError>> + Send + '_>>;
}

struct Waiting {
    /// Its answer tells how many steps there are.
    counts: bool,
    /// Its place under the step limit.
    flight: Option<Flight>,
    sender: oneshot::Sender<Result<Value, RpcError>>,
}

type Pending = HashMap<u64, Waiting>;

/// A request on its way.
struct Sent {
    id: u64,
    answer: oneshot::Receiver<Result<Value, RpcError>>,
}

struct Leg {
    generation: u64,
    out: mpsc::UnboundedSender<String>,
}

#[derive(Default)]
struct State {
    leg: Option<Leg>,
    pending: Pending,
    performer: Option<Arc<dyn Performer>>,
}

/// The extension, as the rest of the companion sees it. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    generation: AtomicU64,
    next: AtomicU64,
    was_connected: AtomicBool,
    connected: watch::Sender<bool>,
    events: broadcast::Sender<HubEvent>,
    gate: Gate,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").field("connected", &self.is_connected()).finish_non_exhaustive()
    }
}

impl Default for Hub {
    fn default() -> Self {
        Hub(Arc::new(Inner {
            state: Mutex::default(),
            generation: AtomicU64::new(0),
            next: AtomicU64::new(1),
            was_connected: AtomicBool::new(false),
            connected: watch::Sender::new(false),
            events: broadcast::Sender::new(4096),
            gate: Gate::new(),
        }))
    }
}

/// A leg just accepted; give it back with [`Hub::detach`].
#[derive(Debug)]
pub struct Attached {
    /// Which it is.
    pub generation: u64,
    /// What to write to the socket.
    pub outgoing: mpsc::UnboundedReceiver<String>,
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a new leg; an older one ends, and what it had not answered fails.
    pub fn attach(&self) -> Attached {
        let (out, outgoing) = mpsc::unbounded_channel();
        let generation = self.0.generation.fetch_add(1, Ordering::SeqCst) + 1;
        let lost = {
            let mut state = self.state();
            state.leg = Some(Leg { generation, out });
            std::mem::take(&mut state.pending)
        };
        fail(lost);
        self.0.was_connected.store(true, Ordering::SeqCst);
        self.0.connected.send_replace(true);
        let _ = self.0.events.send(HubEvent::Connected);
        Attached { generation, outgoing }
    }

    /// The leg of that generation is gone; nothing happens when a newer one took its place.
    pub fn detach(&self, generation: u64) {
        let lost = {
            let mut state = self.state();
            if state.leg.as_ref().is_none_or(|leg| leg.generation != generation) {
                return;
            }
            state.leg = None;
            std::mem::take(&mut state.pending)
        };
        fail(lost);
        self.0.connected.send_replace(false);
        let _ = self.0.events.send(HubEvent::Disconnected);
    }

    /// Whether a leg is there now.
    pub fn is_connected(&self) -> bool {
        *self.0.connected.borrow()
    }

    /// Waits until a leg is there.
    pub async fn connected(&self) {
        let mut seen = self.0.connected.subscribe();
        // The sender lives as long as `self`.
        let _ = seen.wait_for(|connected| *connected).await;
    }

    /// What the extension tells from now on.
    pub fn events(&self) -> broadcast::Receiver<HubEvent> {
        self.0.events.subscribe()
    }

    /// Who performs trusted input for the extension.
    pub fn set_performer(&self, performer: Option<Arc<dyn Performer>>) {
        self.state().performer = performer;
    }

    /// From now on `act` is refused once so many steps were recorded or are to come from acts in flight;
    /// counts from 0 again.
    pub fn limit_steps(&self, limit: u32) {
        self.0.gate.limit(limit);
    }

    /// Returns once an `act` was refused for the step limit and those before it are answered.
    pub async fn step_limit_hit(&self) {
        self.0.gate.tripped().await;
    }

    /// Steps recorded since [`Hub::limit_steps`], as the hub tells.
    pub fn steps(&self) -> u32 {
        self.0.gate.steps()
    }

    /// Asks the extension, in the name of `from`. The order of calls is the order on the wire when the
    /// extension is connected.
    pub fn request(
        &self,
        method: &str,
        params: Value,
        from: &From,
    ) -> impl Future<Output = Result<Value, RpcError>> + Send + use<> {
        let method = method.to_owned();
        let prepared = self.prepare(&method, params, from).map(|(params, mut flight)| {
            let early = self.submit(&method, &params, &mut flight);
            (params, flight, early)
        });
        let this = self.clone();
        async move {
            let (params, flight, early) = prepared?;
            let sent = match early {
                Some(sent) => sent,
                None => this.submit_late(&method, &params, flight).await?,
            };
            match tokio::time::timeout(ANSWER_CAP, sent.answer).await {
                Ok(Ok(result)) => result,
                Ok(Err(_)) => Err(lost()),
                Err(_) => {
                    this.state().pending.remove(&sent.id);
                    Err(RpcError::new(
                        rpc::TIMEOUT,
                        format!("the extension did not answer '{method}' within {} s", ANSWER_CAP.as_secs()),
                    ))
                }
            }
        }
    }

    fn prepare(&self, method: &str, params: Value, from: &From) -> Result<(Value, Option<Flight>), RpcError> {
        let mut params = match params {
            Value::Null => serde_json::Map::new(),
            Value::Object(map) => map,
            _ => return Err(RpcError::new(rpc::INVALID_PARAMS, format!("'{method}' takes its params as an object"))),
        };
        let flight = if method == "act" && !from.control {
            Some(self.0.gate.admit().ok_or_else(|| {
                RpcError::new(rpc::STEP_LIMIT, "the step limit of this run is used up; the run ends here")
            })?)
        } else {
            None
        };
        // Overwrites whatever the caller claims to be.
        params.insert("_from".to_owned(), json!(from));
        Ok((Value::Object(params), flight))
    }

    /// Takes the flight along if it could be sent.
    fn submit(&self, method: &str, params: &Value, flight: &mut Option<Flight>) -> Option<Sent> {
        let id = self.0.next.fetch_add(1, Ordering::SeqCst);
        let text = rpc::request(id, method, params);
        let (sender, answer) = oneshot::channel();
        let mut state = self.state();
        let leg = state.leg.as_ref()?;
        leg.out.send(text).ok()?;
        state
            .pending
            .insert(id, Waiting { counts: matches!(method, "act" | "observe"), flight: flight.take(), sender });
        Some(Sent { id, answer })
    }

    async fn submit_late(&self, method: &str, params: &Value, mut flight: Option<Flight>) -> Result<Sent, RpcError> {
        if self.0.was_connected.load(Ordering::SeqCst) {
            let _ = tokio::time::timeout(RECONNECT_GRACE, self.connected()).await;
        }
        self.submit(method, params, &mut flight).ok_or_else(|| {
            RpcError::new(
                rpc::NO_EXTENSION,
                "the Tracerule extension is not connected to this relay: open its side panel, paste the pairing line \
                 that `tracerule serve` printed and press Connect, then try again",
            )
        })
    }

    /// Takes a text frame of the leg of that generation.
    pub fn receive(&self, generation: u64, text: &str) {
        match rpc::parse(text) {
            Ok(Parsed::One(message)) => self.take(generation, message),
            Ok(Parsed::Batch(messages)) => messages.into_iter().for_each(|message| self.take(generation, message)),
            Err(error) => self.answer(generation, &Value::Null, &Err(error)),
        }
    }

    fn answer(&self, generation: u64, id: &Value, result: &Result<Value, RpcError>) {
        if let Some(leg) = self.state().leg.as_ref().filter(|leg| leg.generation == generation) {
            let _ = leg.out.send(rpc::response(id, result).to_string());
        }
    }

    fn take(&self, generation: u64, message: Incoming) {
        match message {
            Incoming::Response { id, result } => {
                let waiting = id.as_u64().and_then(|id| self.state().pending.remove(&id));
                if let Some(waiting) = waiting {
                    if waiting.counts {
                        self.count(&result);
                    }
                    // Before the answer: whoever gets it may act at once.
                    drop(waiting.flight);
                    let _ = waiting.sender.send(result);
                }
            }
            Incoming::Notification { method, params } => self.notified(&method, params),
            Incoming::Request { id, method, params } => {
                let performer = self.state().performer.clone();
                let this = self.clone();
                tokio::spawn(async move {
                    let result = match (method.as_str(), performer) {
                        ("input.perform" | "dialog.answer", Some(performer)) => performer.perform(method, params).await,
                        ("file.hash", _) => file_hash(&params).await,
                        ("input.perform" | "dialog.answer", None) => Err(RpcError::new(
                            rpc::METHOD_NOT_FOUND,
                            "trusted input is not available: this companion did not launch the browser",
                        )),
                        _ => Err(RpcError::new(rpc::METHOD_NOT_FOUND, format!("the relay has no method '{method}'"))),
                    };
                    this.answer(generation, &id, &result);
                });
            }
            Incoming::Invalid { id, error } => self.answer(generation, &id, &Err(error)),
        }
    }

    fn count(&self, result: &Result<Value, RpcError>) {
        let steps = result.as_ref().ok().and_then(|answer| answer.get("steps")).and_then(Value::as_u64);
        if let Some(steps) = steps.and_then(|steps| u32::try_from(steps).ok()) {
            self.0.gate.reached(steps);
        }
    }

    fn notified(&self, method: &str, mut params: Value) {
        match method {
            "session.step" => {
                let inner = params.get_mut("step").map(Value::take);
                if let Ok(step) = serde_json::from_value::<Step>(inner.unwrap_or(params)) {
                    self.0.gate.reached(step.seq.saturating_add(1));
                    let _ = self.0.events.send(HubEvent::Step(Box::new(step)));
                }
            }
            "session.ended" => {
                let session = params.get("session").and_then(Value::as_str).map(str::to_owned);
                let _ = self.0.events.send(HubEvent::Ended { session });
            }
            // An unknown notification is ignored, as the standard asks.
            _ => {}
        }
    }
}

/// The SHA-256 of a file that the browser downloaded, as the extension cannot read it.
async fn file_hash(params: &Value) -> Result<Value, RpcError> {
    let path = params.get("path").and_then(Value::as_str).filter(|path| std::path::Path::new(path).is_absolute());
    let path = path.ok_or_else(|| RpcError::new(rpc::INVALID_PARAMS, "file.hash takes \"path\", an absolute path"))?;
    let failed = |e: std::io::Error| RpcError::new(rpc::INVALID_PARAMS, format!("the file cannot be read: {e}"));
    let mut file = tokio::fs::File::open(path).await.map_err(failed)?;
    if !file.metadata().await.map_err(failed)?.is_file() {
        return Err(RpcError::new(rpc::INVALID_PARAMS, "this is no file"));
    }
    let mut hash = Sha256::new();
    let (mut bytes, mut buffer) = (0u64, vec![0; 1 << 16]);
    loop {
        let n = file.read(&mut buffer).await.map_err(failed)?;
        if n == 0 {
            break;
        }
        hash.update(&buffer[..n]);
        bytes += n as u64;
    }
    let hex = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Ok(json!({ "sha256": hex, "size": bytes }))
}

fn lost() -> RpcError {
    RpcError::new(
        rpc::NO_EXTENSION,
        "the connection to the extension was lost before it answered; it may have been done: look at the page first",
    )
}

fn fail(pending: Pending) {
    for waiting in pending.into_values() {
        let _ = waiting.sender.send(Err(lost()));
    }
}
