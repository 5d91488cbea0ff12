//! JSON of facts, cut into a shape and what fills it: facts of one kind differ in numbers and words only. Names and
//! texts likewise: those of a list or table differ in numbers.

use std::collections::HashMap;

use super::pack::{PackError, Reader, put, put_after, take_after, zigzag};

/// Stands in a shape for a whole number.
const WHOLE: char = '\u{1}';
/// Stands for a number with one decimal.
const TENTH: char = '\u{2}';
/// Stands for what is between a string's quotation marks.
const WORD: char = '\u{3}';
/// Stands for any other number.
const OTHER: char = '\u{4}';

/// What was seen so far; the same on both sides.
#[derive(Default)]
pub(super) struct Shapes {
    known: HashMap<String, usize>,
    all: Vec<Shape>,
}

struct Shape {
    text: String,
    numbers: Vec<i64>,
    words: Vec<String>,
}

impl Shape {
    fn new(text: &str) -> Shape {
        let slots = |marks: &[char]| text.chars().filter(|c| marks.contains(c)).count();
        Shape {
            numbers: vec![0; slots(&[WHOLE, TENTH])],
            words: vec![String::new(); slots(&[WORD, OTHER])],
            text: text.to_owned(),
        }
    }
}

impl Shapes {
    /// Writes a fact. `time` is when the stream says it happened, in tenths of a ms: most facts begin with that.
    pub fn write(&mut self, json: &str, time: i64, shapes: &mut Vec<u8>, numbers: &mut Vec<u8>, words: &mut Vec<u8>) {
        let Some((text, found, strings)) = cut(json) else {
            // Not as the sensor writes it: kept whole, as a shape that nothing fills.
            put(shapes, 0);
            put(shapes, json.len() as u64);
            shapes.extend_from_slice(json.as_bytes());
            return;
        };
        let at = match self.known.get(&text) {
            Some(at) => *at,
            None => {
                put(shapes, 1);
                put(shapes, text.len() as u64);
                shapes.extend_from_slice(text.as_bytes());
                self.add(&text)
            }
        };
        put(shapes, at as u64 + 2);
        let shape = &mut self.all[at];
        for (slot, value) in found.into_iter().enumerate() {
            let expected = if slot == 0 { time } else { shape.numbers[slot] };
            put(numbers, zigzag(value.wrapping_sub(expected)));
            shape.numbers[slot] = value;
        }
        for (slot, word) in strings.into_iter().enumerate() {
            put_after(words, &mut shape.words[slot], word);
        }
    }

    pub fn read(
        &mut self,
        time: i64,
        shapes: &mut Reader<'_>,
        numbers: &mut Reader<'_>,
        words: &mut Reader<'_>,
    ) -> Result<String, PackError> {
        let mut told = shapes.size()?;
        if told < 2 {
            let length = shapes.size()?;
            let text = shapes.text(length)?;
            if told == 0 {
                return Ok(text.to_owned());
            }
            self.add(text);
            told = shapes.size()?;
        }
        let shape =
            told.checked_sub(2).and_then(|at| self.all.get_mut(at)).ok_or(PackError::Damaged { column: usize::MAX })?;
        let mut json = String::with_capacity(shape.text.len() + 32);
        let (mut number, mut word) = (0, 0);
        for c in shape.text.chars() {
            match c {
                WHOLE | TENTH => {
                    let expected = if number == 0 { time } else { shape.numbers[number] };
                    let value = expected.wrapping_add(numbers.signed()?);
                    shape.numbers[number] = value;
                    number += 1;
                    show(&mut json, value, c == TENTH);
                }
                WORD | OTHER => {
                    json.push_str(&take_after(words, &mut shape.words[word])?);
                    word += 1;
                }
                c => json.push(c),
            }
        }
        Ok(json)
    }

    fn add(&mut self, text: &str) -> usize {
        self.all.push(Shape::new(text));
        self.known.insert(text.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }
}

/// A number in tenths, as JavaScript writes it.
fn show(json: &mut String, value: i64, tenth: bool) {
    use std::fmt::Write;
    // Writing into a String cannot fail.
    let _ = if tenth {
        let sign = if value < 0 { "-" } else { "" };
        write!(json, "{sign}{}.{}", value.unsigned_abs() / 10, value.unsigned_abs() % 10)
    } else {
        write!(json, "{}", value / 10)
    };
}

/// Shape, numbers in tenths, strings; `None` for what has marks of ours in it or ends within a string.
fn cut(json: &str) -> Option<(String, Vec<i64>, Vec<&str>)> {
    if json.bytes().any(|b| b < 8) {
        return None;
    }
    let (mut text, mut numbers, mut words) = (String::with_capacity(json.len()), Vec::new(), Vec::new());
    let bytes = json.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let inner = json.get(start + 1..at)?;
                at += 1;
                if bytes.get(at) == Some(&b':') {
                    text.push_str(&json[start..at]);
                } else {
                    text.push('"');
                    text.push(WORD);
                    text.push('"');
                    words.push(inner);
                }
            }
            b'-' | b'0'..=b'9' => {
                while bytes.get(at).is_some_and(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
                    at += 1;
                }
                let literal = &json[start..at];
                match number(literal) {
                    Some((value, tenth)) => {
                        text.push(if tenth { TENTH } else { WHOLE });
                        numbers.push(value);
                    }
                    None => {
                        text.push(OTHER);
                        words.push(literal);
                    }
                }
            }
            _ => {
                at += 1;
                while bytes.get(at).is_some_and(|b| !matches!(b, b'"' | b'-' | b'0'..=b'9')) {
                    at += 1;
                }
                text.push_str(&json[start..at]);
            }
        }
    }
    Some((text, numbers, words))
}

/// A literal in tenths and whether it shows them, if it would be written the same again.
fn number(literal: &str) -> Option<(i64, bool)> {
    let (whole, decimal) = literal.split_once('.').unwrap_or((literal, ""));
    if literal.len() > 16 || decimal.len() > 1 {
        return None;
    }
    let value: i64 = format!("{whole}{}", if decimal.is_empty() { "0" } else { decimal }).parse().ok()?;
    let mut again = String::new();
    show(&mut again, value, !decimal.is_empty());
    (again == literal).then_some((value, !decimal.is_empty()))
}

/// The longest string whose numbers are looked at, bytes.
const LONGEST: usize = 64;

/// Names and texts without their numbers, seen so far; the same on both sides.
#[derive(Default)]
pub(super) struct Looks {
    known: HashMap<String, usize>,
    all: Vec<(String, Vec<i64>)>,
}

impl Looks {
    pub fn write(
        &mut self,
        string: &str,
        looks: &mut Vec<u8>,
        counts: &mut Vec<u8>,
        lengths: &mut Vec<u8>,
        bytes: &mut Vec<u8>,
    ) {
        let mut whole = |text: &str| {
            put(lengths, text.len() as u64);
            bytes.extend_from_slice(text.as_bytes());
        };
        let Some((look, numbers)) = counted(string) else {
            put(looks, 0);
            return whole(string);
        };
        let at = match self.known.get(&look) {
            Some(at) => {
                put(looks, *at as u64 + 2);
                *at
            }
            None => {
                put(looks, 1);
                whole(&look);
                self.add(&look)
            }
        };
        for (last, number) in self.all[at].1.iter_mut().zip(numbers) {
            put(counts, zigzag(number.wrapping_sub(*last)));
            *last = number;
        }
    }

    pub fn read(
        &mut self,
        looks: &mut Reader<'_>,
        counts: &mut Reader<'_>,
        lengths: &mut Reader<'_>,
        bytes: &mut Reader<'_>,
    ) -> Result<String, PackError> {
        let told = looks.size()?;
        let at = match told {
            0 | 1 => {
                let length = lengths.size()?;
                let text = bytes.text(length)?;
                if told == 0 {
                    return Ok(text.to_owned());
                }
                self.add(text)
            }
            known => known - 2,
        };
        let (look, numbers) = self.all.get_mut(at).ok_or(PackError::Damaged { column: usize::MAX })?;
        let mut string = String::with_capacity(look.len() + 8);
        let mut slot = numbers.iter_mut();
        for c in look.chars() {
            match (c, if c == WHOLE { slot.next() } else { None }) {
                (_, Some(last)) => {
                    *last = last.wrapping_add(counts.signed()?);
                    string.push_str(&last.to_string());
                }
                (c, None) => string.push(c),
            }
        }
        Ok(string)
    }

    fn add(&mut self, look: &str) -> usize {
        self.all.push((look.to_owned(), vec![0; look.chars().filter(|c| *c == WHOLE).count()]));
        self.known.insert(look.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }
}

/// A short string with its whole numbers cut out; `None` for what has marks of ours in it.
fn counted(string: &str) -> Option<(String, Vec<i64>)> {
    if string.len() > LONGEST || string.bytes().any(|b| b < 8) {
        return None;
    }
    let (mut look, mut numbers) = (String::with_capacity(string.len()), Vec::new());
    let mut rest = string;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, tail) = rest.split_at(start);
        look.push_str(before);
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let (digits, after) = tail.split_at(end);
        // Only what is written again the same.
        match digits.parse::<i64>() {
            Ok(number) if digits.len() == 1 || (digits.len() < 16 && !digits.starts_with('0')) => {
                look.push(WHOLE);
                numbers.push(number);
            }
            _ => look.push_str(digits),
        }
        rest = after;
    }
    look.push_str(rest);
    Some((look, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_to_the_letter() {
        let texts =
            ["", "Row 7", "Row 8", "007", "0", "1.50 €", "99999999999999999999", "a\u{1}b", "12 of 130", "ü9", "9"];
        let (mut looks, mut counts, mut lengths, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut out = Looks::default();
        for text in texts {
            out.write(text, &mut looks, &mut counts, &mut lengths, &mut bytes);
        }
        let mut back = Looks::default();
        let (mut a, mut b) = (Reader::new(&looks), Reader::new(&counts));
        let (mut c, mut d) = (Reader::new(&lengths), Reader::new(&bytes));
        for text in texts {
            assert_eq!(back.read(&mut a, &mut b, &mut c, &mut d).unwrap(), text);
        }
    }

    #[test]
    fn facts_come_back_to_the_letter() {
        let facts = [
            r#"{"t":1764510000123.4,"n":12,"trusted":true,"url":"http://a/","k":"keydown","key":"a","mods":[]}"#,
            r#"{"t":1764510000223.5,"n":12,"trusted":true,"url":"http://a/","k":"keydown","key":"ü\"\\","mods":["Alt"]}"#,
            r#"{"t":1764510000323,"n":-7,"x":-0.5,"y":1e21,"z":0.25,"w":00,"v":-0,"u":-0.0}"#,
            "{\"a\":\"torn",
            "",
            "{\"mark\":\"\u{1}\"}",
            "17 \"x\" 😀 \"",
        ];
        let (mut shapes, mut numbers, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let mut out = Shapes::default();
        for fact in facts {
            out.write(fact, 17_645_100_001_234, &mut shapes, &mut numbers, &mut words);
        }
        let mut back = Shapes::default();
        let (mut s, mut n, mut w) = (Reader::new(&shapes), Reader::new(&numbers), Reader::new(&words));
        for fact in facts {
            assert_eq!(back.read(17_645_100_001_234, &mut s, &mut n, &mut w).unwrap(), fact);
        }
    }
}
