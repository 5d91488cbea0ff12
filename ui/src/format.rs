//! Numbers, times and names as people read them. No browser is needed here.

use tracerule::action::Action;
use tracerule::trace::{AssertionKind, Button, FailureCode, Outcome, SettleEnd, Step, Volatility};

use crate::text::{Key, get, t};

/// A time since the start, as `0:07.3` or `1:02:03`.
pub(crate) fn offset(ms: f64) -> String {
    let tenths = if ms.is_finite() { (ms.max(0.0) / 100.0).floor() as u64 } else { 0 };
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}.{}", tenths % 10)
    }
}

/// A duration, as `340 ms` or `1.2 s`.
pub(crate) fn duration(ms: f64) -> String {
    if ms < 1000.0 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1000.0) }
}

/// The host of an address, or what there is of it.
pub(crate) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if host.is_empty() { url } else { host }
}

/// A file name without what file systems refuse.
pub(crate) fn file_stem(title: &str, id: &str) -> String {
    let folded: String =
        title.chars().map(|c| if c.is_alphanumeric() || c == '.' || c == '-' { c } else { ' ' }).collect();
    let stem: String = folded.split_whitespace().collect::<Vec<_>>().join("-").chars().take(60).collect();
    let stem = stem.trim_matches(['.', '-']);
    if stem.is_empty() { id.to_owned() } else { stem.to_owned() }
}

/// A number between 0 and 1 with three decimals, a dash where undefined.
pub(crate) fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

/// The word for an action.
pub(crate) fn action(action: Action) -> String {
    let key = match action {
        Action::Click => Key::action_click,
        Action::Dblclick => Key::action_dblclick,
        Action::Contextmenu => Key::action_contextmenu,
        Action::Hover => Key::action_hover,
        Action::Drag => Key::action_drag,
        Action::Fill => Key::action_fill,
        Action::Press => Key::action_press,
        Action::Select => Key::action_select,
        Action::Check => Key::action_check,
        Action::Uncheck => Key::action_uncheck,
        Action::Scroll => Key::action_scroll,
        Action::Upload => Key::action_upload,
        Action::Copy => Key::action_copy,
        Action::Cut => Key::action_cut,
        Action::Paste => Key::action_paste,
        Action::Goto => Key::action_goto,
        Action::Back => Key::action_back,
        Action::Forward => Key::action_forward,
        Action::Reload => Key::action_reload,
        Action::TabOpen => Key::action_tab_open,
        Action::TabSwitch => Key::action_tab_switch,
        Action::TabClose => Key::action_tab_close,
        Action::Dialog => Key::action_dialog,
        Action::Wait => Key::action_wait,
    };
    get(key, &[])
}

/// What was acted on, as `button “Save”`; the address for navigations.
pub(crate) fn target(step: &Step) -> String {
    match &step.target {
        None => String::new(),
        Some(target) => {
            let kind = if target.role.is_empty() { &target.tag } else { &target.role };
            if target.name.is_empty() { kind.clone() } else { t!(target_named, kind, target.name) }
        }
    }
}

/// What was put in, pressed or chosen.
pub(crate) fn value(step: &Step) -> Option<String> {
    if step.values.len() > 1 {
        return Some(step.values.join(" · "));
    }
    match (&step.key, &step.value, step.to) {
        (Some(key), _, _) if step.action == Action::Press => Some(key.clone()),
        (_, Some(value), _) => Some(value.clone()),
        (_, _, Some(to)) => Some(format!("{:.0}, {:.0}", to.x, to.y)),
        _ => None,
    }
}

/// The step in one line, for assistive technology.
pub(crate) fn sentence(step: &Step) -> String {
    let mut words = vec![action(step.action), target(step)];
    if !step.secret {
        words.extend(value(step));
    }
    words.retain(|word| !word.is_empty());
    t!(step_said, step.seq + 1, words.join(" "))
}

/// Why a wait ended.
pub(crate) fn settle_end(end: SettleEnd) -> String {
    match end {
        SettleEnd::Quiet => t!(settle_quiet),
        SettleEnd::Element => t!(settle_element),
        SettleEnd::Navigation => t!(settle_navigation),
        SettleEnd::NextAction => t!(settle_next_action),
        SettleEnd::Cap => t!(settle_cap),
        SettleEnd::End => t!(settle_end),
    }
}

/// Why a locator may not last.
pub(crate) fn volatility(why: Volatility) -> String {
    match why {
        Volatility::Generated => t!(volatile_generated),
        Volatility::Number => t!(volatile_number),
        Volatility::Position => t!(volatile_position),
        Volatility::Changing => t!(volatile_changing),
    }
}

/// A pointer button worth naming.
pub(crate) fn button(button: Button) -> String {
    match button {
        Button::Left => t!(button_left),
        Button::Middle => t!(button_middle),
        Button::Right => t!(button_right),
        Button::Back => t!(button_back),
        Button::Forward => t!(button_forward),
    }
}

/// What an assertion compares: its name, and what the person is to point at.
pub(crate) fn assertion(kind: AssertionKind) -> (String, String) {
    match kind {
        AssertionKind::Text => (t!(assert_text), t!(assert_text_hint)),
        AssertionKind::Value => (t!(assert_value), t!(assert_value_hint)),
        AssertionKind::Visible => (t!(assert_visible), t!(assert_visible_hint)),
        AssertionKind::Checked => (t!(assert_checked), t!(assert_checked_hint)),
        AssertionKind::Count => (t!(assert_count), t!(assert_count_hint)),
        AssertionKind::Url => (t!(assert_url), t!(assert_url_hint)),
    }
}

/// Why a step failed, if it did.
pub(crate) fn failure(outcome: &Outcome) -> Option<String> {
    let Outcome::Error { code, message } = outcome else { return None };
    let key = match code {
        FailureCode::NotFound => Key::failed_not_found,
        FailureCode::Ambiguous => Key::failed_ambiguous,
        FailureCode::Gone => Key::failed_gone,
        FailureCode::Hidden => Key::failed_hidden,
        FailureCode::Covered => Key::failed_covered,
        FailureCode::Disabled => Key::failed_disabled,
        FailureCode::WrongKind => Key::failed_wrong_kind,
        FailureCode::BadValue => Key::failed_bad_value,
        FailureCode::Navigation => Key::failed_navigation,
        FailureCode::Timeout => Key::failed_timeout,
        FailureCode::NotGranted => Key::failed_not_granted,
        FailureCode::Browser => Key::failed_browser,
    };
    let why = get(key, &[]);
    Some(if message.is_empty() { why } else { t!(reason_detail, why, message) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_like_a_stopwatch() {
        assert_eq!(offset(0.0), "0:00.0");
        assert_eq!(offset(7_399.0), "0:07.3");
        assert_eq!(offset(61_000.0), "1:01.0");
        assert_eq!(offset(3_723_900.0), "1:02:03");
        assert_eq!(offset(-5.0), "0:00.0");
        assert_eq!(offset(f64::NAN), "0:00.0");
        assert_eq!(duration(340.4), "340 ms");
        assert_eq!(duration(1_249.0), "1.2 s");
    }

    #[test]
    fn names_fit_files_and_rows() {
        assert_eq!(file_stem("Refund order 17/4?", "s1"), "Refund-order-17-4");
        assert_eq!(file_stem("退款 订单", "s1"), "退款-订单");
        assert_eq!(file_stem("../..", "s1"), "s1");
        assert_eq!(host("https://shop.example:8080/a?b#c"), "shop.example:8080");
        assert_eq!(host("about:blank"), "about:blank");
        assert_eq!(host(""), "");
    }

    #[test]
    fn an_undefined_number_is_not_a_zero() {
        assert_eq!(share(None), "–");
        assert_eq!(share(Some(0.0)), "0.000");
        assert_eq!(share(Some(0.876_54)), "0.877");
    }
}
