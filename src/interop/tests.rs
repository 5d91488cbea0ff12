//! What survives each format, and that nothing is lost without being told.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::action::Action;
use crate::trace::sample::{header, of, step};
use crate::trace::{
    Actor, Assertion, AssertionKind, Button, CheckEvent, DomDiff, Event, FailureCode, Locator, LocatorKind, MASK,
    Modifier, NoteEvent, PageChange, Point, Rect, Screenshot, Settle, SettleEnd, Target, Usage, Viewport, Volatility,
    blob_name,
};

/// The formats that hold what Tracerule sets aside.
const CARRYING: [Format; 4] =
    [Format::PuppeteerReplay, Format::PlaywrightTrace, Format::PlaywrightCodegen, Format::SeleniumSide];

fn locator(kind: LocatorKind, value: &str, matches: u32) -> Locator {
    Locator { kind, value: value.to_owned(), matches, volatile: vec![] }
}

fn save() -> Target {
    Target {
        role: "button".to_owned(),
        name: "Save \"it\" — 'now'".to_owned(),
        tag: "button".to_owned(),
        locators: vec![
            locator(LocatorKind::Role, r#"role=button[name="Save \"it\" — 'now'"]"#, 1),
            Locator { volatile: vec![Volatility::Number], ..locator(LocatorKind::Attribute, "css=#save1", 1) },
            locator(LocatorKind::Text, r#"text="Save""#, 3),
            locator(LocatorKind::Path, "path=/html[1]/body[1]/button[1]", 1),
        ],
        dom_path: "html > body > button".to_owned(),
        rect: Some(Rect { x: 10.0, y: 20.5, width: 80.0, height: 24.0 }),
        pointer: Some(Point { x: 30.25, y: 30.0 }),
    }
}

/// A trace in which every action, every field and every kind of event occurs.
fn everything() -> Trace {
    let picture = b"\x89PNG not really a picture".to_vec();
    let shot = blob_name(&picture, "png");
    let mut steps = Vec::new();
    for (at, action) in Action::ALL.into_iter().enumerate() {
        let seq = u32::try_from(at).unwrap();
        let mut step = step(seq, action, "", "");
        let on_page = matches!(
            action,
            Action::Goto
                | Action::Back
                | Action::Forward
                | Action::Reload
                | Action::TabOpen
                | Action::TabSwitch
                | Action::TabClose
                | Action::Dialog
                | Action::Wait
        );
        if !on_page {
            step.target = Some(save());
        }
        match action {
            Action::Click => {
                step.button = Some(Button::Left);
                step.count = Some(1);
                step.modifiers = vec![Modifier::Control, Modifier::Shift];
                step.pre.screenshot = Some(Screenshot {
                    ended_ms: Some(step.t_ms - 0.1),
                    viewport: Some(Viewport { width: 400.0, height: 300.0, dpr: 2.0 }),
                    scroll: Some(Point { x: 0.0, y: 12.0 }),
                    age_ms: Some(0.1),
                    stale: true,
                    ..Screenshot::of_file(shot.clone(), step.t_ms - 0.125, 800, 600)
                });
                step.pre.state_hash = Some("aa".to_owned());
                step.dom = Some(DomDiff { added: 3, ..DomDiff::default() });
                step.settle =
                    Some(Settle { ms: 12.5, ended_by: SettleEnd::Quiet, waited_ms: Some(170.0), parts: None });
                step.facts = vec![1, 2];
            }
            Action::Fill => step.value = Some("Ada \"L\"\nline 2 \\ ünïcode".to_owned()),
            Action::Paste => {
                step.value = Some(MASK.to_owned());
                step.secret = true;
            }
            Action::Press => step.key = Some("Control+Shift+K".to_owned()),
            Action::Select | Action::Upload => {
                step.values = vec!["Red".to_owned(), "Blue, dark".to_owned()];
                step.value = Some("Red, Blue, dark".to_owned());
                step.frame = vec!["css=#outer".to_owned(), r#"role=iframe[name="in"]"#.to_owned()];
            }
            Action::Scroll | Action::Drag => step.to = Some(Point { x: 0.0, y: 120.0 }),
            Action::Goto => step.value = Some("http://shop.example/a?b=c#d".to_owned()),
            Action::TabOpen => {
                step.tab = 1;
                step.value = Some("http://shop.example/second".to_owned());
            }
            Action::TabSwitch => step.value = Some("0".to_owned()),
            Action::Dialog => step.value = Some("an answer".to_owned()),
            Action::Wait => step.elapsed_ms = 1500.0,
            Action::Uncheck => {
                step.outcome = Outcome::Error { code: FailureCode::Covered, message: "covered".to_owned() };
                step.actor = Actor::Agent;
                step.trusted = false;
            }
            Action::Check => step.outcome = Outcome::NoEffect,
            Action::Hover => step.perturbation = Some("popup-1".to_owned()),
            _ => {}
        }
        steps.push(step);
    }
    let mut trace = of(steps);
    trace.header.viewport = Some(Viewport { width: 800.0, height: 600.0, dpr: 2.0 });
    trace.header.assertions = vec![
        goal(AssertionKind::Text, "Order 1042 saved"),
        goal(AssertionKind::Value, "12"),
        goal(AssertionKind::Visible, "false"),
        goal(AssertionKind::Checked, "true"),
        goal(AssertionKind::Count, "3"),
        Assertion { kind: AssertionKind::Url, target: None, frame: vec![], expected: "http://*/done?x=*".to_owned() },
    ];
    let t = trace.header.started_ms;
    let mut page = |what, dt: f64| {
        let event = build::page_event(t + dt, 0, what, "http://shop.example/".to_owned(), String::new());
        trace.events.push(event);
    };
    page(PageChange::Navigated, 1.0);
    page(PageChange::Download, 2.0);
    trace.events.push(Event::Note(NoteEvent { t_ms: t + 3.0, actor: Actor::Human, text: "why".to_owned() }));
    trace.events.push(Event::Usage(Usage { t_ms: t + 4.0, input_tokens: 5, ..Usage::default() }));
    let assertion = goal(AssertionKind::Value, "12");
    trace.events.push(Event::Check(CheckEvent { t_ms: t + 1e6, assertion, holds: true, seen: "12".to_owned() }));
    trace.events.sort_by(|a, b| a.t_ms().total_cmp(&b.t_ms()));
    trace.blobs.insert(shot, picture);
    trace
}

fn goal(kind: AssertionKind, expected: &str) -> Assertion {
    Assertion { kind, target: Some(save()), frame: vec![], expected: expected.to_owned() }
}

fn without_pictures(mut trace: Trace) -> Trace {
    for event in &mut trace.events {
        if let Event::Step(step) = event {
            step.pre.screenshot = None;
            step.post.screenshot = None;
        }
    }
    trace.blobs.clear();
    trace
}

fn export_as(trace: &Trace, format: Format, plain: bool) -> (Vec<u8>, Loss) {
    let made = export(trace, "x", format, &Options { plain }).unwrap_or_else(|e| panic!("{format}: {e}"));
    assert_eq!(made.files.len(), 1);
    (made.files.into_iter().next().unwrap().bytes, made.loss)
}

#[test]
fn what_is_set_aside_comes_back_whole() {
    let trace = everything();
    for format in CARRYING {
        let (bytes, loss) = export_as(&trace, format, false);
        assert_eq!(detect("x", &bytes), Ok(format));
        let (back, read) = import("x", &bytes, None).unwrap_or_else(|e| panic!("{e}"));
        // Playwright's traces hold pictures; the others tell that they are gone.
        let expected = if format == Format::PlaywrightTrace { trace.clone() } else { without_pictures(trace.clone()) };
        assert_eq!(back.header, expected.header, "{format}");
        for (a, b) in expected.steps().zip(back.steps()) {
            assert_eq!(a, b, "{format}");
        }
        assert_eq!(back, expected, "{format}");
        assert!(read.items.iter().all(|item| item.severity != Severity::Major), "{format}: {:#?}", read.items);
        let told = |field: &str| loss.items.iter().any(|i| i.field == field && i.change == Change::Dropped);
        assert_eq!(told("pre.screenshot"), format != Format::PlaywrightTrace, "{format}");
        // Once more gives the same bytes.
        assert_eq!(export_as(&back, format, false).0, export_as(&expected, format, false).0, "{format}");
        assert!(serde_json::to_string(&loss).unwrap().contains("\"lossless\":false"));
    }
}

#[test]
fn lossless_is_said_when_it_is_so() {
    let mut trace = of(vec![]);
    trace.header.viewport = None;
    let loss = export_as(&trace, Format::PuppeteerReplay, false).1;
    assert!(loss.lossless && loss.counts.dropped == 0, "{loss:#?}");
    let loss = export_as(&trace, Format::Tracerule, false).1;
    assert!(loss.lossless && loss.items.is_empty());
    assert!(!export_as(&everything(), Format::PlaywrightTest, false).1.lossless);
}

#[test]
fn tabs_in_order_are_no_loss() {
    let steps: Vec<Step> = (0..3)
        .map(|tab| {
            let mut step = step(tab, if tab == 0 { Action::Click } else { Action::TabOpen }, "button", "Go");
            step.tab = tab;
            step
        })
        .collect();
    let loss = export_as(&of(steps), Format::PlaywrightCodegen, true).1;
    assert!(!loss.items.iter().any(|item| item.field == "tab"), "{:#?}", loss.items);
}

#[test]
fn what_another_tool_changed_counts() {
    let trace = of(vec![step(0, Action::Goto, "", ""), {
        let mut fill = step(1, Action::Fill, "textbox", "Name");
        fill.target = Some(save());
        fill.value = Some("Ada".to_owned());
        fill
    }]);
    for format in [Format::PuppeteerReplay, Format::PlaywrightCodegen, Format::SeleniumSide] {
        let bytes = export_as(&trace, format, false).0;
        let text = String::from_utf8(bytes).unwrap();
        // In the record only, not in what is set aside.
        let changed = match format {
            Format::PuppeteerReplay | Format::SeleniumSide => {
                text.replacen("\"value\": \"Ada\"", "\"value\": \"Eve\"", 1)
            }
            _ => text.replacen("\"text\":\"Ada\"", "\"text\":\"Eve\"", 1),
        };
        assert_ne!(text, changed, "{format}: {text}");
        let (back, loss) = import("x", changed.as_bytes(), None).unwrap();
        let step = back.steps().find(|step| step.action == Action::Fill).unwrap();
        assert_eq!(step.value.as_deref(), Some("Eve"), "{format}");
        assert!(
            loss.items.iter().any(|i| i.field == "step" && i.reason.contains("another tool")),
            "{format}: {loss:#?}"
        );
    }
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z ]{0,12}",
        any::<String>(),
        Just("a \"b\" 'c' \\ ] >> ${x} `".to_owned()),
        Just("zwei\nZeilen\ttab".to_owned()),
    ]
}

fn targets() -> impl Strategy<Value = Target> {
    (words(), 0..6_usize, 1..3_u32, any::<bool>()).prop_map(|(name, kinds, matches, shadow)| {
        let quoted = Value::from(name.split_whitespace().collect::<Vec<_>>().join(" ")).to_string();
        let path = if shadow { "path=/html[1]/x-a[1]/#shadow/b[2]" } else { "path=/html[1]/body[1]/svg[1]/b[2]" };
        let all = [
            locator(LocatorKind::Role, &format!("role=textbox[name={quoted}]"), matches),
            locator(LocatorKind::Label, &format!("label={quoted}"), 1),
            locator(LocatorKind::Attribute, "css=#a", 1),
            locator(LocatorKind::TestId, "testid=go", 1),
            locator(LocatorKind::Path, path, 1),
            locator(LocatorKind::Relative, r#"relative=button[name="Go"] in row[has="Ann"]"#, 1),
        ];
        Target {
            role: "textbox".to_owned(),
            name,
            tag: "input".to_owned(),
            locators: all.into_iter().skip(kinds).collect(),
            ..save()
        }
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let modifier =
        prop_oneof![Just(Modifier::Control), Just(Modifier::Alt), Just(Modifier::Shift), Just(Modifier::Meta)];
    let key = prop_oneof![
        Just("Enter".to_owned()),
        Just("Control+Shift+K".to_owned()),
        Just("Control++".to_owned()),
        Just(" ".to_owned()),
        Just("é".to_owned()),
        any::<String>()
    ];
    (
        0..Action::ALL.len(),
        proptest::option::of(words()),
        proptest::option::of(key),
        proptest::option::of(targets()),
        proptest::collection::vec(words(), 0..3),
        proptest::collection::vec(modifier, 0..2),
        (any::<bool>(), 0..3_u32, proptest::option::of(1..6_u32), any::<bool>()),
        proptest::option::of((-1e6..1e6, -1e6..1e6)),
    )
        .prop_map(|(action, value, key, target, values, modifiers, (secret, tab, count, framed), to)| {
            let mut step = step(0, Action::ALL[action], "", "");
            step.value = if secret { Some(MASK.to_owned()) } else { value };
            step.secret = secret;
            step.key = key;
            step.target = target;
            step.values = values;
            step.modifiers = modifiers;
            step.tab = tab;
            step.count = count;
            step.button = count
                .map(|n| [Button::Left, Button::Right, Button::Middle, Button::Back, Button::Forward][n as usize - 1]);
            step.frame = if framed { vec!["css=#f".to_owned()] } else { vec![] };
            step.to = to.map(|(x, y): (f64, f64)| Point { x: x.round(), y: y.round() });
            step
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any step, in every format, with what Tracerule sets aside: it comes back.
    #[test]
    fn any_step_comes_back(step in any_step()) {
        let trace = of(vec![step]);
        for format in CARRYING {
            let (bytes, _) = export_as(&trace, format, false);
            let (back, loss) = import("x", &bytes, Some(format)).map_err(|e| TestCaseError::fail(format!("{format}: {e}")))?;
            prop_assert_eq!(back.steps().collect::<Vec<_>>(), trace.steps().collect::<Vec<_>>(), "{}: {:#?}", format, loss);
        }
    }

    /// Any step, in every format, without: each field that does not come back is told of.
    #[test]
    fn nothing_is_lost_silently(step in any_step()) {
        let trace = of(vec![step.clone()]);
        for format in CARRYING.into_iter().chain([Format::BrowserGym]) {
            let (bytes, wrote) = export_as(&trace, format, true);
            let (back, read) = import("x", &bytes, Some(format)).map_err(|e| TestCaseError::fail(format!("{format}: {e}")))?;
            let loss = wrote.then(read);
            let before = readback::fields(&step);
            let Some(after) = back.steps().find(|s| s.action == step.action).or_else(|| back.steps().next()) else {
                prop_assert!(loss.items.iter().any(|i| i.step == Some(0) || i.step.is_none()), "{format}: {loss:#?}");
                continue;
            };
            let after = readback::fields(after);
            for (field, value) in &before {
                if after.get(field) != Some(value) && field != "seq" {
                    prop_assert!(loss.tells(0, field), "{format}: {field} {value} became {:?}\n{}\n{loss:#?}", after.get(field), String::from_utf8_lossy(&bytes));
                }
            }
        }
    }

    /// Whatever is written for a person to run parses no differently for what a page said.
    #[test]
    fn code_holds_only_its_own_lines(step in any_step()) {
        let trace = of(vec![step]);
        for format in [Format::PlaywrightTest, Format::PlaywrightPython, Format::BrowserGym] {
            let text = String::from_utf8(export_as(&trace, format, true).0).unwrap();
            for line in text.lines() {
                let line = line.trim_start();
                let known = ["await ", "const ", "import ", "from ", "test", "page", "//", "#", "}", "def ", "expect", "with ", "_", "opening", ""];
                let calls = ["goto(", "click(", "dblclick(", "hover(", "fill(", "press(", "keyboard_press(", "check(", "uncheck(", "select_option(", "upload_file(", "scroll(", "mouse_drag_and_drop(", "go_back()", "go_forward()", "new_tab()", "tab_focus(", "tab_close()", "noop("];
                prop_assert!(line.is_empty() || known.iter().filter(|k| !k.is_empty()).chain(&calls).any(|k| line.starts_with(k)), "{}", text);
            }
        }
    }

    /// Anything at all is an answer.
    #[test]
    fn garbage_is_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = detect("x", &bytes);
        for format in Format::ALL {
            let _ = import("x", &bytes, Some(format));
        }
    }

    /// A good file with a value of another type, or cut off, is an answer.
    #[test]
    fn damaged_files_are_an_answer(at in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), with in 0..7_usize) {
        let trace = everything();
        for format in CARRYING {
            let (bytes, _) = export_as(&trace, format, at.index(2) == 0);
            let _ = import("x", &bytes[..cut.index(bytes.len())], Some(format));
            if format == Format::PlaywrightTrace {
                continue;
            }
            let text = String::from_utf8(bytes).unwrap();
            let colons: Vec<usize> = text.match_indices("\":").map(|(i, _)| i + 2).collect();
            let place = colons[at.index(colons.len())];
            let other = ["null,\"z\":", "[],\"z\":", "{},\"z\":", "\"x\",\"z\":", "1e400,\"z\":", "-1,\"z\":", "true,\"z\":"][with];
            let damaged = format!("{}{other}{}", &text[..place], &text[place..]);
            let _ = import("x", damaged.as_bytes(), Some(format));
            let _ = import("x", damaged.as_bytes(), None);
        }
    }
}

#[test]
fn names_and_media() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
        assert_eq!(serde_json::to_value(format).unwrap(), Value::from(format.name()));
        assert!(format.can_import() || format.can_export());
    }
    assert_eq!(Format::by_file_name("a.trace.zip"), [Format::Tracerule]);
    assert_eq!(Format::by_file_name("a.zip").len(), 2);
    assert_eq!(Format::by_file_name("a.json").len(), 2);
    assert!(Format::by_file_name("a.txt").is_empty());
}

#[test]
fn unknown_and_ambiguous_files_are_asked_about() {
    let said = |bytes: &[u8]| detect("f", bytes).unwrap_err().to_string();
    assert!(said(b"").contains("empty"));
    assert!(said(b"PK\x03\x04 torn").contains("damaged zip"));
    assert!(said(b"\xff\xfe").contains("neither a zip archive nor text"));
    assert!(said(b"{\"a\":1}").contains("say which"));
    let both = br#"{"title":"x","url":"http://x","tests":[],"steps":[{"type":"close"}]}"#;
    let text = said(both);
    assert!(
        text.contains("puppeteer-replay") && text.contains("selenium-side") && text.contains("say which"),
        "{text}"
    );
    assert!(import("f", b"x", Some(Format::PlaywrightTest)).unwrap_err().to_string().contains("written but not read"));
    let trace = Trace { header: header("a"), events: vec![], blobs: BTreeMap::new() };
    assert!(export(&trace, "x", Format::InstrumentedPage, &Options::default()).is_err());
}
