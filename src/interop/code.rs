//! Texts within other languages. Whatever a page called its buttons must stay a text there.

/// A string literal of JavaScript or TypeScript, in single quotes.
pub(super) fn js_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Line separators end a line of JavaScript before ES2019; controls and directions hide code from readers.
            c if is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A string literal of Python, in double quotes.
pub(super) fn python_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                let code = u32::from(c);
                out.push_str(&if code <= 0xffff { format!("\\u{code:04x}") } else { format!("\\U{code:08x}") });
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A regular expression of JavaScript, between slashes, for an address in which `*` stands for any run of characters.
pub(super) fn url_pattern(glob: &str) -> String {
    let mut out = String::from("^");
    for c in glob.chars() {
        match c {
            '*' => out.push_str(".*"),
            c if c.is_ascii_alphanumeric() || c == '_' || c == '-' || !c.is_ascii() => out.push(c),
            c => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out.push('$');
    out
}

/// Text for a comment of one line.
pub(super) fn comment(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) || c == '\n' || c == '\r' || c == '\t' { ' ' } else { c }).collect()
}

/// A string of XPath 1, which has no escapes.
pub(super) fn xpath_string(text: &str) -> String {
    if !text.contains('"') {
        return format!("\"{text}\"");
    }
    if !text.contains('\'') {
        return format!("'{text}'");
    }
    let parts: Vec<String> = text.split('"').map(|part| format!("\"{part}\"")).collect();
    format!("concat({})", parts.join(", '\"', "))
}

/// A string of CSS, in double quotes.
pub(super) fn css_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push_str(&format!("\\{:x} ", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// An identifier of CSS.
pub(super) fn css_identifier(text: &str) -> String {
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        let plain = c == '_' || c == '-' || !c.is_ascii() || c.is_ascii_alphabetic() || (c.is_ascii_digit() && at > 0);
        if plain {
            out.push(c);
        } else if c.is_ascii_digit() || c.is_control() {
            out.push_str(&format!("\\{:x} ", u32::from(c)));
        } else {
            out.push('\\');
            out.push(c);
        }
    }
    out
}

/// Characters that a reader of code does not see, or that turn its direction.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_texts() {
        let nasty = "a'b\"c\\d\ne\u{2028}f\u{202e}${x}`\0";
        assert_eq!(js_string(nasty), "'a\\'b\"c\\\\d\\ne\\u{2028}f\\u{202e}${x}`\\u{0}'");
        assert_eq!(python_string(nasty), "\"a'b\\\"c\\\\d\\ne\\u2028f\\u202e${x}`\\u0000\"");
        assert_eq!(comment("a\n*/ b\u{2028}c"), "a */ b c");
        assert_eq!(xpath_string("a\"b'c"), "concat(\"a\", '\"', \"b'c\")");
        assert_eq!(css_string("a\"\\\n"), "\"a\\\"\\\\\\a \"");
        assert_eq!(css_identifier("1a.b c"), "\\31 a\\.b\\ c");
        assert_eq!(url_pattern("http://x/a?b=*"), "^http\\:\\/\\/x\\/a\\?b\\=.*$");
    }
}
