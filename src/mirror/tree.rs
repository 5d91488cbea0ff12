//! One document: an arena of nodes linked as siblings, changed only by ops. Numbers of the stream (`id`) are
//! kept apart from places in the arena (`Ix`), so that a nonsensical id costs nothing.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use super::facts::{Facts, View};
use super::sheets::Sheets;
use crate::trace::Viewport;
use crate::wire::op::{self, Op, flag, mark, ns, state};

/// A place in the arena.
pub(super) type Ix = u32;
/// No place.
pub(super) const NONE: Ix = u32::MAX;
/// The document's place.
pub(super) const ROOT: Ix = 0;

/// Why an op was refused. The mirror is as it was before the op.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MirrorError {
    /// A node that is not there.
    #[error("the stream speaks of node {id}, which the mirror does not hold; the frame's next snapshot mends this")]
    Unknown {
        /// Its number.
        id: u32,
    },
    /// A new node with a number that is taken.
    #[error("the stream adds node {id} twice; the frame's next snapshot mends this")]
    Duplicate {
        /// Its number.
        id: u32,
    },
    /// A node would be put inside itself.
    #[error("the stream puts node {id} inside itself")]
    Cycle {
        /// Its number.
        id: u32,
    },
    /// A place after a node that is no child of the named parent.
    #[error("the stream names node {previous} as a child of {parent}, which it is not")]
    NotChild {
        /// The sibling.
        previous: u32,
        /// The parent.
        parent: u32,
    },
    /// The op does not fit the kind of node.
    #[error("the stream treats node {id} as {wanted}, which it is not")]
    WrongKind {
        /// Its number.
        id: u32,
        /// What it would have to be.
        wanted: &'static str,
    },
    /// A style sheet that was never announced, or a place that is not in it.
    #[error("the stream speaks of place {index} of style sheet {sheet}, which the mirror does not hold")]
    Sheet {
        /// Its number.
        sheet: u32,
        /// The place.
        index: u32,
    },
    /// A document that was never announced.
    #[error("the stream belongs to a document that was never announced")]
    Document,
}

/// Ids are small and given in order: their low bits are hash enough.
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    fn write_u32(&mut self, n: u32) {
        self.0 = u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(super) type ByNumber<T> = HashMap<u32, T, BuildHasherDefault<IdHasher>>;

#[derive(Debug)]
pub(super) struct Node {
    pub id: u32,
    pub kind: Kind,
    pub parent: Ix,
    pub previous: Ix,
    pub next: Ix,
    pub first: Ix,
    pub last: Ix,
}

/// The document's type; the ids are empty in most pages.
#[derive(Debug, Default)]
pub(super) struct Doctype {
    pub name: String,
    pub public: String,
    pub system: String,
}

#[derive(Debug)]
pub(super) enum Kind {
    Document,
    Doctype(Box<Doctype>),
    Element(Box<Element>),
    Text(String),
    Comment(String),
    Shadow {
        closed: bool,
    },
    /// An empty place, to be used again.
    Free,
}

#[derive(Debug, Default)]
pub(super) struct Element {
    pub tag: String,
    pub ns: i32,
    pub attributes: Vec<(String, String)>,
    pub shadow: Option<Ix>,
    pub value: Option<String>,
    pub secret: bool,
    /// 0 unchecked, 1 checked, 2 mixed.
    pub checked: Option<i32>,
    pub selected: Option<bool>,
    pub scroll: Option<(i32, i32)>,
    pub measured: Option<Measured>,
    /// Style may have changed since it was measured, here and below.
    pub restyled: bool,
    /// Something came into it since it was measured.
    pub unsettled: bool,
    /// The token of the document it shows.
    pub frame: Option<String>,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
    pub flags: i32,
}

/// What an op changed, for the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub added: u32,
    pub removed: u32,
    pub moved: u32,
    pub attributes: u32,
    pub text: u32,
    pub values: u32,
    pub styles: u32,
}

/// Attributes that speak for an element.
const SPEAKING: [&str; 4] = ["alt", "aria-label", "placeholder", "title"];
/// The words of so many elements are kept; in a page that changes more, the rest counts as lasting.
const MOST_LABELS: usize = 4096;

/// Attributes that CSS commonly turns on and off with.
const STYLING: [&str; 7] = ["class", "style", "hidden", "open", "id", "popover", "inert"];

#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    ids: ByNumber<Ix>,
    free: Vec<Ix>,
    pub focus: u32,
    pub viewport: Option<Viewport>,
    /// The document's own offset, CSS px.
    pub scroll: (i32, i32),
    /// Style sheets that scripts made or changed.
    pub sheets: Sheets,
    /// By element and what: states that no attribute tells.
    pub states: BTreeMap<(u32, i32), i32>,
    /// What is in the top layer, in the order in which it came there.
    modals: Vec<u32>,
    /// Of elements whose words were changed: what they said first, and whether they have said something else since.
    labels: BTreeMap<u32, (String, bool)>,
    /// A snapshot is being read: what it tells is no change.
    filling: bool,
    /// The element whose attributes follow.
    fresh: Ix,
    facts: OnceCell<Box<Facts>>,
}

impl Tree {
    pub fn new() -> Self {
        let mut tree = Tree {
            nodes: Vec::new(),
            ids: HashMap::default(),
            free: Vec::new(),
            focus: 0,
            viewport: None,
            scroll: (0, 0),
            sheets: Sheets::default(),
            states: BTreeMap::new(),
            modals: Vec::new(),
            labels: BTreeMap::new(),
            filling: false,
            fresh: NONE,
            facts: OnceCell::new(),
        };
        tree.clear();
        tree
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.ids.clear();
        self.free.clear();
        self.focus = 0;
        self.fresh = NONE;
        self.scroll = (0, 0);
        self.sheets = Sheets::default();
        self.states.clear();
        self.modals.clear();
        self.labels.clear();
        self.nodes.push(node(1, Kind::Document));
        self.ids.insert(1, ROOT);
        self.facts.take();
    }

    /// The modal dialog in front: of several the one that was opened last.
    pub fn modal(&self) -> Option<Ix> {
        let is_modal = |ix: &Ix| {
            self.element(*ix).is_some_and(|e| {
                e.ns == ns::HTML
                    && e.tag == "dialog"
                    && e.attribute("open").is_some()
                    && e.attribute("popover").is_none()
            })
        };
        self.modals.iter().rev().filter_map(|id| self.find(*id)).find(is_modal)
    }

    pub fn find(&self, id: u32) -> Option<Ix> {
        self.ids.get(&id).copied()
    }

    pub fn node(&self, ix: Ix) -> &Node {
        // Every `Ix` comes from this arena and freed places stay in it, so the index is always in range.
        &self.nodes[ix as usize]
    }

    pub fn get(&self, ix: Ix) -> Option<&Node> {
        self.nodes.get(ix as usize)
    }

    /// Places in the arena, free ones included.
    pub fn places(&self) -> usize {
        self.nodes.len()
    }

    /// Nodes, the document not counted.
    pub fn len(&self) -> u32 {
        u32::try_from(self.ids.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    pub fn element(&self, ix: Ix) -> Option<&Element> {
        match &self.get(ix)?.kind {
            Kind::Element(element) => Some(element),
            _ => None,
        }
    }

    /// All elements, in no order.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.ids.values().filter_map(|ix| self.element(*ix))
    }

    pub fn children(&self, ix: Ix) -> Children<'_> {
        Children { tree: self, next: self.get(ix).map_or(NONE, |n| n.first) }
    }

    /// The document as it stands, with what is derived from it (computed once for each version).
    pub fn view(&self) -> View<'_> {
        View { tree: self, facts: self.facts.get_or_init(|| Box::new(Facts::of(self))) }
    }

    /// Keeps what an element says, before that changes.
    fn note_words(&mut self, ix: Ix) {
        let Some(element) = self.element(ix).filter(|_| !self.filling) else { return };
        let id = self.node(ix).id;
        match self.labels.get(&id) {
            // Known to change, or no room to find out: what it says is of no more use, and may be long.
            Some((_, true)) => return,
            None if self.labels.len() >= MOST_LABELS => return,
            _ => {}
        }
        let words = self.words_of(ix, element);
        if words.is_empty() {
            return;
        }
        if let Some((first, other)) = self.labels.get_mut(&id) {
            *other |= *first != words;
        } else if self.labels.len() < MOST_LABELS {
            self.labels.insert(id, (words, false));
        }
    }

    /// Whether an element by itself has said anything else since the document came.
    pub fn has_changed_words(&self, ix: Ix) -> bool {
        let Some(element) = self.element(ix) else { return false };
        self.labels.get(&self.node(ix).id).is_some_and(|(first, other)| {
            let now = self.words_of(ix, element);
            *other || (!now.is_empty() && now != *first)
        })
    }

    /// The text right below an element, and its attributes that speak.
    fn words_of(&self, ix: Ix, element: &Element) -> String {
        let texts = self.children(ix).filter_map(|child| match &self.node(child).kind {
            Kind::Text(data) => Some(data.as_str()),
            _ => None,
        });
        let attributes = SPEAKING.iter().filter_map(|name| element.attribute(name));
        super::facts::fold(&texts.chain(attributes).collect::<Vec<_>>().join(" "))
    }

    pub fn apply(&mut self, op: &Op<'_>) -> Result<Change, MirrorError> {
        let mut change = Change::default();
        if !matches!(op, Op::Attribute { .. } | Op::Event(_) | Op::Time(_)) {
            self.fresh = NONE;
        }
        match *op {
            Op::Time(_) | Op::Event(_) => return Ok(change),
            Op::Reset => {
                change.removed = self.len();
                self.clear();
                self.filling = true;
            }
            Op::Element { id, parent, previous, tag, ns } => {
                let element = Element { tag: tag.to_owned(), ns, ..Element::default() };
                self.fresh = self.add(id, parent, previous, Kind::Element(Box::new(element)))?;
                change.added = 1;
            }
            Op::Text { id, parent, previous, text } => {
                self.add(id, parent, previous, Kind::Text(text.to_owned()))?;
                change.added = 1;
            }
            Op::Comment { id, parent, previous, text } => {
                self.add(id, parent, previous, Kind::Comment(text.to_owned()))?;
                change.added = 1;
            }
            Op::Doctype { id, parent, previous, name } => {
                self.add(
                    id,
                    parent,
                    previous,
                    Kind::Doctype(Box::new(Doctype { name: name.to_owned(), ..Doctype::default() })),
                )?;
                change.added = 1;
            }
            Op::Shadow { id, host, closed } => {
                self.add_shadow(id, host, closed)?;
                change.added = 1;
            }
            Op::Attribute { id, name, value } => {
                let ix = self.known(id)?;
                if let Kind::Doctype(doctype) = &mut self.nodes[ix as usize].kind {
                    let value = value.unwrap_or_default().to_owned();
                    match name {
                        op::doctype::PUBLIC => doctype.public = value,
                        op::doctype::SYSTEM => doctype.system = value,
                        _ => {}
                    }
                    return Ok(change);
                }
                let own = self.fresh == ix;
                if !own {
                    self.fresh = NONE;
                }
                if !own && SPEAKING.contains(&name) {
                    self.note_words(ix);
                }
                let element = self.element_mut(ix, id)?;
                let place = element.attributes.iter().position(|(n, _)| n == name);
                match (place, value) {
                    (Some(at), Some(value)) => element.attributes[at].1 = value.to_owned(),
                    (None, Some(value)) => element.attributes.push((name.to_owned(), value.to_owned())),
                    (Some(at), None) => {
                        element.attributes.remove(at);
                    }
                    (None, None) => {}
                }
                element.restyled |= !own && STYLING.contains(&name);
                change.attributes = u32::from(!own && !self.filling);
            }
            Op::Data { id, text } => {
                let ix = self.known(id)?;
                self.note_words(self.node(ix).parent);
                match &mut self.nodes[ix as usize].kind {
                    Kind::Text(data) => {
                        text.clone_into(data);
                        change.text = 1;
                        self.unsettle(self.node(ix).parent);
                    }
                    Kind::Comment(data) => text.clone_into(data),
                    _ => return Err(MirrorError::WrongKind { id, wanted: "a text or a comment" }),
                }
            }
            Op::Move { id, parent, previous } => {
                self.relocate(id, parent, previous)?;
                change.moved = 1;
            }
            Op::Remove { id } => {
                let ix = self.known(id)?;
                if matches!(self.node(ix).kind, Kind::Text(_)) {
                    self.note_words(self.node(ix).parent);
                }
                change.removed = self.remove(id)?;
            }
            Op::Value { id, value, secret } => {
                let ix = self.known(id)?;
                let filling = self.filling;
                let element = self.element_mut(ix, id)?;
                let before = element.value.as_deref().or_else(|| element.attribute("value")).unwrap_or_default();
                change.values = u32::from(!filling && before != value);
                element.value = Some(value.to_owned());
                element.secret = secret;
            }
            Op::Checked { id, state } => change.values = u32::from(self.check(id, state)? && !self.filling),
            Op::Selected { id, selected } => change.values = u32::from(self.select(id, selected)? && !self.filling),
            Op::Scroll { id, x, y } => {
                let ix = self.known(id)?;
                if ix == ROOT {
                    self.scroll = (x, y);
                    return Ok(change);
                }
                self.element_mut(ix, id)?.scroll = Some((x, y));
                return Ok(change);
            }
            Op::Box { id, x, y, width, height, flags } => {
                let ix = self.known(id)?;
                let element = self.element_mut(ix, id)?;
                // Of the place and the size only what tells whether there is a box, and an area.
                let seen = |m: Measured| {
                    let flags = flag::VISIBLE | flag::BLOCK | flag::ATOM | flag::POINTER | flag::HAND;
                    let is_none = (m.x, m.y, m.width, m.height) == (0, 0, 0, 0);
                    (m.flags & flags, m.width > 0 && m.height > 0, is_none)
                };
                let now = Measured { x, y, width, height, flags };
                let same =
                    !element.restyled && !element.unsettled && element.measured.is_some_and(|m| seen(m) == seen(now));
                element.measured = Some(now);
                element.restyled = false;
                element.unsettled = false;
                if same {
                    return Ok(change);
                }
            }
            Op::Viewport { width, height, dpr, scroll_x, scroll_y } => {
                self.scroll = (scroll_x, scroll_y);
                self.viewport = Some(Viewport { width: f64::from(width), height: f64::from(height), dpr });
                return Ok(change);
            }
            Op::Frame { id, token } => {
                let ix = self.known(id)?;
                self.element_mut(ix, id)?.frame = Some(token.to_owned());
                return Ok(change);
            }
            Op::Focus { id } => {
                if id != 0 {
                    self.known(id)?;
                }
                self.focus = id;
                return Ok(change);
            }
            Op::Mark(mark::MEASURED) => {
                // Everything was measured as it is now; a sensor may leave out boxes that did not change.
                let mut stale = false;
                for node in &mut self.nodes {
                    if let Kind::Element(element) = &mut node.kind {
                        stale |= std::mem::take(&mut element.restyled);
                        stale |= std::mem::take(&mut element.unsettled);
                    }
                }
                if !stale {
                    return Ok(change);
                }
            }
            Op::Sheet { sheet, owner, base } => {
                if owner != 0 {
                    let ix = self.known(owner)?;
                    self.element_mut(ix, owner)?;
                }
                change.styles = u32::from(self.sheets.know(sheet, owner, base) && !self.filling);
                return Ok(change);
            }
            Op::Rule { sheet, index, text } => {
                self.sheets.insert(sheet, index, text)?;
                change.styles = u32::from(!self.filling);
                return Ok(change);
            }
            Op::Unrule { sheet, index, count } => {
                self.sheets.delete(sheet, index, count)?;
                change.styles = count;
                return Ok(change);
            }
            Op::Adopt { root, index, sheet } => {
                let ix = self.known(root)?;
                if !matches!(self.node(ix).kind, Kind::Document | Kind::Shadow { .. }) {
                    return Err(MirrorError::WrongKind { id: root, wanted: "a document or shadow root" });
                }
                self.sheets.adopt(root, index, sheet)?;
                change.styles = u32::from(!self.filling);
                return Ok(change);
            }
            Op::State { id, what, value } => {
                let ix = self.known(id)?;
                self.element_mut(ix, id)?;
                let before = self.states.insert((id, what), value);
                if what == state::TOP_LAYER {
                    self.modals.retain(|known| *known != id || (value == 1 && before == Some(1)));
                    if value == 1 && before != Some(1) {
                        self.modals.push(id);
                    }
                }
                // What is modal takes the rest of the page out of reach.
                if what == state::TOP_LAYER && before != Some(value) {
                    self.facts.take();
                }
                return Ok(change);
            }
            Op::Mark(what) => {
                self.filling &= what != mark::SNAPSHOT;
                return Ok(change);
            }
        }
        self.facts.take();
        Ok(change)
    }

    fn known(&self, id: u32) -> Result<Ix, MirrorError> {
        self.find(id).ok_or(MirrorError::Unknown { id })
    }

    fn element_mut(&mut self, ix: Ix, id: u32) -> Result<&mut Element, MirrorError> {
        match &mut self.nodes[ix as usize].kind {
            Kind::Element(element) => Ok(element),
            _ => Err(MirrorError::WrongKind { id, wanted: "an element" }),
        }
    }

    /// Checks a place without taking it: the parent's and the previous sibling's `Ix`.
    fn place(&self, parent: u32, previous: u32) -> Result<(Ix, Ix), MirrorError> {
        let p = self.known(parent)?;
        if !matches!(self.node(p).kind, Kind::Document | Kind::Element(_) | Kind::Shadow { .. }) {
            return Err(MirrorError::WrongKind { id: parent, wanted: "a parent" });
        }
        if previous == 0 {
            return Ok((p, NONE));
        }
        let sibling = self.known(previous)?;
        if self.node(sibling).parent != p || matches!(self.node(sibling).kind, Kind::Shadow { .. }) {
            return Err(MirrorError::NotChild { previous, parent });
        }
        Ok((p, sibling))
    }

    fn add(&mut self, id: u32, parent: u32, previous: u32, kind: Kind) -> Result<Ix, MirrorError> {
        self.vacant(id)?;
        let (parent, previous) = self.place(parent, previous)?;
        let ix = self.allocate(id, kind);
        self.link(ix, parent, previous);
        self.unsettle(parent);
        Ok(ix)
    }

    fn add_shadow(&mut self, id: u32, host: u32, closed: bool) -> Result<(), MirrorError> {
        self.vacant(id)?;
        let at = self.known(host)?;
        if self.element_mut(at, host)?.shadow.is_some() {
            return Err(MirrorError::WrongKind { id: host, wanted: "an element without a shadow root" });
        }
        let ix = self.allocate(id, Kind::Shadow { closed });
        self.nodes[ix as usize].parent = at;
        self.element_mut(at, host)?.shadow = Some(ix);
        Ok(())
    }

    fn vacant(&self, id: u32) -> Result<(), MirrorError> {
        if id == 0 || self.ids.contains_key(&id) { Err(MirrorError::Duplicate { id }) } else { Ok(()) }
    }

    fn allocate(&mut self, id: u32, kind: Kind) -> Ix {
        let ix = match self.free.pop() {
            Some(ix) => {
                self.nodes[ix as usize] = node(id, kind);
                ix
            }
            None => {
                self.nodes.push(node(id, kind));
                u32::try_from(self.nodes.len() - 1).unwrap_or(NONE)
            }
        };
        self.ids.insert(id, ix);
        ix
    }

    fn link(&mut self, ix: Ix, parent: Ix, previous: Ix) {
        let next = if previous == NONE { self.node(parent).first } else { self.node(previous).next };
        let own = &mut self.nodes[ix as usize];
        (own.parent, own.previous, own.next) = (parent, previous, next);
        match previous {
            NONE => self.nodes[parent as usize].first = ix,
            _ => self.nodes[previous as usize].next = ix,
        }
        match next {
            NONE => self.nodes[parent as usize].last = ix,
            _ => self.nodes[next as usize].previous = ix,
        }
    }

    fn unlink(&mut self, ix: Ix) {
        let Node { parent, previous, next, .. } = *self.node(ix);
        match previous {
            NONE => self.nodes[parent as usize].first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => self.nodes[parent as usize].last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
    }

    fn relocate(&mut self, id: u32, parent: u32, previous: u32) -> Result<(), MirrorError> {
        let ix = self.known(id)?;
        if matches!(self.node(ix).kind, Kind::Document | Kind::Shadow { .. }) {
            return Err(MirrorError::WrongKind { id, wanted: "a child" });
        }
        let (p, sibling) = self.place(parent, previous)?;
        if self.within(p, ix) || sibling == ix {
            return Err(MirrorError::Cycle { id });
        }
        self.unlink(ix);
        self.link(ix, p, sibling);
        self.unsettle(p);
        // Other rules of style may hold in the new place.
        if let Kind::Element(element) = &mut self.nodes[ix as usize].kind {
            element.restyled = true;
        }
        Ok(())
    }

    /// Whether `ix` is `ancestor` or inside it, through shadow roots.
    pub fn within(&self, ix: Ix, ancestor: Ix) -> bool {
        std::iter::successors(Some(ix), |at| Some(self.node(*at).parent).filter(|p| *p != NONE))
            .any(|at| at == ancestor)
    }

    fn remove(&mut self, id: u32) -> Result<u32, MirrorError> {
        let ix = self.known(id)?;
        match self.node(ix).kind {
            Kind::Document => return Err(MirrorError::WrongKind { id, wanted: "a child" }),
            Kind::Shadow { .. } => {
                let host = self.node(ix).parent;
                if let Kind::Element(element) = &mut self.nodes[host as usize].kind {
                    element.shadow = None;
                }
            }
            _ => self.unlink(ix),
        }
        let mut removed = 0;
        let mut open = vec![ix];
        while let Some(at) = open.pop() {
            open.extend(self.children(at));
            if let Some(shadow) = self.element(at).and_then(|e| e.shadow) {
                open.push(shadow);
            }
            let gone = std::mem::replace(&mut self.nodes[at as usize], node(0, Kind::Free));
            self.ids.remove(&gone.id);
            self.sheets.forget(gone.id);
            while let Some((&key, _)) = self.states.range((gone.id, i32::MIN)..=(gone.id, i32::MAX)).next() {
                self.states.remove(&key);
            }
            if self.focus == gone.id {
                self.focus = 0;
            }
            self.free.push(at);
            removed += 1;
        }
        Ok(removed)
    }

    /// An element that had no visible box may have one, now that there is something in it.
    fn unsettle(&mut self, from: Ix) {
        let mut at = from;
        while let Some(Node { kind: Kind::Element(element), parent, .. }) = self.nodes.get_mut(at as usize) {
            if element.measured.is_none_or(|m| m.flags & flag::VISIBLE != 0) {
                return;
            }
            element.unsettled = true;
            at = *parent;
        }
    }

    /// The other radios of a group lose what one gets.
    fn check(&mut self, id: u32, state: i32) -> Result<bool, MirrorError> {
        let ix = self.known(id)?;
        let element = self.element_mut(ix, id)?;
        let before = element.checked.unwrap_or_else(|| i32::from(element.attribute("checked").is_some()));
        element.checked = Some(state);
        let is_radio =
            |e: &Element| e.tag == "input" && e.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("radio"));
        if state != 1 || self.filling {
            return Ok(before != state);
        }
        let Some(name) = self.element(ix).filter(|e| is_radio(e)).and_then(|e| e.attribute("name")).map(str::to_owned)
        else {
            return Ok(before != state);
        };
        let group = self.form_of(ix);
        let others: Vec<Ix> = self
            .subtree(group)
            .filter(|at| {
                *at != ix
                    && self.element(*at).is_some_and(|e| is_radio(e) && e.attribute("name") == Some(&name))
                    && self.form_of(*at) == group
            })
            .collect();
        for other in others {
            if let Kind::Element(element) = &mut self.nodes[other as usize].kind {
                element.checked = Some(0);
            }
        }
        Ok(before != state)
    }

    /// The nearest form, or the root of the tree the node is in.
    fn form_of(&self, ix: Ix) -> Ix {
        let mut at = ix;
        loop {
            let node = self.node(at);
            let stop = match &node.kind {
                Kind::Element(element) => element.tag == "form",
                _ => at != ix,
            };
            if stop || node.parent == NONE {
                return at;
            }
            at = node.parent;
        }
    }

    /// The other options of a list for one choice lose what one gets.
    fn select(&mut self, id: u32, selected: bool) -> Result<bool, MirrorError> {
        let ix = self.known(id)?;
        let option = self.element_mut(ix, id)?;
        let before = option.selected.unwrap_or_else(|| option.attribute("selected").is_some());
        option.selected = Some(selected);
        if self.filling || !selected {
            return Ok(before != selected);
        }
        let list = std::iter::successors(Some(self.node(ix).parent), |at| self.get(*at).map(|n| n.parent))
            .take(3)
            .find(|at| self.element(*at).is_some_and(|e| e.tag == "select"));
        if let Some(list) = list.filter(|at| self.element(*at).is_some_and(|e| e.attribute("multiple").is_none())) {
            let others: Vec<Ix> = self.subtree(list).filter(|at| *at != ix && *at != list).collect();
            for other in others {
                if let Kind::Element(element) = &mut self.nodes[other as usize].kind {
                    element.selected = Some(false);
                }
            }
        }
        Ok(before != selected)
    }

    /// Nodes of the subtree in tree order, shadow trees left out.
    pub fn subtree(&self, root: Ix) -> impl Iterator<Item = Ix> + '_ {
        let mut at = Some(root);
        std::iter::from_fn(move || {
            let here = at?;
            at = self.after(here, root);
            Some(here)
        })
    }

    fn after(&self, here: Ix, root: Ix) -> Option<Ix> {
        if self.get(here)?.first != NONE {
            return Some(self.node(here).first);
        }
        let mut up = here;
        while up != root {
            let node = self.get(up)?;
            if node.next != NONE {
                return Some(node.next);
            }
            up = node.parent;
        }
        None
    }

    pub fn is_html(&self, ix: Ix) -> bool {
        self.element(ix).is_some_and(|e| e.ns == ns::HTML)
    }
}

fn node(id: u32, kind: Kind) -> Node {
    Node { id, kind, parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE }
}

/// Children in order.
pub(super) struct Children<'a> {
    tree: &'a Tree,
    next: Ix,
}

impl Iterator for Children<'_> {
    type Item = Ix;
    fn next(&mut self) -> Option<Ix> {
        let here = self.next;
        self.next = self.tree.get(here)?.next;
        Some(here)
    }
}
