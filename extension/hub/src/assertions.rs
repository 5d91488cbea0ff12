//! Goal assertions: pointed at by a person, read off the mirror, evaluated at the end.

use tracerule::mirror::NodeRef;
use tracerule::trace::{Assertion, AssertionKind, CheckEvent};
use tracerule::wire::log::Entry;
use tracerule::wire::sensor::{Ask, PickReply};

use crate::browser::Tab;
use crate::hub::{self, Trouble, now};
use crate::{frames, panel, session};

/// A person is pointing.
#[derive(Clone, Debug)]
pub struct Picking {
    /// In which tab.
    pub tab: Tab,
}

/// A person may take so long to point, ms.
const PATIENCE_MS: f64 = 600_000.0;

/// Lets the person point at what must hold, and adds the assertion. Nothing is added when it is given up.
pub async fn pick(session: &str, kind: AssertionKind) -> Result<(), Trouble> {
    let tab = hub::session(session, |s| s.current).ok_or_else(|| Trouble::NoSession(String::new()))?;
    if kind == AssertionKind::Url {
        let url = hub::session(session, |s| {
            let mirror = s.recorder.mirror();
            mirror.top(tab.id()).map(|doc| mirror.url(doc).to_owned())
        });
        let expected =
            url.flatten().ok_or_else(|| Trouble::said("the page has not been read yet: wait until it is loaded"))?;
        return add(session, Assertion { kind, target: None, frame: Vec::new(), expected }).await;
    }
    if hub::with(|hub| hub.picking.is_some()) {
        return Err(Trouble::said("you are pointing already: click an element of the page, or press Escape"));
    }
    let frames = frames::of_tab(tab);
    if frames.is_empty() {
        return Err(Trouble::said("the page cannot be pointed at: reload it, then try again"));
    }
    hub::with(|hub| hub.picking = Some(Picking { tab }));
    panel::changed();
    let asked = frames.into_iter().map(|(port, doc)| {
        Box::pin(async move { (doc, frames::ask::<PickReply>(port, Ask::Pick, PATIENCE_MS).await) })
    });
    let mut waiting: Vec<_> = asked.collect();
    let mut picked = None;
    // The first frame in which something is chosen decides; a frame that goes away only drops out.
    while !waiting.is_empty() {
        let ((doc, reply), _, rest) = futures_util::future::select_all(waiting).await;
        waiting = rest;
        match reply {
            Ok(PickReply { node: 0 }) => break,
            Ok(PickReply { node }) => {
                picked = Some((doc, node));
                break;
            }
            Err(_) => {}
        }
    }
    drop(waiting);
    hub::with(|hub| hub.picking = None);
    release(tab).await;
    if let Some((doc, node)) = picked {
        let made = hub::session(session, |s| {
            let mirror = s.recorder.mirror();
            let node = NodeRef { doc: mirror.key(&doc)?, node };
            Some(assertion(mirror, node, kind))
        });
        let assertion = made.flatten().ok_or_else(|| Trouble::said("the page changed meanwhile: point again"))?;
        add(session, assertion.map_err(Trouble::Said)?).await?;
    }
    panel::changed();
    Ok(())
}

/// The list is kept in the session's summary, where one can be taken back; the log tells when each was added.
async fn add(session: &str, assertion: Assertion) -> Result<(), Trouble> {
    hub::session(session, |s| s.meta.header.assertions.push(assertion.clone()));
    session::save(session).await?;
    session::log(session, Entry::Assertion(assertion));
    panel::changed();
    Ok(())
}

/// Takes back the assertion of that number, or the last.
pub async fn remove(session: &str, index: Option<u32>) -> Result<(), Trouble> {
    let removed = hub::session(session, |s| {
        let list = &mut s.meta.header.assertions;
        let at = index.map_or(list.len().wrapping_sub(1), |index| index as usize);
        (at < list.len()).then(|| list.remove(at))
    });
    if removed.flatten().is_none() {
        return Err(Trouble::said("there is no such assertion: it was taken back already"));
    }
    session::save(session).await?;
    panel::changed();
    Ok(())
}

/// Gives up pointing.
pub async fn cancel() {
    let picking = hub::with(|hub| hub.picking.take());
    if let Some(picking) = picking {
        release(picking.tab).await;
    }
    panel::changed();
}

async fn release(tab: Tab) {
    frames::ask_all::<serde_json::Value>(tab, &Ask::PickCancel, 1000.0).await;
}

/// What holds of the element now, as something that must hold at the end.
fn assertion(mirror: &tracerule::mirror::Mirror, pointed: NodeRef, kind: AssertionKind) -> Result<Assertion, String> {
    let control = mirror.labelled_control(pointed).unwrap_or_else(|| mirror.interactive(pointed));
    let node = match kind {
        AssertionKind::Text | AssertionKind::Visible | AssertionKind::Count => pointed,
        _ => control,
    };
    let target = mirror.target(node);
    let what = if target.name.is_empty() { target.tag.clone() } else { format!("{} {:?}", target.role, target.name) };
    let expected = match kind {
        AssertionKind::Text => {
            let text = mirror.text(node).split_whitespace().collect::<Vec<_>>().join(" ");
            if text.is_empty() {
                return Err(format!("{what} has no text: point at what shows it, or assert its value"));
            }
            text
        }
        AssertionKind::Value => {
            if mirror.is_secret(node) {
                return Err("the value of a secret field is not recorded, so it cannot be asserted".to_owned());
            }
            if !matches!(mirror.tag(node), "input" | "select" | "textarea") {
                return Err(format!("{what} is no field with a value: assert its text instead"));
            }
            mirror.value(node)
        }
        AssertionKind::Checked => match mirror.checked(node) {
            Some(checked) => checked.to_string(),
            None => return Err(format!("{what} cannot be checked: point at a box or a radio button")),
        },
        AssertionKind::Visible => "true".to_owned(),
        AssertionKind::Count => target.locators.first().map_or(1, |locator| locator.matches).to_string(),
        AssertionKind::Url => String::new(),
    };
    Ok(Assertion { kind, frame: mirror.frame_path(node.doc), target: Some(target), expected })
}

/// Evaluates a session's assertions as its tabs are now, and logs the verdicts.
pub fn evaluate(session: &str) {
    let verdicts = hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        let one = |assertion: &Assertion| {
            let verdict = mirror.evaluate(s.current.id(), assertion);
            (assertion.clone(), verdict)
        };
        s.meta.header.assertions.iter().map(one).collect::<Vec<_>>()
    });
    for (assertion, verdict) in verdicts.unwrap_or_default() {
        let check = CheckEvent { t_ms: now(), assertion, holds: verdict.holds, seen: verdict.seen };
        session::log(session, Entry::Check(check));
    }
}
