//! The steps made so far, and what is kept beside each: evidence, settling, pictures.

use crate::action::Action;
use crate::mirror::{Counters, NodeRef};
use crate::trace::{
    Actor, DomDiff, Outcome, Point, Screenshot, Settle, SettleEnd, SettleParts, State, Step, Target, Viewport,
};

/// What was known when a gesture began, before the page reacted.
#[derive(Clone, Debug)]
pub(super) struct Before {
    pub t: f64,
    /// Its number, from 0.
    pub tab: usize,
    /// Of the document acted in.
    pub url: String,
    /// Of the tab.
    pub top_url: String,
    pub frame: Vec<String>,
    /// What the person means: the button around an icon, the control of a label.
    pub node: Option<NodeRef>,
    pub target: Option<Target>,
    pub hash: String,
    pub counters: Counters,
    /// When the tab's documents last changed.
    pub active: f64,
    pub perturbation: Option<String>,
    /// A box's or radio's state.
    pub checked: Option<bool>,
}

impl Before {
    /// As the end of the step before.
    fn after(&self) -> After {
        After { hash: self.hash.clone(), counters: self.counters, top_url: self.top_url.clone() }
    }
}

/// How a tab is when a step is over.
pub(super) struct After {
    pub hash: String,
    pub counters: Counters,
    pub top_url: String,
}

/// What is kept beside a step.
#[derive(Clone, Debug)]
pub(super) struct Live {
    /// Names the step whatever becomes of its number.
    pub uid: u32,
    pub before: Before,
    /// Its last input event.
    pub last: f64,
    /// Since when the page was quiet; `None` until settled, or when the next action came first.
    pub quiet_since: Option<f64>,
    /// When the wait was over.
    pub settled: Option<f64>,
    /// What had been counted by the time it settled.
    pub after: Option<Counters>,
    /// Focus or a scroll offset moved in answer to a key.
    pub answered: bool,
    /// A box's new state is certain.
    pub confirmed: bool,
    /// Something came of it that no document shows: a dialog, a tab, a download.
    pub caused: bool,
    /// The agent's action it belongs to.
    pub call: Option<u32>,
    /// The piece recorded afterwards that it belongs to.
    pub segment: Option<u32>,
}

/// A screenshot in the log.
#[derive(Clone, Debug)]
pub(super) struct Shot {
    pub tab: usize,
    pub t_start: f64,
    pub t_end: f64,
    pub blob: String,
    pub width: u32,
    pub height: u32,
    pub viewport: Option<Viewport>,
    pub scroll: Option<Point>,
    pub full_page: bool,
}

/// So many pictures of each tab are remembered to be bound to steps: those of the last few steps and more.
const REMEMBERED: usize = 48;

impl Shot {
    fn screenshot(&self, age_ms: f64, stale: bool) -> Screenshot {
        Screenshot {
            blob: self.blob.clone(),
            t_ms: self.t_start,
            ended_ms: Some(self.t_end),
            width: self.width,
            height: self.height,
            viewport: self.viewport,
            scroll: self.scroll,
            age_ms: Some(age_ms.max(0.0)),
            full_page: self.full_page,
            stale,
        }
    }
}

/// The end of a wait, and what is told of it.
pub(super) struct Rest {
    /// When it was over.
    pub t: f64,
    /// Since when the page was quiet.
    pub quiet_since: f64,
    pub ended_by: SettleEnd,
    pub parts: Option<SettleParts>,
}

impl Rest {
    /// Nothing was waited for any longer.
    pub fn cut(t: f64, ended_by: SettleEnd) -> Rest {
        Rest { t, quiet_since: t, ended_by, parts: None }
    }
}

#[derive(Default)]
pub(super) struct Ledger {
    pub steps: Vec<Step>,
    /// One for each step.
    pub live: Vec<Live>,
    shots: Vec<Shot>,
    uids: u32,
    /// The piece that is being recorded for another place.
    pub segment: Option<u32>,
}

impl Ledger {
    /// Adds a step. The one before in the same tab, if it has not settled, is ended by this one.
    pub fn open(&mut self, before: Before, action: Action, actor: Actor, trusted: bool, facts: Vec<u64>) -> u32 {
        let previous = self.last_in(before.tab);
        if let Some(i) = previous.filter(|i| self.steps[*i].settle.is_none()) {
            self.conclude(i, &before.after(), &Rest::cut(before.t, SettleEnd::NextAction));
        }
        let uid = self.uids;
        self.uids = self.uids.wrapping_add(1);
        self.steps.push(Step {
            seq: u32::try_from(self.steps.len()).unwrap_or(u32::MAX),
            t_ms: before.t,
            elapsed_ms: 0.0,
            action,
            value: None,
            values: Vec::new(),
            key: None,
            button: None,
            count: None,
            modifiers: Vec::new(),
            to: None,
            to_target: None,
            cause: None,
            payload: None,
            secret: false,
            secret_value: None,
            target: before.target.clone(),
            url: before.url.clone(),
            frame: before.frame.clone(),
            tab: u32::try_from(before.tab).unwrap_or(u32::MAX),
            pre: State { screenshot: None, state_hash: Some(before.hash.clone()) },
            post: State::default(),
            dom: None,
            settle: None,
            outcome: Outcome::Ok,
            trusted,
            actor,
            perturbation: before.perturbation.clone(),
            dialog: None,
            facts,
            annotation: None,
            origin: None,
            extra: Default::default(),
        });
        let last = before.t;
        self.live.push(Live {
            uid,
            before,
            last,
            quiet_since: None,
            settled: None,
            after: None,
            answered: false,
            confirmed: false,
            caused: false,
            call: None,
            segment: self.segment,
        });
        let i = self.steps.len() - 1;
        self.assign_shots(i);
        if let Some(previous) = previous {
            self.assign_shots(previous);
        }
        uid
    }

    /// Where the step of that name stands.
    pub fn find(&self, uid: u32) -> Option<usize> {
        self.live.iter().rposition(|live| live.uid == uid)
    }

    pub fn last_in(&self, tab: usize) -> Option<usize> {
        self.live.iter().rposition(|live| live.before.tab == tab)
    }

    /// The newest step of all, if it was made in this tab.
    pub fn tail(&self, tab: usize) -> Option<usize> {
        let i = self.live.len().checked_sub(1)?;
        (self.live[i].before.tab == tab).then_some(i)
    }

    /// The name of the newest step, to see later whether another came.
    pub fn newest(&self) -> Option<u32> {
        self.live.last().map(|live| live.uid)
    }

    /// The gesture goes on: what was known of its end is void.
    pub fn extend(&mut self, i: usize, t: f64, facts: impl IntoIterator<Item = u64>) {
        let (step, live) = (&mut self.steps[i], &mut self.live[i]);
        step.facts.extend(facts);
        live.last = live.last.max(t);
        step.elapsed_ms = (live.last - step.t_ms).max(0.0);
        self.reopen(i);
    }

    fn reopen(&mut self, i: usize) {
        let step = &mut self.steps[i];
        step.settle = None;
        step.dom = None;
        step.post = State::default();
        if !matches!(step.outcome, Outcome::Error { .. }) {
            step.outcome = Outcome::Ok;
        }
        self.live[i].quiet_since = None;
        self.live[i].settled = None;
        self.live[i].after = None;
    }

    /// Takes the newest step back into the gesture before it; gives its evidence and facts.
    pub fn fold_last(&mut self) -> Option<(Live, Vec<u64>)> {
        self.steps.len().checked_sub(1).map(|i| self.remove(i))
    }

    /// Takes a step back; those after it move up.
    pub fn remove(&mut self, i: usize) -> (Live, Vec<u64>) {
        let (step, live) = (self.steps.remove(i), self.live.remove(i));
        for (seq, step) in self.steps.iter_mut().enumerate().skip(i) {
            step.seq = u32::try_from(seq).unwrap_or(u32::MAX);
        }
        let of_tab = |other: &Live| other.before.tab == live.before.tab;
        let previous = self.live[..i].iter().rposition(of_tab);
        if let Some(p) = previous
            && self.steps[p].settle.is_some_and(|settle| settle.ended_by == SettleEnd::NextAction)
        {
            // What it was ended by is gone.
            match self.live[i..].iter().position(of_tab).map(|n| self.live[i + n].before.clone()) {
                Some(next) => self.conclude(p, &next.after(), &Rest::cut(next.t, SettleEnd::NextAction)),
                None => self.reopen(p),
            }
        }
        (live, step.facts)
    }

    /// Something came of the step that no document shows. Returns whether that changes its outcome.
    pub fn credit(&mut self, i: usize) -> bool {
        self.live[i].caused = true;
        let idle = self.steps[i].outcome == Outcome::NoEffect;
        if idle {
            self.steps[i].outcome = Outcome::Ok;
        }
        idle
    }

    /// The newest step began before the one it was told after, at `t`.
    pub fn swap_newest(&mut self, t: f64) {
        let n = self.steps.len();
        if n < 2 {
            return;
        }
        self.steps.swap(n - 2, n - 1);
        self.live.swap(n - 2, n - 1);
        self.steps[n - 2].t_ms = t;
        self.live[n - 2].before.t = t;
        for (seq, step) in self.steps.iter_mut().enumerate().skip(n - 2) {
            step.seq = u32::try_from(seq).unwrap_or(u32::MAX);
        }
        let first = self.live[n - 1].before.clone();
        self.conclude(n - 2, &first.after(), &Rest::cut(t, SettleEnd::NextAction));
        self.reopen(n - 1);
    }

    /// The page is quiet, or will not be waited for any longer.
    pub fn conclude(&mut self, i: usize, after: &After, rest: &Rest) {
        let (step, live) = (&mut self.steps[i], &mut self.live[i]);
        let diff = difference(&live.before.counters, &after.counters);
        let same = live.before.hash == after.hash
            && live.before.top_url == after.top_url
            && DomDiff { nodes_before: 0, nodes_after: 0, ..diff } == DomDiff::default();
        step.post.state_hash = Some(after.hash.clone());
        step.dom = Some(diff);
        let Rest { t, quiet_since, ended_by, parts } = *rest;
        let waited = !matches!(ended_by, SettleEnd::NextAction | SettleEnd::End);
        step.settle = Some(Settle {
            ms: (quiet_since - live.last).max(0.0),
            ended_by,
            waited_ms: waited.then_some((t - live.last).max(0.0)),
            parts,
        });
        live.after = Some(after.counters);
        live.quiet_since = (ended_by != SettleEnd::NextAction).then_some(quiet_since);
        live.settled = live.quiet_since.map(|_| t);
        if !matches!(step.outcome, Outcome::Error { .. }) {
            let answered = live.caused || (step.action == Action::Press && live.answered);
            let idle = same && must_change(step.action) && !answered;
            step.outcome = if idle { Outcome::NoEffect } else { Outcome::Ok };
        }
        self.assign_shots(i);
    }

    /// Takes note of a picture; gives the steps that may have got it.
    pub fn shot(&mut self, shot: Shot) -> Vec<usize> {
        // A picture comes within seconds of what it shows: the last few steps of its tab are all it can belong to.
        let recent = (0..self.steps.len()).rev().filter(|i| self.live[*i].before.tab == shot.tab).take(8);
        let recent: Vec<_> = recent.collect();
        let tab = shot.tab;
        self.shots.push(shot);
        let of_tab = self.shots.iter().filter(|shot| shot.tab == tab).count();
        if of_tab > REMEMBERED
            && let Some(oldest) = self.shots.iter().position(|shot| shot.tab == tab)
        {
            self.shots.remove(oldest);
        }
        let mut changed = Vec::new();
        for i in recent {
            let old = (self.steps[i].pre.screenshot.clone(), self.steps[i].post.screenshot.clone());
            self.assign_shots(i);
            if (&old.0, &old.1) != (&self.steps[i].pre.screenshot, &self.steps[i].post.screenshot) {
                changed.push(i);
            }
        }
        changed
    }

    fn assign_shots(&mut self, i: usize) {
        let (live, start) = (&self.live[i], self.steps[i].t_ms);
        let tab = live.before.tab;
        let next = (i + 1..self.steps.len()).find(|n| self.live[*n].before.tab == tab).map(|n| self.steps[n].t_ms);
        let of_tab = || self.shots.iter().filter(|shot| shot.tab == tab);
        let pre = of_tab().filter(|shot| shot.t_end <= start).max_by(|a, b| a.t_end.total_cmp(&b.t_end));
        let pre = pre.map(|shot| shot.screenshot(start - shot.t_end, live.before.active > shot.t_start));
        let post = live.quiet_since.and_then(|quiet| {
            let settled = live.settled.unwrap_or(quiet);
            of_tab()
                .filter(|shot| shot.t_start >= quiet && next.is_none_or(|next| shot.t_start < next))
                .min_by(|a, b| a.t_start.total_cmp(&b.t_start))
                .map(|shot| shot.screenshot(shot.t_start - settled, false))
        });
        let step = &mut self.steps[i];
        // The pictures of long ago are forgotten, but not by the steps that have them.
        let kept = step.pre.screenshot.take().filter(|shot| shot.ended_ms.is_some_and(|ended| ended <= start));
        step.pre.screenshot = pre.or(kept);
        let kept = step.post.screenshot.take().filter(|shot| {
            live.quiet_since.is_some_and(|quiet| shot.t_ms >= quiet) && next.is_none_or(|next| shot.t_ms < next)
        });
        step.post.screenshot = match (post, kept) {
            (Some(post), Some(kept)) if kept.t_ms < post.t_ms => Some(kept),
            (post, kept) => post.or(kept),
        };
    }
}

fn difference(before: &Counters, after: &Counters) -> DomDiff {
    // Counters only grow, but a closed tab's are gone.
    let less = |after, before| u32::saturating_sub(after, before);
    DomDiff {
        added: less(after.added, before.added),
        removed: less(after.removed, before.removed),
        moved: less(after.moved, before.moved),
        attributes: less(after.attributes, before.attributes),
        text: less(after.text, before.text),
        values: less(after.values, before.values),
        styles: less(after.styles, before.styles),
        nodes_before: before.nodes,
        nodes_after: after.nodes,
    }
}

/// Actions on an element that are in vain when nothing changes.
fn must_change(action: Action) -> bool {
    matches!(
        action,
        Action::Click
            | Action::Dblclick
            | Action::Contextmenu
            | Action::Drag
            | Action::Fill
            | Action::Press
            | Action::Select
            | Action::Check
            | Action::Uncheck
            | Action::Upload
            | Action::Cut
            | Action::Paste
    )
}
