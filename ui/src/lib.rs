//! What a person sees of Tracerule: the side panel and the report, in one module. It reads the store and
//! the core, asks the hub, and knows nothing of pages.
//!
//! Rooms: [`browser`] the few extension APIs used; [`text`] the words, from `_locales`; [`hub`] the link to
//! the hub; [`kept`] the store; [`scores`] the ruler, applied; [`panel`] and [`report`] the two pages; [`parts`], [`icon`], [`shot`] what
//! they share; [`mod@format`], [`draft`] and [`said`] what can be said without a browser.

// Natively only what needs no browser is compiled, for its tests; most of it is used by the rest alone.
#![cfg_attr(not(target_family = "wasm"), allow(dead_code))]

#[cfg(target_family = "wasm")]
mod browser;
mod draft;
mod format;
#[cfg(target_family = "wasm")]
mod hub;
#[cfg(target_family = "wasm")]
mod icon;
#[cfg(target_family = "wasm")]
mod kept;
#[cfg(target_family = "wasm")]
mod panel;
#[cfg(target_family = "wasm")]
mod parts;
#[cfg(target_family = "wasm")]
mod report;
mod said;
#[cfg(target_family = "wasm")]
mod scores;
#[cfg(target_family = "wasm")]
mod shot;
mod text;

/// Shows the page that the document's `data-page` names. Called by the glue once the module is there.
#[cfg(target_family = "wasm")]
#[wasm_bindgen::prelude::wasm_bindgen(start)]
pub fn start() {
    let Some(body) = web_sys::window().and_then(|window| window.document()).and_then(|document| document.body()) else {
        return;
    };
    browser::set_language();
    if body.get_attribute("data-page").as_deref() == Some("report") {
        yew::Renderer::<report::Report>::with_root(body.into()).render();
    } else {
        yew::Renderer::<panel::Panel>::with_root(body.into()).render();
    }
}
