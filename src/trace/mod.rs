//! The trace: one file for a reference and for a run. [`model`] is what it says, `docs/TRACE.md` its prose.

pub mod model;

pub use model::*;
