//! Fields: text, pickers, lists, boxes, files. One step for one edit, whose value is the field's last.

use super::field::{Field, is_picker, is_printable};
use super::ledger::Before;
use super::{At, Recorder};
use crate::action::Action;
use crate::mirror::NodeRef;
use crate::trace::{Button, InputCause, MASK};
use crate::wire::fact::Edit;

/// A field whose value is chosen, not typed.
pub(super) fn is_chosen(edit: &Edit) -> bool {
    matches!(edit.field.as_str(), "select-one" | "select-multiple" | "file") || is_picker(&edit.field)
}

/// A key's text comes within this, ms.
const PRESSED_MS: f64 = 500.0;

impl Recorder {
    /// An input event, or a change event where `change`.
    pub(super) fn edited(&mut self, at: &At, edit: &Edit, change: bool) {
        if !at.known {
            return;
        }
        if !change {
            self.tabs[at.tab].typed = None;
        }
        match edit.field.as_str() {
            "checkbox" | "radio" => self.switched(at, edit),
            "select-one" | "select-multiple" => self.chosen(at, edit, change),
            "file" => self.uploaded(at, edit),
            kind if is_picker(kind) => self.picked(at, edit, change),
            _ => self.typed(at, edit, change),
        }
        if !change && edit.input_type != "settled" {
            self.attribute(at, edit);
        }
    }

    /// Says of an edit that the browser made it, until a person goes on with it.
    fn attribute(&mut self, at: &At, edit: &Edit) {
        let Some(i) = self.tail_of(at) else { return };
        let step = &mut self.ledger.steps[i];
        if matches!(step.action, Action::Fill | Action::Select) {
            step.cause = edit.autofill.then_some(InputCause::Autofill);
        }
    }

    /// An edit that the browser does not vouch for. Drivers that play a person choose options and dates like this;
    /// pages do it too, but in answer to what a person just did, or out of sight.
    pub(super) fn scripted(&mut self, at: &At, edit: &Edit, change: bool) {
        const ANSWER_MS: f64 = 5.0;
        let answer = self.tabs[at.tab].trusted.is_some_and(|t| at.t - t < ANSWER_MS);
        let hidden = !self.mirror.visible(at.node) && edit.field != "file";
        if !is_chosen(edit) || answer || !at.known || hidden {
            return;
        }
        let steps = self.ledger.steps.len();
        self.edited(at, edit, change);
        for step in self.ledger.steps.iter_mut().skip(steps) {
            step.trusted = false;
        }
    }

    /// A program took a key for itself and wrote the field's value (masks of amounts, dates, card numbers). Where an
    /// input event tells of the key, what a program does to the value afterwards is its own affair.
    pub(super) fn written(&mut self, tab: usize, node: NodeRef, value: &str, secret: bool, t: f64) {
        /// Later than this after the key it has another cause, ms.
        const WRITTEN_MS: f64 = 100.0;
        let Some((field, pressed)) = self.tabs[tab].typed else { return };
        if field != node || t - pressed > WRITTEN_MS || value.is_empty() || !Field::of(&self.mirror, node).is_text() {
            return;
        }
        let n = self.facts;
        let at = At { tab, doc: node.doc, node, known: true, t, n, url: self.mirror.url(node.doc).to_owned() };
        let edit = Edit { value: value.to_owned(), secret, ..Edit::default() };
        if let Some(i) = self.tail_of(&at).filter(|i| self.ledger.steps[*i].action == Action::Fill) {
            self.fill(i, &at, &edit);
            return self.extend(i, t, []);
        }
        let (before, facts) = self.evidence(&at);
        let i = self.open(before, Action::Fill, facts);
        self.ledger.live[i].before.node = Some(node);
        self.fill(i, &at, &edit);
        self.tabs[tab].pressed = None;
        self.extend(i, t, []);
    }

    /// The newest step of the tab, if it is of that field.
    fn tail_of(&self, at: &At) -> Option<usize> {
        let i = self.ledger.tail(at.tab)?;
        let same = self.ledger.live[i].before.node.is_some_and(|node| self.same_field(node, at.node));
        (same || self.redrawn(i, at.node)).then_some(i)
    }

    /// Writes a field's value into its step.
    fn fill(&mut self, i: usize, at: &At, edit: &Edit) {
        let step = &mut self.ledger.steps[i];
        let secret = edit.secret || step.secret || self.mirror.is_secret(at.node);
        step.secret = secret;
        step.value = Some(if secret { MASK.to_owned() } else { edit.value.clone() });
    }

    fn typed(&mut self, at: &At, edit: &Edit, change: bool) {
        let kind = edit.input_type.as_str();
        if kind.starts_with("format") {
            return;
        }
        if kind == "settled" {
            // What an editor made of the last keys by itself.
            if let Some(i) = self.tail_of(at).filter(|i| self.ledger.steps[*i].action == Action::Fill) {
                self.fill(i, at, edit);
                self.go_on(i, at, false);
            }
            return;
        }
        if kind == "insertText" && self.pressed_into(at) {
            return self.key_edits(at, edit);
        }
        // The buttons within a number field.
        let held = if change { None } else { self.take_held(at) };
        if let Some(i) = self.tail_of(at) {
            let action = self.ledger.steps[i].action;
            let key = self.ledger.steps[i].key.as_deref();
            match action {
                // A middle click on systems whose selection it pastes.
                Action::Click if self.ledger.steps[i].button == Some(Button::Middle) && kind == "insertFromPaste" => {
                    self.ledger.steps[i].action = Action::Paste;
                    self.ledger.steps[i].count = None;
                    self.fill(i, at, edit);
                    return self.go_on(i, at, change);
                }
                Action::Paste if change || kind == "insertFromPaste" => {
                    self.fill(i, at, edit);
                    return self.go_on(i, at, change);
                }
                Action::Cut if change || kind == "deleteByCut" => return self.go_on(i, at, change),
                Action::Fill => {
                    self.fill(i, at, edit);
                    self.ledger.steps[i].facts.extend(held.map(|(_, facts)| facts).unwrap_or_default());
                    return self.go_on(i, at, change);
                }
                // A search field empties itself.
                Action::Press if key == Some("Escape") && edit.value.is_empty() => return self.go_on(i, at, change),
                // Enter put a line break into the text; or nothing told that the text could be edited.
                Action::Press
                    if (matches!(key, Some("Enter" | "Shift+Enter"))
                        && matches!(kind, "insertLineBreak" | "insertParagraph" | "insertText"))
                        || (matches!(key, Some("Backspace" | "Delete")) && kind.starts_with("delete")) =>
                {
                    return self.key_edits(at, edit);
                }
                _ => {}
            }
        }
        if change {
            // The edit is a step already, ended by a key or a click.
            return;
        }
        let (before, mut facts) = match held {
            Some(held) => held,
            None => self.evidence(at),
        };
        facts.push(at.n);
        self.fill_new(before, facts, at, edit);
    }

    fn fill_new(&mut self, before: Before, facts: Vec<u64>, at: &At, edit: &Edit) {
        let i = self.open(before, Action::Fill, facts);
        self.ledger.live[i].before.node = Some(at.node);
        self.fill(i, at, edit);
        self.tabs[at.tab].pressed = None;
        self.extend(i, at.t, []);
    }

    /// A change event is the end of an edit, not input of it.
    fn go_on(&mut self, i: usize, at: &At, change: bool) {
        if change {
            self.ledger.steps[i].facts.push(at.n);
            self.tell(i);
        } else {
            self.extend(i, at.t, [at.n]);
        }
    }

    /// The newest step is the press of a key that made this text, where nothing told before that there could be any
    /// (design mode, an edit context, a custom element).
    fn pressed_into(&self, at: &At) -> bool {
        let Some(i) = self.ledger.tail(at.tab) else { return false };
        let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
        step.action == Action::Press
            && step.key.as_deref().is_some_and(|key| is_printable(key) || key == "Space")
            && at.t - live.last <= PRESSED_MS
            && live.before.node.is_none_or(|node| self.same_field(node, at.node))
    }

    /// The press was a key of the edit.
    fn key_edits(&mut self, at: &At, edit: &Edit) {
        let Some((mut live, mut facts)) = self.ledger.fold_last() else { return };
        // Enter before it put the line break into the text that is there now.
        let lines = |text: Option<&String>| text.map_or(0, |text| text.matches('\n').count());
        if let Some(i) = self.tail_of(at).filter(|i| *i > 0)
            && matches!(self.ledger.steps[i].key.as_deref(), Some("Enter" | "Shift+Enter"))
            && self.ledger.steps[i - 1].action == Action::Fill
            && self.ledger.live[i - 1].before.node == self.ledger.live[i].before.node
            && lines(self.ledger.steps[i - 1].value.as_ref()) < lines(Some(&edit.value))
            && let Some((enter, more)) = self.ledger.fold_last()
        {
            live = enter;
            facts.splice(0..0, more);
        }
        self.tabs[at.tab].pressed = None;
        facts.push(at.n);
        match self.tail_of(at).filter(|i| self.ledger.steps[*i].action == Action::Fill) {
            Some(i) => {
                self.fill(i, at, edit);
                self.extend(i, at.t, facts);
            }
            None => self.fill_new(live.before, facts, at, edit),
        }
    }

    /// The pointer gesture under way on that very field becomes the edit.
    fn take_held(&mut self, at: &At) -> Option<(Before, Vec<u64>)> {
        let held = self.tabs[at.tab].down.as_ref().is_some_and(|down| {
            !down.used && down.before.node.is_some_and(|node| node == at.node || self.within(node, at.node))
        });
        let down = self.tabs[at.tab].down.as_mut().filter(|_| held)?;
        down.used = true;
        let mut before = down.before.clone();
        let mut facts = down.facts.clone();
        // Keys moved in the list that the press opened.
        while let Some(i) = self.ledger.tail(at.tab)
            && self.ledger.steps[i].action == Action::Press
            && self.ledger.steps[i].t_ms >= before.t
            && self.ledger.live[i].before.node.is_some_and(|node| self.same_field(node, at.node))
        {
            facts.extend(self.ledger.remove(i).1);
        }
        facts.sort_unstable();
        self.retarget(&mut before, at.node);
        Some((before, facts))
    }

    /// Evidence taken at a part (an option, a button that opens a chooser) stands for the field.
    fn retarget(&self, before: &mut Before, node: NodeRef) {
        if before.node == Some(node) {
            return;
        }
        let mut target = self.mirror.target(node);
        target.pointer = before.target.as_ref().and_then(|target| target.pointer);
        target.rect = target.rect.or_else(|| self.mirror.rect(node));
        before.target = Some(target);
        before.node = Some(node);
    }

    fn picked(&mut self, at: &At, edit: &Edit, change: bool) {
        let held = self.take_held(at);
        if let Some(i) = self.tail_of(at) {
            let facts = held.as_ref().map(|(_, facts)| facts.clone()).unwrap_or_default();
            let action = self.ledger.steps[i].action;
            if action == Action::Fill {
                self.fill(i, at, edit);
                self.ledger.steps[i].facts.extend(facts);
                return self.go_on(i, at, change);
            }
            // What opened the picker, or moved within it.
            if matches!(action, Action::Click | Action::Press)
                && !change
                && let Some(i) = self.opened(at, Action::Fill)
            {
                self.fill(i, at, edit);
                return self.extend(i, at.t, facts);
            }
        }
        if change && self.already(at, |step| step.action == Action::Fill && step.value.as_ref() == Some(&edit.value)) {
            return;
        }
        let (before, mut facts) = held.unwrap_or_else(|| self.evidence(at));
        facts.push(at.n);
        self.fill_new(before, facts, at, edit);
    }

    /// The tab's last step on that very field says so already.
    fn already(&self, at: &At, says: impl Fn(&crate::trace::Step) -> bool) -> bool {
        let on_field = |i: &usize| {
            let live = &self.ledger.live[*i];
            live.before.tab == at.tab
                && live.before.node == Some(at.node)
                && matches!(self.ledger.steps[*i].action, Action::Fill | Action::Select | Action::Upload)
        };
        (0..self.ledger.steps.len()).rev().find(on_field).is_some_and(|i| says(&self.ledger.steps[i]))
    }

    /// A click or key turns out to be part of an edit; its evidence stays.
    fn become_step(&mut self, i: usize, action: Action) {
        let step = &mut self.ledger.steps[i];
        step.action = action;
        step.key = None;
        step.button = None;
        step.count = None;
        step.modifiers.clear();
    }

    fn chosen(&mut self, at: &At, edit: &Edit, change: bool) {
        let list = at.node;
        let multiple = edit.field == "select-multiple";
        let held = self.take_held(at);
        let tail_select = self.tail_of(at).filter(|i| self.ledger.steps[*i].action == Action::Select);
        let i = match (held, tail_select) {
            (None, Some(i)) => {
                self.go_on(i, at, change);
                i
            }
            (Some((_, facts)), Some(i)) if multiple => {
                self.extend(i, at.t, facts.into_iter().chain([at.n]));
                i
            }
            (Some((before, mut facts)), _) => {
                facts.push(at.n);
                let i = self.open(before, Action::Select, facts);
                self.extend(i, at.t, []);
                i
            }
            (None, None) => match self.opened(at, Action::Select) {
                Some(i) => i,
                None => {
                    let same = |step: &crate::trace::Step| step.action == Action::Select && step.values == edit.labels;
                    if change && self.already(at, same) {
                        return;
                    }
                    let (mut before, mut facts) = self.evidence(at);
                    self.retarget(&mut before, list);
                    facts.push(at.n);
                    let i = self.open(before, Action::Select, facts);
                    self.extend(i, at.t, []);
                    i
                }
            },
        };
        let step = &mut self.ledger.steps[i];
        step.values.clone_from(&edit.labels);
        step.value = Some(edit.labels.join(", "));
    }

    /// The clicks and keys just before that opened a list or picker and moved in it become the choice, together
    /// with the choice before where only keys lie between.
    fn opened(&mut self, at: &At, action: Action) -> Option<usize> {
        let field = at.node;
        let on_field = |i: usize, actions: &[Action]| {
            let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
            actions.contains(&step.action)
                && live.before.tab == at.tab
                && live.before.node.is_some_and(|node| node == field || self.within(node, field))
        };
        let is_tab = |i: usize| {
            self.ledger.steps[i].action == Action::Press
                && matches!(self.ledger.steps[i].key.as_deref(), Some("Tab" | "Shift+Tab"))
        };
        // Tab moves within a date, but where the focus went it left the field.
        let left = |i: usize| is_tab(i) && (action == Action::Select || self.ledger.live[i].answered);
        let part = |i: usize| on_field(i, &[Action::Click, Action::Press]) && !left(i);
        let tail = self.ledger.tail(at.tab)?;
        // Some browsers commit the choice when Tab leaves the list: Tab is a step of its own.
        let leaves = left(tail);
        let last = if leaves { tail.checked_sub(1)? } else { tail };
        if !part(last) {
            return None;
        }
        let mut first = last;
        while first > 0 && part(first - 1) {
            first -= 1;
        }
        let by_keys = (first..=last).all(|i| self.ledger.steps[i].action == Action::Press);
        if by_keys && first > 0 && on_field(first - 1, &[action]) {
            first -= 1;
        }
        let mut facts = Vec::new();
        for i in (first + 1..=last).rev() {
            facts.extend(self.ledger.remove(i).1);
        }
        facts.push(at.n);
        facts.sort_unstable();
        let mut before = self.ledger.live[first].before.clone();
        self.retarget(&mut before, field);
        self.ledger.steps[first].target.clone_from(&before.target);
        self.ledger.live[first].before = before;
        self.become_step(first, action);
        self.tabs[at.tab].pressed = None;
        if leaves {
            self.ledger.steps[first].facts.extend(facts);
            self.tell(first);
        } else {
            self.extend(first, at.t, facts);
        }
        Some(first)
    }

    fn switched(&mut self, at: &At, edit: &Edit) {
        let Some(checked) = edit.checked else { return };
        let Some(i) = self.ledger.tail(at.tab) else { return };
        let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
        let by_key = step.action == Action::Press
            && self.tabs[at.tab].pressed.as_ref().is_some_and(|pressed| {
                pressed.uid == live.uid && (pressed.name == "Space" || pressed.name.starts_with("Arrow"))
            });
        if by_key {
            self.ledger.live[i].confirmed = true;
            self.ledger.extend(i, at.t, [at.n]);
            return self.key_checks(i, at.node, checked);
        }
        // A click elsewhere that a program turned into this one stays what it was.
        if live.before.node == Some(at.node) && matches!(step.action, Action::Click | Action::Check | Action::Uncheck) {
            self.ledger.live[i].confirmed = true;
            self.extend(i, at.t, [at.n]);
            self.set_checked(i, checked);
        }
    }

    fn uploaded(&mut self, at: &At, edit: &Edit) {
        let tail = self.ledger.tail(at.tab);
        let chooser = self.tabs[at.tab].chooser == Some(at.node);
        let opened = tail.filter(|i| {
            let (step, live) = (&self.ledger.steps[*i], &self.ledger.live[*i]);
            let here = live.before.node == Some(at.node);
            (step.action == Action::Upload && here)
                || (matches!(step.action, Action::Click | Action::Press | Action::Dblclick) && (here || chooser))
        });
        let i = match opened {
            Some(i) => {
                let mut before = self.ledger.live[i].before.clone();
                self.retarget(&mut before, at.node);
                self.ledger.steps[i].target.clone_from(&before.target);
                self.ledger.live[i].before = before;
                self.become_step(i, Action::Upload);
                self.extend(i, at.t, [at.n]);
                i
            }
            None => {
                let (before, mut facts) = self.evidence(at);
                facts.push(at.n);
                let i = self.open(before, Action::Upload, facts);
                self.ledger.live[i].before.node = Some(at.node);
                self.extend(i, at.t, []);
                i
            }
        };
        self.tabs[at.tab].pressed = None;
        let step = &mut self.ledger.steps[i];
        step.values.clone_from(&edit.files);
        step.value = Some(edit.files.join(", "));
    }
}
