//! The perturbations a person is putting together for the next recording.

use serde::{Deserialize, Serialize};
use tracerule::perturb::{PopupUnit, Settings};

use crate::text::{Key, t};

/// The largest seed that JavaScript's numbers carry exactly.
pub(crate) const SEED_MAX: u64 = (1 << 53) - 1;

/// What the form holds. Numbers stay text while they are typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Draft {
    /// Whether anything is done at all.
    pub(crate) on: bool,
    pub(crate) seed: String,
    pub(crate) task: String,
    pub(crate) run: String,
    /// 0 to 8 CSS px.
    pub(crate) jitter_px: f64,
    pub(crate) colors: bool,
    /// 0 to 100.
    pub(crate) popup_percent: u32,
    pub(crate) unit: PopupUnit,
    pub(crate) cap: String,
}

impl Default for Draft {
    fn default() -> Draft {
        Draft {
            on: false,
            seed: "1".to_owned(),
            task: String::new(),
            run: "0".to_owned(),
            jitter_px: 2.0,
            colors: false,
            popup_percent: 10,
            unit: PopupUnit::PerStep,
            cap: "3".to_owned(),
        }
    }
}

/// The presets in the core's order, each with its label; the same names as the companion's `--perturb`.
pub(crate) const PRESETS: [(&str, Key); 6] = [
    ("none", Key::preset_none),
    ("light", Key::preset_light),
    ("full", Key::preset_full),
    ("popup-only", Key::preset_popup),
    ("jitter-only", Key::preset_jitter),
    ("colors-only", Key::preset_colors),
];

impl Draft {
    /// With a preset laid over it; seed, task and run stay.
    pub(crate) fn with_preset(&self, name: &str) -> Draft {
        match Settings::preset(name, 0) {
            Ok(settings) if !settings.is_none() => Draft {
                on: true,
                jitter_px: settings.jitter_px,
                colors: settings.color_scheme,
                popup_percent: (settings.popup_probability * 100.0).round() as u32,
                unit: settings.popup_unit,
                cap: settings.popup_cap.to_string(),
                ..self.clone()
            },
            // The sliders stay where they are for the next time.
            _ => Draft { on: false, ..self.clone() },
        }
    }

    /// The preset it equals, if any.
    pub(crate) fn preset(&self) -> Option<&'static str> {
        PRESETS.into_iter().map(|(name, _)| name).find(|name| self.with_preset(name) == *self)
    }

    /// What the next recording starts with; `None` when nothing is to be done to the page.
    ///
    /// # Errors
    /// Names the field that cannot be read.
    pub(crate) fn settings(&self) -> Result<Option<Settings>, String> {
        if !self.on {
            return Ok(None);
        }
        let seed = self.seed.trim().parse::<u64>().ok().filter(|seed| *seed <= SEED_MAX);
        let seed = seed.ok_or_else(|| t!(bad_seed, SEED_MAX))?;
        let run = self.run.trim().parse::<u32>().map_err(|_| t!(bad_run))?;
        let popup_cap = self.cap.trim().parse::<u32>().map_err(|_| t!(bad_cap))?;
        Ok(Some(Settings {
            seed,
            task: self.task.trim().to_owned(),
            run,
            jitter_px: self.jitter_px.clamp(0.0, 8.0),
            color_scheme: self.colors,
            popup_probability: f64::from(self.popup_percent.min(100)) / 100.0,
            popup_unit: self.unit,
            popup_cap,
        }))
    }
}

/// Settings in one line.
pub(crate) fn summary(settings: &Settings) -> String {
    let mut parts = vec![t!(in_force_seed, settings.seed)];
    if settings.jitter_px > 0.0 {
        parts.push(t!(in_force_jitter, settings.jitter_px));
    }
    if settings.color_scheme {
        parts.push(t!(in_force_colors));
    }
    if settings.popup_probability > 0.0 {
        parts.push(t!(in_force_popup, (settings.popup_probability * 100.0).round()));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_left_alone_unless_asked() {
        assert_eq!(Draft::default().settings(), Ok(None));
        assert_eq!(Draft::default().preset(), Some("none"));
    }

    #[test]
    fn popups_come_at_one_boundary_in_ten_by_default() {
        let draft = Draft { on: true, ..Draft::default() };
        let settings = draft.settings().unwrap().unwrap();
        assert_eq!((settings.popup_probability, settings.popup_unit, settings.popup_cap), (0.1, PopupUnit::PerStep, 3));
        assert_eq!(draft.preset(), None);
    }

    #[test]
    fn a_preset_keeps_the_seed_and_is_recognised() {
        let draft = Draft { seed: "77".to_owned(), ..Draft::default() };
        for (name, _) in PRESETS {
            let laid = draft.with_preset(name);
            assert_eq!((laid.seed.as_str(), laid.preset()), ("77", Some(name)));
            let settings = laid.settings().unwrap();
            assert_eq!(settings, (name != "none").then(|| Settings::preset(name, 77).unwrap()));
        }
        assert!(PRESETS.iter().map(|(name, _)| *name).eq(tracerule::perturb::PRESETS));
    }

    #[test]
    fn a_seed_that_javascript_would_round_is_refused() {
        let draft = |seed: &str| Draft { on: true, seed: seed.to_owned(), ..Draft::default() };
        assert_eq!(draft("9007199254740991").settings().unwrap().unwrap().seed, SEED_MAX);
        for seed in ["9007199254740992", "-1", "", "1e3", "seven"] {
            assert!(draft(seed).settings().is_err(), "{seed}");
        }
        assert!(Draft { run: "-1".to_owned(), ..draft("1") }.settings().is_err());
        assert!(Draft { cap: "x".to_owned(), ..draft("1") }.settings().is_err());
    }
}
