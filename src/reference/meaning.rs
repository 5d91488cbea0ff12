//! What names of other tools probably mean in our vocabulary. Only for messages: nothing is mapped silently.

use crate::action::Action;

/// The action probably meant by a name outside the vocabulary.
pub fn meant(name: &str) -> Option<Action> {
    let plain = plain(name);
    if let Some(action) = Action::from_name(&plain) {
        return Some(action);
    }
    Some(match plain.as_str() {
        "tap" | "left_click" | "mouse_click" | "click_element" | "click_at" | "submit" | "button_click" => {
            Action::Click
        }
        "double_click" | "dbl_click" | "double_tap" => Action::Dblclick,
        "right_click" | "context_menu" | "context_click" => Action::Contextmenu,
        "mouse_over" | "mouseover" | "move" | "mouse_move" | "move_to" => Action::Hover,
        "drag_and_drop" | "drag_to" | "drag_drop" | "left_click_drag" => Action::Drag,
        "type" | "type_text" | "input" | "input_text" | "enter_text" | "set_value" | "send_keys" | "fill_text"
        | "clear" | "press_sequentially" | "edit" => Action::Fill,
        "press_key" | "key" | "key_press" | "keypress" | "hotkey" | "keyboard_press" | "key_down" | "send_key" => {
            Action::Press
        }
        "select_option" | "select_options" | "choose" | "pick" | "select_dropdown" => Action::Select,
        "tick" | "set_checked" => Action::Check,
        "untick" => Action::Uncheck,
        "scroll_to" | "scroll_by" | "scroll_up" | "scroll_down" | "wheel" | "mouse_wheel" | "swipe"
        | "scroll_into_view" => Action::Scroll,
        "upload_file" | "file_upload" | "set_input_files" => Action::Upload,
        "navigate" | "navigate_to" | "go_to" | "goto_url" | "go_to_url" | "open" | "open_url" | "visit" | "get"
        | "load" | "browse" => Action::Goto,
        "go_back" | "navigate_back" | "history_back" => Action::Back,
        "go_forward" | "navigate_forward" | "history_forward" => Action::Forward,
        "refresh" => Action::Reload,
        "new_tab" | "open_tab" | "new_page" => Action::TabOpen,
        "switch_tab" | "select_tab" | "switch_to_tab" | "page_focus" => Action::TabSwitch,
        "close_tab" | "close_page" => Action::TabClose,
        "handle_dialog" | "accept_dialog" | "dismiss_dialog" | "alert" => Action::Dialog,
        "sleep" | "pause" | "delay" => Action::Wait,
        other if other.starts_with("wait") => Action::Wait,
        other if other.starts_with("click_") => Action::Click,
        _ => return None,
    })
}

/// `waitForTimeout`, `wait-for-timeout` and `browser_wait_for_timeout` are one name.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    let mut lower_before = false;
    for c in name.trim().chars().take(64) {
        if c.is_ascii_uppercase() && lower_before {
            plain.push('_');
        }
        lower_before = c.is_ascii_lowercase();
        plain.push(if matches!(c, '-' | ' ' | '.') { '_' } else { c.to_ascii_lowercase() });
    }
    plain.strip_prefix("browser_").or_else(|| plain.strip_prefix("page_")).map(str::to_owned).unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_name() {
        for name in ["waitForTimeout", "wait-for-timeout", "browser_wait_for", "page.waitForSelector"] {
            assert_eq!(meant(name), Some(Action::Wait), "{name}");
        }
        assert_eq!(meant("CLICK"), Some(Action::Click));
        assert_eq!(meant("tabOpen"), Some(Action::TabOpen));
        assert_eq!(meant("écrire"), None);
    }
}
