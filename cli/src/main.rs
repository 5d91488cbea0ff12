//! The binary `tracerule`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tracerule_cli::run()
}
