//! What of an address must not be written down: the values of parameters that secret fields were sent in, and
//! those values wherever they show later. The sensor keeps a document's own secrets from leaving it; this is for
//! what the browser tells of them, and for the document after.

use std::collections::BTreeSet;

use super::log::Entry;
use crate::trace::MASK;

/// Parameters that are secret whatever field they came from.
const NAMES: [&str; 8] = ["password", "passwd", "pwd", "passphrase", "pin", "otp", "cvc", "cvv"];
/// Shorter values are masked in addresses only: they would be found everywhere.
const SHORTEST: usize = 4;

/// Whether a question of the page (a prompt's text) asks for a secret.
pub fn asks_for_secret(question: &str) -> bool {
    const WORDS: [&str; 14] = [
        "password",
        "passphrase",
        "passcode",
        "passwort",
        "kennwort",
        "mot de passe",
        "contraseña",
        "senha",
        "parola",
        "пароль",
        "密码",
        "口令",
        "パスワード",
        "one-time code",
    ];
    let question = question.to_lowercase();
    WORDS.iter().any(|word| question.contains(word))
}

/// The secrets of a session, as far as addresses tell them.
#[derive(Clone, Debug, Default)]
pub struct Discretion {
    /// Names of secret fields, in lower case.
    names: BTreeSet<String>,
    /// Values seen in addresses, as they stood there and decoded.
    values: BTreeSet<String>,
}

impl Discretion {
    /// A secret field has this name, so a parameter of that name is secret.
    pub fn learn(&mut self, name: &str) {
        if !name.is_empty() {
            self.names.insert(name.to_lowercase());
        }
    }

    /// Takes secrets out of an entry before it is written down.
    pub fn apply(&mut self, entry: &mut Entry) {
        match entry {
            Entry::Document(document) => self.clean(&mut document.url),
            Entry::Navigation(navigation) => self.clean(&mut navigation.url),
            Entry::Tab { url, .. } | Entry::Blind { url, .. } | Entry::Failed { url, .. } => self.clean(url),
            Entry::Download { url, file, .. } => {
                self.clean(url);
                self.clean(&mut file.name);
            }
            Entry::Response { url, redirects, .. } => {
                self.clean(url);
                redirects.iter_mut().for_each(|hop| self.clean(&mut hop.url));
            }
            Entry::DialogOpened { message, .. } => self.clean(message),
            Entry::Coverage(event) => self.clean(&mut event.detail),
            Entry::Batch(batch) => batch.strings.iter_mut().for_each(|text| self.clean(text)),
            _ => {}
        }
    }

    /// Masks secret parameters (`?name=…`, `&name=…`, `#name=…`, `;name=…`) in a text, keeps their values in mind,
    /// and masks values known already.
    pub fn clean(&mut self, text: &mut String) {
        if text.contains('=') {
            self.parameters(text);
        }
        for value in self.values.iter().filter(|value| value.chars().count() >= SHORTEST) {
            if text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), MASK);
            }
        }
    }

    fn parameters(&mut self, text: &mut String) {
        let mut from = 0;
        while let Some(at) = text[from..].find(['?', '&', '#', ';']).map(|at| from + at + 1) {
            from = at;
            let rest = &text[at..];
            let end = rest.find(|c: char| matches!(c, '&' | '#' | ';' | '"' | '\\') || c.is_whitespace());
            let pair = &rest[..end.unwrap_or(rest.len())];
            let Some((name, value)) = pair.split_once('=') else { continue };
            let secret = {
                let name = decode(name).to_lowercase();
                NAMES.contains(&name.as_str()) || self.names.contains(&name)
            };
            if !secret || value.is_empty() || value == MASK {
                continue;
            }
            let (start, length) = (at + name.len() + 1, value.len());
            self.values.insert(decode(value));
            self.values.insert(value.to_owned());
            text.replace_range(start..start + length, MASK);
            from = start + MASK.len();
        }
    }
}

/// Percent signs and pluses of a query, undone as far as they are well formed.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = (*byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match (byte, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (_, Some(decoded)) => {
                out.push(decoded);
                at += 3;
                continue;
            }
            (b'+', None) => out.push(b' '),
            (other, None) => out.push(*other),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(discretion: &mut Discretion, text: &str) -> String {
        let mut text = text.to_owned();
        discretion.clean(&mut text);
        text
    }

    #[test]
    fn parameters_of_secret_fields_are_masked_and_remembered() {
        let mut d = Discretion::default();
        d.learn("Code");
        assert_eq!(
            cleaned(&mut d, "http://x/?user=ada&password=hunter2%21#a"),
            format!("http://x/?user=ada&password={MASK}#a")
        );
        assert_eq!(cleaned(&mut d, "http://x/#code=12"), format!("http://x/#code={MASK}"));
        assert_eq!(
            cleaned(&mut d, "you sent hunter2! or hunter2%21, and 12"),
            format!("you sent {MASK} or {MASK}, and 12")
        );
        assert_eq!(
            cleaned(&mut d, r#"{"url":"http://x/?code=9","k":"click"}"#),
            format!(r#"{{"url":"http://x/?code={MASK}","k":"click"}}"#)
        );
    }

    #[test]
    fn what_is_no_secret_stays() {
        let mut d = Discretion::default();
        for text in ["http://x/?q=password", "a = b", "?password=", "&&&==", "?é=ü&pin", "%zz+%"] {
            assert_eq!(cleaned(&mut d, text), text);
        }
    }
}
