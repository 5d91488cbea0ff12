//! Chromium's debugger: trusted input, and screenshots without a limit.

use serde::Serialize;
use serde_json::json;
use wasm_bindgen::prelude::*;

use super::{Refused, Tab, object, read, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger"], js_name = attach)]
    async fn js_attach(target: &JsValue, version: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger"], js_name = detach)]
    async fn js_detach(target: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger"], js_name = sendCommand)]
    async fn js_send(target: &JsValue, method: &str, parameters: &JsValue) -> Result<JsValue, JsValue>;
}

/// Whether this browser has it.
pub fn exists() -> bool {
    let chrome = js_sys::Reflect::get(&js_sys::global(), &"chrome".into()).unwrap_or(JsValue::UNDEFINED);
    js_sys::Reflect::get(&chrome, &"debugger".into()).is_ok_and(|api| api.is_object())
}

fn target(tab: Tab) -> JsValue {
    object(&json!({"tabId": tab.id()}))
}

/// Takes hold of a tab; the browser shows its bar.
pub async fn attach(tab: Tab) -> Result<(), Refused> {
    js_attach(&target(tab), "1.3").await.map(|_| ()).map_err(refused("attach the debugger"))
}

/// Lets go.
pub async fn detach(tab: Tab) -> Result<(), Refused> {
    js_detach(&target(tab)).await.map(|_| ()).map_err(refused("detach the debugger"))
}

/// One command of the DevTools protocol.
pub async fn send<P: Serialize>(tab: Tab, method: &str, parameters: &P) -> Result<serde_json::Value, Refused> {
    let doing = "carry out a debugger command";
    let answer = js_send(&target(tab), method, &object(parameters)).await.map_err(refused(doing))?;
    read(&answer).map_err(|why| Refused { doing, why })
}
