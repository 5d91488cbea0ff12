//! What a new worker must know of the one that died: which sessions were live in this run of the browser. The
//! log tells the rest. A session that is live in the store but not here was cut off with its browser.

use serde::{Deserialize, Serialize};
use tracerule::edit::{Edit, Op, Recording};
use tracerule::wire::log::Entry;
use tracerule_store::{Record, SessionMeta};
use vecmap::VecMap;

use crate::browser::{Tab, storage, tabs};
use crate::hub::{self, Trouble, now};
use crate::session::Session;
use crate::{arming, leaving, settle, writer};

const LIVE: &str = "live";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Remembered {
    granted: bool,
    current: f64,
}

/// Keeps what the next worker needs.
pub fn keep() {
    let live: VecMap<String, Remembered> = hub::with(|hub| {
        let one = |s: &Session| Remembered { granted: s.granted, current: s.current.id() };
        hub.sessions.iter().map(|(id, s)| (id.clone(), one(s))).collect()
    });
    hub::spawn(async move { Ok(storage::set(LIVE, &live).await?) });
}

/// Takes up the sessions of a worker that died, and ends those of a browser that did.
pub async fn recover() -> Result<(), Trouble> {
    let store = hub::store()?;
    let live: VecMap<String, Remembered> = storage::get(LIVE).await?.unwrap_or_default();
    let left = leaving::all().await?;
    for meta in store.sessions().await? {
        if !meta.live {
            continue;
        }
        let id = meta.header.id.clone();
        if let Err(trouble) = take_up(meta, live.get(&id), &left).await {
            hub::problem(&format!("session {id} could not be taken up again: {trouble}"));
        }
    }
    Ok(())
}

async fn take_up(meta: SessionMeta, remembered: Option<&Remembered>, left: &[leaving::Words]) -> Result<(), Trouble> {
    let store = hub::store()?;
    let id = meta.header.id.clone();
    let tracerule_store::Entries { entries, next, broken, .. } = store.entries(&id).await?;
    let prior = if meta.imported { Some(Recording::of(&store.events(&id).await?)) } else { None };
    let mut session = Session::resumed(meta, Tab::new(-1.0), prior);
    let mut ended = None;
    let mut last = session.meta.header.started_ms;
    for entry in &entries {
        session.fold(entry);
        match entry {
            Entry::End { t, ending } => ended = Some((*t, ending.clone())),
            // An ended session was taken up again.
            Entry::Edit(Edit { op: Op::Segment { .. }, .. }) => ended = None,
            Entry::Settled { t, .. } | Entry::Tab { t, .. } => last = last.max(*t),
            Entry::Batch(batch) => last = last.max(batch.t0),
            _ => {}
        }
    }
    let recording = session.recording();
    crate::edit::tell(&mut session.meta, &recording);
    session.continue_at(next);
    let mut tail: Vec<Entry> = broken.iter().map(|error| gap(error.to_string())).collect();
    let Some(remembered) = remembered.filter(|_| ended.is_none()) else {
        // The browser or the extension ended in mid-session: what was stored is the session.
        if ended.is_none() {
            tail.extend(leaving::missing(&session, left));
            tail.push(gap("the browser or the extension was ended before the session was stopped"));
            tail.push(Entry::End { t: last, ending: None });
        }
        let records: Vec<(u64, Record)> =
            tail.iter().zip(next..).filter_map(|(entry, n)| Some((n, Record::of(entry).ok()?))).collect();
        store.append(&id, &records).await?;
        for entry in &tail {
            session.fold(entry);
        }
        let (t, ending) = ended.unwrap_or((last, None));
        session.meta.live = false;
        if !session.reopened {
            session.meta.header.ended_ms = Some(t);
            session.meta.header.ending = ending;
        }
        if session.meta.header.title.is_empty() {
            session.meta.header.title = session.first_title();
        }
        store.put_session(&session.meta).await?;
        // Nothing to do, unless a value was masked while recording.
        store.scrub(&id).await?;
        return Ok(());
    };
    session.granted = remembered.granted;
    session.current = Tab::new(remembered.current);
    let known = session.tabs.clone();
    hub::with(|hub| hub.sessions.insert(id.clone(), session));
    for entry in tail {
        crate::session::log(&id, entry);
    }
    arming::arm().await?;
    for tab in known {
        if tabs::get(tab).await.is_ok() {
            // The last step before the death may still wait for its end.
            crate::network::watch(tab);
            settle::action(&id, tab, now());
            crate::trusted::watch(&id, tab).await;
        } else {
            crate::session::closed(tab);
        }
    }
    writer::stored().await;
    Ok(())
}

fn gap(detail: impl Into<String>) -> Entry {
    let detail = detail.into();
    Entry::Coverage(tracerule::trace::CoverageEvent { t_ms: now(), what: "gap".into(), detail })
}
