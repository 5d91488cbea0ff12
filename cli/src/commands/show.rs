//! `tracerule show`: what a trace holds.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use tracerule::mirror::Mirror;
use tracerule::reference::{ListStep, Subject};
use tracerule::report::{duration, utc};
use tracerule::score::words::{Lang, assertion, describe};
use tracerule::steps;
use tracerule::trace::jsonl::KINDS;
use tracerule::trace::{
    CoverageSummary, Event, Outcome, PageChange, PageEvent, PerturbationPhase, Role, Screenshot, Step, Trace,
};

use super::score::{read_subject, warn};
use crate::error::CliError;

/// Shows a trace: its steps, assertions, perturbations, and what could not be recorded.
///
/// Without --json a table for people, with times from the start. With --json one JSON object a line for each
/// step and nothing else, always with the keys seq, action, role, name, value, values, key, button, count,
/// modifiers, cause, secret, frame, url, tab, locators, trusted, actor, t_ms, elapsed_ms, outcome, settle,
/// perturbation, dialog, pre and post (null where there is nothing; frame, locators, values and modifiers are lists).
///
/// --events prints the trace's events of one kind instead, and --dom the documents as they were at the end, for
/// comparison with a live page (form: docs/TRACE.md). --dom N prints what step N changed in the pages, a line for
/// each thing: + came, - went, > moved, ~ attribute or text, = value or state, # style sheet, @ document.
/// --names prints what the elements of every document were called when it was last open, for comparison with a browser's
/// own accessibility tree: one JSON object a line with url and elements, each with path, role, name and accessible.
/// --log prints the log entries from which the documents are made, as packed in the file.
///
/// Exit codes: 0 shown; 2 the file cannot be read or is no trace.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A .trace.zip, a bare trace.jsonl, or a JSON step list.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// One JSON object a line for each step.
    #[arg(long)]
    pub json: bool,
    /// One JSON object a line for each event of that kind: step, dom, page, perturbation, tool_call, usage,
    /// wait, check, coverage, note, edit, original, coverage_summary or scroll.
    #[arg(long, value_name = "KIND", conflicts_with_all = ["json", "dom"])]
    pub events: Option<String>,
    /// One JSON object a line for each document that was open at the end: its address and its nodes; with N
    /// the difference that step made.
    #[arg(long, value_name = "N", num_args = 0..=1, conflicts_with = "json")]
    pub dom: Option<Option<u32>>,
    /// One JSON object a line for each document that the trace saw: its address, and the role and name of each element.
    #[arg(long, conflicts_with_all = ["json", "dom", "events"])]
    pub names: bool,
    /// One JSON object a line for each log entry in the trace's DOM chunks.
    #[arg(long, conflicts_with_all = ["json", "dom", "events", "names"])]
    pub log: bool,
}

/// Shows the file.
///
/// # Errors
/// When it cannot be read.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let (name, subject, warnings) = read_subject(&args.file)?;
    let text = match (&args.events, &subject) {
        (Some(kind), Subject::Trace(trace)) => events(trace, kind)?,
        (None, Subject::Trace(trace)) if args.log => log(trace),
        (None, Subject::Trace(trace)) if args.names => names(trace),
        (None, Subject::Trace(trace)) if args.dom.is_some() => match args.dom.flatten() {
            Some(seq) => step_changes(&name, trace, seq)?,
            None => documents(trace),
        },
        (Some(_), Subject::List(_)) | (None, Subject::List(_))
            if args.dom.is_some() || args.events.is_some() || args.log || args.names =>
        {
            return Err(CliError::new(2, format!("{name} is a step list: it holds no events and no documents")));
        }
        _ if args.json => lines(&subject),
        _ => table(&subject),
    };
    warn(&name, &warnings);
    let mut out = std::io::stdout().lock();
    // A reader that went away has seen enough.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    Ok(ExitCode::SUCCESS)
}

/// One JSON object a line.
fn lines(subject: &Subject) -> String {
    let objects: Vec<Value> = match subject {
        Subject::Trace(trace) => trace.steps().map(object).collect(),
        Subject::List(list) => list.steps.iter().enumerate().map(|(at, step)| listed(at, step)).collect(),
    };
    objects.iter().fold(String::new(), |mut text, object| {
        let _ = writeln!(text, "{object}");
        text
    })
}

/// The events of one kind.
fn events(trace: &Trace, kind: &str) -> Result<String, CliError> {
    if !KINDS.contains(&kind) {
        return Err(CliError::new(2, format!("there is no event kind \"{kind}\"; use one of {}", KINDS.join(", "))));
    }
    let objects = trace.events.iter().filter_map(|event| serde_json::to_value(event).ok());
    Ok(objects.filter(|object| object["event"] == kind).map(|object| format!("{object}\n")).collect())
}

/// What the DOM chunks hold, unpacked; what cannot be read as the event that says so.
fn log(trace: &Trace) -> String {
    let entries = steps::dom_entries(trace);
    let lines = entries.filter_map(|entry| match entry {
        Ok(entry) => serde_json::to_string(&entry).ok(),
        Err(gap) => serde_json::to_string(&gap).ok(),
    });
    lines.map(|line| line + "\n").collect()
}

/// The documents at the end, read again from the trace's stream.
fn documents(trace: &Trace) -> String {
    let recorder = steps::replay_dom(trace);
    let mirror = recorder.mirror();
    let documents = mirror.documents().into_iter();
    documents.map(|doc| format!("{}\n", json!({"url": mirror.url(doc), "dom": mirror.dump(doc)}))).collect()
}

/// What was called what, in every document.
fn names(trace: &Trace) -> String {
    let called = |mirror: &Mirror, doc| json!({"url": mirror.url(doc), "elements": mirror.called(doc)});
    steps::at_last(trace, called).iter().map(|document| format!("{document}\n")).collect()
}

/// What a step changed.
fn step_changes(name: &str, trace: &Trace, seq: u32) -> Result<String, CliError> {
    let Some(step) = trace.steps().find(|step| step.seq == seq) else {
        let count = trace.steps().count();
        return Err(CliError::new(2, format!("{name} has no step {seq}: it has {count}, numbered from 0")));
    };
    let lines = steps::difference(trace, step);
    if lines.is_empty() {
        return Ok("(no change was seen)\n".to_owned());
    }
    Ok(lines.iter().fold(String::new(), |text, line| text + &plain(line) + "\n"))
}

fn object(step: &Step) -> Value {
    let target = step.target.as_ref();
    let blob = |shot: &Option<Screenshot>| shot.as_ref().map(|shot| shot.blob.clone());
    json!({
        "seq": step.seq,
        "action": step.action,
        "role": target.map(|target| &target.role),
        "name": target.map(|target| &target.name),
        "value": step.value,
        "values": step.values,
        "key": step.key,
        "button": step.button,
        "count": step.count,
        "modifiers": step.modifiers,
        "cause": step.cause,
        "secret": step.secret,
        "frame": step.frame,
        "url": step.url,
        "tab": step.tab,
        "locators": target.map(|target| &target.locators[..]).unwrap_or_default(),
        "trusted": step.trusted,
        "actor": step.actor,
        "t_ms": step.t_ms,
        "elapsed_ms": step.elapsed_ms,
        "outcome": step.outcome,
        "settle": step.settle,
        "perturbation": step.perturbation,
        "dialog": step.dialog,
        "pre": blob(&step.pre.screenshot),
        "post": blob(&step.post.screenshot),
        "pre_shot": step.pre.screenshot,
        "post_shot": step.post.screenshot,
    })
}

/// A list's step with the same keys; its target is all that is known of a name.
fn listed(at: usize, step: &ListStep) -> Value {
    json!({
        "seq": at,
        "action": step.action,
        "role": null,
        "name": step.target,
        "value": step.value,
        "values": [],
        "key": step.key,
        "button": null,
        "count": null,
        "modifiers": [],
        "cause": null,
        "secret": false,
        "frame": [],
        "url": null,
        "tab": null,
        "locators": [],
        "trusted": null,
        "actor": null,
        "t_ms": null,
        "elapsed_ms": null,
        "outcome": null,
        "settle": null,
        "perturbation": null,
        "dialog": null,
        "pre": null,
        "post": null,
        "pre_shot": null,
        "post_shot": null,
    })
}

fn table(subject: &Subject) -> String {
    let mut text = String::new();
    match subject {
        Subject::Trace(trace) => trace_table(&mut text, trace),
        Subject::List(list) => {
            let title = if list.title.is_empty() { "Step list" } else { &list.title };
            let _ = writeln!(text, "{}  ({} steps)\n", plain(title), list.steps.len());
            for (at, step) in list.steps.iter().enumerate() {
                let parts = [Some(&step.action), step.target.as_ref(), step.value.as_ref(), step.key.as_ref()];
                let words: Vec<String> = parts.into_iter().flatten().map(|part| plain(part)).collect();
                let _ = writeln!(text, "{at:>4}  {}", words.join("  "));
            }
        }
    }
    text
}

fn trace_table(text: &mut String, trace: &Trace) {
    let header = &trace.header;
    let role = match header.role {
        Role::Reference => "reference",
        Role::Run => "run",
    };
    let title = if header.title.is_empty() { "Untitled" } else { &header.title };
    let _ = writeln!(text, "{}  ({role})", plain(title));
    let mut facts = vec![utc(header.started_ms)];
    facts.extend(header.ended_ms.map(|ended| format!("took {}", duration(ended - header.started_ms))));
    facts.push(plain(&header.recorder.browser));
    facts.extend(header.viewport.map(|viewport| format!("{} × {} px", viewport.width, viewport.height)));
    facts.retain(|fact| !fact.is_empty());
    let _ = writeln!(text, "{}\n{}\n", facts.join(" · "), plain(&header.url));

    let since = |t_ms: f64| format!("{:.1} s", (t_ms - header.started_ms) / 1000.0);
    let _ = writeln!(text, "   #        at  step");
    for step in trace.steps() {
        let mut marks = Vec::new();
        match &step.outcome {
            Outcome::Ok => {}
            Outcome::NoEffect => marks.push("no effect".to_owned()),
            Outcome::Error { message, .. } => marks.push(format!("failed: {}", plain(message))),
        }
        marks.extend(step.perturbation.as_ref().map(|id| format!("answers {}", plain(id))));
        marks.extend(step.cause.map(|cause| format!("by {}", cause.name().replace('_', " "))));
        if !step.frame.is_empty() {
            marks.push("in a frame".to_owned());
        }
        if !step.trusted {
            marks.push("not trusted".to_owned());
        }
        let marks = if marks.is_empty() { String::new() } else { format!("  [{}]", marks.join(", ")) };
        let words = plain(&describe(Lang::En, step));
        let _ = writeln!(text, "{:>4}  {:>8}  {words}{marks}", step.seq, since(step.t_ms));
    }
    if trace.steps().next().is_none() {
        let _ = writeln!(text, "      (no steps)");
    }

    section(text, "Assertions", header.assertions.iter().map(|a| plain(&assertion(Lang::En, a))));
    section(
        text,
        "Verdicts",
        trace.events.iter().filter_map(|event| match event {
            Event::Check(check) => {
                let verdict = if check.holds { "holds" } else { "does not hold" };
                Some(format!(
                    "{verdict}: {}; seen: {}",
                    plain(&assertion(Lang::En, &check.assertion)),
                    plain(&check.seen)
                ))
            }
            _ => None,
        }),
    );
    section(
        text,
        "Perturbations",
        trace.events.iter().filter_map(|event| match event {
            Event::Perturbation(p) => {
                let phase = match p.phase {
                    PerturbationPhase::Applied => "applied",
                    PerturbationPhase::Shown => "shown",
                    PerturbationPhase::Dismissed => "dismissed",
                    PerturbationPhase::Withheld => "withheld",
                };
                Some(format!("{:>8}  {} {phase} ({})", since(p.t_ms), name_of(&p.operator), plain(&p.id)))
            }
            _ => None,
        }),
    );
    section(
        text,
        "Pages",
        trace.events.iter().filter_map(|event| match event {
            Event::Page(page) => noteworthy(page).map(|line| format!("{:>8}  {}", since(page.t_ms), plain(&line))),
            _ => None,
        }),
    );
    section(
        text,
        "Scrolled without a step",
        trace.events.iter().filter_map(|event| match event {
            Event::Scroll(scroll) => {
                let what = scroll.target.as_deref().unwrap_or("the page");
                let place = if scroll.frame.is_empty() { "" } else { " in a frame" };
                let (x, y) = (scroll.to.x.round(), scroll.to.y.round());
                let by = scroll.cause.name();
                Some(format!("{:>8}  {}{place} to {x}, {y} by {by}", since(scroll.t_ms), plain(what)))
            }
            _ => None,
        }),
    );
    section(text, "Coverage", coverage(&steps::summarize(&trace.events)).into_iter());
    section(
        text,
        "Not recorded",
        trace.events.iter().filter_map(|event| match event {
            Event::Coverage(c) => Some(format!("{:>8}  {}: {}", since(c.t_ms), plain(&c.what), plain(&c.detail))),
            _ => None,
        }),
    );
    section(
        text,
        "Notes",
        trace.events.iter().filter_map(|event| match event {
            Event::Note(note) => Some(format!("{:>8}  {}", since(note.t_ms), plain(&note.text))),
            _ => None,
        }),
    );
}

/// What happened to a page beyond its being shown.
fn noteworthy(page: &PageEvent) -> Option<String> {
    let mut line = match page.what {
        PageChange::Failed if page.status.is_some() => format!("answered {}: {}", page.detail, page.url),
        PageChange::Failed => format!("could not be loaded ({}): {}", page.detail, page.url),
        PageChange::Crashed => format!("the tab's process died: {}", page.url),
        PageChange::Print => format!("printed: {}", page.url),
        PageChange::Download => {
            let file = page.download.as_ref()?;
            let size = file.size.map_or_else(|| "size unknown".to_owned(), |bytes| format!("{bytes} bytes"));
            let hash = file.sha256.as_ref().map_or_else(|| file.why.clone(), |hash| format!("sha256 {hash}"));
            format!("download {}: {}, {size}, {hash}", file.state, file.name)
        }
        PageChange::Navigated if !page.redirects.is_empty() => format!("redirected to {}", page.url),
        _ => return None,
    };
    for hop in &page.redirects {
        let _ = write!(line, "; {} from {}", hop.status, hop.url);
    }
    Some(line)
}

/// The coverage line in words.
fn coverage(summary: &CoverageSummary) -> Vec<String> {
    let c = &summary.counts;
    let mut lines = vec![
        format!(
            "documents: {} recorded of {} seen ({} without access, {} forbidden)",
            c.recorded, c.documents, c.no_access, c.forbidden
        ),
        format!(
            "{} steps: {} with a picture before ({} of them stale), {} with one after",
            c.steps, c.pre_shots, c.stale_pre_shots, c.post_shots
        ),
        format!(
            "{} ambiguous targets, {} steps not trusted, {} dialogs not known in full, {} downloads not hashed",
            c.ambiguous_targets, c.untrusted, c.unknown_dialogs, c.unhashed_downloads
        ),
    ];
    if !c.events.is_empty() {
        let events: Vec<String> = c.events.iter().map(|(what, n)| format!("{} {n}", plain(what))).collect();
        lines.push(format!("seen and not recorded: {}", events.join(", ")));
    }
    lines.extend(summary.blind.iter().map(|frame| {
        let what = if frame.top { "page" } else { "frame" };
        format!("blind {what} in tab {} ({}): {}", frame.tab, name_of(&frame.access), plain(&frame.url))
    }));
    lines
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        let _ = writeln!(text, "\n{title}");
        for line in lines {
            let _ = writeln!(text, "  {line}");
        }
    }
}

/// A value's name in the format.
fn name_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A page's text for a terminal: one line, and no control character that the terminal would obey.
fn plain(text: &str) -> String {
    let safe = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(safe).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = concat!(
        r#"{"format":"tracerule-trace","version":1,"id":"a","role":"reference","title":"T\u001b[31m","started_ms":1000.0,"#,
        r#""recorder":{"version":"0","via":"extension","browser":"chromium 156"}}"#,
        "\n",
        r#"{"event":"step","seq":0,"t_ms":2500.0,"elapsed_ms":5.0,"action":"click","button":"left","target":{"role":"button","#,
        r#""name":"Save","tag":"button","locators":[{"kind":"role","value":"role=button","matches":1}],"dom_path":""},"#,
        r#""url":"http://x/","frame":[],"tab":0,"pre":{},"post":{},"outcome":{"status":"no_effect"},"trusted":true,"actor":"human"}"#,
        "\n",
        r#"{"event":"scroll","t_ms":2600.0,"elapsed_ms":80.0,"tab":0,"url":"http://x/","target":"css=#list","#,
        r#""to":{"x":0.0,"y":300.4},"cause":"program"}"#,
        "\n",
        r#"{"event":"note","t_ms":3000.0,"actor":"human","text":"seen\nit"}"#,
        "\n"
    );

    fn subject(text: &str) -> Subject {
        tracerule::reference::read("a", text.as_bytes()).unwrap().0
    }

    #[test]
    fn one_object_a_line_with_all_keys() {
        let text = lines(&subject(TRACE));
        let object: Value = serde_json::from_str(text.trim_end()).unwrap();
        assert_eq!(object["role"], "button");
        assert_eq!(object["name"], "Save");
        assert_eq!(object["locators"][0]["value"], "role=button");
        assert_eq!((&object["frame"], &object["key"]), (&json!([]), &Value::Null));
        let from_list = lines(&subject(r#"{"steps":[{"action":"click","target":"login"}]}"#));
        let listed: Value = serde_json::from_str(from_list.trim_end()).unwrap();
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&listed), keys(&object));
    }

    #[test]
    fn the_table_says_what_scrolled() {
        let text = table(&subject(TRACE));
        assert!(text.contains("1.6 s  css=#list to 0, 300 by program"), "{text}");
        let scrolled = TRACE.replace(r#""action":"click""#, r#""action":"scroll","cause":"scroll_bar""#);
        let text = table(&subject(&scrolled));
        assert!(text.contains("scroll button “Save”  [no effect, by scroll bar]"), "{text}");
    }

    #[test]
    fn the_difference_of_a_step_is_shown() {
        use tracerule::trace::{DomChunk, blob_name};
        use tracerule::wire::log::{Batch, Document, Entry};
        use tracerule::wire::{op, pack};
        let Subject::Trace(mut trace) = subject(TRACE) else { panic!("a trace is") };
        let document = Document {
            t: 1000.0,
            doc: "d".to_owned(),
            tab: 1.0,
            top: true,
            url: "http://x/".to_owned(),
            viewport: None,
        };
        let batch = |seq, t0, ops: &[i32]| {
            let strings = ["html", "button", "class", "on", "Saved"].map(str::to_owned).to_vec();
            Entry::Batch(Batch { doc: "d".to_owned(), seq, t0, strings, ops: ops.to_vec() })
        };
        let page = [op::RESET, op::ELEMENT, 2, 1, 0, 0, 0, op::ELEMENT, 3, 2, 0, 1, 0, op::MARK, op::mark::SNAPSHOT];
        let change = [op::TIME, 1000, op::ATTRIBUTE, 3, 2, 3, op::TEXT, 4, 3, 0, 4];
        let log = [Entry::Document(document), batch(0, 1000.0, &page), batch(1, 2500.0, &change)];
        let bytes = pack::pack(&log);
        let blob = blob_name(&bytes, "dom");
        trace.events.insert(0, Event::Dom(DomChunk { t_ms: 1000.0, blob: blob.clone(), entries: 3 }));
        trace.blobs.insert(blob, bytes);
        let text = step_changes("a", &trace, 0).unwrap();
        assert!(
            text.lines().any(|line| line.starts_with('~') && line.contains("class") && line.contains("on")),
            "{text}"
        );
        assert!(text.lines().any(|line| line.starts_with('+') && line.contains("Saved")), "{text}");
        let error = step_changes("a", &trace, 9).unwrap_err().to_string();
        assert!(error.contains("a has no step 9: it has 1, numbered from 0"), "{error}");
    }

    #[test]
    fn the_table_is_safe_for_terminals() {
        let text = table(&subject(TRACE));
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(text.contains("1.5 s  click button “Save”  [no effect]"), "{text}");
        assert!(text.contains("Notes") && text.contains("seen it"), "{text}");
    }
}
