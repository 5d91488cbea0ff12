//! Taking a masked value out of what is kept.

use std::collections::BTreeSet;

use js_sys::{Array, Uint8Array};
use tracerule::edit::mask::{self, Scrub};
use tracerule::trace::{CoverageEvent, Event, Trace};
use tracerule::wire::log::Entry;
use wasm_bindgen::JsValue;

use crate::idb::Writing;
use crate::{Entries, Record, Store, StoreError, json, unreadable};

impl Store {
    /// Rewrites a session that is not being recorded without the values that its edits mask, and forgets the
    /// pictures that may show them. This is the one thing that changes what was recorded. Gives the number of
    /// pictures that went.
    ///
    /// # Errors
    /// When the store cannot be read or written; then nothing was changed.
    pub async fn scrub(&self, session: &str) -> Result<u32, StoreError> {
        let mut meta = self.session(session).await?;
        let mut folded = self.fold(&meta).await?;
        let recording = folded.recording();
        let mut scrub = Scrub::new(mask::values(&recording));
        if scrub.is_empty() {
            return Ok(0);
        }
        let mut before =
            Trace { header: meta.header.clone(), events: folded.imported.clone(), blobs: Default::default() };
        for event in &folded.imported {
            if let Event::Dom(chunk) = event
                && let Some(bytes) = self.blob(session, &chunk.blob).await?
            {
                before.blobs.insert(chunk.blob.clone(), bytes);
            }
        }
        let old: Vec<String> = before.blobs.keys().cloned().collect();
        let (told, _) = folded.recorder.finish(&folded.log.entries);
        for entry in &folded.log.entries {
            scrub.learn(entry);
        }
        for entry in &folded.log.entries {
            scrub.gather(entry);
        }
        let mut changed = Vec::new();
        for (at, entry) in folded.log.entries.iter_mut().enumerate() {
            if scrub.entry(entry) {
                changed.push(at);
            }
        }
        mask::apply(&recording, &mut before);
        let told: Vec<Event> = before.events.iter().cloned().chain(told).collect();
        let pictures = mask::pictures(&recording, &told, scrub.echoed);
        for (at, entry) in folded.log.entries.iter_mut().enumerate() {
            if let Entry::Shot { blob, t_start, .. } = entry
                && pictures.contains(blob.as_str())
            {
                let detail = "A picture was left out, since it may show a value that was masked.".to_owned();
                *entry = Entry::Coverage(CoverageEvent { t_ms: *t_start, what: "screenshot".to_owned(), detail });
                changed.push(at);
            }
        }
        let stores = ["sessions", "log", "events", "blobs"];
        let writing = Writing::begin(&self.database, &stores, "taking a masked value out of the store")?;
        let key = |name: &str| Array::of2(&session.into(), &name.into());
        for at in loosened(&folded.log, &changed) {
            let number: JsValue = Array::of2(&session.into(), &(folded.log.numbers[at] as f64).into()).into();
            let record = Record::of(&folded.log.entries[at]).map_err(|e| unreadable(session, "changed entry", &e))?;
            writing.put("log", &number, &record.value())?;
        }
        for name in old
            .iter()
            .map(String::as_str)
            .filter(|name| !before.blobs.contains_key(*name))
            .chain(pictures.iter().copied())
        {
            writing.delete("blobs", &key(name))?;
        }
        for (name, bytes) in before.blobs.iter().filter(|(name, _)| !old.contains(name)) {
            writing.put("blobs", &key(name), &Uint8Array::from(bytes.as_slice()))?;
        }
        if meta.imported {
            writing.put("events", &session.into(), &json(&before.events)?.into())?;
        }
        meta.header = before.header;
        writing.put("sessions", &session.into(), &json(&meta)?.into())?;
        writing.finish().await?;
        Ok(u32::try_from(pictures.len()).unwrap_or(u32::MAX))
    }
}

/// Where the entries lie that are to be written so that those at `changed` are: a chunk is written anew one by one, the
/// first in its place.
fn loosened(log: &Entries, changed: &[usize]) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    for at in changed {
        let number = log.numbers[*at];
        match log.chunks.iter().find(|chunk| chunk.contains(&number)) {
            Some(chunk) => all.extend((0..log.numbers.len()).filter(|i| chunk.contains(&log.numbers[*i]))),
            None => {
                all.insert(*at);
            }
        }
    }
    all
}
