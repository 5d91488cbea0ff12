//! The four numbers of each run.

use std::rc::Rc;

use yew::prelude::*;

use crate::format;
use crate::scores::Scored;
use crate::text::t;

#[derive(Properties, PartialEq)]
pub(crate) struct ResultsProps {
    pub(crate) scored: Rc<Scored>,
}

/// A table, a run in two lines, so that it fits a narrow panel.
#[function_component]
pub(crate) fn Results(props: &ResultsProps) -> Html {
    let runs = &props.scored.report.runs;
    let head = |word: String, hint: String| html! { <th scope="col" class="num" title={hint}>{ word }</th> };
    let undefined =
        runs.iter().any(|run| run.soft.is_none() || run.step_efficiency.is_none() || run.recovery_score.is_none());
    html! {
        <>
            <table class="results" id="results">
                <caption class="unseen">{ t!(score) }</caption>
                <thead>
                    <tr>
                        { head(t!(result_classic), t!(result_classic_hint)) }
                        { head(t!(result_success), t!(result_success_hint)) }
                        { head(t!(result_efficiency), t!(result_efficiency_hint)) }
                        { head(t!(result_recovery), t!(result_recovery_hint)) }
                    </tr>
                </thead>
                { for runs.iter().map(|run| {
                    let (word, class) = match (run.hard, run.soft) {
                        (Some(true), _) => (t!(success_hard), "good"),
                        (_, Some(true)) => (t!(success_soft), "good"),
                        (_, Some(false)) => (t!(success_no), "bad"),
                        (_, None) => ("–".to_owned(), "dim"),
                    };
                    html! {
                        <tbody>
                            <tr><th scope="rowgroup" colspan="4">{ &run.name }</th></tr>
                            <tr>
                                <td class="num">{ format::share(Some(run.profiles.classic.score)) }</td>
                                <td class={classes!("num", class)}>{ word }</td>
                                <td class="num">{ format::share(run.step_efficiency) }</td>
                                <td class="num">{ format::share(run.recovery_score) }</td>
                            </tr>
                        </tbody>
                    }
                }) }
            </table>
            if undefined { <p class="dim small">{ t!(undefined_hint) }</p> }
        </>
    }
}
