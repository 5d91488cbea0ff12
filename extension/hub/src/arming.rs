//! The sensor is in pages only while a session is live: registered for new documents, put into open ones, and
//! unregistered at the end.

use tracerule::trace::FrameAccess;
use tracerule::wire::log::Entry;
use tracerule::wire::sensor::SCRIPTS;

use crate::browser::navigation::FrameInfo;
use crate::browser::{Tab, navigation, scripting};
use crate::hub::{self, Trouble};

/// The name of the registration.
const SENSOR: &str = "sensor";
/// A frame that was just loaded gets so long to report in, ms.
const CHECK_MS: f64 = 1500.0;

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
        if tried.is_err() {
            let closed = is_closed(&frame.url);
            blind(session, tab, frame, if closed { FrameAccess::Forbidden } else { FrameAccess::NoAccess });
        }
    }
    Ok(())
}

/// Looks, some time after a page or a frame was loaded, for frames without a sensor, and says so in the log.
pub fn check_frames(session: String, tab: Tab) {
    if !hub::with(|hub| hub.checking.insert(tab)) {
        return;
    }
    hub::spawn(async move {
        hub::sleep(CHECK_MS).await;
        hub::with(|hub| hub.checking.remove(&tab));
        let frames = navigation::frames(tab).await.unwrap_or_default();
        let mut late = Vec::new();
        for frame in frames.iter().filter(|frame| !frame.url.is_empty() && !seen(tab, frame.frame_id)) {
            if is_closed(&frame.url) {
                blind(&session, tab, frame, FrameAccess::Forbidden);
            } else if scripting::execute(tab, frame.frame_id, &SCRIPTS).await.is_ok() {
                // One that the registration does not reach but a script does.
                late.push(frame);
            } else if frame.frame_id == 0.0 && frame.error_occurred {
                // The load that failed was told of.
            } else {
                blind(&session, tab, frame, FrameAccess::NoAccess);
            }
        }
        if !late.is_empty() {
            hub::sleep(CHECK_MS).await;
            let now = navigation::frames(tab).await.unwrap_or_default();
            for frame in late {
                let shown = now.iter().any(|other| other.frame_id == frame.frame_id && other.url == frame.url);
                if shown && !seen(tab, frame.frame_id) {
                    blind(&session, tab, frame, FrameAccess::NoAccess);
                }
            }
        }
        for frame in viewers(&session, tab) {
            blind(&session, tab, &frame, FrameAccess::Forbidden);
        }
        Ok(())
    });
}

fn seen(tab: Tab, frame: f64) -> bool {
    hub::with(|hub| hub.frames.values().any(|known| known.tab == tab && known.frame == frame))
}

fn blind(session: &str, tab: Tab, frame: &FrameInfo, access: FrameAccess) {
    let top = frame.frame_id == 0.0;
    let entry = Entry::Blind { t: hub::now(), tab: tab.id(), top, url: frame.url.clone(), access };
    crate::session::log(session, entry);
}

/// Pages that browsers keep extensions out of.
pub fn is_closed(url: &str) -> bool {
    const STORES: [&str; 4] = [
        "https://chromewebstore.google.com/",
        "https://chrome.google.com/webstore",
        "https://addons.mozilla.org/",
        "https://microsoftedge.microsoft.com/addons",
    ];
    const OPEN: [&str; 5] = ["http://", "https://", "file://", "data:", "blob:"];
    let open =
        OPEN.iter().any(|scheme| url.starts_with(scheme)) || url.starts_with("about:blank") || url == "about:srcdoc";
    !open || STORES.iter().any(|page| url.starts_with(page))
}

/// Documents whose content only a viewer of the browser's own sees: the sensor is in its shell.
fn viewers(session: &str, tab: Tab) -> Vec<FrameInfo> {
    hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        let mut found = Vec::new();
        if let Some(top) = mirror.top(tab.id())
            && mirror.resolve(tab.id(), "css=body > embed[type=\"application/pdf\"]").is_ok()
        {
            found.push(FrameInfo { url: mirror.url(top).to_owned(), ..FrameInfo::default() });
        }
        found
    })
    .unwrap_or_default()
}
