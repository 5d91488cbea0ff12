//! Secrets stay masked: files of others hold a placeholder, code an environment variable.

/// What every placeholder's name begins with.
const PREFIX: &str = "TRACERULE_SECRET_";

/// Numbers the secrets of a trace, from 1.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: u32,
}

impl Names {
    /// The name of the next secret, as an environment variable has it.
    pub(super) fn variable(&mut self) -> String {
        self.given += 1;
        format!("{PREFIX}{}", self.given)
    }

    /// The placeholder of the next secret in files without code.
    pub(super) fn placeholder(&mut self) -> String {
        format!("${{{}}}", self.variable())
    }
}

/// Whether a value is a placeholder of ours.
pub(super) fn is_placeholder(value: &str) -> bool {
    value
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
        .and_then(|name| name.strip_prefix(PREFIX))
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}
