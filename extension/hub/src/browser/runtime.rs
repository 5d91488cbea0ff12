//! The extension itself and the browser it runs in.

use wasm_bindgen::prelude::*;

use super::{Refused, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = ["chrome", "runtime"], js_name = getURL)]
    fn js_url(path: &str) -> String;
    #[wasm_bindgen(catch, js_name = fetch)]
    async fn js_fetch(url: &str) -> Result<JsValue, JsValue>;
    type Response;
    #[wasm_bindgen(method, getter)]
    fn ok(this: &Response) -> bool;
    #[wasm_bindgen(method, catch)]
    async fn text(this: &Response) -> Result<JsValue, JsValue>;
}

/// The address of a file of the extension.
pub fn url(path: &str) -> String {
    js_url(path)
}

/// A file of the extension as text; `None` when there is none.
pub async fn file(path: &str) -> Result<Option<String>, Refused> {
    let Ok(response) = js_fetch(&url(path)).await else { return Ok(None) };
    let response: Response = response.unchecked_into();
    if !response.ok() {
        return Ok(None);
    }
    response.text().await.map(|text| text.as_string()).map_err(refused("read a file of the extension"))
}

/// As `chromium 156` or `firefox 153`.
pub fn browser() -> String {
    let part = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let agent = part(&part(&js_sys::global(), "navigator"), "userAgent").as_string().unwrap_or_default();
    for (mark, name) in [("Firefox/", "firefox"), ("Edg/", "edge"), ("Chrome/", "chromium")] {
        if let Some((_, rest)) = agent.split_once(mark) {
            let version: String = rest.chars().take_while(char::is_ascii_digit).collect();
            return format!("{name} {version}");
        }
    }
    agent
}

/// Whether this is Firefox, where it differs and cannot be asked for by feature.
pub fn is_firefox() -> bool {
    browser().starts_with("firefox")
}
