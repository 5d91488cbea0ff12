//! Traces kept: import, export, delete, and scoring runs against a reference.

use std::collections::BTreeSet;
use std::rc::Rc;

use gloo::events::EventListener;
use tracerule::interop::Format;
use tracerule::trace::Role;
use tracerule::wire::panel::Request;
use tracerule_store::SessionMeta;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::results::Results;
use crate::browser;
use crate::hub::Hub;
use crate::icon::{Glyph, Icon};
use crate::kept::{self, Imported};
use crate::parts::{Problem, chosen, clears, shown, ticked};
use crate::scores::{self, Scored};
use crate::text::{steps, t};

#[derive(Properties, PartialEq)]
pub(crate) struct TracesProps {
    pub(crate) hub: Hub,
    /// Opens a recording for editing.
    pub(crate) edit: Callback<AttrValue>,
}

/// The tab.
#[function_component]
pub(crate) fn Traces(props: &TracesProps) -> Html {
    let list = use_state(|| None::<Rc<Vec<SessionMeta>>>);
    let problem = use_state(|| None::<String>);
    let reference = use_state(|| None::<String>);
    let runs = use_state(BTreeSet::<String>::new);
    let imported = use_state(Vec::<Imported>::new);
    let result = use_state(|| None::<Rc<Scored>>);
    let busy = use_state(|| false);
    let picker = use_node_ref();
    let import_as = use_state(|| None::<Format>);

    let reload = {
        let (list, problem) = (list.clone(), problem.clone());
        use_callback((), move |(), ()| {
            let (list, problem) = (list.clone(), problem.clone());
            spawn_local(async move {
                match kept::sessions().await {
                    Ok(sessions) => list.set(Some(Rc::new(sessions))),
                    Err(error) => problem.set(Some(error)),
                }
            });
        })
    };
    let live = props.hub.model.status.session.clone();
    use_effect_with(live.clone(), {
        let reload = reload.clone();
        move |_| reload.emit(())
    });
    use_effect_with((), {
        let reload = reload.clone();
        move |()| {
            // Others may have changed the store meanwhile.
            let back = EventListener::new(&gloo::utils::window(), "focus", move |_| reload.emit(()));
            move || drop(back)
        }
    });

    let all = list.as_ref().map(|list| list.to_vec()).unwrap_or_default();
    let is_kept = |id: &String| all.iter().any(|meta| meta.header.id == *id);
    // The newest reference, until the person chooses another.
    let default =
        all.iter().find(|meta| meta.header.role == Role::Reference && !meta.live).map(|meta| meta.header.id.clone());
    let reference_id = (*reference).clone().filter(|id| is_kept(id)).or(default);
    let run_ids: Vec<String> =
        runs.iter().filter(|id| is_kept(id) && reference_id.as_ref() != Some(*id)).cloned().collect();

    let on_import = {
        let (imported, reload, busy, format) = (imported.clone(), reload.clone(), busy.clone(), *import_as);
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            let files = input.files().map(gloo::file::FileList::from);
            let files: Vec<gloo::file::File> = files.iter().flat_map(|files| files.iter().cloned()).collect();
            // So that the same file can be chosen again.
            input.set_value("");
            let (imported, reload, busy) = (imported.clone(), reload.clone(), busy.clone());
            busy.set(true);
            spawn_local(async move {
                let mut outcomes = Vec::new();
                for file in files {
                    outcomes.push(kept::import(file, format).await);
                    imported.set(outcomes.clone());
                }
                busy.set(false);
                reload.emit(());
            });
        })
    };
    let on_score = {
        let (hub, problem, result, busy) = (props.hub.clone(), problem.clone(), result.clone(), busy.clone());
        let (reference, runs, recording) = (reference_id.clone(), run_ids.clone(), live.is_some());
        Callback::from(move |_: MouseEvent| {
            let Some(reference) = reference.clone() else { return };
            let (hub, problem, result, busy, runs) =
                (hub.clone(), problem.clone(), result.clone(), busy.clone(), runs.clone());
            problem.set(None);
            result.set(None);
            busy.set(true);
            spawn_local(async move {
                match scores::score(&reference, &runs).await {
                    Ok(scored) => {
                        result.set(Some(Rc::new(scored)));
                        // A new tab would become a step of a recording that is going on.
                        if !recording && let Err(error) = hub.ask(Request::Report { reference, runs }).await {
                            problem.set(Some(error));
                        }
                    }
                    Err(error) => problem.set(Some(error)),
                }
                busy.set(false);
            });
        })
    };
    let open_report = {
        let (hub, problem) = (props.hub.clone(), problem.clone());
        let (reference, runs) = (reference_id.clone(), run_ids.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(reference) = reference.clone() {
                hub.tell(Request::Report { reference, runs: runs.clone() }, &problem);
            }
        })
    };
    let pick_reference = {
        let (reference, result) = (reference.clone(), result.clone());
        Callback::from(move |event: Event| {
            reference.set(Some(chosen(&event)));
            result.set(None);
        })
    };
    let pick_run = {
        let (runs, result) = (runs.clone(), result.clone());
        Callback::from(move |(id, on): (String, bool)| {
            let mut next = (*runs).clone();
            if on {
                next.insert(id)
            } else {
                next.remove(&id)
            };
            runs.set(next);
            result.set(None);
        })
    };
    let choose_files = {
        let picker = picker.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = picker.cast::<HtmlInputElement>() {
                input.click();
            }
        })
    };
    let choose_format = {
        let import_as = import_as.clone();
        Callback::from(move |event: Event| import_as.set(Format::from_name(&chosen(&event))))
    };
    let chosen_reference = reference_id.clone().unwrap_or_default();

    html! {
        <section class="traces" aria-label={t!(tab_traces)} aria-busy={busy.to_string()}>
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            <div class="row bar">
                <h2 class="grow">{ t!(traces_kept) }</h2>
                <input ref={picker} type="file" class="unseen" tabindex="-1" aria-hidden="true" multiple=true accept=".zip,.json,.jsonl,.side,.py,.txt,.log" onchange={on_import} />
                <select class="formats" aria-label={t!(format_read)} title={t!(format_read)} onchange={choose_format}>
                    <option value="" selected={import_as.is_none()}>{ t!(format_by_content) }</option>
                    { for Format::ALL.into_iter().filter(|f| f.can_import()).map(|f| html! {
                        <option value={f.name()} selected={*import_as == Some(f)}>{ f.label() }</option>
                    }) }
                </select>
                <button onclick={choose_files} disabled={*busy}><Icon glyph={Glyph::Upload} />{ t!(import) }</button>
            </div>
            <Outcomes list={(*imported).clone()} dismiss={let imported = imported.clone(); move |()| imported.set(Vec::new())} />
            if list.is_none() {
                <p class="dim">{ t!(loading) }</p>
            } else if all.is_empty() {
                <div class="empty"><Icon glyph={Glyph::Report} /><p>{ t!(traces_none) }</p></div>
            } else {
                <div class="card score">
                    <div class="field">
                        <label for="reference">{ t!(score_against) }</label>
                        <select id="reference" onchange={pick_reference}>
                            if reference_id.is_none() { <option value="" selected=true>{ t!(choose_reference) }</option> }
                            { for all.iter().filter(|meta| !meta.live).map(|meta| html! {
                                <option value={meta.header.id.clone()} selected={chosen_reference == meta.header.id}>
                                    { format!("{} · {}", kept::title(meta), steps(meta.steps as usize)) }
                                </option>
                            }) }
                        </select>
                    </div>
                    <button class="primary" onclick={on_score} disabled={*busy || reference_id.is_none() || run_ids.is_empty()}>
                        <Icon glyph={Glyph::Report} />
                        { match run_ids.len() { 0 => t!(score), 1 => t!(score_one), n => t!(score_other, n) } }
                    </button>
                    if run_ids.is_empty() { <p class="dim small">{ t!(score_hint) }</p> }
                    if let Some(scored) = result.as_ref() {
                        <Results scored={scored.clone()} />
                        <button onclick={open_report}>{ t!(open_report) }</button>
                    }
                </div>
                <ul class="trace-list">
                    { for all.iter().map(|meta| html! {
                        <Entry key={meta.header.id.clone()} meta={meta.clone()} is_reference={chosen_reference == meta.header.id}
                            selected={runs.contains(&meta.header.id)} pick={pick_run.clone()} changed={reload.clone()}
                            edit={live.is_none().then(|| props.edit.clone())} />
                    }) }
                </ul>
            }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct OutcomesProps {
    list: Vec<Imported>,
    dismiss: Callback<()>,
}

/// What became of each imported file.
#[function_component]
fn Outcomes(props: &OutcomesProps) -> Html {
    let (done, failed): (Vec<_>, Vec<_>) = props.list.iter().partition(|file| file.outcome.is_ok());
    let bad: Vec<String> =
        failed.iter().filter_map(|file| Some(t!(import_failed, file.file, file.outcome.as_ref().err()?))).collect();
    html! {
        <>
            { for bad.into_iter().map(|text| html! { <Problem {text} dismiss={props.dismiss.clone()} /> }) }
            if !done.is_empty() {
                <div class="notice" role="status">
                    <Icon glyph={Glyph::Check} />
                    <ul>
                        { for done.into_iter().map(|file| html! {
                            <li>
                                { t!(imported, file.file) }
                                { for file.outcome.iter().flatten().map(|warning| html! { <><br /><span class="dim">{ warning }</span></> }) }
                            </li>
                        }) }
                    </ul>
                    <button class="icon-button" onclick={props.dismiss.reform(|_| ())} aria-label={t!(dismiss)} title={t!(dismiss)}><Icon glyph={Glyph::Close} /></button>
                </div>
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct EntryProps {
    meta: SessionMeta,
    is_reference: bool,
    selected: bool,
    pick: Callback<(String, bool)>,
    changed: Callback<()>,
    /// While recording, the steps shown are those being recorded.
    edit: Option<Callback<AttrValue>>,
}

/// One trace.
#[function_component]
fn Entry(props: &EntryProps) -> Html {
    let asking = use_state(|| false);
    let problem = use_state(|| None::<String>);
    let busy = use_state(|| false);
    let meta = &props.meta;
    let header = &meta.header;
    let id = header.id.clone();
    let title = kept::title(meta);

    // Runs something on this trace and shows what goes wrong at it.
    let lost = use_state(Vec::<String>::new);
    let export = {
        let (id, problem, busy, lost) = (id.clone(), problem.clone(), busy.clone(), lost.clone());
        Callback::from(move |format: Format| {
            let (id, problem, busy, lost) = (id.clone(), problem.clone(), busy.clone(), lost.clone());
            problem.set(None);
            lost.set(Vec::new());
            busy.set(true);
            spawn_local(async move {
                match kept::export(&id, format).await {
                    Ok(told) => lost.set(told),
                    Err(error) => problem.set(Some(error)),
                }
                busy.set(false);
            });
        })
    };
    let export_as = {
        let export = export.clone();
        Callback::from(move |event: Event| {
            let Some(list) = event.target_dyn_into::<web_sys::HtmlSelectElement>() else { return };
            if let Some(format) = Format::from_name(&list.value()) {
                export.emit(format);
            }
            // So that the same one can be chosen again.
            list.set_selected_index(0);
        })
    };
    let delete = {
        let (id, problem, asking, changed) = (id.clone(), problem.clone(), asking.clone(), props.changed.clone());
        Callback::from(move |_: MouseEvent| {
            let (id, problem, changed) = (id.clone(), problem.clone(), changed.clone());
            asking.set(false);
            spawn_local(async move {
                match kept::delete(&id).await {
                    Ok(()) => {
                        changed.emit(());
                        // The button that had the focus is gone with its row.
                        browser::focus("tab-traces");
                    }
                    Err(error) => problem.set(Some(error)),
                }
            });
        })
    };
    let keep_id = format!("keep-{id}");
    let ask = {
        let asking = asking.clone();
        Callback::from(move |on: bool| asking.set(on))
    };
    use_effect_with(*asking, {
        let keep = keep_id.clone();
        move |asking| {
            if *asking {
                browser::focus(&keep);
            }
        }
    });
    let on_pick = {
        let (pick, id) = (props.pick.clone(), id.clone());
        Callback::from(move |event: Event| pick.emit((id.clone(), ticked(&event))))
    };
    let escape = {
        let ask = ask.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                ask.emit(false);
            }
        })
    };

    html! {
        <li class={classes!("trace", props.is_reference.then_some("is-reference"))}>
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            <div class="row">
                <label class="pick grow">
                    <input type="checkbox" checked={props.selected && !props.is_reference} disabled={props.is_reference || meta.live} onchange={on_pick} />
                    <span class="about">
                        <span class="title">{ &title }</span>
                        <span class="dim small">{ browser::date(header.started_ms) }{ " · " }{ steps(meta.steps as usize) }</span>
                        <span class="marks">
                            <span class={classes!("mark", if header.role == Role::Reference { "reference" } else { "plain" })}>
                                { if header.role == Role::Reference { t!(role_reference) } else { t!(role_run) } }
                            </span>
                            if meta.live { <span class="mark bad">{ t!(mark_live) }</span> }
                            if header.perturb.is_some() { <span class="mark perturb">{ t!(mark_perturbed_run) }</span> }
                            if meta.imported { <span class="mark plain">{ t!(mark_imported) }</span> }
                            if header.edited.is_some() { <span class="mark edited">{ t!(mark_edited) }</span> }
                            if header.ended_ms.is_none() && !meta.live { <span class="mark warn" title={t!(mark_cut_hint)}>{ t!(mark_cut) }</span> }
                        </span>
                    </span>
                </label>
                <button class="icon-button" disabled={props.edit.is_none()} onclick={let (edit, id) = (props.edit.clone(), AttrValue::from(id.clone())); move |_| { if let Some(edit) = &edit { edit.emit(id.clone()); } }}
                    aria-label={t!(edit_named, title)} title={t!(edit)}><Icon glyph={Glyph::Pencil} /></button>
                <button class="icon-button" disabled={*busy} onclick={export.reform(|_: MouseEvent| Format::Tracerule)} aria-label={t!(export_named, title)} title={t!(export)}><Icon glyph={Glyph::Download} /></button>
                <select class="formats" disabled={*busy} onchange={export_as} aria-label={t!(export_as_named, title)} title={t!(export_as_named, title)}>
                    <option value="" selected=true>{ t!(export_as) }</option>
                    { for Format::ALL.into_iter().filter(|f| f.can_export()).map(|f| html! { <option value={f.name()}>{ f.label() }</option> }) }
                </select>
                <button class="icon-button" disabled={meta.live} onclick={ask.reform(|_| true)} aria-label={t!(delete_named, title)} title={t!(delete)}><Icon glyph={Glyph::Trash} /></button>
            </div>
            if !lost.is_empty() {
                <div class="notice" role="status">
                    <ul class="small">{ for lost.iter().map(|line| html! { <li>{ line }</li> }) }</ul>
                    <button class="icon-button" onclick={let lost = lost.clone(); move |_| lost.set(Vec::new())} aria-label={t!(dismiss)} title={t!(dismiss)}><Icon glyph={Glyph::Close} /></button>
                </div>
            }
            if *asking {
                <div class="confirm" role="group" aria-label={t!(delete_named, title)} onkeydown={escape}>
                    <p>{ t!(delete_sure) }</p>
                    <button id={keep_id} onclick={ask.reform(|_| false)}>{ t!(keep) }</button>
                    <button class="stop" onclick={delete}>{ t!(delete) }</button>
                </div>
            }
        </li>
    }
}
