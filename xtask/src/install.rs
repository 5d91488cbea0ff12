//! What the commands need from the machine: whether it is there, how to get it, and getting it. Every
//! installation is announced; `--no-install` forbids all.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::Value;

use crate::tools;

/// Something from outside the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Rust's standard library for the browser.
    WasmTarget,
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
    /// Fetches the MiniWoB pages for the tests that use them.
    Pip,
}

impl Need {
    /// All, in the order in which they are wanted.
    pub const ALL: [Need; 7] =
        [Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules, Need::Chromium, Need::Firefox, Need::Pip];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Need::WasmTarget => "Rust's Wasm target",
            Need::Node => "Node.js",
            Need::Npm => "npm",
            Need::NodeModules => "npm packages",
            Need::Chromium => "Chromium",
            Need::Firefox => "Firefox",
            Need::Pip => "Python's pip",
        }
    }

    /// What it is for.
    pub fn purpose(self) -> &'static str {
        match self {
            Need::WasmTarget => "build",
            Need::Node | Need::Npm | Need::NodeModules => "demo, test, package",
            Need::Chromium => "demo, test",
            Need::Firefox => "test",
            Need::Pip => "test (MiniWoB pages)",
        }
    }

    /// How to get it.
    pub fn remedy(self) -> &'static str {
        match self {
            Need::WasmTarget => "rustup target add wasm32-unknown-unknown",
            Need::Node | Need::Npm => "install Node.js 20 or newer",
            Need::NodeModules => "npm ci --ignore-scripts",
            Need::Chromium => "apt-get install chromium, or set TRACERULE_CHROMIUM to Chromium's or Edge's program",
            Need::Firefox => "apt-get install firefox-esr, or set TRACERULE_FIREFOX to Firefox's program",
            Need::Pip => "apt-get install python3-pip",
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
            Need::Node => {
                let version = tools::ask("node", &["--version"])?;
                let major: u32 = version.strip_prefix('v')?.split('.').next()?.parse().ok()?;
                (major >= 20).then_some(version)
            }
            Need::Npm => tools::ask("npm", &["--version"]),
            Need::NodeModules => node_modules(),
            Need::Chromium => version(chromium()?),
            Need::Firefox => version(program(FIREFOX)?),
            Need::Pip => tools::ask("python3", &["-m", "pip", "--version"]).map(|text| text.chars().take(20).collect()),
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
        let missing = || anyhow::anyhow!("{} is missing; {}", self.name(), self.remedy());
        if let Some((variable, path)) = self.chosen() {
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
            Need::NodeModules => {
                eprintln!("installing {} by package-lock.json", self.name());
                tools::run(&mut tools::command("npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
            }
            Need::Chromium => apt("chromium").map_err(|error| missing().context(error))?,
            Need::Firefox => apt("firefox-esr").map_err(|error| missing().context(error))?,
            Need::Pip => apt("python3-pip").map_err(|error| missing().context(error))?,
            _ => return Err(missing()),
        }
        if self.found().is_none() {
            bail!("{} was installed but cannot be used; {}", self.name(), self.remedy());
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

fn version(program: PathBuf) -> Option<String> {
    tools::ask(program.to_str()?, &["--version"])
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

fn apt(package: &str) -> Result<()> {
    if tools::ask("apt-get", &["--version"]).is_none() {
        bail!("this is not Debian or Ubuntu");
    }
    let root = tools::ask("id", &["-u"]).as_deref() == Some("0");
    if !root && !agreed(&format!("install the package {package} with sudo apt-get?")) {
        bail!("nothing was installed");
    }
    eprintln!("installing the package {package}");
    let apt = |args: &[&str]| {
        let mut command = if root { tools::command("apt-get", &[]) } else { tools::command("sudo", &["apt-get"]) };
        tools::run(command.args(args).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // A bare machine's lists are empty or old.
    apt(&["update", "-q"])?;
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
                println!("missing  {:<20} needed for {}; {}", need.name(), need.purpose(), need.remedy());
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
