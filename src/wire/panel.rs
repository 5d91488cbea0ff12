//! What the side panel asks of the hub (`chrome.runtime.sendMessage({panel: Request})`, answered by
//! `{ok: …}` or `{error: text}`), and what the hub tells open panels on the port named `panel`
//! ([`Status`], whenever it changes). Stored traces the panel reads itself, from the store.

use serde::{Deserialize, Serialize};

use crate::trace::{AssertionKind, Role, Step};

/// A request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Request {
    /// → [`Status`].
    Status,
    /// Records the active tab (or the one named). → [`Status`].
    Start {
        /// The browser's tab; the active one of the last focused window when absent.
        #[serde(default)]
        tab: Option<f64>,
        /// What for.
        role: Role,
        /// A name.
        #[serde(default)]
        title: String,
        /// Perturbations.
        #[serde(default)]
        perturb: Option<crate::perturb::Settings>,
        /// Agents may act in it.
        #[serde(default)]
        grant: bool,
    },
    /// → [`Status`].
    Pause,
    /// → [`Status`].
    Resume,
    /// → [`Status`].
    Stop,
    /// The person points at the page; → [`Status`] once the assertion is added or cancelled.
    Assert {
        /// What is asserted; its expected value is read off the page.
        kind: AssertionKind,
    },
    /// Gives up pointing. → [`Status`].
    AssertCancel,
    /// Takes back the last assertion, or the one of that number. → [`Status`].
    AssertRemove {
        /// In [`Status::assertions`].
        index: u32,
    },
    /// Connects to a companion. → [`Status`].
    Connect {
        /// The line printed by `tracerule serve`, as `ws://127.0.0.1:PORT/#TOKEN`.
        pairing: String,
    },
    /// → [`Status`].
    Disconnect,
    /// Lets agents act in the tab recorded now. → [`Status`].
    Grant,
    /// No longer. → [`Status`].
    Revoke,
    /// Opens the report in a tab. → `null`.
    Report {
        /// The reference's session.
        reference: String,
        /// The runs' sessions.
        runs: Vec<String>,
    },
}

/// The hub's state, for the panel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The session being recorded.
    pub session: Option<String>,
    /// What it is.
    pub role: Option<Role>,
    /// It is paused.
    pub paused: bool,
    /// The person is pointing.
    pub picking: bool,
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// Its steps so far (the last may still grow).
    pub steps: Vec<Step>,
    /// Its assertions, as sentences.
    pub assertions: Vec<String>,
    /// What could not be recorded, as sentences.
    pub coverage: Vec<String>,
    /// Perturbations in force.
    pub perturb: Option<crate::perturb::Settings>,
    /// The companion's address, when connected.
    pub relay: Option<String>,
    /// Agents connected.
    pub agents: Vec<String>,
    /// Agents may act.
    pub granted: bool,
    /// Trusted input is possible in this browser.
    pub can_trust: bool,
    /// The last thing that went wrong, to be shown where the person looks.
    pub problem: Option<String>,
}
