//! The events of a trace beside its steps, pages and chunks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Actor, Assertion, InputCause, Point};

/// A perturbation in the life of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerturbationEvent {
    /// When.
    pub t_ms: f64,
    /// Unique in the trace.
    pub id: String,
    /// Which operator.
    pub operator: crate::perturb::Operator,
    /// Applied, shown or dismissed.
    pub phase: PerturbationPhase,
    /// The key that decided it, so that it can be drawn again.
    pub key: String,
    /// What was drawn and what came of it, by name.
    #[serde(default)]
    pub effect: BTreeMap<String, serde_json::Value>,
}

/// A perturbation's phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PerturbationPhase {
    /// A lasting change of the page's looks.
    Applied,
    /// Something was put in the way.
    Shown,
    /// It was cleared away by whoever acts.
    Dismissed,
    /// It was wanted but a gate forbade it.
    Withheld,
}

/// An agent's tool call, in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// When it came.
    pub t_ms: f64,
    /// How long until the answer.
    pub elapsed_ms: f64,
    /// The tool's name as called.
    pub name: String,
    /// The full payload.
    pub arguments: serde_json::Value,
    /// `ok` or the failure, without snapshots and pictures.
    pub result: serde_json::Value,
    /// The steps it caused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<u32>,
}

/// Tokens and cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// When.
    pub t_ms: f64,
    /// Tokens read by the model.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens written by the model.
    #[serde(default)]
    pub output_tokens: u64,
    /// In US dollars, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The model, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Time spent waiting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitEvent {
    /// Start.
    pub t_ms: f64,
    /// How long.
    pub ms: f64,
    /// For what.
    pub reason: WaitReason,
}

/// What was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// The page.
    Settle,
    /// The agent's provider.
    RateLimit,
}

/// An assertion and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckEvent {
    /// When.
    pub t_ms: f64,
    /// What was asserted.
    pub assertion: Assertion,
    /// Whether it held.
    pub holds: bool,
    /// What was seen instead, or as well.
    #[serde(default)]
    pub seen: String,
}

/// Something seen but not recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageEvent {
    /// When.
    pub t_ms: f64,
    /// What, as `screenshot`, `frame`, `gap`, `download` …
    pub what: String,
    /// In words.
    pub detail: String,
}

/// A view was scrolled, and that is no step: the page did it, or the browser for the page, or a key that is a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScrollEvent {
    /// When it began to move.
    pub t_ms: f64,
    /// Until it moved last.
    pub elapsed_ms: f64,
    /// The tab, as in steps.
    pub tab: u32,
    /// The address of the document.
    pub url: String,
    /// The frame elements from the top document down, as locators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frame: Vec<String>,
    /// The container's best locator; absent where the document itself scrolled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The offset it came to.
    pub to: Point,
    /// What moved it.
    pub cause: InputCause,
}

/// Free text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoteEvent {
    /// When.
    pub t_ms: f64,
    /// Who wrote it.
    pub actor: Actor,
    /// What.
    pub text: String,
}
