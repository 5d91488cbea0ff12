//! Everything a developer runs, as `cargo xtask COMMAND`; CI runs the same commands.
//!
//! Rooms: [`build`] makes `dist/` and the companion, [`demo`] shows the main job, [`serve`] its exam app, [`manifest`] derives both manifests, [`codegen`] writes
//! what is generated from the core, [`install`] knows what the machine must have, [`package`] packs for the
//! stores, [`mod@test`] checks everything, [`mod@bench`] measures, [`record`] what recording costs, [`tools`] runs programs and says so.

mod bench;
mod build;
mod codegen;
mod demo;
mod install;
mod manifest;
mod package;
mod record;
mod serve;
mod test;
mod tools;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Builds, tests and shows Tracerule.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Never install anything; say what is missing and stop.
    #[arg(long, global = true)]
    no_install: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Say what is there, what is missing and how to get it.
    Doctor,
    /// Make dist/chromium, dist/firefox, dist/inpage and the companion, and print their sizes.
    Build {
        /// Quick to build, slower and larger: for development and tests.
        #[arg(long)]
        dev: bool,
    },
    /// Run every check; with names, only the groups whose name contains one of them.
    Test {
        /// Parts of group names.
        filters: Vec<String>,
        /// Only list the groups.
        #[arg(long)]
        list: bool,
        /// How many groups may run at once; one more than there are processors, at most 4, by default.
        #[arg(long)]
        lanes: Option<usize>,
    },
    /// Measure: `size` of what was built, `score` against a plain implementation, `record` what recording costs a
    /// page beside rrweb; size and score by default.
    Bench {
        /// `size`, `score` or `record`.
        what: Option<bench::What>,
        /// `record`: one round, and rrweb only with its events kept as objects.
        #[arg(long)]
        quick: bool,
        /// `record`: only workloads whose name contains one of these, separated by commas.
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// `record`: write all figures there, as JSON.
        #[arg(long)]
        json: Option<std::path::PathBuf>,
        /// `record`: measure what `cargo xtask build --dev` made.
        #[arg(long)]
        dev: bool,
    },
    /// Record an expert, set the task to an agent twice, clean and perturbed, and score both.
    Demo {
        /// In windows that a person can watch.
        #[arg(long)]
        headed: bool,
        /// With the quick build of `cargo xtask build --dev`.
        #[arg(long)]
        dev: bool,
    },
    /// Pack both extensions for the stores, dist/tracerule-BROWSER-VERSION.zip, and lint.
    Package,
    /// Serve the exam apps of suite/ on loopback until ended.
    Serve {
        /// Any free one by default.
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// Write what is generated and committed: extension/sensor/wire.js, extension/ID.
    Codegen {
        /// Only say whether it is current.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Build { dev } => build::all(build::Speed::of(dev), cli.no_install),
        Command::Doctor => install::doctor(),
        Command::Test { filters, list, lanes } => test::run(&filters, list, lanes, cli.no_install),
        Command::Bench { what: Some(bench::What::Record), quick, only, json, dev } => {
            record::run(&record::Options { quick, only, json, speed: build::Speed::of(dev) }, cli.no_install)
        }
        Command::Bench { what, .. } => bench::run(what),
        Command::Demo { headed, dev } => demo::run(headed, build::Speed::of(dev), cli.no_install),
        Command::Package => package::run(cli.no_install),
        Command::Serve { port } => serve::run(port),
        Command::Codegen { check } => codegen::run(check),
    };
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}
