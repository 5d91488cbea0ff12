//! Any edits, undone again, leave the bytes as they were; and what was recorded can always be had back.

use proptest::prelude::*;

use super::*;
use crate::action::Action;
use crate::trace::sample::{self, T0};
use crate::trace::{DomChunk, Locator, LocatorKind, Screenshot, archive, blob_name};

fn step(seq: u32, name: &str) -> Step {
    let mut step = sample::step(seq, Action::Fill, "textbox", name);
    step.value = Some(format!("value {name}"));
    step.facts = vec![u64::from(seq) * 3];
    if let Some(target) = &mut step.target {
        target.locators.push(Locator {
            kind: LocatorKind::Css,
            value: format!("css=#{name}"),
            matches: 1,
            volatile: vec![],
        });
    }
    step
}

fn steps(count: u32) -> Vec<Step> {
    (0..count).map(|seq| step(seq, &format!("n{seq}"))).collect()
}

fn edited(trace: &Trace, ops: &[Op]) -> Trace {
    let mut recording = Recording::of(&trace.events);
    recording.edit(ops.iter().enumerate().map(|(n, op)| Edit { t_ms: T0 + n as f64, op: op.clone() }));
    let mut trace = trace.clone();
    recording.write(&mut trace);
    trace
}

fn names(trace: &Trace) -> Vec<String> {
    trace.steps().map(|step| step.target.as_ref().unwrap().name.clone()).collect()
}

/// An edit, each number taken as far as there are steps.
fn op(count: u32) -> impl Strategy<Value = Op> {
    let id = move |n: u32| format!("f{}", n % count * 3);
    let annotation = |intent: String| Annotation { intent, key_node: true, ..Annotation::default() };
    prop_oneof![
        (0..count).prop_map(move |n| Op::Delete { step: id(n) }),
        (0..count, proptest::option::of(0..count))
            .prop_map(move |(n, after)| Op::Move { step: id(n), after: after.map(id) }),
        (0..count).prop_map(move |n| Op::Locator { step: id(n), locator: format!("css=#n{}", n % count) }),
        (0..count, ".{0,8}").prop_map(move |(n, intent)| Op::Annotate { step: id(n), annotation: annotation(intent) }),
        Just(Op::Undo),
        Just(Op::Redo),
    ]
}

proptest! {
    #[test]
    fn undone_edits_leave_the_same_bytes(ops in proptest::collection::vec(op(6), 0..20)) {
        let trace = sample::of(steps(6));
        let before = archive::write_zip(&trace).unwrap();
        let mut all = ops.clone();
        all.extend(std::iter::repeat_n(Op::Undo, ops.len()));
        prop_assert_eq!(&archive::write_zip(&edited(&trace, &all)).unwrap(), &before);
        // Also when they came with a file.
        let (file, warnings) = archive::read_zip(&archive::write_zip(&edited(&trace, &ops)).unwrap()).unwrap();
        prop_assert_eq!(warnings, Vec::<String>::new());
        let undone = edited(&file, &vec![Op::Undo; ops.len()]);
        prop_assert_eq!(&archive::write_zip(&undone).unwrap(), &before);
    }

    #[test]
    fn what_was_recorded_is_still_there(ops in proptest::collection::vec(op(6), 0..20)) {
        let trace = sample::of(steps(6));
        let after = edited(&trace, &ops);
        let again = Recording::of(&after.events);
        let base: Vec<&Step> = again.base().iter().map(|base| &base.step).collect();
        prop_assert_eq!(base, trace.steps().collect::<Vec<_>>());
        // Numbers have no gaps, and every step says where it comes from.
        for (n, step) in after.steps().enumerate() {
            prop_assert_eq!(step.seq as usize, n);
            let from = step.origin.as_ref().map_or(step.seq, |origin| origin.seq) as usize;
            let recorded = trace.steps().nth(from).unwrap();
            prop_assert_eq!(&recorded.facts, &step.facts);
            if step.edits().is_empty() {
                prop_assert_eq!(&step.target, &recorded.target);
            }
        }
        // Writing it again changes nothing.
        let mut twice = after.clone();
        again.write(&mut twice);
        prop_assert_eq!(archive::write_zip(&twice).unwrap(), archive::write_zip(&after).unwrap());
    }

    #[test]
    fn redo_does_what_undo_took_back(ops in proptest::collection::vec(op(6), 1..20), depth in 1_usize..8) {
        let trace = sample::of(steps(6));
        let recording = Recording::of(&edited(&trace, &ops).events);
        let depth = depth.min(recording.edits().len());
        let mut all: Vec<Op> = recording.edits().iter().map(|edit| edit.op.clone()).collect();
        let before = edited(&trace, &all);
        all.extend(vec![Op::Undo; depth]);
        all.extend(vec![Op::Redo; depth]);
        let again = edited(&trace, &all);
        prop_assert_eq!(again.steps().collect::<Vec<_>>(), before.steps().collect::<Vec<_>>());
    }
}

#[test]
fn pieces_go_where_they_belong() {
    let mut recording = Recording::new();
    recording.extend(steps(3).into_iter().map(|step| (step, None)));
    let piece = |seq: u32, name: &str| Step { t_ms: T0 + 9000.0 + f64::from(seq), tab: 4, ..step(seq, name) };
    recording.extend([(piece(3, "x"), Some(1)), (piece(4, "y"), Some(1)), (piece(5, "z"), Some(2))]);
    let annotation = Annotation { intent: "why".to_owned(), ..Annotation::default() };
    let edits = [
        Op::Segment { number: 1, after: Some("f0".to_owned()), replaces: None, other_tab: true },
        Op::Annotate { step: "f6".to_owned(), annotation },
        Op::Segment { number: 2, after: None, replaces: Some("f6".to_owned()), other_tab: false },
    ];
    recording.edit(edits.into_iter().map(|op| Edit { t_ms: T0, op }));
    let mut trace = sample::of(recording.base().iter().map(|base| base.step.clone()).collect());
    recording.write(&mut trace);
    assert_eq!(names(&trace), ["n0", "x", "y", "n1", "z"]);
    let placed: Vec<&Step> = trace.steps().collect();
    assert_eq!(placed[1].edits(), [EditKind::Inserted]);
    assert_eq!((placed[1].tab, placed[4].tab), (0, 4));
    assert_eq!(placed[4].edits(), [EditKind::Replaced]);
    assert_eq!(placed[4].annotation.as_ref().map(|a| a.intent.as_str()), Some("why"));
    let counts = trace.header.edited.unwrap();
    assert_eq!((counts.inserted, counts.replaced, counts.deleted), (2, 1, 0));
    // The file holds it all: undone to the end, only the first recording is left.
    let (mut file, _) = archive::read_zip(&archive::write_zip(&trace).unwrap()).unwrap();
    assert_eq!(names(&file), names(&trace));
    let mut again = Recording::of(&file.events);
    assert_eq!(again.next_segment(), 3);
    again.edit(vec![Edit { t_ms: T0, op: Op::Undo }; 3]);
    again.write(&mut file);
    assert_eq!(names(&file), ["n0", "n1", "n2"]);
    assert_eq!(file.header.edited, None);
    // A piece in which nothing was done takes nothing's place.
    let mut empty = Recording::new();
    empty.extend(steps(2).into_iter().map(|step| (step, None)));
    let op = Op::Segment { number: 1, after: None, replaces: Some("f3".to_owned()), other_tab: false };
    empty.edit([Edit { t_ms: T0, op }]);
    assert_eq!(empty.outcome().steps.len(), 2);
}

#[test]
fn what_cannot_be_done_is_refused_or_does_nothing() {
    let recording = Recording::of(&sample::of(steps(2)).events);
    let lost = || "f99".to_owned();
    let there = || "f0".to_owned();
    assert_eq!(recording.check(&Op::Delete { step: lost() }), Err(EditError::NoStep(lost())));
    assert_eq!(recording.check(&Op::Move { step: there(), after: Some(lost()) }), Err(EditError::NoStep(lost())));
    assert_eq!(recording.check(&Op::Undo), Err(EditError::NothingToUndo));
    assert_eq!(recording.check(&Op::Redo), Err(EditError::NothingToRedo));
    let locator = Op::Locator { step: there(), locator: "css=#other".to_owned() };
    assert_eq!(recording.check(&locator), Err(EditError::NoLocator("css=#other".to_owned())));
    let trace = sample::of(steps(2));
    let after = edited(&trace, &[Op::Delete { step: lost() }, Op::Move { step: there(), after: Some(there()) }]);
    assert_eq!(names(&after), ["n0", "n1"]);
}

#[test]
fn steps_without_events_have_names_of_their_own() {
    let mut list = steps(3);
    for step in &mut list {
        step.facts.clear();
        step.t_ms = T0;
    }
    let recording = Recording::of(&sample::of(list).events);
    let ids: Vec<&str> = recording.base().iter().map(|base| base.id.as_str()).collect();
    assert_eq!(ids, ["t1764496800000", "t1764496800000.2", "t1764496800000.3"]);
}

/// A page in which `hunter2!` is typed into an ordinary field, shown, and sent in an address.
fn with_secret() -> Trace {
    let fact = |value: &str, t: f64| {
        format!(
            r#"{{"t":{t},"n":7,"trusted":true,"url":"http://x/","k":"input","value":"{value}","input_type":"insertText","field":"text"}}"#
        )
    };
    let key = r#"{"t":1.0,"n":7,"trusted":true,"url":"http://x/","k":"keydown","key":"h","code":"KeyH"}"#;
    let strings = ["input", "h", &fact("h", 1.0), "hunter2!", &fact("hunter2!", 2.0), "You typed hunter2!", "h", key];
    let lines = [
        serde_json::json!({"e":"document","t":T0,"doc":"d","tab":1.0,"top":true,"url":"http://x/"}),
        serde_json::json!({"e":"batch","doc":"d","seq":0,"t0":T0,"strings":strings,
            "ops":[3,7,1,0,0,0, 18,7, 12,7,1,0, 18,2, 12,7,3,0, 18,4, 4,9,1,7,5, 4,10,1,9,6]}),
        serde_json::json!({"e":"navigation","t":T0,"tab":1.0,"url":"http://x/?q=hunter2%21","top":true,"same_document":false,"cause":"page"}),
    ];
    let chunk = lines.map(|line| format!("{line}\n")).concat().into_bytes();
    let mut fill = step(0, "q");
    fill.value = Some("hunter2!".to_owned());
    let mut click = step(1, "hunter2!");
    let pictures: Vec<String> = ["before", "during"].map(|text| blob_name(text.as_bytes(), "png")).to_vec();
    let shot = |n: usize, t_ms| Some(Screenshot::of_file(pictures[n].clone(), t_ms, 1, 1));
    fill.pre.screenshot = shot(0, T0 - 1.0);
    fill.post.screenshot = shot(1, T0 + 10.0);
    click.url = "http://x/?q=hunter2%21".to_owned();
    let mut trace = sample::of(vec![fill, click]);
    let blob = blob_name(&chunk, "jsonl");
    trace.events.insert(0, Event::Dom(DomChunk { t_ms: T0, blob: blob.clone(), entries: 3 }));
    trace.blobs.insert(blob, chunk);
    for text in ["before", "during"] {
        trace.blobs.insert(blob_name(text.as_bytes(), "png"), text.as_bytes().to_vec());
    }
    trace
}

#[test]
fn a_masked_value_is_nowhere() {
    let trace = with_secret();
    let after = edited(&trace, &[Op::Mask { step: "f0".to_owned() }]);
    let text = crate::trace::jsonl::write(&after.header, &after.events).unwrap();
    let mut all = text.into_bytes();
    after.blobs.values().for_each(|blob| all.extend_from_slice(blob));
    let all = String::from_utf8_lossy(&all);
    for secret in ["hunter2", "hunter", "\"key\":\"h\"", "KeyH", "\\\"value\\\":\\\"h\\\""] {
        assert!(!all.contains(secret), "{secret} in {all}");
    }
    let masked = after.steps().next().unwrap();
    assert_eq!((masked.value.as_deref(), masked.secret, masked.edits()), (Some(MASK), true, &[EditKind::Masked][..]));
    // What the page said otherwise is as it was: a text of one letter is no secret.
    assert!(all.contains("You typed"), "{all}");
    let chunk = after.blobs.iter().find(|(name, _)| name.ends_with("jsonl")).unwrap().1;
    let batch: serde_json::Value = serde_json::from_slice(chunk.split(|b| *b == b'\n').nth(1).unwrap()).unwrap();
    assert_eq!(batch["strings"][6], "h");
    // The picture that may show it is gone, the one before is there.
    assert_eq!(after.blobs.keys().filter(|name| name.ends_with("png")).count(), 1);
    assert!(masked.pre.screenshot.is_some() && masked.post.screenshot.is_none());
    // It is for good.
    let undone = edited(&after, &[Op::Undo, Op::Undo]);
    assert_eq!(undone.steps().next().unwrap().value.as_deref(), Some(MASK));
    // The pages can still be read.
    let recorder = crate::steps::replay_dom(&after);
    assert_eq!(recorder.coverage(), []);
    assert_eq!(recorder.mirror().documents().len(), 1);
}
