//! References and runs as they come from files: traces, and plain step lists for people who bring sequences
//! from elsewhere (`{"title"?: …, "steps": [{"action": …, "target"?: …, "value"?: …, "key"?: …}]}`).
//!
//! Nothing is repaired silently. Names outside the vocabulary stay as they are, so that the published formula
//! treats them as it always did (unknown, case-sensitive), and a warning says what was probably meant.

mod list;
mod meaning;

pub use list::{ListStep, StepList};
pub use meaning::meant;

use crate::trace::{Trace, TraceError, archive, jsonl};

/// The most steps that are compared: the alignment's table grows with the product of both lengths.
pub const MAX_STEPS: usize = 10_000;

/// A reference or a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A recorded session.
    Trace(Box<Trace>),
    /// A plain step list.
    List(StepList),
}

impl Subject {
    /// How many steps it has.
    pub fn len(&self) -> usize {
        match self {
            Subject::Trace(trace) => trace.steps().count(),
            Subject::List(list) => list.steps.len(),
        }
    }

    /// Whether it has no step.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it is called, or nothing.
    pub fn title(&self) -> &str {
        match self {
            Subject::Trace(trace) => &trace.header.title,
            Subject::List(list) => &list.title,
        }
    }
}

/// Why a file is neither a trace nor a step list. Every message begins with the file's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is a trace, but not one that can be read.
    #[error("{file}: {source}")]
    Trace {
        /// The file.
        file: String,
        /// What is wrong.
        source: TraceError,
    },
    /// It is no zip archive and no JSON.
    #[error("{file}: neither a .trace.zip nor a JSON step list ({{\"steps\": […]}}): {why}")]
    Neither {
        /// The file.
        file: String,
        /// What was seen.
        why: String,
    },
    /// It is JSON, but not a step list.
    #[error("{file}: not a step list: {why}")]
    List {
        /// The file.
        file: String,
        /// What is wrong, and where.
        why: String,
    },
    /// One step of the list is wrong.
    #[error("{file}: steps[{index}]: {why}")]
    Step {
        /// The file.
        file: String,
        /// From 0.
        index: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It is too long to be aligned.
    #[error("{file}: it has {found} steps, more than the {MAX_STEPS} that can be aligned; split it into tasks")]
    TooLong {
        /// The file.
        file: String,
        /// How many.
        found: usize,
    },
}

/// Reads a trace (`.trace.zip`, or a bare `trace.jsonl` without its pictures) or a step list. `name` is only
/// for messages. Warnings are sentences without the name.
///
/// # Errors
/// See [`Error`].
pub fn read(name: &str, bytes: &[u8]) -> Result<(Subject, Vec<String>), Error> {
    let file = || name.to_owned();
    let looks_zipped = bytes.starts_with(b"PK") || name.ends_with(".zip");
    let (subject, warnings) = if looks_zipped {
        let (trace, warnings) = archive::read_zip(bytes).map_err(|source| Error::Trace { file: file(), source })?;
        (Subject::Trace(Box::new(trace)), warnings)
    } else if is_jsonl(bytes) {
        let (header, events, mut warnings) =
            jsonl::read(bytes).map_err(|source| Error::Trace { file: file(), source })?;
        warnings
            .push("a bare trace.jsonl: its screenshots and DOM chunks are in the .trace.zip it came from".to_owned());
        (Subject::Trace(Box::new(Trace { header, events, blobs: Default::default() })), warnings)
    } else {
        let (list, warnings) = list::read(name, bytes)?;
        (Subject::List(list), warnings)
    };
    let found = subject.len();
    if found > MAX_STEPS {
        return Err(Error::TooLong { file: file(), found });
    }
    Ok((subject, warnings))
}

/// A first line that is an object with a format: JSON Lines of ours (or of a later version, which is told so).
fn is_jsonl(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    serde_json::from_slice::<serde_json::Value>(first)
        .is_ok_and(|value| value.get("format").is_some() && value.get("steps").is_none())
}
