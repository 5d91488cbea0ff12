//! What the companion tells a person when it cannot go on.

use std::fmt;

/// Nothing is wrong with the program or its input; the measured thing fell short (`--fail-under`).
pub const JUDGED: u8 = 1;
/// Wrong usage or input.
pub const USAGE: u8 = 2;
/// Something the work needs is missing: a browser, the built extension, a display.
pub const ENVIRONMENT: u8 = 3;
/// The work began and failed.
pub const FAILED: u8 = 4;

/// One message for a person, and the exit code that goes with it.
#[derive(Debug)]
pub struct CliError {
    /// The process's exit code.
    pub code: u8,
    /// What happened, where, and what to do next.
    pub message: String,
}

impl CliError {
    /// An error with one of this module's codes.
    pub fn new(code: u8, message: impl Into<String>) -> Self {
        CliError { code, message: message.into() }
    }

    /// Wrong usage or input.
    pub fn usage(message: impl Into<String>) -> Self {
        CliError::new(USAGE, message)
    }

    /// Something is missing.
    pub fn environment(message: impl Into<String>) -> Self {
        CliError::new(ENVIRONMENT, message)
    }

    /// The work failed.
    pub fn failed(message: impl Into<String>) -> Self {
        CliError::new(FAILED, message)
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}
