//! Files of other tools as they write them, read.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::action::Action;
use crate::trace::{Assertion, AssertionKind, FailureCode, MASK};

fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(bytes: &[u8]) -> (Trace, Loss) {
    import("f", bytes, None).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(bytes: &[u8], format: Option<Format>) -> String {
    import("f", bytes, format).unwrap_err().to_string()
}

/// What was done, in short.
fn deeds(trace: &Trace) -> Vec<String> {
    let deed = |step: &Step| {
        let aim = step.target.as_ref().and_then(|t| t.locators.first()).map_or("", |l| l.value.as_str());
        let parts = [
            step.action.name(),
            &step.frame.join("|"),
            aim,
            step.value.as_deref().unwrap_or(""),
            step.key.as_deref().unwrap_or(""),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    trace.steps().map(deed).collect()
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// The same run as each version of Playwright's trace tells it: an address, a click, an edit that failed.
fn playwright(version: u64) -> Vec<u8> {
    let calls = [
        ("call@1", "goto", json!({"url": "http://x.example/"}), 1000.0, 1100.0, None),
        ("call@2", "click", json!({"selector": "internal:role=button[name=\"Save\"i]"}), 2000.0, 2050.5, None),
        (
            "call@3",
            "fill",
            json!({"selector": "#a >> internal:control=enter-frame >> internal:label=\"Name\"i", "value": "Ada"}),
            3000.0,
            3030.0,
            Some("Timeout 30ms exceeded."),
        ),
    ];
    let mut head = json!({"type": "context-options", "version": version, "browserName": "chromium", "platform": "linux",
        "wallTime": 1_700_000_000_000.0, "options": {"viewport": {"width": 640, "height": 480}}, "title": "T"});
    if version >= 7 {
        head["origin"] = json!("library");
        head["monotonicTime"] = json!(500.0);
    }
    let mut events = vec![head];
    for (id, method, params, start, end, error) in calls {
        let wall = 1_700_000_000_000.0 + start - 500.0;
        let log = "  locator resolved to <button id=\"x\">Save</button>";
        let snapshot = |when: &str| json!({"title": when, "snapshotName": format!("{when}@{id}")});
        match version {
            3 => events.push(json!({"type": "action", "metadata": {
                "id": id, "startTime": start, "endTime": end, "wallTime": wall, "pageId": "page@1", "type": "Frame", "method": method,
                "params": params, "log": [log], "snapshots": [snapshot("before"), snapshot("after")],
                "point": {"x": 5, "y": 6}, "error": error.map(|e| json!({"error": {"message": e, "name": "E"}})),
            }})),
            4 => events.push(json!({
                "type": "action", "callId": id, "startTime": start, "endTime": end, "wallTime": wall, "pageId": "page@1", "apiName": format!("page.{method}"),
                "class": "Frame", "method": method, "params": params, "log": [log], "point": {"x": 5, "y": 6},
                "beforeSnapshot": format!("before@{id}"), "error": error.map(|e| json!({"message": e, "name": "E"})),
            })),
            _ => {
                let mut before = json!({"type": "before", "callId": id, "startTime": start, "class": "Frame", "method": method, "params": params, "pageId": "page@1"});
                if version <= 6 {
                    before["wallTime"] = json!(wall);
                }
                if version <= 7 {
                    before["apiName"] = json!(format!("page.{method}"));
                }
                if version <= 9 {
                    before["stepId"] = json!(format!("step@{id}"));
                    before["beforeSnapshot"] = json!(format!("before@{id}"));
                }
                events.push(before);
                events.push(json!({"type": "input", "callId": id, "point": {"x": 5, "y": 6}}));
                let mut after = json!({"type": "after", "callId": id, "endTime": end, "error": error.map(|e| json!({"message": e, "name": "E"}))});
                if version == 5 {
                    after["log"] = json!([log]);
                } else {
                    events.push(json!({"type": "log", "callId": id, "time": start, "message": log}));
                }
                events.push(after);
            }
        }
        events.push(json!({"type": "from-the-future", "callId": id}));
    }
    // An action that never ended, and ends of none that began.
    if version >= 5 {
        events.push(json!({"type": "before", "callId": "call@4", "startTime": 4000.0, "class": "Page", "method": "keyboardPress", "params": {"key": "Control+KeyA"}, "pageId": "page@1"}));
        events.push(json!({"type": "after", "callId": "call@99", "endTime": 1.0}));
        events.push(json!({"type": "log", "callId": "call@98", "time": 1.0, "message": "x"}));
    }
    let name = if version < 7 { "trace.trace" } else { "0-trace.trace" };
    zip(&[(name, &lines(&events)), ("trace.network", "")])
}

#[test]
fn playwright_traces_of_every_version() {
    for version in 3..=10 {
        let (trace, loss) = read(&playwright(version));
        assert_eq!(loss.from, Format::PlaywrightTrace);
        assert_eq!((trace.header.title.as_str(), trace.header.url.as_str()), ("T", "http://x.example/"), "{version}");
        let mut wanted = vec![r#"click role=button[name="Save"]"#, r#"fill css=#a label="Name" Ada"#];
        if version >= 5 {
            wanted.push("press Control+A");
        }
        assert_eq!(deeds(&trace), wanted, "{version}");
        let steps: Vec<&Step> = trace.steps().collect();
        assert_eq!(steps[0].t_ms, 1_700_000_001_500.0, "{version}: the wall clock");
        assert_eq!(steps[0].elapsed_ms, 50.5, "{version}");
        let target = steps[0].target.as_ref().unwrap();
        assert_eq!((target.tag.as_str(), target.pointer.map(|p| p.x)), ("button", Some(5.0)), "{version}");
        assert!(matches!(&steps[1].outcome, Outcome::Error { code: FailureCode::Timeout, .. }), "{version}");
        assert!(loss.items.iter().any(|i| i.field == "from-the-future"), "{version}: {loss:#?}");
    }
    for version in [11, 99] {
        let said = refused(&playwright(version), None);
        assert!(said.contains(&format!("version {version}")) && said.contains("update Tracerule"), "{said}");
    }
    assert!(refused(&playwright(2), None).contains("3 to 10 are read"));
    assert!(refused(&zip(&[("a.trace", "{}\n[")]), None).contains("context-options"));
    assert!(refused(&zip(&[("a.trace", "nonsense\nmore\n")]), None).contains("line 1"));
    let good = playwright(10);
    for cut in (0..good.len()).step_by(7) {
        let _ = import("f", &good[..cut], Some(Format::PlaywrightTrace));
    }
}

#[test]
fn expectations_and_tabs_of_playwright() {
    let frame = |id: u32, method: &str, params: Value, page: u32| json!({"type": "before", "callId": format!("c{id}"), "startTime": id, "class": "Frame", "method": method, "params": params, "pageId": format!("p{page}")});
    let events = lines(&[
        json!({"type": "context-options", "version": 10, "origin": "library", "browserName": "firefox", "wallTime": 1e12, "monotonicTime": 0}),
        json!({"type": "event", "time": 0.5, "class": "BrowserContext", "method": "page", "params": {"pageId": "p1"}}),
        frame(1, "goto", json!({"url": "http://x/"}), 1),
        frame(
            2,
            "expect",
            json!({"selector": "#a", "expression": "to.have.text", "expectedText": [{"string": "done"}], "isNot": false}),
            1,
        ),
        frame(3, "expect", json!({"selector": "#b", "expression": "to.be.visible", "isNot": true}), 1),
        frame(4, "expect", json!({"selector": "#b", "expression": "to.have.class", "isNot": true}), 1),
        frame(5, "click", json!({"selector": "css=a"}), 2),
        json!({"type": "before", "callId": "c6", "startTime": 6, "class": "Page", "method": "keyboardDown", "params": {"key": "Shift"}, "pageId": "p2"}),
        frame(7, "click", json!({"selector": "css=b"}), 2),
        json!({"type": "before", "callId": "c8", "startTime": 8, "class": "Page", "method": "keyboardUp", "params": {"key": "Shift"}, "pageId": "p2"}),
        json!({"type": "before", "callId": "c9", "startTime": 9, "class": "Page", "method": "evaluateExpression", "params": {}, "pageId": "p2"}),
        json!({"type": "before", "callId": "c10", "startTime": 10, "class": "Dialog", "method": "accept", "params": {"promptText": "yes"}, "pageId": "p2"}),
    ]);
    let (trace, loss) = read(&zip(&[("trace.trace", &events)]));
    assert_eq!(deeds(&trace), ["click css=a", "click css=b", "dialog yes"]);
    assert_eq!(trace.steps().map(|s| s.tab).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(trace.steps().nth(1).unwrap().modifiers.len(), 1);
    let goals: Vec<_> = trace.header.assertions.iter().map(|a| (a.kind, a.expected.as_str())).collect();
    assert_eq!(goals, [(AssertionKind::Text, "done"), (AssertionKind::Visible, "false")]);
    assert!(loss.items.iter().any(|i| i.field == "expect" && i.change == Change::Dropped));
    assert!(loss.items.iter().any(|i| i.field == "Page.evaluateExpression" && i.severity == Severity::Minor));
}

#[test]
fn lines_of_codegen() {
    let text = lines(&[
        json!({"browserName": "chromium", "launchOptions": {"headless": false}, "contextOptions": {"viewport": {"width": 1, "height": 2}}}),
        json!({"name": "openPage", "url": "about:blank", "signals": [], "pageGuid": "page@1"}),
        json!({"name": "navigate", "url": "http://x/", "signals": [], "pageGuid": "page@1"}),
        json!({"name": "click", "selector": "internal:role=link[name=\"More\"i]", "signals": [{"name": "popup", "popupPageGuid": "page@2"}], "pageGuid": "page@1", "button": "left", "modifiers": 8, "clickCount": 1, "locator": {"kind": "role"}}),
        json!({"name": "fill", "selector": "iframe >> internal:control=enter-frame >> internal:label=\"Name\"i", "text": "Ada", "signals": [], "pageGuid": "page@2"}),
        json!({"name": "press", "selector": "body", "key": "k", "modifiers": 2, "signals": [{"name": "navigation", "url": "http://x/b"}], "pageGuid": "page@2"}),
        json!({"name": "select", "selector": "select", "options": ["b"], "signals": [], "pageGuid": "page@2"}),
        json!({"name": "setInputFiles", "selector": "input", "files": ["a.txt"], "signals": [], "pageGuid": "page@2"}),
        json!({"name": "click", "selector": "a", "button": "right", "modifiers": 0, "clickCount": 1, "signals": [], "pageGuid": "page@2"}),
        json!({"name": "assertText", "selector": "#s", "text": "ok", "substring": true, "signals": [], "pageGuid": "page@2"}),
        json!({"name": "assertSnapshot", "selector": "#s", "ariaSnapshot": "x", "signals": [], "pageGuid": "page@2"}),
        json!({"name": "closePage", "signals": [], "pageGuid": "page@2"}),
    ]);
    let (trace, loss) = read(text.as_bytes());
    assert_eq!(loss.from, Format::PlaywrightCodegen);
    assert_eq!(trace.header.url, "http://x/");
    assert_eq!(
        deeds(&trace),
        [
            r#"click role=link[name="More"]"#,
            r#"fill css=iframe label="Name" Ada"#,
            "press css=body Control+K",
            "select css=select b",
            "upload css=input a.txt",
            "contextmenu css=a",
            "tab_close",
        ]
    );
    assert_eq!(trace.steps().map(|s| s.tab).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 1, 1]);
    assert_eq!(trace.header.assertions.len(), 1);
    let major: Vec<&str> =
        loss.items.iter().filter(|i| i.severity == Severity::Major).map(|i| i.field.as_str()).collect();
    assert_eq!(major, ["name", "substring"], "{loss:#?}");
    let again = export(&trace, "x", Format::PlaywrightCodegen, &Options { plain: true }).unwrap();
    let again = String::from_utf8(again.files[0].bytes.clone()).unwrap();
    assert!(again.contains("\"headless\":false") && again.contains("\"modifiers\":8"), "{again}");
    // A torn last line is told, any other is an error with its number.
    let torn = &text[..text.len() - 10];
    assert_eq!(read(torn.as_bytes()).0.steps().count(), 6);
    let bad = text.replacen("{\"name\":\"fill\"", "{\"name\":", 1);
    assert!(refused(bad.as_bytes(), Some(Format::PlaywrightCodegen)).contains("line 5"));
}

#[test]
fn a_project_of_selenium_ide() {
    let command = |command: &str, target: &str, value: &str| json!({"id": "1", "comment": "", "command": command, "target": target, "targets": [], "value": value});
    let mut click = command("click", "id=go", "");
    click["targets"] =
        json!([["id=go", "id"], ["css=#go", "css:finder"], ["xpath=//button[contains(.,'Go')]", "xpath:innerText"]]);
    let project = json!({
        "id": "p", "version": "3.0", "name": "P", "url": "http://x.example", "plugins": [], "urls": [], "suites": [],
        "tests": [{"id": "t", "name": "Order", "commands": [
            command("open", "/a", ""), command("setWindowSize", "800x600", ""), click,
            command("selectFrame", "index=1", ""), command("type", "name=q", "Ada"), command("selectFrame", "relative=parent", ""),
            command("sendKeys", "name=q", "${KEY_ENTER}"), command("sendKeys", "name=q", "ab${KEY_CONTROL}x"),
            command("select", "css=select", "label=Red"), command("addSelection", "id=m", "label=A"), command("addSelection", "id=m", "label=B"),
            command("mouseOver", "linkText=More", ""), command("//click", "id=off", ""), command("type", "id=p", "${TRACERULE_SECRET_1}"),
            command("assertText", "id=s", "ok"), command("answerOnNextPrompt", "yes", ""), command("fly", "id=x", ""),
        ]}, {"id": "t2", "name": "Other", "commands": []}],
    });
    let (trace, loss) = read(project.to_string().as_bytes());
    assert_eq!((trace.header.title.as_str(), trace.header.url.as_str()), ("Order", "http://x.example/a"));
    assert_eq!(
        deeds(&trace),
        [
            "click css=#go".to_owned(),
            r#"fill css=iframe:nth-of-type(2) css=[name="q"] Ada"#.to_owned(),
            r#"press css=[name="q"] Enter"#.to_owned(),
            r#"fill css=[name="q"] ab"#.to_owned(),
            r#"press css=[name="q"] Control+X"#.to_owned(),
            "select css=select Red".to_owned(),
            "select css=#m A, B".to_owned(),
            r#"hover role=link[name="More"]"#.to_owned(),
            format!("fill css=#p {MASK}"),
            "dialog yes".to_owned(),
        ]
    );
    assert!(trace.steps().any(|s| s.secret));
    assert_eq!(trace.header.assertions.len(), 1);
    let major: Vec<&str> =
        loss.items.iter().filter(|i| i.severity == Severity::Major).map(|i| i.field.as_str()).collect();
    assert_eq!(major, ["tests[1]", "command"]);
    for (bad, wanted) in [
        (r#"{"tests":[],"url":"x"}"#, "no test"),
        (r#"{"tests":[{"commands":[7]}],"url":"x"}"#, "commands[0]"),
        (r#"{"tests":[{"commands":[{"command":"click","target":7}]}],"url":"x"}"#, "`target` is no text"),
        ("[]", "no object"),
    ] {
        let said = refused(bad.as_bytes(), Some(Format::SeleniumSide));
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn actions_of_browser_gym() {
    let text = "# thoughts\ngoto('http://x/')\nclick('a51')\nfill(\"12\", 'it\\'s \\u00e9\\n', True) press('12', 'ControlOrMeta+a')\n\
        select_option('c4', [\"red\", \"green\",])\nscroll(0, -200.5)\nclick('b', button=\"right\", modifiers=[\"Shift\"])\n\
        noop(500)\nmouse_click(3, 4)\nnew_tab()\ntab_focus(0)\nsend_msg_to_user(\"done\")\nfly('a')\n";
    let (trace, loss) = read(text.as_bytes());
    assert_eq!(loss.from, Format::BrowserGym);
    assert_eq!(trace.header.url, "http://x/");
    assert_eq!(
        deeds(&trace),
        [
            "click css=[bid=\"a51\"]",
            "fill css=[bid=\"12\"] it's é\n",
            "press css=[bid=\"12\"] Control+A",
            "select css=[bid=\"c4\"] red, green",
            "scroll",
            "contextmenu css=[bid=\"b\"]",
            "wait",
            "click",
            "tab_open",
            "tab_switch 0",
        ]
    );
    assert!(loss.items.iter().any(|i| i.reason.contains("fly(")));
    assert!(trace.events.iter().any(|e| matches!(e, crate::trace::Event::Note(n) if n.text.contains("done"))));
    for (bad, wanted) in [
        ("click(", "line 1"),
        ("click('a", "the end of a text"),
        ("click(x)", "a text, a number or a list"),
        ("fill('a')", "it has no `value`"),
        ("scroll('a', 1)", "no number"),
        ("noop()\nnonsense", "line 2"),
        (&format!("click({})", "[".repeat(100)), "less deep"),
    ] {
        let said = refused(bad.as_bytes(), Some(Format::BrowserGym));
        assert!(said.contains(wanted), "{bad}: {said}");
    }
}

#[test]
fn logs_of_instrumented_pages() {
    let picture = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACAQAAAAA=";
    let records = [
        json!({"seq_id": 1, "timestamp": 1_700_000_001.5, "action": "goto", "params": {"url": "http://x/"}, "result": {"_impl": {}}, "elapsed_ms": 500, "url": "http://x/"}),
        json!({"seq_id": 2, "timestamp": 1_700_000_003.0, "action": "type", "params": {"selector": "#name", "text": "Ada n {"}, "result": null, "elapsed_ms": 20, "url": "http://x/", "pre_screenshot_base64": picture, "post_screenshot_base64": "!", "pre_dom_length": 5, "post_dom_length": 6}),
        json!({"seq_id": 3, "timestamp": 1_700_000_004.0, "action": "press", "params": ["#name", "Enter"], "result": "TimeoutError: Timeout 30000ms exceeded", "elapsed_ms": 30000}),
        json!({"seq_id": 5, "timestamp": 1_700_000_050.0, "action": "wait_for_selector", "params": {"selector": "text=\"Saved\""}, "elapsed_ms": 12}),
    ];
    let wanted = ["goto http://x/", "fill css=#name Ada n {", "press css=#name Enter", r#"wait text="Saved""#];
    let texts: Vec<String> = records.iter().map(Value::to_string).collect();
    // As it should be; with the letter n for the line's end, as the seed wrote it; and with a backslash before.
    for (end, glued) in [("\n", false), ("n", true), ("\\n", true)] {
        let text: String = texts.iter().map(|record| format!("{record}{end}")).collect();
        let (trace, loss) = read(text.as_bytes());
        assert_eq!(loss.from, Format::InstrumentedPage);
        assert_eq!(deeds(&trace), wanted, "{end:?}");
        assert_eq!(loss.items.iter().any(|i| i.field == "lines"), glued);
        assert!(loss.items.iter().any(|i| i.field == "seq_id" && i.severity == Severity::Major), "record 4 is missing");
        let steps: Vec<&Step> = trace.steps().collect();
        assert_eq!(steps[0].t_ms, 1_700_000_001_000.0, "the time of the beginning");
        assert!(matches!(steps[2].outcome, Outcome::Error { code: FailureCode::Timeout, .. }));
        let shot = steps[1].pre.screenshot.as_ref().unwrap();
        assert_eq!((shot.width, shot.height, trace.blobs.len()), (3, 2, 1));
        assert!(loss.items.iter().any(|i| i.field == "post_screenshot_base64" && i.change == Change::Dropped));
        // Torn in the last record: what came before is there, and the tear is told.
        let torn = &text[..text.len() - 20];
        let (trace, loss) = read(torn.as_bytes());
        assert_eq!(deeds(&trace), wanted[..3]);
        assert!(loss.items.iter().any(|i| i.reason.contains("torn off")), "{loss:#?}");
    }
    for (bad, wanted) in [
        (r#"{"seq_id":1,"action":"levitate","params":{}}"#, "levitate"),
        (r#"{"seq_id":1,"action":7,"params":{}}"#, "wanted is a name"),
        (r#"{"seq_id":1,"params":{}}"#, "has no `action`"),
        (r#"{"seq_id":1,"action":"click","elapsed_ms":[]}"#, "wanted is a number"),
        ("", "no record"),
        ("[1]", "no object"),
        ("{\"seq_id\":1,\"action\":\"click\"}\n{]\n", "record 2 (line 2)"),
    ] {
        let said = refused(bad.as_bytes(), Some(Format::InstrumentedPage));
        assert!(said.contains(wanted), "{bad}: {said}");
    }
}

#[test]
fn flows_of_devtools() {
    let flow = r##"{"title": "F", "timeout": 5000, "steps": [
        {"type": "setViewport", "width": 800, "height": 600, "deviceScaleFactor": 2, "isMobile": false, "hasTouch": false, "isLandscape": false},
        {"type": "navigate", "url": "http://x/", "assertedEvents": [{"type": "navigation", "url": "http://x/", "title": "X"}]},
        {"type": "keyDown", "target": "main", "key": "Shift"},
        {"type": "click", "target": "main", "selectors": [["aria/Save"], ["#host", "button"], "xpath///*[@id=\"s\"]"], "offsetX": 1, "offsetY": 2},
        {"type": "keyUp", "target": "main", "key": "Shift"},
        {"type": "change", "value": "x", "frame": [1, 0], "selectors": ["text/Name"]},
        {"type": "doubleClick", "selectors": [["pierce/#a"]], "offsetX": 1, "offsetY": 2, "target": "http://other/"},
        {"type": "scroll", "x": 3, "y": 4}, {"type": "close"}, {"type": "waitForExpression", "expression": "1"},
        {"type": "waitForElement", "selectors": ["#n"], "operator": "==", "count": 2},
        {"type": "waitForElement", "selectors": ["#n"], "visible": false}
    ]}
//# recorderSourceMap=BCDA"##;
    let (trace, loss) = read(flow.as_bytes());
    assert_eq!(
        deeds(&trace),
        [
            "click label=\"Save\"",
            "fill css=iframe:nth-of-type(2)|css=iframe:nth-of-type(1) text=\"Name\" x",
            "dblclick css=#a",
            "scroll",
            "tab_close",
            "wait 1",
        ]
    );
    assert_eq!(trace.steps().next().unwrap().target.as_ref().unwrap().locators.len(), 3);
    assert_eq!(trace.steps().next().unwrap().modifiers.len(), 1);
    let goals: Vec<_> =
        trace.header.assertions.iter().map(|Assertion { kind, expected, .. }| (*kind, expected.as_str())).collect();
    assert_eq!(goals, [(AssertionKind::Count, "2"), (AssertionKind::Visible, "false")]);
    assert!(loss.counts.major == 0, "{loss:#?}");
    for (bad, wanted) in [
        (r#"{"title":"x","steps":[{"type":"click","selectors":[["a"]]}]}"#, "steps[0]: it has no `offsetX`"),
        (
            r#"{"title":"x","steps":[{"type":"click","selectors":[[]],"offsetX":1,"offsetY":1}]}"#,
            "selectors[0] is empty",
        ),
        (r#"{"title":"x","steps":[{"type":"fly"}]}"#, "no type of a step"),
        (r#"{"title":"x","steps":[{"type":"close","timeout":0}]}"#, "from 1 to 30000"),
        (r#"{"title":"x","steps":[{"type":"change","selectors":["a"],"value":7}]}"#, "`value` is no text"),
        (r#"{"title":7,"steps":[]}"#, "`title` is no text"),
        (r#"{"title":"x","steps":{}}"#, "`steps` is no array"),
        (r#"{"title":"x","steps":[{"type":"hover","selectors":["a"],"frame":[1.5]}]}"#, "`frame`"),
    ] {
        let said = refused(bad.as_bytes(), Some(Format::PuppeteerReplay));
        assert!(said.contains(wanted), "{bad}: {said}");
    }
    assert_eq!(trace.steps().filter(|s| s.action == Action::Wait).count(), 1);
}
