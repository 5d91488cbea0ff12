//! The main job, end to end: an expert is recorded, an agent does the same task clean and perturbed, both
//! runs are scored in the extension, a person gets a report. Everything is left in `target/demo/`.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::build::{self, Speed};
use crate::install::{self, Need};
use crate::{serve, tools};

/// Under this seed a pop-up comes after the seventh step, in the middle of the form, and no other.
const SEED: &str = "28";

/// Runs it.
///
/// # Errors
/// When any part fails: it says which.
pub fn run(headed: bool, speed: Speed, no_install: bool) -> Result<()> {
    install::require(&[Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules, Need::Chromium], no_install)?;
    build::all(speed, no_install)?;
    let out = build::target_dir().join("demo");
    if out.exists() {
        std::fs::remove_dir_all(&out).with_context(|| format!("could not empty {}", out.display()))?;
    }
    let (server, _) = serve::start(0)?;
    let demo = Demo { base: server.base, exe: build::companion(speed), out, headed };
    demo.write_task()?;
    demo.record()?;
    let clean = demo.attempt("clean", "none", &[])?;
    let perturbed = demo.attempt("perturbed", "full", &[("WRONG_CLICK", "1"), ("WAITS", "3")])?;
    demo.report()?;
    println!("{}", table(&[("clean", &clean), ("perturbed", &perturbed)]));
    tools::write(&demo.out.join("scores.json"), format!("{:#}\n", serde_json::json!({ "runs": [clean, perturbed] })))?;
    println!("the traces, scores.json, report.html and report.png are in {}", demo.out.display());
    Ok(())
}

struct Demo {
    base: String,
    exe: PathBuf,
    out: PathBuf,
    headed: bool,
}

impl Demo {
    fn file(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    fn tracerule(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.exe);
        command.args(args).current_dir(tools::root());
        command
    }

    fn write_task(&self) -> Result<()> {
        let template = tools::read(&tools::root().join("suite/orders/tasks/express.toml"))?;
        tools::write(&self.file("task.toml"), template.replace("{base}", &self.base))
    }

    /// The expert plays over the browser's debug port and closes the tab, which saves the trace.
    fn record(&self) -> Result<()> {
        println!("the expert does the task once");
        let url = format!("{}/orders/index.html?seed=7", self.base);
        let port = free_port()?.to_string();
        let trace = self.file("reference.trace.zip");
        let mut record = self.tracerule(&["record", &url, "--browser", "chromium", "--debug-port", &port]);
        record.args(["--title", "Express for Alder Books", "--out"]).arg(&trace);
        if !self.headed {
            record.arg("--headless");
        }
        eprintln!("  $ {}", tools::shown(&record));
        let mut recorder = Reaped(record.spawn().context("could not start the companion")?);
        tools::run(&mut tools::command("node", &["suite/orders/expert.mjs", &port, &url]))?;
        recorder.wait(Duration::from_secs(60)).context("the recording did not end after the expert closed the tab")?;
        there(&trace)
    }

    /// One run of the agent; its score as the extension gave it.
    fn attempt(&self, name: &str, perturb: &str, habits: &[(&str, &str)]) -> Result<Value> {
        println!("the agent does the task, {name}");
        let folder = self.file("runs").join(name);
        let mut run = self.tracerule(&["run"]);
        run.arg(self.file("task.toml")).args(["--agent", "node suite/orders/agent.mjs", "--runs", "1"]);
        run.args(["--seed", SEED, "--perturb", perturb, "--out"]).arg(&folder).envs(habits.iter().copied());
        if !self.headed {
            run.arg("--headless");
        }
        eprintln!("  $ {}", tools::shown(&run));
        let output = run.stderr(Stdio::inherit()).output().context("could not start the companion")?;
        let table = String::from_utf8_lossy(&output.stdout);
        print!("{table}");
        if !output.status.success() {
            bail!("the run failed ({}); what the agent said is in {}", output.status, folder.display());
        }
        if !table.contains("agrees") {
            bail!("the extension did not give the same scores as the companion");
        }
        let trace = self.file(&format!("{name}.trace.zip"));
        std::fs::copy(folder.join("run-0.trace.zip"), &trace).context("the run left no trace")?;
        let scores: Value = serde_json::from_str(&tools::read(&folder.join("scores.json"))?)?;
        scores.pointer("/runs/0").cloned().context("the run's scores.json has no run")
    }

    fn report(&self) -> Result<()> {
        let html = self.file("report.html");
        let mut report = self.tracerule(&["report"]);
        report.args(["reference", "clean", "perturbed"].map(|name| self.file(&format!("{name}.trace.zip"))));
        tools::run(report.arg("-o").arg(&html))?;
        let picture = self.file("report.png");
        let mut node = tools::command("node", &["xtask/picture.mjs"]);
        node.envs(install::chromium().map(|path| ("TRACERULE_CHROMIUM", path)));
        tools::run(node.arg(&html).arg(&picture))?;
        there(&picture)
    }
}

/// A child that does not outlive us.
struct Reaped(Child);

impl Reaped {
    fn wait(&mut self, limit: Duration) -> Result<()> {
        let start = Instant::now();
        loop {
            match self.0.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => bail!("it failed ({status})"),
                None if start.elapsed() > limit => bail!("{} s went by", limit.as_secs()),
                None => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}

impl Drop for Reaped {
    fn drop(&mut self) {
        // Ended already is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn there(path: &Path) -> Result<()> {
    if path.exists() { Ok(()) } else { bail!("{} was not written", path.display()) }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The table of the runs; an undefined metric shows a dash.
fn table(runs: &[(&str, &Value)]) -> String {
    let columns = [
        ("steps", "/steps"),
        ("distance", "/profiles/classic/distance"),
        ("classic", "/profiles/classic/score"),
        ("hard", "/hard"),
        ("soft", "/soft"),
        ("efficiency", "/step_efficiency"),
        ("recovery", "/recovery_score"),
    ];
    let mut out = format!("{:<12}", "run");
    out.extend(columns.map(|(name, _)| format!("{name:>12}")));
    for (name, run) in runs {
        out += &format!("\n{name:<12}");
        for (_, pointer) in columns {
            let shown = match run.pointer(pointer) {
                Some(Value::Bool(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
                Some(Value::Number(n)) if n.is_f64() => format!("{:.4}", n.as_f64().unwrap_or(f64::NAN)),
                Some(Value::Number(n)) => n.to_string(),
                _ => "–".to_owned(),
            };
            out += &format!("{shown:>12}");
        }
    }
    out
}
