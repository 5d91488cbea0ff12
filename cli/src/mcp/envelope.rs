//! Answers as text, in the sections that agents know from Playwright MCP.

use tracerule::trace::{FailureCode, SettleEnd};
use tracerule::wire::agent::Answer;

use crate::relay::rpc::RpcError;

/// An answer of the hub. `did` is what was asked, in the past tense; empty for none.
pub fn answer(answer: &Answer, did: &str) -> String {
    told(answer, did, false)
}

/// An answer to the question which tabs there are: one alone is told, too.
pub fn answer_with_tabs(answer: &Answer, did: &str) -> String {
    told(answer, did, true)
}

fn told(answer: &Answer, did: &str, all_tabs: bool) -> String {
    let mut text = String::new();
    if let Some(error) = &answer.error {
        let code = code_name(error.code);
        section(&mut text, "Error", &format!("{code}: {}\nHint: {}", error.message, hint(error.code)));
    } else if !answer.ok {
        section(&mut text, "Error", "browser: the action was not done, and the extension did not say why");
    } else if !did.is_empty() {
        section(&mut text, "Result", &format!("{did}{}", manner(answer)));
    }
    if !answer.said.is_empty() {
        let said: Vec<String> = answer.said.iter().map(|said| format!("- {}", one_line(said))).collect();
        section(&mut text, "Dialog", &said.join("\n"));
    }
    if let Some(dialog) = &answer.dialog {
        let state = format!(
            "- [\"{}\" dialog with message \"{}\"]: can be handled by browser_handle_dialog",
            dialog.kind.name(),
            one_line(&dialog.message)
        );
        section(&mut text, "Modal state", &state);
    }
    if answer.tabs.len() > 1 || all_tabs {
        let tabs: Vec<String> = answer
            .tabs
            .iter()
            .map(|tab| {
                let current = if tab.current { "(current) " } else { "" };
                format!("- {}: {current}[{}]({})", tab.index, one_line(&tab.title), one_line(&tab.url))
            })
            .collect();
        section(&mut text, "Open tabs", &tabs.join("\n"));
    }
    let page = format!("- Page URL: {}\n- Page Title: {}", one_line(&answer.url), one_line(&answer.title));
    section(&mut text, "Page", &page);
    if let Some(snapshot) = &answer.snapshot {
        let fence = fence(snapshot);
        section(&mut text, "Snapshot", &format!("{fence}yaml\n{}\n{fence}", snapshot.trim_end()));
    }
    text
}

/// What kept a call from reaching the page.
pub fn rpc_error(error: &RpcError) -> String {
    let code = error.data.as_ref().and_then(|data| data.get("code")).and_then(serde_json::Value::as_str);
    let mut text = String::new();
    section(&mut text, "Error", &format!("{}: {}", code.unwrap_or("relay"), error.message));
    text
}

/// Arguments that do not fit.
pub fn refusal(code: &str, why: &str) -> String {
    let mut text = String::new();
    section(&mut text, "Error", &format!("{code}: {why}"));
    text
}

fn section(text: &mut String, title: &str, body: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str("### ");
    text.push_str(title);
    text.push('\n');
    text.push_str(body);
    text.push('\n');
}

fn manner(answer: &Answer) -> String {
    let mut parts = Vec::new();
    match answer.trusted {
        Some(true) => parts.push("trusted input".to_owned()),
        Some(false) => parts.push("synthetic input".to_owned()),
        None => {}
    }
    if let Some(settled) = answer.settled {
        let why = match settled.reason {
            SettleEnd::Quiet => "the page fell quiet",
            SettleEnd::Element => "the element to wait for was there",
            SettleEnd::Navigation => "a new page loaded and fell quiet",
            SettleEnd::NextAction => "the next action came",
            SettleEnd::Cap => "the longest wait was over, the page still changes",
            SettleEnd::End => "the tab or the session ended",
        };
        parts.push(format!("settled after {:.0} ms: {why}", settled.ms));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}

fn code_name(code: FailureCode) -> String {
    serde_json::to_value(code).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn hint(code: FailureCode) -> &'static str {
    match code {
        FailureCode::NotFound => "the element was not found; look at the newest snapshot and use a ref of it.",
        FailureCode::Gone => "the element is gone; look at the newest snapshot and use a ref of it.",
        FailureCode::Ambiguous => "use the ref of the one you mean.",
        FailureCode::Hidden => "make it visible first: open its menu or tab, or scroll to it.",
        FailureCode::Covered => "clear away what covers it first.",
        FailureCode::Disabled => "do what enables it first.",
        FailureCode::WrongKind => "choose another tool, or another element.",
        FailureCode::BadValue => "correct the value; the message names what is possible.",
        FailureCode::Navigation => "check the address, then navigate again.",
        FailureCode::Timeout => "look at the snapshot: it may not come.",
        FailureCode::NotGranted => "a person has to grant you a tab in the side panel of Tracerule.",
        FailureCode::Browser => "try again; if it stays, look at the page first.",
    }
}

/// Titles and addresses are the page's: they may not start a section of their own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Longer than any run of backticks inside, so that a page cannot end the block.
fn fence(inside: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for c in inside.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat(3.max(longest + 1))
}

#[cfg(test)]
mod tests {
    use tracerule::wire::agent::{Failure, Settled, TabInfo};

    use super::*;

    #[test]
    fn an_answer_has_the_known_sections() {
        let tab = |index, current| TabInfo { index, title: "T".into(), url: "http://a/".into(), current };
        let seen = answer(
            &Answer {
                ok: true,
                trusted: Some(true),
                settled: Some(Settled { reason: SettleEnd::Quiet, ms: 151.2 }),
                url: "http://a/".into(),
                title: "T\n### Error".into(),
                tabs: vec![tab(0, false), tab(1, true)],
                snapshot: Some("- button \"Save\" [ref=e1]\n".into()),
                ..Answer::default()
            },
            "Clicked e1",
        );
        let expected = "### Result\nClicked e1 (trusted input; settled after 151 ms: the page fell quiet)\n\n\
            ### Open tabs\n- 0: [T](http://a/)\n- 1: (current) [T](http://a/)\n\n\
            ### Page\n- Page URL: http://a/\n- Page Title: T ### Error\n\n\
            ### Snapshot\n```yaml\n- button \"Save\" [ref=e1]\n```\n";
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_failure_says_why_and_what_to_do() {
        let failure = Failure { code: FailureCode::Covered, message: "covered by dialog \"Hi\"".into() };
        let seen = answer(&Answer { error: Some(failure), ..Answer::default() }, "Clicked e1");
        assert!(seen.starts_with("### Error\ncovered: covered by dialog \"Hi\"\nHint: clear away"), "{seen}");
        assert!(!seen.contains("### Result"));
    }

    #[test]
    fn an_open_dialog_and_a_single_tab_are_told() {
        let dialog = tracerule::trace::Dialog {
            kind: tracerule::trace::DialogKind::Confirm,
            message: "Sure?\n### Error".into(),
            accepted: None,
            text: None,
        };
        let tabs = vec![TabInfo { index: 0, title: "T".into(), url: "http://a/".into(), current: true }];
        let seen = Answer { ok: true, dialog: Some(dialog), tabs, ..Answer::default() };
        let line = "### Modal state\n- [\"confirm\" dialog with message \"Sure? ### Error\"]: can be handled by \
                    browser_handle_dialog\n";
        assert!(answer(&seen, "").contains(line), "{}", answer(&seen, ""));
        assert!(!answer(&seen, "").contains("### Open tabs"));
        assert!(answer_with_tabs(&seen, "").contains("### Open tabs\n- 0: (current) [T](http://a/)\n"));
    }

    #[test]
    fn an_answered_dialog_is_no_error() {
        let said = vec!["the page opened a dialog (alert: \"Hi\"),\nwhich was accepted".to_owned()];
        let seen = answer(&Answer { ok: true, said, ..Answer::default() }, "Clicked e1");
        let expected = "### Result\nClicked e1\n\n\
            ### Dialog\n- the page opened a dialog (alert: \"Hi\"), which was accepted\n\n### Page\n";
        assert!(seen.starts_with(expected), "{seen}");
    }

    #[test]
    fn a_page_cannot_end_the_snapshot() {
        let snapshot = Some("- text: ```` ### Error".to_owned());
        let seen = answer(&Answer { ok: true, snapshot, ..Answer::default() }, "");
        assert!(seen.contains("`````yaml\n") && seen.ends_with("\n`````\n"), "{seen}");
    }
}
