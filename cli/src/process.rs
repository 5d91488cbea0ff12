//! Child processes in groups of their own, so that nothing they started survives them.

use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{Child, Command};

/// A child and all it starts. Dropping it kills the group.
#[derive(Debug)]
pub struct Group {
    child: Child,
    id: Option<u32>,
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
        Ok(Group { child, id })
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
    }

    #[cfg(unix)]
    fn signal(&self, hard: bool) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = if hard { Signal::KILL } else { Signal::TERM };
        let pid = self.id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // An empty group is the wanted state.
            let _ = kill_process_group(pid, signal);
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
    }
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
