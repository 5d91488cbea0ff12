//! What a conversion lost, for programs: one entry for each thing dropped or changed. Nothing is lost silently:
//! the tests of every format compare what went in with what comes back, and fail on a difference without an entry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Format;

/// The report of one conversion, printed as JSON by `tracerule convert`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The format that was read.
    pub from: Format,
    /// The format that was written.
    pub to: Format,
    /// Nothing was dropped or changed: reading the result back gives the same.
    pub lossless: bool,
    /// Steps read and written.
    pub steps: StepCounts,
    /// How many entries there are, by what happened and by how grave it is.
    pub counts: Counts,
    /// One entry for each thing, in the order of the steps.
    pub items: Vec<LossItem>,
}

/// How many steps went in and came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepCounts {
    /// Steps (commands, actions, records) of the file that was read.
    pub read: u32,
    /// Steps of the result.
    pub written: u32,
}

/// How many entries of each kind a report has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Entries of [`Change::Dropped`].
    pub dropped: u32,
    /// Entries of [`Change::Changed`].
    pub changed: u32,
    /// Entries of [`Change::Aside`].
    pub aside: u32,
    /// Entries of [`Severity::Info`].
    pub info: u32,
    /// Entries of [`Severity::Minor`].
    pub minor: u32,
    /// Entries of [`Severity::Major`].
    pub major: u32,
}

/// One thing that did not come through as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossItem {
    /// The step's number in the trace, from 0; `null` for what belongs to the whole.
    pub step: Option<u32>,
    /// The field, as `target.box`, `header.perturb` or `events.dom`; in foreign files by their own names.
    pub field: String,
    /// What happened to it.
    pub change: Change,
    /// How grave it is.
    pub severity: Severity,
    /// Why, in words.
    pub reason: String,
}

/// What happened to a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is not in the result.
    Dropped,
    /// Something else stands for it.
    Changed,
    /// It is in the result, but only Tracerule reads it there; the format's own tools pass over it.
    Aside,
}

/// How grave a loss is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Neither replaying nor scoring looks at it.
    Info,
    /// Evidence is weaker: a picture, a time, another way to find the element.
    Minor,
    /// The step does something else, cannot be done, or is gone.
    Major,
}

impl Loss {
    /// An empty report.
    pub fn new(from: Format, to: Format) -> Loss {
        Loss { from, to, lossless: true, steps: StepCounts::default(), counts: Counts::default(), items: Vec::new() }
    }

    /// Adds an entry. The same thing of the same step is told once, at its gravest.
    pub fn add(
        &mut self,
        step: Option<u32>,
        field: impl Into<String>,
        change: Change,
        severity: Severity,
        reason: impl Into<String>,
    ) {
        self.items.push(LossItem { step, field: field.into(), change, severity, reason: reason.into() });
    }

    /// A thing that is not in the result.
    pub fn dropped(
        &mut self,
        step: Option<u32>,
        field: impl Into<String>,
        severity: Severity,
        reason: impl Into<String>,
    ) {
        self.add(step, field, Change::Dropped, severity, reason);
    }

    /// A thing that something else stands for.
    pub fn changed(
        &mut self,
        step: Option<u32>,
        field: impl Into<String>,
        severity: Severity,
        reason: impl Into<String>,
    ) {
        self.add(step, field, Change::Changed, severity, reason);
    }

    /// A thing that only Tracerule reads in the result.
    pub fn aside(
        &mut self,
        step: Option<u32>,
        field: impl Into<String>,
        severity: Severity,
        reason: impl Into<String>,
    ) {
        self.add(step, field, Change::Aside, severity, reason);
    }

    /// Whether an entry tells of a step's field: by its own name, by the name of what it belongs to or of a part of
    /// it, or by the step as a whole.
    pub(crate) fn tells(&self, seq: u32, field: &str) -> bool {
        const WHOLE: [&str; 7] = ["action", "step", "target", "selectors", "params.selector", "bid", "customStep"];
        let within = |outer: &str, inner: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.items.iter().any(|item| {
            let whole = item.step.is_some() && WHOLE.contains(&item.field.as_str());
            item.step.is_none_or(|of| of == seq) && (within(&item.field, field) || within(field, &item.field) || whole)
        })
    }

    /// Sorts, merges doubles and counts. `lossless` means that nothing was dropped or changed; what is only set
    /// aside comes back.
    pub(crate) fn close(&mut self) {
        let mut merged: BTreeMap<(Option<u32>, String, Change), LossItem> = BTreeMap::new();
        for item in self.items.drain(..) {
            let key = (item.step, item.field.clone(), item.change);
            match merged.get_mut(&key) {
                Some(old) if old.severity >= item.severity => {}
                _ => drop(merged.insert(key, item)),
            }
        }
        self.items = merged.into_values().collect();
        let count = |test: &dyn Fn(&LossItem) -> bool| {
            u32::try_from(self.items.iter().filter(|item| test(item)).count()).unwrap_or(u32::MAX)
        };
        self.counts = Counts {
            dropped: count(&|item| item.change == Change::Dropped),
            changed: count(&|item| item.change == Change::Changed),
            aside: count(&|item| item.change == Change::Aside),
            info: count(&|item| item.severity == Severity::Info),
            minor: count(&|item| item.severity == Severity::Minor),
            major: count(&|item| item.severity == Severity::Major),
        };
        self.lossless = self.counts.dropped == 0 && self.counts.changed == 0;
    }

    /// Joins the report of reading with the report of writing, for a conversion over the trace in between.
    pub fn then(mut self, next: Loss) -> Loss {
        self.to = next.to;
        self.steps.written = next.steps.written;
        self.items.extend(next.items);
        self.close();
        self
    }

    /// The report in one sentence.
    pub fn summary(&self) -> String {
        let Counts { dropped, changed, aside, major, .. } = self.counts;
        let kept =
            if self.lossless { "nothing was lost".to_owned() } else { format!("{dropped} dropped, {changed} changed") };
        let aside = if aside > 0 { format!(", {aside} kept for Tracerule alone") } else { String::new() };
        let grave = if major > 0 { format!("; {major} change(s) what the steps do") } else { String::new() };
        format!("{} of {} steps written; {kept}{aside}{grave}", self.steps.written, self.steps.read)
    }
}
