//! Traces of Playwright, `trace.zip`: versions 3 to 10 are read, 10 is written.
//!
//! The archive holds `PREFIX.trace` (JSON Lines), `PREFIX.network`, and files that events name. Times are monotonic
//! milliseconds; the first event ties them to the clock. A call is told by `before`, `input`, `log` and `after` (by one
//! `action` in version 4 and older). Every prefix is read: the test runner writes one for the test and one for each context.

mod calls;
mod read;
mod write;

pub(super) use read::import;
pub(super) use write::export;

/// The newest version that is read, and the one written.
const NEWEST: u64 = 10;
/// The oldest version that is read.
const OLDEST: u64 = 3;
