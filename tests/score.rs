//! The published formula and the metric profile against stored values, and their laws on random sequences.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use proptest::prelude::*;
use serde_json::Value;
use tracerule::reference::{Subject, read};
use tracerule::score::{Fraction, Report, classic, recovery, score, strict};

fn vectors(group: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("vectors/scoring.json")).unwrap();
    all[group].as_array().unwrap().clone()
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

fn list(names: &[&str]) -> Subject {
    let steps: Vec<Value> = names.iter().map(|name| serde_json::json!({"action": name, "target": "t"})).collect();
    let bytes = serde_json::to_vec(&serde_json::json!({ "steps": steps })).unwrap();
    read("list.json", &bytes).unwrap().0
}

fn scored(reference: &[&str], run: &[&str]) -> Report {
    score(&list(reference), &[("run".to_owned(), list(run))])
}

#[test]
fn every_vector_in_both_profiles() {
    let cases = vectors("wed");
    assert_eq!(cases.len(), 34);
    for case in &cases {
        let name = &case["name"];
        let (reference, agent) = (names(&case["ref"]), names(&case["agent"]));
        let found = classic::align(&reference, &agent);
        assert_eq!(case["distance"], found.distance, "{name}");
        assert_eq!(case["max_possible"], found.max_possible, "{name}");
        assert_eq!(case["classic_score"].as_f64().unwrap().to_bits(), found.score.to_bits(), "{name}");
        let found = strict::align_names(&reference, &agent);
        assert_eq!(case["strict_distance"], found.distance, "{name}");
        assert_eq!(case["worst"], found.worst, "{name}");
        assert_eq!(case["strict_score"].as_f64().unwrap().to_bits(), found.score.to_bits(), "{name}");

        let report = scored(&reference, &agent);
        let run = &report.runs[0];
        assert_eq!(case["distance"], run.profiles.classic.distance, "{name}, as lists");
        assert_eq!(case["strict_distance"], run.profiles.strict.distance, "{name}, as lists");
        assert_eq!((run.steps as usize, run.reference_steps as usize), (agent.len(), reference.len()));
        assert_eq!((run.hard, run.soft, run.recovery_score), (None, None, None));
        let costs: u32 = run.profiles.classic.pairs.iter().map(|pair| pair.cost).sum();
        assert_eq!(costs, run.profiles.classic.distance, "{name}: the pairs explain the distance");
        let costs: u32 = run.alignment.iter().map(|row| row.cost).sum();
        assert_eq!(costs, run.profiles.strict.distance, "{name}: the rows explain the distance");
    }
}

#[test]
fn recovery_by_number_of_actions() {
    let mean = |encounters: &[Option<u32>]| recovery::mean(encounters).map(|fraction| fraction.value);
    assert_eq!(mean(&[Some(0), Some(2), Some(3), Some(5), Some(6), None]), Some(0.5));
    assert_eq!(mean(&[Some(1)]), Some(1.0));
    assert_eq!(mean(&[Some(3), Some(4), Some(5)]), Some(0.5));
    assert_eq!(mean(&[None, None]), Some(0.0));
    assert_eq!(mean(&[]), None);
    assert_eq!(recovery::mean(&[Some(1), Some(3), None]), Fraction::new(1, 2));
}

#[test]
fn efficiency_raw_and_clamped() {
    let of = |reference: usize, run: usize| {
        let report = scored(&vec!["click"; reference], &vec!["click"; run]);
        (report.runs[0].efficiency.raw.map(|raw| raw.value), report.runs[0].step_efficiency)
    };
    assert_eq!(of(5, 10), (Some(0.5), Some(0.5)));
    assert_eq!(of(5, 5), (Some(1.0), Some(1.0)));
    assert_eq!(of(5, 4), (Some(1.25), Some(1.0)));
    assert_eq!(of(5, 0), (None, None));
    assert_eq!(of(0, 0), (None, None));
}

#[test]
fn one_wait_after_every_step() {
    for n in [1, 5, 40] {
        let reference = vec!["click"; n];
        let waits = |k: usize| [vec!["click"], vec!["wait"; k]].concat().repeat(n);
        assert_eq!(classic::align(&reference, &waits(1)).score, 0.875);
        for k in 2..6 {
            let found = classic::align(&reference, &waits(k));
            let (d, max) = (n * k, 4 * n * (k + 1));
            assert_eq!((found.distance as usize, found.max_possible as usize), (d, max));
        }
    }
}

#[test]
fn long_sequences_stay_small() {
    let names = ["click", "fill", "press", "wait", "scroll", "goto"];
    let sequence = |seed: usize| (0..3000).map(|i| names[(i * i + seed * i + i / 7) % 6]).collect::<Vec<_>>();
    let (a, b) = (sequence(1), sequence(5));
    let found = classic::align(&a, &b);
    assert!(found.pairs.len() >= 3000 && found.distance <= found.max_possible);
    assert_eq!(classic::align(&b, &a).distance, found.distance);
}

#[test]
fn the_report_has_its_promised_keys_in_any_case() {
    for (reference, run) in [(&[][..], &[][..]), (&["click"][..], &["Click"][..])] {
        let json = serde_json::to_value(scored(reference, run)).unwrap();
        let run = &json["runs"][0];
        for key in [
            "name",
            "profiles",
            "hard",
            "soft",
            "step_efficiency",
            "recovery_score",
            "steps",
            "reference_steps",
            "alignment",
            "anomalies",
            "encounters",
            "reasons",
            "warnings",
        ] {
            assert!(run.get(key).is_some(), "{key}");
        }
        let bytes = serde_json::to_vec(&json).unwrap();
        assert_eq!(serde_json::to_value(serde_json::from_slice::<Report>(&bytes).unwrap()).unwrap(), json);
    }
}

fn sequence() -> impl Strategy<Value = Vec<&'static str>> {
    let name = prop::sample::select(vec!["click", "fill", "press", "wait", "scroll", "goto", "hover", "Click"]);
    prop::collection::vec(name, 0..14)
}

proptest! {
    #[test]
    fn laws_of_both_profiles(a in sequence(), b in sequence(), c in sequence()) {
        let (ab, ba) = (classic::align(&a, &b), classic::align(&b, &a));
        prop_assert_eq!(ab.distance, ba.distance);
        prop_assert!(ab.distance <= ab.max_possible && (0.0..=1.0).contains(&ab.score));
        let same = classic::align(&a, &a);
        prop_assert_eq!((same.distance, same.score), (0, 1.0));
        let (longer_a, longer_b) = ([&a[..], &c].concat(), [&b[..], &c].concat());
        prop_assert!(classic::align(&longer_a, &longer_b).distance <= ab.distance);

        let strict = strict::align_names(&a, &b);
        prop_assert_eq!(strict.distance, strict::align_names(&b, &a).distance);
        prop_assert!(ab.distance <= strict.distance && strict.distance <= strict.worst);
        let (bc, ac) = (strict::align_names(&b, &c).distance, strict::align_names(&a, &c).distance);
        prop_assert!(ac <= strict.distance + bc, "the triangle inequality");
        if !a.is_empty() {
            prop_assert_eq!(strict::align_names(&a, &[]).score, 0.0);
        }

        for (found, cost) in [(&ab.pairs, ab.distance), (&strict.pairs, strict.distance)] {
            let left: Vec<u32> = found.iter().filter_map(|pair| pair.0).collect();
            let right: Vec<u32> = found.iter().filter_map(|pair| pair.1).collect();
            let all = |n: usize| (0..u32::try_from(n).unwrap()).collect::<Vec<_>>();
            prop_assert_eq!((left, right), (all(a.len()), all(b.len())), "at {}", cost);
        }
    }

    #[test]
    fn the_rows_explain_the_report(a in sequence(), b in sequence()) {
        let report = scored(&a, &b);
        let run = &report.runs[0];
        prop_assert_eq!(run.alignment.iter().map(|row| row.cost).sum::<u32>(), run.profiles.strict.distance);
        prop_assert_eq!(run.alignment.iter().filter_map(|row| row.run).count(), b.len());
        prop_assert_eq!(run.alignment.iter().filter_map(|row| row.reference).count(), a.len());
    }

    #[test]
    fn garbage_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), zip in any::<bool>()) {
        let bytes = if zip { [b"PK\x03\x04".to_vec(), bytes].concat() } else { bytes };
        prop_assert!(read("x", &bytes).is_err());
    }

    #[test]
    fn any_json_is_answered(text in "[\\[\\]{}\",:a-z0-9 ]{0,80}") {
        let _ = read("x.json", text.as_bytes());
        let _ = read("x.json", format!("{{\"steps\":[{text}]}}").as_bytes());
        let _ = read("x.jsonl", format!("{{\"format\":\"tracerule-trace\",\"version\":1}}\n{text}").as_bytes());
    }
}
