//! Running programs: each command is shown before it runs, and a failure says what to do next.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A command that runs in the root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// Cargo, freed of what `cargo run` put into our environment: it would make crates look changed.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()), args);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"].iter().any(|p| name.starts_with(p)) {
            command.env_remove(name);
        }
    }
    command
}

/// The command as a person would type it.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Shows and runs a command; it writes to our own output.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("  $ {shown}");
    let status = command.status().with_context(|| format!("could not start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status}); its own messages are above");
    }
    Ok(())
}

/// Runs a command to its end and gives what it printed beside how it went.
///
/// # Errors
/// When it cannot be started.
pub fn capture(command: &mut Command) -> Result<(Result<()>, String)> {
    let shown = shown(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("could not start `{shown}`"))?;
    let mut printed = format!("  $ {shown}\n");
    printed += &String::from_utf8_lossy(&output.stdout);
    printed += &String::from_utf8_lossy(&output.stderr);
    let result = if output.status.success() {
        Ok(())
    } else {
        Err(anyhow!("`{shown}` failed ({}); its own messages are above", output.status))
    };
    Ok((result, printed))
}

/// The trimmed output of a command, or `None` if it is not there or fails.
pub fn ask(program: &str, args: &[&str]) -> Option<String> {
    let output = command(program, args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Writes a file, making its folder.
///
/// # Errors
/// When the disk refuses.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
    }
    std::fs::write(path, bytes).with_context(|| format!("could not write {}", path.display()))
}

/// Reads a text file.
///
/// # Errors
/// When it is not there or is not UTF-8.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))
}

/// Every file below a folder, sorted, with its path relative to the folder; empty when there is no such folder.
///
/// # Errors
/// When a folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.with_context(|| format!("could not read {}", next.display()))?.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                found.push((name.to_string_lossy().replace('\\', "/"), path));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Copies a folder's files, those that `take` wants.
///
/// # Errors
/// When the disk refuses.
pub fn copy(from: &Path, to: &Path, take: impl Fn(&str) -> bool) -> Result<()> {
    for (name, path) in files(from)? {
        if take(&name) {
            write(
                &to.join(&name),
                std::fs::read(&path).with_context(|| format!("could not read {}", path.display()))?,
            )?;
        }
    }
    Ok(())
}
