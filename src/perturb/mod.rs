//! Perturbation plans: every decision is a pure function of its key.
//!
//! A key is the text `seed|task|run|page|step|element|operator`; its SHA-256 gives the number drawn. Nothing
//! depends on the order or the time of drawing, so the same seed gives the same plan in every browser.
//! What became of a plan on the page is not known here: the hub writes that into the trace.

mod draw;
mod looks;
mod popup;
mod preset;

pub use draw::{Key, element_key, page_key};
pub use looks::{MAX_JITTER_PX, Scheme, Shift, color_scheme, jitter, plan_jitter};
pub use popup::{Journal, PopupDraw, popup, popup_texts};
pub use preset::{PRESETS, SettingsError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// Elements shifted by a few pixels.
    Jitter,
    /// Other colours.
    ColorScheme,
    /// "Your session is about to expire."
    SessionPopup,
}

/// When a pop-up may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PopupUnit {
    /// Drawn at every step boundary.
    #[default]
    PerStep,
    /// Drawn at every new document in the top frame.
    PerNavigation,
    /// Drawn once.
    PerTask,
}

/// What is in force for a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// The campaign's seed.
    pub seed: u64,
    /// The task's name; part of every key.
    #[serde(default)]
    pub task: String,
    /// The run's number; part of every key.
    #[serde(default)]
    pub run: u32,
    /// Largest shift in CSS px, 0 to 8; 0 switches the operator off.
    #[serde(default)]
    pub jitter_px: f64,
    /// Whether colours are changed.
    #[serde(default)]
    pub color_scheme: bool,
    /// Probability of a pop-up per unit, 0 to 1; 0 switches the operator off.
    #[serde(default)]
    pub popup_probability: f64,
    /// The unit.
    #[serde(default)]
    pub popup_unit: PopupUnit,
    /// The most pop-ups in one run.
    #[serde(default = "Settings::default_popup_cap")]
    pub popup_cap: u32,
}

impl Settings {
    fn default_popup_cap() -> u32 {
        3
    }
}

#[cfg(test)]
mod tests;
