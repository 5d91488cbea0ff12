//! Where the extension keeps sessions: IndexedDB, one writer for each session.
//!
//! A recorded session is its log, numbered from 0, and its blobs; everything else is a fold over the log.
//! An imported one is its list of events and its blobs. "Stored" means on disk: every write asks for strict
//! durability and returns only when its transaction is complete.

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
#[derive(Debug)]
pub struct Entries {
    /// What could be read, in order.
    pub entries: Vec<Entry>,
    /// The number of each.
    pub numbers: Vec<u64>,
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

    /// Appends entries (number and JSON) in one transaction; on disk when this returns. Writing a number
    /// again replaces it, so a write of unknown fate can be repeated.
    pub async fn append(&self, session: &str, entries: &[(u64, String)]) -> Result<(), StoreError> {
        let writing = Writing::begin(&self.database, &["log"], "writing the log")?;
        for (number, text) in entries {
            // Far below 2^53 in any session.
            writing.put("log", &Array::of2(&session.into(), &(*number as f64).into()), &text.as_str().into())?;
        }
        writing.finish().await
    }

    /// A session's log, in order.
    pub async fn log(&self, session: &str) -> Result<Vec<String>, StoreError> {
        let doing = "reading the log";
        let store = idb::reading(&self.database, "log", doing)?;
        let all = idb::result(doing, store.get_all_with_key(&idb::within(session)?.into())).await?;
        Ok(Array::from(&all).iter().filter_map(|value| value.as_string()).collect())
    }

    /// Adds an entry to the log of a session that is not being recorded.
    pub async fn add(&self, session: &str, entry: &Entry) -> Result<(), StoreError> {
        let doing = "reading the log";
        let store = idb::reading(&self.database, "log", doing)?;
        let count = idb::result(doing, store.count_with_key(&idb::within(session)?.into())).await?;
        self.append(session, &[(count.as_f64().unwrap_or_default() as u64, json(entry)?)]).await
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
        let log = self.log(session).await?;
        let (entries, numbers) = (Vec::with_capacity(log.len()), Vec::with_capacity(log.len()));
        let mut found = Entries { entries, numbers, next: log.len() as u64, broken: Vec::new() };
        for (number, text) in log.iter().enumerate() {
            match serde_json::from_str(text) {
                Ok(entry) => {
                    found.entries.push(entry);
                    found.numbers.push(number as u64);
                }
                Err(e) => found.broken.push(unreadable(session, &format!("log entry {number}"), &e)),
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

fn unreadable(session: &str, what: &str, error: &serde_json::Error) -> StoreError {
    StoreError::Unreadable { session: session.to_owned(), what: what.to_owned(), why: error.to_string() }
}
