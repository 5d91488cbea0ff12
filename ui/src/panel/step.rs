//! One step: a row, and its evidence when opened.

use std::rc::Rc;

use tracerule::trace::{Actor, Button, Locator, Outcome, Screenshot, Step};
use yew::prelude::*;

use crate::format;
use crate::icon::{Glyph, Icon};
use crate::shot::Shot;
use crate::text::t;

#[derive(Properties, PartialEq)]
pub(crate) struct RowProps {
    pub(crate) session: AttrValue,
    pub(crate) step: Rc<Step>,
    /// What times count from, ms since the epoch.
    pub(crate) start_ms: f64,
    /// The one row that Tab stops at; arrow keys go on from there.
    pub(crate) reachable: bool,
    pub(crate) onfocus: Callback<()>,
}

/// A row.
#[function_component]
pub(crate) fn Row(props: &RowProps) -> Html {
    let open = use_state(|| false);
    let step = &props.step;
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let shot = step.post.screenshot.as_ref().or(step.pre.screenshot.as_ref());
    let value = format::value(step);
    let target = format::target(step);
    let detail = format!("step-{}", step.seq);
    html! {
        <li class={classes!("step", open.then_some("open"))}>
            <button class="step-head" aria-expanded={open.to_string()} aria-controls={detail.clone()} onclick={toggle}
                tabindex={if props.reachable { "0" } else { "-1" }} onfocus={props.onfocus.reform(|_| ())}>
                <span class="tick"><span class="seq">{ step.seq + 1 }</span><time>{ format::offset(step.t_ms - props.start_ms) }</time></span>
                <Icon glyph={Glyph::of(step.action)} class="verb" />
                <span class="what">
                    <span class="line"><b>{ format::action(step.action) }</b>{ " " }<span>{ target }</span></span>
                    if let Some(value) = value {
                        <span class="value">
                            if step.secret { <Icon glyph={Glyph::Lock} /> }
                            { value }
                        </span>
                    }
                    <Marks step={step.clone()} />
                </span>
                if let Some(shot) = shot {
                    <Shot session={props.session.clone()} blob={shot.blob.clone()} size={(0, 0)} />
                }
            </button>
            <div id={detail} hidden={!*open}>
                if *open {
                    <Detail session={props.session.clone()} step={step.clone()} />
                }
            </div>
        </li>
    }
}

#[derive(Properties, PartialEq)]
struct MarksProps {
    step: Rc<Step>,
}

/// What sets a step apart.
#[function_component]
fn Marks(props: &MarksProps) -> Html {
    let step = &props.step;
    let mut marks = Vec::new();
    if let Some(why) = format::failure(&step.outcome) {
        marks.push(("bad", why, t!(mark_failed_hint)));
    }
    if step.outcome == Outcome::NoEffect {
        marks.push(("warn", t!(mark_no_effect), t!(mark_no_effect_hint)));
    }
    if step.actor == Actor::Agent {
        marks.push(("agent", t!(mark_agent), t!(mark_agent_hint)));
    }
    if !step.trusted {
        marks.push(("warn", t!(mark_untrusted), t!(mark_untrusted_hint)));
    }
    if step.secret {
        marks.push(("plain", t!(mark_secret), t!(mark_secret_hint)));
    }
    if step.perturbation.is_some() {
        marks.push(("perturb", t!(mark_perturbed), t!(mark_perturbed_hint)));
    }
    if [&step.pre, &step.post].iter().any(|state| state.screenshot.as_ref().is_some_and(|shot| shot.stale)) {
        marks.push(("plain", t!(mark_stale), t!(mark_stale_hint)));
    }
    if !step.frame.is_empty() {
        marks.push(("plain", t!(mark_frame), step.frame.join(" >> ")));
    }
    if step.tab > 0 {
        marks.push(("plain", t!(mark_tab, step.tab + 1), String::new()));
    }
    if marks.is_empty() {
        return html! {};
    }
    html! {
        <span class="marks">
            { for marks.into_iter().map(|(class, word, hint)| html! { <span class={classes!("mark", class)} title={hint}>{ word }</span> }) }
        </span>
    }
}

#[derive(Properties, PartialEq)]
struct DetailProps {
    session: AttrValue,
    step: Rc<Step>,
}

/// A step's evidence.
#[function_component]
fn Detail(props: &DetailProps) -> Html {
    let step = &props.step;
    let picture = |shot: &Option<Screenshot>, caption: String| {
        shot.as_ref().map_or_else(Html::default, |shot| {
            html! {
                <figure>
                    <Shot session={props.session.clone()} blob={shot.blob.clone()} size={(shot.width, shot.height)} alt={caption.clone()} />
                    <figcaption>{ caption }{ if shot.stale { format!(" · {}", t!(mark_stale)) } else { String::new() } }</figcaption>
                </figure>
            }
        })
    };
    let row = |label: String, value: Html| html! { <><dt>{ label }</dt><dd>{ value }</dd></> };
    let text = |value: String| html! { { value } };
    html! {
        <div class="detail">
            if step.pre.screenshot.is_some() || step.post.screenshot.is_some() {
                <div class="pictures">
                    { picture(&step.pre.screenshot, t!(before)) }
                    { picture(&step.post.screenshot, t!(after)) }
                </div>
            }
            if let Some(target) = &step.target {
                <Locators list={target.locators.clone()} />
            }
            <dl>
                { row(t!(detail_address), html! { <code>{ &step.url }</code> }) }
                if !step.frame.is_empty() {
                    { row(t!(detail_frame), html! { <code>{ step.frame.join(" >> ") }</code> }) }
                }
                if let Some(target) = &step.target {
                    if !target.dom_path.is_empty() {
                        { row(t!(detail_path), html! { <code>{ &target.dom_path }</code> }) }
                    }
                    if let Some(rect) = target.rect {
                        { row(t!(detail_box), text(format!("{:.0} × {:.0} @ {:.0}, {:.0}", rect.width, rect.height, rect.x, rect.y))) }
                    }
                }
                if let Some(button) = step.button.filter(|button| *button != Button::Left) {
                    { row(t!(detail_button), text(format::button(button))) }
                }
                if !step.modifiers.is_empty() {
                    { row(t!(detail_modifiers), text(step.modifiers.iter().map(|key| format!("{key:?}")).collect::<Vec<_>>().join(" + "))) }
                }
                if let Some(dom) = &step.dom {
                    { row(t!(detail_dom), text(t!(dom_diff, dom.added, dom.removed, dom.moved, dom.attributes, dom.text, dom.values, dom.nodes_before, dom.nodes_after))) }
                }
                if let Some(settle) = &step.settle {
                    { row(t!(detail_settle), text(t!(reason_detail, format::duration(settle.ms), format::settle_end(settle.ended_by)))) }
                }
                if let (Some(before), Some(after)) = (&step.pre.state_hash, &step.post.state_hash) {
                    { row(t!(detail_state), if before == after {
                        html! { <><code>{ before }</code>{ " " }{ t!(state_same) }</> }
                    } else {
                        html! { <code>{ format!("{before} → {after}") }</code> }
                    }) }
                }
                { row(t!(detail_took), text(format::duration(step.elapsed_ms))) }
                if let Some(why) = format::failure(&step.outcome) {
                    { row(t!(detail_failed), text(why)) }
                }
            </dl>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct LocatorsProps {
    list: Vec<Locator>,
}

/// Ways to find the element again, best first.
#[function_component]
fn Locators(props: &LocatorsProps) -> Html {
    if props.list.is_empty() {
        return html! { <p class="dim small">{ t!(locators_none) }</p> };
    }
    html! {
        <table class="locators">
            <thead><tr><th scope="col">{ t!(locator) }</th><th scope="col" class="num">{ t!(matches) }</th></tr></thead>
            <tbody>
                { for props.list.iter().map(|locator| html! {
                    <tr>
                        <td>
                            <code>{ &locator.value }</code>
                            { for locator.volatile.iter().map(|why| html! { <span class="mark warn">{ format::volatility(*why) }</span> }) }
                        </td>
                        <td class={classes!("num", (locator.matches != 1).then_some("many"))}>{ locator.matches }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}
