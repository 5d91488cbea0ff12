//! Traces made of what was read elsewhere.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Format, Loss, Severity};
use crate::action::Action;
use crate::trace::{
    Actor, Event, FORMAT, Header, Outcome, PageChange, PageEvent, RecorderInfo, Role, State, Step, Trace, VERSION,
};

/// Steps as they are read, and what becomes of them.
pub(super) struct Draft {
    pub(super) header: Header,
    pub(super) steps: Vec<Step>,
    /// Events beside the steps.
    pub(super) events: Vec<Event>,
    pub(super) blobs: BTreeMap<String, Vec<u8>>,
    restored: bool,
}

impl Draft {
    /// An empty one. The same bytes give the same name.
    pub(super) fn new(bytes: &[u8], role: Role, format: Format) -> Draft {
        let id: String = Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Draft {
            header: Header {
                format: FORMAT.to_owned(),
                version: VERSION,
                id: format!("{}-{id}", format.name()),
                role,
                title: String::new(),
                url: String::new(),
                started_ms: 0.0,
                ended_ms: None,
                recorder: RecorderInfo { via: format.name().to_owned(), ..RecorderInfo::default() },
                viewport: None,
                perturb: None,
                task: None,
                run: None,
                secret_salt: None,
                mask: Vec::new(),
                assertions: Vec::new(),
                ending: None,
                capture: Default::default(),
                edited: None,
                extra: BTreeMap::new(),
            },
            steps: Vec::new(),
            events: Vec::new(),
            blobs: BTreeMap::new(),
            restored: false,
        }
    }

    /// Puts back the header and the events that were set aside.
    pub(super) fn restore(&mut self, header: Header, events: Vec<Event>) {
        self.header = header;
        self.events = events;
        self.restored = true;
    }

    /// A step that is only an action, numbered after those before it.
    pub(super) fn step(&self, action: Action) -> Step {
        let seq = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        Step {
            seq,
            t_ms: f64::from(seq),
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
            target: None,
            url: String::new(),
            frame: Vec::new(),
            tab: 0,
            pre: State::default(),
            post: State::default(),
            dom: None,
            settle: None,
            outcome: Outcome::Ok,
            trusted: true,
            actor: Actor::Human,
            perturbation: None,
            dialog: None,
            facts: Vec::new(),
            annotation: None,
            origin: None,
            extra: BTreeMap::new(),
        }
    }

    /// Adds a step and numbers it.
    pub(super) fn push(&mut self, mut step: Step) {
        step.seq = self.next();
        self.steps.push(step);
    }

    /// The number of the next step.
    pub(super) fn next(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// The first address opened is where a recording of Tracerule begins, and no step.
    pub(super) fn opens(&mut self, url: &str) -> bool {
        if self.header.url.is_empty() && self.steps.is_empty() && !url.is_empty() {
            url.clone_into(&mut self.header.url);
            return true;
        }
        false
    }

    /// The trace. Times that do not rise are an order, not a clock.
    pub(super) fn finish(self, loss: &mut Loss) -> Trace {
        let Draft { mut header, steps, events, blobs, restored } = self;
        loss.steps.written = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let mut all: Vec<Event> = steps.into_iter().map(|step| Event::Step(Box::new(step))).collect();
        all.extend(events);
        all.retain(|event| event.t_ms().is_finite());
        all.sort_by(|a, b| a.t_ms().total_cmp(&b.t_ms()));
        if header.ended_ms.is_none() && !restored {
            header.ended_ms = all.last().map(Event::t_ms).or(Some(header.started_ms));
        }
        Trace { header, events: all, blobs }
    }
}

/// Something that happened to a page.
pub(super) fn page_event(t_ms: f64, tab: u32, what: PageChange, url: String, detail: String) -> Event {
    Event::Page(PageEvent { t_ms, tab, what, url, detail, status: None, redirects: Vec::new(), download: None })
}

/// Tells that nobody counted what the locators matched.
pub(super) fn uncounted(loss: &mut Loss) {
    loss.changed(
        None,
        "target.locators.matches",
        Severity::Info,
        "the format does not say how many elements a locator matched; 1 is assumed",
    );
}

/// Tells that the format has no times.
pub(super) fn timeless(loss: &mut Loss) {
    loss.changed(None, "t_ms", Severity::Info, "the format has no times; the steps are only numbered");
}
