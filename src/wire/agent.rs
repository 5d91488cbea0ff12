//! JSON-RPC 2.0 between agents, the companion and the hub. The relay passes requests through; the hub
//! answers. MCP tools are mapped onto the same methods.
//!
//! Methods: `session.start` [`Start`] → [`Started`], `session.stop` [`Stop`] → [`Summary`],
//! `session.status` [`Which`] → [`Summary`], `session.list` → `[Summary]`,
//! `session.export` [`Export`] → [`Part`], `session.import` [`Import`] → [`Summary`], `session.score` [`Score`] → the scorer's
//! report, `session.edit` [`EditSession`] → [`Summary`], `observe` [`Observe`] → [`Answer`], `act` [`Act`] →
//! [`Answer`], `note` [`Note`] → `{}`, `dialog.event` (a dialog that the companion sees: `{url, opened}` or
//! `{url, closed}`) → `{}`.
//! Notifications hub → companion: `session.step` (a [`crate::trace::Step`]), `session.ended` [`Which`].
//! Only the companion (control role) may call `session.*`; agents have `session.status`, `observe`, `act`, `note`.

use serde::{Deserialize, Serialize};

use crate::trace::{Assertion, Button, Capture, Ending, FailureCode, Modifier, Point, Role, SettleEnd, Target};

/// The code of a JSON-RPC error: nothing answers at the address that a session was to begin at.
pub const UNREACHABLE: i64 = -32010;

/// Opens or takes a tab and records in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Opens this address in a new tab (or in the only empty one).
    #[serde(default)]
    pub url: Option<String>,
    /// Takes this tab of the browser instead.
    #[serde(default)]
    pub tab: Option<f64>,
    /// Reference or run; reference when absent.
    #[serde(default)]
    pub role: Option<Role>,
    /// A name for it.
    #[serde(default)]
    pub title: String,
    /// The task's name.
    #[serde(default)]
    pub task: Option<String>,
    /// The run's number.
    #[serde(default)]
    pub run: Option<u32>,
    /// Perturbations.
    #[serde(default)]
    pub perturb: Option<crate::perturb::Settings>,
    /// Evaluated at the end of the session.
    #[serde(default)]
    pub assertions: Vec<Assertion>,
    /// Selectors of what is not to be seen: masked in texts, values and pictures.
    #[serde(default)]
    pub mask: Vec<String>,
    /// What hashes of typed secrets are salted with, hexadecimal: the reference's, so that the two compare. This
    /// browser profile's own when absent.
    #[serde(default)]
    pub secret_salt: Option<String>,
    /// Agents may act in this session's tabs (granted by the command that started it).
    #[serde(default)]
    pub grant: bool,
    /// Dialogs are watched through the browser's debugger even where that shows its bar.
    #[serde(default)]
    pub watch: bool,
    /// How pictures are taken and what is waited for before them.
    #[serde(default)]
    pub capture: Capture,
}

/// A session began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Its id.
    pub session: String,
    /// Its first tab.
    pub tab: f64,
}

/// Names a session; the newest when absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Which {
    /// Its id.
    #[serde(default)]
    pub session: Option<String>,
}

/// Ends a session: waits for settling, evaluates its assertions, stores the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// Its id; the newest when absent.
    #[serde(default)]
    pub session: Option<String>,
    /// How it ended.
    #[serde(default)]
    pub ending: Option<Ending>,
}

/// A session in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Its id.
    pub session: String,
    /// Its name.
    pub title: String,
    /// Where it began.
    pub url: String,
    /// What it is.
    pub role: Role,
    /// When it began, ms since the epoch.
    pub started_ms: f64,
    /// When it ended.
    pub ended_ms: Option<f64>,
    /// Steps so far.
    pub steps: u32,
    /// Whether it is being recorded now.
    pub live: bool,
}

/// Asks for a part of a session's `.trace.zip`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// Its id.
    pub session: String,
    /// From 0.
    pub part: u32,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// From 0.
    pub part: u32,
    /// How many there are.
    pub parts: u32,
    /// Base64.
    pub data: String,
}

/// Takes in a `.trace.zip`, part by part; the last part's answer is the session's summary, those before `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The file's name, for messages.
    pub name: String,
    /// From 0.
    pub part: u32,
    /// How many there are.
    pub parts: u32,
    /// Base64.
    pub data: String,
}

/// Scores runs against a reference, in the extension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The reference's session.
    pub reference: String,
    /// The runs' sessions.
    pub runs: Vec<String>,
}

/// Does something to a recording by hand, as the side panel does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditSession {
    /// Its id; the one that is being recorded when absent.
    #[serde(default)]
    pub session: Option<String>,
    /// What.
    #[serde(flatten)]
    pub what: EditWhat,
}

/// What is done to a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum EditWhat {
    /// An edit.
    Edit {
        /// Which.
        edit: crate::edit::Op,
    },
    /// Records a piece for another place, in a session that ended as well.
    Insert {
        /// Behind this step; to the front without it.
        #[serde(default)]
        after: Option<crate::edit::StepId>,
        /// In place of this step.
        #[serde(default)]
        replaces: Option<crate::edit::StepId>,
        /// In which of the browser's tabs an ended session is taken up again; the active one when absent.
        #[serde(default)]
        tab: Option<f64>,
    },
    /// That piece is complete.
    InsertEnd,
    /// Pauses.
    Pause,
    /// Resumes.
    Resume,
}

/// Looks at the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observe {
    /// The session; the agent's own when absent.
    #[serde(default)]
    pub session: Option<String>,
    /// With a screenshot.
    #[serde(default)]
    pub screenshot: bool,
    /// Without the snapshot's text.
    #[serde(default)]
    pub no_snapshot: bool,
    /// The tool as the agent called it, for the trace.
    #[serde(default)]
    pub call: Option<Called>,
}

/// A tool as called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Called {
    /// Its name.
    pub name: String,
    /// Its arguments, in full.
    pub arguments: serde_json::Value,
}

/// Does something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// The session; the agent's own when absent.
    #[serde(default)]
    pub session: Option<String>,
    /// What.
    #[serde(flatten)]
    pub verb: Verb,
    /// What a recording knows of the target; takes the place of the verb's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Box<Recorded>>,
    /// What the agent says it is acting on, for people and the trace.
    #[serde(default)]
    pub element: Option<String>,
    /// Why, in the agent's words.
    #[serde(default)]
    pub reason: Option<String>,
    /// Answers with a screenshot too.
    #[serde(default)]
    pub screenshot: bool,
    /// Answers without a snapshot.
    #[serde(default)]
    pub no_snapshot: bool,
    /// The tool as the agent called it, for the trace.
    #[serde(default)]
    pub call: Option<Called>,
}

/// The target of a recorded step: all its locators are tried together, and waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The frame elements from the top document down.
    pub frame: Vec<String>,
    /// The target.
    pub target: Target,
    /// So long may it take to come and to become usable, ms.
    pub patience_ms: f64,
}

/// The agent's verbs. A `target` is a ref of the snapshot (`e12`, `f1e3`), a locator of a trace
/// (`role=button[name="Save"]`; frames joined with ` >> `), or a CSS selector that matches one element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Verb {
    /// Clicks.
    Click {
        /// On what.
        target: String,
        /// Left when absent.
        #[serde(default)]
        button: Option<Button>,
        /// Twice.
        #[serde(default)]
        double: bool,
        /// Held.
        #[serde(default)]
        modifiers: Vec<Modifier>,
        /// Where on it, CSS px from its box's top left; its middle when absent or out of reach.
        #[serde(default)]
        position: Option<Point>,
        /// In a row, where more than twice.
        #[serde(default)]
        count: Option<u32>,
    },
    /// Presses on it, moves, and releases. Needs trusted input.
    Drag {
        /// What is dragged.
        target: String,
        /// Where it is taken, CSS px from its box's top left; its middle when absent.
        #[serde(default)]
        position: Option<Point>,
        /// The element onto which it is dragged.
        #[serde(default)]
        onto: Option<String>,
        /// Where it is released: CSS px from the top left of `onto`, its middle when absent; without `onto` in the
        /// top viewport.
        #[serde(default)]
        to: Option<Point>,
        /// Held.
        #[serde(default)]
        modifiers: Vec<Modifier>,
    },
    /// Puts files into a file input.
    Upload {
        /// The input.
        target: String,
        /// The files, in order; none empties it.
        files: Vec<FileContent>,
    },
    /// Replaces a field's text.
    Fill {
        /// The field.
        target: String,
        /// The text.
        value: String,
        /// Presses Enter afterwards.
        #[serde(default)]
        submit: bool,
        /// Types key by key, without replacing.
        #[serde(default)]
        slowly: bool,
    },
    /// Presses a key where the focus is, or in the target.
    Press {
        /// As `Control+K`.
        key: String,
        /// Focused first.
        #[serde(default)]
        target: Option<String>,
    },
    /// Answers the dialog of the browser that is open.
    Dialog {
        /// Accepts (OK, Leave) rather than dismisses (Cancel, Stay).
        accept: bool,
        /// What to put into a prompt.
        #[serde(default)]
        text: Option<String>,
    },
    /// Chooses options by label or value.
    Select {
        /// The list.
        target: String,
        /// Labels or values.
        values: Vec<String>,
    },
    /// Makes a box checked.
    Check {
        /// The box.
        target: String,
    },
    /// Makes a box unchecked.
    Uncheck {
        /// The box.
        target: String,
    },
    /// Moves the pointer onto it.
    Hover {
        /// The element.
        target: String,
    },
    /// Scrolls.
    Scroll {
        /// The container; the page when absent.
        #[serde(default)]
        target: Option<String>,
        /// CSS px.
        #[serde(default)]
        dx: f64,
        /// CSS px.
        #[serde(default)]
        dy: f64,
    },
    /// Goes to an address.
    Goto {
        /// Absolute.
        url: String,
    },
    /// One back.
    Back,
    /// One forward.
    Forward,
    /// Loads again.
    Reload,
    /// Waits for a time, a text, a text's going, or an element.
    Wait {
        /// Seconds, at most 60.
        #[serde(default)]
        time: Option<f64>,
        /// Until this text is there.
        #[serde(default)]
        text: Option<String>,
        /// Until this text is gone.
        #[serde(default)]
        text_gone: Option<String>,
        /// Until this element is there and can be seen; named as the target of any other verb.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<String>,
    },
    /// Opens a tab.
    TabOpen {
        /// Where.
        #[serde(default)]
        url: Option<String>,
    },
    /// Brings a tab to the front.
    TabSwitch {
        /// As in [`Answer::tabs`].
        index: u32,
    },
    /// Closes a tab.
    TabClose {
        /// The current one when absent.
        #[serde(default)]
        index: Option<u32>,
    },
}

/// A file for an upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileContent {
    /// Without folders.
    pub name: String,
    /// As `image/png`; empty when it is not known.
    #[serde(default)]
    pub mime: String,
    /// Base64.
    pub data: String,
}

/// The answer to `act` and `observe`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Whether the action was done.
    pub ok: bool,
    /// If not, why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// What ended the settling, and after how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Whether the browser vouched for the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// The dialog of the browser that is open and waits for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<crate::trace::Dialog>,
    /// Which of a recorded target's locators told it, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<u32>,
    /// What dialogs of the browser said meanwhile, and how they were answered. No failure of the action.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// The address now.
    pub url: String,
    /// The title now.
    pub title: String,
    /// The agent's tabs.
    #[serde(default)]
    pub tabs: Vec<TabInfo>,
    /// The snapshot's hash, which names what the agent saw.
    #[serde(default)]
    pub hash: String,
    /// The snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<Image>,
    /// The steps recorded so far.
    #[serde(default)]
    pub steps: u32,
}

/// A picture in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// As `image/png`.
    pub mime: String,
    /// Base64.
    pub data: String,
}

/// A tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TabInfo {
    /// From 0.
    pub index: u32,
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// It is the one acted in.
    pub current: bool,
}

/// Why an action failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub code: FailureCode,
    /// What happened, where, and what to do next.
    pub message: String,
}

/// Settling, as told to agents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// What ended it.
    pub reason: SettleEnd,
    /// How long.
    pub ms: f64,
}

/// What an agent says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The session; the agent's own when absent.
    #[serde(default)]
    pub session: Option<String>,
    /// Text.
    #[serde(default)]
    pub text: Option<String>,
    /// Tokens and cost since the last report.
    #[serde(default)]
    pub usage: Option<crate::trace::Usage>,
    /// Ms spent waiting on the provider's rate limit.
    #[serde(default)]
    pub rate_limited_ms: Option<f64>,
}

/// Keys the relay adds to requests it passes to the hub, as `params._from`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct From {
    /// The connection's name, unique while it lasts.
    pub client: String,
    /// The companion itself.
    pub control: bool,
}

/// Modifier names of other tools (`ControlOrMeta`, `Ctrl`, `Cmd` …); `None` for an unknown one.
pub fn modifier(name: &str) -> Option<Modifier> {
    Some(match name {
        "Control" | "Ctrl" | "ControlOrMeta" => Modifier::Control,
        "Alt" | "Option" => Modifier::Alt,
        "Shift" => Modifier::Shift,
        "Meta" | "Command" | "Cmd" => Modifier::Meta,
        _ => return None,
    })
}
