//! Taking a value out of a recording after the fact: out of steps, events, addresses, the stream of the pages and,
//! by leaving them out, the pictures that may show it.
//!
//! A field that held the value is treated as if it had been secret from the start: everything it ever held and every
//! key pressed in it is masked, so that the value cannot be put together from its beginnings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Op, Recording};
use crate::trace::{Event, MASK, PageChange, State, Step, Trace, archive, blob_name};
use crate::wire::fact::{Fact, Kind};
use crate::wire::log::{Batch, Entry};
use crate::wire::op::{self, OPCODES};
use crate::wire::pack;

/// Shorter values are masked only where they are a whole text: they would be found everywhere.
const PART_CHARS: usize = 4;
/// Shorter beginnings are masked in their own field only.
const BEGINNING_CHARS: usize = 3;

/// What is to be taken out, and where it stood.
#[derive(Clone, Debug, Default)]
pub struct Scrub {
    /// The values.
    values: BTreeSet<String>,
    /// Texts that are masked where they stand alone.
    whole: BTreeSet<String>,
    /// Texts that are masked wherever they show, the longest first.
    parts: Vec<String>,
    /// Fields that held a value: the document's token and the node.
    fields: BTreeSet<(String, u32)>,
    /// A value was found outside its field.
    pub echoed: bool,
}

impl Scrub {
    /// For the values of steps.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Scrub {
        let mut scrub = Scrub::default();
        for value in values {
            if !value.trim().is_empty() && value != MASK {
                scrub.values.insert(value.to_owned());
            }
        }
        for value in scrub.values.clone() {
            scrub.add(&value);
            // As it stands in addresses and bodies of forms.
            let encoded: String = percent(&value, false);
            scrub.add(&encoded);
            scrub.add(&percent(&value, true));
        }
        scrub
    }

    /// Nothing to do.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn add(&mut self, text: &str) {
        self.whole.insert(text.to_owned());
        if text.chars().count() >= PART_CHARS && !self.parts.iter().any(|part| part == text) {
            self.parts.push(text.to_owned());
            self.parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
        }
    }

    /// Looks for fields that hold a value. To be told every entry before the first is changed.
    pub fn learn(&mut self, entry: &Entry) {
        let Entry::Batch(batch) = entry else { return };
        for op in op::decode(batch.t0, &batch.strings, &batch.ops).flatten() {
            match op {
                op::Op::Value { id, value, .. } if self.values.contains(value) => {
                    self.fields.insert((batch.doc.clone(), id));
                }
                op::Op::Event(json) if self.values.iter().any(|value| json.contains(&escaped(value))) => {
                    if let Ok(Fact { n, kind: Kind::Input(edit) | Kind::Change(edit), .. }) = serde_json::from_str(json)
                        && self.values.contains(&edit.value)
                    {
                        self.fields.insert((batch.doc.clone(), n));
                    }
                }
                _ => {}
            }
        }
    }

    /// Remembers what those fields held. To be told every entry after all were learnt.
    pub fn gather(&mut self, entry: &Entry) {
        let Entry::Batch(batch) = entry else { return };
        if !self.fields.iter().any(|(doc, _)| *doc == batch.doc) {
            return;
        }
        for op in op::decode(batch.t0, &batch.strings, &batch.ops).flatten() {
            match op {
                op::Op::Value { id, value, .. } => self.held(&batch.doc, id, value),
                op::Op::Event(json) => {
                    if let Ok(Fact { n, kind: Kind::Input(edit) | Kind::Change(edit), .. }) = serde_json::from_str(json)
                    {
                        self.held(&batch.doc, n, &edit.value);
                    }
                }
                _ => {}
            }
        }
    }

    fn held(&mut self, doc: &str, node: u32, value: &str) {
        let long = value.trim().chars().count() >= BEGINNING_CHARS && value != MASK;
        let beginning = self.values.iter().any(|secret| secret.starts_with(value));
        if long && beginning && self.fields.contains(&(doc.to_owned(), node)) {
            self.whole.insert(value.to_owned());
        }
    }

    /// Masks a text; tells whether there was anything to mask.
    pub fn text(&self, text: &mut String) -> bool {
        if self.whole.contains(text.as_str()) {
            MASK.clone_into(text);
            return true;
        }
        let mut found = false;
        for part in self.parts.iter().map(String::as_str) {
            if text.contains(part) {
                *text = text.replace(part, MASK);
                found = true;
            }
            let escaped = escaped(part);
            if escaped != part && text.contains(&escaped) {
                *text = text.replace(&escaped, MASK);
                found = true;
            }
        }
        found
    }

    /// Masks every text within a value.
    pub fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().fold(false, |found, item| self.value(item) | found),
            Value::Object(fields) => fields.values_mut().fold(false, |found, field| self.value(field) | found),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Masks what an entry of the log tells; whether it was changed.
    pub fn entry(&mut self, entry: &mut Entry) -> bool {
        if let Entry::Batch(batch) = entry {
            return self.batch(batch);
        }
        self.through_json(entry)
    }

    /// Masks every text of something that is written as JSON.
    fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(&self, thing: &mut T) -> bool {
        let Ok(mut value) = serde_json::to_value(&*thing) else { return false };
        if !self.value(&mut value) {
            return false;
        }
        match serde_json::from_value(value) {
            Ok(masked) => {
                *thing = masked;
                true
            }
            // A mask in place of a text is a text.
            Err(_) => false,
        }
    }

    fn batch(&mut self, batch: &mut Batch) -> bool {
        let mut changed = false;
        // Texts that were named where another is now.
        let mut old = BTreeSet::new();
        let mut at = 0;
        while let Some((_, code, arity)) =
            batch.ops.get(at).and_then(|code| OPCODES.iter().find(|known| known.1 == *code))
        {
            let (start, end) = (at + 1, at + 1 + arity);
            if end > batch.ops.len() {
                break;
            }
            at = end;
            let node = u32::try_from(batch.ops[start..end].first().copied().unwrap_or(0)).unwrap_or(0);
            match *code {
                op::VALUE if self.fields.contains(&(batch.doc.clone(), node)) => {
                    changed |= put(batch, start + 1, MASK, &mut old);
                    batch.ops[start + 2] = 1;
                }
                op::ATTRIBUTE
                    if batch.ops[start + 2] >= 0
                        && self.fields.contains(&(batch.doc.clone(), node))
                        && text(batch, start + 1) == "value" =>
                {
                    changed |= put(batch, start + 2, MASK, &mut old);
                }
                op::EVENT => {
                    let fact = self.fact(&batch.doc, &text(batch, start));
                    if let Some(fact) = fact {
                        changed |= put(batch, start, &fact, &mut old);
                    }
                }
                _ => {}
            }
        }
        // What is left: those, and the value where the page showed it.
        let named: BTreeSet<usize> = strings(&batch.ops).collect();
        for (index, text) in batch.strings.iter_mut().enumerate() {
            if old.contains(&index) && !named.contains(&index) {
                text.clear();
            } else if self.text(text) {
                self.echoed = true;
                changed = true;
            }
        }
        changed
    }

    /// An input event without the value; `None` when it tells nothing of it.
    fn fact(&self, doc: &str, json: &str) -> Option<String> {
        let mut value: Value = serde_json::from_str(json).ok()?;
        let node = value.get("n").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok())?;
        let inside = self.fields.contains(&(doc.to_owned(), node));
        let mut changed = self.value(&mut value);
        if inside && let Some(fields) = value.as_object_mut() {
            if matches!(fields.get("k").and_then(Value::as_str), Some("input" | "change")) {
                fields.insert("value".to_owned(), MASK.into());
                fields.insert("secret".to_owned(), true.into());
                changed = true;
            }
            // As the sensor tells keys in secret fields.
            let printable = |key: &Value| key.as_str().is_some_and(|key| key.chars().count() == 1);
            if fields.get("key").is_some_and(printable) {
                fields.insert("key".to_owned(), "•".into());
                fields.insert("code".to_owned(), "".into());
                changed = true;
            }
        }
        changed.then(|| value.to_string())
    }
}

/// A string's text.
fn text(batch: &Batch, operand: usize) -> String {
    let at = usize::try_from(batch.ops[operand]).ok();
    at.and_then(|at| batch.strings.get(at)).cloned().unwrap_or_default()
}

/// Names another text in an operand: strings are shared, so the old one is left to others.
fn put(batch: &mut Batch, operand: usize, text: &str, old: &mut BTreeSet<usize>) -> bool {
    let known = batch.strings.iter().position(|known| known == text);
    let at = known.unwrap_or_else(|| {
        batch.strings.push(text.to_owned());
        batch.strings.len() - 1
    });
    let at = i32::try_from(at).unwrap_or(i32::MAX);
    let before = std::mem::replace(&mut batch.ops[operand], at);
    if before == at {
        return false;
    }
    old.extend(usize::try_from(before));
    true
}

/// The positions of strings that operations name.
fn strings(ops: &[i32]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (_, code, arity) = OPCODES.iter().find(|known| Some(&known.1) == ops.get(at))?;
        let start = at + 1;
        at = start + arity;
        let operands: &[usize] = match *code {
            op::ELEMENT | op::TEXT | op::COMMENT | op::DOCTYPE => &[3],
            op::ATTRIBUTE => &[1, 2],
            op::DATA | op::VALUE | op::FRAME => &[1],
            op::RULE => &[2],
            op::EVENT => &[0],
            _ => &[],
        };
        Some(operands.iter().filter_map(|i| usize::try_from(*ops.get(start + i)?).ok()).collect::<Vec<_>>())
    })
    .flatten()
}

/// As within a JSON string.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// As in an address; `form` for `application/x-www-form-urlencoded`.
fn percent(text: &str, form: bool) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => out.push(char::from(byte)),
            b'~' | b'*' | b'\'' | b'(' | b')' | b'!' if !form => out.push(char::from(byte)),
            b'*' => out.push('*'),
            b' ' if form => out.push('+'),
            other => out.push_str(&format!("%{other:02X}")),
        }
        out
    })
}

/// The values that a recording's masks are about, as far as they are still known.
pub fn values(recording: &Recording) -> Vec<&str> {
    let masked = recording.edits().iter().filter_map(|edit| match &edit.op {
        Op::Mask { step } => recording.find(step),
        _ => None,
    });
    masked.flat_map(|base| base.step.value.iter().chain(&base.step.values)).map(String::as_str).collect()
}

/// Pictures that may show what was masked: taken in the step's tab from its first key on, until the page is another,
/// or until the end when the value was seen elsewhere. `events` tell of navigations.
pub fn pictures<'a>(recording: &'a Recording, events: &[Event], echoed: bool) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for edit in recording.edits() {
        let Op::Mask { step } = &edit.op else { continue };
        let Some(masked) = recording.find(step).map(|base| &base.step) else { continue };
        let left = events.iter().filter_map(|event| match event {
            Event::Page(page)
                if page.tab == masked.tab && page.what == PageChange::Navigated && page.t_ms > masked.t_ms =>
            {
                Some(page.t_ms)
            }
            _ => None,
        });
        let until = if echoed { f64::INFINITY } else { left.fold(f64::INFINITY, f64::min) };
        let shots = recording
            .base()
            .iter()
            .flat_map(|base| [(&base.step, &base.step.pre), (&base.step, &base.step.post)])
            .filter(|(step, _)| echoed || step.tab == masked.tab)
            .filter_map(|(_, state)| state.screenshot.as_ref())
            .filter(|shot| shot.t_ms >= masked.t_ms && shot.t_ms < until);
        found.extend(shots.map(|shot| shot.blob.as_str()));
    }
    found
}

/// Takes what was masked out of a whole trace.
pub fn apply(recording: &Recording, trace: &mut Trace) {
    let mut scrub = Scrub::new(values(recording));
    let chunks: Vec<String> = trace
        .events
        .iter()
        .filter_map(|event| if let Event::Dom(chunk) = event { Some(chunk.blob.clone()) } else { None })
        .collect();
    if !scrub.is_empty() {
        let read = |blob: &String| -> Vec<Entry> {
            let bytes = trace.blobs.get(blob).map(Vec::as_slice).unwrap_or_default();
            pack::read(bytes).into_iter().flatten().collect()
        };
        chunks.iter().flat_map(read).for_each(|entry| scrub.learn(&entry));
        chunks.iter().flat_map(read).for_each(|entry| scrub.gather(&entry));
        let mut renamed = BTreeMap::new();
        for name in chunks {
            let Some(bytes) = trace.blobs.remove(&name) else { continue };
            let masked = chunk(&mut scrub, &bytes);
            let new = blob_name(&masked, if pack::is_pack(&masked) { "dom" } else { "jsonl" });
            renamed.insert(name, new.clone());
            trace.blobs.insert(new, masked);
        }
        for event in &mut trace.events {
            if let Event::Dom(chunk) = event
                && let Some(new) = renamed.get(&chunk.blob)
            {
                chunk.blob.clone_from(new);
            } else {
                scrub.through_json(event);
            }
        }
        scrub.through_json(&mut trace.header);
    }
    let gone = pictures(recording, &trace.events, scrub.echoed);
    let leave = |state: &mut State| {
        if state.screenshot.as_ref().is_some_and(|shot| gone.contains(shot.blob.as_str())) {
            state.screenshot = None;
        }
    };
    for event in &mut trace.events {
        if let Event::Step(step) | Event::Original(step) = event {
            let Step { pre, post, .. } = &mut **step;
            leave(pre);
            leave(post);
        }
    }
    let named: BTreeSet<String> = archive::referenced(&trace.events).into_iter().map(str::to_owned).collect();
    trace.blobs.retain(|name, _| named.contains(name) || !gone.contains(name.as_str()));
}

/// A chunk without the values. Lines that cannot be read hold nothing that could be told apart, so they go.
fn chunk(scrub: &mut Scrub, bytes: &[u8]) -> Vec<u8> {
    if pack::is_pack(bytes) {
        let mut entries: Vec<Entry> = pack::read(bytes).into_iter().flatten().collect();
        entries.iter_mut().for_each(|entry| {
            scrub.entry(entry);
        });
        return pack::pack(&entries);
    }
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let Ok(mut entry) = serde_json::from_slice::<Entry>(line) else { continue };
        if scrub.entry(&mut entry)
            && let Ok(line) = serde_json::to_vec(&entry)
        {
            out.extend_from_slice(&line);
        } else {
            out.extend_from_slice(line);
        }
        out.push(b'\n');
    }
    out
}
