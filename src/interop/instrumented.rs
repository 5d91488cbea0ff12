//! The JSON-lines log of an instrumented Playwright page: one object a record with `seq_id`, `timestamp`, `action`, `params`,
//! `result`, `elapsed_ms`, `url`, screenshots in base64 and DOM lengths. In only.
//!
//! Logs of it exist that were written with the letter `n` where a line should end, with a torn last record, with a
//! result that is an object and with the exception as the result. All are read, and told.

use base64::Engine as _;
use serde_json::{Map, Value, json};

use super::build::Draft;
use super::keys::Chord;
use super::{Format, Loss, Severity, build, locator, selector};
use crate::action::Action;
use crate::reference::meant;
use crate::trace::{Button, DomDiff, FailureCode, Outcome, Role, Screenshot, Step, Trace, blob_name};

const FORMAT: Format = Format::InstrumentedPage;

/// Fields that are understood.
const KNOWN: [&str; 17] = [
    "seq_id",
    "timestamp",
    "action",
    "params",
    "result",
    "elapsed_ms",
    "url",
    "pre_screenshot_base64",
    "post_screenshot_base64",
    "pre_dom_length",
    "post_dom_length",
    "error",
    "selector",
    "value",
    "text",
    "key",
    "success",
];

/// Reads a log.
pub(super) fn import(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
    let records = records(bytes, loss)?;
    let mut draft = Draft::new(bytes, Role::Run, FORMAT);
    let mut previous: Option<i64> = None;
    for (at, record) in records.into_iter().enumerate() {
        let Value::Object(fields) = record else { return Err(format!("record {} is no object", at + 1)) };
        loss.steps.read += 1;
        if let Some(seq) = fields.get("seq_id").and_then(Value::as_i64) {
            if let Some(before) = previous.filter(|before| seq != before.saturating_add(1)) {
                let why = format!("record {seq} follows record {before}: some are missing or out of order");
                loss.dropped(Some(draft.next()), "seq_id", Severity::Major, why);
            }
            previous = Some(seq);
        }
        let step = step(&fields, at, &mut draft, loss)?;
        draft.push(step);
    }
    draft.header.url = draft
        .steps
        .iter()
        .find_map(|step| match step.action {
            Action::Goto => step.value.clone(),
            _ => Some(step.url.clone()).filter(|url| !url.is_empty() && url != "about:blank"),
        })
        .unwrap_or_default();
    draft.header.started_ms = draft.steps.iter().map(|step| step.t_ms).fold(f64::INFINITY, f64::min);
    if !draft.header.started_ms.is_finite() {
        draft.header.started_ms = 0.0;
    }
    draft.header.recorder.browser = "playwright".to_owned();
    build::uncounted(loss);
    Ok(draft.finish(loss))
}

/// The objects of the log, whether lines end as they should or not.
fn records(bytes: &[u8], loss: &mut Loss) -> Result<Vec<Value>, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("it is no UTF-8: {e}"))?;
    let text = text.trim_start_matches('\u{feff}');
    let mut out = Vec::new();
    let mut at = 0;
    let mut glued = 0_usize;
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let mut rest = &text[at..];
        // The letter that was meant to end a line, between two records or after the last.
        if let Some(after) = rest.strip_prefix("\\n").or_else(|| rest.strip_prefix('n'))
            && !out.is_empty()
            && (after.trim_start().is_empty() || after.trim_start().starts_with(['{', 'n', '\\']))
        {
            glued += 1;
            at += rest.len() - after.len();
            rest = &text[at..];
        }
        let rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        at = text.len() - rest.len();
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                at += stream.byte_offset();
                out.push(value);
            }
            Some(Err(error)) if error.is_eof() && !out.is_empty() => {
                let why = format!("the last record was torn off after {} bytes", rest.len());
                loss.dropped(Some(u32::try_from(out.len()).unwrap_or(u32::MAX)), "record", Severity::Major, why);
                break;
            }
            Some(Err(error)) => {
                let line = text[..at].matches('\n').count() + 1;
                return Err(format!("record {} (line {line}): {error}", out.len() + 1));
            }
            None => break,
        }
    }
    if out.is_empty() {
        return Err("it holds no record".to_owned());
    }
    if glued > 0 {
        let why = format!("{glued} record(s) end with the letter n and not with a line feed");
        loss.changed(None, "lines", Severity::Info, why);
    }
    Ok(out)
}

#[allow(clippy::too_many_lines)]
fn step(fields: &Map<String, Value>, at: usize, draft: &mut Draft, loss: &mut Loss) -> Result<Step, String> {
    let verb = match fields.get("action") {
        Some(Value::String(verb)) if !verb.is_empty() => verb.clone(),
        Some(other) => return Err(format!("record {}: `action` is {other}; wanted is a name", at + 1)),
        None => return Err(format!("record {} has no `action`", at + 1)),
    };
    let mut step = draft.step(Action::Wait);
    let seq = step.seq;
    let bare = verb.rsplit('.').next().unwrap_or(&verb);
    step.action = match (Action::from_name(bare), meant(bare)) {
        (Some(action), _) => action,
        (None, Some(action)) => {
            loss.changed(Some(seq), "action", Severity::Info, format!("{verb} is {action} in our vocabulary"));
            action
        }
        (None, None) => {
            return Err(format!(
                "record {}: the action {verb:?} has no counterpart in the vocabulary; rename it to one of {}",
                at + 1,
                Action::ALL.map(Action::name).join(", ")
            ));
        }
    };
    let params = fields.get("params").cloned().unwrap_or_default();
    let param = |names: &[&str]| {
        names.iter().find_map(|name| {
            let own = params.get(*name).or_else(|| fields.get(*name))?;
            own.as_str().map(str::to_owned).or_else(|| own.is_number().then(|| own.to_string()))
        })
    };
    // Arguments by place: `["#name", "Ada"]`, or the selector alone.
    let args: Vec<String> = match &params {
        Value::Array(items) => items.iter().filter_map(|i| i.as_str().map(str::to_owned)).collect(),
        Value::String(one) => vec![one.clone()],
        Value::Object(own) => own
            .get("args")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|i| i.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    };
    let on = !matches!(step.action, Action::Goto | Action::Back | Action::Forward | Action::Reload | Action::Wait)
        || bare.contains("selector");
    let target =
        if on { param(&["selector", "target", "locator", "element"]).or_else(|| args.first().cloned()) } else { None };
    if let Some(text) = &target {
        let read = selector::read(text);
        step.frame = read.frames;
        step.target = locator::target(read.target.as_slice());
        for part in read.lost {
            loss.changed(Some(seq), "params.selector", Severity::Minor, format!("no locator says {part}"));
        }
        if step.target.is_none() {
            loss.dropped(Some(seq), "params.selector", Severity::Major, format!("no locator says {text}"));
        }
    }
    let second = args.get(usize::from(target.is_some())).cloned();
    match step.action {
        Action::Goto => step.value = param(&["url", "href"]).or_else(|| args.first().cloned()),
        Action::Press => {
            let key = param(&["key", "keys"]).or(second).unwrap_or_default();
            let chord = Chord::from_playwright(&key);
            step.key = Some(chord.name());
            step.modifiers = chord.modifiers;
        }
        Action::Click | Action::Dblclick => {
            step.button = Some(Button::Left);
            step.count = (step.action == Action::Click).then_some(1);
        }
        Action::Wait => step.value = None,
        _ => step.value = param(&["value", "text", "option", "label", "file"]).or(second),
    }
    if let Some(ms) = number(fields, "elapsed_ms", at)? {
        step.elapsed_ms = ms.max(0.0);
    }
    // The time was taken after the second screenshot: the beginning is what is left of it.
    match number(fields, "timestamp", at)? {
        Some(seconds) => {
            let end = if seconds < 1e11 { seconds * 1000.0 } else { seconds };
            step.t_ms = end - step.elapsed_ms;
            let why = "taken after the action and its screenshots; the beginning is reckoned from elapsed_ms";
            loss.changed(Some(seq), "timestamp", Severity::Info, why);
        }
        None => match fields.get("timestamp") {
            Some(Value::String(text)) => {
                let why = format!("the time {text:?} is a text; records are only numbered");
                loss.changed(Some(seq), "timestamp", Severity::Minor, why);
            }
            _ => loss.changed(Some(seq), "timestamp", Severity::Minor, "the record has no time; it is only numbered"),
        },
    }
    if let Some(last) = draft.steps.last().filter(|last| step.t_ms < last.t_ms) {
        step.t_ms = last.t_ms;
    }
    if let Some(url) = fields.get("url").and_then(Value::as_str) {
        url.clone_into(&mut step.url);
    }
    outcome(fields, &mut step, loss);
    for (name, before) in [("pre_screenshot_base64", true), ("post_screenshot_base64", false)] {
        if let Some(shot) = picture(fields, name, &step, before, draft, loss) {
            if before {
                step.pre.screenshot = Some(shot);
            } else {
                step.post.screenshot = Some(shot);
            }
        }
    }
    let length = |name: &str| fields.get(name).and_then(Value::as_u64);
    if let (Some(before), Some(after)) = (length("pre_dom_length"), length("post_dom_length")) {
        let why = format!("the document had {before} characters before and {after} after; a step counts nodes");
        loss.dropped(Some(seq), "dom_length", Severity::Info, why);
        if before == after && step.outcome == Outcome::Ok {
            step.dom = Some(DomDiff::default());
        }
    }
    let rest: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| !KNOWN.contains(&name.as_str()))
        .map(|(n, v)| (n.clone(), v.clone()))
        .collect();
    if !rest.is_empty() {
        for name in rest.keys() {
            loss.aside(Some(seq), name.clone(), Severity::Info, "no field of a step; kept beside it");
        }
        step.extra.insert(FORMAT.name().to_owned(), Value::Object(rest));
    }
    Ok(step)
}

fn number(fields: &Map<String, Value>, name: &str, at: usize) -> Result<Option<f64>, String> {
    match fields.get(name) {
        None | Some(Value::Null | Value::String(_)) => Ok(None),
        Some(value) => match value.as_f64().filter(|n| n.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("record {}: `{name}` is {value}; wanted is a number", at + 1)),
        },
    }
}

/// What came of it: exceptions were written where results should be.
fn outcome(fields: &Map<String, Value>, step: &mut Step, loss: &mut Loss) {
    let said = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(own) => {
            own.get("error").or_else(|| own.get("message")).and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    };
    let failed = |text: &str| {
        let lower = text.to_ascii_lowercase();
        ["error", "exception", "timeout", "failed", "traceback"].iter().any(|word| lower.contains(word))
    };
    let error = fields.get("error").and_then(said).filter(|text| !text.is_empty());
    let error = error.or_else(|| fields.get("result").and_then(said).filter(|text| failed(text)));
    let denied = fields.get("success") == Some(&json!(false));
    if let Some(message) = error.or_else(|| denied.then(|| "the log says that it failed".to_owned())) {
        let code =
            if message.to_ascii_lowercase().contains("timeout") { FailureCode::Timeout } else { FailureCode::Browser };
        step.outcome = Outcome::Error { code, message: message.chars().take(2000).collect() };
        loss.changed(Some(step.seq), "result", Severity::Info, "an exception stood as the result; the step failed");
    } else if fields.get("result").is_some_and(|r| r.is_object() || r.is_array()) {
        loss.dropped(Some(step.seq), "result", Severity::Info, "the result is an object; a step has an outcome only");
    }
}

fn picture(
    fields: &Map<String, Value>,
    name: &str,
    step: &Step,
    before: bool,
    draft: &mut Draft,
    loss: &mut Loss,
) -> Option<Screenshot> {
    let text = fields.get(name)?.as_str().filter(|text| !text.is_empty())?;
    let data = text.rsplit_once("base64,").map_or(text, |(_, data)| data);
    let bytes = match base64::engine::general_purpose::STANDARD.decode(data.trim()) {
        Ok(bytes) => bytes,
        Err(error) => {
            loss.dropped(Some(step.seq), name, Severity::Minor, format!("it is no base64: {error}"));
            return None;
        }
    };
    let (ext, width, height) = match &bytes[..] {
        [0x89, b'P', b'N', b'G', _, _, _, _, _, _, _, _, _, _, _, _, w @ ..] if w.len() >= 8 => {
            let side = |at: usize| u32::from_be_bytes([w[at], w[at + 1], w[at + 2], w[at + 3]]);
            ("png", side(0), side(4))
        }
        [0xff, 0xd8, ..] => ("jpg", 0, 0),
        [b'R', b'I', b'F', b'F', ..] => ("webp", 0, 0),
        _ => {
            loss.dropped(Some(step.seq), name, Severity::Minor, "it is no picture that is known (PNG, JPEG, WebP)");
            return None;
        }
    };
    let blob = blob_name(&bytes, ext);
    draft.blobs.insert(blob.clone(), bytes);
    // Neither waited for the page to settle.
    let t_ms = if before { step.t_ms } else { step.t_ms + step.elapsed_ms };
    Some(Screenshot::of_file(blob, t_ms, width, height))
}

/// Whether a record is one of such a log.
pub(super) fn looks_like(record: &Value) -> bool {
    record.get("action").is_some_and(Value::is_string)
        && record.get("event").is_none()
        && ["seq_id", "elapsed_ms", "pre_screenshot_base64", "pre_dom_length", "params"]
            .iter()
            .any(|key| record.get(*key).is_some())
}
