//! Input events as the sensor saw them, before anything is decided. Times are ms since the epoch,
//! coordinates CSS px in the viewport of the event's own frame.

use serde::{Deserialize, Serialize};

use crate::trace::{Modifier, Rect};

/// One input event. `n` is the deepest node on its composed path (closed shadow roots included).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// `event.timeStamp` on the epoch.
    pub t: f64,
    /// The node; 0 when it was not in the mirror.
    pub n: u32,
    /// `isTrusted`.
    pub trusted: bool,
    /// `location.href` at that moment.
    pub url: String,
    /// What.
    #[serde(flatten)]
    pub kind: Kind,
}

/// The kinds of input event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "lowercase")]
pub enum Kind {
    /// A button or finger went down. Target evidence is frozen here.
    PointerDown(Pointer),
    /// It came up.
    PointerUp(Pointer),
    /// The gesture was taken over (drag, pan).
    PointerCancel(Pointer),
    /// Primary button.
    Click(Pointer),
    /// Other buttons.
    AuxClick(Pointer),
    /// Second click.
    DblClick(Pointer),
    /// Context menu asked for, by mouse or key.
    ContextMenu(Pointer),
    /// A drag of the platform began.
    DragStart(Pointer),
    /// It came over an element.
    DragEnter(Pointer),
    /// It ended on a target that takes it.
    Drop(Pointer),
    /// It ended, wherever.
    DragEnd(Pointer),
    /// A wheel turned (at most one a 100 ms and node).
    Wheel {
        /// CSS px.
        dx: f64,
        /// CSS px.
        dy: f64,
    },
    /// A container's offset changed (also a `SCROLL` op just before; at most one a frame and node).
    Scroll {
        /// CSS px.
        x: f64,
        /// CSS px.
        y: f64,
    },
    /// A key went down. In a secret field a printable key is told as `•`.
    KeyDown {
        /// `event.key`.
        key: String,
        /// `event.code`.
        code: String,
        /// Held.
        #[serde(default)]
        mods: Vec<Modifier>,
        /// Auto-repeat.
        #[serde(default)]
        repeat: bool,
        /// Within a composition, or key 229.
        #[serde(default)]
        composing: bool,
    },
    /// A composition began.
    CompositionStart,
    /// It ended.
    CompositionEnd,
    /// A field or editable content changed by the user.
    Input(Edit),
    /// The field's change was committed.
    Change(Edit),
    /// What was typed into a secret field, as far as it may be told: after a change, and when the page is left.
    Secret(crate::trace::SecretValue),
    /// Copied.
    Copy(Clip),
    /// Cut.
    Cut(Clip),
    /// Pasted.
    Paste(Clip),
    /// Focus came to the node.
    Focus,
    /// A form is submitted (the node is the form).
    Submit,
    /// The document reached a state: `interactive`, `complete`, `show` (from the back-forward cache).
    Page {
        /// Which.
        state: String,
    },
    /// The document goes away.
    PageHide,
}

/// A pointer event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pointer {
    /// CSS px.
    pub x: f64,
    /// CSS px.
    pub y: f64,
    /// As `MouseEvent.button`.
    #[serde(default)]
    pub button: i32,
    /// As `UIEvent.detail`: clicks in a row; 0 for a click made by key or program.
    #[serde(default)]
    pub detail: u32,
    /// `mouse`, `touch`, `pen` or empty.
    #[serde(default)]
    pub pointer: String,
    /// Held.
    #[serde(default)]
    pub mods: Vec<Modifier>,
    /// The target's box at that moment.
    #[serde(default, rename = "box")]
    pub rect: Option<Rect>,
    /// Names of files that are dropped.
    #[serde(default)]
    pub files: Vec<String>,
    /// For a press: the elements that the pointer came over since the press before, oldest first.
    #[serde(default)]
    pub over: Vec<Over>,
    /// For a press: an element around the target that a style sheet shows only on hover, and what must be hovered.
    #[serde(default)]
    pub shown: Vec<[u32; 2]>,
}

/// The pointer came over an element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Over {
    /// The element.
    pub n: u32,
    /// When, ms since the epoch.
    pub t: f64,
    /// CSS px.
    pub x: f64,
    /// CSS px.
    pub y: f64,
}

/// What the clipboard takes or gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// MIME types, or `Files`.
    #[serde(default)]
    pub types: Vec<String>,
    /// Its text; masked when secret, cut when long.
    #[serde(default)]
    pub text: String,
    /// Characters of the text, all of them.
    #[serde(default)]
    pub length: u32,
    /// It came from or goes into a secret field, or holds a secret of the page.
    #[serde(default)]
    pub secret: bool,
}

/// A change of a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The value now; masked when secret. For editable content its text.
    #[serde(default)]
    pub value: String,
    /// As `InputEvent.inputType`; empty for other events.
    #[serde(default)]
    pub input_type: String,
    /// `input`'s type, or `textarea`, `select-one`, `select-multiple`, `contenteditable`.
    #[serde(default)]
    pub field: String,
    /// For boxes and radios.
    #[serde(default)]
    pub checked: Option<bool>,
    /// For lists: the chosen options' labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// For lists: the chosen options' values.
    #[serde(default)]
    pub values: Vec<String>,
    /// For file inputs: names.
    #[serde(default)]
    pub files: Vec<String>,
    /// The field is secret.
    #[serde(default)]
    pub secret: bool,
    /// The browser filled it in with what it keeps, without keys.
    #[serde(default)]
    pub autofill: bool,
}
