//! Installing what is missing, each time saying so; `--no-install` forbids it.

use anyhow::{Result, bail};

use crate::tools;

/// Whether rustc can build for the browser.
pub fn has_wasm_target() -> bool {
    let Some(sysroot) = tools::ask("rustc", &["--print", "sysroot"]) else { return false };
    std::path::Path::new(&sysroot).join("lib/rustlib/wasm32-unknown-unknown/lib").exists()
}

/// The Wasm target.
///
/// # Errors
/// When it is missing and may not or cannot be installed.
pub fn wasm_target(no_install: bool) -> Result<()> {
    if has_wasm_target() {
        return Ok(());
    }
    if no_install || tools::ask("rustup", &["--version"]).is_none() {
        bail!("Rust's Wasm target is missing; run `rustup target add wasm32-unknown-unknown`");
    }
    eprintln!("installing Rust's Wasm target");
    tools::run(&mut tools::command("rustup", &["target", "add", "wasm32-unknown-unknown"]))
}
