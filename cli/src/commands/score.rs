//! `tracerule score`: runs measured against a reference.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use tracerule::reference::{self, Subject};
use tracerule::score::model::{EncounterResult, Outcome};
use tracerule::score::{Report, Run, score};

use crate::error::{self, CliError};

/// Scores runs against a reference.
///
/// REFERENCE and RUN are .trace.zip files, or plain step lists as
/// {"steps":[{"action":"click","target":"login","value":"x"}, …]}. Prints a table; with --json the whole report,
/// with runs[] as profiles.classic.{distance,score}, profiles.strict.{distance,worst,score}, hard, soft,
/// step_efficiency, recovery_score, steps, alignment, anomalies, encounters and reasons. Undefined numbers are
/// null (and "–" in the table), never 0. Warnings go to stderr.
///
/// Exit codes: 0 scored; 1 scored, but a run is under a --fail-under limit; 2 a file cannot be read or a limit
/// is not understood.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What the expert did.
    #[arg(value_name = "REFERENCE")]
    pub reference: PathBuf,
    /// What is measured.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// The whole report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 if any run is under this limit: hard, soft (1 for success, 0 for failure), classic or
    /// strict (0 to 1). An undefined number is under every limit. May be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub fail_under: Vec<Limit>,
}

/// The least that every run must reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    key: Key,
    least: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Hard,
    Soft,
    Classic,
    Strict,
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text.split_once('=').ok_or("wanted is KEY=VALUE, as classic=0.9")?;
        let key = match key.trim() {
            "hard" => Key::Hard,
            "soft" => Key::Soft,
            "classic" => Key::Classic,
            "strict" => Key::Strict,
            other => return Err(format!("{other:?} is none of hard, soft, classic, strict")),
        };
        let least = match value.trim() {
            "true" => 1.0,
            "false" => 0.0,
            number => number.parse().map_err(|_| format!("{number:?} is not a number from 0 to 1"))?,
        };
        if !(0.0..=1.0).contains(&least) {
            return Err(format!("{least} is not from 0 to 1"));
        }
        Ok(Limit { key, least })
    }
}

impl Limit {
    /// Why the run is under the limit, if it is.
    fn missed(&self, run: &Run) -> Option<String> {
        let success = |verdict: Option<bool>| verdict.map(|reached| if reached { 1.0 } else { 0.0 });
        let (name, got) = match self.key {
            Key::Hard => ("hard", success(run.hard)),
            Key::Soft => ("soft", success(run.soft)),
            Key::Classic => ("classic", Some(run.profiles.classic.score)),
            Key::Strict => ("strict", Some(run.profiles.strict.score)),
        };
        match got {
            Some(got) if got >= self.least => None,
            Some(got) => Some(format!("{}: {name} is {got}, under {}", run.name, self.least)),
            None => Some(format!("{}: {name} is undefined, under {}", run.name, self.least)),
        }
    }
}

/// Scores and prints.
///
/// # Errors
/// When a file cannot be read.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let Scored { report, .. } = score_files(&args.reference, &args.runs)?;
    let mut text = if args.json {
        serde_json::to_string_pretty(&report)
            .map_err(|e| CliError::failed(format!("the report cannot be written as JSON: {e}")))?
    } else {
        table(&report)
    };
    if args.json {
        text.push('\n');
    }
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    let missed: Vec<String> =
        report.runs.iter().flat_map(|run| args.fail_under.iter().filter_map(|limit| limit.missed(run))).collect();
    if missed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(CliError::new(error::JUDGED, missed.join("\n")))
}

/// A report and what it is about.
pub(crate) struct Scored {
    pub report: Report,
    pub reference: Subject,
    pub runs: Vec<(String, Subject)>,
}

/// Reads and scores; warnings are told on stderr and kept in the report.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn score_files(reference: &Path, runs: &[PathBuf]) -> Result<Scored, CliError> {
    let (reference_name, wanted, reference_warnings) = read_subject(reference)?;
    warn(&reference_name, &reference_warnings);
    let mut subjects = Vec::new();
    let mut warnings = Vec::new();
    for path in runs {
        let (name, subject, odd) = read_subject(path)?;
        warn(&name, &odd);
        subjects.push((name, subject));
        warnings.push(odd);
    }
    // Runs of one name from several directories are told apart by their paths.
    let names: Vec<String> = subjects.iter().map(|(name, _)| name.clone()).collect();
    for (at, path) in runs.iter().enumerate() {
        if names.iter().filter(|name| **name == names[at]).count() > 1 {
            subjects[at].0 = path.display().to_string();
        }
    }
    let mut report = score(&wanted, &subjects);
    report.reference.warnings = reference_warnings;
    for (run, odd) in report.runs.iter_mut().zip(warnings) {
        run.warnings = odd;
    }
    Ok(Scored { report, reference: wanted, runs: subjects })
}

/// Reads a trace or a step list: its file name, itself, and what was odd.
///
/// # Errors
/// When it cannot be read or is neither.
pub(crate) fn read_subject(path: &Path) -> Result<(String, Subject, Vec<String>), CliError> {
    let shown = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|e| {
        let hint = if path.is_dir() { "it is a directory; name a file in it".to_owned() } else { e.to_string() };
        CliError::usage(format!("{shown}: cannot be read: {hint}"))
    })?;
    let (subject, warnings) = reference::read(&shown, &bytes).map_err(|e| CliError::usage(e.to_string()))?;
    let name = path.file_name().map_or(shown.clone(), |name| name.to_string_lossy().into_owned());
    Ok((name, subject, warnings))
}

/// Tells of oddities on stderr.
pub(crate) fn warn(name: &str, warnings: &[String]) {
    let mut err = std::io::stderr().lock();
    for warning in warnings {
        let _ = writeln!(err, "warning: {name}: {warning}");
    }
}

/// The report for a terminal.
pub(crate) fn table(report: &Report) -> String {
    const UNDEFINED: &str = "–";
    let verdict = |verdict: Option<bool>| match verdict {
        Some(true) => "yes",
        Some(false) => "no",
        None => UNDEFINED,
    };
    let number = |number: Option<f64>| number.map_or(UNDEFINED.to_owned(), |number| format!("{number:.3}"));
    let head = ["run", "hard", "soft", "classic", "strict", "efficiency", "recovery", "steps"];
    let mut rows: Vec<[String; 8]> = vec![head.map(str::to_owned)];
    for run in &report.runs {
        let infra = if run.outcome == Outcome::Infra { " (infra)" } else { "" };
        let name: String = run.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        rows.push([
            format!("{name}{infra}"),
            verdict(run.hard).to_owned(),
            verdict(run.soft).to_owned(),
            number(Some(run.profiles.classic.score)),
            number(Some(run.profiles.strict.score)),
            number(run.step_efficiency),
            number(run.recovery_score),
            format!("{}/{}", run.steps, run.reference_steps),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(line, "  {cell:>width$}");
        }
        let _ = writeln!(text, "{line}");
    }
    for run in &report.runs {
        let mut why: Vec<String> = run.anomalies.iter().map(|anomaly| anomaly.sentence.clone()).collect();
        why.extend(run.encounters.iter().map(|met| match (met.result, met.steps) {
            (EncounterResult::Recovered, Some(steps)) => {
                format!("A pop-up was met and left behind in {steps} step(s).")
            }
            (EncounterResult::NotMet, _) => "A pop-up came after the last step and does not count.".to_owned(),
            _ => "A pop-up was met and never left behind.".to_owned(),
        }));
        why.extend(run.reasons.iter().map(|reason| format!("{}: {}", reason.about, reason.text)));
        if !why.is_empty() {
            let _ = writeln!(text, "\n{}", run.name);
            for line in why {
                let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dir: &Path, name: &str, text: &str) -> PathBuf {
        let path = dir.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn limits_are_parsed_and_kept() {
        assert!("classic=0.9".parse::<Limit>().is_ok() && "hard=true".parse::<Limit>().is_ok());
        for bad in ["classic", "speed=1", "soft=yes", "strict=1.5", "strict=NaN"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
        let dir = tempfile::tempdir().unwrap();
        let a = file(dir.path(), "a.json", r#"{"steps":[{"action":"click"}]}"#);
        let b = file(dir.path(), "b.json", r#"{"steps":[{"action":"type"}]}"#);
        let Ok(Scored { report, .. }) = score_files(&a, &[a.clone(), b]) else { panic!("both are lists") };
        let missed = |limit: &str, run: usize| limit.parse::<Limit>().unwrap().missed(&report.runs[run]).is_some();
        assert!(!missed("classic=1", 0) && missed("classic=0.1", 1) && missed("soft=0", 0));
        assert_eq!(report.runs[1].warnings.len(), 1);
        let text = table(&report);
        assert!(text.starts_with("run ") && text.contains("1.000") && text.contains('–'), "{text}");
    }

    #[test]
    fn unreadable_files_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let said = |path: &Path| {
            let problem = read_subject(path).unwrap_err();
            assert_eq!(problem.code, error::USAGE);
            problem.message
        };
        assert!(said(&dir.path().join("absent.zip")).contains("absent.zip: cannot be read"));
        assert!(said(dir.path()).contains("directory"));
        assert!(said(&file(dir.path(), "bad.trace.zip", "not a zip")).contains("not a zip archive"));
    }
}
