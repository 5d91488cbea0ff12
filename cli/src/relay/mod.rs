//! The relay: a server on loopback between one browser extension and any number of agents.
//!
//! `/extension` is the extension's leg, `/agent` speaks JSON-RPC 2.0 over WebSocket, `/mcp` is MCP over
//! streamable HTTP. Every request is held against `Host`, `Origin` and a token before anything else
//! happens. The relay decides nothing about pages: it adds who is asking and passes on.

mod agent;
mod gate;
mod hub;
pub mod rpc;
pub mod security;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures_util::{SinkExt, StreamExt};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::watch;

pub use hub::{Attached, Hub, HubEvent, Performer};

use crate::error::CliError;
use crate::mcp::{Backend, Tools};
use security::{Caller, Token};

/// The largest message of the extension: a part of an exported trace, a screenshot.
const EXTENSION_MESSAGE_CAP: usize = 64 << 20;
/// The largest message of an agent.
const AGENT_MESSAGE_CAP: usize = 4 << 20;

/// How to start a relay.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// 0 for any free one.
    pub port: u16,
    /// The one origin that the extension may have, if known.
    pub extension_origin: Option<String>,
}

pub(crate) struct Shared {
    port: u16,
    pairing: Token,
    agent: Token,
    extension_origin: Option<String>,
    pub(crate) hub: Hub,
    clients: AtomicU64,
    closing: watch::Sender<bool>,
}

impl Shared {
    /// A name for a connection, unique while the relay lives.
    pub(crate) fn name_client(&self, kind: &str) -> String {
        format!("{kind}#{}", self.clients.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

/// A running relay; dropping it closes the port and every connection.
#[derive(Debug)]
pub struct Relay {
    shared: Arc<Shared>,
    server: tokio::task::JoinHandle<()>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.closing.send_replace(true);
    }
}

impl Relay {
    /// Binds 127.0.0.1 and serves.
    ///
    /// # Errors
    /// When the port is taken or the system refuses.
    pub async fn start(options: Options) -> Result<Relay, CliError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = TcpListener::bind(address).await.map_err(|e| {
            CliError::environment(format!("cannot listen on {address}: {e}; give another --port, or 0 for a free one"))
        })?;
        let port = listener.local_addr().map_err(|e| CliError::environment(format!("no local address: {e}")))?.port();
        let shared = Arc::new(Shared {
            port,
            pairing: Token::random()?,
            agent: Token::random()?,
            extension_origin: options.extension_origin,
            hub: Hub::default(),
            clients: AtomicU64::new(0),
            closing: watch::Sender::new(false),
        });
        let router = router(&shared);
        let mut closing = shared.closing.subscribe();
        let server = tokio::spawn(async move {
            let stop = async move {
                let _ = closing.wait_for(|closing| *closing).await;
            };
            // Ends only by `stop`; an accept error is retried inside.
            let _ = axum::serve(listener, router).with_graceful_shutdown(stop).await;
        });
        Ok(Relay { shared, server })
    }

    /// Closes the port; it is free when this returns.
    pub async fn close(mut self) {
        self.shared.closing.send_replace(true);
        self.server.abort();
        // Cancelled, which is what was asked.
        let _ = (&mut self.server).await;
    }

    /// The extension's leg.
    pub fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// What the extension connects to.
    pub fn extension_url(&self) -> String {
        format!("ws://127.0.0.1:{}/extension", self.shared.port)
    }

    /// The token of the extension's leg. It opens the agents' legs too.
    pub fn pairing_token(&self) -> &str {
        self.shared.pairing.reveal()
    }

    /// The token of the agents' legs.
    pub fn agent_token(&self) -> &str {
        self.shared.agent.reveal()
    }

    /// The line a person pastes into the side panel.
    pub fn pairing_line(&self) -> String {
        format!("ws://127.0.0.1:{}/#{}", self.shared.port, self.shared.pairing.reveal())
    }

    /// As `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.shared.port)
    }

    /// Where agents speak JSON-RPC.
    pub fn agent_url(&self) -> String {
        format!("ws://127.0.0.1:{}/agent", self.shared.port)
    }

    /// Where agents speak MCP.
    pub fn mcp_url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.shared.port)
    }

    /// What an agent is told by environment variables.
    pub fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("TRACERULE_URL", self.base_url()),
            ("TRACERULE_WS_URL", self.agent_url()),
            ("TRACERULE_MCP_URL", self.mcp_url()),
            ("TRACERULE_TOKEN", self.agent_token().to_owned()),
        ]
    }
}

fn router(shared: &Arc<Shared>) -> Router {
    let for_mcp = Arc::clone(shared);
    let mcp = StreamableHttpService::new(
        move || Ok(Tools::new(Backend::Hub { hub: for_mcp.hub.clone() }, for_mcp.name_client("mcp"))),
        Arc::new(LocalSessionManager::default()),
        // `guard` holds Host and Origin to stricter rules before this is reached.
        StreamableHttpServerConfig::default(),
    );
    Router::new()
        .route("/extension", any(extension))
        .route("/agent", any(agent_leg))
        .nest_service("/mcp", mcp)
        .fallback(|| async { refuse(StatusCode::NOT_FOUND, "nothing is served here") })
        .layer(middleware::from_fn_with_state(Arc::clone(shared), guard))
        .with_state(Arc::clone(shared))
}

fn refuse(status: StatusCode, why: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{why}\n")).into_response()
}

/// Before anything else: no name but loopback's, no web page, no caller without a token.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if !security::host_is_loopback(headers, shared.port) {
        return refuse(StatusCode::FORBIDDEN, "the Host header does not name this relay");
    }
    let for_extension = request.uri().path() == "/extension";
    match security::caller(headers, shared.extension_origin.as_deref()) {
        Caller::Program => {}
        Caller::Extension if for_extension => {}
        Caller::Extension | Caller::Stranger => {
            return refuse(StatusCode::FORBIDDEN, "requests of web pages and of other extensions are refused");
        }
    }
    let allowed = security::presented(headers).is_some_and(|token| {
        let pairing = shared.pairing.matches(token);
        let agent = shared.agent.matches(token);
        pairing || (agent && !for_extension)
    });
    if !allowed {
        let mut response = refuse(
            StatusCode::UNAUTHORIZED,
            "the token is missing or wrong: send 'Authorization: Bearer TOKEN', or offer the WebSocket subprotocols \
             'tracerule' and 'token.TOKEN'",
        );
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        return response;
    }
    next.run(request).await
}

/// Returns when the relay closes.
pub(crate) async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the relay is gone, which is the same.
    let _ = closing.wait_for(|closing| *closing).await;
}

async fn extension(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match accept(upgrade, &headers, EXTENSION_MESSAGE_CAP) {
        Ok(upgrade) => upgrade,
        Err(response) => return *response,
    };
    upgrade.on_upgrade(move |socket| extension_leg(shared, socket))
}

fn accept(
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
    headers: &HeaderMap,
    cap: usize,
) -> Result<WebSocketUpgrade, Box<Response>> {
    let upgrade =
        upgrade.map_err(|_| Box::new(refuse(StatusCode::UPGRADE_REQUIRED, "this address speaks WebSocket only")))?;
    let upgrade = upgrade.max_message_size(cap).max_frame_size(cap);
    // A client that offers no subprotocol (token in a header) must not be given one.
    Ok(if security::offers_protocol(headers) { upgrade.protocols([security::PROTOCOL]) } else { upgrade })
}

async fn extension_leg(shared: Arc<Shared>, socket: WebSocket) {
    let Attached { generation, mut outgoing } = shared.hub.attach();
    let (mut sink, mut stream) = socket.split();
    let mut closing = shared.closing.subscribe();
    loop {
        tokio::select! {
            text = outgoing.recv() => match text {
                Some(text) => if sink.send(Message::text(text)).await.is_err() { break },
                // A newer leg took over.
                None => break,
            },
            message = stream.next() => match message {
                Some(Ok(Message::Text(text))) => shared.hub.receive(generation, text.as_str()),
                Some(Ok(Message::Binary(bytes))) => match std::str::from_utf8(&bytes) {
                    Ok(text) => shared.hub.receive(generation, text),
                    Err(_) => shared.hub.receive(generation, "\u{fffd}"),
                },
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
            () = closed(&mut closing) => break,
        }
    }
    shared.hub.detach(generation);
    let _ = sink.close().await;
}

async fn agent_leg(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match accept(upgrade, &headers, AGENT_MESSAGE_CAP) {
        Ok(upgrade) => upgrade,
        Err(response) => return *response,
    };
    let closing = shared.closing.subscribe();
    upgrade.on_upgrade(move |socket| agent::serve(shared, socket, closing))
}
