//! Events of rrweb 2.x, for its replayer.
//!
//! [`write()`] folds the trace's stream into a mirror and tells a player what the mirror does: a full snapshot for
//! each document of the tab in front, then mutations, inputs, scrolls, pointers, style sheets. What happened at
//! one instant is one mutation, in the order that the replayer wants: all that goes, then all that comes, each
//! node when its parent and next sibling are there.
//!
//! What the replayer itself changes: a script becomes `noscript`, `onclick` and its kin `_onclick`, `input` and
//! `textarea` get `autocomplete="off"`, style texts with `:hover` get further selectors, and a style sheet of its
//! own comes before `head`. What only this file leaves out is in the loss report.

mod read;
#[cfg(test)]
mod tests;
mod urls;
mod write;

pub(super) use read::{looks_like, read};
pub(super) use write::write;

/// The tag of custom events that carry a step, for reading the file back.
const STEP_TAG: &str = "tracerule.step";
/// The tag of the custom event that carries the trace's header.
const HEADER_TAG: &str = "tracerule.header";

/// Numbers of rrweb's event types.
mod kind {
    pub const FULL: u32 = 2;
    pub const INCREMENTAL: u32 = 3;
    pub const META: u32 = 4;
    pub const CUSTOM: u32 = 5;
}

/// Numbers of rrweb's incremental sources.
mod source {
    pub const MUTATION: u32 = 0;
    pub const MOUSE_MOVE: u32 = 1;
    pub const INTERACTION: u32 = 2;
    pub const SCROLL: u32 = 3;
    pub const RESIZE: u32 = 4;
    pub const INPUT: u32 = 5;
    pub const MEDIA: u32 = 7;
    pub const RULE: u32 = 8;
    pub const ADOPTED: u32 = 15;
    pub const CUSTOM_ELEMENT: u32 = 16;
}

/// Numbers of rrweb's mouse interactions.
mod mouse {
    pub const UP: u32 = 0;
    pub const DOWN: u32 = 1;
    pub const CLICK: u32 = 2;
    pub const MENU: u32 = 3;
    pub const DOUBLE: u32 = 4;
    pub const FOCUS: u32 = 5;
    pub const BLUR: u32 = 6;
    pub const TOUCH_START: u32 = 7;
    pub const TOUCH_END: u32 = 9;
    pub const TOUCH_CANCEL: u32 = 10;
}
