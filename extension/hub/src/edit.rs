//! Editing by hand: edits of live and stored sessions, pieces recorded afterwards, and the browser's hotkeys.

use tracerule::edit::{Edit, Op, Recording, StepId};
use tracerule::trace::{Annotation, EditKind};
use tracerule::wire::log::{Entry, TabChange};
use tracerule::wire::panel::{Command, Hotkey};
use tracerule_store::SessionMeta;

use crate::browser::Tab;
use crate::hub::{self, Trouble, now};
use crate::session::{self, Session};
use crate::{arming, panel, remembered, settle, writer};

/// Does something to the session of that name, or to the one that is being recorded.
pub async fn edit(session: Option<&str>, op: Op) -> Result<(), Trouble> {
    if matches!(op, Op::Segment { .. }) {
        return Err(Trouble::said(
            "a piece that is recorded afterwards is begun with Record here, not put in as an edit",
        ));
    }
    let stored = session.is_some_and(|id| hub::session(id, |_| ()).is_none());
    match session {
        Some(id) if stored => in_store(id, op).await,
        _ => {
            let id = session::named(session)?;
            live(&id, op)
        }
    }
}

fn live(id: &str, op: Op) -> Result<(), Trouble> {
    let wrong = hub::session(id, |s| s.recording().check(&op).err());
    if let Some(why) = wrong.ok_or_else(|| Trouble::NoSession(String::new()))? {
        return Err(Trouble::said(why.to_string()));
    }
    session::log(id, Entry::Edit(Edit { t_ms: now(), op }));
    panel::changed();
    Ok(())
}

async fn in_store(id: &str, op: Op) -> Result<(), Trouble> {
    let store = hub::store()?;
    let mut opened = store.open_recording(id).await?;
    if opened.meta.live {
        return Err(Trouble::said("that session is still being taken up again: try once more in a moment"));
    }
    opened.recording.check(&op).map_err(|why| Trouble::said(why.to_string()))?;
    let masks = matches!(op, Op::Mask { .. });
    let edit = Edit { t_ms: now(), op };
    store.add(id, &Entry::Edit(edit.clone())).await?;
    opened.recording.edit([edit]);
    tell(&mut opened.meta, &opened.recording);
    store.put_session(&opened.meta).await?;
    if masks {
        store.scrub(id).await?;
    }
    Ok(())
}

/// What a session's summary says of an edited recording.
pub fn tell(meta: &mut SessionMeta, recording: &Recording) {
    let outcome = recording.outcome();
    meta.steps = u32::try_from(outcome.steps.len()).unwrap_or(u32::MAX);
    meta.header.edited = outcome.edited;
    // What was masked once is secret from now on, where the page is loaded again or a piece is recorded in it.
    let masked = outcome.steps.iter().filter(|placed| placed.step.edits().contains(&EditKind::Masked));
    let locators = masked.flat_map(|placed| &placed.step.target).filter_map(|target| {
        target.locators.iter().filter(|one| one.matches == 1).find_map(|one| one.value.strip_prefix("css="))
    });
    for selector in locators {
        if !meta.header.mask.iter().any(|known| known == selector) {
            meta.header.mask.push(selector.to_owned());
        }
    }
}

/// Begins a piece for another place. A session that has ended is taken up again, in `tab`.
pub async fn insert(
    session: Option<&str>,
    after: Option<StepId>,
    replaces: Option<StepId>,
    tab: impl Future<Output = Result<f64, Trouble>>,
) -> Result<(), Trouble> {
    let stored = session.is_some_and(|id| hub::session(id, |_| ()).is_none());
    let segment = |recording: &Recording, other_tab: bool| {
        let number = recording.next_segment();
        let op = Op::Segment { number, after: after.clone(), replaces: replaces.clone(), other_tab };
        recording.check(&op).map(|()| op).map_err(|why| Trouble::said(why.to_string()))
    };
    match session {
        Some(id) if stored => {
            let opened = hub::store()?.open_recording(id).await?;
            let op = segment(&opened.recording, true)?;
            reopen(id, Tab::new(tab.await?), op).await
        }
        _ => {
            let id = session::named(session)?;
            let op = hub::session(&id, |s| {
                if s.piece.is_some() {
                    return Err(Trouble::said("a piece is being recorded already: end it first"));
                }
                segment(&s.recording(), false)
            });
            let op = op.ok_or_else(|| Trouble::NoSession(String::new()))??;
            let paused = hub::session(&id, |s| s.recorder.paused()) == Some(true);
            session::log(&id, Entry::Edit(Edit { t_ms: now(), op }));
            if paused {
                session::tell_frames(&id, false);
            }
            panel::changed();
            Ok(())
        }
    }
}

/// Takes an ended session up again in a tab, for a piece.
async fn reopen(id: &str, tab: Tab, op: Op) -> Result<(), Trouble> {
    let store = hub::store()?;
    if session::of_tab(tab).is_some() {
        return Err(Trouble::said("that tab is being recorded already: stop that session first"));
    }
    let info = crate::browser::tabs::get(tab).await?;
    session::recordable(&info.url)?;
    let mut meta = store.session(id).await?;
    if meta.live {
        return Err(Trouble::said("that session is still being taken up again: try once more in a moment"));
    }
    meta.live = true;
    let prior = if meta.imported { Some(Recording::of(&store.events(id).await?)) } else { None };
    let log = store.entries(id).await?;
    store.put_session(&meta).await?;
    let mut again = Session::resumed(meta, tab, prior);
    for entry in &log.entries {
        again.fold(entry);
    }
    again.continue_at(log.next);
    again.tabs = Vec::new();
    again.current = tab;
    hub::with(|hub| hub.sessions.insert(id.to_owned(), again));
    // Before the piece begins, so that the tab's coming is no step of it.
    session::log(id, Entry::Tab { t: now(), tab: tab.id(), change: TabChange::Opened, opener: None, url: info.url });
    session::log(id, Entry::Edit(Edit { t_ms: now(), op }));
    remembered::keep();
    let reached = async {
        arming::arm().await?;
        arming::reach(id, tab).await
    };
    if let Err(trouble) = reached.await {
        // Nothing would ever stop what nobody was told of.
        session::end(id, None).await;
        return Err(trouble);
    }
    settle::loaded(id, tab);
    writer::stored().await;
    panel::changed();
    Ok(())
}

/// The piece is complete.
pub async fn insert_end(session: Option<&str>) -> Result<(), Trouble> {
    let id = session::named(session)?;
    let piece = hub::session(&id, |s| s.piece.clone().map(|piece| (piece, s.paused_before))).flatten();
    let Some((piece, paused)) = piece else {
        return Err(Trouble::said("no piece is being recorded: choose the step behind which to record one"));
    };
    if piece.reopened {
        session::stop(&id, None).await?;
        return Ok(());
    }
    if let Some(tab) = hub::session(&id, |s| s.current) {
        settle::quiet(&id, tab, now()).await;
    }
    session::log(&id, Entry::SegmentEnd { t: now() });
    if paused {
        session::pause(&id, true);
    }
    panel::changed();
    Ok(())
}

/// A hotkey of the browser.
pub fn hotkey(name: &str) {
    let Ok(command) = serde_json::from_value::<Command>(name.into()) else { return };
    let Ok(id) = session::named(None) else {
        return hub::problem(&"nothing is being recorded: there is no step that could be annotated");
    };
    // The last one done, wherever it was put.
    let last = hub::session(&id, |s| {
        let recording = s.recording();
        let steps = recording.outcome().steps;
        let newest = recording.base().iter().rev().find_map(|base| steps.iter().find(|placed| placed.id == base.id));
        newest.map(|placed| (placed.id.clone(), placed.step.annotation.as_deref().cloned().unwrap_or_default()))
    });
    let Some((step, annotation)) = last.flatten() else {
        return hub::problem(&"no step has been recorded yet that could be annotated");
    };
    let annotation = match command {
        Command::MarkKeyNode => Some(Annotation { key_node: !annotation.key_node, ..annotation }),
        Command::MarkForbidden => Some(Annotation { forbidden: !annotation.forbidden, ..annotation }),
        Command::AnnotateIntent | Command::AnnotateVariant => None,
    };
    match annotation {
        Some(annotation) => {
            if let Err(trouble) = live(&id, Op::Annotate { step, annotation }) {
                hub::problem(&trouble);
            }
        }
        None => {
            hub::session(&id, |s| {
                let n = s.hotkey.as_ref().map_or(0, |key| key.n) + 1;
                s.hotkey = Some(Hotkey { n, t_ms: now(), step, command });
            });
            panel::changed();
        }
    }
}
