//! From a target to its one element. Never guesses: what matches several elements is refused with their number.

use super::facts::View;
use super::query::{self, Query};
use super::tree::Ix;
use super::{DocKey, Mirror, NodeRef};
use crate::trace::{FailureCode, Locator, LocatorKind, Target, Volatility};

/// Why a target has no one element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ResolveError {
    /// The kind.
    pub code: FailureCode,
    /// What happened, and what to do next.
    pub message: String,
}

impl ResolveError {
    fn new(code: FailureCode, message: impl Into<String>) -> Self {
        ResolveError { code, message: message.into() }
    }
}

/// At most so many elements are told when a target is refused.
const TOLD: usize = 3;

impl Mirror {
    /// The one element of a target: a ref of a snapshot (`e12`, `f1e3`), a locator (frames joined with ` >> `) or a CSS
    /// selector.
    ///
    /// # Errors
    /// `NotFound`, `Ambiguous`, `Gone` (a ref whose element left), `BadValue` (a target that cannot be read).
    pub fn resolve(&self, tab: f64, target: &str) -> Result<NodeRef, ResolveError> {
        let target = target.trim();
        if let Some(reference) = as_ref(target) {
            return self.resolve_ref(tab, reference);
        }
        let parts = query::split_frames(target);
        let (last, frames) = parts.split_last().map_or((target, &[][..]), |(last, frames)| (*last, frames));
        let doc = self.enter(tab, frames)?;
        self.only(doc, last)
    }

    fn resolve_ref(&self, tab: f64, reference: &str) -> Result<NodeRef, ResolveError> {
        let known = self.tabs.get(&tab.to_bits()).and_then(|t| t.refs.find(reference));
        let Some((node, was)) = known else {
            let message = format!("no element of this tab was ever given the ref {reference}; take a new snapshot");
            return Err(ResolveError::new(FailureCode::NotFound, message));
        };
        if self.is_live(tab, node.doc) && self.contains(node) {
            return Ok(node);
        }
        let message =
            format!("{reference} was {was}; it has left the document since that snapshot; take a new snapshot");
        Err(ResolveError::new(FailureCode::Gone, message))
    }

    /// Whether the document is shown in the tab now.
    fn is_live(&self, tab: f64, doc: DocKey) -> bool {
        let top = self.top(tab);
        let mut at = doc;
        for _ in 0..super::FRAME_DEPTH {
            if self.doc(at).is_none_or(|d| d.gone) {
                return false;
            }
            if Some(at) == top {
                return true;
            }
            let Some(frame) = self.parent_frame(at) else { return false };
            at = frame.doc;
        }
        false
    }

    /// Goes down through frame elements.
    fn enter<S: AsRef<str>>(&self, tab: f64, frames: &[S]) -> Result<DocKey, ResolveError> {
        let mut doc = self.top(tab).ok_or_else(|| {
            ResolveError::new(FailureCode::NotFound, "the tab shows no document yet; wait for it or navigate")
        })?;
        for frame in frames {
            let frame = frame.as_ref();
            let element = self.only(doc, frame)?;
            doc = self.child_document(element).ok_or_else(|| {
                let what = self.at(element).map_or_else(String::new, |(view, ix)| describe(view, ix));
                let message = format!("{frame} is {what}, in which no document is known; is it a frame, and loaded?");
                ResolveError::new(FailureCode::NotFound, message)
            })?;
        }
        Ok(doc)
    }

    fn only(&self, doc: DocKey, locator: &str) -> Result<NodeRef, ResolveError> {
        let query = query::parse(locator).map_err(|message| ResolveError::new(FailureCode::BadValue, message))?;
        let Some(view) = self.view(doc) else {
            return Err(ResolveError::new(FailureCode::NotFound, "the document is not known"));
        };
        match query.find(view).as_slice() {
            [] => Err(ResolveError::new(
                FailureCode::NotFound,
                format!("nothing matches {locator}; look at the snapshot for what is there"),
            )),
            [one] => Ok(self.named(doc, view, *one)),
            many => Err(ambiguous(view, locator, many)),
        }
    }

    /// Whether anything that a locator (or ref) matches can be seen, as far as it was measured; `None` if nothing
    /// matches.
    pub fn any_visible(&self, tab: f64, target: &str) -> Option<bool> {
        match self.resolve(tab, target) {
            Ok(node) => Some(self.visible(node)),
            Err(error) if error.code == FailureCode::Ambiguous => {
                let parts = query::split_frames(target);
                let (last, frames) = parts.split_last()?;
                let view = self.view(self.enter(tab, frames).ok()?)?;
                let found = query::parse(last).ok()?.find(view);
                Some(found.into_iter().any(|ix| view.visible(ix)))
            }
            Err(_) => None,
        }
    }

    /// The one element of a recorded target, and which of its locators found it. Later locators may only choose among
    /// what earlier ones matched.
    ///
    /// # Errors
    /// `NotFound` if none matches, `Ambiguous` if no locator tells one from the others or two disagree.
    pub fn resolve_target(
        &self,
        tab: f64,
        frame: &[String],
        target: &Target,
    ) -> Result<(NodeRef, usize), ResolveError> {
        let doc = self.enter(tab, frame)?;
        let Some(view) = self.view(doc) else {
            return Err(ResolveError::new(FailureCode::NotFound, "the document is not known"));
        };
        let mut among: Option<(Vec<Ix>, &str)> = None;
        let mut unreadable = None;
        let mut stranger = None;
        for (at, locator) in target.locators.iter().enumerate() {
            let query = match query::parse(&locator.value) {
                Ok(query) => query,
                Err(message) => {
                    unreadable.get_or_insert(message);
                    continue;
                }
            };
            let mut found = query.find(view);
            if let Some((before, value)) = &among {
                if found.is_empty() {
                    continue;
                }
                found.retain(|ix| before.contains(ix));
                if found.is_empty() {
                    let message = format!(
                        "{value} matches {} elements and {} another one; the page is not as it was recorded",
                        before.len(),
                        locator.value
                    );
                    return Err(ResolveError::new(FailureCode::Ambiguous, message));
                }
            } else if positional(locator.kind, &query) && !found.is_empty() {
                // Only a place is left of all the evidence: what stands there must be of the same kind, and not be
                // called something else.
                let one = found.first().copied();
                found.retain(|ix| {
                    view.tag(*ix) == target.tag && view.role(*ix) == target.role && keeps_name(view, *ix, target)
                });
                if found.is_empty() {
                    stranger = stranger.or(one);
                }
            }
            match found.as_slice() {
                [] => {}
                [one] => return Ok((self.named(doc, view, *one), at)),
                _ => among = Some((found, &locator.value)),
            }
        }
        match (among, unreadable) {
            (Some((found, value)), _) => Err(ambiguous(view, value, &found)),
            (None, Some(message)) if target.locators.len() == 1 => {
                Err(ResolveError::new(FailureCode::BadValue, message))
            }
            (None, _) => {
                let what = [target.role.as_str(), &serde_json::Value::from(target.name.as_str()).to_string()].join(" ");
                let mut message = format!("none of {} locators of {what} matches anything now", target.locators.len());
                if let Some(ix) = stranger {
                    message = format!("{message}; in its place stands {}", describe(view, ix));
                }
                Err(ResolveError::new(FailureCode::NotFound, message))
            }
        }
    }

    /// How many elements the first locator of a target matches.
    pub(super) fn matches(&self, tab: f64, frame: &[String], target: &Target) -> Result<usize, ResolveError> {
        let doc = self.enter(tab, frame)?;
        let locator = target.locators.first().ok_or_else(|| {
            ResolveError::new(FailureCode::BadValue, "the assertion's target has no locator to count with")
        })?;
        let query = query::parse(&locator.value).map_err(|m| ResolveError::new(FailureCode::BadValue, m))?;
        Ok(self.view(doc).map_or(0, |view| query.count(view).len()))
    }
}

/// Whether an element may be the recorded one by its name: the same but for numbers, or where words came and went.
fn keeps_name(view: View<'_>, ix: Ix, target: &Target) -> bool {
    let bare = |name: &str| name.chars().filter(|c| !c.is_numeric()).collect::<String>();
    // A neighbour's words are not its own.
    let own = |locator: &&Locator| locator.kind != LocatorKind::Relative;
    let changes = target.locators.iter().filter(own).any(|locator| locator.volatile.contains(&Volatility::Changing));
    let now = view.name(ix);
    let (is, was) = (bare(&now), bare(&target.name));
    // Of days and pages the number is all there is.
    let same = if was.trim().is_empty() { now == target.name } else { is == was };
    changes || now.is_empty() || target.name.is_empty() || same
}

fn positional(kind: LocatorKind, query: &Query) -> bool {
    matches!(kind, LocatorKind::Path | LocatorKind::Css) || matches!(query, Query::Path(_))
}

/// A ref, if the target is one: `e12`, `f1e3`, also as `ref=e12` and `aria-ref=e12`.
fn as_ref(target: &str) -> Option<&str> {
    let bare = target.strip_prefix("aria-").unwrap_or(target);
    let bare = bare.strip_prefix("ref=").unwrap_or(bare);
    let rest = bare.strip_prefix('f').map_or(bare, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let number = rest.strip_prefix('e')?;
    let in_frame = bare.starts_with('f') && bare.len() - rest.len() > 1;
    let is_ref =
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && (in_frame || !bare.starts_with('f'));
    is_ref.then_some(bare)
}

fn ambiguous(view: View<'_>, locator: &str, found: &[Ix]) -> ResolveError {
    let mut told: Vec<String> = found.iter().take(TOLD).map(|ix| describe(view, *ix)).collect();
    if found.len() > TOLD {
        told.push("…".to_owned());
    }
    let message = format!(
        "{} with {locator} matches {} elements ({}); use a ref of the snapshot or a narrower locator",
        match query::parse(locator) {
            Ok(query) => query.describe(),
            Err(_) => "locator",
        },
        found.len(),
        told.join(", ")
    );
    ResolveError::new(FailureCode::Ambiguous, message)
}

/// An element for people: `button "Save"`, or its tag where it has no role.
pub(super) fn describe(view: View<'_>, ix: Ix) -> String {
    let role = view.role(ix);
    let what = if role == super::roles::GENERIC || role == super::roles::NONE {
        format!("<{}>", view.tag(ix))
    } else {
        role.to_owned()
    };
    let name = view.name(ix);
    let name = if name.is_empty() { view.text(ix, 80).unwrap_or_default() } else { name };
    if name.is_empty() { what } else { format!("{what} {}", serde_json::Value::from(name)) }
}
