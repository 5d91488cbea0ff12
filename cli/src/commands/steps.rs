//! Steps as they come, one line each, on standard error.

use std::io::Write;

use tracerule::trace::{Outcome, Step};

/// Prints each step once it is complete: settled, or followed by another.
#[derive(Debug, Default)]
pub struct Live {
    waiting: Option<Step>,
    printed: Option<u32>,
    prefix: String,
}

impl Live {
    /// With something before every line.
    pub fn with_prefix(prefix: impl Into<String>) -> Live {
        Live { prefix: prefix.into(), ..Live::default() }
    }

    /// A step was opened or changed.
    pub fn take(&mut self, step: Step) {
        if self.printed.is_some_and(|printed| step.seq <= printed) {
            return;
        }
        if self.waiting.as_ref().is_some_and(|waiting| waiting.seq < step.seq) {
            self.flush();
        }
        let complete = step.settle.is_some();
        self.waiting = Some(step);
        if complete {
            self.flush();
        }
    }

    /// Prints the step that was still growing.
    pub fn flush(&mut self) {
        if let Some(step) = self.waiting.take() {
            self.printed = Some(step.seq);
            // A closed terminal is no reason to stop recording.
            let _ = writeln!(std::io::stderr(), "{}{:>4}  {}", self.prefix, step.seq, line(&step));
        }
    }
}

/// A step in one line: action, key, target, value, trouble.
pub fn line(step: &Step) -> String {
    let mut text = step.action.name().to_owned();
    let mut add = |part: &str| {
        text.push(' ');
        text.push_str(part);
    };
    if let Some(key) = &step.key {
        add(key);
    }
    if let Some(target) = &step.target {
        let role = if target.role.is_empty() { &target.tag } else { &target.role };
        add(role);
        if !target.name.is_empty() {
            add(&format!("\"{}\"", shorten(&target.name)));
        }
    }
    if let Some(value) = &step.value {
        add(&format!("= {}", shorten(value)));
    }
    if !step.frame.is_empty() {
        add("(in a frame)");
    }
    if step.perturbation.is_some() {
        add("(answers a perturbation)");
    }
    match &step.outcome {
        Outcome::Ok => {}
        Outcome::NoEffect => add("(no effect)"),
        Outcome::Error { message, .. } => add(&format!("(failed: {})", shorten(message))),
    }
    text
}

/// One line, at most 80 characters, without control characters.
fn shorten(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    if text.chars().count() <= 80 { text } else { text.chars().take(79).chain(['…']).collect() }
}
