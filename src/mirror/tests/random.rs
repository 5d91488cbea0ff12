//! Streams that nobody foresaw: whatever comes, the mirror answers and does not panic.

use proptest::prelude::*;

use super::page::{TAB, announce};
use crate::mirror::{Mirror, NodeRef};
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
                let _ = mirror.resolve_target(TAB, &mirror.frame_path(doc), &target);
                for locator in &target.locators {
                    // What is offered is found, by the same code.
                    if doc == docs[0] && locator.matches == 1 {
                        prop_assert_eq!(mirror.resolve(TAB, &locator.value).ok(), Some(n), "{}", locator.value);
                    }
                }
                let _ = (mirror.text(n), mirror.value(n), mirror.interactive(n), mirror.labelled_control(n), mirror.rect(n));
            }
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
