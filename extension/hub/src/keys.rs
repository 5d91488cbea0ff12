//! Keys by their names, as `KeyboardEvent.key` has them.

use tracerule::trace::{FailureCode, Modifier};
use tracerule::wire::agent::{Failure, modifier};

/// A key of the usual keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// `KeyboardEvent.key`.
    pub name: String,
    /// `KeyboardEvent.code`; empty when no key of the usual keyboard makes it.
    pub code: String,
    /// `KeyboardEvent.keyCode`.
    pub virtual_code: u32,
    /// What it types.
    pub text: Option<String>,
}

/// Name, code, virtual key code, WebDriver's code point.
const NAMED: &[(&str, &str, u32, char)] = &[
    ("Backspace", "Backspace", 8, '\u{E003}'),
    ("Tab", "Tab", 9, '\u{E004}'),
    ("Enter", "Enter", 13, '\u{E007}'),
    ("Shift", "ShiftLeft", 16, '\u{E008}'),
    ("Control", "ControlLeft", 17, '\u{E009}'),
    ("Alt", "AltLeft", 18, '\u{E00A}'),
    ("Pause", "Pause", 19, '\u{E00B}'),
    ("Escape", "Escape", 27, '\u{E00C}'),
    ("PageUp", "PageUp", 33, '\u{E00E}'),
    ("PageDown", "PageDown", 34, '\u{E00F}'),
    ("End", "End", 35, '\u{E010}'),
    ("Home", "Home", 36, '\u{E011}'),
    ("ArrowLeft", "ArrowLeft", 37, '\u{E012}'),
    ("ArrowUp", "ArrowUp", 38, '\u{E013}'),
    ("ArrowRight", "ArrowRight", 39, '\u{E014}'),
    ("ArrowDown", "ArrowDown", 40, '\u{E015}'),
    ("Insert", "Insert", 45, '\u{E016}'),
    ("Delete", "Delete", 46, '\u{E017}'),
    ("Meta", "MetaLeft", 91, '\u{E03D}'),
    ("F1", "F1", 112, '\u{E031}'),
    ("F2", "F2", 113, '\u{E032}'),
    ("F3", "F3", 114, '\u{E033}'),
    ("F4", "F4", 115, '\u{E034}'),
    ("F5", "F5", 116, '\u{E035}'),
    ("F6", "F6", 117, '\u{E036}'),
    ("F7", "F7", 118, '\u{E037}'),
    ("F8", "F8", 119, '\u{E038}'),
    ("F9", "F9", 120, '\u{E039}'),
    ("F10", "F10", 121, '\u{E03A}'),
    ("F11", "F11", 122, '\u{E03B}'),
    ("F12", "F12", 123, '\u{E03C}'),
];

/// What a US keyboard types beside letters and digits: plain, shifted, code, virtual key code.
const SIGNS: &[(char, char, &str, u32)] = &[
    ('`', '~', "Backquote", 192),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
];

const SHIFTED_DIGITS: &str = ")!@#$%^&*(";

impl Key {
    fn named(name: &str) -> Option<Key> {
        let name = match name {
            "Esc" => "Escape",
            "Return" => "Enter",
            "Del" => "Delete",
            "Left" => "ArrowLeft",
            "Right" => "ArrowRight",
            "Up" => "ArrowUp",
            "Down" => "ArrowDown",
            "Space" => " ",
            other => other,
        };
        if let Some((name, code, virtual_code, _)) = NAMED.iter().find(|(known, ..)| *known == name) {
            let text = (*name == "Enter").then(|| "\r".to_owned());
            return Some(Key { name: (*name).into(), code: (*code).into(), virtual_code: *virtual_code, text });
        }
        let mut characters = name.chars();
        match (characters.next(), characters.next()) {
            (Some(one), None) => Some(Key::typed(one)),
            _ => None,
        }
    }

    /// The key that types a character.
    pub fn typed(c: char) -> Key {
        let (code, virtual_code) = match c {
            ' ' => ("Space".to_owned(), 32),
            'a'..='z' | 'A'..='Z' => (format!("Key{}", c.to_ascii_uppercase()), u32::from(c.to_ascii_uppercase())),
            '0'..='9' => (format!("Digit{c}"), u32::from(c)),
            _ => match (SHIFTED_DIGITS.find(c), SIGNS.iter().find(|s| s.0 == c || s.1 == c)) {
                (Some(digit), _) => (format!("Digit{digit}"), 48 + digit as u32),
                (None, Some((_, _, code, virtual_code))) => ((*code).to_owned(), *virtual_code),
                (None, None) => (String::new(), 0),
            },
        };
        Key { name: c.to_string(), code, virtual_code, text: Some(c.to_string()) }
    }

    /// A modifier as a key of its own.
    pub fn modifier(modifier: Modifier) -> Key {
        let (name, code, virtual_code) = match modifier {
            Modifier::Control => ("Control", "ControlLeft", 17),
            Modifier::Alt => ("Alt", "AltLeft", 18),
            Modifier::Shift => ("Shift", "ShiftLeft", 16),
            Modifier::Meta => ("Meta", "MetaLeft", 91),
        };
        Key { name: name.into(), code: code.into(), virtual_code, text: None }
    }

    /// Removes what is selected.
    pub fn delete() -> Key {
        Key { name: "Delete".into(), code: "Delete".into(), virtual_code: 46, text: None }
    }

    /// As WebDriver writes it.
    pub fn bidi(&self) -> String {
        let named = NAMED.iter().find(|(name, ..)| *name == self.name);
        named.map_or_else(|| self.name.clone(), |(_, _, _, point)| point.to_string())
    }
}

/// Reads a key or a shortcut, as `Enter` or `Control+Shift+K`.
pub fn parse(written: &str) -> Result<(Vec<Modifier>, Key), Failure> {
    let bad = |what: &str| Failure {
        code: FailureCode::BadValue,
        message: format!(
            "there is no key {what:?} (in {written:?}): use names of KeyboardEvent.key, as Enter, ArrowDown, a or Control+K"
        ),
    };
    // "Control++" ends with the plus key itself.
    let (held, last) = match written.strip_suffix("++") {
        Some(held) => (held, "+"),
        None if written == "+" => ("", "+"),
        None => written.rsplit_once('+').unwrap_or(("", written)),
    };
    let mut modifiers = Vec::new();
    for name in held.split('+').filter(|name| !name.is_empty()) {
        let found = modifier(name).ok_or_else(|| bad(name))?;
        if !modifiers.contains(&found) {
            modifiers.push(found);
        }
    }
    let last = if last == "ControlOrMeta" { "Control" } else { last };
    let mut key = Key::named(last).ok_or_else(|| bad(last))?;
    // With Shift held a letter is the capital one.
    if modifiers.contains(&Modifier::Shift)
        && let Some(c) = key.text.as_ref().and_then(|text| text.chars().next())
        && c.is_ascii_lowercase()
    {
        key = Key::typed(c.to_ascii_uppercase());
    }
    Ok((modifiers, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_keys_and_shortcuts() {
        let (held, key) = parse("Control+Shift+k").unwrap();
        assert_eq!(held, [Modifier::Control, Modifier::Shift]);
        assert_eq!((key.name.as_str(), key.code.as_str(), key.virtual_code), ("K", "KeyK", 75));
        assert_eq!(parse("Control++").unwrap().1.code, "Equal");
        assert_eq!(parse("+").unwrap().1.name, "+");
        assert_eq!(parse("!").unwrap().1.code, "Digit1");
        assert_eq!(parse("Enter").unwrap().1.text.as_deref(), Some("\r"));
        assert_eq!(parse("Escape").unwrap().1.bidi(), "\u{E00C}");
        assert_eq!(parse("é").unwrap().1.code, "");
    }

    #[test]
    fn refuses_what_is_no_key() {
        for written in ["NoSuchKey", "Hyper+K", "", "Control+"] {
            let failure = parse(written).unwrap_err();
            assert_eq!(failure.code, FailureCode::BadValue, "{written}");
            assert!(failure.message.contains("KeyboardEvent.key"));
        }
    }
}
