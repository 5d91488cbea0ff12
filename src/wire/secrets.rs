//! What of an address must not be written down: the values of parameters that secret fields were sent in, and
//! those values wherever they show later. The sensor keeps a document's own secrets from leaving it; this is for
//! what the browser tells of them, and for the document after.

use std::collections::BTreeSet;

use super::log::Entry;
use crate::trace::MASK;

/// Words that make a name secret wherever they stand in it, be it a field's or a parameter's. A space stands for
/// any joint: `api key` is in `api_key`, `apiKey`, `x-api-key` and `apikey`.
pub const WORDS: [&str; 45] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "otp",
    "totp",
    "one time code",
    "one time password",
    "one time pin",
    "2fa",
    "mfa code",
    "verification code",
    "security code",
    "auth code",
    "authentication code",
    "login code",
    "sms code",
    "cvc",
    "cvc2",
    "cvv",
    "cvv2",
    "csc",
    "card code",
    "card number",
    "card num",
    "card no",
    "cc number",
    "cc num",
    "cc no",
    "cc exp",
    "card exp",
    "api key",
    "access key",
    "private key",
    "session id",
    "session key",
    "sessid",
    "jsessionid",
    "phpsessid",
    "sid",
    "jwt",
    "credentials",
];
/// Names of parameters that are secret as a whole: within other names these words are harmless.
pub const NAMES: [&str; 10] =
    ["key", "code", "session", "auth", "authorization", "pin", "pass", "sig", "signature", "ticket"];
/// Of the names that [`WORDS`] and [`NAMES`] make secret, those whose values are often plain words: only what looks
/// made by a machine is taken for a secret where it shows elsewhere.
const WEAK: [&str; 8] = ["key", "code", "session", "auth", "ticket", "sig", "token", "sid"];
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

/// A name as lower-case words with one space between: `apiKey`, `API_KEY` and `api.key` alike.
fn words(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            if lower && c.is_uppercase() {
                out.push(' ');
            }
            out.extend(c.to_lowercase());
        }
        lower = c.is_lowercase() || c.is_ascii_digit();
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whether a word of the table begins the text, up to a word's end.
fn begins(text: &str, word: &str) -> bool {
    let mut left = text.chars().peekable();
    for c in word.chars() {
        let fits =
            if c == ' ' { left.next_if_eq(&' ').is_some() || left.peek().is_some() } else { left.next() == Some(c) };
        if !fits {
            return false;
        }
    }
    left.next().is_none_or(|c| c == ' ')
}

/// Whether a parameter of that name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = words(name);
    let starts = std::iter::once(0).chain(name.match_indices(' ').map(|(at, _)| at + 1));
    NAMES.contains(&name.as_str()) || starts.into_iter().any(|at| WORDS.iter().any(|word| begins(&name[at..], word)))
}

/// Long, and not only letters: made by a machine.
fn is_random(value: &str) -> bool {
    value.chars().count() >= 8 && value.chars().any(|c| c.is_ascii_digit()) && !value.contains(char::is_whitespace)
}

/// The secrets of a session, as far as addresses tell them.
#[derive(Clone, Debug, Default)]
pub struct Discretion {
    /// Names of secret fields, in lower case.
    names: BTreeSet<String>,
    /// Names of hidden fields, in lower case: of what they carry, only what looks made by a machine is secret.
    hidden: BTreeSet<String>,
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

    /// A hidden field has this name.
    pub fn learn_hidden(&mut self, name: &str) {
        if !name.is_empty() {
            self.hidden.insert(name.to_lowercase());
        }
    }

    /// What was learned, for sensors of pages to come.
    pub fn learned(&self) -> (Vec<String>, Vec<String>) {
        (self.names.iter().cloned().collect(), self.hidden.iter().cloned().collect())
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
            Entry::Note(note) => self.clean(&mut note.text),
            Entry::ToolCall(call) => {
                self.clean_all(&mut call.arguments);
                self.clean_all(&mut call.result);
            }
            Entry::ActionBegin { act, .. } => {
                if let Ok(mut value) = serde_json::to_value(&*act) {
                    self.clean_all(&mut value);
                    // What was an action still is: only its texts have changed.
                    if let Ok(clean) = serde_json::from_value(value) {
                        **act = clean;
                    }
                }
            }
            _ => {}
        }
    }

    fn clean_all(&mut self, value: &mut serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::String(text) => self.clean(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.clean_all(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.clean_all(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Masks the credentials of addresses and secret parameters (`?name=…`, `&name=…`, `#name=…`, `;name=…`) in a text, keeps their values in mind,
    /// and masks values known already.
    pub fn clean(&mut self, text: &mut String) {
        if text.contains("://") && text.contains('@') {
            credentials(text);
        }
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
            let plain = decode(name);
            let learned = self.names.contains(&plain.to_lowercase());
            let hidden = self.hidden.contains(&plain.to_lowercase()) && is_random(value);
            if !(learned || hidden || is_secret_name(&plain)) || value.is_empty() || value == MASK {
                continue;
            }
            let (start, length) = (at + name.len() + 1, value.len());
            let weak = !learned && WEAK.iter().any(|word| words(&plain).split(' ').any(|part| part == *word));
            if !weak || is_random(value) {
                self.values.insert(decode(value));
                self.values.insert(value.to_owned());
            }
            text.replace_range(start..start + length, MASK);
            from = start + MASK.len();
        }
    }
}

/// Masks what stands before the `@` of an address (`scheme://user:password@host`).
fn credentials(text: &mut String) {
    let mut from = 0;
    while let Some(at) = text[from..].find("://").map(|at| from + at + 3) {
        from = at;
        let rest = &text[at..];
        let end =
            rest.find(|c: char| matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '\\') || c.is_whitespace());
        let Some(length) = rest[..end.unwrap_or(rest.len())].rfind('@') else { continue };
        if &rest[..length] != MASK {
            text.replace_range(at..at + length, MASK);
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
    fn names_are_secret_by_rule() {
        for name in [
            "access_token",
            "apiKey",
            "X-API-Key",
            "apikey",
            "code",
            "cardNumber",
            "user[password]",
            "otp2fa-otp",
            "sessionId",
            "JSESSIONID",
            "client_secret",
            "one-time-code",
            "cc-exp-month",
            "sig",
            "KEY",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "sort_key",
            "language_code",
            "keyword",
            "tokenizer",
            "passenger",
            "expiry",
            "q",
            "",
            "é",
            "secretary",
            "encode",
            "design",
            "session_title",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn credentials_of_addresses_are_masked() {
        let mut d = Discretion::default();
        assert_eq!(
            cleaned(&mut d, "see https://ada:p@ss@h.test/x@y, and ftp://bob@h"),
            format!("see https://{MASK}@h.test/x@y, and ftp://{MASK}@h")
        );
        for text in ["http://h/@ada", "a@b.test", "http://h?x=a@b", "://", "http://é"] {
            assert_eq!(cleaned(&mut d, text), text);
        }
    }

    #[test]
    fn plain_words_under_a_secret_name_are_masked_there_alone() {
        let mut d = Discretion::default();
        assert_eq!(
            cleaned(&mut d, "http://x/?code=home&token=ab12cd34ef"),
            format!("http://x/?code={MASK}&token={MASK}")
        );
        assert_eq!(cleaned(&mut d, "go home with ab12cd34ef"), format!("go home with {MASK}"));
    }

    #[test]
    fn what_hidden_fields_carry_is_masked_where_it_is_no_plain_word() {
        let mut d = Discretion::default();
        d.learn_hidden("csrf");
        d.learn_hidden("lang");
        assert_eq!(cleaned(&mut d, "/x?csrf=0f9e8d7c6b5a&lang=en"), format!("/x?csrf={MASK}&lang=en"));
        assert_eq!(cleaned(&mut d, "0f9e8d7c6b5a"), MASK);
        assert_eq!(d.learned(), (vec![], vec!["csrf".to_owned(), "lang".to_owned()]));
    }

    #[test]
    fn what_agents_say_is_cleaned_too() {
        let mut d = Discretion::default();
        let mut note = Entry::Note(crate::trace::NoteEvent {
            t_ms: 0.0,
            actor: crate::trace::Actor::Agent,
            text: "open http://u:pw@h/?password=hunter2".to_owned(),
        });
        d.apply(&mut note);
        let Entry::Note(note) = note else { panic!("still a note") };
        assert_eq!(note.text, format!("open http://{MASK}@h/?password={MASK}"));
        let call = serde_json::json!({"e": "tool_call", "t_ms": 0.0, "elapsed_ms": 0.0, "name": "x",
            "arguments": {"url": ["http://h/?password=hunter2"]}, "result": {"text": "hunter2"}, "steps": []});
        let mut call: Entry = serde_json::from_value(call).unwrap();
        d.apply(&mut call);
        assert!(!serde_json::to_string(&call).unwrap().contains("hunter2"));
    }

    #[test]
    fn what_is_no_secret_stays() {
        let mut d = Discretion::default();
        for text in ["http://x/?q=password", "a = b", "?password=", "&&&==", "?é=ü&pin", "%zz+%"] {
            assert_eq!(cleaned(&mut d, text), text);
        }
    }
}
