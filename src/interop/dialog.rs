//! How dialogs are answered, in steps and in other tools' words.

use crate::action::Action;
use crate::trace::{Dialog, DialogKind, Step};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// OK, Leave; with the text typed into a prompt.
    Accept(Option<String>),
    /// Cancel, Stay.
    Dismiss,
}

/// The answer that a step gives; accepted where it is not known.
pub(super) fn of(step: &Step) -> Answer {
    let text = step.dialog.as_ref().and_then(|d| d.text.clone()).or_else(|| step.value.clone());
    match step.dialog.as_ref().and_then(|d| d.accepted) {
        Some(false) => Answer::Dismiss,
        _ => Answer::Accept(text.filter(|text| !text.is_empty())),
    }
}

/// Makes a step one that gives this answer.
pub(super) fn set(step: &mut Step, answer: Answer) {
    let (accepted, text) = match answer {
        Answer::Accept(text) => (true, text),
        Answer::Dismiss => (false, None),
    };
    let kind = if text.is_some() { DialogKind::Prompt } else { DialogKind::Unknown };
    step.action = Action::Dialog;
    step.value.clone_from(&text);
    step.dialog = Some(Dialog { kind, message: String::new(), accepted: Some(accepted), text });
}
