//! A client of WebDriver BiDi: as much as installing an extension and trusted input need.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;

use crate::relay::Performer;
use crate::relay::rpc::{self, RpcError};

const CALL_CAP: Duration = Duration::from_secs(30);

type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Result<Value, String>>>>>;

/// A connection. Cheap to clone.
#[derive(Clone)]
pub struct Bidi {
    out: mpsc::UnboundedSender<String>,
    waiting: Waiting,
    next: Arc<AtomicU64>,
    /// What the browser tells without being asked.
    events: broadcast::Sender<Value>,
}

impl std::fmt::Debug for Bidi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bidi")
    }
}

impl Bidi {
    /// Connects.
    ///
    /// # Errors
    /// In words, when nobody answers.
    pub async fn connect(url: &str) -> Result<Bidi, String> {
        let connecting = tokio_tungstenite::connect_async(url);
        let (socket, _) = tokio::time::timeout(Duration::from_secs(5), connecting)
            .await
            .map_err(|_| "no answer within 5 s".to_owned())?
            .map_err(|e| e.to_string())?;
        let (out, mut outgoing) = mpsc::unbounded_channel::<String>();
        let waiting = Waiting::default();
        let answers = Arc::clone(&waiting);
        let events = broadcast::Sender::new(256);
        let told = events.clone();
        tokio::spawn(async move {
            let (mut sink, mut stream) = socket.split();
            loop {
                tokio::select! {
                    text = outgoing.recv() => match text {
                        Some(text) => if sink.send(Message::text(text)).await.is_err() { break },
                        None => { let _ = sink.close().await; break }
                    },
                    message = stream.next() => match message {
                        Some(Ok(Message::Text(text))) => settle(&answers, &told, text.as_str()),
                        Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                        Some(Ok(_)) => {}
                    },
                }
            }
            outgoing.close();
            lock(&answers).clear();
        });
        Ok(Bidi { out, waiting, next: Arc::new(AtomicU64::new(1)), events })
    }

    /// Calls a command.
    ///
    /// # Errors
    /// The browser's, in words, or that it went away.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, String> {
        let id = self.next.fetch_add(1, Ordering::SeqCst);
        let (sender, receiver) = oneshot::channel();
        lock(&self.waiting).insert(id, sender);
        let gone = || "the browser closed the connection".to_owned();
        let text = json!({"id": id, "method": method, "params": params}).to_string();
        if self.out.send(text).is_err() {
            lock(&self.waiting).remove(&id);
            return Err(gone());
        }
        match tokio::time::timeout(CALL_CAP, receiver).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(gone()),
            Err(_) => {
                lock(&self.waiting).remove(&id);
                Err(format!("{method} was not answered within {} s", CALL_CAP.as_secs()))
            }
        }
    }

    /// Ends the session, so that another client can have one.
    pub async fn end(self) {
        let _ = tokio::time::timeout(Duration::from_secs(3), self.call("session.end", json!({}))).await;
    }

    /// The top-level context at that address; else the one the person or agent most likely looks at.
    async fn context(&self, url: Option<&str>) -> Result<String, String> {
        let tree = self.call("browsingContext.getTree", json!({"maxDepth": 0})).await?;
        let contexts = tree.get("contexts").and_then(Value::as_array).cloned().unwrap_or_default();
        let of = |wanted: &dyn Fn(&str) -> bool| {
            contexts.iter().rev().find_map(|context| {
                let at = context.get("url").and_then(Value::as_str).unwrap_or_default();
                let id = context.get("context").and_then(Value::as_str)?;
                wanted(at).then(|| id.to_owned())
            })
        };
        let exact = url.and_then(|url| of(&|at| at == url));
        exact
            .or_else(|| of(&|at| at.starts_with("http")))
            .or_else(|| of(&|at| !at.starts_with("moz-extension:")))
            .ok_or_else(|| "the browser shows no page".to_owned())
    }

    /// The frame below a context that is reached by these addresses, the outermost first.
    async fn frame(&self, top: &str, addresses: &[Value]) -> Result<String, String> {
        let tree = self.call("browsingContext.getTree", json!({"root": top})).await?;
        let mut level = tree.pointer("/contexts/0").cloned().unwrap_or_default();
        for address in addresses {
            let children = level.get("children").and_then(Value::as_array).cloned().unwrap_or_default();
            let mut at = children.into_iter().filter(|child| child.get("url") == Some(address));
            level = match (at.next(), at.next()) {
                (Some(one), None) => one,
                (Some(_), Some(_)) => return Err(format!("several frames show {address}")),
                (None, _) => return Err(format!("no frame shows {address}")),
            };
        }
        let context = level.get("context").and_then(Value::as_str);
        context.map(str::to_owned).ok_or_else(|| "the browser names no context for the frame".to_owned())
    }

    async fn answer_dialog(&self, params: &Value) -> Result<Value, String> {
        let context = self.context(params.get("url").and_then(Value::as_str)).await?;
        let accept = params.get("accept").and_then(Value::as_bool).unwrap_or(false);
        let mut answer = json!({"context": context, "accept": accept});
        if let Some(text) = params.get("text").and_then(Value::as_str) {
            answer["userText"] = text.into();
        }
        self.call("browsingContext.handleUserPrompt", answer).await
    }

    /// Tells a hub of the dialogs that pages open and how they are answered, as long as the session lives.
    pub async fn tell_dialogs(&self, tell: impl Fn(Value) + Send + 'static) {
        let names = ["browsingContext.userPromptOpened", "browsingContext.userPromptClosed"];
        let mut events = self.events.subscribe();
        if let Err(why) = self.call("session.subscribe", json!({"events": names})).await {
            eprintln!("warning: the browser does not tell of dialogs ({why}); they will not be in the trace");
            return;
        }
        let this = self.clone();
        tokio::spawn(async move {
            loop {
                let event = match events.recv().await {
                    Ok(event) => event,
                    Err(broadcast::error::RecvError::Lagged(_)) => continue,
                    Err(broadcast::error::RecvError::Closed) => return,
                };
                let part = |key: &str| event.pointer(&format!("/params/{key}")).cloned().unwrap_or_default();
                let url = this.address(part("context").as_str().unwrap_or_default()).await;
                match event.get("method").and_then(Value::as_str) {
                    Some("browsingContext.userPromptOpened") => {
                        tell(json!({"url": url, "opened": {"type": part("type"), "message": part("message")}}));
                    }
                    Some("browsingContext.userPromptClosed") => {
                        tell(json!({"url": url, "closed": {"accepted": part("accepted"), "text": part("userText")}}));
                    }
                    _ => {}
                }
            }
        });
    }

    /// The address that a context shows; empty when that cannot be told.
    async fn address(&self, context: &str) -> String {
        let tree = self.call("browsingContext.getTree", json!({"root": context, "maxDepth": 0})).await;
        let url = tree.ok().and_then(|tree| tree.pointer("/contexts/0/url")?.as_str().map(str::to_owned));
        url.unwrap_or_default()
    }

    async fn perform_in_page(&self, params: &Value) -> Result<Value, String> {
        let actions = params.get("actions").filter(|actions| actions.is_array());
        let actions = actions.ok_or("input.perform takes \"actions\", a list")?;
        let mut context = match params.get("context").and_then(Value::as_str) {
            Some(context) => context.to_owned(),
            None => self.context(params.get("url").and_then(Value::as_str)).await?,
        };
        // Points are then in the frame's own viewport: Firefox loses clicks on frames of other sites in a
        // page that was scrolled.
        if let Some(frames) = params.get("frames").and_then(Value::as_array) {
            context = self.frame(&context, frames).await?;
        }
        self.call("input.performActions", json!({"context": context, "actions": actions})).await
    }
}

impl Performer for Bidi {
    fn perform(
        &self,
        method: String,
        params: Value,
    ) -> Pin<Box<dyn Future<Output = Result<Value, RpcError>> + Send + '_>> {
        Box::pin(async move {
            let done = match method.as_str() {
                "dialog.answer" => self.answer_dialog(&params).await,
                _ => self.perform_in_page(&params).await,
            };
            done.map_err(|why| RpcError::new(rpc::INVALID_PARAMS, why))
        })
    }
}

fn settle(waiting: &Waiting, events: &broadcast::Sender<Value>, text: &str) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    if value.get("type").and_then(Value::as_str) == Some("event") {
        // Nobody may be listening.
        let _ = events.send(value);
        return;
    }
    let Some(id) = value.get("id").and_then(Value::as_u64) else { return };
    let Some(sender) = lock(waiting).remove(&id) else { return };
    let result = match value.get("type").and_then(Value::as_str) {
        Some("success") => Ok(value.get("result").cloned().unwrap_or(Value::Null)),
        _ => {
            let part = |key| value.get(key).and_then(Value::as_str).unwrap_or("?");
            Err(format!("{}: {}", part("error"), part("message")))
        }
    };
    let _ = sender.send(result);
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
