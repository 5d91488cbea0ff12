//! Which element shows which frame. The pages carry no word of it: see `sensor/frames.js`.

use serde_json::Value;
use tracerule::wire::sensor::{Ask, ChildReply, PlaceReply};

use crate::browser::{Tab, navigation};
use crate::frames;
use crate::hub;

/// How often it is tried, and how long is waited between: shadow roots may come to light later.
const TRIES: u32 = 6;
const PAUSE_MS: f64 = 120.0;
const PATIENCE_MS: f64 = 2000.0;

/// A document reported in: ties it to its element, and its children to theirs.
pub fn greeted(session: &str, number: u32) {
    let session = session.to_owned();
    hub::spawn(async move {
        let found = hub::with(|hub| hub.frames.get(&number).map(|frame| (frame.tab, frame.frame)));
        let Some((tab, frame)) = found else { return Ok(()) };
        let Ok(all) = navigation::frames(tab).await else { return Ok(()) };
        let own = all.iter().find(|info| info.frame_id == frame);
        match own {
            Some(own) if own.parent_frame_id >= 0.0 => link(&session, tab, number, own, &all).await,
            Some(_) => {}
            // Chromium does not list frames of some schemes, as `blob:`; those share their parent's origin, and tie
            // themselves.
            None => drop(frames::ask::<PlaceReply>(number, Ask::Place, PATIENCE_MS).await),
        }
        // Children that were there first have asked in vain.
        for child in all.iter().filter(|info| info.parent_frame_id == frame && info.frame_id != frame) {
            if let Some(port) = port(tab, child.frame_id) {
                link(&session, tab, port, child, &all).await;
            }
        }
        Ok(())
    });
}

fn port(tab: Tab, frame: f64) -> Option<u32> {
    hub::with(|hub| {
        let known = hub.frames.iter().filter(|(_, f)| f.tab == tab && f.frame == frame && f.doc.is_some());
        known.map(|(number, _)| *number).max()
    })
}

/// Whether the mirror knows the element of that document already.
fn linked(session: &str, token: &str) -> bool {
    hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        mirror.key(token).and_then(|doc| mirror.parent_frame(doc)).is_some()
    }) == Some(true)
}

async fn link(session: &str, tab: Tab, child: u32, info: &navigation::FrameInfo, all: &[navigation::FrameInfo]) {
    let mut several = false;
    for attempt in 0..TRIES {
        if attempt > 0 {
            hub::sleep(PAUSE_MS * f64::from(attempt)).await;
        }
        let Some(token) = hub::with(|hub| hub.frames.get(&child).and_then(|frame| frame.doc.clone())) else { return };
        if linked(session, &token) {
            return;
        }
        // Its parent looks for it when it reports in itself.
        let Some(parent) = port(tab, info.parent_frame_id) else { return };
        let Ok(place) = frames::ask::<PlaceReply>(child, Ask::Place, PATIENCE_MS).await else { return };
        if place.tied {
            return;
        }
        let siblings = all.iter().filter(|other| other.parent_frame_id == info.parent_frame_id);
        let ask = Ask::Child {
            frame: info.frame_id,
            index: place.index,
            url: info.url.clone(),
            size: place.size,
            only: siblings.count() == 1,
        };
        let Ok(found) = frames::ask::<ChildReply>(parent, ask, PATIENCE_MS).await else { continue };
        several = found.several;
        if found.node == 0 {
            continue;
        }
        // Frames before it may have come or gone: the same place before and after is the same window.
        if frames::ask::<PlaceReply>(child, Ask::Place, PATIENCE_MS).await.ok().map(|again| again.index)
            != Some(place.index)
        {
            continue;
        }
        let tie = Ask::Tie { node: found.node, token, index: place.index };
        if frames::ask::<ChildReply>(parent, tie, PATIENCE_MS).await.is_ok_and(|tied| tied.node != 0) {
            // A frame's address may have changed meanwhile; nothing else is asked of it.
            let _: Result<Value, _> = frames::ask(parent, Ask::Frames, PATIENCE_MS).await;
            return;
        }
    }
    if several {
        hub::coverage(
            session,
            "frame",
            format!("several frames in shadow roots look alike ({}): steps in them cannot say which one", info.url),
        );
    }
}
