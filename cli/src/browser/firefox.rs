//! Firefox: preferences, command line, and the extension's installation over WebDriver BiDi.

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::process::Command;

use super::{Bidi, Found, Launch, Profile};
use crate::error::CliError;
use crate::process::{Group, describe};

/// Short, so that a script waiting for the port of its own does not take the only session first.
const POLL: Duration = Duration::from_millis(20);
/// A cold start on a busy machine.
const START_CAP: Duration = Duration::from_secs(60);

pub(super) fn command(found: &Found, profile: &Profile, launch: &Launch) -> Result<Command, CliError> {
    let dir = profile.browser_dir();
    let path = dir.join("user.js");
    fs::write(&path, preferences(profile)).map_err(|e| CliError::environment(format!("{}: {e}", path.display())))?;
    // Written when the port is open; one left from before would mislead us.
    let _ = fs::remove_file(dir.join(SERVER_FILE));
    let mut command = Command::new(&found.path);
    command.arg("--profile").arg(&dir).arg("--no-remote").arg("--new-instance");
    command.arg("--remote-debugging-port").arg(launch.debug_port.unwrap_or(0).to_string());
    command.arg("--width").arg(launch.window.width.to_string());
    command.arg("--height").arg(launch.window.height.to_string());
    if launch.headless {
        command.arg("--headless");
        command.env("MOZ_HEADLESS_WIDTH", launch.window.width.to_string());
        command.env("MOZ_HEADLESS_HEIGHT", launch.window.height.to_string());
    }
    // A crash is ours to report.
    command.env("MOZ_CRASHREPORTER_DISABLE", "1");
    // Before `about:blank` the address bar has the focus, and keeps it when a page comes: its fields and buttons would
    // get no keys until somebody clicks into it.
    command.arg("data:,");
    Ok(command)
}

fn preferences(profile: &Profile) -> String {
    let uuids = profile.gecko_id().map(|id| json!({id: profile.saved().uuid}).to_string()).unwrap_or_default();
    let mut all: Vec<(&str, Value)> = vec![
        // The extension may see pages without a click by the person: the command was their consent.
        ("extensions.originControls.grantByDefault", json!(true)),
        ("extensions.autoDisableScopes", json!(0)),
        ("xpinstall.signatures.required", json!(false)),
        // What was recorded outlives a crash, in which a temporary extension counts as uninstalled.
        ("extensions.webextensions.keepStorageOnUninstall", json!(true)),
        ("extensions.webextensions.keepUuidOnUninstall", json!(true)),
        // WebDriver BiDi only.
        ("remote.active-protocols", json!(1)),
        ("browser.shell.checkDefaultBrowser", json!(false)),
        ("browser.startup.page", json!(0)),
        ("browser.startup.homepage", json!("about:blank")),
        ("browser.startup.homepage_override.mstone", json!("ignore")),
        ("browser.startup.couldRestoreSession.count", json!(-1)),
        ("browser.sessionstore.resume_from_crash", json!(false)),
        ("browser.newtabpage.enabled", json!(false)),
        ("browser.aboutwelcome.enabled", json!(false)),
        ("browser.uitour.enabled", json!(false)),
        ("browser.tabs.warnOnClose", json!(false)),
        ("browser.tabs.closeWindowWithLastTab", json!(false)),
        ("browser.warnOnQuit", json!(false)),
        ("browser.translations.enable", json!(false)),
        ("startup.homepage_welcome_url", json!("")),
        ("startup.homepage_welcome_url.additional", json!("")),
        ("trailhead.firstrun.branches", json!("nofirstrun-empty")),
        ("toolkit.startup.max_resumed_crashes", json!(-1)),
        ("toolkit.telemetry.reportingpolicy.firstRun", json!(false)),
        ("datareporting.policy.dataSubmissionEnabled", json!(false)),
        ("datareporting.policy.dataSubmissionPolicyBypassNotification", json!(true)),
        ("termsofuse.bypassNotification", json!(true)),
        ("app.normandy.enabled", json!(false)),
        ("app.update.disabledForTesting", json!(true)),
        ("extensions.update.enabled", json!(false)),
        ("extensions.getAddons.cache.enabled", json!(false)),
        ("extensions.systemAddon.update.enabled", json!(false)),
        ("network.captive-portal-service.enabled", json!(false)),
        ("network.connectivity-service.enabled", json!(false)),
        ("services.settings.server", json!("data:,#remote-settings-dummy/v1")),
        // A page that is not in front is measured like one that is.
        ("dom.timeout.enable_budget_timer_throttling", json!(false)),
        ("dom.min_background_timeout_value", json!(4)),
        ("dom.ipc.processHangMonitor", json!(false)),
        ("signon.rememberSignons", json!(false)),
    ];
    if !uuids.is_empty() {
        // A fixed UUID is a known Origin, and the same store after a crash.
        all.push(("extensions.webextensions.uuids", json!(uuids)));
    }
    let mut text = String::new();
    for (name, value) in all {
        let _ = writeln!(text, "user_pref({}, {value});", json!(name));
    }
    text
}

const SERVER_FILE: &str = "WebDriverBiDiServer.json";

/// Waits for the remote port, opens the one session, installs the extension.
pub(super) async fn install(group: &mut Group, profile: &Profile, port: Option<u16>) -> Result<Bidi, String> {
    let bidi = connect(group, profile, port).await?;
    let path = profile.extension_dir();
    let data = json!({"extensionData": {"type": "path", "path": path}});
    match bidi.call("webExtension.install", data).await {
        Ok(_) => Ok(bidi),
        Err(why) => Err(format!("it refuses the extension in {}: {why}", path.display())),
    }
}

async fn connect(group: &mut Group, profile: &Profile, port: Option<u16>) -> Result<Bidi, String> {
    let began = Instant::now();
    let mut last = "it opened no remote port".to_owned();
    while began.elapsed() < START_CAP {
        if let Some(port) = port.or_else(|| port_from(profile)) {
            match Bidi::connect(&format!("ws://127.0.0.1:{port}/session")).await {
                Ok(bidi) => match bidi.call("session.new", capabilities()).await {
                    Ok(_) => return Ok(bidi),
                    Err(why) => {
                        last = format!("it gives no BiDi session ({why}); is another program connected to port {port}?")
                    }
                },
                Err(why) => last = format!("port {port} does not answer: {why}"),
            }
        }
        tokio::select! {
            status = group.wait() => {
                let how = status.map(describe).unwrap_or_default();
                return Err(format!("it ended at once ({how})"));
            }
            () = tokio::time::sleep(POLL) => {}
        }
    }
    Err(format!("{last}, within {} s", START_CAP.as_secs()))
}

/// Dialogs are for the person or the agent to answer: by default the browser would dismiss them.
fn capabilities() -> Value {
    json!({"capabilities": {"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}}})
}

fn port_from(profile: &Profile) -> Option<u16> {
    let text = fs::read_to_string(profile.browser_dir().join(SERVER_FILE)).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    value.get("ws_port")?.as_u64().and_then(|port| u16::try_from(port).ok())
}
