//! Measurements. Times are ratios to a baseline measured in the same run, since machines differ.

use anyhow::Result;
use clap::ValueEnum;

use crate::{build, tools};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// What was built, on disk and as downloaded.
    Size,
    /// The `classic` alignment against a plain one.
    Score,
    /// What recording costs a page, beside rrweb.
    Record,
}

/// Measures one thing, or all.
///
/// # Errors
/// When something does not build or run.
pub fn run(what: Option<What>) -> Result<()> {
    if what != Some(What::Score) {
        print!("{}", build::sizes()?);
    }
    if what != Some(What::Size) {
        tools::run(&mut tools::cargo(&["bench", "--quiet", "--package", "tracerule", "--bench", "score"]))?;
    }
    Ok(())
}
