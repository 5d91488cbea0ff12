//! The session's append-only log. Everything derived (mirror, steps, trace) is a fold over it, so a killed
//! hub reads it again and goes on. Entries are numbered from 0 within a session, without gaps.

use serde::{Deserialize, Serialize};

use crate::trace::{
    Assertion, CheckEvent, CoverageEvent, DialogKind, Download, Ending, FailureCode, FrameAccess, NoteEvent,
    PerturbationEvent, Point, Redirect, SettleEnd, SettleParts, ToolCall, Usage, Viewport,
};

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "e", rename_all = "snake_case")]
pub enum Entry {
    /// A frame's sensor reported in (again, after a reconnection, with the same token).
    Document(Document),
    /// A batch of a frame's stream.
    Batch(Batch),
    /// A frame's document is gone.
    Gone {
        /// Its token.
        doc: String,
        /// When.
        t: f64,
    },
    /// A navigation was committed, as the browser tells it.
    Navigation(Navigation),
    /// A tab came, went or came to the front.
    Tab {
        /// When.
        t: f64,
        /// The browser's id.
        tab: f64,
        /// What.
        change: TabChange,
        /// The tab that opened it.
        #[serde(default)]
        opener: Option<f64>,
        /// Its address.
        #[serde(default)]
        url: String,
    },
    /// A dialog of the browser opened and holds the tab's page.
    DialogOpened {
        /// When.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// Which function of the page opened it.
        kind: DialogKind,
        /// What it says.
        message: String,
    },
    /// It was answered.
    DialogClosed {
        /// When.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// Accepted or dismissed; absent when that could not be known.
        #[serde(default)]
        accepted: Option<bool>,
        /// What was typed into an accepted prompt.
        #[serde(default)]
        text: Option<String>,
    },
    /// A page was blocked by something that only the browser knows of, most likely a dialog.
    Blocked {
        /// Since when.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// How long.
        ms: f64,
    },
    /// A download began, or is over: the later entry of a number counts.
    Download {
        /// When it began.
        t: f64,
        /// The browser's tab that it most likely came from.
        tab: f64,
        /// The browser's number of it.
        id: f64,
        /// Where it came from.
        url: String,
        /// What is known of the file.
        file: Download,
    },
    /// A server answered a load of a tab's top document.
    Response {
        /// When.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// The address that answered.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The redirects before, first to last.
        #[serde(default)]
        redirects: Vec<Redirect>,
    },
    /// A load of a tab's top document came to nothing.
    Failed {
        /// When.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// Where it should have led.
        url: String,
        /// Why, in the browser's words.
        why: String,
    },
    /// A frame is shown in which there is no sensor.
    Blind {
        /// When.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// It is the tab's top document.
        top: bool,
        /// Its address.
        url: String,
        /// Why it is not recorded.
        access: FrameAccess,
    },
    /// The wait after an action is over.
    Settled {
        /// When.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// When it fell quiet, which is before `t`.
        quiet_since: f64,
        /// Why.
        ended_by: SettleEnd,
        /// When each thing was so that was waited for: ms from the last input event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parts: Option<SettleParts>,
    },
    /// A screenshot was taken of a tab.
    Shot {
        /// Before the capture.
        t_start: f64,
        /// After it.
        t_end: f64,
        /// The browser's tab.
        tab: f64,
        /// The blob's name.
        blob: String,
        /// Device pixels.
        width: u32,
        /// Device pixels.
        height: u32,
        /// What the tab showed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        viewport: Option<Viewport>,
        /// How far the page was scrolled, CSS px.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scroll: Option<Point>,
        /// It shows the whole page.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        full_page: bool,
    },
    /// An agent's action begins: input facts up to [`Entry::ActionEnd`] in this tab are its doing.
    ActionBegin {
        /// When.
        t: f64,
        /// The browser's tab.
        tab: f64,
        /// Numbers the agent's actions in the session, from 1.
        call: u32,
        /// What was asked, as [`super::agent::Act`].
        act: Box<super::agent::Act>,
        /// Whether the browser vouches for the input.
        trusted: bool,
        /// The node aimed at (document token, node number).
        #[serde(default)]
        target: Option<(String, u32)>,
    },
    /// The agent's action is over.
    ActionEnd {
        /// When.
        t: f64,
        /// As in [`Entry::ActionBegin`].
        call: u32,
        /// Why it failed.
        #[serde(default)]
        error: Option<(FailureCode, String)>,
    },
    /// An agent's tool call, complete.
    ToolCall(ToolCall),
    /// What the agent reports.
    Usage(Usage),
    /// Text.
    Note(NoteEvent),
    /// A perturbation.
    Perturbation(PerturbationEvent),
    /// The document and host element of a shown pop-up, so that steps in it are told apart.
    PopupNode {
        /// The perturbation's id.
        id: String,
        /// The document's token.
        doc: String,
        /// Its host element.
        node: u32,
    },
    /// A goal assertion was added by the expert.
    Assertion(Assertion),
    /// An assertion was evaluated.
    Check(CheckEvent),
    /// Something could not be recorded.
    Coverage(CoverageEvent),
    /// Recording pauses: steps are not made of what follows, the mirror goes on.
    Pause {
        /// When.
        t: f64,
    },
    /// Recording resumes.
    Resume {
        /// When.
        t: f64,
    },
    /// Something was done to the recording by hand. A [`crate::edit::Op::Segment`] begins a piece that is recorded
    /// for another place, also in a session that had ended.
    Edit(crate::edit::Edit),
    /// That piece is complete.
    SegmentEnd {
        /// When.
        t: f64,
    },
    /// The session ended.
    End {
        /// When.
        t: f64,
        /// How.
        #[serde(default)]
        ending: Option<Ending>,
    },
}

/// A frame's document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// When.
    pub t: f64,
    /// The sensor's random token, unique to the document.
    pub doc: String,
    /// The browser's tab.
    pub tab: f64,
    /// Whether it is the tab's top document.
    pub top: bool,
    /// Its address.
    pub url: String,
    /// Its viewport.
    #[serde(default)]
    pub viewport: Option<Viewport>,
}

/// A batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// The document's token.
    pub doc: String,
    /// From 0 within the document, without gaps.
    pub seq: u32,
    /// What its times count from, ms since the epoch.
    pub t0: f64,
    /// Its strings.
    pub strings: Vec<String>,
    /// Its operations, see [`super::op`].
    pub ops: Vec<i32>,
}

/// A navigation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Navigation {
    /// When it was committed.
    pub t: f64,
    /// The browser's tab.
    pub tab: f64,
    /// Where to.
    pub url: String,
    /// In the top frame.
    pub top: bool,
    /// Within the document (history API or fragment).
    pub same_document: bool,
    /// What caused it.
    pub cause: Cause,
}

/// What caused a navigation, as far as the browser tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A link, a form or a script of the page.
    Page,
    /// The address bar, a bookmark, the command line.
    Typed,
    /// Reload.
    Reload,
    /// One or more back in history.
    Back,
    /// One or more forward.
    Forward,
    /// A redirect by the client.
    Redirect,
    /// Asked by an agent or by Tracerule.
    Channel,
}

/// What happened to a tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TabChange {
    /// It belongs to the session from now on.
    Opened,
    /// It came to the front.
    Activated,
    /// It is closed.
    Closed,
    /// Its process died.
    Crashed,
}
