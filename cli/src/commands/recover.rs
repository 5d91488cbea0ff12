//! `tracerule recover`: a profile that was kept gives its recording back.

use std::path::PathBuf;
use std::process::ExitCode;

use super::block_on;
use crate::browser::Profile;
use crate::error::CliError;
use crate::export;
use crate::signals::Interrupts;
use crate::stage::Stage;

/// Save the recording that a kept profile holds, after a save that failed.
///
/// Commands that could not save say where they kept the browser's profile. It is deleted once its recording is
/// saved.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  tracerule recover /tmp/tracerule-a1b2c3 --out login.trace.zip")]
pub struct Args {
    /// The directory that was named when saving failed.
    #[arg(value_name = "PROFILE_DIR")]
    profile: PathBuf,
    /// The trace's file, replaced if it exists.
    #[arg(long, short, value_name = "FILE.trace.zip")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// See the program's exit codes.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    export::check_writable(&args.out)?;
    let profile = Profile::open(&args.profile)?;
    let known = profile.saved().session.clone();
    block_on(async move {
        let interrupts = Interrupts::listen()?;
        let mut stage = Stage::reopen(profile, &interrupts).await?;
        let session = match known {
            Some(session) => session,
            None => {
                let all = stage.control.list().await.map_err(|e| CliError::failed(e.to_string()))?;
                let newest = all.into_iter().max_by(|a, b| a.started_ms.total_cmp(&b.started_ms));
                newest.ok_or_else(|| CliError::failed("this profile holds no recording"))?.session
            }
        };
        let harvest = stage.harvest(&session, None, &interrupts).await?;
        if let Err(error) = export::write_atomically(&args.out, &harvest.bytes) {
            let lost = stage.lost(&error.message);
            stage.browser.end().await;
            return Err(lost);
        }
        let steps = harvest.trace.map_or(0, |trace| trace.steps().count());
        eprintln!("Saved {steps} steps to {}", args.out.display());
        stage.close().await;
        Ok(ExitCode::SUCCESS)
    })
}
