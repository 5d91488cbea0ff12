//! Reading.

use serde_json::{Map, Value, json};

use super::FORMAT;
use crate::action::Action;
use crate::interop::build::{self, Draft};
use crate::interop::dialog::{self, Answer};
use crate::interop::keys::{self, Chord, SELENIUM};
use crate::interop::locator::{self, Loc};
use crate::interop::{Loss, Severity, carry, code, secret};
use crate::trace::{Assertion, AssertionKind, Button, MASK, Modifier, Point, Role, Step, Target, Trace, Viewport};

/// Reads the first test of a project.
pub(in crate::interop) fn import(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
    let value: Value =
        serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).map_err(|e| e.to_string())?;
    let Value::Object(mut project) = value else { return Err("it is no object".to_owned()) };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let tests = match project.remove("tests") {
        Some(Value::Array(tests)) if !tests.is_empty() => tests,
        Some(Value::Array(_)) => return Err("it has no test".to_owned()),
        _ => return Err("it has no `tests`".to_owned()),
    };
    let mut draft = Draft::new(bytes, Role::Reference, FORMAT);
    draft.header.title = text(project.get("name"));
    let base = text(project.get("url"));
    let whole = project.remove("tracerule").and_then(|aside| carry::read_whole(&aside, loss));
    for (at, test) in tests.iter().enumerate().skip(1) {
        let name = text(test.get("name"));
        loss.dropped(
            None,
            format!("tests[{at}]"),
            Severity::Major,
            format!("a trace holds one test; {name:?} is left out"),
        );
    }
    let test = &tests[0];
    let name = text(test.get("name"));
    if !name.is_empty() {
        draft.header.title = name;
    }
    let commands = test.get("commands").and_then(Value::as_array).ok_or("the test has no `commands`")?;
    let mut reader = Reader { draft, loss, base, frame: Vec::new(), tab: 0, seen: Vec::new() };
    for (at, command) in commands.iter().enumerate() {
        reader.take(command).map_err(|why| format!("commands[{at}]: {why}"))?;
    }
    let Reader { mut draft, loss, .. } = reader;
    match whole {
        Some((header, events)) => {
            draft.restore(header, events);
        }
        None => {
            for key in ["id", "version", "name", "url", "suites", "urls"] {
                project.remove(key);
            }
            project.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|a| !a.is_empty()));
            if !project.is_empty() {
                loss.aside(None, "project", Severity::Info, "settings of the project; kept for files of this format");
                draft.header.extra.insert(FORMAT.name().to_owned(), Value::Object(project));
            }
            build::timeless(loss);
            build::uncounted(loss);
        }
    }
    Ok(draft.finish(loss))
}

struct Reader<'a> {
    draft: Draft,
    loss: &'a mut Loss,
    base: String,
    frame: Vec<String>,
    tab: u32,
    /// Commands not yet claimed by a step set aside, and how many steps had been made before each.
    seen: Vec<(Value, usize)>,
}

impl Reader<'_> {
    fn take(&mut self, command: &Value) -> Result<(), String> {
        let Value::Object(fields) = command else { return Err("it is no object".to_owned()) };
        let mut fields: Map<String, Value> = fields.clone();
        let aside = fields.remove("tracerule");
        if aside.as_ref().is_some_and(|aside| aside.get("goal").is_some()) {
            return Ok(());
        }
        let count = self.draft.steps.len();
        let text = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(format!("`{name}` is no text")),
        };
        let (name, target, value) = (text("command")?, text("target")?, text("value")?);
        if name.is_empty() && aside.is_none() {
            if fields.contains_key("command") {
                return Ok(());
            }
            return Err("it has no `command`".to_owned());
        }
        self.seen.push((Value::Object(fields.clone()), count));
        let was = (self.frame.clone(), self.tab);
        self.loss.steps.read += 1;
        let items = self.loss.items.len();
        self.command(&name, &target, &value, &fields);
        let Some(aside) = aside else { return Ok(()) };
        let records: Vec<Value> = self.seen.iter().map(|(record, _)| record.clone()).collect();
        match carry::read_step(&aside, &records) {
            Ok((step, of)) => {
                // The step set aside stands for its commands, and for what was said of them.
                let keep = self.seen.len() - of;
                if let Some((_, count)) = self.seen.get(keep) {
                    self.draft.steps.truncate(*count);
                }
                self.loss.items.truncate(items.min(self.loss.items.len()));
                let seq = step.seq;
                self.loss.items.retain(|item| item.step != Some(seq));
                self.loss.steps.read =
                    self.loss.steps.read.saturating_sub(u32::try_from(of).unwrap_or(0)).saturating_add(1);
                if of == 1 && step.frame.is_empty() && name.starts_with("//") {
                    (self.frame, self.tab) = was;
                }
                self.draft.push(step);
                self.seen.clear();
            }
            Err(why) => {
                let seq = self.draft.next().saturating_sub(1);
                let why = format!("evidence set aside is left out: {why}");
                self.loss.changed(Some(seq), "step", Severity::Minor, why);
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_lines)]
    fn command(&mut self, name: &str, target: &str, value: &str, fields: &Map<String, Value>) {
        let mut step = self.draft.step(Action::Click);
        let seq = step.seq;
        step.tab = self.tab;
        step.frame.clone_from(&self.frame);
        if name.starts_with("//") || fields.get("skip").and_then(Value::as_bool).unwrap_or(false) {
            self.loss.dropped(Some(seq), "command", Severity::Info, format!("{name:?} is switched off"));
            return;
        }
        let needs_target = !matches!(
            name,
            "open"
                | "setWindowSize"
                | "pause"
                | "selectFrame"
                | "selectWindow"
                | "close"
                | "runScript"
                | "executeScript"
                | "assert"
        ) && !name.contains("Alert")
            && !name.contains("onfirmation")
            && !name.contains("rompt")
            && !name.starts_with("store")
            && !name.starts_with("echo");
        if needs_target {
            step.target = self.target(seq, target, fields);
        }
        let unlined = value.replace("\\n", "\n").replace("\\\\", "\\");
        let goal = |kind: AssertionKind, expected: String, step: &Step| Assertion {
            kind,
            target: step.target.clone(),
            frame: step.frame.clone(),
            expected,
        };
        let found = match name {
            "open" => {
                let url = self.absolute(target);
                self.frame.clear();
                step.frame.clear();
                if self.draft.opens(&url) {
                    let why = "the first address is where the trace begins (header.url) and no step of it";
                    self.loss.changed(None, "open", Severity::Info, why);
                    return;
                }
                step.action = Action::Goto;
                step.value = Some(url);
                None
            }
            "setWindowSize" => {
                let size =
                    target.split_once('x').and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
                match size {
                    Some((width, height)) if self.draft.header.viewport.is_none() => {
                        self.draft.header.viewport = Some(Viewport { width, height, dpr: 1.0 });
                    }
                    _ => {
                        self.loss.dropped(Some(seq), "setWindowSize", Severity::Info, "a trace has one size of its own")
                    }
                }
                return;
            }
            "click" => {
                (step.button, step.count) = (Some(Button::Left), Some(1));
                None
            }
            "clickAt" => {
                (step.button, step.count) = (Some(Button::Left), Some(1));
                self.loss.changed(Some(seq), "value", Severity::Minor, "the place within the element is left out");
                None
            }
            "doubleClick" | "doubleClickAt" => {
                step.action = Action::Dblclick;
                step.button = Some(Button::Left);
                None
            }
            "mouseOver" => {
                step.action = Action::Hover;
                None
            }
            "check" => {
                step.action = Action::Check;
                None
            }
            "uncheck" => {
                step.action = Action::Uncheck;
                None
            }
            "type" | "editContent" => {
                step.action = Action::Fill;
                step.value = Some(unlined);
                None
            }
            "sendKeys" => {
                self.keys(step, &unlined);
                return;
            }
            "select" | "addSelection" | "removeSelection" => {
                step.action = Action::Select;
                let label = value.strip_prefix("label=").unwrap_or(value);
                if value.contains('=') && !value.starts_with("label=") {
                    self.loss.changed(Some(seq), "value", Severity::Minor, "options are named by label in steps");
                }
                if name == "removeSelection" {
                    self.loss.changed(Some(seq), "command", Severity::Major, "a step chooses; it does not take back");
                }
                step.values = vec![label.to_owned()];
                step.value = Some(label.to_owned());
                // One choice of several options is several commands.
                if name == "addSelection"
                    && let Some(last) = self.draft.steps.last_mut()
                    && last.action == Action::Select
                    && last.target == step.target
                    && last.frame == step.frame
                {
                    last.values.extend(step.values);
                    last.value = Some(last.values.join(", "));
                    return;
                }
                None
            }
            "dragAndDropToObject" => {
                step.action = Action::Drag;
                step.value = Some(value.to_owned());
                let why = "a step says where a drag ended by its place; the target's locator is its value";
                self.loss.changed(Some(seq), "value", Severity::Minor, why);
                None
            }
            "pause" => {
                step.action = Action::Wait;
                step.elapsed_ms = target.trim().parse::<f64>().ok().filter(|ms| ms.is_finite()).unwrap_or(0.0);
                None
            }
            "selectFrame" => {
                match target {
                    "relative=top" => self.frame.clear(),
                    "relative=parent" => drop(self.frame.pop()),
                    index if index.starts_with("index=") => {
                        let number = index["index=".len()..].parse::<u64>().unwrap_or(0);
                        let why = "a frame by its number; the locator needs the frames to be siblings";
                        self.loss.changed(Some(seq), "selectFrame", Severity::Minor, why);
                        self.frame.push(format!("css=iframe:nth-of-type({})", number.saturating_add(1)));
                    }
                    locator => match read(locator) {
                        Some(loc) => self.frame.push(loc.value()),
                        None => self.loss.dropped(
                            Some(seq),
                            "selectFrame",
                            Severity::Major,
                            format!("no locator says {locator}"),
                        ),
                    },
                }
                return;
            }
            "selectWindow" => {
                step.action = Action::TabSwitch;
                self.tab = u32::from(target != "handle=${root}");
                step.tab = self.tab;
                step.value = Some(self.tab.to_string());
                self.loss.changed(Some(seq), "target", Severity::Minor, "windows are numbered; the handle is left out");
                None
            }
            "close" => {
                step.action = Action::TabClose;
                None
            }
            "runScript" if scroll(target).is_some() => {
                step.action = Action::Scroll;
                step.to = scroll(target);
                None
            }
            "acceptAlert"
            | "acceptConfirmation"
            | "chooseOkOnNextConfirmation"
            | "webdriverChooseOkOnVisibleConfirmation" => {
                dialog::set(&mut step, Answer::Accept(None));
                None
            }
            "dismissConfirmation"
            | "dismissPrompt"
            | "chooseCancelOnNextConfirmation"
            | "chooseCancelOnNextPrompt"
            | "webdriverChooseCancelOnVisibleConfirmation"
            | "webdriverChooseCancelOnVisiblePrompt" => {
                dialog::set(&mut step, Answer::Dismiss);
                None
            }
            "answerPrompt" | "answerOnNextPrompt" | "webdriverAnswerOnVisiblePrompt" => {
                dialog::set(&mut step, Answer::Accept(Some(target.to_owned())));
                None
            }
            "assertText" | "verifyText" => Some(goal(AssertionKind::Text, unlined, &step)),
            "assertValue" | "verifyValue" => Some(goal(AssertionKind::Value, unlined, &step)),
            "assertElementPresent" | "verifyElementPresent" => {
                Some(goal(AssertionKind::Visible, "true".to_owned(), &step))
            }
            "assertElementNotPresent" | "verifyElementNotPresent" => {
                Some(goal(AssertionKind::Visible, "false".to_owned(), &step))
            }
            "assertChecked" | "verifyChecked" => Some(goal(AssertionKind::Checked, "true".to_owned(), &step)),
            "assertNotChecked" | "verifyNotChecked" => Some(goal(AssertionKind::Checked, "false".to_owned(), &step)),
            wait if wait.starts_with("waitFor") => {
                step.action = Action::Wait;
                step.value = Some(wait.to_owned());
                None
            }
            other => {
                let gravity =
                    if matches!(other, "mouseOut" | "echo" | "debugger") { Severity::Info } else { Severity::Major };
                self.loss.dropped(Some(seq), "command", gravity, format!("the command {other:?} is no step of ours"));
                return;
            }
        };
        if let Some(goal) = found {
            if goal.target.is_some() {
                self.draft.header.assertions.push(goal);
                let why = "an assertion is a goal of the trace, judged at its end";
                self.loss.changed(Some(seq), "command", Severity::Info, why);
            }
            return;
        }
        if step.value.as_deref().is_some_and(secret::is_placeholder) {
            step.secret = true;
            step.value = Some(MASK.to_owned());
        }
        if fields.get("opensWindow").and_then(Value::as_bool).unwrap_or(false) {
            self.loss.dropped(Some(seq), "opensWindow", Severity::Minor, "a step does not say that it opens a window");
        }
        if let Some(comment) = fields.get("comment").and_then(Value::as_str).filter(|c| !c.is_empty()) {
            step.extra.insert(FORMAT.name().to_owned(), json!({"comment": comment}));
            self.loss.aside(Some(seq), "comment", Severity::Info, "no field of a step; kept beside it");
        }
        self.draft.push(step);
    }

    fn absolute(&self, target: &str) -> String {
        if target.contains("://") || target.starts_with("data:") || target.starts_with("about:") {
            return target.to_owned();
        }
        format!("{}/{}", self.base.trim_end_matches('/'), target.trim_start_matches('/'))
    }

    fn target(&mut self, seq: u32, target: &str, fields: &Map<String, Value>) -> Option<Target> {
        let mut candidates: Vec<Loc> = read(target).into_iter().collect();
        let all = fields.get("targets").and_then(Value::as_array).into_iter().flatten();
        for locator in all.filter_map(|one| one.get(0)?.as_str()) {
            match read(locator) {
                Some(loc) if !candidates.contains(&loc) => candidates.push(loc),
                Some(_) => {}
                None => self.loss.dropped(Some(seq), "targets", Severity::Minor, format!("no locator says {locator}")),
            }
        }
        let found = locator::target(&candidates);
        if found.is_none() {
            self.loss.dropped(Some(seq), "target", Severity::Major, format!("no locator says {target:?}"));
        }
        found
    }

    /// Keys and texts, as `sendKeys` takes them in one go.
    fn keys(&mut self, like: Step, text: &str) {
        let mut held: Vec<Modifier> = Vec::new();
        let mut typed = String::new();
        let mut rest = text;
        let mut out = Vec::new();
        while !rest.is_empty() {
            let name = rest.strip_prefix("${KEY_").and_then(|r| r.split_once('}'));
            if let Some((name, more)) = name
                && let Some((key, _)) = SELENIUM.iter().find(|(_, theirs)| *theirs == name)
            {
                rest = more;
                if let Some(modifier) = keys::modifier(key) {
                    held.push(modifier);
                } else {
                    out.push((
                        std::mem::take(&mut typed),
                        Some(Chord { modifiers: held.clone(), key: (*key).to_owned() }),
                    ));
                }
                continue;
            }
            let Some(c) = rest.chars().next() else { break };
            rest = &rest[c.len_utf8()..];
            if held.is_empty() {
                typed.push(c);
            } else {
                out.push((std::mem::take(&mut typed), Some(Chord { modifiers: held.clone(), key: c.to_string() })));
            }
        }
        // One character alone is a key; more are a text.
        if typed.chars().count() == 1 && out.is_empty() {
            out.push((String::new(), Some(Chord { modifiers: Vec::new(), key: std::mem::take(&mut typed) })));
        }
        out.push((typed, None));
        for (text, chord) in out {
            if !text.is_empty() {
                let mut step = like.clone();
                step.action = Action::Fill;
                step.value = Some(text);
                let why = "the text was typed after what stood in the field";
                self.loss.changed(Some(self.draft.next()), "value", Severity::Info, why);
                self.draft.push(step);
            }
            if let Some(chord) = chord {
                let mut step = like.clone();
                step.action = Action::Press;
                step.key = Some(chord.name());
                step.modifiers = chord.modifiers;
                self.draft.push(step);
            }
        }
    }
}

/// The offset of a script that scrolls the page.
fn scroll(script: &str) -> Option<Point> {
    let (x, y) =
        script.trim().trim_end_matches(';').strip_prefix("window.scrollTo(")?.strip_suffix(')')?.split_once(',')?;
    Some(Point { x: x.trim().parse().ok()?, y: y.trim().parse().ok()? })
}

/// A locator of Selenium IDE.
fn read(text: &str) -> Option<Loc> {
    if text.starts_with("//") || text.starts_with("(//") {
        return crate::interop::xpath::read(text);
    }
    let (kind, rest) = text.split_once('=')?;
    if rest.is_empty() {
        return None;
    }
    match kind {
        "id" => Some(Loc::Css(format!("#{}", code::css_identifier(rest)))),
        "name" => Some(Loc::Css(format!("[name={}]", code::css_string(rest)))),
        "css" => Some(Loc::Css(rest.to_owned())),
        "xpath" => crate::interop::xpath::read(rest),
        "link" | "linkText" => {
            let name = rest.strip_prefix("exact:").unwrap_or(rest);
            Some(Loc::Role("link".to_owned(), Some(name.split_whitespace().collect::<Vec<_>>().join(" "))))
        }
        "class" | "className" => Some(Loc::Css(format!(".{}", code::css_identifier(rest)))),
        _ => None,
    }
}
