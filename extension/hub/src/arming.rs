//! The sensor is in pages only while a session is live: registered for new documents, put into open ones, and
//! unregistered at the end.

use tracerule::wire::sensor::SCRIPTS;

use crate::browser::{Tab, navigation, scripting};
use crate::hub::{self, Trouble};

/// The name of the registration.
const SENSOR: &str = "sensor";

/// Registers the sensor for new documents. Done before anything is navigated, so that no document is missed.
pub async fn arm() -> Result<(), Trouble> {
    if hub::with(|hub| hub.armed) {
        return Ok(());
    }
    if !scripting::is_registered(SENSOR).await? {
        scripting::register(SENSOR, &SCRIPTS).await?;
    }
    hub::with(|hub| hub.armed = true);
    Ok(())
}

/// Unregisters it when no session is live.
pub async fn disarm() -> Result<(), Trouble> {
    if hub::with(|hub| !hub.sessions.is_empty()) {
        return Ok(());
    }
    if scripting::is_registered(SENSOR).await? {
        scripting::unregister(SENSOR).await?;
    }
    hub::with(|hub| hub.armed = false);
    Ok(())
}

/// Puts the sensor into the frames that a tab shows already.
pub async fn reach(session: &str, tab: Tab) -> Result<(), Trouble> {
    let frames = navigation::frames(tab).await?;
    let tries =
        frames.iter().map(|frame| async move { (frame, scripting::execute(tab, frame.frame_id, &SCRIPTS).await) });
    for (frame, tried) in futures_util::future::join_all(tries).await {
        if let Err(refused) = tried {
            let what = if frame.frame_id == 0.0 { "the page" } else { "a frame" };
            hub::coverage(session, "frame", format!("{what} cannot be recorded ({}): {}", frame.url, refused.why));
        }
    }
    Ok(())
}

/// Looks, some time after a page was loaded, for frames without a sensor, and says so in the log.
pub fn check_frames(session: String, tab: Tab) {
    hub::spawn(async move {
        hub::sleep(1500.0).await;
        let Ok(frames) = navigation::frames(tab).await else { return Ok(()) };
        for frame in frames {
            let seen =
                hub::with(|hub| hub.frames.values().any(|known| known.tab == tab && known.frame == frame.frame_id));
            if !seen && !frame.url.is_empty() {
                // It may be one that the registration does not reach but a script does.
                if let Err(refused) = scripting::execute(tab, frame.frame_id, &SCRIPTS).await {
                    let detail = format!("a frame cannot be recorded ({}): {}", frame.url, refused.why);
                    hub::coverage(&session, "frame", detail);
                }
            }
        }
        Ok(())
    });
}
