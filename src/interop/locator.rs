//! Our locators, taken apart, so that they can be told in other tools' words; and what they become there.

use serde_json::Value;

use super::code;
use crate::trace::{Locator, LocatorKind, Step, Target};

/// Attributes that a page's authors give to its tests, as the mirror looks for them.
pub(super) const TEST_IDS: [&str; 6] =
    ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-automation-id"];

/// A locator of one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Loc {
    /// A test id.
    TestId(String),
    /// A role, and a name.
    Role(String, Option<String>),
    /// A field's label.
    Label(String),
    /// A placeholder.
    Placeholder(String),
    /// A whole text.
    Text(String),
    /// A CSS selector.
    Css(String),
    /// A path from the root.
    Path(Vec<Part>),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A tag and its number among siblings of that tag, from 1.
    Child(String, u32),
    /// Into the shadow root.
    Shadow,
}

impl Loc {
    /// Reads a locator; `None` for kinds that other tools have no word for.
    pub(super) fn parse(text: &str) -> Option<Loc> {
        let text = text.trim();
        let (kind, rest) = text.split_once('=')?;
        Some(match kind {
            "testid" => Loc::TestId(plain(rest)?),
            "role" => {
                let (role, name) = match rest.split_once('[') {
                    None => (rest, None),
                    Some((role, name)) => {
                        let name = name.strip_suffix(']')?.strip_prefix("name=")?;
                        (role, Some(plain(name)?))
                    }
                };
                if role.is_empty() || !role.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                    return None;
                }
                Loc::Role(role.to_owned(), name)
            }
            "label" => Loc::Label(plain(rest)?),
            "placeholder" => Loc::Placeholder(plain(rest)?),
            "text" => Loc::Text(plain(rest)?),
            "css" => Loc::Css(rest.to_owned()),
            "path" => Loc::Path(path(rest)?),
            _ => return None,
        })
    }

    /// The locator in our grammar.
    pub(super) fn value(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        match self {
            Loc::TestId(id) => {
                let bare = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
                format!("testid={}", if bare { id.clone() } else { quoted(id) })
            }
            Loc::Role(role, None) => format!("role={role}"),
            Loc::Role(role, Some(name)) => format!("role={role}[name={}]", quoted(name)),
            Loc::Label(text) => format!("label={}", quoted(text)),
            Loc::Placeholder(text) => format!("placeholder={}", quoted(text)),
            Loc::Text(text) => format!("text={}", quoted(text)),
            Loc::Css(selector) => format!("css={selector}"),
            Loc::Path(parts) => parts.iter().fold("path=".to_owned(), |mut text, part| {
                match part {
                    Part::Child(tag, number) => text.push_str(&format!("/{tag}[{number}]")),
                    Part::Shadow => text.push_str("/#shadow"),
                }
                text
            }),
        }
    }

    /// As a candidate of a target that was read from elsewhere, where nobody counted what it matched.
    pub(super) fn candidate(&self) -> Locator {
        let kind = match self {
            Loc::TestId(_) => LocatorKind::TestId,
            Loc::Role(..) => LocatorKind::Role,
            Loc::Label(_) => LocatorKind::Label,
            Loc::Placeholder(_) => LocatorKind::Placeholder,
            Loc::Text(_) => LocatorKind::Text,
            Loc::Css(selector) if selector.starts_with('#') || selector.contains('[') => LocatorKind::Attribute,
            Loc::Css(_) => LocatorKind::Css,
            Loc::Path(_) => LocatorKind::Path,
        };
        Locator { kind, value: self.value(), matches: 1, volatile: Vec::new() }
    }

    /// As CSS, where CSS can say it. `None` for names and texts, and for paths into shadow roots.
    pub(super) fn css(&self) -> Option<String> {
        match self {
            Loc::TestId(id) => {
                let one = |name: &&str| format!("[{name}={}]", code::css_string(id));
                Some(TEST_IDS.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            Loc::Placeholder(text) => Some(format!("[placeholder={}]", code::css_string(text))),
            Loc::Css(selector) => Some(selector.clone()),
            Loc::Path(parts) => match &css_chain(parts)[..] {
                [one] => Some(one.clone()),
                _ => None,
            },
            Loc::Role(..) | Loc::Label(_) | Loc::Text(_) => None,
        }
    }

    /// As XPath, where XPath can say it.
    pub(super) fn xpath(&self) -> Option<String> {
        match self {
            Loc::Path(parts) => {
                let mut text = String::new();
                for part in parts {
                    let Part::Child(tag, number) = part else { return None };
                    // HTML elements have names without a namespace in a browser's XPath; others do not.
                    if tag.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
                        && !text.contains("\"svg\"")
                        && tag != "svg"
                    {
                        text.push_str(&format!("/{tag}[{number}]"));
                    } else {
                        text.push_str(&format!("/*[name()={}][{number}]", code::xpath_string(tag)));
                    }
                }
                Some(text)
            }
            Loc::Text(text) => {
                let own = format!("normalize-space(.)={}", code::xpath_string(text));
                Some(format!("//*[{own} and not(.//*[{own}])]"))
            }
            Loc::TestId(id) => {
                let one = |name: &&str| format!("@{name}={}", code::xpath_string(id));
                Some(format!("//*[{}]", TEST_IDS.iter().map(one).collect::<Vec<_>>().join(" or ")))
            }
            Loc::Placeholder(text) => Some(format!("//*[normalize-space(@placeholder)={}]", code::xpath_string(text))),
            Loc::Label(text) => {
                let text = code::xpath_string(text);
                Some(format!(
                    "//*[@id=//label[normalize-space(.)={text}]/@for or ancestor::label[normalize-space(.)={text}] \
                     or @aria-label={text}][self::input or self::select or self::textarea]"
                ))
            }
            Loc::Role(role, Some(name)) => {
                let name = code::xpath_string(name);
                let own = format!("normalize-space(.)={name} or @aria-label={name} or @title={name}");
                match role.as_str() {
                    "button" => Some(format!(
                        "//button[{own}]|//*[@role=\"button\"][{own}]|//input[(@type=\"submit\" or @type=\"button\" \
                         or @type=\"reset\") and @value={name}]"
                    )),
                    "link" => Some(format!("//a[{own}]|//*[@role=\"link\"][{own}]")),
                    "heading" => Some(format!(
                        "//*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6][{own}]"
                    )),
                    _ => None,
                }
            }
            Loc::Role(_, None) | Loc::Css(_) => None,
        }
    }
}

/// A path as one CSS selector for each shadow root on the way, the document's first.
pub(super) fn css_chain(parts: &[Part]) -> Vec<String> {
    let mut chain = vec![String::new()];
    for part in parts {
        match part {
            Part::Shadow => chain.push(String::new()),
            Part::Child(tag, number) => {
                let inside = chain.len() > 1;
                let Some(last) = chain.last_mut() else { continue };
                if last.is_empty() {
                    if inside {
                        last.push_str(":host > ");
                    }
                } else {
                    last.push_str(" > ");
                }
                last.push_str(&code::css_identifier(tag));
                // There is one root, one head and one body.
                if !matches!(tag.as_str(), "html" | "body" | "head") {
                    last.push_str(&format!(":nth-of-type({number})"));
                }
            }
        }
    }
    chain
}

fn plain(text: &str) -> Option<String> {
    let text = text.trim();
    if text.starts_with('"') {
        return serde_json::from_str(text).ok();
    }
    if text.len() > 1 && text.starts_with('\'') && text.ends_with('\'') {
        return Some(text[1..text.len() - 1].to_owned());
    }
    Some(text.to_owned())
}

fn path(text: &str) -> Option<Vec<Part>> {
    let part = |part: &str| {
        if part == "#shadow" {
            return Some(Part::Shadow);
        }
        let (tag, number) = match part.split_once('[') {
            Some((tag, number)) => (tag, number.strip_suffix(']')?.parse().ok().filter(|n| *n > 0)?),
            None => (part, 1),
        };
        (!tag.is_empty()).then(|| Part::Child(tag.to_owned(), number))
    };
    text.strip_prefix('/')?.split('/').map(part).collect()
}

/// Splits a target that names its frames, at ` >> ` outside quotes and brackets.
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
                if depth <= 0 && at >= start && target[at..].starts_with(">> ") && target[..at].ends_with(' ') =>
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

/// The candidates that other tools can be told, best first: those that matched one element, then the rest.
pub(super) fn readable(target: &Target) -> Vec<(Loc, &Locator)> {
    let mut all: Vec<(Loc, &Locator)> =
        target.locators.iter().filter_map(|locator| Some((Loc::parse(&locator.value)?, locator))).collect();
    all.sort_by_key(|(_, locator)| locator.matches != 1);
    all
}

/// The frame elements of a step or an assertion, taken apart; the error is the one that cannot be.
pub(super) fn frames(frame: &[String]) -> Result<Vec<Loc>, String> {
    frame.iter().map(|locator| Loc::parse(locator).ok_or_else(|| locator.clone())).collect()
}

/// Whether the element is inside a shadow root, as far as its path tells.
pub(super) fn in_shadow(target: &Target) -> bool {
    target.locators.iter().any(|l| l.kind == LocatorKind::Path && l.value.contains("/#shadow"))
        || target.dom_path.contains("#shadow")
}

/// The target of a step that was read from elsewhere: its candidates, and what they tell of role and name.
pub(super) fn target(candidates: &[Loc]) -> Option<Target> {
    if candidates.is_empty() {
        return None;
    }
    let mut target = Target::default();
    for candidate in candidates {
        match candidate {
            Loc::Role(role, name) if target.role.is_empty() => {
                target.role.clone_from(role);
                target.name = name.clone().unwrap_or_default();
            }
            Loc::Label(name) | Loc::Text(name) if target.name.is_empty() => target.name.clone_from(name),
            Loc::Path(parts) => {
                if let Some(Part::Child(tag, _)) = parts.last() {
                    target.tag.clone_from(tag);
                }
            }
            _ => {}
        }
        let locator = candidate.candidate();
        if !target.locators.iter().any(|known| known.value == locator.value) {
            target.locators.push(locator);
        }
    }
    Some(target)
}

/// Where in its element a step pointed, CSS px from the box's corner.
pub(super) fn offset(step: &Step) -> Option<(f64, f64)> {
    let target = step.target.as_ref()?;
    let (rect, pointer) = (target.rect?, target.pointer?);
    let (x, y) = (pointer.x - rect.x, pointer.y - rect.y);
    ((0.0..=rect.width).contains(&x) && (0.0..=rect.height).contains(&y)).then_some((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_comes_back() {
        for text in [
            "testid=save",
            r#"testid="a b""#,
            "role=list",
            r#"role=button[name="Save \"it\" [x]"]"#,
            r#"label="Name""#,
            r#"placeholder="Search …""#,
            r#"text="a >> b""#,
            "css=#a > b[name=\"x=y\"]",
            "path=/html[1]/body[1]/x-app[1]/#shadow/button[2]",
        ] {
            assert_eq!(Loc::parse(text).unwrap().value(), text);
        }
        for bad in
            ["", "x", "zz=1", "role=[name=\"x\"]", "role=button[nom=\"x\"]", "path=html", "label=\"x", "path=/a[0]"]
        {
            assert_eq!(Loc::parse(bad), None, "{bad}");
        }
        assert_eq!(split_frames(r#"css=#f >> text="a >> b""#), ["css=#f", r#"text="a >> b""#]);
    }

    #[test]
    fn what_css_and_xpath_can_say() {
        let of = |text: &str| Loc::parse(text).unwrap();
        assert_eq!(of("path=/html[1]/body[1]/div[2]").css().unwrap(), "html > body > div:nth-of-type(2)");
        assert_eq!(of("path=/html[1]/body[1]/div[2]").xpath().unwrap(), "/html[1]/body[1]/div[2]");
        assert_eq!(of("path=/html[1]/svg[1]/g[2]").xpath().unwrap(), r#"/html[1]/*[name()="svg"][1]/*[name()="g"][2]"#);
        assert_eq!(of("path=/html[1]/a-b[1]/#shadow/p[1]").css(), None);
        let Loc::Path(parts) = of("path=/html[1]/a-b[1]/#shadow/p[1]") else { panic!() };
        assert_eq!(css_chain(&parts), ["html > a-b:nth-of-type(1)", ":host > p:nth-of-type(1)"]);
        assert!(of(r#"role=button[name="It's \"x\""]"#).xpath().unwrap().contains("concat("));
        assert_eq!(of(r#"role=grid[name="x"]"#).xpath(), None);
    }
}
