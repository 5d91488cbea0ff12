//! What lives as long as the browser runs, and is gone with it; and what pages leave behind for us.

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
    #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = get)]
    async fn js_local_all() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = set)]
    async fn js_local_set(items: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["crypto"], js_name = getRandomValues)]
    fn js_random(into: &mut [u8]) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = remove)]
    async fn js_local_remove(key: &str) -> Result<JsValue, JsValue>;
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

/// Everything in the local storage.
pub async fn local_all<T: DeserializeOwned>() -> Result<T, Refused> {
    let found = js_local_all().await.map_err(refused("read its local storage"))?;
    read(&found).map_err(|why| refused("read its local storage")(JsValue::from_str(&why)))
}

/// Takes a value out of the local storage.
pub async fn local_remove(key: &str) -> Result<(), Refused> {
    js_local_remove(key).await.map(|_| ()).map_err(refused("write its local storage"))
}

/// What hashes of typed secrets are salted with in this profile, so that its references and runs compare: made up
/// once, 32 hexadecimal digits.
pub async fn salt() -> Result<String, Refused> {
    const KEY: &str = "salt";
    let all: serde_json::Map<String, serde_json::Value> = local_all().await?;
    if let Some(known) = all.get(KEY).and_then(serde_json::Value::as_str) {
        return Ok(known.to_owned());
    }
    let mut bytes = [0; 16];
    js_random(&mut bytes).map_err(refused("make up a salt"))?;
    let salt: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let items = object(&serde_json::json!({ KEY: salt }));
    js_local_set(&items).await.map_err(refused("write its local storage"))?;
    Ok(salt)
}
