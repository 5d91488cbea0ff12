//! Action strings of BrowserGym, as its high-level action set writes them: `click('a51')`, one call a line.
//!
//! BrowserGym numbers elements anew in each observation (`bid`), and a recording has no such numbers. A call names its
//! element by our locator in the place of the number; whoever replays it maps one to the other. Its parser takes any
//! text there. Reading takes such lines, and the log of an agent that used numbers, which then name nothing.

use serde_json::{Map, Value};

use super::build::{self, Draft};
use super::keys::{self, Chord};
use super::locator::{self, Loc};
use super::{Error, Format, Loss, Severity, carry, code, secret};
use crate::action::Action;
use crate::score::words::{Lang, describe};
use crate::trace::{Actor, Button, Event, MASK, NoteEvent, Point, Role, Step, Trace};

const FORMAT: Format = Format::BrowserGym;

/// Fields of a step that a call holds.
const KEPT: [&str; 9] = ["value", "values", "key", "button", "modifiers", "frame", "to", "target.role", "target.name"];

/// Writes the calls.
pub(super) fn export(trace: &Trace, loss: &mut Loss) -> Result<Vec<u8>, Error> {
    carry::rest(trace, &["header.title", "header.url"], true, loss);
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    let title = if trace.header.title.is_empty() { "Recording" } else { &trace.header.title };
    line(&format!("# {}", code::comment(title)));
    line("# Locators stand where BrowserGym has the numbers (bid) of an observation.");
    if !trace.header.url.is_empty() {
        line(&format!("goto({})", code::python_string(&trace.header.url)));
    }
    let mut secrets = secret::Names::default();
    let mut tabs: u32 = 0;
    for step in trace.steps() {
        carry::evidence(step, &KEPT, true, loss);
        line(&format!("# {}: {}", step.seq, code::comment(&describe(Lang::En, step))));
        if let Some(why) = super::left_out(step) {
            loss.dropped(Some(step.seq), "action", Severity::Minor, why);
            continue;
        }
        // Tabs are brought to the front by an action of their own.
        if step.tab != tabs && !matches!(step.action, Action::TabOpen | Action::TabSwitch) {
            line(&format!("tab_focus({})", step.tab));
        }
        tabs = step.tab;
        for call in calls(step, &mut secrets, loss) {
            line(&call);
        }
    }
    Ok(out.into_bytes())
}

fn calls(step: &Step, secrets: &mut secret::Names, loss: &mut Loss) -> Vec<String> {
    let seq = Some(step.seq);
    let text = code::python_string;
    let bid = || {
        let target = step.target.as_ref()?;
        let (loc, _) = locator::readable(target).into_iter().next()?;
        let parts: Vec<String> = step.frame.iter().cloned().chain([loc.value()]).collect();
        Some(text(&parts.join(" >> ")))
    };
    let mut on = |make: &dyn Fn(String) -> String| match bid() {
        Some(bid) => {
            if step.target.as_ref().is_some_and(|t| t.locators.len() > 1) {
                loss.dropped(seq, "target.locators", Severity::Minor, "a call holds one locator");
            }
            vec![make(bid)]
        }
        None => {
            loss.dropped(seq, "target", Severity::Major, "the trace does not say on what");
            Vec::new()
        }
    };
    let value = step.value.as_deref().unwrap_or_default();
    match step.action {
        Action::Click | Action::Dblclick | Action::Contextmenu => {
            let name = if step.action == Action::Dblclick { "dblclick" } else { "click" };
            let button = match (step.action, step.button) {
                (Action::Contextmenu, _) | (_, Some(Button::Right)) => "right",
                (_, Some(Button::Middle)) => "middle",
                _ => "left",
            };
            let mut options = String::new();
            if button != "left" {
                options.push_str(&format!(", button={}", text(button)));
            }
            if !step.modifiers.is_empty() {
                let names: Vec<String> = step.modifiers.iter().map(|m| text(keys::modifier_name(*m))).collect();
                options.push_str(&format!(", modifiers=[{}]", names.join(", ")));
            }
            let calls = on(&|bid| format!("{name}({bid}{options})"));
            if matches!(step.button, Some(Button::Back | Button::Forward)) {
                loss.changed(seq, "button", Severity::Major, "BrowserGym's mouse has three buttons");
            }
            if step.count.is_some_and(|count| count > 2) {
                loss.changed(seq, "count", super::clicks_lost(step), "clicks are single or double there");
            }
            calls
        }
        Action::Hover => on(&|bid| format!("hover({bid})")),
        Action::Check | Action::Uncheck => on(&|bid| format!("{}({bid})", step.action)),
        Action::Fill | Action::Paste => {
            let value = if step.secret { secrets.placeholder() } else { value.to_owned() };
            let calls = on(&|bid| format!("fill({bid}, {})", text(&value)));
            if step.secret {
                let why = format!("a secret; the call holds the placeholder {value}, to be replaced before a run");
                loss.changed(seq, "value", Severity::Major, why);
            }
            if step.action == Action::Paste {
                loss.changed(seq, "action", Severity::Minor, "there is no paste; the field is filled");
            }
            calls
        }
        Action::Press | Action::Copy | Action::Cut => {
            let key = match step.action {
                Action::Copy => "Control+C",
                Action::Cut => "Control+X",
                _ => step.key.as_deref().unwrap_or_default(),
            };
            let key = text(&Chord::parse(key).playwright());
            let calls = match step.target {
                Some(_) => on(&|bid| format!("press({bid}, {key})")),
                None => vec![format!("keyboard_press({key})")],
            };
            if step.action != Action::Press {
                loss.changed(seq, "action", Severity::Minor, "there is no clipboard; its shortcut is pressed");
            }
            calls
        }
        Action::Select => {
            let labels = if step.values.is_empty() { vec![value.to_owned()] } else { step.values.clone() };
            let options = match &labels[..] {
                [one] => text(one),
                many => format!("[{}]", many.iter().map(|l| text(l)).collect::<Vec<_>>().join(", ")),
            };
            on(&|bid| format!("select_option({bid}, {options})"))
        }
        Action::Upload => {
            let files = if step.values.is_empty() { vec![value.to_owned()] } else { step.values.clone() };
            let list = files.iter().map(|f| text(f)).collect::<Vec<_>>().join(", ");
            let calls = on(&|bid| format!("upload_file({bid}, [{list}])"));
            loss.changed(seq, "values", Severity::Major, "files are known by name only; give their whole paths");
            calls
        }
        Action::Scroll => {
            let to = step.to.unwrap_or_default();
            loss.changed(
                seq,
                "to",
                Severity::Minor,
                "the wheel is turned by what the offset is; there is no scrolling to a place",
            );
            loss.changed(seq, "target", Severity::Minor, "the wheel turns where the mouse is");
            vec![format!("scroll({}, {})", to.x, to.y)]
        }
        Action::Drag => {
            let from = step.target.as_ref().and_then(|t| t.pointer);
            match (from, step.to) {
                (Some(from), Some(to)) => {
                    loss.changed(
                        seq,
                        "target",
                        Severity::Minor,
                        "a drag is told by the places where it began and ended",
                    );
                    vec![format!("mouse_drag_and_drop({}, {}, {}, {})", from.x, from.y, to.x, to.y)]
                }
                _ => {
                    loss.dropped(seq, "action", Severity::Major, "the trace does not say from where to where");
                    Vec::new()
                }
            }
        }
        Action::Goto => vec![format!("goto({})", text(value))],
        Action::Back => vec!["go_back()".to_owned()],
        Action::Forward => vec!["go_forward()".to_owned()],
        Action::TabOpen if value.is_empty() => vec!["new_tab()".to_owned()],
        Action::TabOpen => vec!["new_tab()".to_owned(), format!("goto({})", text(value))],
        Action::TabSwitch => {
            let to = value.trim().parse::<u32>().ok().filter(|to| *to <= 10_000);
            if to.is_none() && !value.is_empty() {
                loss.changed(seq, "value", Severity::Major, "it is no number of a tab; the step's own is taken");
            }
            vec![format!("tab_focus({})", to.unwrap_or(step.tab))]
        }
        Action::TabClose => vec!["tab_close()".to_owned()],
        Action::Wait => vec![format!("noop({})", step.elapsed_ms.round())],
        Action::Reload => {
            loss.changed(seq, "action", Severity::Minor, "there is no reload; its key is pressed");
            vec!["keyboard_press(\"F5\")".to_owned()]
        }
        Action::Dialog => {
            loss.dropped(seq, "action", Severity::Major, "BrowserGym has no dialogs");
            Vec::new()
        }
    }
}

/// Reads calls.
pub(super) fn import(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("it is no UTF-8: {e}"))?;
    let text = text.trim_start_matches('\u{feff}');
    let mut draft = Draft::new(bytes, Role::Run, FORMAT);
    let mut parser = Parser { text, at: 0 };
    let mut tab = 0;
    while let Some((name, arguments)) = parser.call()? {
        loss.steps.read += 1;
        one(&name, &arguments, &mut draft, &mut tab, loss).map_err(|why| format!("{name}(…): {why}"))?;
    }
    build::timeless(loss);
    build::uncounted(loss);
    loss.changed(None, "actor", Severity::Info, "the calls are taken for those of an agent");
    Ok(draft.finish(loss))
}

/// The arguments of a call.
struct Arguments {
    placed: Vec<Value>,
    named: Map<String, Value>,
}

impl Arguments {
    fn get(&self, at: usize, name: &str) -> Option<&Value> {
        self.placed.get(at).or_else(|| self.named.get(name))
    }

    fn text(&self, at: usize, name: &str) -> Result<String, String> {
        match self.get(at, name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(number @ Value::Number(_)) => Ok(number.to_string()),
            Some(_) => Err(format!("`{name}` is no text")),
            None => Err(format!("it has no `{name}`")),
        }
    }

    fn number(&self, at: usize, name: &str) -> Result<f64, String> {
        let value = self.get(at, name).ok_or_else(|| format!("it has no `{name}`"))?;
        value.as_f64().filter(|n| n.is_finite()).ok_or_else(|| format!("`{name}` is no number"))
    }

    fn texts(&self, at: usize, name: &str) -> Result<Vec<String>, String> {
        match self.get(at, name) {
            Some(Value::Array(items)) => items
                .iter()
                .map(|i| i.as_str().map(str::to_owned).ok_or_else(|| format!("`{name}` holds no texts")))
                .collect(),
            _ => self.text(at, name).map(|one| vec![one]),
        }
    }
}

#[allow(clippy::too_many_lines)]
fn one(name: &str, arguments: &Arguments, draft: &mut Draft, tab: &mut u32, loss: &mut Loss) -> Result<(), String> {
    let mut step = draft.step(Action::Click);
    let seq = step.seq;
    step.actor = Actor::Agent;
    let place = |x: usize, y: usize| -> Result<Point, String> {
        Ok(Point { x: arguments.number(x, "x")?, y: arguments.number(y, "y")? })
    };
    let aim = |step: &mut Step, bid: &str, loss: &mut Loss| {
        let parts = locator::split_frames(bid);
        let locs: Option<Vec<Loc>> = parts.iter().map(|part| Loc::parse(part)).collect();
        match locs {
            Some(mut locs) => {
                let last = locs.pop();
                step.frame = locs.iter().map(Loc::value).collect();
                step.target = locator::target(last.as_slice());
            }
            None => {
                step.target = locator::target(&[Loc::Css(format!("[bid={}]", code::css_string(bid)))]);
                let why = format!("the number {bid} names an element of one observation only");
                loss.changed(Some(seq), "bid", Severity::Major, why);
            }
        }
    };
    let modifiers = |at: usize| -> Result<Vec<_>, String> {
        match arguments.get(at, "modifiers") {
            None => Ok(Vec::new()),
            Some(_) => Ok(arguments.texts(at, "modifiers")?.iter().filter_map(|m| keys::modifier(m)).collect()),
        }
    };
    let button = |at: usize| match arguments.get(at, "button").and_then(Value::as_str) {
        Some("right") => Button::Right,
        Some("middle") => Button::Middle,
        _ => Button::Left,
    };
    let at_place = |step: &mut Step, point: Point, field: &str, loss: &mut Loss| {
        step.to = Some(point);
        loss.changed(Some(seq), field, Severity::Major, "an action at a place: the call names no element");
    };
    match name {
        "click" | "dblclick" => {
            aim(&mut step, &arguments.text(0, "bid")?, loss);
            step.button = Some(button(1));
            step.modifiers = modifiers(2)?;
            step.action = match (name, step.button) {
                ("dblclick", _) => Action::Dblclick,
                (_, Some(Button::Right)) => Action::Contextmenu,
                _ => Action::Click,
            };
            step.count = (step.action == Action::Click).then_some(1);
        }
        "mouse_click" | "mouse_dblclick" => {
            at_place(&mut step, place(0, 1)?, "x, y", loss);
            step.button = Some(button(2));
            step.action = match (name, step.button) {
                ("mouse_dblclick", _) => Action::Dblclick,
                (_, Some(Button::Right)) => Action::Contextmenu,
                _ => Action::Click,
            };
        }
        "mouse_move" => {
            step.action = Action::Hover;
            at_place(&mut step, place(0, 1)?, "x, y", loss);
        }
        "mouse_drag_and_drop" => {
            step.action = Action::Drag;
            let to = Point { x: arguments.number(2, "to_x")?, y: arguments.number(3, "to_y")? };
            at_place(&mut step, to, "from_x, from_y", loss);
        }
        "hover" | "check" | "uncheck" => {
            aim(&mut step, &arguments.text(0, "bid")?, loss);
            step.action = Action::from_name(name).ok_or("an unknown action")?;
        }
        "fill" | "clear" => {
            aim(&mut step, &arguments.text(0, "bid")?, loss);
            step.action = Action::Fill;
            step.value = Some(if name == "clear" { String::new() } else { arguments.text(1, "value")? });
        }
        "keyboard_type" | "keyboard_insert_text" => {
            step.action = Action::Fill;
            step.value = Some(arguments.text(0, "text")?);
            loss.changed(Some(seq), "target", Severity::Minor, "the text went to whatever had the focus");
        }
        "press" | "keyboard_press" => {
            step.action = Action::Press;
            let keyboard = name == "keyboard_press";
            if !keyboard {
                aim(&mut step, &arguments.text(0, "bid")?, loss);
            }
            let chord = Chord::from_playwright(
                &arguments.text(usize::from(!keyboard), if keyboard { "key" } else { "key_comb" })?,
            );
            step.key = Some(chord.name());
            step.modifiers = chord.modifiers;
        }
        "select_option" => {
            aim(&mut step, &arguments.text(0, "bid")?, loss);
            step.action = Action::Select;
            step.values = arguments.texts(1, "options")?;
            step.value = Some(step.values.join(", "));
        }
        "upload_file" | "mouse_upload_file" => {
            let files = if name == "upload_file" {
                aim(&mut step, &arguments.text(0, "bid")?, loss);
                1
            } else {
                at_place(&mut step, place(0, 1)?, "x, y", loss);
                2
            };
            step.action = Action::Upload;
            step.values = arguments.texts(files, "file")?;
            step.value = Some(step.values.join(", "));
        }
        "drag_and_drop" => {
            aim(&mut step, &arguments.text(0, "from_bid")?, loss);
            step.action = Action::Drag;
            step.value = Some(arguments.text(1, "to_bid")?);
            let why = "a step says where a drag ended by its place; the target's locator is its value";
            loss.changed(Some(seq), "to_bid", Severity::Minor, why);
        }
        "scroll" => {
            step.action = Action::Scroll;
            step.to = Some(Point { x: arguments.number(0, "delta_x")?, y: arguments.number(1, "delta_y")? });
            loss.changed(Some(seq), "to", Severity::Minor, "the wheel's turn; a step says where a scroll ended");
        }
        "scroll_at" => {
            step.action = Action::Scroll;
            step.to = Some(Point { x: arguments.number(2, "dx")?, y: arguments.number(3, "dy")? });
            loss.changed(Some(seq), "to", Severity::Minor, "the wheel's turn; a step says where a scroll ended");
        }
        "goto" => {
            let url = arguments.text(0, "url")?;
            if draft.opens(&url) {
                let why = "the first address is where the trace begins (header.url) and no step of it";
                loss.changed(None, "goto", Severity::Info, why);
                return Ok(());
            }
            step.action = Action::Goto;
            step.value = Some(url);
        }
        "go_back" => step.action = Action::Back,
        "go_forward" => step.action = Action::Forward,
        "new_tab" => {
            *tab = draft.steps.iter().map(|s| s.tab).max().unwrap_or(0) + 1;
            step.action = Action::TabOpen;
        }
        "tab_focus" => {
            let to = arguments.number(0, "index")?;
            if !(0.0..=10_000.0).contains(&to) {
                return Err("`index` is no number of a tab".to_owned());
            }
            *tab = to as u32;
            step.action = Action::TabSwitch;
            step.value = Some(tab.to_string());
        }
        "tab_close" => step.action = Action::TabClose,
        "noop" => {
            step.action = Action::Wait;
            step.elapsed_ms = arguments.number(0, "wait_ms").unwrap_or(1000.0).max(0.0);
        }
        "send_msg_to_user" | "report_infeasible" => {
            let said = arguments.text(0, "text").or_else(|_| arguments.text(0, "reason"))?;
            let text = format!("{name}: {said}");
            draft.events.push(Event::Note(NoteEvent { t_ms: f64::from(seq), actor: Actor::Agent, text }));
            loss.changed(Some(seq), name, Severity::Info, "a note of the trace, and no step");
            return Ok(());
        }
        other => {
            loss.dropped(Some(seq), "call", Severity::Major, format!("{other}(…) is no step of ours"));
            return Ok(());
        }
    }
    step.tab = *tab;
    if step.value.as_deref().is_some_and(secret::is_placeholder) {
        step.secret = true;
        step.value = Some(MASK.to_owned());
    }
    draft.push(step);
    Ok(())
}

/// Python's calls with literals for arguments, and comments.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

/// Lists within lists are read no deeper.
const DEPTH: usize = 32;

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn wrong(&self, wanted: &str) -> String {
        let line = self.text[..self.at].matches('\n').count() + 1;
        let seen: String = self.rest().chars().take(20).collect();
        format!("line {line}: {wanted} is wanted at {seen:?}")
    }

    fn take(&mut self, c: char) -> bool {
        self.skip();
        let has = self.rest().starts_with(c);
        if has {
            self.at += c.len_utf8();
        }
        has
    }

    fn word(&mut self) -> String {
        self.skip();
        let word: String = self.rest().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        self.at += word.len();
        word
    }

    fn call(&mut self) -> Result<Option<(String, Arguments)>, String> {
        self.skip();
        while self.take(';') {}
        self.skip();
        if self.rest().is_empty() {
            return Ok(None);
        }
        let name = self.word();
        if name.is_empty() || !self.take('(') {
            return Err(self.wrong("a call, as click(\"a51\"),"));
        }
        let mut arguments = Arguments { placed: Vec::new(), named: Map::new() };
        while !self.take(')') {
            let start = self.at;
            let word = self.word();
            if !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && self.take('=') {
                let value = self.value(0)?;
                arguments.named.insert(word, value);
            } else {
                self.at = start;
                let value = self.value(0)?;
                arguments.placed.push(value);
            }
            if !self.take(',') && !self.peek(')') {
                return Err(self.wrong("a comma or a closing bracket"));
            }
        }
        Ok(Some((name, arguments)))
    }

    fn peek(&mut self, c: char) -> bool {
        self.skip();
        self.rest().starts_with(c)
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        self.skip();
        if depth > DEPTH {
            return Err(self.wrong("a value less deep"));
        }
        let Some(c) = self.rest().chars().next() else { return Err(self.wrong("a value")) };
        match c {
            '"' | '\'' => self.string().map(Value::String),
            '[' | '(' => {
                self.at += 1;
                let close = if c == '[' { ']' } else { ')' };
                let mut items = Vec::new();
                while !self.take(close) {
                    items.push(self.value(depth + 1)?);
                    if !self.take(',') && !self.peek(close) {
                        return Err(self.wrong("a comma or the end of a list"));
                    }
                }
                Ok(Value::Array(items))
            }
            c if c.is_ascii_digit() || "+-.".contains(c) => {
                let text: String =
                    self.rest().chars().take_while(|c| c.is_ascii_digit() || "+-.eE_".contains(*c)).collect();
                let number = text.replace('_', "").parse::<f64>().ok().filter(|n| n.is_finite());
                let number = number.ok_or_else(|| self.wrong("a number"))?;
                self.at += text.len();
                Ok(serde_json::json!(number))
            }
            _ => {
                let at = self.at;
                match self.word().as_str() {
                    "True" => Ok(Value::Bool(true)),
                    "False" => Ok(Value::Bool(false)),
                    "None" => Ok(Value::Null),
                    _ => {
                        self.at = at;
                        Err(self.wrong("a text, a number or a list"))
                    }
                }
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let rest = self.rest();
        let quote = if rest.starts_with("\"\"\"") || rest.starts_with("'''") { &rest[..3] } else { &rest[..1] };
        let quote = quote.to_owned();
        let start = self.at;
        self.at += quote.len();
        let mut out = String::new();
        loop {
            if self.rest().starts_with(&quote) {
                self.at += quote.len();
                return Ok(out);
            }
            let Some(c) = self.rest().chars().next() else {
                self.at = start;
                return Err(self.wrong("the end of a text"));
            };
            self.at += c.len_utf8();
            if c != '\\' {
                out.push(c);
                continue;
            }
            let Some(escaped) = self.rest().chars().next() else { continue };
            self.at += escaped.len_utf8();
            let mut hex = |digits: usize| {
                let code: String = self.rest().chars().take(digits).collect();
                let found =
                    u32::from_str_radix(&code, 16).ok().filter(|_| code.len() == digits).and_then(char::from_u32);
                if found.is_some() {
                    self.at += code.len();
                }
                found
            };
            match escaped {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                '\n' => {}
                'x' => out.push(hex(2).unwrap_or('\u{fffd}')),
                'u' => out.push(hex(4).unwrap_or('\u{fffd}')),
                'U' => out.push(hex(8).unwrap_or('\u{fffd}')),
                '\\' | '\'' | '"' => out.push(escaped),
                other => {
                    out.push('\\');
                    out.push(other);
                }
            }
        }
    }
}

/// The names of BrowserGym's actions, by which its lines are known.
const ACTIONS: [&str; 40] = [
    "noop",
    "send_msg_to_user",
    "report_infeasible",
    "fill",
    "check",
    "uncheck",
    "select_option",
    "click",
    "dblclick",
    "hover",
    "press",
    "focus",
    "clear",
    "drag_and_drop",
    "scroll",
    "scroll_at",
    "mouse_move",
    "mouse_up",
    "mouse_down",
    "mouse_click",
    "mouse_dblclick",
    "mouse_drag_and_drop",
    "keyboard_down",
    "keyboard_up",
    "keyboard_press",
    "keyboard_type",
    "keyboard_insert_text",
    "goto",
    "go_back",
    "go_forward",
    "new_tab",
    "tab_close",
    "tab_focus",
    "upload_file",
    "mouse_upload_file",
    "get_all_inputs",
    "infer",
    "stop",
    "tab_new",
    "tab_switch",
];

/// Whether a text begins with a call of BrowserGym's.
pub(super) fn looks_like(text: &str) -> bool {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    line.and_then(|line| line.split_once('(')).is_some_and(|(name, _)| ACTIONS.contains(&name.trim()))
}
