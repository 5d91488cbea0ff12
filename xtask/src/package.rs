//! The two zips for the stores: the same bytes from the same sources, and clean under the stores' lint.

use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::build::{self, Speed};
use crate::install::{self, Need};
use crate::manifest::Browser;
use crate::tools;

/// Builds, packs both extensions into `dist/`, lints the Firefox one.
///
/// # Errors
/// When the build or the lint fails.
pub fn run(no_install: bool) -> Result<()> {
    install::require(&[Need::WasmTarget, Need::Node, Need::Npm, Need::NodeModules], no_install)?;
    build::extension(Speed::Release)?;
    for (browser, path) in pack(&tools::root().join("dist"))? {
        println!("{:<36} {:>8.1} KiB", path.display(), std::fs::metadata(&path)?.len() as f64 / 1024.0);
        if browser == Browser::Firefox {
            lint(&path)?;
            println!("web-ext lint finds no error in it");
        }
    }
    Ok(())
}

/// Packs `dist/chromium` and `dist/firefox` into a folder.
///
/// # Errors
/// When a file cannot be read or written.
pub fn pack(into: &Path) -> Result<Vec<(Browser, PathBuf)>> {
    let mut made = Vec::new();
    for browser in Browser::ALL {
        let bytes = zipped(&tools::root().join("dist").join(browser.name()))?;
        let path = into.join(format!("tracerule-{}-{}.zip", browser.name(), env!("CARGO_PKG_VERSION")));
        tools::write(&path, bytes)?;
        made.push((browser, path));
    }
    Ok(made)
}

/// Sorted names, one date, no owner: the same files give the same bytes.
fn zipped(folder: &Path) -> Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let files = tools::files(folder)?;
    if files.is_empty() {
        bail!("{} is empty; run `cargo xtask build` first", folder.display());
    }
    for (name, path) in files {
        zip.start_file(name, options)?;
        zip.write_all(&std::fs::read(&path).with_context(|| format!("could not read {}", path.display()))?)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Lints a Firefox package.
///
/// # Errors
/// When the lint finds an error.
pub fn lint(package: &Path) -> Result<()> {
    let mut lint = tools::command("node", &["node_modules/web-ext/bin/web-ext.js", "lint", "--source-dir"]);
    tools::run(lint.arg(package).args(["--no-config-discovery", "--boring"]))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_same_files_give_the_same_bytes() {
        let folder = std::env::temp_dir().join(format!("tracerule-pack-{}", std::process::id()));
        crate::tools::write(&folder.join("b/two.txt"), "two").unwrap();
        crate::tools::write(&folder.join("one.txt"), "one").unwrap();
        let first = super::zipped(&folder).unwrap();
        // Another date on disk must not show.
        crate::tools::write(&folder.join("one.txt"), "one").unwrap();
        let second = super::zipped(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(first, second);
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(first)).unwrap();
        let names: Vec<String> = (0..zip.len()).map(|i| zip.by_index(i).unwrap().name().to_owned()).collect();
        assert_eq!(names, ["b/two.txt", "one.txt"]);
    }
}
