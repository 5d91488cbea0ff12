//! Roles: what the author says if it is a role, else what HTML-AAM and SVG-AAM give the element.

use super::facts::View;
use super::tree::Ix;
use crate::wire::op::ns;

/// A role of WAI-ARIA.
pub(super) type Role = &'static str;

/// No role of its own.
pub(super) const GENERIC: Role = "generic";
/// Taken out of the tree by the author (`none`, `presentation`) or by HTML (`alt=""`).
pub(super) const NONE: Role = "none";

/// Concrete roles of WAI-ARIA 1.2 with those of 1.3 that browsers know, and its graphics and text modules.
const KNOWN: [Role; 97] = [
    "alert",
    "alertdialog",
    "application",
    "article",
    "banner",
    "blockquote",
    "button",
    "caption",
    "cell",
    "checkbox",
    "code",
    "columnheader",
    "combobox",
    "comment",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "directory",
    "document",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "graphics-document",
    "graphics-object",
    "graphics-symbol",
    "grid",
    "gridcell",
    "group",
    "heading",
    "image",
    "img",
    "insertion",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "mark",
    "marquee",
    "math",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "navigation",
    "none",
    "note",
    "option",
    "paragraph",
    "presentation",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "strong",
    "subscript",
    "suggestion",
    "superscript",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "textbox",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
    // Digital publishing roles that pages use.
    "doc-abstract",
    "doc-backlink",
    "doc-biblioentry",
    "doc-chapter",
    "doc-endnotes",
    "doc-footnote",
    "doc-noteref",
    "doc-subtitle",
];

/// Attributes that every element may have: one of them keeps an element in the tree.
const GLOBAL: [&str; 18] = [
    "aria-atomic",
    "aria-braillelabel",
    "aria-brailleroledescription",
    "aria-busy",
    "aria-controls",
    "aria-current",
    "aria-describedby",
    "aria-description",
    "aria-details",
    "aria-dropeffect",
    "aria-flowto",
    "aria-grabbed",
    "aria-keyshortcuts",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "aria-owns",
    "aria-relevant",
];

/// Elements that make `header` and `footer` their own and not the page's.
const SECTIONING: [&str; 5] = ["article", "aside", "main", "nav", "section"];
const SECTIONING_ROLES: [Role; 5] = ["article", "complementary", "main", "navigation", "region"];

/// The element's role.
pub(super) fn compute(view: View<'_>, ix: Ix) -> Role {
    let Some(element) = view.tree.element(ix) else { return GENERIC };
    let kept = || is_focusable(view, ix) || GLOBAL.iter().any(|name| view.attribute(ix, name).is_some());
    for token in element.attribute("role").unwrap_or_default().split_ascii_whitespace() {
        let token = token.to_ascii_lowercase();
        let Some(role) = KNOWN.iter().find(|known| **known == token) else { continue };
        return match *role {
            "none" | "presentation" if kept() => break,
            "none" | "presentation" => NONE,
            "image" => "img",
            "directory" => "list",
            // A landmark that nothing names is none.
            "region" | "form" if !is_named(view, ix) => continue,
            role => role,
        };
    }
    if inherits_none(view, ix) && !kept() {
        return NONE;
    }
    match element.ns {
        ns::HTML => html(view, ix, &element.tag),
        ns::SVG => match element.tag.as_str() {
            "svg" => "img",
            "a" if element.attribute("href").or_else(|| element.attribute("xlink:href")).is_some() => "link",
            "image" => "img",
            _ => GENERIC,
        },
        ns::MATHML if element.tag == "math" => "math",
        _ => GENERIC,
    }
}

fn html(view: View<'_>, ix: Ix, tag: &str) -> Role {
    let has = |name: &str| view.attribute(ix, name).is_some();
    match tag {
        "a" | "area" if has("href") => "link",
        "address" | "details" | "fieldset" | "hgroup" | "optgroup" => "group",
        "article" => "article",
        "aside" if !in_section(view, ix, false) || is_named(view, ix) => "complementary",
        "blockquote" => "blockquote",
        "button" => "button",
        "caption" => "caption",
        "code" => "code",
        "datalist" => "listbox",
        "dd" => "definition",
        "del" | "s" => "deletion",
        "dfn" | "dt" => "term",
        "dialog" => "dialog",
        "em" => "emphasis",
        "figure" => "figure",
        "footer" if !in_section(view, ix, true) => "contentinfo",
        "form" if is_named(view, ix) => "form",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "header" if !in_section(view, ix, true) => "banner",
        "hr" => "separator",
        "html" => "document",
        "img" => {
            let decorative = view.attribute(ix, "alt").is_some_and(str::is_empty);
            if decorative && !is_named(view, ix) && !is_focusable(view, ix) { NONE } else { "img" }
        }
        "input" => input(view, ix),
        "ins" => "insertion",
        "li" => {
            let listed = view.parent(ix).is_some_and(|p| {
                ["ol", "ul", "menu"].contains(&view.tag(p)) || matches!(view.attribute(p, "role"), Some("list"))
            });
            if listed { "listitem" } else { GENERIC }
        }
        "main" => "main",
        "mark" => "mark",
        "math" => "math",
        "menu" | "ol" | "ul" => "list",
        "meter" => "meter",
        "nav" => "navigation",
        "option" => "option",
        "output" => "status",
        "p" => "paragraph",
        "progress" => "progressbar",
        "search" => "search",
        "section" if is_named(view, ix) => "region",
        "select" => {
            let rows = view.attribute(ix, "size").and_then(|s| s.trim().parse::<u32>().ok()).unwrap_or(0);
            if has("multiple") || rows > 1 { "listbox" } else { "combobox" }
        }
        "strong" => "strong",
        "sub" => "subscript",
        "sup" => "superscript",
        "svg" => "img",
        "table" => "table",
        "tbody" | "tfoot" | "thead" => "rowgroup",
        "td" => cell(view, ix),
        "textarea" => "textbox",
        "th" => header_cell(view, ix),
        "time" => "time",
        "tr" => "row",
        _ => GENERIC,
    }
}

/// The type of an input, lower case; `text` when it has none.
pub(super) fn input_type(view: View<'_>, ix: Ix) -> String {
    view.words(ix, "type").unwrap_or("text").to_ascii_lowercase()
}

fn input(view: View<'_>, ix: Ix) -> Role {
    let suggests = view
        .attribute(ix, "list")
        .is_some_and(|id| view.by_id(ix, id).is_some_and(|list| view.is_tag(list, "datalist")));
    match input_type(view, ix).as_str() {
        "button" | "submit" | "reset" | "image" | "file" => "button",
        "checkbox" => "checkbox",
        "radio" => "radio",
        "number" => "spinbutton",
        "range" => "slider",
        "hidden" => GENERIC,
        "search" if !suggests => "searchbox",
        // HTML-AAM gives dates, colours and passwords no role; a field to write in is what they are for a person.
        "color" | "date" | "datetime-local" | "month" | "time" | "week" | "password" => "textbox",
        _ if suggests => "combobox",
        _ => "textbox",
    }
}

fn table_role(view: View<'_>, ix: Ix) -> Option<Role> {
    let table =
        view.parents(ix).find(|p| view.is_tag(*p, "table") || view.attribute(*p, "role").is_some_and(is_table))?;
    Some(view.role(table))
}

fn is_table(role: &str) -> bool {
    matches!(role.trim(), "table" | "grid" | "treegrid")
}

fn cell(view: View<'_>, ix: Ix) -> Role {
    match table_role(view, ix) {
        Some("grid" | "treegrid") => "gridcell",
        Some("table") => "cell",
        _ => GENERIC,
    }
}

fn header_cell(view: View<'_>, ix: Ix) -> Role {
    match view.words(ix, "scope").map(str::to_ascii_lowercase).as_deref() {
        Some("col" | "colgroup") => return "columnheader",
        Some("row" | "rowgroup") => return "rowheader",
        _ => {}
    }
    let Some(row) = view.parent(ix) else { return GENERIC };
    let in_head = view.parent(row).is_some_and(|p| view.is_tag(p, "thead"));
    let is = |c: &Ix, tag: &str| view.is_tag(*c, tag);
    let siblings = || view.tree.children(row).filter(|c| is(c, "td") || is(c, "th"));
    let has_data = siblings().any(|c| is(&c, "td"));
    let is_first = siblings().next() == Some(ix);
    match (in_head, has_data) {
        (true, _) | (_, false) => "columnheader",
        _ if is_first => "rowheader",
        _ => "columnheader",
    }
}

/// Whether a landmark belongs to a part of the page only.
fn in_section(view: View<'_>, ix: Ix, main_counts: bool) -> bool {
    view.parents(ix).any(|p| {
        let role = view.attribute(p, "role").and_then(|r| r.split_ascii_whitespace().next());
        match role {
            Some(role) => SECTIONING_ROLES.contains(&role) && (main_counts || role != "main"),
            None => SECTIONING.contains(&view.tag(p)) && (main_counts || view.tag(p) != "main"),
        }
    })
}

/// Whether the author named it. Looks at no role, so that roles and names do not wait for each other.
fn is_named(view: View<'_>, ix: Ix) -> bool {
    view.words(ix, "aria-label").is_some()
        || view.words(ix, "title").is_some()
        || view.referenced(ix, "aria-labelledby").into_iter().any(|by| {
            view.words(by, "aria-label").is_some()
                || view.words(by, "alt").is_some()
                || view.words(by, "title").is_some()
                || view.tree.subtree(by).any(|n| super::names::data(view, n).is_some_and(|t| !t.trim().is_empty()))
        })
}

/// Parts of a list or table that was declared to be none.
fn inherits_none(view: View<'_>, ix: Ix) -> bool {
    let owners: &[&str] = match view.tag(ix) {
        "li" => &["ol", "ul", "menu"],
        "tr" | "td" | "th" | "tbody" | "thead" | "tfoot" | "caption" => &["table"],
        "dt" | "dd" => &["dl"],
        _ => return false,
    };
    let owner = match view.tag(ix) {
        "li" | "dt" | "dd" => view.parent(ix).filter(|p| owners.contains(&view.tag(*p))),
        _ => view.parents(ix).find(|p| owners.contains(&view.tag(*p))),
    };
    owner.is_some_and(|owner| view.role(owner) == NONE)
}

/// Whether the keyboard can reach it or a program focus it.
pub(super) fn is_focusable(view: View<'_>, ix: Ix) -> bool {
    let Some(element) = view.tree.element(ix) else { return false };
    if element.ns == ns::HTML {
        match element.tag.as_str() {
            "button" | "select" | "textarea" if !is_disabled(view, ix) => return true,
            "input" if !is_disabled(view, ix) && input_type(view, ix) != "hidden" => return true,
            "a" | "area" if element.attribute("href").is_some() => return true,
            "iframe" => return true,
            "summary" => return view.parent(ix).is_some_and(|p| view.is_tag(p, "details")),
            _ => {}
        }
    }
    let tabindex = element.attribute("tabindex").is_some_and(|t| t.trim().parse::<i32>().is_ok());
    tabindex || is_editable(view, ix)
}

/// Whether it is the root of editable content.
pub(super) fn is_editable(view: View<'_>, ix: Ix) -> bool {
    view.attribute(ix, "contenteditable").is_some_and(|v| !v.trim().eq_ignore_ascii_case("false"))
}

/// Disabled by HTML: itself, its fieldset (outside the first legend), its group of options.
pub(super) fn is_disabled(view: View<'_>, ix: Ix) -> bool {
    let Some(element) = view.tree.element(ix) else { return false };
    if element.ns != ns::HTML
        || !["button", "input", "select", "textarea", "option", "optgroup", "fieldset"].contains(&element.tag.as_str())
    {
        return false;
    }
    if element.attribute("disabled").is_some() {
        return true;
    }
    if element.tag == "option" {
        return view.parent(ix).is_some_and(|p| view.is_tag(p, "optgroup") && view.attribute(p, "disabled").is_some());
    }
    let mut below = ix;
    for parent in view.parents(ix) {
        if view.is_tag(parent, "fieldset") && view.attribute(parent, "disabled").is_some() {
            let legend = view.tree.children(parent).find(|c| view.is_tag(*c, "legend"));
            if legend != Some(below) {
                return true;
            }
        }
        below = parent;
    }
    false
}
