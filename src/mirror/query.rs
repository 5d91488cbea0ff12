//! The locator grammar and what it matches. Recording counts with the same code that acting resolves with.

use std::collections::{HashMap, HashSet};

use super::css;
use super::facts::{View, fold};
use super::names;
use super::roles;
use super::tree::{Ix, Kind, ROOT};

/// Attributes that a page's authors give to its tests.
pub(super) const TEST_IDS: [&str; 6] =
    ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-automation-id"];

/// A locator, read.
#[derive(Clone, Debug)]
pub(super) enum Query {
    TestId(String),
    Role { role: String, name: Option<String> },
    Label(String),
    Placeholder(String),
    Text(String),
    Relative(Relative),
    Css(css::Selector),
    Path(Vec<Part>),
}

/// An element by its role, and by its name if it has one, at a named neighbour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relative {
    pub role: String,
    pub name: Option<String>,
    pub neighbour: Neighbour,
}

/// What stands by an element and is told from its like by a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Neighbour {
    /// Somewhere around it: an element of that role and name.
    Named { role: String, name: String },
    /// The nearest element of that role around it, which holds an element of exactly that text beside it.
    Holding { role: String, text: String },
    /// The last heading before it.
    Under { heading: String },
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A tag and its number among siblings of that tag, from 1.
    Child(String, u32),
    /// Into the shadow root.
    Shadow,
}

/// Splits a target at ` >> ` outside quotes and brackets.
pub(super) fn split_frames(target: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let (mut quote, mut depth, mut escaped) = (None, 0_i32, false);
    for (at, c) in target.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth -= 1,
            (None, '>')
                if depth <= 0 && target[at..].starts_with(">> ") && target[..at].ends_with(' ') && at >= start =>
            {
                parts.push(target[start..at].trim());
                start = at + 3;
            }
            _ => {}
        }
    }
    parts.push(target[start..].trim());
    parts
}

/// Reads one locator; the error says what is wrong.
pub(super) fn parse(text: &str) -> Result<Query, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the target is empty; name a ref of the snapshot, a locator or a CSS selector".to_owned());
    }
    let prefix = text.split_once('=').filter(|(kind, _)| kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    match prefix {
        Some(("testid" | "data-testid", id)) => Ok(Query::TestId(plain(id)?)),
        Some(("role", rest)) => role(rest),
        Some(("label", text)) => Ok(Query::Label(fold(&plain(text)?))),
        Some(("placeholder", text)) => Ok(Query::Placeholder(fold(&plain(text)?))),
        Some(("text", text)) => Ok(Query::Text(fold(&plain(text)?))),
        Some(("relative", text)) => relative(text).map(Query::Relative),
        Some(("css", selector)) => css::parse(selector).map(Query::Css),
        Some(("id", id)) => css::parse(&format!("#{}", css::identifier(id))).map(Query::Css),
        Some(("path", path)) => parse_path(path),
        Some((kind, _)) => Err(format!(
            "{kind:?} is no kind of locator; there are testid, role, label, placeholder, text, relative, css and path"
        )),
        None => css::parse(text).map(Query::Css),
    }
}

/// A text with or without quotes.
fn plain(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.starts_with('"') && text.len() > 1 {
        return serde_json::from_str(text).map_err(|_| format!("{text} is no quoted text; escape it as in JSON"));
    }
    if text.len() > 1 && text.starts_with('\'') && text.ends_with('\'') {
        return Ok(text[1..text.len() - 1].to_owned());
    }
    Ok(text.to_owned())
}

fn role(text: &str) -> Result<Query, String> {
    let wrong = || format!("role={text} cannot be read; write role=button or role=button[name=\"Save\"]");
    let Some((role, rest)) = text.split_once('[') else {
        return Ok(Query::Role { role: text.trim().to_ascii_lowercase(), name: None });
    };
    let rest = rest.trim_end().strip_suffix(']').ok_or_else(wrong)?;
    let name = rest.trim().strip_prefix("name").ok_or_else(wrong)?.trim_start().strip_prefix('=').ok_or_else(wrong)?;
    Ok(Query::Role { role: role.trim().to_ascii_lowercase(), name: Some(fold(&plain(name)?)) })
}

/// `button[name="Edit"] in row[has="Ada"]`, `… in region[name="Cart"]`, `… under "Shipping"`.
fn relative(text: &str) -> Result<Relative, String> {
    let wrong = || {
        format!(
            "relative={text} cannot be read; write relative=button[name=\"Edit\"] in row[has=\"Ada\"], \
             in region[name=\"Cart\"] or under \"Shipping\""
        )
    };
    let (what, place) = split_outside(text, &[" in ", " under "]).ok_or_else(wrong)?;
    let Ok(Query::Role { role, name }) = role(what) else { return Err(wrong()) };
    let neighbour = match place {
        (" under ", heading) => Neighbour::Under { heading: fold(&plain(heading)?) },
        (_, around) => {
            let (role, rest) = around.trim().split_once('[').ok_or_else(wrong)?;
            let (key, text) = rest.strip_suffix(']').and_then(|rest| rest.split_once('=')).ok_or_else(wrong)?;
            let (role, text) = (role.trim().to_ascii_lowercase(), fold(&plain(text)?));
            match key.trim() {
                "name" => Neighbour::Named { role, name: text },
                "has" => Neighbour::Holding { role, text },
                _ => return Err(wrong()),
            }
        }
    };
    Ok(Relative { role, name, neighbour })
}

/// Splits at the first of some words that stands outside quotes.
fn split_outside<'a>(text: &'a str, words: &[&'static str]) -> Option<(&'a str, (&'static str, &'a str))> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ' ' if !quoted => {
                if let Some(word) = words.iter().find(|word| text[at..].starts_with(**word)) {
                    return Some((&text[..at], (word, &text[at + word.len()..])));
                }
            }
            _ => {}
        }
    }
    None
}

impl std::fmt::Display for Relative {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        write!(f, "relative={}", self.role)?;
        if let Some(name) = &self.name {
            write!(f, "[name={}]", quoted(name))?;
        }
        match &self.neighbour {
            Neighbour::Named { role, name } => write!(f, " in {role}[name={}]", quoted(name)),
            Neighbour::Holding { role, text } => write!(f, " in {role}[has={}]", quoted(text)),
            Neighbour::Under { heading } => write!(f, " under {}", quoted(heading)),
        }
    }
}

fn parse_path(text: &str) -> Result<Query, String> {
    let wrong = || format!("path={text} cannot be read; write path=/html[1]/body[1]/div[2]");
    let mut parts = Vec::new();
    for part in text.strip_prefix('/').ok_or_else(wrong)?.split('/') {
        if part == "#shadow" {
            parts.push(Part::Shadow);
            continue;
        }
        let (tag, number) = match part.split_once('[') {
            Some((tag, number)) => {
                (tag, number.strip_suffix(']').and_then(|n| n.parse().ok()).filter(|n| *n > 0).ok_or_else(wrong)?)
            }
            None => (part, 1),
        };
        if tag.is_empty() {
            return Err(wrong());
        }
        parts.push(Part::Child(tag.to_owned(), number));
    }
    Ok(Query::Path(parts))
}

/// The element's path.
pub(super) fn path_of(view: View<'_>, ix: Ix) -> String {
    let mut parts = Vec::new();
    let mut at = ix;
    while let Some(node) = view.tree.get(at) {
        match &node.kind {
            Kind::Element(element) => {
                let number = 1 + std::iter::successors(Some(node.previous), |p| view.tree.get(*p).map(|n| n.previous))
                    .take_while(|p| view.tree.get(*p).is_some())
                    .filter(|p| view.tree.element(*p).is_some_and(|e| e.tag == element.tag))
                    .count();
                parts.push(format!("{}[{number}]", element.tag));
            }
            Kind::Shadow { .. } => parts.push("#shadow".to_owned()),
            _ => {}
        }
        at = node.parent;
    }
    parts.reverse();
    format!("/{}", parts.join("/"))
}

/// Fields that labels speak of.
fn is_field(view: View<'_>, ix: Ix) -> bool {
    view.is_tag(ix, "input")
        || view.is_tag(ix, "select")
        || view.is_tag(ix, "textarea")
        || view.is_tag(ix, "meter")
        || view.is_tag(ix, "progress")
        || view.is_tag(ix, "output")
        || view.is_tag(ix, "button")
        || roles::is_editable(view, ix)
        || matches!(
            view.role(ix),
            "textbox"
                | "searchbox"
                | "combobox"
                | "listbox"
                | "checkbox"
                | "radio"
                | "switch"
                | "slider"
                | "spinbutton"
        )
}

impl Query {
    /// Elements that match, in tree order. What a person cannot perceive does not count for roles and texts.
    pub fn count(&self, view: View<'_>) -> Vec<Ix> {
        self.select(view, false)
    }

    /// As [`Query::count`]; but if only hidden elements match, these.
    pub fn find(&self, view: View<'_>) -> Vec<Ix> {
        let found = self.select(view, false);
        if found.is_empty() && matches!(self, Query::Role { .. } | Query::Text(_) | Query::Relative(_)) {
            return self.select(view, true);
        }
        found
    }

    fn select(&self, view: View<'_>, hidden: bool) -> Vec<Ix> {
        let all = &view.facts.order;
        let only = |test: &dyn Fn(Ix) -> bool| all.iter().copied().filter(|ix| test(*ix)).collect::<Vec<_>>();
        match self {
            Query::TestId(id) => only(&|ix| TEST_IDS.iter().any(|name| view.attribute(ix, name) == Some(id))),
            Query::Role { role, name } => by_role(view, role, name.as_deref(), hidden),
            Query::Relative(relative) => by_neighbour(view, relative, hidden),
            Query::Label(text) => {
                only(&|ix| is_field(view, ix) && names::label(view, ix).is_some_and(|label| label == *text))
            }
            Query::Placeholder(text) => {
                only(&|ix| view.attribute(ix, "placeholder").is_some_and(|own| fold(own) == *text))
            }
            Query::Text(text) => by_text(view, text, hidden),
            Query::Css(selector) => css::select(view, selector, all),
            Query::Path(parts) => follow(view, parts).into_iter().collect(),
        }
    }
}

fn by_role(view: View<'_>, role: &str, name: Option<&str>, hidden: bool) -> Vec<Ix> {
    let fits = |ix: &Ix| {
        view.role(*ix) == role && (hidden || view.accessible(*ix)) && name.is_none_or(|name| view.name(*ix) == name)
    };
    view.facts.order.iter().copied().filter(fits).collect()
}

fn by_neighbour(view: View<'_>, relative: &Relative, hidden: bool) -> Vec<Ix> {
    let mut found = by_role(view, &relative.role, relative.name.as_deref(), hidden);
    if found.is_empty() {
        return found;
    }
    let around = |ix: Ix, role: &str| view.flat_parents(ix).find(|at| view.role(*at) == role);
    match &relative.neighbour {
        Neighbour::Named { role, name } => {
            found.retain(|ix| view.flat_parents(*ix).any(|at| view.role(at) == role && view.name(at) == *name));
        }
        Neighbour::Holding { role, text } => {
            let texts = by_text(view, text, hidden);
            let holders = |text: Ix| std::iter::once(text).chain(view.flat_parents(text));
            let mut held: HashMap<Ix, Vec<Ix>> = HashMap::new();
            for text in texts {
                for row in view.flat_parents(text).filter(|at| view.role(*at) == role) {
                    held.entry(row).or_default().push(text);
                }
            }
            found.retain(|ix| {
                around(*ix, role).is_some_and(|row| {
                    // What the element itself says is no neighbour.
                    let beside = |text: &Ix| holders(*text).take_while(|at| *at != row).all(|at| at != *ix);
                    held.get(&row).is_some_and(|texts| texts.iter().any(beside))
                })
            });
        }
        Neighbour::Under { heading } => {
            let wanted: HashSet<Ix> = found.iter().copied().collect();
            let mut last = None;
            let mut under = Vec::new();
            for ix in &view.facts.order {
                if view.role(*ix) == "heading" && (hidden || view.accessible(*ix)) {
                    last = Some(*ix);
                } else if wanted.contains(ix) && last.is_some_and(|at| view.name(at) == *heading) {
                    under.push(*ix);
                }
            }
            found = under;
        }
    }
    found
}

fn follow(view: View<'_>, parts: &[Part]) -> Option<Ix> {
    let mut at = ROOT;
    for part in parts {
        at = match part {
            Part::Shadow => view.tree.element(at)?.shadow?,
            Part::Child(tag, number) => {
                let nth = usize::try_from(*number).ok()?.checked_sub(1)?;
                view.tree.children(at).filter(|c| view.tag(*c) == tag).nth(nth)?
            }
        };
    }
    view.tree.element(at).map(|_| at)
}

/// The innermost elements whose text is this. One pass from the leaves up; texts that grow too long are dropped.
fn by_text(view: View<'_>, wanted: &str, hidden: bool) -> Vec<Ix> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    // For every element being read: its text so far (`None`: longer than wanted), and whether one inside matched.
    let mut texts: Vec<(Option<Text>, bool)> = vec![(Some(Text::default()), false)];
    let mut open = vec![(ROOT, false)];
    let mut children = Vec::new();
    while let Some((ix, closing)) = open.pop() {
        if closing {
            let Some((text, inside)) = texts.pop() else { break };
            let same = text.as_ref().is_some_and(|t| t.folded == wanted);
            if same && !inside {
                found.push(ix);
            }
            if let Some((outer, matched)) = texts.last_mut() {
                *matched |= inside || same;
                let apart = view.is_block(ix);
                join(outer, text, apart, wanted.len());
            }
            continue;
        }
        if let Some(data) = names::data(view, ix) {
            if (hidden || view.visible(ix))
                && let Some((Some(text), _)) = texts.last_mut()
            {
                text.push(data);
                if text.folded.len() > wanted.len()
                    && let Some((text, _)) = texts.last_mut()
                {
                    *text = None;
                }
            }
            continue;
        }
        if view.tree.element(ix).is_some() {
            let silent = ["script", "style", "template", "noscript", "head"].contains(&view.tag(ix));
            if silent || (!hidden && !view.visible(ix) && view.tree.children(ix).next().is_none()) {
                continue;
            }
            texts.push((Some(Text::default()), false));
            open.push((ix, true));
            if let Some(own) = view.own_text(ix) {
                if (hidden || view.visible(ix))
                    && let Some((Some(text), _)) = texts.last_mut()
                {
                    text.push(&own);
                }
                continue;
            }
        }
        children.clear();
        view.flat_children(ix, &mut children);
        open.extend(children.iter().rev().map(|c| (*c, false)));
    }
    // Found from the leaves up; tree order is what everybody expects.
    let found: HashSet<Ix> = found.into_iter().collect();
    view.facts.order.iter().copied().filter(|ix| found.contains(ix)).collect()
}

/// A text with its white space folded as it grows.
#[derive(Default)]
struct Text {
    folded: String,
    leading: bool,
    pending: bool,
}

impl Text {
    fn push(&mut self, data: &str) {
        for c in data.chars() {
            if c.is_whitespace() || c == '\u{200b}' {
                self.space();
            } else {
                if self.pending {
                    self.folded.push(' ');
                    self.pending = false;
                }
                self.folded.push(c);
            }
        }
    }

    fn space(&mut self) {
        if self.folded.is_empty() {
            self.leading = true;
        } else {
            self.pending = true;
        }
    }
}

fn join(outer: &mut Option<Text>, inner: Option<Text>, apart: bool, limit: usize) {
    let (Some(text), Some(inner)) = (outer.as_mut(), inner.as_ref()) else {
        // What is too long inside is too long outside; but an element that shows nothing adds nothing.
        if inner.is_none() {
            *outer = None;
        }
        return;
    };
    if apart || inner.leading {
        text.space();
    }
    text.push(&inner.folded);
    if apart || inner.pending {
        text.space();
    }
    if text.folded.len() > limit {
        *outer = None;
    }
}
