//! Child processes in groups of their own, so that nothing they started survives them.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};

/// The argument by which the program becomes a watch (see [`watch`]).
pub const WATCH: &str = "__watch";
/// What a watch is told when there is nothing left to end.
const STAND_DOWN: &[u8] = b"done";

/// A child and all it starts. Dropping it kills the group; so does the death of this program, by a watch.
#[derive(Debug)]
pub struct Group {
    child: Child,
    id: Option<u32>,
    watch: Option<File>,
}

impl Group {
    /// Starts a command in a new process group.
    ///
    /// # Errors
    /// As the system tells it.
    pub fn spawn(command: &mut Command) -> std::io::Result<Group> {
        #[cfg(unix)]
        command.process_group(0);
        let child = command.kill_on_drop(true).spawn()?;
        let id = child.id();
        let watch = id.and_then(start_watch);
        Ok(Group { child, id, watch })
    }

    /// The child itself, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The child's process id.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// Waits for the child's end; may be cancelled and called again.
    ///
    /// # Errors
    /// As the system tells it.
    pub async fn wait(&mut self) -> std::io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Whether the child runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks the group to end, waits, then makes it.
    pub async fn end(&mut self, grace: Duration) {
        self.signal(false);
        let _ = tokio::time::timeout(grace, self.child.wait()).await;
        // Also after the leader's end: its children may have stayed.
        self.signal(true);
        let _ = tokio::time::timeout(Duration::from_secs(5), self.child.wait()).await;
        // The number may be another's from now on.
        self.id = None;
        self.stand_down();
    }

    fn stand_down(&mut self) {
        if let Some(mut watch) = self.watch.take() {
            // One that died has nothing to be told.
            let _ = watch.write_all(STAND_DOWN);
        }
    }

    #[cfg(unix)]
    fn signal(&self, hard: bool) {
        if let Some(id) = self.id {
            signal_group(id, hard);
        }
    }

    #[cfg(not(unix))]
    fn signal(&mut self, hard: bool) {
        if hard {
            let _ = self.child.start_kill();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(true);
        self.stand_down();
    }
}

#[cfg(unix)]
fn signal_group(id: u32, hard: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if hard { Signal::KILL } else { Signal::TERM };
    if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // An empty group is the wanted state.
        let _ = kill_process_group(pid, signal);
    }
}

/// Starts this program as a watch over a group, so that a killed companion does not leave its browser behind.
/// The pipe's end means the companion's.
#[cfg(unix)]
fn start_watch(id: u32) -> Option<File> {
    let exe = std::env::current_exe().ok()?;
    // In tests the program is another.
    if exe.file_stem()? != "tracerule" {
        return None;
    }
    let mut command = Command::new(exe);
    command.arg(WATCH).arg(id.to_string()).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // The runtime reaps it; it is not killed on drop, or it could not do its work.
    command.spawn().ok()?.stdin.take()?.into_owned_fd().ok().map(File::from)
}

#[cfg(not(unix))]
fn start_watch(_id: u32) -> Option<File> {
    None
}

/// Waits until standard input ends, which it does when whoever started us dies; then ends the group, unless we
/// were told to stand down.
pub fn watch(group: u32) {
    let mut told = Vec::new();
    let read = std::io::stdin().read_to_end(&mut told);
    if read.is_ok() && told == STAND_DOWN {
        return;
    }
    #[cfg(unix)]
    {
        signal_group(group, false);
        std::thread::sleep(Duration::from_secs(3));
        signal_group(group, true);
    }
    #[cfg(not(unix))]
    let _ = group;
}

/// An exit status in words.
pub fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("killed by signal {signal}");
        }
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "ended".to_owned(),
    }
}
