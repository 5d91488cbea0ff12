//! The recording that is shown, and editing it: the one being recorded as the hub tells it, or one from the store.

use std::rc::Rc;

use tracerule::edit::{Op, StepId};
use tracerule::lint::{self, Finding, Fix};
use tracerule::trace::{CoverageEvent, Edited, Step};
use tracerule::wire::panel::{Piece, Request};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::hub::Hub;
use crate::kept;
use crate::text::t;

/// A recording as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    pub(crate) session: AttrValue,
    /// It is being recorded.
    pub(crate) live: bool,
    /// What times count from, ms since the epoch.
    pub(crate) start_ms: f64,
    pub(crate) steps: Rc<Vec<Rc<Step>>>,
    pub(crate) ids: Rc<Vec<StepId>>,
    pub(crate) coverage: Vec<CoverageEvent>,
    pub(crate) undo: Option<Op>,
    pub(crate) redo: Option<Op>,
    pub(crate) edited: Option<Edited>,
    pub(crate) piece: Option<Piece>,
    /// Its steps have names, so they can be edited.
    pub(crate) ready: bool,
}

impl View {
    /// What is worth mending in it.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let steps: Vec<&Step> = self.steps.iter().map(|step| &**step).collect();
        lint::over(&steps, &self.coverage.iter().collect::<Vec<_>>())
    }

    /// The number of a step, as people count.
    pub(crate) fn number(&self, id: &str) -> Option<usize> {
        self.ids.iter().position(|known| known == id).map(|at| at + 1)
    }
}

/// What a person does to a recording.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    Edit(Op),
    /// Records a piece behind a step, or at the front.
    Insert(Option<StepId>),
    /// Records a step again.
    Rerecord(StepId),
    /// The piece is complete.
    InsertEnd,
}

impl Deed {
    /// What a fix does to a step.
    pub(crate) fn of(fix: &Fix, finding: &Finding, id: &StepId, step: &Step) -> Deed {
        match fix.op(finding, id, step) {
            Some(op) => Deed::Edit(op),
            None if *fix == Fix::InsertHere => Deed::Insert(Some(id.clone())),
            None => Deed::Rerecord(id.clone()),
        }
    }
}

/// The recording to show (the one being recorded, else the one that was opened), what to do to it, and what went
/// wrong at that.
#[hook]
pub(crate) fn use_editor(
    hub: &Hub,
    opened: Option<AttrValue>,
) -> (View, Callback<Deed>, UseStateHandle<Option<String>>) {
    let model = &hub.model;
    let live = model.status.session.clone().map(AttrValue::from);
    let session = live.clone().or(opened);
    let stored = use_state(|| None::<View>);
    let problem = use_state(|| None::<String>);
    let load = {
        let (stored, problem) = (stored.clone(), problem.clone());
        use_callback((), move |(session, live): (AttrValue, bool), ()| {
            let (stored, problem) = (stored.clone(), problem.clone());
            spawn_local(async move {
                match kept::open(&session).await {
                    Ok(opened) => {
                        let outcome = opened.recording.outcome();
                        let edit = |at: usize| opened.recording.edits().get(at).map(|edit| edit.op.clone());
                        let (ids, steps): (Vec<_>, Vec<_>) =
                            outcome.steps.into_iter().map(|placed| (placed.id, Rc::new(placed.step))).unzip();
                        stored.set(Some(View {
                            session,
                            live: false,
                            start_ms: opened.meta.header.started_ms,
                            steps: Rc::new(steps),
                            ids: Rc::new(ids),
                            coverage: opened.coverage,
                            undo: outcome.undo.and_then(edit),
                            redo: outcome.redo.and_then(edit),
                            edited: outcome.edited,
                            piece: None,
                            ready: true,
                        }));
                    }
                    // Of the one being recorded the hub tells all but when it began.
                    Err(_) if live => {}
                    Err(error) => problem.set(Some(error)),
                }
            });
        })
    };
    use_effect_with((session.clone(), live.is_some()), {
        let (load, stored) = (load.clone(), stored.clone());
        move |(session, live): &(Option<AttrValue>, bool)| {
            stored.set(None);
            if let Some(session) = session {
                load.emit((session.clone(), *live));
            }
        }
    });
    let known = stored.as_ref().filter(|view| Some(&view.session) == session.as_ref());
    let view = match (&live, &session) {
        (None, Some(_)) if known.is_some() => known.cloned().unwrap_or_default(),
        (_, None) => View::default(),
        // Another one than that which has just ended is on its way.
        (None, Some(other)) if model.finished.as_ref().is_none_or(|ended| *other != ended.session) => {
            View { session: other.clone(), ..View::default() }
        }
        (_, Some(session)) => {
            let status = &model.status;
            let first = model.steps.first().map_or(0.0, |step| step.t_ms);
            View {
                session: session.clone(),
                live: live.is_some(),
                start_ms: known.map_or(first, |view| view.start_ms),
                steps: model.steps.clone(),
                ids: model.ids.clone(),
                coverage: status.coverage.clone(),
                undo: status.undo.clone(),
                redo: status.redo.clone(),
                edited: status.edited,
                piece: status.piece.clone(),
                ready: live.is_some() && model.ids.len() == model.steps.len(),
            }
        }
    };
    let act = {
        let (hub, problem) = (hub.clone(), problem.clone());
        let (live, session) = (live.is_some(), session.clone());
        Callback::from(move |deed: Deed| {
            let named = session.clone().filter(|_| !live).map(|id| id.to_string());
            let request = match deed {
                Deed::Edit(edit) => Request::Edit { session: named, edit },
                Deed::Insert(after) => Request::Insert { session: named, after, replaces: None },
                Deed::Rerecord(step) => Request::Insert { session: named, after: None, replaces: Some(step) },
                Deed::InsertEnd => Request::InsertEnd,
            };
            let (hub, problem, load, session) = (hub.clone(), problem.clone(), load.clone(), session.clone());
            problem.set(None);
            spawn_local(async move {
                if let Err(error) = hub.ask(request).await {
                    problem.set(Some(error));
                } else if let (false, Some(session)) = (live, session) {
                    load.emit((session, false));
                }
            });
        })
    };
    (view, act, problem)
}

/// What an edit did, in words.
pub(crate) fn named(op: &Op) -> String {
    match op {
        Op::Delete { .. } => t!(edit_delete),
        Op::Move { .. } => t!(edit_move),
        Op::Segment { replaces: None, .. } => t!(edit_insert),
        Op::Segment { .. } => t!(edit_rerecord),
        Op::Locator { .. } => t!(edit_locator),
        Op::Mask { .. } => t!(edit_mask),
        Op::Annotate { .. } => t!(edit_annotate),
        Op::Undo | Op::Redo => String::new(),
    }
}
