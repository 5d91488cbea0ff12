//! Chromium's command line.

use tokio::process::Command;

use super::{Found, Launch, Profile};

pub(super) fn command(found: &Found, profile: &Profile, launch: &Launch) -> Command {
    let mut command = Command::new(&found.path);
    command
        .arg(format!("--user-data-dir={}", profile.browser_dir().display()))
        .arg(format!("--load-extension={}", profile.extension_dir().display()))
        .arg(format!("--window-size={},{}", launch.window.width, launch.window.height))
        .args([
            // Chromium guards the flag above by a feature; only this keeps it.
            "--disable-features=DisableLoadExtensionCommandLineSwitch,Translate,MediaRouter,OptimizationHints",
            // Trusted input goes through chrome.debugger, whose bar would move the page.
            "--silent-debugger-extension-api",
            "--no-first-run",
            "--no-default-browser-check",
            "--no-service-autorun",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-default-apps",
            "--disable-domain-reliability",
            "--disable-quic",
            "--disable-search-engine-choice-screen",
            "--hide-crash-restore-bubble",
            // A page that is not in front is measured like one that is.
            "--disable-background-timer-throttling",
            "--disable-backgrounding-occluded-windows",
            "--disable-renderer-backgrounding",
            "--password-store=basic",
            "--use-mock-keychain",
        ]);
    if let Some(port) = launch.debug_port {
        command.arg(format!("--remote-debugging-port={port}"));
    }
    if launch.headless {
        command.args(["--headless=new", "--disable-gpu"]);
    }
    if is_root() {
        eprintln!("note: running as root, where Chromium's sandbox does not work; starting it with --no-sandbox");
        command.arg("--no-sandbox");
    }
    command.arg("about:blank");
    command
}

fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}
