//! The writer: the trace's stream, folded into a mirror, told as events at each instant.

mod nodes;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use super::super::{Change, Loss, Options, Severity};
use super::{HEADER_TAG, STEP_TAG, kind, mouse, source, urls};
use crate::mirror::{DocKey, Mirror, NodeRef, Rule, Shape};
use crate::steps::dom_entries;
use crate::trace::{Step, Trace};
use crate::wire::fact::{Fact, Kind, Pointer};
use crate::wire::log::Entry;
use crate::wire::op::{self, Op, mark, state};

/// Writes a trace as a JSON list of events.
///
/// # Errors
/// When the trace holds no page.
pub(in crate::interop) fn write(trace: &Trace, options: &Options, loss: &mut Loss) -> Result<Vec<u8>, String> {
    let mut writer = Writer::default();
    if !options.plain {
        writer.steps = trace.steps().cloned().collect();
        writer.steps.reverse();
        if let Ok(header) = serde_json::to_value(&trace.header) {
            writer.last = trace.header.started_ms.round();
            writer.emit(kind::CUSTOM, json!({"tag": HEADER_TAG, "payload": header}));
        }
    }
    for entry in dom_entries(trace) {
        match entry {
            Ok(entry) => writer.entry(&entry),
            Err(gap) => loss.dropped(None, "dom", Severity::Major, gap.detail),
        }
    }
    writer.finish();
    if writer.full == 0 {
        return Err("it holds no page (no `dom` events with a snapshot)".to_owned());
    }
    writer.losses(trace, options, loss);
    serde_json::to_vec(&writer.out).map_err(|error| error.to_string())
}

/// What the player has of a document.
#[derive(Default)]
struct Shown {
    /// The player's numbers of nodes that are or were there.
    numbers: HashMap<u32, u32>,
    /// The nodes that are there.
    present: HashSet<u32>,
    /// The player has it.
    on: bool,
    /// Its snapshot is complete.
    whole: bool,
}

/// What has to be told of one instant.
#[derive(Default)]
struct Pending {
    removes: Vec<Value>,
    adds: Vec<NodeRef>,
    texts: BTreeSet<NodeRef>,
    attributes: BTreeMap<NodeRef, BTreeSet<String>>,
    /// Hosts whose shadow root is new.
    hosts: BTreeSet<NodeRef>,
    /// Constructed sheets whose rules changed.
    sheets: BTreeSet<(DocKey, u32)>,
}

#[derive(Default)]
struct Writer {
    mirror: Mirror,
    out: Vec<Value>,
    shown: HashMap<DocKey, Shown>,
    numbers: u32,
    /// The browser's number of the tab in front.
    tab: Option<f64>,
    tabs: BTreeSet<u64>,
    /// The next batch of each document.
    batches: HashMap<DocKey, u32>,
    pending: Pending,
    /// Elements that the player just got, whose state is to be told.
    fresh: Vec<NodeRef>,
    /// The player's numbers of adopted sheets.
    sheets: HashMap<(DocKey, u32), u32>,
    /// Steps not told yet, the first one last.
    steps: Vec<Step>,
    /// Now, ms since the epoch.
    t: f64,
    /// The last event's time.
    last: f64,
    full: u32,
    /// Why the stream could not be read, the first time.
    torn: Option<String>,
    /// What could not be told, and how often.
    lost: BTreeMap<&'static str, u32>,
}

impl Writer {
    fn emit(&mut self, kind: u32, data: Value) {
        self.last = self.last.max(self.t.round());
        let timestamp = if self.last.is_finite() { self.last } else { 0.0 };
        #[allow(clippy::cast_possible_truncation, reason = "ms since the epoch fit")]
        self.out.push(json!({"type": kind, "data": data, "timestamp": timestamp as i64}));
    }

    fn lose(&mut self, what: &'static str) {
        *self.lost.entry(what).or_insert(0) += 1;
    }

    /// The player's number of a node that it has.
    fn at(&self, n: NodeRef) -> Option<u32> {
        let shown = self.shown.get(&n.doc).filter(|shown| shown.on)?;
        shown.present.contains(&n.node).then(|| shown.numbers.get(&n.node).copied()).flatten()
    }

    fn whole(&self, doc: DocKey) -> bool {
        self.shown.get(&doc).is_some_and(|shown| shown.whole)
    }

    // ---- the stream

    fn entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Document(document) => {
                self.turn(document.t);
                let key = self.mirror.document(document);
                self.batches.entry(key).or_insert(0);
                self.shown.entry(key).or_default();
                self.tabs.insert(document.tab.to_bits());
                self.tab.get_or_insert(document.tab);
                // A page that comes back from memory has its snapshot already.
                self.arrive(key);
            }
            Entry::Batch(batch) => {
                let Some(doc) = self.mirror.key(&batch.doc) else { return };
                let expected = self.batches.entry(doc).or_insert(0);
                if batch.seq < *expected {
                    return;
                }
                *expected = batch.seq.saturating_add(1);
                self.turn(batch.t0);
                for op in op::decode(batch.t0, &batch.strings, &batch.ops) {
                    match op {
                        Ok(op) => self.op(doc, &op),
                        Err(error) => {
                            self.torn.get_or_insert(error.to_string());
                            self.lose("torn");
                            break;
                        }
                    }
                }
                self.flush();
            }
            Entry::Gone { doc, t } => {
                self.turn(*t);
                if let Some(doc) = self.mirror.key(doc) {
                    self.mirror.gone(doc);
                }
            }
            _ => {}
        }
    }

    /// What comes next happened at that time.
    fn turn(&mut self, t: f64) {
        self.flush();
        while let Some(step) = self.steps.pop_if(|step| step.t_ms <= t) {
            self.step(&step);
        }
        self.t = t;
    }

    fn step(&mut self, step: &Step) {
        if let Ok(payload) = serde_json::to_value(step) {
            self.t = step.t_ms;
            self.emit(kind::CUSTOM, json!({"tag": STEP_TAG, "payload": payload}));
        }
    }

    fn finish(&mut self) {
        self.flush();
        // A snapshot that was cut off is better than none.
        if self.full == 0
            && let Some(top) = self.tab.and_then(|tab| self.mirror.top(tab))
        {
            self.lose("torn");
            self.shown.entry(top).or_default().whole = true;
            self.document(top);
        }
        while let Some(step) = self.steps.pop() {
            self.step(&step);
        }
    }

    fn apply(&mut self, doc: DocKey, op: &Op<'_>) -> bool {
        match self.mirror.apply(doc, op) {
            Ok(()) => true,
            Err(error) => {
                self.torn.get_or_insert(error.to_string());
                self.lose("torn");
                false
            }
        }
    }

    fn op(&mut self, doc: DocKey, op: &Op<'_>) {
        let of = |node: u32| NodeRef { doc, node };
        match *op {
            Op::Time(t) => self.turn(t),
            Op::Reset => {
                self.flush();
                self.apply(doc, op);
                let shown = self.shown.entry(doc).or_default();
                *shown = Shown::default();
                self.sheets.retain(|(of, _), _| *of != doc);
            }
            Op::Mark(mark::SNAPSHOT) => {
                self.apply(doc, op);
                if !self.whole(doc) {
                    self.shown.entry(doc).or_default().whole = true;
                    self.arrive(doc);
                }
            }
            Op::Element { id, .. } | Op::Text { id, .. } | Op::Comment { id, .. } | Op::Doctype { id, .. } => {
                if self.apply(doc, op) {
                    self.pending.adds.push(of(id));
                }
            }
            Op::Shadow { host, .. } => {
                if self.apply(doc, op) && self.at(of(host)).is_some() {
                    self.pending.hosts.insert(of(host));
                }
            }
            Op::Attribute { id, name, .. } => {
                let element = matches!(self.mirror.shape(of(id)), Some(Shape::Element { .. }));
                if self.apply(doc, op) && element && self.at(of(id)).is_some() {
                    self.pending.attributes.entry(of(id)).or_default().insert(name.to_owned());
                }
            }
            Op::Data { id, .. } => {
                if self.apply(doc, op) && self.at(of(id)).is_some() {
                    self.pending.texts.insert(of(id));
                }
            }
            Op::Move { id, .. } => {
                self.take_out(of(id));
                if self.apply(doc, op) {
                    self.pending.adds.push(of(id));
                }
            }
            Op::Remove { id } => {
                self.take_out(of(id));
                self.apply(doc, op);
            }
            Op::Value { id, .. } | Op::Checked { id, .. } => {
                self.flush_for(of(id));
                if self.apply(doc, op) {
                    self.input(of(id));
                }
            }
            Op::Selected { id, .. } => {
                if self.apply(doc, op) && self.in_multiple(of(id)) {
                    self.lose("multiple");
                }
            }
            Op::Scroll { id, x, y } => {
                self.flush_for(of(id));
                if self.apply(doc, op)
                    && let Some(id) = self.at(of(id))
                {
                    self.emit(kind::INCREMENTAL, json!({"source": source::SCROLL, "id": id, "x": x, "y": y}));
                }
            }
            Op::Viewport { width, height, .. } => {
                let before = self.mirror.viewport(doc);
                self.apply(doc, op);
                let same = before.is_some_and(|v| (v.width, v.height) == (f64::from(width), f64::from(height)));
                if !same && self.tab.is_some_and(|tab| self.mirror.top(tab) == Some(doc)) && self.whole(doc) {
                    self.flush();
                    let data = json!({"source": source::RESIZE, "width": width, "height": height});
                    self.emit(kind::INCREMENTAL, data);
                }
            }
            Op::Event(json) => {
                if let Ok(fact) = serde_json::from_str::<Fact>(json) {
                    self.turn(fact.t.max(self.t));
                    self.fact(doc, &fact);
                }
            }
            Op::Frame { id, token } => {
                if self.apply(doc, op) {
                    self.flush();
                    let child = self.mirror.key(token);
                    if let Some(child) = child.filter(|_| self.at(of(id)).is_some()) {
                        self.arrive(child);
                    }
                }
            }
            Op::Focus { id } => {
                let before = self.mirror.focused(doc);
                self.apply(doc, op);
                self.flush();
                let (what, node) = if id == 0 { (mouse::BLUR, before.unwrap_or(0)) } else { (mouse::FOCUS, id) };
                if let Some(id) = self.at(of(node)) {
                    self.emit(kind::INCREMENTAL, json!({"source": source::INTERACTION, "type": what, "id": id}));
                }
            }
            Op::Sheet { owner, .. } => {
                self.flush_for(of(owner));
                let undone = owner != 0 && self.mirror.sheet_of(of(owner)).is_some();
                // Parsed anew; the player would keep what it was told, so it gets a new element.
                if self.apply(doc, op) && undone && self.at(of(owner)).is_some() {
                    self.take_out(of(owner));
                    self.pending.adds.push(of(owner));
                }
            }
            Op::Rule { sheet, index, text } => {
                self.flush_for_sheet(doc, sheet);
                if self.apply(doc, op) && !self.constructed(doc, sheet) {
                    let rule = urls::css(text, &self.base(doc));
                    self.rules(doc, sheet, json!([{"rule": rule, "index": index}]), Value::Null);
                }
            }
            Op::Unrule { sheet, index, count } => {
                self.flush_for_sheet(doc, sheet);
                if self.apply(doc, op) && !self.constructed(doc, sheet) {
                    let gone = (0..count).map(|_| json!({"index": index})).collect();
                    self.rules(doc, sheet, Value::Null, gone);
                }
            }
            Op::Adopt { root, .. } => {
                let host = if root == 1 { Some(of(root)) } else { self.mirror.parent(of(root)) };
                if let Some(host) = host {
                    self.flush_for(host);
                }
                if self.apply(doc, op) {
                    self.adopted(of(root));
                }
            }
            Op::State { id, what, value } => {
                if self.apply(doc, op) {
                    self.state(of(id), what, value);
                }
            }
            Op::Box { .. } | Op::Mark(_) => {
                self.apply(doc, op);
            }
        }
    }

    /// The document can be shown: as a page, or in its frame.
    fn arrive(&mut self, doc: DocKey) {
        if !self.whole(doc) || self.shown.get(&doc).is_some_and(|shown| shown.on) {
            return;
        }
        if self.tab.is_some_and(|tab| self.mirror.top(tab) == Some(doc)) {
            self.document(doc);
        } else if let Some(frame) = self.mirror.parent_frame(doc) {
            self.frame(frame, doc);
        }
    }

    /// A page: its address and size, and all of it.
    fn document(&mut self, doc: DocKey) {
        self.pending = Pending::default();
        for shown in self.shown.values_mut() {
            shown.on = false;
        }
        self.sheets.clear();
        let (width, height) = self.mirror.viewport(doc).map_or((1280.0, 720.0), |v| (v.width, v.height));
        let href = self.mirror.url(doc).to_owned();
        self.emit(kind::META, json!({"href": href, "width": width, "height": height}));
        let node = self.whole_document(doc);
        let (x, y) = self.mirror.scroll_offset(NodeRef { doc, node: 1 }).unwrap_or_default();
        self.emit(kind::FULL, json!({"node": node, "initialOffset": {"left": x, "top": y}}));
        self.full += 1;
        self.flush();
    }

    /// A document in its frame.
    fn frame(&mut self, frame: NodeRef, doc: DocKey) {
        let Some(parent) = self.at(frame) else { return };
        if self.mirror.tag(frame) != "iframe" {
            self.lose("frame");
            return;
        }
        let node = self.whole_document(doc);
        let add = json!({"parentId": parent, "nextId": null, "node": node});
        let data = json!({"source": source::MUTATION, "adds": [add], "removes": [], "texts": [], "attributes": [],
            "isAttachIframe": true});
        self.emit(kind::INCREMENTAL, data);
        let (x, y) = self.mirror.scroll_offset(NodeRef { doc, node: 1 }).unwrap_or_default();
        if let Some(id) = self.at(NodeRef { doc, node: 1 }).filter(|_| (x, y) != (0, 0)) {
            self.emit(kind::INCREMENTAL, json!({"source": source::SCROLL, "id": id, "x": x, "y": y}));
        }
        self.flush();
    }

    // ---- mutations

    /// A node that the player has goes, with all that is in it.
    fn take_out(&mut self, n: NodeRef) {
        let Some(id) = self.at(n) else { return };
        let Some(parent) = self.mirror.parent(n) else { return };
        let inside = matches!(self.mirror.shape(parent), Some(Shape::Shadow { .. }));
        let host = if inside { self.mirror.parent(parent) } else { Some(parent) };
        if let Some(parent) = host.and_then(|host| self.at(host)) {
            self.pending.removes.push(if inside {
                json!({"parentId": parent, "id": id, "isShadow": true})
            } else {
                json!({"parentId": parent, "id": id})
            });
        }
        self.leave(n);
    }

    /// The player no longer has the subtree, nor the documents in its frames.
    fn leave(&mut self, n: NodeRef) {
        let mut open = vec![n];
        while let Some(at) = open.pop() {
            let style = |n: NodeRef| self.mirror.tag(n) == "style";
            let styled = style(at) || self.mirror.parent(at).is_some_and(style);
            if let Some(shown) = self.shown.get_mut(&at.doc) {
                shown.present.remove(&at.node);
                if styled {
                    // Under the same number a player that winds forward would keep its rules.
                    shown.numbers.remove(&at.node);
                }
            }
            if let Some(child) = self.mirror.child_document(at)
                && let Some(shown) = self.shown.get_mut(&child)
            {
                shown.on = false;
            }
            open.extend(self.mirror.shadow_root(at));
            open.extend(self.mirror.children(at));
        }
    }

    /// Tells what happened at this instant.
    fn flush(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        // A root that is empty hides what is in its host: only a new host shows it.
        for host in std::mem::take(&mut pending.hosts) {
            let empty = self.mirror.shadow_root(host).is_some_and(|root| self.mirror.children(root).next().is_none());
            if empty && self.at(host).is_some() {
                self.pending.removes.append(&mut pending.removes);
                self.take_out(host);
                pending.removes.append(&mut self.pending.removes);
                pending.adds.push(host);
            }
        }
        let mut adds = Vec::new();
        for n in pending.adds {
            self.place(n, &mut adds);
        }
        let texts: Vec<Value> = pending
            .texts
            .into_iter()
            .filter_map(|n| {
                let id = self.at(n)?;
                match self.mirror.shape(n)? {
                    Shape::Text(text) | Shape::Comment(text) => Some(json!({"id": id, "value": self.text(n, text)})),
                    _ => None,
                }
            })
            .collect();
        let mut attributes = Vec::new();
        for (n, names) in pending.attributes {
            let Some(id) = self.at(n) else { continue };
            let tag = self.mirror.tag(n).to_owned();
            let mut changes = serde_json::Map::new();
            for name in names {
                let value = self.mirror.attribute(n, &name).map(str::to_owned);
                if let Some((name, value)) = self.attribute(n.doc, &tag, &name, value.as_deref()) {
                    changes.insert(name, value);
                }
            }
            if tag == "dialog" && self.mirror.state(n, state::TOP_LAYER) == Some(1) {
                changes.insert("rr_open_mode".to_owned(), "modal".into());
            }
            if !changes.is_empty() {
                attributes.push(json!({"id": id, "attributes": changes}));
            }
        }
        if !(adds.is_empty() && pending.removes.is_empty() && texts.is_empty() && attributes.is_empty()) {
            let data = json!({"source": source::MUTATION, "texts": texts, "attributes": attributes,
                "removes": pending.removes, "adds": adds});
            self.emit(kind::INCREMENTAL, data);
        }
        for n in std::mem::take(&mut self.fresh) {
            self.newcomer(n);
        }
        let mut roots = BTreeSet::new();
        for (doc, sheet) in pending.sheets {
            self.sheets.remove(&(doc, sheet));
            roots.extend(self.mirror.adopters(doc, sheet));
        }
        for root in roots {
            self.adopted(root);
        }
    }

    /// Before something is told of a node that the player has. One that it is about to get comes with its state.
    fn flush_for(&mut self, n: NodeRef) {
        if self.at(n).is_some() {
            self.flush();
        }
    }

    fn flush_for_sheet(&mut self, doc: DocKey, sheet: u32) {
        if self.mirror.sheet(doc, sheet).is_some_and(|known| self.at(NodeRef { doc, node: known.owner }).is_some()) {
            self.flush();
        }
    }

    /// A sheet of no element, whose change is told with the rest of the instant: a player that winds forward
    /// changes rules before it makes the sheets, so the whole sheet is told anew.
    fn constructed(&mut self, doc: DocKey, sheet: u32) -> bool {
        let constructed = self.mirror.sheet(doc, sheet).is_some_and(|known| known.owner == 0);
        if constructed && self.sheets.contains_key(&(doc, sheet)) {
            self.pending.sheets.insert((doc, sheet));
        }
        constructed
    }

    // ---- states

    /// What a new element has beyond its attributes.
    fn newcomer(&mut self, n: NodeRef) {
        if self.at(n).is_none() {
            return;
        }
        match self.mirror.shape(n) {
            Some(Shape::Element { .. }) => {}
            _ => {
                if !self.mirror.adopted(n).is_empty() {
                    self.adopted(n);
                }
                return;
            }
        }
        let value = self.mirror.told_value(n).map(str::to_owned);
        let untouched = value.as_deref() == Some(self.mirror.attribute(n, "value").unwrap_or_default())
            && self.mirror.tag(n) == "input";
        let checked = self
            .mirror
            .told_checked(n)
            .is_some_and(|state| (state == 1) != self.mirror.attribute(n, "checked").is_some());
        if checked || (value.is_some() && !untouched) {
            self.input(n);
        }
        if let (Some(id), Some((x, y))) = (self.at(n), self.mirror.scroll_offset(n).filter(|at| *at != (0, 0))) {
            self.emit(kind::INCREMENTAL, json!({"source": source::SCROLL, "id": id, "x": x, "y": y}));
        }
        if let Some((sheet, _)) = self.mirror.sheet_of(n) {
            self.rules_from_base(n.doc, sheet);
        }
        if let Some(root) = self.mirror.shadow_root(n)
            && !self.mirror.adopted(root).is_empty()
        {
            self.adopted(root);
        }
        if let Some(child) = self.mirror.child_document(n) {
            self.arrive(child);
        }
    }

    fn input(&mut self, n: NodeRef) {
        let Some(id) = self.at(n) else { return };
        let attribute = |name: &str| self.mirror.attribute(n, name);
        let of = attribute("type").map(str::to_ascii_lowercase).unwrap_or_default();
        if self.mirror.tag(n) == "input" && of == "file" {
            // No program may fill it.
            self.lose("files");
            return;
        }
        let boxed = self.mirror.tag(n) == "input" && matches!(of.as_str(), "checkbox" | "radio");
        let (text, checked) = if boxed {
            (attribute("value").unwrap_or("on"), self.mirror.told_checked(n) == Some(1))
        } else {
            (self.mirror.told_value(n).unwrap_or_default(), false)
        };
        let data = json!({"source": source::INPUT, "text": text, "isChecked": checked, "id": id});
        if boxed && self.mirror.told_checked(n) == Some(2) {
            self.lose("indeterminate");
        }
        self.emit(kind::INCREMENTAL, data);
    }

    fn in_multiple(&self, option: NodeRef) -> bool {
        let up = std::iter::successors(self.mirror.parent(option), |at| self.mirror.parent(*at));
        let list = up.take(2).find(|at| self.mirror.tag(*at) == "select");
        list.is_some_and(|list| self.mirror.attribute(list, "multiple").is_some())
    }

    fn state(&mut self, n: NodeRef, what: i32, value: i32) {
        if what == state::CANVAS {
            self.lose("canvas");
            return;
        }
        let Some(id) = self.at(n) else { return };
        let element = self.mirror.tag(n).to_owned();
        let seconds = f64::from(self.mirror.state(n, state::POSITION).unwrap_or(0)) / 1000.0;
        let media = |data: Value| {
            json!({"source": source::MEDIA, "id": id, "type": data["type"], "currentTime": seconds,
            "muted": data["muted"], "volume": data["volume"], "playbackRate": data["rate"]})
        };
        let volume = f64::from(self.mirror.state(n, state::VOLUME).unwrap_or(100)) / 100.0;
        let muted = self.mirror.state(n, state::MUTED) == Some(1);
        let data = match what {
            state::DEFINED if value == 1 => json!({"source": source::CUSTOM_ELEMENT, "define": {"name": element}}),
            state::TOP_LAYER if element == "dialog" => {
                self.pending.attributes.entry(n).or_default().insert("open".to_owned());
                return;
            }
            state::TOP_LAYER => {
                self.lose("popover");
                return;
            }
            state::PAUSED => media(json!({"type": value})),
            state::POSITION => media(json!({"type": 2})),
            state::MUTED | state::VOLUME => media(json!({"type": 3, "muted": muted, "volume": volume})),
            state::RATE => media(json!({"type": 4, "rate": f64::from(value) / 100.0})),
            _ => return,
        };
        self.flush();
        let Value::Object(mut data) = data else { return };
        data.retain(|_, value| !value.is_null());
        self.emit(kind::INCREMENTAL, Value::Object(data));
    }

    // ---- style sheets

    fn rules(&mut self, doc: DocKey, sheet: u32, adds: Value, removes: Value) {
        let owner = self.mirror.sheet(doc, sheet).map_or(0, |known| known.owner);
        let Some(id) = self.at(NodeRef { doc, node: owner }) else { return };
        let mut data = serde_json::Map::new();
        data.insert("source".to_owned(), source::RULE.into());
        data.insert("id".to_owned(), id.into());
        for (name, list) in [("adds", adds), ("removes", removes)] {
            if list.as_array().is_some_and(|list| !list.is_empty()) {
                data.insert(name.to_owned(), list);
            }
        }
        self.emit(kind::INCREMENTAL, Value::Object(data));
    }

    /// Brings a sheet that the player has as its text gives it to what it is.
    fn rules_from_base(&mut self, doc: DocKey, sheet: u32) {
        let Some(known) = self.mirror.sheet(doc, sheet) else { return };
        let base = self.base(doc);
        let given: BTreeSet<u32> =
            known.rules.iter().filter_map(|rule| if let Rule::Given(at) = rule { Some(*at) } else { None }).collect();
        let removes: Vec<Value> = (0..known.base.unwrap_or_default())
            .rev()
            .filter(|at| !given.contains(at))
            .map(|at| json!({"index": at}))
            .collect();
        let adds: Vec<Value> = known
            .rules
            .iter()
            .enumerate()
            .filter_map(|(at, rule)| match rule {
                Rule::Given(_) => None,
                Rule::Made(text) => Some(json!({"rule": urls::css(text, &base), "index": at})),
            })
            .collect();
        // The replayer adds before it removes.
        if !removes.is_empty() {
            self.rules(doc, sheet, Value::Null, removes.into());
        }
        if !adds.is_empty() {
            self.rules(doc, sheet, adds.into(), Value::Null);
        }
    }

    fn adopted(&mut self, root: NodeRef) {
        let host = match self.mirror.shape(root) {
            Some(Shape::Shadow { .. }) => self.mirror.parent(root),
            _ => Some(root),
        };
        let Some(id) = host.and_then(|host| self.at(host)) else { return };
        let base = self.base(root.doc);
        let list = self.mirror.adopted(root).to_vec();
        let mut ids = Vec::new();
        let mut styles = Vec::new();
        for sheet in list {
            let known = self.sheets.get(&(root.doc, sheet)).copied();
            let n = known.unwrap_or_else(|| {
                self.numbers += 1;
                self.numbers
            });
            ids.push(n);
            if known.is_none() {
                self.sheets.insert((root.doc, sheet), n);
                let rules = self.mirror.sheet(root.doc, sheet).map_or(&[][..], |sheet| &sheet.rules);
                let rules: Vec<Value> = rules
                    .iter()
                    .enumerate()
                    .filter_map(|(at, rule)| match rule {
                        Rule::Made(text) => Some(json!({"rule": urls::css(text, &base), "index": at})),
                        Rule::Given(_) => None,
                    })
                    .collect();
                styles.push(json!({"styleId": n, "rules": rules}));
            }
        }
        let mut data = json!({"source": source::ADOPTED, "id": id, "styleIds": ids});
        if !styles.is_empty() {
            data["styles"] = styles.into();
        }
        self.emit(kind::INCREMENTAL, data);
    }

    // ---- input

    fn fact(&mut self, doc: DocKey, fact: &Fact) {
        let acted = matches!(
            fact.kind,
            Kind::PointerDown(_) | Kind::Click(_) | Kind::KeyDown { .. } | Kind::Input(_) | Kind::Change(_)
        );
        let tab = self.mirror.tab(doc);
        if acted && self.tab.is_none_or(|front| front.to_bits() != tab.to_bits()) {
            self.tab = Some(tab);
            if let Some(top) = self.mirror.top(tab).filter(|top| self.whole(*top)) {
                self.document(top);
            }
        }
        let Some(id) = self.at(NodeRef { doc, node: fact.n }) else { return };
        let touch = |pointer: &Pointer| pointer.pointer == "touch";
        let (what, pointer) = match &fact.kind {
            Kind::PointerDown(p) => (if touch(p) { mouse::TOUCH_START } else { mouse::DOWN }, p),
            Kind::PointerUp(p) => (if touch(p) { mouse::TOUCH_END } else { mouse::UP }, p),
            Kind::PointerCancel(p) if touch(p) => (mouse::TOUCH_CANCEL, p),
            Kind::Click(p) => (mouse::CLICK, p),
            Kind::DblClick(p) => (mouse::DOUBLE, p),
            Kind::ContextMenu(p) => (mouse::MENU, p),
            _ => return,
        };
        let of = match pointer.pointer.as_str() {
            "pen" => 1,
            "touch" => 2,
            _ => 0,
        };
        if what == mouse::DOWN {
            let position = json!({"x": pointer.x, "y": pointer.y, "id": id, "timeOffset": 0});
            self.emit(kind::INCREMENTAL, json!({"source": source::MOUSE_MOVE, "positions": [position]}));
        }
        let data = json!({"source": source::INTERACTION, "type": what, "id": id, "x": pointer.x, "y": pointer.y,
            "pointerType": of});
        self.emit(kind::INCREMENTAL, data);
    }

    // ---- what was lost

    fn losses(&self, trace: &Trace, options: &Options, loss: &mut Loss) {
        let reasons: [(&'static str, &str, Change, Severity, &str); 12] = [
            ("torn", "dom", Change::Dropped, Severity::Major, "parts of the stream could not be read"),
            (
                "closed",
                "dom.shadow_root",
                Change::Changed,
                Severity::Info,
                "rrweb knows open shadow roots only: closed ones are written as open",
            ),
            (
                "namespace",
                "dom.namespace",
                Change::Changed,
                Severity::Minor,
                "rrweb has HTML and SVG only: elements of MathML and other languages become HTML elements",
            ),
            (
                "tag",
                "dom.tag",
                Change::Changed,
                Severity::Minor,
                "a tag's name that no script can create is written as div",
            ),
            (
                "frame",
                "dom.frame",
                Change::Dropped,
                Severity::Minor,
                "rrweb shows documents in iframes only, not in frame and object elements",
            ),
            (
                "frame_source",
                "dom.attributes",
                Change::Dropped,
                Severity::Info,
                "src, srcdoc and sandbox of iframes would load or lock them in the player",
            ),
            ("multiple", "dom.selected", Change::Dropped, Severity::Minor, "rrweb tells one choice of a list"),
            ("files", "dom.files", Change::Dropped, Severity::Info, "no program may fill a file field"),
            (
                "indeterminate",
                "dom.indeterminate",
                Change::Dropped,
                Severity::Info,
                "rrweb knows checked and unchecked only",
            ),
            (
                "canvas",
                "dom.canvas",
                Change::Dropped,
                Severity::Minor,
                "what canvases show is kept as a mark of change, not as a picture",
            ),
            ("popover", "dom.popover", Change::Dropped, Severity::Minor, "rrweb cannot show popovers"),
            (
                "reserved",
                "dom.attributes",
                Change::Dropped,
                Severity::Info,
                "attributes that begin with rr_ are rrweb's own",
            ),
        ];
        for (what, field, change, severity, reason) in reasons {
            if let Some(count) = self.lost.get(what) {
                let first = self.torn.as_ref().filter(|_| what == "torn").map(|why| format!(": {why}"));
                let reason = format!("{reason} ({count}){}", first.unwrap_or_default());
                loss.add(None, format!("{field}#{what}"), change, severity, reason);
            }
        }
        if self.tabs.len() > 1 {
            let reason = format!("{} tabs are played one after the other, each while it was acted in", self.tabs.len());
            loss.changed(None, "tabs", Severity::Minor, reason);
        }
        let steps = "rrweb has no steps: they are custom events that only Tracerule reads back";
        let seqs = trace.steps().map(|step| step.seq);
        if options.plain {
            for seq in seqs {
                loss.dropped(Some(seq), "step", Severity::Major, "rrweb has no steps; what they did is played");
            }
            loss.dropped(None, "header", Severity::Minor, "rrweb has no place for it");
        } else {
            for seq in seqs {
                loss.aside(Some(seq), "step", Severity::Info, steps);
            }
        }
        let others = trace
            .events
            .iter()
            .filter(|event| !matches!(event, crate::trace::Event::Step(_) | crate::trace::Event::Dom(_)));
        let others = others.count();
        if others > 0 {
            loss.dropped(None, "events", Severity::Minor, format!("{others} events other than steps and pages"));
        }
        let pictures = trace.blobs.keys().filter(|name| !(name.ends_with(".jsonl") || name.ends_with(".dom"))).count();
        if pictures > 0 {
            loss.dropped(
                None,
                "screenshots",
                Severity::Minor,
                format!("{pictures} pictures: rrweb draws the pages anew"),
            );
        }
    }
}
