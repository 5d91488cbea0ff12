//! What is done to the page in the next recording.

use tracerule::perturb::PopupUnit;
use yew::prelude::*;

use crate::browser;
use crate::draft::{Draft, PRESETS, summary};
use crate::hub::Hub;
use crate::icon::{Glyph, Icon};
use crate::parts::{Problem, chosen, ticked, typed};
use crate::text::{get, t};

#[derive(Properties, PartialEq)]
pub(crate) struct PerturbProps {
    pub(crate) hub: Hub,
    pub(crate) draft: Draft,
    pub(crate) change: Callback<Draft>,
}

/// The tab.
#[function_component]
pub(crate) fn Perturb(props: &PerturbProps) -> Html {
    let draft = &props.draft;
    let status = &props.hub.model.status;
    // Makes a handler that changes one field.
    let set = |change: fn(&mut Draft, String)| {
        let (draft, emit) = (draft.clone(), props.change.clone());
        Callback::from(move |event: InputEvent| {
            let mut next = draft.clone();
            change(&mut next, typed(&event));
            emit.emit(next);
        })
    };
    let tick = |change: fn(&mut Draft, bool)| {
        let (draft, emit) = (draft.clone(), props.change.clone());
        Callback::from(move |event: Event| {
            let mut next = draft.clone();
            change(&mut next, ticked(&event));
            emit.emit(next);
        })
    };
    let pick_unit = {
        let (draft, emit) = (draft.clone(), props.change.clone());
        Callback::from(move |event: Event| {
            let unit = match chosen(&event).as_str() {
                "per_navigation" => PopupUnit::PerNavigation,
                "per_task" => PopupUnit::PerTask,
                _ => PopupUnit::PerStep,
            };
            emit.emit(Draft { unit, ..draft.clone() });
        })
    };
    let roll = {
        let (draft, emit) = (draft.clone(), props.change.clone());
        Callback::from(move |_: MouseEvent| {
            emit.emit(Draft { seed: browser::random_seed().to_string(), ..draft.clone() })
        })
    };
    let units = [
        (PopupUnit::PerStep, "per_step", t!(unit_step)),
        (PopupUnit::PerNavigation, "per_navigation", t!(unit_navigation)),
        (PopupUnit::PerTask, "per_task", t!(unit_task)),
    ];
    let wrong = draft.settings().err();

    html! {
        <section class="perturb" aria-label={t!(tab_perturb)}>
            <Problem text={wrong.map(AttrValue::from)} />
            if let (Some(_), Some(settings)) = (&status.session, &status.perturb) {
                <p class="notice"><Icon glyph={Glyph::Dice} /><span>{ t!(in_force, summary(settings)) }</span></p>
            }
            <p class="dim">{ t!(perturb_intro) }</p>
            <div class="segments presets" role="group" aria-label={t!(presets)}>
                { for PRESETS.into_iter().map(|(name, label)| {
                    let next = draft.with_preset(name);
                    let pressed = draft.preset() == Some(name);
                    html! { <button aria-pressed={pressed.to_string()} onclick={props.change.reform(move |_| next.clone())}>{ get(label, &[]) }</button> }
                }) }
            </div>
            <label class="switch">
                <input type="checkbox" checked={draft.on} onchange={tick(|draft, on| draft.on = on)} />
                <span>{ t!(perturb_on) }</span>
            </label>
            <fieldset disabled={!draft.on}>
                <legend>{ t!(perturb_what) }</legend>
                <div class="field">
                    <label for="jitter">{ t!(jitter) }</label>
                    <output for="jitter">{ t!(pixels, draft.jitter_px) }</output>
                    <input id="jitter" type="range" min="0" max="8" step="0.5" value={draft.jitter_px.to_string()}
                        oninput={set(|draft, text| draft.jitter_px = text.parse().unwrap_or(draft.jitter_px))} />
                </div>
                <label class="switch">
                    <input type="checkbox" checked={draft.colors} onchange={tick(|draft, on| draft.colors = on)} />
                    <span>{ t!(colors) }</span>
                </label>
                <div class="field">
                    <label for="popup">{ t!(popup) }</label>
                    <output for="popup">{ format!("{} %", draft.popup_percent) }</output>
                    <input id="popup" type="range" min="0" max="100" step="1" value={draft.popup_percent.to_string()}
                        oninput={set(|draft, text| draft.popup_percent = text.parse().unwrap_or(draft.popup_percent))} />
                </div>
                <div class="pair">
                    <div class="field">
                        <label for="unit">{ t!(popup_unit) }</label>
                        <select id="unit" onchange={pick_unit}>
                            { for units.into_iter().map(|(unit, value, name)| html! { <option {value} selected={draft.unit == unit}>{ name }</option> }) }
                        </select>
                    </div>
                    <div class="field">
                        <label for="cap">{ t!(popup_cap) }</label>
                        <input id="cap" type="number" min="0" max="99" step="1" inputmode="numeric" value={draft.cap.clone()} oninput={set(|draft, text| draft.cap = text)} />
                    </div>
                </div>
            </fieldset>
            <fieldset disabled={!draft.on}>
                <legend>{ t!(perturb_key) }</legend>
                <div class="field seed">
                    <label for="seed">{ t!(seed) }</label>
                    <input id="seed" type="text" inputmode="numeric" autocomplete="off" value={draft.seed.clone()} oninput={set(|draft, text| draft.seed = text)} />
                    <button class="icon-button" onclick={roll} aria-label={t!(roll)} title={t!(roll)}><Icon glyph={Glyph::Dice} /></button>
                </div>
                <div class="pair">
                    <div class="field">
                        <label for="task">{ t!(task) }</label>
                        <input id="task" type="text" autocomplete="off" value={draft.task.clone()} oninput={set(|draft, text| draft.task = text)} />
                    </div>
                    <div class="field">
                        <label for="run">{ t!(run_number) }</label>
                        <input id="run" type="number" min="0" step="1" inputmode="numeric" value={draft.run.clone()} oninput={set(|draft, text| draft.run = text)} />
                    </div>
                </div>
                <p class="dim small">{ t!(seed_hint) }</p>
            </fieldset>
        </section>
    }
}
