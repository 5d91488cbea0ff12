//! The mirror: replicas of every frame's document, kept up by the sensors' ops, and all that is asked of them.
//!
//! Rooms: [`tree`] one document and how ops change it; [`facts`] what is derived from one version of it (order, labels,
//! what is shown); [`roles`] and [`names`] after HTML-AAM and accname; [`css`] selectors; [`query`] the locator
//! grammar and what it matches; [`locators`] candidates for an element; [`resolve`] a target's one element;
//! [`snapshot`] what agents read; [`state`] hashes, counts, assertions and the form for comparison.
//!
//! Invariants: nothing here knows a browser or a clock; nonsense in a stream is an error and leaves the mirror as it
//! was; recording counts matches with the code that acting resolves with. Visibility is as of the last measuring
//! pass, so whoever needs it exact measures first; until then the `hidden` attribute, inline styles and the browsers'
//! own style sheets decide.
//!
//! The canonical form of [`Mirror::dump`]: the document is `{"t":"document","c":[…]}`; an element
//! `{"t":"element","tag","ns","a","c"}` with attributes sorted by name, and `"s"` (the shadow root's children) and `"m"`
//! (`open` or `closed`) on hosts; a text or comment `{"t","d"}`; a doctype `{"t","n"}`, with
//! its public and system id (`p`, `s`) where it has them.

mod css;
mod facts;
mod locators;
mod names;
mod places;
mod query;
mod resolve;
mod roles;
mod sheets;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

pub use resolve::ResolveError;
pub use sheets::{Rule, Sheet};
pub use snapshot::Snapshot;
pub(crate) use state::glob;
pub use state::{Counters, Verdict};
pub use tree::MirrorError;
pub use walk::Shape;

use facts::{View, fold};
use tree::{Element, Ix, Tree};

use crate::trace::{Locator, Point, Rect, Target};

/// Whether a text is a selector list; the error says what is wrong with it.
///
/// # Errors
/// In words.
pub fn check_selector(text: &str) -> Result<(), String> {
    css::parse(text).map(|_| ())
}

/// Whether a text is a locator of a trace, in frames or not, or a CSS selector.
///
/// # Errors
/// In words.
pub fn check_locator(text: &str) -> Result<(), String> {
    let parts = query::split_frames(text);
    if parts.iter().any(|part| part.trim().is_empty()) {
        return Err("a locator is missing: write one as role=button[name=\"Save\"] or css=#saved".to_owned());
    }
    parts.into_iter().try_for_each(|part| query::parse(part).map(|_| ()).map_err(|why| format!("{text:?}: {why}")))
}

use crate::wire::log::Document;
use crate::wire::op::Op;

/// A document, numbered in order of appearance.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd, Debug)]
pub struct DocKey(u32);

/// A node of a document, by the number its sensor gave it.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd, Debug)]
pub struct NodeRef {
    /// Its document.
    pub doc: DocKey,
    /// Its number, 1 for the document itself.
    pub node: u32,
}

/// What an element is called where people and their tools read the page.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Called {
    /// The way to it, as in `path=` locators.
    pub path: String,
    /// The ARIA role; `generic` for elements that have none, `none` for those taken out.
    pub role: &'static str,
    /// The accessible name.
    pub name: String,
    /// Shown, and in the accessibility tree.
    pub accessible: bool,
}

/// Frames nested deeper than this are left alone.
const FRAME_DEPTH: usize = 32;
/// Documents that are gone are kept for late questions, but only the last so many.
const KEPT: usize = 4;

#[derive(Debug)]
struct Doc {
    token: String,
    tab: f64,
    top: bool,
    url: String,
    gone: bool,
    tree: Tree,
}

#[derive(Debug, Default)]
struct Tab {
    /// Top documents, the current one last.
    tops: Vec<DocKey>,
    counters: Counters,
    refs: snapshot::Refs,
}

/// Every document of a session.
#[derive(Debug, Default)]
pub struct Mirror {
    docs: Vec<Doc>,
    tokens: HashMap<String, DocKey>,
    /// By the bits of the browser's number.
    tabs: BTreeMap<u64, Tab>,
    /// Which element shows the document of a token.
    frames: HashMap<String, NodeRef>,
    late: VecDeque<DocKey>,
}

impl Mirror {
    /// An empty mirror.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a document; one with a known token keeps its key and its tree.
    pub fn document(&mut self, document: &Document) -> DocKey {
        let key = match self.tokens.get(&document.doc) {
            Some(key) => *key,
            None => {
                let key = DocKey(u32::try_from(self.docs.len()).unwrap_or(u32::MAX));
                self.tokens.insert(document.doc.clone(), key);
                self.docs.push(Doc {
                    token: document.doc.clone(),
                    tab: document.tab,
                    top: document.top,
                    url: String::new(),
                    gone: false,
                    tree: Tree::new(),
                });
                key
            }
        };
        if let Some(doc) = self.docs.get_mut(key.0 as usize) {
            doc.gone = false;
            doc.url.clone_from(&document.url);
            doc.tab = document.tab;
            doc.top = document.top;
            if document.viewport.is_some() {
                doc.tree.viewport = document.viewport;
            }
        }
        self.late.retain(|late| *late != key);
        if document.top {
            let tops = &mut self.tab_mut(document.tab).tops;
            tops.retain(|top| *top != key);
            tops.push(key);
        }
        key
    }

    /// The document of a token.
    pub fn key(&self, token: &str) -> Option<DocKey> {
        self.tokens.get(token).copied()
    }

    /// A document's token.
    pub fn token(&self, doc: DocKey) -> &str {
        self.doc(doc).map_or("", |d| &d.token)
    }

    /// Applies one op of a document's stream. Events and times change nothing here.
    pub fn apply(&mut self, doc: DocKey, op: &Op<'_>) -> Result<(), MirrorError> {
        let held = self.docs.get_mut(doc.0 as usize).ok_or(MirrorError::Document)?;
        let change = held.tree.apply(op)?;
        let tab = held.tab;
        if let Op::Frame { id, token } = *op {
            self.frames.insert(token.to_owned(), NodeRef { doc, node: id });
        }
        if change != tree::Change::default() {
            self.tab_mut(tab).counters.add(change);
        }
        Ok(())
    }

    /// A document went away. Its tree can still be asked for a while.
    pub fn gone(&mut self, doc: DocKey) {
        let Some(held) = self.docs.get_mut(doc.0 as usize).filter(|d| !d.gone) else { return };
        held.gone = true;
        let (tab, removed) = (held.tab, held.tree.len());
        let tab = self.tab_mut(tab);
        tab.counters.removed = tab.counters.removed.saturating_add(removed);
        tab.tops.retain(|top| *top != doc);
        self.late.push_back(doc);
        while self.late.len() > KEPT {
            if let Some(old) = self.late.pop_front().and_then(|old| self.docs.get_mut(old.0 as usize)) {
                old.tree = Tree::new();
            }
        }
    }

    /// The tab's top document.
    pub fn top(&self, tab: f64) -> Option<DocKey> {
        self.tabs.get(&tab.to_bits())?.tops.last().copied()
    }

    /// The documents that are open, in order of appearance; where all have gone, the last that went.
    pub fn documents(&self) -> Vec<DocKey> {
        let keys = (0u32..).zip(&self.docs);
        let open: Vec<DocKey> = keys.filter(|(_, held)| !held.gone).map(|(key, _)| DocKey(key)).collect();
        if open.is_empty() { self.late.iter().copied().collect() } else { open }
    }

    /// Whether the document is known and has not gone away.
    pub fn is_open(&self, doc: DocKey) -> bool {
        self.doc(doc).is_some_and(|held| !held.gone)
    }

    /// What every element of a document is called, in document order, shadow trees before children.
    pub fn called(&self, doc: DocKey) -> Vec<Called> {
        let Some(view) = self.view(doc) else { return Vec::new() };
        let called = |ix: &Ix| Called {
            path: query::path_of(view, *ix),
            role: view.role(*ix),
            name: view.name(*ix),
            accessible: view.accessible(*ix),
        };
        view.facts.order.iter().map(called).collect()
    }

    /// The browser's number of a document's tab.
    pub fn tab(&self, doc: DocKey) -> f64 {
        self.doc(doc).map_or(-1.0, |d| d.tab)
    }

    /// The document's address changed within the page.
    pub fn set_url(&mut self, doc: DocKey, url: &str) {
        if let Some(doc) = self.docs.get_mut(doc.0 as usize) {
            url.clone_into(&mut doc.url);
        }
    }

    /// A document's address.
    pub fn url(&self, doc: DocKey) -> &str {
        self.doc(doc).map_or("", |d| &d.url)
    }

    /// A document's title.
    pub fn title(&self, doc: DocKey) -> String {
        let Some(view) = self.view(doc) else { return String::new() };
        let title = view.facts.order.iter().find(|ix| view.is_tag(**ix, "title"));
        title
            .map(|ix| fold(&view.tree.children(*ix).filter_map(|t| names::data(view, t)).collect::<String>()))
            .unwrap_or_default()
    }

    /// The frame element that shows a document; `None` for a top document or while the frame is not known.
    pub fn parent_frame(&self, doc: DocKey) -> Option<NodeRef> {
        let held = self.doc(doc)?;
        let frame = *self.frames.get(&held.token)?;
        let tree = &self.doc(frame.doc).filter(|d| !d.gone)?.tree;
        let shows = tree.element(tree.find(frame.node)?)?.frame.as_deref() == Some(&held.token);
        (shows && frame.doc != doc).then_some(frame)
    }

    /// The document shown in a frame element.
    pub fn child_document(&self, frame: NodeRef) -> Option<DocKey> {
        let tree = &self.doc(frame.doc)?.tree;
        let token = tree.element(tree.find(frame.node)?)?.frame.as_deref()?;
        self.key(token).filter(|key| self.doc(*key).is_some_and(|d| !d.gone) && *key != frame.doc)
    }

    /// Frame elements from the top document down.
    fn frame_chain(&self, doc: DocKey) -> Vec<NodeRef> {
        let mut chain: Vec<NodeRef> =
            std::iter::successors(self.parent_frame(doc), |f| self.parent_frame(f.doc)).take(FRAME_DEPTH).collect();
        chain.reverse();
        chain
    }

    /// Locators of the frame elements from the top document down; empty in a top document.
    pub fn frame_path(&self, doc: DocKey) -> Vec<String> {
        let best = |frame: NodeRef| self.locators(frame).into_iter().next().map(|locator| locator.value);
        self.frame_chain(doc).into_iter().filter_map(best).collect()
    }

    /// Whether the node is in the mirror.
    pub fn contains(&self, n: NodeRef) -> bool {
        self.doc(n.doc).is_some_and(|d| d.tree.find(n.node).is_some())
    }

    /// An element's local name; empty for other nodes.
    pub fn tag(&self, n: NodeRef) -> &str {
        self.element(n).map_or("", |e| &e.tag)
    }

    /// An element's attribute.
    pub fn attribute(&self, n: NodeRef, name: &str) -> Option<&str> {
        self.element(n)?.attribute(name)
    }

    /// Whether the field's value is masked at the source.
    pub fn is_secret(&self, n: NodeRef) -> bool {
        self.element(n).is_some_and(|e| e.secret)
    }

    /// The names (or ids) of all secret fields, under which a form would send them.
    pub fn secret_names(&self) -> BTreeSet<String> {
        let elements = self.docs.iter().flat_map(|held| held.tree.elements());
        let secret = elements.filter(|e| e.secret);
        secret.flat_map(|e| [e.attribute("name"), e.attribute("id")]).flatten().map(str::to_owned).collect()
    }

    /// The names of all hidden fields, which a form sends along.
    pub fn hidden_names(&self) -> BTreeSet<String> {
        let elements = self.docs.iter().flat_map(|held| held.tree.elements());
        let hidden = elements.filter(|e| e.attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")));
        hidden.filter_map(|e| e.attribute("name")).map(str::to_owned).collect()
    }

    /// Whether a node is `ancestor` or inside it, through shadow roots.
    pub fn is_descendant(&self, n: NodeRef, ancestor: NodeRef) -> bool {
        let Some(tree) = self.doc(n.doc).map(|d| &d.tree).filter(|_| n.doc == ancestor.doc) else { return false };
        let (Some(ix), Some(above)) = (tree.find(n.node), tree.find(ancestor.node)) else { return false };
        tree.within(ix, above)
    }

    /// The ARIA role; `generic` for elements that have none.
    pub fn role(&self, n: NodeRef) -> String {
        self.at(n).map_or_else(String::new, |(view, ix)| view.role(ix).to_owned())
    }

    /// The accessible name.
    pub fn name(&self, n: NodeRef) -> String {
        self.at(n).map_or_else(String::new, |(view, ix)| view.name(ix))
    }

    /// The text a person reads there, white space folded.
    pub fn text(&self, n: NodeRef) -> String {
        self.at(n).and_then(|(view, ix)| view.text(ix, usize::MAX)).unwrap_or_default()
    }

    /// A field's value; of a list the chosen options' labels, joined with `, `.
    pub fn value(&self, n: NodeRef) -> String {
        self.at(n).map_or_else(String::new, |(view, ix)| view.value(ix))
    }

    /// Whether it is checked; `None` if it cannot be. Mixed is not checked.
    pub fn checked(&self, n: NodeRef) -> Option<bool> {
        self.at(n).and_then(|(view, ix)| view.checked(ix)).map(|state| state == 1)
    }

    /// Whether it is shown, as far as is known; see the module's invariants.
    pub fn visible(&self, n: NodeRef) -> bool {
        self.at(n).is_some_and(|(view, ix)| view.visible(ix))
    }

    /// Whether it is disabled, by HTML or by `aria-disabled` on it or around it.
    pub fn disabled(&self, n: NodeRef) -> bool {
        self.at(n).is_some_and(|(view, ix)| state::disabled(view, ix))
    }

    /// The nearest element, itself or around it, that a person means: the button around a picture, the label around a
    /// text. The node itself if there is none.
    pub fn interactive(&self, n: NodeRef) -> NodeRef {
        self.at(n).map_or(n, |(view, ix)| self.named(n.doc, view, locators::interactive(view, ix)))
    }

    /// The control that a click there activates through a label around it.
    pub fn labelled_control(&self, n: NodeRef) -> Option<NodeRef> {
        let (view, ix) = self.at(n)?;
        locators::labelled_control(view, ix).map(|ix| self.named(n.doc, view, ix))
    }

    /// The labels of a control, in document order.
    pub fn labels(&self, n: NodeRef) -> Vec<NodeRef> {
        let Some((view, ix)) = self.at(n) else { return Vec::new() };
        view.labels(ix).iter().map(|label| self.named(n.doc, view, *label)).collect()
    }

    /// Evidence of an element at this moment. Its box is there if it was measured; the pointer is not known here.
    pub fn target(&self, n: NodeRef) -> Target {
        let Some((view, ix)) = self.at(n) else { return Target::default() };
        Target {
            role: view.role(ix).to_owned(),
            name: view.name(ix),
            tag: view.tag(ix).to_owned(),
            locators: locators::candidates(view, ix),
            dom_path: self.dom_path(n),
            rect: self.rect(n),
            pointer: None,
        }
    }

    fn dom_path(&self, n: NodeRef) -> String {
        let path = |n: NodeRef| self.at(n).map_or_else(String::new, |(view, ix)| query::path_of(view, ix));
        let mut paths: Vec<String> = self.frame_chain(n.doc).into_iter().map(path).collect();
        paths.push(path(n));
        paths.join(" >> ")
    }

    /// Ways to find the element again within its frame, best first, each with its count at this moment.
    pub fn locators(&self, n: NodeRef) -> Vec<Locator> {
        self.at(n).map_or_else(Vec::new, |(view, ix)| locators::candidates(view, ix))
    }

    /// The offset of a document's viewport in the top viewport, from measured frame elements (whose content box is
    /// taken to be their box). `None` while a frame on the way is not known or not measured.
    pub fn origin(&self, doc: DocKey) -> Option<Point> {
        let held = self.doc(doc)?;
        let chain = self.frame_chain(doc);
        if chain.is_empty() {
            return held.top.then_some(Point::default());
        }
        let first = self.doc(chain.first()?.doc)?;
        if !first.top {
            return None;
        }
        let mut origin = Point::default();
        for frame in chain {
            let own = self.own_rect(frame)?;
            origin.x += own.x;
            origin.y += own.y;
        }
        Some(origin)
    }

    /// An element's last measured box, in the top viewport.
    pub fn rect(&self, n: NodeRef) -> Option<Rect> {
        let own = self.own_rect(n)?;
        let origin = self.origin(n.doc)?;
        Some(Rect { x: own.x + origin.x, y: own.y + origin.y, ..own })
    }

    fn own_rect(&self, n: NodeRef) -> Option<Rect> {
        let m = self.element(n)?.measured?;
        Some(Rect { x: f64::from(m.x), y: f64::from(m.y), width: f64::from(m.width), height: f64::from(m.height) })
    }

    fn doc(&self, key: DocKey) -> Option<&Doc> {
        self.docs.get(key.0 as usize)
    }

    fn tab_mut(&mut self, tab: f64) -> &mut Tab {
        self.tabs.entry(tab.to_bits()).or_default()
    }

    fn view(&self, doc: DocKey) -> Option<View<'_>> {
        self.doc(doc).map(|d| d.tree.view())
    }

    /// The element itself, without what would have to be derived first.
    fn element(&self, n: NodeRef) -> Option<&Element> {
        let tree = &self.doc(n.doc)?.tree;
        tree.element(tree.find(n.node)?)
    }

    fn at(&self, n: NodeRef) -> Option<(View<'_>, Ix)> {
        let tree = &self.doc(n.doc)?.tree;
        let ix = tree.find(n.node)?;
        Some((tree.view(), ix))
    }

    fn named(&self, doc: DocKey, view: View<'_>, ix: Ix) -> NodeRef {
        NodeRef { doc, node: view.tree.node(ix).id }
    }
}
