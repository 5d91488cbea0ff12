//! `tracerule mcp`: MCP over standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use rmcp::ServiceExt;
use tracerule::trace::Role;
use tracerule::wire::agent::Start;

use super::block_on;
use crate::browser::BrowserArgs;
use crate::error::CliError;
use crate::export;
use crate::mcp::remote::Remote;
use crate::mcp::{Backend, Tools};
use crate::signals::Interrupts;
use crate::stage::Stage;
use crate::weburl;

/// Serve MCP on standard input and output, for hosts that start their servers themselves.
///
/// The tools have the names and parameters of Playwright MCP. They are passed to the relay of a running `tracerule
/// serve` (or `tracerule run`), or, with --launch, to a browser opened for this client alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  TRACERULE_URL=http://127.0.0.1:7717 TRACERULE_TOKEN=… tracerule mcp
  tracerule mcp --launch http://localhost:3000/ --headless --out run.trace.zip

As a host's configuration:
  {\"mcpServers\": {\"tracerule\": {\"command\": \"tracerule\", \"args\": [\"mcp\"],
    \"env\": {\"TRACERULE_URL\": \"http://127.0.0.1:7717\", \"TRACERULE_TOKEN\": \"…\"}}}}")]
pub struct Args {
    /// The relay, as http://127.0.0.1:PORT.
    #[arg(long, value_name = "URL", conflicts_with = "launch")]
    url: Option<String>,
    /// A file that holds the relay's token; else TRACERULE_TOKEN is used. (A token is never an argument: arguments
    /// can be seen by all.)
    #[arg(long, value_name = "FILE", conflicts_with = "launch")]
    token_file: Option<PathBuf>,
    /// Open a browser on this page instead.
    #[arg(long, value_name = "URL")]
    launch: Option<String>,
    #[command(flatten)]
    browser: BrowserArgs,
    /// Save the trace of the opened browser here at the end.
    #[arg(long, short, value_name = "FILE.trace.zip", requires = "launch")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// See the program's exit codes.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    if let Some(url) = &args.launch {
        let url = weburl::parse(url)?;
        if let Some(out) = &args.out {
            export::check_writable(out)?;
        }
        return block_on(launched(args, url));
    }
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let url = args.url.clone().or_else(|| set("TRACERULE_URL")).ok_or_else(|| {
        CliError::usage(
            "which relay? Set TRACERULE_URL and TRACERULE_TOKEN as `tracerule serve` prints them, or give --launch URL \
             to open a browser",
        )
    })?;
    let token = match &args.token_file {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|e| CliError::usage(format!("--token-file {}: {e}", file.display())))?;
            Some(text.trim().to_owned())
        }
        None => set("TRACERULE_TOKEN"),
    };
    let remote = Remote::new(&url, token)?;
    block_on(async move {
        let interrupts = Interrupts::listen()?;
        serve(Tools::new(Backend::Remote(remote), "mcp".to_owned()), &interrupts).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Until standard input ends or an interrupt.
async fn serve(tools: Tools, interrupts: &Interrupts) -> Result<(), CliError> {
    let service = tokio::select! {
        service = tools.serve(rmcp::transport::stdio()) => service,
        () = interrupts.reached(1) => return Ok(()),
    };
    let service = match service {
        Ok(service) => service,
        // The host went away before it said hello.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(e) => return Err(CliError::usage(format!("standard input does not speak MCP: {e}"))),
    };
    tokio::select! {
        ended = service.waiting() => ended.map(drop).map_err(|e| CliError::failed(format!("MCP ended badly: {e}"))),
        () = interrupts.reached(1) => Ok(()),
    }
}

async fn launched(args: Args, url: url::Url) -> Result<ExitCode, CliError> {
    let interrupts = Interrupts::listen()?;
    let mut stage = Stage::open(&args.browser, 0, &interrupts).await?;
    let mask = args.browser.mask.clone();
    let capture = args.browser.capture.alone();
    let start =
        Start { url: Some(url.to_string()), role: Some(Role::Run), mask, capture, grant: true, ..Start::default() };
    let started = match stage.control.start(&start).await {
        Ok(started) => started,
        Err(error) => {
            stage.close().await;
            return Err(error.at_start("open", &url));
        }
    };
    stage.remember(&started.session, args.out.as_deref())?;
    let backend = Backend::Hub { hub: stage.relay.hub().clone() };
    let served = serve(Tools::new(backend, "mcp#1".to_owned()), &interrupts).await;
    if let Some(out) = &args.out {
        let saved = match stage.harvest(&started.session, None, &interrupts).await {
            Ok(harvest) => export::write_atomically(out, &harvest.bytes).map_err(|e| stage.lost(&e.message)),
            Err(error) => Err(error),
        };
        if let Err(error) = saved {
            stage.browser.end().await;
            return Err(error);
        }
        eprintln!("Saved {}", out.display());
    }
    stage.close().await;
    served.map(|()| ExitCode::SUCCESS)
}
