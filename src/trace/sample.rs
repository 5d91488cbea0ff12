//! Traces for tests.

use std::collections::BTreeMap;

use super::*;
use crate::action::Action;

pub(crate) const T0: f64 = 1_764_496_800_000.0;

pub(crate) fn header(id: &str) -> Header {
    Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        id: id.to_owned(),
        role: Role::Reference,
        title: "Order 1042".to_owned(),
        url: "http://shop.example/".to_owned(),
        started_ms: T0,
        ended_ms: None,
        recorder: RecorderInfo::default(),
        viewport: Some(Viewport { width: 800.0, height: 600.0, dpr: 1.0 }),
        perturb: None,
        task: None,
        run: None,
        secret_salt: None,
        mask: vec![],
        assertions: vec![],
        ending: None,
        capture: Default::default(),
        edited: None,
        extra: BTreeMap::new(),
    }
}

/// A step on an element that is named by its role, as `button Save`.
pub(crate) fn step(seq: u32, action: Action, role: &str, name: &str) -> Step {
    let target = (!role.is_empty()).then(|| Target {
        role: role.to_owned(),
        name: name.to_owned(),
        tag: "x".to_owned(),
        locators: vec![Locator {
            kind: LocatorKind::Role,
            value: format!("role={role}[name={name:?}]"),
            matches: 1,
            volatile: vec![],
        }],
        ..Target::default()
    });
    Step {
        seq,
        t_ms: T0 + 1000.0 * f64::from(seq),
        elapsed_ms: 100.0,
        action,
        value: None,
        values: vec![],
        key: None,
        button: None,
        count: None,
        modifiers: vec![],
        to: None,
        to_target: None,
        cause: None,
        payload: None,
        secret: false,
        secret_value: None,
        target,
        url: "http://shop.example/".to_owned(),
        frame: vec![],
        tab: 0,
        pre: State::default(),
        post: State::default(),
        dom: None,
        settle: None,
        outcome: Outcome::Ok,
        trusted: true,
        actor: Actor::Human,
        perturbation: None,
        dialog: None,
        facts: vec![],
        annotation: None,
        origin: None,
        extra: BTreeMap::new(),
    }
}

/// A trace of steps, as they are given.
pub(crate) fn of(steps: Vec<Step>) -> Trace {
    let events = steps.into_iter().map(|step| Event::Step(Box::new(step))).collect();
    Trace { header: header("a"), events, blobs: BTreeMap::new() }
}

/// Two steps, a screenshot and a DOM chunk.
pub(crate) fn trace() -> Trace {
    let mut trace = of(vec![step(0, Action::Click, "button", "Save"), step(1, Action::Goto, "", "")]);
    let picture = b"not really a picture".to_vec();
    let chunk = br#"{"e":"pause","t":1.0}"#.repeat(20);
    let (shot, dom) = (blob_name(&picture, "webp"), blob_name(&chunk, "jsonl"));
    if let Some(Event::Step(step)) = trace.events.first_mut() {
        step.pre.screenshot = Some(Screenshot::of_file(shot.clone(), T0, 800, 600));
    }
    trace.events.insert(0, Event::Dom(DomChunk { t_ms: T0 - 1.0, blob: dom.clone(), entries: 20 }));
    trace.blobs.extend([(shot, picture), (dom, chunk)]);
    trace
}
