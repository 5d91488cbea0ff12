//! `tracerule lint`: what is worth mending in a recording.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use tracerule::lint::{self, Finding, words};
use tracerule::reference::Subject;
use tracerule::score::words::{Lang, describe};
use tracerule::trace::Trace;

use super::score::{read_subject, warn};
use crate::error::{CliError, JUDGED};

/// Looks for what is worth mending in a recording before it is used as a reference.
///
/// Says the same as the side panel while recording: targets that match several elements, locators that will not
/// last, secrets in clear, steps that changed nothing or were recorded twice, frames that cannot be found again,
/// missing screenshots, and gaps. The side panel mends most of them with one key.
///
/// With --json one object: findings[] with rule, severity (error, warning, info), step (null where it is about
/// none), message, params and fixes[], and errors, warnings, infos.
///
/// Exit codes: 0 no errors (there may be warnings); 1 there are errors; 2 the file cannot be read or is no trace.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A .trace.zip, or a bare trace.jsonl.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
    /// The language of the sentences: en or zh-CN.
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub lang: String,
}

/// Looks and prints.
///
/// # Errors
/// When the file cannot be read.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let (name, subject, warnings) = read_subject(&args.file)?;
    let Subject::Trace(trace) = subject else {
        return Err(CliError::new(2, format!("{name} is a step list: it holds no evidence that could be looked at")));
    };
    warn(&name, &warnings);
    let lang = Lang::from_tag(&args.lang);
    let findings = lint::lint(&trace);
    let text = if args.json { format!("{}\n", object(lang, &findings)) } else { table(lang, &trace, &findings) };
    let mut out = std::io::stdout().lock();
    // A reader that went away has seen enough.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    Ok(if lint::errors(&findings) > 0 { ExitCode::from(JUDGED) } else { ExitCode::SUCCESS })
}

fn counts(findings: &[Finding]) -> [usize; 3] {
    use lint::Severity::{Error, Info, Warning};
    [Error, Warning, Info].map(|severity| findings.iter().filter(|found| found.severity == severity).count())
}

fn object(lang: Lang, findings: &[Finding]) -> Value {
    let one = |found: &Finding| {
        json!({
            "rule": found.rule,
            "severity": found.severity,
            "step": found.step,
            "message": words::sentence(lang, found),
            "params": found.params,
            "fixes": found.fixes,
        })
    };
    let [errors, warnings, infos] = counts(findings);
    let list: Vec<Value> = findings.iter().map(one).collect();
    json!({"findings": list, "errors": errors, "warnings": warnings, "infos": infos})
}

fn table(lang: Lang, trace: &Trace, findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut said = None;
    for found in findings {
        if said != Some(found.step) {
            said = Some(found.step);
            let step = found.step.and_then(|seq| trace.steps().nth(seq as usize));
            let words = step.map_or_else(|| "the recording".to_owned(), |step| plain(&describe(lang, step)));
            let number = found.step.map(|seq| seq.to_string()).unwrap_or_default();
            let _ = writeln!(text, "{number:>4}  {words}");
        }
        let severity = words::severity(lang, found.severity);
        let _ = writeln!(text, "      {severity} {}: {}", found.rule.id(), plain(&words::sentence(lang, found)));
        let fixes: Vec<String> = found.fixes.iter().map(|fix| plain(&words::fix(lang, fix))).collect();
        if !fixes.is_empty() {
            let _ = writeln!(text, "        in the side panel: {}", fixes.join("; "));
        }
    }
    let [errors, warnings, infos] = counts(findings);
    let some = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let _ = writeln!(text, "{}, {}, {} for information", some(errors, "error"), some(warnings, "warning"), infos);
    text
}

/// A page's text for a terminal: one line, and no control character that the terminal would obey.
fn plain(text: &str) -> String {
    let safe = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(safe).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"format":"tracerule-trace","version":1,"id":"a","role":"reference","started_ms":1000.0,"recorder":{"version":"0","via":"extension","browser":"x"}}"#;

    fn step(matches: u32) -> String {
        format!(
            r#"{{"event":"step","seq":0,"t_ms":2500.0,"elapsed_ms":5.0,"action":"click","target":{{"role":"button","name":"Sa\u001b[31mve","tag":"button","locators":[{{"kind":"role","value":"role=button","matches":{matches}}}],"dom_path":""}},"url":"http://x/","frame":[],"tab":0,"pre":{{}},"post":{{}},"outcome":{{"status":"ok"}},"trusted":true,"actor":"human"}}"#
        )
    }

    fn trace(matches: u32) -> Trace {
        let text = format!("{HEADER}\n{}\n", step(matches));
        match tracerule::reference::read("a", text.as_bytes()).unwrap().0 {
            Subject::Trace(trace) => *trace,
            Subject::List(_) => unreachable!(),
        }
    }

    #[test]
    fn findings_as_json_and_for_people() {
        let trace = trace(3);
        let findings = lint::lint(&trace);
        let object = object(Lang::En, &findings);
        assert_eq!((&object["errors"], &object["warnings"]), (&json!(1), &json!(0)));
        let found = &object["findings"][0];
        assert_eq!(
            (&found["rule"], &found["severity"], &found["step"]),
            (&json!("ambiguous-target"), &json!("error"), &json!(0))
        );
        assert_eq!(found["fixes"][0]["fix"], "rerecord");
        assert_eq!(found["params"]["matches"], "3");
        let text = table(Lang::En, &trace, &findings);
        assert!(
            text.contains("error ambiguous-target: The target is ambiguous: role=button matches 3 elements."),
            "{text}"
        );
        assert!(text.ends_with("1 error, 0 warnings, 0 for information\n") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn the_exit_code_tells_of_errors() {
        let dir = tempfile::tempdir().unwrap();
        let code = |text: String| {
            let file = dir.path().join("trace.jsonl");
            std::fs::write(&file, text).unwrap();
            run(Args { file, json: true, lang: "zh-CN".to_owned() })
                .map(|code| format!("{code:?}"))
                .map_err(|error| error.code)
        };
        assert_eq!(code(format!("{HEADER}\n{}\n", step(1))), Ok(format!("{:?}", ExitCode::SUCCESS)));
        assert_eq!(code(format!("{HEADER}\n{}\n", step(2))), Ok(format!("{:?}", ExitCode::from(JUDGED))));
        assert_eq!(code(r#"{"steps":[{"action":"click"}]}"#.to_owned()), Err(2));
        assert_eq!(code("nonsense".to_owned()), Err(2));
    }
}
