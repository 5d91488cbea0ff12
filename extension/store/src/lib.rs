//! Where the extension keeps sessions: IndexedDB, one writer for each session.
//!
//! A recorded session is its log, numbered from 0, and its blobs; everything else is a fold over the log.
//! An imported one is its list of events and its blobs. "Stored" means on disk: every write asks for strict
//! durability and returns only when its transaction is complete.

mod chunk;
mod error;
mod fold;
mod idb;
mod scrub;

use js_sys::{Array, Uint8Array};
use serde::{Deserialize, Serialize};
use tracerule::trace::{self, Trace};
use tracerule::wire::log::Entry;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::IdbDatabase;

pub use chunk::Record;
pub use error::StoreError;
use error::failed;
pub use fold::Opened;
use idb::Writing;

/// A session in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionMeta {
    /// The trace's header as known so far.
    pub header: trace::Header,
    /// It is being recorded now.
    pub live: bool,
    /// Steps so far.
    pub steps: u32,
    /// It came from a file.
    pub imported: bool,
}

/// A log as read.
#[derive(Debug, Default)]
pub struct Entries {
    /// What could be read, in order.
    pub entries: Vec<Entry>,
    /// The number of each.
    pub numbers: Vec<u64>,
    /// The numbers of those that lie in one value.
    pub(crate) chunks: Vec<std::ops::Range<u64>>,
    /// The number of the entry to come.
    pub next: u64,
    /// What could not.
    pub broken: Vec<StoreError>,
}

/// The database. Clones share one connection.
#[derive(Clone, Debug)]
pub struct Store {
    database: IdbDatabase,
}

impl Store {
    /// Opens the store, making it when absent. Works in workers, event pages and windows.
    pub async fn open() -> Result<Store, StoreError> {
        Ok(Store { database: idb::open("tracerule", 1).await? })
    }

    /// Writes a session's summary, new or again.
    pub async fn put_session(&self, meta: &SessionMeta) -> Result<(), StoreError> {
        let writing = Writing::begin(&self.database, &["sessions"], "saving a session")?;
        writing.put("sessions", &meta.header.id.as_str().into(), &json(meta)?.into())?;
        writing.finish().await
    }

    /// All sessions, newest first. One that cannot be read is left out here; [`Store::session`] says why.
    pub async fn sessions(&self) -> Result<Vec<SessionMeta>, StoreError> {
        let doing = "listing the sessions";
        let all = idb::result(doing, idb::reading(&self.database, "sessions", doing)?.get_all()).await?;
        let mut sessions: Vec<SessionMeta> =
            Array::from(&all).iter().filter_map(|value| serde_json::from_str(&value.as_string()?).ok()).collect();
        sessions.sort_by(|a, b| b.header.started_ms.total_cmp(&a.header.started_ms));
        Ok(sessions)
    }

    /// One session's summary.
    pub async fn session(&self, id: &str) -> Result<SessionMeta, StoreError> {
        let doing = "reading a session";
        let found = idb::result(doing, idb::reading(&self.database, "sessions", doing)?.get(&id.into())).await?;
        let text = found.as_string().ok_or_else(|| StoreError::Missing(id.to_owned()))?;
        serde_json::from_str(&text).map_err(|e| unreadable(id, "summary", &e))
    }

    /// Forgets a session and all that belongs to it.
    pub async fn delete(&self, id: &str) -> Result<(), StoreError> {
        let range: JsValue = idb::within(id)?.into();
        let writing = Writing::begin(&self.database, &idb::STORES, "deleting a session")?;
        writing.delete("sessions", &id.into())?;
        writing.delete("events", &id.into())?;
        writing.delete("log", &range)?;
        writing.delete("blobs", &range)?;
        writing.finish().await
    }

    /// Appends entries by number in one transaction; on disk when this returns. Writing a number
    /// again replaces it, so a write of unknown fate can be repeated.
    pub async fn append(&self, session: &str, entries: &[(u64, Record)]) -> Result<(), StoreError> {
        let writing = Writing::begin(&self.database, &["log"], "writing the log")?;
        for (number, record) in entries {
            // Far below 2^53 in any session.
            writing.put("log", &Array::of2(&session.into(), &(*number as f64).into()), &record.value())?;
        }
        writing.finish().await
    }

    /// Puts what lies in a session's log from that number on into one compressed chunk, in one transaction: the log
    /// is the same before and after, or as it was if this fails.
    pub async fn compact(&self, session: &str, from: u64) -> Result<(), StoreError> {
        let stored = self.stored(session, from).await?;
        let end = stored.last().map_or(from, |(number, value)| number + value.count());
        let mut entries = Vec::new();
        for (number, value) in stored {
            let read = value.entries().await;
            // What cannot be read stays as it is, to be told by whoever reads it.
            entries.extend(read.map_err(|why| unreadable(session, &format!("log entry {number}"), &why))?);
        }
        let Some(first) = entries.first() else { return Ok(()) };
        if end - from != entries.len() as u64 || entries.len() < 2 && !matches!(first, Entry::Batch(_)) {
            return Ok(());
        }
        let chunk = chunk::compressed(&entries).await?;
        let key = |number: u64| Array::of2(&session.into(), &(number as f64).into());
        let writing = Writing::begin(&self.database, &["log"], "compressing the log")?;
        let rest =
            web_sys::IdbKeyRange::bound(&key(from), &key(end - 1)).map_err(|e| failed("compressing the log", &e))?;
        writing.delete("log", &rest)?;
        writing.put("log", &key(from), &chunk)?;
        writing.finish().await
    }

    /// A session's log from a number on, as it lies there: the number of the first entry of each value.
    async fn stored(&self, session: &str, from: u64) -> Result<Vec<(u64, chunk::Value)>, StoreError> {
        let doing = "reading the log";
        let range: JsValue = idb::from(session, from)?.into();
        let store = idb::reading(&self.database, "log", doing)?;
        // One transaction for both, or they may not fit.
        let (keys, values) = (store.get_all_keys_with_key(&range), store.get_all_with_key(&range));
        let values = idb::both(doing, keys, values).await?;
        let (keys, values) = (Array::from(&values.0), Array::from(&values.1));
        Ok(keys
            .iter()
            .zip(values.iter())
            .filter_map(|(key, value)| Some((Array::from(&key).get(1).as_f64()? as u64, chunk::Value::of(&value)?)))
            .collect())
    }

    /// Adds an entry to the log of a session that is not being recorded.
    pub async fn add(&self, session: &str, entry: &Entry) -> Result<(), StoreError> {
        let stored = self.stored(session, 0).await?;
        let next = stored.last().map_or(0, |(number, value)| number + value.count());
        let record = Record::of(entry).map_err(|e| unreadable(session, "new entry", &e))?;
        self.append(session, &[(next, record)]).await
    }

    /// Keeps a blob under its name (`blobs/<sha256>.<ext>`); the same name again is the same bytes.
    pub async fn put_blob(&self, session: &str, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let writing = Writing::begin(&self.database, &["blobs"], "saving a screenshot")?;
        writing.put("blobs", &Array::of2(&session.into(), &name.into()), &Uint8Array::from(bytes))?;
        writing.finish().await
    }

    /// A blob, if there.
    pub async fn blob(&self, session: &str, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let doing = "reading a screenshot";
        let store = idb::reading(&self.database, "blobs", doing)?;
        let found = idb::result(doing, store.get(&Array::of2(&session.into(), &name.into()))).await?;
        Ok(found.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec))
    }

    /// A session's blobs by name.
    pub async fn blobs(&self, session: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let doing = "reading the screenshots";
        let range: JsValue = idb::within(session)?.into();
        let keys = idb::reading(&self.database, "blobs", doing)?.get_all_keys_with_key(&range);
        let keys = Array::from(&idb::result(doing, keys).await?);
        let values = idb::reading(&self.database, "blobs", doing)?.get_all_with_key(&range);
        let values = Array::from(&idb::result(doing, values).await?);
        Ok(keys
            .iter()
            .zip(values.iter())
            .filter_map(|(key, value)| {
                Some((Array::from(&key).get(1).as_string()?, value.dyn_ref::<Uint8Array>()?.to_vec()))
            })
            .collect())
    }

    /// Keeps an imported trace's events.
    pub async fn put_events(&self, session: &str, events: &[trace::Event]) -> Result<(), StoreError> {
        let writing = Writing::begin(&self.database, &["events"], "saving an imported trace")?;
        writing.put("events", &session.into(), &json(&events)?.into())?;
        writing.finish().await
    }

    /// An imported trace's events; none for a recorded session.
    pub async fn events(&self, session: &str) -> Result<Vec<trace::Event>, StoreError> {
        let doing = "reading an imported trace";
        let found = idb::result(doing, idb::reading(&self.database, "events", doing)?.get(&session.into())).await?;
        match found.as_string() {
            Some(text) => serde_json::from_str(&text).map_err(|e| unreadable(session, "events", &e)),
            None => Ok(Vec::new()),
        }
    }

    /// A recorded session's log as entries. One that cannot be read is left out and told beside them.
    pub async fn entries(&self, session: &str) -> Result<Entries, StoreError> {
        let stored = self.stored(session, 0).await?;
        let mut found = Entries::default();
        for (number, value) in stored {
            found.next = number + value.count();
            if value.count() > 1 {
                found.chunks.push(number..found.next);
            }
            match value.entries().await {
                Ok(entries) => {
                    found.numbers.extend(number..number + entries.len() as u64);
                    found.entries.extend(entries);
                }
                Err(why) => found.broken.push(unreadable(session, &format!("log entry {number}"), &why)),
            }
        }
        Ok(found)
    }

    /// Takes in a trace from a file. The same trace again is not stored twice; another one of the same name
    /// gets a name of its own. Returns its summary.
    pub async fn import(&self, trace: &Trace) -> Result<SessionMeta, StoreError> {
        let mut header = trace.header.clone();
        let base = header.id.clone();
        let steps = u32::try_from(trace.steps().count()).unwrap_or(u32::MAX);
        for copy in 2.. {
            match self.session(&header.id).await {
                Err(StoreError::Missing(_)) => break,
                Err(error) => return Err(error),
                Ok(known) if known.imported && known.steps == steps && known.header == header => return Ok(known),
                Ok(_) => header.id = format!("{base}-{copy}"),
            }
        }
        let meta = SessionMeta { header, live: false, steps, imported: true };
        let id = meta.header.id.as_str();
        let writing = Writing::begin(&self.database, &["blobs", "events", "sessions"], "saving an imported trace")?;
        for (name, bytes) in &trace.blobs {
            let key = Array::of2(&id.into(), &name.as_str().into());
            writing.put("blobs", &key, &Uint8Array::from(bytes.as_slice()))?;
        }
        writing.put("events", &id.into(), &json(&trace.events)?.into())?;
        writing.put("sessions", &id.into(), &json(&meta)?.into())?;
        writing.finish().await?;
        Ok(meta)
    }
}

fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|e| failed("writing JSON", &JsValue::from(e.to_string())))
}

fn unreadable(session: &str, what: &str, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unreadable { session: session.to_owned(), what: what.to_owned(), why: error.to_string() }
}
