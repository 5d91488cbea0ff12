//! The report: everything told, everything escaped, nothing asked of the network.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use tracerule::reference::{Subject, read};
use tracerule::report::{Options, fragment, html};
use tracerule::score::words::Lang;
use tracerule::score::{Report, score};
use tracerule::trace::{Trace, archive, blob_name};

const EVIL: &str = r#"</style><script>alert(1)</script>"'&<img src=x onerror=alert(2)>"#;

fn trace(name: &str, perturbed: bool) -> Subject {
    let evil = serde_json::to_string(EVIL).unwrap();
    let picture = b"\x89PNG not really".to_vec();
    let blob = blob_name(&picture, "png");
    let perturb = if perturbed { r#","perturb":{"seed":7,"popup_probability":0.1,"jitter_px":4.0}"# } else { "" };
    let header = format!(
        r#"{{"format":"tracerule-trace","version":1,"id":{evil},"role":"reference","title":{evil},"url":{evil},
        "started_ms":1000.0,"recorder":{{"version":"0","via":"x","browser":{evil}}},"viewport":{{"width":800.0,"height":600.0,"dpr":2.0}},
        "assertions":[{{"kind":"text","target":{{"role":"status","name":{evil},"tag":"p","locators":[],"dom_path":""}},"expected":{evil}}}]{perturb}}}"#
    )
    .replace('\n', " ");
    let step = |seq: u32, t: f64, more: &str| {
        format!(
            r#"{{"event":"step","seq":{seq},"t_ms":{t:?},"elapsed_ms":1.0,"action":"fill","value":{evil},"target":{{"role":"button","name":{evil},
            "tag":"b","locators":[{{"kind":"css","value":{evil},"matches":1}}],"dom_path":{evil},"box":{{"x":10.0,"y":20.0,"width":30.0,"height":40.0}}}},
            "url":{evil},"frame":[{evil}],"tab":0,"pre":{{"screenshot":{{"blob":"{blob}","t_ms":1.0,"width":1600,"height":1200}}}},"post":{{}},
            "trusted":false,"actor":"human"{more}}}"#
        )
        .replace('\n', " ")
    };
    let mut lines = vec![header, step(0, 1100.0, r#","outcome":{"status":"ok"}"#)];
    if perturbed {
        let popup = |t: f64, phase: &str| {
            format!(
                r#"{{"event":"perturbation","t_ms":{t:?},"id":"p1","operator":"session_popup","phase":"{phase}","key":"k"}}"#
            )
        };
        let error = format!(r#","outcome":{{"status":"error","code":"covered","message":{evil}}}"#);
        lines.extend([
            popup(1150.0, "shown"),
            step(1, 1200.0, r#","outcome":{"status":"ok"},"perturbation":"p1""#),
            popup(1250.0, "dismissed"),
            step(2, 1300.0, &error),
        ]);
    }
    let (Subject::Trace(mut trace), _) = read(name, (lines.join("\n") + "\n").as_bytes()).unwrap() else { panic!() };
    trace.blobs.insert(blob, picture);
    Subject::Trace(trace)
}

type Make = fn(&Subject, &[(String, Subject)], &Report, &Options) -> String;

fn page(lang: Lang, make: Make) -> String {
    let reference = trace("reference", false);
    let runs = [(EVIL.to_owned(), trace("clean", false)), ("b.trace.zip".to_owned(), trace("perturbed", true))];
    let report = score(&reference, &runs);
    make(&reference, &runs, &report, &Options { lang, title: String::new() })
}

#[test]
fn nothing_from_outside_is_markup() {
    for lang in [Lang::En, Lang::ZhCn] {
        for make in [html, fragment] {
            let page = page(lang, make);
            assert!(!page.contains("<script") && !page.contains("<img") && !page.contains(EVIL));
            assert!(page.contains("&lt;script&gt;"));
            assert_eq!(page.matches("</style>").count(), 1);
        }
    }
}

#[test]
fn one_file_without_network() {
    let page = page(Lang::En, html);
    assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"));
    assert!(page.contains("default-src 'none'"));
    for attribute in ["href=\"", "src=\""] {
        for (at, _) in page.match_indices(attribute) {
            let value = &page[at + attribute.len()..];
            assert!(value.starts_with('#') || value.starts_with("data:image/png;base64,"), "{}", &value[..40]);
        }
    }
    // One picture, stored once and used wherever it is shown, in CSS pixels.
    assert_eq!(page.matches("data:image/png").count(), 1);
    assert!(page.matches("<use ").count() > 3 && page.contains("viewBox=\"0 0 800 600\""));
    assert!(page.contains("class=\"box\" x=\"7\" y=\"17\""));
}

#[test]
fn what_happened_is_said() {
    let english = page(Lang::En, html);
    for said in
        ["pop-up handled", "Session pop-up shown", "dismissed", "extra", "same", "seed 7", "unknown", "synthetic input"]
    {
        assert!(english.contains(said), "{said}");
    }
    let chinese = page(Lang::ZhCn, html);
    assert!(chinese.contains("lang=\"zh-CN\"") && chinese.contains("处理弹窗") && chinese.contains("失分原因"));
    assert!(!chinese.contains("Where points were lost"));
}

#[test]
fn lists_have_a_report_too() {
    let list = |text: &str| read("l", text.as_bytes()).unwrap().0;
    let reference = list(r#"{"title":"T","steps":[{"action":"click","target":"a"}]}"#);
    let runs = [("r".to_owned(), list(r#"{"steps":[]}"#))];
    let page = html(&reference, &runs, &score(&reference, &runs), &Options::default());
    assert!(page.contains("missing") && page.contains("no step here") && page.contains("<title>T"));
}

#[test]
fn a_report_survives_its_archive() {
    let Subject::Trace(before) = trace("x", true) else { panic!() };
    let (after, warnings) = archive::read_zip(&archive::write_zip(&before).unwrap()).unwrap();
    assert_eq!((&after, warnings), (&*before as &Trace, vec![]));
}
