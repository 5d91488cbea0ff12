//! rrweb's events as a trace: its snapshots and mutations become the stream that the mirror reads, its pointer and
//! input events become input facts, of which the recorder makes steps. Custom events in which [`mod@super::write`]
//! kept steps and header are taken as they are.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::super::{Loss, Severity};
use super::{HEADER_TAG, STEP_TAG, kind, mouse, source};
use crate::steps::Recorder;
use crate::trace::{Event, Header, Modifier, RecorderInfo, Role, Step, Trace, VERSION, Viewport, blob_name};
use crate::wire::fact::{Edit, Fact, Kind, Pointer};
use crate::wire::log::{Batch, Cause, Document, Entry, Navigation};
use crate::wire::op::{self, mark, ns, state};

/// JSON nested deeper than this is not read: reading it is recursive.
const DEPTH: usize = 900;
/// The tab that everything is in.
const TAB: f64 = 1.0;

/// Whether the content is a list of rrweb's events, or an object that holds one.
pub(in crate::interop) fn looks_like(bytes: &[u8]) -> bool {
    let start: String = String::from_utf8_lossy(bytes.get(..4096).unwrap_or(bytes)).split_whitespace().collect();
    let listed = start.starts_with("[{") || start.starts_with("{\"events\":[{");
    listed && start.contains("\"timestamp\":") && start.contains("\"type\":") && start.contains("\"data\":")
}

/// Reads a list of events.
///
/// # Errors
/// What is wrong with it, in words.
pub(in crate::interop) fn read(bytes: &[u8], loss: &mut Loss) -> Result<Trace, String> {
    shallow(bytes)?;
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    deserializer.disable_recursion_limit();
    let value = Value::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    let events = match value {
        Value::Array(events) => events,
        Value::Object(mut object) => match object.remove("events") {
            Some(Value::Array(events)) => events,
            _ => return Err("an object without a list `events`".to_owned()),
        },
        _ => return Err("no list of events".to_owned()),
    };
    let mut reader = Reader::default();
    for event in &events {
        reader.event(event);
    }
    if !reader.docs.iter().any(|doc| doc.whole) {
        return Err("it holds no full snapshot (an event of type 2)".to_owned());
    }
    reader.finish(events.len(), loss)
}

/// Refuses what is nested too deep, without reading it.
fn shallow(bytes: &[u8]) -> Result<(), String> {
    let (mut depth, mut text, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if text => escaped = true,
            b'"' => text = !text,
            b'{' | b'[' if !text => depth += 1,
            b'}' | b']' if !text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return Err(format!("nested more than {DEPTH} levels deep"));
        }
    }
    Ok(())
}

/// A document that is being written.
#[derive(Default)]
struct Doc {
    token: String,
    url: String,
    seq: u32,
    last: u32,
    whole: bool,
    strings: Vec<String>,
    index: HashMap<String, i32>,
    ops: Vec<i32>,
}

impl Doc {
    fn string(&mut self, text: &str) -> i32 {
        if let Some(at) = self.index.get(text) {
            return *at;
        }
        let at = i32::try_from(self.strings.len()).unwrap_or(i32::MAX);
        self.strings.push(text.to_owned());
        self.index.insert(text.to_owned(), at);
        at
    }
}

/// A node of rrweb.
struct Node {
    doc: usize,
    number: u32,
    /// rrweb's number; the host for what is in a shadow root.
    parent: Option<i64>,
    in_shadow: bool,
    children: Vec<i64>,
    shadow: Option<u32>,
    shadow_children: Vec<i64>,
    tag: String,
    field: String,
    style: Vec<(String, String)>,
}

#[derive(Default)]
struct Reader {
    docs: Vec<Doc>,
    nodes: HashMap<i64, Node>,
    recorder: Recorder,
    log: Vec<Entry>,
    href: String,
    size: Option<Viewport>,
    t: f64,
    first: Option<f64>,
    header: Option<Header>,
    steps: Vec<Step>,
    /// By what was passed over: how often.
    passed: HashMap<&'static str, u32>,
}

fn number(value: &Value) -> i32 {
    #[allow(clippy::cast_possible_truncation, reason = "clamped")]
    let n = value.as_f64().unwrap_or_default().round().clamp(-1e9, 1e9) as i32;
    n
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

impl Reader {
    fn pass(&mut self, what: &'static str) {
        *self.passed.entry(what).or_insert(0) += 1;
    }

    fn feed(&mut self, entry: Entry) {
        let _ = self.recorder.feed(&entry);
        self.log.push(entry);
    }

    fn event(&mut self, event: &Value) {
        let data = &event["data"];
        if let Some(t) = event["timestamp"].as_f64().filter(|t| t.is_finite()) {
            self.t = t;
            self.first.get_or_insert(t);
        }
        let of = event["type"].as_u64().and_then(|n| u32::try_from(n).ok());
        match of {
            Some(kind::META) => {
                text(&data["href"]).clone_into(&mut self.href);
                let side = |name: &str| data[name].as_f64().unwrap_or_default();
                self.size = Some(Viewport { width: side("width"), height: side("height"), dpr: 1.0 });
            }
            Some(kind::FULL) => self.full(data),
            Some(kind::INCREMENTAL) => self.incremental(data),
            Some(kind::CUSTOM) => match text(&data["tag"]) {
                STEP_TAG => match serde_json::from_value(data["payload"].clone()) {
                    Ok(step) => self.steps.push(step),
                    Err(_) => self.pass("custom"),
                },
                HEADER_TAG => self.header = serde_json::from_value(data["payload"].clone()).ok(),
                _ => self.pass("custom"),
            },
            // Loaded: nothing of it is kept but the state of the page.
            Some(0 | 1) => {}
            _ => self.pass("kind"),
        }
        self.flush();
    }

    /// Everything written so far becomes batches.
    fn flush(&mut self) {
        let mut entries = Vec::new();
        for doc in &mut self.docs {
            if doc.ops.is_empty() {
                continue;
            }
            doc.index.clear();
            entries.push(Entry::Batch(Batch {
                doc: doc.token.clone(),
                seq: doc.seq,
                t0: self.t,
                strings: std::mem::take(&mut doc.strings),
                ops: std::mem::take(&mut doc.ops),
            }));
            doc.seq += 1;
        }
        entries.into_iter().for_each(|entry| self.feed(entry));
    }

    // ---- documents

    fn open(&mut self, top: bool, url: &str) -> usize {
        let token = format!("rrweb-{}", self.docs.len());
        let viewport = if top { self.size } else { None };
        self.feed(Entry::Document(Document {
            t: self.t,
            doc: token.clone(),
            tab: TAB,
            top,
            url: url.to_owned(),
            viewport,
        }));
        self.docs.push(Doc { token, url: url.to_owned(), last: 1, ..Doc::default() });
        self.docs.len() - 1
    }

    fn full(&mut self, data: &Value) {
        self.flush();
        let href = self.href.clone();
        let before = self.docs.iter().rposition(|doc| doc.whole && doc.token == self.top());
        let doc = match before {
            // A snapshot made again of the same page.
            Some(doc) if self.docs[doc].url == href => doc,
            _ => {
                if before.is_some() {
                    let gone: Vec<String> = self.docs.iter().map(|doc| doc.token.clone()).collect();
                    for doc in gone {
                        self.feed(Entry::Gone { doc, t: self.t });
                    }
                    self.feed(Entry::Navigation(Navigation {
                        t: self.t,
                        tab: TAB,
                        url: href.clone(),
                        top: true,
                        same_document: false,
                        cause: Cause::Page,
                    }));
                }
                self.open(true, &href)
            }
        };
        self.nodes.clear();
        self.document(doc, &data["node"], None);
        let at = &data["initialOffset"];
        let (x, y) = (number(&at["left"]), number(&at["top"]));
        if (x, y) != (0, 0) {
            self.docs[doc].ops.extend([op::SCROLL, 1, x, y]);
        }
    }

    fn top(&self) -> String {
        self.recorder.mirror().top(TAB).map(|key| self.recorder.mirror().token(key).to_owned()).unwrap_or_default()
    }

    fn document(&mut self, doc: usize, node: &Value, parent: Option<i64>) {
        let Some(id) = node["id"].as_i64() else { return self.pass("broken") };
        self.docs[doc].ops.push(op::RESET);
        self.docs[doc].whole = true;
        self.nodes.insert(id, Node::new(doc, 1, parent, false));
        for child in list(&node["childNodes"]) {
            self.add(id, None, child);
        }
        self.docs[doc].ops.extend([op::MARK, mark::SNAPSHOT]);
    }

    // ---- nodes

    /// A node and all that is in it, before the sibling of that number.
    fn add(&mut self, parent: i64, next: Option<i64>, node: &Value) {
        let mut open = vec![(parent, next, node)];
        while let Some((parent, next, node)) = open.pop() {
            if self.one(parent, next, node)
                && let Some(id) = node["id"].as_i64()
            {
                open.extend(list(&node["childNodes"]).iter().rev().map(|child| (id, None, child)));
            }
        }
    }

    /// Says whether it came.
    fn one(&mut self, parent: i64, next: Option<i64>, node: &Value) -> bool {
        let Some(id) = node["id"].as_i64() else {
            self.pass("broken");
            return false;
        };
        if self.nodes.contains_key(&id) {
            self.drop(id);
        }
        let in_shadow = node["isShadow"] == true;
        let Some(up) = self.nodes.get_mut(&parent) else {
            self.pass("broken");
            return false;
        };
        let doc = up.doc;
        let writer = &mut self.docs[doc];
        if in_shadow && up.shadow.is_none() {
            writer.last += 1;
            up.shadow = Some(writer.last);
            writer.ops.extend([op::SHADOW, writer.last as i32, up.number as i32, 0]);
        }
        let holder = if in_shadow { up.shadow.unwrap_or(up.number) } else { up.number };
        let siblings = if in_shadow { &up.shadow_children } else { &up.children };
        let at = next.and_then(|next| siblings.iter().rposition(|id| *id == next)).unwrap_or(siblings.len());
        let before = at.checked_sub(1).and_then(|at| siblings.get(at)).copied();
        let before = before.and_then(|id| self.nodes.get(&id)).map_or(0, |node| node.number);
        let writer = &mut self.docs[doc];
        writer.last += 1;
        let me = writer.last;
        let place = [me as i32, holder as i32, before as i32];
        let mut fresh = Node::new(doc, me, Some(parent), in_shadow);
        let content = text(&node["textContent"]);
        match node["type"].as_u64() {
            Some(1) => {
                let name = writer.string(text(&node["name"]));
                writer.ops.push(op::DOCTYPE);
                writer.ops.extend(place);
                writer.ops.push(name);
                for (key, id) in [(op::doctype::PUBLIC, "publicId"), (op::doctype::SYSTEM, "systemId")] {
                    let id = text(&node[id]);
                    if !id.is_empty() {
                        let (key, id) = (writer.string(key), writer.string(id));
                        writer.ops.extend([op::ATTRIBUTE, me as i32, key, id]);
                    }
                }
            }
            Some(3 | 4) => {
                let data = writer.string(content);
                writer.ops.push(op::TEXT);
                writer.ops.extend(place);
                writer.ops.push(data);
            }
            Some(5) => {
                let data = writer.string(content);
                writer.ops.push(op::COMMENT);
                writer.ops.extend(place);
                writer.ops.push(data);
            }
            Some(2) => {
                text(&node["tagName"]).clone_into(&mut fresh.tag);
                text(&node["attributes"]["type"]).clone_into(&mut fresh.field);
                let tag = writer.string(&fresh.tag);
                let space = if node["isSVG"] == true { ns::SVG } else { ns::HTML };
                writer.ops.push(op::ELEMENT);
                writer.ops.extend(place);
                writer.ops.extend([tag, space]);
                if node["isShadowHost"] == true {
                    writer.last += 1;
                    fresh.shadow = Some(writer.last);
                    writer.ops.extend([op::SHADOW, writer.last as i32, me as i32, 0]);
                }
            }
            _ => {
                self.pass("broken");
                return false;
            }
        }
        self.nodes.insert(id, fresh);
        if let Some(up) = self.nodes.get_mut(&parent) {
            let siblings = if in_shadow { &mut up.shadow_children } else { &mut up.children };
            siblings.insert(at.min(siblings.len()), id);
        }
        if let Some(attributes) = node["attributes"].as_object() {
            for (name, value) in attributes {
                self.attribute(id, name, value);
            }
        }
        true
    }

    fn attribute(&mut self, id: i64, name: &str, value: &Value) {
        let Some(node) = self.nodes.get_mut(&id) else { return self.pass("broken") };
        let (doc, me) = (node.doc, node.number as i32);
        let writer = &mut self.docs[doc];
        let boxed = node.tag == "input" && matches!(node.field.as_str(), "checkbox" | "radio");
        match (name, value) {
            ("checked", Value::Bool(checked)) if boxed => {
                return writer.ops.extend([op::CHECKED, me, i32::from(*checked)]);
            }
            ("selected", Value::Bool(selected)) if node.tag == "option" => {
                return writer.ops.extend([op::SELECTED, me, i32::from(*selected)]);
            }
            ("value", Value::String(value)) if node.tag == "textarea" || node.tag == "select" => {
                let value = writer.string(value);
                return writer.ops.extend([op::VALUE, me, value, 0]);
            }
            ("rr_scrollLeft" | "rr_scrollTop", value) => {
                let at = number(value);
                let (x, y) = if name == "rr_scrollLeft" { (at, 0) } else { (0, at) };
                return writer.ops.extend([op::SCROLL, me, x, y]);
            }
            ("rr_open_mode", value) => {
                let modal = i32::from(value == "modal");
                return writer.ops.extend([op::STATE, me, state::TOP_LAYER, modal]);
            }
            ("rr_mediaState", value) => {
                return writer.ops.extend([op::STATE, me, state::PAUSED, i32::from(value == "paused")]);
            }
            ("rr_mediaCurrentTime", value) => {
                let ms = number(&Value::from(value.as_f64().unwrap_or_default() * 1000.0));
                return writer.ops.extend([op::STATE, me, state::POSITION, ms]);
            }
            ("rr_dataURL", _) => return self.pass("picture"),
            ("style", Value::Object(changes)) => {
                for (property, change) in changes {
                    node.style.retain(|(known, _)| known != property);
                    let (value, priority) = match change {
                        Value::Array(parts) => {
                            (text(parts.first().unwrap_or(&Value::Null)), text(parts.get(1).unwrap_or(&Value::Null)))
                        }
                        Value::String(value) => (value.as_str(), ""),
                        _ => continue,
                    };
                    let important = if priority.is_empty() { "" } else { " !important" };
                    node.style.push((property.clone(), format!("{value}{important}")));
                }
                let whole: Vec<String> = node.style.iter().map(|(name, value)| format!("{name}: {value};")).collect();
                let (name, value) = (writer.string("style"), writer.string(&whole.join(" ")));
                return writer.ops.extend([op::ATTRIBUTE, me, name, value]);
            }
            _ => {}
        }
        if name == "_cssText" {
            if let Some(css) = value.as_str() {
                let css = css.replace("/* rr_split */", "");
                // The text stands in an attribute, and the element's own texts are empty.
                writer.last += 1;
                let (last, css) = (writer.last as i32, writer.string(&css));
                writer.ops.extend([op::TEXT, last, me, 0, css]);
            }
            return;
        }
        if name.starts_with("rr_") {
            return self.pass("attribute");
        }
        let plain = match value {
            Value::String(value) => Some(value.clone()),
            Value::Bool(true) => Some(String::new()),
            Value::Number(value) => Some(value.to_string()),
            _ => None,
        };
        if name == "style" {
            let parts = plain.as_deref().unwrap_or_default().split(';').filter_map(|part| part.split_once(':'));
            node.style = parts.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect();
        }
        let name = writer.string(name);
        let value = plain.map_or(-1, |value| writer.string(&value));
        writer.ops.extend([op::ATTRIBUTE, me, name, value]);
    }

    /// A node goes, with all that is in it.
    fn drop(&mut self, id: i64) {
        let Some(node) = self.nodes.get(&id) else { return self.pass("broken") };
        if node.number == 1 {
            return;
        }
        let (doc, number, parent, in_shadow) = (node.doc, node.number, node.parent, node.in_shadow);
        self.docs[doc].ops.extend([op::REMOVE, number as i32]);
        if let Some(up) = parent.and_then(|parent| self.nodes.get_mut(&parent)) {
            let siblings = if in_shadow { &mut up.shadow_children } else { &mut up.children };
            if let Some(at) = siblings.iter().rposition(|known| *known == id) {
                siblings.remove(at);
            }
        }
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if let Some(node) = self.nodes.remove(&id) {
                open.extend(node.children);
                open.extend(node.shadow_children);
            }
        }
    }

    // ---- what happened

    fn incremental(&mut self, data: &Value) {
        let of = data["source"].as_u64().and_then(|n| u32::try_from(n).ok());
        let id = data["id"].as_i64().unwrap_or(-1);
        match of {
            Some(source::MUTATION) => self.mutation(data),
            Some(source::INTERACTION) => self.interaction(id, data),
            Some(source::SCROLL) => {
                let Some(node) = self.nodes.get(&id) else { return self.pass("broken") };
                let (doc, me) = (node.doc, node.number);
                let (x, y) = (number(&data["x"]), number(&data["y"]));
                self.docs[doc].ops.extend([op::SCROLL, me as i32, x, y]);
            }
            Some(source::RESIZE) => {
                let top = self.top();
                let (width, height) = (number(&data["width"]), number(&data["height"]));
                if let Some(doc) = self.docs.iter_mut().rfind(|doc| doc.token == top) {
                    doc.ops.extend([op::VIEWPORT, width, height, 100, 0, 0]);
                }
            }
            Some(source::INPUT) => self.input(id, data),
            Some(source::MEDIA) => {
                let Some(node) = self.nodes.get(&id) else { return self.pass("broken") };
                let (doc, me) = (node.doc, node.number as i32);
                if let Some(paused @ 0..=1) = data["type"].as_i64() {
                    self.docs[doc].ops.extend([op::STATE, me, state::PAUSED, i32::from(paused == 1)]);
                }
                if let Some(seconds) = data["currentTime"].as_f64() {
                    let ms = number(&Value::from(seconds * 1000.0));
                    self.docs[doc].ops.extend([op::STATE, me, state::POSITION, ms]);
                }
            }
            Some(source::MOUSE_MOVE | source::CUSTOM_ELEMENT) => {}
            Some(source::RULE | source::ADOPTED) => self.pass("rules"),
            _ => self.pass("kind"),
        }
    }

    fn mutation(&mut self, data: &Value) {
        for gone in list(&data["removes"]) {
            if let Some(id) = gone["id"].as_i64() {
                self.drop(id);
            }
        }
        // Those that come before their parent or their next sibling wait.
        let mut waiting: Vec<&Value> = list(&data["adds"]).iter().collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut later = Vec::new();
            for add in waiting {
                let parent = add["parentId"].as_i64().unwrap_or(-1);
                let next = add["nextId"].as_i64();
                let ready = self.nodes.contains_key(&parent) && next.is_none_or(|next| self.nodes.contains_key(&next));
                if !ready {
                    later.push(add);
                } else if add["node"]["type"] == 0 {
                    self.attach(parent, &add["node"]);
                } else {
                    self.add(parent, next, &add["node"]);
                }
            }
            if later.len() == before {
                for _ in later {
                    self.pass("broken");
                }
                break;
            }
            waiting = later;
        }
        for change in list(&data["texts"]) {
            let Some(node) = change["id"].as_i64().and_then(|id| self.nodes.get(&id)) else {
                self.pass("broken");
                continue;
            };
            let (doc, me) = (node.doc, node.number as i32);
            let value = self.docs[doc].string(text(&change["value"]));
            self.docs[doc].ops.extend([op::DATA, me, value]);
        }
        for change in list(&data["attributes"]) {
            let (Some(id), Some(attributes)) = (change["id"].as_i64(), change["attributes"].as_object()) else {
                self.pass("broken");
                continue;
            };
            for (name, value) in attributes {
                self.attribute(id, name, value);
            }
        }
    }

    /// The document of a frame.
    fn attach(&mut self, frame: i64, node: &Value) {
        let Some(held) = self.nodes.get(&frame) else { return };
        let (doc, me) = (held.doc, held.number as i32);
        // The frame's element has to be known before its document is tied to it.
        self.flush();
        let child = self.open(false, "about:blank");
        let token = self.docs[child].token.clone();
        let token = self.docs[doc].string(&token);
        self.docs[doc].ops.extend([op::FRAME, me, token]);
        self.document(child, node, None);
    }

    fn interaction(&mut self, id: i64, data: &Value) {
        let side = |name: &str| data[name].as_f64().unwrap_or_default();
        let touch = data["pointerType"] == 2 || matches!(data["type"].as_u64(), Some(7..=10));
        let of = data["type"].as_u64().and_then(|n| u32::try_from(n).ok());
        let pointer = Pointer {
            x: side("x"),
            y: side("y"),
            button: if of == Some(mouse::MENU) { 2 } else { 0 },
            detail: if of == Some(mouse::DOUBLE) { 2 } else { 1 },
            pointer: if touch { "touch" } else { "mouse" }.to_owned(),
            mods: Vec::<Modifier>::new(),
            rect: None,
            ..Pointer::default()
        };
        let what = match of {
            Some(mouse::UP | mouse::TOUCH_END) => Kind::PointerUp(pointer),
            Some(mouse::DOWN | mouse::TOUCH_START) => Kind::PointerDown(pointer),
            Some(mouse::CLICK) => Kind::Click(pointer),
            Some(mouse::MENU) => Kind::ContextMenu(pointer),
            Some(mouse::DOUBLE) => Kind::DblClick(pointer),
            Some(mouse::FOCUS) => Kind::Focus,
            Some(mouse::TOUCH_CANCEL) => Kind::PointerCancel(pointer),
            _ => return,
        };
        self.fact(id, what);
    }

    fn input(&mut self, id: i64, data: &Value) {
        let Some(node) = self.nodes.get(&id) else { return self.pass("broken") };
        let (doc, me) = (node.doc, node.number as i32);
        let boxed = node.tag == "input" && matches!(node.field.as_str(), "checkbox" | "radio");
        let field = match node.tag.as_str() {
            "select" => "select-one".to_owned(),
            "textarea" => "textarea".to_owned(),
            _ if node.field.is_empty() => "text".to_owned(),
            _ => node.field.clone(),
        };
        let list = node.tag == "select";
        let checked = data["isChecked"] == true;
        let value = text(&data["text"]).to_owned();
        let edit = Edit { value: value.clone(), field, checked: boxed.then_some(checked), ..Edit::default() };
        let edit = if list { Edit { values: vec![value.clone()], labels: vec![value.clone()], ..edit } } else { edit };
        if boxed {
            self.docs[doc].ops.extend([op::CHECKED, me, i32::from(checked)]);
        } else {
            let value = self.docs[doc].string(&value);
            self.docs[doc].ops.extend([op::VALUE, me, value, 0]);
        }
        // What the page's scripts set is no step.
        if data["userTriggered"] == false {
            return;
        }
        self.fact(id, Kind::Input(edit.clone()));
        if boxed || list {
            self.fact(id, Kind::Change(edit));
        }
    }

    fn fact(&mut self, id: i64, what: Kind) {
        let Some(node) = self.nodes.get(&id) else { return self.pass("broken") };
        let (doc, me) = (node.doc, node.number);
        let fact = Fact { t: self.t, n: me, trusted: true, url: self.docs[doc].url.clone(), kind: what };
        let Ok(json) = serde_json::to_string(&fact) else { return };
        let json = self.docs[doc].string(&json);
        self.docs[doc].ops.extend([op::EVENT, json]);
    }

    // ---- the trace

    fn finish(mut self, events: usize, loss: &mut Loss) -> Result<Trace, String> {
        self.feed(Entry::End { t: self.t, ending: None });
        let (mut told, blobs) = self.recorder.finish(&self.log);
        let kept = !self.steps.is_empty();
        if kept {
            told.retain(|event| !matches!(event, Event::Step(_) | Event::Wait(_)));
            told.extend(self.steps.into_iter().map(|step| Event::Step(Box::new(step))));
            told.sort_by(|a, b| a.t_ms().total_cmp(&b.t_ms()));
        } else {
            loss.changed(None, "steps", Severity::Minor, "rrweb has no steps: they were made of its pointer and input events, without keys, and taken as trusted");
        }
        loss.steps.read = u32::try_from(events).unwrap_or(u32::MAX);
        for (what, field, severity, why) in [
            ("broken", "events.data", Severity::Major, "parts of events that name unknown nodes or are incomplete"),
            (
                "kind",
                "events.type",
                Severity::Minor,
                "events of kinds that a trace has no place for (canvas, fonts, console, selection …)",
            ),
            ("rules", "events.data.rules", Severity::Minor, "changes of style sheets by script"),
            ("custom", "events.custom", Severity::Info, "custom events of others"),
            ("attribute", "attributes.rr", Severity::Info, "attributes of rrweb's own"),
            ("picture", "attributes.rr_dataURL", Severity::Minor, "pictures of canvases"),
        ] {
            if let Some(count) = self.passed.get(what) {
                loss.dropped(None, field, severity, format!("{why} ({count})"));
            }
        }
        let first = self.first.unwrap_or_default();
        let id = blob_name(self.log.len().to_string().as_bytes(), "x");
        let made = || Header {
            format: crate::trace::FORMAT.to_owned(),
            version: VERSION,
            id: format!("rrweb-{first}-{}", id.trim_start_matches("blobs/").get(..8).unwrap_or_default()),
            role: Role::Reference,
            title: String::new(),
            url: self.docs.first().map(|doc| doc.url.clone()).unwrap_or_default(),
            started_ms: first,
            ended_ms: Some(self.t),
            recorder: RecorderInfo { version: String::new(), via: "rrweb".to_owned(), browser: String::new() },
            viewport: self.size,
            perturb: None,
            task: None,
            run: None,
            secret_salt: None,
            mask: Vec::new(),
            assertions: Vec::new(),
            ending: None,
            capture: Default::default(),
            edited: None,
            extra: Default::default(),
        };
        let header = self.header.take().unwrap_or_else(made);
        Ok(Trace { header, events: told, blobs })
    }
}

impl Node {
    fn new(doc: usize, number: u32, parent: Option<i64>, in_shadow: bool) -> Node {
        Node {
            doc,
            number,
            parent,
            in_shadow,
            children: Vec::new(),
            shadow: None,
            shadow_children: Vec::new(),
            tag: String::new(),
            field: String::new(),
            style: Vec::new(),
        }
    }
}
