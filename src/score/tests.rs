//! Whole traces: what the goal, the path, efficiency and recovery make of what happened.

use std::collections::BTreeMap;

use super::model::{AnomalyKind, EncounterResult, Row, VerdictSource};
use super::view::{Relation, View};
use super::*;
use crate::action::Action;
use crate::perturb::Operator;
use crate::trace::{
    AssertionKind, CheckEvent, Ending, Event, FailureCode, Outcome, PerturbationEvent, PerturbationPhase, SecretClass,
    SecretValue, Step, sample,
};

fn click(seq: u32, name: &str) -> Step {
    sample::step(seq, Action::Click, "button", name)
}

fn fill(seq: u32, name: &str, value: &str) -> Step {
    Step { value: Some(value.to_owned()), ..sample::step(seq, Action::Fill, "textbox", name) }
}

fn wait(seq: u32) -> Step {
    sample::step(seq, Action::Wait, "", "")
}

fn goal() -> Assertion {
    Assertion {
        kind: AssertionKind::Text,
        target: click(0, "Status").target,
        frame: vec![],
        expected: "Saved".to_owned(),
    }
}

fn reference() -> Trace {
    let mut trace = sample::of(vec![click(0, "Orders"), fill(1, "Name", "Ada"), click(2, "Save")]);
    trace.header.assertions = vec![goal()];
    trace
}

/// A run whose goal held, or did not.
fn run(steps: Vec<Step>, holds: bool) -> Trace {
    let mut trace = sample::of(steps);
    let t_ms = sample::T0 + 1e6;
    trace.events.push(Event::Check(CheckEvent { t_ms, assertion: goal(), holds, seen: "Saved".to_owned() }));
    trace
}

fn scored(run: Trace) -> Run {
    let subject = |trace| Subject::Trace(Box::new(trace));
    score(&subject(reference()), &[("run".to_owned(), subject(run))]).runs.remove(0)
}

fn kinds(run: &Run) -> Vec<(AnomalyKind, Option<u32>)> {
    run.anomalies.iter().map(|anomaly| (anomaly.kind, anomaly.step)).collect()
}

fn popup(trace: &mut Trace, id: &str, phase: PerturbationPhase, after_step: f64) {
    trace.events.push(Event::Perturbation(PerturbationEvent {
        t_ms: sample::T0 + 1000.0 * after_step,
        id: id.to_owned(),
        operator: Operator::SessionPopup,
        phase,
        key: "k".to_owned(),
        effect: BTreeMap::new(),
    }));
}

fn handled(step: Step, id: &str) -> Step {
    Step { perturbation: Some(id.to_owned()), ..step }
}

#[test]
fn a_trace_against_itself_is_perfect() {
    let mut itself = reference();
    itself.events.extend(run(vec![], true).events);
    let run = scored(itself);
    assert_eq!((run.profiles.classic.distance, run.profiles.classic.score), (0, 1.0));
    assert_eq!((run.profiles.strict.distance, run.profiles.strict.score), (0, 1.0));
    assert_eq!(
        (run.hard, run.soft, run.step_efficiency, run.recovery_score),
        (Some(true), Some(true), Some(1.0), None)
    );
    assert_eq!(run.assertions[0].source, Some(VerdictSource::Check));
    assert!(run.anomalies.is_empty());
}

#[test]
fn a_wrong_click_undone_is_an_anomaly_and_a_wait_is_not() {
    let steps = vec![click(0, "Orders"), wait(1), fill(2, "Name", "Ada"), click(3, "Save")];
    let waited = scored(run(steps, true));
    assert_eq!((waited.hard, waited.soft, waited.step_efficiency), (Some(true), Some(true), Some(0.75)));
    assert_eq!((waited.profiles.classic.distance, waited.redundant_wait_ms), (1, 100.0));

    let back = sample::step(2, Action::Back, "", "");
    let steps = vec![click(0, "Orders"), click(1, "Reports"), back, fill(3, "Name", "Ada"), click(4, "Save")];
    let strayed = scored(run(steps, true));
    assert_eq!((strayed.hard, strayed.soft, strayed.step_efficiency), (Some(false), Some(true), Some(0.6)));
    assert_eq!(kinds(&strayed), [(AnomalyKind::Extra, Some(1)), (AnomalyKind::Extra, Some(2))]);
    assert!(strayed.anomalies[0].sentence.contains("click button “Reports”"), "{}", strayed.anomalies[0].sentence);
}

#[test]
fn other_targets_values_and_omissions() {
    let run_of = |steps| scored(run(steps, true));
    let other = run_of(vec![click(0, "Orders"), fill(1, "Name", "Ada"), click(2, "Delete")]);
    assert_eq!(kinds(&other), [(AnomalyKind::OtherTarget, Some(2))]);
    assert_eq!((other.profiles.classic.distance, other.profiles.strict.distance), (0, 2));
    let other = run_of(vec![click(0, "Orders"), fill(1, "Name", "Eve"), click(2, "Save")]);
    assert_eq!(kinds(&other), [(AnomalyKind::OtherValue, Some(1))]);
    let missing = run_of(vec![click(0, "Orders"), click(1, "Save")]);
    assert_eq!(kinds(&missing), [(AnomalyKind::Missing, None)]);
    assert_eq!((missing.anomalies[0].reference, missing.efficiency.raw), (Some(1), Fraction::new(3, 2)));
    assert_eq!(missing.step_efficiency, Some(1.0));
    // A masked secret is no other value.
    let masked = Step { secret: true, ..fill(1, "Name", crate::trace::MASK) };
    assert_eq!(run_of(vec![click(0, "Orders"), masked.clone(), click(2, "Save")]).hard, Some(true));
    // Sealed ones are compared as far as their seals go.
    let sealed = |length, hash: &str, salt: &str| {
        let (hash, salt) = (hash.to_owned(), salt.to_owned());
        SecretValue { class: SecretClass::Password, length, hash, salt }
    };
    for (other, same) in [
        (sealed(7, "ab12", "5a17"), true),
        (sealed(7, "ab13", "5a17"), false),
        (sealed(8, "ab12", "5a17"), false),
        (sealed(8, "cd34", "77"), false),
        (sealed(7, "cd34", "77"), true),
    ] {
        let step = |value| Step { secret_value: Some(value), ..masked.clone() };
        let relation = View::step(&step(sealed(7, "ab12", "5a17"))).relation(&View::step(&step(other)));
        assert_eq!(relation == Relation::Same, same, "{relation:?}");
    }
}

#[test]
fn failed_and_idle_steps() {
    let error = Outcome::Error { code: FailureCode::Covered, message: "covered by div#veil".to_owned() };
    let failed = Step { outcome: error, ..click(2, "Save") };
    let got = scored(run(vec![click(0, "Orders"), fill(1, "Name", "Ada"), failed, click(3, "Save")], true));
    assert_eq!(kinds(&got), [(AnomalyKind::Failed, Some(2))]);
    assert!(got.anomalies[0].sentence.contains("covered by div#veil"));

    let idle = |seq| Step {
        outcome: Outcome::NoEffect,
        pre: crate::trace::State { state_hash: Some("h".to_owned()), ..Default::default() },
        ..click(seq, "Orders")
    };
    let got = scored(run(vec![idle(0), idle(1), idle(2), fill(3, "Name", "Ada"), click(4, "Save")], true));
    assert_eq!(got.no_effect, 3);
    assert_eq!(got.loops.len(), 1);
    assert_eq!(got.loops[0].steps, [0, 1, 2]);
    assert!(kinds(&got).contains(&(AnomalyKind::NoEffectRepeat, Some(2))));
}

#[test]
fn a_missed_goal_has_no_efficiency() {
    let got = scored(run(vec![click(0, "Orders"), fill(1, "Name", "Ada"), click(2, "Save")], false));
    assert_eq!((got.hard, got.soft, got.step_efficiency), (Some(false), Some(false), None));
    let unknown = scored(sample::of(vec![click(0, "Orders")]));
    assert_eq!((unknown.hard, unknown.soft), (None, None));
    assert!(unknown.reasons.iter().any(|reason| reason.code == ReasonCode::NotEvaluated && reason.count == 1));
}

#[test]
fn a_handled_popup_costs_nothing_but_time() {
    let stay = handled(click(1, "Stay signed in"), "p1");
    let mut trace = run(vec![click(0, "Orders"), stay, fill(2, "Name", "Ada"), click(3, "Save")], true);
    popup(&mut trace, "p1", PerturbationPhase::Shown, 0.5);
    popup(&mut trace, "p1", PerturbationPhase::Dismissed, 1.1);
    let got = scored(trace);
    assert_eq!((got.hard, got.recovery_score, got.step_efficiency), (Some(true), Some(1.0), Some(1.0)));
    // The published formula sees an extra click; the path does not.
    assert_eq!((got.profiles.classic.distance, got.profiles.strict.distance), (3, 0));
    let met = &got.encounters[0];
    assert_eq!(
        (met.first_step, met.dismissed_step, met.progress_step, met.steps),
        (Some(1), Some(1), Some(2), Some(2))
    );
    assert_eq!(got.efficiency.handling_steps, [1]);
    assert_eq!(got.alignment[1].relation, Relation::Handled);
}

#[test]
fn slow_and_stuck_encounters() {
    let stay = |seq| handled(click(seq, "Stay signed in"), "p1");
    let mut slow =
        run(vec![click(0, "Orders"), wait(1), wait(2), stay(3), fill(4, "Name", "Ada"), click(5, "Save")], true);
    popup(&mut slow, "p1", PerturbationPhase::Shown, 0.5);
    popup(&mut slow, "p1", PerturbationPhase::Dismissed, 3.1);
    let slow = scored(slow);
    assert_eq!((slow.encounters[0].steps, slow.recovery_score, slow.hard), (Some(4), Some(0.5), Some(true)));

    let mut stuck = run(vec![click(0, "Orders"), click(1, "Orders"), click(2, "Orders")], false);
    popup(&mut stuck, "p1", PerturbationPhase::Shown, 0.5);
    let stuck = scored(stuck);
    assert_eq!((stuck.encounters[0].result, stuck.recovery_score), (EncounterResult::Stuck, Some(0.0)));

    let mut late = run(vec![click(0, "Orders"), fill(1, "Name", "Ada"), click(2, "Save")], true);
    popup(&mut late, "p1", PerturbationPhase::Shown, 2.5);
    let late = scored(late);
    assert_eq!((late.encounters[0].result, late.recovery_score), (EncounterResult::NotMet, None));
}

#[test]
fn infra_endings_are_told_apart() {
    let mut trace = run(vec![click(0, "Orders")], false);
    trace.header.ending = Some(Ending { status: EndingStatus::Infra, reason: "503".to_owned() });
    let got = scored(trace);
    assert_eq!(got.outcome, model::Outcome::Infra);
    assert_eq!(got.reasons[0].code, ReasonCode::Infra);
}

#[test]
fn like_named_elements_are_told_apart_by_place() {
    let edit = |path: &str| {
        let mut step = click(0, "Edit");
        if let Some(target) = &mut step.target {
            target.locators[0].matches = 3;
            target.dom_path = path.to_owned();
        }
        step
    };
    let of = |step: Step| Subject::Trace(Box::new(sample::of(vec![step])));
    let strict = |a, b| score(&of(a), &[("r".to_owned(), of(b))]).runs[0].profiles.strict.distance;
    assert_eq!(strict(edit("tr[1]"), edit("tr[1]")), 0);
    assert_eq!(strict(edit("tr[1]"), edit("tr[2]")), 2);
    let framed = Step { frame: vec!["css=iframe".to_owned()], ..click(0, "Save") };
    assert_eq!(strict(click(0, "Save"), framed), 2);
}

#[test]
fn lists_meet_traces() {
    let json =
        br#"{"steps":[{"action":"click","target":"Orders"},{"action":"fill"},{"action":"click","target":"Nope"}]}"#;
    let (list, _) = crate::reference::read("l.json", json).unwrap();
    let got = score(&Subject::Trace(Box::new(reference())), &[("l".to_owned(), list)]).runs.remove(0);
    assert_eq!((got.profiles.classic.distance, got.profiles.strict.distance), (0, 2));
    assert!(got.reasons.iter().any(|reason| reason.code == ReasonCode::NoPage));
    assert_eq!((got.soft, got.hard, got.step_efficiency), (None, None, Some(1.0)));
}

#[test]
fn a_goal_without_checks_is_judged_on_the_stored_page() {
    use crate::trace::{AssertionKind, DomChunk, blob_name};
    use crate::wire::log::{Batch, Document, Entry};
    use crate::wire::op;

    let strings = ["html", "body", "input", "type", "text", "aria-label", "Order", "1042"];
    let ops = [
        &[op::RESET][..],
        &[op::ELEMENT, 2, 1, 0, 0, 0],
        &[op::ELEMENT, 3, 2, 0, 1, 0],
        &[op::ELEMENT, 4, 3, 0, 2, 0],
        &[op::ATTRIBUTE, 4, 3, 4],
        &[op::ATTRIBUTE, 4, 5, 6],
        &[op::VALUE, 4, 7, 0],
    ]
    .concat();
    let url = "http://shop.example/orders/1042".to_owned();
    let entries = [
        Entry::Document(Document { t: 1.0, doc: "d".to_owned(), tab: 77.0, top: true, url, viewport: None }),
        Entry::Batch(Batch { doc: "d".to_owned(), seq: 0, t0: 1.0, strings: strings.map(str::to_owned).into(), ops }),
    ];
    let lines: Vec<String> = entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    let chunk = (lines.join("\n") + "\n").into_bytes();
    let blob = blob_name(&chunk, "jsonl");

    let mut run = sample::of(vec![click(0, "Orders")]);
    run.events.insert(0, Event::Dom(DomChunk { t_ms: 1.0, blob: blob.clone(), entries: 2 }));
    let field = sample::step(0, Action::Fill, "textbox", "Order").target;
    let value = |expected: &str| Assertion {
        kind: AssertionKind::Value,
        target: field.clone(),
        frame: vec![],
        expected: expected.to_owned(),
    };
    let url = Assertion { kind: AssertionKind::Url, target: None, ..value("http://*/orders/1042") };
    let judged = |run: &Trace, assertions: Vec<Assertion>| {
        let mut reference = sample::of(vec![click(0, "Orders")]);
        reference.header.assertions = assertions;
        let subject = |trace: Trace| Subject::Trace(Box::new(trace));
        score(&subject(reference), &[("r".to_owned(), subject(run.clone()))]).runs.remove(0)
    };

    // Without the chunk's bytes nothing is known.
    assert_eq!(judged(&run, vec![url.clone()]).soft, None);
    run.blobs.insert(blob, chunk);
    let good = judged(&run, vec![url, value("1042")]);
    assert_eq!((good.soft, good.hard), (Some(true), Some(true)), "{:?}", good.assertions);
    assert_eq!(good.assertions[1].source, Some(VerdictSource::Replay));
    let bad = judged(&run, vec![value("1043")]);
    assert_eq!((bad.soft, bad.assertions[0].seen.as_str()), (Some(false), "1042"));
}

#[test]
fn focus_steps_of_either_side_do_not_part_the_paths() {
    let save = |seq| click(seq, "Save");
    let field = |seq| sample::step(seq, Action::Click, "textbox", "Name");
    let mut human = sample::of(vec![field(0), fill(1, "Name", "Ada"), save(2)]);
    human.header.assertions = vec![goal()];
    human.events.extend(run(vec![], true).events);
    let mut agent = run(vec![fill(0, "Name", "Ada"), save(1)], true);
    agent.header.assertions = vec![goal()];
    let score_of = |reference: &Trace, run: &Trace| {
        let subject = |trace: &Trace| Subject::Trace(Box::new(trace.clone()));
        score(&subject(reference), &[("r".to_owned(), subject(run))]).runs.remove(0)
    };
    for (reference, run, raw) in [(&human, &agent, 3), (&agent, &human, 3), (&human, &human, 0)] {
        let got = score_of(reference, run);
        assert_eq!((got.hard, got.profiles.strict.score, got.step_efficiency), (Some(true), 1.0, Some(1.0)));
        assert_eq!(got.profiles.classic.distance, raw, "classic counts every step");
        assert_eq!((got.efficiency.reference_steps, got.efficiency.run_steps), (2, 2));
        assert!(got.anomalies.is_empty());
        let folds = |trace: &Trace| u32::from(trace.steps().count() == 3);
        let row = Row {
            reference: (folds(reference) == 1).then_some(0),
            run: (folds(run) == 1).then_some(0),
            relation: Relation::Folded,
            cost: 0,
        };
        assert_eq!(got.alignment[0], row);
        assert_eq!(got.alignment.iter().filter(|row| row.relation == Relation::Folded).count(), 1);
        let told = |code| got.reasons.iter().find(|reason| reason.code == code).map_or(0, |reason| reason.count);
        assert_eq!(told(ReasonCode::FoldedReference), folds(reference));
        assert_eq!(told(ReasonCode::FoldedRun), folds(run));
        assert_eq!(got.folded.run.len() as u32, folds(run));
    }
    // In lists nothing folds: they are taken as they are.
    let list = |json: &[u8]| crate::reference::read("l.json", json).unwrap().0;
    let typed = br#"{"steps":[{"action":"click","target":"t"},{"action":"fill","target":"t"}]}"#;
    let got = score(&list(typed), &[("l".to_owned(), list(br#"{"steps":[{"action":"fill","target":"t"}]}"#))]);
    assert_eq!((got.runs[0].profiles.strict.distance, got.runs[0].folded.reference.len()), (3, 0));
}

#[test]
fn folded_steps_are_no_actions_of_a_recovery() {
    let stay = handled(click(1, "Stay signed in"), "p1");
    let field = sample::step(2, Action::Click, "textbox", "Name");
    let steps = vec![click(0, "Orders"), stay, field, fill(3, "Name", "Ada"), click(4, "Save")];
    let mut trace = run(steps, true);
    popup(&mut trace, "p1", PerturbationPhase::Shown, 0.5);
    popup(&mut trace, "p1", PerturbationPhase::Dismissed, 1.1);
    let got = scored(trace);
    assert_eq!((got.encounters[0].progress_step, got.encounters[0].steps), (Some(3), Some(2)));
    assert_eq!((got.hard, got.recovery_score, got.step_efficiency), (Some(true), Some(1.0), Some(1.0)));
    let relations: Vec<Relation> = got.alignment.iter().map(|row| row.relation).collect();
    assert_eq!(relations, [Relation::Same, Relation::Handled, Relation::Folded, Relation::Same, Relation::Same]);
}
