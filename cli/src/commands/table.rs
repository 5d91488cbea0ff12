//! The scores of a campaign, as people read them.

use std::io::Write;

use tracerule::score::Report;

use super::run::Finished;

/// Prints one line for each run on standard output.
pub(super) fn print(report: Option<&Report>, finished: &[Finished]) {
    let mut rows: Vec<Vec<String>> = vec![
        ["run", "ending", "steps", "hard", "soft", "efficiency", "recovery", "alignment", "extension"]
            .map(str::to_owned)
            .into(),
    ];
    for run in finished {
        let status = serde_json::to_value(run.ending.status).ok().and_then(|v| v.as_str().map(str::to_owned));
        let scored = report.and_then(|report| report.runs.iter().find(|scored| scored.name == run.name));
        let steps = run.trace.as_ref().map_or_else(|| "-".to_owned(), |trace| trace.steps().count().to_string());
        let judged = |value: Option<Option<bool>>| match value.flatten() {
            Some(true) => "yes".to_owned(),
            Some(false) => "no".to_owned(),
            None => "-".to_owned(),
        };
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        rows.push(vec![
            run.name.trim_end_matches(".trace.zip").to_owned(),
            status.unwrap_or_default(),
            steps,
            judged(scored.map(|run| run.hard)),
            judged(scored.map(|run| run.soft)),
            number(scored.and_then(|run| run.step_efficiency)),
            number(scored.and_then(|run| run.recovery_score)),
            number(scored.map(|run| run.profiles.classic.score)),
            run.agrees.map_or("-", |same| if same { "agrees" } else { "DIFFERS" }).to_owned(),
        ]);
    }
    let widths: Vec<usize> =
        (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    // Nobody may be reading; the scores are in their file.
    let _ = std::io::stdout().write_all(text.as_bytes());
}
