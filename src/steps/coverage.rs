//! How much of what was seen is in the trace.

use super::Recorder;
use crate::trace::{
    BlindFrame, CoverageEvent, CoverageSummary, DialogKind, Event, FrameAccess, PageChange, Step, Target,
};

impl Recorder {
    pub(super) fn blind(&mut self, t: f64, id: f64, top: bool, url: &str, access: FrameAccess) {
        let tab = u32::try_from(self.tab(id)).unwrap_or(u32::MAX);
        let frame = BlindFrame { tab, url: url.to_owned(), top, access };
        if self.blind.contains(&frame) {
            return;
        }
        self.blind.push(frame);
        let which = if top { "The page" } else { "A frame" };
        match access {
            FrameAccess::Forbidden => {
                self.cover(
                    t,
                    "forbidden",
                    format!("{which} cannot be recorded ({url}): the browser keeps extensions out."),
                );
            }
            _ => self.cover(t, "frame", format!("{which} is not recorded ({url}): no sensor reports from it.")),
        }
    }

    /// A document reports in that was thought to be blind.
    pub(super) fn not_blind(&mut self, tab: usize, url: &str, top: bool) {
        let tab = u32::try_from(tab).unwrap_or(u32::MAX);
        self.blind.retain(|frame| !(frame.tab == tab && frame.top == top && frame.url == url));
    }

    /// The frames that were seen and are not recorded.
    pub fn blind_frames(&self) -> &[BlindFrame] {
        &self.blind
    }

    /// The coverage line, of the events as they are.
    pub(super) fn coverage_summary(&self, events: &[Event]) -> CoverageSummary {
        let mut summary = summarize(events);
        let counts = &mut summary.counts;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let blind = |access| number(self.blind.iter().filter(|frame| frame.access == access).count());
        counts.recorded = number(self.batches.len());
        counts.no_access = blind(FrameAccess::NoAccess);
        counts.forbidden = blind(FrameAccess::Forbidden);
        counts.documents = counts.recorded.saturating_add(number(self.blind.len()));
        counts.unknown_dialogs = self.unknown_dialogs;
        summary.blind.clone_from(&self.blind);
        summary
    }
}

/// The coverage line as far as a trace's events tell it: those of an earlier one give what is known of frames. To be
/// drawn up again when steps or events were added or taken out.
pub fn summarize(events: &[Event]) -> CoverageSummary {
    let mut summary = CoverageSummary::default();
    let mut unknown_dialogs = 0;
    for event in events {
        summary.t_ms = summary.t_ms.max(event.t_ms());
        match event {
            Event::Step(step) => count_step(&mut summary, step),
            Event::Coverage(coverage) => *summary.counts.events.entry(coverage.what.clone()).or_default() += 1,
            Event::Page(page) if page.what == PageChange::Download => {
                let hashed = page.download.as_ref().is_some_and(|file| file.sha256.is_some());
                summary.counts.unhashed_downloads += u32::from(!hashed);
            }
            Event::CoverageSummary(earlier) => {
                let (counts, was) = (&mut summary.counts, &earlier.counts);
                // One for each log that the trace was made of.
                counts.documents += was.documents;
                counts.recorded += was.recorded;
                counts.no_access += was.no_access;
                counts.forbidden += was.forbidden;
                unknown_dialogs += was.unknown_dialogs;
                summary.blind.extend(earlier.blind.iter().cloned());
            }
            _ => {}
        }
    }
    // Those that were only guessed at are no steps.
    summary.counts.unknown_dialogs = summary.counts.unknown_dialogs.max(unknown_dialogs);
    summary
}

/// What of the steps' evidence is in doubt: targets that cannot be told apart, pictures that are older than what they
/// should show.
pub fn doubts(steps: &[Step]) -> Vec<CoverageEvent> {
    let mut events = Vec::new();
    for step in steps {
        let mut doubt = |what: &str, detail: String| {
            events.push(CoverageEvent { t_ms: step.t_ms, what: what.to_owned(), detail });
        };
        if let Some(target) = &step.target
            && let Some(matches) = ambiguity(target)
        {
            let (action, role, name) = (step.action.name(), &target.role, &target.name);
            let many = if matches == 0 { "none".to_owned() } else { format!("{matches} elements") };
            doubt("ambiguous_target", format!("{action} {role} {name:?}: its best locator matches {many}."));
        }
        if step.pre.screenshot.as_ref().is_some_and(|shot| shot.stale) {
            let action = step.action.name();
            doubt("late_screenshot", format!("{action}: the page changed after the picture before it was taken."));
        }
    }
    events
}

/// How many elements the best locator matched, unless it was one.
fn ambiguity(target: &Target) -> Option<u32> {
    match target.locators.first() {
        Some(best) if best.matches == 1 => None,
        Some(best) => Some(best.matches),
        None => Some(0),
    }
}

/// Draws the coverage line up again, where there is one: steps or events were added or taken out.
pub fn renew_coverage(events: &mut Vec<Event>) {
    let is_line = |event: &Event| matches!(event, Event::CoverageSummary(_));
    if events.iter().any(is_line) {
        let line = summarize(events);
        events.retain(|event| !is_line(event));
        events.push(Event::CoverageSummary(line));
        events.sort_by(|a, b| a.t_ms().total_cmp(&b.t_ms()));
    }
}

fn count_step(summary: &mut CoverageSummary, step: &Step) {
    let counts = &mut summary.counts;
    counts.steps += 1;
    counts.pre_shots += u32::from(step.pre.screenshot.is_some());
    counts.stale_pre_shots += u32::from(step.pre.screenshot.as_ref().is_some_and(|shot| shot.stale));
    counts.post_shots += u32::from(step.post.screenshot.is_some());
    counts.untrusted += u32::from(!step.trusted);
    let ambiguous = step.target.as_ref().is_some_and(|target| ambiguity(target).is_some());
    counts.ambiguous_targets += u32::from(ambiguous);
    let unknown = step.dialog.as_ref().is_some_and(|d| d.accepted.is_none() || d.kind == DialogKind::Unknown);
    counts.unknown_dialogs += u32::from(unknown);
}
