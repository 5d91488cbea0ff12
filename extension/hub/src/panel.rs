//! What the side panel asks, and what it is told.

use std::cell::Cell;

use serde_json::{Value, json};
use tracerule::wire::agent::Start;
use tracerule::wire::panel::{Request, Status};
use wasm_bindgen::JsValue;

use crate::browser::ports::Port;
use crate::browser::{debugger, object, read, runtime, tabs};
use crate::hub::{self, Trouble};
use crate::{assertions, edit, relay, remembered, session, writer};

/// Panels and the companion are told of changes at most so often, ms.
const EVERY_MS: f64 = 100.0;

thread_local! {
    static DUE: Cell<bool> = const { Cell::new(false) };
}

/// Something that panels show has changed; they are told soon.
pub fn changed() {
    if !DUE.replace(true) {
        wasm_bindgen_futures::spawn_local(async {
            hub::sleep(EVERY_MS).await;
            DUE.set(false);
            tell();
        });
    }
}

fn tell() {
    let changed: Vec<(String, Vec<tracerule::trace::Step>)> = hub::with(|hub| {
        let one = |(id, s): (&String, &mut session::Session)| {
            let mut seqs = std::mem::take(&mut s.changed_steps);
            seqs.sort_unstable();
            let steps = seqs.iter().filter_map(|seq| s.recorder.steps().get(*seq as usize).cloned()).collect();
            (id.clone(), steps)
        };
        hub.sessions.iter_mut().map(one).collect()
    });
    for (id, steps) in changed.into_iter().filter(|(_, steps)| !steps.is_empty()) {
        hub::spawn(async move {
            // Who is told of a step can rely on it: it is stored.
            writer::stored().await;
            steps.iter().for_each(|step| relay::step(&id, step));
            Ok(())
        });
    }
    let panels: Vec<Port> = hub::with(|hub| hub.panels.values().cloned().collect());
    if panels.is_empty() {
        return;
    }
    let status = object(&status());
    for panel in panels {
        // A panel that closes meanwhile tells so by its own event.
        let _ = panel.post(&status);
    }
}

/// A panel opens.
pub fn connect(number: u32, port: Port) {
    let _ = port.post(&object(&status()));
    hub::with(|hub| hub.panels.insert(number, port));
}

/// The hub's state.
pub fn status() -> Status {
    let relay = relay::address();
    let agents = relay::agents();
    let (performs, silent) = (relay::performs(), relay::silent());
    let can_trust = debugger::exists() || performs;
    hub::with(|hub| {
        let newest = hub.sessions.values().max_by(|a, b| a.meta.header.started_ms.total_cmp(&b.meta.header.started_ms));
        let mut status = Status {
            relay,
            agents,
            can_trust,
            can_watch: debugger::exists() && !silent,
            picking: hub.picking.is_some(),
            problem: hub.problem.clone(),
            ..Status::default()
        };
        if let Some(s) = newest {
            let mirror = s.recorder.mirror();
            let top = mirror.top(s.current.id());
            let header = &s.meta.header;
            status.session = Some(header.id.clone());
            status.role = Some(header.role);
            status.paused = s.recorder.paused();
            status.title = if header.title.is_empty() {
                top.map(|doc| mirror.title(doc)).unwrap_or_default()
            } else {
                header.title.clone()
            };
            status.url = top.map(|doc| mirror.url(doc).to_owned()).unwrap_or_else(|| header.url.clone());
            let recording = s.recording();
            let outcome = recording.outcome();
            let edit = |at: usize| recording.edits().get(at).map(|edit| edit.op.clone());
            (status.edited, status.undo, status.redo) =
                (outcome.edited, outcome.undo.and_then(edit), outcome.redo.and_then(edit));
            (status.step_ids, status.steps) = outcome.steps.into_iter().map(|placed| (placed.id, placed.step)).unzip();
            status.piece.clone_from(&s.piece);
            status.hotkey.clone_from(&s.hotkey);
            status.assertions.clone_from(&header.assertions);
            status.coverage = s.recorder.coverage().to_vec();
            status.coverage.extend(tracerule::steps::doubts(s.recorder.steps()));
            status.coverage.sort_by(|a, b| a.t_ms.total_cmp(&b.t_ms));
            status.blind = s.recorder.blind_frames().to_vec();
            let of_session = |frame: &&crate::frames::Frame| frame.session.as_ref() == Some(&header.id);
            status.documents = u32::try_from(hub.frames.values().filter(of_session).count()).unwrap_or(u32::MAX);
            status.dialogs_seen = performs || hub.attached.get(&s.current).is_some_and(|a| a.lost.is_none());
            status.perturb.clone_from(&header.perturb);
            status.granted = s.granted;
        }
        status
    })
}

/// Answers a message of a page of ours; `None` for messages that are not the panel's.
pub async fn message(message: &JsValue, sender: &JsValue) -> Option<Value> {
    let asked = crate::frames::field(message, "panel")?;
    let from: crate::browser::ports::Sender = read(sender).unwrap_or_default();
    // Content scripts can send messages too; only our own pages may command.
    if !from.url.starts_with(&runtime::url("")) {
        return Some(json!({"error": "only Tracerule's own pages may ask this"}));
    }
    let request: Request = match read(&asked) {
        Ok(request) => request,
        Err(why) => return Some(json!({"error": format!("the panel asked what the hub does not know: {why}")})),
    };
    if !matches!(request, Request::Status) {
        hub::with(|hub| hub.problem = None);
    }
    Some(match answer(request).await {
        Ok(value) => json!({ "ok": value }),
        Err(trouble) => {
            hub::problem(&trouble);
            json!({"error": trouble.to_string()})
        }
    })
}

async fn answer(request: Request) -> Result<Value, Trouble> {
    match request {
        Request::Status => {}
        Request::Start { tab, role, title, perturb, mask, grant, watch, capture } => {
            let tab = match tab {
                Some(tab) => tab,
                None => looked_at().await?,
            };
            let role = Some(role);
            let start = Start { tab: Some(tab), role, title, perturb, mask, grant, watch, capture, ..Start::default() };
            session::start(start).await?;
        }
        Request::Pause => session::pause(&session::named(None)?, true),
        Request::Resume => session::pause(&session::named(None)?, false),
        Request::Stop => {
            session::stop(&session::named(None)?, None).await?;
        }
        Request::Assert { kind } => assertions::pick(&session::named(None)?, kind).await?,
        Request::AssertCancel => assertions::cancel().await,
        Request::AssertRemove { index } => assertions::remove(&session::named(None)?, Some(index)).await?,
        Request::Edit { session, edit } => edit::edit(session.as_deref(), edit).await?,
        Request::Insert { session, after, replaces } => {
            edit::insert(session.as_deref(), after, replaces, looked_at()).await?;
        }
        Request::InsertEnd => edit::insert_end(None).await?,
        Request::Connect { pairing } => relay::pair(&pairing).await?,
        Request::Disconnect => relay::disconnect().await?,
        Request::Grant => grant(true)?,
        Request::Revoke => grant(false)?,
        Request::Report { reference, runs } => {
            let part = |id: &String| String::from(js_sys::encode_uri_component(id));
            let runs: Vec<String> = runs.iter().map(|id| format!("&run={}", part(id))).collect();
            let page = format!("ui/report.html?reference={}{}", part(&reference), runs.concat());
            tabs::create(&runtime::url(&page), None).await?;
            return Ok(Value::Null);
        }
    }
    serde_json::to_value(status()).map_err(|e| Trouble::said(format!("the state could not be told: {e}")))
}

fn grant(grant: bool) -> Result<(), Trouble> {
    let id = session::named(None)?;
    hub::session(&id, |s| s.granted = grant);
    remembered::keep();
    changed();
    Ok(())
}

/// The tab that the person means: the active one, or, when that is a page of ours, the one looked at before.
pub async fn looked_at() -> Result<f64, Trouble> {
    let own = runtime::url("");
    if let Some(active) = tabs::active().await?
        && let Some(tab) = active.tab()
        && !active.url.starts_with(&own)
    {
        return Ok(tab.id());
    }
    let mut others = tabs::all().await?;
    others.retain(|tab| tab.url.starts_with("http") || tab.url.starts_with("file:"));
    let last = others.into_iter().max_by(|a, b| a.last_accessed.total_cmp(&b.last_accessed));
    last.and_then(|info| info.tab())
        .map(crate::browser::Tab::id)
        .ok_or_else(|| Trouble::said("open the page you want to record in a tab, and start again there"))
}
