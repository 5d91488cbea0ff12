//! Kinds of fields, and names of keys.

use crate::mirror::{Mirror, NodeRef};
use crate::trace::Modifier;

/// How an element takes input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// A line of text.
    Line,
    /// `textarea`.
    Lines,
    /// Editable content.
    Rich,
    /// Date, time, colour, range.
    Picker,
    /// `select`.
    List,
    /// Checkbox or radio.
    Box,
    /// File input.
    File,
    /// Anything else, read-only fields included.
    None,
}

impl Field {
    pub fn of(mirror: &Mirror, node: NodeRef) -> Self {
        let attribute = |name| mirror.attribute(node, name);
        match mirror.tag(node) {
            "select" => Field::List,
            "textarea" if attribute("readonly").is_none() => Field::Lines,
            "input" => {
                let kind = attribute("type").unwrap_or("text").to_ascii_lowercase();
                match kind.as_str() {
                    "checkbox" | "radio" => Field::Box,
                    "file" => Field::File,
                    "button" | "submit" | "reset" | "image" | "hidden" => Field::None,
                    _ if attribute("readonly").is_some() => Field::None,
                    kind if is_picker(kind) => Field::Picker,
                    _ => Field::Line,
                }
            }
            _ => match attribute("contenteditable") {
                Some(value) if !value.eq_ignore_ascii_case("false") => Field::Rich,
                _ => Field::None,
            },
        }
    }

    /// Text is typed into it.
    pub fn is_text(self) -> bool {
        matches!(self, Field::Line | Field::Lines | Field::Rich)
    }
}

/// A type of `input` whose value is picked rather than typed.
pub(super) fn is_picker(kind: &str) -> bool {
    matches!(kind, "date" | "time" | "datetime-local" | "month" | "week" | "color" | "range")
}

/// A field that offers suggestions: up and down choose among them, so they are steps of their own.
pub(super) fn suggests(mirror: &Mirror, node: NodeRef) -> bool {
    let has = |name| mirror.attribute(node, name).is_some();
    let hint = |name: &str| {
        mirror.attribute(node, name).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            ["combobox", "autocomplete", "typeahead"].iter().any(|word| value.contains(word))
        })
    };
    hint("role") || hint("class") || has("aria-autocomplete") || has("aria-activedescendant") || has("list")
}

pub(super) fn is_modifier(key: &str) -> bool {
    matches!(
        key,
        "Control"
            | "Shift"
            | "Alt"
            | "Meta"
            | "AltGraph"
            | "OS"
            | "CapsLock"
            | "NumLock"
            | "ScrollLock"
            | "Fn"
            | "Hyper"
            | "Super"
            | "Symbol"
    )
}

/// One character, or a masked one.
pub(super) fn is_printable(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some() && chars.next().is_none()
}

/// Keys that only edit or move within a text.
pub(super) fn edits(key: &str) -> bool {
    matches!(
        key,
        "Backspace"
            | "Delete"
            | "ArrowLeft"
            | "ArrowRight"
            | "ArrowUp"
            | "ArrowDown"
            | "Home"
            | "End"
            | "PageUp"
            | "PageDown"
    )
}

/// A key or a shortcut as a step names it: `Enter`, `Control+K`, `j`.
pub(super) fn key_name(key: &str, code: &str, mods: &[Modifier]) -> String {
    let command = mods.iter().any(|m| *m != Modifier::Shift);
    let mut base = if key == " " { "Space".to_owned() } else { key.to_owned() };
    if is_printable(key) && key != " " {
        if command {
            // With Alt or Option some layouts give another letter; the key's own is what the shortcut is called.
            if !key.is_ascii() {
                base = code.strip_prefix("Key").or_else(|| code.strip_prefix("Digit")).unwrap_or(key).to_owned();
            }
            base = base.to_uppercase();
        } else {
            // Shift is already in the character.
            return base;
        }
    }
    let mut name = String::new();
    for (modifier, text) in [
        (Modifier::Control, "Control+"),
        (Modifier::Alt, "Alt+"),
        (Modifier::Shift, "Shift+"),
        (Modifier::Meta, "Meta+"),
    ] {
        if mods.contains(&modifier) {
            name.push_str(text);
        }
    }
    name + &base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named() {
        use Modifier::{Alt, Control, Meta, Shift};
        for (key, code, mods, name) in [
            ("Enter", "Enter", &[][..], "Enter"),
            (" ", "Space", &[], "Space"),
            (" ", "Space", &[Shift], "Shift+Space"),
            ("k", "KeyK", &[Control], "Control+K"),
            ("K", "KeyK", &[Shift, Control], "Control+Shift+K"),
            ("J", "KeyJ", &[Shift], "J"),
            ("?", "Slash", &[Shift], "?"),
            ("∆", "KeyJ", &[Alt], "Alt+J"),
            ("Tab", "Tab", &[Shift], "Shift+Tab"),
            ("p", "KeyP", &[Meta], "Meta+P"),
        ] {
            assert_eq!(key_name(key, code, mods), name);
        }
    }
}
