//! The list of steps, as they are made.

use std::rc::Rc;

use gloo::render::request_animation_frame;
use tracerule::edit::{Op, StepId};
use tracerule::lint::{Finding, Fix, Severity};
use tracerule::score::words::Lang;
use tracerule::trace::{BlindFrame, CoverageEvent};
use tracerule::wire::panel::{Command, Hotkey, Piece};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::Tab;
use super::editor::{Deed, View, named, use_editor};
use super::record::blind_frame;
use super::step::{Drag, Row, class};
use crate::browser;
use crate::format;
use crate::hub::Hub;
use crate::icon::{Glyph, Icon};
use crate::kept;
use crate::parts::{Problem, clears, shown};
use crate::said;
use crate::text::{steps, t};

/// How long a panel may take to open after the hotkey that opened it, ms.
const OPENS_MS: f64 = 10_000.0;
/// How near the end counts as the end, in CSS px.
const NEAR_END: i32 = 24;

#[derive(Properties, PartialEq)]
pub(crate) struct StepsProps {
    pub(crate) hub: Hub,
    pub(crate) go: Callback<Tab>,
    /// A stored recording that was opened for editing.
    pub(crate) opened: Option<AttrValue>,
    /// Closes it.
    pub(crate) close: Callback<()>,
}

/// The tab.
#[function_component]
pub(crate) fn Steps(props: &StepsProps) -> Html {
    let model = &props.hub.model;
    let finished = model.finished.as_ref().map(|ended| AttrValue::from(ended.session.clone()));
    let (view, act, problem) = use_editor(&props.hub, props.opened.clone().or(finished));
    let findings = {
        let view = view.clone();
        use_memo((view.steps.clone(), view.coverage.clone()), move |_| view.findings())
    };
    html! {
        <section class="steps" aria-label={t!(tab_steps)}>
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            if let (Some(ended), None, None) = (&model.finished, &model.status.session, &props.opened) {
                <Saved session={ended.session.clone()} title={ended.title.clone()} count={view.steps.len()} go={props.go.clone()} />
            }
            if let (Some(_), false) = (&props.opened, view.live) {
                <div class="opened row">
                    <Icon glyph={Glyph::Pencil} /><span class="grow">{ t!(opened_stored, steps(view.steps.len())) }</span>
                    <button onclick={props.close.reform(|_: MouseEvent| ())}>{ t!(close) }</button>
                </div>
            }
            if let Some(piece) = &view.piece {
                <div class="piece row" role="status">
                    <span class="lamp" aria-hidden="true"></span>
                    <span class="grow">{ place(&view, piece) }</span>
                    <button id="piece-done" class="primary" onclick={act.reform(|_: MouseEvent| Deed::InsertEnd)}>{ t!(piece_done) }</button>
                </div>
            }
            if view.ready && !(view.steps.is_empty() && view.undo.is_none() && view.redo.is_none()) {
                <Bar view={view.clone()} findings={findings.clone()} act={act.clone()} />
            }
            if view.steps.is_empty() {
                <div class="empty">
                    <Icon glyph={Glyph::Pointer} />
                    if model.status.session.is_some() {
                        <p>{ t!(steps_waiting) }</p>
                    } else {
                        <p>{ t!(steps_empty) }</p>
                        <ol>
                            <li>{ t!(first_1) }</li>
                            <li>{ t!(first_2) }</li>
                            <li>{ t!(first_3) }</li>
                            <li>{ t!(first_4) }</li>
                        </ol>
                    }
                </div>
            } else {
                <List view={view.clone()} {findings} hotkey={model.status.hotkey.clone()} {act} />
            }
            <Coverage missed={view.coverage.clone()} blind={if view.live { model.status.blind.clone() } else { Vec::new() }} />
        </section>
    }
}

/// Where a piece goes, in words.
fn place(view: &View, piece: &Piece) -> String {
    let number = |id: &Option<StepId>| id.as_ref().and_then(|id| view.number(id));
    match (number(&piece.replaces), number(&piece.after)) {
        (Some(n), _) => t!(piece_replaces, n),
        // It is there no more once something was recorded in its place.
        _ if piece.replaces.is_some() => t!(piece_again),
        (_, Some(n)) => t!(piece_after, n),
        _ => t!(piece_front),
    }
}

#[derive(Properties, PartialEq)]
struct BarProps {
    view: View,
    findings: Rc<Vec<Finding>>,
    act: Callback<Deed>,
}

/// Undo, redo, and how many findings there are.
#[function_component]
fn Bar(props: &BarProps) -> Html {
    let (view, act) = (&props.view, &props.act);
    let undo = view.undo.as_ref().map_or_else(|| t!(undo), |op| t!(undo_named, named(op)));
    let redo = view.redo.as_ref().map_or_else(|| t!(redo), |op| t!(redo_named, named(op)));
    let number = |severity| props.findings.iter().filter(|found| found.severity == severity).count();
    let counts = [Severity::Error, Severity::Warning, Severity::Info].map(|severity| (severity, number(severity)));
    let lang = Lang::from_tag(&browser::language());
    html! {
        <div class="bar" role="toolbar" aria-label={t!(edit_bar)}>
            <button class="icon-button" id="undo" disabled={view.undo.is_none()} aria-label={undo.clone()} title={undo} aria-keyshortcuts="Control+Z"
                onclick={act.reform(|_: MouseEvent| Deed::Edit(Op::Undo))}><Icon glyph={Glyph::Undo} /></button>
            <button class="icon-button" id="redo" disabled={view.redo.is_none()} aria-label={redo.clone()} title={redo} aria-keyshortcuts="Control+Shift+Z"
                onclick={act.reform(|_: MouseEvent| Deed::Edit(Op::Redo))}><Icon glyph={Glyph::Redo} /></button>
            if let Some(edited) = view.edited {
                <span class="mark edited" title={t!(mark_edited_hint)}>{ t!(edits_count, edited.edits) }</span>
            }
            <span class="grow"></span>
            <span class="lint" role="status">
                if props.findings.is_empty() {
                    <span class="dim small">{ t!(lint_clean) }</span>
                } else {
                    { for counts.into_iter().filter(|(_, count)| *count > 0).map(|(severity, count)| html! {
                        <span class={classes!("mark", class(severity))}>{ said::counted(lang, severity, count) }</span>
                    }) }
                }
            </span>
            if let Some(first) = props.findings.iter().find_map(|found| found.step) {
                <button class="link" onclick={move |_| browser::focus(&format!("head-{first}"))}>{ t!(lint_first) }</button>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct SavedProps {
    session: AttrValue,
    title: AttrValue,
    count: usize,
    go: Callback<Tab>,
}

/// What became of the session that has just ended.
#[function_component]
fn Saved(props: &SavedProps) -> Html {
    let problem = use_state(|| None::<String>);
    let export = {
        let (session, problem) = (props.session.clone(), problem.clone());
        Callback::from(move |_: MouseEvent| {
            let (session, problem) = (session.clone(), problem.clone());
            problem.set(None);
            spawn_local(async move {
                if let Err(error) = kept::export(&session, tracerule::interop::Format::Tracerule).await {
                    problem.set(Some(error));
                }
            });
        })
    };
    html! {
        <div class="saved">
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            <p role="status"><Icon glyph={Glyph::Check} /><span>{ t!(saved, if props.title.is_empty() { t!(untitled) } else { props.title.to_string() }, steps(props.count)) }</span></p>
            <div class="buttons">
                <button onclick={export}><Icon glyph={Glyph::Download} />{ t!(export) }</button>
                <button onclick={props.go.reform(|_| Tab::Traces)}>{ t!(see_traces) }</button>
            </div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct ListProps {
    view: View,
    findings: Rc<Vec<Finding>>,
    hotkey: Option<Hotkey>,
    act: Callback<Deed>,
}

/// Follows the newest step until the person scrolls away from the end.
#[function_component]
fn List(props: &ListProps) -> Html {
    let place = use_node_ref();
    let follows = use_state(|| true);
    // Where the view was, to tell the person's scrolling up from the list's growing.
    let top = use_mut_ref(|| 0);
    let current = use_state(|| 0_usize);
    let view = &props.view;
    let count = view.steps.len();
    // The step whose form is open, and what for.
    let annotating = use_state(|| None::<(StepId, Command)>);
    // What is dragged, and over what.
    let dragged = use_state(|| None::<(usize, usize)>);
    {
        // An older one than this list is history, unless it has just opened the panel.
        let old = |key: &&Hotkey| js_sys::Date::now() - key.t_ms > OPENS_MS;
        let seen = use_mut_ref(|| props.hotkey.as_ref().filter(old).map_or(0, |key| key.n));
        let annotating = annotating.clone();
        use_effect_with(props.hotkey.clone(), move |key| {
            if let Some(key) = key
                && seen.replace(key.n) != key.n
            {
                annotating.set(Some((key.step.clone(), key.command)));
            }
        });
    }
    let id_of = {
        let (ids, ready) = (view.ids.clone(), view.ready);
        move |at: usize| if ready { ids.get(at).cloned() } else { None }
    };
    // Behind which step one goes that moves up by one.
    let above = {
        let id_of = id_of.clone();
        move |at: usize| at.checked_sub(1).map(|before| before.checked_sub(1).and_then(&id_of))
    };
    {
        let place = place.clone();
        use_effect_with((count, *follows), move |(_, follows)| {
            let frame = follows.then(|| {
                // Once the new row has its height.
                request_animation_frame(move |_| {
                    if let Some(list) = place.cast::<Element>() {
                        list.set_scroll_top(list.scroll_height());
                    }
                })
            });
            move || drop(frame)
        });
    }
    let onscroll = {
        let follows = follows.clone();
        Callback::from(move |event: Event| {
            let Some(list) = event.target_dyn_into::<Element>() else { return };
            let now = list.scroll_top();
            let was = top.replace(now);
            if now + list.client_height() + NEAR_END >= list.scroll_height() {
                follows.set(true);
            } else if now < was {
                follows.set(false);
            }
        })
    };
    let onkeydown = {
        let (current, place, follows) = (current.clone(), place.clone(), follows.clone());
        let (act, annotating, view, findings) =
            (props.act.clone(), annotating.clone(), view.clone(), props.findings.clone());
        let (id_of, above) = (id_of.clone(), above.clone());
        Callback::from(move |event: KeyboardEvent| {
            let last = count.saturating_sub(1);
            let head = event.target_dyn_into::<Element>().filter(|el| el.matches(".step-head").unwrap_or(false));
            // The row that has the key, whatever was drawn since it got the focus.
            let at = head.and_then(|head| head.id().strip_prefix("head-")?.parse::<usize>().ok());
            if let Some((at, id)) = at.and_then(|at| Some((at, id_of(at)?))) {
                let command = event.ctrl_key() || event.meta_key();
                let deed = match event.key().as_str() {
                    "ArrowUp" if event.alt_key() => {
                        above(at).map(|after| Deed::Edit(Op::Move { step: id.clone(), after }))
                    }
                    "ArrowDown" if event.alt_key() => {
                        id_of(at + 1).map(|after| Deed::Edit(Op::Move { step: id.clone(), after: Some(after) }))
                    }
                    "Delete" => Some(Deed::Edit(Op::Delete { step: id.clone() })),
                    "z" | "Z" if command && event.shift_key() => view.redo.as_ref().map(|_| Deed::Edit(Op::Redo)),
                    "y" | "Y" if command => view.redo.as_ref().map(|_| Deed::Edit(Op::Redo)),
                    "z" | "Z" if command => view.undo.as_ref().map(|_| Deed::Edit(Op::Undo)),
                    "F2" => {
                        annotating.set(Some((id.clone(), Command::AnnotateIntent)));
                        event.prevent_default();
                        return;
                    }
                    // Mends the first finding, unless that must be asked first.
                    "f" | "F" if !command && !event.alt_key() => {
                        let step = view.steps.get(at);
                        let found = findings.iter().find(|found| found.step == step.map(|step| step.seq));
                        found.zip(step).and_then(|(found, step)| {
                            let fix = found.fixes.first().filter(|fix| **fix != Fix::Mask)?;
                            Some(Deed::of(fix, found, &id, step))
                        })
                    }
                    _ => None,
                };
                if let Some(deed) = deed {
                    event.prevent_default();
                    let moved = match (&deed, event.key().as_str()) {
                        (Deed::Edit(Op::Move { .. }), "ArrowUp") => at.saturating_sub(1),
                        (Deed::Edit(Op::Move { .. }), _) => (at + 1).min(last),
                        _ => at,
                    };
                    current.set(moved);
                    act.emit(deed);
                    // The list is drawn anew; the focus goes with the step, unless the person went elsewhere meanwhile.
                    gloo::timers::callback::Timeout::new(200, move || {
                        if browser::focus_is_free(".step-head") {
                            browser::focus(&format!("head-{moved}"));
                        }
                    })
                    .forget();
                    return;
                }
            }
            let next = match event.key().as_str() {
                "ArrowDown" => (*current + 1).min(last),
                "ArrowUp" => current.saturating_sub(1),
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            // Arrow keys inside an opened step belong to it.
            let on_row = event
                .target_dyn_into::<Element>()
                .is_some_and(|element| element.matches(".step-head").unwrap_or(false));
            if !on_row {
                return;
            }
            event.prevent_default();
            follows.set(next == last);
            current.set(next);
            let heads = place.cast::<Element>().and_then(|list| list.query_selector_all(".step-head").ok());
            let head = heads.and_then(|heads| heads.item(u32::try_from(next).unwrap_or_default()));
            if let Some(head) = head.and_then(|head| head.dyn_into::<HtmlElement>().ok()) {
                let _ = head.focus();
            }
        })
    };
    let onfocus = {
        let current = current.clone();
        Callback::from(move |index: usize| current.set(index))
    };
    let drag = {
        let (dragged, act, ids) = (dragged.clone(), props.act.clone(), view.ids.clone());
        Callback::from(move |(at, which): (usize, Drag)| match (which, *dragged) {
            (Drag::Start, _) => dragged.set(Some((at, at))),
            (Drag::Over, Some((from, over))) if over != at => dragged.set(Some((from, at))),
            (Drag::Drop, Some((from, _))) => {
                dragged.set(None);
                // Downwards behind what lies under it, upwards before it.
                let after = if from < at { Some(at) } else { at.checked_sub(1) };
                let after = after.and_then(|at| ids.get(at).cloned());
                if let Some(step) = ids.get(from).filter(|_| from != at) {
                    act.emit(Deed::Edit(Op::Move { step: step.clone(), after }));
                }
            }
            (Drag::End, _) => dragged.set(None),
            _ => {}
        })
    };
    let latest = view.steps.last().map(|step| format::sentence(step)).unwrap_or_default();
    let at = (*current).min(count.saturating_sub(1));

    html! {
        <>
            <p class="unseen" role="status" aria-live="polite">{ latest }</p>
            <ol class="step-list" ref={place} {onscroll} {onkeydown} tabindex="-1">
                { for view.steps.iter().enumerate().map(|(index, step)| {
                    let id = id_of(index);
                    let form = annotating.as_ref().filter(|(open, _)| Some(open) == id.as_ref()).map(|(_, command)| *command);
                    let annotate = {
                        let (annotating, id) = (annotating.clone(), id.clone());
                        Callback::from(move |what: Option<Command>| annotating.set(id.clone().zip(what)))
                    };
                    html! {
                        <Row key={id.clone().unwrap_or_else(|| step.seq.to_string())} session={view.session.clone()} step={step.clone()} start_ms={view.start_ms}
                            findings={props.findings.iter().filter(|found| found.step == Some(step.seq)).cloned().collect::<Vec<_>>()}
                            around={(index.checked_sub(1).and_then(&id_of), id_of(index + 1))} up={above(index)} annotating={form} {annotate}
                            over={dragged.is_some_and(|(from, over)| over == index && from != index)} busy={view.piece.is_some()}
                            act={props.act.clone()} drag={drag.reform(move |which| (index, which))} id={id.clone()}
                            reachable={index == at} onfocus={onfocus.reform(move |()| index)} />
                    }
                }) }
            </ol>
            if !*follows {
                <button class="to-end" onclick={let follows = follows.clone(); move |_| follows.set(true)}>
                    <Icon glyph={Glyph::Down} />{ t!(to_latest) }
                </button>
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct CoverageProps {
    missed: Vec<CoverageEvent>,
    blind: Vec<BlindFrame>,
}

/// What could not be recorded; never hidden.
#[function_component]
fn Coverage(props: &CoverageProps) -> Html {
    let lang = Lang::from_tag(&browser::language());
    let count = props.missed.len();
    if count == 0 {
        return html! {};
    }
    html! {
        <details class="coverage">
            <summary><Icon glyph={Glyph::Warning} /><span>{ if count == 1 { t!(coverage_one) } else { t!(coverage_other, count) } }</span></summary>
            <ul>
                { for props.blind.iter().map(|frame| html! { <li>{ blind_frame(frame) }</li> }) }
                { for props.missed.iter().map(|event| html! { <li>{ said::coverage(lang, event) }</li> }) }
            </ul>
        </details>
    }
}
