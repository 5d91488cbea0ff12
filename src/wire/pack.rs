//! Entries of the log in few bytes, without loss: what a trace's DOM chunks and the extension's store keep.
//!
//! Values of one kind lie together and are told as differences from what was to be expected, so that the browser's
//! own compression finds long runs of the same byte. A pack is self-contained; packs made of the same entries
//! are the same bytes. Nothing here compresses: the archive does, and the store.
//!
//! `TRP1`, the number of entries, then columns, each with its number and length in front; all numbers are LEB128,
//! signed ones zigzag. [`mod@column`] numbers them; a column that is absent is empty. Operations are cut into a column
//! of codes and one for each operand of each code; facts into a shape and what fills it (`super::shape`).

use super::log::{Batch, Entry};
use super::op::{self, OPCODES};
use super::shape::{Looks, Shapes};

/// What a pack begins with.
pub const MAGIC: &[u8; 4] = b"TRP1";

/// The columns that are not operands. Operand `i` of opcode `c` is column `FIRST + c * WIDTH + i`.
mod column {
    /// For each entry 0 (JSON) or 1 (batch).
    pub const KINDS: usize = 0;
    /// JSON of the other entries, length first.
    pub const JSON: usize = 1;
    /// Tokens of documents, length first, in order of appearance.
    pub const DOCS: usize = 2;
    /// For each batch: document, sequence number, number of strings.
    pub const HEADS: usize = 3;
    /// For each batch its `t0`.
    pub const TIMES: usize = 4;
    /// Opcodes; 0 ends a batch, and 255 says that integers which are no operations follow in `REST`.
    pub const CODES: usize = 5;
    /// Integers that could not be read as operations: how many, and each.
    pub const REST: usize = 6;
    /// Lengths of strings in bytes.
    pub const LENGTHS: usize = 7;
    /// Names and attributes.
    pub const NAMES: usize = 8;
    /// Texts.
    pub const TEXTS: usize = 9;
    /// Values of fields: what is kept of the end of the last one, and what follows.
    pub const VALUES: usize = 10;
    /// Shapes of facts.
    pub const SHAPES: usize = 11;
    /// Numbers in facts.
    pub const NUMBERS: usize = 12;
    /// Strings in facts.
    pub const WORDS: usize = 13;
    /// What names and texts look like without their numbers: 0 one that is told whole, 1 a new one, others from 2.
    pub const LOOKS: usize = 14;
    /// Their numbers.
    pub const COUNTS: usize = 15;
    /// The first operand column.
    pub const FIRST: usize = 16;
    /// Room for the operands of one opcode.
    pub const WIDTH: usize = 8;
    /// All.
    pub const COUNT: usize = FIRST + 256 * WIDTH;
}

/// Why a pack could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// It does not begin as one.
    #[error("not a pack of log entries")]
    Magic,
    /// It ends too early, or a number in it makes no sense.
    #[error("a pack of log entries is damaged in column {column}")]
    Damaged {
        /// Where.
        column: usize,
    },
    /// An entry that is not valid JSON.
    #[error("entry {entry} of a pack cannot be read: {why}")]
    Json {
        /// Its place in the pack.
        entry: usize,
        /// The parser's words.
        why: String,
    },
}

/// The kind of string an operand names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Name,
    Data,
    Value,
    Fact,
}

/// Which operands are positions in the batch's strings. One that is left out here costs bytes and no truth.
fn text(code: i32, operand: usize) -> Option<Text> {
    match (code, operand) {
        (op::ELEMENT, 3) | (op::DOCTYPE, 3) | (op::ATTRIBUTE, 1 | 2) | (op::FRAME, 1) => Some(Text::Name),
        (op::TEXT | op::COMMENT, 3) | (op::DATA, 1) | (op::RULE, 2) => Some(Text::Data),
        (op::VALUE, 1) => Some(Text::Value),
        (op::EVENT, 0) => Some(Text::Fact),
        _ => None,
    }
}

fn arity(code: i32) -> Option<usize> {
    OPCODES.iter().find(|(_, c, _)| *c == code).map(|(_, _, arity)| *arity)
}

// ---- numbers

pub(super) fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push((n as u8) | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

pub(super) fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

/// A column being read.
#[derive(Clone, Copy, Default)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    column: usize,
}

impl<'a> Reader<'a> {
    /// Over bytes of no column.
    #[cfg(test)]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, column: usize::MAX }
    }

    fn damaged(&self) -> PackError {
        PackError::Damaged { column: self.column }
    }

    pub fn number(&mut self) -> Result<u64, PackError> {
        let mut n = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.bytes.split_first().ok_or_else(|| self.damaged())?;
            self.bytes = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(self.damaged())
    }

    pub fn signed(&mut self) -> Result<i64, PackError> {
        let n = self.number()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    pub fn size(&mut self) -> Result<usize, PackError> {
        usize::try_from(self.number()?).map_err(|_| self.damaged())
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], PackError> {
        let (head, rest) = self.bytes.split_at_checked(length).ok_or_else(|| self.damaged())?;
        self.bytes = rest;
        Ok(head)
    }

    pub fn text(&mut self, length: usize) -> Result<&'a str, PackError> {
        let column = self.column;
        std::str::from_utf8(self.take(length)?).map_err(|_| PackError::Damaged { column })
    }

    fn byte(&mut self) -> Result<u8, PackError> {
        Ok(self.take(1)?[0])
    }
}

// ---- what is expected

/// What operands are likely to be; the same on both sides. All wraps: nonsense is kept as it is.
#[derive(Default)]
struct Guess {
    /// The last value of each operand column.
    last: Vec<i32>,
    /// The number given to the last new node.
    fresh: i32,
    /// The parent of the node placed last, and that node.
    parent: i32,
    placed: i32,
    /// The element whose attributes are told.
    element: i32,
    /// The next string of the batch that was not used yet.
    string: i32,
}

impl Guess {
    fn new() -> Guess {
        Guess { last: vec![0; 256 * column::WIDTH], ..Guess::default() }
    }

    /// The value that would be told as 0.
    fn expect(&self, code: i32, operand: usize, before: &[i32]) -> i32 {
        match (code, operand) {
            (op::ELEMENT | op::TEXT | op::COMMENT | op::DOCTYPE | op::SHADOW, 0) => self.fresh.wrapping_add(1),
            (op::ELEMENT | op::TEXT | op::COMMENT | op::DOCTYPE, 1) | (op::MOVE, 1) => self.parent,
            (op::ELEMENT | op::TEXT | op::COMMENT | op::DOCTYPE | op::MOVE, 2) => {
                if before.get(1) == Some(&self.parent) { self.placed } else { 0 }
            }
            (op::ATTRIBUTE, 0) => self.element,
            _ => self.last[code as usize * column::WIDTH + operand],
        }
    }

    fn learn(&mut self, code: i32, operands: &[i32]) {
        for (i, value) in operands.iter().enumerate() {
            self.last[code as usize * column::WIDTH + i] = *value;
        }
        let first = operands.first().copied().unwrap_or_default();
        match code {
            op::ELEMENT | op::TEXT | op::COMMENT | op::DOCTYPE => {
                self.fresh = first;
                (self.parent, self.placed) = (operands[1], first);
                self.element = first;
            }
            op::SHADOW => self.fresh = first,
            op::MOVE => (self.parent, self.placed) = (operands[1], first),
            op::ATTRIBUTE => self.element = first,
            _ => {}
        }
    }
}

/// A position among strings: 0 is the next unused one, others count from 1; a negative one is told as it is.
fn position_out(value: i32, next: i32) -> i64 {
    if value == next {
        0
    } else if value >= 0 {
        i64::from(value) + 1
    } else {
        i64::from(value)
    }
}

fn position_in(told: i64, next: i32) -> Option<i32> {
    match told {
        0 => Some(next),
        1.. => i32::try_from(told - 1).ok(),
        _ => i32::try_from(told).ok(),
    }
}

/// Tenths of a ms, where that says the same.
pub(super) fn tenths(t: f64) -> Option<i64> {
    let tenths = (t * 10.0).round();
    (tenths.abs() < 9e15 && (tenths / 10.0).to_bits() == t.to_bits()).then_some(tenths as i64)
}

// ---- packing

struct Packer {
    columns: Vec<Vec<u8>>,
    docs: Vec<String>,
    seqs: Vec<u32>,
    guess: Guess,
    time: i64,
    value: String,
    shapes: Shapes,
    looks: Looks,
}

/// Packs entries.
pub fn pack(entries: &[Entry]) -> Vec<u8> {
    let mut packer = Packer {
        columns: vec![Vec::new(); column::COUNT],
        docs: Vec::new(),
        seqs: Vec::new(),
        guess: Guess::new(),
        time: 0,
        value: String::new(),
        shapes: Shapes::default(),
        looks: Looks::default(),
    };
    let mut count = 0;
    for entry in entries {
        if let Entry::Batch(batch) = entry {
            packer.columns[column::KINDS].push(1);
            packer.batch(batch);
        } else {
            // Nothing in these types can fail to become JSON.
            let Ok(json) = serde_json::to_vec(entry) else { continue };
            packer.columns[column::KINDS].push(0);
            put(&mut packer.columns[column::JSON], json.len() as u64);
            packer.columns[column::JSON].extend_from_slice(&json);
        }
        count += 1;
    }
    let mut out = MAGIC.to_vec();
    put(&mut out, count);
    for (number, bytes) in packer.columns.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty()) {
        put(&mut out, number as u64);
        put(&mut out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
    out
}

impl Packer {
    fn batch(&mut self, batch: &Batch) {
        let doc = self.docs.iter().position(|doc| *doc == batch.doc).unwrap_or_else(|| {
            put(&mut self.columns[column::DOCS], batch.doc.len() as u64);
            self.columns[column::DOCS].extend_from_slice(batch.doc.as_bytes());
            self.docs.push(batch.doc.clone());
            self.seqs.push(0);
            self.docs.len() - 1
        });
        let heads = &mut self.columns[column::HEADS];
        put(heads, doc as u64);
        put(heads, zigzag(i64::from(batch.seq) - i64::from(self.seqs[doc])));
        put(heads, batch.strings.len() as u64);
        self.seqs[doc] = batch.seq.wrapping_add(1);
        let times = &mut self.columns[column::TIMES];
        let t0 = match tenths(batch.t0) {
            Some(t0) => {
                put(times, zigzag(t0 - self.time) << 1);
                self.time = t0;
                t0
            }
            None => {
                put(times, 1);
                times.extend_from_slice(&batch.t0.to_le_bytes());
                0
            }
        };
        let uses = self.operations(batch, t0);
        for (string, (kind, time)) in batch.strings.iter().zip(uses) {
            self.string(string, kind, time);
        }
    }

    /// Writes the operations; gives what each string is and when it was first used.
    fn operations(&mut self, batch: &Batch, t0: i64) -> Vec<(Text, i64)> {
        let mut uses = vec![None; batch.strings.len()];
        let mut now = t0;
        self.guess.string = 0;
        let mut rest = batch.ops.as_slice();
        while let Some((code, tail)) = rest.split_first() {
            let known = arity(*code).filter(|_| (1..255).contains(code)).and_then(|n| tail.split_at_checked(n));
            let Some((operands, after)) = known else {
                self.columns[column::CODES].push(255);
                put(&mut self.columns[column::REST], rest.len() as u64);
                rest.iter().for_each(|n| put(&mut self.columns[column::REST], zigzag(i64::from(*n))));
                break;
            };
            self.columns[column::CODES].push(*code as u8);
            for (i, value) in operands.iter().enumerate() {
                let told = match text(*code, i) {
                    Some(kind) => {
                        let told = position_out(*value, self.guess.string);
                        note(&mut uses, &mut self.guess.string, *value, kind, now);
                        told
                    }
                    None => i64::from(value.wrapping_sub(self.guess.expect(*code, i, operands))),
                };
                put(&mut self.columns[column::FIRST + *code as usize * column::WIDTH + i], zigzag(told));
            }
            self.guess.learn(*code, operands);
            if *code == op::TIME {
                now = t0 + i64::from(operands[0]);
            }
            rest = after;
        }
        self.columns[column::CODES].push(0);
        uses.into_iter().map(|used| used.unwrap_or((Text::Name, t0))).collect()
    }

    fn string(&mut self, string: &str, kind: Text, time: i64) {
        match kind {
            Text::Name | Text::Data => {
                let to = if kind == Text::Name { column::NAMES } else { column::TEXTS };
                let at = [column::LOOKS, column::COUNTS, column::LENGTHS, to];
                // Four different numbers below the count: never refused.
                if let Ok([looks, counts, lengths, to]) = self.columns.get_disjoint_mut(at) {
                    self.looks.write(string, looks, counts, lengths, to);
                }
            }
            Text::Value => put_after(&mut self.columns[column::VALUES], &mut self.value, string),
            Text::Fact => {
                let at = [column::SHAPES, column::NUMBERS, column::WORDS];
                // Three different numbers below the count: never refused.
                if let Ok([shapes, numbers, words]) = self.columns.get_disjoint_mut(at) {
                    self.shapes.write(string, time, shapes, numbers, words);
                }
            }
        }
    }
}

/// Takes note of a string's use; `next` is the first that no operation has named.
fn note(uses: &mut [Option<(Text, i64)>], next: &mut i32, value: i32, kind: Text, now: i64) {
    if let Some(used) = usize::try_from(value).ok().and_then(|at| uses.get_mut(at)) {
        used.get_or_insert((kind, now));
        *next = (*next).max(value.saturating_add(1));
    }
}

/// Writes a string as what it shares with the beginning of the last one, against all of that, and what follows.
pub(super) fn put_after(out: &mut Vec<u8>, last: &mut String, string: &str) {
    let mut shared = last.bytes().zip(string.bytes()).take_while(|(a, b)| a == b).count();
    while !string.is_char_boundary(shared) {
        shared -= 1;
    }
    put(out, (last.len() - shared) as u64);
    put(out, (string.len() - shared) as u64);
    out.extend_from_slice(&string.as_bytes()[shared..]);
    string.clone_into(last);
}

pub(super) fn take_after(from: &mut Reader<'_>, last: &mut String) -> Result<String, PackError> {
    let less = from.size()?;
    let length = from.size()?;
    let keep = last.len().checked_sub(less).and_then(|keep| last.get(..keep)).ok_or_else(|| from.damaged())?;
    let mut string = keep.to_owned();
    string.push_str(from.text(length)?);
    last.clone_from(&string);
    Ok(string)
}

// ---- unpacking

/// Whether bytes are a pack.
pub fn is_pack(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The entries of a DOM chunk: a pack, or JSON Lines as traces were first written. What cannot be read is told in
/// its place.
pub fn read(bytes: &[u8]) -> Vec<Result<Entry, String>> {
    if is_pack(bytes) {
        return match unpack(bytes) {
            Ok(entries) => entries.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error.to_string())],
        };
    }
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(|e| e.to_string())).collect()
}

/// The entries of a pack.
///
/// # Errors
/// When it is damaged; nothing of it is given then.
pub fn unpack(bytes: &[u8]) -> Result<Vec<Entry>, PackError> {
    let body = bytes.strip_prefix(MAGIC.as_slice()).ok_or(PackError::Magic)?;
    let mut from = Reader { bytes: body, column: usize::MAX };
    let count = from.size()?;
    let mut columns: Vec<Reader<'_>> = (0..column::COUNT).map(|column| Reader { bytes: &[], column }).collect();
    while !from.bytes.is_empty() {
        let number = from.size()?;
        let length = from.size()?;
        let bytes = from.take(length)?;
        columns.get_mut(number).ok_or(PackError::Damaged { column: number })?.bytes = bytes;
    }
    let mut unpacker = Unpacker {
        length: bytes.len(),
        columns,
        docs: Vec::new(),
        seqs: Vec::new(),
        guess: Guess::new(),
        time: 0,
        value: String::new(),
        shapes: Shapes::default(),
        looks: Looks::default(),
    };
    let mut entries = Vec::new();
    for entry in 0..count {
        if unpacker.columns[column::KINDS].byte()? == 1 {
            entries.push(Entry::Batch(unpacker.batch()?));
        } else {
            let length = unpacker.columns[column::JSON].size()?;
            let json = unpacker.columns[column::JSON].take(length)?;
            let read = serde_json::from_slice(json).map_err(|e| PackError::Json { entry, why: e.to_string() })?;
            entries.push(read);
        }
    }
    Ok(entries)
}

/// What each string of a batch is and when it was first used, in tenths of a ms, where an operation names it.
type Uses = Vec<Option<(Text, i64)>>;

struct Unpacker<'a> {
    length: usize,
    columns: Vec<Reader<'a>>,
    docs: Vec<String>,
    seqs: Vec<u32>,
    guess: Guess,
    time: i64,
    value: String,
    shapes: Shapes,
    looks: Looks,
}

impl Unpacker<'_> {
    fn batch(&mut self) -> Result<Batch, PackError> {
        let heads = &mut self.columns[column::HEADS];
        let doc = heads.size()?;
        let step = heads.signed()?;
        let strings = heads.size()?;
        let damaged = heads.damaged();
        if doc == self.docs.len() {
            let length = self.columns[column::DOCS].size()?;
            self.docs.push(self.columns[column::DOCS].text(length)?.to_owned());
            self.seqs.push(0);
        }
        let token = self.docs.get(doc).ok_or_else(|| damaged.clone())?.clone();
        let seq = u32::try_from(i64::from(self.seqs[doc]).wrapping_add(step)).map_err(|_| damaged.clone())?;
        self.seqs[doc] = seq.wrapping_add(1);
        let times = &mut self.columns[column::TIMES];
        let told = times.number()?;
        let (start, t0) = if told & 1 == 0 {
            let step = (told >> 2) as i64 ^ -((told >> 1 & 1) as i64);
            self.time = self.time.wrapping_add(step);
            (self.time, self.time as f64 / 10.0)
        } else {
            let bytes = times.take(8)?;
            (0, f64::from_le_bytes(bytes.try_into().map_err(|_| PackError::Damaged { column: column::TIMES })?))
        };
        // Each takes a byte at least.
        let uses = if strings <= self.length { vec![None; strings] } else { return Err(damaged.clone()) };
        let (ops, uses) = self.operations(start, uses)?;
        let mut all = Vec::new();
        for i in 0..strings {
            let (kind, time) = uses.get(i).copied().flatten().unwrap_or((Text::Name, start));
            all.push(self.string(kind, time)?);
        }
        Ok(Batch { doc: token, seq, t0, strings: all, ops })
    }

    /// Reads the operations, and notes what each string is and when it was first used.
    fn operations(&mut self, t0: i64, mut uses: Uses) -> Result<(Vec<i32>, Uses), PackError> {
        let mut ops = Vec::new();
        let mut now = t0;
        self.guess.string = 0;
        loop {
            let code = match self.columns[column::CODES].byte()? {
                0 => return Ok((ops, uses)),
                255 => {
                    let rest = &mut self.columns[column::REST];
                    for _ in 0..rest.size()? {
                        ops.push(int(rest.signed()?, column::REST)?);
                    }
                    continue;
                }
                code => i32::from(code),
            };
            let arity = arity(code).ok_or(PackError::Damaged { column: column::CODES })?;
            ops.push(code);
            let start = ops.len();
            for i in 0..arity {
                let at = column::FIRST + code as usize * column::WIDTH + i;
                let told = self.columns[at].signed()?;
                let value = match text(code, i) {
                    Some(kind) => {
                        let next = self.guess.string;
                        let value = position_in(told, next).ok_or(PackError::Damaged { column: at })?;
                        note(&mut uses, &mut self.guess.string, value, kind, now);
                        value
                    }
                    None => self.guess.expect(code, i, &ops[start..]).wrapping_add(int(told, at)?),
                };
                ops.push(value);
            }
            let operands = ops[start..].to_vec();
            self.guess.learn(code, &operands);
            if code == op::TIME {
                now = t0.wrapping_add(i64::from(operands[0]));
            }
        }
    }

    fn string(&mut self, kind: Text, time: i64) -> Result<String, PackError> {
        match kind {
            Text::Name | Text::Data => {
                let from = if kind == Text::Name { column::NAMES } else { column::TEXTS };
                let at = [column::LOOKS, column::COUNTS, column::LENGTHS, from];
                let [looks, counts, lengths, from] =
                    self.columns.get_disjoint_mut(at).map_err(|_| PackError::Damaged { column: column::LOOKS })?;
                self.looks.read(looks, counts, lengths, from)
            }
            Text::Value => take_after(&mut self.columns[column::VALUES], &mut self.value),
            Text::Fact => {
                let at = [column::SHAPES, column::NUMBERS, column::WORDS];
                let [shapes, numbers, words] =
                    self.columns.get_disjoint_mut(at).map_err(|_| PackError::Damaged { column: column::SHAPES })?;
                self.shapes.read(time, shapes, numbers, words)
            }
        }
    }
}

fn int(told: i64, column: usize) -> Result<i32, PackError> {
    i32::try_from(told).map_err(|_| PackError::Damaged { column })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn batch(seq: u32, t0: f64, strings: &[&str], ops: &[i32]) -> Entry {
        let strings = strings.iter().map(|s| (*s).to_owned()).collect();
        Entry::Batch(Batch { doc: "d".to_owned(), seq, t0, strings, ops: ops.to_vec() })
    }

    #[test]
    fn entries_come_back() {
        let key =
            r#"{"t":1764510000123.4,"n":5,"trusted":true,"url":"http://a/","k":"keydown","key":"a","code":"KeyA"}"#;
        let entries = [
            Entry::Pause { t: 1.5 },
            batch(
                0,
                1_764_510_000_120.1,
                &["div", "class", "row", "Row 1", key, "Ro"],
                &[
                    op::TIME,
                    5,
                    op::RESET,
                    op::ELEMENT,
                    2,
                    1,
                    0,
                    0,
                    0,
                    op::ATTRIBUTE,
                    2,
                    1,
                    2,
                    op::TEXT,
                    3,
                    2,
                    0,
                    3,
                    op::TIME,
                    33,
                    op::EVENT,
                    4,
                    op::VALUE,
                    2,
                    5,
                    0,
                    op::ATTRIBUTE,
                    2,
                    1,
                    -1,
                ],
            ),
            batch(1, 0.123_456, &["unused", "😀"], &[op::DATA, 3, 1, op::MOVE, 3, 1, 2]),
            batch(7, f64::from(u32::MAX), &[], &[99, 1, 2]),
            batch(8, 5.0, &["x"], &[op::DATA, 3]),
            batch(9, 5.0, &["x"], &[op::DATA, i32::MIN, 1 << 20, op::BOX, i32::MAX, -1, 2, 3, 4, 5]),
            Entry::Gone { doc: "d".to_owned(), t: 2.0 },
        ];
        let packed = pack(&entries);
        assert!(is_pack(&packed));
        assert_eq!(unpack(&packed).unwrap(), entries);
        assert_eq!(unpack(&pack(&[])).unwrap(), []);
    }

    #[test]
    fn what_is_to_be_expected_costs_next_to_nothing() {
        let mut ops = Vec::new();
        for i in 0..1000 {
            ops.extend([op::ELEMENT, 10 + i, 2, if i == 0 { 0 } else { 9 + i }, 0, 0]);
        }
        let packed = pack(&[batch(0, 1.0, &["li"], &ops)]);
        let zeros = packed.iter().filter(|byte| matches!(byte, 0 | 2 | 3)).count();
        assert!(packed.len() - zeros < 60, "{} bytes that say something", packed.len() - zeros);
    }

    #[test]
    fn numbers_in_texts_are_told_as_steps() {
        let texts: Vec<String> = (0..1000).map(|i| format!("Row {}", 31 * i % 9973)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let ops: Vec<i32> = (0..1000).flat_map(|i| [op::DATA, 10 + i, i]).collect();
        let entry = batch(0, 1.0, &texts, &ops);
        let packed = pack(std::slice::from_ref(&entry));
        assert!(packed.len() < 5200, "{}", packed.len());
        assert_eq!(unpack(&packed).unwrap(), [entry]);
    }

    #[test]
    fn damage_is_told() {
        let packed = pack(&[batch(0, 1.0, &["a"], &[op::TEXT, 2, 1, 0, 0])]);
        assert_eq!(unpack(b"no"), Err(PackError::Magic));
        for cut in MAGIC.len()..packed.len() {
            assert!(unpack(&packed[..cut]).is_err(), "cut at {cut}");
        }
    }

    proptest! {
        #[test]
        fn anything_comes_back(
            seq: u32, t0 in any::<f64>().prop_filter("a time", |t| t.is_finite()),
            strings in prop::collection::vec(".{0,8}", 0..6),
            ops in prop::collection::vec(prop_oneof![0..24_i32, -3..9_i32, any::<i32>()], 0..40),
        ) {
            let entry = Entry::Batch(Batch { doc: "d".to_owned(), seq, t0, strings, ops });
            let entries = [entry.clone(), entry];
            prop_assert_eq!(unpack(&pack(&entries)).unwrap(), entries);
        }

        #[test]
        fn nothing_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&bytes);
            bytes.splice(0..0, MAGIC.iter().copied());
            let _ = unpack(&bytes);
        }
    }
}
