//! Files written whole or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// Writes beside the target and renames, so that neither a full disk nor a crash leaves half a file or
/// destroys the old one.
///
/// # Errors
/// In words, with the path.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let failed = |e: &dyn std::fmt::Display| CliError::failed(format!("cannot write {}: {e}", path.display()));
    fs::create_dir_all(dir).map_err(|e| failed(&e))?;
    let mut file = tempfile::Builder::new().prefix(".tracerule-").tempfile_in(dir).map_err(|e| failed(&e))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(|e| failed(&e))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are 0600; a trace is as readable as other files.
        let mode = fs::metadata(path).map_or(0o644, |old| old.permissions().mode() & 0o777);
        let _ = file.as_file().set_permissions(fs::Permissions::from_mode(mode));
    }
    file.persist(path).map(drop).map_err(|e| failed(&e.error))
}

/// Whether a file may be put there, asked before the work begins rather than after.
///
/// # Errors
/// Wrong usage, saying what stands in the way.
pub fn check_writable(path: &Path) -> Result<(), CliError> {
    if path.is_dir() {
        return Err(CliError::usage(format!("--out {} is a directory; give a file's name", path.display())));
    }
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    fs::create_dir_all(dir)
        .and_then(|()| tempfile::Builder::new().prefix(".tracerule-").tempfile_in(dir).map(drop))
        .map_err(|e| CliError::usage(format!("cannot write in {}: {e}", dir.display())))
}

/// `path`, or the first `path-2`, `path-3` … that is free. The number goes before all extensions.
pub fn free_name(path: &Path) -> PathBuf {
    if !path.exists() {
        return path.to_path_buf();
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (stem, extension) = match name.strip_suffix(".trace.zip") {
        Some(stem) => (stem.to_owned(), ".trace.zip".to_owned()),
        None => match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem.to_owned(), format!(".{extension}")),
            _ => (name, String::new()),
        },
    };
    (2_u32..).map(|n| path.with_file_name(format!("{stem}-{n}{extension}"))).find(|path| !path.exists()).unwrap_or_else(
        // Never reached: no directory holds so many.
        || path.to_path_buf(),
    )
}

/// `HOST-YYYYMMDD-HHMMSS.trace.zip`, in UTC.
pub fn default_name(url: &url::Url, now: std::time::SystemTime) -> PathBuf {
    let host: String = url
        .host_str()
        .unwrap_or("page")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' })
        .take(60)
        .collect();
    let seconds = now.duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    PathBuf::from(format!("{host}-{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}.trace.zip"))
}

/// Days since 1970-01-01 to year, month, day (Howard Hinnant's algorithm for days from 0).
fn civil(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn default_names_hold_host_and_time() {
        let url = url::Url::parse("http://127.0.0.1:8080/x").unwrap();
        // 2024-02-29 12:34:56 UTC
        let at = UNIX_EPOCH + Duration::from_secs(1_709_210_096);
        assert_eq!(default_name(&url, at), PathBuf::from("127.0.0.1-20240229-123456.trace.zip"));
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_723), (2024, 1, 1));
    }

    #[test]
    fn a_taken_name_is_numbered_before_its_extensions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.b.trace.zip");
        assert_eq!(free_name(&path), path);
        fs::write(&path, "x").unwrap();
        fs::write(dir.path().join("a.b-2.trace.zip"), "x").unwrap();
        assert_eq!(free_name(&path), dir.path().join("a.b-3.trace.zip"));
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.zip");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(write_atomically(&path.join("below"), b"x").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
        assert_eq!(check_writable(dir.path()).unwrap_err().code, 2);
    }
}
