//! Wrong usage and missing things: one clear line, the documented exit code, no panic.

// A panic in a test is the report.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

fn tracerule(args: &[&str], envs: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracerule"));
    for name in ["TRACERULE_URL", "TRACERULE_TOKEN", "TRACERULE_DIST", "TRACERULE_CHROMIUM", "TRACERULE_FIREFOX"] {
        command.env_remove(name);
    }
    command.args(args).envs(envs.iter().copied()).output().unwrap()
}

fn refuses(args: &[&str], envs: &[(&str, &str)], code: i32, words: &str) {
    let output = tracerule(args, envs);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    assert!(stderr.contains(words), "{args:?}: {stderr}");
    assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
}

fn task(dir: &Path, text: &str) -> String {
    let path = dir.join("task.toml");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn wrong_usage_exits_with_2() {
    refuses(&["no-such-command"], &[], 2, "no-such-command");
    refuses(&["record", "not a url"], &[], 2, "not a web address");
    refuses(&["record", "file:///etc/passwd"], &[], 2, "cannot be recorded");
    refuses(&["record", "http://a/", "--browser", "lynx"], &[], 2, "lynx");
    refuses(&["record", "http://a/", "--perturb", "earthquake"], &[], 2, "earthquake");
    refuses(&["record", "http://a/", "--window-size", "0x0"], &[], 2, "WIDTHxHEIGHT");
    refuses(&["record", "http://a/", "--debug-port", "0"], &[], 2, "--debug-port");
    refuses(&["record", "http://a/", "--picture", "gif"], &[], 2, "webp or jpeg");
    refuses(&["record", "http://a/", "--picture-quality", "0"], &[], 2, "--picture-quality");
    refuses(&["record", "http://a/", "--settle-for", "role=button[nam"], &[], 2, "--settle-for");
    refuses(&["record", "http://a/", "--settle-for", ""], &[], 2, "a locator is missing");
    refuses(&["serve", "--port", "99999999"], &[], 2, "--port");
    refuses(&["serve", "--out", "x.zip"], &[], 2, "--launch");
    refuses(&["mcp"], &[], 2, "TRACERULE_URL");
    refuses(&["mcp", "--url", "http://example.com:1/"], &[("TRACERULE_TOKEN", "x")], 2, "this machine");
    refuses(&["mcp", "--url", "http://127.0.0.1:1/"], &[], 2, "TRACERULE_TOKEN");
    refuses(&["replay", "/nonexistent.zip"], &[], 2, "/nonexistent.zip");
    refuses(&["recover", "/nonexistent", "--out", "/tmp/x.trace.zip"], &[], 2, "not a profile");
}

#[test]
fn a_directory_is_no_place_for_a_trace() {
    let dir = tempfile::tempdir().unwrap();
    refuses(&["record", "http://127.0.0.1:1/", "--out", &dir.path().display().to_string()], &[], 2, "directory");
}

#[test]
fn what_is_missing_exits_with_3_and_says_how_to_get_it() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("x.trace.zip").display().to_string();
    let record = ["record", "http://127.0.0.1:1/", "--headless", "--out", &out];
    refuses(&record, &[("TRACERULE_CHROMIUM", "/nonexistent/chromium")], 3, "TRACERULE_CHROMIUM");
    refuses(&record, &[("PATH", "/nonexistent")], 3, "no chromium is installed");
    let exe = env!("CARGO_BIN_EXE_tracerule");
    let dist = dir.path().display().to_string();
    refuses(&record, &[("TRACERULE_CHROMIUM", exe), ("TRACERULE_DIST", &dist)], 3, "cargo xtask build");
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_browser_that_dies_at_once_is_told_with_its_last_words() {
    let dir = tempfile::tempdir().unwrap();
    let extension = dir.path().join("dist/chromium");
    std::fs::create_dir_all(&extension).unwrap();
    std::fs::write(extension.join("manifest.json"), "{}").unwrap();
    let browser = dir.path().join("browser");
    std::fs::write(&browser, "#!/bin/sh\necho no such display >&2\nexit 9\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (browser, dist) = (browser.display().to_string(), dir.path().join("dist").display().to_string());
    let out = dir.path().join("x.trace.zip").display().to_string();
    let record = ["record", "http://127.0.0.1:1/", "--headless", "--out", &out];
    let envs = [("TRACERULE_CHROMIUM", browser.as_str()), ("TRACERULE_DIST", dist.as_str())];
    refuses(&record, &envs, 3, "exit code 9");
    refuses(&record, &envs, 3, "no such display");
}

#[test]
fn a_wrong_task_file_is_refused_with_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let good = "name = \"a\"\nurl = \"http://127.0.0.1:1/\"\ngoal = \"g\"\n";
    let out = dir.path().join("out");
    let out = out.display().to_string();
    for (text, words) in [
        (String::new(), "name"),
        ("name = ".to_owned(), "line 1"),
        ("name = \"a\"\nurl = \"x\"\n".to_owned(), "goal"),
        (good.replace("http://127.0.0.1:1/", "nowhere"), "'url'"),
        (good.replace("\"g\"", "\" \""), "'goal' is empty"),
        (format!("{good}gaol = 1\n"), "gaol"),
        (format!("{good}reference = \"absent.zip\"\n"), "absent.zip"),
        (format!("{good}[limits]\nsteps = 0\n"), "limits.steps"),
        (format!("{good}[limits]\nseconds = -1\n"), "limits.seconds"),
        (format!("{good}[limits]\nseconds = nan\n"), "limits.seconds"),
        (format!("{good}[limits]\nsteps = \"many\"\n"), "steps"),
        (format!("{good}[capture]\npicture = \"gif\"\n"), "webp"),
        (format!("{good}[capture]\nquality = 0\n"), "from 1 to 100"),
        (format!("{good}[capture]\nsettle_for = \"\"\n"), "a locator is missing"),
        (format!("{good}[capture]\nsettle = \"css=a\"\n"), "settle"),
    ] {
        let task = task(dir.path(), &text);
        refuses(&["run", &task, "--agent", "true", "--out", &out], &[], 2, words);
    }
    let task = task(dir.path(), good);
    refuses(&["run", &task, "--agent", " ", "--out", &out], &[], 2, "--agent");
    refuses(&["run", &task, "--agent", "true", "--out", &out, "--runs", "0"], &[], 2, "--runs");
    refuses(&["run", &task, "--agent", "true", "--out", &out, "--perturb", "quake"], &[], 2, "quake");
    assert!(!Path::new(&out).exists(), "nothing is written for a wrong task");
}

#[test]
fn help_tells_exit_codes_and_examples() {
    let help = String::from_utf8(tracerule(&["--help"], &[]).stdout).unwrap();
    for words in ["Exit codes", "Examples", "record", "run", "replay", "serve", "mcp", "recover"] {
        assert!(help.contains(words), "{words}");
    }
    for command in ["record", "run", "replay", "serve", "mcp", "recover"] {
        let output = tracerule(&[command, "--help"], &[]);
        assert!(output.status.success());
        assert!(String::from_utf8(output.stdout).unwrap().contains("Example"), "{command}");
    }
}
