//! Each rule on steps that break it and on their like that do not.

use super::*;
use crate::edit::{Edit, Recording};
use crate::score::words::Lang;
use crate::trace::sample::{self, T0};
use crate::trace::{LocatorKind, Point, Settle, State};

fn step(seq: u32, action: Action, name: &str) -> Step {
    sample::step(seq, action, "textbox", name)
}

fn fill(seq: u32, name: &str, value: &str) -> Step {
    Step { value: Some(value.to_owned()), ..step(seq, Action::Fill, name) }
}

fn of(steps: &[Step]) -> Vec<(u32, Rule)> {
    let steps: Vec<&Step> = steps.iter().collect();
    over(&steps, &[]).into_iter().map(|found| (found.step.unwrap(), found.rule)).collect()
}

fn locator(value: &str, matches: u32, volatile: &[Volatility]) -> Locator {
    Locator { kind: LocatorKind::Css, value: value.to_owned(), matches, volatile: volatile.to_vec() }
}

fn located(locators: Vec<Locator>) -> Step {
    let mut step = step(0, Action::Click, "Save");
    step.target.as_mut().unwrap().locators = locators;
    step
}

#[test]
fn a_good_recording_has_no_findings() {
    assert_eq!(of(&[step(0, Action::Click, "Name"), fill(1, "Name", "Ada"), step(2, Action::Goto, "")]), []);
}

#[test]
fn targets() {
    let twice = located(vec![locator("role=button", 2, &[]), locator("css=#save", 1, &[])]);
    let found = over(&[&twice], &[]);
    assert_eq!((found[0].rule, found[0].severity), (Rule::AmbiguousTarget, Severity::Warning));
    assert_eq!(found[0].fixes[0], Fix::UseLocator { locator: "css=#save".to_owned() });
    assert_eq!(words::sentence(Lang::En, &found[0]), "The target is ambiguous: role=button matches 2 elements.");
    let lost = located(vec![locator("role=button", 2, &[]), locator("css=button", 3, &[])]);
    let found = over(&[&lost], &[]);
    assert_eq!((found[0].rule, found[0].severity), (Rule::AmbiguousTarget, Severity::Error));
    assert_eq!(found[0].fixes, [Fix::Rerecord, Fix::Accept]);

    let path = located(vec![locator("path=/html[1]/body[1]/b[2]", 1, &[])]);
    assert_eq!(of(&[path]), [(0, Rule::FragileLocator)]);
    let generated = located(vec![locator("css=.x9f3", 1, &[Volatility::Generated]), locator("label=\"Save\"", 1, &[])]);
    let found = over(&[&generated], &[]);
    assert_eq!(found[0].fixes[0], Fix::UseLocator { locator: "label=\"Save\"".to_owned() });
    // A number in a name is worth knowing and no reason to mend.
    assert_eq!(of(&[located(vec![locator("text=\"Order 7\"", 1, &[Volatility::Number])])]), []);
    assert_eq!(of(&[located(vec![])]), [(0, Rule::NoLocator)]);
}

#[test]
fn the_fix_mends() {
    let mut recording = Recording::new();
    let broken = located(vec![locator("role=button", 2, &[]), locator("css=#save", 1, &[])]);
    recording.extend([(broken, None), (Step { outcome: Outcome::NoEffect, ..fill(1, "Name", "a") }, None)]);
    for _ in 0..2 {
        let placed = recording.outcome().steps;
        let steps: Vec<&Step> = placed.iter().map(|placed| &placed.step).collect();
        let found = over(&steps, &[]);
        let first = &found[0];
        let placed = &placed[first.step.unwrap() as usize];
        let op = first.fixes[0].op(first, &placed.id, &placed.step).unwrap();
        recording.check(&op).unwrap();
        recording.edit([Edit { t_ms: T0, op }]);
    }
    let placed = recording.outcome().steps;
    assert_eq!(of(&placed.into_iter().map(|placed| placed.step).collect::<Vec<_>>()), []);
}

#[test]
fn secrets_in_clear() {
    for name in ["Password", "Your PIN", "API key", "登录密码", "Card number"] {
        assert_eq!(of(&[fill(0, name, "12x4")]), [(0, Rule::SecretTyped)], "{name}");
    }
    for value in ["4111 1111 1111 1111", "ghp_0123456789abcdefghijklmnopqrstuvwxyz"] {
        assert_eq!(of(&[fill(0, "Note", value)]), [(0, Rule::SecretTyped)], "{value}");
    }
    for (name, value) in [("Shipping", "12"), ("Spinner", "3"), ("Phone", "4111 1111 1111 1112"), ("Password", MASK)] {
        assert_eq!(of(&[fill(0, name, value)]), [], "{name} {value}");
    }
    assert_eq!(of(&[Step { secret: true, ..fill(0, "Password", "•") }]), []);
}

#[test]
fn doubled_and_idle() {
    let at = |seq: u32, t: f64, x: f64| {
        let mut click = step(seq, Action::Click, "Add");
        click.t_ms = T0 + t;
        click.target.as_mut().unwrap().pointer = Some(Point { x, y: 1.0 });
        click
    };
    assert_eq!(of(&[at(0, 0.0, 1.0), at(1, 300.0, 2.0)]), [(1, Rule::DoubledStep)]);
    assert_eq!(of(&[at(0, 0.0, 1.0), at(1, 900.0, 1.0)]), [], "a person clicks Add twice");
    assert_eq!(of(&[at(0, 0.0, 1.0), at(1, 300.0, 40.0)]), []);
    assert_eq!(of(&[fill(0, "Name", "a"), fill(1, "Name", "a")]), [(1, Rule::DoubledStep)]);
    assert_eq!(of(&[fill(0, "Name", "a"), fill(1, "Name", "b")]), []);
    let idle = Step { outcome: Outcome::NoEffect, ..step(0, Action::Click, "Save") };
    let found = over(&[&idle], &[]);
    assert_eq!((found[0].rule, &found[0].fixes[0]), (Rule::NoEffect, &Fix::Delete));
    let into = |seq| Step { outcome: Outcome::NoEffect, ..step(seq, Action::Click, "Name") };
    assert_eq!(of(&[into(0), fill(1, "Name", "a")]), [], "a click into the field that is filled");
    assert_eq!(of(&[into(0), fill(1, "City", "a")]), [(0, Rule::NoEffect)]);
}

#[test]
fn frames_pictures_and_gaps() {
    let framed = Step { frame: vec!["path=/html[1]/iframe[2]".to_owned()], ..step(0, Action::Click, "A") };
    assert_eq!(of(&[framed]), [(0, Rule::UnreachableFrame)]);
    let shot = Screenshot::of_file("b".to_owned(), T0, 1, 1);
    let settled = Some(Settle { ms: 1.0, ended_by: SettleEnd::Quiet, waited_ms: None, parts: None });
    let pictured = |seq| Step {
        post: State { screenshot: Some(shot.clone()), state_hash: None },
        settle: settled,
        ..step(seq, Action::Click, &seq.to_string())
    };
    let bare = Step { settle: settled, ..step(2, Action::Click, "C") };
    assert_eq!(of(&[pictured(0), pictured(1), bare.clone()]), [(2, Rule::MissingScreenshot)]);
    assert_eq!(of(&[bare]), [], "a recording without pictures is one");

    let event = |t: f64, what: &str| CoverageEvent { t_ms: T0 + t, what: what.to_owned(), detail: "Why.".to_owned() };
    let (early, gap, frame) = (event(-5.0, "frame"), event(1500.0, "gap"), event(1600.0, "frame"));
    let steps = [step(0, Action::Click, "A"), step(1, Action::Click, "B"), step(2, Action::Click, "C")];
    let found = over(&steps.iter().collect::<Vec<_>>(), &[&early, &gap, &frame]);
    let told: Vec<_> = found.iter().map(|found| (found.step, found.rule)).collect();
    assert_eq!(told, [(Some(1), Rule::Gap), (Some(1), Rule::UnreachableFrame), (None, Rule::UnreachableFrame)]);
    assert_eq!(errors(&found), 1);
}

#[test]
fn what_was_accepted_is_not_said_again() {
    let mut idle = Step { outcome: Outcome::NoEffect, ..step(0, Action::Click, "Save") };
    let found = over(&[&idle], &[]);
    let Some(Op::Annotate { annotation, .. }) = Fix::Accept.op(&found[0], &"f0".to_owned(), &idle) else { panic!() };
    idle.annotation = Some(Box::new(annotation));
    assert_eq!(of(&[idle]), []);
}

#[test]
fn every_rule_has_words_in_both_languages() {
    for rule in Rule::ALL {
        let id = serde_json::to_value(rule).unwrap();
        assert_eq!(id, rule.id());
        let found = finding(rule, Severity::Info, &step(0, Action::Click, "A"), []);
        let (en, zh) = (words::sentence(Lang::En, &found), words::sentence(Lang::ZhCn, &found));
        assert!(!en.is_empty() && !zh.is_empty() && en != zh, "{rule:?}");
    }
}
