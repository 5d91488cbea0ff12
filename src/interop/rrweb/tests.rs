use serde_json::{Value, json};

use super::*;
use crate::interop::{Format, Options, export, import};
use crate::steps::replay_dom;
use crate::trace::{DomChunk, Event, Trace, blob_name, sample};
use crate::wire::log::{Batch, Document, Entry};
use crate::wire::op::{self, mark};

/// A page with a shadow root and a field, one row that moves, a text that changes, a value, and a script's rule.
fn trace() -> Trace {
    let strings: Vec<String> = [
        "html",
        "ul",
        "li",
        "one",
        "two",
        "x-host",
        "in",
        "input",
        "typed",
        "three",
        "style",
        "p{}",
        "q{}",
        "src",
        "a.png",
        "img",
        "public",
        "-//W3C//DTD HTML 4.01//EN",
        "system",
        "http://www.w3.org/TR/html4/strict.dtd",
    ]
    .map(str::to_owned)
    .to_vec();
    let first = vec![
        op::RESET,
        op::DOCTYPE,
        2,
        1,
        0,
        0,
        op::ATTRIBUTE,
        2,
        16,
        17,
        op::ATTRIBUTE,
        2,
        18,
        19,
        op::ELEMENT,
        3,
        1,
        2,
        0,
        0,
        op::ELEMENT,
        4,
        3,
        0,
        1,
        0,
        op::ELEMENT,
        5,
        4,
        0,
        2,
        0,
        op::TEXT,
        6,
        5,
        0,
        3,
        op::ELEMENT,
        7,
        4,
        5,
        2,
        0,
        op::TEXT,
        8,
        7,
        0,
        4,
        op::ELEMENT,
        9,
        3,
        4,
        5,
        0,
        op::SHADOW,
        10,
        9,
        1,
        op::TEXT,
        11,
        10,
        0,
        6,
        op::ELEMENT,
        12,
        3,
        9,
        7,
        0,
        op::ELEMENT,
        13,
        3,
        12,
        10,
        0,
        op::TEXT,
        14,
        13,
        0,
        11,
        op::ELEMENT,
        15,
        3,
        13,
        15,
        0,
        op::ATTRIBUTE,
        15,
        13,
        14,
        op::MARK,
        mark::SNAPSHOT,
    ];
    let second = vec![
        op::TIME,
        10,
        op::MOVE,
        5,
        4,
        7,
        op::DATA,
        8,
        9,
        op::VALUE,
        12,
        8,
        0,
        op::SHEET,
        1,
        13,
        1,
        op::RULE,
        1,
        0,
        12,
        op::SCROLL,
        4,
        0,
        30,
    ];
    let batch = |seq, ops| Entry::Batch(Batch { doc: "d".to_owned(), seq, t0: 1000.0, strings: strings.clone(), ops });
    let document = Document {
        t: 1000.0,
        doc: "d".to_owned(),
        tab: 1.0,
        top: true,
        url: "http://h/a/b".to_owned(),
        viewport: None,
    };
    let entries = [Entry::Document(document), batch(0, first), batch(1, second)];
    let bytes: Vec<u8> =
        entries.iter().flat_map(|entry| [serde_json::to_vec(entry).unwrap(), vec![b'\n']].concat()).collect();
    let blob = blob_name(&bytes, "jsonl");
    let step = sample::step(0, crate::action::Action::Click, "button", "Save");
    Trace {
        header: sample::header("x"),
        events: vec![
            Event::Dom(DomChunk { t_ms: 1000.0, blob: blob.clone(), entries: 3 }),
            Event::Step(Box::new(step)),
        ],
        blobs: [(blob, bytes)].into(),
    }
}

fn events(trace: &Trace) -> Vec<Value> {
    let made = export(trace, "x", Format::Rrweb, &Options { plain: true }).unwrap();
    serde_json::from_slice(&made.files[0].bytes).unwrap()
}

#[test]
fn one_instant_is_one_mutation_and_states_follow() {
    let events = events(&trace());
    let of = |kind: u32| events.iter().filter(move |event| event["type"] == kind);
    let full = of(kind::FULL).next().unwrap();
    let html = &full["data"]["node"]["childNodes"][1];
    assert_eq!(html["childNodes"][1]["isShadowHost"], true);
    assert_eq!(html["childNodes"][1]["childNodes"][0]["isShadow"], true);
    assert_eq!(html["childNodes"][4]["attributes"]["src"], "http://h/a/a.png");
    let mutations: Vec<&Value> = of(kind::INCREMENTAL).filter(|e| e["data"]["source"] == source::MUTATION).collect();
    let [mutation] = mutations[..] else { panic!("{mutations:?}") };
    let moved = &html["childNodes"][0]["childNodes"][0]["id"];
    assert_eq!(&mutation["data"]["removes"][0]["id"], moved);
    assert_eq!(
        (&mutation["data"]["adds"][0]["node"]["id"], &mutation["data"]["adds"][0]["nextId"]),
        (moved, &Value::Null)
    );
    assert_eq!(mutation["data"]["adds"].as_array().unwrap().len(), 2, "the row and its text");
    assert_eq!(mutation["data"]["texts"][0]["value"], "three");
    let sources: Vec<u64> = of(kind::INCREMENTAL).filter_map(|e| e["data"]["source"].as_u64()).collect();
    assert_eq!(sources, [0, 5, 8, 3], "mutation, input, rule, scroll: in the order of the stream");
    let rule = of(kind::INCREMENTAL).find(|e| e["data"]["source"] == source::RULE).unwrap();
    assert_eq!(rule["data"]["adds"], json!([{"rule": "q{}", "index": 0}]));
}

#[test]
fn comes_back_as_the_same_page_and_steps() {
    let trace = trace();
    let made = export(&trace, "x", Format::Rrweb, &Options::default()).unwrap();
    let (back, loss) = import("x.json", &made.files[0].bytes, None).unwrap();
    assert_eq!(loss.from, Format::Rrweb);
    let dump = |trace: &Trace| {
        let recorder = replay_dom(trace);
        let mut text = recorder.mirror().dump(recorder.mirror().documents()[0]).to_string();
        // What rrweb keeps otherwise.
        text = text.replace("\"closed\"", "\"open\"").replace("http://h/a/a.png", "a.png");
        text
    };
    assert_eq!(dump(&back), dump(&trace));
    assert!(back.steps().eq(trace.steps()));
    assert_eq!(back.header, trace.header);
}

#[test]
fn the_ids_of_the_doctype_are_kept() {
    let ids = ["-//W3C//DTD HTML 4.01//EN", "http://www.w3.org/TR/html4/strict.dtd"];
    let trace = trace();
    let events = events(&trace);
    let snapshot = events.iter().find(|event| event["type"] == 2).unwrap();
    let doctype = &snapshot["data"]["node"]["childNodes"][0];
    assert_eq!([&doctype["publicId"], &doctype["systemId"]], ids);
    let doctype_of = |trace: &Trace| {
        let recorder = replay_dom(trace);
        recorder.mirror().dump(recorder.mirror().documents()[0])["c"][0].clone()
    };
    let wanted = json!({"t": "doctype", "n": "html", "p": ids[0], "s": ids[1]});
    assert_eq!(doctype_of(&trace), wanted);
    let made = export(&trace, "x", Format::Rrweb, &Options::default()).unwrap();
    let (back, _) = import("x.json", &made.files[0].bytes, None).unwrap();
    assert_eq!(doctype_of(&back), wanted);
}

#[test]
fn nonsense_is_refused_in_words() {
    for (text, wanted) in [
        ("[]", "no full snapshot"),
        ("{}", "without a list"),
        ("[1, {\"type\": 2, \"data\": 5, \"timestamp\": 0}]", "no full snapshot"),
        ("[{\"type\":3,\"timestamp\":1,\"data\":{\"source\":0,\"adds\":[{\"parentId\":9}]}}]", "no full snapshot"),
    ] {
        let error = import("x", text.as_bytes(), Some(Format::Rrweb)).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let deep = "[".repeat(100_000);
    assert!(import("x", deep.as_bytes(), Some(Format::Rrweb)).unwrap_err().to_string().contains("levels deep"));
}
