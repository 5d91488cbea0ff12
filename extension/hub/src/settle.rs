//! When a tab has fallen quiet, and what is done then: the step is closed, boxes are measured, the page is
//! perturbed and a picture is taken.

use futures_channel::oneshot;
use tracerule::trace::SettleEnd;
use tracerule::wire::agent::Settled;
use tracerule::wire::log::Entry;
use tracerule::wire::sensor::Ask;

use crate::browser::Tab;
use crate::hub::{self, now};
use crate::{frames, perturb, screens, session};

/// So long without a change is quiet, ms.
pub const QUIET_MS: f64 = 150.0;
/// The longest wait, ms.
pub const CAP_MS: f64 = 5000.0;
/// Without an action, a page that changes by itself is looked at no more often than this, ms.
const IDLE_MS: f64 = 3000.0;

/// A tab that is waited for.
pub struct Watch {
    session: String,
    /// The last input event, or the reason to watch, ms since the epoch.
    since: f64,
    /// When the watch began, for the cap.
    began: f64,
    /// When the last change was heard of.
    heard: f64,
    /// When it happened.
    changed: f64,
    /// An action is to be closed.
    action: bool,
    /// A new document came in the meantime.
    navigated: bool,
    /// A look is due even if the last was a moment ago.
    eager: bool,
    waiters: Vec<oneshot::Sender<Settled>>,
}

fn watch(session: &str, tab: Tab, work: impl FnOnce(&mut Watch)) {
    let fresh = hub::with(|hub| {
        let fresh = !hub.watches.contains_key(&tab);
        let now = now();
        let watch = hub.watches.entry(tab).or_insert_with(|| Watch {
            session: session.to_owned(),
            since: now,
            began: now,
            heard: now,
            changed: now,
            action: false,
            navigated: false,
            eager: false,
            waiters: Vec::new(),
        });
        work(watch);
        fresh
    });
    if fresh {
        wasm_bindgen_futures::spawn_local(run(tab));
    }
}

/// An action happened whose effects are to be waited for.
pub fn action(session: &str, tab: Tab, since: f64) {
    watch(session, tab, |watch| {
        watch.action = true;
        watch.since = since;
        watch.began = now();
        watch.heard = now();
        watch.changed = watch.changed.max(since);
        watch.navigated = false;
    });
}

/// Something changed in the tab.
pub fn touched(session: &str, tab: Tab, t: f64) {
    watch(session, tab, |watch| {
        watch.heard = now();
        watch.changed = t;
    });
}

/// A new document came, or its loading ended.
pub fn loaded(session: &str, tab: Tab) {
    watch(session, tab, |watch| {
        watch.heard = now();
        watch.changed = now();
        watch.navigated = true;
        watch.eager = true;
    });
}

/// Waits until the tab is quiet and all is done that is done then.
pub async fn quiet(session: &str, tab: Tab, since: f64) -> Settled {
    let (sender, receiver) = oneshot::channel();
    watch(session, tab, |watch| {
        watch.since = watch.since.min(since);
        watch.eager = true;
        watch.waiters.push(sender);
    });
    receiver.await.unwrap_or(Settled { reason: SettleEnd::End, ms: now() - since })
}

/// The tab is gone: whoever waits need not wait longer.
pub fn give_up(tab: Tab) {
    let watch = hub::with(|hub| {
        hub.navigating.remove(&tab);
        hub.watches.remove(&tab)
    });
    if let Some(watch) = watch {
        close(&watch, tab, SettleEnd::End);
        for waiter in watch.waiters {
            let _ = waiter.send(Settled { reason: SettleEnd::End, ms: (now() - watch.since).max(0.0) });
        }
    }
}

enum Next {
    Wait(f64),
    Done(Watch, SettleEnd),
    Dropped,
}

async fn run(tab: Tab) {
    loop {
        match next(tab) {
            Next::Wait(ms) => hub::sleep(ms.max(10.0)).await,
            Next::Dropped => return,
            Next::Done(watch, reason) => {
                close(&watch, tab, reason);
                let settled = Settled { reason, ms: (watch.changed - watch.since).max(0.0) };
                look(&watch.session, tab, watch.action).await;
                for waiter in watch.waiters {
                    let _ = waiter.send(settled);
                }
                return;
            }
        }
    }
}

fn next(tab: Tab) -> Next {
    hub::with(|hub| {
        let Some(watch) = hub.watches.get(&tab) else { return Next::Dropped };
        let now = now();
        let loading = hub.navigating.contains_key(&tab);
        let still = now - watch.heard;
        let looked = hub.sessions.get(&watch.session).and_then(|s| s.looked.get(&tab)).copied().unwrap_or(0.0);
        let eager = watch.action || watch.eager || !watch.waiters.is_empty();
        let reason = if now - watch.began >= CAP_MS {
            SettleEnd::Cap
        } else if loading || still < QUIET_MS {
            return Next::Wait(if loading { 50.0 } else { QUIET_MS - still });
        } else if watch.navigated {
            SettleEnd::Navigation
        } else {
            SettleEnd::Quiet
        };
        if !eager && now - looked < IDLE_MS {
            return Next::Wait(IDLE_MS - (now - looked));
        }
        hub.watches.remove(&tab).map_or(Next::Dropped, |watch| Next::Done(watch, reason))
    })
}

fn close(watch: &Watch, tab: Tab, ended_by: SettleEnd) {
    if watch.action {
        let quiet_since = watch.changed.max(watch.since);
        let t = now().max(quiet_since);
        session::log(&watch.session, Entry::Settled { t, tab: tab.id(), quiet_since, ended_by });
    }
}

/// Measures, perturbs and takes pictures of a quiet tab. `boundary` tells that a step was closed.
async fn look(session: &str, tab: Tab, boundary: bool) {
    if hub::session(session, |s| s.looked.insert(tab, now())).is_none() {
        return;
    }
    if crate::dialogs::open(tab).is_some() {
        // Nothing in the page answers, and a picture would show it behind the dialog; its answer is a step.
        return;
    }
    measure(tab).await;
    if perturb::looks(session, tab).await {
        measure(tab).await;
    }
    screens::take(session, tab).await;
    if perturb::interrupt(session, tab, boundary).await {
        screens::take(session, tab).await;
    }
    hub::session(session, |s| s.looked.insert(tab, now()));
}

/// Asks all frames for boxes. A frame that keeps silent keeps its old ones.
pub async fn measure(tab: Tab) {
    frames::ask_all::<serde_json::Value>(tab, &Ask::Measure, 2000.0).await;
}
