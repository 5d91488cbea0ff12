//! Editing a recording by hand, as a fold: what was recorded stays as it is, every edit is an entry beside it, and
//! the edited trace is made of both ([`Recording::outcome`]). So edits can be undone to any depth, also those that
//! came with a file, and a trace always tells which of its steps were touched.
//!
//! There is one exception: a value that is masked afterwards ([`Op::Mask`]) is taken out of everything that is
//! kept ([`mask`]), and cannot be brought back.
//!
//! Nothing here knows how steps are recorded or stored.

pub mod mask;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trace::{Annotation, EditKind, Edited, Event, MASK, Origin, Step, Trace};

/// Names a step of a recording, whatever becomes of its number: `f12` by its first input event, `t1796…` by its
/// time where it has none, with `.2`, `.3` … where several would be called the same.
pub type StepId = String;

/// An edit and when it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edit {
    /// Ms since the epoch.
    pub t_ms: f64,
    /// What.
    #[serde(flatten)]
    pub op: Op,
}

/// What can be done to a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Leaves a step out.
    Delete {
        /// Which.
        step: StepId,
    },
    /// Puts a step elsewhere.
    Move {
        /// Which.
        step: StepId,
        /// Behind this one; to the front without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<StepId>,
    },
    /// A piece was recorded afterwards, and belongs here.
    Segment {
        /// Numbers the pieces, from 1.
        number: u32,
        /// Behind this step; to the front without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<StepId>,
        /// In place of this step, which is left out once something was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<StepId>,
        /// It was recorded in another tab, which stands for the one of the step beside it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        other_tab: bool,
    },
    /// Puts one of the target's locators first.
    Locator {
        /// Of which step.
        step: StepId,
        /// The locator's text.
        locator: String,
    },
    /// Masks the step's value, here and wherever it shows. Cannot be undone.
    Mask {
        /// Which.
        step: StepId,
    },
    /// Says something of a step, in place of what was said before.
    Annotate {
        /// Of which.
        step: StepId,
        /// What; nothing at all takes it back.
        annotation: Annotation,
    },
    /// Takes the last edit back that is in force. Masks stay.
    Undo,
    /// Does again what was taken back last, if nothing else was done since.
    Redo,
}

impl Op {
    /// The step it is about.
    pub fn step(&self) -> Option<&str> {
        match self {
            Op::Delete { step }
            | Op::Move { step, .. }
            | Op::Locator { step, .. }
            | Op::Mask { step }
            | Op::Annotate { step, .. } => Some(step),
            Op::Segment { after, replaces, .. } => replaces.as_deref().or(after.as_deref()),
            Op::Undo | Op::Redo => None,
        }
    }
}

/// A step as recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Its name.
    pub id: StepId,
    /// Its `seq` is its place among all that was recorded.
    pub step: Step,
    /// The piece recorded afterwards that it belongs to.
    pub segment: Option<u32>,
}

/// What was recorded, and what was done to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    base: Vec<Base>,
    edits: Vec<Edit>,
    /// How many steps would be called so.
    names: HashMap<String, u32>,
    /// Where the step of that name stands in `base`.
    index: HashMap<StepId, usize>,
}

/// A step of the edited trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Its name.
    pub id: StepId,
    /// With its number in the edited trace, and with where it comes from.
    pub step: Step,
}

/// A recording after its edits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The steps, numbered anew.
    pub steps: Vec<Placed>,
    /// What is in force, counted; `None` when nothing is.
    pub edited: Option<Edited>,
    /// The edits in force, as positions in the list of all.
    pub in_force: Vec<usize>,
    /// What an undo would take back.
    pub undo: Option<usize>,
    /// What a redo would do again.
    pub redo: Option<usize>,
    /// Edits of steps that are not there.
    pub astray: Vec<usize>,
}

/// Where a step stands while edits are folded.
struct Item {
    base: usize,
    /// It is not in the edited trace, but others may still stand behind it.
    gone: bool,
    deleted: bool,
    annotation: Option<Box<Annotation>>,
    locator: Option<String>,
    kinds: Vec<EditKind>,
    tab: Option<u32>,
}

impl Item {
    fn mark(&mut self, kind: EditKind) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }
}

impl Recording {
    /// Nothing yet.
    pub fn new() -> Recording {
        Recording::default()
    }

    /// What a trace holds: its steps as they were recorded, and its edits.
    pub fn of(events: &[Event]) -> Recording {
        let mut steps: BTreeMap<u32, (Step, Option<u32>)> = BTreeMap::new();
        let mut spare = Vec::new();
        let mut edits = Vec::new();
        let recorded = |step: &Step| {
            let (seq, segment) = step.origin.as_ref().map_or((step.seq, None), |o| (o.seq, o.segment));
            (seq, (Step { seq, origin: None, ..step.clone() }, segment))
        };
        for event in events {
            match event {
                Event::Step(step) => {
                    let (seq, found) = recorded(step);
                    // A number that is given twice, in a file of others, must not lose a step.
                    match steps.entry(seq) {
                        std::collections::btree_map::Entry::Vacant(free) => drop(free.insert(found)),
                        std::collections::btree_map::Entry::Occupied(_) => spare.push(found),
                    }
                }
                Event::Edit(edit) => edits.push(edit.clone()),
                _ => {}
            }
        }
        for event in events {
            if let Event::Original(step) = event {
                let (seq, found) = recorded(step);
                steps.insert(seq, found);
            }
        }
        let mut recording = Recording { edits, ..Recording::default() };
        recording.extend(steps.into_values().chain(spare));
        recording
    }

    /// Adds what was recorded later. Steps are given a number and a name here.
    pub fn extend(&mut self, steps: impl IntoIterator<Item = (Step, Option<u32>)>) {
        for (mut step, segment) in steps {
            let name = match step.facts.first() {
                Some(fact) => format!("f{fact}"),
                None => format!("t{}", step.t_ms),
            };
            let alike = self.names.entry(name.clone()).or_default();
            *alike += 1;
            let id = if *alike == 1 { name } else { format!("{name}.{alike}") };
            step.seq = count(self.base.len());
            self.index.insert(id.clone(), self.base.len());
            self.base.push(Base { id, step, segment });
        }
    }

    /// Adds edits.
    pub fn edit(&mut self, edits: impl IntoIterator<Item = Edit>) {
        self.edits.extend(edits);
    }

    /// The steps as recorded, those of pieces recorded afterwards at the end.
    pub fn base(&self) -> &[Base] {
        &self.base
    }

    /// All edits, in the order in which they were made.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The input events counted so far, and one more: where a piece that is recorded now goes on counting.
    pub fn facts(&self) -> u64 {
        self.base.iter().flat_map(|base| &base.step.facts).max().map_or(0, |last| last + 1)
    }

    /// The number for the next piece.
    pub fn next_segment(&self) -> u32 {
        let used = self.edits.iter().filter_map(|edit| match edit.op {
            Op::Segment { number, .. } => Some(number),
            _ => None,
        });
        used.chain(self.base.iter().filter_map(|base| base.segment)).max().unwrap_or(0) + 1
    }

    /// What is wrong with an edit, were it made now.
    ///
    /// # Errors
    /// In words, for the person.
    pub fn check(&self, op: &Op) -> Result<(), EditError> {
        let outcome = self.outcome();
        let there = |id: &str| outcome.steps.iter().find(|placed| placed.id == id);
        match op {
            Op::Undo if outcome.undo.is_none() => return Err(EditError::NothingToUndo),
            Op::Redo if outcome.redo.is_none() => return Err(EditError::NothingToRedo),
            Op::Undo | Op::Redo => return Ok(()),
            _ => {}
        }
        let others: Vec<&String> = match op {
            Op::Move { after, .. } => after.iter().collect(),
            Op::Segment { after, replaces, .. } => after.iter().chain(replaces).collect(),
            _ => Vec::new(),
        };
        for id in op.step().into_iter().chain(others.into_iter().map(String::as_str)) {
            there(id).ok_or_else(|| EditError::NoStep(id.to_owned()))?;
        }
        match op {
            Op::Locator { step, locator } => {
                let target = there(step).and_then(|placed| placed.step.target.as_ref());
                let known = target.is_some_and(|target| target.locators.iter().any(|one| one.value == *locator));
                if !known {
                    return Err(EditError::NoLocator(locator.clone()));
                }
            }
            Op::Mask { step } => {
                let placed = there(step).filter(|placed| !placed.step.secret);
                if placed.is_none_or(|placed| placed.step.value.is_none() && placed.step.values.is_empty()) {
                    return Err(EditError::NothingToMask);
                }
            }
            Op::Annotate { annotation, .. } => {
                for variant in &annotation.variants {
                    variant.kind.check().map_err(|error| EditError::Variant(error.to_string()))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The edited recording.
    pub fn outcome(&self) -> Outcome {
        let (done, redo) = self.in_force();
        let mut out = Outcome { redo, ..Outcome::default() };
        out.undo = done.iter().rev().find(|at| !matches!(self.edits[**at].op, Op::Mask { .. })).copied();
        let (mut items, mut later): (Vec<Item>, Vec<Item>) =
            (0..self.base.len()).map(Item::plain).partition(|item| self.base[item.base].segment.is_none());
        let mut counts = Edited { edits: count(done.len()), ..Edited::default() };
        for at in &done {
            if !self.apply(&self.edits[*at].op, &mut items, &mut later) {
                out.astray.push(*at);
            }
        }
        counts.deleted = count(items.iter().filter(|item| item.deleted).count());
        for (seq, item) in items.into_iter().filter(|item| !item.gone).enumerate() {
            let base = &self.base[item.base];
            for kind in &item.kinds {
                *match kind {
                    EditKind::Inserted => &mut counts.inserted,
                    EditKind::Replaced => &mut counts.replaced,
                    EditKind::Moved => &mut counts.moved,
                    EditKind::Locator => &mut counts.locators,
                    EditKind::Masked => &mut counts.masked,
                    EditKind::Annotated => &mut counts.annotated,
                } += 1;
            }
            let step = item.step(base, count(seq));
            out.steps.push(Placed { id: base.id.clone(), step });
        }
        out.edited = (!done.is_empty()).then_some(counts);
        out.in_force = done;
        out
    }

    /// The edits that were not undone, and the one that was undone last.
    fn in_force(&self) -> (Vec<usize>, Option<usize>) {
        let mut done: Vec<usize> = Vec::new();
        let mut undone: Vec<usize> = Vec::new();
        for (at, edit) in self.edits.iter().enumerate() {
            match edit.op {
                Op::Undo => {
                    let last = done.iter().rposition(|at| !matches!(self.edits[*at].op, Op::Mask { .. }));
                    if let Some(last) = last {
                        undone.push(done.remove(last));
                    }
                }
                Op::Redo => done.extend(undone.pop()),
                _ => {
                    undone.clear();
                    done.push(at);
                }
            }
        }
        (done, undone.last().copied())
    }

    /// Applies an edit; `false` when what it speaks of is not there.
    fn apply(&self, op: &Op, items: &mut Vec<Item>, later: &mut Vec<Item>) -> bool {
        let find = |items: &[Item], id: &str| items.iter().position(|item| self.base[item.base].id == id);
        let target = op.step().and_then(|id| find(items, id));
        match op {
            Op::Segment { number, after, replaces, other_tab } => {
                let anchor = match replaces.as_ref().or(after.as_ref()) {
                    None => None,
                    Some(id) => match find(items, id) {
                        Some(at) => Some(at),
                        None => return false,
                    },
                };
                let (mut piece, rest): (Vec<Item>, Vec<Item>) =
                    later.drain(..).partition(|item| self.base[item.base].segment == Some(*number));
                later.extend(rest);
                let beside = anchor.and_then(|at| items.get(at)).or(items.first());
                let from = piece.first().map(|item| self.base[item.base].step.tab);
                let to = beside.map(|item| item.tab.unwrap_or(self.base[item.base].step.tab));
                for item in &mut piece {
                    item.mark(if replaces.is_some() { EditKind::Replaced } else { EditKind::Inserted });
                    if *other_tab && Some(self.base[item.base].step.tab) == from {
                        item.tab = to;
                    }
                }
                if let (Some(at), Some(_), false) = (anchor, replaces, piece.is_empty()) {
                    items[at].gone = true;
                    // What was said of the step holds of what stands for it.
                    let said = items[at].annotation.take();
                    if let Some(last) = piece.last_mut() {
                        last.annotation = said;
                    }
                }
                let place = anchor.map_or(0, |at| at + 1);
                items.splice(place..place, piece);
                return true;
            }
            Op::Undo | Op::Redo => return true,
            _ => {}
        }
        let Some(at) = target else { return false };
        match op {
            Op::Delete { .. } => (items[at].gone, items[at].deleted) = (true, true),
            Op::Move { step, after } => {
                let place = after.as_ref().map(|id| find(items, id));
                if place == Some(None) || after.as_ref() == Some(step) {
                    return false;
                }
                let mut item = items.remove(at);
                item.mark(EditKind::Moved);
                let place = after.as_ref().and_then(|id| find(items, id)).map_or(0, |at| at + 1);
                items.insert(place, item);
            }
            Op::Locator { locator, .. } => {
                let target = self.base[items[at].base].step.target.as_ref();
                if !target.is_some_and(|target| target.locators.iter().any(|one| one.value == *locator)) {
                    return false;
                }
                items[at].locator = Some(locator.clone());
                items[at].mark(EditKind::Locator);
            }
            Op::Mask { .. } => items[at].mark(EditKind::Masked),
            Op::Annotate { annotation, .. } => {
                let item = &mut items[at];
                item.annotation = (!annotation.is_empty()).then(|| Box::new(annotation.clone()));
                item.mark(EditKind::Annotated);
            }
            Op::Segment { .. } | Op::Undo | Op::Redo => {}
        }
        true
    }

    /// The events of a trace with the edits laid over its steps: edits in force and the originals of what they
    /// touched come with them. `events` holds the steps as recorded, in the order of [`Recording::base`].
    pub fn write(&self, trace: &mut Trace) {
        let outcome = self.outcome();
        trace.header.edited = outcome.edited;
        if self.edits.is_empty() && self.base.iter().all(|base| base.segment.is_none()) {
            return;
        }
        if outcome.edited.is_none() {
            trace.events.retain(|event| !matches!(event, Event::Edit(_) | Event::Original(_)));
            let plain = self.base.iter().filter(|base| base.segment.is_none());
            set_steps(&mut trace.events, plain.map(|base| base.step.clone()).collect());
            return;
        }
        let placed: HashMap<&str, &Step> =
            outcome.steps.iter().map(|placed| (placed.id.as_str(), &placed.step)).collect();
        let numbers: HashMap<u32, u32> =
            outcome.steps.iter().filter_map(|p| Some((self.find(&p.id)?.step.seq, p.step.seq))).collect();
        let as_recorded: Vec<Step> = self
            .base
            .iter()
            .filter(|base| {
                placed.get(base.id.as_str()).is_none_or(|step| {
                    let plain = Step { seq: base.step.seq, origin: None, ..(*step).clone() };
                    plain != base.step
                })
            })
            .map(|base| {
                let origin = base.segment.map(|segment| Origin {
                    seq: base.step.seq,
                    segment: Some(segment),
                    edits: Vec::new(),
                });
                Step { origin, ..base.step.clone() }
            })
            .collect();
        let edits: Vec<Edit> = outcome.in_force.iter().map(|at| self.edits[*at].clone()).collect();
        trace.events.retain(|event| !matches!(event, Event::Edit(_) | Event::Original(_)));
        for event in &mut trace.events {
            if let Event::ToolCall(call) = event {
                call.steps = call.steps.iter().filter_map(|seq| numbers.get(seq).copied()).collect();
            }
        }
        set_steps(&mut trace.events, outcome.steps.into_iter().map(|placed| placed.step).collect());
        trace.events.extend(edits.into_iter().map(Event::Edit));
        trace.events.extend(as_recorded.into_iter().map(|step| Event::Original(Box::new(step))));
        if self.edits.iter().any(|edit| matches!(edit.op, Op::Mask { .. })) {
            mask::apply(self, trace);
        }
    }

    /// The step of that name, as recorded.
    pub fn find(&self, id: &str) -> Option<&Base> {
        self.base.get(*self.index.get(id)?)
    }
}

/// Puts steps into a list of events, each where its time or, failing that, its number wants it.
fn set_steps(events: &mut Vec<Event>, steps: Vec<Step>) {
    events.retain(|event| !matches!(event, Event::Step(_)));
    let mut rest = std::mem::take(events).into_iter().peekable();
    let mut latest = f64::NEG_INFINITY;
    for step in steps {
        latest = latest.max(step.t_ms);
        // Of one instant the pages come first, as when the trace was made.
        let before =
            |event: &Event| event.t_ms() < latest || (event.t_ms() <= latest && matches!(event, Event::Dom(_)));
        while let Some(event) = rest.next_if(before) {
            events.push(event);
        }
        events.push(Event::Step(Box::new(step)));
    }
    events.extend(rest);
}

impl Item {
    fn plain(base: usize) -> Item {
        Item { base, gone: false, deleted: false, annotation: None, locator: None, kinds: Vec::new(), tab: None }
    }

    /// The step as it stands in the edited trace.
    fn step(mut self, base: &Base, seq: u32) -> Step {
        let mut step = base.step.clone();
        if let Some(locator) = &self.locator
            && let Some(target) = &mut step.target
            && let Some(at) = target.locators.iter().position(|one| one.value == *locator)
        {
            target.locators[..=at].rotate_right(1);
        }
        if self.kinds.contains(&EditKind::Masked) {
            step.secret = true;
            step.value = step.value.map(|_| MASK.to_owned());
            step.values.iter_mut().for_each(|value| MASK.clone_into(value));
        }
        if self.kinds.contains(&EditKind::Annotated) || self.annotation.is_some() {
            step.annotation = self.annotation;
        }
        if let Some(tab) = self.tab {
            step.tab = tab;
        }
        self.kinds.sort_unstable();
        if seq != base.step.seq || base.segment.is_some() || !self.kinds.is_empty() {
            step.origin = Some(Origin { seq: base.step.seq, segment: base.segment, edits: self.kinds });
        }
        step.seq = seq;
        step
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Why an edit cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The step is not there.
    #[error("there is no step {0} any more: it was left out, or recorded differently")]
    NoStep(String),
    /// The target has no such locator.
    #[error("the step's target has no locator {0}")]
    NoLocator(String),
    /// Nothing was typed, or it is masked already.
    #[error("the step has no value that could be masked")]
    NothingToMask,
    /// A variant cannot be used.
    #[error("{0}")]
    Variant(String),
    /// No edit is in force.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// Nothing was undone, or something else was done since.
    #[error("there is nothing to redo")]
    NothingToRedo,
}
