//! The browser, one module for each of its interfaces, named as the field names them. Nothing outside
//! this folder says `chrome`.

pub mod capture;
pub mod debugger;
pub mod downloads;
pub mod navigation;
pub mod ports;
pub mod requests;
pub mod runtime;
pub mod scripting;
pub mod storage;
pub mod tabs;

use js_sys::JSON;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

/// A tab, by the browser's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tab(i64);

impl Tab {
    /// From the browser's number (an integer below 2^53).
    pub fn new(id: f64) -> Tab {
        Tab(id as i64)
    }

    /// The browser's number.
    pub fn id(self) -> f64 {
        self.0 as f64
    }
}

/// The browser said no.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the browser refused to {doing}: {why}")]
pub struct Refused {
    /// What was asked, as a verb phrase.
    pub doing: &'static str,
    /// Its words.
    pub why: String,
}

pub(crate) fn refused(doing: &'static str) -> impl FnOnce(JsValue) -> Refused {
    move |thrown| Refused { doing, why: words(&thrown) }
}

/// The words in a thrown value.
pub fn words(thrown: &JsValue) -> String {
    if let Some(exception) = thrown.dyn_ref::<web_sys::DomException>() {
        return format!("{}: {}", exception.name(), exception.message());
    }
    if let Some(error) = thrown.dyn_ref::<js_sys::Error>() {
        return String::from(error.message());
    }
    let message = js_sys::Reflect::get(thrown, &"message".into()).ok().and_then(|m| m.as_string());
    message.or_else(|| thrown.as_string()).unwrap_or_else(|| format!("{thrown:?}"))
}

/// A plain object (or array) of JavaScript's.
pub fn object<T: Serialize + ?Sized>(value: &T) -> JsValue {
    // Only values of our own types come here, and they all have a JSON form.
    serde_json::to_string(value).ok().and_then(|text| JSON::parse(&text).ok()).unwrap_or(JsValue::NULL)
}

/// Reads a plain object.
pub fn read<T: DeserializeOwned>(value: &JsValue) -> Result<T, String> {
    let text = JSON::stringify(value).map_err(|e| words(&e))?;
    let text = text.as_string().unwrap_or_else(|| "null".into());
    // By way of a value: one deserializer in the module instead of two for every type.
    serde_json::from_str::<serde_json::Value>(&text).and_then(T::deserialize).map_err(|e| e.to_string())
}
