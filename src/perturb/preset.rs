//! Named settings, and settings that make no sense.

use super::looks::MAX_JITTER_PX;
use super::{PopupUnit, Settings};

/// The names of [`Settings::preset`].
pub const PRESETS: [&str; 6] = ["none", "light", "full", "popup-only", "jitter-only", "colors-only"];

/// Why settings were refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// No preset of that name.
    #[error("there is no perturbation preset named {name:?}; choose one of {}", PRESETS.join(", "))]
    UnknownPreset {
        /// As given.
        name: String,
    },
    /// Outside 0 to 1, or no number.
    #[error("popup_probability is {value}; it must lie between 0 and 1 (0.1 is one step in ten)")]
    Probability {
        /// As given.
        value: f64,
    },
    /// Outside 0 to 8, or no number.
    #[error("jitter_px is {value}; it must lie between 0 and {MAX_JITTER_PX} CSS pixels")]
    Jitter {
        /// As given, CSS px.
        value: f64,
    },
}

impl Settings {
    /// Everything switched off.
    pub fn none(seed: u64) -> Self {
        Self {
            seed,
            task: String::new(),
            run: 0,
            jitter_px: 0.0,
            color_scheme: false,
            popup_probability: 0.0,
            popup_unit: PopupUnit::PerStep,
            popup_cap: Self::default_popup_cap(),
        }
    }

    /// The settings of a name (see [`PRESETS`]) under a seed.
    ///
    /// # Errors
    /// [`SettingsError::UnknownPreset`] lists the names there are.
    pub fn preset(name: &str, seed: u64) -> Result<Self, SettingsError> {
        let none = Self::none(seed);
        Ok(match name {
            "none" => none,
            "light" => Self { jitter_px: 3.0, popup_probability: 0.1, popup_cap: 1, ..none },
            "full" => Self { jitter_px: 8.0, color_scheme: true, popup_probability: 0.1, ..none },
            "popup-only" => Self { popup_probability: 0.1, ..none },
            "jitter-only" => Self { jitter_px: 8.0, ..none },
            "colors-only" => Self { color_scheme: true, ..none },
            _ => return Err(SettingsError::UnknownPreset { name: name.to_owned() }),
        })
    }

    /// Whether every number lies where it makes sense.
    ///
    /// # Errors
    /// The first number that does not.
    pub fn validate(&self) -> Result<(), SettingsError> {
        if !(0.0..=1.0).contains(&self.popup_probability) {
            return Err(SettingsError::Probability { value: self.popup_probability });
        }
        if !(0.0..=MAX_JITTER_PX).contains(&self.jitter_px) {
            return Err(SettingsError::Jitter { value: self.jitter_px });
        }
        Ok(())
    }

    /// Whether nothing is done to the page.
    pub fn is_none(&self) -> bool {
        self.jitter_px <= 0.0 && !self.color_scheme && (self.popup_probability <= 0.0 || self.popup_cap == 0)
    }
}
