//! Agents: what they may do, one action at a time, and what they are told.

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use serde_json::json;
use tracerule::mirror::NodeRef;
use tracerule::trace::{Actor, FailureCode, MASK, NoteEvent, ToolCall};
use tracerule::wire::agent::{Act, Answer, Called, Failure, Image, Note, Observe, TabInfo, Verb};
use tracerule::wire::log::Entry;
use tracerule::wire::sensor::Ask;

use crate::aim::{self, failure};
use crate::browser::Tab;
use crate::deed::{self, Deed};
use crate::hub::{self, Trouble, now};
use crate::trusted::{self, Hand};
use crate::{dialogs, frames, picture, screens, session, settle, writer};

/// The session in which this caller may act.
fn granted(named: Option<&str>, control: bool) -> Result<String, Failure> {
    let sessions: Vec<(String, f64, bool)> = hub::with(|hub| {
        let one = |s: &session::Session| (s.meta.header.id.clone(), s.meta.header.started_ms, s.granted && !s.ending);
        hub.sessions.values().filter(|s| named.is_none_or(|id| s.meta.header.id == id)).map(one).collect()
    });
    let newest = sessions.iter().filter(|s| s.2 || control).max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((id, ..)) = newest {
        return Ok(id.clone());
    }
    let message = match (named, sessions.is_empty()) {
        (Some(id), true) => format!("session {id:?} is not being recorded: it has ended, or never was"),
        (None, true) => "no tab is being recorded: a person has to open Tracerule's side panel on the tab, start \
                         recording, and press Grant"
            .to_owned(),
        _ => "no tab is granted to agents: a person has to press Grant in Tracerule's side panel".to_owned(),
    };
    Err(failure(FailureCode::NotGranted, message))
}

/// Looks at the page.
pub async fn observe(ask: Observe, control: bool) -> Answer {
    let t_ms = now();
    let id = match granted(ask.session.as_deref(), control) {
        Ok(id) => id,
        Err(error) => return Answer { error: Some(error), ..Answer::default() },
    };
    turn(&id).await;
    let answer = look(&id, &ask).await;
    over(&id);
    let called = ask.call.clone().unwrap_or_else(|| Called { name: "observe".into(), arguments: json!({}) });
    tell(&id, t_ms, called, &answer, Vec::new()).await;
    answer
}

async fn look(id: &str, ask: &Observe) -> Answer {
    let tab = current(id);
    let busy = hub::with(|hub| hub.watches.contains_key(&tab));
    let settled = if busy { Some(settle::quiet(id, tab, now()).await) } else { None };
    let mut answer = answer(id, tab, !ask.no_snapshot, ask.screenshot).await;
    answer.ok = true;
    answer.dialog = dialogs::open(tab);
    answer.settled = settled;
    answer
}

/// Does something.
pub async fn act(act: Act, control: bool) -> Answer {
    let t_ms = now();
    let id = match granted(act.session.as_deref(), control) {
        Ok(id) => id,
        Err(error) => return Answer { error: Some(error), ..Answer::default() },
    };
    turn(&id).await;
    let tab = current(&id);
    let aimed = match &act.recorded {
        Some(recorded) => aim::find_recorded(&id, tab, recorded, now() + recorded.patience_ms).await.ok().map(|a| a.0),
        None => deed::target(&act.verb).and_then(|target| aim::find(&id, tab, target).ok()),
    };
    let told = discreet(&id, &act, aimed.as_ref());
    let (answer, steps) = one_act(&id, &act).await;
    over(&id);
    let arguments = || serde_json::to_value(&told).unwrap_or_default();
    let called = told.call.clone().unwrap_or_else(|| Called { name: "act".into(), arguments: arguments() });
    tell(&id, t_ms, called, &answer, steps).await;
    answer
}

/// How long a tab that was just opened may take to show its first document, in ms.
const FIRST_PAGE_MS: f64 = 10_000.0;

/// Waits for this caller's turn, in the order in which callers came, and until there is a page to look at.
async fn turn(id: &str) {
    let before = hub::session(id, |s| {
        let busy = std::mem::replace(&mut s.acting, true);
        busy.then(|| {
            let (sender, receiver) = oneshot::channel();
            s.turns.push_back(sender);
            receiver
        })
    });
    if let Some(before) = before.flatten() {
        // A session that ended has dropped the queue: then nothing is left to wait for.
        let _ = before.await;
    }
    let empty = || hub::session(id, |s| s.recorder.mirror().top(s.current.id()).is_none()) == Some(true);
    let since = now();
    while empty() && now() - since < FIRST_PAGE_MS {
        hub::sleep(20.0).await;
    }
}

/// Hands the turn on to whoever came next.
fn over(id: &str) {
    hub::session(id, |s| {
        while let Some(next) = s.turns.pop_front() {
            if next.send(()).is_ok() {
                return;
            }
        }
        s.acting = false;
    });
}

async fn one_act(id: &str, act: &Act) -> (Answer, Vec<u32>) {
    let tab = current(id);
    let until = now() + act.recorded.as_ref().map_or(0.0, |recorded| recorded.patience_ms);
    let mut locator = None;
    let aimed = match &act.recorded {
        // Who told what may be written down has waited for it already.
        Some(recorded) => aim::find_recorded(id, tab, recorded, now()).await.map(|(aim, by)| {
            locator = Some(by);
            Some(aim)
        }),
        None => deed::target(&act.verb).map(|target| aim::find(id, tab, target)).transpose(),
    };
    let aimed = match trusted::held_up(tab, &act.verb) {
        Some(error) => Err(error),
        None => aimed,
    };
    let (aim, missed) = match aimed {
        Ok(aim) => (aim, None),
        Err(error) => (None, Some(error)),
    };
    let wants_hand = deed::trusted(&act.verb, aim.as_ref(), Hand::Debugger) == Some(true);
    let hand = if missed.is_none() && wants_hand { trusted::hand(id, tab).await } else { Hand::Synthetic };
    let vouched = deed::trusted(&act.verb, aim.as_ref(), hand);
    let begun = now();
    let call = hub::session(id, |s| s.calls + 1).unwrap_or(1);
    let begin = Entry::ActionBegin {
        t: begun,
        tab: tab.id(),
        call,
        act: Box::new(discreet(id, act, aim.as_ref())),
        trusted: vouched.unwrap_or(true),
        target: aim.as_ref().and_then(aim::Aim::in_log),
    };
    session::log(id, begin);
    let mut deed = Deed { session: id, tab, verb: &act.verb, hand, aim };
    let mut done = match missed {
        Some(error) => Err(error),
        None => perform(&deed, tab).await,
    };
    // Pages draw anew what a recording means, and show it elsewhere; what an agent means it saw itself.
    while let (Err(error), Some(recorded)) = (&done, &act.recorded)
        && deed.aim.is_some()
        && not_yet(error.code)
        && now() < until
        && let Ok((aim, by)) = aim::find_recorded(id, tab, recorded, until).await
    {
        locator = Some(by);
        deed.aim = Some(aim);
        done = perform(&deed, tab).await;
    }
    // What the sensors saw of it comes before their answers, and so before the end of the action.
    frames::ask_all::<serde_json::Value>(tab, &Ask::Frames, 500.0).await;
    let now_in = current(id);
    let error = done.err();
    let told = error.as_ref().map(|e| (e.code, e.message.clone()));
    session::log(id, Entry::ActionEnd { t: now(), call, error: told });
    let settled = settle::quiet(id, now_in, now()).await;
    let mut answer = answer(id, now_in, !act.no_snapshot, act.screenshot).await;
    answer.ok = error.is_none();
    answer.error = error;
    answer.settled = Some(settled);
    answer.trusted = vouched;
    answer.locator = locator;
    answer.said = trusted::said(tab);
    answer.dialog = dialogs::open(now_in);
    let steps = hub::session(id, |s| s.recorder.steps_of_call(call)).unwrap_or_default();
    (answer, steps)
}

/// Whether it may still become possible: nothing was done yet.
fn not_yet(code: FailureCode) -> bool {
    use FailureCode::{Ambiguous, Covered, Disabled, Gone, Hidden, NotFound};
    matches!(code, Gone | Hidden | Covered | Disabled | NotFound | Ambiguous)
}

/// Does it. Input that opens a dialog is done when that is answered, which is the next action.
async fn perform(deed: &Deed<'_>, tab: Tab) -> Result<(), Failure> {
    if matches!(deed.verb, Verb::Dialog { .. }) {
        return deed.perform().await;
    }
    match select(Box::pin(deed.perform()), Box::pin(dialogs::opens(tab))).await {
        Either::Left((done, _)) => done,
        Either::Right(((), _)) => Ok(()),
    }
}

/// The action as it may be written down: without what is typed into a secret field.
fn discreet(id: &str, act: &Act, aim: Option<&aim::Aim>) -> Act {
    let mut act = act.clone();
    act.recorded = None;
    let node = aim.and_then(aim::Aim::in_log);
    let secret = hub::session(id, |s| {
        let mirror = s.recorder.mirror();
        match node {
            Some((doc, node)) => mirror.key(&doc).is_some_and(|doc| mirror.is_secret(NodeRef { doc, node })),
            // Who cannot say what was meant must not keep what may have been meant for a secret field.
            None => mirror.documents().into_iter().any(|doc| {
                mirror.tab(doc).to_bits() == s.current.id().to_bits() && s.secret_docs.contains(mirror.token(doc))
            }),
        }
    });
    if secret == Some(true)
        && let Verb::Fill { value, .. } = &mut act.verb
    {
        let told = std::mem::replace(value, MASK.to_owned());
        if let Some(call) = &mut act.call {
            mask(&mut call.arguments, &told);
        }
        if !told.is_empty() {
            hub::session(id, |s| {
                if !s.secrets.contains(&told) {
                    s.secrets.push(told);
                }
            });
        }
    }
    act
}

/// Takes a secret out of every string of a payload.
fn mask(value: &mut serde_json::Value, secret: &str) {
    match value {
        serde_json::Value::String(text) if text == secret => MASK.clone_into(text),
        // A short one would be found everywhere.
        serde_json::Value::String(text) if secret.chars().count() >= 4 => *text = text.replace(secret, MASK),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| mask(item, secret)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|field| mask(field, secret)),
        _ => {}
    }
}

fn current(id: &str) -> Tab {
    hub::session(id, |s| s.current).unwrap_or_else(|| Tab::new(-1.0))
}

async fn answer(id: &str, tab: Tab, with_snapshot: bool, with_picture: bool) -> Answer {
    let mut answer = hub::session(id, |s| {
        let infos = s.tabs.iter().enumerate().map(|(index, of)| {
            let mirror = s.recorder.mirror();
            let top = mirror.top(of.id());
            TabInfo {
                index: u32::try_from(index).unwrap_or(u32::MAX),
                title: top.map(|doc| mirror.title(doc)).unwrap_or_default(),
                url: top.map(|doc| mirror.url(doc).to_owned()).unwrap_or_default(),
                current: *of == tab,
            }
        });
        let tabs: Vec<TabInfo> = infos.collect();
        let here = tabs.iter().find(|tab| tab.current).cloned();
        let snapshot = s.recorder.mirror_mut().snapshot(tab.id());
        Answer {
            url: here.as_ref().map(|tab| tab.url.clone()).unwrap_or_default(),
            title: here.map(|tab| tab.title).unwrap_or_default(),
            tabs,
            hash: snapshot.hash,
            snapshot: with_snapshot.then_some(snapshot.text),
            steps: s.meta.steps,
            ..Answer::default()
        }
    })
    .unwrap_or_default();
    if with_picture
        && let Some(name) = screens::take(id, tab, true).await
        && let Ok(store) = hub::store()
        && let Ok(Some(bytes)) = store.blob(id, &name).await
    {
        answer.screenshot = Some(Image { mime: picture::mime(&name).to_owned(), data: picture::base64(&bytes) });
    }
    answer
}

/// Logs the call in full and its result without snapshot and picture; returns when all of it is stored.
async fn tell(id: &str, t_ms: f64, called: Called, answer: &Answer, steps: Vec<u32>) {
    let brief = Answer { snapshot: None, screenshot: None, tabs: Vec::new(), ..answer.clone() };
    let call = ToolCall {
        t_ms,
        elapsed_ms: now() - t_ms,
        name: called.name,
        arguments: called.arguments,
        result: serde_json::to_value(brief).unwrap_or_default(),
        steps,
    };
    session::log(id, Entry::ToolCall(call));
    writer::stored().await;
}

/// Takes down what an agent says of itself.
pub async fn note(note: Note, control: bool) -> Result<(), Trouble> {
    let id = granted(note.session.as_deref(), control).map_err(|e| Trouble::said(e.message))?;
    let t_ms = now();
    if let Some(text) = note.text {
        let mut text = serde_json::Value::String(text);
        for secret in hub::session(&id, |s| s.secrets.clone()).unwrap_or_default() {
            mask(&mut text, &secret);
        }
        let text = text.as_str().unwrap_or_default().to_owned();
        session::log(&id, Entry::Note(NoteEvent { t_ms, actor: Actor::Agent, text }));
    }
    if let Some(mut usage) = note.usage {
        if usage.t_ms <= 0.0 {
            usage.t_ms = t_ms;
        }
        session::log(&id, Entry::Usage(usage));
    }
    if let Some(ms) = note.rate_limited_ms.filter(|ms| ms.is_finite() && *ms > 0.0) {
        // A wait for the provider is told as the result of a call that had no other.
        let call = ToolCall {
            t_ms: t_ms - ms,
            elapsed_ms: ms,
            name: "rate_limit".into(),
            arguments: json!({}),
            result: json!({"rate_limited_ms": ms}),
            steps: Vec::new(),
        };
        session::log(&id, Entry::ToolCall(call));
    }
    writer::stored().await;
    Ok(())
}
