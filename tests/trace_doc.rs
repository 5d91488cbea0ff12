//! `docs/TRACE.md` names every kind, action, opcode and code that the types know.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use tracerule::action::Action;
use tracerule::trace::jsonl::KINDS;
use tracerule::wire::op::OPCODES;

#[test]
fn the_text_is_complete() {
    let text = include_str!("../docs/TRACE.md");
    for kind in KINDS {
        assert!(text.contains(&format!("| `{kind}` |")), "{kind}");
    }
    for action in Action::ALL {
        assert!(text.contains(&format!("`{action}`")), "{action}");
    }
    for (name, code, _) in OPCODES {
        assert!(text.contains(&format!("| `{name}` | {code} |")), "{name}");
    }
}

#[test]
fn the_reader_knows_the_kinds_of_the_types() {
    let schema = tracerule::trace::schema::json_schema();
    let variants = schema["$defs"]["Event"]["oneOf"].as_array().unwrap();
    let named: Vec<&str> =
        variants.iter().map(|variant| variant["properties"]["event"]["const"].as_str().unwrap()).collect();
    assert_eq!(named, KINDS);
}
