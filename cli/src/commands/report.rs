//! `tracerule report`: the scores as a page.

use std::path::PathBuf;
use std::process::ExitCode;

use tracerule::report::{Options, html};
use tracerule::score::words::Lang;

use super::score::{Scored, score_files};
use crate::error::CliError;

/// Scores runs and writes the report as one HTML file that opens offline.
///
/// It holds the scores, a radar, the trajectories side by side with screenshots, pop-ups and recoveries, the
/// assertions, and why each point was lost. No script, no network.
///
/// Exit codes: 0 written; 2 a file cannot be read; 4 the report cannot be written.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What the expert did: a .trace.zip or a JSON step list.
    #[arg(value_name = "REFERENCE")]
    pub reference: PathBuf,
    /// What is measured.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Where the report goes.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub output: PathBuf,
    /// The report's language: en or zh-CN.
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub lang: String,
    /// The report's title; the reference's when absent.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

/// Scores and writes the page.
///
/// # Errors
/// When a file cannot be read or the report not be written.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let Scored { report, reference, runs } = score_files(&args.reference, &args.runs)?;
    let options = Options { lang: Lang::from_tag(&args.lang), title: args.title.unwrap_or_default() };
    let page = html(&reference, &runs, &report, &options);
    let shown = args.output.display();
    std::fs::write(&args.output, page)
        .map_err(|e| CliError::failed(format!("{shown}: the report cannot be written: {e}")))?;
    println!("{shown}");
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_lists() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("a.json");
        std::fs::write(&list, r#"{"steps":[{"action":"click","target":"<b>&"}]}"#).unwrap();
        let output = dir.path().join("report.html");
        let args = |output: PathBuf| Args {
            reference: list.clone(),
            runs: vec![list.clone()],
            output,
            lang: "en".to_owned(),
            title: None,
        };
        run(args(output.clone())).unwrap();
        let page = std::fs::read_to_string(output).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<b>&") && page.contains("&lt;b&gt;&amp;"));
        let code = run(args(dir.path().join("no/such/dir.html"))).unwrap_err().code;
        assert_eq!(code, crate::error::FAILED);
    }
}
