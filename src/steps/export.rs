//! The events of a trace, and the way back.

use std::collections::BTreeMap;

use super::{Recorder, doubts};
use crate::mirror::{DocKey, Mirror};
use crate::trace::{Actor, CoverageEvent, DomChunk, Event, MASK, Step, Trace, WaitEvent, WaitReason, blob_name};
use crate::wire::log::Entry;
use crate::wire::pack;

/// A chunk is closed once what it packs is this long, bytes.
const CHUNK_BYTES: usize = 1024 * 1024;
/// Shorter secrets are masked only where they are a whole text: they would be found everywhere.
const SECRET_CHARS: usize = 4;

impl Recorder {
    /// All events in time order, with the mirror's stream in chunks made from the log; `log` is every entry in
    /// order. Gives the events and the chunks' blobs by name.
    pub fn finish(&self, log: &[Entry]) -> (Vec<Event>, BTreeMap<String, Vec<u8>>) {
        let (chunks, blobs) = chunks(log);
        let mut events: Vec<Event> = chunks.into_iter().map(Event::Dom).collect();
        events.extend(self.steps().iter().map(|step| Event::Step(Box::new(step.clone()))));
        events.extend(self.steps().iter().zip(&self.ledger.live).filter_map(|(step, live)| {
            let settle = step.settle?;
            Some(Event::Wait(WaitEvent { t_ms: live.last, ms: settle.ms, reason: WaitReason::Settle }))
        }));
        events.extend(self.coverage.iter().cloned().map(Event::Coverage));
        events.extend(doubts(self.steps()).into_iter().map(Event::Coverage));
        events.extend(self.events.iter().cloned().map(|event| match event {
            Event::ToolCall(mut call) => {
                if call.steps.is_empty() {
                    let end = call.t_ms + call.elapsed_ms;
                    let caused = |step: &&Step| step.actor == Actor::Agent && (call.t_ms..=end).contains(&step.t_ms);
                    call.steps = self.steps().iter().filter(caused).map(|step| step.seq).collect();
                }
                self.mask(&mut call.arguments);
                self.mask(&mut call.result);
                Event::ToolCall(call)
            }
            Event::Note(mut note) => {
                self.mask_text(&mut note.text);
                Event::Note(note)
            }
            other => other,
        }));
        if !events.is_empty() {
            let summary = self.coverage_summary(&events);
            events.push(Event::CoverageSummary(summary));
        }
        events.sort_by(|a, b| a.t_ms().total_cmp(&b.t_ms()));
        (events, blobs)
    }

    fn mask_text(&self, text: &mut String) {
        for secret in &self.secrets {
            if text == secret {
                MASK.clone_into(text);
            } else if secret.chars().count() >= SECRET_CHARS && text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), MASK);
            }
        }
    }

    fn mask(&self, value: &mut serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::String(text) => self.mask_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.mask(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// What the mirror needs of the log.
fn chunks(log: &[Entry]) -> (Vec<DomChunk>, BTreeMap<String, Vec<u8>>) {
    let mut chunks: Vec<DomChunk> = Vec::new();
    let mut blobs = BTreeMap::new();
    let mut mine: Vec<Entry> = Vec::new();
    let mut start = None;
    let mut size = 0;
    let mut close = |entries: &mut Vec<Entry>, start: &mut Option<f64>| {
        if let Some(t) = start.take() {
            let bytes = pack::pack(entries);
            let blob = blob_name(&bytes, "dom");
            // Frames start batches in no strict order; chunks stay in the order of the log.
            let t_ms = chunks.last().map_or(t, |last: &DomChunk| last.t_ms.max(t));
            let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
            chunks.push(DomChunk { t_ms, blob: blob.clone(), entries: count });
            blobs.insert(blob, bytes);
            entries.clear();
        }
    };
    for entry in log {
        let t = match entry {
            Entry::Document(document) => document.t,
            Entry::Batch(batch) => batch.t0,
            Entry::Gone { t, .. } => *t,
            Entry::Navigation(navigation) => navigation.t,
            _ => continue,
        };
        start.get_or_insert(t);
        size += 64;
        if let Entry::Batch(batch) = entry {
            size += batch.ops.len() * 4 + batch.strings.iter().map(String::len).sum::<usize>();
        }
        mine.push(entry.clone());
        if size >= CHUNK_BYTES {
            size = 0;
            close(&mut mine, &mut start);
        }
    }
    close(&mut mine, &mut start);
    (chunks, blobs)
}

/// The entries of the stream kept in a trace, in order; what is missing or torn as coverage events.
pub fn dom_entries(trace: &Trace) -> impl Iterator<Item = Result<Entry, CoverageEvent>> + '_ {
    let gap = |t_ms: f64, detail: String| CoverageEvent { t_ms, what: "gap".to_owned(), detail };
    trace.events.iter().flat_map(move |event| {
        let Event::Dom(chunk) = event else { return Vec::new() };
        let Some(bytes) = trace.blobs.get(&chunk.blob) else {
            let detail = format!("The trace does not hold {}, a part of its pages.", chunk.blob);
            return vec![Err(gap(chunk.t_ms, detail))];
        };
        let entry = |entry: Result<Entry, String>| {
            entry.map_err(|why| gap(chunk.t_ms, format!("A part of {} could not be read: {why}.", chunk.blob)))
        };
        pack::read(bytes).into_iter().map(entry).collect()
    })
}

/// Folds the stream kept in a trace, for questions about its pages: the mirror as it was at the end. What is
/// missing or torn becomes coverage events.
pub fn replay_dom(trace: &Trace) -> Recorder {
    let (recorder, _) = replay(trace, |_, _| ());
    recorder
}

/// Asks every document of a trace once, as it was last: when it went away, or at the end.
pub fn at_last<T>(trace: &Trace, mut ask: impl FnMut(&Mirror, DocKey) -> T) -> Vec<T> {
    let (recorder, mut answers) = replay(trace, &mut ask);
    let mirror = recorder.mirror();
    // Where all have gone, the mirror goes on showing the last ones, which were asked.
    answers.extend(mirror.documents().into_iter().filter(|doc| mirror.is_open(*doc)).map(|doc| ask(mirror, doc)));
    answers
}

/// Folds the stream, and asks of each document just before it goes.
fn replay<T>(trace: &Trace, mut going: impl FnMut(&Mirror, DocKey) -> T) -> (Recorder, Vec<T>) {
    let mut recorder = Recorder::new();
    let mut answers = Vec::new();
    for entry in dom_entries(trace) {
        match entry {
            Ok(entry) => {
                if let Entry::Gone { doc, .. } = &entry
                    && let Some(key) = recorder.mirror.key(doc).filter(|key| recorder.mirror.is_open(*key))
                {
                    answers.push(going(&recorder.mirror, key));
                }
                drop(recorder.feed(&entry));
            }
            Err(gap) => recorder.coverage.push(gap),
        }
    }
    (recorder, answers)
}
