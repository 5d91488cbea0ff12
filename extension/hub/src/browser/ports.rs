//! Ports to sensors and panels.

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::{Refused, read, refused};

#[wasm_bindgen]
extern "C" {
    /// A connection to a content script or a page of ours.
    #[derive(Clone, Debug)]
    pub type Port;
    #[wasm_bindgen(method, getter)]
    fn name(this: &Port) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn sender(this: &Port) -> JsValue;
    #[wasm_bindgen(method, catch, js_name = postMessage)]
    fn js_post(this: &Port, message: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = disconnect)]
    fn js_disconnect(this: &Port);
}

/// Who is at the other end.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Sender {
    /// Its tab, if it is in one.
    pub tab: Option<super::tabs::Info>,
    /// Its frame.
    pub frame_id: f64,
    /// Its address.
    pub url: String,
}

impl Port {
    /// The name it was opened with.
    pub fn label(&self) -> String {
        self.name().unwrap_or_default()
    }

    /// Who is at the other end.
    pub fn from(&self) -> Sender {
        read(&self.sender()).unwrap_or_default()
    }

    /// Sends; fails when the other end is gone.
    pub fn post(&self, message: &JsValue) -> Result<(), Refused> {
        self.js_post(message).map_err(refused("send to a page"))
    }

    /// Hangs up.
    pub fn close(&self) {
        self.js_disconnect();
    }
}
