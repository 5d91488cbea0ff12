//! `tracerule run`: sets a task to an agent, once or several times, and scores what it did.

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use tokio::process::Command;
use tracerule::perturb::Settings;
use tracerule::reference::Subject;
use tracerule::score::{self, Report};
use tracerule::trace::{Assertion, Ending, EndingStatus, Header, Role, Trace};
use tracerule::wire::agent::Start;

use super::record::settings;
use super::steps::Live;
use super::{block_on, table};
use crate::browser::BrowserArgs;
use crate::error::{CliError, FAILED};
use crate::export;
use crate::process::{Group, describe};
use crate::relay::HubEvent;
use crate::signals::Interrupts;
use crate::stage::Stage;
use crate::task::{self, Reference, Task};

/// Set a task to an agent, record what it does, and score it.
///
/// For every run a fresh browser is opened on the task's page and COMMAND is started through the shell. It is told:
/// TRACERULE_TASK (the goal), TRACERULE_MCP_URL, TRACERULE_WS_URL, TRACERULE_URL, TRACERULE_TOKEN, TRACERULE_SEED,
/// TRACERULE_RUN. The run ends when COMMAND ends, or at a limit; then its whole process group is killed. DIR gets
/// run-N.trace.zip, run-N.agent.log and, if the task names a reference, scores.json.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A task file:
  name = \"order-express\"                # keys the perturbations
  url = \"http://localhost:3000/orders\"
  goal = \"Set order 1042 to express delivery and save it.\"
  reference = \"reference.trace.zip\"     # optional; relative to this file; a trace or a step list
  start = \"python3 -m http.server 3000\" # optional; serves the page while runs go on
  [limits]
  steps = 50                            # default 100
  seconds = 120                         # default 300
  [capture]                             # optional, as the options of the same names
  picture = \"jpeg\"                    # default webp
  quality = 70                          # default 80
  full_page = true                      # default false
  settle_for = \"css=#ready\"           # default: until the page is quiet

Examples:
  tracerule run task.toml --agent 'python agent.py' --headless --out runs
  tracerule run task.toml --agent './agent' --runs 3 --seed 7 --perturb full --out runs")]
pub struct Args {
    /// The task file.
    #[arg(value_name = "TASK.toml")]
    task: PathBuf,
    /// The agent, run by `sh -c` once for each run.
    #[arg(long, value_name = "COMMAND")]
    agent: String,
    /// Where traces, logs and scores go.
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// How often.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// The campaign's seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Perturb the page: none, light, full, popup-only, jitter-only or colors-only.
    #[arg(long, value_name = "NAME")]
    perturb: Option<String>,
    /// Score against this instead of what the task names.
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// Runs the command.
///
/// # Errors
/// See the program's exit codes.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let task = task::read(&args.task, args.reference.as_deref())?;
    let perturb = settings(args.perturb.as_deref(), args.seed)?;
    if args.agent.trim().is_empty() {
        return Err(CliError::usage("--agent is empty; give the command that starts the agent"));
    }
    export::check_writable(&args.out.join("scores.json"))?;
    block_on(async move {
        let interrupts = Interrupts::listen()?;
        let mut server = match &task.start {
            Some(start) => Some(serve(start, &task, &interrupts).await?),
            None => None,
        };
        let result = campaign(&args, &task, perturb.as_ref(), &interrupts).await;
        if let Some(server) = &mut server {
            server.end(Duration::from_secs(2)).await;
        }
        result
    })
}

fn shell(command: &str) -> Command {
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command);
    shell
}

/// Starts the task's own server and waits until its port answers.
async fn serve(start: &str, task: &Task, interrupts: &Interrupts) -> Result<Group, CliError> {
    let failed = |why: String| CliError::environment(format!("the task's start command '{start}' {why}"));
    let mut command = shell(start);
    command.current_dir(&task.dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let mut group = Group::spawn(&mut command).map_err(|e| failed(format!("cannot be started: {e}")))?;
    let host = task.url.host_str().unwrap_or("127.0.0.1").trim_matches(['[', ']']).to_owned();
    let port = task.url.port_or_known_default().unwrap_or(80);
    let answers = async {
        while tokio::net::TcpStream::connect((host.as_str(), port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let problem = tokio::select! {
        () = answers => None,
        status = group.wait() => Some(format!("ended before {host}:{port} answered ({})", status.map(describe).unwrap_or_default())),
        () = tokio::time::sleep(Duration::from_secs(60)) => Some(format!("does not make {host}:{port} answer within 60 s")),
        () = interrupts.reached(1) => Some("was interrupted".to_owned()),
    };
    match problem {
        None => Ok(group),
        Some(why) => {
            group.end(Duration::from_secs(2)).await;
            Err(failed(why))
        }
    }
}

/// One run, as it ended.
pub(super) struct Finished {
    /// As in `run-0.trace.zip`.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
    /// Its trace; absent when it could not be saved.
    pub trace: Option<Trace>,
    /// Whether the scorer in the extension gives the same; absent when it was not asked.
    pub agrees: Option<bool>,
}

async fn campaign(
    args: &Args,
    task: &Task,
    perturb: Option<&Settings>,
    interrupts: &Interrupts,
) -> Result<ExitCode, CliError> {
    let mut finished: Vec<Finished> = Vec::new();
    let mut worst: Option<CliError> = None;
    for n in 0..args.runs {
        eprintln!("Run {} of {}: {} in {}", n + 1, args.runs, task.name, args.browser.browser.name());
        match one(args, task, perturb, n, interrupts).await {
            Ok(run) => {
                eprintln!("Run {} of {}: {}", n + 1, args.runs, describe_ending(&run.ending));
                finished.push(run);
            }
            // Nothing was tried yet: there is nothing to report but the cause.
            Err(error) if n == 0 && error.code != FAILED => return Err(error),
            Err(error) => {
                eprintln!("error: run {n}: {}", error.message);
                let ending = Ending { status: EndingStatus::Infra, reason: error.message.clone() };
                finished.push(Finished { name: format!("run-{n}.trace.zip"), ending, trace: None, agrees: None });
                worst.get_or_insert(error);
            }
        }
        if interrupts.count() > 0 {
            break;
        }
    }
    let report = match &task.reference {
        Some(reference) => Some(write_scores(args, reference, &finished)?),
        None => None,
    };
    table::print(report.as_ref(), &finished);
    if interrupts.count() > 0 {
        return Err(CliError::failed(format!("interrupted after {} of {} runs", finished.len(), args.runs)));
    }
    let infra = finished.iter().filter(|run| run.ending.status == EndingStatus::Infra).count();
    if infra > 0 {
        let message = format!("{infra} of {} runs failed for reasons that are not the agent's", finished.len());
        return Err(CliError::new(worst.map_or(FAILED, |error| error.code), message));
    }
    Ok(ExitCode::SUCCESS)
}

fn describe_ending(ending: &Ending) -> String {
    let status = serde_json::to_value(ending.status).ok().and_then(|v| v.as_str().map(str::to_owned));
    let status = status.unwrap_or_default();
    if ending.reason.is_empty() { status } else { format!("{status} ({})", ending.reason) }
}

fn subjects(finished: &[Finished]) -> Vec<(String, Subject)> {
    let of = |run: &Finished| Some((run.name.clone(), Subject::Trace(Box::new(run.trace.clone()?))));
    finished.iter().filter_map(of).collect()
}

fn write_scores(args: &Args, reference: &Reference, finished: &[Finished]) -> Result<Report, CliError> {
    let report = score::score(&reference.subject, &subjects(finished));
    let mut text = serde_json::to_string_pretty(&report).map_err(|e| CliError::failed(e.to_string()))?;
    text.push('\n');
    export::write_atomically(&args.out.join("scores.json"), text.as_bytes())?;
    Ok(report)
}

fn header(reference: Option<&Reference>) -> Option<&Header> {
    match reference.map(|reference| &reference.subject) {
        Some(Subject::Trace(trace)) => Some(&trace.header),
        _ => None,
    }
}

/// What the reference masks, and what is asked for now.
fn masks(args: &Args, reference: Option<&Reference>) -> Vec<String> {
    let mut all = header(reference).map(|header| header.mask.clone()).unwrap_or_default();
    all.extend(args.browser.mask.iter().filter(|one| !all.contains(one)).cloned().collect::<Vec<_>>());
    all
}

fn goal_assertions(reference: Option<&Reference>) -> Vec<Assertion> {
    match reference.map(|reference| &reference.subject) {
        Some(Subject::Trace(trace)) => trace.header.assertions.clone(),
        _ => Vec::new(),
    }
}

async fn one(
    args: &Args,
    task: &Task,
    perturb: Option<&Settings>,
    n: u32,
    interrupts: &Interrupts,
) -> Result<Finished, CliError> {
    let mut stage = Stage::open(&args.browser, 0, interrupts).await?;
    let result = in_browser(&mut stage, args, task, perturb, n, interrupts).await;
    match result {
        Ok(finished) => {
            stage.close().await;
            Ok(finished)
        }
        Err(error) => {
            stage.browser.end().await;
            Err(error)
        }
    }
}

async fn in_browser(
    stage: &mut Stage,
    args: &Args,
    task: &Task,
    perturb: Option<&Settings>,
    n: u32,
    interrupts: &Interrupts,
) -> Result<Finished, CliError> {
    let out = args.out.join(format!("run-{n}.trace.zip"));
    let start = Start {
        url: Some(task.url.to_string()),
        role: Some(Role::Run),
        title: task.name.clone(),
        task: Some(task.name.clone()),
        run: Some(n),
        perturb: perturb.map(|settings| Settings { task: task.name.clone(), run: n, ..settings.clone() }),
        assertions: goal_assertions(task.reference.as_ref()),
        mask: masks(args, task.reference.as_ref()),
        capture: args.browser.capture.over(&task.capture),
        // Under the same salt, what the agent types into secret fields compares with what the expert typed.
        secret_salt: header(task.reference.as_ref()).and_then(|header| header.secret_salt.clone()),
        grant: true,
        ..Start::default()
    };
    let started = stage.control.start(&start).await;
    let started = started.map_err(|e| e.at_start("open", &task.url))?;
    stage.remember(&started.session, Some(&out))?;
    if args.browser.debug_port.is_some() {
        stage.release_bidi().await;
    }
    stage.relay.hub().limit_steps(task.step_limit);
    let ending = watch_agent(stage, args, task, n, &started.session, interrupts).await?;
    let harvest = stage.harvest(&started.session, Some(ending.clone()), interrupts).await?;
    if let Err(error) = export::write_atomically(&out, &harvest.bytes) {
        return Err(stage.lost(&error.message));
    }
    eprintln!("Saved {}", out.display());
    let name = format!("run-{n}.trace.zip");
    let agrees = match (&task.reference, &harvest.trace) {
        (Some(reference), Some(trace)) => {
            Some(score_in_extension(stage, reference, &started.session, &name, trace).await)
        }
        _ => None,
    };
    // The trace knows best how it ended; a cut-off one says nothing.
    let ending = harvest.trace.as_ref().and_then(|trace| trace.header.ending.clone()).unwrap_or(ending);
    Ok(Finished { name, ending, trace: harvest.trace, agrees: agrees.flatten() })
}

/// Starts the agent and waits for whatever ends the run first; the agent's whole group is dead afterwards.
async fn watch_agent(
    stage: &mut Stage,
    args: &Args,
    task: &Task,
    n: u32,
    session: &str,
    interrupts: &Interrupts,
) -> Result<Ending, CliError> {
    let log = args.out.join(format!("run-{n}.agent.log"));
    let mut agent = spawn_agent(stage, args, task, n, &log)?;
    let hub = stage.relay.hub().clone();
    let mut events = hub.events();
    let mut live = Live::with_prefix("  ");
    let began = Instant::now();
    let ended = |status, reason: String| Ending { status, reason };
    let ending = loop {
        let left = task.time_limit.saturating_sub(began.elapsed());
        tokio::select! {
            status = agent.wait() => break match status {
                Ok(status) if status.success() => ended(EndingStatus::Done, String::new()),
                Ok(status) => {
                    ended(EndingStatus::AgentError, format!("the agent: {}; see {}", describe(status), log.display()))
                }
                Err(e) => ended(EndingStatus::Infra, format!("the agent's state is unknown: {e}")),
            },
            () = tokio::time::sleep(left) => {
                break ended(EndingStatus::Timeout, format!("after {} s", task.time_limit.as_secs_f64()));
            }
            () = hub.step_limit_hit() => {
                break ended(EndingStatus::StepLimit, format!("after {} steps", hub.steps()));
            }
            how = stage.browser.exited() => {
                break ended(EndingStatus::Infra, format!("the browser ended ({how})"));
            }
            () = interrupts.reached(1) => break ended(EndingStatus::Infra, "interrupted".to_owned()),
            event = events.recv() => match event {
                Ok(HubEvent::Step(step)) => live.take(*step),
                Ok(HubEvent::Ended { session: id }) if id.as_deref().is_none_or(|id| id == session) => {
                    // The agent may still have to say goodbye.
                    let _ = tokio::time::timeout(Duration::from_secs(5), agent.wait()).await;
                    break ended(EndingStatus::Done, "the tab was closed".to_owned());
                }
                _ => {}
            },
        }
    };
    live.flush();
    agent.end(Duration::from_secs(2)).await;
    Ok(ending)
}

fn spawn_agent(stage: &Stage, args: &Args, task: &Task, n: u32, log: &Path) -> Result<Group, CliError> {
    let failed = |e: std::io::Error| CliError::failed(format!("{}: {e}", log.display()));
    let file = std::fs::File::create(log).map_err(failed)?;
    let errors = file.try_clone().map_err(failed)?;
    let mut command = shell(&args.agent);
    command
        .envs(stage.relay.environment())
        .env("TRACERULE_TASK", &task.goal)
        .env("TRACERULE_SEED", args.seed.to_string())
        .env("TRACERULE_RUN", n.to_string())
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors);
    Group::spawn(&mut command).map_err(|e| CliError::environment(format!("cannot start a shell for the agent: {e}")))
}

/// Asks the extension for the scores too: the same core, as Wasm, must give the same bytes. Tells `None` when
/// it could not be asked.
async fn score_in_extension(
    stage: &Stage,
    reference: &Reference,
    session: &str,
    name: &str,
    trace: &Trace,
) -> Option<bool> {
    if !matches!(reference.subject, Subject::Trace(_)) {
        return None;
    }
    let asked = async {
        let summary = stage.control.import(&reference.name, &reference.bytes).await?;
        stage.control.score(&summary.session, &[session.to_owned()]).await
    };
    let theirs = match asked.await {
        Ok(report) => report,
        Err(e) => {
            eprintln!("warning: the extension could not score the run: {e}");
            return None;
        }
    };
    let runs = [(name.to_owned(), Subject::Trace(Box::new(trace.clone())))];
    let mut ours = serde_json::to_value(score::score(&reference.subject, &runs)).ok()?;
    let mut theirs = theirs;
    // Only the file's name is ours to give.
    for report in [&mut ours, &mut theirs] {
        if let Some(name) = report.pointer_mut("/runs/0/name") {
            *name = serde_json::Value::Null;
        }
    }
    // Values compare field by field; texts also in the order of fields.
    let texts = [&ours, &theirs].map(|report| serde_json::to_string(report).unwrap_or_default());
    let same = texts[0] == texts[1];
    if !same {
        eprintln!("warning: the scorer in the extension does not give the same as this program; please report it");
        if std::env::var_os("TRACERULE_DEBUG").is_some() {
            eprintln!("here:      {}\nextension: {}", texts[0], texts[1]);
        }
    }
    Some(same)
}
