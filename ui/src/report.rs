//! The report in a tab: `report.html?reference=ID&run=ID&run=ID`.

use std::rc::Rc;

use tracerule::report::{self, Options};
use tracerule::score::words::Lang;
use tracerule::trace::Role;
use tracerule_store::SessionMeta;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::icon::{Glyph, Icon};
use crate::parts::{Problem, chosen, clears, shown, ticked};
use crate::scores::{self, Scored};
use crate::text::{steps, t};
use crate::{browser, format, kept};

/// What the address asks for.
#[derive(Clone, Debug, Default, PartialEq)]
struct Wanted {
    reference: String,
    runs: Vec<String>,
}

impl Wanted {
    fn of_address() -> Wanted {
        let search = gloo::utils::window().location().search().unwrap_or_default();
        let Ok(query) = web_sys::UrlSearchParams::new_with_str(&search) else { return Wanted::default() };
        Wanted {
            reference: query.get("reference").unwrap_or_default(),
            runs: query.get_all("run").iter().filter_map(|id| id.as_string()).collect(),
        }
    }

    /// So that reloading and bookmarks show the same report.
    fn to_address(&self) {
        let Ok(query) = web_sys::UrlSearchParams::new() else { return };
        query.append("reference", &self.reference);
        for run in &self.runs {
            query.append("run", run);
        }
        let address = format!("?{}", String::from(query.to_string()));
        if let Ok(history) = gloo::utils::window().history() {
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
        }
    }
}

/// The page.
#[function_component]
pub(crate) fn Report() -> Html {
    let wanted = use_state(Wanted::of_address);
    let lang = use_state(|| Lang::from_tag(&browser::language()));
    let kept_list = use_state(Vec::<SessionMeta>::new);
    let scored = use_state(|| None::<Rc<Scored>>);
    let problem = use_state(|| None::<String>);
    let busy = use_state(|| true);

    use_effect_with((), {
        let (kept_list, problem) = (kept_list.clone(), problem.clone());
        move |()| {
            spawn_local(async move {
                match kept::sessions().await {
                    Ok(list) => kept_list.set(list.into_iter().filter(|meta| !meta.live).collect()),
                    Err(error) => problem.set(Some(error)),
                }
            });
        }
    });
    use_effect_with((*wanted).clone(), {
        let (scored, problem, busy) = (scored.clone(), problem.clone(), busy.clone());
        move |wanted: &Wanted| {
            let wanted = wanted.clone();
            let current = Rc::new(std::cell::Cell::new(true));
            wanted.to_address();
            problem.set(None);
            scored.set(None);
            busy.set(!wanted.reference.is_empty() && !wanted.runs.is_empty());
            if !wanted.reference.is_empty() && !wanted.runs.is_empty() {
                let current = current.clone();
                spawn_local(async move {
                    // Lets the page say that it is busy before it is.
                    gloo::timers::future::TimeoutFuture::new(20).await;
                    let outcome = scores::score(&wanted.reference, &wanted.runs).await;
                    if !current.get() {
                        return;
                    }
                    match outcome {
                        Ok(found) => scored.set(Some(Rc::new(found))),
                        Err(error) => problem.set(Some(error)),
                    }
                    busy.set(false);
                });
            }
            move || current.set(false)
        }
    });

    let options = Options { lang: *lang, title: String::new() };
    let pick_reference = {
        let wanted = wanted.clone();
        Callback::from(move |event: Event| {
            let reference = chosen(&event);
            let runs = wanted.runs.iter().filter(|run| **run != reference).cloned().collect();
            wanted.set(Wanted { reference, runs });
        })
    };
    let pick_run = {
        let wanted = wanted.clone();
        Callback::from(move |(id, on): (String, bool)| {
            let mut next = (*wanted).clone();
            next.runs.retain(|run| *run != id);
            if on {
                next.runs.push(id);
            }
            wanted.set(next);
        })
    };
    let pick_lang = {
        let lang = lang.clone();
        Callback::from(move |event: Event| lang.set(Lang::from_tag(&chosen(&event))))
    };
    let save = |name: &'static str, mime: &'static str, make: fn(&Scored, &Options) -> Result<String, String>| {
        let (scored, problem, options) = (scored.clone(), problem.clone(), options.clone());
        Callback::from(move |_: MouseEvent| {
            let Some(scored) = scored.as_ref() else { return };
            let stem = format::file_stem(scored.reference.title(), "report");
            let saved = make(scored, &options)
                .and_then(|text| browser::download(&format!("{stem}.{name}"), mime, text.as_bytes()));
            problem.set(saved.err());
        })
    };
    let save_html = save("report.html", "text/html;charset=utf-8", |scored, options| {
        Ok(report::html(&scored.reference, &scored.runs, &scored.report, options))
    });
    let save_json = save("scores.json", "application/json", |scored, _| {
        serde_json::to_string_pretty(&scored.report).map_err(|error| error.to_string())
    });
    let ready = scored.is_some();

    html! {
        <>
            <div class="ui">
            <header class="report-bar">
                <p class="brand"><img src="icons/32.png" alt="" width="20" height="20" />{ t!(report_title) }</p>
                <div class="field">
                    <label for="reference">{ t!(role_reference) }</label>
                    <select id="reference" onchange={pick_reference}>
                        if !kept_list.iter().any(|meta| meta.header.id == wanted.reference) {
                            <option value="" selected=true>{ t!(choose_reference) }</option>
                        }
                        { for kept_list.iter().map(|meta| html! {
                            <option value={meta.header.id.clone()} selected={meta.header.id == wanted.reference}>
                                { format!("{} · {}", kept::title(meta), browser::date(meta.header.started_ms)) }
                            </option>
                        }) }
                    </select>
                </div>
                <details class="menu">
                    <summary>{ t!(report_runs, wanted.runs.len()) }</summary>
                    <fieldset>
                        <legend>{ t!(choose_runs) }</legend>
                        { for kept_list.iter().filter(|meta| meta.header.id != wanted.reference).map(|meta| {
                            let id = meta.header.id.clone();
                            html! {
                                <label class="pick">
                                    <input type="checkbox" checked={wanted.runs.contains(&id)} onchange={pick_run.reform(move |event: Event| (id.clone(), ticked(&event)))} />
                                    <span class="about">
                                        <span class="title">{ kept::title(meta) }</span>
                                        <span class="dim small">{ browser::date(meta.header.started_ms) }{ " · " }{ steps(meta.steps as usize) }
                                            if meta.header.role == Role::Reference { { " · " }{ t!(role_reference) } }</span>
                                    </span>
                                </label>
                            }
                        }) }
                    </fieldset>
                </details>
                <div class="field">
                    <label for="lang">{ t!(language) }</label>
                    <select id="lang" onchange={pick_lang}>
                        <option value="en" lang="en" selected={*lang == Lang::En}>{ "English" }</option>
                        <option value="zh-CN" lang="zh-CN" selected={*lang == Lang::ZhCn}>{ "简体中文" }</option>
                    </select>
                </div>
                <div class="buttons">
                    <button disabled={!ready} onclick={save_html}><Icon glyph={Glyph::Download} />{ t!(save_report) }</button>
                    <button disabled={!ready} onclick={save_json}><Icon glyph={Glyph::Download} />{ t!(save_scores) }</button>
                </div>
            </header>
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            </div>
            if let Some(scored) = scored.as_ref() {
                <Body scored={scored.clone()} {options} />
            } else {
                <main class="ui" aria-busy={busy.to_string()}>
                    <h1 class="unseen">{ t!(report_title) }</h1>
                    if *busy {
                        <p class="empty" role="status">{ t!(scoring) }</p>
                    } else if problem.is_none() {
                        <div class="empty"><Icon glyph={Glyph::Report} /><p>{ t!(report_choose) }</p></div>
                    }
                </main>
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct BodyProps {
    scored: Rc<Scored>,
    options: Options,
}

/// The report proper. The core escapes whatever came from a trace.
#[function_component]
fn Body(props: &BodyProps) -> Html {
    let fragment = use_memo((props.scored.clone(), props.options.clone()), |(scored, options)| {
        report::fragment(&scored.reference, &scored.runs, &scored.report, options)
    });
    html! { <div class="report-body">{ Html::from_html_unchecked(AttrValue::from((*fragment).clone())) }</div> }
}
