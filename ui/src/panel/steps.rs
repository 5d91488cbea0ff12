//! The list of steps, as they are made.

use std::rc::Rc;

use gloo::render::request_animation_frame;
use tracerule::trace::Step;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::Tab;
use super::step::Row;
use crate::format;
use crate::hub::Hub;
use crate::icon::{Glyph, Icon};
use crate::kept;
use crate::parts::{Problem, clears, shown};
use crate::text::{steps, t};

/// How near the end counts as the end, in CSS px.
const NEAR_END: i32 = 24;

#[derive(Properties, PartialEq)]
pub(crate) struct StepsProps {
    pub(crate) hub: Hub,
    pub(crate) go: Callback<Tab>,
}

/// The tab.
#[function_component]
pub(crate) fn Steps(props: &StepsProps) -> Html {
    let model = &props.hub.model;
    let session = model.status.session.clone().or_else(|| model.finished.as_ref().map(|ended| ended.session.clone()));
    let started = use_state(|| None::<f64>);
    {
        let started = started.clone();
        use_effect_with(session.clone(), move |session| {
            started.set(None);
            if let Some(session) = session.clone() {
                spawn_local(async move {
                    started.set(kept::session(&session).await.ok().map(|meta| meta.header.started_ms));
                });
            }
        });
    }
    let list = model.steps.clone();
    let start_ms = started.or_else(|| list.first().map(|step| step.t_ms)).unwrap_or_default();

    html! {
        <section class="steps" aria-label={t!(tab_steps)}>
            if let (Some(ended), None) = (&model.finished, &model.status.session) {
                <Saved session={ended.session.clone()} title={ended.title.clone()} count={list.len()} go={props.go.clone()} />
            }
            if list.is_empty() {
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
                <List session={session.unwrap_or_default()} {list} {start_ms} />
            }
            <Coverage missed={model.status.coverage.clone()} />
        </section>
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
                if let Err(error) = kept::export(&session).await {
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
    session: AttrValue,
    list: Rc<Vec<Rc<Step>>>,
    start_ms: f64,
}

/// Follows the newest step until the person scrolls away from the end.
#[function_component]
fn List(props: &ListProps) -> Html {
    let place = use_node_ref();
    let follows = use_state(|| true);
    // Where the view was, to tell the person's scrolling up from the list's growing.
    let top = use_mut_ref(|| 0);
    let current = use_state(|| 0_usize);
    let count = props.list.len();
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
        Callback::from(move |event: KeyboardEvent| {
            let last = count.saturating_sub(1);
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
    let latest = props.list.last().map(|step| format::sentence(step)).unwrap_or_default();
    let at = (*current).min(count.saturating_sub(1));

    html! {
        <>
            <p class="unseen" role="status" aria-live="polite">{ latest }</p>
            <ol class="step-list" ref={place} {onscroll} {onkeydown} tabindex="-1">
                { for props.list.iter().enumerate().map(|(index, step)| html! {
                    <Row key={step.seq} session={props.session.clone()} step={step.clone()} start_ms={props.start_ms}
                        reachable={index == at} onfocus={onfocus.reform(move |()| index)} />
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
    missed: Vec<String>,
}

/// What could not be recorded; never hidden.
#[function_component]
fn Coverage(props: &CoverageProps) -> Html {
    let count = props.missed.len();
    if count == 0 {
        return html! {};
    }
    html! {
        <details class="coverage">
            <summary><Icon glyph={Glyph::Warning} /><span>{ if count == 1 { t!(coverage_one) } else { t!(coverage_other, count) } }</span></summary>
            <ul>{ for props.missed.iter().map(|text| html! { <li>{ text }</li> }) }</ul>
        </details>
    }
}
