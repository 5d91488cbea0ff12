//! The extension's background half: sessions, screenshots, tabs, perturbations, agents.
//!
//! Runs in Chromium's service worker and Firefox's event page, behind `shell.js`, which hears every event
//! before this module is there and passes them on in order; and in the in-page recorder's Web Worker
//! ([`inpage`]). It may be killed at any await: nothing is acknowledged before it is stored, and everything in
//! memory is a fold over the log.

mod actor;
mod aim;
mod arming;
mod assertions;
mod browser;
mod deed;
mod dialogs;
mod downloads;
mod edit;
mod events;
mod files;
mod frames;
mod hub;
mod inpage;
mod keys;
mod leaving;
mod linking;
mod navigation;
mod network;
mod panel;
mod perturb;
mod picture;
mod places;
mod relay;
mod remembered;
mod rpc;
mod screens;
mod session;
mod settle;
mod trusted;
mod writer;

use js_sys::Array;
use wasm_bindgen::prelude::*;

pub use inpage::InpageHub;

/// Opens the store and takes up what a worker that died left behind. The shell passes events on once this is done.
#[wasm_bindgen]
pub async fn start() {
    std::panic::set_hook(Box::new(panicked));
    hub::with(|hub| hub.born = hub::now());
    match tracerule_store::Store::open().await {
        Ok(store) => hub::with(|hub| hub.store = Some(store)),
        Err(error) => hub::problem(&error),
    }
    if let Err(trouble) = remembered::recover().await {
        hub::problem(&trouble);
    }
    if let Err(trouble) = leaving::deliver().await {
        hub::problem(&trouble);
    }
    if let Err(trouble) = arming::disarm().await {
        hub::problem(&trouble);
    }
    if let Err(trouble) = relay::begin().await {
        hub::problem(&trouble);
    }
}

/// An event of the browser: its name and what came with it.
#[wasm_bindgen]
pub fn event(name: &str, details: &Array) {
    events::dispatch(name, details);
}

/// A defect of ours. What is stored stays stored; the rest of this worker's life cannot be trusted.
fn panicked(info: &std::panic::PanicHookInfo<'_>) {
    let text = format!("a defect stopped the recorder ({info}); what was recorded so far is stored");
    web_sys::console::error_1(&format!("Tracerule: {text}").into());
    // The state may be in use by whoever panicked, so the log is written past it.
    wasm_bindgen_futures::spawn_local(async move {
        gloo::timers::future::TimeoutFuture::new(0).await;
        hub::defect(&text).await;
    });
}
