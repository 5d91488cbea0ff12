//! What the browser alone knows of: dialogs, downloads, answers of servers, printing. None of it is in any
//! document, so a step that only caused such a thing left the page as it was and still had its effect.

use super::ledger::Before;
use super::{At, Recorder};
use crate::action::Action;
use crate::trace::{Dialog, DialogKind, Download, Event, MASK, PageChange, Redirect, SettleEnd, Step};
use crate::wire::agent::Verb;

/// What came within this after a step's last input counts as its effect, ms.
const EFFECT_MS: f64 = 5000.0;
/// A download may first be asked for, redirected and named, ms.
const DOWNLOAD_MS: f64 = 10_000.0;
/// The answer of a server and the news of its document come this close together, ms.
const ANSWER_MS: f64 = 60_000.0;
/// Told after its document, the answer comes at once, ms.
const TOLD_MS: f64 = 2000.0;
/// What a question before leaving stood in the way of comes this soon after its answer, ms.
const LEAVE_MS: f64 = 3000.0;

/// A dialog that is open.
#[derive(Debug)]
pub(super) struct Open {
    pub t: f64,
    pub dialog: Dialog,
    before: Before,
}

/// The last question before leaving that was answered by a person.
#[derive(Debug)]
pub(super) struct Asked {
    uid: u32,
    opened: f64,
    answered: f64,
}

/// What a server answered.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    t: f64,
    url: String,
    status: u16,
    redirects: Vec<Redirect>,
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

impl Recorder {
    /// Something outside the document came of the tab's last step.
    pub(super) fn credit(&mut self, tab: usize, t: f64, within: f64) {
        let Some(i) = self.ledger.last_in(tab).filter(|i| t - self.ledger.live[*i].last <= within) else { return };
        if self.ledger.credit(i) {
            self.tell(i);
        }
    }

    pub(super) fn credit_effect(&mut self, tab: usize, t: f64) {
        self.credit(tab, t, EFFECT_MS);
    }

    pub(super) fn dialog_opened(&mut self, t: f64, id: f64, kind: DialogKind, message: &str) {
        let tab = self.tab(id);
        self.flush(tab, f64::INFINITY);
        self.credit_effect(tab, t);
        let url = self.top_url(tab);
        self.page_event(t, tab, PageChange::Dialog, &url, &format!("{}: {message}", kind.name()));
        // While it is open nothing can happen in the page; what comes after its answer is the answer's.
        if self.tabs[tab].agent.as_ref().is_none_or(|action| action.ended.is_some()) {
            self.conclude_tab(tab, t, SettleEnd::NextAction);
        }
        let before = self.before(tab, t, self.mirror.top(id), None, "");
        let dialog = Dialog { kind, message: message.to_owned(), accepted: None, text: None };
        self.tabs[tab].dialog = Some(Open { t, dialog, before });
    }

    pub(super) fn dialog_closed(&mut self, t: f64, id: f64, accepted: Option<bool>, text: Option<&String>) {
        let tab = self.tab(id);
        let Some(open) = self.tabs[tab].dialog.take() else { return };
        let text = text.filter(|_| accepted == Some(true) && open.dialog.kind == DialogKind::Prompt).cloned();
        let dialog = Dialog { accepted, text, ..open.dialog };
        if accepted.is_none() {
            self.unknown_dialogs += 1;
            self.cover(t, "dialog", format!("How the {} was answered could not be known.", dialog.kind.name()));
        }
        if !self.recording() {
            return;
        }
        let agents = self.tabs[tab].agent.as_ref().filter(|action| matches!(action.verb, Verb::Dialog { .. }));
        if let Some(i) = agents.filter(|a| a.ended.is_none()).and_then(|a| a.uid).and_then(|uid| self.ledger.find(uid))
        {
            answered(&mut self.ledger.steps[i], dialog);
            return self.tell(i);
        }
        if self.agent_acts(t) {
            // Answered for the agent, as the answer to its action says.
            return;
        }
        let asks = dialog.kind == DialogKind::Beforeunload && accepted == Some(true);
        let i = self.open(Before { t, ..open.before }, Action::Dialog, Vec::new());
        answered(&mut self.ledger.steps[i], dialog);
        if asks {
            let uid = self.ledger.live[i].uid;
            self.tabs[tab].asked = Some(Asked { uid, opened: open.t, answered: t });
        }
        self.extend(i, t, []);
    }

    /// When the way to a navigation or a closed tab led through a question before leaving: the step before it, if
    /// any, and when the question came.
    pub(super) fn asked_before(&self, tab: usize, t: f64) -> Option<(Option<usize>, f64)> {
        let asked = self.tabs[tab].asked.as_ref()?;
        let at = self.ledger.find(asked.uid)?;
        let fits = at + 1 == self.ledger.steps.len() && t - asked.answered <= LEAVE_MS;
        fits.then(|| (at.checked_sub(1).filter(|i| self.ledger.live[*i].before.tab == tab), asked.opened))
    }

    /// The newest step is what the question before it stood in the way of: it began before.
    pub(super) fn before_asked(&mut self, tab: usize) {
        let Some(asked) = self.tabs[tab].asked.take() else { return };
        self.ledger.swap_newest(asked.opened);
        let n = self.ledger.steps.len();
        for i in n.saturating_sub(2)..n {
            self.tell(i);
        }
    }

    pub(super) fn blocked(&mut self, t: f64, id: f64, ms: f64) {
        let tab = self.tab(id);
        if self.tabs[tab].dialog.is_some() {
            return;
        }
        self.credit_effect(tab, t);
        self.unknown_dialogs += 1;
        let detail = format!(
            "The page stood still for {:.1} s, most likely in a dialog; what it said and how it was answered cannot be \
             seen here.",
            ms / 1000.0
        );
        self.cover(t, "dialog", detail);
    }

    pub(super) fn downloaded(&mut self, t: f64, id: f64, number: f64, url: &str, file: &Download) {
        let tab = self.tab(id);
        let known = self.downloads.get(&number.to_bits()).copied();
        if let Some(Event::Page(event)) = known.and_then(|at| self.events.get_mut(at)) {
            event.detail.clone_from(&file.name);
            event.download = Some(file.clone());
            return;
        }
        self.credit(tab, t, DOWNLOAD_MS);
        self.downloads.insert(number.to_bits(), self.events.len());
        self.page_event(t, tab, PageChange::Download, url, &file.name);
        if let Some(Event::Page(event)) = self.events.last_mut() {
            event.download = Some(file.clone());
        }
    }

    pub(super) fn response(&mut self, t: f64, id: f64, url: &str, status: u16, redirects: &[Redirect]) {
        let tab = self.tab(id);
        let answered = Answered { t, url: url.to_owned(), status, redirects: redirects.to_vec() };
        if status >= 400 {
            self.page_event(t, tab, PageChange::Failed, url, &format!("HTTP {status}"));
            if let Some(Event::Page(event)) = self.events.last_mut() {
                event.status = Some(status);
            }
        }
        // Told before its document or after.
        let number = u32::try_from(tab).unwrap_or(u32::MAX);
        let told = self.events.iter_mut().rev().take_while(|event| t - event.t_ms() <= ANSWER_MS).find_map(|event| {
            let Event::Page(page) = event else { return None };
            let fits = page.tab == number
                && page.what == PageChange::Navigated
                && page.status.is_none()
                && t - page.t_ms <= TOLD_MS
                && without_fragment(&page.url) == without_fragment(url);
            fits.then_some(page)
        });
        match told {
            Some(page) => {
                page.status = Some(status);
                page.redirects = answered.redirects;
            }
            None => self.tabs[tab].answered = Some(answered),
        }
    }

    /// What is known of the answer that brought the document just navigated to.
    pub(super) fn attach_response(&mut self, tab: usize, t: f64, url: &str) {
        let fits = |a: &mut Answered| without_fragment(&a.url) == without_fragment(url) && (t - a.t).abs() <= ANSWER_MS;
        let Some(answered) = self.tabs[tab].answered.take_if(fits) else { return };
        if let Some(Event::Page(event)) = self.events.last_mut() {
            event.status = Some(answered.status);
            event.redirects = answered.redirects;
        }
    }

    pub(super) fn load_failed(&mut self, t: f64, id: f64, url: &str, why: &str) {
        let tab = self.tab(id);
        self.credit_effect(tab, t);
        self.page_event(t, tab, PageChange::Failed, url, why);
        self.cover(t, "navigation", format!("{url} could not be loaded: {why}"));
    }

    /// The page is printed, or its preview is shown.
    pub(super) fn printed(&mut self, at: &At) {
        self.credit_effect(at.tab, at.t);
        self.page_event(at.t, at.tab, PageChange::Print, &at.url, "");
    }

    /// Dialogs nobody answered before the session ended.
    pub(super) fn end_dialogs(&mut self, t: f64) {
        for tab in 0..self.tabs.len() {
            if let Some(open) = self.tabs[tab].dialog.take() {
                self.unknown_dialogs += 1;
                let name = open.dialog.kind.name();
                self.cover(t, "dialog", format!("The {name} was still open when the session ended."));
            }
        }
    }
}

fn answered(step: &mut Step, dialog: Dialog) {
    step.secret |= dialog.text.as_deref() == Some(MASK);
    step.value.clone_from(&dialog.text);
    step.dialog = Some(dialog);
}
