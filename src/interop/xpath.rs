//! The XPath that other recorders write, as far as a locator of ours says the same.

use super::code;
use super::locator::{Loc, Part};

/// A locator for an XPath: plain paths, ids, and comparisons of attributes or the whole text. `None` for others.
pub(super) fn read(path: &str) -> Option<Loc> {
    let path = path.trim();
    let path = path.strip_prefix("(").and_then(|rest| rest.strip_suffix(")[1]")).unwrap_or(path);
    if let Some(rest) = path.strip_prefix("//") {
        if let Some(loc) = by_test(rest) {
            return Some(loc);
        }
        return relative(rest).map(Loc::Css);
    }
    let steps = path.strip_prefix('/')?;
    let parts: Option<Vec<Part>> = steps
        .split('/')
        .map(|step| {
            let (tag, number) = match step.split_once('[') {
                Some((tag, number)) => (tag, number.strip_suffix(']')?.parse().ok().filter(|n: &u32| *n > 0)?),
                None => (step, 1),
            };
            is_name(tag).then(|| Part::Child(tag.to_ascii_lowercase(), number))
        })
        .collect();
    parts.map(Loc::Path)
}

/// `tag[@name="value"]` and `tag[text()="…"]`.
fn by_test(rest: &str) -> Option<Loc> {
    let (tag, test) = rest.split_once('[')?;
    let test = test.strip_suffix(']')?;
    if !(tag == "*" || is_name(tag)) {
        return None;
    }
    let (left, right) = test.split_once('=')?;
    let value = string(right.trim())?;
    match left.trim() {
        "." | "text()" | "normalize-space(.)" | "normalize-space()" | "normalize-space(text())" => {
            Some(Loc::Text(value.split_whitespace().collect::<Vec<_>>().join(" ")))
        }
        name => {
            let name = name.strip_prefix('@').filter(|name| is_name(name))?;
            let tag = if tag == "*" { "" } else { tag };
            Some(Loc::Css(format!("{tag}[{name}={}]", code::css_string(value))))
        }
    }
}

/// `*[@id="x"]/div[2]/span` as a selector.
fn relative(rest: &str) -> Option<String> {
    let mut selector = String::new();
    for step in rest.split('/') {
        if step.is_empty() {
            return None;
        }
        let (tag, test) = match step.split_once('[') {
            Some((tag, test)) => (tag, Some(test.strip_suffix(']')?)),
            None => (step, None),
        };
        if !(tag == "*" || is_name(tag)) {
            return None;
        }
        if !selector.is_empty() {
            selector.push_str(" > ");
        }
        if tag != "*" || test.is_none() {
            selector.push_str(tag);
        }
        match test {
            None => {}
            Some(number) if number.bytes().all(|b| b.is_ascii_digit()) && tag != "*" => {
                selector.push_str(&format!(":nth-of-type({number})"));
            }
            Some(test) => {
                let (name, value) = test.split_once('=')?;
                let name = name.trim().strip_prefix('@').filter(|name| is_name(name))?;
                selector.push_str(&format!("[{name}={}]", code::css_string(string(value.trim())?)));
            }
        }
    }
    Some(selector)
}

fn string(text: &str) -> Option<&str> {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.contains(quote));
    inner('"').or_else(|| inner('\''))
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_paths() {
        let said = |path: &str| read(path).map(|loc| loc.value());
        for (path, wanted) in [
            ("/html/body/div[2]", "path=/html[1]/body[1]/div[2]"),
            ("//*[@id=\"save\"]", "css=[id=\"save\"]"),
            ("//*[@id='a']/div[2]/span", "css=[id=\"a\"] > div:nth-of-type(2) > span"),
            ("//button[text()='Save']", "text=\"Save\""),
            ("//button[normalize-space(.)='Save  it']", "text=\"Save it\""),
        ] {
            assert_eq!(said(path).as_deref(), Some(wanted), "{path}");
        }
        for path in ["", "//", "//*[contains(., 'x')]", "/html//div", "//a[@x=concat('a','b')]"] {
            assert_eq!(said(path), None, "{path}");
        }
    }
}
