//! Tests for Playwright, in TypeScript (`@playwright/test`) and in Python (pytest-playwright). Out only.
//!
//! Both languages say the same; [`Lang`] holds what differs. Every text of the page goes through [`code`], so that
//! a button's name stays a text whatever it is.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::dialog::{self, Answer};
use super::keys::{self, Chord};
use super::locator::{self, Loc, Part};
use super::pages::Pages;
use super::{Error, Format, Loss, Severity, carry, code, secret, selector};
use crate::action::Action;
use crate::score::words::{Lang as Words, describe};
use crate::trace::{Assertion, AssertionKind, Button, Locator, Step, Target, Trace};

/// Fields of a step that a test holds.
const KEPT: [&str; 11] =
    ["value", "values", "key", "button", "count", "modifiers", "to", "frame", "tab", "secret", "target.name"];

/// Roles that Playwright knows by name.
const ROLES: [&str; 82] = [
    "alert",
    "alertdialog",
    "application",
    "article",
    "banner",
    "blockquote",
    "button",
    "caption",
    "cell",
    "checkbox",
    "code",
    "columnheader",
    "combobox",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "directory",
    "document",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "grid",
    "gridcell",
    "group",
    "heading",
    "img",
    "insertion",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "marquee",
    "math",
    "meter",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "navigation",
    "none",
    "note",
    "option",
    "paragraph",
    "presentation",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "strong",
    "subscript",
    "superscript",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "textbox",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
];

/// A language.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lang {
    TypeScript,
    Python,
}

impl Lang {
    fn string(self, text: &str) -> String {
        match self {
            Lang::TypeScript => code::js_string(text),
            Lang::Python => code::python_string(text),
        }
    }

    /// A method's name: `selectOption` or `select_option`.
    fn name(self, camel: &str) -> String {
        match self {
            Lang::TypeScript => camel.to_owned(),
            Lang::Python => camel.chars().fold(String::new(), |mut out, c| {
                if c.is_ascii_uppercase() {
                    out.push('_');
                }
                out.push(c.to_ascii_lowercase());
                out
            }),
        }
    }

    /// Named arguments: `{ a: 1 }` or `a=1`; empty for none.
    fn options(self, pairs: &[(&str, String)]) -> String {
        let names: Vec<String> = pairs
            .iter()
            .map(|(name, value)| match self {
                Lang::TypeScript => format!("{name}: {value}"),
                Lang::Python => format!("{}={value}", self.name(name)),
            })
            .collect();
        match (self, names.is_empty()) {
            (_, true) => String::new(),
            (Lang::TypeScript, _) => format!("{{ {} }}", names.join(", ")),
            (Lang::Python, _) => names.join(", "),
        }
    }

    /// An object as a value: `{ x: 1 }` or `{"x": 1}`.
    fn object(self, pairs: &[(&str, String)]) -> String {
        let inner: Vec<String> = pairs
            .iter()
            .map(|(name, value)| match self {
                Lang::TypeScript => format!("{name}: {value}"),
                Lang::Python => format!("\"{name}\": {value}"),
            })
            .collect();
        match self {
            Lang::TypeScript => format!("{{ {} }}", inner.join(", ")),
            Lang::Python => format!("{{{}}}", inner.join(", ")),
        }
    }

    fn list(self, texts: &[String]) -> String {
        format!("[{}]", texts.iter().map(|text| self.string(text)).collect::<Vec<_>>().join(", "))
    }

    fn truth(self, value: bool) -> &'static str {
        match (self, value) {
            (Lang::TypeScript, true) => "true",
            (Lang::TypeScript, false) => "false",
            (Lang::Python, true) => "True",
            (Lang::Python, false) => "False",
        }
    }

    fn comment(self, text: &str) -> String {
        let mark = if self == Lang::TypeScript { "//" } else { "#" };
        format!("{mark} {}", code::comment(text))
    }

    fn format(self) -> Format {
        match self {
            Lang::TypeScript => Format::PlaywrightTest,
            Lang::Python => Format::PlaywrightPython,
        }
    }
}

/// Writes a test.
pub(super) fn export(trace: &Trace, lang: Lang, loss: &mut Loss) -> Result<Vec<u8>, Error> {
    let pages = Pages::of(trace);
    if trace.header.url.is_empty() && !trace.steps().any(|step| step.action == Action::Goto) {
        let why = "it does not say at which address it begins".to_owned();
        return Err(Error::Export { format: lang.format(), why });
    }
    carry::rest(trace, &["header.title", "header.url", "header.viewport", "header.assertions"], true, loss);
    let mut writer =
        Writer { lang, pages: &pages, loss, lines: Vec::new(), open: BTreeSet::from([0]), env: false, regex: false };
    if !trace.header.url.is_empty() {
        let url = lang.string(&trace.header.url);
        writer.say(format!("page.goto({url})"));
    }
    let steps: Vec<&Step> = trace.steps().collect();
    let mut secrets = secret::Names::default();
    for (at, step) in steps.iter().enumerate() {
        carry::evidence(step, &KEPT, true, writer.loss);
        writer.step(step, steps.get(at + 1).copied(), &mut secrets);
    }
    for (at, assertion) in trace.header.assertions.iter().enumerate() {
        writer.goal(at, assertion);
    }
    Ok(writer.file(trace).into_bytes())
}

struct Writer<'a> {
    lang: Lang,
    pages: &'a Pages,
    loss: &'a mut Loss,
    lines: Vec<String>,
    /// The tabs that have a variable.
    open: BTreeSet<u32>,
    /// Whether the environment is read.
    env: bool,
    /// Whether regular expressions are used.
    regex: bool,
}

impl Writer<'_> {
    fn say(&mut self, call: String) {
        self.lines.push(match self.lang {
            Lang::TypeScript => format!("await {call};"),
            Lang::Python => call,
        });
    }

    fn lost(&mut self, step: &Step, field: &str, why: &str) {
        self.loss.dropped(Some(step.seq), field, Severity::Major, why);
        let note = self.lang.comment(&format!("left out: {why}"));
        self.lines.push(note);
    }

    fn page(tab: u32) -> String {
        if tab == 0 { "page".to_owned() } else { format!("page{}", tab + 1) }
    }

    #[allow(clippy::too_many_lines)]
    fn step(&mut self, step: &Step, next: Option<&Step>, secrets: &mut secret::Names) {
        let lang = self.lang;
        let note = lang.comment(&format!("{}: {}", step.seq, describe(Words::En, step)));
        if let Some(why) = super::left_out(step) {
            self.loss.dropped(Some(step.seq), "action", Severity::Minor, why);
            self.lines.push(format!("{note} (left out: {why})"));
            return;
        }
        self.lines.push(note);
        let page = Self::page(step.tab);
        if step.action == Action::TabOpen {
            self.open.insert(step.tab);
            match lang {
                Lang::TypeScript => self.lines.push(format!("const {page} = await page.context().newPage();")),
                Lang::Python => self.lines.push(format!("{page} = page.context.new_page()")),
            }
            if let Some(url) = step.value.as_deref().filter(|url| !url.is_empty()) {
                self.say(format!("{page}.goto({})", lang.string(url)));
            }
            return;
        }
        if !self.open.contains(&step.tab) {
            self.open.insert(step.tab);
            match lang {
                Lang::TypeScript => self.lines.push(format!("const {page} = await page.context().newPage();")),
                Lang::Python => self.lines.push(format!("{page} = page.context.new_page()")),
            }
            self.say(format!("{page}.goto({})", lang.string(&step.url)));
            let why = "the trace does not tell which step opened the tab; it is opened at its address";
            self.loss.changed(Some(step.seq), "tab", Severity::Minor, why);
        }
        if let Some(answer) = next.filter(|next| next.action == Action::Dialog && step.action != Action::Dialog) {
            self.dialog(&page, answer);
        }
        let opened: Vec<u32> =
            self.pages.opened_by(step.seq).into_iter().filter(|tab| !self.open.contains(tab)).collect();
        let call = self.call(step, &page, secrets);
        let Some(call) = call else { return };
        match opened[..] {
            [] => call.into_iter().for_each(|call| self.say(call)),
            [tab, ..] => {
                self.open.insert(tab);
                let variable = Self::page(tab);
                match lang {
                    Lang::TypeScript => {
                        self.lines.push(format!("const opening{} = {page}.waitForEvent('popup');", tab + 1));
                        call.into_iter().for_each(|call| self.say(call));
                        self.lines.push(format!("const {variable} = await opening{};", tab + 1));
                    }
                    Lang::Python => {
                        self.lines.push(format!("with {page}.expect_popup() as opening{}:", tab + 1));
                        self.lines.extend(call.into_iter().map(|call| format!("    {call}")));
                        self.lines.push(format!("{variable} = opening{}.value", tab + 1));
                    }
                }
            }
        }
    }

    /// Answers the dialog that the next call opens.
    fn dialog(&mut self, page: &str, answer: &Step) {
        let how = match dialog::of(answer) {
            Answer::Accept(None) => "accept()".to_owned(),
            Answer::Accept(Some(text)) => format!("accept({})", self.lang.string(&text)),
            Answer::Dismiss => "dismiss()".to_owned(),
        };
        self.lines.push(match self.lang {
            Lang::TypeScript => format!("{page}.once('dialog', dialog => dialog.{how});"),
            Lang::Python => format!("{page}.once(\"dialog\", lambda dialog: dialog.{how})"),
        });
    }

    /// The calls of a step; `None` when nothing can be called.
    #[allow(clippy::too_many_lines)]
    fn call(&mut self, step: &Step, page: &str, secrets: &mut secret::Names) -> Option<Vec<String>> {
        let lang = self.lang;
        let value = step.value.as_deref();
        let one = |call: String| Some(vec![call]);
        match step.action {
            Action::Click | Action::Dblclick | Action::Contextmenu => {
                let on = self.on(step)?;
                let mut options = Vec::new();
                let button = if step.action == Action::Contextmenu { Some(Button::Right) } else { step.button };
                match button {
                    Some(Button::Right) => options.push(("button", lang.string("right"))),
                    Some(Button::Middle) => options.push(("button", lang.string("middle"))),
                    Some(Button::Back | Button::Forward) => {
                        self.lost(step, "button", "Playwright's mouse has no such button");
                        return None;
                    }
                    Some(Button::Left) | None => {}
                }
                if step.action == Action::Click
                    && let Some(count) = step.count.filter(|count| *count > 1)
                {
                    options.push(("clickCount", count.to_string()));
                }
                if !step.modifiers.is_empty() {
                    let names: Vec<String> =
                        step.modifiers.iter().map(|m| keys::modifier_name(*m).to_owned()).collect();
                    options.push(("modifiers", lang.list(&names)));
                }
                if let Some(position) = self.position(step) {
                    options.push(("position", position));
                }
                let verb = if step.action == Action::Dblclick { "dblclick" } else { "click" };
                one(format!("{on}.{verb}({})", lang.options(&options)))
            }
            Action::Hover => {
                let on = self.on(step)?;
                one(format!("{on}.hover()"))
            }
            Action::Fill => {
                let on = self.on(step)?;
                let text = if step.secret {
                    let variable = secrets.variable();
                    self.env = true;
                    let why = format!("a secret; the test reads it from the environment variable {variable}");
                    self.loss.changed(Some(step.seq), "value", Severity::Major, why);
                    match lang {
                        Lang::TypeScript => format!("process.env.{variable} ?? ''"),
                        Lang::Python => format!("os.environ[\"{variable}\"]"),
                    }
                } else {
                    let Some(value) = value else {
                        self.lost(step, "value", "the trace does not hold the value");
                        return None;
                    };
                    lang.string(value)
                };
                one(format!("{on}.fill({text})"))
            }
            Action::Paste => {
                let on = self.on(step)?;
                let Some(value) = value.filter(|_| !step.secret) else {
                    self.lost(step, "value", "the trace does not hold what was pasted");
                    return None;
                };
                let why = "there is no paste; its text is inserted at the caret";
                self.loss.changed(Some(step.seq), "action", Severity::Minor, why);
                Some(vec![
                    format!("{on}.focus()"),
                    format!("{page}.keyboard.{}({})", lang.name("insertText"), lang.string(value)),
                ])
            }
            Action::Press | Action::Copy | Action::Cut => {
                let key = match step.action {
                    Action::Copy => "Control+C",
                    Action::Cut => "Control+X",
                    _ => match step.key.as_deref() {
                        Some(key) => key,
                        None => {
                            self.lost(step, "key", "the trace does not hold the key");
                            return None;
                        }
                    },
                };
                if step.action != Action::Press {
                    let why = "there is no clipboard; its shortcut is pressed";
                    self.loss.changed(Some(step.seq), "action", Severity::Info, why);
                }
                let key = lang.string(&Chord::parse(key).playwright());
                match &step.target {
                    Some(_) => {
                        let on = self.on(step)?;
                        one(format!("{on}.press({key})"))
                    }
                    None => one(format!("{page}.keyboard.press({key})")),
                }
            }
            Action::Select => {
                let on = self.on(step)?;
                let labels = if step.values.is_empty() {
                    value.map(str::to_owned).into_iter().collect()
                } else {
                    step.values.clone()
                };
                let verb = lang.name("selectOption");
                one(match (lang, &labels[..]) {
                    (_, []) => {
                        self.lost(step, "value", "the trace does not hold the option");
                        return None;
                    }
                    (Lang::TypeScript, [label]) => format!("{on}.{verb}({{ label: {} }})", lang.string(label)),
                    (Lang::TypeScript, many) => {
                        let all: Vec<String> =
                            many.iter().map(|l| format!("{{ label: {} }}", lang.string(l))).collect();
                        format!("{on}.{verb}([{}])", all.join(", "))
                    }
                    (Lang::Python, [label]) => format!("{on}.{verb}(label={})", lang.string(label)),
                    (Lang::Python, many) => format!("{on}.{verb}(label={})", lang.list(many)),
                })
            }
            Action::Check | Action::Uncheck => {
                let on = self.on(step)?;
                one(format!("{on}.{}()", step.action.name()))
            }
            Action::Upload => {
                let on = self.on(step)?;
                let files = if step.values.is_empty() {
                    value.map(str::to_owned).into_iter().collect()
                } else {
                    step.values.clone()
                };
                let why = "files are known by name only; put them where the test runs";
                self.loss.changed(Some(step.seq), "values", Severity::Major, why);
                one(format!("{on}.{}({})", lang.name("setInputFiles"), lang.list(&files)))
            }
            Action::Scroll => {
                let Some(to) = step.to else {
                    self.lost(step, "to", "the trace does not say where it scrolled to");
                    return None;
                };
                let to = format!("[{}, {}]", number(to.x), number(to.y));
                match &step.target {
                    Some(_) => {
                        let on = self.on(step)?;
                        let script = lang.string("(element, [x, y]) => element.scrollTo(x, y)");
                        let script =
                            if lang == Lang::TypeScript { script.trim_matches('\'').to_owned() } else { script };
                        one(format!("{on}.evaluate({script}, {to})"))
                    }
                    None if !step.frame.is_empty() => {
                        let Ok(frame) = self.enter(page, &step.frame) else {
                            self.lost(step, "frame", "Playwright has no word for the frame");
                            return None;
                        };
                        let script = "(element, [x, y]) => element.ownerDocument.defaultView.scrollTo(x, y)";
                        let script = if lang == Lang::TypeScript { script.to_owned() } else { lang.string(script) };
                        one(format!("{frame}.locator({}).evaluate({script}, {to})", lang.string("html")))
                    }
                    None => {
                        let script = lang.string("([x, y]) => window.scrollTo(x, y)");
                        let script =
                            if lang == Lang::TypeScript { script.trim_matches('\'').to_owned() } else { script };
                        one(format!("{page}.evaluate({script}, {to})"))
                    }
                }
            }
            Action::Drag => {
                let on = self.on(step)?;
                let Some(to) = step.to else {
                    self.lost(step, "to", "the trace does not say where it was dropped");
                    return None;
                };
                let why = "it is dropped at the recorded place of the viewport, whatever is there";
                self.loss.changed(Some(step.seq), "to", Severity::Minor, why);
                let mut options = Vec::new();
                if let Some((x, y)) = locator::offset(step) {
                    options.push(("position", lang.object(&[("x", number(x)), ("y", number(y))])));
                }
                let steps = lang.options(&[("steps", "10".to_owned())]);
                Some(vec![
                    format!("{on}.hover({})", lang.options(&options)),
                    format!("{page}.mouse.down()"),
                    format!("{page}.mouse.move({}, {}, {steps})", number(to.x), number(to.y)),
                    format!("{page}.mouse.up()"),
                ])
            }
            Action::Goto => match value {
                Some(url) => one(format!("{page}.goto({})", lang.string(url))),
                None => {
                    self.lost(step, "value", "the trace does not hold the address");
                    None
                }
            },
            Action::Back => one(format!("{page}.{}()", lang.name("goBack"))),
            Action::Forward => one(format!("{page}.{}()", lang.name("goForward"))),
            Action::Reload => one(format!("{page}.reload()")),
            Action::TabSwitch => one(format!("{page}.{}()", lang.name("bringToFront"))),
            Action::TabClose => one(format!("{page}.close()")),
            Action::Wait => one(format!("{page}.{}({})", lang.name("waitForTimeout"), number(step.elapsed_ms.round()))),
            // Said before the call that opened it.
            Action::Dialog => None,
            Action::TabOpen => None,
        }
    }

    /// Where in its element, for pictures that look at it themselves.
    fn position(&self, step: &Step) -> Option<String> {
        let target = step.target.as_ref()?;
        if !matches!(target.tag.as_str(), "canvas" | "svg" | "video" | "img" | "area") {
            return None;
        }
        let (x, y) = locator::offset(step)?;
        Some(self.lang.object(&[("x", number(x)), ("y", number(y))]))
    }

    /// The locator of a step's target; what cannot be told is.
    fn on(&mut self, step: &Step) -> Option<String> {
        let Some(target) = &step.target else {
            self.lost(step, "target", "the trace does not say on what");
            return None;
        };
        match self.locator(&Self::page(step.tab), &step.frame, target) {
            Ok((text, used)) => {
                if target.locators.len() > 1 {
                    let why = format!("a test holds one locator: {}", used.value);
                    self.loss.dropped(Some(step.seq), "target.locators", Severity::Minor, why);
                }
                Some(text)
            }
            Err(why) => {
                self.lost(step, "target.locators", &why);
                None
            }
        }
    }

    /// The way into a frame.
    fn enter(&self, page: &str, frame: &[String]) -> Result<String, String> {
        let mut text = page.to_owned();
        for loc in locator::frames(frame).map_err(|other| format!("Playwright has no word for the frame {other}"))? {
            text.push_str(&self.get(&loc));
            text.push_str(match self.lang {
                Lang::TypeScript => ".contentFrame()",
                Lang::Python => ".content_frame",
            });
        }
        Ok(text)
    }

    fn locator<'t>(&self, page: &str, frame: &[String], target: &'t Target) -> Result<(String, &'t Locator), String> {
        let mut text = self.enter(page, frame)?;
        let all = locator::readable(target);
        let known = |loc: &Loc| match loc {
            Loc::Role(role, _) => ROLES.contains(&role.as_str()) && role != "generic" && role != "none",
            _ => true,
        };
        let best = all.into_iter().find(|(loc, _)| known(loc));
        let (loc, used) = best.ok_or("none of the locators can be told in Playwright's words")?;
        text.push_str(&self.get(&loc));
        if used.matches > 1 {
            text.push_str(match self.lang {
                Lang::TypeScript => ".first()",
                Lang::Python => ".first",
            });
        }
        Ok((text, used))
    }

    /// `.getByRole('button', { name: 'Save', exact: true })` and its kin.
    fn get(&self, loc: &Loc) -> String {
        let lang = self.lang;
        let exact = || ("exact", lang.truth(true).to_owned());
        let by = |method: &str, text: &str, options: &[(&str, String)]| {
            let options = lang.options(options);
            let comma = if options.is_empty() { "" } else { ", " };
            format!(".{}({}{comma}{options})", lang.name(method), lang.string(text))
        };
        match loc {
            Loc::TestId(id) if self.pages.test_id() == Some("data-testid") => by("getByTestId", id, &[]),
            Loc::TestId(id) => match self.pages.test_id() {
                Some(name) => by("locator", &format!("[{name}={}]", code::css_string(id)), &[]),
                None => by("locator", &loc.css().unwrap_or_default(), &[]),
            },
            Loc::Role(role, None) => by("getByRole", role, &[]),
            Loc::Role(role, Some(name)) => by("getByRole", role, &[("name", lang.string(name)), exact()]),
            Loc::Label(text) => by("getByLabel", text, &[exact()]),
            Loc::Placeholder(text) => by("getByPlaceholder", text, &[exact()]),
            Loc::Text(text) => by("getByText", text, &[exact()]),
            Loc::Css(css) => by("locator", &selector::write(&Loc::Css(css.clone()), None), &[]),
            Loc::Path(parts) if parts.contains(&Part::Shadow) => by("locator", &selector::path(parts), &[]),
            Loc::Path(_) => by("locator", &format!("xpath={}", loc.xpath().unwrap_or_default()), &[]),
        }
    }

    fn goal(&mut self, at: usize, assertion: &Assertion) {
        let lang = self.lang;
        let expected = assertion.expected.as_str();
        let field = format!("header.assertions[{at}]");
        let name = |verb: &str| lang.name(verb);
        if assertion.kind == AssertionKind::Url {
            let page = Self::page(self.open.iter().next_back().copied().unwrap_or(0));
            let wanted = if expected.contains('*') {
                let pattern = lang.string(&code::url_pattern(expected));
                match lang {
                    Lang::TypeScript => format!("new RegExp({pattern})"),
                    Lang::Python => {
                        self.regex = true;
                        format!("re.compile({pattern})")
                    }
                }
            } else {
                lang.string(expected)
            };
            return self.say(format!("expect({page}).{}({wanted})", name("toHaveURL").replace("_u_r_l", "_url")));
        }
        let Some(target) = &assertion.target else {
            return self.loss.dropped(None, field, Severity::Major, "the goal does not say on what");
        };
        let page = Self::page(0);
        let first: Vec<Locator> = target.locators.iter().take(1).cloned().collect();
        let counted = Target { locators: first, ..target.clone() };
        let subject = if assertion.kind == AssertionKind::Count { &counted } else { target };
        let on = match self.locator(&page, &assertion.frame, subject) {
            Ok((text, _)) if assertion.kind == AssertionKind::Count => {
                text.trim_end_matches(".first()").trim_end_matches(".first").to_owned()
            }
            Ok((text, _)) => text,
            Err(why) => return self.loss.dropped(None, field, Severity::Major, why),
        };
        let check = match assertion.kind {
            AssertionKind::Text => {
                // Cells of a row stand apart on the screen and not in its text content.
                let apart = ["tr", "table", "tbody", "ul", "ol", "dl", "li", "form"].contains(&target.tag.as_str());
                let options =
                    if apart { lang.options(&[("useInnerText", lang.truth(true).to_owned())]) } else { String::new() };
                let comma = if options.is_empty() { "" } else { ", " };
                format!("{}({}{comma}{options})", name("toHaveText"), lang.string(expected))
            }
            AssertionKind::Value => format!("{}({})", name("toHaveValue"), lang.string(expected)),
            AssertionKind::Visible if expected == "false" => format!("{}()", name("toBeHidden")),
            AssertionKind::Visible => format!("{}()", name("toBeVisible")),
            AssertionKind::Checked if expected == "false" => match lang {
                Lang::TypeScript => "not.toBeChecked()".to_owned(),
                Lang::Python => "not_to_be_checked()".to_owned(),
            },
            AssertionKind::Checked => format!("{}()", name("toBeChecked")),
            AssertionKind::Count => match expected.trim().parse::<u32>() {
                Ok(count) => format!("{}({count})", name("toHaveCount")),
                Err(_) => {
                    return self.loss.dropped(None, field, Severity::Major, "the count wanted is no number");
                }
            },
            AssertionKind::Url => return,
        };
        self.say(format!("expect({on}).{check}"));
    }

    fn file(&self, trace: &Trace) -> String {
        let title = if trace.header.title.is_empty() { "recording" } else { &trace.header.title };
        let viewport = trace.header.viewport.filter(|v| v.width >= 1.0 && v.height >= 1.0);
        let size = viewport
            .map(|v| self.lang.object(&[("width", number(v.width.round())), ("height", number(v.height.round()))]));
        let mut out = String::new();
        // Writing into a String cannot fail.
        match self.lang {
            Lang::TypeScript => {
                let _ = writeln!(
                    out,
                    "{}\nimport {{ expect, test }} from '@playwright/test';\n",
                    self.lang.comment("Written by Tracerule from a recording.")
                );
                if let Some(size) = size {
                    let _ = writeln!(out, "test.use({{ viewport: {size} }});\n");
                }
                let _ = writeln!(out, "test({}, async ({{ page }}) => {{", self.lang.string(title));
                for line in &self.lines {
                    let _ = writeln!(out, "  {line}");
                }
                out.push_str("});\n");
            }
            Lang::Python => {
                let _ = writeln!(
                    out,
                    "{}",
                    self.lang.comment(&format!("Written by Tracerule from the recording: {title}"))
                );
                if self.env {
                    out.push_str("import os\n");
                }
                if self.regex {
                    out.push_str("import re\n");
                }
                if self.env || self.regex {
                    out.push('\n');
                }
                out.push_str(
                    "from playwright.sync_api import Page, expect\n\n\ndef test_recording(page: Page) -> None:\n",
                );
                if let Some(size) = size {
                    let _ = writeln!(out, "    page.set_viewport_size({size})");
                }
                for line in &self.lines {
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
        out
    }
}

/// A number without needless digits.
fn number(n: f64) -> String {
    let rounded = (n * 100.0).round() / 100.0;
    if rounded.fract() == 0.0 { format!("{rounded:.0}") } else { format!("{rounded}") }
}
