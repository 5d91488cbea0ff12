//! Nodes as rrweb writes them.

use serde_json::{Map, Value, json};

use super::{NodeRef, Shape, Shown, Writer, urls};
use crate::mirror::DocKey;
use crate::wire::op::{ns, state};

/// Numbers of rrweb's node types.
mod node_type {
    pub const DOCUMENT: u32 = 0;
    pub const DOCTYPE: u32 = 1;
    pub const ELEMENT: u32 = 2;
    pub const TEXT: u32 = 3;
    pub const COMMENT: u32 = 5;
}

/// In a snapshot, nodes deeper than this come in a mutation of their own: reading nested JSON is recursive.
const DEPTH: usize = 200;

impl Writer {
    /// Gives the node a number in the player; it is there from now on.
    fn give(&mut self, n: NodeRef) -> u32 {
        let next = self.numbers + 1;
        let shown = self.shown.entry(n.doc).or_default();
        shown.present.insert(n.node);
        let id = *shown.numbers.entry(n.node).or_insert(next);
        self.numbers = self.numbers.max(id);
        id
    }

    /// The address that a document's links start from.
    pub(super) fn base(&self, doc: DocKey) -> String {
        let url = self.mirror.url(doc);
        let top = NodeRef { doc, node: 1 };
        let html = self.mirror.children(top).find(|n| self.mirror.tag(*n) == "html");
        let head = html.and_then(|html| self.mirror.children(html).find(|n| self.mirror.tag(*n) == "head"));
        let base = head.and_then(|head| {
            let mut all = self.mirror.children(head);
            all.find_map(|n| self.mirror.attribute(n, "href").filter(|_| self.mirror.tag(n) == "base"))
        });
        if let Some(base) = base {
            return urls::join(url, base);
        }
        // Documents without an address of their own start from their parent's.
        match self.mirror.parent_frame(doc) {
            Some(frame) if url.is_empty() || url.starts_with("about:") => self.base(frame.doc),
            _ => url.to_owned(),
        }
    }

    /// A text as the player gets it: addresses in style sheets are absolute.
    pub(super) fn text(&self, n: NodeRef, text: &str) -> String {
        match self.mirror.parent(n) {
            Some(up) if self.mirror.tag(up) == "style" => urls::css(text, &self.base(n.doc)),
            _ => text.to_owned(),
        }
    }

    /// An attribute as the player gets it; `None` if it does not.
    pub(super) fn attribute(
        &mut self,
        doc: DocKey,
        tag: &str,
        name: &str,
        value: Option<&str>,
    ) -> Option<(String, Value)> {
        if tag == "iframe" && matches!(name, "src" | "srcdoc" | "sandbox") {
            self.lose("frame_source");
            return None;
        }
        if name.starts_with("rr_") || name == "_cssText" {
            self.lose("reserved");
            return None;
        }
        let value = match value {
            Some(value) if name == "style" || urls::loads(tag, name) => {
                Value::from(urls::attribute(tag, name, value, &self.base(doc)))
            }
            Some(value) => Value::from(value),
            None => Value::Null,
        };
        Some((name.to_owned(), value))
    }

    /// The node itself, without its children.
    fn node(&mut self, n: NodeRef, root: Option<u32>) -> Option<Map<String, Value>> {
        let mut out = Map::new();
        let mut put = |name: &str, value: Value| drop(out.insert(name.to_owned(), value));
        match self.mirror.shape(n)? {
            Shape::Document => {
                put("type", node_type::DOCUMENT.into());
                put("childNodes", Value::Array(Vec::new()));
            }
            Shape::Doctype { name, public, system } => {
                put("type", node_type::DOCTYPE.into());
                put("name", name.into());
                put("publicId", public.into());
                put("systemId", system.into());
            }
            Shape::Text(text) => {
                put("type", node_type::TEXT.into());
                put("textContent", self.text(n, text).into());
                if self.mirror.parent(n).is_some_and(|up| self.mirror.tag(up) == "style") {
                    put("isStyle", true.into());
                }
            }
            Shape::Comment(text) => {
                put("type", node_type::COMMENT.into());
                put("textContent", text.into());
            }
            Shape::Shadow { .. } => return None,
            Shape::Element { tag, ns } => {
                let tag = tag.to_owned();
                let name = if can_be_created(&tag) { tag.as_str() } else { "div" };
                put("type", node_type::ELEMENT.into());
                put("tagName", name.into());
                if ns == ns::SVG {
                    put("isSVG", true.into());
                }
                if self.mirror.shadow_root(n).is_some() {
                    put("isShadowHost", true.into());
                }
                if tag.contains('-') && ns == ns::HTML && self.mirror.state(n, state::DEFINED) != Some(0) {
                    put("isCustom", true.into());
                }
                let mut attributes = Map::new();
                for (name, value) in self.mirror.attributes(n).to_vec() {
                    if let Some((name, value)) = self.attribute(n.doc, &tag, &name, Some(&value)) {
                        attributes.insert(name, value);
                    }
                }
                self.media(n, &mut attributes);
                put("attributes", Value::Object(attributes));
                put("childNodes", Value::Array(Vec::new()));
                if !can_be_created(&tag) {
                    self.lose("tag");
                }
                if !matches!(ns, ns::HTML | ns::SVG) {
                    self.lose("namespace");
                }
                if let Some(root) = self.mirror.shadow_root(n)
                    && matches!(self.mirror.shape(root), Some(Shape::Shadow { closed: true }))
                {
                    self.lose("closed");
                }
            }
        }
        if let Some(up) = self.mirror.parent(n)
            && matches!(self.mirror.shape(up), Some(Shape::Shadow { .. }))
        {
            out.insert("isShadow".to_owned(), true.into());
        }
        if let Some(root) = root.filter(|_| n.node != 1) {
            out.insert("rootId".to_owned(), root.into());
        }
        out.insert("id".to_owned(), self.give(n).into());
        self.fresh.push(n);
        Some(out)
    }

    fn media(&self, n: NodeRef, attributes: &mut Map<String, Value>) {
        let state = |what| self.mirror.state(n, what);
        if self.mirror.tag(n) == "dialog" && state(state::TOP_LAYER) == Some(1) {
            attributes.insert("rr_open_mode".to_owned(), "modal".into());
        }
        let Some(paused) = state(state::PAUSED) else { return };
        let percent = |what| f64::from(state(what).unwrap_or(100)) / 100.0;
        let position = f64::from(state(state::POSITION).unwrap_or(0)) / 1000.0;
        for (name, value) in [
            ("rr_mediaState", if paused == 1 { "paused" } else { "played" }.into()),
            ("rr_mediaCurrentTime", position.into()),
            ("rr_mediaPlaybackRate", percent(state::RATE).into()),
            ("rr_mediaMuted", (state(state::MUTED) == Some(1)).into()),
            ("rr_mediaVolume", percent(state::VOLUME).into()),
        ] {
            attributes.insert(name.to_owned(), value);
        }
    }

    /// The player's number of a frame's document, which its nodes carry; nodes of the page carry none.
    fn root(&self, doc: DocKey) -> Option<u32> {
        let top = self.tab.and_then(|tab| self.mirror.top(tab));
        if top == Some(doc) { None } else { self.at(NodeRef { doc, node: 1 }) }
    }

    /// A document with all that is in it, under new numbers.
    pub(super) fn whole_document(&mut self, doc: DocKey) -> Value {
        let shown = Shown { on: true, whole: true, ..Shown::default() };
        self.shown.insert(doc, shown);
        self.sheets.retain(|(of, _), _| *of != doc);
        let top = NodeRef { doc, node: 1 };
        let Some(mut document) = self.node(top, None) else { return Value::Null };
        if !self.mirror.children(top).any(|n| matches!(self.mirror.shape(n), Some(Shape::Doctype { .. }))) {
            document.insert("compatMode".to_owned(), "BackCompat".into());
        }
        let root = self.root(doc);
        // Open nodes with the children that are still to come, the last one first.
        let mut open = vec![(document, self.inside(top))];
        loop {
            let deep = open.len() >= DEPTH;
            let Some((_, left)) = open.last_mut() else { return Value::Null };
            if deep {
                self.pending.adds.append(left);
            }
            match left.pop() {
                Some(child) => {
                    let children = self.inside(child);
                    if let Some(node) = self.node(child, root) {
                        open.push((node, children));
                    }
                }
                None => {
                    let Some((done, _)) = open.pop() else { return Value::Null };
                    let Some((up, _)) = open.last_mut() else { return Value::Object(done) };
                    if let Some(Value::Array(list)) = up.get_mut("childNodes") {
                        list.push(Value::Object(done));
                    }
                }
            }
        }
    }

    /// What is in a node, the shadow root's children first, in reverse.
    fn inside(&self, n: NodeRef) -> Vec<NodeRef> {
        let mut all = Vec::new();
        if let Some(root) = self.mirror.shadow_root(n) {
            all.extend(self.mirror.children(root));
        }
        all.extend(self.mirror.children(n));
        all.reverse();
        all
    }

    /// Brings a node that the player does not have to its place, with those beside it that it has not either.
    pub(super) fn place(&mut self, n: NodeRef, adds: &mut Vec<Value>) {
        let there = |writer: &Self, n: NodeRef| writer.at(n).is_some();
        if there(self, n) || !self.mirror.contains(n) || !self.shown.get(&n.doc).is_some_and(|shown| shown.on) {
            return;
        }
        let Some(up) = self.mirror.parent(n) else { return };
        let host = match self.mirror.shape(up) {
            Some(Shape::Shadow { .. }) => self.mirror.parent(up),
            _ => Some(up),
        };
        // Otherwise it comes with its parent.
        let Some(parent) = host.and_then(|host| self.at(host)) else { return };
        let mut last = n;
        while let Some(next) = self.mirror.next(last).filter(|next| !there(self, *next)) {
            last = next;
        }
        let mut next = self.mirror.next(last).and_then(|next| self.at(next));
        let root = self.root(n.doc);
        let mut at = Some(last);
        while let Some(node) = at.filter(|at| !there(self, *at)) {
            at = self.mirror.previous(node);
            next = self.put(node, parent, next, root, adds).or(next);
        }
    }

    /// One node and all that is in it.
    fn put(
        &mut self,
        n: NodeRef,
        parent: u32,
        next: Option<u32>,
        root: Option<u32>,
        adds: &mut Vec<Value>,
    ) -> Option<u32> {
        let mut first = None;
        let mut open = vec![(n, parent, next)];
        while let Some((n, parent, next)) = open.pop() {
            let Some(node) = self.node(n, root) else { continue };
            let id = self.at(n)?;
            first.get_or_insert(id);
            adds.push(json!({"parentId": parent, "nextId": next, "node": node}));
            open.extend(self.inside(n).into_iter().map(|child| (child, id, None)));
        }
        first
    }
}

/// Whether a script can make an element of that name.
fn can_be_created(tag: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
    let rest = |c: char| first(c) || c.is_ascii_digit() || matches!(c, '-' | '.' | ':');
    let mut chars = tag.chars();
    chars.next().is_some_and(first) && chars.all(rest) && !tag.starts_with(':') && !tag.ends_with(':')
}
