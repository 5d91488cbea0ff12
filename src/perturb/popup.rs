//! The session pop-up: when it comes and what it says.

use super::draw::Key;
use super::{Operator, PopupUnit, Settings};
use crate::trace::{PerturbationEvent, PerturbationPhase};
use crate::wire::sensor::PopupTexts;

/// A pop-up that is to come.
#[derive(Clone, Debug, PartialEq)]
pub struct PopupDraw {
    /// Unique in the session.
    pub id: String,
    /// What decided it.
    pub key: String,
    /// The number drawn, below the probability.
    pub drawn: f64,
}

/// Whether a pop-up comes at this boundary. `boundary` counts the unit's occasions in the session from 0 (steps
/// done, documents loaded in the top frame; of no account per task); `shown` the pop-ups shown so far. Callers
/// do not ask while one is open: [`Journal`] sees to that.
pub fn popup(settings: &Settings, page_key: &str, boundary: u32, shown: u32) -> Option<PopupDraw> {
    let cap = match settings.popup_unit {
        PopupUnit::PerTask => settings.popup_cap.min(1),
        PopupUnit::PerStep | PopupUnit::PerNavigation => settings.popup_cap,
    };
    if shown >= cap {
        return None;
    }
    let key = match settings.popup_unit {
        PopupUnit::PerStep => Key::new(settings, Some(page_key), Some(boundary), Some("step"), Operator::SessionPopup),
        PopupUnit::PerNavigation => {
            Key::new(settings, Some(page_key), Some(boundary), Some("navigation"), Operator::SessionPopup)
        }
        PopupUnit::PerTask => Key::new(settings, None, None, Some("task"), Operator::SessionPopup),
    };
    let drawn = key.unit("show");
    (drawn < settings.popup_probability).then(|| PopupDraw {
        id: format!("popup-{}", shown + 1),
        key: key.text().to_owned(),
        drawn,
    })
}

/// Keeps count of a session's pop-ups: never two at once, never more than the cap.
#[derive(Clone, Debug)]
pub struct Journal {
    settings: Settings,
    shown: u32,
    live: Option<String>,
}

impl Journal {
    /// An empty journal.
    pub fn new(settings: Settings) -> Self {
        Self { settings, shown: 0, live: None }
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Pop-ups shown so far.
    pub fn shown(&self) -> u32 {
        self.shown
    }

    /// The open pop-up.
    pub fn live(&self) -> Option<&str> {
        self.live.as_deref()
    }

    /// The pop-up to show at this boundary; tell [`Journal::note`] once it is there.
    pub fn boundary(&self, page_key: &str, boundary: u32) -> Option<PopupDraw> {
        if self.live.is_some() { None } else { popup(&self.settings, page_key, boundary, self.shown) }
    }

    /// Takes note of an event of the trace, so that a journal can be restored from a stored log too.
    pub fn note(&mut self, event: &PerturbationEvent) {
        if event.operator != Operator::SessionPopup {
            return;
        }
        match event.phase {
            PerturbationPhase::Shown => {
                self.shown += 1;
                self.live = Some(event.id.clone());
            }
            PerturbationPhase::Dismissed if self.live.as_deref() == Some(&event.id) => self.live = None,
            PerturbationPhase::Dismissed | PerturbationPhase::Applied | PerturbationPhase::Withheld => {}
        }
    }

    /// The page that showed the pop-up is gone, and the pop-up with it.
    pub fn page_gone(&mut self) {
        self.live = None;
    }
}

/// What the pop-up says in a language (a BCP 47 tag: Chinese, else English). It gives no instructions beyond its
/// two buttons: telling agents what to do would be another kind of test.
pub fn popup_texts(lang: &str) -> PopupTexts {
    let primary = lang.split(['-', '_']).next().unwrap_or_default();
    let [title, body, stay, leave] = if primary.eq_ignore_ascii_case("zh") {
        ["会话即将过期", "您的会话即将过期。", "保持登录", "退出登录"]
    } else {
        ["Session expiring", "Your session is about to expire.", "Stay signed in", "Log out"]
    };
    PopupTexts { title: title.into(), body: body.into(), stay: stay.into(), leave: leave.into() }
}
