//! The record button and what belongs to it.

use tracerule::trace::{BlindFrame, Capture, FrameAccess, PictureFormat, Role};
use tracerule::wire::panel::Request;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

use crate::browser;
use crate::draft::{Draft, summary};
use crate::format;
use crate::hub::{Hub, Link};
use crate::icon::{Glyph, Icon};
use crate::parts::{Problem, chosen, clears, shown, typed};
use crate::text::{steps, t};

#[derive(Properties, PartialEq)]
pub(crate) struct RecordProps {
    pub(crate) hub: Hub,
    pub(crate) draft: Draft,
}

/// Starts, pauses, stops.
#[function_component]
pub(crate) fn Record(props: &RecordProps) -> Html {
    let role = use_state(|| Role::Reference);
    let title = use_state(String::new);
    let mask = use_state(String::new);
    let problem = use_state(|| None::<String>);
    let busy = use_state(|| false);
    let allowed = use_state(|| true);
    let watch = use_state(|| false);
    let capture = use_state(Capture::default);
    {
        let allowed = allowed.clone();
        use_effect_with((), move |()| {
            spawn_local(async move { allowed.set(browser::may_see_pages().await) });
        });
    }

    let ask = {
        let (hub, problem, busy) = (props.hub.clone(), problem.clone(), busy.clone());
        Callback::from(move |request: Request| {
            let (hub, problem, busy) = (hub.clone(), problem.clone(), busy.clone());
            problem.set(None);
            busy.set(true);
            spawn_local(async move {
                if let Err(error) = hub.ask(request).await {
                    problem.set(Some(error));
                }
                busy.set(false);
            });
        })
    };
    let start = {
        let (ask, problem, draft) = (ask.clone(), problem.clone(), props.draft.clone());
        let (role, title, mask, watch) = (*role, (*title).clone(), (*mask).clone(), *watch);
        let capture = (*capture).clone();
        Callback::from(move |_: MouseEvent| match draft.settings() {
            Ok(perturb) => {
                let title = title.trim().to_owned();
                let mask = Some(mask.trim().to_owned()).filter(|mask| !mask.is_empty()).into_iter().collect();
                ask.emit(Request::Start {
                    tab: None,
                    role,
                    title,
                    perturb,
                    mask,
                    grant: false,
                    watch,
                    capture: capture.clone(),
                });
            }
            Err(error) => problem.set(Some(t!(perturb_unusable, error))),
        })
    };
    let allow = {
        let (allowed, problem) = (allowed.clone(), problem.clone());
        Callback::from(move |_: MouseEvent| {
            // The browser answers only while this click is being handled.
            let asked = browser::ask_to_see_pages();
            let (allowed, problem) = (allowed.clone(), problem.clone());
            spawn_local(async move {
                match asked {
                    Ok(answer) => {
                        allowed.set(JsFuture::from(answer).await.ok().and_then(|yes| yes.as_bool()) == Some(true))
                    }
                    Err(error) => problem.set(Some(error)),
                }
            });
        })
    };

    let model = &props.hub.model;
    let status = &model.status;
    let live = status.session.is_some();
    let state = match (live, status.paused) {
        (false, _) => "idle",
        (true, false) => "recording",
        (true, true) => "paused",
    };
    let off = *busy || model.link != Link::Up;
    let choice = |which: Role, label: String, hint: String| {
        let pick = role.clone();
        html! {
            <label title={hint}>
                <input type="radio" name="role" checked={*role == which} onchange={move |_| pick.set(which)} />
                <span>{ label }</span>
            </label>
        }
    };

    html! {
        <section class={classes!("record", state)} aria-label={t!(record_section)}>
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            if !*allowed {
                <p class="notice">
                    <Icon glyph={Glyph::Eye} />
                    <span>{ t!(pages_not_allowed) }</span>
                    <button onclick={allow}>{ t!(allow_pages) }</button>
                </p>
            }
            if live {
                <div class="now">
                    <p class="state" role="status">
                        <span class="lamp" aria-hidden="true"></span>
                        <strong>{ if status.paused { t!(state_paused) } else if status.role == Some(Role::Run) { t!(state_run) } else { t!(state_reference) } }</strong>
                        <span class="dim">{ steps(model.steps.len()) }</span>
                    </p>
                    <p class="where" title={status.url.clone()}>
                        if !status.title.is_empty() { <span>{ &status.title }</span> }
                        <span class="dim">{ format::host(&status.url) }</span>
                    </p>
                    if status.documents > 0 || !status.blind.is_empty() {
                        <p class="frames small">
                            <span class="dim">{ t!(frames_recorded, status.documents) }</span>
                            if !status.blind.is_empty() {
                                <span class="mark warn" title={blind_frames(&status.blind)}>{ t!(frames_blind, status.blind.len()) }</span>
                            }
                        </p>
                    }
                    if let Some(settings) = &status.perturb {
                        <p class="dim small" title={summary(settings)}>{ t!(in_force, summary(settings)) }</p>
                    }
                </div>
                <div class="buttons">
                    if status.paused {
                        <button class="big" disabled={off} onclick={ask.reform(|_| Request::Resume)}><Icon glyph={Glyph::Resume} />{ t!(resume) }</button>
                    } else {
                        <button class="big" disabled={off} onclick={ask.reform(|_| Request::Pause)}><Icon glyph={Glyph::Pause} />{ t!(pause) }</button>
                    }
                    <button class="big stop" disabled={off} onclick={ask.reform(|_| Request::Stop)}><Icon glyph={Glyph::Stop} />{ t!(stop) }</button>
                </div>
            } else {
                <div class="setup">
                    <div class="segments" role="radiogroup" aria-label={t!(role_label)}>
                        { choice(Role::Reference, t!(role_reference), t!(role_reference_hint)) }
                        { choice(Role::Run, t!(role_run), t!(role_run_hint)) }
                    </div>
                    <input type="text" class="grow" aria-label={t!(name_label)} placeholder={t!(name_placeholder)} maxlength="200"
                        value={(*title).clone()} oninput={let title = title.clone(); move |event: InputEvent| title.set(typed(&event))} />
                    <input type="text" class="grow" aria-label={t!(mask_label)} placeholder={t!(mask_placeholder)} title={t!(mask_hint)} maxlength="1000"
                        value={(*mask).clone()} oninput={let mask = mask.clone(); move |event: InputEvent| mask.set(typed(&event))} />
                </div>
                if status.can_watch {
                    <label class="small" title={t!(watch_dialogs_hint)}>
                        <input type="checkbox" name="watch" checked={*watch} onchange={let watch = watch.clone(); move |_| watch.set(!*watch)} />
                        { " " }{ t!(watch_dialogs) }
                    </label>
                }
                <Pictures capture={capture.clone()} full_page={status.can_trust} />
                <button class="big record-button" disabled={off} onclick={start}>
                    <Icon glyph={Glyph::Record} />
                    { if *role == Role::Reference { t!(record_reference) } else { t!(record_run) } }
                </button>
                <p class="dim small">
                    if model.link == Link::Waking {
                        { t!(hub_waking) }
                    } else if props.draft.on {
                        { t!(will_perturb) }
                    } else {
                        { t!(will_not_perturb) }
                    }
                </p>
            }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct PicturesProps {
    capture: UseStateHandle<Capture>,
    /// Whole pages can be pictured in this browser.
    full_page: bool,
}

/// How pictures are taken, and what is waited for before them.
#[function_component]
fn Pictures(props: &PicturesProps) -> Html {
    let capture = &props.capture;
    let set = |change: fn(&mut Capture, String)| {
        let capture = capture.clone();
        move |text: String| {
            let mut now = (*capture).clone();
            change(&mut now, text);
            capture.set(now);
        }
    };
    let format = set(|capture, text| capture.picture = text.parse().unwrap_or_default());
    let quality = set(|capture, text| capture.quality = text.trim().parse().ok().map(|n: u8| n.clamp(1, 100)));
    let whole = set(|capture, _| capture.full_page = !capture.full_page);
    let element = set(|capture, text| capture.settle_for = Some(text).filter(|text| !text.trim().is_empty()));
    let option = |which: PictureFormat, value: &'static str, label: String| {
        html! { <option value={value} selected={capture.picture == which}>{ label }</option> }
    };
    html! {
        <details class="pictures-setup small">
            <summary>{ t!(pictures_section) }</summary>
            <div class="row">
                <select name="picture" aria-label={t!(picture_label)} onchange={move |event: Event| format(chosen(&event))}>
                    { option(PictureFormat::Webp, "webp", t!(picture_webp)) }
                    { option(PictureFormat::Jpeg, "jpeg", t!(picture_jpeg)) }
                </select>
                <input type="number" name="quality" min="1" max="100" aria-label={t!(quality_label)} title={t!(quality_label)}
                    value={capture.quality().to_string()} oninput={move |event: InputEvent| quality(typed(&event))} />
                if props.full_page {
                    <label title={t!(full_page_hint)}>
                        <input type="checkbox" name="full-page" checked={capture.full_page} onchange={move |_| whole(String::new())} />
                        { " " }{ t!(full_page) }
                    </label>
                }
            </div>
            <input type="text" class="grow" name="settle-for" aria-label={t!(settle_for_label)} placeholder={t!(settle_for_placeholder)} title={t!(settle_for_hint)} maxlength="500"
                value={capture.settle_for.clone().unwrap_or_default()} oninput={move |event: InputEvent| element(typed(&event))} />
        </details>
    }
}

/// The frames that are seen and not recorded, one a line.
fn blind_frames(frames: &[BlindFrame]) -> String {
    frames.iter().map(blind_frame).collect::<Vec<_>>().join("\n")
}

/// A frame that is seen and not recorded, and why.
pub(crate) fn blind_frame(frame: &BlindFrame) -> String {
    let why = match frame.access {
        FrameAccess::Forbidden => t!(blind_forbidden),
        FrameAccess::NoAccess | FrameAccess::Recording => t!(blind_no_access),
    };
    t!(frame_blind, frame.url, why)
}
