//! An agent's steps: one for each action, whatever input the browser made of it.

use super::field::is_printable;
use super::ledger::Before;
use super::tab::AgentAction;
use super::{At, Notice, Recorder};
use crate::action::Action;
use crate::mirror::NodeRef;
use crate::trace::{Actor, Button, FailureCode, InputCause, MASK, Modifier, Outcome, Point, SettleEnd};
use crate::wire::agent::{Act, Verb, modifier};
use crate::wire::fact::Kind;

impl Recorder {
    pub(super) fn action_begin(
        &mut self,
        t: f64,
        id: f64,
        call: u32,
        act: &Act,
        trusted: bool,
        target: Option<&(String, u32)>,
    ) {
        let tab = self.tab(id);
        self.flush(tab, f64::INFINITY);
        self.tabs[tab].rest();
        let node = target.and_then(|(token, node)| Some(NodeRef { doc: self.mirror.key(token)?, node: *node }));
        let uid = if self.recording() { Some(self.agent_step(t, tab, call, act, trusted, node)) } else { None };
        self.tabs[tab].agent =
            Some(AgentAction { call, verb: act.verb.clone(), uid, submit: None, trusted, started: t, ended: None });
    }

    fn agent_step(&mut self, t: f64, tab: usize, call: u32, act: &Act, trusted: bool, node: Option<NodeRef>) -> u32 {
        let verb = &act.verb;
        // Whoever clicks the icon in a button means the button.
        let node = match verb {
            Verb::Click { .. } => node.map(|node| self.mirror.interactive(node)),
            _ => node,
        };
        let doc = node.map(|node| node.doc).or_else(|| self.mirror.top(self.tabs[tab].id));
        let before = self.before(tab, t, doc, node, "");
        let uid = self.open_agent(before, action_of(verb), trusted, call);
        let secret = node.is_some_and(|node| self.mirror.is_secret(node));
        let Some(i) = self.ledger.find(uid) else { return uid };
        let step = &mut self.ledger.steps[i];
        match verb {
            Verb::Click { button, double, modifiers, count, .. } => {
                step.button = Some(button.unwrap_or(Button::Left));
                step.count =
                    (step.action != Action::Contextmenu).then_some(count.unwrap_or(if *double { 2 } else { 1 }));
                step.modifiers.clone_from(modifiers);
            }
            Verb::Drag { to, onto, modifiers, .. } => {
                step.button = Some(Button::Left);
                step.modifiers.clone_from(modifiers);
                // Where it was released in truth, the browser's event tells.
                step.to = to.filter(|_| onto.is_none());
            }
            Verb::Upload { files, .. } => {
                step.values = files.iter().map(|file| file.name.clone()).collect();
                step.value = Some(step.values.join(", "));
            }
            Verb::Fill { value, .. } => {
                step.value = Some(value.clone());
                if secret {
                    self.hide(i);
                }
            }
            Verb::Press { key, .. } => {
                let mut parts: Vec<_> = key.split('+').collect();
                parts.pop();
                step.modifiers = parts.into_iter().filter_map(modifier).collect::<Vec<Modifier>>();
                step.key = Some(key.clone());
                if secret {
                    self.hide_key(i);
                }
            }
            Verb::Select { values, .. } => {
                step.value = Some(values.join(", "));
                step.values.clone_from(values);
            }
            Verb::Goto { url } => step.value = Some(url.clone()),
            Verb::Wait { time, text, text_gone, shown } => {
                let seconds = time.map(|seconds| seconds.to_string());
                step.value = text.clone().or_else(|| text_gone.clone()).or_else(|| shown.clone()).or(seconds);
            }
            Verb::Dialog { accept, text } => {
                let open = self.tabs[tab].dialog.as_ref().map(|open| open.dialog.clone());
                let text = text.clone().filter(|_| *accept);
                step.value.clone_from(&text);
                step.dialog = open.map(|open| crate::trace::Dialog { accepted: Some(*accept), text, ..open });
            }
            Verb::TabOpen { url } => step.value.clone_from(url),
            Verb::TabSwitch { index } => step.value = Some(index.to_string()),
            Verb::TabClose { index } => step.value = index.map(|index| index.to_string()),
            Verb::Check { .. }
            | Verb::Uncheck { .. }
            | Verb::Hover { .. }
            | Verb::Scroll { .. }
            | Verb::Back
            | Verb::Forward
            | Verb::Reload => {}
        }
        uid
    }

    fn open_agent(&mut self, before: Before, action: Action, trusted: bool, call: u32) -> u32 {
        let (tab, t) = (self.tabs[before.tab].id, before.t);
        let uid = self.ledger.open(before, action, Actor::Agent, trusted, Vec::new());
        if let Some(i) = self.ledger.find(uid) {
            self.ledger.live[i].call = Some(call);
            self.tell(i);
        }
        self.notices.push(Notice::NeedsSettle { tab, since: t });
        uid
    }

    /// A fill turns out to be of a secret.
    fn hide(&mut self, i: usize) {
        let step = &mut self.ledger.steps[i];
        if step.secret {
            return;
        }
        step.secret = true;
        if let Some(value) = step.value.replace(MASK.to_owned())
            && !value.is_empty()
        {
            self.secrets.push(value);
        }
    }

    /// A character pressed in a secret field.
    fn hide_key(&mut self, i: usize) {
        let step = &mut self.ledger.steps[i];
        if let Some(key) = step.key.take_if(|key| is_printable(key)) {
            step.key = Some("•".to_owned());
            step.secret = true;
            self.secrets.push(key);
        }
    }

    /// Whether input of that time in the tab is an agent's doing.
    pub(super) fn agent_owns(&self, tab: usize, t: f64) -> bool {
        self.tabs[tab].agent.as_ref().is_some_and(|action| action.ended.is_none_or(|end| t <= end))
    }

    /// An agent acts somewhere, or did until just before: what the browser does then is its doing.
    pub(super) fn agent_acts(&self, t: f64) -> bool {
        const AFTER_MS: f64 = 1000.0;
        self.tabs
            .iter()
            .filter_map(|tab| tab.agent.as_ref())
            .any(|action| t >= action.started - AFTER_MS && action.ended.is_none_or(|end| t <= end + AFTER_MS))
    }

    pub(super) fn agent_fact(&mut self, at: &At, kind: &Kind) {
        let Some(action) = self.tabs[at.tab].agent.clone() else { return };
        let Some(i) = action.submit.or(action.uid).and_then(|uid| self.ledger.find(uid)) else { return };
        if let Kind::KeyDown { key, .. } = kind
            && key == "Enter"
            && action.submit.is_none()
            && matches!(action.verb, Verb::Fill { submit: true, .. })
        {
            let (node, facts) = (at.known.then_some(at.node), vec![at.n]);
            return self.submit(at.tab, at.t, node, facts);
        }
        match kind {
            Kind::PointerDown(pointer) if self.ledger.steps[i].target.as_ref().is_some_and(|t| t.pointer.is_none()) => {
                let mut before = self.ledger.live[i].before.clone();
                self.measured(&mut before, at.node, pointer);
                self.ledger.steps[i].target.clone_from(&before.target);
                self.ledger.live[i].before = before;
            }
            Kind::KeyDown { .. } if self.ledger.steps[i].target.is_none() && at.known && !self.is_whole(at.node) => {
                let target = self.mirror.target(at.node);
                let frame = self.mirror.frame_path(at.doc);
                let perturbation = self.popup_around(at.node);
                let step = &mut self.ledger.steps[i];
                step.target = Some(target);
                step.frame = frame;
                step.url.clone_from(&at.url);
                step.perturbation = step.perturbation.take().or(perturbation);
                self.ledger.live[i].before.node = Some(at.node);
                if self.mirror.is_secret(at.node) {
                    self.hide_key(i);
                }
            }
            Kind::Input(edit) | Kind::Change(edit) => {
                // A box clicked by an agent is a box switched, as by a person.
                if let Some(checked) = edit.checked
                    && self.ledger.live[i].before.node == Some(at.node)
                    && matches!(self.ledger.steps[i].action, Action::Click | Action::Check | Action::Uncheck)
                {
                    self.set_checked(i, checked);
                }
                let step = &mut self.ledger.steps[i];
                if step.action == Action::Select && !edit.labels.is_empty() {
                    step.values.clone_from(&edit.labels);
                    step.value = Some(edit.labels.join(", "));
                }
                if step.action == Action::Fill && edit.secret {
                    self.hide(i);
                }
            }
            Kind::PointerUp(pointer) | Kind::Drop(pointer) if self.ledger.steps[i].action == Action::Drag => {
                self.ledger.steps[i].to = self.in_top(at.node.doc, pointer.x, pointer.y);
            }
            Kind::Scroll { x, y } if self.ledger.steps[i].action == Action::Scroll => {
                self.ledger.steps[i].to = Some(Point { x: *x, y: *y });
            }
            Kind::Scroll { x, y } => {
                let key = self.ledger.steps[i].action == Action::Press;
                let cause = if key { InputCause::Key } else { InputCause::Program };
                self.drift(at, Point { x: *x, y: *y }, cause);
            }
            Kind::Focus if self.ledger.steps[i].action == Action::Press => self.ledger.live[i].answered = true,
            _ => {}
        }
        self.extend(i, at.t, [at.n]);
    }

    fn submit(&mut self, tab: usize, t: f64, node: Option<NodeRef>, facts: Vec<u64>) {
        let Some(action) = self.tabs[tab].agent.clone() else { return };
        let Some(filled) = action.uid.and_then(|uid| self.ledger.find(uid)) else { return };
        let node = node.or(self.ledger.live[filled].before.node);
        let before = self.before(tab, t, node.map(|node| node.doc), node, "");
        let uid = self.open_agent(before, Action::Press, action.trusted, action.call);
        if let Some(i) = self.ledger.find(uid) {
            self.ledger.steps[i].key = Some("Enter".to_owned());
            self.ledger.steps[i].facts = facts;
        }
        if let Some(action) = &mut self.tabs[tab].agent {
            action.submit = Some(uid);
        }
    }

    pub(super) fn action_end(&mut self, t: f64, call: u32, error: Option<&(FailureCode, String)>) {
        let running = |tab: &super::Tab| tab.agent.as_ref().is_some_and(|a| a.call == call && a.ended.is_none());
        let Some(tab) = self.tabs.iter().position(running) else { return };
        let recording = self.recording();
        if let Some(action) = &mut self.tabs[tab].agent {
            action.ended = Some(t);
            let wants_submit = matches!(action.verb, Verb::Fill { submit: true, .. });
            if wants_submit && action.submit.is_none() && error.is_none() && recording {
                self.submit(tab, t, None, Vec::new());
            }
        }
        let Some(action) = &self.tabs[tab].agent else { return };
        let Some(i) = action.submit.or(action.uid).and_then(|uid| self.ledger.find(uid)) else { return };
        if let Some((code, message)) = error {
            self.ledger.steps[i].outcome = Outcome::Error { code: *code, message: message.clone() };
        }
        if self.ledger.steps[i].facts.is_empty() {
            self.ledger.steps[i].elapsed_ms = (t - self.ledger.steps[i].t_ms).max(0.0);
            self.ledger.live[i].last = self.ledger.live[i].last.max(t);
        }
        self.tell(i);
        let since = self.ledger.live[i].last;
        self.notices.push(Notice::NeedsSettle { tab: self.tabs[tab].id, since });
    }

    /// A tab of an agent's action closed.
    pub(super) fn agent_tab_gone(&mut self, tab: usize, t: f64) {
        self.conclude_tab(tab, t, SettleEnd::End);
    }
}

fn action_of(verb: &Verb) -> Action {
    match verb {
        Verb::Click { button: Some(Button::Right), .. } => Action::Contextmenu,
        Verb::Click { double: true, .. } => Action::Dblclick,
        Verb::Click { .. } => Action::Click,
        Verb::Drag { .. } => Action::Drag,
        Verb::Upload { .. } => Action::Upload,
        Verb::Fill { .. } => Action::Fill,
        Verb::Press { .. } => Action::Press,
        Verb::Select { .. } => Action::Select,
        Verb::Check { .. } => Action::Check,
        Verb::Uncheck { .. } => Action::Uncheck,
        Verb::Hover { .. } => Action::Hover,
        Verb::Scroll { .. } => Action::Scroll,
        Verb::Goto { .. } => Action::Goto,
        Verb::Back => Action::Back,
        Verb::Forward => Action::Forward,
        Verb::Reload => Action::Reload,
        Verb::Wait { .. } => Action::Wait,
        Verb::Dialog { .. } => Action::Dialog,
        Verb::TabOpen { .. } => Action::TabOpen,
        Verb::TabSwitch { .. } => Action::TabSwitch,
        Verb::TabClose { .. } => Action::TabClose,
    }
}
