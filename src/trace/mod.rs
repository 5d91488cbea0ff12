//! The trace: one file for a reference and for a run. [`model`] is what it says, `docs/TRACE.md` its prose;
//! [`jsonl`] and [`archive`] read and write it, [`schema`] describes it to other programs.

mod annotation;
pub mod archive;
mod blob;
mod error;
mod events;
pub mod jsonl;
pub mod model;
mod pages;
#[cfg(test)]
pub(crate) mod sample;
pub mod schema;

pub use blob::{blob_matches, blob_name, is_blob_name};
pub use error::TraceError;
pub use model::*;
