//! A relay, a browser with the extension connected to it, and the safe way home for what was recorded.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::TcpListener;
use tracerule::trace::{Ending, Trace, archive};
use tracerule::wire::agent::From;

use crate::browser::{Browser, BrowserArgs, Kind, Launch, Profile, WindowSize, find};
use crate::error::CliError;
use crate::relay::{Options, Relay};
use crate::session::{Control, ControlError};
use crate::signals::Interrupts;

/// The extension reports in within this time, on a busy machine.
const CONNECT_CAP: Duration = Duration::from_secs(45);
/// While saving, an extension whose worker restarts is waited for this long before the browser is restarted.
const SAVE_CONNECT_CAP: Duration = Duration::from_secs(6);

/// All that a recording needs.
#[derive(Debug)]
pub struct Stage {
    /// The relay.
    pub relay: Relay,
    /// The browser.
    pub browser: Browser,
    /// The hub, asked by the companion.
    pub control: Control,
    profile: Profile,
}

/// What was brought home.
#[derive(Debug)]
pub struct Harvest {
    /// The `.trace.zip`.
    pub bytes: Vec<u8>,
    /// The same, read. Absent when it cannot be read, which a warning has told.
    pub trace: Option<Trace>,
    /// The browser had to be started again for it.
    pub restarted: bool,
}

impl Stage {
    /// Opens a browser with the extension and waits until it reports in. `port` is the relay's, 0 for any.
    ///
    /// # Errors
    /// Something is missing, the extension stays silent, or the person gave up waiting.
    pub async fn open(args: &BrowserArgs, port: u16, interrupts: &Interrupts) -> Result<Stage, CliError> {
        let found = find(args.browser)?;
        let profile = Profile::create(args.browser)?;
        eprintln!("Opening {} …", found.path.display());
        Stage::start(profile, &args.into(), port, interrupts, 1).await
    }

    /// Starts a kept or orphaned profile again, without a window.
    ///
    /// # Errors
    /// As [`Stage::open`]; the profile stays where it is.
    pub async fn reopen(profile: Profile, interrupts: &Interrupts) -> Result<Stage, CliError> {
        let window = WindowSize { width: 1280, height: 720 };
        let launch = Launch { headless: true, debug_port: None, window };
        let patience = interrupts.count() + 1;
        Stage::start(profile, &launch, 0, interrupts, patience).await
    }

    async fn start(
        profile: Profile,
        launch: &Launch,
        port: u16,
        interrupts: &Interrupts,
        patience: u32,
    ) -> Result<Stage, CliError> {
        let found = find(profile.kind())?;
        let relay = start_relay(&profile, port, launch.debug_port).await?;
        // With a debug port the one session of Firefox is left to the person's script.
        let bidi = found.kind == Kind::Firefox && launch.debug_port.is_none();
        profile.pair(&relay, bidi)?;
        let gave_up = || CliError::failed("interrupted before recording began; nothing was recorded");
        let mut browser = tokio::select! {
            browser = Browser::launch(&found, &profile, launch) => browser?,
            () = interrupts.reached(patience) => return Err(gave_up()),
        };
        let problem = tokio::select! {
            () = relay.hub().connected() => None,
            how = browser.exited() => Some(CliError::environment(format!(
                "{} ended before the extension reported in ({how}); {}",
                found.path.display(), browser.last_words().await
            ))),
            () = tokio::time::sleep(CONNECT_CAP) => Some(CliError::environment(format!(
                "the extension did not report in within {} s; is {} a browser that loads unpacked extensions? {}",
                CONNECT_CAP.as_secs(), found.path.display(), browser.last_words().await
            ))),
            () = interrupts.reached(patience) => Some(gave_up()),
        };
        if let Some(problem) = problem {
            browser.end().await;
            return Err(problem);
        }
        if let Some(bidi) = browser.bidi() {
            relay.hub().set_performer(Some(std::sync::Arc::new(bidi.clone())));
            let hub = relay.hub().clone();
            let from = From { client: "companion".to_owned(), control: true };
            // In the order in which they came; an extension that is away for a moment misses one, which its own
            // probing of the page then tells.
            bidi.tell_dialogs(move |event| drop(tokio::spawn(hub.request("dialog.event", event, &from)))).await;
        }
        let control = Control::new(relay.hub().clone());
        Ok(Stage { relay, browser, control, profile })
    }

    /// Gives the browser's one BiDi session free for a script. Trusted input of agents ends with it.
    pub async fn release_bidi(&mut self) {
        self.relay.hub().set_performer(None);
        self.browser.open_spare_tab().await;
        self.browser.release_bidi().await;
    }

    /// Remembers the session in the profile, for a recovery.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn remember(&mut self, session: &str, out: Option<&Path>) -> Result<(), CliError> {
        self.profile.remember(session, out)
    }

    /// Ends the session and brings its trace home. A dead or silent browser is started again, without a
    /// window, on the same profile; what the hub had acknowledged is in there. A second interrupt gives up.
    ///
    /// # Errors
    /// With the profile's place and how to recover it later; the profile is kept then.
    pub async fn harvest(
        &mut self,
        session: &str,
        ending: Option<Ending>,
        interrupts: &Interrupts,
    ) -> Result<Harvest, CliError> {
        let patience = interrupts.count().max(1) + 1;
        let gathered = tokio::select! {
            gathered = self.gather(session, ending, interrupts) => gathered,
            () = interrupts.reached(patience) => Err("interrupted again while saving".to_owned()),
        };
        match gathered {
            Ok((bytes, restarted)) => {
                let trace = match archive::read_zip(&bytes) {
                    Ok((trace, warnings)) => {
                        warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
                        Some(trace)
                    }
                    Err(e) => {
                        eprintln!("warning: the extension's trace cannot be read back: {e}");
                        None
                    }
                };
                Ok(Harvest { bytes, trace, restarted })
            }
            Err(why) => Err(self.lost(&why)),
        }
    }

    async fn gather(
        &mut self,
        session: &str,
        ending: Option<Ending>,
        interrupts: &Interrupts,
    ) -> Result<(Vec<u8>, bool), String> {
        if self.browser.runs() {
            let control = self.control.clone();
            let hub = self.relay.hub().clone();
            let asking = async {
                tokio::time::timeout(SAVE_CONNECT_CAP, hub.connected())
                    .await
                    .map_err(|_| "the extension is silent".to_owned())?;
                fetch(&control, session, ending.clone()).await
            };
            let answer = tokio::select! {
                answer = asking => answer,
                how = self.browser.exited() => Err(format!("the browser is gone ({how})")),
            };
            match answer {
                Ok(bytes) => return Ok((bytes, false)),
                Err(why) => eprintln!("warning: {why}; starting the browser again to read the recording back …"),
            }
        } else {
            eprintln!("The browser is gone; starting it again without a window to read the recording back …");
        }
        self.restart(interrupts).await.map_err(|e| e.message)?;
        fetch(&self.control, session, ending).await.map(|bytes| (bytes, true))
    }

    async fn restart(&mut self, interrupts: &Interrupts) -> Result<(), CliError> {
        let profile = Profile::open(self.profile.dir())?;
        // Nothing of the old one may hold the profile's lock.
        self.browser.kill().await;
        let Stage { relay, browser, control, .. } = Stage::reopen(profile, interrupts).await?;
        (self.relay, self.browser, self.control) = (relay, browser, control);
        Ok(())
    }

    /// Keeps the profile and says how to get at what it holds.
    pub fn lost(&mut self, why: &str) -> CliError {
        let dir = self.profile.keep();
        CliError::failed(format!(
            "{why}. What was recorded is kept in {}; get it with: tracerule recover {} --out FILE.trace.zip",
            dir.display(),
            quoted(&dir)
        ))
    }

    /// Keeps the profile.
    pub fn keep(&mut self) -> PathBuf {
        self.profile.keep()
    }

    /// Ends the browser and deletes the profile: everything of worth is saved.
    pub async fn close(self) {
        let Stage { relay, browser, profile, .. } = self;
        browser.end().await;
        drop(relay);
        profile.delete();
    }
}

/// Starts a relay that leaves `debug_port` to the browser: a free port taken at random may be just that one.
async fn start_relay(profile: &Profile, port: u16, debug_port: Option<u16>) -> Result<Relay, CliError> {
    let options = Options { port, extension_origin: Some(profile.extension_origin()) };
    let mut relay = Relay::start(options.clone()).await?;
    let Some(wanted) = debug_port else { return Ok(relay) };
    if port == wanted {
        return Err(CliError::usage(format!("--port and --debug-port are both {wanted}; give two ports")));
    }
    if relay.port() == wanted {
        // Held until another is found, or it would be found again.
        let other = Relay::start(options).await?;
        relay.close().await;
        relay = other;
    }
    match TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)).await {
        Ok(_) => Ok(relay),
        Err(e) => Err(CliError::environment(format!("--debug-port {wanted} cannot be used: {e}; give another"))),
    }
}

/// Ends the session, in case it has not ended, and exports it.
async fn fetch(control: &Control, session: &str, ending: Option<Ending>) -> Result<Vec<u8>, String> {
    if let Err(why) = control.stop(session, ending).await {
        // It may have ended by itself; the export tells.
        if !matches!(why, ControlError::Refused(_)) {
            eprintln!("warning: {why}; saving what there is");
        }
    }
    control.export(session).await.map_err(|e| e.to_string())
}

fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'));
    if plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
