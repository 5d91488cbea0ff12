//! `trace.jsonl`: the header, then one event a line. A line counts once its line feed is there, so a file
//! whose writer was killed in mid-line loses that line alone.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, FORMAT, Header, TraceError, VERSION};

/// The longest line that is read, in bytes. Screenshots and DOM chunks are blobs, so records are short; a
/// tool call's full payload is the longest there is.
pub const MAX_LINE: usize = 64 << 20;

/// The names of [`Event`]'s kinds, as in the field `event`.
pub const KINDS: [&str; 14] = [
    "step",
    "dom",
    "page",
    "perturbation",
    "tool_call",
    "usage",
    "wait",
    "check",
    "coverage",
    "note",
    "edit",
    "original",
    "coverage_summary",
    "scroll",
];

/// The text of `trace.jsonl`: events in time order, those of one instant in the order given. Steps that were put
/// elsewhere by hand keep their times and stand in the order of their numbers, none before its time.
///
/// # Errors
/// [`TraceError::Write`] when a value cannot be told in JSON, as a time that is not a number.
pub fn write(header: &Header, events: &[Event]) -> Result<String, TraceError> {
    let is_step = |event: &&Event| matches!(event, Event::Step(_));
    let mut steps: Vec<&Event> = events.iter().filter(is_step).collect();
    steps.sort_by_key(|event| if let Event::Step(step) = event { step.seq } else { 0 });
    let mut steps = steps.into_iter();
    let mut latest = f64::NEG_INFINITY;
    let mut order: Vec<(f64, &Event)> = events
        .iter()
        .map(|event| match if is_step(&event) { steps.next() } else { None } {
            Some(step) => {
                latest = latest.max(step.t_ms());
                (latest, step)
            }
            None => (event.t_ms(), event),
        })
        .collect();
    order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut text = line(header)?;
    for (_, event) in order {
        if !event.t_ms().is_finite() {
            return Err(TraceError::Write(format!("an event's time is {}, which is no moment", event.t_ms())));
        }
        text.push_str(&line(event)?);
    }
    Ok(text)
}

fn line(value: &impl serde::Serialize) -> Result<String, TraceError> {
    let mut text = serde_json::to_string(value).map_err(|e| TraceError::Write(e.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// The header, the events and what was odd, as sentences.
///
/// A torn last line and unknown event kinds are warned of and left out; so are numbers of steps that have gaps.
///
/// # Errors
/// Anything else: another format, a newer version, an invalid line (with its number).
pub fn read(bytes: &[u8]) -> Result<(Header, Vec<Event>, Vec<String>), TraceError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = split(bytes).enumerate().filter(|(_, (line, _))| !line.iter().all(u8::is_ascii_whitespace));
    let Some((_, (first, _))) = lines.next() else { return Err(TraceError::Empty) };
    let header = read_header(first)?;
    let mut events = Vec::new();
    let mut warnings = Vec::new();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for (index, (line, ended)) in lines {
        let number = index + 1;
        if line.len() > MAX_LINE {
            return Err(TraceError::LineTooLong { line: number, bytes: line.len(), limit: MAX_LINE });
        }
        let error = match serde_json::from_slice::<Event>(line) {
            Ok(event) => {
                events.push(event);
                continue;
            }
            Err(error) => error,
        };
        match serde_json::from_slice::<Value>(line) {
            Err(_) if !ended => {
                warnings.push(format!("the last line ({number}) of trace.jsonl was torn off and is left out"));
            }
            Err(syntax) => return Err(TraceError::Line { line: number, why: syntax.to_string() }),
            Ok(value) => match value.get("event").and_then(Value::as_str) {
                Some(kind) if !KINDS.contains(&kind) => *unknown.entry(short(kind)).or_default() += 1,
                Some(kind) => {
                    return Err(TraceError::Line { line: number, why: format!("as a {kind}, {error}") });
                }
                None => {
                    return Err(TraceError::Line { line: number, why: "it has no field `event`".to_owned() });
                }
            },
        }
    }
    for (kind, count) in unknown {
        warnings.push(format!("{count} event(s) of the unknown kind {kind:?} were left out"));
    }
    let steps = events.iter().filter_map(|event| if let Event::Step(step) = event { Some(step.seq) } else { None });
    if let Some((at, seq)) = steps.enumerate().find(|(at, seq)| usize::try_from(*seq) != Ok(*at)) {
        warnings.push(format!("step number {at} says it is number {seq}: a step is missing or out of order"));
    }
    Ok((header, events, warnings))
}

/// Lines, each with whether it was ended by a line feed.
fn split(bytes: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(|line| match line.strip_suffix(b"\n") {
        Some(line) => (line.strip_suffix(b"\r").unwrap_or(line), true),
        None => (line, false),
    })
}

fn read_header(line: &[u8]) -> Result<Header, TraceError> {
    if line.len() > MAX_LINE {
        return Err(TraceError::LineTooLong { line: 1, bytes: line.len(), limit: MAX_LINE });
    }
    let value: Value = serde_json::from_slice(line).map_err(|e| TraceError::Header(e.to_string()))?;
    match value.get("format") {
        Some(Value::String(format)) if format == FORMAT => {}
        Some(Value::String(other)) => return Err(TraceError::Format(short(other))),
        _ => return Err(TraceError::Header("it has no field `format`".to_owned())),
    }
    match value.get("version").and_then(Value::as_u64) {
        Some(found) if found > u64::from(VERSION) => return Err(TraceError::Newer { found, known: VERSION }),
        Some(1..) => {}
        _ => return Err(TraceError::Header("its `version` is not a whole number from 1".to_owned())),
    }
    serde_json::from_value(value).map_err(|e| TraceError::Header(e.to_string()))
}

/// Foreign text in messages is cut, lest a message be a page long.
fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{NoteEvent, sample};
    use super::*;

    fn note(t_ms: f64) -> Event {
        Event::Note(NoteEvent { t_ms, actor: super::super::Actor::Human, text: "日本 \u{2028} \"x\"\n".to_owned() })
    }

    #[test]
    fn round_trip_in_time_order() {
        let header = sample::header("a");
        let text = write(&header, &[note(3.0), note(1.5)]).unwrap();
        assert_eq!(text.lines().count(), 3);
        let (back, events, warnings) = read(text.as_bytes()).unwrap();
        assert_eq!((back, events, warnings), (header, vec![note(1.5), note(3.0)], vec![]));
        assert!(matches!(write(&sample::header("a"), &[note(f64::NAN)]), Err(TraceError::Write(_))));
    }

    #[test]
    fn torn_tail_and_unknown_kinds_are_warned_of() {
        let mut text = write(&sample::header("a"), &[note(1.0)]).unwrap();
        text.push_str("{\"event\":\"telepathy\",\"t_ms\":2}\r\n\n{\"event\":\"note\",\"t_ms\":3,\"act");
        let (_, events, warnings) = read(text.as_bytes()).unwrap();
        assert_eq!(events, [note(1.0)]);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].contains("torn off") && warnings[1].contains("telepathy"), "{warnings:?}");
    }

    #[test]
    fn refusals_name_the_line() {
        let good = write(&sample::header("a"), &[]).unwrap();
        let said = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(read(b" \n"), Err(TraceError::Empty));
        assert!(said("[1]\n").contains("no field `format`"));
        assert!(said("{\"format\":\"har\",\"version\":1}").contains("\"har\""));
        assert_eq!(
            read(good.replace("\"version\":1,", "\"version\":7,").as_bytes()),
            Err(TraceError::Newer { found: 7, known: VERSION })
        );
        assert!(said(&good.replace("\"version\":1,", "\"version\":\"x\",")).contains("whole number"));
        assert!(said(&format!("{good}{{\"event\":\"note\"}}\n")).contains("line 2"));
        assert!(said(&format!("{good}{{\"event\":\"no\n{{}}\n")).contains("line 2"));
        assert!(said(&format!("{good}{{}}\n")).contains("no field `event`"));
        assert!(said("{\"format\":\"tracerule-trace\",\"version\":1}\n").contains("missing field"));
    }
}
