//! Writing, in version 10. Each step is the call that would do it; screenshots stand beside it, as stills of the call and
//! in the film. The archive has no entries for folders, which Playwright's own command cannot unpack.

use std::io::{Cursor, Write};

use serde_json::{Map, Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use super::NEWEST;
use crate::action::Action;
use crate::interop::dialog::{self, Answer};
use crate::interop::keys::{self, Chord};
use crate::interop::locator::{self, Loc};
use crate::interop::pages::Pages;
use crate::interop::{Error, Format, Loss, Options, Severity, carry, secret, selector};
use crate::trace::{Assertion, AssertionKind, Button, Outcome, Screenshot, Step, Target, Trace};

const FORMAT: Format = Format::PlaywrightTrace;

/// Fields that the calls hold.
const KEPT: [&str; 18] = [
    "t_ms",
    "elapsed_ms",
    "value",
    "values",
    "key",
    "button",
    "count",
    "modifiers",
    "frame",
    "tab",
    "outcome",
    "target.role",
    "target.name",
    "target.box",
    "target.pointer",
    "pre.screenshot",
    "post.screenshot",
    "to",
];

/// Writes a trace.
pub(in crate::interop) fn export(trace: &Trace, options: &Options, loss: &mut Loss) -> Result<Vec<u8>, Error> {
    let failed = |why: String| Error::Export { format: FORMAT, why };
    let pages = Pages::of(trace);
    carry::rest(
        trace,
        &["header.title", "header.url", "header.viewport", "header.started_ms", "header.assertions"],
        options.plain,
        loss,
    );
    let test_id = pages.test_id().unwrap_or("data-testid");
    let mut head = json!({
        "version": NEWEST, "type": "context-options", "origin": "library", "browserName": "chromium",
        "platform": "linux", "wallTime": trace.header.started_ms, "monotonicTime": 0.0,
        "options": {}, "sdkLanguage": "javascript", "testIdAttributeName": test_id, "title": trace.header.title,
    });
    if let Some(viewport) = trace.header.viewport {
        head["options"] = json!({
            "viewport": {"width": viewport.width, "height": viewport.height},
            "deviceScaleFactor": viewport.dpr,
        });
    }
    if !options.plain {
        head["tracerule"] = carry::whole(trace);
    }
    let mut writer = Writer {
        trace,
        pages: &pages,
        loss,
        plain: options.plain,
        events: vec![head],
        calls: 0,
        opened: Vec::new(),
        files: Vec::new(),
    };
    writer.open(0, 0.0);
    if !trace.header.url.is_empty() {
        let call =
            json!({"class": "Frame", "method": "goto", "params": {"url": trace.header.url, "waitUntil": "load"}});
        writer.call(0, 0.0, 0.0, call, None, &Outcome::Ok, None);
    }
    let mut secrets = secret::Names::default();
    for step in trace.steps() {
        writer.step(step, &mut secrets);
    }
    let last = trace.events.iter().map(|e| e.t_ms()).fold(trace.header.started_ms, f64::max) - trace.header.started_ms;
    for (at, assertion) in trace.header.assertions.iter().enumerate() {
        writer.goal(at, assertion, last);
    }
    let Writer { events, files, .. } = writer;
    let mut text = String::new();
    for event in events {
        text.push_str(&event.to_string());
        text.push('\n');
    }
    zip(&text, &files).map_err(failed)
}

fn zip(events: &str, files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // Nothing of the machine or the moment may enter the bytes.
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(0o644)
        .compression_method(CompressionMethod::Deflated);
    let mut put = |name: &str, bytes: &[u8], options: SimpleFileOptions| {
        writer.start_file(name, options).map_err(|e| e.to_string())?;
        writer.write_all(bytes).map_err(|e| e.to_string())
    };
    put("trace.trace", events.as_bytes(), options)?;
    put("trace.network", b"", options)?;
    for (name, bytes) in files {
        put(name, bytes, options.compression_method(CompressionMethod::Stored))?;
    }
    writer.finish().map(Cursor::into_inner).map_err(|e| e.to_string())
}

struct Writer<'a> {
    trace: &'a Trace,
    pages: &'a Pages,
    loss: &'a mut Loss,
    plain: bool,
    events: Vec<Value>,
    calls: u32,
    /// Tabs that were told.
    opened: Vec<u32>,
    files: Vec<(String, Vec<u8>)>,
}

impl Writer<'_> {
    fn page(tab: u32) -> String {
        format!("page@{tab}")
    }

    fn open(&mut self, tab: u32, t: f64) {
        if self.opened.contains(&tab) {
            return;
        }
        // Readers number pages as they appear: the tabs before it come first, also those in which nothing was done.
        const MOST: u32 = 1000;
        let before = if tab < MOST { 0..tab } else { 0..0 };
        for tab in before.chain([tab]) {
            if !self.opened.contains(&tab) {
                self.opened.push(tab);
                self.events.push(json!({
                    "type": "event", "time": t, "class": "BrowserContext", "method": "page", "params": {"pageId": Self::page(tab)},
                    "pageId": Self::page(tab),
                }));
            }
        }
    }

    /// One call; gives its id.
    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        tab: u32,
        start: f64,
        end: f64,
        mut call: Value,
        aside: Option<Value>,
        outcome: &Outcome,
        step: Option<&Step>,
    ) -> String {
        self.calls += 1;
        let id = format!("call@{}", self.calls);
        let mut before = Map::new();
        before.insert("type".to_owned(), json!("before"));
        before.insert("callId".to_owned(), json!(id));
        before.insert("startTime".to_owned(), json!(start));
        if let Some(fields) = call.as_object_mut() {
            before.append(fields);
        }
        before.insert("pageId".to_owned(), json!(Self::page(tab)));
        if let Some(aside) = aside {
            before.insert("tracerule".to_owned(), aside);
        }
        self.events.push(Value::Object(before));
        let target = step.and_then(|step| step.target.as_ref());
        let mut input = json!({"type": "input", "callId": id});
        if let Some(point) = target.and_then(|t| t.pointer) {
            input["point"] = json!({"x": point.x, "y": point.y});
        }
        if let Some(rect) = target.and_then(|t| t.rect) {
            input["box"] = json!({"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height});
        }
        self.events.push(input);
        if let Some(step) = step {
            use crate::score::words::{Lang, describe};
            self.events.push(json!({"type": "log", "callId": id, "time": start, "message": describe(Lang::En, step)}));
            if let Some(target) = target.filter(|t| !t.tag.is_empty()) {
                let message = format!("  locator resolved to <{}>", target.tag);
                self.events.push(json!({"type": "log", "callId": id, "time": start, "message": message}));
            }
        }
        let mut after = json!({"type": "after", "callId": id, "endTime": end.max(start)});
        if let Outcome::Error { message, .. } = outcome {
            after["error"] = json!({"name": "Error", "message": message});
        }
        self.events.push(after);
        id
    }

    fn step(&mut self, step: &Step, secrets: &mut secret::Names) {
        let start = step.t_ms - self.trace.header.started_ms;
        let end = start + step.elapsed_ms.max(0.0);
        let mut calls = self.calls_of(step, secrets);
        if calls.is_empty() {
            // Told as a group, so that it is seen; its own tool does nothing with it.
            calls.push(json!({"class": "Tracing", "method": "tracingGroup", "title": format!("Tracerule: {}", step.action), "params": {"name": format!("Tracerule: {}", step.action)}}));
        }
        if step.action != Action::TabOpen {
            self.open(step.tab, start);
        }
        let mut kept: Vec<&str> = KEPT.to_vec();
        let shots =
            [("pre.screenshot", "before", &step.pre.screenshot), ("post.screenshot", "after", &step.post.screenshot)];
        for (field, _, shot) in &shots {
            if shot.as_ref().is_some_and(|shot| !self.trace.blobs.contains_key(&shot.blob)) {
                kept.retain(|kept| kept != field);
            }
        }
        carry::evidence(step, &kept, self.plain, self.loss);
        // The records as they will be read: with their ids.
        let mut records = Vec::new();
        let first = self.calls + 1;
        for (at, call) in calls.iter().enumerate() {
            let mut record = Map::new();
            record.insert("type".to_owned(), json!("before"));
            record.insert("callId".to_owned(), json!(format!("call@{}", first + u32::try_from(at).unwrap_or(0))));
            record.insert("startTime".to_owned(), json!(start));
            if let Some(fields) = call.as_object() {
                record.extend(fields.clone());
            }
            record.insert("pageId".to_owned(), json!(Self::page(step.tab)));
            records.push(Value::Object(record));
        }
        let aside = (!self.plain).then(|| carry::step(step, &records, true));
        let mut id = None;
        for (at, call) in calls.into_iter().enumerate() {
            let aside = if at == 0 { aside.clone() } else { None };
            let made = self.call(step.tab, start, end, call, aside, &step.outcome, Some(step));
            id.get_or_insert(made);
        }
        if step.action == Action::TabOpen {
            self.open(step.tab, start);
        }
        for (_, phase, shot) in shots {
            if let (Some(shot), Some(id)) = (shot, &id) {
                self.picture(step.tab, id, phase, shot);
            }
        }
    }

    fn picture(&mut self, tab: u32, call: &str, phase: &str, shot: &Screenshot) {
        let Some(bytes) = self.trace.blobs.get(&shot.blob) else { return };
        let name = shot.blob.rsplit('/').next().unwrap_or(&shot.blob);
        let t = shot.t_ms - self.trace.header.started_ms;
        for folder in ["screenshots", "screencast"] {
            let file = format!("{folder}/{name}");
            if !self.files.iter().any(|(known, _)| *known == file) {
                self.files.push((file.clone(), bytes.clone()));
            }
            let page = Self::page(tab);
            self.events.push(if folder == "screenshots" {
                json!({"type": "screenshot", "callId": call, "phase": phase, "file": file, "pageId": page, "timestamp": t})
            } else {
                json!({"type": "screencast-frame", "pageId": page, "file": file, "width": shot.width, "height": shot.height, "timestamp": t})
            });
        }
    }

    /// The calls that do a step; none for what the API cannot.
    #[allow(clippy::too_many_lines)]
    fn calls_of(&mut self, step: &Step, secrets: &mut secret::Names) -> Vec<Value> {
        let frame = |method: &str, params: Value| json!({"class": "Frame", "method": method, "params": params});
        let page = |method: &str, params: Value| json!({"class": "Page", "method": method, "params": params});
        let on = |writer: &mut Self| {
            let Some(target) = &step.target else {
                writer.loss.dropped(Some(step.seq), "target", Severity::Major, "the trace does not say on what");
                return None;
            };
            let Some(selector) = writer.selector(&step.frame, target) else {
                writer.loss.dropped(
                    Some(step.seq),
                    "target.locators",
                    Severity::Major,
                    "none of the locators can be told in Playwright's words",
                );
                return None;
            };
            Some(json!({"selector": selector, "strict": true}))
        };
        let button = match step.button {
            Some(Button::Right) => "right",
            Some(Button::Middle) => "middle",
            _ => "left",
        };
        let modifiers: Vec<&str> = step.modifiers.iter().map(|m| keys::modifier_name(*m)).collect();
        let call = match step.action {
            Action::Click | Action::Dblclick | Action::Contextmenu => on(self).map(|mut params| {
                if step.action == Action::Contextmenu || button != "left" {
                    params["button"] = json!(if step.action == Action::Contextmenu { "right" } else { button });
                }
                if !modifiers.is_empty() {
                    params["modifiers"] = json!(modifiers);
                }
                if let Some(count) = step.count.filter(|count| *count > 1) {
                    params["clickCount"] = json!(count);
                }
                frame(if step.action == Action::Dblclick { "dblclick" } else { "click" }, params)
            }),
            Action::Hover => on(self).map(|params| frame("hover", params)),
            Action::Fill | Action::Paste => on(self).map(|mut params| {
                if step.action == Action::Paste {
                    self.loss.changed(
                        Some(step.seq),
                        "action",
                        Severity::Minor,
                        "there is no paste; the field is filled",
                    );
                }
                params["value"] = if step.secret {
                    let placeholder = secrets.placeholder();
                    let why = format!("a secret; the file holds the placeholder {placeholder}");
                    self.loss.changed(Some(step.seq), "value", Severity::Info, why);
                    json!(placeholder)
                } else {
                    json!(step.value.as_deref().unwrap_or_default())
                };
                frame("fill", params)
            }),
            Action::Press | Action::Copy | Action::Cut => {
                let key = match step.action {
                    Action::Copy => "Control+C",
                    Action::Cut => "Control+X",
                    _ => step.key.as_deref().unwrap_or_default(),
                };
                if step.action != Action::Press {
                    self.loss.changed(
                        Some(step.seq),
                        "action",
                        Severity::Info,
                        "there is no clipboard; its shortcut is pressed",
                    );
                }
                let key = Chord::parse(key).playwright();
                if step.target.is_some() {
                    on(self).map(|mut params| {
                        params["key"] = json!(key);
                        frame("press", params)
                    })
                } else {
                    Some(page("keyboardPress", json!({"key": key})))
                }
            }
            Action::Select => on(self).map(|mut params| {
                let labels =
                    if step.values.is_empty() { step.value.iter().cloned().collect() } else { step.values.clone() };
                params["options"] = labels.iter().map(|label| json!({"label": label})).collect();
                frame("selectOption", params)
            }),
            Action::Check | Action::Uncheck => on(self).map(|params| frame(step.action.name(), params)),
            Action::Upload => on(self).map(|mut params| {
                let files =
                    if step.values.is_empty() { step.value.iter().cloned().collect() } else { step.values.clone() };
                params["localPaths"] = json!(files);
                self.loss.changed(Some(step.seq), "values", Severity::Minor, "files are known by name only");
                frame("setInputFiles", params)
            }),
            Action::Scroll => {
                let to = step.to.unwrap_or_default();
                let why = "the wheel is turned by what the offset is; there is no scrolling to a place";
                self.loss.changed(Some(step.seq), "to", Severity::Minor, why);
                self.loss.changed(Some(step.seq), "target", Severity::Minor, "the wheel turns where the mouse is");
                Some(page("mouseWheel", json!({"deltaX": to.x, "deltaY": to.y})))
            }
            Action::Drag => {
                let from = step.target.as_ref().and_then(|t| t.pointer).unwrap_or_default();
                let to = step.to.unwrap_or_default();
                self.loss.changed(
                    Some(step.seq),
                    "target",
                    Severity::Minor,
                    "a drag is told by the places where it began and ended",
                );
                return vec![
                    page("mouseMove", json!({"x": from.x, "y": from.y})),
                    page("mouseDown", json!({"button": "left"})),
                    page("mouseMove", json!({"x": to.x, "y": to.y, "steps": 10})),
                    page("mouseUp", json!({"button": "left"})),
                ];
            }
            Action::Goto => {
                Some(frame("goto", json!({"url": step.value.as_deref().unwrap_or_default(), "waitUntil": "load"})))
            }
            Action::Back => Some(page("goBack", json!({}))),
            Action::Forward => Some(page("goForward", json!({}))),
            Action::Reload => Some(page("reload", json!({}))),
            Action::TabOpen => Some(json!({"class": "BrowserContext", "method": "newPage", "params": {}})),
            Action::TabSwitch => Some(page("bringToFront", json!({}))),
            Action::TabClose => Some(page("close", json!({}))),
            Action::Dialog => {
                let (method, params) = match dialog::of(step) {
                    Answer::Accept(None) => ("accept", json!({})),
                    Answer::Accept(Some(text)) => ("accept", json!({"promptText": text})),
                    Answer::Dismiss => ("dismiss", json!({})),
                };
                Some(json!({"class": "Dialog", "method": method, "params": params}))
            }
            Action::Wait => Some(frame("waitForTimeout", json!({"waitTimeout": step.elapsed_ms}))),
        };
        call.into_iter().collect()
    }

    fn selector(&mut self, frame: &[String], target: &Target) -> Option<String> {
        let frames: Vec<Loc> = locator::frames(frame).ok()?;
        let (loc, _) = locator::readable(target).into_iter().next()?;
        Some(selector::framed(&frames, &loc, self.pages.test_id()))
    }

    fn goal(&mut self, at: usize, assertion: &Assertion, t: f64) {
        let expected = assertion.expected.as_str();
        let text = || json!([{"string": expected, "normalizeWhiteSpace": true}]);
        let mut params = json!({"isNot": false});
        if assertion.kind == AssertionKind::Url {
            params["selector"] = json!(":root");
        } else {
            let selector = assertion.target.as_ref().and_then(|target| self.selector(&assertion.frame, target));
            let Some(selector) = selector else {
                let why = "none of its locators can be told in Playwright's words";
                return self.loss.dropped(None, format!("header.assertions[{at}]"), Severity::Minor, why);
            };
            params["selector"] = json!(selector);
        }
        match assertion.kind {
            AssertionKind::Text | AssertionKind::Value | AssertionKind::Url => params["expectedText"] = text(),
            AssertionKind::Count => params["expectedNumber"] = json!(expected.trim().parse::<u32>().unwrap_or(0)),
            AssertionKind::Visible | AssertionKind::Checked => params["isNot"] = json!(expected == "false"),
        }
        params["expression"] = json!(match assertion.kind {
            AssertionKind::Text => "to.have.text",
            AssertionKind::Value => "to.have.value",
            AssertionKind::Url => "to.have.url",
            AssertionKind::Count => "to.have.count",
            AssertionKind::Visible => "to.be.visible",
            AssertionKind::Checked => "to.be.checked",
        });
        let aside = (!self.plain).then(|| json!({"goal": at}));
        self.call(0, t, t, json!({"class": "Frame", "method": "expect", "params": params}), aside, &Outcome::Ok, None);
    }
}
