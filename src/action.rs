//! The closed vocabulary of actions, and its image in the published formula's five letters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a step does. One vocabulary for people and agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A click; `button` and `count` tell which and how often.
    Click,
    /// A double click.
    Dblclick,
    /// A right click or the context-menu key.
    Contextmenu,
    /// The pointer rested on an element and the page answered.
    Hover,
    /// Press, move, release.
    Drag,
    /// Text put into a field; one step for one edit.
    Fill,
    /// A key or a shortcut, as `Control+K`.
    Press,
    /// Options chosen in a list.
    Select,
    /// A checkbox or radio switched on.
    Check,
    /// A checkbox switched off.
    Uncheck,
    /// A container scrolled by the person.
    Scroll,
    /// Files given to a file input.
    Upload,
    /// Copied to the clipboard.
    Copy,
    /// Cut to the clipboard.
    Cut,
    /// Pasted from the clipboard.
    Paste,
    /// A navigation by address.
    Goto,
    /// History, one back.
    Back,
    /// History, one forward.
    Forward,
    /// The page loaded again.
    Reload,
    /// A tab opened by the person.
    TabOpen,
    /// Another tab brought to the front.
    TabSwitch,
    /// A tab closed.
    TabClose,
    /// A dialog of the browser answered.
    Dialog,
    /// Waiting, as an action of its own.
    Wait,
}

/// The letters of the published formula (SPEC A18).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Letter {
    /// Row and column 1 of the cost matrix.
    Click,
    /// Row and column 2.
    Fill,
    /// Row and column 3.
    Press,
    /// Row and column 4.
    Wait,
    /// Row and column 5.
    Scroll,
}

impl Action {
    /// Every action, in the order of the vocabulary.
    pub const ALL: [Action; 24] = [
        Action::Click,
        Action::Dblclick,
        Action::Contextmenu,
        Action::Hover,
        Action::Drag,
        Action::Fill,
        Action::Press,
        Action::Select,
        Action::Check,
        Action::Uncheck,
        Action::Scroll,
        Action::Upload,
        Action::Copy,
        Action::Cut,
        Action::Paste,
        Action::Goto,
        Action::Back,
        Action::Forward,
        Action::Reload,
        Action::TabOpen,
        Action::TabSwitch,
        Action::TabClose,
        Action::Dialog,
        Action::Wait,
    ];

    /// The name in traces and step lists.
    pub fn name(self) -> &'static str {
        match self {
            Action::Click => "click",
            Action::Dblclick => "dblclick",
            Action::Contextmenu => "contextmenu",
            Action::Hover => "hover",
            Action::Drag => "drag",
            Action::Fill => "fill",
            Action::Press => "press",
            Action::Select => "select",
            Action::Check => "check",
            Action::Uncheck => "uncheck",
            Action::Scroll => "scroll",
            Action::Upload => "upload",
            Action::Copy => "copy",
            Action::Cut => "cut",
            Action::Paste => "paste",
            Action::Goto => "goto",
            Action::Back => "back",
            Action::Forward => "forward",
            Action::Reload => "reload",
            Action::TabOpen => "tab_open",
            Action::TabSwitch => "tab_switch",
            Action::TabClose => "tab_close",
            Action::Dialog => "dialog",
            Action::Wait => "wait",
        }
    }

    /// The action of that exact name (names are case-sensitive, as in the published formula).
    pub fn from_name(name: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|action| action.name() == name)
    }

    /// Its letter in the published formula; `None` for those the formula treats as unknown.
    pub fn letter(self) -> Option<Letter> {
        match self {
            Action::Click | Action::Dblclick | Action::Contextmenu | Action::Check | Action::Uncheck => {
                Some(Letter::Click)
            }
            Action::Fill | Action::Select | Action::Upload | Action::Paste => Some(Letter::Fill),
            Action::Press | Action::Copy | Action::Cut => Some(Letter::Press),
            Action::Wait => Some(Letter::Wait),
            Action::Scroll => Some(Letter::Scroll),
            _ => None,
        }
    }

    /// Whether the action only watches or moves the view (wait, scroll, hover).
    pub fn is_passive(self) -> bool {
        matches!(self, Action::Wait | Action::Scroll | Action::Hover)
    }
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
