//! `tracerule convert`: traces into other tools' formats, and theirs into traces.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tracerule::interop::{self, Error, Format, Loss, Options};

use crate::error::CliError;
use crate::export;

/// Convert a recording between formats, with a report of what was lost.
///
/// The format that is read is told by the content, the one that is written by the name of OUT; where either
/// leaves a choice, say it with --from and --to. The report is JSON: each thing dropped or changed with its
/// step, field, reason and severity (info, minor, major), counts, and `lossless`. It is printed on standard
/// output, or saved with --loss; a sentence for people goes to standard error.
///
/// Formats: tracerule, puppeteer-replay, playwright-trace, playwright-test, playwright-python,
/// playwright-codegen, selenium-side, rrweb, browser-gym, instrumented-page. What each keeps: docs/FORMATS.md.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tracerule convert login.trace.zip login.spec.ts
  tracerule convert login.trace.zip login.json --to puppeteer-replay --loss loss.json
  tracerule convert trace.zip run.trace.zip
  tracerule convert recording.side login.trace.zip --json")]
pub struct Args {
    /// What is read.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// What is written.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format of IN, where its content may be of several.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<Format>,
    /// The format of OUT, where its name may be of several.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    to: Option<Format>,
    /// Save the loss report here instead of printing it.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    loss: Option<PathBuf>,
    /// Print the loss report and nothing else.
    #[arg(long)]
    json: bool,
    /// Leave out what only Tracerule reads back.
    #[arg(long)]
    plain: bool,
}

fn format(name: &str) -> Result<Format, String> {
    Format::from_name(name)
        .ok_or_else(|| format!("there is no format \"{name}\"; there are {}", Format::names(|_| true)))
}

/// Converts.
///
/// # Errors
/// See the program's exit codes.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let to = target(&args)?;
    let shown = args.input.display().to_string();
    let bytes = std::fs::read(&args.input).map_err(|e| {
        let why = if args.input.is_dir() { "it is a directory; name a file in it".to_owned() } else { e.to_string() };
        CliError::usage(format!("{shown}: cannot be read: {why}"))
    })?;
    export::check_writable(&args.output)?;
    if let Some(loss) = &args.loss {
        export::check_writable(loss)?;
    }
    let wrong = |e: Error| {
        let how = matches!(e, Error::Unknown { .. } | Error::Ambiguous { .. });
        CliError::usage(if how { format!("{e} (--from FORMAT)") } else { e.to_string() })
    };
    let (trace, read) = interop::import(&shown, &bytes, args.from).map_err(wrong)?;
    let options = Options { plain: args.plain };
    let made = interop::export(&trace, &stem(&args.output), to, &options).map_err(wrong)?;
    for (at, file) in made.files.iter().enumerate() {
        // Others stand beside the main one, by their own names.
        let path = if at == 0 { args.output.clone() } else { args.output.with_file_name(&file.name) };
        export::write_atomically(&path, &file.bytes)?;
    }
    report(&args, &read.then(made.loss))?;
    Ok(ExitCode::SUCCESS)
}

/// The format to be written.
fn target(args: &Args) -> Result<Format, CliError> {
    if let Some(format) = args.to {
        return Ok(format);
    }
    let shown = args.output.display();
    match Format::by_file_name(&args.output.to_string_lossy())[..] {
        [format] => Ok(format),
        [] => Err(CliError::usage(format!(
            "{shown}: its name does not say the format; say it with --to, one of {}",
            Format::names(Format::can_export)
        ))),
        ref several => {
            let names: Vec<&str> = several.iter().map(|format| format.name()).collect();
            Err(CliError::usage(format!("{shown}: may be {}; say which with --to", names.join(" or "))))
        }
    }
}

/// The file's name without any extension.
fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').find(|part| !part.is_empty()).unwrap_or("trace").to_owned()
}

fn report(args: &Args, loss: &Loss) -> Result<(), CliError> {
    let mut text = serde_json::to_string_pretty(loss)
        .map_err(|e| CliError::failed(format!("the loss report cannot be written: {e}")))?;
    text.push('\n');
    match &args.loss {
        Some(file) => export::write_atomically(file, text.as_bytes())?,
        None => {
            let mut out = std::io::stdout().lock();
            // A reader that went away has seen enough.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
    if !args.json {
        let from = loss.from.name();
        let _ = writeln!(std::io::stderr(), "{} ({from} to {}): {}", args.output.display(), loss.to, loss.summary());
    }
    Ok(())
}
