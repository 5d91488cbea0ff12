//! From a log to a trace.

use tracerule::steps::Recorder;
use tracerule::trace::{self, Trace};
use tracerule::wire::log::Entry;

use crate::{Entries, Store, StoreError};

impl Store {
    /// The whole trace, recorded or imported. Every entry of a log that cannot
    /// be read is told by a coverage event.
    pub async fn load_trace(&self, session: &str) -> Result<Trace, StoreError> {
        let meta = self.session(session).await?;
        let mut header = meta.header;
        let mut blobs: std::collections::BTreeMap<_, _> = self.blobs(session).await?.into_iter().collect();
        if meta.imported {
            return Ok(Trace { header, events: self.events(session).await?, blobs });
        }
        let Entries { entries, broken, .. } = self.entries(session).await?;
        let mut recorder = Recorder::new();
        for entry in &entries {
            recorder.feed(entry);
            if let Entry::End { t, ending } = entry {
                header.ended_ms = Some(*t);
                header.ending = ending.clone().or(header.ending);
            }
        }
        let (mut events, chunks) = recorder.finish(&entries);
        for error in broken {
            let t_ms = events.last().map_or(header.started_ms, trace::Event::t_ms);
            let detail = error.to_string();
            events.push(trace::Event::Coverage(trace::CoverageEvent { t_ms, what: "gap".into(), detail }));
        }
        blobs.extend(chunks);
        Ok(Trace { header, events, blobs })
    }
}
