//! Navigations, tabs and the lives of documents.

use super::ledger::Before;
use super::{At, Notice, Recorder};
use crate::action::Action;
use crate::mirror::DocKey;
use crate::trace::{Actor, PageChange, SettleEnd};
use crate::wire::log::{Cause, Document, Navigation, TabChange};

/// What the browser tells within this of a person's click or key is the page's answer to it, ms: it cannot
/// tell `history.back()` from the button.
const ANSWER_MS: f64 = 700.0;
/// A new document's sensor and the news of its navigation come this close together, in either order, ms.
const SAME_LOAD_MS: f64 = 10_000.0;
const CLOCK_MS: f64 = 50.0;

/// An address that shows nothing yet.
fn is_empty_page(url: &str) -> bool {
    url.is_empty()
        || url.starts_with("about:")
        || url.starts_with("chrome://")
        || url.starts_with("edge://")
        || url.starts_with("chrome-search://")
}

impl Recorder {
    /// A new top document reports in.
    pub(super) fn document_comes(&mut self, tab: usize, document: &Document) {
        let told = self.tabs[tab].last_navigation.is_some_and(|t| {
            t <= document.t + CLOCK_MS
                && document.t - t <= SAME_LOAD_MS
                && self.tabs[tab].last_document.is_none_or(|last| last < t)
        });
        if told {
            self.tabs[tab].leaving = None;
        } else if self.tabs[tab].leaving.is_none() && self.tabs[tab].last_document.is_some() {
            let leaving = self.before(tab, document.t, self.mirror.top(document.tab), None, "");
            self.tabs[tab].leaving = Some(leaving);
        }
        let state = &mut self.tabs[tab];
        state.last_document = Some(document.t);
        if !is_empty_page(&document.url) {
            state.first_document.get_or_insert(document.t);
        }
        state.url.clone_from(&document.url);
        state.frozen = None;
        state.focused = None;
        state.cause = None;
        state.bursts.clear();
        state.drifts.clear();
    }

    pub(super) fn page_goes(&mut self, tab: usize, doc: DocKey, t: f64) {
        self.flush_gone(tab, doc);
        let id = self.tabs[tab].id;
        if self.mirror.top(id) == Some(doc) && self.tabs[tab].leaving.is_none() {
            let leaving = self.before(tab, t, Some(doc), None, "");
            self.tabs[tab].leaving = Some(leaving);
        }
    }

    pub(super) fn page_state(&mut self, at: &At, state: &str) {
        let id = self.tabs[at.tab].id;
        if state == "print" {
            return self.printed(at);
        }
        if self.mirror.top(id) != Some(at.doc) || !matches!(state, "complete" | "show") {
            return;
        }
        if state == "show" {
            self.tabs[at.tab].leaving = None;
        }
        self.page_event(at.t, at.tab, PageChange::Loaded, &at.url, "");
        self.notices.push(Notice::Loaded { tab: id, t: at.t });
    }

    pub(super) fn navigation(&mut self, navigation: &Navigation) {
        if !navigation.top {
            return;
        }
        let Navigation { t, ref url, .. } = *navigation;
        let tab = self.tab(navigation.tab);
        self.flush(tab, t);
        let before = self.before_navigation(tab, navigation);
        let initial = is_empty_page(url) || self.is_initial(tab, t);
        self.tabs[tab].url.clone_from(url);
        let what = if navigation.same_document { PageChange::SamePage } else { PageChange::Navigated };
        let detail = serde_json::to_value(navigation.cause).ok();
        let detail = detail.as_ref().and_then(|cause| cause.as_str()).unwrap_or_default();
        self.page_event(t, tab, what, url, detail);
        if !navigation.same_document {
            self.attach_response(tab, t, url);
        }
        if matches!(navigation.cause, Cause::Page | Cause::Redirect) && !navigation.same_document {
            self.credit_effect(tab, t);
        }
        if navigation.same_document {
            if let Some(doc) = self.mirror.top(navigation.tab) {
                self.mirror.set_url(doc, url);
            }
        } else {
            self.tabs[tab].last_navigation = Some(t);
        }
        if !self.recording() || self.agent_acts(t) {
            return;
        }
        let action = match navigation.cause {
            Cause::Typed if !initial && !navigation.same_document => Action::Goto,
            Cause::Reload => Action::Reload,
            Cause::Back => Action::Back,
            Cause::Forward => Action::Forward,
            Cause::Typed | Cause::Page | Cause::Redirect | Cause::Channel => {
                // A question before leaving is over with the first page after it.
                self.tabs[tab].asked = None;
                return;
            }
        };
        self.navigated(tab, t, action, before, (action == Action::Goto).then(|| url.clone()));
        self.tabs[tab].asked = None;
    }

    fn navigated(&mut self, tab: usize, t: f64, action: Action, before: Before, value: Option<String>) {
        // A question before leaving stands between what was done and what came of it.
        let asked = self.asked_before(tab, t);
        let (tail, t_of) = asked.map_or((self.ledger.tail(tab), t), |(before, opened)| (before, opened));
        if let Some(i) = tail {
            let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
            if t_of - live.last <= ANSWER_MS {
                let shortcut = match action {
                    Action::Back => matches!(step.key.as_deref(), Some("Alt+ArrowLeft" | "Meta+[" | "BrowserBack")),
                    Action::Forward => {
                        matches!(step.key.as_deref(), Some("Alt+ArrowRight" | "Meta+]" | "BrowserForward"))
                    }
                    Action::Reload => matches!(
                        step.key.as_deref(),
                        Some(
                            "F5" | "Control+F5"
                                | "Shift+F5"
                                | "Control+R"
                                | "Control+Shift+R"
                                | "Meta+R"
                                | "BrowserRefresh"
                        )
                    ),
                    _ => false,
                };
                if shortcut {
                    let step = &mut self.ledger.steps[i];
                    step.action = action;
                    step.key = None;
                    step.modifiers.clear();
                    step.target = None;
                    self.tabs[tab].pressed = None;
                    if asked.is_some() {
                        self.tabs[tab].asked = None;
                        return self.tell(i);
                    }
                    return self.extend(i, t, []);
                }
                if action != Action::Goto && !matches!(step.action, Action::Goto | Action::Scroll) {
                    return;
                }
            }
        }
        let i = self.open(before, action, Vec::new());
        self.ledger.steps[i].value = value;
        self.extend(i, t, []);
        if asked.is_some() {
            self.before_asked(tab);
        }
    }

    /// The tab as it was before a navigation, which may be told after the new document reported in.
    fn before_navigation(&mut self, tab: usize, navigation: &Navigation) -> Before {
        let now = |recorder: &Self| recorder.before(tab, navigation.t, recorder.mirror.top(navigation.tab), None, "");
        if navigation.same_document {
            let mut before = now(self);
            // The sensor may have told the new address already; the old one is what the tab last had.
            before.top_url.clone_from(&self.tabs[tab].url);
            return before;
        }
        let told = self.tabs[tab].last_document.is_some_and(|last| last >= navigation.t - CLOCK_MS);
        let leaving = self.tabs[tab].leaving.take();
        match leaving {
            Some(leaving) if told || navigation.t - leaving.t <= SAME_LOAD_MS => Before { t: navigation.t, ..leaving },
            _ => now(self),
        }
    }

    /// The load that the session began with.
    fn is_initial(&self, tab: usize, t: f64) -> bool {
        let tab = &self.tabs[tab];
        tab.first_document.is_none_or(|first| t <= first + CLOCK_MS)
    }

    pub(super) fn tab_change(&mut self, t: f64, id: f64, change: TabChange, opener: Option<f64>, url: &str) {
        let first = self.tabs.is_empty();
        let previous = self.current;
        let tab = self.tab(id);
        let what = match change {
            TabChange::Opened => PageChange::TabOpened,
            TabChange::Activated => PageChange::TabSwitched,
            TabChange::Closed => PageChange::TabClosed,
            TabChange::Crashed => PageChange::Crashed,
        };
        self.page_event(t, tab, what, url, "");
        let by_person = self.recording() && !self.agent_acts(t);
        match change {
            TabChange::Opened => {
                if self.tabs[tab].url.is_empty() {
                    self.tabs[tab].url = url.to_owned();
                }
                if let Some(opener) = opener {
                    let opener = self.tab(opener);
                    self.credit_effect(opener, t);
                }
                if by_person && !first && opener.is_none() {
                    let value = (!is_empty_page(url)).then(|| url.to_owned());
                    self.tab_step(t, tab, previous, Action::TabOpen, value);
                }
                self.current = Some(tab);
            }
            TabChange::Activated => {
                let follows = self.ledger.steps.last().is_some_and(|step| {
                    matches!(step.action, Action::TabOpen | Action::TabClose) && t - step.t_ms <= 1000.0
                });
                if by_person && previous != Some(tab) && previous.is_some() && !follows {
                    let value = Some(tab.to_string());
                    self.tab_step(t, tab, previous, Action::TabSwitch, value);
                }
                self.current = Some(tab);
            }
            TabChange::Closed => {
                self.flush(tab, f64::INFINITY);
                let others = self.tabs.iter().enumerate().any(|(i, other)| i != tab && !other.closed);
                let by_page = self.ledger.last_in(tab).is_some_and(|i| t - self.ledger.live[i].last <= ANSWER_MS);
                // Closing the last tab ends the session and is no step of the task.
                // The browser brings another tab to the front before it tells that this one is closed.
                let turned = self.ledger.steps.last().is_some_and(|step| {
                    step.action == Action::TabSwitch && step.actor == Actor::Human && (t - step.t_ms).abs() <= 500.0
                });
                if turned && by_person && self.current != Some(tab) {
                    self.ledger.fold_last();
                }
                if by_person && others && !by_page && !self.tabs[tab].closed {
                    let asked = self.asked_before(tab, t).is_some();
                    self.tab_step(t, tab, Some(tab), Action::TabClose, None);
                    if asked {
                        self.before_asked(tab);
                    }
                }
                self.agent_tab_gone(tab, t);
                self.tabs[tab].closed = true;
                self.tabs[tab].rest();
                if self.current == Some(tab) {
                    self.current = None;
                }
            }
            TabChange::Crashed => {
                self.conclude_tab(tab, t, SettleEnd::End);
                self.tabs[tab].rest();
                self.cover(t, "crash", "The tab's process died; what it showed last may be missing.".to_owned());
            }
        }
    }

    fn tab_step(&mut self, t: f64, tab: usize, from: Option<usize>, action: Action, value: Option<String>) {
        let mut before = self.before(tab, t, None, None, "");
        if let Some(from) = from {
            before.url = self.top_url(from);
        }
        let i = self.open(before, action, Vec::new());
        self.ledger.steps[i].value = value;
        self.extend(i, t, []);
    }
}
