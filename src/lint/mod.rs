//! What is worth mending in a recording before it is used as a reference, each finding with what mends it.
//!
//! Pure over the steps and what could not be recorded, so that the panel says the same while recording as
//! `tracerule lint` says of the file. [`words`] says it in sentences.

#[cfg(test)]
mod tests;
pub mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::edit::{Op, StepId};
use crate::trace::{
    Button, CoverageEvent, Event, Locator, MASK, Outcome, Screenshot, SettleEnd, Step, Target, Trace, Volatility,
};

/// Two equal clicks this close together are probably one that was recorded twice, ms.
const DOUBLE_MS: f64 = 500.0;
/// … and this close in place, CSS px.
const SAME_PLACE_PX: f64 = 3.0;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The target's first locator matches several elements, or none matches exactly one.
    AmbiguousTarget,
    /// Every locator that finds the target rests on something that will change.
    FragileLocator,
    /// The step is on an element and has no locator at all.
    NoLocator,
    /// What was typed looks like a secret and stands there in clear.
    SecretTyped,
    /// Nothing changed.
    NoEffect,
    /// The step before did the same.
    DoubledStep,
    /// The frame of the step cannot be found again, or a frame could not be recorded.
    UnreachableFrame,
    /// The others have pictures and this one has none.
    MissingScreenshot,
    /// Something of the recording is missing.
    Gap,
    /// Something else was seen that could not be recorded.
    NotRecorded,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 10] = [
        Rule::AmbiguousTarget,
        Rule::FragileLocator,
        Rule::NoLocator,
        Rule::SecretTyped,
        Rule::NoEffect,
        Rule::DoubledStep,
        Rule::UnreachableFrame,
        Rule::MissingScreenshot,
        Rule::Gap,
        Rule::NotRecorded,
    ];

    /// Its name, as in `ambiguous-target`.
    pub fn id(self) -> &'static str {
        match self {
            Rule::AmbiguousTarget => "ambiguous-target",
            Rule::FragileLocator => "fragile-locator",
            Rule::NoLocator => "no-locator",
            Rule::SecretTyped => "secret-typed",
            Rule::NoEffect => "no-effect",
            Rule::DoubledStep => "doubled-step",
            Rule::UnreachableFrame => "unreachable-frame",
            Rule::MissingScreenshot => "missing-screenshot",
            Rule::Gap => "gap",
            Rule::NotRecorded => "not-recorded",
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The recording cannot serve as it is, or gives away a secret.
    Error,
    /// It will probably not serve for long, or is not what was meant.
    Warning,
    /// Good to know.
    Info,
}

/// Something worth mending.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which rule.
    pub rule: Rule,
    /// How bad.
    pub severity: Severity,
    /// The step's number; absent where it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// What the sentence names: counts, locators, a reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// What mends it, the best first.
    pub fixes: Vec<Fix>,
}

/// What mends a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fix", rename_all = "snake_case")]
pub enum Fix {
    /// Puts this locator first, which finds the element alone.
    UseLocator {
        /// The locator's text.
        locator: String,
    },
    /// Masks the value and takes it out of everything that is kept.
    Mask,
    /// Leaves the step out.
    Delete,
    /// Records the step again.
    Rerecord,
    /// Records what is missing, behind the step.
    InsertHere,
    /// Accepts it as it is: the finding is not shown again.
    Accept,
}

impl Fix {
    /// The edit that it is; `None` for those that a person has to do something for.
    pub fn op(&self, finding: &Finding, id: &StepId, step: &Step) -> Option<Op> {
        let target = id.clone();
        Some(match self {
            Fix::UseLocator { locator } => Op::Locator { step: target, locator: locator.clone() },
            Fix::Mask => Op::Mask { step: target },
            Fix::Delete => Op::Delete { step: target },
            Fix::Accept => {
                let mut annotation = step.annotation.as_deref().cloned().unwrap_or_default();
                annotation.accepted.push(finding.rule.id().to_owned());
                Op::Annotate { step: target, annotation }
            }
            Fix::Rerecord | Fix::InsertHere => return None,
        })
    }
}

/// The findings of a whole trace, in the order of its steps; those about no step stand last.
pub fn lint(trace: &Trace) -> Vec<Finding> {
    let steps: Vec<&Step> = trace.steps().collect();
    let coverage: Vec<&CoverageEvent> = trace
        .events
        .iter()
        .filter_map(|event| if let Event::Coverage(event) = event { Some(event) } else { None })
        .collect();
    over(&steps, &coverage)
}

/// As [`lint`], of steps and of what could not be recorded.
pub fn over(steps: &[&Step], coverage: &[&CoverageEvent]) -> Vec<Finding> {
    let mut found = Vec::new();
    let pictured = steps.iter().filter(|step| has_picture(step)).count();
    for (at, step) in steps.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| steps.get(at)).copied();
        let mut of_step = Vec::new();
        target(step, &mut of_step);
        frame(step, &mut of_step);
        secret(step, &mut of_step);
        effect(step, before, steps.get(at + 1).copied(), &mut of_step);
        // One that may still settle has its picture to come.
        let settled = step.settle.is_some_and(|settle| settle.ended_by != SettleEnd::NextAction);
        if !has_picture(step) && settled && 2 * pictured > steps.len() {
            of_step.push(finding(Rule::MissingScreenshot, Severity::Info, step, []));
        }
        for event in coverage.iter().filter(|event| belongs(event, step, steps.get(at + 1).copied())) {
            of_step.extend(uncovered(event, Some(step)));
        }
        let accepted = step.annotation.as_ref().map(|annotation| &annotation.accepted[..]).unwrap_or_default();
        of_step.retain(|finding| !accepted.iter().any(|rule| rule == finding.rule.id()));
        for mut finding in of_step {
            finding.fixes.push(Fix::Accept);
            found.push(finding);
        }
    }
    let first = steps.iter().map(|step| step.t_ms).fold(f64::INFINITY, f64::min);
    for event in coverage.iter().filter(|event| event.t_ms < first) {
        found.extend(uncovered(event, None));
    }
    found
}

/// How many are errors.
pub fn errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

fn finding<const N: usize>(rule: Rule, severity: Severity, step: &Step, params: [(&str, String); N]) -> Finding {
    let params = params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let fixes = match rule {
        Rule::NoEffect | Rule::DoubledStep => vec![Fix::Delete],
        Rule::SecretTyped => vec![Fix::Mask],
        Rule::AmbiguousTarget | Rule::FragileLocator | Rule::NoLocator | Rule::UnreachableFrame => vec![Fix::Rerecord],
        Rule::MissingScreenshot => vec![Fix::Rerecord],
        Rule::Gap => vec![Fix::InsertHere],
        Rule::NotRecorded => Vec::new(),
    };
    Finding { rule, severity, step: Some(step.seq), params, fixes }
}

/// The step that something uncovered happened at: the one before it.
fn belongs(event: &CoverageEvent, step: &Step, next: Option<&Step>) -> bool {
    // Steps that were put elsewhere keep their times; then the nearest before it is as good as any.
    event.t_ms >= step.t_ms && next.is_none_or(|next| event.t_ms < next.t_ms)
}

fn has_picture(step: &Step) -> bool {
    let any = |shot: &Option<Screenshot>| shot.is_some();
    any(&step.pre.screenshot) || any(&step.post.screenshot)
}

/// It will not look like this tomorrow.
fn is_fragile(locator: &Locator) -> bool {
    let lasting = |why: &Volatility| !matches!(why, Volatility::Number);
    locator.volatile.iter().any(lasting) || locator.value.starts_with("path=")
}

fn target(step: &Step, found: &mut Vec<Finding>) {
    let Some(target) = &step.target else { return };
    let Some(first) = target.locators.first() else {
        if !page_itself(target) {
            found.push(finding(Rule::NoLocator, Severity::Error, step, []));
        }
        return;
    };
    let unique: Vec<&Locator> = target.locators.iter().filter(|one| one.matches == 1).collect();
    let sound = unique.iter().find(|one| !is_fragile(one));
    let use_it = |one: &&Locator| Fix::UseLocator { locator: one.value.clone() };
    if first.matches != 1 {
        let params = [("locator", first.value.clone()), ("matches", first.matches.to_string())];
        let severity = if unique.is_empty() { Severity::Error } else { Severity::Warning };
        let mut ambiguous = finding(Rule::AmbiguousTarget, severity, step, params);
        if let Some(better) = sound.or(unique.first()) {
            ambiguous.fixes.insert(0, use_it(better));
        }
        found.push(ambiguous);
    } else if is_fragile(first) {
        let mut fragile = finding(Rule::FragileLocator, Severity::Warning, step, [("locator", first.value.clone())]);
        if let Some(better) = sound {
            fragile.fixes.insert(0, use_it(better));
        }
        found.push(fragile);
    }
}

/// Scrolling the page needs no locator.
fn page_itself(target: &Target) -> bool {
    matches!(target.tag.as_str(), "html" | "body" | "")
}

fn frame(step: &Step, found: &mut Vec<Finding>) {
    let lost = step.frame.iter().find(|frame| frame.is_empty() || frame.starts_with("path="));
    if let Some(frame) = lost {
        let severity = if frame.is_empty() { Severity::Error } else { Severity::Warning };
        found.push(finding(Rule::UnreachableFrame, severity, step, [("frame", frame.clone())]));
    }
}

fn secret(step: &Step, found: &mut Vec<Finding>) {
    if step.secret || !matches!(step.action, Action::Fill | Action::Paste | Action::Select) {
        return;
    }
    let Some(value) = step.value.as_deref().filter(|value| !value.is_empty() && *value != MASK) else { return };
    let kind = if step.target.as_ref().is_some_and(names_a_secret) {
        "field"
    } else if is_card(value) {
        "card"
    } else if is_token(value) {
        "token"
    } else {
        return;
    };
    found.push(finding(Rule::SecretTyped, Severity::Error, step, [("kind", kind.to_owned())]));
}

/// Words that stand beside fields for secrets, in lower case.
const SECRET_WORDS: [&str; 24] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pin",
    "pin code",
    "otp",
    "one-time code",
    "verification code",
    "security code",
    "cvc",
    "cvv",
    "card number",
    "api key",
    "access token",
    "secret key",
    "private key",
    "client secret",
    "密码",
    "口令",
    "验证码",
    "安全码",
    "密钥",
    "卡号",
];

fn names_a_secret(target: &Target) -> bool {
    let texts = target.locators.iter().map(|one| one.value.as_str()).chain([target.name.as_str()]);
    texts.map(str::to_lowercase).any(|text| {
        SECRET_WORDS.iter().any(|word| {
            // A word of its own: `pin` is none in `shipping`.
            text.match_indices(word).any(|(at, _)| {
                let joined = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
                let wide = !word.is_ascii();
                wide || !(joined(text[..at].chars().next_back()) || joined(text[at + word.len()..].chars().next()))
            })
        })
    })
}

/// Thirteen to nineteen digits whose check digit is right.
fn is_card(value: &str) -> bool {
    if !value.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-')) {
        return false;
    }
    let digits: Vec<u32> = value.chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, twice) if twice > 9 => twice - 9,
            (_, twice) => twice,
        })
        .sum();
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != 0)
}

/// Prefixes that makers of keys put before them.
const TOKENS: [&str; 12] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
];

fn is_token(value: &str) -> bool {
    let value = value.trim();
    let plain = value.len() >= 20 && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let jwt = value.starts_with("eyJ") && value.matches('.').count() == 2;
    plain && (jwt || TOKENS.iter().any(|start| value.starts_with(start)))
}

fn effect(step: &Step, before: Option<&Step>, next: Option<&Step>, found: &mut Vec<Finding>) {
    if let Some(before) = before.filter(|before| doubles(before, step)) {
        let params = [("before", before.seq.to_string())];
        found.push(finding(Rule::DoubledStep, Severity::Warning, step, params));
    } else if step.outcome == Outcome::NoEffect && !next.is_some_and(|next| focuses(step, next)) {
        found.push(finding(Rule::NoEffect, Severity::Warning, step, []));
    }
}

/// A click into the field in which the next step types.
fn focuses(step: &Step, next: &Step) -> bool {
    let types = matches!(next.action, Action::Fill | Action::Paste | Action::Select | Action::Press | Action::Upload);
    let same = step.target.is_some() && aim(step) == aim(next) && step.frame == next.frame;
    matches!(step.action, Action::Click | Action::Dblclick) && types && same
}

/// What the step was on, as far as two can be compared.
fn aim(step: &Step) -> Option<(&str, &str, &str, &str)> {
    step.target.as_ref().map(|on| (on.role.as_str(), on.name.as_str(), on.dom_path.as_str(), on.tag.as_str()))
}

/// The second does what the first did already.
fn doubles(first: &Step, second: &Step) -> bool {
    let same = first.action == second.action
        && aim(first) == aim(second)
        && (first.tab, &first.frame, &first.key) == (second.tab, &second.frame, &second.key)
        && (first.button, first.count, &first.modifiers) == (second.button, second.count, &second.modifiers);
    if !same || first.outcome != Outcome::Ok {
        return false;
    }
    let equal = first.value == second.value && first.values == second.values;
    match second.action {
        // Done twice is done once.
        Action::Check | Action::Uncheck | Action::Select | Action::Goto => equal,
        Action::Fill => equal && !first.secret,
        Action::Click => {
            let near = match (&first.target, &second.target) {
                (Some(one), Some(two)) => match (one.pointer, two.pointer) {
                    (Some(one), Some(two)) => {
                        (one.x - two.x).abs() <= SAME_PLACE_PX && (one.y - two.y).abs() <= SAME_PLACE_PX
                    }
                    _ => true,
                },
                _ => false,
            };
            let soon = (second.t_ms - first.t_ms).abs() <= DOUBLE_MS;
            let idle = second.outcome == Outcome::NoEffect;
            matches!(second.button, None | Some(Button::Left)) && (idle || (soon && near))
        }
        Action::Press => second.outcome == Outcome::NoEffect && (second.t_ms - first.t_ms).abs() <= DOUBLE_MS,
        _ => false,
    }
}

/// A finding about what could not be recorded.
fn uncovered(event: &CoverageEvent, step: Option<&Step>) -> Option<Finding> {
    let (rule, severity) = match event.what.as_str() {
        "gap" | "crash" | "fault" => (Rule::Gap, Severity::Error),
        "frame" | "forbidden" => (Rule::UnreachableFrame, Severity::Warning),
        "screenshot" => (Rule::MissingScreenshot, Severity::Info),
        _ => (Rule::NotRecorded, Severity::Info),
    };
    let params = BTreeMap::from([("what".to_owned(), event.what.clone()), ("detail".to_owned(), event.detail.clone())]);
    let fixes = match (rule, step) {
        (Rule::Gap | Rule::UnreachableFrame, Some(_)) => vec![Fix::InsertHere],
        _ => Vec::new(),
    };
    Some(Finding { rule, severity, step: step.map(|step| step.seq), params, fixes })
}
