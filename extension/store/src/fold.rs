//! From a log to a trace.

use std::collections::BTreeMap;

use tracerule::edit::Recording;
use tracerule::steps::Recorder;
use tracerule::trace::{self, CoverageEvent, Event, Trace};
use tracerule::wire::log::Entry;

use crate::{Entries, SessionMeta, Store, StoreError};

/// A stored recording without its pages and pictures, for editing.
#[derive(Clone, Debug)]
pub struct Opened {
    /// In brief.
    pub meta: SessionMeta,
    /// Its steps and edits.
    pub recording: Recording,
    /// What could not be recorded.
    pub coverage: Vec<CoverageEvent>,
}

/// What a session's log folds into.
pub(crate) struct Folded {
    pub recorder: Recorder,
    /// What was imported, before the log.
    pub prior: Option<Recording>,
    pub imported: Vec<Event>,
    pub log: Entries,
}

impl Folded {
    pub fn recording(&self) -> Recording {
        self.recorder.with_edits(self.prior.as_ref())
    }
}

impl Store {
    /// Folds a session's log behind what was imported, if anything was.
    pub(crate) async fn fold(&self, meta: &SessionMeta) -> Result<Folded, StoreError> {
        let id = meta.header.id.as_str();
        let imported = if meta.imported { self.events(id).await? } else { Vec::new() };
        let prior = meta.imported.then(|| Recording::of(&imported));
        let log = self.entries(id).await?;
        let mut recorder = prior.as_ref().map_or_else(Recorder::new, Recorder::continuing);
        for entry in &log.entries {
            recorder.feed(entry);
        }
        Ok(Folded { recorder, prior, imported, log })
    }

    /// A recording, to be looked at and edited.
    pub async fn open_recording(&self, session: &str) -> Result<Opened, StoreError> {
        let meta = self.session(session).await?;
        let folded = self.fold(&meta).await?;
        let told = folded.imported.iter().filter_map(|event| match event {
            Event::Coverage(event) => Some(event.clone()),
            _ => None,
        });
        let coverage = told.chain(folded.recorder.coverage().iter().cloned()).collect();
        Ok(Opened { recording: folded.recording(), meta, coverage })
    }

    /// The whole trace, recorded or imported, with the edits laid over it. Every entry of a log that cannot
    /// be read is told by a coverage event.
    pub async fn load_trace(&self, session: &str) -> Result<Trace, StoreError> {
        let meta = self.session(session).await?;
        let folded = self.fold(&meta).await?;
        let mut header = meta.header;
        let mut blobs: BTreeMap<_, _> = self.blobs(session).await?.into_iter().collect();
        let ended = folded.log.entries.iter().find_map(|entry| match entry {
            Entry::End { t, ending } => Some((*t, ending.clone())),
            _ => None,
        });
        if let (Some((t, ending)), false) = (ended, meta.imported) {
            header.ended_ms = Some(t);
            header.ending = ending.or(header.ending);
        }
        let (recorded, chunks) = folded.recorder.finish(&folded.log.entries);
        blobs.extend(chunks);
        let recording = folded.recording();
        let mut events = folded.imported;
        if events.is_empty() {
            events = recorded;
        } else if !recorded.is_empty() {
            events.extend(recorded);
            events.sort_by(|a, b| a.t_ms().total_cmp(&b.t_ms()));
        }
        for error in folded.log.broken {
            let t_ms = events.last().map_or(header.started_ms, Event::t_ms);
            let detail = error.to_string();
            events.push(Event::Coverage(trace::CoverageEvent { t_ms, what: "gap".into(), detail }));
        }
        let mut trace = Trace { header, events, blobs };
        recording.write(&mut trace);
        tracerule::steps::renew_coverage(&mut trace.events);
        Ok(trace)
    }
}
