//! Playwright's selectors: those its recorder and its traces write, from and to our locators.

use serde_json::Value;

use super::code;
use super::locator::{Loc, Part, css_chain};

/// What ends the selector of a frame element.
const ENTER: &str = "internal:control=enter-frame";

/// A locator as a selector. `test_id` is the attribute that holds test ids, if only one does.
pub(super) fn write(loc: &Loc, test_id: Option<&str>) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    match loc {
        Loc::TestId(id) => match test_id {
            Some(name) => format!("internal:testid=[{name}={}s]", quoted(id)),
            None => loc.css().unwrap_or_default(),
        },
        Loc::Role(role, None) => format!("internal:role={role}"),
        Loc::Role(role, Some(name)) => format!("internal:role={role}[name={}s]", quoted(name)),
        Loc::Label(text) => format!("internal:label={}s", quoted(text)),
        Loc::Placeholder(text) => format!("internal:attr=[placeholder={}s]", quoted(text)),
        Loc::Text(text) => format!("internal:text={}s", quoted(text)),
        Loc::Css(selector) => css(selector),
        Loc::Path(parts) if parts.contains(&Part::Shadow) => path(parts),
        Loc::Path(_) => format!("xpath={}", loc.xpath().unwrap_or_default()),
    }
}

/// CSS, with its engine's name where it might be taken for another's.
fn css(selector: &str) -> String {
    let plain = selector.starts_with(|c: char| c.is_ascii_alphanumeric() || "#.[:*".contains(c))
        && !selector
            .split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
        && !selector.contains(">>");
    if plain { selector.to_owned() } else { format!("css={selector}") }
}

/// A path into shadow roots as CSS, whose child combinator crosses them there.
pub(super) fn path(parts: &[Part]) -> String {
    let chain: Vec<String> =
        css_chain(parts).into_iter().map(|part| part.strip_prefix(":host > ").unwrap_or(&part).to_owned()).collect();
    format!("css={}", chain.join(" > "))
}

/// A target with its frames.
pub(super) fn framed(frames: &[Loc], loc: &Loc, test_id: Option<&str>) -> String {
    let mut text = String::new();
    for frame in frames {
        text.push_str(&format!("{} >> {ENTER} >> ", write(frame, test_id)));
    }
    text + &write(loc, test_id)
}

/// A selector read: the frames that lead to the target, the target, and what of the selector no locator says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) frames: Vec<String>,
    pub(super) target: Option<Loc>,
    pub(super) lost: Vec<String>,
}

/// Reads a selector.
pub(super) fn read(text: &str) -> Read {
    let mut out = Read::default();
    let mut chain: Vec<&str> = Vec::new();
    for part in split(text) {
        if part == ENTER {
            match one(&std::mem::take(&mut chain), &mut out.lost) {
                Some(loc) => out.frames.push(loc.value()),
                None => out.lost.push(format!("a frame in {}", short(text))),
            }
        } else if !part.is_empty() {
            chain.push(part);
        }
    }
    out.target = one(&chain, &mut out.lost);
    out
}

/// One frame's chain of selectors, each within what the one before found. CSS joins into one selector; of others
/// the last counts, and what narrowed it is told.
fn one(chain: &[&str], lost: &mut Vec<String>) -> Option<Loc> {
    let mut found: Option<Loc> = None;
    for part in chain {
        let (engine, body) = engine(part);
        if matches!(engine, "nth" | "visible" | "internal:describe") {
            // The first of a single match is that match.
            if !(engine == "internal:describe" || (engine, body) == ("visible", "true")) {
                lost.push((*part).to_owned());
            }
            continue;
        }
        match (read_one(engine, body), found.take()) {
            (Some(Loc::Css(inner)), Some(Loc::Css(outer))) => found = Some(Loc::Css(format!("{outer} {inner}"))),
            (Some(loc), Some(outer)) => {
                lost.push(format!("within {}", outer.value()));
                found = Some(loc);
            }
            (Some(loc), None) => found = Some(loc),
            (None, before) => {
                lost.push((*part).to_owned());
                found = before;
            }
        }
    }
    found
}

/// The engine's name and its body.
fn engine(part: &str) -> (&str, &str) {
    if part.starts_with("//") || part.starts_with("..") || part.starts_with("(//") {
        return ("xpath", part);
    }
    if part.len() > 1
        && (part.starts_with('"') && part.ends_with('"') || part.starts_with('\'') && part.ends_with('\''))
    {
        return ("text", part);
    }
    match part.split_once('=') {
        Some((name, body))
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c)) =>
        {
            (name.trim(), body)
        }
        _ => ("css", part),
    }
}

fn read_one(engine: &str, body: &str) -> Option<Loc> {
    let attribute = |body: &str| {
        let (name, value) = body.strip_prefix('[')?.strip_suffix(']')?.split_once('=')?;
        Some((name.trim().to_owned(), literal(value)?))
    };
    match engine {
        "css" | "css:light" => (!body.trim().is_empty()).then(|| Loc::Css(body.trim().to_owned())),
        "xpath" => super::xpath::read(body),
        "text" | "internal:text" => Some(Loc::Text(fold(&literal(body).unwrap_or_else(|| body.trim().to_owned())))),
        "internal:label" => literal(body).map(|text| Loc::Label(fold(&text))),
        "internal:testid" => attribute(body).map(|(_, id)| Loc::TestId(id)),
        "internal:attr" => {
            let (name, value) = attribute(body)?;
            Some(if name == "placeholder" {
                Loc::Placeholder(fold(&value))
            } else {
                Loc::Css(format!("[{}={}]", code::css_identifier(&name), code::css_string(&value)))
            })
        }
        "data-testid" | "data-test-id" | "data-test" => {
            Some(Loc::TestId(literal(body).unwrap_or_else(|| body.to_owned())))
        }
        "id" => Some(Loc::Css(format!("#{}", code::css_identifier(body)))),
        "role" | "internal:role" => {
            let (role, rest) = body.split_once('[').unwrap_or((body, ""));
            let role = role.trim().to_ascii_lowercase();
            if role.is_empty() {
                return None;
            }
            // `[name="x"i][checked]`: the name counts, states are of the moment.
            let name = rest.find("name=").and_then(|at| literal(string_end(&rest[at + 5..])));
            Some(Loc::Role(role, name.map(|name| fold(&name))))
        }
        _ => None,
    }
}

/// The beginning of a text up to the end of the string it begins with, with its flag.
fn string_end(text: &str) -> &str {
    let Some(quote) = text.chars().next().filter(|c| *c == '"' || *c == '\'') else {
        return text.split(']').next().unwrap_or(text);
    };
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return &text[..=at],
            _ => {}
        }
    }
    text
}

/// A string literal with its flag (`"x"i`, `"x"s`); `None` for regular expressions and what is no string.
fn literal(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_suffix(['i', 's']).filter(|rest| rest.ends_with(['"', '\''])).unwrap_or(text);
    let quote = text.chars().next().filter(|c| (*c == '"' || *c == '\'') && text.len() > 1 && text.ends_with(*c))?;
    if quote == '"' {
        return serde_json::from_str(text).ok();
    }
    let mut out = String::new();
    let mut escaped = false;
    for c in text[1..text.len() - 1].chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            escaped = false;
            out.push(c);
        }
    }
    Some(out)
}

/// Splits at `>>` outside strings.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote, mut escaped) = (0, None, false);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let c = bytes[at];
        match (quote, c) {
            _ if escaped => escaped = false,
            (_, b'\\') => escaped = true,
            (Some(q), c) if c == q => quote = None,
            (None, b'"' | b'\'') => quote = Some(c),
            (None, b'>') if bytes.get(at + 1) == Some(&b'>') => {
                parts.push(text[start..at].trim());
                at += 1;
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(text[start..].trim());
    parts
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn short(text: &str) -> String {
    text.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_of_the_recorder() {
        for (selector, frames, target, lost) in [
            (r#"internal:role=button[name="Save"i]"#, vec![], Some(r#"role=button[name="Save"]"#), 0),
            (
                r#"internal:role=checkbox[checked=true][name="a ] \"b\""s]"#,
                vec![],
                Some(r#"role=checkbox[name="a ] \"b\""]"#),
                0,
            ),
            (r#"internal:label="Name"s"#, vec![], Some(r#"label="Name""#), 0),
            (r#"internal:attr=[placeholder="Find  it"i]"#, vec![], Some(r#"placeholder="Find it""#), 0),
            (r#"internal:attr=[title="T"i]"#, vec![], Some(r#"css=[title="T"]"#), 0),
            (r#"internal:testid=[data-testid="go"s]"#, vec![], Some("testid=go"), 0),
            (r#"#a >> b.c"#, vec![], Some("css=#a b.c"), 0),
            (
                r#"iframe[name="a>>b"] >> internal:control=enter-frame >> internal:text="Pay"i"#,
                vec![r#"css=iframe[name="a>>b"]"#],
                Some(r#"text="Pay""#),
                0,
            ),
            (r#"internal:role=list >> internal:role=listitem >> nth=2"#, vec![], Some("role=listitem"), 2),
            (r#"internal:text=/a.b/i"#, vec![], Some(r#"text="/a.b/i""#), 0),
            ("xpath=/html/body/a[2]", vec![], Some("path=/html[1]/body[1]/a[2]"), 0),
            ("internal:has-text=\"x\"i", vec![], None, 1),
            ("", vec![], None, 0),
        ] {
            let read = read(selector);
            assert_eq!(read.frames, frames, "{selector}");
            assert_eq!(read.target.map(|t| t.value()).as_deref(), target, "{selector}");
            assert_eq!(read.lost.len(), lost, "{selector}: {:?}", read.lost);
        }
    }

    #[test]
    fn ours_come_back() {
        for text in [
            "testid=save",
            "role=list",
            r#"role=button[name="Save \"it\" >> [x]"]"#,
            r#"label="Name""#,
            r#"placeholder="Search …""#,
            r#"text="a >> b""#,
            "css=#a > b[name=\"x=y\"]",
            "css=a[href=\"x\"]",
            "path=/html[1]/body[1]/button[2]",
        ] {
            let loc = Loc::parse(text).unwrap();
            let frames = vec![Loc::parse("css=#f").unwrap(), Loc::parse(r#"role=iframe[name="f"]"#).unwrap()];
            let back = read(&framed(&frames, &loc, Some("data-testid")));
            assert_eq!(back.target.unwrap().value(), text);
            assert_eq!((back.frames.len(), back.lost.len()), (2, 0));
        }
    }
}
