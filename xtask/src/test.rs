//! Every check, in groups that can be run by name. CI runs this and nothing else.

use std::collections::VecDeque;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::build::{self, Speed};
use crate::install::{self, Need};
use crate::manifest::Browser;
use crate::{codegen, package, tools};

type Work = Box<dyn Fn() -> Result<()> + Send + Sync>;

enum Job {
    /// Uses cargo, which does one thing at a time; prints as it goes.
    Cargo(Work),
    /// A file of browser tests, mostly waiting: another may run beside it. Prints when it is done. Whether it may
    /// sample its long tables.
    Browsers(String, bool),
}

struct Group {
    name: String,
    needs: Vec<Need>,
    job: Job,
}

/// These take longest, so they begin first.
const LONG: [&str; 6] = ["apps", "torture/torture", "miniwob", "e2e/record", "demo/", "rrweb/workloads"];

/// Where more groups failed than this, it was not the machine.
const MOST_AGAIN: usize = 4;

/// Runs the groups whose name contains one of `filters`; all without a filter. Cargo's run one by one, browsers' beside
/// them, at most `lanes` at once.
///
/// # Errors
/// When a group fails or something is missing.
pub fn run(filters: &[String], list: bool, lanes: Option<usize>, no_install: bool) -> Result<()> {
    let chosen: Vec<Group> = groups(filters.is_empty())?
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
    if filters.is_empty() {
        println!(
            "long tables are sampled; a group asked for by its name, or TRACERULE_WHOLE=1, runs the whole of them"
        );
    }
    let start = Instant::now();
    let lanes = lanes
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |cores| (cores.get() + 1).min(4)))
        .max(1);
    let mut failed = if lanes == 1 || chosen.len() == 1 {
        chosen.iter().enumerate().filter(|(at, group)| !one(*at, chosen.len(), group, true)).map(|(_, g)| g).collect()
    } else {
        side_by_side(&chosen, lanes)
    };
    let mut second = Vec::new();
    // Two at once are a loaded machine, where pages and people are late; by itself a test has no such excuse.
    if lanes > 1 && chosen.len() > 1 {
        let first = failed.len();
        failed.retain(|group| {
            let again = first <= MOST_AGAIN && matches!(group.job, Job::Browsers(..));
            if again {
                println!("once more, by itself: {}", group.name);
            }
            let passed = again && one(0, 1, group, true);
            if passed {
                second.push(&group.name);
            }
            !passed
        });
    }
    for name in second {
        println!("passed only at the second try, by itself: {name}");
    }
    for group in &failed {
        println!("failed: {}", group.name);
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

/// Runs a group and says how it went. `live` lets it print as it goes.
fn one(at: usize, of: usize, group: &Group, live: bool) -> bool {
    let head = format!("[{}/{of}] {}", at + 1, group.name);
    let began = Instant::now();
    let (result, printed) = match &group.job {
        Job::Cargo(work) => {
            eprintln!("{head}");
            (work(), String::new())
        }
        Job::Browsers(file, sampled) if live => {
            eprintln!("{head}");
            (build::ensure(Speed::Dev).and_then(|()| tools::run(&mut node_test(file, *sampled))), String::new())
        }
        Job::Browsers(file, sampled) => {
            match build::ensure(Speed::Dev).and_then(|()| tools::capture(&mut node_test(file, *sampled))) {
                Ok((result, printed)) => (result, printed),
                Err(error) => (Err(error), String::new()),
            }
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    match &result {
        Ok(()) => eprintln!("{printed}{head}: passed in {seconds:.1} s"),
        Err(error) => eprintln!("{printed}{head}: FAILED in {seconds:.1} s: {error:#}"),
    }
    result.is_ok()
}

/// The groups that failed.
fn side_by_side(chosen: &[Group], lanes: usize) -> Vec<&Group> {
    let is_cargo = |at: &usize| matches!(chosen[*at].job, Job::Cargo(_));
    let (cargo, mut browsers): (VecDeque<usize>, Vec<usize>) = {
        let (cargo, browsers): (Vec<usize>, Vec<usize>) = (0..chosen.len()).partition(is_cargo);
        (cargo.into(), browsers)
    };
    let length = |at: &usize| LONG.iter().position(|long| chosen[*at].name.contains(long)).unwrap_or(LONG.len());
    browsers.sort_by_key(length);
    let queues = Mutex::new((cargo, VecDeque::from(browsers)));
    let failed = Mutex::new(Vec::new());
    // A lane that panicked has said so; what it held is whole.
    let next = |cargo: bool| {
        let mut queues = queues.lock().unwrap_or_else(PoisonError::into_inner);
        if cargo { queues.0.pop_front() } else { queues.1.pop_front() }
    };
    std::thread::scope(|scope| {
        for lane in 0..lanes {
            let (next, failed) = (&next, &failed);
            scope.spawn(move || {
                while let Some(at) = (if lane == 0 { next(true) } else { None }).or_else(|| next(false)) {
                    if !one(at, chosen.len(), &chosen[at], false) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(at);
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_unstable();
    failed.into_iter().map(|at| &chosen[at]).collect()
}

/// `sampled`: long tables of browser tests in part, so that all groups together are done in time.
fn groups(sampled: bool) -> Result<Vec<Group>> {
    let mut groups = Vec::new();
    let mut add = |name: &str, needs: &[Need], job: Job| {
        groups.push(Group { name: name.to_owned(), needs: needs.to_vec(), job });
    };
    let wasm = &[Need::WasmTarget][..];
    let components = &[Need::Components][..];
    add("format", components, cargo(&["fmt", "--all", "--check"]));
    add("generated", &[], Job::Cargo(Box::new(|| codegen::run(true))));
    // Before what takes long: browsers' tests wait for it.
    add("build", wasm, Job::Cargo(Box::new(built)));
    add(
        "lint native",
        components,
        // The default members: browser halves are linted on their own target, below.
        cargo(&["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"]),
    );
    add(
        "lint wasm",
        &[Need::WasmTarget, Need::Components],
        Job::Cargo(Box::new(|| {
            let mut clippy = tools::cargo(&["clippy", "--quiet"]);
            tools::run(clippy.args(WASM).args(["--all-targets", "--", "-D", "warnings"]))
        })),
    );
    add(
        "lint scripts",
        &[Need::Node, Need::Npm, Need::NodeModules],
        Job::Cargo(Box::new(|| {
            let tsc = "node_modules/typescript/bin/tsc";
            tools::run(&mut tools::command("node", &[tsc, "--project", "jsconfig.json"]))
        })),
    );
    add("documentation", wasm, Job::Cargo(Box::new(documentation)));
    add("rust", &[], cargo(&["test", "--quiet", "--workspace"]));
    add("package", &[Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules], Job::Cargo(Box::new(packages)));
    let node = [Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules];
    for file in node_tests()? {
        let mut needs = node.to_vec();
        needs.extend([Need::Chromium, Need::Firefox]);
        if file.contains("tests/apps/") || file.contains("tests/interop/") {
            needs.push(Need::Pip);
        }
        if file.contains("miniwob") || file.contains("tests/names/") {
            needs.extend([Need::Pip, Need::MiniWob]);
        }
        add(&file.clone(), &needs, Job::Browsers(file, sampled));
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
    Job::Cargo(Box::new(move || tools::run(&mut tools::cargo(args))))
}

/// Once, though browsers' groups may have had it done already: it must not change under them.
fn built() -> Result<()> {
    build::ensure(Speed::Dev)?;
    print!("{}", build::sizes()?);
    Ok(())
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

fn node_test(file: &str, sampled: bool) -> Command {
    let root = tools::root();
    let mut node = tools::command("node", &["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    // The seams that tests know: the companion, the extension it loads, the server of the exam apps.
    node.arg(file);
    if sampled {
        node.env("TRACERULE_SAMPLE", "1");
    }
    node.env("TRACERULE_EXE", build::companion(Speed::Dev)).env("TRACERULE_DIST", root.join("dist"));
    node.envs(install::chromium().map(|path| ("TRACERULE_CHROMIUM", path)));
    node.envs(install::firefox().map(|path| ("TRACERULE_FIREFOX", path)));
    node.envs(std::env::current_exe().map(|path| ("TRACERULE_XTASK", path)));
    node
}
