//! Icons, drawn on a grid of 16 with one stroke. They take the text's colour and are silent: a word or a
//! label always stands beside them.

use tracerule::action::Action;
use yew::prelude::*;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glyph {
    Record,
    Pause,
    Resume,
    Stop,
    Pointer,
    Pencil,
    Key,
    List,
    Check,
    Box,
    Scroll,
    Globe,
    Back,
    Forward,
    Reload,
    Tab,
    Hand,
    Move,
    Up,
    Copy,
    Dialog,
    Clock,
    Warning,
    Close,
    Trash,
    Download,
    Upload,
    Down,
    Higher,
    Undo,
    Redo,
    Dice,
    Plug,
    Target,
    Report,
    Lock,
    Bot,
    Eye,
}

impl Glyph {
    /// For an action.
    pub(crate) fn of(action: Action) -> Glyph {
        match action {
            Action::Click | Action::Dblclick | Action::Contextmenu => Glyph::Pointer,
            Action::Hover => Glyph::Hand,
            Action::Drag => Glyph::Move,
            Action::Fill => Glyph::Pencil,
            Action::Press => Glyph::Key,
            Action::Select => Glyph::List,
            Action::Check => Glyph::Check,
            Action::Uncheck => Glyph::Box,
            Action::Scroll => Glyph::Scroll,
            Action::Upload => Glyph::Up,
            Action::Copy | Action::Cut | Action::Paste => Glyph::Copy,
            Action::Goto => Glyph::Globe,
            Action::Back => Glyph::Back,
            Action::Forward => Glyph::Forward,
            Action::Reload => Glyph::Reload,
            Action::TabOpen | Action::TabSwitch | Action::TabClose => Glyph::Tab,
            Action::Dialog => Glyph::Dialog,
            Action::Wait => Glyph::Clock,
        }
    }

    fn path(self) -> &'static str {
        match self {
            Glyph::Record => "M8 4.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6z",
            Glyph::Pause => "M5.5 4v8M10.5 4v8",
            Glyph::Resume => "M5.5 3.8v8.4L12 8z",
            Glyph::Stop => "M4.5 4.5h7v7h-7z",
            Glyph::Pointer => "M4 2.8l8.4 4.6-3.7 1-1.6 3.6zM9 9l3.2 3.6",
            Glyph::Pencil => "M3 13l.6-3L10.8 2.8l2.4 2.4L6 12.4zM9.3 4.3l2.4 2.4",
            Glyph::Key => "M1.8 4h12.4v8H1.8zM4.2 6.5h.1M7 6.5h.1M9.8 6.5h.1M5 9.6h6",
            Glyph::List => "M2.5 3.5h11v9h-11zM5 7l3 2.6L11 7",
            Glyph::Check => "M2.8 2.8h10.4v10.4H2.8zM5.2 8.2l2 2 3.6-4.2",
            Glyph::Box => "M2.8 2.8h10.4v10.4H2.8z",
            Glyph::Scroll => "M8 2v12M5 4.8L8 2l3 2.8M5 11.2L8 14l3-2.8",
            Glyph::Globe => "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12",
            Glyph::Back => "M13 8H3M7 4L3 8l4 4",
            Glyph::Forward => "M3 8h10M9 4l4 4-4 4",
            Glyph::Reload => "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
            Glyph::Tab => "M2 13V5h5l1.4 2H14v6zM2 5V3h5",
            Glyph::Hand => {
                "M8 2.5v2M3.5 8h-1M13.5 8h-1M4.6 4.6l-.7-.7M11.4 4.6l.7-.7M8 7.5a1.6 1.6 0 0 1 1.6 1.6V14H6.4V9.1A1.6 1.6 0 0 1 8 7.5z"
            }
            Glyph::Move => {
                "M8 2v12M2 8h12M6.5 3.5L8 2l1.5 1.5M6.5 12.5L8 14l1.5-1.5M3.5 6.5L2 8l1.5 1.5M12.5 6.5L14 8l-1.5 1.5"
            }
            Glyph::Up | Glyph::Upload => "M8 10V2.5M5 5.3L8 2.5l3 2.8M2.5 10v3.5h11V10",
            Glyph::Download => "M8 2.5V10M5 7.2L8 10l3-2.8M2.5 10v3.5h11V10",
            Glyph::Copy => "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
            Glyph::Dialog => "M2 3h12v8H8l-3 3v-3H2z",
            Glyph::Clock => "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.4 1.6",
            Glyph::Warning => "M8 2.2l6.3 11.3H1.7zM8 6.5v3.2M8 11.7v.1",
            Glyph::Close => "M4 4l8 8M12 4l-8 8",
            Glyph::Trash => "M2.5 4.2h11M6 4V2.5h4V4M4 4.2l.7 9.3h6.6l.7-9.3M6.7 6.8v4M9.3 6.8v4",
            Glyph::Down => "M8 3v10M4 9l4 4 4-4",
            Glyph::Higher => "M8 13V3M4 7l4-4 4 4",
            Glyph::Undo => "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M6 3.5l-3 3 3 3",
            Glyph::Redo => "M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M10 3.5l3 3-3 3",
            Glyph::Dice => "M2.8 2.8h10.4v10.4H2.8zM5.7 5.7h.1M10.3 5.7h.1M8 8h.1M5.7 10.3h.1M10.3 10.3h.1",
            Glyph::Plug => "M5.5 2v3.5M10.5 2v3.5M3.8 5.5h8.4V8a4.2 4.2 0 0 1-8.4 0zM8 12.2V14",
            Glyph::Target => "M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3",
            Glyph::Report => "M2 13.5h12M3.5 13.5V8M8 13.5v-11M12.5 13.5V6",
            Glyph::Lock => "M3.5 7h9v6.5h-9zM5.5 7V4.8a2.5 2.5 0 0 1 5 0V7",
            Glyph::Bot => "M3 5.5h10v7.5H3zM8 5.5V2.8M6 8.7v.6M10 8.7v.6M1.5 8.5v2M14.5 8.5v2",
            Glyph::Eye => {
                "M1.5 8c2-3.5 4.2-4.7 6.5-4.7S12.5 4.5 14.5 8c-2 3.5-4.2 4.7-6.5 4.7S3.5 11.5 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z"
            }
        }
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct IconProps {
    pub(crate) glyph: Glyph,
    #[prop_or_default]
    pub(crate) class: Classes,
}

/// Draws one.
#[function_component]
pub(crate) fn Icon(props: &IconProps) -> Html {
    let solid = matches!(props.glyph, Glyph::Record | Glyph::Stop | Glyph::Resume).then_some("solid");
    html! {
        <svg class={classes!("icon", solid, props.class.clone())} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={props.glyph.path()} />
        </svg>
    }
}
