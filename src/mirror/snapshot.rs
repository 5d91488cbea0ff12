//! What agents read: the page as Playwright's AI snapshots write it, one line an element, refs that stay with their
//! element from snapshot to snapshot.

use std::collections::HashMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::facts::{View, fold};
use super::names;
use super::resolve::describe;
use super::roles::{self, Role};
use super::state::{States, shows_value, states};
use super::tree::{Ix, ROOT};
use super::{DocKey, FRAME_DEPTH, Mirror, NodeRef};
use crate::wire::op::flag;

/// A snapshot of a tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// YAML as in Playwright's AI mode.
    pub text: String,
    /// Names it: 16 hexadecimal digits of the text's SHA-256.
    pub hash: String,
}

/// Names longer than this, in characters, are left out.
const LONGEST_NAME: usize = 900;
/// Groups nested deeper than this are not told apart.
const NESTING: usize = 60;
/// Nothing is nested deeper than this.
const DEEPEST: usize = 200;

/// Roles whose plain content their name already tells.
const TOLD_BY_NAME: [Role; 13] = [
    "button",
    "link",
    "heading",
    "option",
    "tab",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "checkbox",
    "radio",
    "switch",
    "treeitem",
    "tooltip",
];

/// The refs given in a tab. A number is never given twice.
#[derive(Debug, Default)]
pub(super) struct Refs {
    names: HashMap<NodeRef, String>,
    nodes: HashMap<String, (NodeRef, String)>,
    top: u32,
    frames: HashMap<DocKey, (u32, u32)>,
}

impl Refs {
    /// The element of a ref, and what it was when last told.
    pub fn find(&self, reference: &str) -> Option<(NodeRef, &str)> {
        self.nodes.get(reference).map(|(node, was)| (*node, was.as_str()))
    }

    fn give(&mut self, node: NodeRef, is_top: bool, was: impl FnOnce() -> String) -> String {
        if let Some(name) = self.names.get(&node) {
            return name.clone();
        }
        let name = if is_top {
            self.top += 1;
            // The first is the body's, which has no line of its own.
            format!("e{}", self.top + 1)
        } else {
            let next_frame = u32::try_from(self.frames.len()).unwrap_or(u32::MAX).saturating_add(1);
            let (frame, last) = self.frames.entry(node.doc).or_insert((next_frame, 1));
            *last += 1;
            format!("f{frame}e{last}")
        };
        self.names.insert(node, name.clone());
        self.nodes.insert(name.clone(), (node, was()));
        name
    }
}

struct Line {
    ix: Ix,
    role: Role,
    name: String,
    states: States,
    /// Its ref is worth giving: it is shown and gets clicks.
    reachable: bool,
    hand: bool,
    aria_hidden: bool,
    active: bool,
    properties: Vec<(&'static str, String)>,
    frame: Option<DocKey>,
    children: Vec<Child>,
}

enum Child {
    Text(String),
    Line(Line),
}

impl Mirror {
    /// What an agent reads of a tab. Gives refs, which [`Mirror::resolve`] understands from then on.
    pub fn snapshot(&mut self, tab: f64) -> Snapshot {
        let mut text = String::new();
        if let Some(top) = self.top(tab) {
            let mut refs = std::mem::take(&mut self.tab_mut(tab).refs);
            self.write_document(top, true, 0, 0, &mut refs, &mut text);
            self.tab_mut(tab).refs = refs;
        }
        let hash = Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Snapshot { text, hash }
    }

    fn write_document(
        &self,
        doc: DocKey,
        is_top: bool,
        indent: usize,
        frames: usize,
        refs: &mut Refs,
        out: &mut String,
    ) {
        let Some(view) = self.view(doc).filter(|_| frames < FRAME_DEPTH) else { return };
        let mut writer = Writer { mirror: self, view, doc, is_top, frames, refs, out };
        for child in tidy(self.read(doc, view)) {
            writer.child(&child, indent, true);
        }
    }

    /// The lines of a document, not yet tidied.
    fn read(&self, doc: DocKey, view: View<'_>) -> Vec<Child> {
        let root = Line::new(ROOT, roles::GENERIC);
        let mut lines = vec![root];
        let mut open = vec![(ROOT, Step::Enter)];
        let mut children = Vec::new();
        while let Some((ix, step)) = open.pop() {
            match step {
                Step::Space => push_text(&mut lines, " "),
                Step::Leave => {
                    if let (Some(line), Some(outer)) = (lines.pop(), lines.last_mut()) {
                        outer.children.push(Child::Line(line));
                    }
                }
                Step::Enter => {
                    if let Some(data) = names::data(view, ix) {
                        if view.visible(ix) {
                            push_text(&mut lines, data);
                        }
                        continue;
                    }
                    if view.tree.element(ix).is_some() {
                        if matches!(view.tag(ix), "script" | "style" | "template" | "head" | "noscript") {
                            continue;
                        }
                        let line = if lines.len() < DEEPEST { self.line(doc, view, ix, lines.len()) } else { None };
                        match line {
                            Some(line) => {
                                let closed = line.frame.is_some() || shows_value(view, ix);
                                lines.push(line);
                                open.push((ix, Step::Leave));
                                if closed {
                                    continue;
                                }
                            }
                            None if view.is_block(ix) => {
                                push_text(&mut lines, " ");
                                open.push((ix, Step::Space));
                            }
                            None => {}
                        }
                    }
                    children.clear();
                    view.flat_children(ix, &mut children);
                    open.extend(children.iter().rev().map(|c| (*c, Step::Enter)));
                }
            }
        }
        lines.pop().map(|root| root.children).unwrap_or_default()
    }

    fn line(&self, doc: DocKey, view: View<'_>, ix: Ix, nesting: usize) -> Option<Line> {
        if !view.visible(ix) || view.is_tag(ix, "html") {
            return None;
        }
        let measured = view.tree.element(ix)?.measured;
        let is_frame = view.is_frame(ix);
        let role = if is_frame { "iframe" } else { view.role(ix) };
        if role == roles::NONE || (role == roles::GENERIC && (view.is_tag(ix, "body") || nesting > NESTING)) {
            return None;
        }
        let name = if is_frame { String::new() } else { view.name(ix) };
        if role == roles::GENERIC && name.is_empty() && !view.is_block(ix) {
            // Inline text needs no line of its own.
            let mut children = view.tree.children(ix);
            let first = children.next();
            if view.tree.element(ix)?.shadow.is_none()
                && children.next().is_none()
                && first.is_none_or(|c| names::data(view, c).is_some())
            {
                return None;
            }
        }
        let in_closed_list = role == "option"
            && view.parents(ix).take(2).any(|p| view.is_tag(p, "select") && view.role(p) == "combobox");
        let mut line = Line::new(ix, role);
        line.reachable = !in_closed_list && measured.is_none_or(|m| m.flags & flag::POINTER != 0);
        line.hand = measured.is_some_and(|m| m.flags & flag::HAND != 0);
        line.aria_hidden = view.aria_hidden(ix) && !view.parent(ix).is_some_and(|p| view.aria_hidden(p));
        line.active = view.tree.focus != 0 && view.tree.focus == view.tree.node(ix).id;
        line.states = states(view, ix);
        if is_frame {
            line.frame = self.child_document(self.named(doc, view, ix)).or(Some(doc)).filter(|child| *child != doc);
        }
        if role == "link"
            && let Some(url) = view.attribute(ix, "href")
        {
            line.properties.push(("url", url.to_owned()));
        }
        if matches!(role, "textbox" | "searchbox" | "combobox")
            && let Some(placeholder) = view.words(ix, "placeholder").map(fold).filter(|p| *p != name)
        {
            line.properties.push(("placeholder", placeholder));
        }
        if shows_value(view, ix) {
            line.children.push(Child::Text(view.value(ix)));
        }
        line.name = name;
        Some(line)
    }
}

enum Step {
    Enter,
    Leave,
    Space,
}

fn push_text(lines: &mut [Line], text: &str) {
    let Some(line) = lines.last_mut() else { return };
    match line.children.last_mut() {
        Some(Child::Text(before)) => before.push_str(text),
        _ => line.children.push(Child::Text(text.to_owned())),
    }
}

impl Line {
    fn new(ix: Ix, role: Role) -> Line {
        Line {
            ix,
            role,
            name: String::new(),
            states: States::default(),
            reachable: false,
            hand: false,
            aria_hidden: false,
            active: false,
            properties: Vec::new(),
            frame: None,
            children: Vec::new(),
        }
    }
}

/// Folds texts, unwraps groups that group nothing, drops what is said twice.
fn tidy(children: Vec<Child>) -> Vec<Child> {
    let mut out: Vec<Child> = Vec::new();
    for child in children {
        match child {
            Child::Text(text) => match out.last_mut() {
                Some(Child::Text(before)) => before.push_str(&text),
                _ => out.push(Child::Text(text)),
            },
            Child::Line(mut line) => {
                line.children = tidy(line.children);
                let is_wrapper =
                    line.role == roles::GENERIC && line.name.is_empty() && !line.active && line.frame.is_none();
                let holds_little = match line.children.as_slice() {
                    [] => !line.hand,
                    [Child::Line(only)] => only.reachable,
                    _ => false,
                };
                if is_wrapper && holds_little {
                    out.append(&mut line.children);
                    continue;
                }
                if line.role == "img" && line.name.is_empty() && line.children.is_empty() && !line.hand {
                    continue;
                }
                say_once(&mut line);
                out.push(Child::Line(line));
            }
        }
    }
    for child in &mut out {
        if let Child::Text(text) = child {
            *text = fold(text);
        }
    }
    out.retain(|child| !matches!(child, Child::Text(text) if text.is_empty()));
    out
}

fn say_once(line: &mut Line) {
    if line.name.is_empty() || line.children.is_empty() {
        return;
    }
    if let [Child::Text(only)] = line.children.as_slice() {
        if *only == line.name {
            line.children.clear();
        }
        return;
    }
    let mut told = String::new();
    spoken(&line.children, &mut told);
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    if bare(&told) != bare(&line.name) {
        return;
    }
    if TOLD_BY_NAME.contains(&line.role) && line.children.iter().all(is_plain) {
        line.children.clear();
    } else if !TOLD_BY_NAME.contains(&line.role) {
        line.name.clear();
    }
}

fn spoken(children: &[Child], out: &mut String) {
    for child in children {
        match child {
            Child::Text(text) => out.push_str(text),
            Child::Line(line) if !line.name.is_empty() => out.push_str(&line.name),
            Child::Line(line) => spoken(&line.children, out),
        }
    }
}

/// Carries nothing that a person could act on.
fn is_plain(child: &Child) -> bool {
    match child {
        Child::Text(_) => true,
        Child::Line(line) => {
            matches!(
                line.role,
                "generic"
                    | "img"
                    | "strong"
                    | "emphasis"
                    | "paragraph"
                    | "code"
                    | "mark"
                    | "time"
                    | "heading"
                    | "subscript"
                    | "superscript"
                    | "deletion"
                    | "insertion"
            ) && line.states.checked.is_none()
                && line.children.iter().all(is_plain)
        }
    }
}

struct Writer<'a> {
    mirror: &'a Mirror,
    view: View<'a>,
    doc: DocKey,
    is_top: bool,
    frames: usize,
    refs: &'a mut Refs,
    out: &'a mut String,
}

impl Writer<'_> {
    fn child(&mut self, child: &Child, indent: usize, hands: bool) {
        match child {
            Child::Text(text) => {
                let _ = writeln!(self.out, "{:indent$}- text: {}", "", value(text));
            }
            Child::Line(line) => self.line(line, indent, hands),
        }
    }

    fn line(&mut self, line: &Line, indent: usize, hands: bool) {
        let mut head = line.role.to_owned();
        if !line.name.is_empty() && line.name.chars().count() <= LONGEST_NAME {
            let _ = write!(head, " {}", serde_json::Value::from(line.name.as_str()));
        }
        let s = line.states;
        let mixed = |name: &str, state: Option<i32>| match state {
            Some(1) => format!(" [{name}]"),
            Some(2) => format!(" [{name}=mixed]"),
            _ => String::new(),
        };
        head.push_str(&mixed("checked", s.checked));
        for (name, on) in [
            ("disabled", s.disabled),
            ("expanded", s.expanded == Some(true)),
            ("active", line.active),
            ("invalid", s.invalid),
        ] {
            if on {
                let _ = write!(head, " [{name}]");
            }
        }
        if let Some(level) = s.level {
            let _ = write!(head, " [level={level}]");
        }
        head.push_str(&mixed("pressed", s.pressed));
        if s.selected == Some(true) {
            head.push_str(" [selected]");
        }
        if line.aria_hidden {
            head.push_str(" [aria-hidden]");
        }
        let mut hands_below = hands;
        if line.reachable {
            let node = self.mirror.named(self.doc, self.view, line.ix);
            let view = self.view;
            let name = self.refs.give(node, self.is_top, || describe(view, line.ix));
            let _ = write!(head, " [ref={name}]");
            if hands && line.hand {
                head.push_str(" [cursor=pointer]");
                hands_below = false;
            }
        }
        let _ = write!(self.out, "{:indent$}- {}", "", key(&head));
        if let (true, [Child::Text(text)]) = (line.properties.is_empty(), line.children.as_slice()) {
            let _ = writeln!(self.out, ": {}", value(text));
            return;
        }
        let inner = line.frame;
        if line.properties.is_empty() && line.children.is_empty() && inner.is_none() {
            self.out.push('\n');
            return;
        }
        let before = self.out.len();
        self.out.push_str(":\n");
        let start = self.out.len();
        for (name, text) in &line.properties {
            let _ = writeln!(self.out, "{:indent$}  - /{name}: {}", "", value(text));
        }
        for child in &line.children {
            self.child(child, indent + 2, hands_below);
        }
        if let Some(inner) = inner {
            self.mirror.write_document(inner, false, indent + 2, self.frames + 1, self.refs, self.out);
        }
        if self.out.len() == start {
            self.out.truncate(before);
            self.out.push('\n');
        }
    }
}

/// A key, in YAML's single quotes if it needs them.
fn key(text: &str) -> String {
    if needs_quotes(text) { format!("'{}'", text.replace('\'', "''")) } else { text.to_owned() }
}

/// A value, in YAML's double quotes if it needs them.
fn value(text: &str) -> String {
    if needs_quotes(text) { serde_json::Value::from(text).to_string() } else { text.to_owned() }
}

fn needs_quotes(text: &str) -> bool {
    const WORDS: [&str; 11] = ["y", "n", "yes", "no", "true", "false", "on", "off", "null", "infinity", "nan"];
    let Some(first) = text.chars().next() else { return true };
    let mut pairs = text.chars().zip(text.chars().skip(1).map(Some).chain([None]));
    first.is_whitespace()
        || text.ends_with(char::is_whitespace)
        || text.chars().any(|c| c.is_control() || matches!(c, '{' | '}' | '`'))
        || "-&*],?!>|@\"'#%[".contains(first)
        || pairs.any(|(a, b)| (a == ':' && b.is_none_or(char::is_whitespace)) || (a.is_whitespace() && b == Some('#')))
        || text.parse::<f64>().is_ok()
        || WORDS.contains(&text.to_ascii_lowercase().as_str())
}
