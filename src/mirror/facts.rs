//! What is derived from one version of a document: order, ids, labels, slots, what is shown. Computed in one
//! pass when first asked for, thrown away by the next change.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::roles::Role;
use super::tree::{ByNumber, Ix, Kind, NONE, ROOT, Tree};
use crate::wire::op::{flag, ns};

/// Not shown: no box, or hidden by style as far as is known.
const INVISIBLE: u8 = 1;
/// Taken out of the accessibility tree by `aria-hidden`.
const ARIA_HIDDEN: u8 = 2;
/// Invisible for no other reason than that it had no box when measured.
const NO_BOX: u8 = 4;
/// Laid out without an area: nothing to see, but it is there for the accessibility tree and the keyboard.
const FLAT: u8 = 8;
/// Out of reach: `inert`, or behind a modal dialog.
const INERT: u8 = 16;

/// Elements that are never rendered, whatever their style.
const NEVER_SHOWN: [&str; 14] = [
    "script", "style", "template", "head", "meta", "link", "title", "base", "noscript", "param", "source", "track",
    "datalist", "noembed",
];

/// Elements that browsers lay out as blocks (or as boxes of their own), where nothing was measured.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "html",
    "iframe",
    "input",
    "legend",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "optgroup",
    "option",
    "p",
    "pre",
    "search",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Elements that labels can be for.
const LABELABLE: [&str; 7] = ["button", "input", "meter", "output", "progress", "select", "textarea"];

#[derive(Debug)]
pub(super) struct Facts {
    /// Elements in tree order, an element's shadow tree before its children.
    pub order: Vec<Ix>,
    flags: Vec<u8>,
    roles: Vec<Cell<Option<Role>>>,
    names: RefCell<ByNumber<String>>,
    chosen: RefCell<ByNumber<Option<Ix>>>,
    /// For each root (document or shadow root) the first element with an id.
    ids: HashMap<Ix, HashMap<String, Ix>>,
    /// The labels of a control, in tree order.
    labels: ByNumber<Vec<Ix>>,
    /// For each shadow root the slot of a name.
    slots: HashMap<Ix, HashMap<String, Ix>>,
}

/// A document and what is derived from it.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub tree: &'a Tree,
    pub facts: &'a Facts,
}

/// What children get from their parents while looking for what is shown.
#[derive(Clone, Copy, Default)]
struct Inherited {
    /// Not rendered, with all that is inside.
    gone: bool,
    /// `visibility: hidden`, which what is inside may undo.
    veiled: bool,
    /// Measured, and not visible then.
    unseen: bool,
    /// Not visible only for want of an area.
    flat: bool,
    inert: bool,
    aria_hidden: bool,
    /// What was measured from here down may hold no more.
    restyled: bool,
    in_list: bool,
}

impl Facts {
    /// The option that a list shows, found once.
    pub fn chosen(&self, list: Ix, find: impl FnOnce() -> Option<Ix>) -> Option<Ix> {
        if let Some(known) = self.chosen.borrow().get(&list) {
            return *known;
        }
        let found = find();
        self.chosen.borrow_mut().insert(list, found);
        found
    }

    pub fn of(tree: &Tree) -> Facts {
        let places = tree.places();
        let mut facts = Facts {
            order: Vec::new(),
            flags: vec![INVISIBLE; places],
            roles: vec![Cell::new(None); places],
            names: RefCell::default(),
            chosen: RefCell::default(),
            ids: HashMap::new(),
            labels: ByNumber::default(),
            slots: HashMap::new(),
        };
        let labels = facts.index(tree);
        for label in labels {
            if let Some(control) = (View { tree, facts: &facts }).control_of(label) {
                facts.labels.entry(control).or_default().push(label);
            }
        }
        facts.find_shown(tree);
        facts
    }

    /// Order, ids and slots; returns the label elements.
    fn index(&mut self, tree: &Tree) -> Vec<Ix> {
        let mut labels = Vec::new();
        let mut open = vec![(ROOT, ROOT)];
        let mut children = Vec::new();
        while let Some((ix, root)) = open.pop() {
            let mut shadow = None;
            if let Some(element) = tree.element(ix) {
                self.order.push(ix);
                if let Some(id) = element.attribute("id").filter(|id| !id.is_empty()) {
                    self.ids.entry(root).or_default().entry(id.to_owned()).or_insert(ix);
                }
                if element.ns == ns::HTML && element.tag == "label" {
                    labels.push(ix);
                }
                if element.ns == ns::HTML && element.tag == "slot" && root != ROOT {
                    let name = element.attribute("name").unwrap_or_default().to_owned();
                    self.slots.entry(root).or_default().entry(name).or_insert(ix);
                }
                shadow = element.shadow;
            }
            children.clear();
            children.extend(tree.children(ix));
            open.extend(children.iter().rev().map(|child| (*child, root)));
            if let Some(shadow) = shadow {
                open.push((shadow, shadow));
            }
        }
        labels
    }

    fn find_shown(&mut self, tree: &Tree) {
        // Each node with its parent's place in this list.
        let mut seen: Vec<(Ix, usize)> = Vec::with_capacity(tree.places());
        let modal = tree.modal();
        let mut open = vec![(ROOT, Inherited { inert: modal.is_some(), ..Inherited::default() }, 0)];
        let mut children = Vec::new();
        while let Some((ix, mut from, parent)) = open.pop() {
            from.inert &= Some(ix) != modal;
            let (flags, to) = match &tree.node(ix).kind {
                Kind::Element(_) => shown(View { tree, facts: self }, ix, from),
                _ => (state(from), from),
            };
            self.flags[ix as usize] = flags;
            let place = seen.len();
            seen.push((ix, parent));
            children.clear();
            View { tree, facts: self }.flat_children(ix, &mut children);
            open.extend(children.iter().rev().map(|child| (*child, to, place)));
        }
        self.show_through(tree, &seen);
    }

    /// What has no box of its own (`display: contents`, floated content) is there if something in it is seen.
    fn show_through(&mut self, tree: &Tree, seen: &[(Ix, usize)]) {
        let mut lifted = false;
        for (ix, parent) in seen.iter().rev() {
            let above = seen[*parent].0 as usize;
            let is_seen = self.flags[*ix as usize] & INVISIBLE == 0 && tree.element(*ix).is_some();
            if is_seen && self.flags[above] & NO_BOX != 0 {
                self.flags[above] &= !(INVISIBLE | NO_BOX | FLAT);
                lifted = true;
            }
        }
        if lifted {
            for (ix, parent) in seen {
                let above = self.flags[seen[*parent].0 as usize];
                if tree.element(*ix).is_none() && self.flags[*ix as usize] & NO_BOX != 0 && above & INVISIBLE == 0 {
                    self.flags[*ix as usize] &= !(INVISIBLE | NO_BOX | FLAT);
                }
            }
        }
    }
}

fn state(from: Inherited) -> u8 {
    let aria_hidden = if from.aria_hidden { ARIA_HIDDEN } else { 0 };
    let inert = if from.inert { INERT } else { 0 };
    let unseen = match (from.gone || from.veiled, from.unseen) {
        (true, _) => INVISIBLE,
        (false, true) if from.flat => INVISIBLE | NO_BOX | FLAT,
        (false, true) => INVISIBLE | NO_BOX,
        (false, false) => 0,
    };
    unseen | aria_hidden | inert
}

fn shown(view: View<'_>, ix: Ix, from: Inherited) -> (u8, Inherited) {
    let Some(element) = view.tree.element(ix) else { return (state(from), from) };
    let mut to = from;
    let tag = if element.ns == ns::HTML { element.tag.as_str() } else { "" };
    to.aria_hidden |= element.attribute("aria-hidden") == Some("true");
    to.restyled |= element.restyled;
    to.inert |= element.ns == ns::HTML && element.attribute("inert").is_some();
    if NEVER_SHOWN.contains(&tag) {
        to.gone = true;
        return (state(to), Inherited { in_list: true, ..to });
    }
    // A slot has no box of its own, and the options of a closed list have none although the list shows them.
    // Areas have none either: they are there with their picture.
    let boxless = matches!(tag, "slot" | "map" | "area") || from.in_list;
    to.in_list |= tag == "select";
    let style = element.attribute("style").map(inline_style).unwrap_or_default();
    let boxless = boxless || style.display == Display::Contents;
    match element.measured.filter(|_| !to.restyled && !element.unsettled && !boxless) {
        Some(measured) => {
            to.gone = false;
            to.veiled = false;
            to.unseen = measured.flags & flag::VISIBLE == 0;
            let is_none = (measured.x, measured.y, measured.width, measured.height) == (0, 0, 0, 0);
            to.flat =
                to.unseen && !is_none && (measured.width <= 0 || measured.height <= 0) && (!from.unseen || from.flat);
        }
        None => {
            to.gone |= style.display == Display::None
                || (element.attribute("hidden").is_some() && style.display == Display::Unset)
                || closed(view, ix, tag);
            to.veiled = style.visible.map_or(to.veiled, |visible| !visible);
            to.unseen &= !(to.restyled || element.unsettled) || element.measured.is_none();
        }
    }
    (state(to), to)
}

/// Hidden by the browser's own style sheet.
fn closed(view: View<'_>, ix: Ix, tag: &str) -> bool {
    let Some(element) = view.tree.element(ix) else { return false };
    let parent = view.tree.node(ix).parent;
    let in_closed_details =
        view.tree.element(parent).is_some_and(|p| p.tag == "details" && p.attribute("open").is_none())
            && view.tree.children(parent).find(|c| view.is_tag(*c, "summary")) != Some(ix);
    in_closed_details
        || (tag == "input" && element.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("hidden")))
        || (tag == "dialog" && element.attribute("open").is_none())
        || (element.ns == ns::HTML && element.attribute("popover").is_some())
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Display {
    #[default]
    Unset,
    None,
    Contents,
    Other,
}

#[derive(Default)]
struct Style {
    display: Display,
    visible: Option<bool>,
}

fn inline_style(text: &str) -> Style {
    let mut style = Style::default();
    for (name, value) in text.split(';').filter_map(|declaration| declaration.split_once(':')) {
        let value = value.split('!').next().unwrap_or_default().trim();
        let name = name.trim();
        if name.eq_ignore_ascii_case("display") {
            style.display = match value {
                v if v.eq_ignore_ascii_case("none") => Display::None,
                v if v.eq_ignore_ascii_case("contents") => Display::Contents,
                _ => Display::Other,
            };
        } else if name.eq_ignore_ascii_case("visibility") {
            style.visible = Some(!(value.eq_ignore_ascii_case("hidden") || value.eq_ignore_ascii_case("collapse")));
        }
    }
    style
}

impl<'a> View<'a> {
    pub fn tag(self, ix: Ix) -> &'a str {
        self.tree.element(ix).map_or("", |e| e.tag.as_str())
    }

    /// Whether it is the HTML element of that name.
    pub fn is_tag(self, ix: Ix, tag: &str) -> bool {
        self.tree.element(ix).is_some_and(|e| e.ns == ns::HTML && e.tag == tag)
    }

    pub fn attribute(self, ix: Ix, name: &str) -> Option<&'a str> {
        self.tree.element(ix).and_then(|e| e.attribute(name))
    }

    /// Whether it shows a document of its own.
    pub fn is_frame(self, ix: Ix) -> bool {
        self.is_tag(ix, "iframe")
            || self.is_tag(ix, "frame")
            || self.tree.element(ix).is_some_and(|e| e.frame.is_some())
    }

    /// An attribute that says something.
    pub fn words(self, ix: Ix, name: &str) -> Option<&'a str> {
        self.attribute(ix, name).map(str::trim).filter(|v| !v.is_empty())
    }

    /// The parent element, through a shadow root to its host.
    pub fn parent(self, ix: Ix) -> Option<Ix> {
        let parent = self.tree.get(ix)?.parent;
        match &self.tree.get(parent)?.kind {
            Kind::Element(_) => Some(parent),
            Kind::Shadow { .. } => Some(self.tree.node(parent).parent),
            _ => None,
        }
    }

    /// Parent elements, the nearest first.
    pub fn parents(self, ix: Ix) -> impl Iterator<Item = Ix> + 'a {
        std::iter::successors(self.parent(ix), move |at| self.parent(*at))
    }

    /// Parent elements as events pass them: out of slots as well as out of shadow roots.
    pub fn flat_parents(self, ix: Ix) -> impl Iterator<Item = Ix> + 'a {
        std::iter::successors(self.flat_parent(ix), move |at| self.flat_parent(*at))
    }

    fn flat_parent(self, ix: Ix) -> Option<Ix> {
        let parent = self.parent(ix)?;
        let hosts = self.tree.element(parent).and_then(|e| e.shadow).filter(|_| self.tree.node(ix).parent == parent);
        let slot = hosts.and_then(|shadow| {
            self.facts.slots.get(&shadow)?.get(self.attribute(ix, "slot").unwrap_or_default()).copied()
        });
        Some(slot.unwrap_or(parent))
    }

    /// The document or shadow root the node is in.
    pub fn root(self, ix: Ix) -> Ix {
        let mut at = ix;
        loop {
            let node = self.tree.node(at);
            if matches!(node.kind, Kind::Shadow { .. }) || node.parent == NONE {
                return at;
            }
            at = node.parent;
        }
    }

    /// The element with that id in the tree that `ix` is in.
    pub fn by_id(self, ix: Ix, id: &str) -> Option<Ix> {
        self.facts.ids.get(&self.root(ix))?.get(id).copied()
    }

    /// The elements an attribute names by their ids.
    pub fn referenced(self, ix: Ix, attribute: &str) -> Vec<Ix> {
        let Some(ids) = self.attribute(ix, attribute) else { return Vec::new() };
        ids.split_ascii_whitespace().filter_map(|id| self.by_id(ix, id)).collect()
    }

    /// Children as they are shown: shadow trees in the place of children, assigned nodes in the place of slots.
    pub fn flat_children(self, ix: Ix, into: &mut Vec<Ix>) {
        if let Some(element) = self.tree.element(ix) {
            if let Some(shadow) = element.shadow {
                into.extend(self.tree.children(shadow));
                return;
            }
            if element.ns == ns::HTML && element.tag == "slot" {
                let before = into.len();
                self.assigned(ix, into);
                if into.len() > before {
                    return;
                }
            }
        }
        into.extend(self.tree.children(ix));
    }

    fn assigned(self, slot: Ix, into: &mut Vec<Ix>) {
        let root = self.root(slot);
        if root == ROOT {
            return;
        }
        let name = self.attribute(slot, "name").unwrap_or_default();
        if self.facts.slots.get(&root).and_then(|slots| slots.get(name)) != Some(&slot) {
            return;
        }
        into.extend(self.tree.children(self.tree.node(root).parent).filter(
            |child| match &self.tree.node(*child).kind {
                Kind::Element(element) => element.attribute("slot").unwrap_or_default() == name,
                Kind::Text(_) => name.is_empty(),
                _ => false,
            },
        ));
    }

    /// Shown, as far as is known.
    pub fn visible(self, ix: Ix) -> bool {
        self.flags(ix) & INVISIBLE == 0
    }

    /// In the accessibility tree: shown or without an area, and not taken out by the author.
    pub fn accessible(self, ix: Ix) -> bool {
        self.spoken(ix) && self.flags(ix) & INERT == 0
    }

    /// As [`View::accessible`], but for what is out of reach at the moment: names do not change behind a dialog.
    pub fn spoken(self, ix: Ix) -> bool {
        let flags = self.flags(ix);
        flags & ARIA_HIDDEN == 0 && (flags & INVISIBLE == 0 || flags & FLAT != 0)
    }

    pub fn aria_hidden(self, ix: Ix) -> bool {
        self.flags(ix) & ARIA_HIDDEN != 0
    }

    fn flags(self, ix: Ix) -> u8 {
        self.facts.flags.get(ix as usize).copied().unwrap_or(INVISIBLE)
    }

    /// Whether a part of a text there stands apart from its neighbours.
    pub fn is_block(self, ix: Ix) -> bool {
        let Some(element) = self.tree.element(ix) else { return false };
        match element.measured {
            Some(measured) => measured.flags & flag::BLOCK != 0 || element.tag == "br",
            None => element.ns == ns::HTML && BLOCKS.binary_search(&element.tag.as_str()).is_ok(),
        }
    }

    /// Whether it stands in its line as one thing.
    pub fn is_atom(self, ix: Ix) -> bool {
        self.tree.element(ix).and_then(|e| e.measured).is_some_and(|m| m.flags & flag::ATOM != 0)
    }

    pub fn labels(self, control: Ix) -> &'a [Ix] {
        self.facts.labels.get(&control).map_or(&[], Vec::as_slice)
    }

    /// The control a label element is for.
    pub fn control_of(self, label: Ix) -> Option<Ix> {
        let labelable = |ix: &Ix| {
            self.tree.element(*ix).is_some_and(|e| {
                (e.ns == ns::HTML && LABELABLE.contains(&e.tag.as_str()) && e.attribute("type") != Some("hidden"))
                    || (e.ns == ns::HTML && e.tag.contains('-'))
            })
        };
        match self.attribute(label, "for") {
            Some(id) => self.by_id(label, id).filter(labelable),
            None => self.tree.subtree(label).skip(1).find(|ix| {
                self.tree.element(*ix).is_some_and(|e| LABELABLE.contains(&e.tag.as_str())) && labelable(ix)
            }),
        }
    }

    pub fn role(self, ix: Ix) -> Role {
        let Some(cell) = self.facts.roles.get(ix as usize) else { return super::roles::GENERIC };
        if let Some(role) = cell.get() {
            return role;
        }
        let role = super::roles::compute(self, ix);
        cell.set(Some(role));
        role
    }

    pub fn name(self, ix: Ix) -> String {
        if let Some(name) = self.facts.names.borrow().get(&ix) {
            return name.clone();
        }
        let name = super::names::compute(self, ix);
        self.facts.names.borrow_mut().insert(ix, name.clone());
        name
    }
}

/// White space folded to single spaces, ends trimmed.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c == '\u{200b}').filter(|w| !w.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
