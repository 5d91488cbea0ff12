//! Writing.

use serde_json::{Map, Value, json};

use super::FORMAT;
use crate::action::Action;
use crate::interop::keys::{self, Chord};
use crate::interop::locator::{self, Loc, Part, css_chain};
use crate::interop::pages::Pages;
use crate::interop::{Error, Loss, Options, Severity, carry, code, secret};
use crate::trace::{Assertion, AssertionKind, Button, Modifier, Step, Trace};

/// Fields that the standard steps hold.
const KEPT: [&str; 9] =
    ["value", "key", "modifiers", "target.locators", "frame", "to", "button", "target.role", "target.name"];

/// Writes a flow.
pub(in crate::interop) fn export(trace: &Trace, options: &Options, loss: &mut Loss) -> Result<Vec<u8>, Error> {
    let pages = Pages::of(trace);
    let mut steps = Vec::new();
    if !options.plain {
        steps.push(json!({"type": "customStep", "name": "tracerule:trace", "parameters": carry::whole(trace)}));
    }
    carry::rest(trace, &["header.title", "header.url", "header.viewport", "header.assertions"], options.plain, loss);
    if let Some(viewport) = trace.header.viewport.filter(|v| v.width >= 1.0 && v.height >= 1.0) {
        steps.push(json!({
            "type": "setViewport",
            "width": viewport.width.round(),
            "height": viewport.height.round(),
            "deviceScaleFactor": if viewport.dpr > 0.0 { viewport.dpr } else { 1.0 },
            "isMobile": false,
            "hasTouch": false,
            "isLandscape": false,
        }));
    }
    if !trace.header.url.is_empty() {
        steps.push(json!({"type": "navigate", "url": trace.header.url}));
    }
    let mut secrets = secret::Names::default();
    for step in trace.steps() {
        let mut records = if let Some(why) = crate::interop::left_out(step) {
            loss.dropped(Some(step.seq), "action", Severity::Minor, why);
            Vec::new()
        } else {
            Writer { pages: &pages, loss: &mut *loss, secrets: &mut secrets, step }.records()
        };
        let (before, fields) = extra(step);
        if let (Some(first), Some(fields)) = (records.first_mut().and_then(Value::as_object_mut), fields) {
            for (name, value) in fields {
                first.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        steps.extend(before.into_iter().flatten().cloned());
        carry::evidence(step, &KEPT, options.plain, loss);
        let aside = (!options.plain).then(|| carry::step(step, &records, false));
        steps.append(&mut records);
        if let Some(parameters) = aside {
            let name = format!("tracerule:{}", step.action.name());
            steps.push(json!({"type": "customStep", "name": name, "parameters": parameters}));
        }
    }
    let goals: Vec<Value> =
        trace.header.assertions.iter().enumerate().filter_map(|(at, a)| goal(at, a, loss)).collect();
    if !goals.is_empty() {
        let digest = carry::digest(&goals);
        let of = goals.len();
        steps.extend(goals);
        if !options.plain {
            let parameters = json!({"of": of, "digest": digest});
            steps.push(json!({"type": "customStep", "name": "tracerule:goals", "parameters": parameters}));
        }
    }
    let mut flow = Map::new();
    let title = if trace.header.title.is_empty() { "Recording" } else { &trace.header.title };
    flow.insert("title".to_owned(), json!(title));
    if let Some(Value::Object(own)) = trace.header.extra.get(FORMAT.name()) {
        for (name, value) in own {
            match name.as_str() {
                "after" => steps.extend(value.as_array().into_iter().flatten().cloned()),
                _ => drop(flow.insert(name.clone(), value.clone())),
            }
        }
    }
    flow.insert("steps".to_owned(), Value::Array(steps));
    Ok(crate::interop::pretty(&Value::Object(flow)))
}

/// What this format said of a step beyond our fields: steps before it without a counterpart, and its own fields.
fn extra(step: &Step) -> (Option<&Vec<Value>>, Option<&Map<String, Value>>) {
    let own = step.extra.get(FORMAT.name());
    (own.and_then(|own| own.get("before")?.as_array()), own.and_then(|own| own.get("fields")?.as_object()))
}

struct Writer<'a> {
    pages: &'a Pages,
    loss: &'a mut Loss,
    secrets: &'a mut secret::Names,
    step: &'a Step,
}

impl Writer<'_> {
    fn lost(&mut self, field: &str, why: impl Into<String>) {
        self.loss.dropped(Some(self.step.seq), field, Severity::Major, why);
    }

    fn changed(&mut self, field: &str, gravity: Severity, why: impl Into<String>) {
        self.loss.changed(Some(self.step.seq), field, gravity, why);
    }

    /// The standard steps of a step; none when the vocabulary has no word for it.
    fn records(&mut self) -> Vec<Value> {
        let step = self.step;
        let held: Vec<Modifier> = step.modifiers.clone();
        match step.action {
            Action::Click | Action::Dblclick | Action::Contextmenu => {
                let Some(mut record) = self.on(if step.action == Action::Dblclick { "doubleClick" } else { "click" })
                else {
                    return Vec::new();
                };
                let button = if step.action == Action::Contextmenu { Some(Button::Right) } else { step.button };
                let name = match button {
                    None | Some(Button::Left) => None,
                    Some(Button::Middle) => Some("auxiliary"),
                    Some(Button::Right) => Some("secondary"),
                    Some(Button::Back) => Some("back"),
                    Some(Button::Forward) => Some("forward"),
                };
                if let Some(name) = name {
                    record.insert("button".to_owned(), json!(name));
                }
                let (x, y) = self.offset();
                record.insert("offsetX".to_owned(), json!(x));
                record.insert("offsetY".to_owned(), json!(y));
                if step.count.is_some_and(|count| count > 2) {
                    self.changed("count", super::super::clicks_lost(step), "clicks are single or double there");
                }
                self.held(&held, vec![Value::Object(record)])
            }
            Action::Hover => self.on("hover").map(Value::Object).into_iter().collect(),
            Action::Fill | Action::Paste => {
                let Some(mut record) = self.on("change") else { return Vec::new() };
                if step.action == Action::Paste {
                    self.changed("action", Severity::Minor, "there is no paste; the field's value is set instead");
                }
                let value = match (step.secret, &step.value) {
                    (true, _) => {
                        let placeholder = self.secrets.placeholder();
                        self.changed(
                            "value",
                            Severity::Major,
                            format!(
                                "a secret; the file holds the placeholder {placeholder}, to be replaced before a run"
                            ),
                        );
                        placeholder
                    }
                    (false, Some(value)) => value.clone(),
                    (false, None) => {
                        self.lost("value", "the trace does not hold the value");
                        return Vec::new();
                    }
                };
                record.insert("value".to_owned(), json!(value));
                vec![Value::Object(record)]
            }
            Action::Select => self.select(),
            Action::Check | Action::Uncheck => {
                let Some(mut record) = self.on("click") else { return Vec::new() };
                self.changed("action", Severity::Minor, "there is no check; a click turns the box whatever it was");
                let (x, y) = self.offset();
                record.insert("offsetX".to_owned(), json!(x));
                record.insert("offsetY".to_owned(), json!(y));
                vec![Value::Object(record)]
            }
            Action::Press | Action::Copy | Action::Cut => {
                let chord = match step.action {
                    Action::Copy => Chord::parse("Control+C"),
                    Action::Cut => Chord::parse("Control+X"),
                    _ => match &step.key {
                        Some(key) => Chord::parse(key),
                        None => {
                            self.lost("key", "the trace does not hold the key");
                            return Vec::new();
                        }
                    },
                };
                if step.action != Action::Press {
                    self.changed("action", Severity::Minor, "there is no clipboard; its shortcut is pressed");
                }
                if step.target.is_some() {
                    self.changed("target", Severity::Minor, "keys go to whatever has the focus");
                }
                let target = self.tab();
                let key = |kind: &str, key: &str| {
                    let mut record = Map::new();
                    record.insert("type".to_owned(), json!(kind));
                    if let Some(target) = &target {
                        record.insert("target".to_owned(), json!(target));
                    }
                    record.insert("key".to_owned(), json!(key));
                    Value::Object(record)
                };
                let names: Vec<&str> = chord.modifiers.iter().map(|m| keys::modifier_name(*m)).collect();
                let mut records: Vec<Value> = names.iter().map(|name| key("keyDown", name)).collect();
                records.push(key("keyDown", &chord.key));
                records.push(key("keyUp", &chord.key));
                records.extend(names.iter().rev().map(|name| key("keyUp", name)));
                records
            }
            Action::Scroll => {
                let Some(to) = step.to else {
                    self.lost("to", "the trace does not say where it scrolled to");
                    return Vec::new();
                };
                let mut record = match &step.target {
                    Some(_) => match self.on("scroll") {
                        Some(record) => record,
                        None => return Vec::new(),
                    },
                    None => self.base("scroll"),
                };
                record.insert("x".to_owned(), json!(to.x));
                record.insert("y".to_owned(), json!(to.y));
                vec![Value::Object(record)]
            }
            Action::Goto => {
                let Some(url) = &step.value else {
                    self.lost("value", "the trace does not hold the address");
                    return Vec::new();
                };
                let mut record = self.base("navigate");
                record.insert("url".to_owned(), json!(url));
                vec![Value::Object(record)]
            }
            Action::Reload => {
                self.changed("action", Severity::Minor, "there is no reload; the address is opened again");
                let url = self.pages.address(step.tab, step.t_ms).unwrap_or(&step.url).to_owned();
                let mut record = self.base("navigate");
                record.insert("url".to_owned(), json!(url));
                vec![Value::Object(record)]
            }
            Action::Back | Action::Forward => {
                let after = self.pages.address(step.tab, step.t_ms + 1000.0).map(str::to_owned);
                match after.filter(|url| !url.is_empty()) {
                    Some(url) => {
                        self.changed("action", Severity::Minor, "there is no history; the address it led to is opened");
                        let mut record = self.base("navigate");
                        record.insert("url".to_owned(), json!(url));
                        vec![Value::Object(record)]
                    }
                    None => {
                        self.lost("action", "there is no history, and the trace does not say where it led");
                        Vec::new()
                    }
                }
            }
            Action::TabClose => vec![Value::Object(self.base("close"))],
            Action::Wait => {
                self.changed("action", Severity::Info, "there is no plain wait; the runner waits for each element");
                Vec::new()
            }
            Action::TabSwitch => {
                self.changed("action", Severity::Info, "there is no switch; each step names its tab by its address");
                Vec::new()
            }
            Action::Drag | Action::Upload | Action::Dialog | Action::TabOpen => {
                self.lost("action", format!("there is no {} in the format; runners pass over it", step.action));
                Vec::new()
            }
        }
    }

    /// Modifiers around records, as keys of their own.
    fn held(&self, held: &[Modifier], records: Vec<Value>) -> Vec<Value> {
        let key = |kind: &str, held: &Modifier| json!({"type": kind, "key": keys::modifier_name(*held)});
        let mut all: Vec<Value> = held.iter().map(|m| key("keyDown", m)).collect();
        all.extend(records);
        all.extend(held.iter().rev().map(|m| key("keyUp", m)));
        all
    }

    fn select(&mut self) -> Vec<Value> {
        let step = self.step;
        let Some(mut record) = self.on("change") else { return Vec::new() };
        let labels: Vec<&str> = if step.values.is_empty() {
            step.value.as_deref().into_iter().collect()
        } else {
            step.values.iter().map(String::as_str).collect()
        };
        let Some(label) = labels.first() else {
            self.lost("value", "the trace does not hold the option");
            return Vec::new();
        };
        if labels.len() > 1 {
            self.lost("values", "one option can be chosen there, and the first one is");
        }
        let value = match self.pages.option_value(step, label) {
            Some(value) => {
                if value != *label {
                    self.changed("value", Severity::Info, "options are chosen by value there, and the value is given");
                }
                self.pages.option_value(step, label).unwrap_or(label).to_owned()
            }
            None => {
                let why = "options are chosen by value there, and the trace tells only the label";
                self.changed("value", Severity::Major, why);
                (*label).to_owned()
            }
        };
        record.insert("value".to_owned(), json!(value));
        vec![Value::Object(record)]
    }

    fn offset(&mut self) -> (f64, f64) {
        let round = |n: f64| (n * 100.0).round() / 100.0;
        let read = |name: &str| extra(self.step).1?.get(name)?.as_f64();
        match locator::offset(self.step).or(read("offsetX").zip(read("offsetY"))) {
            Some((x, y)) => (round(x), round(y)),
            None => {
                let centre = self.step.target.as_ref().and_then(|t| t.rect).map(|r| (r.width / 2.0, r.height / 2.0));
                self.changed("target.pointer", Severity::Info, "the pointer's place is not known; the centre is given");
                centre.map_or((1.0, 1.0), |(x, y)| (round(x), round(y)))
            }
        }
    }

    /// The address that names the step's tab; none in the first.
    fn tab(&mut self) -> Option<String> {
        if self.step.tab == 0 {
            return None;
        }
        let known = self.pages.address(self.step.tab, self.step.t_ms).map(str::to_owned);
        let url = known.unwrap_or_else(|| self.step.url.clone());
        self.changed("tab", Severity::Minor, format!("tabs are named by their addresses: {url}"));
        Some(url)
    }

    fn base(&mut self, kind: &str) -> Map<String, Value> {
        let mut record = Map::new();
        record.insert("type".to_owned(), json!(kind));
        if let Some(target) = self.tab() {
            record.insert("target".to_owned(), json!(target));
        }
        if !self.step.frame.is_empty() {
            match self.pages.frame_numbers(self.step).map(<[u32]>::to_vec) {
                Some(numbers) => {
                    self.changed("frame", Severity::Minor, "frames are named by their number among their siblings");
                    record.insert("frame".to_owned(), json!(numbers));
                }
                None => {
                    let zeros = vec![0; self.step.frame.len()];
                    self.changed("frame", Severity::Major, "the trace does not tell the frames' numbers; 0 is given");
                    record.insert("frame".to_owned(), json!(zeros));
                }
            }
        }
        record
    }

    /// A record with the target's selectors.
    fn on(&mut self, kind: &str) -> Option<Map<String, Value>> {
        let mut record = self.base(kind);
        let Some(target) = &self.step.target else {
            self.lost("target", "the trace does not say on what");
            return None;
        };
        let selectors = selectors(target);
        if selectors.is_empty() {
            self.lost("target.locators", "none of the locators can be told in the format");
            return None;
        }
        if selectors.len() < target.locators.len() {
            let why = "locators that matched several elements, and texts (which match parts there), are left out";
            self.changed("target.locators", Severity::Minor, why);
        }
        record.insert("selectors".to_owned(), Value::Array(selectors));
        Some(record)
    }
}

/// The selectors of a target, best first; only those that matched one element, unless none did.
fn selectors(target: &crate::trace::Target) -> Vec<Value> {
    let shadow = locator::in_shadow(target);
    let all = locator::readable(target);
    let unique = all.iter().any(|(loc, locator)| locator.matches == 1 && !selector(loc, shadow).is_empty());
    let mut out: Vec<Value> = Vec::new();
    for (loc, locator) in &all {
        if unique && locator.matches != 1 {
            continue;
        }
        for one in selector(loc, shadow) {
            if !out.contains(&one) {
                out.push(one);
            }
        }
    }
    if out.is_empty()
        && let Some((Loc::Text(text), _)) = all.iter().find(|(loc, _)| matches!(loc, Loc::Text(_)))
    {
        out.push(json!([format!("text/{text}")]));
    }
    out
}

/// One locator as selectors: a list is a way through shadow roots.
fn selector(loc: &Loc, shadow: bool) -> Vec<Value> {
    let css = |selector: String| {
        // A selector of ours looks through all shadow roots; plain CSS there does not.
        vec![if shadow { json!([format!("pierce/{selector}")]) } else { json!([selector]) }]
    };
    match loc {
        Loc::Role(role, Some(name)) => vec![json!([format!("aria/{name}[role=\"{role}\"]")])],
        Loc::Role(role, None) => vec![json!([format!("aria/[role=\"{role}\"]")])],
        Loc::Label(name) => vec![json!([format!("aria/{name}")])],
        // Texts match in part there, and the first of several that resolves is taken.
        Loc::Text(_) => Vec::new(),
        Loc::TestId(id) if shadow => {
            let one = |name: &&str| format!("[{name}={}]", code::css_string(id));
            css(format!(":is({})", locator::TEST_IDS.iter().map(one).collect::<Vec<_>>().join(", ")))
        }
        Loc::Path(parts) if parts.contains(&Part::Shadow) => vec![json!(css_chain(parts))],
        Loc::Path(_) => loc.xpath().map(|path| json!([format!("xpath/{path}")])).into_iter().collect(),
        other => other.css().map(css).unwrap_or_default(),
    }
}

/// A goal as a wait at the end of the flow.
fn goal(at: usize, assertion: &Assertion, loss: &mut Loss) -> Option<Value> {
    let field = format!("header.assertions[{at}]");
    let expected = assertion.expected.as_str();
    if assertion.kind == AssertionKind::Url {
        let pattern = code::js_string(&code::url_pattern(expected));
        return Some(json!({
            "type": "waitForExpression",
            "expression": format!("new RegExp({pattern}).test(location.href)"),
        }));
    }
    let target = assertion.target.as_ref()?;
    if !assertion.frame.is_empty() {
        loss.dropped(None, field, Severity::Major, "goals in frames are not told: frames are numbers there");
        return None;
    }
    let selectors = selectors(target);
    let first = selectors.first().cloned();
    let Some(first) = first else {
        loss.dropped(None, field, Severity::Major, "none of its locators can be told in the format");
        return None;
    };
    let mut wait = Map::new();
    wait.insert("type".to_owned(), json!("waitForElement"));
    wait.insert("selectors".to_owned(), json!([first]));
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match assertion.kind {
        AssertionKind::Visible => drop(wait.insert("visible".to_owned(), json!(expected != "false"))),
        AssertionKind::Checked => drop(wait.insert("properties".to_owned(), json!({"checked": expected == "true"}))),
        AssertionKind::Value => drop(wait.insert("properties".to_owned(), json!({"value": expected}))),
        AssertionKind::Count => {
            let count: u32 = expected.trim().parse().ok()?;
            wait.insert("operator".to_owned(), json!("=="));
            wait.insert("count".to_owned(), json!(count));
        }
        AssertionKind::Text => {
            let css =
                locator::readable(target).into_iter().filter(|(_, l)| l.matches == 1).find_map(|(loc, _)| loc.css());
            let Some(css) = css.filter(|_| !locator::in_shadow(target)) else {
                loss.changed(None, field, Severity::Minor, "its text is compared as it stands, white space and all");
                wait.insert("properties".to_owned(), json!({"textContent": expected}));
                return Some(Value::Object(wait));
            };
            return Some(json!({
                "type": "waitForExpression",
                "expression": format!(
                    "(e => !!e && [e.innerText, e.textContent].some(t => (t ?? '').replace(/\\s+/g, ' ').trim() === {}))\
                     (document.querySelector({}))",
                    code::js_string(&fold(expected)),
                    code::js_string(&css)
                ),
            }));
        }
        AssertionKind::Url => return None,
    }
    Some(Value::Object(wait))
}
