//! Which format a file is of, by what is in it.

use std::io::Cursor;

use serde_json::Value;
use zip::ZipArchive;

use super::{Error, Format, browser_gym, codegen, instrumented, puppeteer, rrweb, selenium};
use crate::trace::archive::EVENTS;

/// So many lines are looked at.
const LINES: usize = 3;

/// The format of a file by its content; the name is only for messages.
///
/// # Errors
/// [`Error::Unknown`] and [`Error::Ambiguous`].
pub fn detect(name: &str, bytes: &[u8]) -> Result<Format, Error> {
    let unknown = |why: String| Error::Unknown { file: name.to_owned(), why };
    let formats = if bytes.starts_with(b"PK") {
        archive(bytes).map_err(unknown)?
    } else {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(unknown("it is neither a zip archive nor text".to_owned()));
        };
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(unknown("it is empty".to_owned()));
        }
        of_text(text)
    };
    match formats[..] {
        [format] => Ok(format),
        [] => Err(unknown("nothing in it was recognised".to_owned())),
        _ => Err(Error::Ambiguous { file: name.to_owned(), formats }),
    }
}

fn archive(bytes: &[u8]) -> Result<Vec<Format>, String> {
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| format!("a damaged zip archive: {e}"))?;
    let mut formats = Vec::new();
    if archive.index_for_name(EVENTS).is_some() {
        formats.push(Format::Tracerule);
    }
    if archive.file_names().any(|name| name.ends_with(".trace")) {
        formats.push(Format::PlaywrightTrace);
    }
    if formats.is_empty() {
        return Err("a zip archive without a trace of Tracerule or Playwright".to_owned());
    }
    Ok(formats)
}

fn of_text(text: &str) -> Vec<Format> {
    let mut formats = Vec::new();
    if rrweb::looks_like(text.as_bytes()) {
        formats.push(Format::Rrweb);
    }
    // `stringify` of @puppeteer/replay ends with a comment, which JSON has not.
    let json = match text.rsplit_once('\n') {
        Some((before, last)) if last.trim_start().starts_with("//#") => before,
        _ => text,
    };
    if let Ok(value) = serde_json::from_str::<Value>(json) {
        if puppeteer::looks_like(&value) {
            formats.push(Format::PuppeteerReplay);
        }
        if selenium::looks_like(&value) {
            formats.push(Format::SeleniumSide);
        }
        if instrumented::looks_like(&value) {
            formats.push(Format::InstrumentedPage);
        }
        if codegen::looks_like(std::slice::from_ref(&value)) {
            formats.push(Format::PlaywrightCodegen);
        }
        if value.get("format").and_then(Value::as_str) == Some(crate::trace::FORMAT) {
            formats.push(Format::Tracerule);
        }
        return formats;
    }
    // The first objects, one a line or glued together by the letter n.
    let records: Vec<Value> =
        serde_json::Deserializer::from_str(text).into_iter::<Value>().map_while(Result::ok).take(LINES).collect();
    if let Some(first) = records.first() {
        if first.get("format").and_then(Value::as_str) == Some(crate::trace::FORMAT) {
            formats.push(Format::Tracerule);
        }
        if instrumented::looks_like(first) {
            formats.push(Format::InstrumentedPage);
        }
        if codegen::looks_like(&records) {
            formats.push(Format::PlaywrightCodegen);
        }
        return formats;
    }
    if browser_gym::looks_like(text) {
        formats.push(Format::BrowserGym);
    }
    formats
}
