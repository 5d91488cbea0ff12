//! Scoring, here in the page: the core reads the traces and decides.

use tracerule::reference::Subject;
use tracerule::score;

use crate::kept;

/// A reference, its runs, and what the ruler says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) reference: Subject,
    pub(crate) runs: Vec<(String, Subject)>,
    pub(crate) report: score::Report,
}

/// Loads and scores.
///
/// # Errors
/// Which trace could not be read, and why.
pub(crate) async fn score(reference: &str, runs: &[String]) -> Result<Scored, String> {
    let reference = Subject::Trace(Box::new(kept::trace(reference).await?));
    let mut subjects = Vec::new();
    for id in runs {
        let trace = kept::trace(id).await?;
        let header = &trace.header;
        let name = if header.title.is_empty() { header.id.clone() } else { header.title.clone() };
        subjects.push((name, Subject::Trace(Box::new(trace))));
    }
    let report = score::score(&reference, &subjects);
    Ok(Scored { reference, runs: subjects, report })
}
