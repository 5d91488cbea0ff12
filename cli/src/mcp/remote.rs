//! A relay elsewhere on this machine, spoken to as an agent. Connects when asked, again when lost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};

use crate::error::CliError;
use crate::relay::rpc::{self, Incoming, Parsed, RpcError};

/// Screenshots and snapshots come through here.
const MESSAGE_CAP: usize = 64 << 20;
const CONNECT_CAP: Duration = Duration::from_secs(5);

type Answers = Arc<Mutex<HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>>>;

struct Connection {
    out: mpsc::UnboundedSender<String>,
    answers: Answers,
    next: u64,
}

/// A relay at an address. Cheap to clone; clones share the connection.
#[derive(Clone)]
pub struct Remote {
    url: String,
    token: String,
    connection: Arc<AsyncMutex<Option<Connection>>>,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Remote {
    /// A relay at `url` (`http://127.0.0.1:PORT`, or a pairing line, whose token then counts when `token` is
    /// absent).
    ///
    /// # Errors
    /// Wrong usage: an address that is none or is not of this machine, a missing token.
    pub fn new(url: &str, token: Option<String>) -> Result<Remote, CliError> {
        let parsed = url::Url::parse(url.trim()).map_err(|e| {
            CliError::usage(format!("'{url}' is not a relay's address ({e}); as http://127.0.0.1:PORT"))
        })?;
        let host = parsed.host_str().unwrap_or_default();
        if !matches!(host, "127.0.0.1" | "localhost" | "[::1]") {
            return Err(CliError::usage(format!("the relay must be on this machine, not on '{host}'")));
        }
        let port = parsed.port_or_known_default().unwrap_or(80);
        let token = token.or_else(|| parsed.fragment().map(str::to_owned)).filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| {
            CliError::usage(
                "the relay's token is missing: set TRACERULE_TOKEN, or give --token-file FILE; `tracerule serve` \
                 prints it",
            )
        })?;
        Ok(Remote {
            url: format!("ws://{host}:{port}/agent"),
            token: token.trim().to_owned(),
            connection: Arc::default(),
        })
    }

    /// Asks the relay.
    ///
    /// # Errors
    /// The relay's and the hub's, or that there is no relay.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let receiver = {
            let mut connection = self.connection.lock().await;
            if connection.as_ref().is_none_or(|open| open.out.is_closed()) {
                *connection = Some(self.connect().await?);
            }
            let Some(open) = connection.as_mut() else { return Err(gone(&self.url)) };
            open.next += 1;
            let (sender, receiver) = oneshot::channel();
            lock(&open.answers).insert(open.next, sender);
            if open.out.send(rpc::request(open.next, method, &params)).is_err() {
                *connection = None;
                return Err(gone(&self.url));
            }
            receiver
        };
        receiver.await.unwrap_or_else(|_| Err(gone(&self.url)))
    }

    async fn connect(&self) -> Result<Connection, RpcError> {
        let failed = |why: String| {
            RpcError::new(
                rpc::NO_EXTENSION,
                format!("no relay answers at {} ({why}); start `tracerule serve` and try again", self.url),
            )
        };
        let mut request = self.url.as_str().into_client_request().map_err(|e| failed(e.to_string()))?;
        let bearer =
            HeaderValue::from_str(&format!("Bearer {}", self.token)).map_err(|_| failed("the token is none".into()))?;
        request.headers_mut().insert("authorization", bearer);
        let config = WebSocketConfig::default().max_message_size(Some(MESSAGE_CAP)).max_frame_size(Some(MESSAGE_CAP));
        let connecting = tokio_tungstenite::connect_async_with_config(request, Some(config), true);
        let (socket, _) = match tokio::time::timeout(CONNECT_CAP, connecting).await {
            Ok(Ok(open)) => open,
            Ok(Err(WsError::Http(response))) if response.status() == 401 => {
                return Err(RpcError::new(
                    rpc::FORBIDDEN,
                    format!("the relay at {} refuses the token: a relay has a new one each time it starts", self.url),
                ));
            }
            Ok(Err(e)) => return Err(failed(e.to_string())),
            Err(_) => return Err(failed("no answer".to_owned())),
        };
        let (out, mut outgoing) = mpsc::unbounded_channel::<String>();
        let answers = Answers::default();
        let waiting = Arc::clone(&answers);
        tokio::spawn(async move {
            let (mut sink, mut stream) = socket.split();
            loop {
                tokio::select! {
                    text = outgoing.recv() => match text {
                        Some(text) => if sink.send(Message::text(text)).await.is_err() { break },
                        None => break,
                    },
                    message = stream.next() => match message {
                        Some(Ok(Message::Text(text))) => settle(&waiting, text.as_str()),
                        Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                        Some(Ok(_)) => {}
                    },
                }
            }
            // Whoever still waits is told by the closed channel.
            outgoing.close();
            lock(&waiting).clear();
        });
        Ok(Connection { out, answers, next: 0 })
    }
}

fn settle(answers: &Answers, text: &str) {
    let Ok(Parsed::One(Incoming::Response { id, result })) = rpc::parse(text) else { return };
    if let Some(waiting) = id.as_u64().and_then(|id| lock(answers).remove(&id)) {
        let _ = waiting.send(result);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone(url: &str) -> RpcError {
    RpcError::new(rpc::NO_EXTENSION, format!("the relay at {url} went away before it answered; is it still running?"))
}
