//! The requests of tabs under study: when they begin and when they are over. Only looked at, nothing is held up; of other
//! tabs nothing is told.

use js_sys::{Function, Reflect};
use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::prelude::*;

use super::{Refused, Tab, object, read, refused};

/// A request, as far as it matters whether it is on its way.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// The browser's number of it; a redirect keeps it.
    pub request_id: String,
    /// The frame that made it, 0 the top one; a frame's own document is requested by itself.
    pub frame_id: f64,
    /// The frame around that; −1 for the top frame.
    pub parent_frame_id: f64,
    /// What it is for: `main_frame`, `xmlhttprequest`, `image` …
    #[serde(rename = "type")]
    pub kind: String,
    /// What the server answered with.
    pub response_headers: Vec<Header>,
}

/// A header of an answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value, where it is a text.
    pub value: String,
}

impl Request {
    /// An answer that never ends by itself.
    pub fn is_stream(&self) -> bool {
        let endless =
            |kind: &str| kind.starts_with("text/event-stream") || kind.starts_with("multipart/x-mixed-replace");
        let named = |header: &&Header| header.name.eq_ignore_ascii_case("content-type");
        self.response_headers.iter().filter(named).any(|header| endless(&header.value.to_ascii_lowercase()))
    }
}

/// What is told of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It begins, again after a redirect.
    Begun,
    /// Its answer begins.
    Answered,
    /// It is over, well or not.
    Over,
}

const STAGES: [(&str, Stage); 4] = [
    ("onBeforeRequest", Stage::Begun),
    ("onResponseStarted", Stage::Answered),
    ("onCompleted", Stage::Over),
    ("onErrorOccurred", Stage::Over),
];

/// An event of the browser, and who hears it.
type Heard = (JsValue, Closure<dyn FnMut(JsValue)>);

/// Listeners for the requests of one tab, taken back when this is dropped.
pub struct Listening(Vec<Heard>);

/// Listens to the requests of a tab from now on.
pub fn listen(tab: Tab, heard: fn(Tab, Stage, &Request)) -> Result<Listening, Refused> {
    let doing = "look at the requests of the tab";
    let chrome = Reflect::get(&js_sys::global(), &"chrome".into()).map_err(refused(doing))?;
    let api = Reflect::get(&chrome, &"webRequest".into()).map_err(refused(doing))?;
    let mut listening = Listening(Vec::new());
    for (name, stage) in STAGES {
        let event = Reflect::get(&api, &name.into()).map_err(refused(doing))?;
        let listener: Closure<dyn FnMut(JsValue)> = Closure::new(move |details: JsValue| {
            if let Ok(request) = read::<Request>(&details) {
                heard(tab, stage, &request);
            }
        });
        let filter = object(&json!({"urls": ["<all_urls>"], "tabId": tab.id()}));
        let add: Function = Reflect::get(&event, &"addListener".into()).map_err(refused(doing))?.unchecked_into();
        let added = match stage {
            // Streams are told by their headers.
            Stage::Answered => add.call3(&event, listener.as_ref(), &filter, &object(&json!(["responseHeaders"]))),
            _ => add.call2(&event, listener.as_ref(), &filter),
        };
        added.map_err(refused(doing))?;
        listening.0.push((event, listener));
    }
    Ok(listening)
}

impl Drop for Listening {
    fn drop(&mut self) {
        for (event, listener) in &self.0 {
            let remove = Reflect::get(event, &"removeListener".into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
            if let Some(remove) = remove {
                // A worker that is going away has none left.
                let _ = remove.call1(event, listener.as_ref());
            }
        }
    }
}
