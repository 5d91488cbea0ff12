//! Formats in and out. Every conversion goes over the trace and gives a [`Loss`] report beside its result:
//! each thing that was dropped or changed, with its step, field, reason and gravity. `docs/FORMATS.md` tells what
//! each format keeps.
//!
//! One file for each format; shared are locators, keys, and strings of other languages. What comes from
//! elsewhere is not trusted: it is read with limits, and what is wrong with it is said, never guessed.

use serde::{Deserialize, Serialize};

use crate::trace::{Outcome, Step, Trace, archive, jsonl};

mod browser_gym;
mod build;
mod carry;
mod code;
mod codegen;
mod detect;
mod dialog;
#[cfg(test)]
mod foreign;
mod instrumented;
mod keys;
mod locator;
mod loss;
mod pages;
mod playwright_test;
mod playwright_trace;
mod puppeteer;
mod readback;
mod rrweb;
mod secret;
mod selector;
mod selenium;
#[cfg(test)]
mod tests;
mod xpath;

pub use detect::detect;
pub use loss::{Change, Counts, Loss, LossItem, Severity, StepCounts};

/// A file format that Tracerule reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Tracerule's own `.trace.zip`.
    Tracerule,
    /// A user flow of Chrome's DevTools Recorder and `@puppeteer/replay`, JSON.
    PuppeteerReplay,
    /// A trace of Playwright, zip: versions 3 to 10 in, 10 out.
    PlaywrightTrace,
    /// A test for `@playwright/test` in TypeScript; out only.
    PlaywrightTest,
    /// A test for pytest-playwright in Python; out only.
    PlaywrightPython,
    /// What Playwright's codegen writes with `--target jsonl`.
    PlaywrightCodegen,
    /// A project of Selenium IDE, `.side`.
    SeleniumSide,
    /// Events of rrweb and for its replayer, JSON.
    Rrweb,
    /// Action strings of BrowserGym, one a line.
    BrowserGym,
    /// The JSON-lines log of an instrumented Playwright page; in only.
    InstrumentedPage,
}

/// How a conversion is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Leave out what only Tracerule reads back, for a file that holds nothing beyond its own format.
    pub plain: bool,
}

/// What an export made.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// The files, the main one first.
    pub files: Vec<File>,
    /// What they do not hold.
    pub loss: Loss,
}

/// A file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without folders.
    pub name: String,
    /// Its media type.
    pub media: &'static str,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Why a file could not be converted. Every message says what to do next or what was wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The content is of no format that is known.
    #[error(
        "{file}: of no format that Tracerule knows by its content ({why}); say which it is, one of {}",
        Format::names(Format::can_import)
    )]
    Unknown {
        /// The file.
        file: String,
        /// What was seen.
        why: String,
    },
    /// The content may be of several formats.
    #[error("{file}: may be {}; say which", or(formats))]
    Ambiguous {
        /// The file.
        file: String,
        /// Which.
        formats: Vec<Format>,
    },
    /// The file is not what its format wants.
    #[error("{file}: not a readable {}: {why}", format.title())]
    Invalid {
        /// The file.
        file: String,
        /// As what it was read.
        format: Format,
        /// What is wrong, and where.
        why: String,
    },
    /// The format is not read.
    #[error("{} is written but not read; what is read: {}", .0.title(), Format::names(Format::can_import))]
    ReadOnlyOut(Format),
    /// The format is not written.
    #[error("{} is read but not written; what is written: {}", .0.title(), Format::names(Format::can_export))]
    WriteOnlyIn(Format),
    /// The trace cannot be told in the format.
    #[error("the trace cannot be written as a {}: {why}", format.title())]
    Export {
        /// As what.
        format: Format,
        /// Why.
        why: String,
    },
}

fn or(formats: &[Format]) -> String {
    let names: Vec<String> = formats.iter().map(|f| format!("{} ({})", f.name(), f.title())).collect();
    names.join(" or ")
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 10] = [
        Format::Tracerule,
        Format::PuppeteerReplay,
        Format::PlaywrightTrace,
        Format::PlaywrightTest,
        Format::PlaywrightPython,
        Format::PlaywrightCodegen,
        Format::SeleniumSide,
        Format::Rrweb,
        Format::BrowserGym,
        Format::InstrumentedPage,
    ];

    /// Its name on the command line and in loss reports.
    pub fn name(self) -> &'static str {
        match self {
            Format::Tracerule => "tracerule",
            Format::PuppeteerReplay => "puppeteer-replay",
            Format::PlaywrightTrace => "playwright-trace",
            Format::PlaywrightTest => "playwright-test",
            Format::PlaywrightPython => "playwright-python",
            Format::PlaywrightCodegen => "playwright-codegen",
            Format::SeleniumSide => "selenium-side",
            Format::Rrweb => "rrweb",
            Format::BrowserGym => "browser-gym",
            Format::InstrumentedPage => "instrumented-page",
        }
    }

    /// The format of that name, or of one of its other names.
    pub fn from_name(name: &str) -> Option<Format> {
        let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        Format::ALL.into_iter().find(|format| format.name() == name).or(match name.as_str() {
            "trace" | "trace.zip" => Some(Format::Tracerule),
            "puppeteer" | "replay" | "devtools" | "recorder" | "chrome-recorder" => Some(Format::PuppeteerReplay),
            "playwright" | "playwright-ts" | "typescript" | "ts" => Some(Format::PlaywrightTest),
            "playwright-py" | "pytest" | "python" => Some(Format::PlaywrightPython),
            "codegen" | "jsonl" | "codegen-jsonl" => Some(Format::PlaywrightCodegen),
            "selenium" | "side" | ".side" | "selenium-ide" => Some(Format::SeleniumSide),
            "browsergym" => Some(Format::BrowserGym),
            "instrumented" => Some(Format::InstrumentedPage),
            _ => None,
        })
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Format::Tracerule => "trace of Tracerule",
            Format::PuppeteerReplay => "user flow of DevTools Recorder (@puppeteer/replay)",
            Format::PlaywrightTrace => "trace of Playwright",
            Format::PlaywrightTest => "Playwright test in TypeScript",
            Format::PlaywrightPython => "Playwright test in Python",
            Format::PlaywrightCodegen => "JSONL file of Playwright's codegen",
            Format::SeleniumSide => "project of Selenium IDE (.side)",
            Format::Rrweb => "list of rrweb events",
            Format::BrowserGym => "list of BrowserGym actions",
            Format::InstrumentedPage => "log of an instrumented Playwright page",
        }
    }

    /// Its name for lists to choose from: the tool's own name and how its files end.
    pub fn label(self) -> &'static str {
        match self {
            Format::Tracerule => "Tracerule .trace.zip",
            Format::PuppeteerReplay => "DevTools Recorder, @puppeteer/replay .json",
            Format::PlaywrightTrace => "Playwright trace .zip",
            Format::PlaywrightTest => "Playwright test .spec.ts",
            Format::PlaywrightPython => "Playwright pytest .py",
            Format::PlaywrightCodegen => "Playwright codegen .jsonl",
            Format::SeleniumSide => "Selenium IDE .side",
            Format::Rrweb => "rrweb .json",
            Format::BrowserGym => "BrowserGym .py",
            Format::InstrumentedPage => "Playwright page log .jsonl",
        }
    }

    /// How the names of its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Tracerule => "trace.zip",
            Format::PuppeteerReplay => "recorder.json",
            Format::PlaywrightTrace => "playwright.zip",
            Format::PlaywrightTest => "spec.ts",
            Format::PlaywrightPython => "py",
            Format::PlaywrightCodegen => "codegen.jsonl",
            Format::SeleniumSide => "side",
            Format::Rrweb => "rrweb.json",
            Format::BrowserGym => "actions.py",
            Format::InstrumentedPage => "log.jsonl",
        }
    }

    /// Its media type.
    pub fn media(self) -> &'static str {
        match self {
            Format::Tracerule | Format::PlaywrightTrace => "application/zip",
            Format::PuppeteerReplay | Format::SeleniumSide | Format::Rrweb => "application/json",
            Format::PlaywrightCodegen | Format::InstrumentedPage => "application/x-ndjson",
            Format::PlaywrightTest | Format::PlaywrightPython | Format::BrowserGym => "text/plain",
        }
    }

    /// Whether files of it are read.
    pub fn can_import(self) -> bool {
        !matches!(self, Format::PlaywrightTest | Format::PlaywrightPython)
    }

    /// Whether files of it are written.
    pub fn can_export(self) -> bool {
        self != Format::InstrumentedPage
    }

    /// The names of the formats that pass a test, for messages.
    pub fn names(test: fn(Format) -> bool) -> String {
        Format::ALL.into_iter().filter(|format| test(*format)).map(Format::name).collect::<Vec<_>>().join(", ")
    }

    /// The formats that a file to be written may be of, by its name; several when the name says too little.
    pub fn by_file_name(name: &str) -> Vec<Format> {
        let name = name.to_ascii_lowercase();
        let of = |formats: &[Format]| formats.to_vec();
        for format in [
            Format::PuppeteerReplay,
            Format::PlaywrightTrace,
            Format::PlaywrightCodegen,
            Format::Rrweb,
            Format::BrowserGym,
        ] {
            if name.ends_with(&format!(".{}", format.extension())) {
                return of(&[format]);
            }
        }
        if name.ends_with(".trace.zip") {
            of(&[Format::Tracerule])
        } else if name.ends_with(".zip") {
            of(&[Format::Tracerule, Format::PlaywrightTrace])
        } else if name.ends_with(".ts") {
            of(&[Format::PlaywrightTest])
        } else if name.ends_with(".py") {
            of(&[Format::PlaywrightPython, Format::BrowserGym])
        } else if name.ends_with(".side") {
            of(&[Format::SeleniumSide])
        } else if name.ends_with(".jsonl") {
            of(&[Format::PlaywrightCodegen])
        } else if name.ends_with(".json") {
            of(&[Format::PuppeteerReplay, Format::Rrweb])
        } else {
            Vec::new()
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Writes a trace in a format. `name` is what the files are called before their extension.
///
/// # Errors
/// [`Error::WriteOnlyIn`] and [`Error::Export`].
pub fn export(trace: &Trace, name: &str, format: Format, options: &Options) -> Result<Exported, Error> {
    let mut loss = Loss::new(Format::Tracerule, format);
    let count = u32::try_from(trace.steps().count()).unwrap_or(u32::MAX);
    loss.steps = StepCounts { read: count, written: count };
    let bytes = write(trace, format, options, &mut loss)?;
    if options.plain && format.can_import() && !matches!(format, Format::Tracerule | Format::Rrweb) {
        readback::check(trace, format, options, &mut loss);
    }
    loss.close();
    let file = File { name: format!("{name}.{}", format.extension()), media: format.media(), bytes };
    Ok(Exported { files: vec![file], loss })
}

/// The bytes of a trace in a format, and what the writer knows of its losses.
fn write(trace: &Trace, format: Format, options: &Options, loss: &mut Loss) -> Result<Vec<u8>, Error> {
    Ok(match format {
        Format::Tracerule => archive::write_zip(trace).map_err(|e| Error::Export { format, why: e.to_string() })?,
        Format::Rrweb => rrweb::write(trace, options, loss).map_err(|why| Error::Export { format, why })?,
        Format::PuppeteerReplay => puppeteer::export(trace, options, loss)?,
        Format::PlaywrightTrace => playwright_trace::export(trace, options, loss)?,
        Format::PlaywrightTest => playwright_test::export(trace, playwright_test::Lang::TypeScript, loss)?,
        Format::PlaywrightPython => playwright_test::export(trace, playwright_test::Lang::Python, loss)?,
        Format::PlaywrightCodegen => codegen::export(trace, options, loss)?,
        Format::SeleniumSide => selenium::export(trace, options, loss)?,
        Format::BrowserGym => browser_gym::export(trace, loss)?,
        Format::InstrumentedPage => return Err(Error::WriteOnlyIn(format)),
    })
}

/// Reads a file as a trace. Without a format its content decides. `name` is only for messages.
///
/// # Errors
/// [`Error::Unknown`] and [`Error::Ambiguous`] when no format is given, [`Error::Invalid`] when the content is
/// not what the format wants.
pub fn import(name: &str, bytes: &[u8], format: Option<Format>) -> Result<(Trace, Loss), Error> {
    let format = match format {
        Some(format) => format,
        None => detect(name, bytes)?,
    };
    let mut loss = Loss::new(format, Format::Tracerule);
    let invalid = |why: String| Error::Invalid { file: name.to_owned(), format, why };
    let trace = match format {
        Format::Tracerule => {
            let (trace, warnings) = if bytes.starts_with(b"PK") {
                archive::read_zip(bytes).map_err(|e| invalid(e.to_string()))?
            } else {
                let (header, events, warnings) = jsonl::read(bytes).map_err(|e| invalid(e.to_string()))?;
                (Trace { header, events, blobs: Default::default() }, warnings)
            };
            for (at, warning) in warnings.into_iter().enumerate() {
                loss.dropped(None, format!("warnings[{at}]"), Severity::Minor, warning);
            }
            trace
        }
        Format::Rrweb => rrweb::read(bytes, &mut loss).map_err(invalid)?,
        Format::PuppeteerReplay => puppeteer::import(bytes, &mut loss).map_err(invalid)?,
        Format::PlaywrightTrace => playwright_trace::import(bytes, &mut loss).map_err(invalid)?,
        Format::PlaywrightCodegen => codegen::import(bytes, &mut loss).map_err(invalid)?,
        Format::SeleniumSide => selenium::import(bytes, &mut loss).map_err(invalid)?,
        Format::BrowserGym => browser_gym::import(bytes, &mut loss).map_err(invalid)?,
        Format::InstrumentedPage => instrumented::import(bytes, &mut loss).map_err(invalid)?,
        Format::PlaywrightTest | Format::PlaywrightPython => return Err(Error::ReadOnlyOut(format)),
    };
    let written = u32::try_from(trace.steps().count()).unwrap_or(u32::MAX);
    loss.steps.written = written;
    if loss.steps.read == 0 {
        loss.steps.read = written;
    }
    loss.close();
    Ok((trace, loss))
}

/// Why a step is not done again in other tools' files; `None` for those that are.
fn left_out(step: &Step) -> Option<&'static str> {
    if step.perturbation.is_some() {
        return Some("it answers a perturbation, which will not be there");
    }
    matches!(step.outcome, Outcome::Error { .. }).then_some("it failed when it was recorded")
}

/// How grave it is that a click in a row of three is one: in a field it only marks what the next fill replaces anyway.
fn clicks_lost(step: &Step) -> Severity {
    let role = step.target.as_ref().map_or("", |target| target.role.as_str());
    if matches!(role, "textbox" | "searchbox" | "spinbutton") { Severity::Minor } else { Severity::Major }
}

/// JSON with two spaces of indentation and a last line feed.
fn pretty(value: &serde_json::Value) -> Vec<u8> {
    // A value of serde_json always has a text.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}
