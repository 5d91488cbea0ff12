//! What a person says of a step: its form, and how it shows.

use tracerule::trace::{Annotation, Param, Step, Variant, VariantKind};
use tracerule::wire::panel::Command;
use yew::prelude::*;

use crate::browser;
use crate::icon::{Glyph, Icon};
use crate::parts::{Problem, chosen, ticked, typed};
use crate::text::t;

/// A variant as it is typed.
#[derive(Clone, Debug, PartialEq)]
struct Draft {
    param: Param,
    kind: &'static str,
    /// The values, the pattern, or the lower end.
    one: String,
    /// The upper end.
    two: String,
}

const KINDS: [&str; 5] = ["any", "one_of", "pattern", "range", "date_in"];

impl Draft {
    fn of(variant: &Variant) -> Draft {
        let number = |n: &Option<f64>| n.map(|n| n.to_string()).unwrap_or_default();
        let (kind, one, two) = match &variant.kind {
            VariantKind::Any => ("any", String::new(), String::new()),
            VariantKind::OneOf { values } => ("one_of", values.join("; "), String::new()),
            VariantKind::Pattern { pattern } => ("pattern", pattern.clone(), String::new()),
            VariantKind::Range { min, max } => ("range", number(min), number(max)),
            VariantKind::DateIn { from, to } => ("date_in", from.clone(), to.clone()),
        };
        Draft { param: variant.param, kind, one, two }
    }

    fn variant(&self) -> Result<Variant, String> {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse::<f64>().map(Some).map_err(|_| t!(variant_no_number, text)),
        };
        let text = |text: &str| text.trim().to_owned();
        let kind = match self.kind {
            "one_of" => VariantKind::OneOf {
                values: self.one.split([';', '；']).map(text).filter(|value| !value.is_empty()).collect(),
            },
            "pattern" => VariantKind::Pattern { pattern: text(&self.one) },
            "range" => VariantKind::Range { min: number(&self.one)?, max: number(&self.two)? },
            "date_in" => VariantKind::DateIn { from: text(&self.one), to: text(&self.two) },
            _ => VariantKind::Any,
        };
        match kind.check() {
            Ok(()) => Ok(Variant { param: self.param, kind }),
            Err(tracerule::trace::VariantError::Empty) => Err(t!(variant_empty)),
            Err(tracerule::trace::VariantError::Reversed) => Err(t!(variant_reversed)),
            Err(tracerule::trace::VariantError::NoDate) => Err(t!(variant_no_date)),
        }
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct FormProps {
    pub(crate) step: std::rc::Rc<Step>,
    /// What it was opened for.
    pub(crate) command: Command,
    pub(crate) save: Callback<Annotation>,
    pub(crate) cancel: Callback<()>,
}

/// The form. Enter saves, Escape leaves things as they were.
#[function_component]
pub(crate) fn Form(props: &FormProps) -> Html {
    let now = props.step.annotation.as_deref().cloned().unwrap_or_default();
    let param = if props.step.key.is_some() { Param::Key } else { Param::Value };
    let fresh = Draft { param, kind: "one_of", one: String::new(), two: String::new() };
    let draft = use_state(|| now.clone());
    let variants = {
        let (now, fresh, adds) = (now.clone(), fresh.clone(), props.command == Command::AnnotateVariant);
        use_state(move || {
            let mut list: Vec<Draft> = now.variants.iter().map(Draft::of).collect();
            if adds {
                list.push(fresh);
            }
            list
        })
    };
    let problem = use_state(|| None::<String>);
    let seq = props.step.seq;
    let first = format!("intent-{seq}");
    use_effect_with((), {
        let (first, last) = (first.clone(), variants.len().checked_sub(1).map(|n| format!("variant-{seq}-{n}")));
        let adds = props.command == Command::AnnotateVariant;
        move |()| {
            // In the panel alone: the page keeps the window's focus.
            browser::focus(&last.filter(|_| adds).unwrap_or(first));
        }
    });
    let change = {
        let draft = draft.clone();
        Callback::from(move |next: Annotation| draft.set(next))
    };
    let set = {
        let variants = variants.clone();
        Callback::from(move |(at, next): (usize, Option<Draft>)| {
            let mut list = (*variants).clone();
            match next {
                Some(next) if at < list.len() => list[at] = next,
                Some(next) => list.push(next),
                None => drop(list.remove(at)),
            }
            variants.set(list);
        })
    };
    let submit = {
        let (draft, variants, problem, save) = (draft.clone(), variants.clone(), problem.clone(), props.save.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            match variants.iter().map(Draft::variant).collect::<Result<Vec<_>, _>>() {
                Ok(variants) => {
                    let intent = draft.intent.trim().to_owned();
                    save.emit(Annotation { intent, variants, ..(*draft).clone() });
                }
                Err(error) => problem.set(Some(error)),
            }
        })
    };
    let onkeydown = {
        let cancel = props.cancel.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.prevent_default();
                event.stop_propagation();
                cancel.emit(());
            }
        })
    };
    let tick = |label: String, hint: String, on: bool, make: fn(&mut Annotation, bool)| {
        let (change, draft) = (change.clone(), draft.clone());
        html! {
            <label class="switch" title={hint}>
                <input type="checkbox" checked={on} onchange={move |event: Event| {
                    let mut next = (*draft).clone();
                    make(&mut next, ticked(&event));
                    change.emit(next);
                }} />
                <span>{ label }</span>
            </label>
        }
    };
    html! {
        <form class="annotate" onsubmit={submit} {onkeydown} aria-label={t!(annotate_step, seq + 1)}>
            <Problem text={problem.as_ref().map(|text| AttrValue::from(text.clone()))} />
            <div class="field">
                <label for={first.clone()}>{ t!(intent) }</label>
                <input id={first} type="text" maxlength="500" autocomplete="off" placeholder={t!(intent_hint)} value={draft.intent.clone()}
                    oninput={let (change, draft) = (change.clone(), draft.clone()); move |event: InputEvent| change.emit(Annotation { intent: typed(&event), ..(*draft).clone() })} />
            </div>
            <div class="ticks">
                { tick(t!(key_node), t!(key_node_hint), draft.key_node, |a, on| a.key_node = on) }
                { tick(t!(forbidden), t!(forbidden_hint), draft.forbidden, |a, on| a.forbidden = on) }
            </div>
            <fieldset class="variants">
                <legend>{ t!(variants) }</legend>
                { for variants.iter().enumerate().map(|(at, draft)| html! {
                    <Row {seq} {at} draft={draft.clone()} set={set.clone()} />
                }) }
                <button type="button" class="link" onclick={let (set, count) = (set.clone(), variants.len()); move |_| set.emit((count, Some(fresh.clone())))}>{ t!(variant_add) }</button>
            </fieldset>
            <div class="buttons">
                <button class="primary" type="submit">{ t!(save) }</button>
                <button type="button" onclick={props.cancel.reform(|_| ())}>{ t!(cancel) }</button>
            </div>
        </form>
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    seq: u32,
    at: usize,
    draft: Draft,
    set: Callback<(usize, Option<Draft>)>,
}

/// One variant.
#[function_component]
fn Row(props: &RowProps) -> Html {
    let (at, draft, set) = (props.at, &props.draft, &props.set);
    let text = |second: bool, label: String| {
        let (set, draft) = (set.clone(), draft.clone());
        let value = if second { draft.two.clone() } else { draft.one.clone() };
        let oninput = move |event: InputEvent| {
            let text = typed(&event);
            let next = if second { Draft { two: text, ..draft.clone() } } else { Draft { one: text, ..draft.clone() } };
            set.emit((at, Some(next)));
        };
        html! { <input type="text" class="grow" autocomplete="off" aria-label={label.clone()} placeholder={label} {value} {oninput} /> }
    };
    let pick_param = {
        let (set, draft) = (set.clone(), draft.clone());
        move |event: Event| {
            let param = match chosen(&event).as_str() {
                "key" => Param::Key,
                "target" => Param::Target,
                _ => Param::Value,
            };
            set.emit((at, Some(Draft { param, ..draft.clone() })));
        }
    };
    let pick_kind = {
        let (set, draft) = (set.clone(), draft.clone());
        move |event: Event| {
            let name = chosen(&event);
            let kind = KINDS.into_iter().find(|kind| *kind == name).unwrap_or("any");
            set.emit((at, Some(Draft { kind, ..draft.clone() })));
        }
    };
    let param = |value: &'static str, is: Param, label: String| html! { <option {value} selected={draft.param == is}>{ label }</option> };
    html! {
        <div class="variant">
            <select aria-label={t!(variant_param)} onchange={pick_param}>
                { param("value", Param::Value, t!(param_value)) }
                { param("key", Param::Key, t!(param_key)) }
                { param("target", Param::Target, t!(param_target)) }
            </select>
            <select id={format!("variant-{}-{at}", props.seq)} aria-label={t!(variant_kind)} onchange={pick_kind}>
                { for KINDS.into_iter().map(|kind| html! { <option value={kind} selected={draft.kind == kind}>{ kind_name(kind) }</option> }) }
            </select>
            { match draft.kind {
                "one_of" => text(false, t!(variant_values)),
                "pattern" => text(false, t!(variant_pattern)),
                "range" => html! { <>{ text(false, t!(variant_min)) }{ text(true, t!(variant_max)) }</> },
                "date_in" => html! { <>{ text(false, t!(variant_from)) }{ text(true, t!(variant_to)) }</> },
                _ => Html::default(),
            } }
            <button type="button" class="icon-button" onclick={let set = set.clone(); move |_| set.emit((at, None))} aria-label={t!(variant_remove, at + 1)} title={t!(remove)}>
                <Icon glyph={Glyph::Trash} />
            </button>
        </div>
    }
}

fn kind_name(kind: &str) -> String {
    match kind {
        "one_of" => t!(kind_one_of),
        "pattern" => t!(kind_pattern),
        "range" => t!(kind_range),
        "date_in" => t!(kind_date_in),
        _ => t!(kind_any),
    }
}

/// A variant in words.
fn said(variant: &Variant) -> String {
    let param = match variant.param {
        Param::Value => t!(param_value),
        Param::Key => t!(param_key),
        Param::Target => t!(param_target),
    };
    let end = |n: &Option<f64>| n.map_or_else(|| "…".to_owned(), |n| n.to_string());
    let set = match &variant.kind {
        VariantKind::Any => t!(kind_any),
        VariantKind::OneOf { values } => values.join(" · "),
        VariantKind::Pattern { pattern } => pattern.clone(),
        VariantKind::Range { min, max } => format!("{} – {}", end(min), end(max)),
        VariantKind::DateIn { from, to } => format!("{from} – {to}"),
    };
    t!(variant_said, param, set)
}

#[derive(Properties, PartialEq)]
pub(crate) struct SaidProps {
    pub(crate) annotation: Annotation,
}

/// What was said of a step, below it.
#[function_component]
pub(crate) fn Said(props: &SaidProps) -> Html {
    let said_of = &props.annotation;
    html! {
        <span class="said">
            if !said_of.intent.is_empty() { <span class="intent">{ &said_of.intent }</span> }
            <span class="marks">
                if said_of.key_node { <span class="mark reference" title={t!(key_node_hint)}>{ t!(key_node) }</span> }
                if said_of.forbidden { <span class="mark bad" title={t!(forbidden_hint)}>{ t!(forbidden) }</span> }
                { for said_of.variants.iter().map(|variant| html! { <span class="mark plain">{ said(variant) }</span> }) }
            </span>
        </span>
    }
}
