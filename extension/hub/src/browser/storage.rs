//! What lives as long as the browser runs, and is gone with it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use super::{Refused, object, read, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = get)]
    async fn js_get(key: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = set)]
    async fn js_set(items: &JsValue) -> Result<JsValue, JsValue>;
}

/// Reads a value; `None` when absent or unreadable.
pub async fn get<T: DeserializeOwned>(key: &str) -> Result<Option<T>, Refused> {
    let found = js_get(key).await.map_err(refused("read its session storage"))?;
    let value = js_sys::Reflect::get(&found, &key.into()).map_err(refused("read its session storage"))?;
    Ok(if value.is_undefined() { None } else { read(&value).ok() })
}

/// Keeps a value.
pub async fn set<T: Serialize>(key: &str, value: &T) -> Result<(), Refused> {
    let items = object(&serde_json::json!({ key: value }));
    js_set(&items).await.map(|_| ()).map_err(refused("write its session storage"))
}
