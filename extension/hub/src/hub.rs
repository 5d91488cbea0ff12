//! The one state of the hub, and the small tools that every part of it uses.

use std::cell::RefCell;
use std::future::Future;

use tracerule::trace::CoverageEvent;
use tracerule::wire::log::Entry;
use tracerule_store::{Store, StoreError};
use vecmap::{VecMap, VecSet};

use crate::browser::ports::Port;
use crate::browser::{Refused, Tab};
use crate::frames::Frame;
use crate::session::Session;

/// All that is in memory. What must outlive the worker is in the store.
#[derive(Default)]
pub struct Hub {
    /// Where sessions are kept; there once the hub has started.
    pub store: Option<Store>,
    /// Live sessions by id.
    pub sessions: VecMap<String, Session>,
    /// Frames by the number of their port.
    pub frames: VecMap<u32, Frame>,
    /// Open panels by the number of their port.
    pub panels: VecMap<u32, Port>,
    /// What is on its way to the store.
    pub writer: crate::writer::Writer,
    /// Tabs watched until they are quiet.
    pub watches: VecMap<Tab, crate::settle::Watch>,
    /// Navigations of top frames on their way, and since when.
    pub navigating: VecMap<Tab, f64>,
    /// Tabs that a person opened beside one of ours, and that one: they join when they show a page.
    pub beside: VecMap<Tab, Tab>,
    /// The tab that came to the front last, ours or not.
    pub front: Option<Tab>,
    /// What is known of tabs' histories.
    pub histories: VecMap<Tab, crate::navigation::History>,
    /// Pictures to be taken.
    pub screens: crate::screens::Screens,
    /// Dialogs of the browser that are open.
    pub dialogs: VecMap<Tab, crate::dialogs::Open>,
    /// Tabs whose pages are asked whether they stand still.
    pub probing: VecSet<Tab>,
    /// Downloads under way, by the browser's numbers.
    pub downloads: VecMap<i64, crate::downloads::Known>,
    /// Redirects of loads under way: the browser's number of the load, and the way so far.
    pub redirects: VecMap<Tab, (String, Vec<tracerule::trace::Redirect>)>,
    /// Tabs whose frames are being looked through.
    pub checking: VecSet<Tab>,
    /// Tabs whose process died, until they show a document again.
    pub crashed: VecSet<Tab>,
    /// Tabs held by the debugger.
    pub attached: VecMap<Tab, crate::trusted::Attachment>,
    /// The link to the companion.
    pub relay: crate::relay::Relay,
    /// When this worker began.
    pub born: f64,
    /// The sensor is registered for new documents.
    pub armed: bool,
    /// The person is pointing at an element.
    pub picking: Option<crate::assertions::Picking>,
    /// The last thing that went wrong, for the panel.
    pub problem: Option<String>,
    /// The number of the last command to a frame.
    pub command: u32,
}

thread_local! {
    static HUB: RefCell<Hub> = RefCell::default();
}

/// Works on the state. Never call it within itself, and never wait inside.
pub fn with<R>(work: impl FnOnce(&mut Hub) -> R) -> R {
    HUB.with_borrow_mut(work)
}

/// Works on a live session, if it is one.
pub fn session<R>(id: &str, work: impl FnOnce(&mut Session) -> R) -> Option<R> {
    with(|hub| hub.sessions.get_mut(id).map(work))
}

/// The store.
pub fn store() -> Result<Store, Trouble> {
    with(|hub| hub.store.clone()).ok_or(Trouble::Starting)
}

/// Ms since the epoch.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// Waits.
pub async fn sleep(ms: f64) {
    gloo::timers::future::TimeoutFuture::new(ms.clamp(0.0, 86_400_000.0) as u32).await;
}

/// Waits for something at most so many ms.
pub async fn within<T>(ms: f64, work: impl Future<Output = T>) -> Option<T> {
    match futures_util::future::select(Box::pin(work), Box::pin(sleep(ms))).await {
        futures_util::future::Either::Left((done, _)) => Some(done),
        futures_util::future::Either::Right(_) => None,
    }
}

/// Runs a task beside the others; its failure is shown in the panel.
pub fn spawn(task: impl Future<Output = Result<(), Trouble>> + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        if let Err(trouble) = task.await {
            problem(&trouble);
        }
    });
}

/// Shows what went wrong in the panel, and in the console for those who look there.
pub fn problem(what: &impl std::fmt::Display) {
    let text = what.to_string();
    web_sys::console::warn_1(&format!("Tracerule: {text}").into());
    with(|hub| hub.problem = Some(text));
    crate::panel::changed();
}

/// Notes in a session's log that something was seen but not recorded. The same thing twice in a row is said once.
pub fn coverage(session: &str, what: &str, detail: impl Into<String>) {
    let event = CoverageEvent { t_ms: now(), what: what.to_owned(), detail: detail.into() };
    let said = self::session(session, |s| {
        let again = s.last_coverage.as_ref() == Some(&(event.what.clone(), event.detail.clone()));
        s.last_coverage = Some((event.what.clone(), event.detail.clone()));
        again
    });
    if said == Some(false) {
        crate::session::log(session, Entry::Coverage(event));
    }
}

/// What can go wrong in the hub.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The browser.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A frame.
    #[error(transparent)]
    Frame(#[from] crate::frames::FrameError),
    /// A trace file.
    #[error(transparent)]
    Trace(#[from] tracerule::trace::TraceError),
    /// Asked before it had started.
    #[error("the recorder is still starting: try again in a moment")]
    Starting,
    /// No such session is being recorded.
    #[error("no session is being recorded{0}: start one in the side panel or with `tracerule record`")]
    NoSession(String),
    /// The session's first address.
    #[error("{url} could not be opened: {why}. Is its server running, and is the address right?")]
    Unreachable {
        /// Where to.
        url: String,
        /// Why not.
        why: String,
    },
    /// Something that the person or the companion can put right.
    #[error("{0}")]
    Said(String),
}

impl Trouble {
    /// From words.
    pub fn said(text: impl Into<String>) -> Trouble {
        Trouble::Said(text.into())
    }
}

/// Notes a defect in every live session, as far as the state can still be reached.
pub async fn defect(text: &str) {
    let reached = HUB.with(|hub| {
        let mut hub = hub.try_borrow_mut().ok()?;
        hub.problem = Some(text.to_owned());
        Some(hub.sessions.keys().cloned().collect::<Vec<_>>())
    });
    for session in reached.unwrap_or_default() {
        coverage(&session, "gap", text);
    }
}
