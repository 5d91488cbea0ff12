//! CSS selectors over the mirror, by Servo's engine. Combinators and pseudo-classes see shadow trees as if their
//! roots were not there, so that a selector pierces them.

use std::borrow::Borrow;
use std::fmt;

use cssparser::{ParseError, Parser as CssParser, ToCss, serialize_identifier, serialize_string};
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector_list};
use selectors::parser::{ParseRelative, SelectorParseErrorKind};
use selectors::{Element, OpaqueElement, SelectorImpl, SelectorList};

use super::facts::View;
use super::roles;
use super::tree::{Ix, Kind};
use crate::wire::op::ns;

/// A parsed selector list.
#[derive(Clone, Debug)]
pub(super) struct Selector(SelectorList<Mirrored>);

/// Reads a selector list; the error says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Selector, String> {
    let mut parser = CssParser::new(text);
    SelectorList::parse(&Reader, &mut parser, ParseRelative::No)
        .map(Selector)
        .map_err(|error| format!("{text:?} is no CSS selector that Tracerule knows ({:?})", error.kind))
}

/// Whether each element matches, in the order given.
pub(super) fn select(view: View<'_>, selector: &Selector, among: &[Ix]) -> Vec<Ix> {
    let mut caches = SelectorCaches::default();
    let mut context = MatchingContext::new(
        MatchingMode::Normal,
        None,
        &mut caches,
        QuirksMode::NoQuirks,
        NeedsSelectorFlags::No,
        MatchingForInvalidation::No,
    );
    among.iter().copied().filter(|ix| matches_selector_list(&selector.0, El { view, ix: *ix }, &mut context)).collect()
}

/// An identifier as CSS writes it.
pub(super) fn identifier(text: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = serialize_identifier(text, &mut out);
    out
}

/// A string as CSS writes it.
pub(super) fn string(text: &str) -> String {
    let mut out = String::new();
    let _ = serialize_string(text, &mut out);
    out
}

#[derive(Clone, Debug)]
struct Mirrored;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Atom(String);

impl<'a> From<&'a str> for Atom {
    fn from(text: &'a str) -> Self {
        Atom(text.to_owned())
    }
}
impl Borrow<str> for Atom {
    fn borrow(&self) -> &str {
        &self.0
    }
}
impl AsRef<str> for Atom {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
impl PrecomputedHash for Atom {
    fn precomputed_hash(&self) -> u32 {
        self.0.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}
impl ToCss for Atom {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        serialize_identifier(&self.0, dest)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    AnyLink,
    Checked,
    Disabled,
    Enabled,
    Required,
    Optional,
    Focus,
    Visible,
    Never,
}

impl ToCss for State {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        dest.write_str(match self {
            State::AnyLink => ":any-link",
            State::Checked => ":checked",
            State::Disabled => ":disabled",
            State::Enabled => ":enabled",
            State::Required => ":required",
            State::Optional => ":optional",
            State::Focus => ":focus",
            State::Visible => ":visible",
            State::Never => ":hover",
        })
    }
}

impl selectors::parser::NonTSPseudoClass for State {
    fn is_active_or_hover(&self) -> bool {
        matches!(self, State::Never)
    }
    fn is_user_action_state(&self) -> bool {
        matches!(self, State::Never | State::Focus)
    }
}

/// No pseudo-element is in the mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pseudo {}

impl ToCss for Pseudo {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}
impl selectors::parser::PseudoElement for Pseudo {}

impl SelectorImpl for Mirrored {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Atom;
    type Identifier = Atom;
    type LocalName = Atom;
    type NamespaceUrl = Atom;
    type NamespacePrefix = Atom;
    type BorrowedNamespaceUrl = str;
    type BorrowedLocalName = str;
    type NonTSPseudoClass = State;
    type PseudoElement = Pseudo;
}

struct Reader;

impl<'i> selectors::Parser<'i> for Reader {
    type Impl = Mirrored;
    type Error = SelectorParseErrorKind;

    fn parse_nth_child_of(&self) -> bool {
        true
    }
    fn parse_is_and_where(&self) -> bool {
        true
    }
    fn parse_has(&self) -> bool {
        true
    }
    fn allow_forgiving_selectors(&self) -> bool {
        false
    }
    fn parse_non_ts_pseudo_class(&self, name: &str) -> Result<State, ParseError<SelectorParseErrorKind>> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "link" | "any-link" => State::AnyLink,
            "checked" => State::Checked,
            "disabled" => State::Disabled,
            "enabled" => State::Enabled,
            "required" => State::Required,
            "optional" => State::Optional,
            "focus" | "focus-visible" => State::Focus,
            "visible" => State::Visible,
            "hover" | "active" | "visited" => State::Never,
            _ => return Err(ParseError::custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement)),
        })
    }
}

#[derive(Clone, Copy)]
struct El<'a> {
    view: View<'a>,
    ix: Ix,
}

impl fmt::Debug for El<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.view.tag(self.ix))
    }
}

impl<'a> El<'a> {
    fn at(self, ix: Ix) -> El<'a> {
        El { view: self.view, ix }
    }

    fn sibling(self, step: impl Fn(Ix) -> Ix) -> Option<Self> {
        let mut at = step(self.ix);
        while let Some(node) = self.view.tree.get(at) {
            if matches!(node.kind, Kind::Element(_)) {
                return Some(self.at(at));
            }
            at = step(at);
        }
        None
    }
}

impl Element for El<'_> {
    type Impl = Mirrored;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.view.tree.node(self.ix))
    }
    fn parent_element(&self) -> Option<Self> {
        self.view.parent(self.ix).map(|ix| self.at(ix))
    }
    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }
    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }
    fn is_pseudo_element(&self) -> bool {
        false
    }
    fn prev_sibling_element(&self) -> Option<Self> {
        self.sibling(|at| self.view.tree.node(at).previous)
    }
    fn next_sibling_element(&self) -> Option<Self> {
        self.sibling(|at| self.view.tree.node(at).next)
    }
    fn first_element_child(&self) -> Option<Self> {
        let tree = self.view.tree;
        tree.children(self.ix).find(|c| tree.element(*c).is_some()).map(|ix| self.at(ix))
    }
    fn is_html_element_in_html_document(&self) -> bool {
        self.view.tree.is_html(self.ix)
    }
    fn has_local_name(&self, name: &str) -> bool {
        self.view.tag(self.ix) == name
    }
    fn has_namespace(&self, url: &str) -> bool {
        let own = match self.view.tree.element(self.ix).map(|e| e.ns) {
            Some(ns::HTML) => "http://www.w3.org/1999/xhtml",
            Some(ns::SVG) => "http://www.w3.org/2000/svg",
            Some(ns::MATHML) => "http://www.w3.org/1998/Math/MathML",
            _ => "",
        };
        own == url
    }
    fn is_same_type(&self, other: &Self) -> bool {
        let kind = |e: &Self| e.view.tree.element(e.ix).map(|e| (e.tag.as_str(), e.ns));
        kind(self) == kind(other)
    }
    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Atom>,
        name: &Atom,
        operation: &AttrSelectorOperation<&Atom>,
    ) -> bool {
        self.view.attribute(self.ix, &name.0).is_some_and(|value| operation.eval_str(value))
    }
    fn match_non_ts_pseudo_class(&self, state: &State, _: &mut MatchingContext<Mirrored>) -> bool {
        let (view, ix) = (self.view, self.ix);
        let is_field = || ["input", "select", "textarea"].iter().any(|tag| view.is_tag(ix, tag));
        let can_be_disabled =
            || is_field() || ["button", "option", "optgroup", "fieldset"].iter().any(|tag| view.is_tag(ix, tag));
        match state {
            State::AnyLink => self.is_link(),
            State::Checked if view.is_tag(ix, "option") => view.selected(ix),
            State::Checked => view.is_tag(ix, "input") && view.checked(ix) == Some(1),
            State::Disabled => roles::is_disabled(view, ix),
            State::Enabled => can_be_disabled() && !roles::is_disabled(view, ix),
            State::Required => is_field() && view.attribute(ix, "required").is_some(),
            State::Optional => is_field() && view.attribute(ix, "required").is_none(),
            State::Focus => view.tree.focus != 0 && view.tree.find(view.tree.focus) == Some(ix),
            State::Visible => view.visible(ix),
            State::Never => false,
        }
    }
    fn match_pseudo_element(&self, pseudo: &Pseudo, _: &mut MatchingContext<Mirrored>) -> bool {
        match *pseudo {}
    }
    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}
    fn is_link(&self) -> bool {
        matches!(self.view.tag(self.ix), "a" | "area") && self.view.attribute(self.ix, "href").is_some()
    }
    fn is_html_slot_element(&self) -> bool {
        false
    }
    fn has_id(&self, id: &Atom, case: CaseSensitivity) -> bool {
        self.view.attribute(self.ix, "id").is_some_and(|own| case.eq(own.as_bytes(), id.0.as_bytes()))
    }
    fn has_class(&self, name: &Atom, case: CaseSensitivity) -> bool {
        self.view
            .attribute(self.ix, "class")
            .is_some_and(|own| own.split_ascii_whitespace().any(|class| case.eq(class.as_bytes(), name.0.as_bytes())))
    }
    fn has_custom_state(&self, _: &Atom) -> bool {
        false
    }
    fn imported_part(&self, _: &Atom) -> Option<Atom> {
        None
    }
    fn is_part(&self, _: &Atom) -> bool {
        false
    }
    fn is_empty(&self) -> bool {
        let tree = self.view.tree;
        tree.children(self.ix).all(|c| match &tree.node(c).kind {
            Kind::Element(_) => false,
            Kind::Text(text) => text.is_empty(),
            _ => true,
        })
    }
    fn is_root(&self) -> bool {
        self.view.tree.node(self.ix).parent == super::tree::ROOT
    }
    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
