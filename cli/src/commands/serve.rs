//! `tracerule serve`: the relay alone, for a browser of the person's own; or with a browser.

use std::process::ExitCode;

use tracerule::trace::Role;
use tracerule::wire::agent::Start;

use super::block_on;
use super::steps::Live;
use crate::browser::BrowserArgs;
use crate::error::CliError;
use crate::export;
use crate::relay::{HubEvent, Options, Relay};
use crate::signals::Interrupts;
use crate::stage::Stage;
use crate::weburl;

/// Relay agents to the browser: they act in the tab that you grant them, and are recorded.
///
/// Listens on this machine only, with new tokens each time. Without --launch, install the extension in your own
/// browser, open its side panel, paste the pairing line and grant a tab. With --launch, a browser is opened on URL,
/// agents may act in it at once, and the trace can be saved with --out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Agents connect in one of three ways, each with the printed token:
  MCP, streamable HTTP   http://127.0.0.1:PORT/mcp        header 'Authorization: Bearer TOKEN'
  MCP, stdio             TRACERULE_URL=… TRACERULE_TOKEN=… tracerule mcp
  JSON-RPC 2.0           ws://127.0.0.1:PORT/agent        the same header, or the WebSocket subprotocols
                                                          'tracerule' and 'token.TOKEN'

Examples:
  tracerule serve
  tracerule serve --port 7717
  tracerule serve --launch http://localhost:3000/ --out run.trace.zip")]
pub struct Args {
    /// The relay's port; any free one when absent.
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Open a browser on this page and let agents act in it.
    #[arg(long, value_name = "URL")]
    launch: Option<String>,
    #[command(flatten)]
    browser: BrowserArgs,
    /// Save the trace of the opened browser here at the end.
    #[arg(long, short, value_name = "FILE.trace.zip", requires = "launch")]
    out: Option<std::path::PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// See the program's exit codes.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let url = args.launch.as_deref().map(weburl::parse).transpose()?;
    if let Some(out) = &args.out {
        export::check_writable(out)?;
    }
    block_on(async move {
        let interrupts = Interrupts::listen()?;
        match url {
            Some(url) => launched(&args, &url, &interrupts).await,
            None => {
                let relay = Relay::start(Options { port: args.port, extension_origin: None }).await?;
                announce(&relay, true);
                watch(&relay, None, &interrupts).await;
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

/// What to connect, and how. On standard output, so that scripts can read it.
fn announce(relay: &Relay, pairing: bool) {
    use std::io::Write;
    let mut text = String::new();
    if pairing {
        text.push_str(&format!(
            "Pairing line: {}\n  In the browser: open Tracerule's side panel, paste this line under Agents, press Connect,\n  \
             start recording the tab and grant it.\n",
            relay.pairing_line()
        ));
    }
    text.push_str(&format!(
        "MCP:          {}\nJSON-RPC:     {}\nToken:        {}\n  Agents send it as 'Authorization: Bearer TOKEN'. For MCP over \
         stdio:\n  TRACERULE_URL={} TRACERULE_TOKEN={} tracerule mcp\nCtrl-C ends.\n",
        relay.mcp_url(),
        relay.agent_url(),
        relay.agent_token(),
        relay.base_url(),
        relay.agent_token(),
    ));
    let mut out = std::io::stdout();
    // Nobody may be reading; the relay serves all the same.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Tells what happens until it is over: an interrupt, or the end of `session`.
async fn watch(relay: &Relay, session: Option<&str>, interrupts: &Interrupts) {
    let mut events = relay.hub().events();
    let mut live = Live::default();
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(HubEvent::Connected) => eprintln!("The extension is connected."),
                Ok(HubEvent::Disconnected) => eprintln!("The extension is gone."),
                Ok(HubEvent::Step(step)) => live.take(*step),
                Ok(HubEvent::Ended { session: ended }) => {
                    live.flush();
                    live = Live::default();
                    eprintln!("The session ended.");
                    if session.is_some() && (ended.is_none() || ended.as_deref() == session) {
                        return;
                    }
                }
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
            },
            () = interrupts.reached(1) => {
                live.flush();
                return;
            }
        }
    }
}

async fn launched(args: &Args, url: &url::Url, interrupts: &Interrupts) -> Result<ExitCode, CliError> {
    let mut stage = Stage::open(&args.browser, args.port, interrupts).await?;
    let mask = args.browser.mask.clone();
    let capture = args.browser.capture.alone();
    let start =
        Start { url: Some(url.to_string()), role: Some(Role::Run), mask, capture, grant: true, ..Start::default() };
    let started = match stage.control.start(&start).await {
        Ok(started) => started,
        Err(error) => {
            stage.close().await;
            return Err(error.at_start("record", url));
        }
    };
    if args.browser.debug_port.is_some() {
        stage.release_bidi().await;
    }
    announce(&stage.relay, false);
    {
        let Stage { relay, browser, .. } = &mut stage;
        tokio::select! {
            () = watch(relay, Some(&started.session), interrupts) => {}
            how = browser.exited() => eprintln!("The browser ended ({how})."),
        }
    }
    if let Some(out) = &args.out {
        stage.remember(&started.session, Some(out))?;
        let saved = match stage.harvest(&started.session, None, interrupts).await {
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
    Ok(ExitCode::SUCCESS)
}
