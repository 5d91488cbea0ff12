//! From facts to steps: the gesture grammar, as a pure fold over the session's log.
//!
//! [`Recorder`] takes the log's entries in order, keeps the mirror current, and says after each what changed.
//! It knows no clock and no browser: feeding the same entries to a new recorder gives the same steps, which is
//! how a hub that was killed goes on, and how a stored trace is asked again years later ([`replay_dom`]).
//! What a gesture means is decided when its last event is known, but its evidence is taken when the first one
//! comes. `ledger` holds the steps; `pointer`, `keys`, `edits` and `scroll` are the grammar of a person's
//! input; `pieces` edits by hand; `agent` the steps of an agent, one for each action whatever input it took; `browser`
//! navigations and tabs, `outside` what no document shows (dialogs, downloads, servers' answers); `coverage` counts
//! what could not be recorded; `export` gives the events of a trace.

mod agent;
mod browser;
mod coverage;
mod difference;
mod edits;
mod export;
mod field;
mod hover;
mod keys;
mod ledger;
mod outside;
mod pieces;
mod pointer;
mod scroll;
mod tab;

use std::collections::BTreeMap;

pub use coverage::{doubts, renew_coverage, summarize};
pub use difference::difference;
pub use export::{at_last, dom_entries, replay_dom};

use crate::mirror::{DocKey, Mirror, NodeRef};
use crate::trace::{
    Assertion, BlindFrame, CoverageEvent, Event, PageChange, PageEvent, PerturbationPhase, Point, SettleEnd, Step,
};
use crate::wire::fact::{Fact, Kind};
use crate::wire::log::{Batch, Document, Entry};
use crate::wire::op::{self, Op};
use ledger::{After, Before, Ledger, Rest, Shot};
use tab::Tab;

/// How long a page must not change to count as settled, ms. The hub keeps the time.
pub const QUIET_MS: f64 = 150.0;
/// The longest wait for that after an agent's action, ms.
pub const SETTLE_CAP_MS: f64 = 5000.0;

/// What an entry changed, for whoever feeds.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The step of that number was opened or changed; later ones may have been folded into it.
    Step(u32),
    /// Something was done in the tab: its settling is to be watched.
    NeedsSettle {
        /// The browser's tab.
        tab: f64,
        /// The last input event, ms since the epoch.
        since: f64,
    },
    /// The document changed or input came.
    Activity {
        /// The browser's tab.
        tab: f64,
        /// When, ms since the epoch.
        t: f64,
    },
    /// The tab's top document finished loading.
    Loaded {
        /// The browser's tab.
        tab: f64,
        /// When, ms since the epoch.
        t: f64,
    },
    /// A measuring pass is complete.
    Measured {
        /// The document's token.
        doc: String,
    },
    /// A frame element was tied to the document it shows.
    FrameLinked,
    /// Something could not be recorded, in words.
    Coverage(String),
    /// A pop-up of ours was cleared away.
    PopupDismissed {
        /// The perturbation's id.
        id: String,
    },
}

/// Where and when an input event came.
#[derive(Clone, Debug)]
struct At {
    /// The tab's number, from 0.
    tab: usize,
    doc: DocKey,
    node: NodeRef,
    /// The node is in the mirror.
    known: bool,
    t: f64,
    /// Its position in the session's stream of input events.
    n: u64,
    url: String,
}

/// A shown pop-up.
#[derive(Debug)]
struct Popup {
    id: String,
    /// Unknown until the hub tells.
    host: Option<NodeRef>,
    open: bool,
}

/// The fold.
#[derive(Default)]
pub struct Recorder {
    mirror: Mirror,
    ledger: Ledger,
    tabs: Vec<Tab>,
    /// The tab in front.
    current: Option<usize>,
    /// The next batch of each document.
    batches: BTreeMap<DocKey, u32>,
    popups: Vec<Popup>,
    assertions: Vec<Assertion>,
    coverage: Vec<CoverageEvent>,
    /// Frames that were seen and are not recorded.
    blind: Vec<BlindFrame>,
    /// Dialogs of which not all could be known.
    unknown_dialogs: u32,
    /// Where in `events` a download stands, by the bits of its number.
    downloads: BTreeMap<u64, usize>,
    /// Events that are no steps, in the order of the log.
    events: Vec<Event>,
    /// Secrets that agents typed, to be kept out of their tool calls.
    secrets: Vec<String>,
    /// What was done by hand.
    edits: Vec<crate::edit::Edit>,
    entries: u64,
    facts: u64,
    paused: bool,
    ended: bool,
    notices: Vec<Notice>,
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next entry of the log. Never fails: what cannot be read becomes a coverage event.
    pub fn feed(&mut self, entry: &Entry) -> Vec<Notice> {
        self.entries += 1;
        match entry {
            Entry::Document(document) => self.document(document),
            Entry::Batch(batch) => self.batch(batch),
            Entry::Gone { doc, t } => self.gone(doc, *t),
            Entry::Navigation(navigation) => self.navigation(navigation),
            Entry::Tab { t, tab, change, opener, url } => self.tab_change(*t, *tab, *change, *opener, url),
            Entry::DialogOpened { t, tab, kind, message } => self.dialog_opened(*t, *tab, *kind, message),
            Entry::DialogClosed { t, tab, accepted, text } => self.dialog_closed(*t, *tab, *accepted, text.as_ref()),
            Entry::Blocked { t, tab, ms } => self.blocked(*t, *tab, *ms),
            Entry::Download { t, tab, id, url, file } => self.downloaded(*t, *tab, *id, url, file),
            Entry::Response { t, tab, url, status, redirects } => self.response(*t, *tab, url, *status, redirects),
            Entry::Failed { t, tab, url, why } => self.load_failed(*t, *tab, url, why),
            Entry::Blind { t, tab, top, url, access } => self.blind(*t, *tab, *top, url, *access),
            Entry::Settled { t, tab, quiet_since, ended_by, parts } => {
                let rest = Rest { t: *t, quiet_since: *quiet_since, ended_by: *ended_by, parts: *parts };
                self.settled(*tab, &rest);
            }
            Entry::Shot { t_start, t_end, tab, blob, width, height, viewport, scroll, full_page } => {
                let shot = Shot {
                    tab: self.tab(*tab),
                    t_start: *t_start,
                    t_end: *t_end,
                    blob: blob.clone(),
                    width: *width,
                    height: *height,
                    viewport: *viewport,
                    scroll: *scroll,
                    full_page: *full_page,
                };
                for i in self.ledger.shot(shot) {
                    self.tell(i);
                }
            }
            Entry::ActionBegin { t, tab, call, act, trusted, target } => {
                self.action_begin(*t, *tab, *call, act, *trusted, target.as_ref());
            }
            Entry::ActionEnd { t, call, error } => self.action_end(*t, *call, error.as_ref()),
            Entry::ToolCall(call) => self.events.push(Event::ToolCall(call.clone())),
            Entry::Usage(usage) => self.events.push(Event::Usage(usage.clone())),
            Entry::Note(note) => self.events.push(Event::Note(note.clone())),
            Entry::Perturbation(event) => self.perturbation(event),
            Entry::PopupNode { id, doc, node } => {
                let host = self.mirror.key(doc).map(|doc| NodeRef { doc, node: *node });
                match self.popups.iter_mut().find(|popup| popup.id == *id) {
                    Some(popup) => popup.host = host,
                    None => self.popups.push(Popup { id: id.clone(), host, open: true }),
                }
            }
            Entry::Assertion(assertion) => self.assertions.push(assertion.clone()),
            Entry::Check(check) => self.events.push(Event::Check(check.clone())),
            Entry::Coverage(event) => self.cover(event.t_ms, &event.what, event.detail.clone()),
            Entry::Pause { .. } => {
                self.flush_all();
                self.tabs.iter_mut().for_each(Tab::rest);
                self.paused = true;
            }
            Entry::Resume { .. } => self.paused = false,
            Entry::Edit(edit) => self.edit(edit),
            Entry::SegmentEnd { .. } => self.segment_end(),
            Entry::End { t, .. } => self.end(*t),
        }
        std::mem::take(&mut self.notices)
    }

    /// The replica of the session's tabs, as of the last entry.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// For snapshots, which give out names for elements.
    pub fn mirror_mut(&mut self) -> &mut Mirror {
        &mut self.mirror
    }

    /// The steps so far; the last ones may still grow or fold.
    pub fn steps(&self) -> &[Step] {
        &self.ledger.steps
    }

    /// The goal assertions added by the expert.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// What was seen but could not be recorded.
    pub fn coverage(&self) -> &[CoverageEvent] {
        &self.coverage
    }

    /// Entries taken so far.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Recording is paused.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// The session ended.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The steps caused by an agent's action.
    pub fn steps_of_call(&self, call: u32) -> Vec<u32> {
        let of_call = self.ledger.live.iter().zip(&self.ledger.steps).filter(|(live, _)| live.call == Some(call));
        of_call.map(|(_, step)| step.seq).collect()
    }

    /// The document that the last step of a tab was made in (its token), and when that step began, ms since the epoch.
    pub fn acted_in(&self, tab: f64) -> Option<(&str, f64)> {
        let number = self.tabs.iter().position(|known| known.id.to_bits() == tab.to_bits())?;
        let i = self.ledger.last_in(number)?;
        let node = self.ledger.live[i].before.node;
        let doc = node.map(|node| node.doc).or_else(|| self.mirror.top(tab))?;
        Some((self.mirror.token(doc), self.ledger.steps[i].t_ms))
    }

    /// When the step of that number began (ms since the epoch) and in which of the browser's tabs.
    pub fn begun(&self, seq: u32) -> Option<(f64, f64)> {
        let step = self.ledger.steps.get(seq as usize)?;
        Some((step.t_ms, self.tabs.get(step.tab as usize)?.id))
    }

    /// The number of the last step of one of the browser's tabs.
    pub fn last_step(&self, tab: f64) -> Option<u32> {
        let number = self.tabs.iter().position(|known| known.id.to_bits() == tab.to_bits())?;
        self.ledger.last_in(number).and_then(|i| u32::try_from(i).ok())
    }

    /// The last step of a tab is settled and has no picture of what came of it.
    pub fn lacks_picture(&self, tab: f64) -> bool {
        let number = self.tabs.iter().position(|known| known.id.to_bits() == tab.to_bits());
        number.and_then(|number| self.ledger.last_in(number)).is_some_and(|i| {
            self.ledger.live[i].quiet_since.is_some() && self.ledger.steps[i].post.screenshot.is_none()
        })
    }

    /// The pop-up of ours that is open.
    pub fn open_popup(&self) -> Option<&str> {
        self.popups.iter().rev().find(|popup| popup.open).map(|popup| popup.id.as_str())
    }

    /// Steps are being made of what happens.
    fn recording(&self) -> bool {
        !self.paused && !self.ended
    }

    /// The number of a tab of the browser, given in order of appearance.
    fn tab(&mut self, id: f64) -> usize {
        match self.tabs.iter().position(|tab| tab.id.to_bits() == id.to_bits()) {
            Some(i) => i,
            None => {
                self.tabs.push(Tab { id, active: f64::NEG_INFINITY, ..Tab::default() });
                self.current.get_or_insert(self.tabs.len() - 1);
                self.tabs.len() - 1
            }
        }
    }

    fn document(&mut self, document: &Document) {
        let tab = self.tab(document.tab);
        // A connection lost and found again is no new page; one kept in memory and shown again is.
        let again = self.mirror.key(&document.doc).is_some_and(|key| self.mirror.top(document.tab) == Some(key));
        if document.top && !again {
            self.document_comes(tab, document);
        }
        self.not_blind(tab, &document.url, document.top);
        let key = self.mirror.document(document);
        self.batches.entry(key).or_insert(0);
    }

    fn gone(&mut self, token: &str, t: f64) {
        let Some(doc) = self.mirror.key(token) else { return };
        let tab = self.tab(self.mirror.tab(doc));
        self.page_goes(tab, doc, t);
        self.mirror.gone(doc);
        for popup in self.popups.iter_mut().filter(|popup| popup.host.is_some_and(|host| host.doc == doc)) {
            popup.open = false;
        }
    }

    fn batch(&mut self, batch: &Batch) {
        let Some(doc) = self.mirror.key(&batch.doc) else {
            self.cover(batch.t0, "gap", "A frame sent changes before it reported in; they are lost.".to_owned());
            return;
        };
        let expected = self.batches.entry(doc).or_insert(0);
        if batch.seq < *expected {
            // Sent again after a reconnection, although it had been stored.
            return;
        }
        let missed = batch.seq - *expected;
        *expected = batch.seq.saturating_add(1);
        if missed > 0 {
            let url = self.mirror.url(doc).to_owned();
            self.cover(batch.t0, "gap", format!("{missed} batches of {url} are missing; reload the page to be sure."));
        }
        let tab = self.tab(self.mirror.tab(doc));
        self.before_scripted(tab, doc, batch);
        let mut now = batch.t0;
        let mut changed = None;
        let mut refused = false;
        for op in op::decode(batch.t0, &batch.strings, &batch.ops) {
            let op = match op {
                Ok(op) => op,
                Err(error) => {
                    self.cover(now, "gap", error.to_string());
                    break;
                }
            };
            match op {
                Op::Time(t) => {
                    now = t;
                }
                Op::Event(json) => match serde_json::from_str::<Fact>(json) {
                    Ok(fact) => {
                        if !matches!(fact.kind, Kind::Scroll { .. } | Kind::Focus) {
                            changed = Some(fact.t);
                        }
                        self.fact(doc, tab, fact);
                    }
                    Err(error) => {
                        self.facts += 1;
                        self.cover(now, "gap", format!("An input event could not be read: {error}."));
                    }
                },
                op => {
                    self.before_op(tab, doc, &op, now);
                    self.about_to_show(tab, doc, &op, now);
                    if let Err(error) = self.mirror.apply(doc, &op)
                        && !refused
                    {
                        // One a batch: what follows a refused operation is often refused too.
                        refused = true;
                        self.cover(now, "gap", error.to_string());
                    }
                    self.after_op(tab, doc, &op, now);
                    if changes(&op) {
                        changed = Some(now);
                    }
                }
            }
        }
        self.flush(tab, now);
        if let Some(t) = changed {
            self.notices.push(Notice::Activity { tab: self.tabs[tab].id, t });
        }
    }

    /// Evidence of a field that has the focus, before its value changes without a key (a script that fills, a
    /// suggestion taken).
    fn before_op(&mut self, tab: usize, doc: DocKey, op: &Op<'_>, t: f64) {
        let Op::Value { id, .. } = op else { return };
        let node = NodeRef { doc, node: *id };
        if self.recording() && self.tabs[tab].focused == Some(node) && self.tabs[tab].agent.is_none() {
            self.freeze(tab, node, t, None);
        }
    }

    /// The same for a list or picker that a driver sets: its new value is told just before its event.
    fn before_scripted(&mut self, tab: usize, doc: DocKey, batch: &Batch) {
        if !self.recording() || self.tabs[tab].agent.as_ref().is_some_and(|action| action.ended.is_none()) {
            return;
        }
        let scripted = batch.strings.iter().filter(|text| text.starts_with('{') && text.contains("\"trusted\":false"));
        for fact in scripted.filter_map(|text| serde_json::from_str::<Fact>(text).ok()) {
            if let Kind::Input(edit) | Kind::Change(edit) = &fact.kind
                && edits::is_chosen(edit)
            {
                self.freeze(tab, NodeRef { doc, node: fact.n }, fact.t, None);
            }
        }
    }

    fn after_op(&mut self, tab: usize, doc: DocKey, op: &Op<'_>, t: f64) {
        match op {
            Op::Focus { id: 0 } if self.tabs[tab].focused.is_some_and(|node| node.doc == doc) => {
                self.tabs[tab].focused = None;
            }
            Op::Focus { id } if *id != 0 => self.tabs[tab].focused = Some(NodeRef { doc, node: *id }),
            Op::Value { id, value, secret } if self.recording() && self.tabs[tab].agent.is_none() => {
                self.written(tab, NodeRef { doc, node: *id }, value, *secret, t);
            }
            Op::Checked { id, state } => self.toggled(tab, NodeRef { doc, node: *id }, *state, t),
            Op::Frame { .. } => self.notices.push(Notice::FrameLinked),
            Op::Mark(op::mark::MEASURED) => {
                self.notices.push(Notice::Measured { doc: self.mirror.token(doc).to_owned() });
            }
            _ => {}
        }
        if changes(op) || matches!(op, Op::Scroll { .. }) {
            let active = &mut self.tabs[tab].active;
            *active = active.max(t);
        }
    }

    fn fact(&mut self, doc: DocKey, tab: usize, fact: Fact) {
        let n = self.facts;
        self.facts += 1;
        let node = NodeRef { doc, node: fact.n };
        let known = fact.n != 0 && !self.mirror.tag(node).is_empty();
        let at = At { tab, doc, node, known, t: fact.t, n, url: fact.url };
        match &fact.kind {
            Kind::Page { state } => return self.page_state(&at, state),
            Kind::PageHide => return self.page_goes(tab, doc, at.t),
            _ => {}
        }
        if !self.recording() {
            return;
        }
        if let Kind::Secret(value) = &fact.kind {
            return self.sealed(&at, value);
        }
        if self.agent_owns(tab, at.t) {
            return self.agent_fact(&at, &fact.kind);
        }
        if !fact.trusted {
            return self.programmatic(&at, &fact.kind);
        }
        let since = self.tabs[tab].trusted;
        if !matches!(fact.kind, Kind::Focus | Kind::Scroll { .. }) {
            // Those two come of programs too.
            self.tabs[tab].trusted = Some(at.t);
        }
        if !matches!(
            fact.kind,
            Kind::Click(_) | Kind::AuxClick(_) | Kind::DblClick(_) | Kind::ContextMenu(_) | Kind::PointerUp(_)
        ) {
            self.flush(tab, at.t);
        }
        match fact.kind {
            Kind::PointerDown(pointer) => {
                self.flush(tab, f64::INFINITY);
                self.hovered(&at, &pointer, since);
                self.pointer_down(&at, &pointer);
            }
            Kind::PointerUp(pointer) => self.pointer_up(&at, &pointer),
            Kind::PointerCancel(pointer) => self.pointer_cancel(&at, &pointer),
            Kind::Click(pointer) => self.click(&at, &pointer),
            Kind::AuxClick(pointer) => self.aux_click(&at, &pointer),
            Kind::DblClick(_) => self.double_click(&at),
            Kind::ContextMenu(pointer) => self.context_menu(&at, &pointer),
            Kind::DragStart(_) => {
                if let Some(down) = &mut self.tabs[tab].down {
                    down.dragging = true;
                    down.facts.push(at.n);
                }
            }
            Kind::DragEnter(pointer) => self.drag_enter(&at, &pointer),
            Kind::DragEnd(_) => self.drag_end(&at),
            Kind::Drop(pointer) => self.drop(&at, &pointer),
            Kind::Wheel { .. } => self.wheel(&at),
            Kind::Scroll { x, y } => self.scroll(&at, Point { x, y }),
            Kind::KeyDown { key, code, mods, repeat, composing } => {
                self.key_down(&at, &keys::Key { key: &key, code: &code, mods: &mods, repeat, composing });
            }
            Kind::CompositionStart => self.freeze_at(&at),
            Kind::Input(edit) => self.edited(&at, &edit, false),
            Kind::Change(edit) => self.edited(&at, &edit, true),
            Kind::Copy(clip) => self.clipboard(&at, crate::action::Action::Copy, clip),
            Kind::Cut(clip) => self.clipboard(&at, crate::action::Action::Cut, clip),
            Kind::Paste(clip) => self.clipboard(&at, crate::action::Action::Paste, clip),
            Kind::Focus => self.focus(&at),
            Kind::CompositionEnd | Kind::Submit | Kind::Page { .. } | Kind::PageHide | Kind::Secret(_) => {}
        }
    }

    /// What was typed into a secret field, told once it stands.
    fn sealed(&mut self, at: &At, value: &crate::trace::SecretValue) {
        use crate::action::Action;
        let live = self.ledger.live.iter().zip(&self.ledger.steps);
        let typed = live.enumerate().rev().find(|(_, (live, step))| {
            matches!(step.action, Action::Fill | Action::Paste | Action::Select | Action::Copy | Action::Cut)
                && live.before.node.is_some_and(|node| self.same_field(node, at.node))
        });
        let Some(i) = typed.map(|(i, _)| i) else { return };
        let step = &mut self.ledger.steps[i];
        step.secret = true;
        if !matches!(step.action, Action::Copy | Action::Cut) {
            step.value = Some(crate::trace::MASK.to_owned());
        }
        step.secret_value = Some(value.clone());
        self.tell(i);
    }

    /// Evidence of the tab now. `node` is what is meant; without one the step is the page's.
    fn before(&self, tab: usize, t: f64, doc: Option<DocKey>, node: Option<NodeRef>, url: &str) -> Before {
        let id = self.tabs[tab].id;
        let node = node.filter(|node| !self.mirror.tag(*node).is_empty());
        let mut target = node.map(|node| self.mirror.target(node));
        if let (Some(target), Some(node)) = (&mut target, node)
            && target.rect.is_none()
        {
            target.rect = self.mirror.rect(node);
        }
        let url = match doc {
            _ if !url.is_empty() => url.to_owned(),
            Some(doc) => self.mirror.url(doc).to_owned(),
            None => self.tabs[tab].url.clone(),
        };
        Before {
            t,
            tab,
            url,
            top_url: self.top_url(tab),
            frame: doc.map(|doc| self.mirror.frame_path(doc)).unwrap_or_default(),
            target,
            hash: self.mirror.state_hash(id),
            counters: self.mirror.counters(id),
            active: self.tabs[tab].active,
            perturbation: node.and_then(|node| self.popup_around(node)),
            checked: node.and_then(|node| self.mirror.checked(node)),
            node,
        }
    }

    fn after(&self, tab: usize) -> After {
        let id = self.tabs[tab].id;
        After { hash: self.mirror.state_hash(id), counters: self.mirror.counters(id), top_url: self.top_url(tab) }
    }

    fn top_url(&self, tab: usize) -> String {
        let tab = &self.tabs[tab];
        if tab.url.is_empty() {
            self.mirror.top(tab.id).map(|doc| self.mirror.url(doc).to_owned()).unwrap_or_default()
        } else {
            tab.url.clone()
        }
    }

    /// The pop-up that a node lies in. Its being closed by now says nothing: the news of a click come in batches.
    fn popup_around(&self, node: NodeRef) -> Option<String> {
        let around = |popup: &&Popup| popup.host.is_some_and(|host| self.within(node, host));
        self.popups.iter().rev().find(around).map(|popup| popup.id.clone())
    }

    /// The node is the other or lies in it.
    fn within(&self, node: NodeRef, ancestor: NodeRef) -> bool {
        node == ancestor || self.mirror.is_descendant(node, ancestor)
    }

    /// One holds the other: events of editable content speak of different nodes of it.
    fn same_field(&self, a: NodeRef, b: NodeRef) -> bool {
        self.within(a, b) || self.within(b, a)
    }

    /// The page drew a step's element anew, and the node stands where that one stood: of the same kind, and called
    /// the same or at the same place.
    fn redrawn(&self, i: usize, node: NodeRef) -> bool {
        let (Some(old), Some(was)) = (self.ledger.live[i].before.node, &self.ledger.live[i].before.target) else {
            return false;
        };
        if old == node || old.doc != node.doc || self.mirror.contains(old) {
            return false;
        }
        let is = self.mirror.target(node);
        was.tag == is.tag
            && was.role == is.role
            && ((!was.name.is_empty() && was.name == is.name) || was.dom_path == is.dom_path)
    }

    /// Opens a person's step and says so.
    fn open(&mut self, before: Before, action: crate::action::Action, facts: Vec<u64>) -> usize {
        self.ledger.open(before, action, crate::trace::Actor::Human, true, facts);
        let i = self.ledger.steps.len() - 1;
        let tab = &mut self.tabs[self.ledger.live[i].before.tab];
        tab.early = None;
        tab.chooser = None;
        self.tell(i);
        i
    }

    /// The gesture of a step goes on.
    fn extend(&mut self, i: usize, t: f64, facts: impl IntoIterator<Item = u64>) {
        self.ledger.extend(i, t, facts);
        self.tell(i);
        let live = &self.ledger.live[i];
        let notice = Notice::NeedsSettle { tab: self.tabs[live.before.tab].id, since: live.last };
        self.notices.push(notice);
    }

    fn tell(&mut self, i: usize) {
        if let Some(step) = self.ledger.steps.get(i) {
            self.notices.push(Notice::Step(step.seq));
        }
    }

    fn cover(&mut self, t_ms: f64, what: &str, detail: String) {
        self.notices.push(Notice::Coverage(detail.clone()));
        self.coverage.push(CoverageEvent { t_ms, what: what.to_owned(), detail });
    }

    fn page_event(&mut self, t_ms: f64, tab: usize, what: PageChange, url: &str, detail: &str) {
        self.events.push(Event::Page(PageEvent {
            t_ms,
            tab: u32::try_from(tab).unwrap_or(u32::MAX),
            what,
            url: url.to_owned(),
            detail: detail.to_owned(),
            status: None,
            redirects: Vec::new(),
            download: None,
        }));
    }

    fn perturbation(&mut self, event: &crate::trace::PerturbationEvent) {
        self.events.push(Event::Perturbation(event.clone()));
        if event.operator != crate::perturb::Operator::SessionPopup {
            return;
        }
        let known = self.popups.iter_mut().find(|popup| popup.id == event.id);
        match (event.phase, known) {
            (PerturbationPhase::Shown, None) => {
                self.popups.push(Popup { id: event.id.clone(), host: None, open: true });
            }
            (PerturbationPhase::Dismissed, known) => {
                if let Some(popup) = known {
                    popup.open = false;
                }
                self.notices.push(Notice::PopupDismissed { id: event.id.clone() });
            }
            _ => {}
        }
    }

    fn settled(&mut self, tab: f64, rest: &Rest) {
        let tab = self.tab(tab);
        self.flush(tab, rest.t);
        let Some(i) = self.ledger.last_in(tab) else { return };
        let step = &self.ledger.steps[i];
        // Told late, of what was before this step.
        let early = step.t_ms > rest.t;
        if early || self.ended {
            return;
        }
        let after = self.after(tab);
        self.ledger.conclude(i, &after, rest);
        self.tell(i);
    }

    /// Ends what waits for its end in a tab.
    fn conclude_tab(&mut self, tab: usize, t: f64, ended_by: SettleEnd) {
        if let Some(i) = self.ledger.last_in(tab).filter(|i| self.ledger.steps[*i].settle.is_none()) {
            let after = self.after(tab);
            self.ledger.conclude(i, &after, &Rest::cut(t, ended_by));
            self.tell(i);
        }
    }

    fn end(&mut self, t: f64) {
        if self.ended {
            return;
        }
        self.flush_all();
        self.end_dialogs(t);
        for tab in 0..self.tabs.len() {
            self.conclude_tab(tab, t, SettleEnd::End);
            self.tabs[tab].rest();
        }
        self.ended = true;
    }

    /// Decides every gesture that waits for an event which will not come.
    fn flush_all(&mut self) {
        for tab in 0..self.tabs.len() {
            self.flush(tab, f64::INFINITY);
        }
    }
}

/// The operation changes what the page is, not only where it is seen.
fn changes(op: &Op<'_>) -> bool {
    !matches!(
        op,
        Op::Time(_)
            | Op::Event(_)
            | Op::Scroll { .. }
            | Op::Box { .. }
            | Op::Viewport { .. }
            | Op::Focus { .. }
            | Op::Frame { .. }
            | Op::Mark(_)
            | Op::State { .. }
    )
}
