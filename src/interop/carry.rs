//! What a format has no word for, set aside in it for Tracerule to read back. Beside each step's own records stands
//! the whole step with a digest of those records: if another tool changed them, they count and not what was aside.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{Loss, Severity};
use crate::action::Action;
use crate::trace::{Event, Header, Step, Trace};

/// Fields of a step whose loss changes what it does, and those that nothing looks at; the rest is evidence.
const MAJOR: [&str; 8] = ["action", "value", "values", "key", "button", "count", "modifiers", "frame"];
const INFO: [&str; 13] = [
    "t_ms",
    "elapsed_ms",
    "facts",
    "settle",
    "dom",
    "target.tag",
    "target.dom_path",
    "target.box",
    "target.pointer",
    "trusted",
    "actor",
    "url",
    "secret",
];

/// How grave it is that a step's field is gone.
pub(super) fn gravity(field: &str) -> Severity {
    if MAJOR.contains(&field) {
        Severity::Major
    } else if INFO.contains(&field) {
        Severity::Info
    } else {
        Severity::Minor
    }
}

/// A digest of records that does not depend on the order of their fields.
pub(super) fn digest(records: &[Value]) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut names: Vec<&String> = fields.keys().collect();
                names.sort();
                let pairs = names.into_iter().filter_map(|name| Some((name.clone(), sorted(fields.get(name)?))));
                Value::Object(pairs.collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            // 1 and 1.0 are one number to those who write JSON.
            Value::Number(n) => n.as_f64().map_or_else(|| value.clone(), |n| json!(n)),
            other => other.clone(),
        }
    }
    let text = Value::Array(records.iter().map(sorted).collect()).to_string();
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A step as it is set aside. Its pictures are named only where the file holds them.
pub(super) fn step(step: &Step, records: &[Value], pictures: bool) -> Value {
    let mut step = step.clone();
    if !pictures {
        step.pre.screenshot = None;
        step.post.screenshot = None;
    }
    json!({"of": records.len(), "digest": digest(records), "step": step})
}

/// The step set aside, if the records before it are those it was set beside.
pub(super) fn read_step(aside: &Value, before: &[Value]) -> Result<(Step, usize), String> {
    let of = aside.get("of").and_then(Value::as_u64).and_then(|of| usize::try_from(of).ok());
    let of = of.filter(|of| *of <= before.len()).ok_or("it stands beside fewer records than it was written with")?;
    let step = aside.get("step").ok_or("it holds no step")?;
    let step: Step = serde_json::from_value(step.clone()).map_err(|e| e.to_string())?;
    let (was, is) = (aside.get("digest").and_then(Value::as_str), digest(&before[before.len() - of..]));
    if was != Some(&is) {
        return Err("the records beside it were changed by another tool".to_owned());
    }
    Ok((step, of))
}

/// The header and the events beside steps and pages' chunks.
pub(super) fn whole(trace: &Trace) -> Value {
    let events: Vec<&Event> = trace.events.iter().filter(|e| !matches!(e, Event::Step(_) | Event::Dom(_))).collect();
    json!({"header": trace.header, "events": events})
}

/// What [`whole`] set aside; broken events are told and left out.
pub(super) fn read_whole(aside: &Value, loss: &mut Loss) -> Option<(Header, Vec<Event>)> {
    let header: Header = match serde_json::from_value(aside.get("header")?.clone()) {
        Ok(header) => header,
        Err(error) => {
            loss.dropped(None, "header", Severity::Minor, format!("what Tracerule set aside is damaged: {error}"));
            return None;
        }
    };
    let mut events = Vec::new();
    for (at, event) in aside.get("events").and_then(Value::as_array).into_iter().flatten().enumerate() {
        match serde_json::from_value::<Event>(event.clone()) {
            Ok(Event::Step(_) | Event::Dom(_)) | Err(_) => {
                loss.dropped(None, format!("events[{at}]"), Severity::Minor, "an event set aside is damaged");
            }
            Ok(event) => events.push(event),
        }
    }
    Some((header, events))
}

/// The fields of a step that hold something, as `target.box`.
pub(super) fn fields(step: &Step) -> Vec<String> {
    let mut out = Vec::new();
    let Ok(Value::Object(all)) = serde_json::to_value(step) else { return out };
    let holds = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    };
    for (name, value) in &all {
        match (name.as_str(), value) {
            ("target" | "pre" | "post", Value::Object(inner)) => {
                out.extend(inner.iter().filter(|(_, v)| holds(v)).map(|(inner, _)| format!("{name}.{inner}")));
            }
            ("tab", Value::Number(_)) if value != &json!(0) => out.push(name.clone()),
            ("trusted", Value::Bool(true)) | ("tab", _) | ("seq", _) | ("action", _) => {}
            ("outcome", Value::Object(outcome)) if outcome.get("status") == Some(&json!("ok")) => {}
            ("actor", Value::String(actor)) if actor == "human" => {}
            ("elapsed_ms", Value::Number(n)) if n.as_f64() == Some(0.0) => {}
            _ if holds(value) => out.push(name.clone()),
            _ => {}
        }
    }
    out
}

/// Whether a field belongs to what an action does; others are never written, whatever the format.
fn belongs(step: &Step, field: &str) -> bool {
    let action = step.action;
    match field {
        // Keys without a target go to whatever has the focus.
        "frame" => step.target.is_some() || action == Action::Scroll,
        "button" | "count" => matches!(action, Action::Click | Action::Dblclick | Action::Contextmenu),
        "modifiers" => {
            matches!(action, Action::Click | Action::Dblclick | Action::Contextmenu | Action::Press)
        }
        "key" => action == Action::Press,
        "to" => matches!(action, Action::Scroll | Action::Drag),
        "values" => matches!(action, Action::Select | Action::Upload),
        "value" | "secret" => matches!(
            action,
            Action::Fill
                | Action::Paste
                | Action::Select
                | Action::Upload
                | Action::Goto
                | Action::TabOpen
                | Action::TabSwitch
                | Action::Dialog
        ),
        _ => true,
    }
}

/// Tells of a step's fields that the format does not hold: dropped in a plain file, set aside otherwise. Pictures are
/// dropped either way unless `kept` names them.
pub(super) fn evidence(step: &Step, kept: &[&str], plain: bool, loss: &mut Loss) {
    let is_kept = |field: &str| kept.contains(&field) && belongs(step, field);
    for (field, state) in [("pre.screenshot", &step.pre), ("post.screenshot", &step.post)] {
        let Some(shot) = state.screenshot.as_ref().filter(|_| is_kept(field)) else { continue };
        let Ok(Value::Object(all)) = serde_json::to_value(shot) else { continue };
        // The picture itself, its size and its time are what formats have.
        for name in all.keys().filter(|name| !matches!(name.as_str(), "blob" | "t_ms" | "width" | "height")) {
            let (field, why) = (format!("{field}.{name}"), "the format does not say how a picture was taken");
            if plain {
                loss.dropped(Some(step.seq), field, Severity::Info, why);
            } else {
                loss.aside(Some(step.seq), field, Severity::Info, why);
            }
        }
    }
    for field in fields(step).iter().filter(|field| !is_kept(field)) {
        let gravity = gravity(field);
        if field.ends_with(".screenshot") {
            loss.dropped(Some(step.seq), field.clone(), Severity::Minor, "the format holds no pictures");
        } else if plain {
            loss.dropped(Some(step.seq), field.clone(), gravity, "the format has no field for it");
        } else {
            let gravity = gravity.min(Severity::Minor);
            loss.aside(Some(step.seq), field.clone(), gravity, "the format has no field for it");
        }
    }
}

/// Tells of what belongs to the whole trace and the format does not hold.
pub(super) fn rest(trace: &Trace, kept: &[&str], plain: bool, loss: &mut Loss) {
    let mut kinds: Map<String, Value> = Map::new();
    for event in &trace.events {
        let Ok(value) = serde_json::to_value(event) else { continue };
        if let Some(kind) = value.get("event").and_then(Value::as_str).filter(|kind| *kind != "step") {
            let count = kinds.get(kind).and_then(Value::as_u64).unwrap_or(0);
            kinds.insert(kind.to_owned(), json!(count + 1));
        }
    }
    for (kind, count) in kinds {
        let field = format!("events.{kind}");
        if kept.contains(&field.as_str()) {
            continue;
        }
        if kind == "dom" {
            loss.dropped(None, field, Severity::Minor, format!("the format does not hold the pages ({count} chunks)"));
        } else if plain {
            loss.dropped(None, field, Severity::Info, format!("the format has no such records ({count})"));
        } else {
            loss.aside(None, field, Severity::Info, format!("the format has no such records ({count})"));
        }
    }
    let Ok(Value::Object(header)) = serde_json::to_value(&trace.header) else { return };
    for (name, value) in &header {
        let field = format!("header.{name}");
        let empty = value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
        if empty || kept.contains(&field.as_str()) || matches!(name.as_str(), "format" | "version") {
            continue;
        }
        let gravity =
            if matches!(name.as_str(), "assertions" | "url" | "perturb") { Severity::Minor } else { Severity::Info };
        if plain {
            loss.dropped(None, field, gravity, "the format has no field for it");
        } else {
            loss.aside(None, field, gravity, "the format has no field for it");
        }
    }
}
