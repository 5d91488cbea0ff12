//! Navigations as the browser tells them, and what caused them.

use tracerule::trace::Redirect;
use tracerule::wire::log::{Cause, Entry, Navigation};

use crate::browser::Tab;
use crate::browser::navigation::{Answered, Details};
use crate::hub::{self, now};
use crate::{session, settle};

/// What is known of a tab's history: the browser says "through history" but not which way.
#[derive(Debug, Default)]
pub struct History {
    addresses: Vec<String>,
    at: usize,
    /// The cause of the next navigation, and until when that is believed.
    expected: Option<(Cause, f64)>,
    /// The document whose sensor has not reported in yet: its address, and when it came.
    awaited: Option<(String, f64)>,
    /// When a sensor of a top document last reported in.
    heard: f64,
    /// The last navigation that failed: when and why.
    failed: Option<(f64, String)>,
}

impl History {
    fn cause(&self, details: &Details, now: f64) -> Cause {
        let qualified = |name: &str| details.transition_qualifiers.iter().any(|q| q == name);
        if let Some((cause, until)) = self.expected
            && now <= until
        {
            return cause;
        }
        if qualified("forward_back") {
            let ahead = self.addresses.get(self.at + 1) == Some(&details.url);
            let behind = self.at > 0 && self.addresses.get(self.at - 1) == Some(&details.url);
            return if ahead && !behind { Cause::Forward } else { Cause::Back };
        }
        match details.transition_type.as_str() {
            "reload" => Cause::Reload,
            _ if qualified("from_address_bar") => Cause::Typed,
            "typed" | "generated" | "auto_bookmark" | "keyword" | "keyword_generated" | "start_page"
            | "auto_toplevel" => Cause::Typed,
            _ if qualified("client_redirect") => Cause::Redirect,
            _ => Cause::Page,
        }
    }

    fn went(&mut self, details: &Details, cause: Cause) {
        // A new tab's empty page comes before what was asked for.
        if details.url != "about:blank" {
            self.expected = None;
        }
        let through = details.transition_qualifiers.iter().any(|q| q == "forward_back");
        let known = |at: usize, h: &History| h.addresses.get(at) == Some(&details.url);
        if through {
            let ahead = cause == Cause::Forward;
            let step = if ahead { self.at + 1 } else { self.at.saturating_sub(1) };
            if known(step, self) {
                self.at = step;
            } else if let Some(at) = self.addresses.iter().rposition(|url| *url == details.url) {
                self.at = at;
            }
        } else if self.addresses.is_empty() {
            self.addresses.push(details.url.clone());
        } else if cause != Cause::Reload && !known(self.at, self) {
            self.addresses.truncate(self.at + 1);
            self.addresses.push(details.url.clone());
            self.at = self.addresses.len() - 1;
        }
    }
}

/// What comes next in this tab is our doing or an agent's.
pub fn expect(tab: Tab, cause: Cause) {
    hub::with(|hub| {
        let history = hub.histories.entry(tab).or_default();
        history.expected = Some((cause, now() + 5000.0));
        history.failed = None;
    });
}

/// Why the last navigation of this tab failed, if one did since then.
pub fn failure(tab: Tab, since: f64) -> Option<String> {
    hub::with(|hub| {
        let (t, why) = hub.histories.get(&tab)?.failed.clone()?;
        (t >= since).then_some(why)
    })
}

/// A navigation was begun.
pub fn begun(details: &Details) {
    let tab = Tab::new(details.tab_id);
    if details.frame_id == 0.0 && details.document_lifecycle != "prerender" && session::of_tab(tab).is_some() {
        hub::with(|hub| hub.navigating.insert(tab, now()));
    }
}

/// A document was committed, or the address changed within one.
pub fn committed(details: &Details, same_document: bool) {
    let tab = Tab::new(details.tab_id);
    if details.frame_id == 0.0 {
        session::join_beside(tab, &details.url);
    }
    let Some(session) = session::of_tab(tab) else { return };
    if details.document_lifecycle == "prerender" {
        return;
    }
    let top = details.frame_id == 0.0;
    let cause = if top {
        hub::with(|hub| {
            let history = hub.histories.entry(tab).or_default();
            let cause = history.cause(details, now());
            history.went(details, cause);
            cause
        })
    } else {
        Cause::Page
    };
    let t = if details.time_stamp > 0.0 { details.time_stamp } else { now() };
    let url = details.url.clone();
    if top && !same_document {
        left_unreached(&session, tab, t);
        let comes = recorded(&url).then(|| (url.clone(), t));
        hub::with(|hub| {
            let history = hub.histories.entry(tab).or_default();
            // Its greeting and this come by different ways.
            history.awaited = comes.filter(|_| history.heard < t);
        });
    }
    session::log(&session, Entry::Navigation(Navigation { t, tab: tab.id(), url, top, same_document, cause }));
    if top && !same_document {
        settle::loaded(&session, tab);
    } else {
        settle::touched(&session, tab, t);
    }
}

/// Whether a sensor is to be expected there.
fn recorded(url: &str) -> bool {
    ["http:", "https:", "file:"].iter().any(|scheme| url.starts_with(scheme))
}

/// The sensor of a tab's top document reported in.
pub fn reached(tab: Tab, t: f64) {
    hub::with(|hub| {
        let history = hub.histories.entry(tab).or_default();
        history.awaited = None;
        history.heard = history.heard.max(t);
    });
}

/// The tab's document goes; says so where nothing was ever heard of it. One that was only passed through is no loss.
pub fn left_unreached(session: &str, tab: Tab, t: f64) {
    const PASSED_MS: f64 = 300.0;
    let gone = hub::with(|hub| hub.histories.get_mut(&tab).and_then(|history| history.awaited.take()));
    if let Some((url, came)) = gone
        && t - came > PASSED_MS
    {
        hub::coverage(
            session,
            "gap",
            format!("{url} was left before the recorder reached it: what was done there is lost"),
        );
    }
}

/// A document finished loading.
pub fn completed(details: &Details) {
    let tab = Tab::new(details.tab_id);
    if details.frame_id != 0.0 {
        if let Some(session) = session::of_tab(tab) {
            crate::arming::check_frames(session, tab);
        }
        return;
    }
    hub::with(|hub| hub.navigating.remove(&tab));
    if let Some(session) = session::of_tab(tab) {
        settle::loaded(&session, tab);
        crate::arming::check_frames(session, tab);
    }
}

/// A server sent a load of a top document elsewhere.
pub fn redirected(answer: &Answered) {
    let tab = Tab::new(answer.tab_id);
    if session::of_tab(tab).is_none() {
        return;
    }
    let hop = Redirect { url: answer.url.clone(), status: answer.status_code };
    hub::with(|hub| {
        let (load, way) = hub.redirects.entry(tab).or_default();
        if *load != answer.request_id {
            load.clone_from(&answer.request_id);
            way.clear();
        }
        // Browsers give up sooner.
        if way.len() < 64 {
            way.push(hop);
        }
    });
}

/// A server answered the load of a top document.
pub fn answered(answer: &Answered) {
    let tab = Tab::new(answer.tab_id);
    let Some(session) = session::of_tab(tab) else { return };
    let way = hub::with(|hub| hub.redirects.remove(&tab)).filter(|(load, _)| *load == answer.request_id);
    let redirects = way.map(|(_, way)| way).unwrap_or_default();
    let t = if answer.time_stamp > 0.0 { answer.time_stamp } else { now() };
    let (url, status) = (answer.url.clone(), answer.status_code);
    session::log(&session, Entry::Response { t, tab: tab.id(), url, status, redirects });
}

/// A navigation came to nothing.
pub fn failed(details: &Details) {
    let tab = Tab::new(details.tab_id);
    if details.frame_id != 0.0 {
        return;
    }
    hub::with(|hub| hub.navigating.remove(&tab));
    let Some(session) = session::of_tab(tab) else { return };
    // Downloads, answers without content and navigations overtaken by another end so, and are no failures.
    // Firefox tells NS_BINDING_ABORTED by its number.
    let harmless = ["ABORTED", "NS_ERROR_ABORT", "2152398850"];
    if harmless.iter().any(|mark| details.error.contains(mark)) {
        return;
    }
    hub::with(|hub| hub.histories.entry(tab).or_default().failed = Some((now(), details.error.clone())));
    let (url, why) = (details.url.clone(), details.error.clone());
    session::log(&session, Entry::Failed { t: now(), tab: tab.id(), url, why });
    settle::touched(&session, tab, now());
}

/// A page opened a tab.
pub fn target_created(details: &Details) {
    let (source, tab) = (Tab::new(details.source_tab_id), Tab::new(details.tab_id));
    hub::with(|hub| hub.beside.remove(&tab));
    if let Some(session) = session::of_tab(source) {
        session::add_tab(&session, tab, Some(source), &details.url);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(url: &str, kind: &str, qualifiers: &[&str]) -> Details {
        Details {
            url: url.into(),
            transition_type: kind.into(),
            transition_qualifiers: qualifiers.iter().map(|q| (*q).to_owned()).collect(),
            ..Details::default()
        }
    }

    /// Goes through the navigations and gives the causes found.
    fn causes(steps: &[(&str, &str, &[&str])]) -> Vec<Cause> {
        let mut history = History::default();
        let one = |(url, kind, qualifiers): &(&str, &str, &[&str])| {
            let details = details(url, kind, qualifiers);
            let cause = history.cause(&details, 0.0);
            history.went(&details, cause);
            cause
        };
        steps.iter().map(one).collect()
    }

    const THROUGH: &[&str] = &["forward_back"];

    #[test]
    fn tells_back_from_forward() {
        let found = causes(&[
            ("a", "typed", &["from_address_bar"]),
            ("b", "link", &[]),
            ("c", "form_submit", &[]),
            ("b", "link", THROUGH),
            ("a", "typed", THROUGH),
            ("b", "link", THROUGH),
            ("d", "link", &[]),
            ("b", "link", THROUGH),
            ("d", "link", THROUGH),
        ]);
        use Cause::{Back, Forward, Page, Typed};
        assert_eq!(found, [Typed, Page, Page, Back, Back, Forward, Page, Back, Forward]);
    }

    #[test]
    fn takes_an_unknown_address_in_history_for_back() {
        assert_eq!(causes(&[("a", "link", &[]), ("z", "link", THROUGH)]), [Cause::Page, Cause::Back]);
    }

    #[test]
    fn reload_and_redirect_stay_where_they_are() {
        let found = causes(&[
            ("a", "link", &[]),
            ("b", "link", &[]),
            ("b", "reload", &[]),
            ("c", "link", &["client_redirect"]),
            ("b", "link", THROUGH),
        ]);
        assert_eq!(found, [Cause::Page, Cause::Page, Cause::Reload, Cause::Redirect, Cause::Back]);
    }

    #[test]
    fn believes_what_was_asked_for_until_it_came() {
        let mut history = History { expected: Some((Cause::Channel, 10.0)), ..History::default() };
        let blank = details("about:blank", "link", &[]);
        assert_eq!(history.cause(&blank, 1.0), Cause::Channel);
        history.went(&blank, Cause::Channel);
        let asked = details("a", "link", &[]);
        assert_eq!(history.cause(&asked, 2.0), Cause::Channel);
        history.went(&asked, Cause::Channel);
        assert_eq!(history.cause(&details("b", "link", &[]), 3.0), Cause::Page);
    }
}
