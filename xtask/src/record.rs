//! `cargo xtask bench record`: what recording costs a page, beside none and beside rrweb at its best, against the
//! goals. `benches/record/main.mjs` measures in a browser; here is what becomes of its figures.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};
use tracerule::wire::log::Entry;
use tracerule::wire::pack;
use tracerule::wire::sensor::SCRIPTS;

use crate::build::{self, Speed};
use crate::install::{self, Need};
use crate::tools;

/// What is asked.
pub struct Options {
    /// One round, and fewer ways of running rrweb.
    pub quick: bool,
    /// Parts of workloads' names; all when empty.
    pub only: Vec<String>,
    /// Where all figures go.
    pub json: Option<PathBuf>,
    /// Which build is measured.
    pub speed: Speed,
}

/// What the browser's half found.
#[derive(Deserialize)]
struct Measured {
    counts: bool,
    rounds: u32,
    browser: String,
    workloads: BTreeMap<String, Workload>,
    sizes: BTreeMap<String, Workload>,
    traced: BTreeMap<String, BTreeMap<String, Traced>>,
    arming: Option<Arming>,
}

#[derive(Deserialize)]
struct Workload {
    title: String,
    #[serde(default)]
    keys: Option<f64>,
    #[serde(default)]
    clicks: Option<f64>,
    kinds: BTreeMap<String, Vec<Run>>,
}

#[derive(Deserialize)]
struct Run {
    cpu: f64,
    worker: f64,
    heap: f64,
    #[serde(default)]
    wasm: f64,
    #[serde(default)]
    events: Option<String>,
    #[serde(default)]
    log: Option<Vec<(u64, String, bool)>>,
    #[serde(default)]
    from: u64,
}

#[derive(Deserialize)]
struct Traced {
    longest: f64,
    p95: f64,
    inputs: u64,
}

#[derive(Deserialize)]
struct Arming {
    page: Vec<f64>,
    frame: Vec<f64>,
}

/// rrweb, in both worlds and with both forms of its events.
const THEIRS: [&str; 4] = ["rrweb_main", "rrweb_main_json", "rrweb_isolated", "rrweb_isolated_json"];
const OURS: &str = "tracerule";
const NONE: &str = "none";

/// Builds, measures, and prints the tables.
///
/// # Errors
/// When something is missing, does not build, or the browser fails.
pub fn run(options: &Options, no_install: bool) -> Result<()> {
    for need in [Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules, Need::Chromium] {
        need.require(no_install)?;
    }
    build::ensure(options.speed)?;
    let out = build::target_dir().join("bench-record.json");
    let asked = json!({
        "quick": options.quick, "only": options.only, "scripts": SCRIPTS, "out": out.display().to_string(),
    });
    let mut node = tools::command("node", &["benches/record/main.mjs"]);
    node.arg(asked.to_string());
    node.envs(install::chromium().map(|path| ("TRACERULE_CHROMIUM", path)));
    tools::run(&mut node)?;
    let text = tools::read(&out)?;
    let measured: Measured = serde_json::from_str(&text).context("benches/record/main.mjs wrote what is no result")?;
    let figures = judge(&measured)?;
    if let Some(path) = &options.json {
        tools::write(path, format!("{figures:#}\n"))?;
    }
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    match all.len() {
        0 => None,
        n if n % 2 == 1 => Some(all[middle]),
        _ => Some(f64::midpoint(all[middle - 1], all[middle])),
    }
}

impl Workload {
    fn cpu(&self, kind: &str) -> Option<f64> {
        median(self.kinds.get(kind)?.iter().map(|run| run.cpu))
    }

    /// What a recorder adds to the main thread's CPU, ms.
    fn added(&self, kind: &str) -> Option<f64> {
        Some(self.cpu(kind)? - self.cpu(NONE)?)
    }

    /// The way of running rrweb that costs least.
    fn best(&self) -> Option<(&'static str, f64)> {
        let all = THEIRS.iter().filter_map(|kind| Some((*kind, self.added(kind)?)));
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn first(&self, kind: &str) -> Option<&Run> {
        self.kinds.get(kind)?.first()
    }

    /// Bytes of what was recorded, as it is and compressed.
    fn bytes(&self, kind: &str) -> Result<Option<(u64, u64)>> {
        let Some(run) = self.first(kind) else { return Ok(None) };
        if let Some(events) = &run.events {
            return Ok(Some((events.len() as u64, gzip(events.as_bytes())?)));
        }
        let Some(log) = &run.log else { return Ok(None) };
        let packed = pack::pack(&entries(log, run.from)?);
        Ok(Some((packed.len() as u64, gzip(&packed)?)))
    }
}

/// As the browser compresses.
fn gzip(bytes: &[u8]) -> Result<u64> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len() as u64)
}

/// The entries of a log from a number on, as the store keeps them: JSON, packs, and compressed chunks of packs.
fn entries(log: &[(u64, String, bool)], from: u64) -> Result<Vec<Entry>> {
    use std::io::Read;
    let mut all = Vec::new();
    for (number, value, text) in log {
        let bytes = base64::engine::general_purpose::STANDARD.decode(value).context("a log entry is no Base64")?;
        let found = if *text {
            vec![serde_json::from_slice(&bytes).context("a log entry is no JSON")?]
        } else if let Some(chunk) = bytes.strip_prefix(b"TRZ1") {
            let mut packed = Vec::new();
            let body = chunk.get(8..).context("a chunk of the log is torn")?;
            flate2::read::DeflateDecoder::new(body)
                .read_to_end(&mut packed)
                .context("a chunk of the log is damaged")?;
            pack::unpack(&packed)?
        } else {
            pack::unpack(&bytes)?
        };
        all.extend(found.into_iter().zip(*number..).filter(|(_, n)| *n >= from).map(|(entry, _)| entry));
    }
    Ok(all)
}

/// Goals and how they came out.
#[derive(Default)]
struct Verdicts(Vec<(String, f64, f64)>);

impl Verdicts {
    /// A goal that a figure must not exceed.
    fn add(&mut self, what: impl Into<String>, figure: Option<f64>, most: f64) {
        if let Some(figure) = figure {
            self.0.push((what.into(), figure, most));
        }
    }
}

fn judge(measured: &Measured) -> Result<Value> {
    if !measured.counts {
        println!("this system does not count the CPU of single threads: times are the browser's own, which drift");
    }
    println!("{} · {} rounds, medians\n", measured.browser, measured.rounds);
    let mut verdicts = Verdicts::default();
    let mut figures = serde_json::Map::new();
    println!(
        "{:<42} {:>9} {:>9} {:>9}  {:<19} {:>6} {:>9} {:>9} {:>9} {:>6} {:>8} {:>8} {:>8}",
        "main-thread CPU, ms; bytes gzipped",
        "none",
        "+ours",
        "+rrweb",
        "rrweb's best",
        "ratio",
        "ours B",
        "ours gz",
        "rrweb gz",
        "ratio",
        "worker",
        "heap KB",
        "rr KB"
    );
    for (name, load) in &measured.workloads {
        figures.insert(name.clone(), workload(name, load, &mut verdicts)?);
    }
    println!();
    for (name, load) in &measured.sizes {
        let (Some(none), Some(ours)) = (load.cpu(NONE), load.cpu(OURS)) else { continue };
        println!("{:<42} {none:>9.1} ms without, {ours:>9.1} ms with Tracerule: {:.2}", load.title, ours / none);
        if load.keys.or(load.clicks).is_some() {
            verdicts.add(format!("{} against no recorder", load.title), Some(ours / none), 1.2);
        }
        figures.insert(name.clone(), json!({"title": load.title, "none_ms": none, "ours_ms": ours}));
    }
    println!("\n{:<42} {:>12} {:>12} {:>12}  ms of CPU", "longest task", "none", "ours", "rrweb");
    for (name, kinds) in &measured.traced {
        let show = |kind: &str| kinds.get(kind).map_or("–".to_owned(), |t| format!("{:.1}", t.longest));
        println!("{name:<42} {:>12} {:>12} {:>12}", show(NONE), show(OURS), show("rrweb_main"));
        if name == "snapshot_50k" {
            verdicts.add("longest task of a snapshot at 50,000 elements, ms", kinds.get(OURS).map(|t| t.longest), 50.0);
        }
        for kind in [NONE, OURS] {
            if let Some(t) = kinds.get(kind).filter(|t| t.inputs > 0) {
                println!("{:<42} p95 of {} input events, {kind}: {:.2} ms", "", t.inputs, t.p95);
            }
        }
        if name.ends_with("_50k") && kinds.get(OURS).is_some_and(|t| t.inputs > 0) {
            verdicts.add(format!("p95 of work per input event, {name}, ms"), kinds.get(OURS).map(|t| t.p95), 5.0);
        }
        let all: BTreeMap<_, _> =
            kinds.iter().map(|(k, t)| (k, json!({"longest_ms": t.longest, "p95_ms": t.p95}))).collect();
        figures.insert(format!("traced {name}"), json!(all));
    }
    if let Some(arming) = &measured.arming {
        let page = median(arming.page.iter().copied());
        let frame = median(arming.frame.iter().copied());
        verdicts.add("armed on a page of 5,000 nodes, ms", page, 15.0);
        verdicts.add("armed in an empty frame, ms", frame, 2.0);
        figures.insert("arming".to_owned(), json!({"page_ms": page, "frame_ms": frame}));
    }
    let (sensor, hub) = (build::sensor_gzip()?, build::hub_gzip()?);
    verdicts.add("the sensor, KiB gzipped", Some(sensor as f64 / 1024.0), 16.0);
    verdicts.add("the hub's Wasm, KiB gzipped", Some(hub as f64 / 1024.0), 500.0);
    figures.insert("sizes".to_owned(), json!({"sensor_gzip": sensor, "hub_gzip": hub}));
    println!("\n{:<62} {:>10} {:>10}", "goal", "measured", "at most");
    for (what, figure, most) in &verdicts.0 {
        println!("{what:<62} {figure:>10.3} {most:>10.3}  {}", if figure <= most { "held" } else { "NOT HELD" });
    }
    let missed = verdicts.0.iter().filter(|(_, figure, most)| figure > most).count();
    println!("\n{} goals held, {missed} not", verdicts.0.len() - missed);
    if verdicts.0.is_empty() {
        bail!("nothing was measured: no workload's name contains what `--only` says");
    }
    Ok(Value::Object(figures))
}

fn workload(name: &str, load: &Workload, verdicts: &mut Verdicts) -> Result<Value> {
    let dash = || "–".to_owned();
    let ms = |value: Option<f64>| value.map_or_else(dash, |v| format!("{v:.1}"));
    let (none, ours, best) = (load.cpu(NONE), load.added(OURS), load.best());
    let theirs = best.map(|(_, added)| added);
    let ratio = ours.zip(theirs).map(|(a, b)| a / b);
    let bytes = load.bytes(OURS)?;
    let mut their_bytes: Option<(u64, u64)> = None;
    for kind in THEIRS {
        if let Some(found) = load.bytes(kind)? {
            their_bytes = Some(their_bytes.map_or(found, |least| if found.1 < least.1 { found } else { least }));
        }
    }
    let packed = bytes.zip(their_bytes).map(|(a, b)| a.1 as f64 / b.1 as f64);
    let run = load.first(OURS);
    let heap = |kind: &str| Some(load.first(kind)?.heap / 1024.0);
    let count = |value: Option<u64>| value.map_or_else(dash, |v| v.to_string());
    let two = |value: Option<f64>| value.map_or_else(dash, |v| format!("{v:.2}"));
    println!(
        "{:<42} {:>9} {:>9} {:>9}  {:<19} {:>6} {:>9} {:>9} {:>9} {:>6} {:>8} {:>8} {:>8}",
        load.title,
        ms(none),
        ms(ours),
        ms(theirs),
        best.map_or("–", |(kind, _)| kind),
        two(ratio),
        count(bytes.map(|b| b.0)),
        count(bytes.map(|b| b.1)),
        count(their_bytes.map(|b| b.1)),
        two(packed),
        ms(run.map(|run| run.worker)),
        ms(heap(OURS)),
        ms(best.and_then(|(kind, _)| heap(kind))),
    );
    let title = &load.title;
    if let Some(count) = load.keys.or(load.clicks) {
        let what = if load.keys.is_some() { "key" } else { "click" };
        let each = |added: Option<f64>| added.map(|ms| ms / count);
        println!(
            "{:<42} a {what}: {} ms, +{} with Tracerule, +{} with rrweb",
            "",
            two(each(none)),
            two(each(ours)),
            two(each(theirs))
        );
        verdicts.add(format!("{title}: handling of a {what} against rrweb's"), ratio, 0.5);
    } else {
        verdicts.add(format!("{title}: added CPU against rrweb's"), ratio, 1.0 / 3.0);
    }
    let goal = if matches!(name, "move" | "leave") { 0.01 } else { 0.2 };
    verdicts.add(format!("{title}: bytes against rrweb's"), packed, goal);
    Ok(json!({
        "title": title, "none_ms": none, "ours_added_ms": ours, "rrweb": best.map(|(kind, _)| kind),
        "rrweb_added_ms": theirs, "ours_bytes": bytes.map(|b| b.0), "ours_gzip": bytes.map(|b| b.1),
        "rrweb_bytes": their_bytes.map(|b| b.0), "rrweb_gzip": their_bytes.map(|b| b.1),
        "worker_ms": run.map(|run| run.worker), "wasm_bytes": run.map(|run| run.wasm),
        "heap_bytes": run.map(|run| run.heap),
    }))
}
