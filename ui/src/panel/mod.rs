//! The side panel: the record dock on top, below it one of five tabs.

mod agents;
mod annotate;
mod editor;
mod goals;
mod perturb;
mod record;
mod results;
mod step;
mod steps;
mod traces;

use gloo::storage::{LocalStorage, Storage};
use yew::prelude::*;

use crate::browser;
use crate::draft::Draft;
use crate::hub::{Link, use_hub};
use crate::icon::{Glyph, Icon};
use crate::parts::Problem;
use crate::text::{Key, get, t};

const DRAFT: &str = "draft";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Steps,
    Goals,
    Perturb,
    Agents,
    Traces,
}

impl Tab {
    const ALL: [Tab; 5] = [Tab::Steps, Tab::Goals, Tab::Perturb, Tab::Agents, Tab::Traces];

    fn key(self) -> Key {
        match self {
            Tab::Steps => Key::tab_steps,
            Tab::Goals => Key::tab_goals,
            Tab::Perturb => Key::tab_perturb,
            Tab::Agents => Key::tab_agents,
            Tab::Traces => Key::tab_traces,
        }
    }

    fn id(self) -> &'static str {
        match self {
            Tab::Steps => "steps",
            Tab::Goals => "goals",
            Tab::Perturb => "perturb",
            Tab::Agents => "agents",
            Tab::Traces => "traces",
        }
    }
}

/// The panel.
#[function_component]
pub(crate) fn Panel() -> Html {
    let hub = use_hub();
    let tab = use_state(|| Tab::Steps);
    let draft = use_state(|| LocalStorage::get::<Draft>(DRAFT).unwrap_or_default());
    let read = use_state(|| None::<String>);
    // A stored recording that is looked at and edited.
    let opened = use_state(|| None::<AttrValue>);

    let change = {
        let draft = draft.clone();
        Callback::from(move |next: Draft| {
            // Remembering is a comfort: where storage is refused, the panel works all the same.
            let _ = LocalStorage::set(DRAFT, &next);
            draft.set(next);
        })
    };
    let go = {
        let tab = tab.clone();
        Callback::from(move |next| tab.set(next))
    };

    let edit = {
        let (opened, go) = (opened.clone(), go.clone());
        Callback::from(move |session: AttrValue| {
            opened.set(Some(session));
            go.emit(Tab::Steps);
        })
    };
    let close = {
        let opened = opened.clone();
        Callback::from(move |()| opened.set(None))
    };

    let model = &hub.model;
    let status = &model.status;
    let link = match &model.link {
        Link::Down(why) => Some(AttrValue::from(t!(hub_retrying, why))),
        _ => None,
    };
    let problem =
        status.problem.clone().filter(|text| read.as_ref() != Some(text) && model.told.as_ref() != Some(text));
    use_effect_with(status.problem.is_none(), {
        // The same words later on are a new problem.
        let read = read.clone();
        move |gone| {
            if *gone {
                read.set(None);
            }
        }
    });
    let dismiss = {
        let (read, now) = (read.clone(), status.problem.clone());
        Callback::from(move |()| read.set(now.clone()))
    };
    let trouble = if *tab == Tab::Goals || !status.picking { None } else { Some(Tab::Goals) };

    html! {
        <div class="ui"><div class="panel">
            <header class="dock">
                <h1 class="brand"><img src="icons/32.png" alt="" width="18" height="18" />{ t!(ext_title) }</h1>
                <Problem text={link} />
                <Problem text={problem.map(AttrValue::from)} {dismiss} />
                <record::Record hub={hub.clone()} draft={(*draft).clone()} />
                if let Some(tab) = trouble {
                    <p class="notice">
                        <Icon glyph={Glyph::Target} />
                        <span>{ t!(picking_elsewhere) }</span>
                        <button class="link" onclick={go.reform(move |_| tab)}>{ get(tab.key(), &[]) }</button>
                    </p>
                }
                <Tabs tab={*tab} go={go.clone()} counts={[model.steps.len(), status.assertions.len(), 0, status.agents.len(), 0]} />
            </header>
            <main id="page" role="tabpanel" aria-labelledby={format!("tab-{}", tab.id())}>
                { match *tab {
                    Tab::Steps => html! { <steps::Steps hub={hub.clone()} go={go.clone()} opened={(*opened).clone()} close={close.clone()} /> },
                    Tab::Goals => html! { <goals::Goals hub={hub.clone()} /> },
                    Tab::Perturb => html! { <perturb::Perturb hub={hub.clone()} draft={(*draft).clone()} {change} /> },
                    Tab::Agents => html! { <agents::Agents hub={hub.clone()} /> },
                    Tab::Traces => html! { <traces::Traces hub={hub.clone()} edit={edit.clone()} /> },
                } }
            </main>
        </div></div>
    }
}

#[derive(Properties, PartialEq)]
struct TabsProps {
    tab: Tab,
    go: Callback<Tab>,
    /// In the order of the tabs; 0 is not shown.
    counts: [usize; 5],
}

/// The row of tabs; arrow keys move along it.
#[function_component]
fn Tabs(props: &TabsProps) -> Html {
    let onkeydown = {
        let (tab, go) = (props.tab, props.go.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = Tab::ALL.iter().position(|known| *known == tab).unwrap_or(0);
            let last = Tab::ALL.len() - 1;
            let next = match event.key().as_str() {
                "ArrowRight" => {
                    if at == last {
                        0
                    } else {
                        at + 1
                    }
                }
                "ArrowLeft" => {
                    if at == 0 {
                        last
                    } else {
                        at - 1
                    }
                }
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            event.prevent_default();
            go.emit(Tab::ALL[next]);
            browser::focus(&format!("tab-{}", Tab::ALL[next].id()));
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label={t!(tabs_label)} {onkeydown}>
            { for Tab::ALL.into_iter().zip(props.counts).map(|(tab, count)| {
                let selected = tab == props.tab;
                html! {
                    <button role="tab" id={format!("tab-{}", tab.id())} aria-selected={selected.to_string()}
                        aria-controls="page" tabindex={if selected { "0" } else { "-1" }}
                        onclick={props.go.reform(move |_| tab)}>
                        { get(tab.key(), &[]) }
                        if count > 0 {
                            <span class="count">{ count }</span>
                        }
                    </button>
                }
            }) }
        </div>
    }
}
