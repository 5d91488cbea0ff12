//! Addresses given by people.

use crate::error::CliError;

/// An address that a session can begin at: `http`, `https` or `about:blank`, as the browser will read it.
///
/// # Errors
/// Wrong usage, with what is wrong and an example.
pub fn parse(text: &str) -> Result<url::Url, CliError> {
    let trimmed = text.trim();
    let shown: String = trimmed.chars().take(200).collect();
    let url = url::Url::parse(trimmed).map_err(|cause| {
        let hint = if trimmed.is_empty() || trimmed.contains(char::is_whitespace) {
            "give a whole one, as https://example.com/".to_owned()
        } else {
            format!("did you mean https://{shown} or http://{shown}?")
        };
        CliError::usage(format!("'{shown}' is not a web address ({cause}); {hint}"))
    })?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some_and(|host| !host.is_empty()) => Ok(url),
        "about" if url.path() == "blank" => Ok(url),
        scheme => Err(CliError::usage(format!(
            "'{shown}' cannot be recorded: extensions do not run on '{scheme}:' pages; use http: or https: \
             (serve a file with `python3 -m http.server`)"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn web_addresses_are_taken_and_others_refused() {
        for good in ["http://127.0.0.1:8080/a?b#c", "https://example.com", " https://example.com/ ", "about:blank"] {
            assert!(parse(good).is_ok(), "{good}");
        }
        for bad in
            ["", "not a url", "example.com", "file:///etc/passwd", "javascript:alert(1)", "about:config", "http://"]
        {
            let error = parse(bad).unwrap_err();
            assert_eq!(error.code, 2, "{bad}");
            assert!(error.message.contains('\''), "{bad}: {}", error.message);
        }
        // What looks like a scheme is one.
        assert!(parse("localhost:8080").unwrap_err().message.contains("localhost"));
    }
}
