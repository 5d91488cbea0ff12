//! The events of a trace. Times are milliseconds since the epoch (`t_ms`) or durations in milliseconds
//! (`…_ms`); lengths are CSS pixels in the viewport of the tab's top document.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::annotation::*;
pub use super::events::*;
pub use super::pages::*;
use crate::action::Action;

/// The value of [`Header::format`].
pub const FORMAT: &str = "tracerule-trace";
/// The newest version of the format this build reads and the one it writes.
pub const VERSION: u32 = 1;
/// What stands for every masked secret, whatever its length.
pub const MASK: &str = "••••••••";

/// The first line of `trace.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// Always [`FORMAT`].
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// Unique name of the session.
    pub id: String,
    /// A person's reference or a run to be scored.
    pub role: Role,
    /// What the person called it, or the page's title.
    #[serde(default)]
    pub title: String,
    /// Where it began.
    #[serde(default)]
    pub url: String,
    /// When recording began.
    pub started_ms: f64,
    /// When it ended; absent in a session that was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<f64>,
    /// What recorded it.
    pub recorder: RecorderInfo,
    /// The viewport at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// The perturbations in force; absent when the page was left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perturb: Option<crate::perturb::Settings>,
    /// The task, where one was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The run's number within its campaign, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<u32>,
    /// What hashes of typed secrets are salted with, hexadecimal; a run takes its reference's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_salt: Option<String>,
    /// What the person had masked, as selectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mask: Vec<String>,
    /// How pictures were taken and pages waited for, where the person chose.
    #[serde(default, skip_serializing_if = "Capture::is_default")]
    pub capture: Capture,
    /// What must hold at the end (a reference's goal).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<Assertion>,
    /// How the run ended, told by whoever ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Edits by hand in force; absent when the trace is as it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Edited>,
    /// What another tool's file said of the whole and this format has no field for, by the format's name. It is
    /// written back into files of that format.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, serde_json::Value>,
}

/// Which of the two a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What an expert did.
    Reference,
    /// What was done by whoever is measured.
    Run,
}

/// The recorder and the browser it ran in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecorderInfo {
    /// The version of Tracerule.
    pub version: String,
    /// `extension` or `inpage`.
    pub via: String,
    /// As `chromium 156` or `firefox 153`.
    pub browser: String,
}

/// A viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Viewport {
    /// CSS px.
    pub width: f64,
    /// CSS px.
    pub height: f64,
    /// Device pixels per CSS pixel.
    pub dpr: f64,
}

/// How pictures are taken and what is waited for before them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capture {
    /// The files that pictures are kept in.
    #[serde(default)]
    pub picture: PictureFormat,
    /// How good they are, from 1 to 100; [`Capture::QUALITY`] when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<u8>,
    /// Pictures show the whole page and not only what is in view, where the browser's debugger is attached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full_page: bool,
    /// A locator: after a step the page is waited for until it shows that element, instead of until it is quiet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle_for: Option<String>,
}

impl Capture {
    /// The quality of pictures when none is asked for, from 1 to 100.
    pub const QUALITY: u8 = 80;

    /// Nothing was chosen.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The quality in force, from 1 to 100.
    pub fn quality(&self) -> u8 {
        self.quality.unwrap_or(Self::QUALITY).clamp(1, 100)
    }

    /// Checks what a person wrote.
    ///
    /// # Errors
    /// In words, what cannot be used and what can.
    pub fn validate(&self) -> Result<(), String> {
        if let Some(quality) = self.quality.filter(|quality| !(1..=100).contains(quality)) {
            return Err(format!("a picture's quality is from 1 to 100, not {quality}"));
        }
        match &self.settle_for {
            Some(locator) => crate::mirror::check_locator(locator),
            None => Ok(()),
        }
    }
}

/// In what files pictures are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PictureFormat {
    /// WebP, half as large.
    #[default]
    Webp,
    /// JPEG, which everything can show.
    Jpeg,
}

impl std::str::FromStr for PictureFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "webp" => Ok(PictureFormat::Webp),
            "jpeg" | "jpg" => Ok(PictureFormat::Jpeg),
            _ => Err("pictures are webp or jpeg".to_owned()),
        }
    }
}

/// How a run ended, apart from whether its goal was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ending {
    /// Why it ended.
    pub status: EndingStatus,
    /// In words.
    #[serde(default)]
    pub reason: String,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndingStatus {
    /// The agent or the person said it was done.
    Done,
    /// The time limit.
    Timeout,
    /// The step limit.
    StepLimit,
    /// The agent's process failed.
    AgentError,
    /// The harness, the browser or the agent's provider failed.
    Infra,
}

/// One line of `trace.jsonl` after the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Something was done.
    Step(Box<Step>),
    /// A chunk of the mirror's stream.
    Dom(DomChunk),
    /// Something happened to a page or a tab.
    Page(PageEvent),
    /// A perturbation was applied, shown or dismissed.
    Perturbation(PerturbationEvent),
    /// An agent called a tool.
    ToolCall(ToolCall),
    /// Tokens and cost, as the agent reports them.
    Usage(Usage),
    /// Time spent waiting.
    Wait(WaitEvent),
    /// An assertion and its verdict.
    Check(CheckEvent),
    /// Something was seen that could not be recorded.
    Coverage(CoverageEvent),
    /// Free text, from a person or an agent.
    Note(NoteEvent),
    /// Something was done to the recording by hand.
    Edit(crate::edit::Edit),
    /// A step as it was recorded, before it was changed or left out by hand.
    Original(Box<Step>),
    /// How much of what was seen is in the trace; the last of its kind counts.
    CoverageSummary(CoverageSummary),
    /// A view was scrolled otherwise than by a step.
    Scroll(ScrollEvent),
}

impl Event {
    /// When it happened, ms since the epoch.
    pub fn t_ms(&self) -> f64 {
        match self {
            Event::Step(e) => e.t_ms,
            Event::Dom(e) => e.t_ms,
            Event::Page(e) => e.t_ms,
            Event::Perturbation(e) => e.t_ms,
            Event::ToolCall(e) => e.t_ms,
            Event::Usage(e) => e.t_ms,
            Event::Wait(e) => e.t_ms,
            Event::Check(e) => e.t_ms,
            Event::Coverage(e) => e.t_ms,
            Event::Note(e) => e.t_ms,
            Event::Edit(e) => e.t_ms,
            Event::Original(e) => e.t_ms,
            Event::CoverageSummary(e) => e.t_ms,
            Event::Scroll(e) => e.t_ms,
        }
    }
}

/// One step of a trajectory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// From 0, without gaps.
    pub seq: u32,
    /// Start, ms since the epoch.
    pub t_ms: f64,
    /// From the first to the last input event of the gesture.
    pub elapsed_ms: f64,
    /// What was done.
    pub action: Action,
    /// The text filled, the option's label selected, the address gone to, the files' names …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// All values, where there can be several (select, upload).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// For `press`, as `Enter` or `Control+Shift+K` (names of KeyboardEvent.key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// For pointer actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<Button>,
    /// Clicks in the gesture (1 for a plain click).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Held while acting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<Modifier>,
    /// Where a scroll ended (offset of the container) or a drag was released (viewport).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Point>,
    /// On what a drag was released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_target: Option<Target>,
    /// What brought it about, where the action does not say: for a scroll, and for a fill without keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<InputCause>,
    /// What was copied, cut or pasted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// The value was a secret and stands masked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// What of a secret is kept, so that two can be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_value: Option<SecretValue>,
    /// On what; absent for steps of the page or tab as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The address of the document acted in, when the gesture began.
    pub url: String,
    /// The frame elements from the top document down, as locators; empty in the top document.
    pub frame: Vec<String>,
    /// The tab, numbered from 0 in order of appearance.
    pub tab: u32,
    /// The state just before.
    pub pre: State,
    /// The state after settling.
    pub post: State,
    /// What changed between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dom: Option<DomDiff>,
    /// How long the page took to settle and what ended the wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle: Option<Settle>,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether the browser vouched for the input (`isTrusted`).
    pub trusted: bool,
    /// Who acted.
    pub actor: Actor,
    /// The perturbation this step answers, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perturbation: Option<String>,
    /// For `dialog`: what was asked and how it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<Dialog>,
    /// The input facts it was made of, as positions in the session's stream.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<u64>,
    /// What the expert says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotation: Option<Box<Annotation>>,
    /// Where it comes from, in a trace that was edited; absent when it stands as it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What another tool's file said of the step and this format has no field for, by the format's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, serde_json::Value>,
}

/// A typed secret, as far as it is kept. See docs/TRACE.md for what a hash can betray.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretValue {
    /// What kind of secret.
    pub class: SecretClass,
    /// Characters.
    pub length: u32,
    /// The first hexadecimal digits of PBKDF2-HMAC-SHA-256 of the text; fewer for what is easily guessed, none for
    /// the shortest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// Its salt, hexadecimal. Hashes of different salts say nothing about each other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub salt: String,
}

impl SecretValue {
    /// Whether the two texts can be the same, as far as is known of them.
    pub fn may_equal(&self, other: &SecretValue) -> bool {
        let comparable = self.salt == other.salt && !self.salt.is_empty();
        self.length == other.length && (!comparable || self.hash == other.hash)
    }
}

/// Kinds of secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SecretClass {
    /// A password, passphrase or key.
    Password,
    /// A one-time code or PIN.
    Code,
    /// Of a payment card.
    Card,
    /// What the page or the person masked.
    Masked,
}

/// What the clipboard carried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Payload {
    /// MIME types, or `Files`, as the browser lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Its text; masked when it is a secret, cut after 1,000 characters.
    #[serde(default)]
    pub text: String,
    /// Characters of the whole text.
    #[serde(default)]
    pub length: u32,
}

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person, or a script that plays one from outside.
    Human,
    /// An agent, through Tracerule's channel.
    Agent,
}

/// What brought a scroll or a fill about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputCause {
    /// A person turned the wheel, or moved two fingers on a touch pad.
    Wheel,
    /// A person moved a finger or pen on the screen.
    Touch,
    /// A person dragged the scroll bar, or pressed it.
    ScrollBar,
    /// A person pressed a key; the key is the step.
    Key,
    /// No input did: the page's script, or the browser for it (a link within the page, focus, history).
    Program,
    /// The browser filled the field in with what it keeps, when a person asked for it.
    Autofill,
}

impl InputCause {
    /// Its name in a trace.
    pub fn name(self) -> &'static str {
        match self {
            InputCause::Wheel => "wheel",
            InputCause::Touch => "touch",
            InputCause::ScrollBar => "scroll_bar",
            InputCause::Key => "key",
            InputCause::Program => "program",
            InputCause::Autofill => "autofill",
        }
    }
}

/// A pointer's button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The primary one.
    Left,
    /// The wheel.
    Middle,
    /// The secondary one.
    Right,
    /// History back.
    Back,
    /// History forward.
    Forward,
}

/// A modifier key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Modifier {
    /// Control.
    Control,
    /// Alt or Option.
    Alt,
    /// Shift.
    Shift,
    /// Command or the Windows key.
    Meta,
}

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// CSS px.
    pub x: f64,
    /// CSS px.
    pub y: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    /// CSS px.
    pub x: f64,
    /// CSS px.
    pub y: f64,
    /// CSS px.
    pub width: f64,
    /// CSS px.
    pub height: f64,
}

/// What was acted on, as it was at pointerdown or the first key, before the page reacted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The ARIA role.
    pub role: String,
    /// The accessible name.
    pub name: String,
    /// The element's local name.
    pub tag: String,
    /// Candidates, best first.
    pub locators: Vec<Locator>,
    /// Through frames and shadow roots, for people.
    pub dom_path: String,
    /// In the top viewport; absent when it was not measured.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub rect: Option<Rect>,
    /// Where the pointer was, in the top viewport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Point>,
}

/// A way to find an element again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Locator {
    /// The kind of evidence it rests on.
    pub kind: LocatorKind,
    /// As `role=button[name="Save"]`, `css=#save` …, within the document and shadow root of the target;
    /// see `docs/TRACE.md` for the grammar.
    pub value: String,
    /// How many nodes it matched at that instant, in the whole frame, shadow roots included.
    pub matches: u32,
    /// Why it may not last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volatile: Vec<Volatility>,
}

/// What a locator rests on, in order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocatorKind {
    /// `data-testid` and its kin.
    TestId,
    /// Role and accessible name.
    Role,
    /// A form field's label.
    Label,
    /// A placeholder.
    Placeholder,
    /// Visible text.
    Text,
    /// A lasting attribute (id, name, href, alt, title …).
    Attribute,
    /// Relative to a named neighbour: in the row that holds a text, under a heading.
    Relative,
    /// A CSS selector.
    Css,
    /// The path from the root.
    Path,
}

/// A reason to trust a locator less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Volatility {
    /// Looks machine-made.
    Generated,
    /// Holds a number.
    Number,
    /// Rests on position among siblings.
    Position,
    /// Rests on words that changed while recording.
    Changing,
}

/// Evidence of a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The screenshot, if one could be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<Screenshot>,
    /// Hash of the accessibility state (roles, names, values, states; no ids, no focus).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_hash: Option<String>,
}

/// A screenshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Screenshot {
    /// The name of the blob, `blobs/<sha256>.<ext>`.
    pub blob: String,
    /// When its capture began.
    pub t_ms: f64,
    /// When its capture ended, ms since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<f64>,
    /// Device pixels.
    pub width: u32,
    /// Device pixels.
    pub height: u32,
    /// What the tab showed, in CSS px, and how many device pixels those are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// How far the page was scrolled, CSS px.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scroll: Option<Point>,
    /// How old it is, ms: before a step from the end of the capture to the action, after a step from the end of the
    /// wait to the beginning of the capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_ms: Option<f64>,
    /// It shows the whole page, from its top left corner, and not only what was in view.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full_page: bool,
    /// The document changed between this picture and the moment it stands for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

impl Screenshot {
    /// A picture of which no more is known than its file.
    pub fn of_file(blob: String, t_ms: f64, width: u32, height: u32) -> Screenshot {
        let (ended_ms, viewport, scroll, age_ms) = (None, None, None, None);
        Screenshot { blob, t_ms, ended_ms, width, height, viewport, scroll, age_ms, full_page: false, stale: false }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// How a document changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomDiff {
    /// Nodes that came.
    pub added: u32,
    /// Nodes that went.
    pub removed: u32,
    /// Nodes that changed place.
    pub moved: u32,
    /// Attribute changes.
    pub attributes: u32,
    /// Text changes.
    pub text: u32,
    /// Changes of values, checks and selections.
    pub values: u32,
    /// Changes of style sheets by script.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub styles: u32,
    /// Nodes before.
    pub nodes_before: u32,
    /// Nodes after.
    pub nodes_after: u32,
}

/// Settling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settle {
    /// From the last input event to quiet.
    pub ms: f64,
    /// What ended the wait.
    pub ended_by: SettleEnd,
    /// From the last input event to the end of the wait, ms; absent where nothing was waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_ms: Option<f64>,
    /// What it was waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<SettleParts>,
}

/// How long each thing took that a page was waited for, ms from the last input event to when it was seen to be so.
/// What is absent was not so by the end of the wait, or was not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettleParts {
    /// The document changed for the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dom_ms: Option<f64>,
    /// The last request of the frame acted in came back; 0 when it made none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_ms: Option<f64>,
    /// The fonts in use were loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fonts_ms: Option<f64>,
    /// The images in view were loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images_ms: Option<f64>,
    /// Two frames were painted after all that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paint_ms: Option<f64>,
    /// The element that was named was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_ms: Option<f64>,
}

/// What ended a wait for quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettleEnd {
    /// Nothing changed for the quiet time, and nothing was on its way.
    Quiet,
    /// The element that was named was there.
    Element,
    /// A new document finished loading and was quiet.
    Navigation,
    /// The next action came first.
    NextAction,
    /// The longest allowed wait.
    Cap,
    /// The tab or the session ended.
    End,
}

/// What came of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Outcome {
    /// Something changed, or nothing had to.
    #[default]
    Ok,
    /// The state hash stayed as it was.
    NoEffect,
    /// It could not be done.
    Error {
        /// Why.
        code: FailureCode,
        /// In words.
        message: String,
    },
}

/// Why an action failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// Nothing matches the target.
    NotFound,
    /// Several match.
    Ambiguous,
    /// The element left the document since the snapshot.
    Gone,
    /// It has no visible box.
    Hidden,
    /// Something else would get the click.
    Covered,
    /// It is disabled.
    Disabled,
    /// The action does not fit the element (select on a button …).
    WrongKind,
    /// No such option, key, tab …
    BadValue,
    /// The navigation failed.
    Navigation,
    /// The wait ran out.
    Timeout,
    /// No tab is granted to the agent.
    NotGranted,
    /// The browser refused.
    Browser,
}

/// A chunk of the stream that the mirror was built from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomChunk {
    /// Time of its first entry.
    pub t_ms: f64,
    /// The blob, JSON Lines of log entries; see `docs/TRACE.md`.
    pub blob: String,
    /// How many entries.
    pub entries: u32,
}

/// Something happened to a page or a tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PageEvent {
    /// When.
    pub t_ms: f64,
    /// The tab, numbered from 0.
    pub tab: u32,
    /// What.
    pub what: PageChange,
    /// The address, where one belongs to it.
    #[serde(default)]
    pub url: String,
    /// More: a transition, a dialog's text, a download's name, a status.
    #[serde(default)]
    pub detail: String,
    /// The HTTP status of a page that was loaded, where the browser tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Where the server sent the browser before it came here, first to last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<Redirect>,
    /// The file, for `download`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub download: Option<Download>,
}

/// What happened to a page or a tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageChange {
    /// A new document was committed.
    Navigated,
    /// The address changed within the document.
    SamePage,
    /// The document finished loading.
    Loaded,
    /// A navigation failed.
    Failed,
    /// A tab appeared.
    TabOpened,
    /// A tab came to the front.
    TabSwitched,
    /// A tab closed.
    TabClosed,
    /// The tab's process died.
    Crashed,
    /// A dialog of the browser.
    Dialog,
    /// A download.
    Download,
    /// The page was printed, or its print preview was shown.
    Print,
    /// What a newer version knows.
    #[serde(other)]
    Other,
}

/// Something that must hold at the end, pointed at by the expert.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assertion {
    /// What is compared.
    pub kind: AssertionKind,
    /// On what; absent for `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The frame elements from the top down, as locators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frame: Vec<String>,
    /// The text, value, count (decimal), `true`/`false`, or address wanted. Texts compare after white
    /// space is folded; an address may hold `*` for any run of characters.
    pub expected: String,
}

/// What an assertion compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssertionKind {
    /// The element's text equals.
    Text,
    /// The field's value equals.
    Value,
    /// The element is there and visible (`true`), or not (`false`).
    Visible,
    /// The box is checked (`true`), or not (`false`).
    Checked,
    /// That many elements match the target's first locator.
    Count,
    /// The tab's address matches.
    Url,
}

/// A whole trace in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The first line.
    pub header: Header,
    /// The others, in time order.
    pub events: Vec<Event>,
    /// Blobs by name (`blobs/<sha256>.<ext>`).
    pub blobs: BTreeMap<String, Vec<u8>>,
}

impl Trace {
    /// The steps, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.events.iter().filter_map(|event| match event {
            Event::Step(step) => Some(&**step),
            _ => None,
        })
    }
}
