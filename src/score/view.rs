//! A step as the ruler sees it, from a trace or from a list, and how two of them relate.

use serde::{Deserialize, Serialize};

use super::cost;
use crate::action::Action;
use crate::reference::{ListStep, Subject};
use crate::trace::{LocatorKind, Step, Target, Volatility};

/// How a step of a run relates to the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Same action, same target, same value.
    Same,
    /// Same action and target, another value.
    OtherValue,
    /// Another key pressed.
    OtherKey,
    /// Same action on another target.
    OtherTarget,
    /// Another action.
    OtherAction,
    /// In the reference, not in the run.
    Missing,
    /// In the run, not in the reference.
    Extra,
    /// In the run, answering a perturbation: not compared.
    Handled,
    /// Serving another step (a click into the field that is then filled): folded into it, not compared.
    Folded,
}

/// What a step was aimed at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim<'a> {
    /// Not told: fits everything.
    Untold,
    /// A name in a list.
    Named(&'a str),
    /// An element of a trace.
    Element { frame: &'a [String], target: &'a Target },
}

/// A step as the ruler sees it.
#[derive(Clone, Debug)]
pub(crate) struct View<'a> {
    /// What the published formula sees.
    pub symbol: &'a str,
    /// The action's own name.
    pub action: &'a str,
    /// The action, when it is in the vocabulary.
    pub known: Option<Action>,
    pub aim: Aim<'a>,
    pub value: Option<&'a str>,
    pub values: &'a [String],
    pub key: Option<&'a str>,
    pub secret: bool,
    /// The whole step, when it comes from a trace.
    pub step: Option<&'a Step>,
}

/// How a dialog was answered, as a value: accepting is not dismissing.
fn answer(step: &Step) -> Option<&'static str> {
    let accepted = step.dialog.as_ref()?.accepted?;
    Some(if accepted { "accept" } else { "dismiss" })
}

impl<'a> View<'a> {
    /// All steps of a subject, in order.
    pub fn of(subject: &'a Subject) -> Vec<View<'a>> {
        match subject {
            Subject::Trace(trace) => trace.steps().map(View::step).collect(),
            Subject::List(list) => list.steps.iter().map(View::listed).collect(),
        }
    }

    pub fn step(step: &'a Step) -> Self {
        let action = step.action.name();
        let aim = match &step.target {
            Some(target) => Aim::Element { frame: &step.frame, target },
            None => Aim::Untold,
        };
        View {
            aim,
            value: step.value.as_deref().or_else(|| answer(step)),
            values: &step.values,
            key: step.key.as_deref(),
            secret: step.secret,
            step: Some(step),
            ..View::bare(action)
        }
    }

    pub fn listed(step: &'a ListStep) -> Self {
        View {
            aim: step.target.as_deref().map_or(Aim::Untold, Aim::Named),
            value: step.value.as_deref(),
            key: step.key.as_deref(),
            ..View::bare(&step.action)
        }
    }

    /// A step of which the name alone is known.
    pub fn bare(action: &'a str) -> Self {
        View {
            symbol: cost::symbol(action),
            action,
            known: Action::from_name(action),
            aim: Aim::Untold,
            value: None,
            values: &[],
            key: None,
            secret: false,
            step: None,
        }
    }

    /// Waiting, scrolling and resting the pointer change nothing and are nobody's fault.
    pub fn is_passive(&self) -> bool {
        self.known.is_some_and(Action::is_passive)
    }

    /// The perturbation it answers.
    pub fn handles(&self) -> Option<&'a str> {
        self.step.and_then(|step| step.perturbation.as_deref())
    }

    /// How `run` relates to `self`, a step of the reference.
    pub fn relation(&self, run: &View<'_>) -> Relation {
        if self.symbol != run.symbol {
            return Relation::OtherAction;
        }
        if !same_aim(self.aim, run.aim) {
            return Relation::OtherTarget;
        }
        if differ(self.key, run.key) {
            return Relation::OtherKey;
        }
        if self.action != run.action {
            return Relation::OtherAction;
        }
        if !self.is_passive() && !self.same_value(run) {
            return Relation::OtherValue;
        }
        Relation::Same
    }

    fn same_value(&self, run: &View<'_>) -> bool {
        if self.secret || run.secret {
            // Masks say nothing about what they hide, unless both were sealed with the same salt.
            let sealed = |view: &View<'a>| view.step.and_then(|step| step.secret_value.as_ref());
            let of_run = run.step.and_then(|step| step.secret_value.as_ref());
            return sealed(self).zip(of_run).is_none_or(|(a, b)| a.may_equal(b));
        }
        if !self.values.is_empty() && !run.values.is_empty() {
            return self.values == run.values;
        }
        match (self.value, run.value) {
            (Some(a), Some(b)) if self.known == Some(Action::Goto) => a == b || same_local_page(a, b),
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }
}

/// Told on both sides and not equal.
fn differ(a: Option<&str>, b: Option<&str>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

/// An app served on the loopback is the same app on another port.
fn same_local_page(a: &str, b: &str) -> bool {
    fn local_path(url: &str) -> Option<&str> {
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        matches!(host, "127.0.0.1" | "localhost" | "[::1]").then_some(if path.is_empty() { "/" } else { path })
    }
    matches!((local_path(a), local_path(b)), (Some(a), Some(b)) if a == b)
}

pub(super) fn same_aim(a: Aim<'_>, b: Aim<'_>) -> bool {
    match (a, b) {
        (Aim::Untold, _) | (_, Aim::Untold) => true,
        (Aim::Named(a), Aim::Named(b)) => a == b,
        (Aim::Named(name), Aim::Element { target, .. }) | (Aim::Element { target, .. }, Aim::Named(name)) => {
            target.name == name || target.locators.iter().any(|locator| locator.value == name)
        }
        (Aim::Element { frame: f, target: a }, Aim::Element { frame: g, target: b }) => f == g && same_element(a, b),
    }
}

/// Same role and name, or a shared locator that was unique both times. Position alone is no evidence across
/// pages (the "Next" of one page stands where "Submit" stands on another); it only tells like-named apart.
fn same_element(a: &Target, b: &Target) -> bool {
    let shared = |lasting: bool| {
        a.locators.iter().any(|x| {
            b.locators.iter().any(|y| {
                x.value == y.value
                    && x.matches == 1
                    && y.matches == 1
                    && !(lasting && (x.kind == LocatorKind::Path || x.volatile.contains(&Volatility::Position)))
            })
        })
    };
    if shared(true) {
        return true;
    }
    if (a.role.as_str(), a.name.as_str()) != (b.role.as_str(), b.name.as_str()) {
        return false;
    }
    let several = |target: &Target| target.locators.iter().any(|l| l.kind == LocatorKind::Role && l.matches > 1);
    if a.name.is_empty() || (several(a) && several(b)) {
        return shared(false) || (!a.dom_path.is_empty() && a.dom_path == b.dom_path);
    }
    true
}
