//! One step: a row, what is worth mending in it, what can be done with it, and its evidence when opened.

use std::rc::Rc;

use tracerule::edit::{Op, StepId};
use tracerule::lint::{Finding, Fix, Severity, words};
use tracerule::score::words::Lang;
use tracerule::trace::{Actor, Button, EditKind, Locator, Outcome, Screenshot, Step};
use tracerule::wire::panel::Command;
use yew::prelude::*;

use super::annotate::{Form, Said};
use super::editor::Deed;
use crate::browser;
use crate::format;
use crate::icon::{Glyph, Icon};
use crate::said;
use crate::shot::Shot;
use crate::text::t;

#[derive(Properties, PartialEq)]
pub(crate) struct RowProps {
    pub(crate) session: AttrValue,
    pub(crate) step: Rc<Step>,
    /// What it is called for edits; without it the row is only looked at.
    pub(crate) id: Option<StepId>,
    pub(crate) findings: Vec<Finding>,
    /// The names of the steps before and after it.
    pub(crate) around: (Option<StepId>, Option<StepId>),
    /// What moves it up by one: behind which step it goes. `None` at the front.
    pub(crate) up: Option<Option<StepId>>,
    /// The form is open, for this.
    pub(crate) annotating: Option<Command>,
    /// Something is dragged over it.
    pub(crate) over: bool,
    /// A piece is being recorded, so no other can be begun.
    pub(crate) busy: bool,
    /// What times count from, ms since the epoch.
    pub(crate) start_ms: f64,
    /// The one row that Tab stops at; arrow keys go on from there.
    pub(crate) reachable: bool,
    pub(crate) onfocus: Callback<()>,
    pub(crate) act: Callback<Deed>,
    /// Opens the form, or closes it.
    pub(crate) annotate: Callback<Option<Command>>,
    /// It is dragged, or lies under what is dragged, or that is dropped on it.
    pub(crate) drag: Callback<Drag>,
}

/// A part of a drag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drag {
    Start,
    Over,
    Drop,
    End,
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
    let told = |which: Drag| {
        let (drag, said) = (props.drag.clone(), format::sentence(step));
        Callback::from(move |event: DragEvent| {
            match which {
                Drag::Over | Drag::Drop => event.prevent_default(),
                // Firefox drags nothing that carries nothing.
                Drag::Start => {
                    if let Some(carried) = event.data_transfer() {
                        let _ = carried.set_data("text/plain", &said);
                    }
                }
                Drag::End => {}
            }
            drag.emit(which);
        })
    };
    let save = {
        let (act, annotate, id) = (props.act.clone(), props.annotate.clone(), props.id.clone());
        let head = format!("head-{}", step.seq);
        Callback::from(move |annotation| {
            if let Some(step) = id.clone() {
                act.emit(Deed::Edit(Op::Annotate { step, annotation }));
            }
            annotate.emit(None);
            browser::focus(&head);
        })
    };
    let cancel = {
        let (annotate, head) = (props.annotate.clone(), format!("head-{}", step.seq));
        Callback::from(move |()| {
            annotate.emit(None);
            browser::focus(&head);
        })
    };
    html! {
        <li class={classes!("step", open.then_some("open"), props.over.then_some("over"))} ondragover={told(Drag::Over)} ondrop={told(Drag::Drop)}>
            if props.id.is_some() {
                // Beside the button: Firefox drags none.
                <span class="grip" draggable="true" aria-hidden="true" title={t!(drag_step)} ondragstart={told(Drag::Start)} ondragend={told(Drag::End)}></span>
            }
            <button id={format!("head-{}", step.seq)} class="step-head" aria-expanded={open.to_string()} aria-controls={detail.clone()} onclick={toggle}
                aria-keyshortcuts={props.id.as_ref().map(|_| "Alt+ArrowUp Alt+ArrowDown Delete F2 F")}
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
                    if let Some(annotation) = &step.annotation {
                        <Said annotation={(**annotation).clone()} />
                    }
                    <Marks step={step.clone()} />
                </span>
                if let Some(shot) = shot {
                    <Shot session={props.session.clone()} blob={shot.blob.clone()} size={(0, 0)} />
                }
            </button>
            if !props.findings.is_empty() {
                <Findings list={props.findings.clone()} step={step.clone()} id={props.id.clone()} act={props.act.clone()} busy={props.busy} />
            }
            if let (Some(command), Some(_)) = (props.annotating, &props.id) {
                <Form step={step.clone()} {command} {save} {cancel} />
            }
            <div id={detail} hidden={!*open}>
                if *open {
                    if let Some(id) = &props.id {
                        <Tools id={id.clone()} step={step.clone()} around={props.around.clone()} up={props.up.clone()} busy={props.busy}
                            act={props.act.clone()} annotate={props.annotate.clone()} />
                    }
                    <Detail session={props.session.clone()} step={step.clone()} id={props.id.clone()} act={props.act.clone()} />
                }
            </div>
        </li>
    }
}

#[derive(Properties, PartialEq)]
struct FindingsProps {
    list: Vec<Finding>,
    step: Rc<Step>,
    id: Option<StepId>,
    act: Callback<Deed>,
    busy: bool,
}

/// What is worth mending in a step, each with the button that mends it.
#[function_component]
fn Findings(props: &FindingsProps) -> Html {
    let lang = Lang::from_tag(&browser::language());
    // The finding whose value would be masked for good, once the person is asked.
    let asking = use_state(|| false);
    let keep = format!("keep-{}", props.step.seq);
    use_effect_with(*asking, {
        let keep = keep.clone();
        move |asking| {
            if *asking {
                browser::focus(&keep);
            }
        }
    });
    let mend = {
        let (act, id, step, asking) = (props.act.clone(), props.id.clone(), props.step.clone(), asking.clone());
        Callback::from(move |(finding, fix, sure): (Finding, Fix, bool)| {
            let Some(id) = &id else { return };
            let ask = fix == Fix::Mask && !sure;
            asking.set(ask);
            if !ask {
                act.emit(Deed::of(&fix, &finding, id, &step));
            }
        })
    };
    html! {
        <ul class="findings" aria-label={t!(findings_of, props.step.seq + 1)}>
            { for props.list.iter().map(|finding| html! {
                <li class={classes!("finding", class(finding.severity))}>
                    <p><Icon glyph={Glyph::Warning} /><span><b>{ words::severity(lang, finding.severity) }</b>{ " " }{ said::finding(lang, finding) }</span></p>
                    if props.id.is_some() {
                        <span class="fixes">
                            { for finding.fixes.iter().enumerate().map(|(at, fix)| {
                                let (mend, what) = (mend.clone(), (finding.clone(), fix.clone(), false));
                                let begins = matches!(fix, Fix::Rerecord | Fix::InsertHere);
                                html! {
                                    <button class={if at == 0 { "fix" } else { "link" }} disabled={props.busy && begins}
                                        onclick={move |_| mend.emit(what.clone())}>{ words::fix(lang, fix) }</button>
                                }
                            }) }
                        </span>
                    }
                    if *asking && finding.fixes.contains(&Fix::Mask) {
                        <div class="confirm" role="group" aria-label={t!(mask_sure_label)}>
                            <p>{ t!(mask_sure) }</p>
                            <button id={keep.clone()} onclick={let asking = asking.clone(); move |_| asking.set(false)}>{ t!(keep) }</button>
                            <button class="stop" onclick={let (mend, what) = (mend.clone(), (finding.clone(), Fix::Mask, true)); move |_| mend.emit(what.clone())}>{ t!(mask) }</button>
                        </div>
                    }
                </li>
            }) }
        </ul>
    }
}

/// The class of a severity.
pub(crate) fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "bad",
        Severity::Warning => "warn",
        Severity::Info => "plain",
    }
}

#[derive(Properties, PartialEq)]
struct ToolsProps {
    id: StepId,
    step: Rc<Step>,
    around: (Option<StepId>, Option<StepId>),
    up: Option<Option<StepId>>,
    busy: bool,
    act: Callback<Deed>,
    annotate: Callback<Option<Command>>,
}

/// What can be done with a step.
#[function_component]
fn Tools(props: &ToolsProps) -> Html {
    let n = props.step.seq + 1;
    let (id, act) = (&props.id, &props.act);
    let deed = |deed: Deed| act.reform(move |_: MouseEvent| deed.clone());
    let shift = |after: Option<StepId>| deed(Deed::Edit(Op::Move { step: id.clone(), after }));
    let secret = !props.step.secret && (props.step.value.is_some() || !props.step.values.is_empty());
    let sure = use_state(|| false);
    html! {
        <div class="tools" role="toolbar" aria-label={t!(tools_of, n)}>
            <button class="icon-button" disabled={props.up.is_none()} onclick={shift(props.up.clone().flatten())} aria-label={t!(move_up, n)} title={t!(move_up, n)}><Icon glyph={Glyph::Higher} /></button>
            <button class="icon-button" disabled={props.around.1.is_none()} onclick={shift(props.around.1.clone())} aria-label={t!(move_down, n)} title={t!(move_down, n)}><Icon glyph={Glyph::Down} /></button>
            <button onclick={props.annotate.reform(|_| Some(Command::AnnotateIntent))}><Icon glyph={Glyph::Pencil} />{ t!(annotate) }</button>
            <button disabled={props.busy} onclick={deed(Deed::Insert(Some(id.clone())))} title={t!(insert_hint)}><Icon glyph={Glyph::Record} />{ t!(insert_after) }</button>
            if props.around.0.is_none() {
                <button disabled={props.busy} onclick={deed(Deed::Insert(None))} title={t!(insert_hint)}><Icon glyph={Glyph::Record} />{ t!(insert_before) }</button>
            }
            <button disabled={props.busy} onclick={deed(Deed::Rerecord(id.clone()))} title={t!(rerecord_hint)}><Icon glyph={Glyph::Reload} />{ t!(rerecord) }</button>
            if secret && !*sure {
                <button onclick={let sure = sure.clone(); move |_| sure.set(true)}><Icon glyph={Glyph::Lock} />{ t!(mask) }</button>
            }
            <button class="stop" onclick={deed(Deed::Edit(Op::Delete { step: id.clone() }))}><Icon glyph={Glyph::Trash} />{ t!(delete_step) }</button>
            if secret && *sure {
                <div class="confirm" role="group" aria-label={t!(mask_sure_label)}>
                    <p>{ t!(mask_sure) }</p>
                    <button onclick={let sure = sure.clone(); move |_| sure.set(false)}>{ t!(keep) }</button>
                    <button class="stop" onclick={deed(Deed::Edit(Op::Mask { step: id.clone() }))}>{ t!(mask) }</button>
                </div>
            }
        </div>
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
    for kind in step.edits() {
        let word = match kind {
            EditKind::Inserted => t!(mark_inserted),
            EditKind::Replaced => t!(mark_replaced),
            EditKind::Moved => t!(mark_moved),
            EditKind::Locator => t!(mark_locator),
            EditKind::Masked => t!(mark_masked),
            // It shows what was said.
            EditKind::Annotated => continue,
        };
        marks.push(("edited", word, t!(mark_edited_hint)));
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
    id: Option<StepId>,
    act: Callback<Deed>,
}

/// How a picture was taken.
fn taken(shot: &Screenshot) -> String {
    let mut parts = vec![format!("{} × {} px", shot.width, shot.height)];
    parts.extend(shot.full_page.then(|| t!(shot_full_page)));
    parts.extend(shot.age_ms.map(|age| t!(shot_age, age.round())));
    parts.join(" · ")
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
                    <figcaption title={taken(shot)}>{ caption }{ if shot.stale { format!(" · {}", t!(mark_stale)) } else { String::new() } }</figcaption>
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
                <Locators list={target.locators.clone()} id={props.id.clone()} act={props.act.clone()} />
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
    id: Option<StepId>,
    act: Callback<Deed>,
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
                { for props.list.iter().enumerate().map(|(at, locator)| html! {
                    <tr>
                        <td>
                            <code>{ &locator.value }</code>
                            if let (Some(step), 1.., 1) = (&props.id, at, locator.matches) {
                                <button class="link" aria-label={t!(use_locator_named, locator.value)}
                                    onclick={props.act.reform({ let op = Op::Locator { step: step.clone(), locator: locator.value.clone() }; move |_| Deed::Edit(op.clone()) })}>{ t!(use_locator) }</button>
                            }
                            { for locator.volatile.iter().map(|why| html! { <span class="mark warn">{ format::volatility(*why) }</span> }) }
                        </td>
                        <td class={classes!("num", (locator.matches != 1).then_some("many"))}>{ locator.matches }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}
