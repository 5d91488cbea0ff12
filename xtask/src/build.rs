//! Makes `dist/`: the extension for each browser, the in-page recorder; and builds the companion.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use tracerule::wire::sensor::{ACTING, ACTING_SOURCES, LATER, LATER_SOURCES, SCRIPTS, SOURCES};
use wasm_bindgen_cli_support::Bindgen;

use crate::install::Need;
use crate::manifest::{self, Browser};
use crate::{codegen, tools};

const TARGET: &str = "wasm32-unknown-unknown";

/// How the build spends its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// Quick to build.
    Dev,
    /// Small and fast, as shipped.
    Release,
}

impl Speed {
    /// `--dev` or not.
    pub fn of(dev: bool) -> Speed {
        if dev { Speed::Dev } else { Speed::Release }
    }

    fn wasm_profile(self) -> &'static str {
        match self {
            Speed::Dev => "wasm-dev",
            Speed::Release => "wasm-release",
        }
    }
}

/// Where cargo puts what it builds.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tools::root().join("target"), PathBuf::from)
}

/// The companion's executable.
pub fn companion(speed: Speed) -> PathBuf {
    let profile = if speed == Speed::Dev { "debug" } else { "release" };
    target_dir().join(profile).join(format!("tracerule{}", std::env::consts::EXE_SUFFIX))
}

/// Builds everything and prints the sizes.
///
/// # Errors
/// When a tool is missing or a part does not compile.
pub fn all(speed: Speed, no_install: bool) -> Result<()> {
    let start = Instant::now();
    for need in [Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules] {
        need.require(no_install)?;
    }
    codegen::run(false)?;
    extension(speed)?;
    program(speed)?;
    print!("{}", sizes()?);
    println!("{:<36} {:>12} {:>12}", "the sensor, in every frame", "", kib(sensor_gzip()?));
    let companion = companion(speed);
    let bytes = std::fs::metadata(&companion).map(|m| m.len()).unwrap_or_default();
    println!("{:<36} {:>12}", "the companion, tracerule", kib(bytes));
    println!("built in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Builds what is not current: `dist/` and the companion; once in a life of this process.
///
/// # Errors
/// As [`all`]; told again to whoever asks again.
pub fn ensure(speed: Speed) -> Result<()> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    let build = || extension(speed).and_then(|()| program(speed)).map_err(|error| format!("{error:#}"));
    DONE.get_or_init(build).clone().map_err(|error| anyhow!(error))
}

fn program(speed: Speed) -> Result<()> {
    let mut cargo = tools::cargo(&["build", "--package", "tracerule-cli"]);
    if speed == Speed::Release {
        cargo.arg("--release");
    }
    tools::run(&mut cargo)
}

/// Builds `dist/` alone.
///
/// # Errors
/// As [`all`].
pub fn extension(speed: Speed) -> Result<()> {
    let profile = speed.wasm_profile();
    tools::run(&mut tools::cargo(&[
        "build",
        "--target",
        TARGET,
        "--profile",
        profile,
        "--package",
        "tracerule-hub",
        "--package",
        "tracerule-ui",
    ]))?;
    let built = target_dir().join(TARGET).join(profile);
    let hub = glue(&built.join("tracerule_hub.wasm"), "hub", speed)?;
    let ui = glue(&built.join("tracerule_ui.wasm"), "ui", speed)?;
    let source = manifest::source()?;
    for browser in Browser::ALL {
        let dist = fresh(browser.name())?;
        assemble(&dist, &hub, &ui)?;
        let manifest = manifest::derive(&source, browser)?;
        tools::write(&dist.join("manifest.json"), format!("{manifest:#}\n"))?;
    }
    inpage(&fresh("inpage")?, &hub)
}

fn fresh(name: &str) -> Result<PathBuf> {
    let dist = tools::root().join("dist").join(name);
    if dist.exists() {
        std::fs::remove_dir_all(&dist).with_context(|| format!("could not empty {}", dist.display()))?;
    }
    Ok(dist)
}

/// Makes the JavaScript glue of one module in `target/glue/NAME/`, and returns that folder.
fn glue(wasm: &Path, name: &str, speed: Speed) -> Result<PathBuf> {
    let out = target_dir().join("glue").join(name);
    if out.exists() {
        std::fs::remove_dir_all(&out).with_context(|| format!("could not empty {}", out.display()))?;
    }
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name(name).typescript(false).remove_producers_section(true);
    // Names of functions are a fifth of the size, and for those who debug.
    bindgen.remove_name_section(speed == Speed::Release);
    // A service worker cannot import a module lazily; pages can.
    let shape = if name == "hub" { bindgen.no_modules(true) } else { bindgen.web(true) };
    shape
        .and_then(|bindgen| bindgen.generate(&out))
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("no glue for {}", wasm.display()))?;
    Ok(out)
}

/// Lays out an extension, all but its manifest: `shell.js`, `hub.js` and `hub_bg.wasm` at the root,
/// `sensor/`, `ui/` with its glue and icons, `_locales/`.
fn assemble(dist: &Path, hub: &Path, ui: &Path) -> Result<()> {
    let root = tools::root();
    let script = |name: &str| name.ends_with(".js") && !name.ends_with(".test.js");
    tools::copy(hub, dist, |_| true)?;
    tools::copy(&root.join("extension/hub"), dist, |name| !name.contains('/') && script(name))?;
    let scripts = sensor()?;
    for (name, text) in SCRIPTS.iter().chain(&LATER).chain(&ACTING).zip(scripts) {
        tools::write(&dist.join(name), text)?;
    }
    tools::copy(&root.join("ui/static"), &dist.join("ui"), |_| true)?;
    tools::copy(ui, &dist.join("ui"), |_| true)?;
    tools::copy(&root.join("_locales"), &dist.join("_locales"), |_| true)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        std::fs::copy(root.join(licence), dist.join(licence)).with_context(|| format!("could not copy {licence}"))?;
    }
    Ok(())
}

/// The most that the sensor may weigh in every frame, bytes gzipped.
const SENSOR_MOST: u64 = 16 * 1024;

/// The sensor's files as one script in a scope of its own, what comes later, and what comes when it has to act; without
/// what only those who read them need.
fn sensor() -> Result<[String; 3]> {
    let joined = |scripts: &[&str]| -> Result<String> {
        let mut all = String::new();
        for script in scripts.iter().filter(|script| **script != WIRE) {
            all += &tools::read(&tools::root().join("extension").join(script))?;
            all.push('\n');
        }
        Ok(all)
    };
    let sensor = packed_script(&joined(&SOURCES)?)?;
    let packed = gzip(sensor.as_bytes())?;
    if packed > SENSOR_MOST {
        bail!(
            "the sensor is {} gzipped, more than the {} that every frame may be asked to load: move what is seldom \
             needed into a script of its own, as extension/sensor/acting.js",
            kib(packed),
            kib(SENSOR_MOST)
        );
    }
    Ok([sensor, packed_script(&joined(&LATER_SOURCES)?)?, packed_script(&joined(&ACTING_SOURCES)?)?])
}

/// The sensor's constants, whose values are put where they are named.
const WIRE: &str = "sensor/wire.js";

fn packed_script(script: &str) -> Result<String> {
    use std::process::Stdio;
    let wire = tools::read(&tools::root().join("extension").join(WIRE))?;
    let script = serde_json::json!({ "wire": wire, "script": script }).to_string();
    let mut esbuild = tools::command("node", &["xtask/pack.cjs"]);
    let mut child = esbuild
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start node, which packs the sensor: see `cargo xtask doctor`")?;
    let mut stdin = child.stdin.take().context("esbuild takes no input")?;
    stdin.write_all(script.as_bytes()).context("esbuild did not take the sensor")?;
    drop(stdin);
    let output = child.wait_with_output().context("esbuild did not end")?;
    if !output.status.success() {
        bail!("esbuild could not pack the sensor ({}); its own messages are above", output.status);
    }
    String::from_utf8(output.stdout).context("esbuild wrote what is no text")
}

/// The sensor's weight in every frame, bytes gzipped.
///
/// # Errors
/// When `dist/` cannot be read.
pub fn sensor_gzip() -> Result<u64> {
    let mut all = 0;
    for script in SCRIPTS {
        all += gzip(tools::read(&tools::root().join("dist/chromium").join(script))?.as_bytes())?;
    }
    Ok(all)
}

/// The hub's Wasm, bytes gzipped.
///
/// # Errors
/// When `dist/` cannot be read.
pub fn hub_gzip() -> Result<u64> {
    let path = tools::root().join("dist/chromium/hub_bg.wasm");
    gzip(&std::fs::read(&path).with_context(|| format!("could not read {}", path.display()))?)
}

/// The in-page recorder: one module of the sensor's files, all but the one that connects to the extension,
/// and the recorder's own; its worker; the hub.
fn inpage(dist: &Path, hub: &Path) -> Result<()> {
    let root = tools::root();
    tools::copy(hub, dist, |_| true)?;
    tools::copy(&root.join("extension/inpage"), dist, |name| name != "tracerule.js")?;
    let mut module = String::new();
    let own = SOURCES.iter().filter(|script| **script != "sensor/content.js");
    for script in own.chain(&LATER_SOURCES).chain(&["sensor/seal.js"]) {
        module += &tools::read(&root.join("extension").join(script))?;
        module.push('\n');
    }
    module += &tools::read(&root.join("extension/inpage/tracerule.js"))?;
    tools::write(&dist.join("tracerule.js"), module)
}

/// The table of what was built: as it lies on disk, and as it would be downloaded.
///
/// # Errors
/// When `dist/` cannot be read.
pub fn sizes() -> Result<String> {
    let mut table = format!("{:<36} {:>12} {:>12}\n", "built", "size", "gzip");
    for name in ["chromium", "firefox", "inpage"] {
        let mut total = (0, 0);
        let mut large = Vec::new();
        for (file, path) in tools::files(&tools::root().join("dist").join(name))? {
            let bytes = std::fs::read(&path).with_context(|| format!("could not read {}", path.display()))?;
            let packed = gzip(&bytes)?;
            total = (total.0 + bytes.len() as u64, total.1 + packed);
            if bytes.len() >= 16 * 1024 {
                large.push(format!(
                    "{:<36} {:>12} {:>12}\n",
                    format!("  {file}"),
                    kib(bytes.len() as u64),
                    kib(packed)
                ));
            }
        }
        table += &format!("{:<36} {:>12} {:>12}\n", format!("dist/{name}"), kib(total.0), kib(total.1));
        table.extend(large);
    }
    Ok(table)
}

fn gzip(bytes: &[u8]) -> Result<u64> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len() as u64)
}

fn kib(bytes: u64) -> String {
    format!("{:.1} KiB", bytes as f64 / 1024.0)
}
