//! `.trace.zip`: `trace.jsonl` and `blobs/`. The same trace gives the same bytes wherever it is written. What
//! comes from elsewhere is not trusted: sizes are counted while unpacking, and only names of ours are read.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

use super::{Event, Trace, TraceError, blob, jsonl};

/// The events' file within the archive.
pub const EVENTS: &str = "trace.jsonl";

/// How much is unpacked at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries in the archive.
    pub entries: usize,
    /// Bytes of all entries together, unpacked.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { entries: 100_000, bytes: 2 << 30 }
    }
}

/// The trace in a `.trace.zip`, and what was odd about it, as sentences.
///
/// # Errors
/// See [`TraceError`]. A damaged or missing blob is only a warning: the steps are still there.
pub fn read_zip(bytes: &[u8]) -> Result<(Trace, Vec<String>), TraceError> {
    read_zip_within(bytes, Limits::default())
}

/// As [`read_zip`], with limits of one's own.
///
/// # Errors
/// As [`read_zip`].
pub fn read_zip_within(bytes: &[u8], limits: Limits) -> Result<(Trace, Vec<String>), TraceError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| {
        let why = if bytes.is_empty() {
            "it is empty".to_owned()
        } else if bytes.starts_with(b"PK") {
            format!("it begins like one, but is cut off or damaged: {}", words(&e))
        } else {
            "it does not begin like one".to_owned()
        };
        TraceError::NotZip(why)
    })?;
    if archive.len() > limits.entries {
        return Err(TraceError::TooManyEntries { found: archive.len(), limit: limits.entries });
    }
    let mut left = limits.bytes;
    let Some(at) = archive.index_for_name(EVENTS) else { return Err(TraceError::NoEvents) };
    let lines = unpack(&mut archive, at, &mut left, limits.bytes)?;
    let (header, events, mut warnings) = jsonl::read(&lines)?;
    drop(lines);

    let mut blobs = BTreeMap::new();
    let mut ignored = 0usize;
    for index in 0..archive.len() {
        let Some(name) = archive.name_for_index(index).map(str::to_owned) else { continue };
        if index == at || name == "blobs/" {
            continue;
        }
        if !blob::is_blob_name(&name) {
            ignored += 1;
            continue;
        }
        match unpack(&mut archive, index, &mut left, limits.bytes) {
            Ok(bytes) => {
                if !blob::blob_matches(&name, &bytes) {
                    warnings.push(format!("{name} does not hold what its name promises: it was altered or damaged"));
                }
                blobs.insert(name, bytes);
            }
            Err(TraceError::Entry { name, why }) => warnings.push(format!("{name} is left out: {why}")),
            Err(other) => return Err(other),
        }
    }
    if ignored > 0 {
        warnings.push(format!("{ignored} entr(ies) of the archive that are no part of a trace were ignored"));
    }
    let missing = referenced(&events).into_iter().filter(|name| !blobs.contains_key(*name)).collect::<Vec<_>>();
    if let Some(first) = missing.first() {
        warnings.push(format!("{} blob(s) that the events name are not in the archive, as {first}", missing.len()));
    }
    Ok((Trace { header, events, blobs }, warnings))
}

/// The bytes of a `.trace.zip`; the same for the same trace.
///
/// # Errors
/// [`TraceError::Write`] when an event or a blob's name cannot be written.
pub fn write_zip(trace: &Trace) -> Result<Vec<u8>, TraceError> {
    let wrong = |e: &dyn std::fmt::Display| TraceError::Write(e.to_string());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // Nothing of the machine or the moment may enter the bytes.
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(0o644)
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(6));
    let lines = jsonl::write(&trace.header, &trace.events)?;
    writer.start_file(EVENTS, options).map_err(|e| wrong(&e))?;
    writer.write_all(lines.as_bytes()).map_err(|e| wrong(&e))?;
    for (name, bytes) in &trace.blobs {
        if !blob::is_blob_name(name) {
            return Err(TraceError::Write(format!("{name:?} is not a blob's name")));
        }
        // Pictures are compressed already.
        let packed = [".webp", ".png", ".jpg", ".jpeg"].iter().any(|ext| name.ends_with(ext));
        let method = if packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let level = if packed { None } else { Some(6) };
        writer
            .start_file(name.as_str(), options.compression_method(method).compression_level(level))
            .map_err(|e| wrong(&e))?;
        writer.write_all(bytes).map_err(|e| wrong(&e))?;
    }
    Ok(writer.finish().map_err(|e| wrong(&e))?.into_inner())
}

/// The blobs that events name, in order of names.
pub fn referenced(events: &[Event]) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for event in events {
        match event {
            Event::Step(step) | Event::Original(step) => {
                names.extend([&step.pre, &step.post].into_iter().flat_map(|s| &s.screenshot).map(|s| s.blob.as_str()));
            }
            Event::Dom(chunk) => {
                names.insert(chunk.blob.as_str());
            }
            _ => {}
        }
    }
    names
}

/// Unpacks one entry, counting what really comes out: the sizes an archive states are only its word.
fn unpack(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    left: &mut u64,
    limit: u64,
) -> Result<Vec<u8>, TraceError> {
    let name = archive.name_for_index(index).unwrap_or_default().to_owned();
    let entry = archive.by_index(index).map_err(|e| TraceError::Entry { name: name.clone(), why: words(&e) })?;
    let mut bytes = Vec::new();
    entry
        .take(left.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| TraceError::Entry { name, why: e.to_string() })?;
    let got = bytes.len() as u64;
    if got > *left {
        return Err(TraceError::TooLarge { limit });
    }
    *left -= got;
    Ok(bytes)
}

fn words(error: &ZipError) -> String {
    match error {
        ZipError::InvalidArchive(why) => why.to_string(),
        ZipError::UnsupportedArchive(why) => (*why).to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn round_trip_gives_the_same_bytes() {
        let trace = sample::trace();
        let bytes = write_zip(&trace).unwrap();
        let (back, warnings) = read_zip(&bytes).unwrap();
        assert_eq!((&back, warnings), (&trace, vec![]));
        assert_eq!(write_zip(&back).unwrap(), bytes);
        let archive = ZipArchive::new(Cursor::new(&bytes[..])).unwrap();
        assert_eq!(archive.name_for_index(0), Some(EVENTS));
        assert!(archive.file_names().all(|name| !name.ends_with('/')));
    }

    #[test]
    fn hostile_archives() {
        let lines = jsonl::write(&sample::header("a"), &[]).unwrap();
        let blob = blob::blob_name(b"x", "png");
        assert!(matches!(read_zip(b"not a zip"), Err(TraceError::NotZip(_))));
        assert!(matches!(read_zip(b""), Err(TraceError::NotZip(_))));
        assert_eq!(read_zip(&zip_of(&[("readme", b"x")])), Err(TraceError::NoEvents));
        assert!(matches!(read_zip(&zip_of(&[(EVENTS, b"{}")])), Err(TraceError::Header(_))));

        let odd = zip_of(&[("../../etc/passwd", b"x"), (EVENTS, lines.as_bytes()), (blob.as_str(), b"y")]);
        let (trace, warnings) = read_zip(&odd).unwrap();
        assert_eq!(trace.blobs.len(), 1);
        assert!(warnings.iter().any(|w| w.contains(&blob) && w.contains("altered")), "{warnings:?}");
        assert!(warnings.iter().any(|w| w.contains("ignored")), "{warnings:?}");

        let bomb = zip_of(&[(EVENTS, lines.as_bytes()), (blob.as_str(), &vec![0; 1 << 20])]);
        assert!(bomb.len() < 10_000);
        let limits = Limits { entries: 10, bytes: 1 << 16 };
        assert_eq!(read_zip_within(&bomb, limits), Err(TraceError::TooLarge { limit: 1 << 16 }));
        assert_eq!(
            read_zip_within(&bomb, Limits { entries: 1, ..limits }),
            Err(TraceError::TooManyEntries { found: 2, limit: 1 })
        );
    }

    #[test]
    fn every_cut_and_flip_is_an_answer() {
        let bytes = write_zip(&sample::trace()).unwrap();
        for cut in 0..bytes.len() {
            assert!(read_zip(&bytes[..cut]).is_err(), "{cut}");
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x5a;
            // Any answer but a panic will do: some bytes (times, permissions) mean nothing.
            let _ = read_zip(&bad);
        }
    }
}
