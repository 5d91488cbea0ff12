//! Accessible names after "Accessible Name and Description Computation" 1.2 (the steps' letters are its), with the host
//! language's part from HTML-AAM and SVG-AAM. And the text of elements as a person reads it.

use std::collections::HashSet;

use super::facts::{View, fold};
use super::roles::{self, Role};
use super::tree::{Ix, Kind};
use crate::trace::MASK;
use crate::wire::op::ns;

/// Content nested deeper than this adds nothing to a name: the stack must hold.
const DEPTH: u32 = 100;

/// Roles that are named by their content.
const FROM_CONTENT: [Role; 19] = [
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "gridcell",
    "heading",
    "link",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "row",
    "rowheader",
    "switch",
    "tab",
    "tooltip",
    "treeitem",
    "doc-backlink",
];

/// Widgets whose content does not speak for them in the name of something around them.
const OPAQUE: [Role; 12] = [
    "textbox",
    "searchbox",
    "combobox",
    "listbox",
    "slider",
    "spinbutton",
    "scrollbar",
    "progressbar",
    "meter",
    "grid",
    "tree",
    "treegrid",
];

/// Roles that take no name.
const UNNAMED: [Role; 16] = [
    "caption",
    "code",
    "definition",
    "deletion",
    "emphasis",
    "generic",
    "insertion",
    "mark",
    "none",
    "paragraph",
    "strong",
    "subscript",
    "suggestion",
    "superscript",
    "term",
    "time",
];

/// Elements that show something else than their content.
const REPLACED: [&str; 5] = ["audio", "embed", "iframe", "object", "video"];

#[derive(Clone, Copy, Default)]
struct Mode {
    /// Following aria-labelledby.
    referenced: bool,
    /// Inside something whose name is computed.
    inside: bool,
    /// Inside a label: any content counts.
    labelling: bool,
    /// The referenced root is itself hidden, so what it hides counts.
    hidden_counts: bool,
    depth: u32,
}

struct Walk<'a> {
    view: View<'a>,
    visited: HashSet<Ix>,
}

/// The element's accessible name.
pub(super) fn compute(view: View<'_>, ix: Ix) -> String {
    if view.tree.element(ix).is_none() {
        return String::new();
    }
    let mut walk = Walk { view, visited: HashSet::new() };
    let mode = Mode { hidden_counts: !view.visible(ix) && !view.spoken(ix), ..Mode::default() };
    fold(&walk.name(ix, mode))
}

/// The text of the label elements (or of what aria-labelledby or aria-label say) that names a field.
pub(super) fn label(view: View<'_>, ix: Ix) -> Option<String> {
    let mut walk = Walk { view, visited: HashSet::from([ix]) };
    let text = fold(&walk.referenced(ix).unwrap_or_default());
    if !text.is_empty() {
        return Some(text);
    }
    if let Some(label) = view.words(ix, "aria-label") {
        return Some(fold(label));
    }
    Some(fold(&walk.labels(ix, Mode::default()))).filter(|t| !t.is_empty())
}

/// The data of a text node.
pub(super) fn data(view: View<'_>, ix: Ix) -> Option<&str> {
    match &view.tree.get(ix)?.kind {
        Kind::Text(data) => Some(data),
        _ => None,
    }
}

impl Walk<'_> {
    fn name(&mut self, ix: Ix, mode: Mode) -> String {
        let view = self.view;
        let Some(element) = view.tree.element(ix) else { return String::new() };
        if mode.depth > DEPTH || is_silent(view, ix) || !self.visited.insert(ix) {
            return String::new();
        }
        // 2A: what is hidden says nothing, unless it was referred to.
        if !mode.hidden_counts && !view.spoken(ix) && (mode.inside || mode.referenced) {
            return String::new();
        }
        // 2B
        if !mode.referenced
            && let Some(text) = self.referenced(ix)
            && !text.trim().is_empty()
        {
            return text;
        }
        let role = view.role(ix);
        let is_summary = is_summary(view, ix);
        // 2C: a control inside a label says its value, if it has one.
        if (mode.inside || mode.referenced)
            && let Some(text) = self.embedded(ix, role, mode)
            && !text.trim().is_empty()
        {
            return text;
        }
        // 2D
        if let Some(label) = view.words(ix, "aria-label")
            && (mode.inside || mode.referenced || !UNNAMED.contains(&role) || is_summary)
        {
            return label.to_owned();
        }
        // 2E
        if role != roles::NONE && element.attribute("role").is_none_or(|r| !matches!(r.trim(), "none" | "presentation"))
        {
            let text = self.native(ix, mode);
            if !text.trim().is_empty() {
                return text;
            }
        }
        // 2F
        let from_content = FROM_CONTENT.contains(&role)
            || is_summary
            || mode.labelling
            || (mode.inside && !OPAQUE.contains(&role))
            || (mode.referenced && !mode.inside);
        if from_content {
            let text = self.content(ix, Mode { inside: true, ..mode });
            if !text.trim().is_empty() {
                return text;
            }
        }
        // 2I
        if (mode.inside || mode.referenced || !UNNAMED.contains(&role) || is_summary)
            && let Some(title) = view.words(ix, "title")
        {
            return title.to_owned();
        }
        if ["textbox", "searchbox", "combobox", "spinbutton"].contains(&role)
            && let Some(text) = view.words(ix, "placeholder").or_else(|| view.words(ix, "aria-placeholder"))
        {
            return text.to_owned();
        }
        String::new()
    }

    fn referenced(&mut self, ix: Ix) -> Option<String> {
        let view = self.view;
        let ids = view.referenced(ix, "aria-labelledby");
        if ids.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        for id in ids {
            // An element may name itself by its own label beside others.
            let mut walk = Walk { view, visited: HashSet::new() };
            if id != ix {
                walk.visited.clone_from(&self.visited);
                walk.visited.remove(&id);
            }
            let mode = Mode { referenced: true, hidden_counts: !view.spoken(id), ..Mode::default() };
            parts.push(walk.name(id, mode));
        }
        Some(parts.join(" "))
    }

    fn labels(&mut self, ix: Ix, mode: Mode) -> String {
        let view = self.view;
        let mut parts = Vec::new();
        for label in view.labels(ix) {
            let inner = Mode {
                labelling: true,
                inside: true,
                hidden_counts: !view.spoken(*label),
                depth: mode.depth + 1,
                ..mode
            };
            parts.push(self.name(*label, inner));
        }
        parts.retain(|p| !p.trim().is_empty());
        parts.join(" ")
    }

    fn embedded(&mut self, ix: Ix, role: Role, mode: Mode) -> Option<String> {
        let view = self.view;
        match role {
            "textbox" | "searchbox" if view.tag(ix) == "input" || view.tag(ix) == "textarea" => Some(view.value(ix)),
            "textbox" | "searchbox" if mode.inside => {
                Some(self.content(ix, Mode { inside: true, labelling: true, ..mode }))
            }
            "combobox" | "listbox" => {
                if view.tag(ix) == "input" {
                    return Some(view.value(ix));
                }
                let options = view.options(ix);
                if role == "combobox" && options.is_empty() {
                    return Some(self.content(ix, Mode { inside: true, labelling: true, ..mode }));
                }
                let chosen: Vec<Ix> = options.into_iter().filter(|o| view.selected(*o)).collect();
                let inner = Mode { inside: true, depth: mode.depth + 1, ..mode };
                Some(chosen.into_iter().map(|o| self.name(o, inner)).collect::<Vec<_>>().join(" "))
            }
            "slider" | "spinbutton" | "scrollbar" | "progressbar" | "meter" => Some(
                view.words(ix, "aria-valuetext")
                    .or_else(|| view.words(ix, "aria-valuenow"))
                    .map_or_else(|| number(view.value(ix)), str::to_owned),
            ),
            _ => None,
        }
    }

    /// 2E: what HTML or SVG says names the element.
    fn native(&mut self, ix: Ix, mode: Mode) -> String {
        let view = self.view;
        let Some(element) = view.tree.element(ix) else { return String::new() };
        let attribute = |name: &str| view.words(ix, name).map(str::to_owned);
        let inner = Mode { inside: true, labelling: true, depth: mode.depth + 1, ..mode };
        if element.ns == ns::SVG {
            let title = view.tree.children(ix).find(|c| view.tag(*c) == "title");
            return match title {
                Some(title) => view.tree.children(title).filter_map(|t| data(view, t)).collect(),
                None => attribute("xlink:title").unwrap_or_default(),
            };
        }
        if element.ns != ns::HTML {
            return String::new();
        }
        let child = |tag: &str| view.tree.children(ix).find(|c| view.is_tag(*c, tag));
        match element.tag.as_str() {
            "input" => {
                let labels = self.labels(ix, mode);
                if !labels.is_empty() {
                    return labels;
                }
                match roles::input_type(view, ix).as_str() {
                    "button" => attribute("value").unwrap_or_default(),
                    // The browser's own word stands where there is no value; an empty one shows nothing.
                    "submit" => element.attribute("value").unwrap_or("Submit").to_owned(),
                    "reset" => element.attribute("value").unwrap_or("Reset").to_owned(),
                    "image" => attribute("alt")
                        .or_else(|| attribute("title"))
                        .or_else(|| attribute("value"))
                        .unwrap_or_else(|| "Submit".to_owned()),
                    "file" if element.attribute("multiple").is_some() => "Choose Files".to_owned(),
                    "file" => "Choose File".to_owned(),
                    _ => attribute("title").or_else(|| attribute("placeholder")).unwrap_or_default(),
                }
            }
            "textarea" => {
                let labels = self.labels(ix, mode);
                if !labels.is_empty() {
                    return labels;
                }
                attribute("title").or_else(|| attribute("placeholder")).unwrap_or_default()
            }
            "button" | "select" | "meter" | "progress" | "output" => self.labels(ix, mode),
            "fieldset" => child("legend").map(|c| self.name(c, inner)).unwrap_or_default(),
            "figure" => child("figcaption").map(|c| self.name(c, inner)).unwrap_or_default(),
            "table" => child("caption").map(|c| self.name(c, inner)).unwrap_or_default(),
            "img" | "area" => attribute("alt").or_else(|| attribute("title")).unwrap_or_default(),
            "optgroup" | "option" => attribute("label").unwrap_or_default(),
            "iframe" => attribute("title").unwrap_or_default(),
            _ => String::new(),
        }
    }

    /// 2F: the names of the children and the text between them.
    fn content(&mut self, ix: Ix, mode: Mode) -> String {
        let view = self.view;
        let mut children = Vec::new();
        if REPLACED.contains(&view.tag(ix)) && view.tree.is_html(ix) {
            return String::new();
        }
        view.flat_children(ix, &mut children);
        children.extend(view.referenced(ix, "aria-owns"));
        let mut out = String::new();
        let inner = Mode { depth: mode.depth + 1, inside: true, ..mode };
        for child in children {
            if let Some(text) = data(view, child) {
                out.push_str(text);
            } else if view.tree.element(child).is_some() {
                if is_silent(view, child) || is_aside(view, child) {
                    continue;
                }
                let apart = view.is_block(child) || view.is_atom(child) || stands_alone(view, child);
                if apart {
                    out.push(' ');
                }
                out.push_str(&self.name(child, inner));
                if apart {
                    out.push(' ');
                }
            }
        }
        out
    }
}

fn is_password(view: View<'_>, ix: Ix) -> bool {
    view.is_tag(ix, "input") && roles::input_type(view, ix) == "password"
}

/// The line that opens and closes its details.
fn is_summary(view: View<'_>, ix: Ix) -> bool {
    let first = |parent: Ix| view.tree.children(parent).find(|c| view.is_tag(*c, "summary"));
    view.is_tag(ix, "summary") && view.parent(ix).is_some_and(|p| view.is_tag(p, "details") && first(p) == Some(ix))
}

/// Whether content is no part of what it stands in: the items below an item, and the reading of ideographs.
fn is_aside(view: View<'_>, ix: Ix) -> bool {
    let holder = |at: Ix| view.parents(at).map(|p| view.role(p)).find(|r| *r != roles::GENERIC && *r != roles::NONE);
    match view.role(ix) {
        "group" => holder(ix) == Some("treeitem"),
        "menu" => holder(ix).is_some_and(|role| role.starts_with("menuitem")),
        _ => view.is_tag(ix, "rt") || view.is_tag(ix, "rp"),
    }
}

/// Inline things that browsers set apart in names: pictures, places for a line break, and what is put into slots.
fn stands_alone(view: View<'_>, ix: Ix) -> bool {
    ["img", "wbr", "slot"].iter().any(|tag| view.is_tag(ix, tag))
}

/// A number as it is read out: `.3` as `0.3`. Anything else as it is.
fn number(text: String) -> String {
    text.trim().parse::<f64>().ok().filter(|n| n.is_finite()).map_or(text, |n| n.to_string())
}

/// Elements whose text is never read, hidden or not.
fn is_silent(view: View<'_>, ix: Ix) -> bool {
    view.tree.is_html(ix) && ["script", "style", "template", "noscript"].contains(&view.tag(ix))
}

impl View<'_> {
    /// The options of a list, HTML's or ARIA's.
    pub fn options(self, list: Ix) -> Vec<Ix> {
        let mut options: Vec<Ix> = self
            .tree
            .subtree(list)
            .skip(1)
            .filter(|ix| self.tree.element(*ix).is_some() && self.role(*ix) == "option")
            .collect();
        for controlled in self.referenced(list, "aria-controls").into_iter().chain(self.referenced(list, "aria-owns")) {
            if self.role(controlled) == "listbox" {
                options.extend(self.tree.subtree(controlled).filter(|ix| self.role(*ix) == "option"));
            }
        }
        options
    }

    /// Whether an option is chosen.
    pub fn selected(self, option: Ix) -> bool {
        let Some(element) = self.tree.element(option) else { return false };
        if element.ns != ns::HTML || element.tag != "option" {
            return element.attribute("aria-selected") == Some("true");
        }
        if let Some(selected) = element.selected {
            return selected;
        }
        let Some(list) = self.parents(option).take(2).find(|p| self.is_tag(*p, "select")) else {
            return element.attribute("selected").is_some();
        };
        if self.attribute(list, "multiple").is_some() {
            return element.attribute("selected").is_some();
        }
        self.facts.chosen(list, || self.shown_option(list)) == Some(option)
    }

    /// The option that a list for one choice shows while nothing was told: the last one marked, or else the first that
    /// can be chosen.
    fn shown_option(self, list: Ix) -> Option<Ix> {
        let options = self.options(list);
        if options.iter().any(|o| self.tree.element(*o).is_some_and(|e| e.selected == Some(true))) {
            return None;
        }
        let marked = options.iter().rev().find(|o| self.attribute(**o, "selected").is_some());
        if marked.is_some() || self.role(list) == "listbox" {
            return marked.copied();
        }
        options.into_iter().find(|o| !roles::is_disabled(self, *o))
    }

    /// A field's value; of a list the chosen options' labels.
    pub fn value(self, ix: Ix) -> String {
        let Some(element) = self.tree.element(ix) else { return String::new() };
        let text_of = |ix: Ix| -> String { self.tree.subtree(ix).filter_map(|n| data(self, n)).collect() };
        match element.tag.as_str() {
            "select" if element.ns == ns::HTML => {
                let chosen = self.options(ix).into_iter().filter(|o| self.selected(*o));
                chosen
                    .map(|o| self.words(o, "label").map_or_else(|| fold(&text_of(o)), str::to_owned))
                    .collect::<Vec<_>>()
                    .join(", ")
            }
            "option" => element.attribute("value").map_or_else(|| fold(&text_of(ix)), str::to_owned),
            _ => match (&element.value, element.attribute("value")) {
                (Some(value), _) => value.clone(),
                // The source masks values; a secret in the page's own markup is masked here.
                (None, Some(value)) if !value.is_empty() && is_password(self, ix) => MASK.to_owned(),
                (None, Some(value)) => value.to_owned(),
                (None, None) if element.tag == "textarea" => {
                    let text = text_of(ix);
                    text.strip_prefix('\n').map(str::to_owned).unwrap_or(text)
                }
                (None, None)
                    if element.tag == "input"
                        && matches!(roles::input_type(self, ix).as_str(), "checkbox" | "radio") =>
                {
                    "on".to_owned()
                }
                (None, None) if element.tag == "input" => String::new(),
                (None, None)
                    if element.attribute("aria-valuetext").or(element.attribute("aria-valuenow")).is_some() =>
                {
                    self.words(ix, "aria-valuetext")
                        .or_else(|| self.words(ix, "aria-valuenow"))
                        .unwrap_or_default()
                        .to_owned()
                }
                (None, None) => self.text(ix, usize::MAX).unwrap_or_default(),
            },
        }
    }

    /// The text a person reads in an element, white space folded; `None` if it is longer than `limit` bytes.
    pub fn text(self, ix: Ix, limit: usize) -> Option<String> {
        let hidden_root = !self.visible(ix);
        let mut out = String::new();
        // A closing block is told by the same place, marked.
        let mut open = vec![(ix, false)];
        let mut children = Vec::new();
        while let Some((at, closing)) = open.pop() {
            if closing {
                out.push(' ');
                continue;
            }
            if let Some(text) = data(self, at) {
                if hidden_root || self.visible(at) {
                    out.push_str(text);
                    // White space is folded at the end, so the raw text may be longer; but not without bound.
                    if limit != usize::MAX && out.len() > limit.saturating_mul(4) + 4096 {
                        return None;
                    }
                }
                continue;
            }
            if self.tree.element(at).is_some() {
                if is_silent(self, at) || (!hidden_root && !self.visible(at)) {
                    continue;
                }
                if self.is_block(at) {
                    out.push(' ');
                    open.push((at, true));
                }
                if let Some(own) = self.own_text(at) {
                    out.push_str(&own);
                    continue;
                }
            }
            children.clear();
            self.flat_children(at, &mut children);
            open.extend(children.iter().rev().map(|c| (*c, false)));
        }
        let text = fold(&out);
        (text.len() <= limit).then_some(text)
    }

    /// Text that does not come from children.
    pub fn own_text(self, ix: Ix) -> Option<String> {
        match self.tag(ix) {
            "input" => Some(match roles::input_type(self, ix).as_str() {
                "submit" | "reset" | "button" => self.value(ix),
                _ => String::new(),
            }),
            "select" => Some(self.value(ix)),
            "textarea" => Some(self.value(ix)),
            _ => None,
        }
    }

    /// `aria-checked` and its kin, or what HTML knows: 0, 1, 2 for mixed; `None` if it cannot be checked.
    pub fn checked(self, ix: Ix) -> Option<i32> {
        let element = self.tree.element(ix)?;
        if self.is_tag(ix, "input") && matches!(roles::input_type(self, ix).as_str(), "checkbox" | "radio") {
            return Some(element.checked.unwrap_or_else(|| i32::from(element.attribute("checked").is_some())));
        }
        match self.role(ix) {
            "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" => {
                tristate(element.attribute("aria-checked"))
            }
            "option" | "treeitem" if element.attribute("aria-checked").is_some() => {
                tristate(element.attribute("aria-checked"))
            }
            _ => None,
        }
    }
}

fn tristate(value: Option<&str>) -> Option<i32> {
    Some(match value {
        Some("true") => 1,
        Some("mixed") => 2,
        _ => 0,
    })
}
