//! Navigations, as the browser tells them.

use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::prelude::*;

use super::{Refused, Tab, object, read, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "webNavigation"], js_name = getAllFrames)]
    async fn js_frames(what: &JsValue) -> Result<JsValue, JsValue>;
}

/// A frame.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameInfo {
    /// Its number, which exceeds 2^32 in Firefox.
    pub frame_id: f64,
    /// Its parent's number; −1 for the top frame.
    pub parent_frame_id: f64,
    /// Its address.
    pub url: String,
    /// It shows an error page.
    pub error_occurred: bool,
}

/// The frames of a tab.
pub async fn frames(tab: Tab) -> Result<Vec<FrameInfo>, Refused> {
    let doing = "list the frames of the tab";
    let found = js_frames(&object(&json!({"tabId": tab.id()}))).await.map_err(refused(doing))?;
    read::<Option<Vec<FrameInfo>>>(&found).map(Option::unwrap_or_default).map_err(|why| Refused { doing, why })
}

/// A server's answer to the load of a tab's top document, or a redirect on the way there.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answered {
    /// The browser's number of the load.
    pub request_id: String,
    /// The tab.
    pub tab_id: f64,
    /// The address that answered.
    pub url: String,
    /// The HTTP status.
    pub status_code: u16,
    /// Ms since the epoch.
    pub time_stamp: f64,
}

/// The details of a navigation event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Details {
    /// The tab.
    pub tab_id: f64,
    /// The frame, 0 the top one.
    pub frame_id: f64,
    /// The address.
    pub url: String,
    /// Ms since the epoch.
    pub time_stamp: f64,
    /// `link`, `typed`, `reload` …
    pub transition_type: String,
    /// `forward_back`, `from_address_bar`, `client_redirect` …
    pub transition_qualifiers: Vec<String>,
    /// Why it failed.
    pub error: String,
    /// The tab whose page opened this one.
    pub source_tab_id: f64,
    /// `active`, `prerender` …
    pub document_lifecycle: String,
}
