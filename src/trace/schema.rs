//! The JSON Schema of the format, from the types themselves.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Event, Header};

/// One line of `trace.jsonl`: the header on the first, an event on every other.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "Tracerule trace, one line of trace.jsonl")]
#[allow(dead_code, reason = "only its schema is wanted")]
enum Line {
    /// The first line.
    Header(Box<Header>),
    /// Every other line.
    Event(Box<Event>),
}

/// The JSON Schema (2020-12) of one line of `trace.jsonl`, as checked in at `docs/trace.schema.json`.
pub fn json_schema() -> Value {
    schemars::schema_for!(Line).to_value()
}
