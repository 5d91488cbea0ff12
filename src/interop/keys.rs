//! Names of keys. Ours are those of `KeyboardEvent.key`, joined by `+`, as `Control+Shift+K`.

use crate::trace::Modifier;

/// A key with the modifiers held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chord {
    pub(super) modifiers: Vec<Modifier>,
    /// As `KeyboardEvent.key` names it; letters as they are typed.
    pub(super) key: String,
}

/// The name of a modifier, the same in every tool.
pub(super) fn modifier_name(modifier: Modifier) -> &'static str {
    match modifier {
        Modifier::Control => "Control",
        Modifier::Alt => "Alt",
        Modifier::Shift => "Shift",
        Modifier::Meta => "Meta",
    }
}

/// The modifier of a name, of any tool.
pub(super) fn modifier(name: &str) -> Option<Modifier> {
    Some(match name {
        "Control" | "ControlLeft" | "ControlRight" | "ControlOrMeta" | "Ctrl" => Modifier::Control,
        "Alt" | "AltLeft" | "AltRight" => Modifier::Alt,
        "Shift" | "ShiftLeft" | "ShiftRight" => Modifier::Shift,
        "Meta" | "MetaLeft" | "MetaRight" | "Command" => Modifier::Meta,
        _ => return None,
    })
}

impl Chord {
    /// Takes a step's key apart.
    pub(super) fn parse(text: &str) -> Chord {
        let mut modifiers = Vec::new();
        let mut rest = text;
        while let Some((name, more)) = rest.split_once('+') {
            let Some(held) = modifier(name).filter(|_| !more.is_empty()) else { break };
            modifiers.push(held);
            rest = more;
        }
        let mut key = rest.to_owned();
        // A shortcut's letter is written large, whatever the key typed; without Shift it types the small one.
        if !modifiers.is_empty() && !modifiers.contains(&Modifier::Shift) && key.chars().count() == 1 {
            key = key.to_lowercase();
        }
        Chord { modifiers, key }
    }

    /// As a step's key.
    pub(super) fn name(&self) -> String {
        let mut text = String::new();
        for held in [Modifier::Control, Modifier::Alt, Modifier::Shift, Modifier::Meta] {
            if self.modifiers.contains(&held) {
                text.push_str(modifier_name(held));
                text.push('+');
            }
        }
        let is_letter = self.key.chars().count() == 1;
        if is_letter && !text.is_empty() {
            text.push_str(&self.key.to_uppercase());
        } else {
            text.push_str(&self.key);
        }
        text
    }

    /// As Playwright and BrowserGym write it.
    pub(super) fn playwright(&self) -> String {
        let mut text: String = self.modifiers.iter().map(|m| format!("{}+", modifier_name(*m))).collect();
        text.push_str(match self.key.as_str() {
            " " | "Spacebar" => "Space",
            key => key,
        });
        text
    }

    /// Reads Playwright's way of writing: codes of keys are names there too.
    pub(super) fn from_playwright(text: &str) -> Chord {
        let mut chord = Chord::parse(text);
        chord.key = from_code(&chord.key);
        chord
    }
}

/// The key of a `KeyboardEvent.code`, where it is a code; else itself.
fn from_code(name: &str) -> String {
    let one = |rest: &str| rest.chars().count() == 1;
    if let Some(letter) = name.strip_prefix("Key").filter(|rest| one(rest)) {
        return letter.to_lowercase();
    }
    if let Some(digit) = name.strip_prefix("Digit").filter(|rest| one(rest)) {
        return digit.to_owned();
    }
    match name {
        "Space" => " ",
        "Minus" => "-",
        "Equal" => "=",
        "Backquote" => "`",
        "Backslash" => "\\",
        "Slash" => "/",
        "Comma" => ",",
        "Period" => ".",
        "Semicolon" => ";",
        "Quote" => "'",
        "BracketLeft" => "[",
        "BracketRight" => "]",
        "NumpadEnter" => "Enter",
        other => other,
    }
    .to_owned()
}

/// Selenium IDE's names of keys that have one, by ours.
pub(super) const SELENIUM: [(&str, &str); 38] = [
    ("Enter", "ENTER"),
    ("Tab", "TAB"),
    ("Backspace", "BACK_SPACE"),
    ("Delete", "DELETE"),
    ("Escape", "ESCAPE"),
    ("Insert", "INSERT"),
    ("Home", "HOME"),
    ("End", "END"),
    ("PageUp", "PAGE_UP"),
    ("PageDown", "PAGE_DOWN"),
    ("ArrowLeft", "LEFT"),
    ("ArrowUp", "UP"),
    ("ArrowRight", "RIGHT"),
    ("ArrowDown", "DOWN"),
    (" ", "SPACE"),
    ("Pause", "PAUSE"),
    ("Clear", "CLEAR"),
    ("Help", "HELP"),
    ("Cancel", "CANCEL"),
    ("F1", "F1"),
    ("F2", "F2"),
    ("F3", "F3"),
    ("F4", "F4"),
    ("F5", "F5"),
    ("F6", "F6"),
    ("F7", "F7"),
    ("F8", "F8"),
    ("F9", "F9"),
    ("F10", "F10"),
    ("F11", "F11"),
    ("F12", "F12"),
    ("Control", "CONTROL"),
    ("Alt", "ALT"),
    ("Shift", "SHIFT"),
    ("Meta", "META"),
    ("Enter", "RETURN"),
    ("Meta", "COMMAND"),
    ("ArrowDown", "ARROW_DOWN"),
];

impl Chord {
    /// As Selenium IDE's `sendKeys` takes it; `None` for keys it has no name for.
    pub(super) fn selenium(&self) -> Option<String> {
        let named = |name: &str| SELENIUM.iter().find(|(ours, _)| *ours == name).map(|(_, t)| format!("${{KEY_{t}}}"));
        let mut text = String::new();
        for held in &self.modifiers {
            text.push_str(&named(modifier_name(*held))?);
        }
        match named(&self.key) {
            Some(name) => text.push_str(&name),
            None if self.key.chars().count() == 1 => text.push_str(&self.key),
            None => return None,
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords() {
        for (ours, playwright, selenium) in [
            ("Enter", "Enter", Some("${KEY_ENTER}")),
            ("Control+A", "Control+a", Some("${KEY_CONTROL}a")),
            ("Control+Shift+K", "Control+Shift+K", Some("${KEY_CONTROL}${KEY_SHIFT}K")),
            ("Control++", "Control++", Some("${KEY_CONTROL}+")),
            ("+", "+", Some("+")),
            (" ", "Space", Some("${KEY_SPACE}")),
            ("j", "j", Some("j")),
            ("MediaPlay", "MediaPlay", None),
        ] {
            let chord = Chord::parse(ours);
            assert_eq!(chord.playwright(), playwright);
            assert_eq!(chord.selenium().as_deref(), selenium, "{ours}");
            assert_eq!(Chord::from_playwright(playwright).name(), ours);
        }
        assert_eq!(Chord::from_playwright("ControlOrMeta+KeyV").name(), "Control+V");
    }
}
