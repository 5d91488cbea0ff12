//! Reading.

use serde_json::{Map, Value, json};

use super::{FORMAT, LONGEST};
use crate::action::Action;
use crate::interop::build::{self, Draft};
use crate::interop::keys::{self, Chord};
use crate::interop::locator::{self, Loc};
use crate::interop::{Loss, Severity, carry, secret};
use crate::trace::{Assertion, AssertionKind, Button, Modifier, Point, Role, Step, Trace, Viewport};

/// Reads a flow.
pub(in crate::interop) fn import(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("it is no UTF-8: {e}"))?;
    // `stringify` of the package ends its output with a comment, which JSON has not.
    let text = match text.trim_end().rsplit_once('\n') {
        Some((before, last)) if last.trim_start().starts_with("//#") => before,
        _ => text,
    };
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| e.to_string())?;
    let Value::Object(mut flow) = value else {
        return Err("it is no object {\"title\": …, \"steps\": […]}".to_owned());
    };
    let steps = match flow.remove("steps") {
        Some(Value::Array(steps)) => steps,
        Some(_) => return Err("`steps` is no array".to_owned()),
        None => return Err("it has no `steps`".to_owned()),
    };
    let mut draft = Draft::new(bytes, Role::Reference, FORMAT);
    match flow.remove("title") {
        Some(Value::String(title)) => draft.header.title = title,
        Some(_) => return Err("`title` is no text".to_owned()),
        None => loss.changed(None, "title", Severity::Info, "the flow has no title, which the format wants"),
    }
    let mut reader = Reader {
        draft,
        loss,
        seen: Vec::new(),
        before: Vec::new(),
        held: Vec::new(),
        whole: None,
        tabs: vec!["main".to_owned()],
    };
    for (at, step) in steps.into_iter().enumerate() {
        reader.take(step).map_err(|why| format!("steps[{at}]: {why}"))?;
    }
    Ok(reader.finish(flow))
}

struct Reader<'a> {
    draft: Draft,
    loss: &'a mut Loss,
    /// Standard records not yet claimed by a step set aside, and how many steps had been made before each.
    seen: Vec<(Value, usize)>,
    /// Records without a counterpart, for the next step.
    before: Vec<Value>,
    /// Modifiers held by keys of their own.
    held: Vec<Modifier>,
    whole: Option<(crate::trace::Header, Vec<crate::trace::Event>)>,
    /// Other tabs by their addresses.
    tabs: Vec<String>,
}

impl Reader<'_> {
    fn take(&mut self, record: Value) -> Result<(), String> {
        let Value::Object(fields) = &record else { return Err("it is no object".to_owned()) };
        let kind = fields.get("type").and_then(Value::as_str).ok_or("it has no `type`")?.to_owned();
        if kind == "customStep" {
            return self.custom(record);
        }
        self.loss.steps.read += 1;
        let count = self.draft.steps.len();
        self.seen.push((record.clone(), count));
        self.standard(&kind, fields.clone())
    }

    fn custom(&mut self, record: Value) -> Result<(), String> {
        let name = record.get("name").and_then(Value::as_str).ok_or("a customStep without a `name`")?.to_owned();
        let parameters = record.get("parameters").cloned().unwrap_or(Value::Null);
        match name.as_str() {
            "tracerule:trace" => self.whole = carry::read_whole(&parameters, self.loss),
            "tracerule:goals" => {
                let of =
                    parameters.get("of").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
                let records: Vec<Value> = self.seen.iter().map(|(record, _)| record.clone()).collect();
                let same = of <= records.len()
                    && parameters.get("digest") == Some(&json!(carry::digest(&records[records.len() - of..])));
                if same {
                    self.forget(of);
                } else {
                    self.loss.changed(
                        None,
                        "header.assertions",
                        Severity::Minor,
                        "the goals were changed by another tool",
                    );
                }
            }
            name if name.starts_with("tracerule:") => {
                let records: Vec<Value> = self.seen.iter().map(|(record, _)| record.clone()).collect();
                match carry::read_step(&parameters, &records) {
                    Ok((step, of)) => {
                        self.forget(of);
                        self.draft.push(step);
                        self.seen.clear();
                    }
                    Err(why) => {
                        let seq = self.draft.next().saturating_sub(1);
                        self.loss.changed(
                            Some(seq),
                            "step",
                            Severity::Minor,
                            format!("evidence set aside is left out: {why}"),
                        );
                    }
                }
            }
            _ => {
                self.loss.steps.read += 1;
                let at = self.draft.next();
                self.loss.aside(
                    Some(at),
                    "customStep",
                    Severity::Minor,
                    format!("the customStep {name:?} means nothing here"),
                );
                self.before.push(record);
            }
        }
        Ok(())
    }

    /// Takes back what the last standard records became: a step set aside stands for them.
    fn forget(&mut self, of: usize) {
        let keep = self.seen.len() - of;
        if let Some((_, count)) = self.seen.get(keep) {
            self.draft.steps.truncate(*count);
        }
        let kinds: Vec<Value> = self.seen.drain(keep..).map(|(record, _)| record).collect();
        self.before.retain(|record| !kinds.contains(record));
        self.held.clear();
        self.loss.steps.read =
            self.loss.steps.read.saturating_sub(u32::try_from(of).unwrap_or(u32::MAX)) + u32::from(of > 0);
    }

    #[allow(clippy::too_many_lines)]
    fn standard(&mut self, kind: &str, mut fields: Map<String, Value>) -> Result<(), String> {
        fields.remove("type");
        let known: &[&str] = match kind {
            "setViewport" => &["width", "height", "deviceScaleFactor", "isMobile", "hasTouch", "isLandscape"],
            "navigate" => &["url"],
            "click" | "doubleClick" => &["offsetX", "offsetY", "button"],
            "hover" => &[],
            "change" => &["value"],
            "keyDown" | "keyUp" => &["key"],
            "scroll" => &["x", "y"],
            "close" => &[],
            "waitForElement" => &["operator", "count", "visible", "attributes", "properties"],
            "waitForExpression" => &["expression"],
            "emulateNetworkConditions" => &["download", "upload", "latency"],
            other => return Err(format!("{other:?} is no type of a step")),
        };
        for (name, wanted) in [("timeout", "a number")] {
            if let Some(value) = fields.get(name)
                && !value.as_f64().is_some_and(|ms| (1.0..=LONGEST).contains(&ms))
            {
                return Err(format!("`{name}` is {value}; wanted is {wanted} from 1 to {LONGEST}"));
            }
        }
        let mut step = self.draft.step(Action::Wait);
        step.tab = self.tab(&fields)?;
        let candidates = match fields.get("selectors") {
            None => Vec::new(),
            Some(selectors) => read_selectors(selectors, step.seq, self.loss)?,
        };
        if let Some(frame) = fields.get("frame") {
            let numbers = frame.as_array().ok_or("`frame` is no array of numbers")?;
            for number in numbers {
                step.frame.push(frame_locator(number.as_u64().ok_or("`frame` is no array of numbers")?));
            }
            self.loss.changed(
                Some(step.seq),
                "frame",
                Severity::Minor,
                "frames are numbers there; the locator holds the number and needs the frames to be siblings",
            );
        }
        step.target = locator::target(&candidates);
        let number = |fields: &Map<String, Value>, name: &str| match fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or_else(|| format!("`{name}` is no number")),
        };
        let text = |fields: &Map<String, Value>, name: &str| match fields.get(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(format!("`{name}` is no text")),
            None => Err(format!("it has no `{name}`")),
        };
        let needs_target = matches!(kind, "click" | "doubleClick" | "hover" | "change" | "waitForElement");
        if needs_target && step.target.is_none() {
            if !fields.contains_key("selectors") {
                return Err("it has no `selectors`".to_owned());
            }
            self.loss.dropped(
                Some(step.seq),
                "selectors",
                Severity::Major,
                "none of the selectors can be told in a locator",
            );
        }
        match kind {
            "setViewport" => {
                let (width, height) = (number(&fields, "width")?, number(&fields, "height")?);
                let (Some(width), Some(height)) = (width, height) else {
                    return Err("it has no `width` and `height`".to_owned());
                };
                let dpr = number(&fields, "deviceScaleFactor")?.unwrap_or(1.0);
                if self.draft.header.viewport.is_none() && self.draft.steps.is_empty() {
                    self.draft.header.viewport = Some(Viewport { width, height, dpr });
                    return Ok(());
                }
                return self.without_counterpart("setViewport");
            }
            "emulateNetworkConditions" | "waitForExpression" => {
                if kind == "waitForExpression" {
                    let expression = text(&fields, "expression")?;
                    step.action = Action::Wait;
                    step.value = Some(expression);
                } else {
                    return self.without_counterpart(kind);
                }
            }
            "navigate" => {
                let url = text(&fields, "url")?;
                if self.draft.opens(&url) {
                    self.loss.changed(
                        None,
                        "navigate",
                        Severity::Info,
                        "the first address is where the trace begins (header.url) and no step of it",
                    );
                    return Ok(());
                }
                step.action = Action::Goto;
                step.value = Some(url);
            }
            "click" | "doubleClick" => {
                step.action = if kind == "click" { Action::Click } else { Action::Dblclick };
                for name in ["offsetX", "offsetY"] {
                    if number(&fields, name)?.is_none() {
                        return Err(format!("it has no `{name}`"));
                    }
                }
                step.button = match fields.get("button") {
                    None | Some(Value::Null) => Some(Button::Left),
                    Some(button) => Some(match button.as_str() {
                        Some("primary") => Button::Left,
                        Some("auxiliary") => Button::Middle,
                        Some("secondary") => Button::Right,
                        Some("back") => Button::Back,
                        Some("forward") => Button::Forward,
                        _ => return Err(format!("{button} is no button")),
                    }),
                };
                if step.button == Some(Button::Right) && kind == "click" {
                    step.action = Action::Contextmenu;
                } else if kind == "click" {
                    step.count = Some(1);
                }
                step.modifiers.clone_from(&self.held);
                // The place within the element has no field of ours without the element's box.
                keep(&mut step, &fields, &["offsetX", "offsetY"]);
            }
            "hover" => step.action = Action::Hover,
            "change" => {
                step.action = Action::Fill;
                let value = text(&fields, "value")?;
                if secret::is_placeholder(&value) {
                    step.secret = true;
                    step.value = Some(crate::trace::MASK.to_owned());
                } else {
                    step.value = Some(value);
                }
            }
            "keyDown" | "keyUp" => {
                let key = text(&fields, "key")?;
                return self.key(kind == "keyDown", &key, step, fields);
            }
            "scroll" => {
                step.action = Action::Scroll;
                let (x, y) = (number(&fields, "x")?.unwrap_or(0.0), number(&fields, "y")?.unwrap_or(0.0));
                step.to = Some(Point { x, y });
            }
            "close" => step.action = Action::TabClose,
            _ => {
                step.action = Action::Wait;
                keep(&mut step, &fields, known);
            }
        }
        let rest: Vec<String> = fields
            .keys()
            .filter(|name| {
                !known.contains(&name.as_str()) && !matches!(name.as_str(), "selectors" | "frame" | "target")
            })
            .cloned()
            .collect();
        for name in &rest {
            self.loss.aside(
                Some(step.seq),
                name.clone(),
                Severity::Info,
                "no field of a step; kept for files of this format",
            );
        }
        let names: Vec<&str> = rest.iter().map(String::as_str).collect();
        keep(&mut step, &fields, &names);
        self.add(step);
        Ok(())
    }

    /// Adds a step with what came before it.
    fn add(&mut self, mut step: Step) {
        if !self.before.is_empty() {
            let own = step.extra.entry(FORMAT.name().to_owned()).or_insert_with(|| json!({}));
            own["before"] = Value::Array(std::mem::take(&mut self.before));
        }
        self.draft.push(step);
    }

    fn without_counterpart(&mut self, kind: &str) -> Result<(), String> {
        let at = self.draft.next();
        self.loss.aside(Some(at), kind, Severity::Minor, "no action of ours; kept for files of this format");
        if let Some((record, _)) = self.seen.last() {
            self.before.push(record.clone());
        }
        Ok(())
    }

    /// A key: modifiers are held until released, the press of another key is a step, its release is none.
    fn key(&mut self, down: bool, key: &str, mut step: Step, fields: Map<String, Value>) -> Result<(), String> {
        if let Some(held) = keys::modifier(key) {
            let was_held = self.held.contains(&held);
            self.held.retain(|m| *m != held);
            if down {
                self.held.push(held);
            } else if was_held && self.lone(key) {
                step.action = Action::Press;
                step.key = Some(key.to_owned());
                self.add(step);
            }
            return Ok(());
        }
        if !down {
            return Ok(());
        }
        step.action = Action::Press;
        let chord = Chord { modifiers: self.held.clone(), key: key.to_owned() };
        step.key = Some(chord.name());
        step.modifiers.clone_from(&self.held);
        let names: Vec<&str> = fields
            .keys()
            .map(String::as_str)
            .filter(|n| !matches!(*n, "key" | "target" | "frame" | "selectors"))
            .collect();
        keep(&mut step, &fields, &names);
        self.add(step);
        Ok(())
    }

    /// Whether a modifier that is released was pressed for itself: nothing came between.
    fn lone(&self, key: &str) -> bool {
        let mut last = self.seen.iter().rev().map(|(record, _)| record);
        last.next();
        last.next().is_some_and(|record| record["type"] == "keyDown" && record["key"] == *key)
    }

    fn tab(&mut self, fields: &Map<String, Value>) -> Result<u32, String> {
        let target = match fields.get("target") {
            None | Some(Value::Null) => return Ok(0),
            Some(Value::String(target)) => target,
            Some(_) => return Err("`target` is no text".to_owned()),
        };
        let at = match self.tabs.iter().position(|known| known == target) {
            Some(at) => at,
            None => {
                self.tabs.push(target.clone());
                self.loss.changed(
                    Some(self.draft.next()),
                    "target",
                    Severity::Minor,
                    format!("{target} is taken for a tab of its own; it may be a frame of another origin"),
                );
                self.tabs.len() - 1
            }
        };
        Ok(u32::try_from(at).unwrap_or(u32::MAX))
    }

    fn finish(self, mut flow: Map<String, Value>) -> Trace {
        let Reader { mut draft, loss, before, whole, .. } = self;
        match whole {
            Some((header, events)) => {
                let title = std::mem::take(&mut draft.header.title);
                draft.restore(header, events);
                if draft.header.title != title && !(draft.header.title.is_empty() && title == "Recording") {
                    draft.header.title = title;
                }
            }
            None => {
                goals(&mut draft, loss);
                build::timeless(loss);
                build::uncounted(loss);
            }
        }
        if !before.is_empty() {
            flow.insert("after".to_owned(), Value::Array(before));
        }
        if !flow.is_empty() {
            for name in flow.keys() {
                loss.aside(None, name.clone(), Severity::Info, "no field of a trace; kept for files of this format");
            }
            draft.header.extra.insert(FORMAT.name().to_owned(), Value::Object(flow));
        }
        draft.finish(loss)
    }
}

/// Waits for elements at the end of a flow are what it asserts.
fn goals(draft: &mut Draft, loss: &mut Loss) {
    let is_goal = |step: &Step| {
        step.action == Action::Wait
            && step.target.is_some()
            && step.extra.get(FORMAT.name()).is_none_or(|own| own.get("before").is_none())
    };
    let mut goals = Vec::new();
    while draft.steps.last().is_some_and(is_goal) {
        let Some(step) = draft.steps.pop() else { break };
        let own = step.extra.get(FORMAT.name()).and_then(|own| own.get("fields")).cloned().unwrap_or_default();
        let make = |kind: AssertionKind, expected: String| Assertion {
            kind,
            target: step.target.clone(),
            frame: step.frame.clone(),
            expected,
        };
        let seq = step.seq;
        let property = |name: &str| own.get("properties").and_then(|p| p.get(name)).cloned();
        if let Some(count) = own.get("count").and_then(Value::as_u64) {
            if own.get("operator").and_then(Value::as_str) != Some("==") {
                loss.changed(Some(seq), "operator", Severity::Minor, "counts are compared for equality");
            }
            goals.push(make(AssertionKind::Count, count.to_string()));
        } else if let Some(Value::String(value)) = property("value") {
            goals.push(make(AssertionKind::Value, value));
        } else if let Some(Value::Bool(checked)) = property("checked") {
            goals.push(make(AssertionKind::Checked, checked.to_string()));
        } else if let Some(Value::String(text)) = property("textContent").or_else(|| property("innerText")) {
            goals.push(make(AssertionKind::Text, text));
        } else {
            if own.get("attributes").is_some() || own.get("properties").is_some() {
                loss.dropped(Some(seq), "properties", Severity::Minor, "attributes and properties are no goal of ours");
            }
            let visible = own.get("visible").and_then(Value::as_bool).unwrap_or(true);
            goals.push(make(AssertionKind::Visible, visible.to_string()));
        }
        loss.changed(Some(seq), "waitForElement", Severity::Info, "a wait at the end is a goal of the trace");
    }
    goals.reverse();
    draft.header.assertions = goals;
}

/// The locator of a frame by its number.
fn frame_locator(number: u64) -> String {
    format!("css=iframe:nth-of-type({})", number + 1)
}

fn keep(step: &mut Step, fields: &Map<String, Value>, names: &[&str]) {
    let kept: Map<String, Value> =
        names.iter().filter_map(|name| Some(((*name).to_owned(), fields.get(*name)?.clone()))).collect();
    if kept.is_empty() {
        return;
    }
    let own = step.extra.entry(FORMAT.name().to_owned()).or_insert_with(|| json!({}));
    match own.get_mut("fields").and_then(Value::as_object_mut) {
        Some(fields) => fields.extend(kept),
        None => own["fields"] = Value::Object(kept),
    }
}

/// The selectors of a record as locators, in their order.
fn read_selectors(value: &Value, seq: u32, loss: &mut Loss) -> Result<Vec<Loc>, String> {
    let list = value.as_array().filter(|list| !list.is_empty()).ok_or("`selectors` is no list of selectors")?;
    let mut out = Vec::new();
    for (at, item) in list.iter().enumerate() {
        let chain: Vec<&str> = match item {
            Value::String(one) => vec![one],
            Value::Array(parts) if !parts.is_empty() => {
                parts.iter().map(|p| p.as_str().ok_or("a selector is no text")).collect::<Result<_, _>>()?
            }
            _ => return Err(format!("selectors[{at}] is empty or no text")),
        };
        // The last one is looked for through all shadow roots, which is what the chain says, if less strictly.
        let Some(last) = chain.last() else { continue };
        if chain.len() > 1 {
            loss.changed(
                Some(seq),
                format!("selectors[{at}]"),
                Severity::Minor,
                "of a way through shadow roots the last part is kept; locators look through all of them",
            );
        }
        match read_selector(last) {
            Some(loc) => out.push(loc),
            None => {
                loss.dropped(Some(seq), format!("selectors[{at}]"), Severity::Minor, format!("no locator says {last}"))
            }
        }
    }
    Ok(out)
}

fn read_selector(text: &str) -> Option<Loc> {
    if let Some(aria) = text.strip_prefix("aria/") {
        let (name, role) = match aria.rsplit_once("[role=") {
            Some((name, role)) => (name, role.strip_suffix(']').map(|role| role.trim_matches(['"', '\'']))),
            None => (aria, None),
        };
        return match (name, role) {
            ("", None) => None,
            ("", Some(role)) => Some(Loc::Role(role.to_owned(), None)),
            (name, Some(role)) => Some(Loc::Role(role.to_owned(), Some(name.to_owned()))),
            // A name without a role: what the name is of, nobody says.
            (name, None) => Some(Loc::Label(name.to_owned())),
        };
    }
    if let Some(text) = text.strip_prefix("text/") {
        return Some(Loc::Text(text.to_owned()));
    }
    if let Some(path) = text.strip_prefix("xpath/") {
        return crate::interop::xpath::read(path);
    }
    let css = text.strip_prefix("pierce/").unwrap_or(text).trim();
    let css = css.strip_prefix(":host > ").unwrap_or(css);
    (!css.is_empty()).then(|| Loc::Css(css.to_owned()))
}
