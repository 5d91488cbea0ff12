//! What `playwright codegen --target jsonl` writes: the options on the first line, then one action a line, as
//! `{"name": "click", "selector": …, "modifiers": bits, "signals": […], "pageGuid": …}`.
//!
//! Unknown fields of an action are passed over by Playwright, so each of ours carries the whole step in `tracerule`.

use serde_json::{Map, Value, json};

use super::build::{self, Draft};
use super::keys::Chord;
use super::locator::{self, Loc};
use super::pages::Pages;
use super::{Error, Format, Loss, Options, Severity, carry, secret, selector};
use crate::action::Action;
use crate::trace::{Assertion, AssertionKind, Button, MASK, Modifier, Role, Step, Target, Trace};

const FORMAT: Format = Format::PlaywrightCodegen;

/// Fields of a step that an action holds.
const KEPT: [&str; 10] =
    ["value", "values", "key", "button", "count", "modifiers", "frame", "tab", "target.role", "target.name"];

/// Modifiers by their bits.
const BITS: [(u64, Modifier); 4] =
    [(1, Modifier::Alt), (2, Modifier::Control), (4, Modifier::Meta), (8, Modifier::Shift)];

/// Fields of actions that are understood.
const KNOWN: [&str; 20] = [
    "name",
    "selector",
    "signals",
    "pageGuid",
    "pageAlias",
    "framePath",
    "locator",
    "button",
    "modifiers",
    "clickCount",
    "position",
    "text",
    "key",
    "options",
    "files",
    "url",
    "value",
    "checked",
    "substring",
    "tracerule",
];

/// Writes the lines.
pub(super) fn export(trace: &Trace, options: &Options, loss: &mut Loss) -> Result<Vec<u8>, Error> {
    let pages = Pages::of(trace);
    carry::rest(trace, &["header.url", "header.viewport", "header.assertions"], options.plain, loss);
    let mut head = json!({"browserName": "chromium", "launchOptions": {}, "contextOptions": {}});
    if let Some(viewport) = trace.header.viewport {
        head["contextOptions"]["viewport"] = json!({"width": viewport.width, "height": viewport.height});
    }
    // What a file of this format said counts more.
    if let Some(Value::Object(own)) = trace.header.extra.get(FORMAT.name())
        && let Some(fields) = head.as_object_mut()
    {
        fields.extend(own.clone());
    }
    if !options.plain {
        head["tracerule"] = carry::whole(trace);
    }
    let mut lines = vec![head];
    let page = |tab: u32| format!("page@{tab}");
    lines.push(json!({"name": "openPage", "url": "about:blank", "signals": [], "pageGuid": page(0)}));
    if !trace.header.url.is_empty() {
        lines.push(json!({"name": "navigate", "url": trace.header.url, "signals": [], "pageGuid": page(0)}));
    }
    let mut secrets = secret::Names::default();
    // Pages have no numbers of their own: readers count them as they appear.
    let mut seen = vec![0];
    for step in trace.steps() {
        if !seen.contains(&step.tab) {
            seen.push(step.tab);
        }
        if seen.iter().position(|tab| *tab == step.tab) != usize::try_from(step.tab).ok() {
            loss.changed(Some(step.seq), "tab", Severity::Info, "tabs are numbered as they appear");
        }
        carry::evidence(step, &KEPT, options.plain, loss);
        let action = match super::left_out(step) {
            Some(why) => {
                loss.dropped(Some(step.seq), "action", Severity::Minor, why);
                None
            }
            None => action(step, &pages, &mut secrets, loss),
        };
        let mut record = match action {
            Some(fields) => fields,
            // Nothing that its reader knows, but the step is kept in its place.
            None if !options.plain => json!({"name": format!("tracerule:{}", step.action)}),
            None => continue,
        };
        record["signals"] = match pages.opened_by(step.seq).first() {
            Some(tab) => json!([{"name": "popup", "popupAlias": format!("page{tab}"), "popupPageGuid": page(*tab)}]),
            None => json!([]),
        };
        record["pageGuid"] = json!(page(step.tab));
        if let Some(Value::Object(own)) = step.extra.get(FORMAT.name())
            && let Some(fields) = record.as_object_mut()
        {
            for (name, value) in own {
                fields.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        if !options.plain {
            let records = [record.clone()];
            record["tracerule"] = carry::step(step, &records, false);
        }
        lines.push(record);
    }
    for (at, assertion) in trace.header.assertions.iter().enumerate() {
        if let Some(mut record) = goal(at, assertion, &pages, loss) {
            record["signals"] = json!([]);
            record["pageGuid"] = json!(page(0));
            if !options.plain {
                record["tracerule"] = json!({"goal": at});
            }
            lines.push(record);
        }
    }
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    Ok(text.into_bytes())
}

fn aim(frame: &[String], target: &Target, pages: &Pages) -> Option<String> {
    let frames: Vec<Loc> = locator::frames(frame).ok()?;
    let (loc, _) = locator::readable(target).into_iter().next()?;
    Some(selector::framed(&frames, &loc, pages.test_id()))
}

/// The action of a step; `None` when the recorder has no such action.
fn action(step: &Step, pages: &Pages, secrets: &mut secret::Names, loss: &mut Loss) -> Option<Value> {
    let seq = Some(step.seq);
    let bits: u64 = BITS.iter().filter(|(_, m)| step.modifiers.contains(m)).map(|(bit, _)| bit).sum();
    let selector = step.target.as_ref().and_then(|target| aim(&step.frame, target, pages));
    let on = |name: &str, loss: &mut Loss| match &selector {
        Some(selector) => Some(json!({"name": name, "selector": selector})),
        None => {
            loss.dropped(seq, "target.locators", Severity::Major, "no locator that Playwright knows says on what");
            None
        }
    };
    match step.action {
        Action::Click | Action::Dblclick | Action::Contextmenu => {
            let mut record = on("click", loss)?;
            let button = if step.action == Action::Contextmenu { Some(Button::Right) } else { step.button };
            record["button"] = json!(match button {
                Some(Button::Right) => "right",
                Some(Button::Middle) => "middle",
                Some(Button::Back | Button::Forward) => {
                    loss.dropped(seq, "button", Severity::Major, "Playwright's mouse has no such button");
                    return None;
                }
                Some(Button::Left) | None => "left",
            });
            record["modifiers"] = json!(bits);
            record["clickCount"] = json!(if step.action == Action::Dblclick { 2 } else { step.count.unwrap_or(1) });
            if step.target.as_ref().is_some_and(|t| t.tag == "canvas")
                && let Some((x, y)) = locator::offset(step)
            {
                record["position"] = json!({"x": x, "y": y});
            }
            Some(record)
        }
        Action::Hover => on("hover", loss),
        Action::Check => on("check", loss),
        Action::Uncheck => on("uncheck", loss),
        Action::Fill | Action::Paste => {
            let mut record = on("fill", loss)?;
            if step.action == Action::Paste {
                loss.changed(seq, "action", Severity::Minor, "there is no paste; the field is filled");
            }
            record["text"] = if step.secret {
                let placeholder = secrets.placeholder();
                let why =
                    format!("a secret; the file holds the placeholder {placeholder}, to be replaced before a run");
                loss.changed(seq, "value", Severity::Major, why);
                json!(placeholder)
            } else {
                json!(step.value.as_deref().unwrap_or_default())
            };
            Some(record)
        }
        Action::Press | Action::Copy | Action::Cut => {
            let key = match step.action {
                Action::Copy => "Control+C",
                Action::Cut => "Control+X",
                _ => step.key.as_deref().unwrap_or_default(),
            };
            if step.action != Action::Press {
                loss.changed(seq, "action", Severity::Minor, "there is no clipboard; its shortcut is pressed");
            }
            let chord = Chord::parse(key);
            let mut record = if step.target.is_some() {
                on("press", loss)?
            } else {
                loss.changed(seq, "target", Severity::Info, "keys are pressed on an element there; it is the body");
                json!({"name": "press", "selector": "body"})
            };
            let held: u64 = BITS.iter().filter(|(_, m)| chord.modifiers.contains(m)).map(|(bit, _)| bit).sum();
            record["key"] = json!(chord.key);
            record["modifiers"] = json!(held);
            Some(record)
        }
        Action::Select => {
            let mut record = on("select", loss)?;
            let labels =
                if step.values.is_empty() { step.value.iter().cloned().collect() } else { step.values.clone() };
            record["options"] = labels.iter().map(|l| json!(pages.option_value(step, l).unwrap_or(l))).collect();
            if labels.iter().any(|label| pages.option_value(step, label) != Some(label)) {
                loss.changed(seq, "values", Severity::Minor, "options are named by value there, or by label");
            }
            Some(record)
        }
        Action::Upload => {
            let mut record = on("setInputFiles", loss)?;
            let files = if step.values.is_empty() { step.value.iter().cloned().collect() } else { step.values.clone() };
            loss.changed(seq, "values", Severity::Minor, "files are known by name only");
            record["files"] = json!(files);
            Some(record)
        }
        Action::Goto => Some(json!({"name": "navigate", "url": step.value.as_deref().unwrap_or_default()})),
        Action::TabOpen => Some(json!({"name": "openPage", "url": step.value.as_deref().unwrap_or_default()})),
        Action::TabClose => Some(json!({"name": "closePage"})),
        Action::TabSwitch => {
            loss.changed(seq, "action", Severity::Info, "there is no switch; each action names its page");
            None
        }
        Action::Wait => {
            loss.changed(seq, "action", Severity::Info, "there is no wait; the runner waits for each element");
            None
        }
        Action::Drag | Action::Scroll | Action::Dialog | Action::Back | Action::Forward | Action::Reload => {
            let why = format!("Playwright's recorder has no {}", step.action);
            loss.dropped(seq, "action", Severity::Major, why);
            None
        }
    }
}

fn goal(at: usize, assertion: &Assertion, pages: &Pages, loss: &mut Loss) -> Option<Value> {
    let mut no = |why: &str| loss.dropped(None, format!("header.assertions[{at}]"), Severity::Minor, why);
    let Some(target) = &assertion.target else {
        no("Playwright's recorder asserts on elements only");
        return None;
    };
    let Some(selector) = aim(&assertion.frame, target, pages) else {
        no("none of its locators can be told in Playwright's words");
        return None;
    };
    Some(match assertion.kind {
        AssertionKind::Text => {
            json!({"name": "assertText", "selector": selector, "text": assertion.expected, "substring": false})
        }
        AssertionKind::Value => json!({"name": "assertValue", "selector": selector, "value": assertion.expected}),
        AssertionKind::Checked => {
            json!({"name": "assertChecked", "selector": selector, "checked": assertion.expected != "false"})
        }
        AssertionKind::Visible if assertion.expected != "false" => {
            json!({"name": "assertVisible", "selector": selector})
        }
        AssertionKind::Visible | AssertionKind::Count | AssertionKind::Url => {
            no("Playwright's recorder has no such assertion");
            return None;
        }
    })
}

/// Reads the lines.
pub(super) fn import(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("it is no UTF-8: {e}"))?;
    let mut draft = Draft::new(bytes, Role::Reference, FORMAT);
    let mut whole = None;
    let mut pages: Vec<String> = Vec::new();
    let mut first = true;
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = at + 1;
        let record: Value = match serde_json::from_str(line) {
            Ok(record) => record,
            Err(_) if at + 1 == lines.len() && !text.ends_with('\n') => {
                loss.dropped(None, format!("line {number}"), Severity::Minor, "the last line was torn off");
                continue;
            }
            Err(error) => return Err(format!("line {number}: {error}")),
        };
        let Value::Object(fields) = record else { return Err(format!("line {number} is no object")) };
        if std::mem::take(&mut first) && !fields.contains_key("name") {
            options(fields, &mut draft, &mut whole, loss);
            continue;
        }
        take(fields, number, &mut draft, &mut pages, loss)?;
    }
    match whole {
        Some((header, events)) => {
            draft.restore(header, events);
        }
        None => {
            build::timeless(loss);
            build::uncounted(loss);
        }
    }
    Ok(draft.finish(loss))
}

type Whole = Option<(crate::trace::Header, Vec<crate::trace::Event>)>;

fn options(mut fields: Map<String, Value>, draft: &mut Draft, whole: &mut Whole, loss: &mut Loss) {
    if let Some(aside) = fields.remove("tracerule") {
        *whole = carry::read_whole(&aside, loss);
    }
    let viewport = fields.get("contextOptions").and_then(|o| o.get("viewport"));
    let side = |name: &str| viewport.and_then(|v| v.get(name)).and_then(Value::as_f64);
    if let (Some(width), Some(height)) = (side("width"), side("height")) {
        draft.header.viewport = Some(crate::trace::Viewport { width, height, dpr: 1.0 });
    }
    if let Some(browser) = fields.get("browserName").and_then(Value::as_str) {
        browser.clone_into(&mut draft.header.recorder.browser);
    }
    if whole.is_none() && !fields.is_empty() {
        loss.aside(None, "options", Severity::Info, "the recorder's options; kept for files of this format");
        draft.header.extra.insert(FORMAT.name().to_owned(), Value::Object(fields));
    }
}

#[allow(clippy::too_many_lines)]
fn take(
    mut fields: Map<String, Value>,
    number: usize,
    draft: &mut Draft,
    pages: &mut Vec<String>,
    loss: &mut Loss,
) -> Result<(), String> {
    let name = match fields.get("name") {
        Some(Value::String(name)) => name.clone(),
        _ => return Err(format!("line {number} has no `name` of an action")),
    };
    let aside = fields.remove("tracerule");
    if let Some(aside) = &aside {
        if aside.get("goal").is_some() {
            return Ok(());
        }
        match carry::read_step(aside, &[Value::Object(fields.clone())]) {
            Ok((step, _)) => {
                loss.steps.read += 1;
                draft.push(step);
                return Ok(());
            }
            Err(why) => {
                let why = format!("evidence set aside is left out: {why}");
                loss.changed(Some(draft.next()), "step", Severity::Minor, why);
            }
        }
    }
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let page = text("pageGuid").or_else(|| text("pageAlias")).unwrap_or_default();
    let mut tab_of = |page: &str| {
        let at = pages.iter().position(|known| known == page).unwrap_or_else(|| {
            pages.push(page.to_owned());
            pages.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    };
    let mut step = draft.step(Action::Click);
    let seq = step.seq;
    step.tab = tab_of(&page);
    if let Some(selector) = text("selector") {
        let read = selector::read(&selector);
        let outer = fields.get("framePath").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for frame in outer {
            match selector::read(frame).target {
                Some(loc) => step.frame.push(loc.value()),
                None => loss.dropped(Some(seq), "framePath", Severity::Major, format!("no locator says {frame}")),
            }
        }
        step.frame.extend(read.frames);
        step.target = locator::target(read.target.as_slice());
        for part in read.lost {
            loss.changed(Some(seq), "selector", Severity::Minor, format!("no locator says {part}"));
        }
        if step.target.is_none() {
            loss.dropped(Some(seq), "selector", Severity::Major, format!("no locator says {selector}"));
        }
    }
    let bits = fields.get("modifiers").and_then(Value::as_u64).unwrap_or(0);
    let held: Vec<Modifier> = BITS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, m)| *m).collect();
    let list = |key: &str| -> Vec<String> {
        let all = fields.get(key).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(|one| one.as_str().map(str::to_owned)).collect()
    };
    let assertion = |kind: AssertionKind, expected: String, step: &Step| Assertion {
        kind,
        target: step.target.clone(),
        frame: step.frame.clone(),
        expected,
    };
    loss.steps.read += 1;
    match name.as_str() {
        "click" => {
            let count =
                fields.get("clickCount").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
            step.button = Some(match text("button").as_deref() {
                Some("right") => Button::Right,
                Some("middle") => Button::Middle,
                _ => Button::Left,
            });
            step.action = match (step.button, count) {
                (Some(Button::Right), _) => Action::Contextmenu,
                (_, 2) => Action::Dblclick,
                _ => Action::Click,
            };
            step.count = (step.action == Action::Click).then_some(count);
            step.modifiers = held;
        }
        "hover" => step.action = Action::Hover,
        "check" => step.action = Action::Check,
        "uncheck" => step.action = Action::Uncheck,
        "fill" => {
            step.action = Action::Fill;
            step.value = Some(text("text").ok_or_else(|| format!("line {number}: a fill without `text`"))?);
        }
        "press" => {
            step.action = Action::Press;
            let key = text("key").ok_or_else(|| format!("line {number}: a press without `key`"))?;
            let mut chord = Chord::from_playwright(&key);
            for modifier in held {
                if !chord.modifiers.contains(&modifier) {
                    chord.modifiers.push(modifier);
                }
            }
            step.key = Some(chord.name());
            step.modifiers = chord.modifiers;
        }
        "select" => {
            step.action = Action::Select;
            step.values = list("options");
            step.value = Some(step.values.join(", "));
            loss.changed(Some(seq), "options", Severity::Minor, "options are named by value there, by label in steps");
        }
        "setInputFiles" => {
            step.action = Action::Upload;
            step.values = list("files");
            step.value = Some(step.values.join(", "));
        }
        "navigate" => {
            let url = text("url").ok_or_else(|| format!("line {number}: a navigate without `url`"))?;
            if draft.opens(&url) {
                let why = "the first address is where the trace begins (header.url) and no step of it";
                loss.changed(None, "navigate", Severity::Info, why);
                return Ok(());
            }
            step.action = Action::Goto;
            step.value = Some(url);
        }
        "openPage" => {
            let url = text("url").filter(|url| !matches!(url.as_str(), "" | "about:blank" | "chrome://newtab/"));
            if step.tab == 0 && draft.steps.is_empty() {
                if let Some(url) = url {
                    draft.opens(&url);
                }
                return Ok(());
            }
            step.action = Action::TabOpen;
            step.value = url;
        }
        "closePage" => step.action = Action::TabClose,
        "assertText" | "assertValue" | "assertChecked" | "assertVisible" if step.target.is_some() => {
            let goal = match name.as_str() {
                "assertText" => {
                    if fields.get("substring").and_then(Value::as_bool).unwrap_or(false) {
                        let why = "a part of the text was wanted; goals compare the whole";
                        loss.changed(Some(seq), "substring", Severity::Major, why);
                    }
                    assertion(AssertionKind::Text, text("text").unwrap_or_default(), &step)
                }
                "assertValue" => assertion(AssertionKind::Value, text("value").unwrap_or_default(), &step),
                "assertChecked" => {
                    let on = fields.get("checked").and_then(Value::as_bool).unwrap_or(true);
                    assertion(AssertionKind::Checked, on.to_string(), &step)
                }
                _ => assertion(AssertionKind::Visible, "true".to_owned(), &step),
            };
            draft.header.assertions.push(goal);
            loss.changed(Some(seq), name, Severity::Info, "an assertion is a goal of the trace, judged at its end");
            return Ok(());
        }
        other => {
            let why = format!("line {number}: the action {other:?} is no step of ours");
            loss.dropped(Some(seq), "name", Severity::Major, why);
            return Ok(());
        }
    }
    if step.value.as_deref().is_some_and(secret::is_placeholder) {
        step.secret = true;
        step.value = Some(MASK.to_owned());
    }
    for signal in fields.get("signals").and_then(Value::as_array).into_iter().flatten() {
        let kind = signal.get("name").and_then(Value::as_str).unwrap_or_default();
        if kind == "popup"
            && let Some(page) = signal.get("popupPageGuid").or_else(|| signal.get("popupAlias")).and_then(Value::as_str)
        {
            tab_of(page);
        } else {
            let why = format!("the signal {kind:?}: what the page did, which no field of a step says");
            loss.aside(Some(seq), "signals", Severity::Info, why);
        }
    }
    let mut own = Map::new();
    for (key, value) in &fields {
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let kept = !KNOWN.contains(&key.as_str()) || (matches!(key.as_str(), "signals" | "position") && !empty);
        if kept {
            if key != "signals" {
                loss.aside(Some(seq), key.clone(), Severity::Info, "no field of a step; kept for files of this format");
            }
            own.insert(key.clone(), value.clone());
        }
    }
    if !own.is_empty() {
        step.extra.insert(FORMAT.name().to_owned(), Value::Object(own));
    }
    draft.push(step);
    Ok(())
}

/// Whether lines of JSON look like codegen's.
pub(super) fn looks_like(lines: &[Value]) -> bool {
    let is_head = |line: &Value| {
        ["browserName", "launchOptions", "contextOptions"].iter().any(|key| line.get(*key).is_some())
            && line.get("name").is_none()
    };
    let is_action = |line: &Value| {
        line.get("name").is_some_and(Value::is_string)
            && (line.get("signals").is_some() || line.get("selector").is_some())
    };
    match lines {
        [] => false,
        [first, rest @ ..] => (is_head(first) && rest.first().is_none_or(is_action)) || is_action(first),
    }
}
