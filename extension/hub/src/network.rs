//! Which requests of a tab are on their way, by frame: what a page was asked to do is not done before they are back.

use vecmap::VecMap;

use crate::browser::Tab;
use crate::browser::requests::{self, Listening, Request, Stage};
use crate::hub::{self, now};

/// More requests than this at once are not counted.
const MOST: usize = 512;

/// A tab's requests.
#[derive(Default)]
pub struct Traffic {
    pending: Vec<Pending>,
    /// When the last one of each frame was over, ms since the epoch.
    over: VecMap<u64, f64>,
    listening: Option<Listening>,
}

struct Pending {
    id: String,
    /// The frame that waits for it.
    frame: f64,
    began: f64,
}

/// Looks at a tab's requests from now on.
pub fn watch(tab: Tab) {
    if hub::with(|hub| hub.traffic.get(&tab).is_some_and(|traffic| traffic.listening.is_some())) {
        return;
    }
    match requests::listen(tab, heard) {
        Ok(listening) => hub::with(|hub| hub.traffic.entry(tab).or_default().listening = Some(listening)),
        // Then pages are waited for without it.
        Err(refused) => web_sys::console::warn_1(&format!("Tracerule: {refused}").into()),
    }
}

/// No longer.
pub fn forget(tab: Tab) {
    // Dropped outside: it calls the browser.
    let gone = hub::with(|hub| hub.traffic.remove(&tab));
    drop(gone);
}

/// What a page does not wait for, or what never ends.
fn aside(kind: &str) -> bool {
    matches!(kind, "websocket" | "media" | "ping" | "beacon" | "csp_report" | "speculative" | "webtransport")
}

fn heard(tab: Tab, stage: Stage, request: &Request) {
    let t = now();
    let ended = hub::with(|hub| {
        let Some(traffic) = hub.traffic.get_mut(&tab) else { return false };
        // A frame's own document is waited for by the frame around it.
        let inner = request.kind == "sub_frame" && request.parent_frame_id >= 0.0;
        let frame = if inner { request.parent_frame_id } else { request.frame_id };
        match stage {
            Stage::Begun if aside(&request.kind) => false,
            Stage::Begun => {
                if request.kind == "main_frame" {
                    // The document that goes waits for nothing any more.
                    traffic.pending.clear();
                    traffic.over.clear();
                }
                if traffic.pending.len() < MOST && traffic.pending.iter().all(|known| known.id != request.request_id) {
                    traffic.pending.push(Pending { id: request.request_id.clone(), frame, began: t });
                }
                false
            }
            Stage::Answered if !request.is_stream() => false,
            Stage::Answered | Stage::Over => {
                let Some(at) = traffic.pending.iter().position(|known| known.id == request.request_id) else {
                    return false;
                };
                let frame = traffic.pending.swap_remove(at).frame;
                traffic.over.insert(frame.to_bits(), t);
                true
            }
        }
    });
    if ended {
        crate::settle::stirred(tab);
    }
}

/// Whether a frame waits for a request that began since then, and when its last one was over (ms since the epoch).
/// `None` where requests cannot be seen.
pub fn state(hub: &hub::Hub, tab: Tab, frame: f64, since: f64) -> Option<(bool, Option<f64>)> {
    let traffic = hub.traffic.get(&tab)?;
    traffic.listening.as_ref()?;
    let waits = traffic.pending.iter().any(|known| known.frame.to_bits() == frame.to_bits() && known.began >= since);
    Some((waits, traffic.over.get(&frame.to_bits()).copied().filter(|over| *over >= since)))
}
