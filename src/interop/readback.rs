//! The last check of a plain file: each step is written by itself and read back, and what came back otherwise without
//! the writer having told of it is told here. So a value that a format cannot say, however odd, is never lost silently.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Format, Loss, Options, Severity, carry};
use crate::trace::{Event, Step, Trace};

/// Tells of the fields of each step that `format` does not give back.
pub(super) fn check(trace: &Trace, format: Format, options: &Options, loss: &mut Loss) {
    for step in trace.steps() {
        let mut alone = step.clone();
        alone.pre.screenshot = None;
        alone.post.screenshot = None;
        let before = fields(&alone);
        let event = Event::Step(Box::new(alone));
        let alone = Trace { header: trace.header.clone(), events: vec![event], blobs: BTreeMap::new() };
        let mut wrote = Loss::new(Format::Tracerule, format);
        let read = super::write(&alone, format, options, &mut wrote)
            .map_err(|error| error.to_string())
            .and_then(|bytes| super::import("", &bytes, Some(format)).map_err(|error| error.to_string()));
        let back = match read {
            Ok((back, _)) => back,
            Err(why) => {
                loss.changed(Some(step.seq), "step", Severity::Major, format!("written, it cannot be read: {why}"));
                continue;
            }
        };
        let Some(after) = back.steps().find(|s| s.action == step.action).or_else(|| back.steps().next()) else {
            if !loss.items.iter().any(|item| item.step == Some(step.seq) && item.severity == Severity::Major) {
                loss.dropped(Some(step.seq), "step", Severity::Major, "the format has no such step");
            }
            continue;
        };
        let after = fields(after);
        for (field, value) in before {
            let same = after.get(&field) == Some(&value);
            // Where tabs are numbered as they appear, a step's alone means nothing; the writer tells of those.
            let among = field == "seq" || (field == "tab" && format == Format::PlaywrightCodegen);
            if same || among || loss.tells(step.seq, &field) {
                continue;
            }
            let gravity = carry::gravity(&field);
            match after.get(&field) {
                Some(_) => loss.changed(Some(step.seq), field, gravity, "the format cannot say this value as it is"),
                None => loss.dropped(Some(step.seq), field, gravity, "the format cannot say this value"),
            }
        }
    }
}

/// A step's fields that hold something, those of its target and states as `target.box`.
pub(super) fn fields(step: &Step) -> BTreeMap<String, Value> {
    let mut out = BTreeMap::new();
    // A step always has its fields.
    let Ok(Value::Object(all)) = serde_json::to_value(step) else { return out };
    for (name, value) in all {
        match value {
            Value::Object(inner) if matches!(name.as_str(), "target" | "pre" | "post") => {
                out.extend(inner.into_iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
            }
            other => drop(out.insert(name, other)),
        }
    }
    out.retain(|_, v| !(v.is_null() || v == "" || v.as_array().is_some_and(Vec::is_empty)));
    out
}
