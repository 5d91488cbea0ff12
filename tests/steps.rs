//! The gesture grammar, as data: `tests/steps/<case>/input.txt` says what happens, `expected.json` what is made
//! of it. `BLESS=1 cargo test -p tracerule --test steps` rewrites the expectations; review them like code.
//!
//! A line of `input.txt` is a command (see `steps/support/script.rs`); `#` starts a comment.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

#[path = "steps/support/mod.rs"]
mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::script;
use tracerule::steps::{Recorder, replay_dom};
use tracerule::trace::{Event, Header, RecorderInfo, Role, SettleEnd, Step, Trace, VERSION};
use tracerule::wire::log::Entry;

fn fold(entries: &[Entry]) -> Recorder {
    let mut recorder = Recorder::new();
    for entry in entries {
        recorder.feed(entry);
    }
    recorder
}

/// What a reader of the expectation wants to see of a step.
fn brief(step: &Step) -> Value {
    let mut json = serde_json::to_value(step).unwrap();
    let object = json.as_object_mut().unwrap();
    for key in ["seq", "t_ms", "elapsed_ms", "tab", "pre", "post", "dom", "facts", "url"] {
        object.remove(key);
    }
    if step.frame.is_empty() {
        object.remove("frame");
    }
    if step.trusted {
        object.remove("trusted");
    }
    if step.tab != 0 {
        object.insert("tab".into(), json!(step.tab));
    }
    object.insert("ms".into(), json!(step.elapsed_ms.round()));
    if let Some(target) = &step.target {
        let locator = target.locators.first().map(|l| format!(" {} ({})", l.value, l.matches)).unwrap_or_default();
        object.insert("target".into(), json!(format!("{} {:?}{locator}", target.role, target.name)));
        let numbers = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        if let Some(r) = target.rect {
            object.insert("box".into(), json!(numbers(&[r.x, r.y, r.width, r.height])));
        }
        if let Some(p) = target.pointer {
            object.insert("pointer".into(), json!(numbers(&[p.x, p.y])));
        }
    }
    if let Some(target) = &step.to_target {
        let locator = target.locators.first().map(|l| format!(" {} ({})", l.value, l.matches)).unwrap_or_default();
        object.insert("to_target".into(), json!(format!("{} {:?}{locator}", target.role, target.name)));
    }
    if let Some(settle) = &step.settle {
        object.insert("settle".into(), json!(format!("{:?} {}", settle.ended_by, settle.ms.round())));
    }
    let shot = |shot: &Option<tracerule::trace::Screenshot>| {
        shot.as_ref().map(|shot| {
            let age = shot.age_ms.unwrap_or(f64::NAN).round();
            format!("{}, {age} ms{}", shot.blob, if shot.stale { " (stale)" } else { "" })
        })
    };
    for (name, state) in [("pre_shot", &step.pre), ("post_shot", &step.post)] {
        if let Some(shot) = shot(&state.screenshot) {
            object.insert(name.into(), json!(shot));
        }
    }
    if object.get("actor") == Some(&json!("human")) {
        object.remove("actor");
    }
    json
}

fn outcome(recorder: &Recorder, entries: &[Entry]) -> Value {
    let (events, _) = recorder.finish(entries);
    let mut others = Vec::new();
    for event in &events {
        match event {
            Event::Page(page) => {
                let mut line = format!("{:?} {} {}", page.what, page.url, page.detail).trim_end().to_owned();
                if let Some(status) = page.status {
                    line += &format!(" [{status}]");
                }
                for hop in &page.redirects {
                    line += &format!(" after {} {}", hop.status, hop.url);
                }
                if let Some(file) = &page.download {
                    line += &format!(" {} {:?} {:?}", file.state, file.size, file.sha256);
                }
                others.push(json!(line));
            }
            Event::Coverage(coverage) => others.push(json!(format!("Coverage {}: {}", coverage.what, coverage.detail))),
            Event::ToolCall(call) => {
                others.push(json!(format!("ToolCall {} {} -> {:?}", call.name, call.arguments, call.steps)))
            }
            Event::Scroll(scroll) => others.push(json!(format!(
                "Scroll {} to {} {} by {}, {} ms",
                scroll.target.as_deref().unwrap_or("page"),
                scroll.to.x,
                scroll.to.y,
                scroll.cause.name(),
                scroll.elapsed_ms.round()
            ))),
            Event::Note(note) => others.push(json!(format!("Note {}", note.text))),
            _ => {}
        }
    }
    json!({ "steps": recorder.steps().iter().map(brief).collect::<Vec<_>>(), "events": others })
}

fn trace_of(recorder: &Recorder, entries: &[Entry]) -> Trace {
    let (events, blobs) = recorder.finish(entries);
    let header = Header {
        format: "tracerule-trace".into(),
        version: VERSION,
        id: "t".into(),
        role: Role::Reference,
        title: String::new(),
        url: String::new(),
        started_ms: 0.0,
        ended_ms: None,
        recorder: RecorderInfo::default(),
        viewport: None,
        perturb: None,
        task: None,
        run: None,
        secret_salt: None,
        mask: vec![],
        assertions: Vec::new(),
        ending: None,
        capture: Default::default(),
        edited: None,
        extra: Default::default(),
    };
    Trace { header, events, blobs }
}

/// What must hold of every recording.
fn invariants(name: &str, entries: &[Entry], recorder: &Recorder) {
    let steps = recorder.steps();
    let mut seen = std::collections::BTreeSet::new();
    for (i, step) in steps.iter().enumerate() {
        assert_eq!(step.seq as usize, i, "{name}: numbers without gaps");
        assert!(step.elapsed_ms >= 0.0 && step.settle.is_none_or(|settle| settle.ms >= 0.0), "{name}: {step:?}");
        for fact in &step.facts {
            assert!(seen.insert(*fact), "{name}: fact {fact} is in two steps or twice in one ({step:?})");
        }
        assert!(step.pre.state_hash.is_some(), "{name}");
        let next = steps[i + 1..].iter().find(|next| next.tab == step.tab);
        if let Some((settle, next)) = step.settle.zip(next)
            && settle.ended_by == SettleEnd::NextAction
        {
            assert_eq!(step.post.state_hash, next.pre.state_hash, "{name}: {step:?}");
        }
        if recorder.ended() {
            assert!(step.post.state_hash.is_some() && step.settle.is_some(), "{name}: {step:?}");
        }
    }
    // A hub that was killed reads its log again.
    let stored: Vec<Entry> =
        entries.iter().map(|entry| serde_json::from_str(&serde_json::to_string(entry).unwrap()).unwrap()).collect();
    for cut in [entries.len() / 3, entries.len() / 2] {
        let mut again = fold(&stored[..cut]);
        assert_eq!(again.entries(), cut as u64);
        for entry in &entries[cut..] {
            again.feed(entry);
        }
        assert_eq!(again.steps(), steps, "{name}: cut at {cut}");
        assert_eq!(again.finish(&stored), recorder.finish(entries), "{name}: cut at {cut}");
    }
    // A stored trace gives the same pages again.
    let mut trace = trace_of(recorder, entries);
    for event in &mut trace.events {
        if let Event::Step(step) = event {
            // The cases have no pictures.
            (step.pre.screenshot, step.post.screenshot) = (None, None);
        }
    }
    let zipped = tracerule::trace::archive::write_zip(&trace).unwrap();
    let (trace, warnings) = tracerule::trace::archive::read_zip(&zipped).unwrap();
    assert_eq!(warnings, Vec::<String>::new(), "{name}");
    let replayed = replay_dom(&trace);
    for entry in entries {
        if let Entry::Document(document) = entry {
            let key = |recorder: &Recorder| recorder.mirror().key(&document.doc).unwrap();
            assert_eq!(
                replayed.mirror().dump(key(&replayed)),
                recorder.mirror().dump(key(recorder)),
                "{name}: document {}",
                document.doc
            );
        }
    }
    let times: Vec<f64> = trace.events.iter().map(Event::t_ms).collect();
    assert!(times.is_sorted(), "{name}: events in time order");
}

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/steps");
    let bless = std::env::var_os("BLESS").is_some();
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "support")
        .collect();
    names.sort();
    assert!(names.len() >= 35, "{} cases", names.len());
    let mut failures = Vec::new();
    for name in &names {
        let case = folder.join(name);
        let input = std::fs::read_to_string(case.join("input.txt")).unwrap();
        let entries = script::run(&input).unwrap_or_else(|error| panic!("{name}: {error}"));
        let recorder = fold(&entries);
        invariants(name, &entries, &recorder);
        let got = format!("{:#}\n", outcome(&recorder, &entries));
        let path = case.join("expected.json");
        if bless {
            std::fs::write(&path, &got).unwrap();
            continue;
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        if got != wanted {
            failures.push(format!("== {name}\n-- wanted\n{wanted}-- got\n{got}"));
        }
    }
    assert!(failures.is_empty(), "{} of {}\n{}", failures.len(), names.len(), failures.join("\n"));
}

#[test]
fn the_coverage_line_counts_what_is_missing() {
    let script = r#"tab opened 7 https://a.test/
page https://a.test/ <button id=go>Go</button><button>Twin</button><button id=twin>Twin</button>
click go
entry {"e":"blocked","ms":2400}
click twin
entry {"e":"blind","top":false,"url":"https://ads.test/","access":"no_access"}
entry {"e":"blind","top":false,"url":"https://ads.test/","access":"no_access"}
entry {"e":"blind","top":true,"url":"chrome://settings/","access":"forbidden"}
entry {"e":"download","id":1,"url":"https://a.test/f","file":{"name":"f.bin","state":"complete","size":3,"why":"no companion"}}
entry {"e":"dialog_opened","kind":"alert","message":"Hi"}
finish
"#;
    let entries = script::run(script).unwrap();
    let recorder = fold(&entries);
    let (events, _) = recorder.finish(&entries);
    let lines: Vec<_> = events.iter().filter(|event| matches!(event, Event::CoverageSummary(_))).collect();
    let [Event::CoverageSummary(line)] = lines[..] else { panic!("one line, not {lines:?}") };
    let counts = &line.counts;
    assert_eq!((counts.documents, counts.recorded, counts.no_access, counts.forbidden), (3, 1, 1, 1));
    assert_eq!((counts.steps, counts.pre_shots, counts.post_shots), (2, 0, 0));
    assert_eq!(counts.unknown_dialogs, 2, "one behind a standing page, one that nobody answered");
    assert_eq!(counts.unhashed_downloads, 1);
    let events: Vec<(&str, u32)> = counts.events.iter().map(|(what, n)| (what.as_str(), *n)).collect();
    assert_eq!(events, [("dialog", 2), ("forbidden", 1), ("frame", 1)]);
    assert_eq!(line.blind.len(), 2);
    // Drawn up again of the trace's own events it is the same.
    let (all, _) = recorder.finish(&entries);
    assert_eq!(&tracerule::steps::summarize(&all), line);
}

/// A session of hours: every step is there, numbered, in what is exported and read again, and a step late in it costs
/// what one early in it does.
#[test]
fn a_session_of_five_thousand_steps() {
    let long = |steps: usize| {
        let mut script = String::from(
            "page https://a.test/ <button id=a>A</button><button id=b>B</button><p id=out>0</p><label>Note<input id=note></label>\n",
        );
        for i in 0..steps {
            match i % 3 {
                0 => script += &format!("+900 click a\ntext out {i}\nsettled\n"),
                1 => script += &format!("+900 click b\ntext out {i}\nsettled\n"),
                _ => script += "+900 click note\nsettled\n",
            }
        }
        script + "finish\n"
    };
    let mut sizes = Vec::new();
    for steps in [1250, 5000] {
        let began = std::time::Instant::now();
        let entries = script::run(&long(steps)).unwrap();
        let recorder = fold(&entries);
        assert_eq!(recorder.steps().len(), steps);
        assert!(recorder.coverage().is_empty(), "{:?}", recorder.coverage());
        let trace = trace_of(&recorder, &entries);
        let bytes = tracerule::trace::archive::write_zip(&trace).unwrap();
        let (read, warnings) = tracerule::trace::archive::read_zip(&bytes).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        assert!(read.steps().map(|step| step.seq as usize).eq(0..steps));
        println!(
            "{steps} steps: {} KiB zipped, made, folded and read again in {} ms",
            bytes.len() / 1024,
            began.elapsed().as_millis()
        );
        sizes.push(bytes.len());
    }
    assert!(sizes[1] < sizes[0] * 5, "four times the steps take {} bytes and not {}", sizes[1], sizes[0]);
}
