//! Downloads, as the browser tells them.

use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::prelude::*;

use super::{Refused, object, read, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "downloads"], js_name = search)]
    async fn js_search(what: &JsValue) -> Result<JsValue, JsValue>;
}

/// A download.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Item {
    /// The browser's number of it.
    pub id: f64,
    /// What was asked for.
    pub url: String,
    /// Where that led.
    pub final_url: String,
    /// The page that asked.
    pub referrer: Option<String>,
    /// The file's path.
    pub filename: String,
    /// Its media type.
    pub mime: String,
    /// Bytes on the disk; -1 while unknown.
    pub file_size: f64,
    /// Bytes announced; -1 when unknown.
    pub total_bytes: f64,
    /// `in_progress`, `interrupted` or `complete`.
    pub state: String,
    /// Why it was interrupted.
    pub error: Option<String>,
    /// The extension that asked for it.
    pub by_extension_id: Option<String>,
}

/// A change of a value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Delta {
    /// What it is now.
    pub current: String,
}

/// What changed of a download.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Change {
    /// Its number.
    pub id: f64,
    /// Its state.
    pub state: Option<Delta>,
}

/// A download as it is now.
pub async fn get(id: f64) -> Result<Option<Item>, Refused> {
    let doing = "look at a download";
    let found = js_search(&object(&json!({ "id": id }))).await.map_err(refused(doing))?;
    let items: Vec<Item> = read(&found).map_err(|why| Refused { doing, why })?;
    Ok(items.into_iter().next())
}
