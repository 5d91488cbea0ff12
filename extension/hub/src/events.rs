//! The browser's events, by the names that the shell gives them.

use js_sys::{Array, Function};
use wasm_bindgen::{JsCast, JsValue};

use crate::browser::navigation::{Answered, Details};
use crate::browser::ports::Port;
use crate::browser::{Tab, object, read, tabs};
use crate::{downloads, frames, hub, navigation, panel, session, trusted};

/// Passes an event to whom it concerns. Events that no session concerns are cheap.
pub fn dispatch(name: &str, details: &Array) {
    let number = |at: u32| details.get(at).as_f64();
    match name {
        "connect" => {
            let (Some(id), port) = (number(0), details.get(1).unchecked_into::<Port>()) else { return };
            match port.label().as_str() {
                "sensor" => frames::connect(id as u32, port),
                "panel" => panel::connect(id as u32, port),
                _ => port.close(),
            }
        }
        "port" => {
            if let Some(id) = number(0) {
                frames::message(id as u32, &details.get(1));
            }
        }
        "disconnect" => {
            if let Some(id) = number(0) {
                let id = id as u32;
                if hub::with(|hub| hub.panels.remove(&id)).is_none() {
                    frames::disconnect(id);
                }
            }
        }
        "message" => asked(details.get(0), details.get(1), &details.get(2)),
        "tabs.activated" => {
            #[derive(serde::Deserialize)]
            #[serde(rename_all = "camelCase")]
            struct Active {
                tab_id: f64,
            }
            if let Ok(active) = read::<Active>(&details.get(0)) {
                session::activated(Tab::new(active.tab_id));
            }
        }
        "tabs.removed" => {
            if let Some(id) = number(0) {
                hub::with(|hub| hub.beside.remove(&Tab::new(id)));
                session::closed(Tab::new(id));
            }
        }
        "tabs.created" => {
            let Ok(info) = read::<tabs::Info>(&details.get(0)) else { return };
            if let (Some(tab), Some(opener)) = (info.tab(), info.opener_tab_id)
                && session::of_tab(Tab::new(opener)).is_some()
            {
                hub::with(|hub| hub.beside.insert(tab, Tab::new(opener)));
            }
        }
        "command" => crate::edit::hotkey(&details.get(0).as_string().unwrap_or_default()),
        "download.created" => {
            if let Ok(item) = read(&details.get(0)) {
                downloads::created(&item);
            }
        }
        "download.changed" => {
            if let Ok(change) = read(&details.get(0)) {
                downloads::changed(&change);
            }
        }
        "request.redirected" => with_answer(details, navigation::redirected),
        "request.answered" => with_answer(details, navigation::answered),
        "storage.local" => hub::spawn(crate::leaving::deliver()),
        "navigation.before" => with_details(details, navigation::begun),
        "navigation.committed" => with_details(details, |d| navigation::committed(d, false)),
        "navigation.same" => with_details(details, |d| navigation::committed(d, true)),
        "navigation.completed" => with_details(details, navigation::completed),
        "navigation.failed" => with_details(details, navigation::failed),
        "navigation.target" => with_details(details, navigation::target_created),
        "debugger.event" => {
            if let Some(tab) = debuggee(&details.get(0)) {
                let method = details.get(1).as_string().unwrap_or_default();
                let parameters = read(&details.get(2)).unwrap_or_default();
                trusted::event(tab, &method, &parameters);
            }
        }
        "debugger.detached" => {
            if let Some(tab) = debuggee(&details.get(0)) {
                trusted::detached(tab, &details.get(1).as_string().unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn with_details(details: &Array, work: impl FnOnce(&Details)) {
    if let Ok(details) = read::<Details>(&details.get(0)) {
        work(&details);
    }
}

fn with_answer(details: &Array, work: impl FnOnce(&Answered)) {
    if let Ok(answer) = read::<Answered>(&details.get(0)) {
        work(&answer);
    }
}

fn debuggee(source: &JsValue) -> Option<Tab> {
    frames::field(source, "tabId").and_then(|id| id.as_f64()).map(Tab::new)
}

/// A page of ours asks; it waits for the answer.
fn asked(message: JsValue, sender: JsValue, respond: &JsValue) {
    let Some(respond) = respond.dyn_ref::<Function>().cloned() else { return };
    wasm_bindgen_futures::spawn_local(async move {
        let answer = panel::message(&message, &sender).await;
        let answer = answer.map_or(JsValue::UNDEFINED, |answer| object(&answer));
        // The page may be gone by now.
        let _ = respond.call1(&JsValue::UNDEFINED, &answer);
    });
}
