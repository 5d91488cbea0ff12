//! The trajectories side by side, row by row along the alignment.

use maud::{Markup, html};

use super::shots::Shots;
use super::text::{self, Text};
use super::{clock, number, shown};
use crate::perturb::Operator;
use crate::reference::Subject;
use crate::score::model::{Encounter, EncounterResult};
use crate::score::view::View;
use crate::score::words::{self, Lang};
use crate::score::{Relation, Run};
use crate::trace::{Event, Outcome, PerturbationEvent, PerturbationPhase, Trace};

/// All that a row is drawn from.
pub(super) struct Sides<'a> {
    pub lang: Lang,
    pub text: &'a Text,
    pub shots: &'a Shots<'a>,
    pub reference: &'a Subject,
    pub run: &'a Subject,
}

/// What was put in the way or taken out of it, for the rows.
struct Mark<'a> {
    event: &'a PerturbationEvent,
    verdict: Option<String>,
}

pub(super) fn rows(sides: &Sides<'_>, run: &Run) -> Markup {
    let (wanted, done) = (View::of(sides.reference), View::of(sides.run));
    let mut marks = marks(sides, run).into_iter().peekable();
    let text = sides.text;
    html! {
        div.heads aria-hidden="true" { span { (text.reference_step) } span {} span { (shown(&run.name)) } }
        ol.rows {
            @for row in &run.alignment {
                @let now = row.run.and_then(|at| done.get(at as usize)).and_then(|view| view.step).map(|step| step.t_ms);
                @while let Some(mark) = marks.next_if(|mark| now.is_some_and(|now| mark.event.t_ms <= now)) {
                    (banner(sides, &mark))
                }
                @let (symbol, says) = text::relation(sides.lang, row.relation);
                @let side_of = row.run.map_or((&wanted, row.reference), |at| (&done, Some(at)));
                @let passive = side_of.1.and_then(|at| side_of.0.get(at as usize)).is_some_and(View::is_passive);
                li class={ "row " (class(row.relation, passive)) } {
                    div.side.expert { (side(sides, sides.reference, row.reference, &wanted, text.reference_step)) }
                    div.relation { b aria-hidden="true" { (symbol) } span { (says) } }
                    div.side.agent { (side(sides, sides.run, row.run, &done, text.run_step)) }
                }
            }
            @for mark in marks { (banner(sides, &mark)) }
        }
    }
}

/// Steps that only wait or look are not wrong, whatever they cost.
fn class(relation: Relation, passive: bool) -> &'static str {
    match relation {
        Relation::Same => "same",
        Relation::Extra | Relation::Missing | Relation::OtherTarget | Relation::OtherAction if passive => "near",
        Relation::OtherValue | Relation::OtherKey => "near",
        Relation::OtherTarget | Relation::OtherAction | Relation::Extra => "wrong",
        Relation::Missing => "missing",
        Relation::Handled => "handled",
        Relation::Folded => "folded",
    }
}

/// Pop-ups shown and dismissed, in time order; each dismissal with what became of the encounter.
fn marks<'a>(sides: &Sides<'a>, run: &Run) -> Vec<Mark<'a>> {
    let Subject::Trace(trace) = sides.run else { return Vec::new() };
    let mut found = Vec::new();
    for event in &trace.events {
        let Event::Perturbation(event) = event else { continue };
        let met = run.encounters.iter().find(|met| met.id == event.id);
        let ends = match event.phase {
            PerturbationPhase::Shown => met.is_some_and(|met| met.dismissed_ms.is_none()),
            PerturbationPhase::Dismissed => true,
            _ => continue,
        };
        let verdict = met.filter(|_| ends).map(|met| verdict(sides.lang, sides.text, met));
        found.push(Mark { event, verdict });
    }
    found.sort_by(|a, b| a.event.t_ms.total_cmp(&b.event.t_ms));
    found
}

/// How an encounter ended, in words.
pub(super) fn verdict(lang: Lang, text: &Text, met: &Encounter) -> String {
    match (met.result, met.steps) {
        (EncounterResult::Recovered, Some(steps)) => text::recovered(lang, steps, met.score.unwrap_or(0.0)),
        (EncounterResult::NotMet, _) => text.not_met.to_owned(),
        _ => text.stuck.to_owned(),
    }
}

fn banner(sides: &Sides<'_>, mark: &Mark<'_>) -> Markup {
    let phase = if mark.event.phase == PerturbationPhase::Shown { sides.text.shown } else { sides.text.dismissed };
    let since = match sides.run {
        Subject::Trace(trace) => elapsed(trace, mark.event.t_ms),
        Subject::List(_) => String::new(),
    };
    html! {
        li.banner {
            b aria-hidden="true" { "⚑" }
            span {
                (text::operator(sides.lang, mark.event.operator)) " " (phase)
                @if let Some(verdict) = &mark.verdict { " · " (verdict) }
            }
            @if !since.is_empty() { small { (since) } }
        }
    }
}

/// One side of a row: the step, when it was, what came of it, and its pictures.
fn side(sides: &Sides<'_>, of: &Subject, at: Option<u32>, views: &[View<'_>], who: &str) -> Markup {
    let text = sides.text;
    let Some((at, view)) = at.and_then(|at| Some((at, views.get(at as usize)?))) else {
        return html! { p.nothing { (text.nothing_here) } };
    };
    let words = words::step(sides.lang, view);
    html! {
        p.what {
            span.seq { span.who { (who) " " } (at) }
            span.words { (words) }
            @if let (Subject::Trace(trace), Some(step)) = (of, view.step) {
                small.at { (elapsed(trace, step.t_ms)) }
            }
        }
        @if let Some(step) = view.step {
            @match &step.outcome {
                Outcome::Ok => {}
                Outcome::NoEffect => { p.flag { "○ " (text.no_effect) } }
                Outcome::Error { message, .. } => { p.flag.bad { "✗ " (text.failed) ": " (message) } }
            }
            @let (pre, post) = (step.pre.screenshot.as_ref(), step.post.screenshot.as_ref());
            @let pictured = sides.shots.has(pre) || sides.shots.has(post);
            details.evidence {
                summary {
                    @if pictured {
                        span.pair {
                            (sides.shots.draw(pre, &format!("{}: {words}", text.before), step.target.as_ref(), text))
                            (sides.shots.draw(post, &format!("{}: {words}", text.after), None, text))
                        }
                    }
                    span.more { (text.evidence) }
                }
                @if pictured {
                    figure { figcaption { (text.before) } (sides.shots.draw(pre, text.before, step.target.as_ref(), text)) }
                    figure { figcaption { (text.after) } (sides.shots.draw(post, text.after, None, text)) }
                }
                dl.facts {
                    dt { "URL" } dd { (step.url) }
                    @if !step.frame.is_empty() { dt { (text.frame) } dd { code { (step.frame.join(" >> ")) } } }
                    @if let Some(target) = &step.target {
                        @for locator in target.locators.iter().take(4) {
                            dt { (text.locator) " · " (locator.matches) "×" } dd { code { (locator.value) } }
                        }
                    }
                    @if let Some(settle) = step.settle { dt { (text.settled) } dd { (clock::duration(settle.ms)) } }
                    @if let Some(dom) = &step.dom { dt { (text.document) } dd { (text::changes(sides.lang, dom)) } }
                    @if !step.trusted { dt { "isTrusted" } dd { (text.untrusted) } }
                }
            }
        }
    }
}

fn elapsed(trace: &Trace, t_ms: f64) -> String {
    let seconds = (t_ms - trace.header.started_ms) / 1000.0;
    if seconds.is_finite() { format!("{seconds:.1} s") } else { String::new() }
}

/// What lasting perturbations a run had, as short phrases.
pub(super) fn perturbations(lang: Lang, text: &Text, subject: &Subject) -> Vec<String> {
    let Subject::Trace(trace) = subject else { return Vec::new() };
    let Some(settings) = &trace.header.perturb else { return Vec::new() };
    let mut told = vec![format!("seed {}", settings.seed)];
    if settings.jitter_px > 0.0 {
        told.push(format!("{} ≤ {} px", text::operator(lang, Operator::Jitter), number(settings.jitter_px)));
    }
    if settings.color_scheme {
        told.push(text::operator(lang, Operator::ColorScheme).to_owned());
    }
    if settings.popup_probability > 0.0 {
        let percent = number(settings.popup_probability * 100.0);
        told.push(format!("{} {percent} %", text::operator(lang, Operator::SessionPopup)));
    }
    for phase in [PerturbationPhase::Applied, PerturbationPhase::Shown, PerturbationPhase::Withheld] {
        let of = |event: &&Event| matches!(event, Event::Perturbation(event) if event.phase == phase);
        let count = trace.events.iter().filter(of).count();
        let word = match phase {
            PerturbationPhase::Applied => text.applied,
            PerturbationPhase::Shown => text.shown,
            _ => text.withheld,
        };
        if count > 0 {
            told.push(format!("{count} × {word}"));
        }
    }
    told
}
