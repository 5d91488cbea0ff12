//! The relay's doors: who may come in, and what is said to garbage.

// A panic in a test is the report.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::{Value, json};
use tracerule_cli::relay::{HubEvent, Options, Relay};

#[tokio::test]
async fn nobody_comes_in_without_the_token() {
    let relay = relay().await;
    for url in [relay.agent_url(), relay.extension_url()] {
        assert_eq!(open(&url, &[]).await.err(), Some(401), "{url}");
        assert_eq!(open(&url, &[bearer("")]).await.err(), Some(401), "{url}");
        assert_eq!(open(&url, &[bearer(&"0".repeat(64))]).await.err(), Some(401), "{url}");
    }
    // An agent may not pose as the extension; whoever paired may also act.
    assert_eq!(open(&relay.extension_url(), &[bearer(relay.agent_token())]).await.err(), Some(401));
    assert!(open(&relay.agent_url(), &[bearer(relay.pairing_token())]).await.is_ok());
    let protocols = format!("tracerule, token.{}", relay.agent_token());
    let socket = open(&relay.agent_url(), &[("sec-websocket-protocol", protocols)]).await;
    assert!(socket.is_ok(), "the token may come as a subprotocol");
    let (status, ..) = http(relay.port(), "POST", "/mcp", &[("Content-Type", "application/json")], "{}").await;
    assert_eq!(status, 401);
    // The token in the address would end up in logs and histories.
    let (status, ..) = http(relay.port(), "GET", &format!("/agent?token={}", relay.agent_token()), &[], "").await;
    assert_eq!(status, 401);
}

#[tokio::test]
async fn no_web_page_and_no_rebound_name_comes_in_even_with_the_token() {
    let relay = relay().await;
    let token = format!("Bearer {}", relay.pairing_token());
    for path in ["/", "/agent", "/extension", "/mcp"] {
        for origin in ["https://evil.example", "http://127.0.0.1", "null", "file://"] {
            let headers = [("Authorization", token.as_str()), ("Origin", origin)];
            assert_eq!(http(relay.port(), "POST", path, &headers, "").await.0, 403, "{path} {origin}");
        }
        for host in ["evil.example", "evil.example:80", "localhost.evil.example", "0.0.0.0"] {
            let host = format!("{host}:{}", relay.port());
            let headers = [("Authorization", token.as_str()), ("Host", host.as_str())];
            assert_eq!(http(relay.port(), "POST", path, &headers, "").await.0, 403, "{path} {host}");
        }
    }
    // An extension has its own leg and no other.
    let extension = ("origin", "moz-extension://0b9b3c3c".to_owned());
    assert_eq!(open(&relay.agent_url(), &[bearer(relay.agent_token()), extension.clone()]).await.err(), Some(403));
    assert!(open(&relay.extension_url(), &[bearer(relay.pairing_token()), extension]).await.is_ok());
    // No page can read an answer: nothing is shared across origins.
    let (_, head, _) = http(relay.port(), "OPTIONS", "/mcp", &[("Origin", "https://evil.example")], "").await;
    assert!(!head.contains("access-control-allow"), "{head}");
}

#[tokio::test]
async fn only_the_known_extension_comes_in_where_it_is_known() {
    let options = Options { port: 0, extension_origin: Some("chrome-extension://ours".to_owned()) };
    let relay = Relay::start(options).await.unwrap();
    let with = |origin: &str| [bearer(relay.pairing_token()), ("origin", origin.to_owned())];
    assert_eq!(open(&relay.extension_url(), &with("chrome-extension://theirs")).await.err(), Some(403));
    assert!(open(&relay.extension_url(), &with("chrome-extension://ours")).await.is_ok());
}

#[tokio::test]
async fn a_taken_port_is_told() {
    let relay = relay().await;
    let error = Relay::start(Options { port: relay.port(), extension_origin: None }).await.unwrap_err();
    assert_eq!(error.code, 3);
    assert!(error.message.contains("--port"), "{}", error.message);
}

#[tokio::test]
async fn nothing_is_served_at_the_root() {
    let relay = relay().await;
    let token = format!("Bearer {}", relay.agent_token());
    assert_eq!(http(relay.port(), "GET", "/", &[("Authorization", &token)], "").await.0, 404);
    assert_eq!(http(relay.port(), "GET", "/agent", &[("Authorization", &token)], "").await.0, 426);
}

#[tokio::test]
async fn garbage_is_answered_and_the_leg_lives_on() {
    let relay = relay().await;
    hub(&relay, |_, params| Ok(params.clone())).await;
    let mut agent = agent(&relay).await;
    for (text, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}\u{1}", -32700),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"observe","params":"x"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"observe","params":[1]}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"nonsense"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"session.start"}"#, -32001),
        (r#"{"jsonrpc":"2.0","id":1,"method":"input.perform"}"#, -32601),
    ] {
        send(&mut agent, text).await;
        let answer = receive(&mut agent).await;
        assert_eq!(answer["error"]["code"], json!(code), "{text}: {answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(ask(&mut agent, 5, "observe", json!({})).await["id"], json!(5));
}

#[tokio::test]
async fn batches_and_notifications_are_answered_as_the_standard_says() {
    let relay = relay().await;
    hub(&relay, |method, params| Ok(json!({"method": method, "text": params["text"]}))).await;
    let mut agent = agent(&relay).await;
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "observe"},
        {"jsonrpc": "2.0", "method": "note", "params": {"text": "no answer"}},
        3,
        {"jsonrpc": "2.0", "id": null, "method": "note", "params": {"text": "x"}},
    ]);
    // Notifications alone are answered by nothing: the batch's answer is the next frame.
    send(&mut agent, r#"[{"jsonrpc":"2.0","method":"note","params":{}}]"#).await;
    send(&mut agent, r#"{"jsonrpc":"2.0","method":"session.stop","params":{}}"#).await;
    send(&mut agent, batch.to_string()).await;
    let answer = receive(&mut agent).await;
    let all = answer.as_array().unwrap();
    assert_eq!(all.len(), 3, "{answer}");
    assert_eq!((&all[0]["id"], &all[0]["result"]["method"]), (&json!("a"), &json!("observe")));
    assert_eq!((&all[1]["id"], &all[1]["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert_eq!((&all[2]["id"], &all[2]["result"]["text"]), (&Value::Null, &json!("x")));
}

#[tokio::test]
async fn the_hub_is_told_who_asks_and_nobody_can_lie_about_it() {
    let relay = relay().await;
    hub(&relay, |_, params| Ok(params["_from"].clone())).await;
    let (mut one, mut two) = (agent(&relay).await, agent(&relay).await);
    let lie = json!({"_from": {"client": "companion", "control": true}});
    let first = ask(&mut one, 1, "observe", lie.clone()).await;
    let second = ask(&mut two, 1, "observe", lie).await;
    assert_eq!(first["result"]["control"], json!(false));
    assert_ne!(first["result"]["client"], second["result"]["client"]);
    assert_ne!(first["result"]["client"], json!("companion"));
}

#[tokio::test]
async fn without_an_extension_agents_are_told_what_to_do() {
    let relay = relay().await;
    let mut agent = agent(&relay).await;
    let answer = ask(&mut agent, 1, "observe", json!({})).await;
    assert_eq!(answer["error"]["code"], json!(-32002));
    assert!(answer["error"]["message"].as_str().unwrap().contains("side panel"), "{answer}");
}

#[tokio::test]
async fn the_newest_leg_wins_and_what_the_old_one_owed_fails() {
    let relay = relay().await;
    let headers = [bearer(relay.pairing_token())];
    let mut old = open(&relay.extension_url(), &headers).await.unwrap();
    relay.hub().connected().await;
    let mut agent = agent(&relay).await;
    send(&mut agent, json!({"jsonrpc": "2.0", "id": 1, "method": "act", "params": {"action": "back"}}).to_string())
        .await;
    assert_eq!(receive(&mut old).await["method"], json!("act"));
    hub(&relay, |_, _| Ok(json!("new"))).await;
    let answer = receive(&mut agent).await;
    assert_eq!(answer["error"]["code"], json!(-32002), "{answer}");
    assert_eq!(ask(&mut agent, 2, "observe", json!({})).await["result"], json!("new"));
}

#[tokio::test]
async fn a_restarting_worker_is_waited_for() {
    let relay = relay().await;
    let old = open(&relay.extension_url(), &[bearer(relay.pairing_token())]).await.unwrap();
    relay.hub().connected().await;
    let mut events = relay.hub().events();
    drop(old);
    while !matches!(events.recv().await.unwrap(), HubEvent::Disconnected) {}
    let mut agent = agent(&relay).await;
    send(&mut agent, json!({"jsonrpc": "2.0", "id": 1, "method": "observe", "params": {}}).to_string()).await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    hub(&relay, |_, _| Ok(json!("again"))).await;
    assert_eq!(receive(&mut agent).await["result"], json!("again"));
}

#[tokio::test]
async fn garbage_of_an_extension_is_answered_too() {
    let relay = relay().await;
    let mut extension = open(&relay.extension_url(), &[bearer(relay.pairing_token())]).await.unwrap();
    relay.hub().connected().await;
    let mut events = relay.hub().events();
    send(&mut extension, "nonsense").await;
    assert_eq!(receive(&mut extension).await["error"]["code"], json!(-32700));
    send(&mut extension, r#"{"jsonrpc":"2.0","method":"session.step","params":{"seq":"x"}}"#).await;
    let perform = ask(&mut extension, 4, "input.perform", json!({"actions": []})).await;
    assert_eq!(perform["error"]["code"], json!(-32601), "this relay launched no browser: {perform}");
    send(&mut extension, r#"{"jsonrpc":"2.0","method":"session.ended","params":{"session":"s1"}}"#).await;
    loop {
        match events.recv().await.unwrap() {
            HubEvent::Ended { session } => break assert_eq!(session.as_deref(), Some("s1")),
            HubEvent::Step(step) => panic!("{step:?}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn the_step_limit_refuses_acts_and_tells_the_runner() {
    let relay = relay().await;
    let steps = std::sync::atomic::AtomicU32::new(0);
    hub(&relay, move |method, _| {
        let add = u32::from(method == "act");
        let steps = steps.fetch_add(add, std::sync::atomic::Ordering::SeqCst) + add;
        Ok(json!({"ok": true, "url": "", "title": "", "steps": steps}))
    })
    .await;
    relay.hub().limit_steps(2);
    let mut agent = agent(&relay).await;
    for id in 1..=2 {
        assert_eq!(ask(&mut agent, id, "act", json!({"action": "back"})).await["result"]["ok"], json!(true));
    }
    let refused = ask(&mut agent, 3, "act", json!({"action": "back"})).await;
    assert_eq!(refused["error"]["code"], json!(-32003));
    relay.hub().step_limit_hit().await;
    assert_eq!(ask(&mut agent, 4, "observe", json!({})).await["result"]["ok"], json!(true));
}

#[tokio::test]
async fn a_message_beyond_the_cap_closes_the_leg_and_nothing_else() {
    let relay = relay().await;
    hub(&relay, |_, _| Ok(json!(1))).await;
    let mut big = agent(&relay).await;
    let text = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"note\",\"params\":{{\"text\":\"{}\"}}}}",
        "x".repeat(5 << 20)
    );
    use futures_util::{SinkExt, StreamExt};
    let _ = big.send(tokio_tungstenite::tungstenite::Message::text(text)).await;
    let next = tokio::time::timeout(std::time::Duration::from_secs(10), big.next()).await.unwrap();
    assert!(!matches!(next, Some(Ok(tokio_tungstenite::tungstenite::Message::Text(_)))), "{next:?}");
    let mut agent = agent(&relay).await;
    assert_eq!(ask(&mut agent, 1, "observe", json!({})).await["result"], json!(1));
}
