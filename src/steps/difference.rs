//! What a step did to the pages, as readable lines: the stream kept in the trace, between the step's first event
//! and the end of its settling.

use std::collections::BTreeMap;

use super::dom_entries;
use crate::mirror::{Mirror, NodeRef, Shape};
use crate::trace::{SettleEnd, Step, Trace};
use crate::wire::log::Entry;
use crate::wire::op::{self, Op, mark};

/// Longer texts are cut.
const TEXT_CHARS: usize = 80;

/// The difference that a step made. Empty when nothing changed or the trace holds no pages; changes undone
/// within the step do not show.
///
/// Lines begin with `+` for what came, `-` what went, `>` what moved, `~` what changed, `=` values and states,
/// `#` style sheets, `@` a new document.
pub fn difference(trace: &Trace, step: &Step) -> Vec<String> {
    let next = trace.steps().find(|other| other.seq > step.seq).map_or(f64::INFINITY, |other| other.t_ms);
    let end = match step.settle {
        Some(settle) if !matches!(settle.ended_by, SettleEnd::NextAction | SettleEnd::End) => {
            // The last change may be told in the same tenth of a millisecond.
            (step.t_ms + step.elapsed_ms + settle.ms + 0.1).min(next)
        }
        _ => next,
    };
    let mut fold = Fold { start: step.t_ms, end, ..Fold::default() };
    for entry in dom_entries(trace).flatten() {
        fold.entry(&entry);
    }
    fold.lines()
}

/// A node as it was first seen, or as it is.
#[derive(Default)]
struct Seen {
    /// Where it was, for what went or moved.
    path: String,
    label: String,
    came: bool,
    went: bool,
    moved: bool,
}

#[derive(Default)]
struct Fold {
    mirror: Mirror,
    start: f64,
    end: f64,
    t: f64,
    nodes: BTreeMap<NodeRef, Seen>,
    /// What it was before, by node and name.
    before: BTreeMap<(NodeRef, String), Option<String>>,
    documents: Vec<String>,
    sheets: Vec<String>,
    /// Documents that are being read.
    filling: Vec<crate::mirror::DocKey>,
}

fn short(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = folded.chars().take(TEXT_CHARS).collect();
    let more = if cut.len() < folded.len() { "…" } else { "" };
    format!("{:?}", cut + more)
}

impl Fold {
    fn entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Document(document) => drop(self.mirror.document(document)),
            Entry::Gone { doc, t } => {
                if let Some(doc) = self.mirror.key(doc) {
                    if (self.start..self.end).contains(t) {
                        self.documents.push(format!("@ left {}", self.mirror.url(doc)));
                    }
                    self.mirror.gone(doc);
                }
            }
            Entry::Batch(batch) => {
                let Some(doc) = self.mirror.key(&batch.doc) else { return };
                self.t = batch.t0;
                for op in op::decode(batch.t0, &batch.strings, &batch.ops).map_while(Result::ok) {
                    match op {
                        Op::Time(t) => self.t = t,
                        Op::Reset => {
                            self.filling.push(doc);
                            self.nodes.retain(|n, _| n.doc != doc);
                            self.before.retain(|(n, _), _| n.doc != doc);
                            let _ = self.mirror.apply(doc, &op);
                        }
                        Op::Mark(mark::SNAPSHOT) => {
                            let _ = self.mirror.apply(doc, &op);
                            self.filling.retain(|other| *other != doc);
                            if self.within() {
                                self.documents.push(format!("@ new document {}", self.mirror.url(doc)));
                            }
                        }
                        op => self.op(doc, &op),
                    }
                }
            }
            _ => {}
        }
    }

    fn within(&self) -> bool {
        self.t >= self.start && self.t < self.end
    }

    fn op(&mut self, doc: crate::mirror::DocKey, op: &Op<'_>) {
        let of = |node: u32| NodeRef { doc, node };
        if !self.within() || self.filling.contains(&doc) {
            let _ = self.mirror.apply(doc, op);
            return;
        }
        match *op {
            Op::Attribute { id, name, .. } => {
                let old = self.mirror.attribute(of(id), name).map(str::to_owned);
                self.remember(of(id), format!("[{name}]"), old);
            }
            Op::Data { id, .. } => {
                let old = match self.mirror.shape(of(id)) {
                    Some(Shape::Text(text) | Shape::Comment(text)) => Some(text.to_owned()),
                    _ => None,
                };
                self.remember(of(id), String::new(), old);
            }
            Op::Value { id, .. } => {
                let told = self.mirror.told_value(of(id)).or_else(|| self.mirror.attribute(of(id), "value"));
                self.remember(of(id), "value".to_owned(), told.map(str::to_owned));
            }
            Op::Checked { id, .. } => {
                let old = self.mirror.told_checked(of(id)).map(checked);
                self.remember(of(id), "checked".to_owned(), old);
            }
            Op::Selected { id, .. } => {
                let old = self.mirror.told_selected(of(id)).map(|on| on.to_string());
                self.remember(of(id), "selected".to_owned(), old);
            }
            Op::Scroll { id, .. } => {
                let old = self.mirror.scroll_offset(of(id)).unwrap_or_default();
                self.remember(of(id), "scroll".to_owned(), Some(format!("{},{}", old.0, old.1)));
            }
            Op::Move { id, .. } => {
                let seen = self.seen(of(id));
                seen.moved = true;
            }
            Op::Remove { id } => self.seen(of(id)).went = true,
            Op::Rule { sheet, text, .. } => self.sheets.push(format!("# + {} {}", self.sheet(doc, sheet), short(text))),
            Op::Unrule { sheet, count, .. } => {
                self.sheets.push(format!("# - {} {count} rule(s)", self.sheet(doc, sheet)));
            }
            Op::Adopt { root, sheet, .. } if sheet != 0 => {
                self.sheets.push(format!("# adopted by {}", self.path(of(root))));
            }
            _ => {}
        }
        if self.mirror.apply(doc, op).is_err() {
            return;
        }
        if let Op::Element { id, .. } | Op::Text { id, .. } | Op::Comment { id, .. } | Op::Doctype { id, .. } = *op {
            self.nodes.insert(of(id), Seen { came: true, ..Seen::default() });
        }
    }

    fn sheet(&self, doc: crate::mirror::DocKey, sheet: u32) -> String {
        match self.mirror.sheet(doc, sheet) {
            Some(known) if known.owner != 0 => self.path(NodeRef { doc, node: known.owner }),
            _ => "constructed".to_owned(),
        }
    }

    fn remember(&mut self, n: NodeRef, name: String, old: Option<String>) {
        if !self.nodes.get(&n).is_some_and(|seen| seen.came) {
            self.before.entry((n, name)).or_insert(old);
        }
    }

    fn seen(&mut self, n: NodeRef) -> &mut Seen {
        let (path, label) =
            if self.nodes.contains_key(&n) { (String::new(), String::new()) } else { (self.path(n), self.label(n)) };
        self.nodes.entry(n).or_insert(Seen { path, label, ..Seen::default() })
    }

    /// The node's place, for people.
    fn path(&self, n: NodeRef) -> String {
        let mut parts = Vec::new();
        let mut at = Some(n);
        while let Some(node) = at {
            match self.mirror.shape(node) {
                Some(Shape::Element { tag, .. }) => {
                    let before = std::iter::successors(self.mirror.previous(node), |p| self.mirror.previous(*p));
                    let same = before.filter(|p| self.mirror.tag(*p) == tag).count();
                    parts.push(format!("/{tag}[{}]", same + 1));
                }
                Some(Shape::Text(_)) => parts.push("/#text".to_owned()),
                Some(Shape::Comment(_)) => parts.push("/#comment".to_owned()),
                Some(Shape::Doctype { .. }) => parts.push("/#doctype".to_owned()),
                Some(Shape::Shadow { .. }) => parts.push("/#shadow".to_owned()),
                Some(Shape::Document) | None => {}
            }
            at = self.mirror.parent(node);
        }
        parts.reverse();
        let path = if parts.is_empty() { "/".to_owned() } else { parts.concat() };
        match self.mirror.parent_frame(n.doc) {
            Some(frame) => format!("{} >> {path}", self.path(frame)),
            None => path,
        }
    }

    /// What the node is, for people.
    fn label(&self, n: NodeRef) -> String {
        match self.mirror.shape(n) {
            Some(Shape::Text(text)) => short(text),
            Some(Shape::Comment(text)) => format!("<!--{}-->", short(text)),
            Some(Shape::Element { tag, .. }) => {
                let named = ["id", "class", "name", "role", "aria-label"];
                let attributes = self.mirror.attributes(n).iter().filter(|(name, _)| named.contains(&name.as_str()));
                let attributes: String = attributes.map(|(name, value)| format!(" {name}={}", short(value))).collect();
                let mut text = String::new();
                let mut open = vec![n];
                while let Some(at) = open.pop().filter(|_| text.chars().count() <= TEXT_CHARS) {
                    if let Some(Shape::Text(data)) = self.mirror.shape(at) {
                        text.push_str(data);
                        text.push(' ');
                    }
                    let mut inside: Vec<NodeRef> = self.mirror.children(at).collect();
                    inside.reverse();
                    open.extend(inside);
                }
                let text = if text.trim().is_empty() { String::new() } else { format!(" {}", short(&text)) };
                format!("<{tag}{attributes}>{text}")
            }
            _ => String::new(),
        }
    }

    fn lines(self) -> Vec<String> {
        let mut lines = self.documents.clone();
        for (n, seen) in &self.nodes {
            if seen.went {
                if !seen.came {
                    lines.push(format!("- {} {}", seen.path, seen.label));
                }
            } else if !self.mirror.contains(*n) {
                // It went with what it was in.
            } else if seen.came {
                // What comes within something that came is told with it.
                let inside = self.mirror.parent(*n).and_then(|up| self.nodes.get(&up)).is_some_and(|up| up.came);
                if !inside {
                    lines.push(format!("+ {} {}", self.path(*n), self.label(*n)));
                }
            } else if seen.moved {
                let now = self.path(*n);
                lines.push(format!("> {} from {} to {now}", self.label(*n), seen.path));
            }
        }
        for ((n, name), old) in &self.before {
            let now = match name.as_str() {
                "" => match self.mirror.shape(*n) {
                    Some(Shape::Text(text) | Shape::Comment(text)) => Some(text.to_owned()),
                    _ => None,
                },
                "value" => self.mirror.told_value(*n).map(str::to_owned),
                "checked" => self.mirror.told_checked(*n).map(checked),
                "selected" => self.mirror.told_selected(*n).map(|on| on.to_string()),
                "scroll" => self.mirror.scroll_offset(*n).map(|(x, y)| format!("{x},{y}")),
                attribute => self.mirror.attribute(*n, attribute.trim_matches(['[', ']'])).map(str::to_owned),
            };
            if !self.mirror.contains(*n) || now == *old {
                continue;
            }
            let told = |value: &Option<String>| value.as_deref().map_or_else(|| "none".to_owned(), short);
            let mark = if name.is_empty() || name.starts_with('[') { '~' } else { '=' };
            let name = if name.is_empty() { String::new() } else { format!(" {name}") };
            lines.push(format!("{mark} {}{name} {} to {}", self.path(*n), told(old), told(&now)));
        }
        lines.extend(self.sheets);
        lines
    }
}

fn checked(state: i32) -> String {
    ["false", "true"].get(usize::try_from(state).unwrap_or(2)).copied().unwrap_or("mixed").to_owned()
}
