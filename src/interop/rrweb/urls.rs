//! Addresses of what a page shows (pictures, style sheets, fonts), made absolute: a replayer stands elsewhere.
//! Links and forms stay as they are, since nothing is loaded by them.

/// Whether the element loads what that attribute names, to show it.
pub(super) fn loads(tag: &str, name: &str) -> bool {
    matches!(
        (tag, name),
        ("img" | "source" | "video" | "audio" | "track" | "embed" | "input", "src")
            | ("img" | "source", "srcset")
            | ("link" | "image", "href")
            | ("image", "xlink:href")
            | ("video", "poster")
            | ("object", "data")
            | ("body" | "table" | "td", "background")
    )
}

/// An attribute's value with absolute addresses.
pub(super) fn attribute(tag: &str, name: &str, value: &str, base: &str) -> String {
    if name == "style" {
        return css(value, base);
    }
    if !loads(tag, name) || value.trim().is_empty() {
        return value.to_owned();
    }
    if name != "srcset" {
        return join(base, value);
    }
    if value.contains("data:") {
        return value.to_owned();
    }
    let candidate = |part: &str| {
        let part = part.trim();
        let (url, size) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
        format!("{} {size}", join(base, url)).trim_end().to_owned()
    };
    value.split(',').map(candidate).collect::<Vec<_>>().join(", ")
}

/// CSS with absolute addresses in `url(…)`.
pub(super) fn css(text: &str, base: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("url(") {
        let (before, after) = rest.split_at(at + 4);
        out.push_str(before);
        let inner = after.trim_start();
        let space = after.len() - inner.len();
        let (start, end) = match inner.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let from = space + 1;
                (from, after[from..].find(quote).map(|to| from + to))
            }
            _ => (space, after.find(')')),
        };
        let Some(end) = end else {
            out.push_str(after);
            return out;
        };
        let url = &after[start..end];
        out.push_str(&after[..start]);
        // An escape would have to be read first; such addresses are rare.
        out.push_str(&if url.contains('\\') { url.to_owned() } else { join(base, url) });
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

/// An address as seen from another. What is no address is left as it is.
pub(super) fn join(base: &str, url: &str) -> String {
    let link = url.trim();
    let scheme_end = |text: &str| {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))?;
        (end > 0 && text[end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(end)
    };
    if link.is_empty() || link.starts_with('#') || scheme_end(link).is_some() {
        return url.to_owned();
    }
    let Some(scheme) = scheme_end(base).filter(|end| base[*end..].starts_with("://")) else { return url.to_owned() };
    if link.starts_with("//") {
        return format!("{}:{link}", &base[..scheme]);
    }
    let host = scheme + 3;
    let path = base[host..].find(['/', '?', '#']).map_or(base.len(), |at| host + at);
    let (origin, rest) = base.split_at(path);
    let rest = rest.split('#').next().unwrap_or_default();
    let directory = rest.split('?').next().unwrap_or_default();
    if link.starts_with('?') {
        return format!("{origin}{}{link}", if directory.is_empty() { "/" } else { directory });
    }
    let (link, tail) = link.find(['?', '#']).map_or((link, ""), |at| link.split_at(at));
    let whole = if link.starts_with('/') {
        link.to_owned()
    } else {
        format!("{}/{link}", directory.rsplit_once('/').map_or("", |(folder, _)| folder))
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/').skip(1) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    if whole.ends_with("/.") || whole.ends_with("/..") {
        parts.push("");
    }
    format!("{origin}/{}{tail}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_as_browsers_do() {
        let base = "http://h:8080/a/b/c?q=1#f";
        for (url, wanted) in [
            ("d.png", "http://h:8080/a/b/d.png"),
            ("../d.png?x#y", "http://h:8080/a/d.png?x#y"),
            ("/d", "http://h:8080/d"),
            ("./", "http://h:8080/a/b/"),
            ("..", "http://h:8080/a/"),
            ("?z", "http://h:8080/a/b/c?z"),
            ("//o/p", "http://o/p"),
            ("#top", "#top"),
            ("data:image/png;base64,x", "data:image/png;base64,x"),
            ("https://o/", "https://o/"),
        ] {
            assert_eq!(join(base, url), wanted);
        }
        assert_eq!(join("about:blank", "x.png"), "x.png");
        assert_eq!(join("http://h", "x.png"), "http://h/x.png");
    }

    #[test]
    fn rewrites_what_is_loaded_and_nothing_else() {
        assert_eq!(
            css("a{b:url(x.png) url( 'y') url(\"", "http://h/"),
            "a{b:url(http://h/x.png) url( 'http://h/y') url(\""
        );
        assert_eq!(attribute("a", "href", "x", "http://h/"), "x");
        assert_eq!(attribute("img", "srcset", "a 1x, b 2x", "http://h/"), "http://h/a 1x, http://h/b 2x");
    }
}
