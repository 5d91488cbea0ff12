//! What the commands need from the machine: whether it is there, how to get it, and getting it. Every
//! installation is announced; `--no-install` forbids all.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::Value;

use crate::build::target_dir;
use crate::{manifest, tools};

/// Something from outside the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Rust's standard library for the browser.
    WasmTarget,
    /// Rust's formatter and linter.
    Components,
    /// Node.js 20 or newer: drivers of the tests, the lint.
    Node,
    /// Comes with Node.js.
    Npm,
    /// The packages of `package-lock.json`.
    NodeModules,
    /// Chromium.
    Chromium,
    /// Firefox.
    Firefox,
    /// Fetches the MiniWoB pages and the real apps that are written in Python.
    Pip,
    /// The pages of the PyPI package `miniwob`, for the tests that use them.
    MiniWob,
}

impl Need {
    /// All, in the order in which they are wanted.
    pub const ALL: [Need; 9] = [
        Need::WasmTarget,
        Need::Components,
        Need::Node,
        Need::Npm,
        Need::NodeModules,
        Need::Chromium,
        Need::Firefox,
        Need::Pip,
        Need::MiniWob,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Need::WasmTarget => "Rust's Wasm target",
            Need::Components => "clippy and rustfmt",
            Need::Node => "Node.js",
            Need::Npm => "npm",
            Need::NodeModules => "npm packages",
            Need::Chromium => "Chromium",
            Need::Firefox => "Firefox",
            Need::Pip => "Python's pip",
            Need::MiniWob => "the MiniWoB pages",
        }
    }

    /// What it is for.
    pub fn purpose(self) -> &'static str {
        match self {
            Need::WasmTarget => "build",
            Need::Components => "test (lint, format)",
            Need::Node | Need::Npm | Need::NodeModules => "demo, test, package",
            Need::Chromium => "demo, test",
            Need::Firefox => "test",
            Need::Pip => "test (MiniWoB, real apps)",
            Need::MiniWob => "test (MiniWoB)",
        }
    }

    /// How to get it.
    pub fn remedy(self) -> &'static str {
        match self {
            Need::WasmTarget => "rustup target add wasm32-unknown-unknown",
            Need::Components => "rustup component add clippy rustfmt",
            Need::Node | Need::Npm => "install Node.js 20 or newer",
            Need::NodeModules => "npm ci --ignore-scripts",
            Need::Chromium => {
                "install Chromium 148 or newer (Debian: apt-get install chromium), or set TRACERULE_CHROMIUM to \
                 Chromium's or Edge's program"
            }
            Need::Firefox => {
                "install Firefox 142 or newer (Debian: apt-get install firefox-esr), or set TRACERULE_FIREFOX to \
                 Firefox's program"
            }
            Need::Pip => "apt-get install python3-pip",
            Need::MiniWob => "node tests/miniwob/fetch.mjs",
        }
    }

    /// The version that is there, or `None`.
    pub fn found(self) -> Option<String> {
        match self {
            Need::WasmTarget => {
                let sysroot = tools::ask("rustc", &["--print", "sysroot"])?;
                let there = Path::new(&sysroot).join("lib/rustlib/wasm32-unknown-unknown/lib").exists();
                if there { tools::ask("rustc", &["--version"]) } else { None }
            }
            Need::Components => {
                tools::ask("cargo", &["clippy", "--version"])?;
                tools::ask("cargo", &["fmt", "--version"])
            }
            Need::Node => {
                let version = tools::ask("node", &["--version"])?;
                let major: u32 = version.strip_prefix('v')?.split('.').next()?.parse().ok()?;
                (major >= 20).then_some(version)
            }
            Need::Npm => tools::ask("npm", &["--version"]),
            Need::NodeModules => node_modules(),
            Need::Chromium | Need::Firefox => {
                self.program().as_deref().and_then(version).filter(|version| !self.is_too_old(version))
            }
            Need::Pip => tools::ask("python3", &["-m", "pip", "--version"]).map(|text| text.chars().take(20).collect()),
            Need::MiniWob => miniwob().exists().then(|| "fetched".to_owned()),
        }
    }

    /// The browser's program, new enough or not.
    fn program(self) -> Option<PathBuf> {
        match self {
            Need::Chromium => chromium(),
            Need::Firefox => firefox(),
            _ => None,
        }
    }

    /// Whether a browser, by what it says of itself, is older than the manifest allows.
    fn is_too_old(self, version: &str) -> bool {
        let least = match self {
            Need::Chromium => least(&["x-chromium", "minimum_chrome_version"]),
            Need::Firefox => least(&["x-firefox", "browser_specific_settings", "gecko", "strict_min_version"]),
            _ => None,
        };
        // What gives no number is left to the browser's own check of the manifest.
        matches!((least, major(version)), (Some(least), Some(found)) if found < least)
    }

    /// What is missing and how to get it, in one line.
    fn missing(self) -> String {
        let old = self.program().as_deref().and_then(version).filter(|version| self.is_too_old(version));
        match old {
            Some(version) => format!("{version} is too old; {}", self.remedy()),
            None => format!("{} is missing; {}", self.name(), self.remedy()),
        }
    }

    /// The person's own choice of a program: the variable and what it names.
    fn chosen(self) -> Option<(&'static str, PathBuf)> {
        let variable = match self {
            Need::Chromium => CHROMIUM.0,
            Need::Firefox => FIREFOX.0,
            _ => return None,
        };
        Some((variable, std::env::var_os(variable)?.into()))
    }

    /// Makes sure it is there.
    ///
    /// # Errors
    /// When it is missing and may not or cannot be installed: one line that says how to get it.
    pub fn require(self, no_install: bool) -> Result<()> {
        if self.found().is_some() {
            return Ok(());
        }
        let missing = || anyhow::anyhow!(self.missing());
        if let Some((variable, path)) = self.chosen() {
            if version(&path).is_some() {
                bail!("{variable}: {}", self.missing());
            }
            bail!("{variable} names {}, which does not run; correct it or unset it", path.display());
        }
        if no_install {
            return Err(missing());
        }
        match self {
            Need::WasmTarget if tools::ask("rustup", &["--version"]).is_some() => {
                eprintln!("installing {}", self.name());
                tools::run(&mut tools::command("rustup", &["target", "add", "wasm32-unknown-unknown"]))?;
            }
            Need::Components if tools::ask("rustup", &["--version"]).is_some() => {
                eprintln!("installing {}", self.name());
                tools::run(&mut tools::command("rustup", &["component", "add", "clippy", "rustfmt"]))?;
            }
            Need::NodeModules => {
                eprintln!("installing {} by package-lock.json", self.name());
                tools::run(&mut tools::command("npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
            }
            Need::Chromium => apt(&["chromium", "chromium-browser"]).map_err(|error| missing().context(error))?,
            Need::Firefox => apt(&["firefox-esr", "firefox"]).map_err(|error| missing().context(error))?,
            Need::Pip => apt(&["python3-pip"]).map_err(|error| missing().context(error))?,
            Need::MiniWob => {
                eprintln!("fetching {}: the package miniwob 1.1.0 from PyPI, by its pinned hash", self.name());
                tools::run(tools::command("node", &["tests/miniwob/fetch.mjs"]).env("CARGO_TARGET_DIR", target_dir()))?;
            }
            _ => return Err(missing()),
        }
        if self.found().is_none() {
            bail!("{} was installed but cannot be used: {}", self.name(), self.missing());
        }
        Ok(())
    }
}

/// Requires several.
///
/// # Errors
/// As [`Need::require`], for the first that is missing.
pub fn require(needs: &[Need], no_install: bool) -> Result<()> {
    needs.iter().try_for_each(|need| need.require(no_install))
}

/// Firefox's program.
pub fn firefox() -> Option<PathBuf> {
    program(FIREFOX)
}

/// Where the MiniWoB pages lie once fetched.
fn miniwob() -> PathBuf {
    target_dir().join("miniwob-1.1.0/miniwob/html")
}

/// Chromium's program, or that of its kin that still loads unpacked extensions.
pub fn chromium() -> Option<PathBuf> {
    program(CHROMIUM)
}

type Programs = (&'static str, &'static [&'static str]);
const CHROMIUM: Programs =
    ("TRACERULE_CHROMIUM", &["chromium", "chromium-browser", "microsoft-edge", "microsoft-edge-stable"]);
const FIREFOX: Programs = ("TRACERULE_FIREFOX", &["firefox-esr", "firefox"]);

/// The program that the variable names, or the first of the names that is on the path.
fn program((variable, names): Programs) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(variable) {
        return Some(path.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let files = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}

fn version(program: &Path) -> Option<String> {
    tools::ask(program.to_str()?, &["--version"])
}

/// The first whole number of a text: a browser's major version.
fn major(text: &str) -> Option<u32> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The least version that the manifest allows, at this path of blocks.
fn least(path: &[&str]) -> Option<u32> {
    let manifest = Value::Object(manifest::source().ok()?);
    major(path.iter().try_fold(&manifest, |block, name| block.get(name))?.as_str()?)
}

/// The number of pinned packages, if all lie in `node_modules` at their pinned version.
fn node_modules() -> Option<String> {
    let root = tools::root();
    let read = |path: PathBuf| serde_json::from_str::<Value>(&std::fs::read_to_string(path).ok()?).ok();
    let wanted = read(root.join("package.json"))?;
    let wanted = wanted.get("devDependencies")?.as_object()?.clone();
    for (name, version) in &wanted {
        let there = read(root.join("node_modules").join(name).join("package.json"))?;
        if there.get("version") != Some(version) {
            return None;
        }
    }
    Some(format!("{} packages as pinned", wanted.len()))
}

/// Installs the first of the packages that the system's lists offer.
fn apt(candidates: &[&str]) -> Result<()> {
    if tools::ask("apt-get", &["--version"]).is_none() {
        bail!("this is not Debian or Ubuntu");
    }
    let root = tools::ask("id", &["-u"]).as_deref() == Some("0");
    let names = candidates.join(" or ");
    if !root && !agreed(&format!("install the package {names} with sudo apt-get?")) {
        bail!("nothing was installed");
    }
    eprintln!("installing the package {names}");
    let apt = |args: &[&str]| {
        let mut command = if root { tools::command("apt-get", &[]) } else { tools::command("sudo", &["apt-get"]) };
        tools::run(command.args(args).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // A bare machine's lists are empty or old.
    apt(&["update", "-q"])?;
    // A name without a candidate is a mere mention; the exit status tells nothing.
    let offered = |package: &&&str| {
        tools::ask("apt-cache", &["policy", package])
            .is_some_and(|text| text.contains("Candidate:") && !text.contains("Candidate: (none)"))
    };
    let Some(package) = candidates.iter().find(offered) else {
        bail!("the system's package lists offer no {names}");
    };
    apt(&["install", "-q", "-y", "--no-install-recommends", package])
}

/// Asks on a terminal; without one the answer is no.
fn agreed(question: &str) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    eprint!("{question} [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    answer.trim().eq_ignore_ascii_case("y")
}

/// Prints what is there, what is missing and how to get it.
///
/// # Errors
/// When something is missing.
pub fn doctor() -> Result<()> {
    let mut missing = 0;
    for need in Need::ALL {
        match need.found() {
            Some(version) => println!("ok       {:<20} {version}", need.name()),
            None => {
                missing += 1;
                println!("missing  {:<20} needed for {}; {}", need.name(), need.purpose(), need.missing());
            }
        }
    }
    let dist = tools::root().join("dist/chromium/manifest.json").exists();
    println!("{}  the extension        dist/, made by `cargo xtask build`", if dist { "ok     " } else { "not yet" });
    if missing > 0 {
        bail!("{missing} missing; `cargo xtask demo` and `cargo xtask test` install what they can");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_older_than_the_manifest_allows_are_refused() {
        assert!(Need::Chromium.is_too_old("Chromium 147.0.7700.1 built on Debian"));
        assert!(!Need::Chromium.is_too_old("Chromium 148.0.7778.5 snap"));
        assert!(Need::Firefox.is_too_old("Mozilla Firefox 140.5.0esr"));
        assert!(!Need::Firefox.is_too_old("Mozilla Firefox 142.0"));
        assert!(!Need::Firefox.is_too_old("Mozilla Firefox"));
    }
}
