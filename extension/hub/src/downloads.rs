//! Downloads: what came, how large it is, and, where a companion can read the file, its hash. The browser does not
//! say which tab a download came from; where it was sent from does.

use serde_json::json;
use tracerule::trace::Download;
use tracerule::wire::log::Entry;

use crate::browser::downloads::{self, Change, Item};
use crate::browser::{Tab, runtime};
use crate::hub::{self, now};
use crate::{relay, session};

/// A download follows the step that began it within this time, where nothing else tells, ms.
const RECENT_MS: f64 = 3000.0;

/// A page's facts reach the hub within this time, ms.
const WAY_MS: f64 = 100.0;

/// A download that is recorded.
#[derive(Clone)]
pub struct Known {
    session: String,
    tab: Tab,
    t: f64,
    url: String,
}

/// A download began.
pub fn created(item: &Item) {
    // Exports of our own are no part of anybody's task.
    if runtime::url("").contains(item.by_extension_id.as_deref().unwrap_or("/no extension/")) {
        return;
    }
    let Some((session, tab)) = origin(item) else { return };
    let url = if item.final_url.is_empty() { item.url.clone() } else { item.final_url.clone() };
    let known = Known { session, tab, t: now(), url: short(&url) };
    let begun = Download { state: "in_progress".to_owned(), ..file(item) };
    let (first, whole) = (known.clone(), item.clone());
    hub::spawn(async move {
        // What the page told of the step that began it comes another way, and comes first.
        hub::sleep(WAY_MS).await;
        log(&first, &whole, begun);
        Ok(())
    });
    hub::with(|hub| hub.downloads.insert(item.id as i64, known));
    // A small file may be there already.
    if item.state != "in_progress" {
        over(item.id);
    }
}

/// Something about a download changed.
pub fn changed(change: &Change) {
    if change.state.as_ref().is_some_and(|state| state.current != "in_progress") {
        over(change.id);
    }
}

fn over(id: f64) {
    let Some(known) = hub::with(|hub| hub.downloads.remove(&(id as i64))) else { return };
    hub::spawn(async move {
        hub::sleep(2.0 * WAY_MS).await;
        let Some(item) = downloads::get(id).await? else { return Ok(()) };
        let mut file = file(&item);
        if item.state == "complete" {
            match hash(&item.filename).await {
                Ok(sha256) => file.sha256 = Some(sha256),
                Err(why) => file.why = format!("not hashed: {why}"),
            }
        } else {
            file.why = item.error.clone().unwrap_or_default();
        }
        log(&known, &item, file);
        Ok(())
    });
}

async fn hash(path: &str) -> Result<String, String> {
    let answer = relay::request("file.hash", json!({ "path": path })).await?;
    answer["sha256"].as_str().map(str::to_owned).ok_or_else(|| "the companion gave no hash".to_owned())
}

fn log(known: &Known, item: &Item, file: Download) {
    let (t, tab) = (known.t, known.tab.id());
    session::log(&known.session, Entry::Download { t, tab, id: item.id, url: known.url.clone(), file });
}

fn file(item: &Item) -> Download {
    let name = item.filename.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let known = |bytes: f64| (bytes >= 0.0).then_some(bytes as u64);
    let size = if item.state == "complete" { known(item.file_size) } else { known(item.total_bytes) };
    Download { name, mime: item.mime.clone(), size, sha256: None, state: item.state.clone(), why: String::new() }
}

/// Addresses that hold their content are cut.
fn short(url: &str) -> String {
    if url.starts_with("data:") { url.chars().take(64).collect() } else { url.to_owned() }
}

/// The tab it came from: one that shows or showed the page that asked for it, or one of that page's site; else one
/// in which something was done just now.
fn origin(item: &Item) -> Option<(String, Tab)> {
    let from = item.referrer.clone().unwrap_or_default();
    let page = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
    let sites: Vec<String> = [&from, &item.url, &item.final_url].into_iter().filter_map(|url| site(url)).collect();
    hub::with(|hub| {
        let mut best: Option<(u8, f64, String, Tab)> = None;
        for (id, s) in &hub.sessions {
            let mirror = s.recorder.mirror();
            for (number, tab) in s.tabs.iter().enumerate() {
                let shown =
                    mirror.documents().into_iter().filter(|doc| mirror.tab(*doc).to_bits() == tab.id().to_bits());
                let mut urls: Vec<&str> = shown.map(|doc| mirror.url(doc)).collect();
                urls.extend(s.visited.get(tab).into_iter().flatten().map(String::as_str));
                let of_tab = |step: &&tracerule::trace::Step| step.tab as usize == number;
                let acted =
                    s.recorder.steps().iter().rev().find(of_tab).map_or(0.0, |step| step.t_ms + step.elapsed_ms);
                let rank = if !from.is_empty() && urls.iter().any(|url| page(url) == page(&from)) {
                    3
                } else if urls.iter().filter_map(|url| site(url)).any(|of| sites.contains(&of)) {
                    2
                } else if now() - acted <= RECENT_MS {
                    1
                } else {
                    continue;
                };
                if best.as_ref().is_none_or(|(r, t, ..)| (rank, acted) > (*r, *t)) {
                    best = Some((rank, acted, id.clone(), *tab));
                }
            }
        }
        best.map(|(_, _, id, tab)| (id, tab))
    })
}

/// Scheme, host and port, those of the page in a `blob:` address.
fn site(url: &str) -> Option<String> {
    let url = url.strip_prefix("blob:").unwrap_or(url);
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    (!host.is_empty()).then(|| format!("{scheme}://{host}"))
}
