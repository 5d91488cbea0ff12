//! The tree as it is, node by node: for whoever writes it down in another form.

use super::sheets::Sheet;
use super::tree::{Kind, NONE, Tree};
use super::{DocKey, Mirror, NodeRef};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape<'a> {
    /// The document.
    Document,
    /// The document's type.
    Doctype {
        /// Its name.
        name: &'a str,
        /// Its public id; empty in most pages.
        public: &'a str,
        /// Its system id; empty in most pages.
        system: &'a str,
    },
    /// An element; see [`Mirror::attributes`].
    Element {
        /// Its local name.
        tag: &'a str,
        /// One of [`crate::wire::op::ns`].
        ns: i32,
    },
    /// A text.
    Text(&'a str),
    /// A comment.
    Comment(&'a str),
    /// A shadow root.
    Shadow {
        /// Its mode.
        closed: bool,
    },
}

impl Mirror {
    fn tree(&self, doc: DocKey) -> Option<&Tree> {
        self.docs.get(doc.0 as usize).map(|held| &held.tree)
    }

    /// What a node is; `None` if the mirror does not hold it.
    pub fn shape(&self, n: NodeRef) -> Option<Shape<'_>> {
        let tree = self.tree(n.doc)?;
        Some(match &tree.node(tree.find(n.node)?).kind {
            Kind::Document => Shape::Document,
            Kind::Doctype(own) => Shape::Doctype { name: &own.name, public: &own.public, system: &own.system },
            Kind::Element(element) => Shape::Element { tag: &element.tag, ns: element.ns },
            Kind::Text(text) => Shape::Text(text),
            Kind::Comment(text) => Shape::Comment(text),
            Kind::Shadow { closed } => Shape::Shadow { closed: *closed },
            Kind::Free => return None,
        })
    }

    fn beside(&self, n: NodeRef, to: impl Fn(&super::tree::Node) -> u32) -> Option<NodeRef> {
        let tree = self.tree(n.doc)?;
        let at = to(tree.node(tree.find(n.node)?));
        (at != NONE).then(|| NodeRef { doc: n.doc, node: tree.node(at).id })
    }

    /// The node it is in; of a shadow root its host.
    pub fn parent(&self, n: NodeRef) -> Option<NodeRef> {
        self.beside(n, |node| node.parent)
    }

    /// The sibling before.
    pub fn previous(&self, n: NodeRef) -> Option<NodeRef> {
        self.beside(n, |node| node.previous)
    }

    /// The sibling after.
    pub fn next(&self, n: NodeRef) -> Option<NodeRef> {
        self.beside(n, |node| node.next)
    }

    /// The children in order, without the shadow root.
    pub fn children(&self, n: NodeRef) -> impl Iterator<Item = NodeRef> + '_ {
        std::iter::successors(self.beside(n, |node| node.first), |at| self.next(*at))
    }

    /// An element's shadow root.
    pub fn shadow_root(&self, n: NodeRef) -> Option<NodeRef> {
        let tree = self.tree(n.doc)?;
        let shadow = self.element(n)?.shadow?;
        Some(NodeRef { doc: n.doc, node: tree.node(shadow).id })
    }

    /// An element's attributes, in the order in which they came.
    pub fn attributes(&self, n: NodeRef) -> &[(String, String)] {
        self.element(n).map_or(&[], |element| &element.attributes)
    }

    /// A field's value where the sensor told one, secrets masked.
    pub fn told_value(&self, n: NodeRef) -> Option<&str> {
        self.element(n)?.value.as_deref()
    }

    /// Whether a box is checked (0, 1, or 2 for mixed) where the sensor told it.
    pub fn told_checked(&self, n: NodeRef) -> Option<i32> {
        self.element(n)?.checked
    }

    /// Whether an option is selected, where the sensor told it.
    pub fn told_selected(&self, n: NodeRef) -> Option<bool> {
        self.element(n)?.selected
    }

    /// The scroll offset of an element or of the document, CSS px.
    pub fn scroll_offset(&self, n: NodeRef) -> Option<(i32, i32)> {
        match self.shape(n)? {
            Shape::Document => self.tree(n.doc).map(|tree| tree.scroll),
            _ => self.element(n)?.scroll,
        }
    }

    /// The number of the element that has the focus in a document.
    pub fn focused(&self, doc: DocKey) -> Option<u32> {
        self.tree(doc).map(|tree| tree.focus).filter(|focus| *focus != 0)
    }

    /// The viewport of a document, as far as it was told.
    pub fn viewport(&self, doc: DocKey) -> Option<crate::trace::Viewport> {
        self.tree(doc)?.viewport
    }

    /// A state of an element, one of [`crate::wire::op::state`].
    pub fn state(&self, n: NodeRef, what: i32) -> Option<i32> {
        self.tree(n.doc)?.states.get(&(n.node, what)).copied()
    }

    /// The style sheet of an element, if a script changed it or it may not be read.
    pub fn sheet_of(&self, n: NodeRef) -> Option<(u32, &Sheet)> {
        self.tree(n.doc)?.sheets.of(n.node)
    }

    /// A style sheet by its number.
    pub fn sheet(&self, doc: DocKey, sheet: u32) -> Option<&Sheet> {
        self.tree(doc)?.sheets.sheets.get(&sheet)
    }

    /// The numbers of the sheets that a document or shadow root adopted.
    pub fn adopted(&self, n: NodeRef) -> &[u32] {
        self.tree(n.doc).and_then(|tree| tree.sheets.adopted.get(&n.node)).map_or(&[], Vec::as_slice)
    }

    /// The documents and shadow roots that adopted a sheet.
    pub fn adopters(&self, doc: DocKey, sheet: u32) -> Vec<NodeRef> {
        let Some(tree) = self.tree(doc) else { return Vec::new() };
        let all = tree.sheets.adopted.iter().filter(|(_, list)| list.contains(&sheet));
        all.map(|(root, _)| NodeRef { doc, node: *root }).collect()
    }
}
