use std::collections::BTreeSet;

use super::*;
use crate::trace::{PerturbationEvent, PerturbationPhase, Rect};

fn full(seed: u64) -> Settings {
    Settings::preset("full", seed).unwrap()
}

/// Exact: the smallest interval that a binomial count leaves with probability below `alpha` on each side.
fn binomial_bounds(n: u32, p: f64, alpha: f64) -> (u32, u32) {
    let mut ln_pmf = f64::from(n) * (1.0 - p).ln();
    let mut pmf = vec![ln_pmf.exp()];
    for k in 1..=n {
        ln_pmf += f64::from(n - k + 1).ln() - f64::from(k).ln() + p.ln() - (1.0 - p).ln();
        pmf.push(ln_pmf.exp());
    }
    let cut = |tail: &mut dyn Iterator<Item = &f64>| {
        let mut sum = 0.0;
        tail.take_while(|p| {
            sum += **p;
            sum < alpha
        })
        .count() as u32
    };
    let (low, high) = (cut(&mut pmf.iter()), n - cut(&mut pmf.iter().rev()));
    (low, high)
}

#[test]
fn ten_percent_is_ten_percent() {
    let (low, high) = binomial_bounds(10_000, 0.1, 5e-4);
    assert!(low > 890 && high < 1110, "{low}..{high}");
    for seed in [0, 1, 42, 20_261_130, u64::MAX] {
        let settings = Settings { popup_cap: u32::MAX, ..full(seed) };
        let shown = (0..10_000).filter(|step| popup(&settings, "https://a.test/", *step, 0).is_some()).count() as u32;
        assert!((low..=high).contains(&shown), "seed {seed}: {shown} of 10,000, wanted {low} to {high}");
    }
}

#[test]
fn draws_depend_on_their_key_alone() {
    let settings = full(7);
    let ask = |step: u32| popup(&settings, "https://a.test/x", step, 0);
    let forward: Vec<_> = (0..200).map(ask).collect();
    let mut backward: Vec<_> = (0..200).rev().map(ask).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let drawn = |settings: &Settings, page: &str, element: &str| jitter(settings, page, element);
    let one = drawn(&settings, "p", "e");
    assert_eq!(one, drawn(&settings, "p", "e"));
    let others = [
        drawn(&full(8), "p", "e"),
        drawn(&Settings { task: "t".into(), ..full(7) }, "p", "e"),
        drawn(&Settings { run: 1, ..full(7) }, "p", "e"),
        drawn(&settings, "q", "e"),
        drawn(&settings, "p", "f"),
    ];
    for other in others {
        assert_ne!(one, other);
    }
    let unit = |operator| Key::new(&settings, Some("p"), Some(1), Some("e"), operator).unit("x");
    assert_ne!(unit(Operator::Jitter), unit(Operator::SessionPopup));
    assert_ne!(unit(Operator::Jitter), unit(Operator::ColorScheme));
}

#[test]
fn parts_cannot_run_into_each_other() {
    let settings = Settings { task: "a|b".into(), ..full(1) };
    let other = Settings { task: "a".into(), ..full(1) };
    let a = Key::new(&settings, Some("c"), None, None, Operator::Jitter);
    let b = Key::new(&other, Some("b|c"), None, None, Operator::Jitter);
    assert_ne!(a.text(), b.text());
    assert_eq!(a.text(), "1|a%7Cb|0|c|||jitter");
}

/// Pinned, so that stored keys can always be drawn again.
#[test]
fn the_generator_never_changes() {
    let key = Key::new(&full(42), Some("https://a.test/"), Some(3), None, Operator::SessionPopup);
    assert_eq!(key.text(), "42||0|https://a.test/|3||session_popup");
    // printf '%s' '42||0|https://a.test/|3||session_popup#show' | sha256sum
    assert_eq!(key.bits("show"), 0x499e_3fba_9a00_a255);
}

#[test]
fn jitter_stays_within_bounds() {
    let mut distinct = BTreeSet::new();
    for px in [0.0, 0.5, 3.0, 8.0, 50.0, f64::NAN, -4.0] {
        let settings = Settings { jitter_px: px, ..full(3) };
        let most = if px.is_nan() { 0.0 } else { px.clamp(0.0, 8.0) };
        for element in 0..500 {
            let (x, y) = jitter(&settings, "p", &element.to_string());
            assert!(x.abs() <= most && y.abs() <= most, "{px}: {x} {y}");
            distinct.insert(x.to_bits());
        }
    }
    assert!(distinct.len() > 1490);
}

#[test]
fn planned_shifts_keep_half_of_every_gap() {
    let settings = Settings { jitter_px: 8.0, ..full(11) };
    let rect = |x: f64, y: f64| Rect { x, y, width: 40.0, height: 20.0 };
    // A row with gaps of 6 px, one far away, two that overlap, and a text that nothing is near.
    let boxes =
        [rect(0.0, 0.0), rect(46.0, 0.0), rect(92.0, 0.0), rect(600.0, 400.0), rect(0.0, 200.0), rect(20.0, 210.0)];
    let mut candidates: Vec<_> =
        boxes.iter().enumerate().map(|(i, rect)| (element_key("button", &i.to_string(), "/"), *rect, true)).collect();
    candidates.push((element_key("paragraph", "text", "/p"), rect(900.0, 0.0), false));
    let plan = plan_jitter(&settings, "p", &candidates);
    assert!(!plan.is_empty());
    for shift in &plan {
        let (dx, dy) = shift.planned;
        let cap = shift.gap.unwrap() / 4.0;
        assert!(dx.abs() <= cap.min(8.0) && dy.abs() <= cap.min(8.0), "{shift:?}");
        assert_eq!((dx * 2.0).fract(), 0.0);
        assert_eq!((dy * 2.0).fract(), 0.0);
        assert_eq!(shift.drawn, jitter(&settings, "p", &candidates[shift.index].0));
    }
    let moved: BTreeSet<_> = plan.iter().map(|shift| shift.index).collect();
    assert!(moved.contains(&3) && moved.contains(&6));
    assert!(!moved.contains(&4) && !moved.contains(&5), "overlapping elements stay");
    assert_eq!(plan_jitter(&Settings { jitter_px: 0.0, ..settings }, "p", &candidates), []);
}

#[test]
fn schemes_are_few_and_all_used() {
    let settings = full(5);
    let names: BTreeSet<_> =
        (0..200).filter_map(|i| color_scheme(&settings, &format!("p{i}"))).map(|s| s.name).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    assert_eq!(color_scheme(&Settings { color_scheme: false, ..settings }, "p"), None);
}

#[test]
fn units_and_cap() {
    let always = |unit, cap| Settings { popup_probability: 1.0, popup_unit: unit, popup_cap: cap, ..Settings::none(1) };
    let shown = |settings: &Settings| {
        let mut shown = 0;
        for step in 0..20 {
            shown += u32::from(popup(settings, "p", step, shown).is_some());
        }
        shown
    };
    assert_eq!(shown(&always(PopupUnit::PerStep, 3)), 3);
    assert_eq!(shown(&always(PopupUnit::PerNavigation, 2)), 2);
    assert_eq!(shown(&always(PopupUnit::PerTask, 3)), 1);
    assert_eq!(shown(&always(PopupUnit::PerTask, 0)), 0);
    assert_eq!(shown(&Settings::none(1)), 0);
    // Per task the page and the step have no say.
    let once = |seed| Settings { popup_probability: 0.5, ..Settings { seed, ..always(PopupUnit::PerTask, 3) } };
    for seed in 0..50 {
        let first = popup(&once(seed), "p", 0, 0);
        assert!((1..10).all(|step| popup(&once(seed), "q", step, 0) == first));
    }
    let comes = (0..1000).filter(|seed| popup(&once(*seed), "p", 0, 0).is_some()).count();
    assert!((430..570).contains(&comes), "{comes}");
    // The two other units draw apart.
    let draw = |unit| {
        let settings = Settings { popup_probability: 1.0, ..always(unit, 3) };
        popup(&settings, "p", 4, 0).unwrap().drawn
    };
    assert_ne!(draw(PopupUnit::PerStep), draw(PopupUnit::PerNavigation));
}

#[test]
fn a_journal_holds_at_most_one_open() {
    let settings = Settings { popup_probability: 1.0, ..Settings::none(1) };
    let mut journal = Journal::new(settings);
    let event = |draw: &PopupDraw, phase| PerturbationEvent {
        t_ms: 0.0,
        id: draw.id.clone(),
        operator: Operator::SessionPopup,
        phase,
        key: draw.key.clone(),
        effect: Default::default(),
    };
    let draw = journal.boundary("p", 0).unwrap();
    journal.note(&event(&draw, PerturbationPhase::Shown));
    assert_eq!((journal.live(), journal.boundary("p", 1)), (Some("popup-1"), None));
    journal.note(&event(&draw, PerturbationPhase::Dismissed));
    let next = journal.boundary("p", 2).unwrap();
    assert_eq!(next.id, "popup-2");
    journal.note(&event(&next, PerturbationPhase::Shown));
    journal.page_gone();
    assert!(journal.boundary("p", 3).is_some());
    assert_eq!(journal.shown(), 2);
}

#[test]
fn settings_are_checked() {
    for name in PRESETS {
        let settings = Settings::preset(name, 9).unwrap();
        assert_eq!(settings.validate(), Ok(()));
        assert_eq!(settings.is_none(), name == "none");
    }
    let error = Settings::preset("heavy", 9).unwrap_err().to_string();
    assert!(error.contains("heavy") && PRESETS.iter().all(|name| error.contains(name)), "{error}");
    for value in [-0.1, 1.1, f64::NAN] {
        let settings = Settings { popup_probability: value, ..Settings::none(0) };
        assert!(matches!(settings.validate(), Err(SettingsError::Probability { .. })), "{value}");
    }
    for value in [-1.0, 8.5, f64::INFINITY] {
        let settings = Settings { jitter_px: value, ..Settings::none(0) };
        assert!(matches!(settings.validate(), Err(SettingsError::Jitter { .. })), "{value}");
    }
}

#[test]
fn pages_are_named_by_origin_and_path() {
    for (url, key) in [
        ("https://a.test/x/1?y=2#z", "https://a.test/x/1"),
        ("https://user:secret@a.test:8443", "https://a.test:8443/"),
        ("http://127.0.0.1:43821/orders", "http://127.0.0.1/orders"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://localhost:3000/#/list", "http://localhost/"),
        ("about:blank", "about:blank"),
        ("", ""),
        ("file:///tmp/a.html?b", "file:///tmp/a.html"),
    ] {
        assert_eq!(page_key(url), key, "{url}");
    }
}

#[test]
fn texts_follow_the_language() {
    assert_eq!(popup_texts("zh-CN").stay, "保持登录");
    assert_eq!(popup_texts("zh").leave, "退出登录");
    for lang in ["en", "de", ""] {
        let texts = popup_texts(lang);
        assert_eq!(
            (texts.title.as_str(), texts.stay.as_str(), texts.leave.as_str()),
            ("Session expiring", "Stay signed in", "Log out")
        );
        assert!(texts.body.contains("about to expire"));
    }
}
