//! The extension APIs used, and small things of the window.

use js_sys::{Array, Function, JSON, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "i18n"], js_name = getMessage)]
    fn i18n_message(key: &str, substitutions: &Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "i18n"], js_name = getUILanguage)]
    fn i18n_language() -> Result<String, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = sendMessage)]
    fn runtime_send(message: &JsValue) -> Result<Promise, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = connect)]
    fn runtime_connect(options: &JsValue) -> Result<Port, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"], js_name = contains)]
    fn permissions_contains(wanted: &JsValue) -> Result<Promise, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"], js_name = request)]
    fn permissions_request(wanted: &JsValue) -> Result<Promise, JsValue>;

    /// One end of a channel to the hub.
    #[derive(Clone)]
    pub(crate) type Port;
    #[wasm_bindgen(method, getter, js_name = onMessage)]
    fn on_message(this: &Port) -> Listeners;
    #[wasm_bindgen(method, getter, js_name = onDisconnect)]
    fn on_disconnect(this: &Port) -> Listeners;
    #[wasm_bindgen(method)]
    fn disconnect(this: &Port);

    type Listeners;
    #[wasm_bindgen(method, js_name = addListener)]
    fn add_listener(this: &Listeners, listener: &Function);
    #[wasm_bindgen(method, js_name = removeListener)]
    fn remove_listener(this: &Listeners, listener: &Function);
}

/// What an exception says.
pub(crate) fn said(error: &JsValue) -> String {
    if let Some(error) = error.dyn_ref::<js_sys::Error>() {
        return String::from(error.message());
    }
    error.as_string().unwrap_or_else(|| JSON::stringify(error).map(String::from).unwrap_or_default())
}

/// The message of that key in the person's language; empty where there is none.
pub(crate) fn message(key: &str, substitutions: &[String]) -> String {
    let list: Array = substitutions.iter().map(|text| JsValue::from_str(text)).collect();
    i18n_message(key, &list).ok().and_then(|text| text.as_string()).unwrap_or_default()
}

/// The person's language as a BCP 47 tag.
pub(crate) fn language() -> String {
    i18n_language().unwrap_or_else(|_| "en".to_owned())
}

/// Tells assistive technology which language the page speaks.
pub(crate) fn set_language() {
    let root = gloo::utils::document().document_element();
    if let Some(root) = root {
        let lang = if language().starts_with("zh") { "zh-CN" } else { "en" };
        let _ = root.set_attribute("lang", lang);
    }
}

/// Sends a message to the hub and waits for its answer.
pub(crate) async fn send(message: &JsValue) -> Result<JsValue, String> {
    let answer = runtime_send(message).map_err(|error| said(&error))?;
    JsFuture::from(answer).await.map_err(|error| said(&error))
}

fn everywhere() -> JsValue {
    let wanted = js_sys::Object::new();
    let _ = Reflect::set(&wanted, &"origins".into(), &Array::of1(&"<all_urls>".into()));
    wanted.into()
}

/// Whether the browser lets Tracerule see pages; Firefox lets people take that back at any time.
pub(crate) async fn may_see_pages() -> bool {
    match permissions_contains(&everywhere()) {
        // A browser that cannot tell is not a reason to bother the person.
        Err(_) => true,
        Ok(answer) => JsFuture::from(answer).await.ok().and_then(|yes| yes.as_bool()).unwrap_or(true),
    }
}

/// Asks for it. To be called while a click is being handled, before any await.
pub(crate) fn ask_to_see_pages() -> Result<Promise, String> {
    permissions_request(&everywhere()).map_err(|error| said(&error))
}

/// A port to the hub, which is let go when this is dropped.
pub(crate) struct Connection {
    port: Port,
    heard: Closure<dyn FnMut(JsValue)>,
    lost: Closure<dyn FnMut(JsValue)>,
}

impl Connection {
    /// Opens a port of that name.
    ///
    /// # Errors
    /// What the browser says when the extension's other half is not there.
    pub(crate) fn open(
        name: &str,
        heard: impl FnMut(JsValue) + 'static,
        lost: impl FnMut(JsValue) + 'static,
    ) -> Result<Connection, String> {
        let options = js_sys::Object::new();
        let _ = Reflect::set(&options, &"name".into(), &name.into());
        let port = runtime_connect(&options).map_err(|error| said(&error))?;
        let heard = Closure::new(heard);
        let lost = Closure::new(lost);
        port.on_message().add_listener(heard.as_ref().unchecked_ref());
        port.on_disconnect().add_listener(lost.as_ref().unchecked_ref());
        Ok(Connection { port, heard, lost })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.port.on_message().remove_listener(self.heard.as_ref().unchecked_ref());
        self.port.on_disconnect().remove_listener(self.lost.as_ref().unchecked_ref());
        self.port.disconnect();
    }
}

/// Gives the person a file.
///
/// # Errors
/// What the browser says.
pub(crate) fn download(name: &str, mime: &str, bytes: &[u8]) -> Result<(), String> {
    let url = blob_url(mime, bytes)?;
    let document = gloo::utils::document();
    let link = document.create_element("a").map_err(|error| said(&error))?;
    let link: web_sys::HtmlAnchorElement = link.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser takes the bytes after this turn.
    gloo::timers::callback::Timeout::new(60_000, move || {
        let _ = web_sys::Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// An address for bytes in memory, valid until revoked.
///
/// # Errors
/// What the browser says.
pub(crate) fn blob_url(mime: &str, bytes: &[u8]) -> Result<String, String> {
    let parts = Array::of1(&js_sys::Uint8Array::from(bytes));
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(mime);
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options).map_err(|error| said(&error))?;
    web_sys::Url::create_object_url_with_blob(&blob).map_err(|error| said(&error))
}

/// A date and time as people write it there.
pub(crate) fn date(ms: f64) -> String {
    let options = js_sys::Object::new();
    for (key, value) in [("dateStyle", "medium"), ("timeStyle", "short")] {
        let _ = Reflect::set(&options, &key.into(), &value.into());
    }
    String::from(js_sys::Date::new(&ms.into()).to_locale_string(&language().replace('_', "-"), &options))
}

/// A seed nobody chose, small enough to type.
pub(crate) fn random_seed() -> u64 {
    (js_sys::Math::random() * 1_000_000.0) as u64
}

/// Whether nothing has the focus, or only something that the selector matches.
pub(crate) fn focus_is_free(selector: &str) -> bool {
    let document = gloo::utils::document();
    document.active_element().is_none_or(|element| element.matches(&format!("body, {selector}")).unwrap_or(true))
}

/// Puts the focus on the element of that id.
pub(crate) fn focus(id: &str) {
    let element = gloo::utils::document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}
