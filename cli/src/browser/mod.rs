//! Browsers of our own: found, given a throw-away profile with the extension in it, started, watched, ended.

mod bidi;
mod chromium;
mod find;
mod firefox;
mod profile;

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Command;
use tracerule::trace::{Capture, PictureFormat};

pub use bidi::Bidi;
pub use find::{Found, distribution, find};
pub use profile::{Profile, Saved};

use crate::error::CliError;
use crate::process::{Group, describe};

/// The families that Tracerule runs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Chromium, Chrome for Testing, Edge.
    #[default]
    Chromium,
    /// Firefox.
    Firefox,
}

impl Kind {
    /// As in file names and messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Chromium => "chromium",
            Kind::Firefox => "firefox",
        }
    }
}

/// The window's size in CSS pixels, as `1280x720`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSize {
    /// CSS px.
    pub width: u32,
    /// CSS px.
    pub height: u32,
}

impl std::str::FromStr for WindowSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(['x', 'X', ',']);
        let parsed = parts.and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
        match parsed {
            Some((width, height)) if (200..=10_000).contains(&width) && (200..=10_000).contains(&height) => {
                Ok(WindowSize { width, height })
            }
            _ => Err("a size is WIDTHxHEIGHT, each from 200 to 10000, as 1280x720".to_owned()),
        }
    }
}

/// Options of every command that opens a browser.
#[derive(Clone, Debug, clap::Args)]
pub struct BrowserArgs {
    /// The browser to open.
    #[arg(long, value_enum, default_value_t = Kind::Chromium, value_name = "NAME")]
    pub browser: Kind,
    /// Open it without a window.
    #[arg(long)]
    pub headless: bool,
    /// Open the browser's own remote port too (CDP in Chromium, WebDriver BiDi in Firefox), so that a script can
    /// play the person with trusted input.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub debug_port: Option<u16>,
    /// The window's size in CSS pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub window_size: WindowSize,
    /// Mask what matches: its texts, its values and its part of every picture. Can be given several times.
    #[arg(long, value_name = "SELECTOR", value_parser = selector)]
    pub mask: Vec<String>,
    /// How pictures are taken.
    #[command(flatten)]
    pub capture: CaptureArgs,
}

/// How pictures are taken, and what is waited for before them.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CaptureArgs {
    /// Keep pictures as webp (smaller) or jpeg [default: webp].
    #[arg(long, value_name = "FORMAT")]
    pub picture: Option<PictureFormat>,
    /// How good pictures are, from 1 to 100 [default: 80].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub picture_quality: Option<u8>,
    /// Picture whole pages, not only what is in view; in Chromium, where the debugger is attached.
    #[arg(long)]
    pub full_page: bool,
    /// After each step, wait until this element can be seen instead of until the page is quiet, 5 s at most.
    #[arg(long, value_name = "LOCATOR", value_parser = locator)]
    pub settle_for: Option<String>,
}

impl CaptureArgs {
    /// What was asked for on the command line, and otherwise what the task says.
    pub fn over(&self, task: &Capture) -> Capture {
        Capture {
            picture: self.picture.unwrap_or(task.picture),
            quality: self.picture_quality.or(task.quality),
            full_page: self.full_page || task.full_page,
            settle_for: self.settle_for.clone().or_else(|| task.settle_for.clone()),
        }
    }

    /// What was asked for on the command line.
    pub fn alone(&self) -> Capture {
        self.over(&Capture::default())
    }
}

fn locator(text: &str) -> Result<String, String> {
    tracerule::mirror::check_locator(text).map(|()| text.to_owned())
}

fn selector(text: &str) -> Result<String, String> {
    tracerule::mirror::check_selector(text).map(|()| text.to_owned())
}

/// How to start one.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Without a window.
    pub headless: bool,
    /// The remote port a person asked for.
    pub debug_port: Option<u16>,
    /// The window.
    pub window: WindowSize,
}

impl From<&BrowserArgs> for Launch {
    fn from(args: &BrowserArgs) -> Self {
        Launch { headless: args.headless, debug_port: args.debug_port, window: args.window_size }
    }
}

/// The last lines a browser wrote, for when it fails.
#[derive(Clone, Debug, Default)]
struct Tail(Arc<Mutex<Vec<String>>>);

impl Tail {
    const LINES: usize = 12;

    fn follow(&self, pipe: Option<impl AsyncRead + Send + Unpin + 'static>) {
        let Some(pipe) = pipe else { return };
        let this = self.clone();
        tokio::spawn(async move {
            let mut reader = BufReader::new(pipe);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).await.is_ok_and(|n| n > 0) {
                let text: String = String::from_utf8_lossy(&line).trim_end().chars().take(300).collect();
                line.clear();
                let mut lines = this.0.lock().unwrap_or_else(PoisonError::into_inner);
                if lines.len() == Self::LINES {
                    lines.remove(0);
                }
                lines.push(text);
            }
        });
    }

    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() { "it wrote nothing".to_owned() } else { format!("it wrote:\n  {}", lines.join("\n  ")) }
    }
}

/// A running browser. Dropping it kills it and all its processes.
#[derive(Debug)]
pub struct Browser {
    kind: Kind,
    group: Group,
    tail: Tail,
    bidi: Option<Bidi>,
}

impl Browser {
    /// Starts `found` on `profile`, with the extension. Firefox is spoken to over BiDi to install it; the
    /// session stays open until [`Browser::release_bidi`].
    ///
    /// # Errors
    /// A missing display, a browser that does not start, an extension it refuses.
    pub async fn launch(found: &Found, profile: &Profile, launch: &Launch) -> Result<Browser, CliError> {
        if !launch.headless && cfg!(target_os = "linux") && no_display() {
            return Err(CliError::environment(
                "there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are unset); add --headless",
            ));
        }
        let mut command = match found.kind {
            Kind::Chromium => chromium::command(found, profile, launch),
            Kind::Firefox => firefox::command(found, profile, launch)?,
        };
        let mut browser = Browser::start(found, &mut command)?;
        if found.kind == Kind::Firefox {
            match firefox::install(&mut browser.group, profile, launch.debug_port).await {
                Ok(bidi) => browser.bidi = Some(bidi),
                Err(why) => {
                    let tail = browser.tail.text();
                    browser.end().await;
                    return Err(CliError::environment(format!("{}: {why}; {tail}", found.path.display())));
                }
            }
        }
        Ok(browser)
    }

    fn start(found: &Found, command: &mut Command) -> Result<Browser, CliError> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::spawn(command)
            .map_err(|e| CliError::environment(format!("cannot start {}: {e}", found.path.display())))?;
        let tail = Tail::default();
        tail.follow(group.child().stdout.take());
        tail.follow(group.child().stderr.take());
        Ok(Browser { kind: found.kind, group, tail, bidi: None })
    }

    /// The family.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The BiDi session, while we hold it.
    pub fn bidi(&self) -> Option<&Bidi> {
        self.bidi.as_ref()
    }

    /// Ends our BiDi session, for Firefox allows one and a script may want it.
    pub async fn release_bidi(&mut self) {
        if let Some(bidi) = self.bidi.take() {
            bidi.end().await;
        }
    }

    /// Opens an empty tab in the background: over BiDi, Firefox silently refuses to close its last tab, so a
    /// script could not close the recorded one.
    pub async fn open_spare_tab(&self) {
        if let Some(bidi) = &self.bidi {
            let spare = serde_json::json!({"type": "tab", "background": true});
            if let Err(why) = bidi.call("browsingContext.create", spare).await {
                eprintln!("warning: no spare tab could be opened ({why}); a script cannot close the recorded tab");
            }
        }
    }

    /// Waits for its end and tells how it was; may be cancelled and called again.
    pub async fn exited(&mut self) -> String {
        match self.group.wait().await {
            Ok(status) => describe(status),
            Err(e) => format!("its state is unknown: {e}"),
        }
    }

    /// Whether it runs.
    pub fn runs(&mut self) -> bool {
        self.group.runs()
    }

    /// Its last words, for messages.
    pub async fn last_words(&self) -> String {
        // Its end may be known before its last lines are read.
        for _ in 0..20 {
            if !self.tail.is_empty() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        self.tail.text()
    }

    /// Ends it and all its processes.
    pub async fn end(mut self) {
        self.release_bidi().await;
        self.group.end(Duration::from_secs(3)).await;
    }

    /// Ends it at once, as far as it is not dead yet.
    pub async fn kill(&mut self) {
        self.bidi = None;
        self.group.end(Duration::from_millis(1)).await;
    }
}

fn no_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty()))
}

/// A path as the value of an environment variable, if set and not empty.
fn path_from_env(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::WindowSize;

    #[test]
    fn window_sizes_are_read_within_bounds() {
        assert_eq!("1280x720".parse(), Ok(WindowSize { width: 1280, height: 720 }));
        for bad in ["", "1280", "0x0", "1280x", "1e3x700", "99999x700", "-5x700"] {
            assert!(bad.parse::<WindowSize>().is_err(), "{bad}");
        }
    }
}
