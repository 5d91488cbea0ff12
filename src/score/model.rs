//! The scorer's report, as `tracerule score --json` prints it. Positions count from 0 and equal the steps'
//! `seq`; `null` means undefined, never 0.

use serde::{Deserialize, Serialize};

use super::fraction::Fraction;
use super::view::Relation;

/// The value of [`Report::format`].
pub const FORMAT: &str = "tracerule-score";
/// The version of the report's form.
pub const VERSION: u32 = 1;

/// Runs measured against one reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always [`VERSION`].
    pub version: u32,
    /// The version of Tracerule that scored.
    pub scorer: String,
    /// What was measured against.
    pub reference: ReferenceSummary,
    /// In the order given.
    pub runs: Vec<Run>,
}

/// The reference in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceSummary {
    /// Its title; may be empty.
    pub title: String,
    /// A trace, or a plain list.
    pub kind: SubjectKind,
    /// Its steps.
    pub steps: u32,
    /// Its assertions, as sentences.
    pub assertions: Vec<String>,
    /// What was odd when it was read.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// What a file was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A recorded session.
    Trace,
    /// A plain step list.
    List,
}

/// One run's scores and where they come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The file's or the session's name.
    pub name: String,
    /// A trace, or a plain list.
    pub kind: SubjectKind,
    /// Whose result it is.
    pub outcome: Outcome,
    /// Alignment scores.
    pub profiles: Profiles,
    /// The goal was reached and nothing went off the path. `null` when the goal cannot be judged.
    pub hard: Option<bool>,
    /// The goal was reached. `null` when there is no goal to judge.
    pub soft: Option<bool>,
    /// min(1, canonical reference steps ÷ canonical run steps), for runs that did not fail.
    pub step_efficiency: Option<f64>,
    /// Mean over encounters: 1 for at most 2 actions, ½ for 3 to 5, else 0.
    pub recovery_score: Option<f64>,
    /// Steps of the run, those that answer perturbations and folded ones included.
    pub steps: u32,
    /// Steps of the reference, folded ones included.
    pub reference_steps: u32,
    /// How step efficiency comes about.
    pub efficiency: Efficiency,
    /// The recovery score, exactly.
    pub recovery: Option<Fraction>,
    /// What was put in the way, and how it was met.
    pub encounters: Vec<Encounter>,
    /// The reference's assertions and their verdicts.
    pub assertions: Vec<AssertionVerdict>,
    /// The path, step by step: the alignment of `strict`, with the steps that answer perturbations and those that
    /// were folded between.
    pub alignment: Vec<Row>,
    /// The steps that were folded into others before the path was judged.
    #[serde(default)]
    pub folded: FoldedSides,
    /// Why the path was left.
    pub anomalies: Vec<Anomaly>,
    /// The same action in the same state, three times or more.
    pub loops: Vec<Loop>,
    /// Steps after which the state was as before; folded ones, which only move the focus or the view, left out.
    pub no_effect: u32,
    /// Ms in waiting steps that the reference does not have.
    pub redundant_wait_ms: f64,
    /// Ms in settling, over all steps.
    pub settle_ms: f64,
    /// Ms lost to the agent's provider (rate limits).
    pub rate_limited_ms: f64,
    /// Ms from start to end, where both are known.
    pub duration_ms: Option<f64>,
    /// Tokens, when the agent reports them.
    pub tokens: Option<Tokens>,
    /// The four axes.
    pub radar: Radar,
    /// Why a number is `null` or a verdict `false`.
    pub reasons: Vec<Reason>,
    /// What was odd when the run was read.
    pub warnings: Vec<String>,
}

/// Whose result a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The agent's (or the person's) own doing.
    Agent,
    /// The harness, the browser or the provider failed: no evidence about the agent.
    Infra,
}

/// Alignment scores by profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profiles {
    /// As published.
    pub classic: Classic,
    /// Metric costs, with targets.
    pub strict: Strict,
}

/// The published weighted edit distance over all steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classic {
    /// Names formula and costs.
    pub version: String,
    /// Integer.
    pub distance: u32,
    /// 4 × the longer length.
    pub max_possible: u32,
    /// 1 − distance ÷ max_possible; 1 when both are empty.
    pub score: f64,
    /// The score, exactly.
    pub exact: Fraction,
    /// What each pair cost, in order.
    pub pairs: Vec<PairCost>,
}

/// The metric profile over the canonical steps, without those that answer perturbations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strict {
    /// Names formula and costs.
    pub version: String,
    /// Names the rules by which steps are folded first.
    #[serde(default)]
    pub canonical: String,
    /// Integer.
    pub distance: u32,
    /// The cost of leaving all out and adding all.
    pub worst: u32,
    /// 1 − distance ÷ worst; 1 when both are empty.
    pub score: f64,
    /// The score, exactly.
    pub exact: Fraction,
}

/// One pair of an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCost {
    /// Step of the reference.
    pub reference: Option<u32>,
    /// Step of the run.
    pub run: Option<u32>,
    /// What the pair costs.
    pub cost: u32,
}

/// One row of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Step of the reference.
    pub reference: Option<u32>,
    /// Step of the run.
    pub run: Option<u32>,
    /// How they relate.
    pub relation: Relation,
    /// What it costs in `strict`.
    pub cost: u32,
}

/// The steps of both sides that were folded into others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldedSides {
    /// Of the reference.
    pub reference: Vec<Folded>,
    /// Of the run.
    pub run: Vec<Folded>,
}

/// A step that was folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folded {
    /// Which.
    pub step: u32,
    /// Into which step of the same side; that one may be folded in turn.
    pub into: u32,
    /// For what.
    pub why: FoldedWhy,
}

/// Why a step was folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldedWhy {
    /// It put the focus on the field that the next step edits.
    Focus,
    /// The next step scrolls the same container on.
    Scroll,
    /// A wait in which the page settled from the step before.
    Settling,
}

/// How step efficiency comes about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Efficiency {
    /// Steps of the reference that count, as for the run.
    pub reference_steps: u32,
    /// Steps of the run that count: all but those that answer perturbations and those that were folded; waits at
    /// rest count.
    pub run_steps: u32,
    /// The steps left out because they answer perturbations.
    pub handling_steps: Vec<u32>,
    /// Reference ÷ run, above 1 when the run was shorter; `null` when the run has no step or failed.
    pub raw: Option<Fraction>,
}

/// Something put in the way, and how it was met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encounter {
    /// The perturbation's id.
    pub id: String,
    /// Which kind.
    pub operator: crate::perturb::Operator,
    /// When it was shown.
    pub shown_ms: f64,
    /// When it was gone.
    pub dismissed_ms: Option<f64>,
    /// Counting begins with this step, the first after it was shown.
    pub first_step: Option<u32>,
    /// The step that cleared it away.
    pub dismissed_step: Option<u32>,
    /// The next step that is on the reference's path.
    pub progress_step: Option<u32>,
    /// Counting ends with this step: gone, and on the path again.
    pub last_step: Option<u32>,
    /// Actions counted, both ends included, folded ones left out; `null` when stuck or not met.
    pub steps: Option<u32>,
    /// How it ended.
    pub result: EncounterResult,
    /// 1, 0.5 or 0; `null` when it does not count.
    pub score: Option<f64>,
}

/// How an encounter ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EncounterResult {
    /// Gone, and back on the path.
    Recovered,
    /// Never gone, or never back on the path.
    Stuck,
    /// Nothing was done after it was shown and nothing was left to do: it does not count.
    NotMet,
}

/// An assertion and its verdict in this run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssertionVerdict {
    /// The assertion in words.
    pub sentence: String,
    /// Whether it held at the end; `null` when that cannot be known.
    pub holds: Option<bool>,
    /// What was seen.
    pub seen: String,
    /// Where the verdict comes from.
    pub source: Option<VerdictSource>,
}

/// Where a verdict comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictSource {
    /// Evaluated when the run ended.
    Check,
    /// Evaluated now, on the document that the trace's DOM chunks give.
    Replay,
}

/// Why the path was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anomaly {
    /// What kind.
    pub kind: AnomalyKind,
    /// Step of the run; `null` for a step that is missing.
    pub step: Option<u32>,
    /// Step of the reference, where one belongs to it.
    pub reference: Option<u32>,
    /// In words.
    pub sentence: String,
}

/// Kinds of [`Anomaly`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyKind {
    /// It could not be done.
    Failed,
    /// Repeated although it had changed nothing.
    NoEffectRepeat,
    /// Not on the path.
    Extra,
    /// On another target than the reference's.
    OtherTarget,
    /// With another value.
    OtherValue,
    /// With another key.
    OtherKey,
    /// Another action in its place.
    OtherAction,
    /// A step of the reference that was left out.
    Missing,
}

/// The same action in the same state, again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The state's hash.
    pub state_hash: String,
    /// The action in words.
    pub what: String,
    /// The steps; three or more.
    pub steps: Vec<u32>,
}

/// Tokens and cost, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tokens {
    /// Read by the model.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// In US dollars, if reported.
    pub cost_usd: Option<f64>,
}

/// The four axes, each from 0 to 1; `null` is a gap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Radar {
    /// The score of `classic`.
    pub alignment: f64,
    /// Soft success.
    pub soft: Option<f64>,
    /// Step efficiency.
    pub step_efficiency: Option<f64>,
    /// Recovery score.
    pub recovery: Option<f64>,
}

/// Why a number is `null` or a verdict `false`, or what it was measured on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// What it is about: `soft`, `hard`, `strict`, `step_efficiency`, `recovery_score` or `outcome`.
    pub about: String,
    /// Which reason.
    pub code: ReasonCode,
    /// How many, where something was counted.
    pub count: u32,
    /// In words.
    pub text: String,
}

/// Kinds of [`Reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// The reference is a plain list, or has no assertion.
    NoAssertions,
    /// The run is a plain list: there is no page to look at.
    NoPage,
    /// Some assertions could not be evaluated.
    NotEvaluated,
    /// Some assertions did not hold.
    AssertionsFailed,
    /// The goal cannot be judged, so neither can the path to it.
    GoalUnknown,
    /// The goal was not reached.
    GoalMissed,
    /// The path was left.
    Anomalies,
    /// The run has no step that counts.
    NoSteps,
    /// Nothing was put in the way.
    NoEncounter,
    /// The run ended for reasons outside the agent.
    Infra,
    /// Steps of the reference were folded into others.
    FoldedReference,
    /// Steps of the run were folded into others.
    FoldedRun,
}
