//! Keeps what is written twice in step: the version in `manifest.json` is the crate's.
//! Opcodes and the schema are kept in step by tests (`cargo xtask codegen`, `docs/TRACE.md`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=manifest.json");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let manifest = std::fs::read_to_string("manifest.json").unwrap_or_default();
    let wanted = format!("\n  \"version\": \"{version}\",\n");
    if !manifest.contains(&wanted) {
        println!("cargo:error=manifest.json must hold the line{}as Cargo.toml does", wanted.replace('\n', " "));
    }
}
