//! Projects of Selenium IDE, `.side`: `{version, name, url, tests: [{commands: [{command, target, targets, value}]}]}`.
//!
//! Commands know one frame at a time, so frames are entered and left between them. Locators are ids, CSS, XPath and link
//! texts; shadow roots cannot be reached. Each command of ours carries the whole step in a field `tracerule`, which the
//! runners pass over.

use serde_json::Value;

use super::Format;

mod read;
mod write;

pub(super) use read::import;
pub(super) use write::export;

const FORMAT: Format = Format::SeleniumSide;

/// Whether a JSON value looks like a project.
pub(super) fn looks_like(value: &Value) -> bool {
    value.get("tests").is_some_and(Value::is_array) && (value.get("suites").is_some() || value.get("url").is_some())
}
