//! What a tab amounts to: the hash of its accessibility state, counts of change, verdicts on assertions, and the form
//! in which a mirror is compared with a live document.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::facts::{View, fold};
use super::names;
use super::roles;
use super::tree::{Change, Ix, Kind, ROOT};
use super::{DocKey, Mirror, NodeRef};
use crate::trace::{Assertion, AssertionKind};
use crate::wire::op::ns;

/// Counts of a tab since the mirror began; all but `nodes` only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nodes that came.
    pub added: u32,
    /// Nodes that went.
    pub removed: u32,
    /// Nodes that changed place.
    pub moved: u32,
    /// Attribute changes (those that come with a new element do not count).
    pub attributes: u32,
    /// Text changes.
    pub text: u32,
    /// Changes of values, checks and selections.
    pub values: u32,
    /// Changes of style sheets by script.
    pub styles: u32,
    /// Nodes there are now, in all frames.
    pub nodes: u32,
}

impl Counters {
    pub(super) fn add(&mut self, change: Change) {
        for (sum, n) in [
            (&mut self.added, change.added),
            (&mut self.removed, change.removed),
            (&mut self.moved, change.moved),
            (&mut self.attributes, change.attributes),
            (&mut self.text, change.text),
            (&mut self.values, change.values),
            (&mut self.styles, change.styles),
        ] {
            *sum = sum.saturating_add(n);
        }
    }
}

/// What came of an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// It holds.
    pub holds: bool,
    /// What was seen; for a target without its one element, why.
    pub seen: String,
}

/// An element as it is told to agents and hashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct States {
    /// 0, 1, 2 for mixed.
    pub checked: Option<i32>,
    pub pressed: Option<i32>,
    pub expanded: Option<bool>,
    pub selected: Option<bool>,
    pub disabled: bool,
    pub invalid: bool,
    pub level: Option<u32>,
}

pub(super) fn states(view: View<'_>, ix: Ix) -> States {
    let role = view.role(ix);
    let tristate = |name: &str| match view.words(ix, name) {
        Some("true") => Some(1),
        Some("mixed") => Some(2),
        Some("false") => Some(0),
        _ => None,
    };
    States {
        checked: view.checked(ix),
        pressed: if role == "button" { tristate("aria-pressed") } else { None },
        expanded: if view.is_tag(ix, "details") {
            Some(view.attribute(ix, "open").is_some())
        } else {
            tristate("aria-expanded").map(|e| e == 1)
        },
        selected: match role {
            "option" => Some(view.selected(ix)),
            "tab" | "row" | "gridcell" | "treeitem" | "columnheader" | "rowheader" => {
                tristate("aria-selected").map(|s| s == 1)
            }
            _ => None,
        },
        disabled: disabled(view, ix),
        invalid: view.words(ix, "aria-invalid").is_some_and(|v| v != "false"),
        level: if role == "heading" || role == "treeitem" || role == "listitem" { level(view, ix) } else { None },
    }
}

fn level(view: View<'_>, ix: Ix) -> Option<u32> {
    if let Some(level) = view.words(ix, "aria-level").and_then(|l| l.parse().ok()).filter(|l| *l > 0) {
        return Some(level);
    }
    if view.role(ix) != "heading" {
        return None;
    }
    Some(match view.tag(ix).strip_prefix('h').and_then(|n| n.parse().ok()) {
        Some(n) if view.tree.is_html(ix) && (1..=6).contains(&n) => n,
        _ => 2,
    })
}

/// Disabled by HTML, or by `aria-disabled` on it or around it.
pub(super) fn disabled(view: View<'_>, ix: Ix) -> bool {
    if roles::is_disabled(view, ix) {
        return true;
    }
    let takes = !matches!(view.role(ix), "generic" | "none" | "paragraph" | "document");
    takes && std::iter::once(ix).chain(view.parents(ix)).any(|at| view.attribute(at, "aria-disabled") == Some("true"))
}

/// Fields whose value is text of their own.
pub(super) fn shows_value(view: View<'_>, ix: Ix) -> bool {
    let Some(element) = view.tree.element(ix).filter(|e| e.ns == ns::HTML) else { return false };
    match element.tag.as_str() {
        "textarea" => true,
        "input" => !matches!(
            roles::input_type(view, ix).as_str(),
            "checkbox" | "radio" | "button" | "submit" | "reset" | "image" | "file" | "hidden"
        ),
        _ => false,
    }
}

impl Mirror {
    /// Hash of the accessibility state of a tab: roles, names, values, states and texts in their nesting, all frames
    /// included; neither ids nor focus. 16 hexadecimal digits of SHA-256.
    pub fn state_hash(&self, tab: f64) -> String {
        let mut hash = Sha256::new();
        if let Some(top) = self.top(tab) {
            self.hash_document(top, &mut hash, 0);
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    fn hash_document(&self, doc: DocKey, hash: &mut Sha256, frames: usize) {
        let Some(view) = self.view(doc).filter(|_| frames < super::FRAME_DEPTH) else { return };
        let mut text = String::new();
        let mut children = Vec::new();
        let mut open = vec![(ROOT, false)];
        while let Some((ix, closing)) = open.pop() {
            if closing {
                flush(hash, &mut text);
                hash.update(b"\x02");
                continue;
            }
            if let Some(data) = names::data(view, ix) {
                if view.accessible(ix) {
                    text.push_str(data);
                }
                continue;
            }
            if view.tree.element(ix).is_some() {
                let role = view.role(ix);
                let told = view.accessible(ix) && role != roles::GENERIC && role != roles::NONE;
                if view.is_block(ix) {
                    text.push(' ');
                }
                let valued = shows_value(view, ix) || view.is_tag(ix, "select");
                if told {
                    flush(hash, &mut text);
                    let value = if valued { view.value(ix) } else { String::new() };
                    hash.update(b"\x01");
                    for part in [role, &view.name(ix), &value, &format!("{:?}", states(view, ix))] {
                        hash.update(part.as_bytes());
                        hash.update(b"\0");
                    }
                    open.push((ix, true));
                }
                if view.is_frame(ix) {
                    flush(hash, &mut text);
                    if view.accessible(ix)
                        && let Some(child) = self.child_document(self.named(doc, view, ix))
                    {
                        hash.update(b"\x03");
                        self.hash_document(child, hash, frames + 1);
                    }
                    continue;
                }
                if shows_value(view, ix) {
                    continue;
                }
            }
            children.clear();
            view.flat_children(ix, &mut children);
            open.extend(children.iter().rev().map(|c| (*c, false)));
        }
        flush(hash, &mut text);
    }

    /// Counts of a tab.
    pub fn counters(&self, tab: f64) -> Counters {
        let counters = self.tabs.get(&tab.to_bits()).map(|t| t.counters).unwrap_or_default();
        let live = self.docs.iter().filter(|d| !d.gone && d.tab.to_bits() == tab.to_bits());
        Counters { nodes: live.map(|d| d.tree.len()).fold(0, u32::saturating_add), ..counters }
    }

    /// Whether an assertion holds in a tab now, and what is seen.
    pub fn evaluate(&self, tab: f64, assertion: &Assertion) -> Verdict {
        let expected = fold(&assertion.expected);
        let wanted = expected.eq_ignore_ascii_case("true");
        let verdict = |seen: String, holds: bool| Verdict { holds, seen };
        if assertion.kind == AssertionKind::Url {
            let url = self.top(tab).map_or("", |top| self.url(top));
            return verdict(url.to_owned(), glob(assertion.expected.trim(), url));
        }
        let Some(target) = &assertion.target else {
            return verdict("the assertion names no element".to_owned(), false);
        };
        if assertion.kind == AssertionKind::Count {
            return match self.matches(tab, &assertion.frame, target) {
                Ok(n) => verdict(n.to_string(), expected == n.to_string()),
                Err(error) => verdict(error.message, false),
            };
        }
        let node: NodeRef = match self.resolve_target(tab, &assertion.frame, target) {
            Ok((node, _)) => node,
            Err(error) => {
                let absent = error.code == crate::trace::FailureCode::NotFound;
                let holds =
                    assertion.kind == AssertionKind::Visible && absent && expected.eq_ignore_ascii_case("false");
                return verdict(if holds { "false".to_owned() } else { error.message }, holds);
            }
        };
        match assertion.kind {
            AssertionKind::Text => {
                let seen = self.text(node);
                let holds = seen == expected;
                verdict(seen, holds)
            }
            AssertionKind::Value => {
                let seen = self.value(node);
                let holds = fold(&seen) == expected;
                verdict(seen, holds)
            }
            AssertionKind::Visible => {
                let seen = self.visible(node);
                verdict(seen.to_string(), seen == wanted)
            }
            AssertionKind::Checked => match self.checked(node) {
                Some(seen) => verdict(seen.to_string(), seen == wanted),
                None => verdict(format!("a {} cannot be checked", self.role(node)), false),
            },
            AssertionKind::Count | AssertionKind::Url => verdict(String::new(), false),
        }
    }

    /// The canonical nested form of a document, to be compared with a live one; see the module's documentation.
    pub fn dump(&self, doc: DocKey) -> Value {
        self.view(doc).map_or(Value::Null, dump)
    }
}

fn flush(hash: &mut Sha256, text: &mut String) {
    let folded = fold(text);
    if !folded.is_empty() {
        hash.update(b"\x04");
        hash.update(folded.as_bytes());
    }
    text.clear();
}

/// Nesting beyond this is left out of a dump: dropping a JSON value is recursive.
const DEPTH: usize = 1000;

enum Task {
    Enter(Ix),
    OpenList,
    Close(Ix),
}

/// Built from the leaves up: an open list for the children of every open node, below it one for its shadow tree.
fn dump(view: View<'_>) -> Value {
    let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
    let mut tasks = vec![Task::Enter(ROOT)];
    while let Some(task) = tasks.pop() {
        let value = match task {
            Task::OpenList => {
                lists.push(Vec::new());
                continue;
            }
            Task::Close(ix) => {
                let children = lists.pop().unwrap_or_default();
                let shadow = view.tree.element(ix).and_then(|e| e.shadow);
                let inside = shadow.map(|shadow| (shadow, lists.pop().unwrap_or_default()));
                branch(view, ix, children, inside)
            }
            Task::Enter(ix) => match &view.tree.node(ix).kind {
                Kind::Doctype(own) => {
                    let mut told = json!({"t": "doctype", "n": own.name});
                    for (key, id) in
                        [("p", &own.public), ("s", &own.system)].into_iter().filter(|(_, id)| !id.is_empty())
                    {
                        told[key] = json!(id);
                    }
                    told
                }
                Kind::Text(data) => json!({"t": "text", "d": data}),
                Kind::Comment(data) => json!({"t": "comment", "d": data}),
                _ if lists.len() > DEPTH => json!({"t": "deep"}),
                _ => {
                    let mut then = Vec::new();
                    if let Some(shadow) = view.tree.element(ix).and_then(|e| e.shadow) {
                        then.push(Task::OpenList);
                        then.extend(view.tree.children(shadow).map(Task::Enter));
                    }
                    then.push(Task::OpenList);
                    then.extend(view.tree.children(ix).map(Task::Enter));
                    then.push(Task::Close(ix));
                    tasks.extend(then.into_iter().rev());
                    continue;
                }
            },
        };
        if let Some(list) = lists.last_mut() {
            list.push(value);
        }
    }
    lists.pop().and_then(|mut list| list.pop()).unwrap_or(Value::Null)
}

fn branch(view: View<'_>, ix: Ix, children: Vec<Value>, inside: Option<(Ix, Vec<Value>)>) -> Value {
    // Put together by hand: `json!` would copy the children at every level.
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    match view.tree.element(ix) {
        None => {
            put("t", "document".into());
        }
        Some(element) => {
            put("t", "element".into());
            put("tag", element.tag.as_str().into());
            put("ns", element.ns.into());
            let mut attributes: Vec<_> = element.attributes.iter().collect();
            attributes.sort();
            let attributes = attributes.into_iter().map(|(name, value)| (name.clone(), value.as_str().into()));
            put("a", Value::Object(attributes.collect()));
        }
    }
    put("c", Value::Array(children));
    if let Some((shadow, nodes)) = inside {
        let closed = matches!(view.tree.node(shadow).kind, Kind::Shadow { closed: true });
        put("s", Value::Array(nodes));
        put("m", if closed { "closed" } else { "open" }.into());
    }
    Value::Object(out)
}

/// Whether the text fits a pattern in which `*` stands for any run of characters.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
