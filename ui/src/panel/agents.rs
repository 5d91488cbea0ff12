//! The companion's connection, and what its agents may do.

use tracerule::wire::panel::Request;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::hub::Hub;
use crate::icon::{Glyph, Icon};
use crate::parts::{Problem, clears, shown, typed};
use crate::text::t;

#[derive(Properties, PartialEq)]
pub(crate) struct AgentsProps {
    pub(crate) hub: Hub,
}

/// The tab.
#[function_component]
pub(crate) fn Agents(props: &AgentsProps) -> Html {
    let pairing = use_state(String::new);
    let problem = use_state(|| None::<String>);
    let status = &props.hub.model.status;
    let live = status.session.is_some();
    let tell = {
        let (hub, problem) = (props.hub.clone(), problem.clone());
        Callback::from(move |request: Request| hub.tell(request, &problem))
    };
    let connect = {
        let (hub, problem, pairing) = (props.hub.clone(), problem.clone(), pairing.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let line = pairing.trim().to_owned();
            if !is_pairing(&line) {
                problem.set(Some(t!(bad_pairing)));
                return;
            }
            problem.set(None);
            let (hub, problem, pairing) = (hub.clone(), problem.clone(), pairing.clone());
            spawn_local(async move {
                match hub.ask(Request::Connect { pairing: line }).await {
                    // It holds a secret: do not leave it standing.
                    Ok(()) => pairing.set(String::new()),
                    Err(error) => problem.set(Some(error)),
                }
            });
        })
    };

    html! {
        <section class="agents" aria-label={t!(tab_agents)}>
            <Problem text={shown(&problem)} dismiss={clears(&problem)} />
            <h2>{ t!(companion) }</h2>
            if let Some(relay) = &status.relay {
                <div class="card row">
                    <Icon glyph={Glyph::Plug} class="good" />
                    <span class="grow"><strong>{ t!(connected) }</strong><br /><code>{ relay }</code></span>
                    <button onclick={tell.reform(|_| Request::Disconnect)}>{ t!(disconnect) }</button>
                </div>
            } else {
                <p class="dim">{ t!(companion_intro) }<code>{ "tracerule serve" }</code></p>
                <form class="pairing" onsubmit={connect}>
                    <label for="pairing">{ t!(pairing) }</label>
                    <div class="row">
                        <input id="pairing" type="text" class="grow" autocomplete="off" spellcheck="false" placeholder="ws://127.0.0.1:PORT/#TOKEN"
                            value={(*pairing).clone()} oninput={let pairing = pairing.clone(); move |event: InputEvent| pairing.set(typed(&event))} />
                        <button class="primary" type="submit"><Icon glyph={Glyph::Plug} />{ t!(connect) }</button>
                    </div>
                </form>
            }
            <h2>{ t!(agents_here) }</h2>
            if status.agents.is_empty() {
                <p class="dim">{ t!(agents_none) }</p>
            } else {
                <ul class="agent-list">
                    { for status.agents.iter().map(|name| html! { <li><Icon glyph={Glyph::Bot} /><span>{ name }</span></li> }) }
                </ul>
            }
            <h2>{ t!(grant_title) }</h2>
            <div class={classes!("card", "grant", status.granted.then_some("granted"))}>
                <p>{ if status.granted { t!(granted_means) } else { t!(grant_means) } }</p>
                <p class="dim small">{ if status.can_trust { t!(trusted_input) } else { t!(synthetic_input) } }</p>
                if status.granted {
                    <button class="stop" onclick={tell.reform(|_| Request::Revoke)}>{ t!(revoke) }</button>
                } else {
                    <button class="primary" disabled={!live} onclick={tell.reform(|_| Request::Grant)}>{ t!(grant) }</button>
                    if !live {
                        <p class="dim small">{ t!(grant_needs_recording) }</p>
                    }
                }
            </div>
        </section>
    }
}

/// Whether a line has the shape that `tracerule serve` prints: a loopback address and a token.
fn is_pairing(line: &str) -> bool {
    let Some((address, token)) = line.strip_prefix("ws://").and_then(|rest| rest.split_once("/#")) else {
        return false;
    };
    let loopback = ["127.0.0.1:", "localhost:", "[::1]:"].iter().any(|host| address.starts_with(host));
    loopback && !token.is_empty()
}
