//! User flows of Chrome's DevTools Recorder and `@puppeteer/replay` 3, JSON: `{title, steps: [{type, …}]}`.
//!
//! Standard steps say what their vocabulary holds. Each of our steps is followed by a `customStep` named
//! `tracerule:ACTION` with the whole step, which runners pass over, and the file begins with `tracerule:trace`. What
//! the vocabulary lacks (drag, upload, dialogs, tabs) is only there.
//!
//! Facts of the runner that decide what is written: it takes whichever selector resolves first, so only those that
//! matched one element are given; it treats `>=` as the default operator; it sets lists by their options' values; it
//! finds other tabs by their addresses. Its parser drops unknown fields, so they are kept here before it is asked.

use serde_json::Value;

use super::Format;

mod read;
mod write;

pub(super) use read::import;
pub(super) use write::export;

const FORMAT: Format = Format::PuppeteerReplay;
/// The longest time-out that the format allows, ms.
const LONGEST: f64 = 30_000.0;

/// Whether a JSON value looks like a flow.
pub(super) fn looks_like(value: &Value) -> bool {
    let steps = value.get("steps").and_then(Value::as_array);
    let typed = |step: &Value| step.get("type").is_some_and(Value::is_string) && step.get("action").is_none();
    steps.is_some_and(|steps| steps.iter().all(typed) && (!steps.is_empty() || value.get("title").is_some()))
}
