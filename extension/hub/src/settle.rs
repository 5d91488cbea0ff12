//! When a tab has come to rest, and what is done then: the step is closed, boxes are measured, the page is perturbed
//! and a picture is taken.
//!
//! At rest is a tab whose documents have not changed for a while, whose frame that was acted in waits for no request of
//! its own, in which no font and no image in view is being loaded, and which has painted twice since. Where the person
//! named an element, a step is over when that is there instead. No wait outlasts its cap.

use futures_channel::oneshot;
use tracerule::trace::{SettleEnd, SettleParts};
use tracerule::wire::agent::Settled;
use tracerule::wire::log::Entry;
use tracerule::wire::sensor::{Ask, RestReply};

use crate::browser::Tab;
use crate::hub::{self, Hub, now};
use crate::{frames, network, perturb, screens, session};

/// So long without a change is quiet, ms.
pub const QUIET_MS: f64 = 150.0;
/// The longest wait, ms after the last input.
pub const CAP_MS: f64 = 5000.0;
/// Without an action, a page that changes by itself is looked at no more often than this, ms.
const IDLE_MS: f64 = 3000.0;
/// What is still being loaded is looked at again after so long, ms.
const AGAIN_MS: f64 = 50.0;
/// A frame gets so long to say whether what it shows is complete, ms.
const ANSWER_MS: f64 = 1000.0;

/// A tab that is waited for.
pub struct Watch {
    session: String,
    /// The last input event, or the reason to watch, ms since the epoch.
    since: f64,
    /// When the step began whose effects are waited for: requests from before are not its own.
    from: f64,
    /// When the watch began, for the cap.
    began: f64,
    /// When the last change was heard of.
    heard: f64,
    /// When it happened.
    changed: f64,
    /// The document acted in, by its token.
    doc: Option<String>,
    /// Its frame, as the browser numbers it; 0 for the top one.
    frame: f64,
    /// An action is to be closed.
    action: bool,
    /// A new document came in the meantime.
    navigated: bool,
    /// A look is due even if the last was a moment ago.
    eager: bool,
    /// Counts what makes answers of frames void.
    turn: u32,
    /// Counts actions and pages: what was found for another one says nothing.
    acts: u32,
    /// What is shown is complete and painted.
    complete: bool,
    /// The named element is there.
    shown: bool,
    parts: SettleParts,
    waiters: Vec<oneshot::Sender<Settled>>,
}

impl Watch {
    fn deadline(&self) -> f64 {
        // News of an action may come late, when the page stood still; it gets its quiet time all the same.
        (self.since + CAP_MS).min(self.began + CAP_MS).max(self.began + QUIET_MS)
    }

    /// What frames said of before counts no more.
    fn stir(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        self.complete = false;
        self.parts.paint_ms = None;
    }

    fn after(&self, t: f64) -> f64 {
        (t - self.since).max(0.0)
    }
}

fn watch(session: &str, tab: Tab, work: impl FnOnce(&mut Watch)) {
    let fresh = hub::with(|hub| {
        let fresh = !hub.watches.contains_key(&tab);
        let now = now();
        let watch = hub.watches.entry(tab).or_insert_with(|| Watch {
            session: session.to_owned(),
            since: now,
            from: f64::NEG_INFINITY,
            began: now,
            heard: now,
            changed: now,
            doc: None,
            frame: 0.0,
            action: false,
            navigated: false,
            eager: false,
            turn: 0,
            acts: 0,
            complete: false,
            shown: false,
            parts: SettleParts::default(),
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
    let acted = hub::session(session, |s| s.recorder.acted_in(tab.id()).map(|(doc, from)| (doc.to_owned(), from)));
    let (doc, from) = acted.flatten().unzip();
    let frame = doc.as_ref().and_then(|doc| {
        hub::with(|hub| hub.frames.values().find(|frame| frame.doc.as_ref() == Some(doc)).map(|frame| frame.frame))
    });
    watch(session, tab, |watch| {
        watch.action = true;
        watch.since = since;
        watch.from = from.unwrap_or(since).min(since);
        watch.began = now();
        watch.heard = now();
        watch.changed = watch.changed.max(since);
        watch.doc = doc;
        watch.frame = frame.unwrap_or(0.0);
        watch.navigated = false;
        watch.shown = false;
        watch.acts = watch.acts.wrapping_add(1);
        watch.stir();
        watch.parts = SettleParts::default();
    });
}

/// Something changed in the tab.
pub fn touched(session: &str, tab: Tab, t: f64) {
    watch(session, tab, |watch| {
        watch.heard = now();
        watch.changed = t;
        watch.stir();
    });
}

/// A request of the tab came back: what it brought may still have to be loaded and painted.
pub fn stirred(tab: Tab) {
    hub::with(|hub| {
        if let Some(watch) = hub.watches.get_mut(&tab) {
            watch.stir();
        }
    });
}

/// A new document came, or its loading ended.
pub fn loaded(session: &str, tab: Tab) {
    watch(session, tab, |watch| {
        watch.heard = now();
        watch.changed = now();
        watch.navigated = true;
        watch.eager = true;
        // They were the old document's.
        watch.parts = Default::default();
        watch.doc = None;
        watch.frame = 0.0;
        watch.shown = false;
        watch.acts = watch.acts.wrapping_add(1);
        watch.stir();
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
    /// The document acted in is asked whether what it shows is complete; the turn, and how long that may take, ms.
    Ask(Option<String>, u32, f64),
    /// The named element is looked for; how long that may take, ms.
    Find(String, String, u32, f64),
    Done(Watch, SettleEnd),
    Dropped,
}

async fn run(tab: Tab) {
    loop {
        match next(tab) {
            Next::Wait(ms) => hub::sleep(ms.max(10.0)).await,
            Next::Dropped => return,
            Next::Ask(doc, turn, patience) => {
                let answer = rest(tab, doc.as_deref(), patience).await;
                let complete = hub::with(|hub| hub.watches.get_mut(&tab).is_none_or(|w| note(w, turn, answer)));
                if !complete {
                    hub::sleep(f64::min(AGAIN_MS, patience)).await;
                }
            }
            Next::Find(session, locator, acts, patience) => {
                let there = shows(&session, tab, &locator, patience).await;
                let seen = now();
                let painted = if there { rest(tab, None, f64::min(patience, 300.0)).await } else { None };
                hub::with(|hub| {
                    if let Some(watch) = hub.watches.get_mut(&tab).filter(|watch| there && watch.acts == acts) {
                        watch.parts.element_ms = Some(watch.after(seen));
                        watch.parts.paint_ms = painted.filter(|rest| rest.painted).map(|_| watch.after(now()));
                        watch.shown = true;
                    }
                });
                if !there {
                    hub::sleep(f64::min(AGAIN_MS, patience)).await;
                }
            }
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
        let left = watch.deadline() - now;
        let session = watch.session.clone();
        let state = hub.sessions.get(&session);
        let named = state.and_then(|s| s.meta.header.capture.settle_for.clone());
        let named = named.filter(|_| watch.action || watch.navigated);
        let loading = hub.navigating.contains_key(&tab);
        let looked = state.and_then(|s| s.looked.get(&tab)).copied().unwrap_or(0.0);
        let eager = watch.action || watch.eager || !watch.waiters.is_empty();
        let reason = if watch.shown {
            SettleEnd::Element
        } else if left <= 0.0 {
            SettleEnd::Cap
        } else if let Some(locator) = named {
            // The page gets a moment to take away what stands there from before.
            let early = QUIET_MS - (now - watch.since);
            if early > 0.0 || loading {
                return Next::Wait(f64::min(if loading { 50.0 } else { early }, left));
            }
            return Next::Find(session, locator, watch.acts, left);
        } else if loading {
            return Next::Wait(f64::min(50.0, left));
        } else if let Some(ms) = unrest(hub, tab, watch, now) {
            return Next::Wait(f64::min(ms, left));
        } else if !eager && now - looked < IDLE_MS {
            return Next::Wait(IDLE_MS - (now - looked));
        } else if !watch.complete && !hub.dialogs.contains_key(&tab) {
            // A page that stands still as long says no more than one that is quiet.
            return Next::Ask(watch.doc.clone(), watch.turn, f64::min(left, ANSWER_MS));
        } else if watch.navigated {
            SettleEnd::Navigation
        } else {
            SettleEnd::Quiet
        };
        if !eager && now - looked < IDLE_MS {
            return Next::Wait(IDLE_MS - (now - looked));
        }
        let Some(mut watch) = hub.watches.remove(&tab) else { return Next::Dropped };
        watch.parts.dom_ms = (now - watch.heard >= QUIET_MS).then(|| watch.after(watch.changed));
        watch.parts.network_ms = match network::state(hub, tab, watch.frame, watch.from) {
            Some((false, over)) => Some(over.map_or(0.0, |over| watch.after(over))),
            _ => None,
        };
        Next::Done(watch, reason)
    })
}

/// How long the documents or the requests of the frame acted in still have to be quiet, ms; `None` when they are.
fn unrest(hub: &Hub, tab: Tab, watch: &Watch, now: f64) -> Option<f64> {
    let mut heard = watch.heard;
    // What a page loads by itself while nobody acts is not waited for.
    if (watch.action || watch.navigated)
        && let Some((waits, over)) = network::state(hub, tab, watch.frame, watch.from)
    {
        if waits {
            return Some(AGAIN_MS);
        }
        // What came back is still to be worked on.
        heard = heard.max(over.unwrap_or(heard));
    }
    let still = now - heard;
    (still < QUIET_MS).then_some(QUIET_MS - still)
}

/// Takes note of what a frame said; gives whether that ends the wait.
fn note(watch: &mut Watch, turn: u32, answer: Option<RestReply>) -> bool {
    let t = watch.after(now());
    // Who cannot be asked is not waited for.
    let Some(rest) = answer else {
        watch.complete = watch.turn == turn;
        return watch.complete;
    };
    let when = |so: bool, before: Option<f64>| so.then(|| before.unwrap_or(t));
    watch.parts.fonts_ms = when(rest.fonts, watch.parts.fonts_ms);
    watch.parts.images_ms = when(rest.images, watch.parts.images_ms);
    watch.complete = rest.fonts && rest.images && watch.turn == turn;
    watch.parts.paint_ms = (rest.painted && watch.complete).then_some(t);
    watch.complete
}

/// Asks the document acted in, and the top one, whether what they show is complete. `None` when none answers.
async fn rest(tab: Tab, doc: Option<&str>, patience_ms: f64) -> Option<RestReply> {
    let all = frames::of_tab(tab);
    let top = all.first().map(|(port, _)| *port)?;
    let mut ports = vec![top];
    ports.extend(all.iter().find(|(port, of)| Some(of.as_str()) == doc && *port != top).map(|(port, _)| *port));
    let asked = ports.into_iter().map(|port| frames::ask::<RestReply>(port, Ask::Rest, patience_ms));
    let answers = futures_util::future::join_all(asked).await;
    answers.into_iter().flatten().reduce(|a, b| RestReply {
        fonts: a.fonts && b.fonts,
        images: a.images && b.images,
        painted: a.painted && b.painted,
    })
}

/// Whether an element is there and can be seen. One that was never measured, or not since it changed, is measured.
pub async fn shows(session: &str, tab: Tab, locator: &str, patience_ms: f64) -> bool {
    let found = || hub::session(session, |s| s.recorder.mirror().any_visible(tab.id(), locator)).flatten();
    if found().is_none() {
        return false;
    }
    frames::ask_all::<serde_json::Value>(tab, &Ask::Measure, f64::min(patience_ms, 1000.0)).await;
    found() == Some(true)
}

fn close(watch: &Watch, tab: Tab, ended_by: SettleEnd) {
    if watch.action {
        let quiet_since = watch.changed.max(watch.since);
        let t = now().max(quiet_since);
        let parts = (ended_by != SettleEnd::End).then_some(watch.parts);
        session::log(&watch.session, Entry::Settled { t, tab: tab.id(), quiet_since, ended_by, parts });
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
    let lacking = || hub::session(session, |s| s.recorder.lacks_picture(tab.id())) == Some(true);
    measure(tab).await;
    if perturb::looks(session, tab).await {
        measure(tab).await;
    }
    screens::take(session, tab, boundary || lacking()).await;
    if perturb::interrupt(session, tab, boundary).await {
        screens::take(session, tab, false).await;
    }
    hub::session(session, |s| s.looked.insert(tab, now()));
}

/// Asks all frames for boxes. A frame that keeps silent keeps its old ones.
pub async fn measure(tab: Tab) {
    frames::ask_all::<serde_json::Value>(tab, &Ask::Measure, 2000.0).await;
}
