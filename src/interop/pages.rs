//! What only the recorded pages tell and other tools want: the numbers of frames, the values behind options' labels,
//! which attribute holds the test ids, and which tab was opened by which step.

use std::collections::{BTreeMap, BTreeSet};

use super::locator::TEST_IDS;
use crate::action::Action;
use crate::mirror::Mirror;
use crate::steps::{Recorder, dom_entries};
use crate::trace::{Event, PageChange, Step, Trace};
use crate::wire::log::Entry;

/// Facts of a trace's pages.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// By step: the numbers of the frames that lead to it.
    frames: BTreeMap<u32, Vec<u32>>,
    /// By step: label and value of the options of the list acted on.
    options: BTreeMap<u32, Vec<(String, String)>>,
    /// Attributes of the pages that hold test ids.
    test_ids: BTreeSet<&'static str>,
    /// By tab after the first: the step that opened it, if one did.
    openers: BTreeMap<u32, Option<u32>>,
    /// The addresses of the tabs as they changed: time, tab, address.
    addresses: Vec<(f64, u32, String)>,
}

impl Pages {
    /// Reads a trace's pages.
    pub(super) fn of(trace: &Trace) -> Pages {
        let mut pages = Pages::default();
        pages.tabs(trace);
        let wanted = |step: &&Step| step.action == Action::Select || !step.frame.is_empty();
        let mut waiting: Vec<&Step> = trace.steps().filter(wanted).collect();
        waiting.sort_by(|a, b| b.t_ms.total_cmp(&a.t_ms));
        if !trace.events.iter().any(|event| matches!(event, Event::Dom(_))) {
            return pages;
        }
        let mut late = Vec::new();
        let mut recorder = Recorder::new();
        for entry in dom_entries(trace).flatten() {
            let t = match &entry {
                Entry::Document(document) => document.t,
                Entry::Batch(batch) => {
                    pages.test_ids.extend(TEST_IDS.iter().filter(|id| batch.strings.iter().any(|s| s == *id)));
                    batch.t0
                }
                Entry::Gone { t, .. } => *t,
                Entry::Navigation(navigation) => navigation.t,
                _ => continue,
            };
            while let Some(step) = waiting.pop_if(|step| step.t_ms < t) {
                if !pages.ask(recorder.mirror(), step) {
                    late.push(step);
                }
            }
            drop(recorder.feed(&entry));
        }
        for step in waiting.into_iter().chain(late) {
            pages.ask(recorder.mirror(), step);
        }
        pages
    }

    /// Asks the pages as they are about a step; whether they knew.
    fn ask(&mut self, mirror: &Mirror, step: &Step) -> bool {
        let Some(target) = &step.target else { return true };
        let tabs: BTreeSet<u64> = mirror.documents().iter().map(|doc| mirror.tab(*doc).to_bits()).collect();
        let found =
            tabs.into_iter().rev().find_map(|tab| mirror.resolve_target(f64::from_bits(tab), &step.frame, target).ok());
        let Some((node, _)) = found else { return false };
        if let Some(numbers) = mirror.frame_numbers(node.doc) {
            self.frames.insert(step.seq, numbers);
        }
        if step.action == Action::Select {
            self.options.insert(step.seq, mirror.options(node));
        }
        true
    }

    fn tabs(&mut self, trace: &Trace) {
        let opened: BTreeMap<u32, f64> = trace
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Page(page) if page.what == PageChange::TabOpened => Some((page.tab, page.t_ms)),
                _ => None,
            })
            .collect();
        for event in &trace.events {
            if let Event::Page(page) = event
                && matches!(page.what, PageChange::Navigated | PageChange::SamePage | PageChange::TabOpened)
                && !page.url.is_empty()
            {
                self.addresses.push((page.t_ms, page.tab, page.url.clone()));
            }
        }
        self.addresses.sort_by(|a, b| a.0.total_cmp(&b.0));
        let steps: Vec<&Step> = trace.steps().collect();
        for step in &steps {
            if step.tab == 0 || self.openers.contains_key(&step.tab) {
                continue;
            }
            let opener = if step.action == Action::TabOpen {
                None
            } else {
                let before = |other: &&&Step| {
                    other.tab != step.tab
                        && match opened.get(&step.tab) {
                            Some(t) => other.t_ms <= *t,
                            None => other.seq < step.seq,
                        }
                };
                steps.iter().rev().find(before).map(|step| step.seq)
            };
            self.openers.insert(step.tab, opener);
        }
    }

    /// The numbers of the frames that lead to a step; `None` when the trace does not tell.
    pub(super) fn frame_numbers(&self, step: &Step) -> Option<&[u32]> {
        if step.frame.is_empty() {
            return Some(&[]);
        }
        self.frames.get(&step.seq).map(Vec::as_slice)
    }

    /// The value of an option by its label; `None` when the trace does not tell.
    pub(super) fn option_value(&self, step: &Step, label: &str) -> Option<&str> {
        let options = self.options.get(&step.seq)?;
        options.iter().find(|(known, _)| known == label).map(|(_, value)| value.as_str())
    }

    /// The one attribute that holds the pages' test ids; `None` when there are several or none was seen.
    pub(super) fn test_id(&self) -> Option<&'static str> {
        match self.test_ids.iter().collect::<Vec<_>>()[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The tabs that a step opened.
    pub(super) fn opened_by(&self, step: u32) -> Vec<u32> {
        self.openers.iter().filter(|(_, opener)| **opener == Some(step)).map(|(tab, _)| *tab).collect()
    }

    /// The address a tab had at a time.
    pub(super) fn address(&self, tab: u32, t_ms: f64) -> Option<&str> {
        self.addresses.iter().rev().find(|(t, of, _)| *t <= t_ms && *of == tab).map(|(_, _, url)| url.as_str())
    }
}
