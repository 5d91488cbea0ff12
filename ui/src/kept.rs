//! The store, as the pages use it: one connection, and errors as sentences.

use std::cell::RefCell;

use tracerule::interop::{self, Format, Loss, Options, Severity};
use tracerule::trace::Trace;
use tracerule_store::{Opened, SessionMeta, Store};

use crate::browser;
use crate::format;
use crate::text::t;

thread_local! {
    static STORE: RefCell<Option<Store>> = const { RefCell::new(None) };
}

async fn store() -> Result<Store, String> {
    if let Some(store) = STORE.with_borrow(Clone::clone) {
        return Ok(store);
    }
    let store = Store::open().await.map_err(|error| error.to_string())?;
    STORE.set(Some(store.clone()));
    Ok(store)
}

/// Lets go of a connection that failed, so that the next call opens another.
fn failed(error: impl std::fmt::Display) -> String {
    STORE.set(None);
    error.to_string()
}

/// Every trace, newest first.
pub(crate) async fn sessions() -> Result<Vec<SessionMeta>, String> {
    store().await?.sessions().await.map_err(failed)
}

/// A recording, to be looked at and edited.
pub(crate) async fn open(id: &str) -> Result<Opened, String> {
    store().await?.open_recording(id).await.map_err(failed)
}

/// A whole trace.
pub(crate) async fn trace(id: &str) -> Result<Trace, String> {
    store().await?.load_trace(id).await.map_err(failed)
}

/// A screenshot.
pub(crate) async fn blob(session: &str, name: &str) -> Result<Option<Vec<u8>>, String> {
    store().await?.blob(session, name).await.map_err(failed)
}

/// Forgets a trace and its pictures.
pub(crate) async fn delete(id: &str) -> Result<(), String> {
    store().await?.delete(id).await.map_err(failed)
}

/// Gives the person a trace as a file of a format; tells what the file does not hold.
pub(crate) async fn export(id: &str, format: Format) -> Result<Vec<String>, String> {
    let trace = trace(id).await?;
    let name = format::file_stem(&trace.header.title, &trace.header.id);
    let made = interop::export(&trace, &name, format, &Options::default()).map_err(|error| error.to_string())?;
    for file in &made.files {
        browser::download(&file.name, file.media, &file.bytes)?;
    }
    Ok(told(&made.loss))
}

/// What a person has to know of a loss report; the whole of it is for programs.
fn told(loss: &Loss) -> Vec<String> {
    if loss.items.is_empty() {
        return Vec::new();
    }
    let own = loss.from == loss.to;
    let grave = loss.items.iter().filter(|item| own || item.severity == Severity::Major);
    let line = |item: &interop::LossItem| match item.step {
        Some(step) => format!("{step}: {}: {}", item.field, item.reason),
        None if own => item.reason.clone(),
        None => format!("{}: {}", item.field, item.reason),
    };
    let mut lines: Vec<String> = grave.map(line).collect();
    if !own {
        lines.insert(0, loss.summary());
    }
    lines
}

/// What became of a file that was to be imported.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Imported {
    /// Its name.
    pub(crate) file: String,
    /// What went wrong, or what was odd about it.
    pub(crate) outcome: Result<Vec<String>, String>,
}

/// Takes in a file of a format, or of the one that its content tells.
pub(crate) async fn import(file: gloo::file::File, format: Option<Format>) -> Imported {
    let name = file.name();
    let outcome = async {
        let bytes = gloo::file::futures::read_as_bytes(&file).await.map_err(|error| error.to_string())?;
        let (trace, loss) = interop::import(&file.name(), &bytes, format).map_err(|error| error.to_string())?;
        let store = store().await?;
        store.import(&trace).await.map_err(failed)?;
        Ok(told(&loss))
    };
    Imported { outcome: outcome.await, file: name }
}

/// What people call a trace.
pub(crate) fn title(meta: &SessionMeta) -> String {
    let header = &meta.header;
    if !header.title.is_empty() {
        header.title.clone()
    } else if header.url.is_empty() {
        t!(untitled)
    } else {
        format::host(&header.url).to_owned()
    }
}
