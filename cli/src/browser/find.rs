//! Where the browsers and the built extension are.

use std::path::{Path, PathBuf};

use super::{Kind, path_from_env};
use crate::error::CliError;

/// A browser's program.
#[derive(Clone, Debug)]
pub struct Found {
    /// The family.
    pub kind: Kind,
    /// The program.
    pub path: PathBuf,
}

/// Programs by name, best first. Branded Chrome comes last: it has dropped `--load-extension`.
fn names(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Chromium => &[
            "chromium",
            "chromium-browser",
            "google-chrome-for-testing",
            "chrome-for-testing",
            "microsoft-edge",
            "microsoft-edge-stable",
            "msedge",
            "brave-browser",
            "google-chrome",
            "google-chrome-stable",
        ],
        Kind::Firefox => &["firefox-esr", "firefox", "firefox-developer-edition"],
    }
}

/// Where installers put them when not on the PATH.
fn places(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Chromium if cfg!(target_os = "macos") => &[
            "/Applications/Chromium.app/Contents/MacOS/Chromium",
            "/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
            "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
        ],
        Kind::Chromium if cfg!(windows) => &[
            r"C:\Program Files\Chromium\Application\chrome.exe",
            r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
        ],
        Kind::Firefox if cfg!(target_os = "macos") => &["/Applications/Firefox.app/Contents/MacOS/firefox"],
        Kind::Firefox if cfg!(windows) => &[r"C:\Program Files\Mozilla Firefox\firefox.exe"],
        _ => &[],
    }
}

fn variable(kind: Kind) -> &'static str {
    match kind {
        Kind::Chromium => "TRACERULE_CHROMIUM",
        Kind::Firefox => "TRACERULE_FIREFOX",
    }
}

/// The browser of that family: the one its variable names, else the first on the PATH.
///
/// # Errors
/// None is there, or the variable names none.
pub fn find(kind: Kind) -> Result<Found, CliError> {
    let variable = variable(kind);
    let path = match path_from_env(variable) {
        Some(named) => on_path(&named).ok_or_else(|| {
            CliError::environment(format!("{variable} names '{}', which is no program", named.display()))
        })?,
        None => {
            let by_name = names(kind).iter().find_map(|name| on_path(Path::new(name)));
            let by_place = || places(kind).iter().map(PathBuf::from).find(|path| path.is_file());
            by_name.or_else(by_place).ok_or_else(|| {
                CliError::environment(format!(
                    "no {} is installed: looked for {} on the PATH; install one (`cargo xtask doctor` tells how) or set \
                     {variable}",
                    kind.name(),
                    names(kind).join(", ")
                ))
            })?
        }
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if kind == Kind::Chromium && name.starts_with("google-chrome") && !name.contains("testing") {
        eprintln!(
            "warning: {} is branded Chrome, which no longer loads extensions from the command line; if nothing happens, \
             install Chromium or Chrome for Testing, or set TRACERULE_CHROMIUM",
            path.display()
        );
    }
    Ok(Found { kind, path })
}

fn on_path(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return is_program(name).then(|| name.to_path_buf());
    }
    let path = std::env::var_os("PATH")?;
    let suffix = std::env::consts::EXE_SUFFIX;
    std::env::split_paths(&path).find_map(|dir| {
        let mut file = dir.join(name).into_os_string();
        if !suffix.is_empty() && name.extension().is_none() {
            file.push(suffix);
        }
        let file = PathBuf::from(file);
        is_program(&file).then_some(file)
    })
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

/// The built extension for that family: `TRACERULE_DIST`, else `dist/` beside the program or above it, else in
/// the current directory.
///
/// # Errors
/// It is nowhere.
pub fn distribution(kind: Kind) -> Result<PathBuf, CliError> {
    let whole = |dist: PathBuf| {
        let dir = dist.join(kind.name());
        dir.join("manifest.json").is_file().then_some(dir)
    };
    if let Some(named) = path_from_env("TRACERULE_DIST") {
        return whole(named.clone()).ok_or_else(|| {
            CliError::environment(format!(
                "TRACERULE_DIST is '{}', but there is no {}/manifest.json in it; run `cargo xtask build`",
                named.display(),
                kind.name()
            ))
        });
    }
    let exe = std::env::current_exe().ok().and_then(|exe| exe.canonicalize().ok());
    let above = exe.iter().flat_map(|exe| exe.ancestors().skip(1)).map(Path::to_path_buf);
    above.chain(std::env::current_dir().ok()).map(|dir| dir.join("dist")).find_map(whole).ok_or_else(|| {
        CliError::environment(format!(
            "the extension is not built: no dist/{}/manifest.json beside the program, above it or here; run `cargo xtask \
             build` in Tracerule's directory, or set TRACERULE_DIST",
            kind.name()
        ))
    })
}
