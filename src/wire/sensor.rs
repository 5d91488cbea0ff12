//! What the hub and a frame's sensor say to each other on their port, apart from the stream.
//!
//! Sensor to hub: `{hello: Hello}` once a connection; `{batch: {seq, t0, strings, ops: Int32Array}}`;
//! `{reply: {id, …}}` in answer to a command, always after a flush of the stream. Hub to sensor:
//! `{yours: Yours}` when the document is recorded, `{ack: seq}` when a batch is stored, `{command: Command}`. Batches not acknowledged are sent again after
//! a reconnection.

use serde::{Deserialize, Serialize};

use crate::trace::{Button, Modifier, Point, Rect, Viewport};

/// The sensor in the extension: what runs in every frame.
pub const SCRIPTS: [&str; 1] = ["sensor/sensor.js"];

/// What a recorded frame gets a moment later: what measures it, and what compares that tells of no change.
pub const LATER: [&str; 1] = ["sensor/later.js"];

/// What [`LATER`] is made of.
pub const LATER_SOURCES: [&str; 2] = ["sensor/measure.js", "sensor/sheets.js"];

/// What a frame gets besides when an agent acts in it, when it is perturbed, when the person points at an element, and
/// when something is typed into a secret field.
pub const ACTING: [&str; 1] = ["sensor/acting.js"];

/// What [`ACTING`] is made of.
pub const ACTING_SOURCES: [&str; 5] =
    ["sensor/seal.js", "sensor/editable.js", "sensor/hands.js", "sensor/acting.js", "sensor/staging.js"];

/// What [`SCRIPTS`] is made of, in order. The last one connects to the hub; the in-page recorder has the others, and
/// its own module in that one's place.
pub const SOURCES: [&str; 10] = [
    "sensor/wire.js",
    "sensor/secrets.js",
    "sensor/hover.js",
    "sensor/nodes.js",
    "sensor/stage.js",
    "sensor/input.js",
    "sensor/editable.js",
    "sensor/frames.js",
    "sensor/port.js",
    "sensor/content.js",
];

/// Which fields are secret whatever they are called; one that ever matched stays so for its life. Values are masked
/// at the source. Pages may add their own fields with `data-tracerule-secret`; what else makes a field secret is in
/// [`super::secrets`].
pub const SECRET_SELECTOR: &str = "input[type=password i],input[type=hidden i],\
    [autocomplete~=current-password i],[autocomplete~=new-password i],[autocomplete~=one-time-code i],\
    [autocomplete*=cc- i],[data-tracerule-secret]";
/// Regions in which every text is secret, as pages mark them; a person adds selectors of their own.
pub const MASK_SELECTOR: &str = "[data-tracerule-mask]";
/// How often the hash of a typed secret is iterated (PBKDF2 with HMAC-SHA-256).
pub const HASH_ROUNDS: u32 = 1000;

/// The first message of a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The document's token.
    pub doc: String,
    /// Ms since the epoch.
    pub t: f64,
    /// `window === top`.
    pub top: bool,
    /// `location.href`.
    pub url: String,
    /// The frame's viewport.
    pub viewport: Viewport,
    /// The first batch that this connection will carry (batches before were acknowledged).
    pub next_seq: u32,
}

/// What a sensor is told when its document is recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Yours {
    /// Selectors of what the person does not want to be seen.
    #[serde(default)]
    pub mask: Vec<String>,
    /// What hashes of typed secrets are salted with, hexadecimal.
    #[serde(default)]
    pub salt: String,
    /// Names of secret fields of the session's pages, in lower case: parameters of that name are secret.
    #[serde(default)]
    pub names: Vec<String>,
    /// The same of hidden fields.
    #[serde(default)]
    pub hidden: Vec<String>,
}

/// A command to one frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// Answered by a reply with the same number.
    pub id: u32,
    /// What.
    #[serde(flatten)]
    pub ask: Ask,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// Send `BOX` for every element, then `MARK MEASURED`. Reply: `{}`.
    Measure,
    /// Boxes to black out in a screenshot, and where child frames lie. Reply: [`SecretsReply`].
    Secrets,
    /// Two animation frames, and then whether what is in view is complete. Reply: [`RestReply`].
    Rest,
    /// Scroll the node into view if needed, and say where and how it can be hit. Reply: [`PointReply`].
    Locate {
        /// The node.
        node: u32,
        /// The point of it that is wanted, CSS px from its box's top left; its middle when absent or out of reach.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
    },
    /// Where this frame stands among its parent's. Reply: [`PlaceReply`].
    Place,
    /// Which element shows that frame. Reply: [`ChildReply`].
    Child {
        /// The browser's number of the frame, for browsers that know the number of an element's frame.
        frame: f64,
        /// Its place among `window.frames`; none in a shadow root.
        index: Option<u32>,
        /// Its address.
        url: String,
        /// Its viewport, CSS px.
        size: (f64, f64),
        /// Nothing else can be meant by an element that is left over.
        only: bool,
    },
    /// The element shows the document of that token, provided it still shows the window of that place. Reply:
    /// [`ChildReply`].
    Tie {
        /// The element.
        node: u32,
        /// The document's token.
        token: String,
        /// As in [`Ask::Child`].
        index: Option<u32>,
    },
    /// Do it with synthetic events. Reply: [`ActReply`].
    Act {
        /// The node, 0 for the focused one.
        node: u32,
        /// What.
        what: Synthetic,
    },
    /// Focus the node and select all its content, so that typed text replaces it. Reply: [`ActReply`].
    SelectAll {
        /// The node.
        node: u32,
    },
    /// Give the node the focus, and leave it as it is where it has it: its selection is the person's. Reply:
    /// [`ActReply`].
    Focus {
        /// The node.
        node: u32,
    },
    /// Choose options by label or value. Reply: [`ActReply`].
    Choose {
        /// The `select` element.
        node: u32,
        /// Labels or values.
        values: Vec<String>,
    },
    /// Put files into a file input, with input and change events. Reply: [`ActReply`].
    Upload {
        /// The input.
        node: u32,
        /// The files, their contents in base64.
        files: Vec<crate::wire::agent::FileContent>,
    },
    /// Two animation frames, or 100 ms when the page does not draw. Reply: `{}` after a flush.
    Frames,
    /// Shift elements. Reply: [`JitterReply`].
    Jitter {
        /// Wanted shifts: node, dx, dy (CSS px).
        shifts: Vec<(u32, f64, f64)>,
    },
    /// Change colours with a CSS filter list on the root; empty restores. Reply: `{}`.
    Colors {
        /// As `invert(1) hue-rotate(180deg)`.
        filter: String,
    },
    /// Show a pop-up of ours. Reply: [`PopupReply`]; a second reply message
    /// `{popup: {id, dismissed: "stay" | "leave"}}` comes without being asked when it is answered.
    Popup {
        /// The perturbation's id. Not `id` on the wire: that is the command's.
        #[serde(rename = "popup")]
        id: String,
        /// What it says.
        texts: PopupTexts,
    },
    /// Let the person point at an element; clicks are swallowed until then. Reply: [`PickReply`].
    Pick,
    /// Stop picking. Reply: `{}`.
    PickCancel,
    /// Tell of no input until resumed; the mirror goes on. Reply: `{}`.
    Pause,
    /// Tell of input again. Reply: `{}`.
    Resume,
    /// Stop listening, take back perturbations, disconnect. Reply: `{}`.
    Stop,
}

/// Synthetic input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Synthetic {
    /// Pointer, mouse and click events at the node's centre.
    Click {
        /// Which.
        button: Button,
        /// 1 or 2.
        count: u32,
        /// Held.
        #[serde(default)]
        modifiers: Vec<Modifier>,
    },
    /// Set a field's text, with key, input and change events.
    Type {
        /// The text.
        text: String,
        /// Replace what is there.
        replace: bool,
    },
    /// Press a key, with the default actions a browser would take (Enter submits, Tab moves …).
    Press {
        /// As `Control+K`.
        key: String,
    },
    /// Scroll a container.
    Scroll {
        /// CSS px.
        dx: f64,
        /// CSS px.
        dy: f64,
    },
}

/// Popup texts, in the page's language or the browser's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PopupTexts {
    /// Heading.
    pub title: String,
    /// Sentence.
    pub body: String,
    /// The benign button.
    pub stay: String,
    /// The wrong button: the page is left by `location.reload()`.
    pub leave: String,
}

/// Whether what a frame shows is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestReply {
    /// No font is being loaded.
    pub fonts: bool,
    /// No image in view is being loaded.
    pub images: bool,
    /// Two frames were painted; a page that is not shown paints none.
    pub painted: bool,
}

/// Where child frames and secrets lie, in the frame's own viewport.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SecretsReply {
    /// Boxes of secret fields.
    pub secrets: Vec<Rect>,
    /// Frame elements: node and content box.
    pub frames: Vec<(u32, Rect)>,
    /// The frame's viewport, CSS px: where its element is transformed or zoomed, its px count otherwise outside.
    #[serde(default)]
    pub size: (f64, f64),
    /// How far it is scrolled, CSS px.
    #[serde(default)]
    pub scroll: (f64, f64),
    /// Device pixels per CSS px.
    #[serde(default)]
    pub dpr: f64,
}

/// Where a frame stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaceReply {
    /// Its parent's document is of the same origin, and knows it already.
    #[serde(default)]
    pub tied: bool,
    /// Its place among its parent's `window.frames`; none in a shadow root.
    #[serde(default)]
    pub index: Option<u32>,
    /// Its viewport, CSS px.
    #[serde(default)]
    pub size: (f64, f64),
}

/// The element that shows a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChildReply {
    /// The node; 0: not known (yet).
    #[serde(default)]
    pub node: u32,
    /// There are several that it could be.
    #[serde(default)]
    pub several: bool,
}

/// How a node can be hit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PointReply {
    /// The node is still connected.
    pub connected: bool,
    /// It has a visible box.
    pub visible: bool,
    /// It is disabled (itself, its fieldset, aria-disabled).
    pub disabled: bool,
    /// It can be typed into.
    pub editable: bool,
    /// Its box in the frame's viewport after scrolling.
    pub rect: Option<Rect>,
    /// The point to use.
    pub point: Option<Point>,
    /// The node that would get a click there; the same or one inside it (or its label) is a hit.
    pub hit: u32,
    /// Whether that counts as a hit.
    pub hits: bool,
    /// What covers it, for people: `div#overlay "Please wait"`.
    #[serde(default)]
    pub covered_by: String,
    /// The content box of each frame element is needed to reach the top viewport; own frame only here.
    #[serde(default)]
    pub scrolled: bool,
}

/// Whether a synthetic act could be done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActReply {
    /// It was done.
    pub ok: bool,
    /// If not, why: a [`crate::trace::FailureCode`] in snake case.
    #[serde(default)]
    pub code: Option<crate::trace::FailureCode>,
    /// In words.
    #[serde(default)]
    pub message: String,
    /// The shortcut that selects the rest too, where only what is drawn could be selected: editors know more.
    #[serde(default)]
    pub keys: String,
}

/// What came of a jitter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JitterReply {
    /// Realised shifts: node, dx, dy. 0, 0: withheld by a gate.
    pub realised: Vec<(u32, f64, f64)>,
}

/// A pop-up was shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PopupReply {
    /// The host element; 0 if it could not be shown.
    pub node: u32,
}

/// The person pointed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PickReply {
    /// The node; 0: cancelled.
    pub node: u32,
}
