//! Task files: what is set to an agent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use tracerule::reference::{self, Subject};
use tracerule::trace::{Capture, PictureFormat};

use crate::error::CliError;
use crate::weburl;

/// A task file is short; more is a mistake.
const SIZE_CAP: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    url: String,
    goal: String,
    reference: Option<PathBuf>,
    start: Option<String>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    capture: Pictures,
}

/// How pictures are taken.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Pictures {
    picture: PictureFormat,
    quality: Option<u8>,
    full_page: bool,
    settle_for: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Limits {
    steps: u32,
    seconds: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 100, seconds: 300.0 }
    }
}

/// A reference, read.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its file's name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What they say.
    pub subject: Subject,
}

/// A task, checked.
#[derive(Clone, Debug)]
pub struct Task {
    /// Names it in traces and keys the perturbations.
    pub name: String,
    /// Where it begins.
    pub url: url::Url,
    /// What the agent is told.
    pub goal: String,
    /// What it is measured against.
    pub reference: Option<Reference>,
    /// A shell command that serves the page while runs go on.
    pub start: Option<String>,
    /// The directory of the file; `start` runs there.
    pub dir: PathBuf,
    /// Steps that a run may have.
    pub step_limit: u32,
    /// Time that a run may take.
    pub time_limit: Duration,
    /// How pictures are taken, and what is waited for before them.
    pub capture: Capture,
}

/// Reads a task file. `reference` replaces the one it names.
///
/// # Errors
/// Wrong input: what is wrong, with line and column where the file's grammar is hurt.
pub fn read(path: &Path, reference: Option<&Path>) -> Result<Task, CliError> {
    let at = |why: String| CliError::usage(format!("{}: {why}", path.display()));
    let data = std::fs::metadata(path).map_err(|e| at(e.to_string()))?;
    if data.is_dir() {
        return Err(at("is a directory; give a task file".to_owned()));
    }
    if data.len() > SIZE_CAP {
        return Err(at(format!("has {} bytes; a task file is a short TOML file", data.len())));
    }
    let bytes = std::fs::read(path).map_err(|e| at(e.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| at("is not UTF-8 text; a task file is TOML with at least name, url and goal".to_owned()))?;
    let file: File = toml::from_str(&text).map_err(|e| at(e.to_string().trim_end().replace('\n', "\n  ")))?;
    for (key, value) in [("name", &file.name), ("goal", &file.goal)] {
        if value.trim().is_empty() {
            return Err(at(format!("'{key}' is empty")));
        }
    }
    if file.limits.steps == 0 {
        return Err(at("'limits.steps' is 0; give at least 1".to_owned()));
    }
    let seconds = file.limits.seconds;
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        return Err(at(format!("'limits.seconds' is {seconds}; give more than 0 and at most 86400")));
    }
    let Pictures { picture, quality, full_page, settle_for } = file.capture;
    let capture = Capture { picture, quality, full_page, settle_for };
    capture.validate().map_err(|why| at(format!("'capture': {why}")))?;
    let url = weburl::parse(&file.url).map_err(|e| at(format!("'url': {}", e.message)))?;
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let reference = match (reference, &file.reference) {
        (Some(given), _) => Some(read_reference(given)?),
        (None, Some(named)) => Some(read_reference(&dir.join(named))?),
        (None, None) => None,
    };
    Ok(Task {
        name: file.name.trim().to_owned(),
        url,
        goal: file.goal.trim().to_owned(),
        reference,
        start: file.start.filter(|start| !start.trim().is_empty()),
        dir,
        step_limit: file.limits.steps,
        time_limit: Duration::from_secs_f64(seconds),
        capture,
    })
}

/// Reads a reference, with warnings on standard error.
///
/// # Errors
/// Wrong input.
pub fn read_reference(path: &Path) -> Result<Reference, CliError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|e| CliError::usage(format!("{name}: {e}")))?;
    let (subject, warnings) = reference::read(&name, &bytes).map_err(|e| CliError::usage(e.to_string()))?;
    for warning in warnings {
        eprintln!("warning: {name}: {warning}");
    }
    let name = path.file_name().map_or(name.clone(), |name| name.to_string_lossy().into_owned());
    Ok(Reference { name, bytes, subject })
}
