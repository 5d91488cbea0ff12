//! Pictures of what a window shows.

use serde_json::json;
use wasm_bindgen::prelude::*;

use super::{Refused, object, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = captureVisibleTab)]
    async fn js_capture(window: f64, how: &JsValue) -> Result<JsValue, JsValue>;
}

/// The visible tab of a window, as base64 of a JPEG of high quality.
pub async fn visible(window: f64) -> Result<String, Refused> {
    let doing = "take a picture of the tab";
    let how = object(&json!({"format": "jpeg", "quality": 92}));
    let url = js_capture(window, &how).await.map_err(refused(doing))?;
    let url = url.as_string().unwrap_or_default();
    match url.split_once(";base64,") {
        Some((_, data)) if !data.is_empty() => Ok(data.to_owned()),
        _ => Err(Refused { doing, why: "it gave no picture".into() }),
    }
}
