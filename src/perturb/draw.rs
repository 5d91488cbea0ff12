//! Keys and the numbers drawn from them.

use sha2::{Digest, Sha256};

use super::{Operator, Settings};

/// What a decision depends on, and nothing else. Absent parts are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    text: String,
}

impl Key {
    /// The key of a decision of `operator` on a page (see [`page_key`]), at a step boundary, on an element
    /// (see [`element_key`]), as far as each has a say in it.
    pub fn new(
        settings: &Settings,
        page: Option<&str>,
        step: Option<u32>,
        element: Option<&str>,
        operator: Operator,
    ) -> Self {
        let operator = match operator {
            Operator::Jitter => "jitter",
            Operator::ColorScheme => "color_scheme",
            Operator::SessionPopup => "session_popup",
        };
        let text = [
            settings.seed.to_string(),
            escape(&settings.task),
            settings.run.to_string(),
            escape(page.unwrap_or_default()),
            step.map(|step| step.to_string()).unwrap_or_default(),
            escape(element.unwrap_or_default()),
            operator.to_owned(),
        ]
        .join("|");
        Self { text }
    }

    /// The key as it stands in a trace.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A number of 64 bits; `facet` tells apart the numbers of one decision (`x`, `y` …).
    pub fn bits(&self, facet: &str) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.text.as_bytes());
        hash.update(b"#");
        hash.update(facet.as_bytes());
        hash.finalize().iter().take(8).fold(0, |bits, byte| (bits << 8) | u64::from(*byte))
    }

    /// A number of the half-open unit interval, in steps of 2^-53.
    pub fn unit(&self, facet: &str) -> f64 {
        // 53 bits fit a double exactly.
        (self.bits(facet) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Keeps `|` out of a part, so that different parts never make the same key.
fn escape(part: &str) -> String {
    part.replace('%', "%25").replace('|', "%7C")
}

/// What a page is called in keys: its address without query and fragment. On loopback the port is left out,
/// since test servers take whatever port is free.
pub fn page_key(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    // Credentials are not the page's, and have no place in a trace.
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let loopback = name == "localhost" || name.ends_with(".localhost") || name.starts_with("127.") || name == "[::1]";
    let path = if path.is_empty() { "/" } else { path };
    format!("{scheme}://{}{path}", if loopback { name } else { host })
}

/// What an element is called in keys: role, accessible name and DOM path, which are the same in both browsers.
pub fn element_key(role: &str, name: &str, path: &str) -> String {
    format!("{role} {name:?} {path}")
}
