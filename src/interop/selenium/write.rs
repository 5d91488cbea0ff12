//! Writing.

use serde_json::{Value, json};

use super::FORMAT;
use crate::action::Action;
use crate::interop::dialog::{self, Answer};
use crate::interop::keys::Chord;
use crate::interop::locator::{self, Loc};
use crate::interop::{Error, Loss, Options, Severity, carry, code, secret};
use crate::trace::{Assertion, AssertionKind, Button, Step, Target, Trace};

/// Fields of a step that commands hold.
const KEPT: [&str; 8] = ["value", "values", "key", "button", "modifiers", "frame", "target.locators", "to"];

/// Writes a project with one test.
pub(in crate::interop) fn export(trace: &Trace, options: &Options, loss: &mut Loss) -> Result<Vec<u8>, Error> {
    carry::rest(
        trace,
        &["header.title", "header.url", "header.viewport", "header.assertions", "header.id"],
        options.plain,
        loss,
    );
    let title = if trace.header.title.is_empty() { "Recording" } else { &trace.header.title };
    let (origin, path) = split_url(&trace.header.url);
    let mut writer = Writer {
        loss,
        secrets: secret::Names::default(),
        commands: Vec::new(),
        frame: Vec::new(),
        tab: 0,
        id: trace.header.id.clone(),
    };
    writer.command("open", path, "", &[]);
    if let Some(viewport) = trace.header.viewport.filter(|v| v.width >= 1.0) {
        writer.command("setWindowSize", &format!("{:.0}x{:.0}", viewport.width, viewport.height), "", &[]);
        writer.loss.changed(None, "header.viewport", Severity::Info, "the size is that of the window there");
    }
    for step in trace.steps() {
        carry::evidence(step, &KEPT, options.plain, writer.loss);
        let from = writer.commands.len();
        match crate::interop::left_out(step) {
            Some(why) => writer.loss.dropped(Some(step.seq), "action", Severity::Minor, why),
            None => writer.step(step),
        }
        if !options.plain {
            if writer.commands.len() == from {
                // Nothing that a runner does, in its place.
                writer.command("//tracerule", step.action.name(), "", &[]);
            }
            let aside = carry::step(step, &writer.commands[from..], false);
            if let Some(last) = writer.commands.last_mut() {
                last["tracerule"] = aside;
            }
        }
    }
    for (at, assertion) in trace.header.assertions.iter().enumerate() {
        let from = writer.commands.len();
        writer.goal(at, assertion);
        if !options.plain {
            for command in &mut writer.commands[from..] {
                command["tracerule"] = json!({"goal": at});
            }
        }
    }
    let (commands, id) = (writer.commands, writer.id);
    let test = json!({"id": format!("{id}-test"), "name": title, "commands": commands});
    let suite = json!({
        "id": format!("{id}-suite"), "name": "Default Suite", "persistSession": false, "parallel": false,
        "timeout": 300, "tests": [format!("{id}-test")],
    });
    let mut project = json!({
        "id": id, "version": "2.0", "name": title, "url": origin, "tests": [test], "suites": [suite],
        "urls": [format!("{origin}/")], "plugins": [],
    });
    if let Some(Value::Object(own)) = trace.header.extra.get(FORMAT.name())
        && let Some(fields) = project.as_object_mut()
    {
        for (name, value) in own {
            fields.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    if !options.plain {
        project["tracerule"] = carry::whole(trace);
    }
    Ok(crate::interop::pretty(&project))
}

/// An address as origin and the rest.
fn split_url(url: &str) -> (&str, &str) {
    let Some(start) = url.find("://").map(|at| at + 3) else { return ("", url) };
    match url[start..].find(['/', '?', '#']) {
        Some(at) => url.split_at(start + at),
        None => (url, "/"),
    }
}

struct Writer<'a> {
    loss: &'a mut Loss,
    secrets: secret::Names,
    commands: Vec<Value>,
    /// The frame that commands go to now.
    frame: Vec<String>,
    tab: u32,
    id: String,
}

impl Writer<'_> {
    fn command(&mut self, command: &str, target: &str, value: &str, targets: &[(String, &'static str)]) {
        let id = format!("{}-{}", self.id, self.commands.len());
        let targets: Vec<Value> = targets.iter().map(|(locator, how)| json!([locator, how])).collect();
        self.commands.push(json!({
            "id": id, "comment": "", "command": command, "target": target, "targets": targets, "value": value,
        }));
    }

    fn lost(&mut self, step: &Step, field: &str, why: impl Into<String>) {
        self.loss.dropped(Some(step.seq), field, Severity::Major, why);
    }

    fn changed(&mut self, step: &Step, field: &str, gravity: Severity, why: impl Into<String>) {
        self.loss.changed(Some(step.seq), field, gravity, why);
    }

    /// Goes to a step's frame.
    fn enter(&mut self, frame: &[String]) -> bool {
        if self.frame == frame {
            return true;
        }
        let mut ways = Vec::new();
        for locator in frame {
            let Some(loc) = Loc::parse(locator) else { return false };
            let Some((way, _)) = write(&loc) else { return false };
            ways.push(way);
        }
        self.command("selectFrame", "relative=top", "", &[]);
        for way in ways {
            self.command("selectFrame", &way, "", &[]);
        }
        self.frame = frame.to_vec();
        true
    }

    /// One command on a step's target; whether it was written.
    fn on(&mut self, step: &Step, command: &str, value: &str) -> bool {
        let Some(target) = &step.target else {
            self.lost(step, "target", "the trace does not say on what");
            return false;
        };
        let targets = targets(target);
        let Some((first, _)) = targets.first().cloned() else {
            let why = if locator::in_shadow(target) {
                "Selenium IDE does not reach into shadow roots"
            } else {
                "none of the locators can be told in Selenium's words"
            };
            self.lost(step, "target.locators", why);
            return false;
        };
        if targets.len() < target.locators.len() {
            let why = "locators that matched several elements, and roles and labels XPath cannot say, are left out";
            self.changed(step, "target.locators", Severity::Minor, why);
        }
        self.command(command, &first, &lines(value), &targets);
        true
    }

    #[allow(clippy::too_many_lines)]
    fn step(&mut self, step: &Step) {
        if step.tab != self.tab && !matches!(step.action, Action::TabOpen | Action::TabSwitch) {
            self.tab = step.tab;
            let why = "windows are named by handles that only a run knows; it stays in the window it is in";
            self.changed(step, "tab", Severity::Major, why);
        }
        if !self.enter(&step.frame) {
            return self.lost(step, "frame", "a frame that cannot be told in Selenium's words");
        }
        let value = step.value.as_deref().unwrap_or_default();
        match step.action {
            Action::Click => {
                let button = step.button.unwrap_or(Button::Left);
                if button != Button::Left {
                    return self.lost(step, "button", "Selenium IDE clicks with the left button only");
                }
                if !step.modifiers.is_empty() {
                    self.changed(step, "modifiers", Severity::Major, "no keys are held while clicking there");
                }
                if step.count.is_some_and(|count| count > 2) {
                    self.changed(step, "count", super::super::clicks_lost(step), "clicks are single or double there");
                }
                let canvas = step.target.as_ref().is_some_and(|t| matches!(t.tag.as_str(), "canvas" | "svg"));
                match locator::offset(step).filter(|_| canvas) {
                    // Counted from the middle of the element.
                    Some((x, y)) => {
                        let half = step
                            .target
                            .as_ref()
                            .and_then(|t| t.rect)
                            .map_or((0.0, 0.0), |r| (r.width / 2.0, r.height / 2.0));
                        self.on(step, "clickAt", &format!("{:.0},{:.0}", x - half.0, y - half.1));
                    }
                    None => _ = self.on(step, "click", ""),
                }
            }
            Action::Dblclick => _ = self.on(step, "doubleClick", ""),
            Action::Hover => _ = self.on(step, "mouseOver", ""),
            Action::Check => _ = self.on(step, "check", ""),
            Action::Uncheck => _ = self.on(step, "uncheck", ""),
            Action::Fill | Action::Paste => {
                if step.action == Action::Paste {
                    self.changed(step, "action", Severity::Minor, "there is no paste; the field is typed into");
                }
                let text = if step.secret {
                    let placeholder = self.secrets.placeholder();
                    let why = format!("a secret; the file uses the variable {placeholder}, to be stored before a run");
                    self.changed(step, "value", Severity::Major, why);
                    placeholder
                } else {
                    value.to_owned()
                };
                if text.trim() != text {
                    self.changed(step, "value", Severity::Minor, "white space at the ends is trimmed there");
                }
                let role = step.target.as_ref().map(|t| (t.tag.as_str(), t.role.as_str()));
                let editable = !matches!(role, Some(("input" | "textarea" | "", _)) | None);
                self.on(step, if editable { "editContent" } else { "type" }, &text);
            }
            Action::Press | Action::Copy | Action::Cut => {
                let key = match step.action {
                    Action::Copy => "Control+C",
                    Action::Cut => "Control+X",
                    _ => step.key.as_deref().unwrap_or_default(),
                };
                if step.action != Action::Press {
                    self.changed(step, "action", Severity::Minor, "there is no clipboard; its shortcut is pressed");
                }
                let Some(keys) = Chord::parse(key).selenium() else {
                    return self.lost(step, "key", format!("Selenium IDE has no name for the key {key}"));
                };
                if step.target.is_some() {
                    self.on(step, "sendKeys", &keys);
                } else {
                    self.changed(step, "target", Severity::Info, "keys are sent to an element there; it is the body");
                    self.command("sendKeys", "css=body", &keys, &[]);
                }
            }
            Action::Select => {
                let labels = if step.values.is_empty() { vec![value.to_owned()] } else { step.values.clone() };
                let several = labels.len() > 1;
                for label in &labels {
                    let command = if several { "addSelection" } else { "select" };
                    self.on(step, command, &format!("label={label}"));
                }
            }
            Action::Scroll => {
                let Some(to) = step.to else {
                    return self.lost(step, "to", "the trace does not say where it scrolled to");
                };
                let script = match step
                    .target
                    .as_ref()
                    .and_then(|t| locator::readable(t).into_iter().find_map(|(l, _)| l.css()))
                {
                    Some(css) if step.target.is_some() => {
                        format!("document.querySelector({}).scrollTo({},{})", code::js_string(&css), to.x, to.y)
                    }
                    None if step.target.is_some() => {
                        return self.lost(step, "target.locators", "a container is scrolled by CSS, and no locator is");
                    }
                    _ => format!("window.scrollTo({},{})", to.x, to.y),
                };
                self.command("runScript", &script, "", &[]);
            }
            Action::Upload => {
                let files = if step.values.is_empty() { vec![value.to_owned()] } else { step.values.clone() };
                self.changed(step, "values", Severity::Major, "files are known by name only; give their whole paths");
                self.on(step, "type", &files.join("\n"));
            }
            Action::Drag => {
                let (Some(to), Some((x, y))) = (step.to, locator::offset(step)) else {
                    return self.lost(step, "to", "the trace does not say from where to where");
                };
                let half =
                    step.target.as_ref().and_then(|t| t.rect).map_or((0.0, 0.0), |r| (r.width / 2.0, r.height / 2.0));
                let from = step.target.as_ref().and_then(|t| t.pointer).unwrap_or_default();
                let place = |x: f64, y: f64| format!("{:.0},{:.0}", x - half.0, y - half.1);
                let end = place(x + to.x - from.x, y + to.y - from.y);
                if self.on(step, "mouseDownAt", &place(x, y)) {
                    self.on(step, "mouseMoveAt", &end);
                    self.on(step, "mouseUpAt", &end);
                }
            }
            Action::Goto => {
                self.frame.clear();
                self.command("open", value, "", &[]);
            }
            Action::Reload => {
                self.frame.clear();
                self.command("runScript", "location.reload()", "", &[]);
            }
            Action::Back => {
                self.frame.clear();
                self.command("runScript", "history.back()", "", &[]);
            }
            Action::Forward => {
                self.frame.clear();
                self.command("runScript", "history.forward()", "", &[]);
            }
            Action::TabClose => {
                self.frame.clear();
                self.command("close", "", "", &[]);
            }
            Action::Wait => self.command("pause", &format!("{:.0}", step.elapsed_ms), "", &[]),
            Action::Dialog => match dialog::of(step) {
                Answer::Accept(None) => self.command("acceptAlert", "", "", &[]),
                Answer::Accept(Some(text)) => self.command("answerPrompt", &text, "", &[]),
                Answer::Dismiss => self.command("dismissConfirmation", "", "", &[]),
            },
            Action::TabOpen | Action::TabSwitch => {
                self.tab = step.tab;
                self.lost(step, "action", "windows are named by handles that only a run knows");
            }
            Action::Contextmenu => self.lost(step, "action", "Selenium IDE has no right click"),
        }
    }

    fn goal(&mut self, at: usize, assertion: &Assertion) {
        let field = format!("header.assertions[{at}]");
        let expected = assertion.expected.as_str();
        if assertion.kind == AssertionKind::Url {
            let pattern = code::js_string(&code::url_pattern(expected));
            self.command("executeScript", &format!("return new RegExp({pattern}).test(location.href)"), "url", &[]);
            return self.command("assert", "url", "true", &[]);
        }
        let first = assertion.target.as_ref().map(targets).and_then(|all| all.into_iter().next());
        let Some((target, _)) = first.filter(|_| self.enter(&assertion.frame)) else {
            return self.loss.dropped(
                None,
                field,
                Severity::Major,
                "none of its locators can be told in Selenium's words",
            );
        };
        match assertion.kind {
            AssertionKind::Text => self.command("assertText", &target, &lines(expected), &[]),
            AssertionKind::Value => self.command("assertValue", &target, &lines(expected), &[]),
            AssertionKind::Visible if expected == "false" => {
                self.command("waitForElementNotVisible", &target, "5000", &[])
            }
            AssertionKind::Visible => self.command("waitForElementVisible", &target, "5000", &[]),
            AssertionKind::Checked if expected == "false" => self.command("assertNotChecked", &target, "", &[]),
            AssertionKind::Checked => self.command("assertChecked", &target, "", &[]),
            AssertionKind::Count => {
                self.command("storeElementCount", &target, "count", &[]);
                self.command("assert", "count", expected.trim(), &[]);
            }
            AssertionKind::Url => {}
        }
    }
}

/// Line breaks as the runner wants them.
fn lines(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\r', "").replace('\n', "\\n")
}

/// The locators of a target, best first; only those that matched one element, unless none did.
fn targets(target: &Target) -> Vec<(String, &'static str)> {
    if locator::in_shadow(target) {
        return Vec::new();
    }
    let all = locator::readable(target);
    let unique = all.iter().any(|(loc, l)| l.matches == 1 && write(loc).is_some());
    // What the runner finds by itself stands before what XPath only resembles.
    let mut exact = Vec::new();
    let mut rest = Vec::new();
    for (loc, found) in &all {
        if unique && found.matches != 1 {
            continue;
        }
        if let Some(way) = write(loc) {
            let list = if matches!(loc, Loc::Role(..) | Loc::Label(_) | Loc::Text(_)) { &mut rest } else { &mut exact };
            if !list.contains(&way) {
                list.push(way);
            }
        }
    }
    exact.extend(rest);
    exact
}

/// A locator and the name of its strategy.
fn write(loc: &Loc) -> Option<(String, &'static str)> {
    match loc {
        Loc::Css(selector) => {
            let id = selector
                .strip_prefix('#')
                .filter(|id| id.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)));
            Some(match id {
                Some(id) => (format!("id={id}"), "id"),
                None => (format!("css={selector}"), "css:finder"),
            })
        }
        Loc::Role(role, Some(name)) if role == "link" && !name.contains('\n') => {
            Some((format!("linkText={name}"), "linkText"))
        }
        Loc::TestId(_) | Loc::Placeholder(_) => loc.css().map(|css| (format!("css={css}"), "css:finder")),
        other => other.xpath().map(|path| (format!("xpath={path}"), "xpath:attributes")),
    }
}
