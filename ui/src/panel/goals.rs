//! Goal assertions: what must hold at the end, pointed at in the page.

use tracerule::score::words::{self, Lang};
use tracerule::trace::AssertionKind;
use tracerule::wire::panel::Request;
use yew::prelude::*;

use crate::browser;
use crate::format;
use crate::hub::Hub;
use crate::icon::{Glyph, Icon};
use crate::parts::{Problem, clears, shown};
use crate::text::t;

const KINDS: [AssertionKind; 6] = [
    AssertionKind::Text,
    AssertionKind::Value,
    AssertionKind::Visible,
    AssertionKind::Checked,
    AssertionKind::Count,
    AssertionKind::Url,
];

#[derive(Properties, PartialEq)]
pub(crate) struct GoalsProps {
    pub(crate) hub: Hub,
}

/// The tab.
#[function_component]
pub(crate) fn Goals(props: &GoalsProps) -> Html {
    let kind = use_state(|| AssertionKind::Text);
    let problem = use_state(|| None::<String>);
    let status = &props.hub.model.status;
    let (live, picking) = (status.session.is_some(), status.picking);
    {
        // The person's next key is meant for this.
        let was = use_mut_ref(|| false);
        use_effect_with(picking, move |picking| {
            if *picking {
                browser::focus("cancel-pointing");
            } else if was.replace(*picking) {
                browser::focus("point");
            }
            was.replace(*picking);
        });
    }
    let tell = {
        let (hub, problem) = (props.hub.clone(), problem.clone());
        Callback::from(move |request: Request| hub.tell(request, &problem))
    };
    let onkeydown = {
        let tell = tell.clone();
        Callback::from(move |event: KeyboardEvent| {
            if picking && event.key() == "Escape" {
                event.prevent_default();
                tell.emit(Request::AssertCancel);
            }
        })
    };
    let chosen = *kind;
    let lang = Lang::from_tag(&browser::language());

    html! {
        <section class="goals" aria-label={t!(tab_goals)} {onkeydown}>
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            <p class="dim">{ t!(goals_intro) }</p>
            if picking {
                <div class="card pointing" role="status">
                    <p><Icon glyph={Glyph::Target} /><strong>{ t!(pointing) }</strong></p>
                    <p>{ format::assertion(chosen).1 }</p>
                    <button id="cancel-pointing" onclick={tell.reform(|_| Request::AssertCancel)}>{ t!(cancel_pointing) }</button>
                </div>
            } else {
                <fieldset class="kinds" disabled={!live}>
                    <legend>{ t!(goals_kind) }</legend>
                    { for KINDS.into_iter().map(|each| {
                        let kind = kind.clone();
                        let (name, hint) = format::assertion(each);
                        html! {
                            <label title={hint}>
                                <input type="radio" name="kind" checked={*kind == each} onchange={move |_| kind.set(each)} />
                                <span>{ name }</span>
                            </label>
                        }
                    }) }
                </fieldset>
                <p class="dim small">{ format::assertion(chosen).1 }</p>
                <button id="point" class="primary" disabled={!live} onclick={tell.reform(move |_| Request::Assert { kind: chosen })}>
                    <Icon glyph={Glyph::Target} />
                    { if chosen == AssertionKind::Url { t!(add_address) } else { t!(point_at_page) } }
                </button>
                if !live {
                    <p class="dim small">{ t!(goals_need_recording) }</p>
                }
            }
            if !status.assertions.is_empty() {
                <h2>{ t!(goals_list) }</h2>
                <ol class="goal-list">
                    { for status.assertions.iter().enumerate().map(|(index, assertion)| {
                        let sentence = words::assertion(lang, assertion);
                        let index = u32::try_from(index).unwrap_or(u32::MAX);
                        html! {
                            <li>
                                <Icon glyph={Glyph::Check} /><span>{ &sentence }</span>
                                <button class="icon-button" aria-label={t!(remove_goal, sentence)} title={t!(remove)}
                                    onclick={tell.reform(move |_| Request::AssertRemove { index })}><Icon glyph={Glyph::Trash} /></button>
                            </li>
                        }
                    }) }
                </ol>
            } else if live {
                <p class="dim">{ t!(goals_none) }</p>
            }
        </section>
    }
}
