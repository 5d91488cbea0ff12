//! `tracerule record`: a person works in a browser, the trace is saved.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use tracerule::perturb::Settings;
use tracerule::trace::Role;
use tracerule::wire::agent::Start;
use tracerule::wire::secrets::Discretion;

use super::block_on;
use super::steps::Live;
use crate::browser::{BrowserArgs, Kind};
use crate::error::CliError;
use crate::export;
use crate::relay::HubEvent;
use crate::signals::Interrupts;
use crate::stage::{Harvest, Stage};
use crate::weburl;

/// Record a reference: open a browser on URL, work in it, then close the tab or press Ctrl-C.
///
/// Steps are printed as they come. The trace is saved when the tab is closed, on Ctrl-C (or SIGTERM), and also when
/// the browser dies: it is then started again without a window to read back what was recorded. Nothing you do in
/// the opened browser touches your own profile.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tracerule record https://example.com/ --out login.trace.zip
  tracerule record http://localhost:3000/ --browser firefox
  tracerule record http://localhost:3000/ --headless --debug-port 9222   # a script plays the person
  tracerule record http://localhost:3000/ --perturb full --seed 7        # work on a perturbed page
  tracerule record http://localhost:3000/ --picture jpeg --settle-for 'css=#ready'")]
pub struct Args {
    /// The page to begin at (http, https or about:blank).
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    browser: BrowserArgs,
    /// The trace's file, replaced if it exists [default: HOST-TIME.trace.zip, never replacing].
    #[arg(long, short, value_name = "FILE.trace.zip")]
    out: Option<PathBuf>,
    /// Replace a file of the default name too.
    #[arg(long)]
    force: bool,
    /// What to call the recording [default: the page's title].
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Perturb the page: none, light, full, popup-only, jitter-only or colors-only.
    #[arg(long, value_name = "NAME")]
    perturb: Option<String>,
    /// The seed of the perturbations.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Runs the command.
///
/// # Errors
/// See the program's exit codes.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let url = weburl::parse(&args.url)?;
    let perturb = settings(args.perturb.as_deref(), args.seed)?;
    let (out, fresh) = match &args.out {
        Some(out) => (out.clone(), false),
        None => (export::default_name(&url, SystemTime::now()), !args.force),
    };
    export::check_writable(&out)?;
    block_on(async move {
        let interrupts = Interrupts::listen()?;
        let mut stage = Stage::open(&args.browser, 0, &interrupts).await?;
        let recorded = record(&mut stage, &args, &url, perturb, &out, &interrupts).await;
        let harvest = match recorded {
            Ok(harvest) => harvest,
            Err(error) => {
                stage.browser.end().await;
                return Err(error);
            }
        };
        let target = if fresh { export::free_name(&out) } else { out.clone() };
        if target != out {
            eprintln!("{} exists; saving as {} instead", out.display(), target.display());
        }
        if let Err(error) = export::write_atomically(&target, &harvest.bytes) {
            let lost = stage.lost(&error.message);
            stage.browser.end().await;
            return Err(lost);
        }
        let steps = harvest.trace.as_ref().map_or_else(|| "a".to_owned(), |trace| count(trace.steps().count()));
        eprintln!("Saved {steps} to {}", target.display());
        stage.close().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn count(steps: usize) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") }
}

/// The settings of a preset's name; none for no name.
pub(super) fn settings(name: Option<&str>, seed: u64) -> Result<Option<Settings>, CliError> {
    let named = name.map(|name| Settings::preset(name, seed)).transpose();
    let settings = named.map_err(|e| CliError::usage(format!("--perturb: {e}")))?;
    Ok(settings.filter(|settings| !settings.is_none()))
}

async fn record(
    stage: &mut Stage,
    args: &Args,
    url: &url::Url,
    perturb: Option<Settings>,
    out: &std::path::Path,
    interrupts: &Interrupts,
) -> Result<Harvest, CliError> {
    let mut events = stage.relay.hub().events();
    let start = Start {
        url: Some(url.to_string()),
        role: Some(Role::Reference),
        title: args.title.clone().unwrap_or_default(),
        perturb,
        mask: args.browser.mask.clone(),
        capture: args.browser.capture.alone(),
        ..Start::default()
    };
    let started = tokio::select! {
        started = stage.control.start(&start) => started.map_err(|e| e.at_start("record", url))?,
        how = stage.browser.exited() => return Err(CliError::failed(format!("the browser ended before recording began ({how})"))),
        () = interrupts.reached(1) => return Err(CliError::failed("interrupted before recording began; nothing was recorded")),
    };
    stage.remember(&started.session, Some(out))?;
    if let Some(port) = args.browser.debug_port {
        stage.release_bidi().await;
        match args.browser.browser {
            Kind::Chromium => eprintln!("Remote port: http://127.0.0.1:{port} (Chrome DevTools Protocol)"),
            Kind::Firefox => eprintln!("Remote port: ws://127.0.0.1:{port}/session (WebDriver BiDi)"),
        }
    }
    let mut shown = url.to_string();
    // A terminal's history keeps what is printed.
    Discretion::default().clean(&mut shown);
    eprintln!("Recording {shown}; close the tab or press Ctrl-C to save to {}", out.display());
    let mut live = Live::default();
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(HubEvent::Step(step)) => live.take(*step),
                Ok(HubEvent::Ended { session }) if session.as_ref().is_none_or(|id| *id == started.session) => break,
                // Falling behind loses printed lines, not steps.
                Ok(_) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => break,
            },
            how = stage.browser.exited() => {
                live.flush();
                eprintln!("The browser ended ({how}).");
                break;
            }
            () = interrupts.reached(1) => break,
        }
    }
    live.flush();
    eprintln!("Saving … (Ctrl-C again gives up)");
    stage.harvest(&started.session, None, interrupts).await
}
