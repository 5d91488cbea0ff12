//! Whatever the log says, the fold never panics, numbers steps without gaps, and can be repeated.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

#[path = "steps/support/mod.rs"]
mod support;

use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use support::script;
use tracerule::steps::{Notice, Recorder};
use tracerule::wire::log::{Batch, Document, Entry};
use tracerule::wire::op;

fn all_cases() -> Vec<Vec<Entry>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/steps");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().join("input.txt")).collect();
    paths.sort();
    let texts = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    texts.map(|text| script::run(&text).unwrap()).collect()
}

fn check(entries: &[Entry]) -> Result<(), TestCaseError> {
    let mut recorder = Recorder::new();
    for entry in entries {
        for notice in recorder.feed(entry) {
            if let Notice::Step(seq) = notice {
                // A step that was folded in the same breath is gone; any other is there.
                prop_assert!((seq as usize) < recorder.steps().len() + 8);
            }
        }
        let _ = (recorder.open_popup(), recorder.steps_of_call(1));
    }
    for (i, step) in recorder.steps().iter().enumerate() {
        prop_assert_eq!(step.seq as usize, i);
        prop_assert!(!step.elapsed_ms.is_nan() && step.elapsed_ms >= 0.0);
    }
    let (events, blobs) = recorder.finish(entries);
    prop_assert!(events.iter().all(|event| serde_json::to_string(event).is_ok()));
    let mut again = Recorder::new();
    entries.iter().for_each(|entry| drop(again.feed(entry)));
    prop_assert_eq!(again.steps(), recorder.steps());
    prop_assert_eq!(again.finish(entries), (events, blobs));
    Ok(())
}

/// JSON that is an input event, almost, or not at all.
fn fact() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "pointerdown",
        "pointerup",
        "pointercancel",
        "click",
        "auxclick",
        "dblclick",
        "contextmenu",
        "dragstart",
        "drop",
        "wheel",
        "scroll",
        "keydown",
        "compositionstart",
        "compositionend",
        "input",
        "change",
        "copy",
        "cut",
        "paste",
        "focus",
        "submit",
        "page",
        "pagehide",
        "nonsense",
    ]);
    let key = prop::sample::select(vec!["a", "Enter", " ", "Tab", "ArrowDown", "Control", "•", "F5", "", "日本"]);
    let field =
        prop::sample::select(vec!["text", "select-one", "select-multiple", "file", "checkbox", "radio", "date", "?"]);
    let input =
        prop::sample::select(vec!["", "insertText", "insertLineBreak", "insertFromPaste", "deleteByCut", "formatBold"]);
    (kind, key, field, input, 0u32..12, -5i32..6, 0u32..4, any::<bool>(), -1e4..1e12f64).prop_map(
        |(k, key, field, input, n, button, detail, trusted, t)| {
            serde_json::json!({
                "t": t, "n": n, "trusted": trusted, "url": "https://a.test/", "k": k, "x": t % 500.0, "y": 5.0,
                "dx": 1.0, "dy": 1.0, "button": button, "detail": detail, "pointer": "mouse", "key": key, "code": "",
                "repeat": detail == 3, "mods": if trusted { vec!["Control"] } else { vec![] }, "value": key,
                "input_type": input, "field": field, "checked": trusted, "labels": [key], "files": [key],
                "state": "complete",
            })
            .to_string()
        },
    )
}

fn garbage() -> impl Strategy<Value = Entry> {
    let strings = prop::collection::vec(
        prop_oneof![6 => fact(), 1 => "[a-z]{0,6}", 1 => Just("input".to_owned()), 1 => Just("select".to_owned())],
        1..8,
    );
    // Mostly operations with small operands, sometimes anything.
    let number = prop_oneof![8 => -1i32..24, 1 => any::<i32>()];
    let ops = prop::collection::vec(number, 0..40);
    let events = prop::collection::vec(prop::collection::vec(Just(op::EVENT), 1), 0..6);
    prop_oneof![
        6 => (0u32..3, 0u32..9, -1e6..1e12f64, strings, ops, events).prop_map(|(doc, seq, t0, strings, ops, events)| {
            let mut all = Vec::new();
            for (i, _) in events.iter().enumerate() {
                all.extend([op::EVENT, i as i32]);
            }
            all.extend(ops);
            Entry::Batch(Batch { doc: format!("d{doc}"), seq, t0, strings, ops: all })
        }),
        1 => (0u32..3, 0u32..2, any::<bool>()).prop_map(|(doc, tab, top)| Entry::Document(Document {
            t: f64::from(doc), doc: format!("d{doc}"), tab: f64::from(tab), top, url: "https://a.test/".into(), viewport: None,
        })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_survived(entries in prop::collection::vec(garbage(), 0..60)) {
        check(&entries)?;
    }

    /// Entries of all cases, lost, doubled and out of order.
    #[test]
    fn disorder_is_survived(picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1usize..9), 1..40)) {
        static CASES: OnceLock<Vec<Vec<Entry>>> = OnceLock::new();
        let cases = CASES.get_or_init(all_cases);
        let mut entries = Vec::new();
        for (case, start, length) in picks {
            let case = case.get(cases);
            let start = start.index(case.len());
            entries.extend_from_slice(&case[start..(start + length).min(case.len())]);
        }
        check(&entries)?;
    }
}

/// What the hub waits for.
#[test]
fn notices_tell_what_to_do() {
    let entries = script::run(
        "page https://a.test/ <button id=b>Go</button><iframe id=f></iframe><p id=out>-</p>\ncomplete\nclick b\ntext out \
         1\nsettled\nframe f https://b.test/ <p>x</p>\nraw 21 2\npopup popup-1 b\ndismissed popup-1",
    )
    .unwrap();
    let mut recorder = Recorder::new();
    let mut open_at_some_time = false;
    let mut notices = Vec::new();
    for entry in &entries {
        notices.extend(recorder.feed(entry));
        open_at_some_time |= recorder.open_popup() == Some("popup-1");
    }
    assert!(open_at_some_time && recorder.open_popup().is_none());
    let has = |wanted: &dyn Fn(&Notice) -> bool| notices.iter().any(wanted);
    assert!(has(&|n| *n == Notice::Loaded { tab: 7.0, t: 1020.0 }), "{notices:?}");
    assert!(has(&|n| *n == Notice::Step(0)));
    // The click's last event comes 60 ms after its first.
    assert!(has(&|n| *n == Notice::NeedsSettle { tab: 7.0, since: 1090.0 }), "{notices:?}");
    assert!(has(&|n| *n == Notice::Activity { tab: 7.0, t: 1100.0 }), "{notices:?}");
    assert!(has(&|n| *n == Notice::FrameLinked));
    assert!(has(&|n| *n == Notice::Measured { doc: "d0".into() }));
    assert!(has(&|n| *n == Notice::PopupDismissed { id: "popup-1".into() }));
}
