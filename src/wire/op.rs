//! The sensors' stream: flat integers with a table of strings for each batch.
//!
//! The constants are the one source: `cargo xtask codegen` writes them to `extension/sensor/wire.js`.
//! Node numbers are given by the sensor, from 1 (the document), and never used again in that document.

/// Defines opcodes, their arity and the list that the generator writes.
macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $arity:literal;)*) => {
        $($(#[$doc])* pub const $name: i32 = $code;)*
        /// Name, code and number of operands of every opcode.
        pub const OPCODES: &[(&str, i32, usize)] = &[$((stringify!($name), $code, $arity)),*];
        fn arity(code: i32) -> Option<usize> {
            match code { $($code => Some($arity),)* _ => None }
        }
    };
}

opcodes! {
    /// `ms×10` since the batch's `t0`: the time of what follows.
    TIME = 1, 1;
    /// A snapshot of the document begins: forget what was known of it.
    RESET = 2, 0;
    /// `id parent previous tag ns`: a new element (`previous` 0: first child). Tag: string. Its attributes follow.
    ELEMENT = 3, 5;
    /// `id parent previous text`.
    TEXT = 4, 4;
    /// `id parent previous text`.
    COMMENT = 5, 4;
    /// `id parent previous name`. Its public and system id follow as attributes, see [`super::op::doctype`].
    DOCTYPE = 6, 4;
    /// `id host mode`: a shadow root; mode 0 open, 1 closed.
    SHADOW = 7, 3;
    /// `id name value`: an attribute; value -1: removed.
    ATTRIBUTE = 8, 3;
    /// `id text`: a text's or comment's new data.
    DATA = 9, 2;
    /// `id parent previous`: an existing node (with its subtree) goes elsewhere.
    MOVE = 10, 3;
    /// `id`: the subtree is gone.
    REMOVE = 11, 1;
    /// `id value secret`: a field's current value (masked at the source when secret is 1).
    VALUE = 12, 3;
    /// `id state`: 0 unchecked, 1 checked, 2 mixed.
    CHECKED = 13, 2;
    /// `id selected`: an option.
    SELECTED = 14, 2;
    /// `id x y`: a container's scroll offset, CSS px (node 1: the document).
    SCROLL = 15, 3;
    /// `id x y width height flags`: CSS px in the frame's own viewport; flags of [`super::op::flag`].
    BOX = 16, 6;
    /// `width height dpr×100 scroll_x scroll_y`.
    VIEWPORT = 17, 5;
    /// `json`: an input event, [`super::fact::Fact`].
    EVENT = 18, 1;
    /// `id token`: this frame element shows the document whose sensor has that token.
    FRAME = 19, 2;
    /// `id`: the focused element, 0 for none.
    FOCUS = 20, 1;
    /// `what`: one of [`super::op::mark`].
    MARK = 21, 1;
    /// `sheet owner base`: a style sheet, numbered by the sensor apart from nodes. Owner: its `style` or `link`
    /// element, 0 for a constructed one. Base: how many rules it has from its text or file, -1 when the page may
    /// not read it. Said again when the browser parsed it anew, which undoes what scripts did to it.
    SHEET = 22, 3;
    /// `sheet index text`: a rule that no text or file of the page holds comes in at `index`.
    RULE = 23, 3;
    /// `sheet index count`: that many rules go.
    UNRULE = 24, 3;
    /// `root index sheet`: the sheet at that place of `adoptedStyleSheets` of a document or shadow root; sheet 0:
    /// the list ends there.
    ADOPT = 25, 3;
    /// `id what value`: what no attribute tells of an element; see [`super::op::state`].
    STATE = 26, 3;
}

/// What [`ATTRIBUTE`] says of a [`DOCTYPE`]; not told where it is empty, nor in streams of older sensors.
pub mod doctype {
    /// The public id.
    pub const PUBLIC: &str = "public";
    /// The system id.
    pub const SYSTEM: &str = "system";
}

/// Flags of [`BOX`].
pub mod flag {
    /// Has a box and is not hidden by style.
    pub const VISIBLE: i32 = 1;
    /// Can receive pointer events.
    pub const POINTER: i32 = 2;
    /// Shows the hand cursor.
    pub const HAND: i32 = 4;
    /// Lies at least partly in the viewport.
    pub const IN_VIEW: i32 = 8;
    /// Laid out as a block (separates words in accessible names).
    pub const BLOCK: i32 = 16;
    /// Stands in its line as one thing (an inline block): separates words in accessible names, not in texts.
    pub const ATOM: i32 = 32;
}

/// Values of [`MARK`].
pub mod mark {
    /// A snapshot is complete.
    pub const SNAPSHOT: i32 = 1;
    /// A measuring pass is complete.
    pub const MEASURED: i32 = 2;
}

/// What [`STATE`] tells, with the meaning of its value.
pub mod state {
    /// A custom element: 0 not defined yet, 1 defined. One that nothing was said of is defined.
    pub const DEFINED: i32 = 1;
    /// 1: a dialog shown as modal or a popover shown; 0: neither.
    pub const TOP_LAYER: i32 = 2;
    /// A canvas: a number that changes with what is drawn, from 0; -1 when the browser does not let it be read.
    pub const CANVAS: i32 = 3;
    /// Audio or video: 1 when paused.
    pub const PAUSED: i32 = 4;
    /// Audio or video: its position, ms.
    pub const POSITION: i32 = 5;
    /// Audio or video: 1 when muted.
    pub const MUTED: i32 = 6;
    /// Audio or video: percent.
    pub const VOLUME: i32 = 7;
    /// Audio or video: speed of play, percent.
    pub const RATE: i32 = 8;
}

/// Namespaces of [`ELEMENT`].
pub mod ns {
    /// XHTML.
    pub const HTML: i32 = 0;
    /// SVG.
    pub const SVG: i32 = 1;
    /// MathML.
    pub const MATHML: i32 = 2;
    /// Any other.
    pub const OTHER: i32 = 3;
}

/// One decoded operation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those documented at the opcodes")]
pub enum Op<'a> {
    /// The time of what follows, ms since the epoch.
    Time(f64),
    Reset,
    Element {
        id: u32,
        parent: u32,
        previous: u32,
        tag: &'a str,
        ns: i32,
    },
    Text {
        id: u32,
        parent: u32,
        previous: u32,
        text: &'a str,
    },
    Comment {
        id: u32,
        parent: u32,
        previous: u32,
        text: &'a str,
    },
    Doctype {
        id: u32,
        parent: u32,
        previous: u32,
        name: &'a str,
    },
    Shadow {
        id: u32,
        host: u32,
        closed: bool,
    },
    Attribute {
        id: u32,
        name: &'a str,
        value: Option<&'a str>,
    },
    Data {
        id: u32,
        text: &'a str,
    },
    Move {
        id: u32,
        parent: u32,
        previous: u32,
    },
    Remove {
        id: u32,
    },
    Value {
        id: u32,
        value: &'a str,
        secret: bool,
    },
    Checked {
        id: u32,
        state: i32,
    },
    Selected {
        id: u32,
        selected: bool,
    },
    Scroll {
        id: u32,
        x: i32,
        y: i32,
    },
    Box {
        id: u32,
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        flags: i32,
    },
    Viewport {
        width: i32,
        height: i32,
        dpr: f64,
        scroll_x: i32,
        scroll_y: i32,
    },
    /// JSON of a [`super::fact::Fact`].
    Event(&'a str),
    Frame {
        id: u32,
        token: &'a str,
    },
    Focus {
        id: u32,
    },
    Mark(i32),
    Sheet {
        sheet: u32,
        owner: u32,
        /// `None`: it may not be read.
        base: Option<u32>,
    },
    Rule {
        sheet: u32,
        index: u32,
        text: &'a str,
    },
    Unrule {
        sheet: u32,
        index: u32,
        count: u32,
    },
    Adopt {
        root: u32,
        index: u32,
        /// 0: the list ends here.
        sheet: u32,
    },
    State {
        id: u32,
        what: i32,
        value: i32,
    },
}

/// Why a stream could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpError {
    /// A number that is no opcode.
    #[error("unknown opcode {code} at position {at} of a batch: the sensor is of another version; reload the page")]
    Unknown {
        /// The number.
        code: i32,
        /// Its position.
        at: usize,
    },
    /// The batch ends within an operation.
    #[error("a batch ends within the operation at position {at}")]
    Torn {
        /// Where the operation began.
        at: usize,
    },
    /// An operand names a string that the batch does not carry, or a node below 0.
    #[error("operand {value} of the operation at position {at} is out of range")]
    Operand {
        /// The operand.
        value: i32,
        /// Where the operation began.
        at: usize,
    },
}

/// Cuts a batch's joined text into its strings; `lengths` count UTF-16 units, as JavaScript does. A character that
/// two strings would share, which only halves of one can make, becomes U+FFFD in both. Never longer than `lengths`,
/// and what the text lacks is empty.
pub fn split(text: &str, lengths: &[i32]) -> Vec<String> {
    let mut rest = text;
    // A unit that the string before took with the first half of its last character.
    let mut owed = 0;
    lengths
        .iter()
        .map(|length| {
            let mut string = String::new();
            let mut left = usize::try_from(*length).unwrap_or(0);
            if left > 0 && owed > 0 {
                string.push(char::REPLACEMENT_CHARACTER);
                left -= 1;
                owed = 0;
            }
            let ascii = rest.as_bytes().iter().take(left).take_while(|byte| byte.is_ascii()).count();
            let (head, tail) = rest.split_at(ascii);
            string.push_str(head);
            rest = tail;
            left -= ascii;
            while left > 0 {
                let Some(next) = rest.chars().next() else { break };
                rest = &rest[next.len_utf8()..];
                if next.len_utf16() > left {
                    string.push(char::REPLACEMENT_CHARACTER);
                    owed = 1;
                    break;
                }
                string.push(next);
                left -= next.len_utf16();
            }
            string
        })
        .collect()
}

/// Reads a batch; stops after the first error.
pub fn decode<'a>(t0: f64, strings: &'a [String], ops: &'a [i32]) -> impl Iterator<Item = Result<Op<'a>, OpError>> {
    let mut at = 0;
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed || at >= ops.len() {
            return None;
        }
        let start = at;
        let result = one(t0, strings, ops, &mut at, start);
        failed = result.is_err();
        Some(result)
    })
}

fn one<'a>(t0: f64, strings: &'a [String], ops: &[i32], at: &mut usize, start: usize) -> Result<Op<'a>, OpError> {
    let code = ops[start];
    let n = arity(code).ok_or(OpError::Unknown { code, at: start })?;
    let a = ops.get(start + 1..start + 1 + n).ok_or(OpError::Torn { at: start })?;
    *at = start + 1 + n;
    let bad = |value: i32| OpError::Operand { value, at: start };
    let node = |value: i32| u32::try_from(value).map_err(|_| bad(value));
    let string = |value: i32| {
        usize::try_from(value).ok().and_then(|i| strings.get(i)).map(String::as_str).ok_or_else(|| bad(value))
    };
    Ok(match code {
        TIME => Op::Time(t0 + f64::from(a[0]) / 10.0),
        RESET => Op::Reset,
        ELEMENT => {
            Op::Element { id: node(a[0])?, parent: node(a[1])?, previous: node(a[2])?, tag: string(a[3])?, ns: a[4] }
        }
        TEXT => Op::Text { id: node(a[0])?, parent: node(a[1])?, previous: node(a[2])?, text: string(a[3])? },
        COMMENT => Op::Comment { id: node(a[0])?, parent: node(a[1])?, previous: node(a[2])?, text: string(a[3])? },
        DOCTYPE => Op::Doctype { id: node(a[0])?, parent: node(a[1])?, previous: node(a[2])?, name: string(a[3])? },
        SHADOW => Op::Shadow { id: node(a[0])?, host: node(a[1])?, closed: a[2] == 1 },
        ATTRIBUTE => Op::Attribute {
            id: node(a[0])?,
            name: string(a[1])?,
            value: if a[2] < 0 { None } else { Some(string(a[2])?) },
        },
        DATA => Op::Data { id: node(a[0])?, text: string(a[1])? },
        MOVE => Op::Move { id: node(a[0])?, parent: node(a[1])?, previous: node(a[2])? },
        REMOVE => Op::Remove { id: node(a[0])? },
        VALUE => Op::Value { id: node(a[0])?, value: string(a[1])?, secret: a[2] == 1 },
        CHECKED => Op::Checked { id: node(a[0])?, state: a[1] },
        SELECTED => Op::Selected { id: node(a[0])?, selected: a[1] == 1 },
        SCROLL => Op::Scroll { id: node(a[0])?, x: a[1], y: a[2] },
        BOX => Op::Box { id: node(a[0])?, x: a[1], y: a[2], width: a[3], height: a[4], flags: a[5] },
        VIEWPORT => {
            Op::Viewport { width: a[0], height: a[1], dpr: f64::from(a[2]) / 100.0, scroll_x: a[3], scroll_y: a[4] }
        }
        EVENT => Op::Event(string(a[0])?),
        FRAME => Op::Frame { id: node(a[0])?, token: string(a[1])? },
        FOCUS => Op::Focus { id: node(a[0])? },
        MARK => Op::Mark(a[0]),
        SHEET => Op::Sheet { sheet: node(a[0])?, owner: node(a[1])?, base: u32::try_from(a[2]).ok() },
        RULE => Op::Rule { sheet: node(a[0])?, index: node(a[1])?, text: string(a[2])? },
        UNRULE => Op::Unrule { sheet: node(a[0])?, index: node(a[1])?, count: node(a[2])? },
        ADOPT => Op::Adopt { root: node(a[0])?, index: node(a[1])?, sheet: node(a[2])? },
        STATE => Op::State { id: node(a[0])?, what: a[1], value: a[2] },
        _ => return Err(OpError::Unknown { code, at: start }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_and_refuses() {
        let strings = vec!["div".to_owned()];
        let ops = [TIME, 15, ELEMENT, 2, 1, 0, 0, ns::HTML];
        let got: Vec<_> = decode(100.0, &strings, &ops).collect();
        assert_eq!(got, [Ok(Op::Time(101.5)), Ok(Op::Element { id: 2, parent: 1, previous: 0, tag: "div", ns: 0 })]);
        let fails = |ops: &[i32]| decode(0.0, &strings, ops).find_map(Result::err);
        assert_eq!(fails(&[99]), Some(OpError::Unknown { code: 99, at: 0 }));
        assert_eq!(fails(&[RESET, REMOVE]), Some(OpError::Torn { at: 1 }));
        assert_eq!(fails(&[DATA, 1, 7]), Some(OpError::Operand { value: 7, at: 0 }));
        assert_eq!(fails(&[REMOVE, -1]), Some(OpError::Operand { value: -1, at: 0 }));
    }

    #[test]
    fn joined_strings_are_cut_where_they_were_joined() {
        let strings = ["div", "", "Grüße", "😀 smile", "語"];
        let lengths: Vec<i32> = strings.iter().map(|s| s.encode_utf16().count() as i32).collect();
        assert_eq!(split(&strings.concat(), &lengths), strings);
        assert_eq!(split("a😀b", &[2, 2]), ["a\u{fffd}", "\u{fffd}b"], "halves that met");
        assert_eq!(split("ab", &[1, 5, 2, -3]), ["a", "b", "", ""], "a text that is too short");
    }

    #[test]
    fn every_opcode_is_decoded() {
        let strings = vec![String::new()];
        for (name, code, arity) in OPCODES {
            let mut ops = vec![*code];
            ops.resize(arity + 1, 0);
            assert!(matches!(decode(0.0, &strings, &ops).next(), Some(Ok(_))), "{name}");
        }
    }
}
