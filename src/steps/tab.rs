//! What the grammar remembers of a tab between two events.

use super::hover::Shown;
use super::ledger::Before;
use super::outside::{Answered, Asked, Open};
use crate::mirror::NodeRef;
use crate::trace::{InputCause, Modifier, Point};
use crate::wire::agent::Verb;

/// A pointer went down; what it means shows later.
#[derive(Clone, Debug)]
pub(super) struct Down {
    pub before: Before,
    /// The node under the pointer.
    pub under: NodeRef,
    /// The control of a label that was hit.
    pub control: Option<NodeRef>,
    pub button: i32,
    pub touch: bool,
    pub mods: Vec<Modifier>,
    /// In the top viewport, or in the frame's own where that is not known.
    pub at: Point,
    pub facts: Vec<u64>,
    /// When and where it came up.
    pub up: Option<(f64, Point)>,
    /// A drag of the platform began.
    pub dragging: bool,
    /// What it came over last, and where.
    pub over: Option<(NodeRef, Point)>,
    /// The browser took the gesture over.
    pub cancelled: bool,
    /// It is part of a step already: what follows of it makes no other.
    pub used: bool,
}

/// Evidence of a field, taken before its value changed.
#[derive(Clone, Debug)]
pub(super) struct Frozen {
    pub before: Before,
    pub node: NodeRef,
    /// The newest step at that time; when another came, only the target still counts.
    pub newest: Option<u32>,
    pub facts: Vec<u64>,
    /// Taken at a key, so that the gesture began then.
    pub by_key: bool,
}

/// A press step that may have consequences which are no steps of their own.
#[derive(Clone, Debug)]
pub(super) struct Pressed {
    pub uid: u32,
    pub t: f64,
    pub name: String,
    pub node: NodeRef,
}

/// Why a container may scroll next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cause {
    pub t: f64,
    pub node: NodeRef,
    /// A key is a step already.
    pub by: InputCause,
    pub n: u64,
}

/// A scroll under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub uid: u32,
    pub node: NodeRef,
    /// A scroll later than this is another one.
    pub until: f64,
}

/// A scroll under way that is no step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drift {
    /// Where its event stands among the recorder's.
    pub event: usize,
    pub node: NodeRef,
    /// A scroll later than this is another one.
    pub until: f64,
}

/// An agent's action.
#[derive(Clone, Debug)]
pub(super) struct AgentAction {
    pub call: u32,
    pub verb: Verb,
    /// Its step; `None` while paused.
    pub uid: Option<u32>,
    /// Enter after filling.
    pub submit: Option<u32>,
    pub trusted: bool,
    pub started: f64,
    /// When it was over; facts from before still belong to it.
    pub ended: Option<f64>,
}

#[derive(Debug, Default)]
pub(super) struct Tab {
    /// The browser's id.
    pub id: f64,
    pub closed: bool,
    pub url: String,
    /// When its documents last changed.
    pub active: f64,
    /// The last input that the browser vouched for.
    pub trusted: Option<f64>,
    pub down: Option<Down>,
    /// A click made without its click event, in case the event is only late.
    pub early: Option<(u32, f64, NodeRef)>,
    pub focused: Option<NodeRef>,
    pub frozen: Option<Frozen>,
    pub pressed: Option<Pressed>,
    /// The last key that is part of an edit, as long as no input event answered it.
    pub typed: Option<(NodeRef, f64)>,
    /// The last clipboard shortcut.
    pub clipboard: Option<(Before, u64)>,
    /// A file input that a program clicked.
    pub chooser: Option<NodeRef>,
    pub cause: Option<Cause>,
    /// What was shown lately, for hovers.
    pub shown: Shown,
    pub bursts: Vec<Burst>,
    pub drifts: Vec<Drift>,
    pub agent: Option<AgentAction>,
    /// When its first document that shows something reported in, and its newest.
    pub first_document: Option<f64>,
    pub last_document: Option<f64>,
    /// Its last navigation to another document.
    pub last_navigation: Option<f64>,
    /// The tab as it was before its document went.
    pub leaving: Option<Before>,
    /// A dialog of the browser that is open.
    pub dialog: Option<Open>,
    /// The last question before leaving that was answered.
    pub asked: Option<Asked>,
    /// What a server answered, until its document is told of.
    pub answered: Option<Answered>,
}

impl Tab {
    /// Forgets gestures under way.
    pub fn rest(&mut self) {
        self.down = None;
        self.early = None;
        self.frozen = None;
        self.pressed = None;
        self.typed = None;
        self.clipboard = None;
        self.chooser = None;
        self.cause = None;
        self.bursts.clear();
        self.drifts.clear();
    }
}
