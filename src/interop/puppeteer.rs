//! User flows of Chrome's DevTools Recorder and `@puppeteer/replay` 3, JSON: `{title, steps: [{type, …}]}`.
//!
//! Standard steps say what their vocabulary holds. Each of our steps is followed by a `customStep` named
//! `tracerule:ACTION` with the whole step, which runners pass over, and the file begins with `tracerule:trace`. What
//! the vocabulary lacks (drag, upload, dialogs, tabs) is only there.
//!
//! Facts of the runner that decide what is written: it takes whichever selector resolves first, so only those that
//! matched one element are given; it treats `>=` as the default operator; it sets lists by their options' values; it
//! finds other tabs by their addresses. Its parser drops unknown fields, so they are kept here before it is asked.

use serde_json::{Map, Value, json};

use super::build::{self, Draft};
use super::keys::{self, Chord};
use super::locator::{self, Loc, Part, css_chain};
use super::pages::Pages;
use super::{Error, Format, Loss, Options, Severity, carry, code, secret};
use crate::action::Action;
use crate::trace::{Assertion, AssertionKind, Button, Modifier, Point, Role, Step, Trace, Viewport};

const FORMAT: Format = Format::PuppeteerReplay;
/// The longest time-out that the format allows, ms.
const LONGEST: f64 = 30_000.0;

/// Fields that the standard steps hold.
const KEPT: [&str; 9] =
    ["value", "key", "modifiers", "target.locators", "frame", "to", "button", "target.role", "target.name"];

/// Writes a flow.
pub(super) fn export(trace: &Trace, options: &Options, loss: &mut Loss) -> Result<Vec<u8>, Error> {
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
        let mut records = if let Some(why) = super::left_out(step) {
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
    Ok(super::pretty(&Value::Object(flow)))
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
                    self.changed("count", Severity::Major, "clicks are single or double there");
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
        match locator::offset(self.step) {
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

/// Reads a flow.
pub(super) fn import(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
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
        return super::xpath::read(path);
    }
    let css = text.strip_prefix("pierce/").unwrap_or(text).trim();
    let css = css.strip_prefix(":host > ").unwrap_or(css);
    (!css.is_empty()).then(|| Loc::Css(css.to_owned()))
}

/// Whether a JSON value looks like a flow.
pub(super) fn looks_like(value: &Value) -> bool {
    let steps = value.get("steps").and_then(Value::as_array);
    let typed = |step: &Value| step.get("type").is_some_and(Value::is_string) && step.get("action").is_none();
    steps.is_some_and(|steps| steps.iter().all(typed) && (!steps.is_empty() || value.get("title").is_some()))
}
