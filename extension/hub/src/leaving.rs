//! Last words of pages: what a document could not get acknowledged before it went away, because the worker was
//! dead or too slow. Its sensor leaves them in the extension's local storage, which needs no worker; here they
//! are taken into the log like any batch, once.

use serde_json::Value;
use tracerule::wire::log::{Batch, Entry};
use tracerule::wire::sensor::Hello;
use wasm_bindgen::JsValue;

use crate::browser::{object, read, storage};
use crate::hub::{self, Trouble};
use crate::session::{self, Session};
use crate::{frames, settle};

/// The keys' beginning; the document's token follows. The sensor's `content.js` says the same.
const PREFIX: &str = "leaving:";

/// One document's last words.
pub struct Words {
    key: String,
    hello: Hello,
    batches: Vec<Batch>,
}

/// All that were left.
pub async fn all() -> Result<Vec<Words>, Trouble> {
    let found: serde_json::Map<String, Value> = storage::local_all().await?;
    Ok(found.into_iter().filter_map(|(key, value)| words(key, &object(&value))).collect())
}

fn words(key: String, value: &JsValue) -> Option<Words> {
    let doc = key.strip_prefix(PREFIX)?;
    let hello: Hello = read(&frames::field(value, "hello")?).ok()?;
    let list: js_sys::Array = frames::field(value, "batches")?.into();
    let batches = list.iter().filter_map(|batch| frames::batch(doc, &batch)).collect();
    Some(Words { key, hello, batches })
}

/// Takes in what was left by pages of sessions that are being recorded.
pub async fn deliver() -> Result<(), Trouble> {
    for words in all().await? {
        let doc = &words.hello.doc;
        let known = hub::with(|hub| {
            let owner =
                hub.sessions.iter().find(|(_, s)| s.batches.contains_key(doc)).map(|(id, _)| (id.clone(), None));
            // A document that the hub never met: sure only where there is no choice of tab.
            owner.or_else(|| match hub.sessions.iter().collect::<Vec<_>>()[..] {
                [(id, session)] if session.tabs.len() == 1 => Some((id.clone(), Some(session.tabs[0]))),
                _ => None,
            })
        });
        let Some((id, tab)) = known else {
            // Of a session that ended meanwhile; its own recovery had its chance.
            if hub::with(|hub| hub.sessions.is_empty()) {
                storage::local_remove(&words.key).await?;
            }
            continue;
        };
        if let Some(tab) = tab {
            session::log(&id, frames::document(&words.hello, tab));
        }
        let fresh = hub::session(&id, |s| {
            let fresh = fresh(s, words.batches);
            if let Some(last) = fresh.last() {
                s.batches.insert(last.doc.clone(), last.seq.saturating_add(1));
            }
            fresh
        });
        for batch in fresh.unwrap_or_default() {
            session::log(&id, Entry::Batch(batch));
        }
        crate::writer::stored().await;
        storage::local_remove(&words.key).await?;
        if let Some(tab) = tab.or_else(|| hub::session(&id, |s| s.current)) {
            settle::touched(&id, tab, hub::now());
        }
    }
    Ok(())
}

/// What a session that was cut off still lacks, to be appended to its log.
pub fn missing(session: &Session, left: &[Words]) -> Vec<Entry> {
    let mine = left.iter().filter(|words| session.batches.contains_key(&words.hello.doc));
    mine.flat_map(|words| fresh(session, words.batches.clone())).map(Entry::Batch).collect()
}

/// Those of a document's batches that come next, without a gap.
fn fresh(session: &Session, mut batches: Vec<Batch>) -> Vec<Batch> {
    batches.sort_by_key(|batch| batch.seq);
    let mut next = batches.first().and_then(|batch| session.batches.get(&batch.doc).copied()).unwrap_or(0);
    batches.retain(|batch| {
        let take = batch.seq == next;
        next += u32::from(take);
        take
    });
    batches
}
