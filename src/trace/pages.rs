//! What happens around a page: dialogs, downloads, redirects, and how much of all this is in the trace.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A dialog of the browser and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dialog {
    /// Which function of the page opened it.
    pub kind: DialogKind,
    /// What it said; empty where the browser does not tell, as for `beforeunload`.
    #[serde(default)]
    pub message: String,
    /// Accepted (OK, Leave) or dismissed (Cancel, Stay); absent when that could not be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
    /// What was typed into an accepted prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The kinds of dialog, by the page's function that opens them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialogKind {
    /// `alert`.
    Alert,
    /// `confirm`.
    Confirm,
    /// `prompt`.
    Prompt,
    /// The question whether to leave the page.
    Beforeunload,
    /// It could not be known.
    #[serde(other)]
    Unknown,
}

impl DialogKind {
    /// By the name that browsers use on their remote protocols.
    pub fn from_name(name: &str) -> DialogKind {
        match name {
            "alert" => DialogKind::Alert,
            "confirm" => DialogKind::Confirm,
            "prompt" => DialogKind::Prompt,
            "beforeunload" => DialogKind::Beforeunload,
            _ => DialogKind::Unknown,
        }
    }

    /// As the page calls it.
    pub fn name(self) -> &'static str {
        match self {
            DialogKind::Alert => "alert",
            DialogKind::Confirm => "confirm",
            DialogKind::Prompt => "prompt",
            DialogKind::Beforeunload => "beforeunload",
            DialogKind::Unknown => "dialog",
        }
    }
}

/// One hop of a chain of redirects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Redirect {
    /// The address that answered with a redirect.
    pub url: String,
    /// Its HTTP status.
    pub status: u16,
}

/// A downloaded file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Download {
    /// The file's name, without its folder.
    pub name: String,
    /// Its media type, where the browser tells it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mime: String,
    /// Bytes; absent while it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// SHA-256 of its content in hex. Only a companion can read the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// `complete`, `interrupted` (with the browser's reason in `why`) or `in_progress` (the session ended first).
    pub state: String,
    /// Why it was interrupted, or why it was not hashed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What the recorder could do in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameAccess {
    /// Its sensor reported in.
    Recording,
    /// The browser let no sensor in, or none reported.
    NoAccess,
    /// The browser keeps extensions out of such pages.
    Forbidden,
}

/// How much of what was seen is in the trace, in numbers. Every trace ends with one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageCounts {
    /// Documents seen, those of frames included.
    pub documents: u32,
    /// Of those, documents whose sensor reported in.
    pub recorded: u32,
    /// Of those, documents without access.
    pub no_access: u32,
    /// Of those, documents that are closed to extensions.
    pub forbidden: u32,
    /// Steps.
    pub steps: u32,
    /// Steps with a screenshot before.
    pub pre_shots: u32,
    /// Of those, screenshots older than the last change before the step.
    pub stale_pre_shots: u32,
    /// Steps with a screenshot after.
    pub post_shots: u32,
    /// Steps whose first locator matched several elements, or none.
    pub ambiguous_targets: u32,
    /// Steps whose input the browser did not vouch for.
    pub untrusted: u32,
    /// Dialogs that were open without its being known what they said or how they were answered.
    pub unknown_dialogs: u32,
    /// Downloads whose content was not hashed.
    pub unhashed_downloads: u32,
    /// Coverage events by what they speak of (`gap`, `frame`, `screenshot` …).
    pub events: BTreeMap<String, u32>,
}

/// The coverage line of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageSummary {
    /// When it was drawn up: the time of the last event.
    pub t_ms: f64,
    /// The numbers.
    #[serde(flatten)]
    pub counts: CoverageCounts,
    /// Frames that were seen and not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blind: Vec<BlindFrame>,
}

/// A frame that was seen and not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlindFrame {
    /// The tab, numbered from 0.
    pub tab: u32,
    /// Its address.
    pub url: String,
    /// It is the tab's top document.
    pub top: bool,
    /// Why it is not recorded.
    pub access: FrameAccess,
}
