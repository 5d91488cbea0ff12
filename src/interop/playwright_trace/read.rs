//! Reading: all versions become one list of calls, and calls become steps.

use std::collections::{BTreeMap, HashMap};
use std::io::{Cursor, Read};

use serde_json::{Map, Value, json};
use zip::ZipArchive;

use super::calls::{Meaning, meaning};
use super::{NEWEST, OLDEST};
use crate::action::Action;
use crate::interop::build::{self, Draft};
use crate::interop::{Format, Loss, Severity, carry, secret};
use crate::trace::{
    Actor, Ending, EndingStatus, Event, FailureCode, MASK, Modifier, NoteEvent, Outcome, PageChange, Point, Rect, Role,
    Screenshot, Step, Trace, Viewport, blob_matches, blob_name,
};

/// The most entries that an archive may have.
const ENTRIES: usize = 100_000;
/// The most bytes that an archive may unpack to.
const BYTES: u64 = 1 << 30;

/// Reads a trace.
pub(in crate::interop) fn import(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
    let files = unpack(bytes)?;
    let mut names: Vec<&String> = files.keys().filter(|name| name.ends_with(".trace")).collect();
    names.sort();
    if names.is_empty() {
        return Err("the archive holds no .trace file".to_owned());
    }
    let mut context = Context::new(bytes);
    for name in names {
        let Some(text) = files.get(name) else { continue };
        context.file(name, text, loss)?;
    }
    if !context.known {
        return Err("no .trace file of it begins with `context-options`".to_owned());
    }
    Ok(context.finish(&files, loss))
}

fn unpack(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| format!("not a whole zip archive: {e}"))?;
    if archive.len() > ENTRIES {
        return Err(format!("the archive has {} entries, more than {ENTRIES}", archive.len()));
    }
    let mut left = BYTES;
    let mut files = BTreeMap::new();
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(|e| format!("an entry of the archive cannot be unpacked: {e}"))?;
        let name = entry.name().to_owned();
        let wanted = name.ends_with(".trace")
            || name.starts_with("screencast/")
            || name.starts_with("screenshots/")
            || name.starts_with("resources/");
        if !wanted || entry.is_dir() {
            continue;
        }
        let mut content = Vec::new();
        let got =
            entry.take(left + 1).read_to_end(&mut content).map_err(|e| format!("{name} cannot be unpacked: {e}"))?;
        left = left.checked_sub(got as u64).ok_or_else(|| format!("the archive unpacks to more than {BYTES} bytes"))?;
        files.insert(name, content);
    }
    Ok(files)
}

/// A call, put together from its events.
#[derive(Debug, Default)]
struct Call {
    class: String,
    method: String,
    params: Value,
    start: f64,
    end: Option<f64>,
    page: Option<String>,
    point: Option<Point>,
    rect: Option<Rect>,
    error: Option<String>,
    /// The address of the main frame when it began.
    url: Option<String>,
    /// The tag of the element that the locator resolved to.
    tag: Option<String>,
    /// What Tracerule set aside, and the record beside which.
    aside: Option<Value>,
    record: Value,
}

/// A picture of a page.
struct Frame {
    page: String,
    t: f64,
    file: String,
    width: u32,
    height: u32,
}

struct Context {
    draft: Draft,
    known: bool,
    calls: Vec<Call>,
    by_id: HashMap<String, usize>,
    pages: Vec<String>,
    frames: Vec<Frame>,
    skipped: BTreeMap<String, u32>,
    whole: Option<(crate::trace::Header, Vec<Event>)>,
}

impl Context {
    fn new(bytes: &[u8]) -> Context {
        Context {
            draft: Draft::new(bytes, Role::Run, Format::PlaywrightTrace),
            known: false,
            calls: Vec::new(),
            by_id: HashMap::new(),
            pages: Vec::new(),
            frames: Vec::new(),
            skipped: BTreeMap::new(),
            whole: None,
        }
    }

    /// One `.trace` file.
    fn file(&mut self, name: &str, content: &[u8], loss: &mut Loss) -> Result<(), String> {
        let mut clock: Option<Clock> = None;
        let lines: Vec<&[u8]> = content.split(|b| *b == b'\n').collect();
        for (at, line) in lines.iter().enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let event: Value = match serde_json::from_slice(line) {
                Ok(event) => event,
                Err(_) if at + 1 == lines.len() => {
                    loss.dropped(
                        None,
                        format!("{name} line {}", at + 1),
                        Severity::Minor,
                        "the last line was torn off",
                    );
                    continue;
                }
                Err(error) => return Err(format!("{name}, line {}: {error}", at + 1)),
            };
            if event.get("type").and_then(Value::as_str) == Some("context-options") {
                clock = Some(self.options(name, &event, loss)?);
                continue;
            }
            // Traces of the test runner before version 7 begin without a head.
            let clock = clock.get_or_insert(Clock { wall: 0.0, monotonic: 0.0, version: 6, set: false });
            let prefix = name.strip_suffix(".trace").unwrap_or(name);
            self.event(prefix, clock, &event);
        }
        Ok(())
    }

    fn options(&mut self, name: &str, event: &Value, loss: &mut Loss) -> Result<Clock, String> {
        let version = event.get("version").and_then(Value::as_u64).unwrap_or(6);
        if version > NEWEST {
            return Err(format!(
                "{name} is of version {version} and this build reads {OLDEST} to {NEWEST}; a newer Playwright made it: \
                 update Tracerule"
            ));
        }
        if version < OLDEST {
            return Err(format!("{name} is of version {version}; {OLDEST} to {NEWEST} are read"));
        }
        let number = |name: &str| event.get(name).and_then(Value::as_f64).filter(|n| n.is_finite());
        let wall = number("wallTime").unwrap_or(0.0);
        // Times count from somewhere else before version 7: the first call tells from where.
        let set = version >= 7 && number("monotonicTime").is_some();
        let monotonic = if set { number("monotonicTime").unwrap_or(0.0) } else { 0.0 };
        let header = &mut self.draft.header;
        if !self.known {
            self.known = true;
            header.started_ms = wall;
        } else if wall > 0.0 && (wall < header.started_ms || header.started_ms == 0.0) {
            header.started_ms = wall;
        }
        if let Some(title) = event.get("title").and_then(Value::as_str).filter(|_| header.title.is_empty()) {
            title.clone_into(&mut header.title);
        }
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if header.recorder.browser.is_empty() {
            header.recorder.browser = text("browserName");
            header.recorder.version = text("playwrightVersion");
        }
        if let Some(options) = event.get("options") {
            let side = |name: &str| options.get("viewport").and_then(|v| v.get(name)).and_then(Value::as_f64);
            if let (Some(width), Some(height), None) = (side("width"), side("height"), header.viewport) {
                let dpr = options.get("deviceScaleFactor").and_then(Value::as_f64).unwrap_or(1.0);
                header.viewport = Some(Viewport { width, height, dpr });
            }
        }
        if let Some(aside) = event.get("tracerule") {
            self.whole = carry::read_whole(aside, loss);
        }
        Ok(Clock { wall, monotonic, version, set })
    }

    fn event(&mut self, prefix: &str, clock: &mut Clock, event: &Value) {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let metadata = event.get("metadata").filter(|_| clock.version == 3);
        match kind {
            "before" => self.before(prefix, clock, event),
            "action" => {
                let flat = metadata.map(flatten);
                let event = flat.as_ref().unwrap_or(event);
                let internal = metadata.is_some_and(|m| m.get("internal").and_then(Value::as_bool).unwrap_or(false));
                if internal {
                    return;
                }
                self.before(prefix, clock, event);
                self.input(prefix, event);
                self.after(prefix, clock, event);
            }
            "input" => self.input(prefix, event),
            "after" => self.after(prefix, clock, event),
            "log" => {
                let message = event.get("message").and_then(Value::as_str).unwrap_or_default();
                if let Some(call) = self.call(prefix, event) {
                    call.log(message);
                }
            }
            "event" => {
                let flat = metadata.map(|m| {
                    json!({"time": m.get("startTime"), "class": m.get("type"), "method": m.get("method"),
                           "params": m.get("params"), "pageId": m.get("pageId")})
                });
                self.happened(clock, flat.as_ref().unwrap_or(event));
            }
            "screencast-frame" => {
                let text = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
                let file = text("file").or_else(|| text("sha1").map(|sha1| format!("resources/{sha1}")));
                let side = |name: &str| event.get(name).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
                if let (Some(page), Some(file), Some(t)) =
                    (text("pageId"), file, event.get("timestamp").and_then(Value::as_f64))
                {
                    let t = clock.wall(t);
                    let (width, height) = (side("width").unwrap_or(0), side("height").unwrap_or(0));
                    self.frames.push(Frame { page, t, file, width, height });
                }
            }
            "frame-snapshot" => {
                let Some(snapshot) = event.get("snapshot") else { return };
                *self.skipped.entry("frame-snapshot".to_owned()).or_default() += 1;
                let main = snapshot.get("isMainFrame").and_then(Value::as_bool).unwrap_or(false);
                let text = |name: &str| snapshot.get(name).and_then(Value::as_str);
                // Before version 9 a snapshot's name is `before@CALL` and the like.
                let id = text("callId").map(str::to_owned);
                let page = text("pageId").map(str::to_owned);
                let url = text("frameUrl").filter(|_| main).map(str::to_owned);
                if let Some(at) = id.and_then(|id| self.by_id.get(&format!("{prefix}\n{id}")).copied())
                    && let Some(call) = self.calls.get_mut(at)
                {
                    call.page = call.page.take().or(page);
                    call.url = call.url.take().or(url);
                }
            }
            "console" => {
                *self.skipped.entry("console".to_owned()).or_default() += 1;
            }
            "error" => {
                let message = event.get("message").and_then(Value::as_str).unwrap_or_default();
                self.draft.header.ending =
                    Some(Ending { status: EndingStatus::AgentError, reason: message.chars().take(2000).collect() });
            }
            other => *self.skipped.entry(other.chars().take(40).collect()).or_default() += 1,
        }
    }

    fn key(prefix: &str, event: &Value) -> Option<String> {
        let id = event.get("callId")?;
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        Some(format!("{prefix}\n{id}"))
    }

    fn call(&mut self, prefix: &str, event: &Value) -> Option<&mut Call> {
        let at = *self.by_id.get(&Self::key(prefix, event)?)?;
        self.calls.get_mut(at)
    }

    fn before(&mut self, prefix: &str, clock: &mut Clock, event: &Value) {
        let Some(key) = Self::key(prefix, event) else { return };
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let started = event.get("startTime").and_then(Value::as_f64).unwrap_or(0.0);
        if !clock.set {
            clock.set = true;
            clock.monotonic = started;
            let wall = event.get("wallTime").and_then(Value::as_f64).filter(|n| n.is_finite());
            clock.wall = wall.unwrap_or(clock.wall);
            if self.draft.header.started_ms == 0.0 {
                self.draft.header.started_ms = clock.wall;
            }
        }
        let (mut class, mut method) = (text("class"), text("method"));
        if class.is_empty() && method.is_empty() {
            // The name of the API is all that there is.
            let name = if text("apiName").is_empty() { text("title") } else { text("apiName") };
            if let Some((left, right)) = name.rsplit_once('.') {
                (class, method) = (left.to_owned(), right.to_owned());
            }
        }
        let mut record = event.clone();
        let aside = record.as_object_mut().and_then(|fields| fields.remove("tracerule"));
        let call = Call {
            class,
            method,
            params: event.get("params").cloned().unwrap_or_else(|| Value::Object(Map::new())),
            start: clock.wall(started),
            page: event.get("pageId").and_then(Value::as_str).map(str::to_owned),
            aside,
            record,
            ..Call::default()
        };
        self.by_id.insert(key, self.calls.len());
        self.calls.push(call);
    }

    fn input(&mut self, prefix: &str, event: &Value) {
        let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_f64);
        let point = event.get("point").and_then(|p| Some(Point { x: number(p, "x")?, y: number(p, "y")? }));
        let rect = event.get("box").and_then(|b| {
            Some(Rect {
                x: number(b, "x")?,
                y: number(b, "y")?,
                width: number(b, "width")?,
                height: number(b, "height")?,
            })
        });
        if let Some(call) = self.call(prefix, event) {
            call.point = call.point.or(point);
            call.rect = call.rect.or(rect);
        }
    }

    fn after(&mut self, prefix: &str, clock: &Clock, event: &Value) {
        self.input(prefix, event);
        let end = event.get("endTime").and_then(Value::as_f64).map(|t| clock.wall(t));
        let error = event.get("error").and_then(|error| {
            let message = error.get("message").or_else(|| error.get("error")?.get("message"))?;
            message.as_str().map(str::to_owned)
        });
        if let Some(call) = self.call(prefix, event) {
            call.end = end.or(call.end);
            call.error = error.or(call.error.take());
            // Version 5 and older log in one piece.
            for line in event.get("log").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
                call.log(line);
            }
        }
    }

    /// Something happened to a page.
    fn happened(&mut self, clock: &Clock, event: &Value) {
        let method = event.get("method").and_then(Value::as_str).unwrap_or_default();
        let params = event.get("params").cloned().unwrap_or_default();
        let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let t = clock.wall(event.get("time").and_then(Value::as_f64).unwrap_or(0.0));
        let page = event.get("pageId").and_then(Value::as_str).map_or_else(|| text("pageId"), str::to_owned);
        let what = match method {
            "page" => PageChange::TabOpened,
            "pageClosed" => PageChange::TabClosed,
            "dialog" => PageChange::Dialog,
            "download" => PageChange::Download,
            "navigated" => PageChange::Navigated,
            "pageError" => {
                let error = params.get("error").map(Value::to_string).unwrap_or_default();
                let text = format!("an error in the page: {error}").chars().take(2000).collect();
                self.draft.events.push(Event::Note(NoteEvent { t_ms: t, actor: Actor::Human, text }));
                return;
            }
            other => {
                *self.skipped.entry(format!("event {other}")).or_default() += 1;
                return;
            }
        };
        let tab = self.tab(&page);
        let detail = match what {
            PageChange::Dialog => text("message"),
            PageChange::Download => text("suggestedFilename"),
            _ => String::new(),
        };
        self.draft.events.push(build::page_event(t, tab, what, text("url"), detail));
    }

    fn tab(&mut self, page: &str) -> u32 {
        if page.is_empty() {
            return 0;
        }
        let at = self.pages.iter().position(|known| known == page).unwrap_or_else(|| {
            self.pages.push(page.to_owned());
            self.pages.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn finish(mut self, files: &BTreeMap<String, Vec<u8>>, loss: &mut Loss) -> Trace {
        let mut calls = std::mem::take(&mut self.calls);
        calls.sort_by(|a, b| a.start.total_cmp(&b.start));
        let carried = self.whole.is_some();
        let mut held: Vec<Modifier> = Vec::new();
        let mut pages = 0;
        let mut last_page: Option<String> = None;
        let mut at = 0;
        while let Some(call) = calls.get(at) {
            at += 1;
            if call.page.is_some() {
                last_page.clone_from(&call.page);
            }
            if let Some(aside) = &call.aside {
                if aside.get("goal").is_some() {
                    continue;
                }
                let of =
                    aside.get("of").and_then(Value::as_u64).and_then(|of| usize::try_from(of).ok()).unwrap_or(1).max(1);
                let records: Vec<Value> = calls[at - 1..].iter().take(of).map(|call| call.record.clone()).collect();
                match carry::read_step(aside, &records) {
                    Ok((mut step, _)) => {
                        self.kept_pictures(&mut step, files, loss);
                        loss.steps.read += 1;
                        self.draft.push(step);
                        at += of - 1;
                        continue;
                    }
                    Err(why) => {
                        let seq = self.draft.next();
                        loss.changed(
                            Some(seq),
                            "step",
                            Severity::Minor,
                            format!("evidence set aside is left out: {why}"),
                        );
                    }
                }
            }
            let mut step = self.draft.step(Action::Wait);
            step.t_ms = call.start;
            step.elapsed_ms = call.end.map_or(0.0, |end| (end - call.start).max(0.0));
            let page = call.page.clone().or_else(|| last_page.clone()).unwrap_or_default();
            step.tab = self.tab(&page);
            step.url = call.url.clone().unwrap_or_default();
            let label = format!("{}.{}", call.class, call.method);
            match meaning(&call.class, &call.method, &call.params, step, loss) {
                Meaning::Step(step) => {
                    let mut step = *step;
                    if step.action == Action::Goto
                        && call.error.is_none()
                        && step.value.as_deref().is_some_and(|url| self.draft.opens(url))
                    {
                        loss.changed(
                            None,
                            "goto",
                            Severity::Info,
                            "the first address is where the trace begins (header.url) and no step of it",
                        );
                        loss.steps.read += 1;
                        continue;
                    }
                    if step.value.as_deref().is_some_and(secret::is_placeholder) {
                        step.secret = true;
                        step.value = Some(MASK.to_owned());
                    }
                    for modifier in &held {
                        if !step.modifiers.contains(modifier) {
                            step.modifiers.push(*modifier);
                        }
                    }
                    call.evidence(&mut step);
                    self.pictures(&mut step, call.start, call.end, Some(&page), files);
                    loss.steps.read += 1;
                    self.draft.push(step);
                }
                Meaning::Goal(goal) => {
                    loss.steps.read += 1;
                    self.draft.header.assertions.push(*goal);
                    loss.changed(
                        Some(self.draft.next()),
                        "expect",
                        Severity::Info,
                        "an expectation is a goal of the trace",
                    );
                }
                Meaning::Held(modifier, down) => {
                    held.retain(|m| *m != modifier);
                    if down {
                        held.push(modifier);
                    }
                }
                Meaning::NewPage => {
                    pages += 1;
                    if pages > 1 {
                        let mut step = self.draft.step(Action::TabOpen);
                        step.t_ms = call.start;
                        let result = call.page.clone().unwrap_or_default();
                        step.tab = if result.is_empty() {
                            u32::try_from(pages - 1).unwrap_or(u32::MAX)
                        } else {
                            self.tab(&result)
                        };
                        loss.steps.read += 1;
                        self.draft.push(step);
                    }
                }
                Meaning::Unknown => {
                    let seq = self.draft.next();
                    loss.steps.read += 1;
                    loss.dropped(Some(seq), label, Severity::Minor, "a call that no step says");
                }
                Meaning::Nothing => *self.skipped.entry(label.chars().take(60).collect()).or_default() += 1,
            }
        }
        for (kind, count) in &self.skipped {
            loss.dropped(
                None,
                kind.clone(),
                Severity::Info,
                format!("{count} record(s) that are no steps of a person"),
            );
        }
        match self.whole.take() {
            Some((header, events)) => {
                self.draft.restore(header, events);
            }
            None => build::uncounted(loss),
        }
        if !carried && self.draft.header.ending.is_none() {
            let last = self.draft.steps.last().map(|step| step.t_ms + step.elapsed_ms);
            self.draft.header.ended_ms = last;
        }
        self.draft.finish(loss)
    }

    /// The pictures that a step set aside names, as far as the archive holds them.
    fn kept_pictures(&mut self, step: &mut Step, files: &BTreeMap<String, Vec<u8>>, loss: &mut Loss) {
        let seq = step.seq;
        for (field, shot) in
            [("pre.screenshot", &mut step.pre.screenshot), ("post.screenshot", &mut step.post.screenshot)]
        {
            let Some(name) = shot.as_ref().map(|shot| shot.blob.clone()) else { continue };
            let file = name.replacen("blobs/", "screenshots/", 1);
            match files.get(&file).filter(|bytes| blob_matches(&name, bytes)) {
                Some(bytes) => drop(self.draft.blobs.insert(name, bytes.clone())),
                None => {
                    *shot = None;
                    loss.dropped(Some(seq), field, Severity::Minor, format!("the archive does not hold {file}"));
                }
            }
        }
    }

    /// The pictures of a step: the last before it and the last after it.
    fn pictures(
        &mut self,
        step: &mut Step,
        start: f64,
        end: Option<f64>,
        page: Option<&str>,
        files: &BTreeMap<String, Vec<u8>>,
    ) {
        let of_page = |frame: &&Frame| page.is_none_or(|page| frame.page == page);
        let before = self.frames.iter().filter(of_page).filter(|f| f.t <= start).max_by(|a, b| a.t.total_cmp(&b.t));
        let end = end.unwrap_or(start);
        let after = self.frames.iter().filter(of_page).filter(|f| f.t >= end).min_by(|a, b| a.t.total_cmp(&b.t));
        let mut shots = [None, None];
        for (slot, frame) in shots.iter_mut().zip([before, after]) {
            let Some(frame) = frame else { continue };
            let Some(bytes) = files.get(&frame.file).filter(|bytes| !bytes.is_empty()) else { continue };
            let ext = match &bytes[..] {
                [0x89, b'P', ..] => "png",
                [b'R', b'I', b'F', b'F', ..] => "webp",
                _ => "jpg",
            };
            let blob = blob_name(bytes, ext);
            self.draft.blobs.entry(blob.clone()).or_insert_with(|| bytes.clone());
            *slot = Some(Screenshot::of_file(blob, frame.t, frame.width, frame.height));
        }
        let [pre, post] = shots;
        step.pre.screenshot = pre;
        step.post.screenshot = post;
    }
}

/// What ties a file's times to the clock.
struct Clock {
    wall: f64,
    monotonic: f64,
    version: u64,
    /// Whether `monotonic` is known; else the first call tells it.
    set: bool,
}

impl Clock {
    fn wall(&self, t: f64) -> f64 {
        let t = self.wall + (t - self.monotonic);
        if t.is_finite() { t } else { self.wall }
    }
}

impl Call {
    fn log(&mut self, message: &str) {
        if self.tag.is_none()
            && let Some((_, rest)) = message.split_once("locator resolved to <")
        {
            let tag: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            if !tag.is_empty() {
                self.tag = Some(tag.to_ascii_lowercase());
            }
        }
    }

    /// What the call tells beyond its parameters.
    fn evidence(&self, step: &mut Step) {
        if let Some(target) = &mut step.target {
            target.rect = self.rect;
            target.pointer = self.point;
            if let Some(tag) = &self.tag {
                target.tag.clone_from(tag);
            }
        }
        if let Some(message) = &self.error {
            let code = if message.contains("strict mode violation") {
                FailureCode::Ambiguous
            } else if message.contains("imeout") {
                FailureCode::Timeout
            } else if step.action == Action::Goto {
                FailureCode::Navigation
            } else {
                FailureCode::Browser
            };
            step.outcome = Outcome::Error { code, message: message.chars().take(2000).collect() };
        }
    }
}

/// The fields of version 3, which stood in `metadata`, as later versions have them.
fn flatten(metadata: &Value) -> Value {
    let get = |name: &str| metadata.get(name).cloned().unwrap_or_default();
    let error = metadata.get("error").and_then(|e| e.get("error")).cloned().unwrap_or_default();
    json!({
        "callId": get("id"), "startTime": get("startTime"), "endTime": get("endTime"), "wallTime": get("wallTime"),
        "class": get("type"), "method": get("method"), "params": get("params"), "pageId": get("pageId"),
        "log": get("log"), "point": get("point"), "error": error,
    })
}
