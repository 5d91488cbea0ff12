//! Every check, in groups that can be run by name. CI runs this and nothing else.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::build::{self, Speed};
use crate::install::{self, Need};
use crate::manifest::Browser;
use crate::{codegen, package, tools};

type Job = Box<dyn Fn() -> Result<()>>;

struct Group {
    name: String,
    needs: Vec<Need>,
    job: Job,
}

/// Runs the groups whose name contains one of `filters`; all without a filter.
///
/// # Errors
/// When a group fails or something is missing.
pub fn run(filters: &[String], list: bool, no_install: bool) -> Result<()> {
    let chosen: Vec<Group> = groups()?
        .into_iter()
        .filter(|group| filters.is_empty() || filters.iter().any(|filter| group.name.contains(filter)))
        .collect();
    if list {
        chosen.iter().for_each(|group| println!("{}", group.name));
        return Ok(());
    }
    if chosen.is_empty() {
        bail!("no group's name contains {}; see `cargo xtask test --list`", filters.join(" or "));
    }
    for need in Need::ALL {
        if chosen.iter().any(|group| group.needs.contains(&need)) {
            need.require(no_install)?;
        }
    }
    let start = Instant::now();
    let mut failed = Vec::new();
    for (index, group) in chosen.iter().enumerate() {
        eprintln!("[{}/{}] {}", index + 1, chosen.len(), group.name);
        let began = Instant::now();
        let result = (group.job)();
        let seconds = began.elapsed().as_secs_f64();
        match result {
            Ok(()) => eprintln!("[{}/{}] {}: passed in {seconds:.1} s", index + 1, chosen.len(), group.name),
            Err(error) => {
                eprintln!("[{}/{}] {}: FAILED in {seconds:.1} s: {error:#}", index + 1, chosen.len(), group.name);
                failed.push(group.name.clone());
            }
        }
    }
    for name in &failed {
        println!("failed: {name}");
    }
    println!(
        "{} passed, {} failed in {:.0} s",
        chosen.len() - failed.len(),
        failed.len(),
        start.elapsed().as_secs_f64()
    );
    if !failed.is_empty() {
        bail!("run one again with `cargo xtask test NAME`");
    }
    Ok(())
}

fn groups() -> Result<Vec<Group>> {
    let mut groups = Vec::new();
    let mut add = |name: &str, needs: &[Need], job: Job| {
        groups.push(Group { name: name.to_owned(), needs: needs.to_vec(), job });
    };
    let wasm = &[Need::WasmTarget][..];
    let components = &[Need::Components][..];
    add("format", components, cargo(&["fmt", "--all", "--check"]));
    add("generated", &[], Box::new(|| codegen::run(true)));
    add(
        "lint native",
        components,
        cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    );
    add(
        "lint wasm",
        &[Need::WasmTarget, Need::Components],
        Box::new(|| {
            let mut clippy = tools::cargo(&["clippy", "--quiet"]);
            tools::run(clippy.args(WASM).args(["--", "-D", "warnings"]))
        }),
    );
    add(
        "lint scripts",
        &[Need::Node, Need::Npm, Need::NodeModules],
        Box::new(|| {
            let tsc = "node_modules/typescript/bin/tsc";
            tools::run(&mut tools::command("node", &[tsc, "--project", "jsconfig.json"]))
        }),
    );
    add("documentation", wasm, Box::new(documentation));
    add("rust", &[], cargo(&["test", "--quiet", "--workspace"]));
    add("build", wasm, Box::new(|| build::all(Speed::Dev, true)));
    add("package", &[Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules], Box::new(packages));
    let node = [Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules];
    for file in node_tests()? {
        let mut needs = node.to_vec();
        needs.extend([Need::Chromium, Need::Firefox]);
        if file.contains("tests/apps/") || file.contains("tests/interop/") {
            needs.push(Need::Pip);
        }
        if file.contains("miniwob") {
            needs.extend([Need::Pip, Need::MiniWob]);
        }
        let name = file.clone();
        add(
            &name,
            &needs,
            Box::new(move || {
                build::ensure(Speed::Dev)?;
                tools::run(&mut node_test(&file))
            }),
        );
    }
    Ok(groups)
}

/// The browser halves, on their own target: most of them is not there on another.
const WASM: [&str; 8] = [
    "--target",
    "wasm32-unknown-unknown",
    "--package",
    "tracerule-store",
    "--package",
    "tracerule-hub",
    "--package",
    "tracerule-ui",
];

fn documentation() -> Result<()> {
    // Rooms are private modules, and their docs are read with them: links to them are what is wanted.
    let flags = "-D warnings -A rustdoc::private_intra_doc_links";
    let doc = || {
        let mut doc = tools::cargo(&["doc", "--quiet", "--no-deps", "--document-private-items"]);
        doc.env("RUSTDOCFLAGS", flags);
        doc
    };
    tools::run(&mut doc())?;
    tools::run(doc().args(WASM))
}

fn cargo(args: &'static [&'static str]) -> Job {
    Box::new(move || tools::run(&mut tools::cargo(args)))
}

/// Packs what the build group made, twice, and lints it.
fn packages() -> Result<()> {
    build::ensure(Speed::Dev)?;
    let folder = |n: u32| build::target_dir().join("packages").join(n.to_string());
    let first = package::pack(&folder(1))?;
    for ((browser, one), (_, two)) in first.iter().zip(package::pack(&folder(2))?) {
        if std::fs::read(one)? != std::fs::read(&two)? {
            bail!("packing {} twice gave different bytes", browser.name());
        }
        if *browser == Browser::Firefox {
            package::lint(one)?;
        }
    }
    Ok(())
}

/// `tests/**/*.test.mjs` and `extension/**/*.test.mjs`.
fn node_tests() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in ["extension", "tests"] {
        let files = tools::files(&tools::root().join(folder))?;
        let tests = files.into_iter().filter(|(name, _)| name.ends_with(".test.mjs"));
        found.extend(tests.map(|(name, _)| format!("{folder}/{name}")));
    }
    Ok(found)
}

fn node_test(file: &str) -> Command {
    let root = tools::root();
    let mut node = tools::command("node", &["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    // The seams that tests know: the companion, the extension it loads, the server of the exam apps.
    node.arg(file);
    node.env("TRACERULE_EXE", build::companion(Speed::Dev)).env("TRACERULE_DIST", root.join("dist"));
    node.envs(install::chromium().map(|path| ("TRACERULE_CHROMIUM", path)));
    node.envs(install::firefox().map(|path| ("TRACERULE_FIREFOX", path)));
    node.envs(std::env::current_exe().map(|path| ("TRACERULE_XTASK", path)));
    node
}
