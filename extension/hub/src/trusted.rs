//! Trusted input: through Chromium's debugger, or through a companion that drives Firefox.

use serde_json::{Value, json};
use tracerule::trace::{Button, FailureCode, Modifier, Point};
use tracerule::wire::agent::{Failure, Verb};

use crate::browser::{Refused, Tab, debugger, tabs};
use crate::hub;
use crate::keys::Key;

/// A drag is made of so many moves.
const DRAG_MOVES: u32 = 10;
/// Each after so long, ms.
const DRAG_MOVE_MS: u32 = 20;
/// And a rest before the release, ms: pages look where it is by then.
const DRAG_REST_MS: u32 = 60;

/// A tab held by the debugger.
#[derive(Debug, Default)]
pub struct Attachment {
    /// Pages are told that their window has the focus, as agents need it.
    pub focused: bool,
    /// What a drag of the platform carries, once it began.
    pub dragged: Option<Value>,
    /// What dialogs said since the last answer to an agent.
    pub said: Vec<String>,
    /// Taken away by the person or another extension: not taken back in this session.
    pub lost: Option<String>,
}

/// How input reaches a tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// The debugger.
    Debugger,
    /// WebDriver BiDi, performed by the companion.
    Companion,
    /// Events made in the page, which the browser does not vouch for.
    Synthetic,
}

impl Hand {
    /// Whether the browser vouches for it.
    pub fn is_trusted(self) -> bool {
        self != Hand::Synthetic
    }
}

/// Goes back (-1) or forward (1) in a tab's history. Chromium's own call passes over pages that no person's gesture
/// led away from, which are all those that an agent left by an address.
pub async fn travel(session: &str, tab: Tab, by: i64) -> Result<(), Refused> {
    if hand(session, tab).await == Hand::Debugger {
        let history = debugger::send(tab, "Page.getNavigationHistory", &json!({})).await?;
        let at = history["currentIndex"].as_i64().and_then(|at| usize::try_from(at + by).ok());
        if let Some(id) = at.and_then(|at| history["entries"].get(at)).and_then(|entry| entry["id"].as_i64()) {
            let to = json!({ "entryId": id });
            return debugger::send(tab, "Page.navigateToHistoryEntry", &to).await.map(|_| ());
        }
    }
    if by < 0 { tabs::back(tab).await } else { tabs::forward(tab).await }
}

/// The best hand for a tab; takes hold of the tab when that needs it.
pub async fn hand(session: &str, tab: Tab) -> Hand {
    if crate::relay::performs() {
        return Hand::Companion;
    }
    if !debugger::exists() {
        return Hand::Synthetic;
    }
    let known = hub::with(|hub| hub.attached.get(&tab).map(|a| (a.lost.is_some(), a.focused)));
    match known {
        Some((false, true)) => return Hand::Debugger,
        Some((true, _)) => return Hand::Synthetic,
        Some((false, false)) | None => {}
    }
    match attach(tab).await {
        Ok(()) => {
            hub::with(|hub| hub.attached.entry(tab).or_default().focused = true);
            // Pages behave as in a focused window, whatever the person looks at.
            let _ = debugger::send(tab, "Emulation.setFocusEmulationEnabled", &json!({"enabled": true})).await;
            Hand::Debugger
        }
        Err(refused) => {
            let detail = format!("{refused}; actions are synthetic from now on");
            hub::coverage(session, "trusted_input", detail);
            let lost = Attachment { lost: Some(refused.why), ..Attachment::default() };
            hub::with(|hub| hub.attached.insert(tab, lost));
            Hand::Synthetic
        }
    }
}

async fn attach(tab: Tab) -> Result<(), Refused> {
    if holds(tab) {
        return Ok(());
    }
    match debugger::attach(tab).await {
        Ok(()) => debugger::send(tab, "Page.enable", &json!({})).await,
        // A worker that died held the tab, and the browser did not notice.
        Err(refused) => debugger::send(tab, "Page.enable", &json!({})).await.map_err(|_| refused),
    }?;
    hub::with(|hub| {
        hub.attached.entry(tab).or_default();
    });
    Ok(())
}

/// Takes hold of a tab only to be told of its dialogs, where that shows no bar or the person asked for it. What it
/// shows may be closed to debuggers, too; then the next page is tried.
pub async fn watch(session: &str, tab: Tab) {
    let wanted = crate::relay::silent() || hub::session(session, |s| s.watching) == Some(true);
    let lost = hub::with(|hub| hub.attached.get(&tab).is_some_and(|a| a.lost.is_some()));
    if wanted && !lost && debugger::exists() {
        // Dialogs that cannot be seen are told by the page that stands still.
        let _ = attach(tab).await;
    }
}

/// Why an action cannot be done now: a dialog holds the page.
pub fn held_up(tab: Tab, verb: &Verb) -> Option<Failure> {
    let dialog = crate::dialogs::open(tab)?;
    if matches!(verb, Verb::Dialog { .. } | Verb::TabSwitch { .. } | Verb::TabOpen { .. }) {
        return None;
    }
    let message =
        format!("a dialog of the browser is open ({}: {:?}): answer it first", dialog.kind.name(), dialog.message);
    Some(crate::aim::failure(FailureCode::Covered, message))
}

/// Says something with the next answer to an agent.
pub fn say(tab: Tab, what: String) {
    hub::with(|hub| {
        if let Some(attachment) = hub.attached.get_mut(&tab) {
            attachment.said.push(what);
        }
    });
}

/// Whether the debugger holds the tab.
pub fn holds(tab: Tab) -> bool {
    hub::with(|hub| hub.attached.get(&tab).is_some_and(|a| a.lost.is_none()))
}

/// Whether a dialog of the page is open.
pub fn dialog_open(tab: Tab) -> bool {
    crate::dialogs::open(tab).is_some()
}

/// What dialogs said since this was asked last.
pub fn said(tab: Tab) -> Vec<String> {
    hub::with(|hub| hub.attached.get_mut(&tab).map(|a| std::mem::take(&mut a.said)).unwrap_or_default())
}

/// The debugger tells of something.
pub fn event(tab: Tab, method: &str, parameters: &Value) {
    let Some(session) = crate::session::of_tab(tab) else { return };
    match method {
        "Page.javascriptDialogOpening" | "Page.javascriptDialogClosed" => {
            crate::dialogs::debugger_event(&session, tab, method, parameters);
        }
        "Input.dragIntercepted" => {
            hub::with(|hub| {
                if let Some(attachment) = hub.attached.get_mut(&tab) {
                    attachment.dragged = Some(parameters["data"].clone());
                }
            });
        }
        "Inspector.targetCrashed" => crate::session::crashed(tab),
        _ => {}
    }
}

/// The debugger was taken from us.
pub fn detached(tab: Tab, reason: &str) {
    let attachment = hub::with(|hub| hub.attached.remove(&tab)).filter(|a| a.lost.is_none());
    let Some(attachment) = attachment else { return };
    if reason == "target_closed" {
        return;
    }
    crate::dialogs::forget(tab);
    let why = match reason {
        "canceled_by_user" => "a person closed the browser's debugging bar".to_owned(),
        other => {
            format!("the browser took the debugger away ({other}); another extension's frame in the page does this")
        }
    };
    hub::with(|hub| hub.attached.insert(tab, Attachment { lost: Some(why.clone()), ..Attachment::default() }));
    if let Some(session) = crate::session::of_tab(tab) {
        let (what, since) = match attachment.focused {
            true => ("trusted_input", "actions are synthetic from now on"),
            false => ("dialog", "what dialogs say cannot be seen from now on"),
        };
        hub::coverage(&session, what, format!("{why}; {since}"));
    }
}

/// The tab is gone.
pub fn forget(tab: Tab) {
    crate::dialogs::forget(tab);
    hub::with(|hub| hub.attached.remove(&tab));
}

/// Lets go of tabs at the end of a session, and the browser's bar with them.
pub async fn release(tabs: &[Tab]) {
    for tab in tabs {
        let held = hub::with(|hub| hub.attached.remove(tab).is_some_and(|a| a.lost.is_none()));
        if held {
            // It may be gone by itself.
            let _ = debugger::detach(*tab).await;
        }
    }
}

fn bits(modifiers: &[Modifier]) -> u32 {
    modifiers.iter().fold(0, |bits, m| {
        bits | match m {
            Modifier::Alt => 1,
            Modifier::Control => 2,
            Modifier::Meta => 4,
            Modifier::Shift => 8,
        }
    })
}

fn button_name(button: Button) -> &'static str {
    match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
        Button::Back => "back",
        Button::Forward => "forward",
    }
}

fn button_number(button: Button) -> u32 {
    match button {
        Button::Left => 0,
        Button::Middle => 1,
        Button::Right => 2,
        Button::Back => 3,
        Button::Forward => 4,
    }
}

/// Sends input to a tab. Points are in the top viewport, CSS px.
#[derive(Clone, Debug)]
pub struct Input {
    /// Which way.
    pub hand: Hand,
    /// Where to.
    pub tab: Tab,
    /// The frame's addresses, the outermost first, and where its viewport begins: Firefox takes input there.
    pub frame: Option<(Vec<String>, Point)>,
}

impl Input {
    async fn mouse(&self, kind: &str, at: Point, more: Value) -> Result<(), Refused> {
        let mut event = json!({"type": kind, "x": at.x, "y": at.y});
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        debugger::send(self.tab, "Input.dispatchMouseEvent", &event).await.map(|_| ())
    }

    async fn perform(&self, sources: Value) -> Result<(), Refused> {
        let url = crate::browser::tabs::get(self.tab).await?.url;
        let mut ask = json!({"actions": sources, "url": url});
        if let Some((addresses, _)) = &self.frame {
            ask["frames"] = json!(addresses);
        }
        crate::relay::request("input.perform", ask)
            .await
            .map(|_| ())
            .map_err(|why| Refused { doing: "let the companion perform input", why })
    }

    /// A point as the companion wants it: in the viewport of the frame that takes the input.
    fn local(&self, at: Point) -> Point {
        let origin = self.frame.as_ref().map(|(_, origin)| *origin).unwrap_or_default();
        Point { x: at.x - origin.x, y: at.y - origin.y }
    }

    /// Moves the pointer.
    pub async fn hover(&self, at: Point) -> Result<(), Refused> {
        match self.hand {
            Hand::Companion => self.perform(json!([pointer(vec![moved(self.local(at))])])).await,
            _ => self.mouse("mouseMoved", at, json!({})).await,
        }
    }

    /// Clicks so many times, with keys held.
    pub async fn click(&self, at: Point, button: Button, count: u32, held: &[Modifier]) -> Result<(), Refused> {
        if self.hand == Hand::Companion {
            let number = button_number(button);
            let mut actions = vec![moved(self.local(at))];
            for _ in 0..count {
                actions.push(json!({"type": "pointerDown", "button": number}));
                actions.push(json!({"type": "pointerUp", "button": number}));
            }
            if held.is_empty() {
                return self.perform(json!([pointer(actions)])).await;
            }
            // The keys go down in one tick before the pointer moves, and up after it is done.
            let keys: Vec<String> = held.iter().map(|m| Key::modifier(*m).bidi()).collect();
            let press = |kind: &str| keys.iter().map(|k| json!({"type": kind, "value": k})).collect::<Vec<_>>();
            self.perform(json!([keyboard(press("keyDown"))])).await?;
            let clicked = self.perform(json!([pointer(actions)])).await;
            self.perform(json!([keyboard(press("keyUp"))])).await?;
            return clicked;
        }
        let modifiers = bits(held);
        let name = button_name(button);
        self.mouse("mouseMoved", at, json!({ "modifiers": modifiers })).await?;
        for nth in 1..=count {
            let mut how = json!({"button": name, "clickCount": nth, "modifiers": modifiers, "buttons": 1u32 << match button_number(button) { 1 => 2, 2 => 1, n => n }});
            self.mouse("mousePressed", at, how.clone()).await?;
            how["buttons"] = 0.into();
            self.mouse("mouseReleased", at, how).await?;
        }
        Ok(())
    }

    /// Presses the primary button, moves as a hand does, and releases.
    pub async fn drag(&self, from: Point, to: Point, held: &[Modifier]) -> Result<(), Refused> {
        let way = |part: f64| Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
        // Pages take the first small move for the beginning of a drag, and the last ones for what it is over.
        let parts = (1..=DRAG_MOVES).map(|n| f64::from(n) / f64::from(DRAG_MOVES)).chain([1.0]);
        if self.hand == Hand::Companion {
            let mut actions = vec![moved(self.local(from)), json!({"type": "pointerDown", "button": 0})];
            for part in parts {
                let mut step = moved(self.local(way(part)));
                step["duration"] = DRAG_MOVE_MS.into();
                actions.push(step);
            }
            actions.push(json!({"type": "pause", "duration": DRAG_REST_MS}));
            actions.push(json!({"type": "pointerUp", "button": 0}));
            let keys: Vec<String> = held.iter().map(|m| Key::modifier(*m).bidi()).collect();
            let press = |kind: &str| keys.iter().map(|k| json!({"type": kind, "value": k})).collect::<Vec<_>>();
            if !held.is_empty() {
                self.perform(json!([keyboard(press("keyDown"))])).await?;
            }
            let dragged = self.perform(json!([pointer(actions)])).await;
            if !held.is_empty() {
                self.perform(json!([keyboard(press("keyUp"))])).await?;
            }
            return dragged;
        }
        // Without it a drag of the platform would go on outside of the page, where no input of ours reaches it.
        self.intercept_drags(true).await?;
        let dragged = self.drag_over(from, parts.map(way), held).await;
        self.intercept_drags(false).await?;
        dragged
    }

    async fn intercept_drags(&self, on: bool) -> Result<(), Refused> {
        self.carried();
        debugger::send(self.tab, "Input.setInterceptDrags", &json!({ "enabled": on })).await.map(|_| ())
    }

    /// What a drag of the platform carries that began since this was asked last.
    fn carried(&self) -> Option<Value> {
        hub::with(|hub| hub.attached.get_mut(&self.tab).and_then(|attachment| attachment.dragged.take()))
    }

    async fn drag_over(&self, from: Point, way: impl Iterator<Item = Point>, held: &[Modifier]) -> Result<(), Refused> {
        let how =
            |buttons: u32| json!({"button": "left", "clickCount": 1, "modifiers": bits(held), "buttons": buttons});
        self.mouse("mouseMoved", from, json!({ "modifiers": bits(held) })).await?;
        self.mouse("mousePressed", from, how(1)).await?;
        let (mut at, mut drag) = (from, None);
        for next in way {
            at = next;
            crate::hub::sleep(f64::from(DRAG_MOVE_MS)).await;
            if drag.is_none() {
                drag = self.carried();
                if let Some(data) = &drag {
                    self.drag_event("dragEnter", at, data, held).await?;
                }
            }
            match &drag {
                Some(data) => self.drag_event("dragOver", at, data, held).await?,
                None => self.mouse("mouseMoved", at, how(1)).await?,
            }
        }
        crate::hub::sleep(f64::from(DRAG_REST_MS)).await;
        if let Some(data) = &drag {
            self.drag_event("drop", at, data, held).await?;
        }
        self.mouse("mouseReleased", at, how(0)).await
    }

    async fn drag_event(&self, kind: &str, at: Point, data: &Value, held: &[Modifier]) -> Result<(), Refused> {
        let event = json!({"type": kind, "x": at.x, "y": at.y, "data": data, "modifiers": bits(held)});
        debugger::send(self.tab, "Input.dispatchDragEvent", &event).await.map(|_| ())
    }

    /// Turns the wheel.
    pub async fn wheel(&self, at: Point, dx: f64, dy: f64) -> Result<(), Refused> {
        if self.hand == Hand::Companion {
            let Point { x, y } = self.local(at);
            let (x, y) = (x.round(), y.round());
            let scroll = json!({"type": "scroll", "x": x, "y": y, "deltaX": dx.round(), "deltaY": dy.round(), "origin": "viewport"});
            return self.perform(json!([{"type": "wheel", "id": "wheel", "actions": [scroll]}])).await;
        }
        self.mouse("mouseWheel", at, json!({"deltaX": dx, "deltaY": dy})).await
    }

    /// Presses one key, with others held.
    pub async fn press(&self, key: &Key, held: &[Modifier]) -> Result<(), Refused> {
        if self.hand == Hand::Companion {
            let holds: Vec<String> = held.iter().map(|m| Key::modifier(*m).bidi()).collect();
            let mut actions: Vec<Value> = holds.iter().map(|k| json!({"type": "keyDown", "value": k})).collect();
            actions.push(json!({"type": "keyDown", "value": key.bidi()}));
            actions.push(json!({"type": "keyUp", "value": key.bidi()}));
            actions.extend(holds.iter().rev().map(|k| json!({"type": "keyUp", "value": k})));
            return self.perform(json!([keyboard(actions)])).await;
        }
        let mut down = Vec::new();
        for modifier in held {
            down.push(*modifier);
            self.key("rawKeyDown", &Key::modifier(*modifier), &down, false).await?;
        }
        let types = key.text.is_some() && !held.iter().any(|m| *m != Modifier::Shift);
        self.key(if types { "keyDown" } else { "rawKeyDown" }, key, &down, types).await?;
        self.key("keyUp", key, &down, false).await?;
        for modifier in held.iter().rev() {
            down.pop();
            self.key("keyUp", &Key::modifier(*modifier), &down, false).await?;
        }
        Ok(())
    }

    async fn key(&self, kind: &str, key: &Key, held: &[Modifier], types: bool) -> Result<(), Refused> {
        let mut event = json!({
            "type": kind,
            "key": key.name,
            "code": key.code,
            "windowsVirtualKeyCode": key.virtual_code,
            "modifiers": bits(held),
        });
        if let (true, Some(text)) = (types, &key.text) {
            event["text"] = text.as_str().into();
            event["unmodifiedText"] = text.as_str().into();
        }
        debugger::send(self.tab, "Input.dispatchKeyEvent", &event).await.map(|_| ())
    }

    /// Puts text where the focus is, in place of what is selected.
    pub async fn insert(&self, text: &str) -> Result<(), Refused> {
        if text.is_empty() {
            return self.press(&Key::delete(), &[]).await;
        }
        if self.hand == Hand::Companion {
            let keys = text.chars().flat_map(|c| {
                let value = if c == '\n' { "\u{E006}".to_owned() } else { c.to_string() };
                [json!({"type": "keyDown", "value": value}), json!({"type": "keyUp", "value": value})]
            });
            return self.perform(json!([keyboard(keys.collect())])).await;
        }
        debugger::send(self.tab, "Input.insertText", &json!({ "text": text })).await.map(|_| ())
    }
}

fn moved(at: Point) -> Value {
    json!({"type": "pointerMove", "x": at.x.round(), "y": at.y.round(), "origin": "viewport"})
}

fn pointer(actions: Vec<Value>) -> Value {
    json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions})
}

fn keyboard(actions: Vec<Value>) -> Value {
    json!({"type": "key", "id": "keyboard", "actions": actions})
}
