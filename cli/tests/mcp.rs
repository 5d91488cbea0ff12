//! MCP over both transports, with a hub that answers by a function.

// A panic in a test is the report.
#![allow(clippy::unwrap_used)]

mod common;

use std::process::Stdio;

use common::*;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tracerule_cli::relay::Relay;

fn answer(method: &str, params: &Value) -> Result<Value, Value> {
    if params["target"] == json!("e9") {
        let error = json!({"code": "covered", "message": "covered by dialog \"Expiring\" at its centre"});
        return Ok(json!({"ok": false, "error": error, "url": "http://a/", "title": "A"}));
    }
    if params["target"] == json!("e8") {
        return Err(json!({"code": -32000, "message": "no tab is granted"}));
    }
    let mut answer = json!({
        "ok": true, "url": "http://a/", "title": "A", "steps": 1,
        "snapshot": format!("- text: {method} {} by {}", params["action"], params["_from"]["client"]),
    });
    if params["screenshot"] == json!(true) {
        answer["screenshot"] = json!({"mime": "image/jpeg", "data": "AAAA"});
    }
    Ok(answer)
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}"#;

/// The JSON of an answer that may come as an event stream in chunks.
fn json_of(body: &str) -> Value {
    let start = body.find("{\"jsonrpc\"").unwrap_or_else(|| panic!("{body}"));
    let text = &body[start..];
    serde_json::Deserializer::from_str(text).into_iter().next().unwrap().unwrap()
}

struct Http<'a> {
    relay: &'a Relay,
    session: String,
}

impl Http<'_> {
    async fn post(&self, body: &str) -> (u16, String, String) {
        let token = format!("Bearer {}", self.relay.agent_token());
        let mut headers = vec![
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if !self.session.is_empty() {
            headers.push(("Mcp-Session-Id", &self.session));
            headers.push(("MCP-Protocol-Version", "2025-06-18"));
        }
        http(self.relay.port(), "POST", "/mcp", &headers, body).await
    }

    async fn call(&self, name: &str, arguments: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        json_of(&self.post(&body.to_string()).await.2)
    }
}

#[tokio::test]
async fn streamable_http_shakes_hands_lists_and_calls() {
    let relay = relay().await;
    hub(&relay, answer).await;
    let mut client = Http { relay: &relay, session: String::new() };
    let (status, head, body) = client.post(HELLO).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(json_of(&body)["result"]["serverInfo"]["name"], json!("tracerule"));
    let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    client.session = session.trim().to_owned();
    client.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;

    let tools = json_of(&client.post(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#).await.2);
    let tools = tools["result"]["tools"].as_array().unwrap().clone();
    for name in [
        "browser_navigate",
        "browser_navigate_back",
        "browser_snapshot",
        "browser_click",
        "browser_type",
        "browser_press_key",
        "browser_select_option",
        "browser_take_screenshot",
        "browser_wait_for",
        "browser_tabs",
        "browser_hover",
        "browser_drag",
        "browser_fill_form",
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == json!(name)).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(tool["inputSchema"]["type"], json!("object"), "{name}");
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 10), "{name}");
    }

    for key in ["target", "ref"] {
        let clicked = client.call("browser_click", json!({key: "e3", "element": "Save"})).await;
        let text = clicked["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        assert_ne!(clicked["result"]["isError"], json!(true), "{text}");
        assert!(text.contains("### Result\nClicked e3") && text.contains("```yaml\n- text: act \"click\""), "{text}");
        assert!(text.contains("- Page URL: http://a/") && text.contains("by \"probe#"), "{text}");
    }

    let shot = client.call("browser_take_screenshot", json!({})).await;
    let image = &shot["result"]["content"][1];
    assert_eq!(
        (&image["type"], &image["mimeType"], &image["data"]),
        (&json!("image"), &json!("image/jpeg"), &json!("AAAA"))
    );

    for (arguments, words) in [
        (json!({"target": "e9"}), "### Error\ncovered: covered by dialog"),
        (json!({"target": "e8"}), "no tab is granted"),
        (json!({}), "'target' is missing"),
        (json!({"target": "e1", "button": 7}), "'button'"),
    ] {
        let failed = client.call("browser_click", arguments.clone()).await;
        assert_eq!(failed["result"]["isError"], json!(true), "{arguments}: {failed}");
        assert!(failed["result"]["content"][0]["text"].as_str().unwrap().contains(words), "{failed}");
    }
    let unknown = client.call("browser_evaluate", json!({"function": "1"})).await;
    assert_eq!(unknown["error"]["code"], json!(-32602), "{unknown}");
}

#[tokio::test]
async fn garbage_over_http_is_refused_and_the_server_lives_on() {
    let relay = relay().await;
    let client = Http { relay: &relay, session: String::new() };
    for body in ["", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"}"] {
        let (status, ..) = client.post(body).await;
        assert!((400..500).contains(&status), "{body:?} gives {status}");
    }
    assert_eq!(client.post(HELLO).await.0, 200);
}

#[tokio::test]
async fn stdio_passes_on_to_a_running_relay() {
    let relay = relay().await;
    hub(&relay, answer).await;
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_tracerule"))
        .arg("mcp")
        .env("TRACERULE_URL", relay.base_url())
        .env("TRACERULE_TOKEN", relay.agent_token())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = async |text: &str| {
        stdin.write_all(format!("{text}\n").as_bytes()).await.unwrap();
        let line = tokio::time::timeout(std::time::Duration::from_secs(20), lines.next_line()).await.unwrap();
        serde_json::from_str::<Value>(&line.unwrap().unwrap()).unwrap()
    };
    assert_eq!(ask(HELLO).await["result"]["serverInfo"]["name"], json!("tracerule"));
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_snapshot","arguments":{}}}"#;
    let text = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n{call}");
    let answer = ask(&text).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("- text: observe"), "{text}");
    // The relay goes: the tool says so, the server stays.
    drop(relay);
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let answer = ask(&call.replace("\"id\":2", "\"id\":3")).await;
    assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("relay"), "{answer}");
    drop(stdin);
    let status = tokio::time::timeout(std::time::Duration::from_secs(10), child.wait()).await.unwrap().unwrap();
    assert!(status.success(), "standard input's end is the end: {status}");
}
