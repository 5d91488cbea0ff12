//! The report: what a person looks at. One page, offline, without scripts; every text from outside is escaped.
//!
//! [`html`] gives the whole page, [`fragment`] the same without the frame of a document, for the extension's
//! report tab. Colour is never the only sign, and every number is said in words somewhere.

mod clock;
mod paths;
mod radar;
mod shots;
mod text;

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

pub use clock::{duration, utc};

use crate::reference::Subject;
use crate::score::model::{AnomalyKind, Outcome, ReasonCode};
use crate::score::view::View;
use crate::score::words::{self, Lang};
use crate::score::{Report, Run};
use crate::trace::Trace;
use paths::Sides;
use shots::Shots;
use text::Text;

const STYLE: &str = include_str!("style.css");

/// How the report is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Its language.
    pub lang: Lang,
    /// Its title; the reference's when empty.
    pub title: String,
}

/// The whole page. `report` is what [`crate::score::score`] gave for these subjects.
pub fn html(reference: &Subject, runs: &[(String, Subject)], report: &Report, options: &Options) -> String {
    let text = text::text(options.lang);
    let page = markup! {
        (DOCTYPE)
        html lang=(options.lang.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // The page needs nothing from anywhere; should an escape ever be missed, nothing runs either.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'";
                title { (title(reference, options, text)) " · " (text.report) }
            }
            body { (body(reference, runs, report, options)) }
        }
    };
    page.into_string()
}

/// The report without the frame of a document. Its style reaches nothing outside it.
pub fn fragment(reference: &Subject, runs: &[(String, Subject)], report: &Report, options: &Options) -> String {
    body(reference, runs, report, options).into_string()
}

fn body(reference: &Subject, runs: &[(String, Subject)], report: &Report, options: &Options) -> Markup {
    let (lang, text) = (options.lang, text::text(options.lang));
    let mut shots = Shots::default();
    for trace in [reference].into_iter().chain(runs.iter().map(|(_, run)| run)).filter_map(trace) {
        shots.add(trace);
    }
    let paired = || runs.iter().zip(&report.runs);
    markup! {
        style { (PreEscaped(STYLE)) }
        div.tracerule-report lang=(lang.tag()) {
            a.skip href="#tr-paths" { (text.skip) }
            (shots.store())
            header { (head(reference, report, options, text)) }
            main {
                section.scores { h2 { (text.scores) } (scores(report, runs, text)) }
                div.overview {
                    section.axes {
                        h2 { (text.radar) }
                        div.panel { (radar::chart(&report.runs, text)) (legend(report, runs, text)) }
                    }
                    section.goal { h2 { (text.goal) } (goal(reference, report, lang, text)) }
                }
                section.why {
                    h2 { (text.why) }
                    @for ((_, subject), run) in paired() { (why(reference, subject, run, lang, text)) }
                }
                section.paths id="tr-paths" tabindex="-1" {
                    h2 { (text.paths) }
                    @for ((at, (_, subject)), run) in runs.iter().enumerate().zip(&report.runs) {
                        details.run open[at == 0 || runs.len() < 4] {
                            summary { h3 { (radar::sample(at)) " " (shown(&run.name)) } span { (tally(run, text)) } }
                            (paths::rows(&Sides { lang, text, shots: &shots, reference, run: subject }, run))
                        }
                    }
                }
                section.definitions {
                    details {
                        summary { h2 { (text.definitions) } }
                        dl { @for (term, meaning) in text.defined { dt { (term) } dd { (meaning) } } }
                    }
                    @let warnings: Vec<(&str, &String)> = report.reference.warnings.iter().map(|w| (text.reference, w))
                        .chain(report.runs.iter().flat_map(|run| run.warnings.iter().map(|w| (shown(&run.name), w)))).collect();
                    @if !warnings.is_empty() {
                        h2 { (text.warnings) }
                        ul.warnings { @for (name, warning) in warnings { li { b { (name) } " " (warning) } } }
                    }
                }
            }
            footer { (text.made_by) " " (report.scorer) " · " (crate::score::classic::VERSION) " · " (crate::score::strict::VERSION) " · " (crate::score::canon::VERSION) }
        }
    }
}

fn head(reference: &Subject, report: &Report, options: &Options, text: &Text) -> Markup {
    markup! {
        p.brand { (mark()) "Tracerule" span { (text.report) } }
        h1 { (title(reference, options, text)) }
        ul.facts {
            li { (text.steps) " " (report.reference.steps) }
            @match trace(reference) {
                Some(trace) => {
                    @if !trace.header.url.is_empty() { li { (trace.header.url) } }
                    @if !trace.header.recorder.browser.is_empty() { li { (trace.header.recorder.browser) } }
                    li { time { (clock::utc(trace.header.started_ms)) } }
                }
                None => li { (text.list) },
            }
        }
    }
}

/// A ruler laid along a path.
fn mark() -> Markup {
    markup! {
        svg.logo viewBox="0 0 32 20" aria-hidden="true" {
            rect x="1" y="7" width="30" height="12" rx="3" {}
            path d="M6 7v4M11 7v6M16 7v4M21 7v6M26 7v4" {}
            path.trail d="M3 4c5-5 8 3 13 0s8-3 13 0" {}
        }
    }
}

fn scores(report: &Report, runs: &[(String, Subject)], text: &Text) -> Markup {
    let heads = [text.run, text.hard, text.soft, text.classic, text.strict, text.efficiency, text.recovery];
    markup! {
        div.panel {
            table.board {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody {
                    @for (at, (run, (_, subject))) in report.runs.iter().zip(runs).enumerate() {
                        tr class={ "c" (at % 6) } {
                            th scope="row" { (radar::sample(at)) " " b { (shown(&run.name)) } (facts(run, subject, text)) }
                            (verdict(text.hard, run.hard, text))
                            (verdict(text.soft, run.soft, text))
                            (bar(text.classic, Some(run.profiles.classic.score)))
                            (bar(text.strict, Some(run.profiles.strict.score)))
                            (bar(text.efficiency, run.step_efficiency))
                            (bar(text.recovery, run.recovery_score))
                        }
                    }
                }
            }
        }
    }
}

/// How a run spent its steps and its time, for those who read on.
fn facts(run: &Run, subject: &Subject, text: &Text) -> Markup {
    let ms = |name: &str, ms: f64| (ms > 0.0).then(|| format!("{name} {}", clock::duration(ms)));
    let told = [
        (run.outcome == Outcome::Infra).then(|| format!("⚠ {}", text.infra)),
        trace(subject).is_none().then(|| text.list.to_owned()),
        Some(format!("{} {} / {}", text.steps, run.steps, run.reference_steps)),
        run.duration_ms.and_then(|duration| ms(text.took, duration)),
        ms(text.settling, run.settle_ms),
        ms(text.waited, run.redundant_wait_ms),
        ms(text.rate_limited, run.rate_limited_ms),
        (run.no_effect > 0).then(|| format!("{} {}", text.idle, run.no_effect)),
        (!run.loops.is_empty()).then(|| format!("{} {}", text.loops, run.loops.len())),
        run.tokens.map(|tokens| format!("{} {} / {}", text.tokens, tokens.input, tokens.output)),
    ];
    markup! { small { @for (at, fact) in told.into_iter().flatten().enumerate() { @if at > 0 { " · " } (fact) } } }
}

fn verdict(name: &str, reached: Option<bool>, text: &Text) -> Markup {
    let (class, symbol, word) = match reached {
        Some(true) => ("yes", "✓", text.yes),
        Some(false) => ("no", "✗", text.no),
        None => ("none", "–", text.undefined),
    };
    markup! { td data-name=(name) { span class={ "verdict " (class) } { b aria-hidden="true" { (symbol) } " " (word) } } }
}

fn bar(name: &str, score: Option<f64>) -> Markup {
    let width = score.map(|score| shots::px(score.clamp(0.0, 1.0) * 100.0));
    markup! {
        td.number data-name=(name) {
            (value(score))
            span.bar aria-hidden="true" { @if let Some(width) = width { span style={ "width:" (width) "%" } {} } }
        }
    }
}

/// A score for people, to three digits.
pub(crate) fn value(score: Option<f64>) -> String {
    score.map_or("–".to_owned(), |score| format!("{score:.3}"))
}

/// A setting for people, as short as it is exact to two digits.
fn number(n: f64) -> String {
    shots::px(n)
}

fn legend(report: &Report, runs: &[(String, Subject)], text: &Text) -> Markup {
    markup! {
        ul.legend aria-label=(text.legend) {
            @for (at, (run, (_, subject))) in report.runs.iter().zip(runs).enumerate() {
                @let perturbed = trace(subject).is_some_and(|trace| trace.header.perturb.is_some());
                li {
                    (radar::sample(at))
                    span {
                        (shown(&run.name))
                        @if trace(subject).is_some() { small { (if perturbed { text.perturbed } else { text.clean }) } }
                    }
                }
            }
        }
    }
}

fn goal(reference: &Subject, report: &Report, lang: Lang, text: &Text) -> Markup {
    let assertions = trace(reference).map_or(&[][..], |trace| &trace.header.assertions);
    markup! {
        @if assertions.is_empty() {
            p.empty { (text.no_assertions) }
        } @else {
            div.panel.scroll tabindex="0" role="region" aria-label=(text.goal) {
                table.asserted {
                    thead {
                        tr { th scope="col" { (text.assertion) } @for run in &report.runs { th scope="col" { (shown(&run.name)) } } }
                    }
                    tbody {
                        @for (at, assertion) in assertions.iter().enumerate() {
                            tr {
                                th scope="row" { (words::assertion(lang, assertion)) }
                                @for run in &report.runs {
                                    @let verdict = run.assertions.get(at);
                                    @match verdict.and_then(|verdict| verdict.holds) {
                                        Some(true) => td.yes data-name=(shown(&run.name)) { "✓ " (text.holds) },
                                        Some(false) => td.no data-name=(shown(&run.name)) {
                                            "✗ " (text.fails)
                                            @if let Some(seen) = verdict.map(|verdict| &verdict.seen).filter(|seen| !seen.is_empty()) {
                                                small { (text.seen) ": " (seen) }
                                            }
                                        },
                                        None => td.none data-name=(shown(&run.name)) { "– " (text.unknown) },
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// For each number of a run, what it lost and by what.
fn why(reference: &Subject, subject: &Subject, run: &Run, lang: Lang, text: &Text) -> Markup {
    let (wanted, done) = (View::of(reference), View::of(subject));
    let told = |views: &[View<'_>], at: Option<u32>| {
        at.and_then(|at| Some(format!("{at} · {}", words::step(lang, views.get(at as usize)?))))
    };
    let classic = &run.profiles.classic;
    let costly: Vec<String> = classic
        .pairs
        .iter()
        .filter(|pair| pair.cost > 0)
        .map(|pair| {
            let (a, b) = (told(&wanted, pair.reference), told(&done, pair.run));
            let cost = text::cost(lang, pair.cost, classic.max_possible);
            format!("{cost}: {}", text::classic_pair(lang, a.as_deref(), b.as_deref()))
        })
        .collect();
    let strayed: Vec<String> = run
        .anomalies
        .iter()
        .map(|anomaly| {
            let side = |views, at: Option<u32>| at.and_then(|at| find(views, at).map(|view| (at, view)));
            words::anomaly(lang, anomaly.kind, side(&done, anomaly.step), side(&wanted, anomaly.reference))
        })
        .collect();
    let reasons = |about: &str| -> Vec<String> {
        run.reasons
            .iter()
            // The anomalies themselves are listed.
            .filter(|reason| reason.about == about && reason.code != ReasonCode::Anomalies)
            .map(|reason| words::reason(lang, reason.code, reason.count))
            .collect()
    };
    let mut efficiency = reasons("step_efficiency");
    if let Some(raw) = run.efficiency.raw.filter(|raw| raw.num < raw.den) {
        let parts = &run.efficiency;
        let ratio = text::ratio(lang, parts.reference_steps, parts.run_steps, parts.handling_steps.len());
        efficiency.push(format!("{ratio} = {}", value(Some(raw.value))));
    }
    let mut recovery = reasons("recovery_score");
    recovery.extend(
        run.encounters
            .iter()
            .map(|met| format!("{}: {}", text::operator(lang, met.operator), paths::verdict(lang, text, met))),
    );
    let mut path = reasons("hard");
    path.extend(strayed);
    let groups = [
        (text.soft, reasons("soft")),
        (text.hard, path),
        (text.classic, costly),
        (text.efficiency, efficiency),
        (text.recovery, recovery),
    ];
    let missed = run.anomalies.iter().filter(|anomaly| anomaly.kind == AnomalyKind::Missing).count();
    markup! {
        details open[missed + run.anomalies.len() > 0 || run.soft != Some(true)] {
            summary { h3 { (shown(&run.name)) } span { (tally(run, text)) } }
            @if groups.iter().all(|(_, lines)| lines.is_empty()) { p.empty { (text.nothing_lost) } }
            dl.losses {
                @for (name, lines) in groups.iter().filter(|(_, lines)| !lines.is_empty()) {
                    dt { (name) }
                    dd { ul { @for line in lines { li { (line) } } } }
                }
            }
        }
        @let folded = reasons("strict");
        @if !folded.is_empty() { p.folded { b { (shown(&run.name)) } @for sentence in folded { span { (sentence) } } } }
        @let told = paths::perturbations(lang, text, subject);
        @if !told.is_empty() { p.perturbed { b { (shown(&run.name)) } @for phrase in told { span { (phrase) } } } }
    }
}

/// A run's name without what every trace's file name ends with.
fn shown(name: &str) -> &str {
    name.strip_suffix(".trace.zip").filter(|stem| !stem.is_empty()).unwrap_or(name)
}

fn find<'v, 'a>(views: &'v [View<'a>], at: u32) -> Option<&'v View<'a>> {
    views.get(at as usize)
}

/// A run's scores in one line.
fn tally(run: &Run, text: &Text) -> String {
    format!(
        "{} {} · {} {}",
        text.classic,
        value(Some(run.profiles.classic.score)),
        text.strict,
        value(Some(run.profiles.strict.score))
    )
}

fn title<'a>(reference: &'a Subject, options: &'a Options, text: &'a Text) -> &'a str {
    [&options.title, reference.title()].into_iter().find(|title| !title.trim().is_empty()).unwrap_or(text.untitled)
}

fn trace(subject: &Subject) -> Option<&Trace> {
    match subject {
        Subject::Trace(trace) => Some(trace),
        Subject::List(_) => None,
    }
}
