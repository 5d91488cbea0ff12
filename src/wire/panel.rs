//! What the side panel asks of the hub (`chrome.runtime.sendMessage({panel: Request})`, answered by
//! `{ok: …}` or `{error: text}`), and what the hub tells open panels on the port named `panel`
//! ([`Status`], whenever it changes). Stored traces the panel reads itself, from the store.

use serde::{Deserialize, Serialize};

use crate::edit::{Op, StepId};
use crate::trace::{Assertion, AssertionKind, Capture, CoverageEvent, Edited, Role, Step};

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
        /// Selectors of what is not to be seen.
        #[serde(default)]
        mask: Vec<String>,
        /// Agents may act in it.
        #[serde(default)]
        grant: bool,
        /// Dialogs are watched through the browser's debugger, which shows a bar.
        #[serde(default)]
        watch: bool,
        /// How pictures are taken and what is waited for before them.
        #[serde(default)]
        capture: Capture,
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
    /// Does something to a recording by hand. → [`Status`].
    Edit {
        /// Which; the one that is being recorded when absent.
        #[serde(default)]
        session: Option<String>,
        /// What. A piece that is recorded afterwards is begun by [`Request::Insert`].
        edit: Op,
    },
    /// Records a piece for another place: in the session recorded now, or in one that is stored, which is taken up
    /// again in the active tab. → [`Status`].
    Insert {
        /// Which; the one that is being recorded when absent.
        #[serde(default)]
        session: Option<String>,
        /// Behind this step; to the front without it.
        #[serde(default)]
        after: Option<StepId>,
        /// In place of this step.
        #[serde(default)]
        replaces: Option<StepId>,
    },
    /// The piece is complete: recording goes on at the end as it was before, or ends again. → [`Status`].
    InsertEnd,
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
    /// Its steps so far (the last may still grow), with the edits laid over them.
    pub steps: Vec<Step>,
    /// The names of those steps.
    pub step_ids: Vec<StepId>,
    /// Edits in force.
    #[serde(default)]
    pub edited: Option<Edited>,
    /// What an undo would take back.
    #[serde(default)]
    pub undo: Option<Op>,
    /// What a redo would do again.
    #[serde(default)]
    pub redo: Option<Op>,
    /// The piece that is being recorded for another place.
    #[serde(default)]
    pub piece: Option<Piece>,
    /// A hotkey was pressed that wants something of the panel.
    #[serde(default)]
    pub hotkey: Option<Hotkey>,
    /// Its assertions.
    pub assertions: Vec<Assertion>,
    /// What could not be recorded.
    pub coverage: Vec<CoverageEvent>,
    /// Dialogs can be watched if the person asks for it, at the price of the browser's bar.
    #[serde(default)]
    pub can_watch: bool,
    /// Frames that are seen and not recorded.
    #[serde(default)]
    pub blind: Vec<crate::trace::BlindFrame>,
    /// Documents that are being recorded.
    #[serde(default)]
    pub documents: u32,
    /// What dialogs say and how they are answered is seen.
    #[serde(default)]
    pub dialogs_seen: bool,
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

/// A piece that is being recorded for another place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Its number.
    pub number: u32,
    /// Behind this step; to the front without it.
    #[serde(default)]
    pub after: Option<StepId>,
    /// In place of this step.
    #[serde(default)]
    pub replaces: Option<StepId>,
    /// The session had ended, and ends again with the piece.
    #[serde(default)]
    pub reopened: bool,
}

/// A hotkey of the browser, pressed while recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hotkey {
    /// Counts presses, so that the same key twice is two.
    pub n: u32,
    /// When, ms since the epoch: a panel that is opened by the key knows that it is meant.
    pub t_ms: f64,
    /// The step it is about: the last one.
    pub step: StepId,
    /// What is wanted.
    pub command: Command,
}

/// What hotkeys do, by the names of the manifest's `commands`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Opens the field for the last step's intent.
    AnnotateIntent,
    /// Opens the form for what else would do in the last step.
    AnnotateVariant,
    /// Marks the last step as a key node, or no longer.
    MarkKeyNode,
    /// Marks the last step as one that must not be done, or no longer.
    MarkForbidden,
}
