//! One module for each command.

pub mod convert;
pub mod lint;
pub mod mcp;
pub mod record;
pub mod recover;
pub mod replay;
pub mod report;
pub mod run;
pub mod score;
pub mod serve;
pub mod show;
mod steps;
mod table;

use std::process::ExitCode;

use crate::error::CliError;

/// Runs a command's future on a runtime of its own.
fn block_on(work: impl Future<Output = Result<ExitCode, CliError>>) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| CliError::environment(format!("cannot start the runtime: {e}")))?;
    let result = runtime.block_on(work);
    // A thread blocked on standard input must not keep the program.
    runtime.shutdown_background();
    result
}
