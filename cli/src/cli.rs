//! The command line: parsing, exit codes, and the last resort for faults.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::{Parser, Subcommand};

use crate::commands;
use crate::error::CliError;

/// What an internal fault exits with (`EX_SOFTWARE`).
const FAULT: u8 = 70;

const AFTER_HELP: &str = "\
Exit codes:
  0   done
  1   done, and what was measured fell short (score --fail-under, replay with a failed step, lint with errors)
  2   wrong usage or input (arguments, a file that is no trace, an address that is none)
  3   something is missing (a browser, the built extension, a display)
  4   the work began and failed (the browser died, the trace could not be written)
  70  a fault of tracerule itself; please report it

Environment:
  TRACERULE_CHROMIUM, TRACERULE_FIREFOX   the browser to start
  TRACERULE_DIST                          the directory made by `cargo xtask build`
  TRACERULE_URL, TRACERULE_TOKEN          the running relay, for `tracerule mcp`

Examples:
  tracerule record https://example.com/ --out login.trace.zip
  tracerule show login.trace.zip
  tracerule run task.toml --agent 'python agent.py' --seed 7 --perturb full --out runs
  tracerule score login.trace.zip runs/run-0.trace.zip --json
  tracerule report login.trace.zip runs/run-0.trace.zip -o report.html
  tracerule convert login.trace.zip login.spec.ts";

/// Records references by clicking, sets the exam to agents, and scores what they did.
#[derive(Debug, Parser)]
#[command(name = "tracerule", version, about, after_help = AFTER_HELP, after_long_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Record(commands::record::Args),
    Run(commands::run::Args),
    Replay(commands::replay::Args),
    Serve(commands::serve::Args),
    Mcp(commands::mcp::Args),
    Recover(commands::recover::Args),
    Show(commands::show::Args),
    Lint(commands::lint::Args),
    Score(commands::score::Args),
    Report(commands::report::Args),
    Convert(commands::convert::Args),
    /// Ends a process group when whoever started this dies.
    #[command(name = crate::process::WATCH, hide = true)]
    Watch {
        /// The group.
        group: u32,
    },
}

/// Where and why the program panicked, kept for [`run`].
static FAULT_TEXT: Mutex<Option<String>> = Mutex::new(None);

/// Runs the program on the process's arguments.
pub fn run() -> ExitCode {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        let text = format!("{}{place}", payload(info.payload()));
        if let Ok(mut slot) = FAULT_TEXT.lock() {
            slot.get_or_insert(text);
        }
    }));
    match panic::catch_unwind(AssertUnwindSafe(dispatch)) {
        Ok(code) => code,
        Err(cause) => {
            let text = FAULT_TEXT.lock().ok().and_then(|mut slot| slot.take()).unwrap_or_else(|| payload(&*cause));
            // The reader of a pipe went away (`tracerule show … | head`): nothing is wrong.
            if text.contains("Broken pipe") {
                return ExitCode::SUCCESS;
            }
            complain(&format!("a fault in tracerule itself, please report it with the command you gave: {text}"));
            ExitCode::from(FAULT)
        }
    }
}

fn payload(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<String>(), payload.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (_, Some(text)) => (*text).to_owned(),
        _ => "unknown cause".to_owned(),
    }
}

fn dispatch() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Record(args) => commands::record::run(args),
        Command::Run(args) => commands::run::run(args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Serve(args) => commands::serve::run(args),
        Command::Mcp(args) => commands::mcp::run(args),
        Command::Recover(args) => commands::recover::run(args),
        Command::Show(args) => commands::show::run(args),
        Command::Lint(args) => commands::lint::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Convert(args) => commands::convert::run(args),
        Command::Watch { group } => {
            crate::process::watch(group);
            Ok(ExitCode::SUCCESS)
        }
        Command::Score(args) => commands::score::run(args),
    };
    match result {
        Ok(code) => code,
        Err(CliError { code, message }) => {
            complain(&message);
            ExitCode::from(code)
        }
    }
}

fn complain(message: &str) {
    use std::io::Write;
    // A closed stderr is no reason to fail differently.
    let _ = writeln!(std::io::stderr(), "error: {message}");
}
