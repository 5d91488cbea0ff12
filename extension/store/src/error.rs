//! What can go wrong with the store, and what to do about it.

use wasm_bindgen::{JsCast, JsValue};

/// Why the store could not do what was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// No room.
    #[error(
        "the disk is full ({doing}): delete traces in the panel or free disk space; nothing recorded so far is lost"
    )]
    Full {
        /// What was being done.
        doing: String,
    },
    /// The database is kept from opening.
    #[error("the store cannot be opened ({why}): close other windows of Tracerule, then restart the browser")]
    Closed {
        /// The browser's words.
        why: String,
    },
    /// No such session.
    #[error("there is no session {0:?} in the store: it was deleted, or belongs to another browser profile")]
    Missing(String),
    /// A record that cannot be understood.
    #[error("session {session:?}: its {what} cannot be read ({why}); export it, then delete it in the panel")]
    Unreadable {
        /// Whose.
        session: String,
        /// Which record.
        what: String,
        /// The parser's words.
        why: String,
    },
    /// Anything else the browser refused.
    #[error("the browser's store failed while {doing}: {why}")]
    Browser {
        /// What was being done.
        doing: String,
        /// The browser's words.
        why: String,
    },
}

/// The words in a thrown value.
pub(crate) fn words(thrown: &JsValue) -> String {
    if let Some(exception) = thrown.dyn_ref::<web_sys::DomException>() {
        return format!("{}: {}", exception.name(), exception.message());
    }
    if let Some(error) = thrown.dyn_ref::<js_sys::Error>() {
        return String::from(error.message());
    }
    thrown.as_string().unwrap_or_else(|| format!("{thrown:?}"))
}

/// Sorts a thrown value into the kinds above.
pub(crate) fn failed(doing: &str, thrown: &JsValue) -> StoreError {
    let why = words(thrown);
    if why.contains("QuotaExceeded") || why.contains("NS_ERROR_DOM_INDEXEDDB_QUOTA") || why.contains("NS_ERROR_FILE_NO")
    {
        return StoreError::Full { doing: doing.to_owned() };
    }
    StoreError::Browser { doing: doing.to_owned(), why }
}
