//! Asking the program to end: Ctrl-C, SIGTERM, a closed terminal.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::error::CliError;

/// Signals closer than this are one request: wrappers pass a Ctrl-C on to a program that got it already.
const ONE_REQUEST: Duration = Duration::from_millis(700);

/// Counts the requests to end since it was made; the first means "finish well", the second "now".
#[derive(Clone, Debug)]
pub struct Interrupts {
    count: Arc<AtomicU32>,
    changed: Arc<Notify>,
    last: Arc<Mutex<Option<Instant>>>,
}

impl Interrupts {
    /// Takes over the process's signals.
    ///
    /// # Errors
    /// When the system refuses the handlers.
    pub fn listen() -> Result<Interrupts, CliError> {
        let this = Interrupts { count: Arc::default(), changed: Arc::default(), last: Arc::default() };
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
                let mut stream =
                    signal(kind).map_err(|e| CliError::environment(format!("cannot listen for signals: {e}")))?;
                let this = this.clone();
                tokio::spawn(async move {
                    while stream.recv().await.is_some() {
                        this.raise();
                    }
                });
            }
        }
        #[cfg(not(unix))]
        {
            let this = this.clone();
            tokio::spawn(async move {
                while tokio::signal::ctrl_c().await.is_ok() {
                    this.raise();
                }
            });
        }
        Ok(this)
    }

    fn raise(&self) {
        let now = Instant::now();
        let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        if before.is_some_and(|before| now.duration_since(before) < ONE_REQUEST) {
            return;
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    /// How many came so far.
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }

    /// Returns once at least `n` came.
    pub async fn reached(&self, n: u32) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.count() >= n {
                return;
            }
            changed.await;
        }
    }
}
