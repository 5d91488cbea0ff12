//! Putting the sensor into pages.

use serde_json::json;
use wasm_bindgen::prelude::*;

use super::{Refused, Tab, object, read, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = registerContentScripts)]
    async fn js_register(scripts: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = unregisterContentScripts)]
    async fn js_unregister(which: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = getRegisteredContentScripts)]
    async fn js_registered(which: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = executeScript)]
    async fn js_execute(what: &JsValue) -> Result<JsValue, JsValue>;
}

/// Runs the files in every document from now on, before the page's own scripts, in a world of their own.
pub async fn register(id: &str, files: &[&str]) -> Result<(), Refused> {
    let script = json!([{
        "id": id,
        "matches": ["<all_urls>"],
        "js": files,
        "allFrames": true,
        "matchOriginAsFallback": true,
        "runAt": "document_start",
        "world": "ISOLATED",
        "persistAcrossSessions": false,
    }]);
    js_register(&object(&script)).await.map(|_| ()).map_err(refused("register the sensor"))
}

/// No longer.
pub async fn unregister(id: &str) -> Result<(), Refused> {
    js_unregister(&object(&json!({"ids": [id]}))).await.map(|_| ()).map_err(refused("unregister the sensor"))
}

/// Whether it is registered.
pub async fn is_registered(id: &str) -> Result<bool, Refused> {
    let found =
        js_registered(&object(&json!({"ids": [id]}))).await.map_err(refused("look for the registered sensor"))?;
    let found: Vec<serde_json::Value> =
        read(&found).map_err(|why| Refused { doing: "look for the registered sensor", why })?;
    Ok(!found.is_empty())
}

/// Runs the files in one frame that is open already.
pub async fn execute(tab: Tab, frame: f64, files: &[&str]) -> Result<(), Refused> {
    let what = json!({
        "target": {"tabId": tab.id(), "frameIds": [frame]},
        "files": files,
        "injectImmediately": true,
        "world": "ISOLATED",
    });
    js_execute(&object(&what)).await.map(|_| ()).map_err(refused("put the sensor into the page"))
}
