//! Keys: presses, and the keys that are part of something else.

use super::field::{Field, edits, is_modifier, is_printable, key_name, suggests};
use super::ledger::Before;
use super::tab::{Cause, Frozen, Pressed};
use super::{At, Recorder};
use crate::action::Action;
use crate::mirror::NodeRef;
use crate::trace::{InputCause, MASK, Modifier, Payload};
use crate::wire::fact::Clip;

/// As the event tells.
pub(super) struct Key<'a> {
    pub key: &'a str,
    pub code: &'a str,
    pub mods: &'a [Modifier],
    pub repeat: bool,
    pub composing: bool,
}

/// Focus moving later than this after a key is not its doing, ms.
const FOCUS_MS: f64 = 500.0;

impl Recorder {
    pub(super) fn key_down(&mut self, at: &At, key: &Key<'_>) {
        if is_modifier(key.key) {
            return;
        }
        let has = |modifier| key.mods.contains(&modifier);
        let field = Field::of(&self.mirror, at.node);
        // What was just edited can be, whatever it is.
        let filled = |i: &usize| {
            let live = &self.ledger.live[*i];
            self.ledger.steps[*i].action == Action::Fill && live.before.node == Some(at.node)
        };
        let text = field.is_text() || (field == Field::None && self.ledger.tail(at.tab).is_some_and(|i| filled(&i)));
        if key.composing || matches!(key.key, "Process" | "Dead" | "Unidentified" | "Compose") {
            if text {
                self.freeze_at(at);
            }
            return;
        }
        let command = has(Modifier::Control) || has(Modifier::Meta);
        let printable = is_printable(key.key);
        if is_clipboard(key) {
            let before = self.before(at.tab, at.t, Some(at.doc), Some(at.node), &at.url);
            self.tabs[at.tab].clipboard = Some((before, at.n));
            return;
        }
        // AltGr tells as Control and Alt; Option gives characters beyond ASCII.
        let typed = printable
            && ((!command && !has(Modifier::Alt))
                || (has(Modifier::Control) && has(Modifier::Alt))
                || (has(Modifier::Alt) && !command && !key.key.is_ascii()));
        if text && typed {
            return self.freeze_at(at);
        }
        if text && edits(key.key) && !has(Modifier::Alt) {
            let chooses =
                matches!(key.key, "ArrowUp" | "ArrowDown") && field == Field::Line && suggests(&self.mirror, at.node);
            if !chooses {
                return self.freeze_at(at);
            }
        }
        if text && command && !has(Modifier::Alt) && matches!(key.key, "z" | "Z" | "y" | "Y") {
            return self.freeze_at(at);
        }
        if field == Field::Picker && !command && !has(Modifier::Alt) && (typed || edits(key.key)) {
            return self.freeze_at(at);
        }
        self.press(at, key);
    }

    fn press(&mut self, at: &At, key: &Key<'_>) {
        let name = key_name(key.key, key.code, key.mods);
        if key.repeat {
            let same = self.tabs[at.tab].pressed.as_ref().is_some_and(|p| p.name == name && p.node == at.node);
            if let Some(i) = self.ledger.tail(at.tab).filter(|_| same) {
                if let Some(pressed) = &mut self.tabs[at.tab].pressed {
                    pressed.t = at.t;
                }
                self.scrolls_by_key(at);
                self.extend(i, at.t, [at.n]);
            }
            return;
        }
        // Enter or Escape closes the list that a click opened.
        if Field::of(&self.mirror, at.node) == Field::List
            && matches!(name.as_str(), "Enter" | "Escape")
            && let Some(i) = self.ledger.tail(at.tab)
            && self.ledger.steps[i].action == Action::Select
            && self.ledger.live[i].before.node == Some(at.node)
            && self.ledger.steps[i].target.as_ref().is_some_and(|target| target.pointer.is_some())
        {
            return self.extend(i, at.t, [at.n]);
        }
        let focused = (!self.is_whole(at.node) && at.known).then_some(at.node);
        let before = self.before(at.tab, at.t, Some(at.doc), focused, &at.url);
        let i = self.open(before, Action::Press, vec![at.n]);
        let step = &mut self.ledger.steps[i];
        step.key = Some(name.clone());
        step.modifiers = if is_printable(key.key) && !key.mods.iter().any(|m| *m != Modifier::Shift) {
            Vec::new()
        } else {
            let mut mods = key.mods.to_vec();
            mods.sort();
            mods.dedup();
            mods
        };
        let uid = self.ledger.live[i].uid;
        self.tabs[at.tab].pressed = Some(Pressed { uid, t: at.t, name, node: at.node });
        self.scrolls_by_key(at);
        self.extend(i, at.t, []);
    }

    fn scrolls_by_key(&mut self, at: &At) {
        self.tabs[at.tab].cause = Some(Cause { t: at.t, node: at.node, by: InputCause::Key, n: at.n });
    }

    pub(super) fn focus(&mut self, at: &At) {
        self.tabs[at.tab].focused = Some(at.node);
        if let Some(pressed) = &self.tabs[at.tab].pressed
            && at.t - pressed.t <= FOCUS_MS
            && let Some(i) = self.ledger.find(pressed.uid)
        {
            self.ledger.live[i].answered = true;
            self.ledger.steps[i].facts.push(at.n);
        }
        let field = Field::of(&self.mirror, at.node);
        if field.is_text() || field == Field::Picker {
            self.freeze(at.tab, at.node, at.t, None);
        }
    }

    /// A key that is part of an edit: joins the fill it belongs to, or is the first of one.
    pub(super) fn freeze_at(&mut self, at: &At) {
        self.tabs[at.tab].typed = Some((at.node, at.t));
        if let Some(i) = self.ledger.tail(at.tab)
            && self.ledger.steps[i].action == Action::Fill
            && self.redrawn(i, at.node)
        {
            // The page made the field anew while it was filled.
            self.ledger.live[i].before.node = Some(at.node);
        }
        if let Some(i) = self.ledger.tail(at.tab)
            && self.ledger.steps[i].action == Action::Fill
            && self.ledger.live[i].before.node == Some(at.node)
        {
            return self.extend(i, at.t, [at.n]);
        }
        self.freeze(at.tab, at.node, at.t, Some(at.n));
    }

    /// Takes evidence of a field before it changes, unless it was taken since the newest step.
    pub(super) fn freeze(&mut self, tab: usize, node: NodeRef, t: f64, key: Option<u64>) {
        let newest = self.ledger.newest();
        if let Some(frozen) = &mut self.tabs[tab].frozen
            && frozen.node == node
            && frozen.newest == newest
            && (frozen.by_key || key.is_none())
        {
            frozen.facts.extend(key);
            return;
        }
        if let Some(i) = self.ledger.tail(tab)
            && self.ledger.steps[i].action == Action::Fill
            && self.ledger.live[i].before.node == Some(node)
        {
            return;
        }
        let before = self.before(tab, t, Some(node.doc), Some(node), "");
        let facts = key.into_iter().collect();
        self.tabs[tab].frozen = Some(Frozen { before, node, newest, facts, by_key: key.is_some() });
    }

    /// The evidence for a change that an event tells of now.
    pub(super) fn evidence(&mut self, at: &At) -> (Before, Vec<u64>) {
        let newest = self.ledger.newest();
        match self.tabs[at.tab].frozen.take().filter(|frozen| self.same_field(frozen.node, at.node)) {
            Some(frozen) if frozen.newest == newest => {
                let mut before = frozen.before;
                if !frozen.by_key {
                    before.t = at.t;
                }
                before.url.clone_from(&at.url);
                (before, frozen.facts)
            }
            stale => {
                let mut before = self.before(at.tab, at.t, Some(at.doc), Some(at.node), &at.url);
                if let Some(frozen) = stale {
                    before.target = frozen.before.target;
                    before.node = frozen.before.node;
                }
                (before, Vec::new())
            }
        }
    }

    /// Copied, cut or pasted, by key or menu.
    pub(super) fn clipboard(&mut self, at: &At, action: Action, clip: Clip) {
        // Within editable content the event speaks of a paragraph; the field is what has the focus.
        let mut at = at.clone();
        if let Some(focused) = self.tabs[at.tab].focused
            && focused != at.node
            && self.within(at.node, focused)
        {
            at.node = focused;
        }
        let shortcut = self.tabs[at.tab].clipboard.take().filter(|(before, _)| at.t - before.t <= FOCUS_MS);
        if action == Action::Paste && shortcut.is_none() && self.middle_pastes(&at) {
            return;
        }
        let (mut before, mut facts) = match shortcut {
            Some((before, n)) => (before, vec![n]),
            None => self.evidence(&at),
        };
        if before.node.is_none_or(|node| self.is_whole(node)) {
            // No field: what is copied lies where the event came from.
            before.target = (!self.is_whole(at.node)).then(|| self.mirror.target(at.node));
        }
        facts.push(at.n);
        let i = self.open(before, action, facts);
        self.ledger.live[i].before.node = Some(at.node);
        let step = &mut self.ledger.steps[i];
        step.secret |= clip.secret;
        let text = if clip.secret && !clip.text.is_empty() { MASK.to_owned() } else { clip.text };
        step.payload = Some(Payload { types: clip.types, text, length: clip.length });
        self.extend(i, at.t, []);
    }
}

/// Shortcuts whose own event follows where they do anything.
fn is_clipboard(key: &Key<'_>) -> bool {
    let has = |modifier| key.mods.contains(&modifier);
    let command = has(Modifier::Control) || has(Modifier::Meta);
    let shift = has(Modifier::Shift);
    match key.key {
        "c" | "x" | "C" | "X" => command && !shift && !has(Modifier::Alt),
        "v" | "V" => command && !has(Modifier::Alt),
        "Insert" => command != shift,
        "Delete" => shift && !command,
        _ => false,
    }
}
