//! Pages in HTML's notation, turned into ops. Attributes that begin with `:` are not the page's: `:t="name"` marks a
//! node, `:value`, `:secret`, `:checked`, `:selected`, `:focus`, `:box="x y w h flags"` and `:frame="token"` become
//! their ops. A `template` with `shadowrootmode` becomes its parent's shadow root.

use std::collections::HashMap;

use crate::mirror::{DocKey, Mirror, NodeRef};
use crate::wire::log::Document;
use crate::wire::op::{Op, mark, ns};

pub const TAB: f64 = 7.0;
const VOID: [&str; 9] = ["area", "br", "hr", "img", "input", "link", "meta", "source", "wbr"];

pub struct Page {
    pub mirror: Mirror,
    pub doc: DocKey,
    pub marks: HashMap<String, NodeRef>,
}

pub fn announce(mirror: &mut Mirror, token: &str, top: bool, url: &str) -> DocKey {
    let (doc, url) = (token.to_owned(), url.to_owned());
    mirror.document(&Document { t: 0.0, doc, tab: TAB, top, url, viewport: None })
}

/// A tab with one document.
pub fn page(html: &str) -> Page {
    let mut page = Page { mirror: Mirror::new(), doc: DocKey(0), marks: HashMap::new() };
    page.doc = page.load("top", true, html);
    page
}

impl Page {
    /// Another document of the tab.
    pub fn load(&mut self, token: &str, top: bool, html: &str) -> DocKey {
        let doc = announce(&mut self.mirror, token, top, &format!("https://{token}.example/"));
        self.apply(doc, Op::Reset);
        let mut reader = Reader { page: self, doc, next: 2, late: Vec::new() };
        reader.read(html);
        let late = std::mem::take(&mut reader.late);
        for (id, name, value) in late {
            self.special(doc, id, &name, &value);
        }
        self.apply(doc, Op::Mark(mark::SNAPSHOT));
        doc
    }

    pub fn apply(&mut self, doc: DocKey, op: Op<'_>) {
        self.mirror.apply(doc, &op).unwrap();
    }

    /// The node marked with `:t="name"`.
    pub fn node(&self, name: &str) -> NodeRef {
        *self.marks.get(name).unwrap_or_else(|| panic!("no node is marked {name}"))
    }

    /// The only marked node, `:t`.
    pub fn the(&self) -> NodeRef {
        self.node("")
    }

    fn special(&mut self, doc: DocKey, id: u32, name: &str, value: &str) {
        let numbers: Vec<i32> = value.split(' ').filter_map(|n| n.parse().ok()).collect();
        match (name, numbers.as_slice()) {
            (":t", _) => {
                self.marks.insert(value.to_owned(), NodeRef { doc, node: id });
            }
            (":value", _) => self.apply(doc, Op::Value { id, value, secret: false }),
            (":secret", _) => self.apply(doc, Op::Value { id, value, secret: true }),
            (":checked", [state]) => self.apply(doc, Op::Checked { id, state: *state }),
            (":selected", [state]) => self.apply(doc, Op::Selected { id, selected: *state == 1 }),
            (":focus", _) => self.apply(doc, Op::Focus { id }),
            (":frame", _) => self.apply(doc, Op::Frame { id, token: value }),
            (":box", &[x, y, width, height, flags]) => self.apply(doc, Op::Box { id, x, y, width, height, flags }),
            _ => panic!("{name}={value} means nothing"),
        }
    }
}

struct Open {
    id: u32,
    last: u32,
    tag: String,
    ns: i32,
}

struct Reader<'a> {
    page: &'a mut Page,
    doc: DocKey,
    next: u32,
    late: Vec<(u32, String, String)>,
}

impl Reader<'_> {
    fn read(&mut self, html: &str) {
        let mut open = vec![Open { id: 1, last: 0, tag: String::new(), ns: ns::HTML }];
        let mut rest = html;
        while !rest.is_empty() {
            if let Some(comment) = rest.strip_prefix("<!--") {
                let (text, after) = comment.split_once("-->").unwrap();
                let (id, parent, previous) = self.place(&mut open);
                self.page.apply(self.doc, Op::Comment { id, parent, previous, text });
                rest = after;
            } else if let Some(doctype) = rest.strip_prefix("<!doctype ") {
                let (name, after) = doctype.split_once('>').unwrap();
                let (id, parent, previous) = self.place(&mut open);
                self.page.apply(self.doc, Op::Doctype { id, parent, previous, name });
                rest = after;
            } else if let Some(closing) = rest.strip_prefix("</") {
                let (tag, after) = closing.split_once('>').unwrap();
                let closed = open.pop().unwrap();
                assert_eq!(closed.tag, tag, "at …{}", &rest[..rest.len().min(60)]);
                rest = after;
            } else if let Some(start) = rest.strip_prefix('<') {
                rest = self.element(start, &mut open);
            } else {
                let end = rest.find('<').unwrap_or(rest.len());
                let (id, parent, previous) = self.place(&mut open);
                let text = rest[..end].replace("&lt;", "<").replace("&amp;", "&").replace("&nbsp;", "\u{a0}");
                self.page.apply(self.doc, Op::Text { id, parent, previous, text: &text });
                rest = &rest[end..];
            }
        }
        assert_eq!(open.len(), 1, "an element is not closed");
    }

    fn place(&mut self, open: &mut [Open]) -> (u32, u32, u32) {
        let id = self.next;
        self.next += 1;
        let at = open.last_mut().unwrap();
        (id, at.id, std::mem::replace(&mut at.last, id))
    }

    fn element<'h>(&mut self, start: &'h str, open: &mut Vec<Open>) -> &'h str {
        let name_end = start.find([' ', '>', '/']).unwrap();
        let tag = &start[..name_end];
        let (attributes, closed, rest) = attributes(&start[name_end..]);
        let shadow = attributes.iter().find(|(name, _)| name == "shadowrootmode");
        if let (Some((_, mode)), "template") = (shadow, tag) {
            let id = self.next;
            self.next += 1;
            let host = open.last().unwrap().id;
            self.page.apply(self.doc, Op::Shadow { id, host, closed: mode == "closed" });
            open.push(Open { id, last: 0, tag: tag.to_owned(), ns: ns::HTML });
            return rest;
        }
        let ns = match (tag, open.last().unwrap().ns) {
            ("svg", _) => ns::SVG,
            ("math", _) => ns::MATHML,
            (_, outer) => outer,
        };
        let (id, parent, previous) = self.place(open);
        self.page.apply(self.doc, Op::Element { id, parent, previous, tag, ns });
        for (name, value) in attributes {
            if name.starts_with(':') {
                self.late.push((id, name, value));
            } else {
                self.page.apply(self.doc, Op::Attribute { id, name: &name, value: Some(&value) });
            }
        }
        if !closed && !VOID.contains(&tag) {
            open.push(Open { id, last: 0, tag: tag.to_owned(), ns });
        }
        rest
    }
}

fn attributes(mut rest: &str) -> (Vec<(String, String)>, bool, &str) {
    let mut out = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return (out, true, after);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (out, false, after);
        }
        let end = rest.find(['=', ' ', '>', '/']).unwrap();
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let quote = after.chars().next().filter(|c| *c == '"' || *c == '\'');
            match quote {
                Some(quote) => {
                    let (text, after) = after[1..].split_once(quote).unwrap();
                    value = text.replace("&quot;", "\"").replace("&amp;", "&");
                    rest = after;
                }
                None => {
                    let end = after.find([' ', '>']).unwrap();
                    value = after[..end].to_owned();
                    rest = &after[end..];
                }
            }
        }
        out.push((name, value));
    }
}
