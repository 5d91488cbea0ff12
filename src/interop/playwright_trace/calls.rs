//! Calls of Playwright's API as steps.

use serde_json::Value;

use crate::action::Action;
use crate::interop::dialog::{self, Answer};
use crate::interop::keys::{self, Chord};
use crate::interop::locator;
use crate::interop::{Loss, Severity, selector};
use crate::trace::{Assertion, AssertionKind, Button, Point, Step};

/// What a call is to a recording.
pub(super) enum Meaning {
    /// A step of that shape; the values are filled in.
    Step(Box<Step>),
    /// A goal.
    Goal(Box<Assertion>),
    /// A modifier went down or up.
    Held(crate::trace::Modifier, bool),
    /// A tab of its own.
    NewPage,
    /// Nothing that was done to a page.
    Nothing,
    /// Something done that no step says.
    Unknown,
}

/// What a call means. `step` is an empty step to be filled.
#[allow(clippy::too_many_lines)]
pub(super) fn meaning(class: &str, method: &str, params: &Value, mut step: Step, loss: &mut Loss) -> Meaning {
    let seq = step.seq;
    let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |name: &str| params.get(name).and_then(Value::as_f64);
    let point = |name: &str| {
        let at = params.get(name)?;
        Some(Point { x: at.get("x")?.as_f64()?, y: at.get("y")?.as_f64()? })
    };
    let button = match params.get("button").and_then(Value::as_str) {
        Some("right") => Button::Right,
        Some("middle") => Button::Middle,
        _ => Button::Left,
    };
    let modifiers: Vec<_> = params
        .get("modifiers")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|m| keys::modifier(m.as_str()?))
        .collect();
    if let Some(selector) = text("selector") {
        aim(&mut step, &selector, loss);
    }
    let count = params.get("clickCount").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    match (class, method) {
        ("Frame" | "ElementHandle" | "Page", "click" | "tap") => {
            step.action = if button == Button::Right { Action::Contextmenu } else { Action::Click };
            step.button = Some(button);
            step.count = (step.action == Action::Click).then(|| count.unwrap_or(1));
            step.modifiers = modifiers;
        }
        ("Frame" | "ElementHandle" | "Page", "dblclick") => {
            step.action = Action::Dblclick;
            step.button = Some(button);
            step.modifiers = modifiers;
        }
        ("Frame" | "ElementHandle" | "Page", "hover") => step.action = Action::Hover,
        ("Frame" | "ElementHandle" | "Page", "fill") => {
            step.action = Action::Fill;
            step.value = text("value");
        }
        ("Frame" | "ElementHandle" | "Page", "type") | ("Page", "keyboardType" | "keyboardInsertText") => {
            step.action = Action::Fill;
            step.value = text("text");
            if class == "Page" {
                let why = "the text went to whatever had the focus, which the trace does not name";
                loss.changed(Some(seq), "target", Severity::Minor, why);
            } else {
                let why = "the text was typed after what stood in the field";
                loss.changed(Some(seq), "value", Severity::Info, why);
            }
        }
        ("Frame" | "ElementHandle" | "Page", "press") | ("Page", "keyboardPress") => {
            step.action = Action::Press;
            let chord = Chord::from_playwright(&text("key").unwrap_or_default());
            step.key = Some(chord.name());
            step.modifiers = chord.modifiers;
        }
        ("Page", "keyboardDown" | "keyboardUp") => {
            let key = text("key").unwrap_or_default();
            if let Some(held) = keys::modifier(&key) {
                return Meaning::Held(held, method == "keyboardDown");
            }
            if method == "keyboardUp" {
                return Meaning::Nothing;
            }
            step.action = Action::Press;
            step.key = Some(Chord::from_playwright(&key).name());
        }
        ("Frame" | "ElementHandle" | "Page", "check") => step.action = Action::Check,
        ("Frame" | "ElementHandle" | "Page", "uncheck") => step.action = Action::Uncheck,
        ("Frame" | "ElementHandle" | "Page", "selectOption") => {
            step.action = Action::Select;
            let options = params.get("options").and_then(Value::as_array).into_iter().flatten();
            let mut by_value = false;
            step.values = options
                .filter_map(|option| {
                    let own = |name: &str| option.get(name).and_then(Value::as_str).map(str::to_owned);
                    own("label").or_else(|| own("valueOrLabel")).or_else(|| {
                        by_value = true;
                        own("value").or_else(|| option.get("index").map(Value::to_string))
                    })
                })
                .collect();
            if by_value {
                let why = "an option named by its value or place; steps name options by their labels";
                loss.changed(Some(seq), "values", Severity::Minor, why);
            }
            step.value = (!step.values.is_empty()).then(|| step.values.join(", "));
        }
        ("Frame" | "ElementHandle" | "Page", "setInputFiles" | "setInputFilePaths") => {
            step.action = Action::Upload;
            let name = |file: &Value| {
                let path = file.as_str().or_else(|| file.get("name").and_then(Value::as_str))?;
                path.rsplit(['/', '\\']).next().map(str::to_owned)
            };
            let list =
                ["localPaths", "payloads", "files", "streams"].iter().find_map(|key| params.get(*key)?.as_array());
            step.values = list.into_iter().flatten().filter_map(name).collect();
            step.value = Some(step.values.join(", "));
            loss.dropped(Some(seq), "files", Severity::Minor, "a step holds the files' names alone");
        }
        ("Frame" | "Page", "dragAndDrop") => {
            step.action = Action::Drag;
            step.button = Some(Button::Left);
            if let Some(source) = text("source") {
                aim(&mut step, &source, loss);
            }
            step.value = text("target");
            let why = "a step says where a drag ended by its place; the target's selector is its value";
            loss.changed(Some(seq), "target", Severity::Minor, why);
            step.to = point("targetPosition");
        }
        ("Frame" | "Page", "goto") => {
            step.action = Action::Goto;
            step.value = text("url");
        }
        ("Page", "goBack") => step.action = Action::Back,
        ("Page", "goForward") => step.action = Action::Forward,
        ("Page", "reload") => step.action = Action::Reload,
        ("Page", "bringToFront") => step.action = Action::TabSwitch,
        ("Page", "close") => step.action = Action::TabClose,
        ("BrowserContext", "newPage") => return Meaning::NewPage,
        ("Page", "mouseClick") => {
            step.action = if button == Button::Right { Action::Contextmenu } else { Action::Click };
            step.button = Some(button);
            step.count = (step.action == Action::Click).then(|| count.unwrap_or(1));
            if let (Some(x), Some(y)) = (number("x"), number("y")) {
                step.to = Some(Point { x, y });
                loss.changed(Some(seq), "target", Severity::Major, "a click at a place: the trace names no element");
            }
        }
        ("Page", "mouseWheel") => {
            step.action = Action::Scroll;
            let (x, y) = (number("deltaX").unwrap_or(0.0), number("deltaY").unwrap_or(0.0));
            step.to = Some(Point { x, y });
            loss.changed(Some(seq), "to", Severity::Minor, "the wheel's turn; a step says where a scroll ended");
        }
        ("Dialog", "accept" | "dismiss") => {
            let prompt = text("promptText").filter(|text| !text.is_empty());
            dialog::set(&mut step, if method == "accept" { Answer::Accept(prompt) } else { Answer::Dismiss });
        }
        ("Frame" | "Page" | "ElementHandle", "waitForSelector" | "waitForTimeout" | "waitForFunction")
        | ("Page", "waitForEvent" | "waitForEventInfo")
        | ("ElementHandle", "waitForElementState") => {
            step.action = Action::Wait;
            step.value = text("state").or_else(|| text("event"));
        }
        ("Frame", "expect") => return goal(params, step, loss),
        ("Page", "mouseMove" | "mouseDown" | "mouseUp") => return Meaning::Unknown,
        (
            "Frame" | "Page" | "ElementHandle" | "JSHandle" | "Worker",
            "evaluateExpression"
            | "evaluateExpressionHandle"
            | "evalOnSelector"
            | "evalOnSelectorAll"
            | "dispatchEvent"
            | "focus"
            | "blur"
            | "selectText"
            | "setContent"
            | "addScriptTag"
            | "addStyleTag",
        )
        | ("Page", "touchscreenTap") => return Meaning::Unknown,
        _ => return Meaning::Nothing,
    }
    Meaning::Step(Box::new(step))
}

/// Sets a step's target and frames by a selector.
fn aim(step: &mut Step, selector: &str, loss: &mut Loss) {
    let read = selector::read(selector);
    step.frame = read.frames;
    step.target = locator::target(read.target.as_slice());
    for part in &read.lost {
        let why = format!("no locator says {part}");
        loss.changed(Some(step.seq), "params.selector", Severity::Minor, why);
    }
    if step.target.is_none() {
        loss.dropped(Some(step.seq), "params.selector", Severity::Major, format!("no locator says {selector}"));
    }
}

/// An expectation as a goal.
fn goal(params: &Value, step: Step, loss: &mut Loss) -> Meaning {
    let expression = params.get("expression").and_then(Value::as_str).unwrap_or_default();
    let not = params.get("isNot").and_then(Value::as_bool).unwrap_or(false);
    let text = params.get("expectedText").and_then(Value::as_array).and_then(|all| match &all[..] {
        [one] => one.get("string").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    });
    let kind = match (expression, not) {
        ("to.have.text", false) => text.map(|text| (AssertionKind::Text, text)),
        ("to.have.value", false) => text.map(|text| (AssertionKind::Value, text)),
        ("to.have.url", false) => text.map(|text| (AssertionKind::Url, text)),
        ("to.be.visible", not) => Some((AssertionKind::Visible, (!not).to_string())),
        ("to.be.hidden", not) => Some((AssertionKind::Visible, not.to_string())),
        ("to.be.checked", not) => {
            let wanted =
                params.get("expectedValue").and_then(|v| v.get("checked")).and_then(Value::as_bool).unwrap_or(true);
            Some((AssertionKind::Checked, (wanted != not).to_string()))
        }
        ("to.have.count", false) => {
            params.get("expectedNumber").and_then(Value::as_u64).map(|n| (AssertionKind::Count, n.to_string()))
        }
        _ => None,
    };
    match kind {
        Some((AssertionKind::Url, expected)) => {
            Meaning::Goal(Box::new(Assertion { kind: AssertionKind::Url, target: None, frame: Vec::new(), expected }))
        }
        Some((kind, expected)) if step.target.is_some() => {
            Meaning::Goal(Box::new(Assertion { kind, target: step.target, frame: step.frame, expected }))
        }
        _ => {
            let why = format!("the expectation {expression:?} is no goal of ours");
            loss.dropped(Some(step.seq), "expect", Severity::Minor, why);
            Meaning::Nothing
        }
    }
}
