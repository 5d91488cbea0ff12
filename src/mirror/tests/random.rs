//! Streams that nobody foresaw: whatever comes, the mirror answers and does not panic.

use proptest::prelude::*;

use super::page::{TAB, announce};
use crate::mirror::{Mirror, NodeRef};
use crate::trace::{FailureCode, LocatorKind};
use crate::wire::op::{OPCODES, Op, decode};

const STRINGS: &[&str] = &[
    "div",
    "button",
    "input",
    "label",
    "select",
    "option",
    "iframe",
    "slot",
    "svg",
    "ul",
    "li",
    "table",
    "td",
    "details",
    "id",
    "for",
    "role",
    "aria-labelledby",
    "aria-owns",
    "aria-label",
    "name",
    "slot",
    "style",
    "type",
    "class",
    "hidden",
    "a",
    "b",
    "a b",
    "checkbox",
    "radio",
    "none",
    "region",
    "display:none",
    "top",
    "child",
    "\u{0}<>\"'\\",
    "é 1",
];

fn ops() -> impl Strategy<Value = Vec<i32>> {
    // Small numbers, so that ids meet; some beyond every range.
    let operand = prop_oneof![20 => 0..24_i32, 1 => any::<i32>()];
    let op = (0..OPCODES.len(), prop::collection::vec(operand, 6)).prop_map(|(which, operands)| {
        let (_, code, arity) = OPCODES[which];
        let mut op = vec![code];
        op.extend(&operands[..arity]);
        op
    });
    // Elements and attributes come often, or nothing would ever be there.
    let element = (2..24_i32, 0..24_i32, 0..24_i32, 0..14_i32)
        .prop_map(|(id, parent, previous, tag)| vec![3, id, parent.max(1), previous, tag, 0]);
    let first = (2..24_i32, 1..12_i32, 0..14_i32).prop_map(|(id, parent, tag)| vec![3, id, parent, 0, tag, 0]);
    let attribute = (2..24_i32, 14..26_i32, 26..38_i32).prop_map(|(id, name, value)| vec![8, id, name, value]);
    prop::collection::vec(prop_oneof![2 => op, 2 => element, 4 => first, 3 => attribute], 0..120)
        .prop_map(|ops| ops.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_stream_makes_the_mirror_panic(first in ops(), second in ops(), target in ".{0,24}") {
        let strings: Vec<String> = STRINGS.iter().map(|s| (*s).to_owned()).collect();
        let mut mirror = Mirror::new();
        let docs = [announce(&mut mirror, "top", true, "x"), announce(&mut mirror, "child", false, "y")];
        for (doc, ops) in docs.into_iter().zip([&first, &second]) {
            for op in decode(0.0, &strings, ops).map_while(Result::ok) {
                let _ = mirror.apply(doc, &op);
            }
        }
        let snapshot = mirror.snapshot(TAB);
        prop_assert_eq!(&mirror.snapshot(TAB), &snapshot);
        let _ = (mirror.state_hash(TAB), mirror.counters(TAB), mirror.resolve(TAB, &target));
        for doc in docs {
            let (_, _, _) = (mirror.dump(doc), mirror.title(doc), mirror.frame_path(doc));
            for node in 0..24 {
                let n = NodeRef { doc, node };
                let target = mirror.target(n);
                let frames = mirror.frame_path(doc);
                let found = mirror.resolve_target(TAB, &frames, &target);
                // The element itself or a refusal, never another; a frame that no element shows cannot be entered.
                let known = doc == docs[0] || !frames.is_empty();
                prop_assert!(!known || found.as_ref().map_or(true, |(found, _)| *found == n), "{:?}", target);
                for locator in &target.locators {
                    // What is offered is found, by the same code, and refused where it is not the only one.
                    let got = mirror.resolve(TAB, &locator.value).map_err(|e| e.code);
                    if doc == docs[0] && locator.matches == 1 {
                        prop_assert_eq!(got, Ok(n), "{}", locator.value);
                    } else if doc == docs[0] {
                        prop_assert_eq!(got, Err(FailureCode::Ambiguous), "{}", locator.value);
                    }
                }
                let _ = (mirror.text(n), mirror.value(n), mirror.interactive(n), mirror.labelled_control(n), mirror.rect(n));
            }
        }
    }
}

/// What a page of the other strategy is made of: each with a place among those before it, words and a name.
const TAGS: [&str; 16] = [
    "table", "tr", "td", "ul", "li", "button", "button", "a", "input", "label", "h2", "section", "fieldset", "legend",
    "b", "div",
];
const WORDS: [&str; 6] = ["", "Edit", "Ann", "Order 7", "say \"in\" it", "a >> b = [c]"];
const NAMES: [&str; 8] = ["id", "class", "title", "placeholder", "data-testid", "aria-label", "data-kind", "name"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_candidate_finds_its_element_or_is_refused(
        elements in prop::collection::vec((any::<prop::sample::Index>(), 0..TAGS.len(), 0..WORDS.len(), 0..24_usize), 1..40),
        changed in any::<prop::sample::Index>(),
    ) {
        let mut mirror = Mirror::new();
        let doc = announce(&mut mirror, "top", true, "x");
        let mut last = vec![0; elements.len() + 1];
        // The document, then elements, each with its text behind it.
        let id = |at: usize| if at == 0 { 1 } else { u32::try_from(2 * at).unwrap() };
        for (i, (place, tag, word, name)) in elements.iter().enumerate() {
            let (at, parent) = (i + 1, place.index(i + 1));
            let op = Op::Element { id: id(at), parent: id(parent), previous: last[parent], tag: TAGS[*tag], ns: 0 };
            mirror.apply(doc, &op).unwrap();
            last[parent] = id(at);
            if let Some(name) = NAMES.get(*name) {
                mirror.apply(doc, &Op::Attribute { id: id(at), name, value: Some(WORDS[(word + 1) % WORDS.len()]) }).unwrap();
            }
            if !WORDS[*word].is_empty() {
                let text = Op::Text { id: id(at) + 1, parent: id(at), previous: 0, text: WORDS[*word] };
                mirror.apply(doc, &text).unwrap();
                last[at] = id(at) + 1;
            }
        }
        let all: Vec<NodeRef> = (1..=elements.len()).map(|at| NodeRef { doc, node: id(at) }).collect();
        for n in &all {
            let target = mirror.target(*n);
            for locator in &target.locators {
                let got = mirror.resolve(TAB, &locator.value);
                match locator.matches {
                    1 => prop_assert_eq!(got.ok(), Some(*n), "{}", locator.value),
                    many => {
                        let error = got.unwrap_err();
                        prop_assert_eq!(error.code, FailureCode::Ambiguous);
                        prop_assert!(error.message.contains(&format!("matches {many} elements")), "{}", error.message);
                    }
                }
            }
            let (found, won) = mirror.resolve_target(TAB, &[], &target).unwrap();
            prop_assert_eq!(found, *n, "by {}", &target.locators[won].value);
        }
        // One element gone: what is found for it now is not called differently.
        let gone = all[changed.index(all.len())];
        let target = mirror.target(gone);
        mirror.apply(doc, &Op::Remove { id: gone.node }).unwrap();
        if let Ok((found, won)) = mirror.resolve_target(TAB, &[], &target) {
            let locator = &target.locators[won];
            let by_place = locator.kind == LocatorKind::Path || locator.kind == LocatorKind::Css;
            let name = mirror.name(found);
            let bare = |name: &str| name.replace(|c: char| c.is_numeric(), "");
            prop_assert!(!by_place || name.is_empty() || target.name.is_empty() || bare(&name) == bare(&target.name));
        }
    }
}

#[test]
fn depth_is_survived() {
    let mut mirror = Mirror::new();
    let doc = announce(&mut mirror, "top", true, "x");
    for id in 2..6000 {
        let tag = ["div", "button", "section"][id as usize % 3];
        mirror.apply(doc, &Op::Element { id, parent: id - 1, previous: 0, tag, ns: 0 }).unwrap();
    }
    mirror.apply(doc, &Op::Text { id: 9000, parent: 5999, previous: 0, text: "deep" }).unwrap();
    let n = NodeRef { doc, node: 5999 };
    let snapshot = mirror.snapshot(TAB);
    assert!(snapshot.text.len() < 200_000, "{}", snapshot.text.len());
    assert_eq!(mirror.state_hash(TAB).len(), 16);
    assert!(mirror.dump(doc).is_object());
    assert_eq!(mirror.name(NodeRef { doc, node: 5998 }), "deep");
    let _ = (mirror.name(NodeRef { doc, node: 4 }), mirror.text(NodeRef { doc, node: 2 }));
    assert!(!mirror.locators(n).is_empty());
}
