//! How each of the agent's verbs is done.

use tracerule::trace::{Button, FailureCode, Modifier, Point};
use tracerule::wire::agent::{Failure, Verb};
use tracerule::wire::log::Cause;
use tracerule::wire::sensor::{ActReply, Ask, PointReply, Synthetic};

use crate::aim::{self, Aim, failure};
use crate::browser::{Refused, Tab, tabs};
use crate::hub::{self, now};
use crate::trusted::{Hand, Input};
use crate::{keys, navigation, session, settle};

/// A navigation gets so long to be committed, ms.
const COMMIT_MS: f64 = 20_000.0;
/// A text gets so long to come or go, ms; as other tools have it.
const TEXT_MS: f64 = 5000.0;
/// Clicks in a row.
const MOST_CLICKS: u32 = 20;

/// What is needed to do it.
pub struct Deed<'a> {
    /// Recorded where.
    pub session: &'a str,
    /// Done where.
    pub tab: Tab,
    /// What.
    pub verb: &'a Verb,
    /// By which hand, as far as the verb leaves a choice.
    pub hand: Hand,
    /// On what.
    pub aim: Option<Aim>,
}

/// Whether the browser will vouch for this verb's input when that hand does it; `None` for those without input.
pub fn trusted(verb: &Verb, aim: Option<&Aim>, hand: Hand) -> Option<bool> {
    match verb {
        Verb::Select { .. } | Verb::Upload { .. } => Some(false),
        Verb::Fill { .. } if aim.is_some_and(|aim| no_caret(&aim.kind)) => Some(false),
        Verb::Click { .. }
        | Verb::Drag { .. }
        | Verb::Fill { .. }
        | Verb::Press { .. }
        | Verb::Check { .. }
        | Verb::Uncheck { .. }
        | Verb::Hover { .. }
        | Verb::Scroll { .. } => Some(hand.is_trusted()),
        _ => None,
    }
}

/// Inputs whose pickers take no inserted text.
fn no_caret(kind: &str) -> bool {
    matches!(kind, "date" | "time" | "datetime-local" | "month" | "week" | "color" | "range")
}

/// The target that a verb names.
pub fn target(verb: &Verb) -> Option<&str> {
    match verb {
        Verb::Click { target, .. }
        | Verb::Drag { target, .. }
        | Verb::Upload { target, .. }
        | Verb::Fill { target, .. }
        | Verb::Select { target, .. }
        | Verb::Check { target }
        | Verb::Uncheck { target }
        | Verb::Hover { target } => Some(target),
        Verb::Press { target, .. } | Verb::Scroll { target, .. } => target.as_deref(),
        _ => None,
    }
}

fn no_browser(refused: Refused) -> Failure {
    failure(FailureCode::Browser, refused.to_string())
}

fn acted(reply: &ActReply) -> Result<(), Failure> {
    if reply.ok { Ok(()) } else { Err(failure(reply.code.unwrap_or(FailureCode::Browser), reply.message.clone())) }
}

impl Deed<'_> {
    /// Does it.
    pub async fn perform(&self) -> Result<(), Failure> {
        match self.verb {
            Verb::Click { button, double, modifiers, position, count, .. } => {
                let button = button.unwrap_or(Button::Left);
                let count = count.unwrap_or(if *double { 2 } else { 1 }).clamp(1, MOST_CLICKS);
                self.click(button, count, modifiers, *position).await
            }
            Verb::Drag { position, onto, to, modifiers, .. } => {
                self.drag(*position, onto.as_deref(), *to, modifiers).await
            }
            Verb::Upload { files, .. } => {
                let ask = Ask::Upload { node: self.aim()?.node, files: files.clone() };
                acted(&self.aim()?.ask(ask).await?)
            }
            Verb::Check { .. } => self.make(true).await,
            Verb::Uncheck { .. } => self.make(false).await,
            Verb::Fill { value, submit, slowly, .. } => self.fill(value, *submit, *slowly).await,
            Verb::Press { key, .. } => self.press(key).await,
            Verb::Select { values, .. } => {
                let ask = Ask::Choose { node: self.aim()?.node, values: values.clone() };
                acted(&self.aim()?.ask(ask).await?)
            }
            Verb::Hover { .. } => {
                if self.hand == Hand::Synthetic {
                    let message = "hovering needs trusted input, which this browser gives only to a companion that \
                                   launched it: click instead";
                    return Err(failure(FailureCode::Browser, message));
                }
                let aim = self.aim()?;
                let (point, reply) = aim.locate(self.session, self.tab).await?;
                self.input_at(aim, point, &reply).hover(point).await.map_err(no_browser)
            }
            Verb::Scroll { target, dx, dy } => self.scroll(target.is_some(), *dx, *dy).await,
            Verb::Goto { url } => {
                absolute(url)?;
                self.navigate(Cause::Channel, tabs::navigate(self.tab, url)).await
            }
            Verb::Back => self.navigate(Cause::Back, crate::trusted::travel(self.session, self.tab, -1)).await,
            Verb::Forward => self.navigate(Cause::Forward, crate::trusted::travel(self.session, self.tab, 1)).await,
            Verb::Reload => self.navigate(Cause::Reload, tabs::reload(self.tab)).await,
            Verb::Wait { time, text, text_gone, shown } => {
                self.wait(*time, text.as_deref(), text_gone.as_deref(), shown.as_deref()).await
            }
            Verb::Dialog { accept, text } => crate::dialogs::answer(self.tab, *accept, text.as_deref()).await,
            Verb::TabOpen { url } => self.open(url.as_deref()).await,
            Verb::TabSwitch { index } => {
                let tab = self.nth(*index)?;
                tabs::activate(tab).await.map_err(no_browser)?;
                session::activated(tab);
                Ok(())
            }
            Verb::TabClose { index } => {
                let tab = index.map_or(Ok(self.tab), |index| self.nth(index))?;
                if hub::session(self.session, |s| s.tabs.len()) == Some(1) {
                    let message = "this is the only tab, and closing it would end the run: stop when the task is done";
                    return Err(failure(FailureCode::BadValue, message));
                }
                tabs::close(tab).await.map_err(no_browser)?;
                for _ in 0..20 {
                    if session::of_tab(tab).is_none() {
                        break;
                    }
                    hub::sleep(100.0).await;
                }
                Ok(())
            }
        }
    }

    fn input(&self) -> Input {
        Input { hand: self.hand, tab: self.tab, frame: None }
    }

    /// Input for an element: where it takes it, as told by where it was located.
    fn input_at(&self, aim: &Aim, point: Point, reply: &PointReply) -> Input {
        let local = reply.point.unwrap_or(point);
        let origin = Point { x: point.x - local.x, y: point.y - local.y };
        let frame = (!aim.frames.is_empty()).then(|| (aim.frames.clone(), origin));
        Input { frame, ..self.input() }
    }

    fn aim(&self) -> Result<&Aim, Failure> {
        self.aim.as_ref().ok_or_else(|| failure(FailureCode::NotFound, "name an element of the snapshot"))
    }

    async fn act(&self, aim: &Aim, what: Synthetic) -> Result<(), Failure> {
        acted(&aim.ask(Ask::Act { node: aim.node, what }).await?)
    }

    async fn click(
        &self,
        button: Button,
        count: u32,
        held: &[Modifier],
        position: Option<Point>,
    ) -> Result<(), Failure> {
        let aim = self.aim()?;
        let (point, reply) = self.reach(aim, position).await?;
        if self.hand == Hand::Synthetic {
            return self.act(aim, Synthetic::Click { button, count, modifiers: held.to_vec() }).await;
        }
        self.input_at(aim, point, &reply).click(point, button, count, held).await.map_err(no_browser)
    }

    /// Brings the pointer to an element. It may move when the pointer leaves what held a menu open: then it is sought
    /// again where it is now.
    async fn reach(&self, aim: &Aim, position: Option<Point>) -> Result<(Point, PointReply), Failure> {
        const SAME_PX: f64 = 1.0;
        let (mut point, mut reply) = aim.locate_at(self.session, self.tab, position).await?;
        for _ in 0..2 {
            if self.hand == Hand::Synthetic {
                break;
            }
            self.input_at(aim, point, &reply).hover(point).await.map_err(no_browser)?;
            let (now, again) = match aim.try_locate(self.session, self.tab, position).await {
                Ok(found) => found,
                // What the pointer brought up over it is for the press to meet.
                Err(failed) if failed.code == FailureCode::Covered => break,
                Err(failed) if failed.code == FailureCode::Hidden => {
                    aim.locate_at(self.session, self.tab, position).await?
                }
                Err(failed) => return Err(failed),
            };
            let moved = (now.x - point.x).hypot(now.y - point.y) > SAME_PX;
            (point, reply) = (now, again);
            if !moved {
                break;
            }
        }
        Ok((point, reply))
    }

    /// Presses, moves and releases. Where both ends cannot be in view at once it says so.
    async fn drag(
        &self,
        position: Option<Point>,
        onto: Option<&str>,
        to: Option<Point>,
        held: &[Modifier],
    ) -> Result<(), Failure> {
        if self.hand == Hand::Synthetic {
            let message = "dragging needs trusted input, which this browser gives only to a companion that launched \
                           it: look for a way by clicks or keys";
            return Err(failure(FailureCode::Browser, message));
        }
        let aim = self.aim()?;
        let (mut from, mut reply) = self.reach(aim, position).await?;
        let end = match (onto, to) {
            (None, None) => {
                return Err(failure(FailureCode::BadValue, "drag to where? name an element or a point"));
            }
            (None, Some(point)) => point,
            (Some(onto), at) => {
                let onto = aim::find(self.session, self.tab, onto)?;
                let (end, there) = onto.locate_at(self.session, self.tab, at).await?;
                if there.scrolled {
                    // What is dragged may have moved away meanwhile.
                    (from, reply) = aim.locate_at(self.session, self.tab, position).await?;
                    if reply.scrolled {
                        let message = format!("{} and {} are not in view together", aim.what, onto.what);
                        return Err(failure(FailureCode::Hidden, message));
                    }
                }
                end
            }
        };
        self.input_at(aim, from, &reply).drag(from, end, held).await.map_err(no_browser)
    }

    /// Checks or unchecks; one that is as wanted already is left alone.
    async fn make(&self, wanted: bool) -> Result<(), Failure> {
        let aim = self.aim()?;
        match aim.checked {
            Some(is) if is == wanted => Ok(()),
            Some(_) => match self.click(Button::Left, 1, &[], None).await {
                // Styled boxes hide their own behind a label, which is what a person clicks.
                Err(failed) if matches!(failed.code, FailureCode::Hidden | FailureCode::Covered) => {
                    for label in aim::labels(self.session, aim) {
                        let label = Deed { aim: Some(label), ..*self };
                        if label.click(Button::Left, 1, &[], None).await.is_ok() {
                            return Ok(());
                        }
                    }
                    Err(failed)
                }
                done => done,
            },
            None => Err(failure(FailureCode::WrongKind, format!("{} cannot be checked: click it instead", aim.what))),
        }
    }

    async fn fill(&self, value: &str, submit: bool, slowly: bool) -> Result<(), Failure> {
        let aim = self.aim()?;
        let (point, reply) = aim.locate(self.session, self.tab).await.or_else(|failed| match failed.code {
            // A field may be filled under what covers it: floating labels lie over theirs.
            FailureCode::Covered => Ok((Default::default(), Default::default())),
            _ => Err(failed),
        })?;
        let synthetic = self.hand == Hand::Synthetic || no_caret(&aim.kind);
        let input = self.input_at(aim, point, &reply);
        if reply.connected && !reply.editable && aim.kind != "hidden" {
            return Err(failure(FailureCode::WrongKind, format!("{} cannot be typed into", aim.what)));
        }
        if synthetic {
            self.act(aim, Synthetic::Type { text: value.to_owned(), replace: !slowly }).await?;
        } else {
            let selected: ActReply = aim.ask(Ask::SelectAll { node: aim.node }).await?;
            acted(&selected)?;
            if !selected.keys.is_empty() && !slowly {
                let (held, key) = keys::parse(&selected.keys)?;
                input.press(&key, &held).await.map_err(no_browser)?;
            }
            if slowly {
                // Keys are added to what is there.
                input.press(&keys::parse("End")?.1, &[]).await.map_err(no_browser)?;
                for c in value.chars() {
                    let key = if c == '\n' { keys::parse("Enter")?.1 } else { keys::Key::typed(c) };
                    input.press(&key, &[]).await.map_err(no_browser)?;
                }
            } else {
                input.insert(value).await.map_err(no_browser)?;
            }
        }
        if submit {
            if synthetic {
                self.act(aim, Synthetic::Press { key: "Enter".into() }).await?;
            } else {
                input.press(&keys::parse("Enter")?.1, &[]).await.map_err(no_browser)?;
            }
        }
        Ok(())
    }

    async fn press(&self, written: &str) -> Result<(), Failure> {
        let (held, key) = keys::parse(written)?;
        if self.hand == Hand::Synthetic {
            let what = Synthetic::Press { key: written.to_owned() };
            return match &self.aim {
                Some(aim) => self.act(aim, what).await,
                None => {
                    let page = aim::page(self.session, self.tab)?;
                    acted(&page.ask(Ask::Act { node: 0, what }).await?)
                }
            };
        }
        let mut input = self.input();
        if let Some(aim) = &self.aim {
            input.frame = (!aim.frames.is_empty()).then(|| (aim.frames.clone(), Point::default()));
            let focused: ActReply = aim.ask(Ask::Focus { node: aim.node }).await?;
            if !focused.ok {
                // What takes no focus of itself may take it by a click.
                self.click(Button::Left, 1, &[], None).await?;
            }
        }
        input.press(&key, &held).await.map_err(no_browser)
    }

    async fn scroll(&self, contained: bool, dx: f64, dy: f64) -> Result<(), Failure> {
        let page = aim::page(self.session, self.tab)?;
        let aim = self.aim.as_ref().unwrap_or(&page);
        if self.hand == Hand::Synthetic {
            return self.act(aim, Synthetic::Scroll { dx, dy }).await;
        }
        let (point, input) = if contained {
            let (point, reply) = aim.locate(self.session, self.tab).await?;
            (point, self.input_at(aim, point, &reply))
        } else {
            let width = hub::session(self.session, |s| s.top_width(self.tab)).flatten().unwrap_or(800.0);
            (Point { x: width / 2.0, y: 200.0 }, self.input())
        };
        input.wheel(point, dx, dy).await.map_err(no_browser)?;
        // The compositor scrolls smoothly; what it does comes a little later.
        hub::sleep(150.0).await;
        Ok(())
    }

    /// Begins a navigation and waits until the browser says that it arrived or failed.
    async fn navigate(&self, cause: Cause, begin: impl Future<Output = Result<(), Refused>>) -> Result<(), Failure> {
        let since = now();
        let before = hub::session(self.session, |s| s.navigations.get(&self.tab).copied()).flatten().unwrap_or(0);
        navigation::expect(self.tab, cause);
        begin.await.map_err(|refused| failure(FailureCode::Navigation, refused.to_string()))?;
        while now() - since < COMMIT_MS {
            if let Some(why) = navigation::failure(self.tab, since) {
                return Err(failure(FailureCode::Navigation, format!("the page could not be loaded: {why}")));
            }
            let arrived = hub::session(self.session, |s| s.navigations.get(&self.tab).copied()).flatten();
            if arrived.unwrap_or(0) > before {
                return Ok(());
            }
            hub::sleep(25.0).await;
        }
        let message = format!("the navigation was not answered within {} s", COMMIT_MS / 1000.0);
        Err(failure(FailureCode::Navigation, message))
    }

    async fn open(&self, url: Option<&str>) -> Result<(), Failure> {
        if let Some(url) = url {
            absolute(url)?;
        }
        let info = tabs::create("about:blank", Some(self.tab)).await.map_err(no_browser)?;
        let tab = info.tab().ok_or_else(|| failure(FailureCode::Browser, "the browser opened no tab"))?;
        session::add_tab(self.session, tab, Some(self.tab), url.unwrap_or("about:blank"));
        session::activated(tab);
        let Some(url) = url else { return Ok(()) };
        let other = Deed { session: self.session, tab, verb: self.verb, hand: self.hand, aim: None };
        other.navigate(Cause::Channel, tabs::navigate(tab, url)).await
    }

    fn nth(&self, index: u32) -> Result<Tab, Failure> {
        let tabs = hub::session(self.session, |s| s.tabs.clone()).unwrap_or_default();
        tabs.get(index as usize).copied().ok_or_else(|| {
            let message =
                format!("there is no tab {index}: the agent's tabs are 0 to {}", tabs.len().saturating_sub(1));
            failure(FailureCode::BadValue, message)
        })
    }

    async fn wait(
        &self,
        time: Option<f64>,
        text: Option<&str>,
        gone: Option<&str>,
        shown: Option<&str>,
    ) -> Result<(), Failure> {
        if time.is_none() && text.is_none() && gone.is_none() && shown.is_none() {
            return Err(failure(FailureCode::BadValue, "wait for what? give time, text, textGone or a target"));
        }
        if let Some(seconds) = time {
            hub::sleep(seconds.clamp(0.0, 60.0) * 1000.0).await;
        }
        for (wanted, text) in [(true, text), (false, gone)] {
            let Some(text) = text else { continue };
            let until = now() + TEXT_MS;
            while shows(self.session, self.tab, text) != wanted {
                if now() > until {
                    let what = if wanted { "did not appear" } else { "did not go" };
                    let message = format!("the text {text:?} {what} within {} s", TEXT_MS / 1000.0);
                    return Err(failure(FailureCode::Timeout, message));
                }
                hub::sleep(50.0).await;
            }
        }
        let Some(shown) = shown else { return Ok(()) };
        let until = now() + TEXT_MS;
        while !settle::shows(self.session, self.tab, shown, 1000.0).await {
            match aim::find(self.session, self.tab, shown) {
                Err(error) if error.code == FailureCode::BadValue => return Err(error),
                _ if now() > until => {
                    let message = format!("{shown} could not be seen within {} s", TEXT_MS / 1000.0);
                    return Err(failure(FailureCode::Timeout, message));
                }
                _ => hub::sleep(50.0).await,
            }
        }
        Ok(())
    }
}

/// Whether a text is somewhere in the tab's documents.
fn shows(session: &str, tab: Tab, text: &str) -> bool {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let wanted = fold(text);
    hub::session(session, |s| fold(&s.recorder.mirror_mut().snapshot(tab.id()).text).contains(&wanted)).unwrap_or(false)
}

fn absolute(url: &str) -> Result<(), Failure> {
    let bad = |why: String| {
        failure(FailureCode::BadValue, format!("{url:?} is no absolute URL ({why}): write it with https://"))
    };
    let parsed = web_sys::Url::new(url).map_err(|e| bad(crate::browser::words(&e)))?;
    match parsed.protocol().as_str() {
        "http:" | "https:" => Ok(()),
        other => Err(bad(format!("agents may not go to {other}"))),
    }
}
