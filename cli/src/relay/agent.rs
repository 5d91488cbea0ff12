//! An agent's leg: JSON-RPC 2.0 over WebSocket, single messages, batches and notifications.

use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket};
use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc, watch};
use tracerule::wire::agent::From;

use super::rpc::{self, Incoming, Parsed, RpcError};
use super::{Shared, closed};

/// What agents may ask of the hub.
const METHODS: [&str; 4] = ["session.status", "observe", "act", "note"];
/// What only the companion may.
const CONTROL: &str = "session.";
/// Requests of one agent that may wait for answers at once.
const IN_FLIGHT: usize = 64;

/// Whether an agent may call it.
pub(crate) fn allowed(method: &str) -> Result<(), RpcError> {
    if METHODS.contains(&method) {
        Ok(())
    } else if method.starts_with(CONTROL) {
        Err(RpcError::new(
            rpc::FORBIDDEN,
            format!("'{method}' is the companion's alone; agents have {}", METHODS.join(", ")),
        ))
    } else {
        Err(RpcError::new(
            rpc::METHOD_NOT_FOUND,
            format!("there is no method '{method}'; agents have {}", METHODS.join(", ")),
        ))
    }
}

pub(crate) async fn serve(shared: Arc<Shared>, socket: WebSocket, mut closing: watch::Receiver<bool>) {
    let from = From { client: shared.name_client("agent"), control: false };
    let (mut sink, mut stream) = socket.split();
    let (answers, mut outgoing) = mpsc::unbounded_channel::<String>();
    let slots = Arc::new(Semaphore::new(IN_FLIGHT));
    loop {
        tokio::select! {
            Some(text) = outgoing.recv() => if sink.send(Message::text(text)).await.is_err() { break },
            message = stream.next() => {
                let text = match message {
                    Some(Ok(Message::Text(text))) => text.as_str().to_owned(),
                    Some(Ok(Message::Binary(bytes))) => String::from_utf8_lossy(&bytes).into_owned(),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                };
                take(&shared, &from, &text, &answers, &slots);
            }
            () = closed(&mut closing) => break,
        }
    }
    let _ = sink.close().await;
}

/// Passes a frame on at once, so that the order of frames is the order of requests; answers come later.
fn take(shared: &Shared, from: &From, text: &str, answers: &mpsc::UnboundedSender<String>, slots: &Arc<Semaphore>) {
    let (messages, batch) = match rpc::parse(text) {
        Ok(Parsed::One(message)) => (vec![message], false),
        Ok(Parsed::Batch(messages)) => (messages, true),
        Err(error) => {
            let _ = answers.send(rpc::response(&Value::Null, &Err(error)).to_string());
            return;
        }
    };
    let Ok(slot) = Arc::clone(slots).try_acquire_many_owned(u32::try_from(messages.len()).unwrap_or(u32::MAX)) else {
        let busy: Vec<Value> = messages.iter().filter_map(busy).collect();
        send(answers, busy, batch);
        return;
    };
    let waiting: Vec<_> = messages.into_iter().filter_map(|message| ask(shared, from, message)).collect();
    let answers = answers.clone();
    tokio::spawn(async move {
        let all = join_all(waiting).await;
        send(&answers, all.into_iter().flatten().collect(), batch);
        drop(slot);
    });
}

fn busy(message: &Incoming) -> Option<Value> {
    let Incoming::Request { id, .. } = message else { return None };
    let why = format!("more than {IN_FLIGHT} requests at once; wait for answers first");
    Some(rpc::response(id, &Err(RpcError::new(rpc::BUSY, why))))
}

fn send(answers: &mpsc::UnboundedSender<String>, mut all: Vec<Value>, batch: bool) {
    let text = match (all.len(), batch) {
        // Nothing but notifications: nothing is answered.
        (0, _) => return,
        (_, true) => Value::Array(all).to_string(),
        (_, false) => all.swap_remove(0).to_string(),
    };
    let _ = answers.send(text);
}

fn ask(shared: &Shared, from: &From, message: Incoming) -> Option<impl Future<Output = Option<Value>> + Send + use<>> {
    let (id, early, passed) = match message {
        Incoming::Request { id, method, params } => match allowed(&method) {
            Ok(()) => (Some(id), None, Some(shared.hub.request(&method, params, from))),
            Err(error) => (Some(id), Some(error), None),
        },
        Incoming::Notification { method, params } => {
            allowed(&method).ok()?;
            (None, None, Some(shared.hub.request(&method, params, from)))
        }
        Incoming::Invalid { id, error } => (Some(id), Some(error), None),
        // The relay asks nothing of agents.
        Incoming::Response { .. } => return None,
    };
    Some(async move {
        let result = match (passed, early) {
            (Some(passed), _) => passed.await,
            (None, Some(error)) => Err(error),
            (None, None) => return None,
        };
        id.map(|id| rpc::response(&id, &result))
    })
}
