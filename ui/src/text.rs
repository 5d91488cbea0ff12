//! The words, in `_locales`. A key is a variant of [`Key`], so a misspelt one does not compile and an unused
//! one is a warning; a test holds the locale files to this list.

macro_rules! keys {
    ($($name:ident)*) => {
        /// A message of `_locales/*/messages.json`.
        #[allow(non_camel_case_types, reason = "spelt as in the locale files")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Key { $($name),* }

        impl Key {
            /// As in the locale files.
            pub(crate) fn id(self) -> &'static str {
                match self { $(Key::$name => stringify!($name)),* }
            }

            // Only for tests: elsewhere it would hide keys that nothing uses.
            #[cfg(test)]
            const ALL: &[Key] = &[$(Key::$name),*];
        }
    };
}

include!("keys.rs");

/// The text of a message.
pub(crate) fn get(key: Key, substitutions: &[String]) -> String {
    #[cfg(target_family = "wasm")]
    {
        let text = crate::browser::message(key.id(), substitutions);
        if text.is_empty() { key.id().to_owned() } else { text }
    }
    #[cfg(not(target_family = "wasm"))]
    {
        std::iter::once(key.id()).chain(substitutions.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }
}

/// `t!(key)` or `t!(key, $1, $2 …)`.
macro_rules! t {
    ($key:ident $(, $substitution:expr)* $(,)?) => {
        $crate::text::get($crate::text::Key::$key, &[$($substitution.to_string()),*])
    };
}
pub(crate) use t;

/// "1 step" or "12 steps".
pub(crate) fn steps(count: usize) -> String {
    if count == 1 { t!(steps_one) } else { t!(steps_other, count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Used by the manifest and by `boot.js`.
    const OUTSIDE: [&str; 8] = [
        "ext_name",
        "ext_description",
        "action_title",
        "boot_failed",
        "command_intent",
        "command_variant",
        "command_key_node",
        "command_forbidden",
    ];

    fn locale(text: &str) -> BTreeMap<String, String> {
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        let messages = json.as_object().unwrap().iter();
        messages.map(|(key, message)| (key.clone(), message["message"].as_str().unwrap().to_owned())).collect()
    }

    fn english() -> BTreeMap<String, String> {
        locale(include_str!("../../_locales/en/messages.json"))
    }

    fn chinese() -> BTreeMap<String, String> {
        locale(include_str!("../../_locales/zh_CN/messages.json"))
    }

    #[test]
    fn both_languages_say_the_same_things() {
        let (english, chinese) = (english(), chinese());
        assert!(english.keys().eq(chinese.keys()), "the locale files differ in their keys");
        for (key, text) in &english {
            let other = &chinese[key];
            assert!(!text.trim().is_empty() && !other.trim().is_empty(), "{key} is empty");
            for n in 1..=9 {
                let hole = format!("${n}");
                assert_eq!(text.contains(&hole), other.contains(&hole), "{key}: {hole} is in one language only");
            }
        }
    }

    #[test]
    fn every_key_is_there_and_none_is_left_over() {
        let english = english();
        for key in Key::ALL {
            assert!(english.contains_key(key.id()), "_locales/en/messages.json lacks {}", key.id());
        }
        for key in english.keys() {
            let used = OUTSIDE.contains(&key.as_str()) || Key::ALL.iter().any(|known| known.id() == key);
            assert!(used, "{key} is in the locale files and nowhere in the code");
        }
    }
}
