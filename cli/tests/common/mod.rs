//! A relay with a hub that answers by a function, over a real WebSocket.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tracerule_cli::relay::{Options, Relay};

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub async fn relay() -> Relay {
    Relay::start(Options::default()).await.unwrap()
}

/// Opens a WebSocket with more headers; gives the HTTP status when refused.
pub async fn open(url: &str, headers: &[(&str, String)]) -> Result<Socket, u16> {
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    }
    match tokio_tungstenite::connect_async(request).await {
        Ok((socket, _)) => Ok(socket),
        Err(tokio_tungstenite::tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
        Err(e) => panic!("{e}"),
    }
}

pub fn bearer(token: &str) -> (&'static str, String) {
    ("authorization", format!("Bearer {token}"))
}

pub async fn agent(relay: &Relay) -> Socket {
    open(&relay.agent_url(), &[bearer(relay.agent_token())]).await.unwrap()
}

pub async fn send(socket: &mut Socket, text: impl Into<String>) {
    socket.send(Message::text(text.into())).await.unwrap();
}

/// The next JSON frame.
pub async fn receive(socket: &mut Socket) -> Value {
    loop {
        match tokio::time::timeout(std::time::Duration::from_secs(10), socket.next()).await.unwrap() {
            Some(Ok(Message::Text(text))) => return serde_json::from_str(text.as_str()).unwrap(),
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

pub async fn ask(socket: &mut Socket, id: i64, method: &str, params: Value) -> Value {
    send(socket, json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
    receive(socket).await
}

/// A hub: connects as the extension does, with subprotocols, and answers each request by `answer`.
pub async fn hub(relay: &Relay, answer: impl Fn(&str, &Value) -> Result<Value, Value> + Send + 'static) {
    let protocols = format!("tracerule, token.{}", relay.pairing_token());
    let headers = [("sec-websocket-protocol", protocols), ("origin", "chrome-extension://abcdefghijklmnop".to_owned())];
    let mut socket = open(&relay.extension_url(), &headers).await.unwrap();
    relay.hub().connected().await;
    tokio::spawn(async move {
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            let request: Value = serde_json::from_str(text.as_str()).unwrap();
            let Some(id) = request.get("id") else { continue };
            let reply = match answer(request["method"].as_str().unwrap(), &request["params"]) {
                Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            };
            if socket.send(Message::text(reply.to_string())).await.is_err() {
                break;
            }
        }
    });
}

/// An HTTP request as text; status, head and body of the answer.
pub async fn http(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        text.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(body);
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(std::time::Duration::from_secs(10), stream.read_to_end(&mut answer)).await.unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}
