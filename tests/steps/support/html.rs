//! Enough HTML to write a page in a line.

use tracerule::wire::op;

/// Strings and operations of a batch.
#[derive(Default)]
pub struct Ops {
    pub strings: Vec<String>,
    pub ops: Vec<i32>,
}

impl Ops {
    pub fn string(&mut self, text: &str) -> i32 {
        self.strings.push(text.to_owned());
        self.strings.len() as i32 - 1
    }

    pub fn time(&mut self, since: f64) {
        self.ops.extend([op::TIME, (since * 10.0).round() as i32]);
    }
}

/// Writes the nodes of `html` under `parent`, after its child `previous`; tells each element's `id`.
pub fn write(html: &str, ops: &mut Ops, parent: i32, previous: i32, next: &mut i32, named: &mut dyn FnMut(&str, i32)) {
    // Open elements: number, last child, tag.
    let mut open = vec![(parent, previous, String::new())];
    let mut rest = html.trim();
    while !rest.is_empty() {
        if let Some(tail) = rest.strip_prefix("</") {
            open.pop();
            rest = tail.split_once('>').map_or("", |(_, rest)| rest);
        } else if let Some(tail) = rest.strip_prefix('<') {
            let (inside, after) = tail.split_once('>').expect("a tag is closed");
            rest = after;
            let mut words = split(inside).into_iter();
            let tag = words.next().expect("a tag has a name");
            let id = *next;
            *next += 1;
            let (holder, last, _) = open.last_mut().expect("an open element");
            let (holder, last) = (*holder, std::mem::replace(last, id));
            if tag == "shadow" {
                open.last_mut().expect("an open element").1 = last;
                ops.ops.extend([op::SHADOW, id, holder, 0]);
                open.push((id, 0, tag));
                continue;
            }
            let name = ops.string(&tag);
            ops.ops.extend([op::ELEMENT, id, holder, last, name, op::ns::HTML]);
            for word in words {
                let (name, value) = word.split_once('=').unwrap_or((&word, ""));
                let value = value.trim_matches('"');
                if name == "id" {
                    named(value, id);
                }
                let (name, value) = (ops.string(name), ops.string(value));
                ops.ops.extend([op::ATTRIBUTE, id, name, value]);
            }
            if !matches!(tag.as_str(), "input" | "img" | "br" | "hr" | "meta" | "link") {
                open.push((id, 0, tag));
            }
        } else {
            let (text, _) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            rest = &rest[text.len()..];
            let id = *next;
            *next += 1;
            let (holder, last, _) = open.last_mut().expect("an open element");
            let text = ops.string(text);
            ops.ops.extend([op::TEXT, id, *holder, *last, text]);
            *last = id;
        }
    }
}

/// Words, where quotes keep spaces together.
pub fn split(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => {
                words.push(String::new());
                continue;
            }
            _ => {}
        }
        words.last_mut().expect("there is one").push(c);
    }
    words.retain(|word| !word.is_empty());
    words
}
