//! Who may speak to the relay: tokens, `Host`, `Origin`.

use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq;

use crate::error::CliError;

/// The WebSocket subprotocol of both legs.
pub const PROTOCOL: &str = "tracerule";
const TOKEN_PREFIX: &str = "token.";

/// A secret of one run, 32 random bytes as 64 hexadecimal digits.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A fresh one.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn random() -> Result<Token, CliError> {
        use std::fmt::Write;
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)
            .map_err(|e| CliError::environment(format!("the system gives no random bytes: {e}")))?;
        let mut text = String::with_capacity(64);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Token(text))
    }

    /// The text, to be given to those who may have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether they are equal, in a time that does not tell where they differ.
    pub fn matches(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The token a request brings: `Authorization: Bearer T`, or the subprotocol `token.T`.
pub fn presented(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.trim().split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    bearer.or_else(|| protocols(headers).find_map(|protocol| protocol.strip_prefix(TOKEN_PREFIX)))
}

/// Whether the subprotocol of Tracerule is among those offered.
pub fn offers_protocol(headers: &HeaderMap) -> bool {
    protocols(headers).any(|protocol| protocol == PROTOCOL)
}

fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

/// Whether `Host` names this machine by a loopback name and our port: a page that rebinds its own name to
/// 127.0.0.1 sends its own name.
pub fn host_is_loopback(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Ok(host) = host.to_str() else { return false };
    let host = host.to_ascii_lowercase();
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
        host.strip_prefix(name).is_some_and(|rest| match rest.strip_prefix(':') {
            Some(given) => given.parse() == Ok(port),
            None => rest.is_empty() && port == 80,
        })
    })
}

/// What `Origin` says of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// No `Origin`: a program.
    Program,
    /// A browser extension; if the wanted one is known, that one.
    Extension,
    /// A web page, another extension, or an opaque origin.
    Stranger,
}

/// Tells the caller by its `Origin`. `extension` is the only origin an extension may have, if it is known.
pub fn caller(headers: &HeaderMap, extension: Option<&str>) -> Caller {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (None, _) => Caller::Program,
        (Some(origin), None) => {
            let Ok(origin) = origin.to_str() else { return Caller::Stranger };
            let is_extension = origin.starts_with("chrome-extension://") || origin.starts_with("moz-extension://");
            if is_extension && extension.is_none_or(|wanted| wanted == origin) {
                Caller::Extension
            } else {
                Caller::Stranger
            }
        }
        _ => Caller::Stranger,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn only_loopback_names_with_our_port_are_hosts() {
        for good in ["127.0.0.1:9", "localhost:9", "LOCALHOST:9", "[::1]:9"] {
            assert!(host_is_loopback(&headers(&[("host", good)]), 9), "{good}");
        }
        for bad in
            ["127.0.0.1", "127.0.0.1:8", "evil.example:9", "localhost.evil:9", "127.0.0.1.evil:9", "0.0.0.0:9", ":9"]
        {
            assert!(!host_is_loopback(&headers(&[("host", bad)]), 9), "{bad}");
        }
        assert!(!host_is_loopback(&HeaderMap::new(), 9));
    }

    #[test]
    fn origins_are_told_apart() {
        let of = |origin: &str, known| caller(&headers(&[("origin", origin)]), known);
        assert_eq!(caller(&HeaderMap::new(), None), Caller::Program);
        assert_eq!(of("chrome-extension://abc", None), Caller::Extension);
        assert_eq!(of("moz-extension://abc", None), Caller::Extension);
        assert_eq!(of("chrome-extension://abc", Some("chrome-extension://abc")), Caller::Extension);
        assert_eq!(of("chrome-extension://other", Some("chrome-extension://abc")), Caller::Stranger);
        for web in ["https://evil.example", "http://localhost:9", "null", ""] {
            assert_eq!(of(web, None), Caller::Stranger, "{web}");
        }
    }

    #[test]
    fn tokens_come_as_bearer_or_as_subprotocol() {
        assert_eq!(presented(&headers(&[("authorization", "Bearer abc")])), Some("abc"));
        assert_eq!(presented(&headers(&[("authorization", "Basic abc")])), None);
        assert_eq!(presented(&headers(&[("sec-websocket-protocol", "tracerule, token.xyz")])), Some("xyz"));
        let token = Token::random().unwrap();
        assert_eq!(token.reveal().len(), 64);
        assert!(token.matches(token.reveal()) && !token.matches("") && !token.matches(&token.reveal()[1..]));
    }
}
