//! Perturbations: plans from the core, carried out in the page, every decision in the log.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tracerule::mirror::{DocKey, NodeRef};
use tracerule::perturb::{self, Operator, PopupUnit, Settings};
use tracerule::trace::{PerturbationEvent, PerturbationPhase, Rect};
use tracerule::wire::log::{Cause, Entry};
use tracerule::wire::sensor::{Ask, JitterReply, PopupReply};

use crate::browser::Tab;
use crate::hub::{self, now};
use crate::{frames, navigation, session};

/// Roles that a person or an agent aims at.
const INTERACTIVE: [&str; 17] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "checkbox",
    "radio",
    "switch",
    "combobox",
    "listbox",
    "option",
    "slider",
    "spinbutton",
    "tab",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "treeitem",
];

fn event(
    operator: Operator,
    phase: PerturbationPhase,
    id: String,
    key: String,
    effect: impl IntoIterator<Item = (&'static str, Value)>,
) -> Entry {
    let effect: BTreeMap<String, Value> = effect.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Entry::Perturbation(PerturbationEvent { t_ms: now(), id, operator, phase, key, effect })
}

/// Changes the looks of documents that are new in the tab. Returns whether something moved.
pub async fn looks(session: &str, tab: Tab) -> bool {
    let Some(Some(settings)) = hub::session(session, |s| s.journal.as_ref().map(|j| j.settings().clone())) else {
        return false;
    };
    let mut moved = false;
    for (port, doc) in frames::of_tab(tab) {
        let fresh = hub::session(session, |s| {
            let mirror = s.recorder.mirror();
            let url = mirror.url(mirror.key(&doc)?).to_owned();
            if !s.perturbed.insert(doc.clone()) {
                return None;
            }
            s.looks += 1;
            let done = |operator| s.changed_looks.contains(&(doc.clone(), operator));
            let wanted = (!done(Operator::ColorScheme), !done(Operator::Jitter));
            Some((s.looks, perturb::page_key(&url), wanted))
        });
        let Some(Some((nth, page, (colour, shift)))) = fresh else { continue };
        let top = hub::with(|hub| hub.frames.get(&port).is_some_and(|frame| frame.frame == 0.0));
        if top && colour {
            colors(session, port, &doc, &settings, &page, nth).await;
        }
        if shift {
            moved |= jitter(session, port, &doc, &settings, &page, nth).await;
        }
    }
    moved
}

async fn colors(session: &str, port: u32, doc: &str, settings: &Settings, page: &str, nth: usize) {
    let Some(scheme) = perturb::color_scheme(settings, page) else { return };
    let ask = Ask::Colors { filter: scheme.filter.to_owned() };
    let done: Result<Value, _> = frames::ask(port, ask, 3000.0).await;
    let phase = if done.is_ok() { PerturbationPhase::Applied } else { PerturbationPhase::Withheld };
    let mut effect = vec![("doc", json!(doc)), ("drawn", json!(scheme.name)), ("filter", json!(scheme.filter))];
    if let Err(error) = done {
        effect.push(("why", json!(error.to_string())));
    }
    session::log(session, event(Operator::ColorScheme, phase, format!("colors-{nth}"), scheme.key, effect));
}

/// The elements that may be shifted: node, key and box. In an order that depends on the page alone.
fn candidates(session: &str, doc: &str) -> Vec<(u32, String, Rect)> {
    let found = hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        let key = mirror.key(doc)?;
        let nodes = s.boxed.get(doc)?;
        let mut found: Vec<_> = nodes
            .iter()
            .map(|node| NodeRef { doc: key, node: *node })
            .filter(|node| mirror.contains(*node) && mirror.visible(*node))
            .filter(|node| INTERACTIVE.contains(&mirror.role(*node).as_str()))
            .filter_map(|node| {
                let rect = mirror.rect(node).filter(|rect| rect.width > 0.0 && rect.height > 0.0)?;
                let path = mirror.target(node).dom_path;
                Some((node.node, perturb::element_key(&mirror.role(node), &mirror.name(node), &path), rect))
            })
            .collect();
        found.sort_by(|a, b| a.1.cmp(&b.1));
        Some(found)
    });
    found.flatten().unwrap_or_default()
}

async fn jitter(session: &str, port: u32, doc: &str, settings: &Settings, page: &str, nth: usize) -> bool {
    if settings.jitter_px <= 0.0 {
        return false;
    }
    let found = candidates(session, doc);
    if found.is_empty() {
        return false;
    }
    let boxes: Vec<(String, Rect, bool)> = found.iter().map(|(_, key, rect)| (key.clone(), *rect, true)).collect();
    let plan = perturb::plan_jitter(settings, page, &boxes);
    let wanted: Vec<(u32, f64, f64)> =
        plan.iter().map(|shift| (found[shift.index].0, shift.planned.0, shift.planned.1)).collect();
    let reply: Result<JitterReply, _> = frames::ask(port, Ask::Jitter { shifts: wanted.clone() }, 5000.0).await;
    let (realised, why) = match reply {
        Ok(reply) => (reply.realised, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let shifts: Vec<Value> = plan
        .iter()
        .map(|shift| {
            let node = found[shift.index].0;
            let real = realised.iter().find(|(of, ..)| *of == node).map_or((0.0, 0.0), |(_, x, y)| (*x, *y));
            json!({
                "element": found[shift.index].1, "key": shift.key, "gap": shift.gap,
                "drawn": shift.drawn, "planned": shift.planned, "realised": real,
            })
        })
        .collect();
    let moved = realised.iter().any(|(_, x, y)| *x != 0.0 || *y != 0.0);
    let mut effect =
        vec![("doc", json!(doc)), ("elements", json!(found.len())), ("shifts", json!(shifts)), ("moved", json!(moved))];
    let phase = match why {
        None => PerturbationPhase::Applied,
        Some(why) => {
            effect.push(("why", json!(why)));
            PerturbationPhase::Withheld
        }
    };
    let key = perturb::Key::new(settings, Some(page), None, None, Operator::Jitter).text().to_owned();
    session::log(session, event(Operator::Jitter, phase, format!("jitter-{nth}"), key, effect));
    moved
}

/// Draws a pop-up at a boundary and shows it. Returns whether one was put in the way.
pub async fn interrupt(session: &str, tab: Tab, after_step: bool) -> bool {
    let drawn = hub::session(session, |s| {
        let reached = s.reached(tab)?;
        let top = s.recorder.mirror().top(tab.id())?;
        let open = s.recorder.open_popup().is_some();
        let journal = s.journal.as_mut()?;
        if journal.live().is_some() && !open {
            // The page that showed it is gone, and so are the boundaries that passed under it.
            journal.page_gone();
            s.boundary = s.boundary.max(reached.saturating_sub(1));
        }
        if journal.settings().popup_unit == PopupUnit::PerStep && !after_step {
            return None;
        }
        // Each boundary is drawn once and in its turn, however often or seldom the page settles.
        let passed = s.boundary;
        s.boundary = passed.max(reached);
        let mut drawn = (passed + 1..=reached).filter_map(|boundary| {
            let page = perturb::page_key(&s.page_at(tab, boundary, top));
            Some((s.journal.as_ref()?.boundary(&page, boundary)?, boundary))
        });
        let (draw, boundary) = drawn.next()?;
        Some((draw, s.recorder.mirror().token(top).to_owned(), boundary, reached))
    });
    let Some(Some((draw, doc, boundary, reached))) = drawn else { return false };
    let Some(port) = frames::of_doc(&doc) else { return false };
    let lang = hub::session(session, |s| {
        let mirror = s.recorder.mirror();
        let html = mirror.resolve(tab.id(), "css=html").ok()?;
        mirror.attribute(html, "lang").map(str::to_owned)
    });
    let texts = perturb::popup_texts(&lang.flatten().unwrap_or_default());
    let reply: Result<PopupReply, _> = frames::ask(port, Ask::Popup { id: draw.id.clone(), texts }, 5000.0).await;
    let node = reply.map(|reply| reply.node).unwrap_or(0);
    let effect = [("drawn", json!(draw.drawn)), ("boundary", json!(boundary)), ("reached", json!(reached))];
    let shown = node != 0;
    let phase = if shown { PerturbationPhase::Shown } else { PerturbationPhase::Withheld };
    session::log(session, event(Operator::SessionPopup, phase, draw.id.clone(), draw.key, effect));
    if shown {
        session::log(session, Entry::PopupNode { id: draw.id, doc, node });
    }
    shown
}

/// A pop-up was answered in the page.
pub fn dismissed(session: &str, id: &str, how: &str) {
    let known = hub::session(session, |s| {
        let live = s.journal.as_ref().and_then(|j| j.live()) == Some(id);
        live.then(|| s.popup_key(id))
    });
    let Some(Some(key)) = known else { return };
    if how == "leave"
        && let Some(tab) = hub::session(session, |s| s.current)
    {
        // The page reloads itself: that is the wrong button's doing, not a person's.
        navigation::expect(tab, Cause::Page);
    }
    let effect = [("how", json!(how))];
    let phase = PerturbationPhase::Dismissed;
    session::log(session, event(Operator::SessionPopup, phase, id.to_owned(), key, effect));
}

impl session::Session {
    /// The last boundary that a tab has come to.
    pub fn reached(&self, tab: Tab) -> Option<u32> {
        Some(match self.journal.as_ref()?.settings().popup_unit {
            PopupUnit::PerStep => u32::try_from(self.recorder.steps().len()).unwrap_or(u32::MAX),
            PopupUnit::PerNavigation => self.navigations.get(&tab).copied().unwrap_or(0),
            PopupUnit::PerTask => 1,
        })
    }

    /// The address that the tab showed at a boundary, where that is known; else what it shows now.
    fn page_at(&self, tab: Tab, boundary: u32, top: DocKey) -> String {
        let now = || self.recorder.mirror().url(top).to_owned();
        let at = boundary as usize;
        match self.journal.as_ref().map(|journal| journal.settings().popup_unit) {
            // The step that came next began on the page that the step before had left.
            Some(PopupUnit::PerStep) => {
                let next = self.recorder.steps().get(at).filter(|step| step.frame.is_empty());
                next.map_or_else(now, |step| step.url.clone())
            }
            Some(PopupUnit::PerNavigation) if self.navigations.get(&tab).is_some_and(|last| boundary < *last) => {
                self.visited.get(&tab).and_then(|pages| pages.get(at - 1)).cloned().unwrap_or_else(now)
            }
            _ => now(),
        }
    }

    /// The key that drew a pop-up.
    fn popup_key(&self, id: &str) -> String {
        self.popup_keys.get(id).cloned().unwrap_or_default()
    }
}
