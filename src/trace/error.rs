//! What can be wrong with a trace file.

/// Why bytes are not a trace that this build can read, or a trace could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// Not a zip archive, or one that is cut off.
    #[error("this is not a zip archive ({0}); a trace is a .trace.zip file as saved by Tracerule")]
    NotZip(String),
    /// A zip archive of something else.
    #[error("the archive holds no trace.jsonl; a trace is a .trace.zip file as saved by Tracerule")]
    NoEvents,
    /// An entry that cannot be unpacked.
    #[error("the archive's entry {name} cannot be unpacked: {why}; take a fresh copy of the file")]
    Entry {
        /// Its name.
        name: String,
        /// The unpacker's words.
        why: String,
    },
    /// More entries than any trace has.
    #[error("the archive has {found} entries, more than the {limit} that a trace may have")]
    TooManyEntries {
        /// How many.
        found: usize,
        /// How many at most.
        limit: usize,
    },
    /// It unpacks to more than may be held in memory.
    #[error("the archive unpacks to more than {limit} bytes, the most that a trace may have")]
    TooLarge {
        /// In bytes.
        limit: u64,
    },
    /// No line at all.
    #[error("trace.jsonl is empty; its first line must be the header")]
    Empty,
    /// The first line is not a header.
    #[error("line 1 of trace.jsonl is not a trace's header: {0}")]
    Header(String),
    /// JSON Lines of something else.
    #[error("the header's format is {0:?} and not \"tracerule-trace\": this is not a trace of Tracerule")]
    Format(String),
    /// Written by a later version.
    #[error("the trace has format version {found} and this build reads up to {known}; update Tracerule")]
    Newer {
        /// The file's.
        found: u64,
        /// The newest this build reads.
        known: u32,
    },
    /// A line that is longer than any record.
    #[error("line {line} of trace.jsonl has {bytes} bytes, more than the {limit} that a record may have")]
    LineTooLong {
        /// From 1.
        line: usize,
        /// Its length.
        bytes: usize,
        /// The longest allowed.
        limit: usize,
    },
    /// A line that is no event.
    #[error("line {line} of trace.jsonl is not a valid event: {why}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A value that JSON cannot hold, or a full disk of the archive.
    #[error("the trace cannot be written: {0}")]
    Write(String),
}
