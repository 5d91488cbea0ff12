//! Clicks, double clicks, context menus and drags.

use super::field::Field;
use super::ledger::Before;
use super::tab::{Cause, Down};
use super::{At, Notice, Recorder};
use crate::action::Action;
use crate::mirror::{DocKey, NodeRef};
use crate::trace::{Button, InputCause, Outcome, Point, Rect};
use crate::wire::fact::{Kind, Pointer};

/// Further than this between press and release is no click of a steady hand, CSS px.
const DRAG_PX: f64 = 8.0;
/// A click event later than this after the release will not come, ms; a touch screen may wait for a second tap.
const CLICK_WAIT_MS: f64 = 60.0;
const TAP_WAIT_MS: f64 = 350.0;
/// Events of one activation (a label's two clicks, a key's click) lie within this, ms.
const SAME_ACTIVATION_MS: f64 = 1000.0;
/// Clicks of one gesture follow each other within this, ms; systems let people choose up to 900.
const MULTI_CLICK_MS: f64 = 1000.0;
/// Nobody means two clicks for themselves within this, ms, not even a fast hand.
const AT_ONCE_MS: f64 = 120.0;
/// A middle click pastes within this, ms.
const MIDDLE_PASTE_MS: f64 = 300.0;
/// As long may Space be held before it is released and clicks.
const KEY_CLICK_MS: f64 = 2000.0;

fn button(number: i32) -> Button {
    match number {
        1 => Button::Middle,
        2 => Button::Right,
        3 => Button::Back,
        4 => Button::Forward,
        _ => Button::Left,
    }
}

impl Recorder {
    /// What a person means who points at a node, and whether it is a label's control.
    pub(super) fn meant(&self, node: NodeRef) -> (NodeRef, Option<NodeRef>) {
        match self.mirror.labelled_control(node) {
            Some(control) => (control, Some(control)),
            None => (self.mirror.interactive(node), None),
        }
    }

    pub(super) fn in_top(&self, doc: DocKey, x: f64, y: f64) -> Option<Point> {
        self.mirror.origin(doc).map(|origin| Point { x: origin.x + x, y: origin.y + y })
    }

    /// Writes what the event measured into the evidence.
    pub(super) fn measured(&self, before: &mut Before, under: NodeRef, pointer: &Pointer) {
        let point = self.in_top(under.doc, pointer.x, pointer.y);
        let rect = pointer.rect.and_then(|rect| {
            let corner = self.in_top(under.doc, rect.x, rect.y)?;
            Some(Rect { x: corner.x, y: corner.y, ..rect })
        });
        let target = before.target.get_or_insert_default();
        target.pointer = point;
        // The event's box is that of the node under the pointer: of an icon in a button, or of a label.
        if before.node.is_none_or(|node| node == under) {
            target.rect = rect.or(target.rect);
        } else if before.node.is_some_and(|node| self.within(under, node)) {
            target.rect = target.rect.or(rect);
        }
    }

    pub(super) fn pointer_down(&mut self, at: &At, pointer: &Pointer) {
        self.flush(at.tab, f64::INFINITY);
        let (meant, control) = if at.known { self.meant(at.node) } else { (at.node, None) };
        let mut before = self.before(at.tab, at.t, Some(at.doc), Some(meant), &at.url);
        self.measured(&mut before, at.node, pointer);
        let place = self.in_top(at.doc, pointer.x, pointer.y).unwrap_or(Point { x: pointer.x, y: pointer.y });
        let tab = &mut self.tabs[at.tab];
        tab.pressed = None;
        tab.down = Some(Down {
            before,
            under: at.node,
            control,
            button: pointer.button,
            touch: pointer.pointer == "touch",
            mods: pointer.mods.clone(),
            at: place,
            facts: vec![at.n],
            up: None,
            dragging: false,
            over: None,
            cancelled: false,
            used: false,
        });
    }

    pub(super) fn pointer_up(&mut self, at: &At, pointer: &Pointer) {
        let place = self.in_top(at.doc, pointer.x, pointer.y).unwrap_or(Point { x: pointer.x, y: pointer.y });
        let tab = &mut self.tabs[at.tab];
        let Some(down) = &mut tab.down else { return };
        down.facts.push(at.n);
        if !down.cancelled {
            down.up = Some((at.t, place));
            self.notices.push(Notice::NeedsSettle { tab: tab.id, since: at.t });
        }
    }

    pub(super) fn pointer_cancel(&mut self, at: &At, _pointer: &Pointer) {
        let tab = &mut self.tabs[at.tab];
        if let Some(down) = &mut tab.down {
            down.cancelled = true;
            if down.touch && !down.dragging {
                // The finger pans.
                tab.cause = Some(Cause { t: at.t, node: down.under, by: InputCause::Touch, n: at.n });
                tab.down = None;
            }
        }
    }

    pub(super) fn click(&mut self, at: &At, pointer: &Pointer) {
        if pointer.button < 0 {
            // A list of the browser closes.
            return;
        }
        if let Some(mut down) = self.tabs[at.tab].down.take_if(|down| down.button == 0) {
            down.facts.push(at.n);
            if down.used {
                return self.swallow(at, &down.facts);
            }
            return self.clicked(at, pointer, down);
        }
        // A key's click.
        if let Some(pressed) = self.tabs[at.tab].pressed.clone()
            && at.t - pressed.t <= KEY_CLICK_MS
            && let Some(i) = self.ledger.find(pressed.uid)
        {
            let field = Field::of(&self.mirror, at.node);
            let arrow = pressed.name.starts_with("Arrow");
            if field == Field::Box && (pressed.name == "Space" || arrow) {
                let checked =
                    self.mirror.attribute(at.node, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("radio"))
                        || self.ledger.live[i].before.checked != Some(true);
                self.ledger.extend(i, at.t, [at.n]);
                return self.key_checks(i, at.node, checked);
            }
            if matches!(pressed.name.as_str(), "Enter" | "Space") {
                return self.extend(i, at.t, [at.n]);
            }
        }
        if let Some((uid, t, under)) = self.tabs[at.tab].early
            && at.t - t <= SAME_ACTIVATION_MS
            && (under == at.node || self.within(under, at.node))
            && let Some(i) = self.ledger.find(uid)
        {
            self.tabs[at.tab].early = None;
            return self.extend(i, at.t, [at.n]);
        }
        if let Some(i) = self.ledger.tail(at.tab) {
            let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
            let near = at.t - live.last <= SAME_ACTIVATION_MS;
            // A label's second click, on its control.
            if near && step.action == Action::Click && live.before.node == Some(at.node) {
                self.extend(i, at.t, [at.n]);
                return self.guess_box(i);
            }
            // The list's own click, after the choice.
            let of_list =
                step.action == Action::Select && live.before.node.is_some_and(|list| self.within(at.node, list));
            let of_box = matches!(step.action, Action::Check | Action::Uncheck) && live.before.node == Some(at.node);
            if near && (of_list || of_box) {
                return self.extend(i, at.t, [at.n]);
            }
        }
        // Assistive technology clicks without pointer or key.
        let (meant, _) = self.meant(at.node);
        let mut before = self.before(at.tab, at.t, Some(at.doc), Some(meant), &at.url);
        self.measured(&mut before, at.node, pointer);
        let i = self.open(before, Action::Click, vec![at.n]);
        self.click_details(i, Button::Left, pointer.detail, &pointer.mods);
        self.extend(i, at.t, []);
        self.guess_box(i);
    }

    /// A click of the primary button after its pointerdown.
    fn clicked(&mut self, at: &At, pointer: &Pointer, down: Down) {
        if self.was_dragged(at, &down) {
            return self.dragged(down, at.t);
        }
        if let Some(i) = self.in_a_row(at.tab, &down, pointer.detail) {
            let step = &mut self.ledger.steps[i];
            let count = step.count.unwrap_or(1) + 1;
            step.action = if count == 2 { Action::Dblclick } else { Action::Click };
            step.count = Some(count);
            return self.extend(i, at.t, down.facts);
        }
        let direct = down.control.is_none_or(|control| control == at.node);
        let i = self.open(down.before, Action::Click, down.facts);
        let mods = if pointer.mods.is_empty() { &down.mods } else { &pointer.mods };
        self.click_details(i, Button::Left, pointer.detail, mods);
        self.extend(i, at.t, []);
        if direct {
            self.guess_box(i);
        }
    }

    /// The step that a further click at its place goes on: clicks in a row are one gesture, whatever the page made of
    /// the element meanwhile.
    fn in_a_row(&self, tab: usize, down: &Down, detail: u32) -> Option<usize> {
        let i = self.ledger.tail(tab)?;
        let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
        let count = match (step.action, step.button) {
            (Action::Click | Action::Dblclick, Some(Button::Left)) => step.count?,
            _ => return None,
        };
        let node = down.before.node?;
        // A second click on the same element is told by its own event.
        let same = live.before.node == Some(node) && detail > 2;
        let redrawn = self.redrawn(i, node);
        // Where the element is another one, some browsers count from one again; the hand that clicks twice does not.
        let anew = redrawn && detail == 1;
        let near = live
            .before
            .target
            .as_ref()
            .and_then(|target| target.pointer)
            .is_none_or(|first| (down.at.x - first.x).hypot(down.at.y - first.y) <= DRAG_PX);
        let soon = down.before.t - live.last <= if anew { AT_ONCE_MS } else { MULTI_CLICK_MS };
        ((same || redrawn) && (detail == count + 1 || anew) && near && soon && step.modifiers == down.mods).then_some(i)
    }

    fn click_details(&mut self, i: usize, button: Button, detail: u32, mods: &[crate::trace::Modifier]) {
        let step = &mut self.ledger.steps[i];
        step.button = Some(button);
        step.count = Some(if detail > 2 { detail } else { 1 });
        step.modifiers = mods.to_vec();
    }

    /// Whether a click event only ends a drag: it came to something else than was pressed, or the pointer was
    /// held captive far outside.
    fn was_dragged(&self, at: &At, down: &Down) -> bool {
        let Some((_, up)) = down.up else { return false };
        if (up.x - down.at.x).hypot(up.y - down.at.y) <= DRAG_PX || down.control.is_some() {
            return false;
        }
        let Some(meant) = down.before.node else { return false };
        let moved = (up.x - down.at.x).hypot(up.y - down.at.y);
        match Field::of(&self.mirror, meant) {
            Field::None => {}
            // Text is marked, or the field made larger.
            Field::Line | Field::Lines | Field::Rich => return moved > 2.0 * DRAG_PX,
            _ => return false,
        }
        let elsewhere = !self.within(at.node, meant);
        let rect = down.before.target.as_ref().and_then(|target| target.rect);
        let outside = rect.is_some_and(|r| {
            up.x < r.x - 1.0 || up.y < r.y - 1.0 || up.x > r.x + r.width + 1.0 || up.y > r.y + r.height + 1.0
        });
        // An unsteady hand still clicks a button; nobody clicks anything else over such a way.
        let pressed = ["button", "link", "tab", "menuitem", "option", "switch", "checkbox", "radio", "treeitem"];
        let along = moved > 3.0 * DRAG_PX && !pressed.contains(&self.mirror.role(meant).as_str());
        elsewhere
            || outside
            || along
            || matches!(self.mirror.tag(meant), "canvas")
            || self.mirror.role(meant) == "slider"
    }

    fn dragged(&mut self, down: Down, t: f64) {
        let to = down.up.map(|(_, point)| point);
        let onto = down.over.map(|(node, _)| self.meant(node).0);
        let onto = onto.filter(|node| down.before.node != Some(*node) && !self.mirror.tag(*node).is_empty());
        let onto = onto.map(|node| self.mirror.target(node));
        let i = self.open(down.before, Action::Drag, down.facts);
        let step = &mut self.ledger.steps[i];
        step.button = Some(button(down.button));
        step.modifiers = down.mods;
        step.to = to;
        step.to_target = onto;
        self.extend(i, t, []);
    }

    pub(super) fn drag_enter(&mut self, at: &At, pointer: &Pointer) {
        let place = self.in_top(at.doc, pointer.x, pointer.y).unwrap_or(Point { x: pointer.x, y: pointer.y });
        if let Some(down) = self.tabs[at.tab].down.as_mut().filter(|down| down.dragging) {
            down.over = Some((at.node, place));
        }
    }

    /// A drag of the platform is over; where nothing took it, no drop told so.
    pub(super) fn drag_end(&mut self, at: &At) {
        match self.tabs[at.tab].down.take_if(|down| down.dragging) {
            Some(mut down) => {
                down.facts.push(at.n);
                down.up = down.over.map(|(_, place)| (at.t, place));
                self.dragged(down, at.t);
            }
            None => {
                if let Some(i) = self.ledger.tail(at.tab).filter(|i| self.ledger.steps[*i].action == Action::Drag) {
                    self.extend(i, at.t, [at.n]);
                }
            }
        }
    }

    pub(super) fn drop(&mut self, at: &At, pointer: &Pointer) {
        let place = self.in_top(at.doc, pointer.x, pointer.y).unwrap_or(Point { x: pointer.x, y: pointer.y });
        match self.tabs[at.tab].down.take_if(|down| down.dragging || down.cancelled) {
            Some(mut down) => {
                down.facts.push(at.n);
                down.up = Some((at.t, place));
                if at.known {
                    down.over = Some((at.node, place));
                }
                self.dragged(down, at.t);
            }
            None if !pointer.files.is_empty() => {
                let (meant, _) = self.meant(at.node);
                let mut before = self.before(at.tab, at.t, Some(at.doc), Some(meant), &at.url);
                self.measured(&mut before, at.node, pointer);
                let i = self.open(before, Action::Upload, vec![at.n]);
                let step = &mut self.ledger.steps[i];
                step.value = Some(pointer.files.join(", "));
                step.values.clone_from(&pointer.files);
                self.extend(i, at.t, []);
            }
            None => {
                self.cover(
                    at.t,
                    "drop",
                    "Something was dropped onto the page from outside; it makes no step.".to_owned(),
                );
            }
        }
    }

    pub(super) fn aux_click(&mut self, at: &At, pointer: &Pointer) {
        match pointer.button {
            // The context menu's own event tells of it, before or after this one.
            2 => {
                if let Some(down) = &mut self.tabs[at.tab].down {
                    down.facts.push(at.n);
                }
            }
            1 => {
                let down = self.tabs[at.tab].down.take_if(|down| down.button == 1);
                let (before, facts) = match down {
                    Some(mut down) => {
                        down.facts.push(at.n);
                        (down.before, down.facts)
                    }
                    None => {
                        let (meant, _) = self.meant(at.node);
                        let mut before = self.before(at.tab, at.t, Some(at.doc), Some(meant), &at.url);
                        self.measured(&mut before, at.node, pointer);
                        (before, vec![at.n])
                    }
                };
                let i = self.open(before, Action::Click, facts);
                self.click_details(i, Button::Middle, pointer.detail, &pointer.mods);
                self.extend(i, at.t, []);
            }
            // History buttons: the navigation tells.
            _ => self.tabs[at.tab].down = None,
        }
    }

    pub(super) fn context_menu(&mut self, at: &At, pointer: &Pointer) {
        if let Some(down) = &mut self.tabs[at.tab].down
            && !down.used
        {
            down.used = true;
            let mut facts = down.facts.clone();
            facts.push(at.n);
            let (before, mods) = (down.before.clone(), down.mods.clone());
            return self.menu(at.t, before, facts, &mods);
        }
        if let Some((uid, t, _)) = self.tabs[at.tab].early
            && at.t - t <= SAME_ACTIVATION_MS
            && let Some(i) = self.ledger.find(uid).filter(|i| self.ledger.steps[*i].action == Action::Contextmenu)
        {
            return self.extend(i, at.t, [at.n]);
        }
        if let Some(pressed) = self.tabs[at.tab].pressed.clone()
            && matches!(pressed.name.as_str(), "ContextMenu" | "Shift+F10")
            && at.t - pressed.t <= SAME_ACTIVATION_MS
            && let Some(i) = self.ledger.find(pressed.uid)
        {
            let step = &mut self.ledger.steps[i];
            step.action = Action::Contextmenu;
            step.key = None;
            step.modifiers.clear();
            return self.extend(i, at.t, [at.n]);
        }
        let (meant, _) = self.meant(at.node);
        let mut before = self.before(at.tab, at.t, Some(at.doc), Some(meant), &at.url);
        self.measured(&mut before, at.node, pointer);
        self.menu(at.t, before, vec![at.n], &pointer.mods);
    }

    fn menu(&mut self, t: f64, before: Before, facts: Vec<u64>, mods: &[crate::trace::Modifier]) {
        let i = self.open(before, Action::Contextmenu, facts);
        let step = &mut self.ledger.steps[i];
        step.button = Some(Button::Right);
        step.modifiers = mods.to_vec();
        self.extend(i, t, []);
    }

    pub(super) fn double_click(&mut self, at: &At) {
        let Some(i) = self.ledger.tail(at.tab).filter(|i| *i > 0) else { return };
        let two = [i - 1, i].map(|i| (&self.ledger.steps[i], &self.ledger.live[i]));
        let clicks = two.iter().all(|(step, _)| {
            step.action == Action::Click && step.button == Some(Button::Left) && step.count == Some(1)
        });
        let one_place = two[0].1.before.tab == at.tab
            && two[0].1.before.node.is_some()
            && two[0].1.before.node == two[1].1.before.node
            && at.t - two[0].0.t_ms <= 2.0 * SAME_ACTIVATION_MS;
        if clicks && one_place {
            if let Some((_, facts)) = self.ledger.fold_last() {
                let step = &mut self.ledger.steps[i - 1];
                step.action = Action::Dblclick;
                step.count = Some(2);
                self.extend(i - 1, at.t, facts.into_iter().chain([at.n]));
            }
        } else if let Some(i) = self.ledger.tail(at.tab) {
            self.ledger.steps[i].facts.push(at.n);
        }
    }

    /// A paste that the middle button did: part of its click, which becomes a paste where text arrives.
    pub(super) fn middle_pastes(&mut self, at: &At) -> bool {
        if let Some(down) = self.tabs[at.tab].down.as_mut().filter(|down| down.button == 1) {
            down.facts.push(at.n);
            return true;
        }
        let Some(i) = self.ledger.tail(at.tab) else { return false };
        let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
        if step.action == Action::Click && step.button == Some(Button::Middle) && at.t - live.last <= MIDDLE_PASTE_MS {
            self.extend(i, at.t, [at.n]);
            return true;
        }
        false
    }

    /// What a program did. Its clicks are no steps; but where one opens a file input, the person's click that led
    /// there is dropped.
    pub(super) fn programmatic(&mut self, at: &At, kind: &Kind) {
        match kind {
            Kind::Click(_) if Field::of(&self.mirror, at.node) == Field::File => {
                self.tabs[at.tab].chooser = Some(at.node);
            }
            Kind::Input(edit) => self.scripted(at, edit, false),
            Kind::Change(edit) => self.scripted(at, edit, true),
            _ => {}
        }
    }

    /// A pointer gesture goes into the newest step.
    fn swallow(&mut self, at: &At, facts: &[u64]) {
        if let Some(i) = self.ledger.tail(at.tab) {
            let new: Vec<_> = facts.iter().copied().filter(|n| !self.ledger.steps[i].facts.contains(n)).collect();
            self.extend(i, at.t, new);
        }
    }

    /// Decides a pointer gesture whose click event did not come: its element was taken away or changed.
    pub(super) fn flush(&mut self, tab: usize, now: f64) {
        let Some(down) = &self.tabs[tab].down else { return };
        let wait = if down.touch { TAP_WAIT_MS } else { CLICK_WAIT_MS };
        let due = match down.up {
            Some((t, _)) => now > t + wait,
            // Released where no event tells of it (a scroll bar, a list of the browser, outside the window).
            None => now == f64::INFINITY,
        };
        if !due {
            return;
        }
        let Some(down) = self.tabs[tab].down.take() else { return };
        if down.up.is_some() || down.dragging {
            self.without_click(down);
        }
    }

    /// A press whose document goes away before the release: the press did it.
    pub(super) fn flush_gone(&mut self, tab: usize, doc: DocKey) {
        let here = |down: &mut Down| down.under.doc == doc;
        if let Some(down) = self.tabs[tab].down.take_if(here) {
            self.without_click(down);
        }
    }

    fn without_click(&mut self, mut down: Down) {
        if let Some((_, place)) = down.over.filter(|_| down.dragging && !down.used && self.recording()) {
            // A drag of the platform whose end nothing told.
            let t = down.before.t;
            down.up.get_or_insert((t, place));
            return self.dragged(down, t);
        }
        if down.used || down.cancelled || !self.recording() {
            return;
        }
        let tab = down.before.tab;
        let (t, up) = down.up.unwrap_or((down.before.t, down.at));
        let meant = down.before.node;
        let field = meant.map_or(Field::None, |node| Field::of(&self.mirror, node));
        match down.button {
            0 => {
                // The list of a select may take the release; the choice tells.
                if field == Field::List {
                    return;
                }
                let far = (up.x - down.at.x).hypot(up.y - down.at.y) > DRAG_PX;
                if far && field == Field::None {
                    return self.dragged(down, t);
                }
                let (under, mods) = (down.under, down.mods);
                let i = self.open(down.before, Action::Click, down.facts);
                self.click_details(i, Button::Left, 1, &mods);
                self.extend(i, t, []);
                self.tabs[tab].early = Some((self.ledger.live[i].uid, t, under));
            }
            2 => {
                let (under, mods) = (down.under, down.mods);
                self.menu(t, down.before, down.facts, &mods);
                if let Some(i) = self.ledger.tail(tab) {
                    self.tabs[tab].early = Some((self.ledger.live[i].uid, t, under));
                }
            }
            _ => {}
        }
    }

    /// A click on a box will have switched it; the change event says for sure.
    pub(super) fn guess_box(&mut self, i: usize) {
        let live = &self.ledger.live[i];
        let Some(node) = live.before.node else { return };
        if live.confirmed || Field::of(&self.mirror, node) != Field::Box {
            return;
        }
        let radio = self.mirror.attribute(node, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("radio"));
        let checked = radio || live.before.checked != Some(true);
        self.set_checked(i, checked);
    }

    pub(super) fn set_checked(&mut self, i: usize, checked: bool) {
        let step = &mut self.ledger.steps[i];
        step.action = if checked { Action::Check } else { Action::Uncheck };
        step.key = None;
        step.button = None;
        step.count = None;
        if matches!(step.outcome, Outcome::NoEffect) {
            step.outcome = Outcome::Ok;
        }
        self.tell(i);
    }

    /// A press step turns out to switch a box, which is another one where an arrow moves within a group.
    pub(super) fn key_checks(&mut self, i: usize, node: NodeRef, checked: bool) {
        if self.ledger.live[i].before.node != Some(node) {
            let target = self.mirror.target(node);
            let live = &mut self.ledger.live[i];
            live.before.node = Some(node);
            live.before.target = Some(target.clone());
            self.ledger.steps[i].target = Some(target);
        }
        self.ledger.steps[i].modifiers.clear();
        self.set_checked(i, checked);
        let tab = self.ledger.live[i].before.tab;
        self.tabs[tab].pressed = None;
    }

    /// A box's state changed, as the stream tells.
    pub(super) fn toggled(&mut self, tab: usize, node: NodeRef, state: i32, t: f64) {
        let Some(i) = self.ledger.tail(tab) else { return };
        let (step, live) = (&self.ledger.steps[i], &self.ledger.live[i]);
        let boxed = matches!(step.action, Action::Check | Action::Uncheck) && live.before.node == Some(node);
        if boxed && !live.confirmed && t - live.last <= SAME_ACTIVATION_MS / 10.0 {
            self.set_checked(i, state != 0);
        }
    }
}
