//! Candidates: the ways to find an element again, each counted at this moment, each told why it may not last.

use super::css;
use super::facts::{View, fold};
use super::names;
use super::query::{self, Neighbour, Query, Relative, TEST_IDS};
use super::roles;
use super::tree::Ix;
use crate::trace::{Locator, LocatorKind, Volatility};
use crate::wire::op::{flag, ns};

/// Texts longer than this, in bytes, are no way to find anything.
const LONGEST_TEXT: usize = 120;
/// A selector climbs no higher than this to become unique.
const CLIMB: usize = 8;

/// Roles of things that a person operates.
const OPERABLE: [&str; 17] = [
    "button",
    "checkbox",
    "combobox",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
];

/// Every candidate that matches the element, best first. The path always does.
pub(super) fn candidates(view: View<'_>, ix: Ix) -> Vec<Locator> {
    let mut out = Vec::new();
    if view.tree.element(ix).is_none() {
        return out;
    }
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut offer = |kind: LocatorKind, value: String, volatile: Vec<Volatility>| {
        let Ok(query) = query::parse(&value) else { return };
        let found = query.find(view);
        if found.contains(&ix) {
            let matches = u32::try_from(found.len()).unwrap_or(u32::MAX);
            out.push(Locator { kind, value, matches, volatile });
        }
    };
    if let Some(id) = TEST_IDS.iter().find_map(|name| view.words(ix, name)) {
        let bare = !id.starts_with(['"', '\'']) && !id.contains(" >> ") && query::split_frames(id).len() == 1;
        offer(LocatorKind::TestId, format!("testid={}", if bare { id.to_owned() } else { quoted(id) }), wobble(id));
    }
    let role = view.role(ix);
    if role != roles::GENERIC && role != roles::NONE {
        let name = view.name(ix);
        if !name.is_empty() && name.len() <= LONGEST_TEXT {
            offer(LocatorKind::Role, format!("role={role}[name={}]", quoted(&name)), in_label(view, ix, &name));
        } else if name.is_empty() {
            offer(LocatorKind::Role, format!("role={role}"), Vec::new());
        }
    }
    if let Some(label) = names::label(view, ix).filter(|l| l.len() <= LONGEST_TEXT) {
        offer(LocatorKind::Label, format!("label={}", quoted(&label)), in_label(view, ix, &label));
    }
    if let Some(text) = view.words(ix, "placeholder") {
        let text = fold(text);
        offer(LocatorKind::Placeholder, format!("placeholder={}", quoted(&text)), in_label(view, ix, &text));
    }
    if let Some(text) = view.text(ix, LONGEST_TEXT).filter(|t| !t.is_empty()) {
        let is_field = view.is_tag(ix, "textarea") || view.is_tag(ix, "select") || roles::is_editable(view, ix);
        if !is_field {
            offer(LocatorKind::Text, format!("text={}", quoted(&text)), in_label(view, ix, &text));
        }
    }
    for (value, volatile) in by_attributes(view, ix) {
        offer(LocatorKind::Attribute, format!("css={value}"), volatile);
    }
    for (relative, volatile) in by_neighbours(view, ix) {
        offer(LocatorKind::Relative, relative.to_string(), volatile);
    }
    let (selector, volatile) = selector(view, ix);
    offer(LocatorKind::Css, format!("css={selector}"), volatile);
    offer(LocatorKind::Path, format!("path={}", query::path_of(view, ix)), vec![Volatility::Position]);
    // A role without a name is hardly more than a tag.
    let nameless = |locator: &Locator| locator.kind == LocatorKind::Role && !locator.value.contains('[');
    let rank = |locator: &Locator| if nameless(locator) { LocatorKind::Css } else { locator.kind };
    out.sort_by_key(|locator| (locator.matches != 1, !locator.volatile.is_empty(), rank(locator)));
    out
}

fn by_attributes(view: View<'_>, ix: Ix) -> Vec<(String, Vec<Volatility>)> {
    let mut out = Vec::new();
    if let Some(id) = view.words(ix, "id").filter(|id| !id.contains(char::is_whitespace)) {
        out.push((format!("#{}", css::identifier(id)), wobble(id)));
    }
    let tag = css::identifier(view.tag(ix));
    for data in lasting_data(view, ix) {
        out.push((format!("{tag}{data}"), Vec::new()));
    }
    for name in ["name", "href", "alt", "title", "aria-label"] {
        let Some(value) = view.attribute(ix, name).filter(|v| !v.trim().is_empty() && v.len() <= 200) else { continue };
        let volatile = if matches!(name, "name" | "href") { wobble(value) } else { in_label(view, ix, value) };
        out.push((format!("{tag}[{name}={}]", css::string(value)), volatile));
    }
    if view.is_tag(ix, "input")
        && let (Some(kind), Some(value)) = (view.attribute(ix, "type"), view.words(ix, "value"))
    {
        let fixed = ["submit", "button", "reset", "radio", "checkbox"].contains(&roles::input_type(view, ix).as_str());
        if fixed && view.attribute(ix, "value").is_some_and(|v| v.len() <= LONGEST_TEXT) {
            let selector = format!("input[type={}][value={}]", css::string(kind), css::string(value));
            out.push((selector, wobble(value)));
        }
    }
    out
}

/// The shortest selector that is unique, from the element upwards.
fn selector(view: View<'_>, ix: Ix) -> (String, Vec<Volatility>) {
    let mut selector = String::new();
    let mut positioned = false;
    let mut numbered = false;
    for (step, at) in std::iter::once(ix).chain(view.parents(ix)).take(CLIMB).enumerate() {
        let (mut part, mut anchor) = (css::identifier(view.tag(at)), false);
        if step > 0
            && let Some(id) =
                view.words(at, "id").filter(|id| wobble(id).is_empty() && !id.contains(char::is_whitespace))
        {
            part = format!("#{}", css::identifier(id));
            anchor = true;
        }
        if !anchor {
            let classes = view.attribute(at, "class").unwrap_or_default().split_ascii_whitespace();
            for class in classes.filter(|c| is_lasting_class(c)).take(2) {
                part.push('.');
                part.push_str(&css::identifier(class));
                numbered |= class.contains(|c: char| c.is_ascii_digit());
            }
            if let Some(told) = twins(view, at, &part).then(|| told_apart(view, at, &part)).flatten() {
                part = told;
            } else if twins(view, at, &part) {
                part.push_str(&format!(":nth-of-type({})", number(view, at)));
                positioned = true;
            }
        }
        selector = if selector.is_empty() { part } else { format!("{part} > {selector}") };
        let matches = css::parse(&selector).map(|s| css::select(view, &s, &view.facts.order).len());
        if matches == Ok(1) {
            break;
        }
    }
    let mut volatile = Vec::new();
    if numbered {
        volatile.push(Volatility::Number);
    }
    if positioned {
        volatile.push(Volatility::Position);
    }
    (selector, volatile)
}

/// A part of a selector with an attribute of the application's own that no sibling has.
fn told_apart(view: View<'_>, ix: Ix, part: &str) -> Option<String> {
    lasting_data(view, ix).into_iter().map(|data| format!("{part}{data}")).find(|part| !twins(view, ix, part))
}

/// Attributes that the application gave its element to know it by, as `[data-kind="x"]`: not those that tell its
/// state, its place or a number, and not those that a framework makes.
fn lasting_data(view: View<'_>, ix: Ix) -> Vec<String> {
    const MOST: usize = 3;
    const LONGEST: usize = 60;
    const PASSING: [&str; 16] = [
        "state", "open", "selected", "active", "focus", "hover", "disabled", "checked", "expanded", "index", "status",
        "loaded", "visible", "theme", "side", "value",
    ];
    let Some(element) = view.tree.element(ix) else { return Vec::new() };
    let lasting = |(name, value): &&(String, String)| {
        name.strip_prefix("data-").is_some_and(|own| {
            !TEST_IDS.contains(&name.as_str())
                && !own.starts_with("v-")
                && !own.starts_with("react")
                && !own.split('-').any(|word| PASSING.iter().any(|passing| word.starts_with(passing)))
        }) && !value.trim().is_empty()
            && value.len() <= LONGEST
            && !matches!(value.as_str(), "true" | "false")
            && !value.contains(|c: char| c.is_numeric() || c.is_control() || c == '{')
            && !is_generated(value)
    };
    let written = |(name, value): &(String, String)| format!("[{}={}]", css::identifier(name), css::string(value));
    element.attributes.iter().filter(lasting).take(MOST).map(written).collect()
}

/// Whether a sibling matches the same part of a selector.
fn twins(view: View<'_>, ix: Ix, part: &str) -> bool {
    let siblings: Vec<Ix> =
        view.tree.children(view.tree.node(ix).parent).filter(|s| *s != ix && view.tag(*s) == view.tag(ix)).collect();
    css::parse(part).is_ok_and(|selector| !css::select(view, &selector, &siblings).is_empty())
}

fn number(view: View<'_>, ix: Ix) -> usize {
    let same = |s: &Ix| view.tag(*s) == view.tag(ix) && view.tree.element(*s).is_some();
    view.tree.children(view.tree.node(ix).parent).filter(same).take_while(|s| *s != ix).count() + 1
}

/// Classes that say what a thing is, not how it is at the moment or which build made it.
fn is_lasting_class(class: &str) -> bool {
    const STATES: [&str; 24] = [
        "active",
        "selected",
        "open",
        "opened",
        "closed",
        "hover",
        "focus",
        "focused",
        "disabled",
        "enabled",
        "hidden",
        "visible",
        "show",
        "shown",
        "in",
        "out",
        "current",
        "checked",
        "loading",
        "loaded",
        "expanded",
        "collapsed",
        "dirty",
        "touched",
    ];
    let bare = class.strip_prefix("is-").or_else(|| class.strip_prefix("has-")).unwrap_or(class);
    !STATES.contains(&bare)
        && !class.starts_with("ng-")
        && !class.contains([':', '[', '/', '(', '!'])
        && !is_generated(class)
}

/// Where an element stands: in something named, in a row or an item that says which it is, under a heading.
fn by_neighbours(view: View<'_>, ix: Ix) -> Vec<(Relative, Vec<Volatility>)> {
    /// Roles whose name says which of their kind they are.
    const NAMED: [&str; 12] = [
        "article",
        "dialog",
        "alertdialog",
        "figure",
        "form",
        "group",
        "navigation",
        "radiogroup",
        "region",
        "table",
        "tabpanel",
        "toolbar",
    ];
    /// Roles that are told apart by what they hold.
    const HOLDING: [&str; 4] = ["row", "listitem", "treeitem", "article"];
    let role = view.role(ix);
    let own = view.name(ix);
    if role == roles::GENERIC || role == roles::NONE || own.len() > LONGEST_TEXT {
        return Vec::new();
    }
    let name = Some(own.clone()).filter(|name| !name.is_empty());
    let why = |text: &str, at: Ix| {
        let mut why = in_label(view, at, text);
        why.extend(in_label(view, ix, &own).into_iter().filter(|own| !why.contains(own)).collect::<Vec<_>>());
        why
    };
    let mut out = Vec::new();
    let mut offer = |neighbour: Neighbour, why: Vec<Volatility>| {
        out.push((Relative { role: role.to_owned(), name: name.clone(), neighbour }, why));
    };
    let around = |roles: &'static [&'static str]| view.flat_parents(ix).find(|at| roles.contains(&view.role(*at)));
    if let Some(holder) = around(&HOLDING)
        && let Some((at, text)) = telling_text(view, holder, ix)
    {
        let why = why(&text, at);
        offer(Neighbour::Holding { role: view.role(holder).to_owned(), text }, why);
    }
    let is_named = |at: &Ix| NAMED.contains(&view.role(*at)) && (1..=LONGEST_TEXT).contains(&view.name(*at).len());
    if let Some(holder) = view.flat_parents(ix).find(is_named) {
        let name = view.name(holder);
        let why = why(&name, holder);
        offer(Neighbour::Named { role: view.role(holder).to_owned(), name }, why);
    }
    let before = view.facts.order.iter().copied().take_while(|at| *at != ix);
    let heading = before.filter(|at| view.role(*at) == "heading" && view.accessible(*at)).last();
    if let Some(heading) = heading.filter(|at| (1..=LONGEST_TEXT).contains(&view.name(*at).len())) {
        let name = view.name(heading);
        let why = why(&name, heading);
        offer(Neighbour::Under { heading: name }, why);
    }
    out
}

/// The text in a row or item that best says which it is, beside the element: a heading's before another's, words before
/// numbers, the first before the rest.
fn telling_text(view: View<'_>, holder: Ix, ix: Ix) -> Option<(Ix, String)> {
    const LOOKED: usize = 40;
    const LONGEST: usize = 60;
    let leaves = view.tree.subtree(holder).filter(|at| {
        *at != holder
            && view.visible(*at)
            && view.tree.element(*at).is_some()
            && !view.tree.within(*at, ix)
            && !view.tree.within(ix, *at)
            && view.tree.children(*at).all(|child| view.tree.element(child).is_none())
    });
    let texts = leaves.take(LOOKED).filter_map(|at| Some((at, view.text(at, LONGEST).filter(|t| !t.is_empty())?)));
    texts.min_by_key(|(at, text)| {
        let role = view.role(*at);
        let heads = matches!(role, "heading" | "rowheader")
            || view
                .flat_parents(*at)
                .take_while(|p| *p != holder)
                .any(|p| matches!(view.role(p), "heading" | "rowheader"));
        let acts = matches!(role, "button" | "option" | "textbox" | "combobox");
        (acts, !heads, !in_label(view, *at, text).is_empty())
    })
}

/// As [`in_words`], and whether an element's words, or those of what it holds and of its labels, changed meanwhile.
fn in_label(view: View<'_>, ix: Ix, text: &str) -> Vec<Volatility> {
    const LOOKED: usize = 64;
    let mut out = in_words(text);
    let has_changed = |at: Ix| view.tree.subtree(at).take(LOOKED).any(|n| view.tree.has_changed_words(n));
    let labels = view.labels(ix).iter().copied().chain(view.referenced(ix, "aria-labelledby"));
    if std::iter::once(ix).chain(labels).any(has_changed) {
        out.push(Volatility::Changing);
    }
    out
}

/// Why a text shown to people may not last.
fn in_words(text: &str) -> Vec<Volatility> {
    if text.contains(|c: char| c.is_numeric()) { vec![Volatility::Number] } else { Vec::new() }
}

/// Why a name given by program may not last.
fn wobble(text: &str) -> Vec<Volatility> {
    let mut out = Vec::new();
    if is_generated(text) {
        out.push(Volatility::Generated);
    }
    out.extend(in_words(text));
    out
}

/// Looks made by a program: hashes, counters of frameworks, UUIDs.
pub(super) fn is_generated(text: &str) -> bool {
    const MAKERS: [&str; 19] = [
        "css-",
        "sc-",
        "jss",
        "ember",
        "react-",
        "radix-",
        "headlessui-",
        "mui-",
        "mat-input-",
        "mat-select-",
        "cdk-",
        "ext-gen",
        "yui_",
        "ui-id-",
        "__next",
        "rc-tabs-",
        "rc_select_",
        "svelte-",
        "gwt-uid-",
    ];
    let is_odd = |rest: &str| {
        rest.contains(|c: char| c.is_ascii_digit()) || rest.chars().skip(1).any(|c| c.is_ascii_uppercase())
    };
    if MAKERS.iter().any(|maker| text.strip_prefix(maker).is_some_and(is_odd)) {
        return true;
    }
    // React's useId: ":r1:" and «r1».
    if text.starts_with([':', '«']) && text.ends_with([':', '»']) {
        return true;
    }
    if text.starts_with("_ngcontent") || text.starts_with("data-v-") {
        return true;
    }
    has_hash(text)
}

/// Whether a part of the text is random: letters and digits mixed more than words and counters are.
fn has_hash(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let n = word.len();
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let is_hex = word.bytes().all(|b| b.is_ascii_hexdigit());
        let switches = word
            .as_bytes()
            .windows(2)
            .filter(|w| class_of(w[0]) != class_of(w[1]) && !(w[0].is_ascii_uppercase() && w[1].is_ascii_lowercase()))
            .count();
        (n >= 8 && is_hex && digits > 0 && digits < n)
            || (n >= 5 && digits > 0 && switches >= 3)
            || (n >= 10 && digits == n)
            || (n >= 6 && digits == 0 && switches >= 3 && !has_vowels(word))
    })
}

fn class_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    }
}

fn has_vowels(word: &str) -> bool {
    let vowels = word.bytes().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    vowels * 5 >= word.len()
}

/// The nearest element, itself or around it, that a person means when pointing there.
pub(super) fn interactive(view: View<'_>, ix: Ix) -> Ix {
    let start = if view.tree.element(ix).is_some() { Some(ix) } else { view.flat_parents(ix).next() };
    let Some(start) = start else { return ix };
    let operable = |at: &Ix| is_operable(view, *at);
    if let Some(found) = std::iter::once(start).chain(view.flat_parents(start)).find(operable) {
        return found;
    }
    // The cursor is inherited: where the hand begins, there the thing begins, unless it holds several things.
    let has_hand = |at: Ix| view.tree.element(at).and_then(|e| e.measured).is_some_and(|m| m.flags & flag::HAND != 0);
    let mut at = start;
    if has_hand(at) {
        let holds_only = |parent: Ix, child: Ix| {
            view.tree.children(parent).all(|c| {
                c == child || names::data(view, c).map_or(view.tree.element(c).is_none(), |data| data.trim().is_empty())
            })
        };
        while let Some(parent) = view
            .parent(at)
            .filter(|p| has_hand(*p) && !view.is_tag(*p, "body") && !view.is_tag(*p, "html") && holds_only(*p, at))
        {
            at = parent;
        }
        return at;
    }
    // The strokes of a picture are nobody's aim.
    std::iter::once(start)
        .chain(view.parents(start))
        .take_while(|at| view.tree.element(*at).is_some_and(|e| e.ns == ns::SVG))
        .last()
        .unwrap_or(start)
}

fn is_operable(view: View<'_>, ix: Ix) -> bool {
    let Some(element) = view.tree.element(ix) else { return false };
    if element.ns == ns::HTML {
        match element.tag.as_str() {
            "button" | "select" | "textarea" | "option" => return true,
            "input" => return roles::input_type(view, ix) != "hidden",
            "a" | "area" if element.attribute("href").is_some() => return true,
            "summary" => return view.parent(ix).is_some_and(|p| view.is_tag(p, "details")),
            "label" => return view.control_of(ix).is_some(),
            "body" | "html" => return false,
            _ => {}
        }
    }
    OPERABLE.contains(&view.role(ix))
        || roles::is_editable(view, ix)
        || (element.attribute("onclick").is_some() && !holds_things(view, ix))
        || has_focus_of_its_own(view, ix)
}

/// Whether an element that can be focused is a thing to point at, and not what holds such things.
fn has_focus_of_its_own(view: View<'_>, ix: Ix) -> bool {
    let has_hand = view.tree.element(ix).and_then(|e| e.measured).is_some_and(|m| m.flags & flag::HAND != 0);
    match tabindex(view, ix) {
        None => false,
        // Items of lists that manage the focus themselves; landmarks are focused by scripts too, but show no hand.
        Some(..0) => has_hand,
        Some(_) => !holds_things(view, ix),
    }
}

fn tabindex(view: View<'_>, ix: Ix) -> Option<i32> {
    view.attribute(ix, "tabindex").and_then(|t| t.trim().parse().ok())
}

/// Whether it is a place for things to point at, rather than one: its script tells by the event which was meant.
fn holds_things(view: View<'_>, ix: Ix) -> bool {
    let is_thing = |at: Ix| {
        at != ix
            && (tabindex(view, at).is_some() || ["a", "button", "input", "select", "textarea"].contains(&view.tag(at)))
    };
    ["list", "table", "grid", "treegrid", "region", "main"].contains(&view.role(ix))
        || view.tree.subtree(ix).any(is_thing)
}

/// The control that a click there activates through a label.
pub(super) fn labelled_control(view: View<'_>, ix: Ix) -> Option<Ix> {
    for at in std::iter::once(ix).chain(view.parents(ix)) {
        if view.is_tag(at, "label") {
            return view.control_of(at);
        }
        // Interactive content inside a label keeps its clicks.
        let keeps = ["button", "input", "select", "textarea", "iframe"].contains(&view.tag(at))
            || (view.is_tag(at, "a") && view.attribute(at, "href").is_some());
        if keeps {
            return None;
        }
    }
    None
}

impl Query {
    /// What the locator looks for, in words.
    pub fn describe(&self) -> &'static str {
        match self {
            Query::TestId(_) => "test id",
            Query::Role { .. } => "role",
            Query::Label(_) => "label",
            Query::Placeholder(_) => "placeholder",
            Query::Text(_) => "text",
            Query::Relative(_) => "neighbour",
            Query::Css(_) => "CSS selector",
            Query::Path(_) => "path",
        }
    }
}
