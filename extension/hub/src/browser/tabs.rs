//! Tabs.

use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::prelude::*;

use super::{Refused, Tab, object, read, refused};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = query)]
    async fn js_query(what: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = get)]
    async fn js_get(tab: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = create)]
    async fn js_create(how: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = update)]
    async fn js_update(tab: f64, how: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = remove)]
    async fn js_remove(tab: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = goBack)]
    async fn js_back(tab: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = goForward)]
    async fn js_forward(tab: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = reload)]
    async fn js_reload(tab: f64) -> Result<JsValue, JsValue>;
}

/// What the browser tells of a tab.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Info {
    /// Its number.
    pub id: Option<f64>,
    /// Its window's number.
    pub window_id: f64,
    /// It is the one shown in its window.
    pub active: bool,
    /// The tab it was opened from.
    pub opener_tab_id: Option<f64>,
    /// Its address.
    pub url: String,
    /// Where it is on its way to.
    pub pending_url: Option<String>,
    /// Its title.
    pub title: String,
    /// `loading`, `complete`, or `unloaded` without a process.
    pub status: String,
    /// The browser unloaded it to save memory.
    pub discarded: bool,
    /// Ms since the epoch.
    pub last_accessed: f64,
}

impl Info {
    /// Its number, if it is a tab that can be spoken of.
    pub fn tab(&self) -> Option<Tab> {
        self.id.filter(|id| *id >= 0.0).map(Tab::new)
    }

    /// Whether nothing was opened in it yet.
    pub fn is_blank(&self) -> bool {
        const BLANK: [&str; 9] = [
            "",
            // With which the companion opens Firefox.
            "data:,",
            "about:blank",
            "about:newtab",
            "about:home",
            "about:welcome",
            "about:privatebrowsing",
            "chrome://newtab/",
            "chrome://new-tab-page/",
        ];
        BLANK.contains(&self.url.as_str()) && self.pending_url.as_deref().is_none_or(|url| BLANK.contains(&url))
    }
}

fn info(value: &JsValue, doing: &'static str) -> Result<Info, Refused> {
    read(value).map_err(|why| Refused { doing, why })
}

/// All tabs.
pub async fn all() -> Result<Vec<Info>, Refused> {
    let found = js_query(&object(&json!({}))).await.map_err(refused("list the tabs"))?;
    read(&found).map_err(|why| Refused { doing: "list the tabs", why })
}

/// The tab a person looks at.
pub async fn active() -> Result<Option<Info>, Refused> {
    let what = object(&json!({"active": true, "lastFocusedWindow": true}));
    let found = js_query(&what).await.map_err(refused("find the active tab"))?;
    let tabs: Vec<Info> = read(&found).map_err(|why| Refused { doing: "find the active tab", why })?;
    Ok(tabs.into_iter().next())
}

/// One tab.
pub async fn get(tab: Tab) -> Result<Info, Refused> {
    info(&js_get(tab.id()).await.map_err(refused("look at a tab"))?, "look at a tab")
}

/// Opens a tab.
pub async fn create(url: &str, opener: Option<Tab>) -> Result<Info, Refused> {
    let mut how = json!({"url": url, "active": true});
    if let Some(opener) = opener {
        how["openerTabId"] = opener.id().into();
    }
    info(&js_create(&object(&how)).await.map_err(refused("open a tab"))?, "open a tab")
}

/// Goes to an address.
pub async fn navigate(tab: Tab, url: &str) -> Result<(), Refused> {
    js_update(tab.id(), &object(&json!({"url": url}))).await.map(|_| ()).map_err(refused("go to that address"))
}

/// Brings to the front.
pub async fn activate(tab: Tab) -> Result<(), Refused> {
    js_update(tab.id(), &object(&json!({"active": true}))).await.map(|_| ()).map_err(refused("switch to that tab"))
}

/// Closes.
pub async fn close(tab: Tab) -> Result<(), Refused> {
    js_remove(tab.id()).await.map(|_| ()).map_err(refused("close that tab"))
}

/// One back in history.
pub async fn back(tab: Tab) -> Result<(), Refused> {
    js_back(tab.id()).await.map(|_| ()).map_err(refused("go back"))
}

/// One forward in history.
pub async fn forward(tab: Tab) -> Result<(), Refused> {
    js_forward(tab.id()).await.map(|_| ()).map_err(refused("go forward"))
}

/// Loads again.
pub async fn reload(tab: Tab) -> Result<(), Refused> {
    js_reload(tab.id()).await.map(|_| ()).map_err(refused("reload the tab"))
}
