//! The checked-in JSON Schema is the one that the types give. `BLESS=1 cargo test --test schema` rewrites it.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::path::Path;

#[test]
fn schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/trace.schema.json");
    let mut wanted = serde_json::to_string_pretty(&tracerule::trace::schema::json_schema()).unwrap();
    wanted.push('\n');
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/trace.schema.json is stale: run `BLESS=1 cargo test --test schema` and review the change"
    );
}
