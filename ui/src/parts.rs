//! Small components that both pages use.

use yew::prelude::*;

use crate::icon::{Glyph, Icon};
use crate::text::t;

#[derive(Properties, PartialEq)]
pub(crate) struct ProblemProps {
    /// What went wrong; nothing is shown without it.
    pub(crate) text: Option<AttrValue>,
    /// The person has read it.
    #[prop_or_default]
    pub(crate) dismiss: Option<Callback<()>>,
    /// What to do about it.
    #[prop_or_default]
    pub(crate) children: Html,
}

/// Says what went wrong, there where the person is looking.
#[function_component]
pub(crate) fn Problem(props: &ProblemProps) -> Html {
    // The region is always there: one that arrives together with its text is not announced everywhere.
    html! {
        <div role="alert" class="alert-region">
            if let Some(text) = &props.text {
                <div class="problem">
                    <Icon glyph={Glyph::Warning} />
                    <p>{ text }</p>
                    { props.children.clone() }
                    if let Some(dismiss) = props.dismiss.clone() {
                        <button class="icon-button" onclick={move |_| dismiss.emit(())} aria-label={t!(dismiss)} title={t!(dismiss)}>
                            <Icon glyph={Glyph::Close} />
                        </button>
                    }
                </div>
            }
        </div>
    }
}

/// A callback that empties a problem.
pub(crate) fn clears(problem: &UseStateHandle<Option<String>>) -> Callback<()> {
    let problem = problem.clone();
    Callback::from(move |()| problem.set(None))
}

/// A problem's text as a property.
pub(crate) fn shown(problem: &UseStateHandle<Option<String>>) -> Option<AttrValue> {
    problem.as_ref().map(|text| AttrValue::from(text.clone()))
}

/// The text in an input event's field.
pub(crate) fn typed(event: &InputEvent) -> String {
    event.target_dyn_into::<web_sys::HtmlInputElement>().map(|input| input.value()).unwrap_or_default()
}

/// The value chosen in a list.
pub(crate) fn chosen(event: &Event) -> String {
    event.target_dyn_into::<web_sys::HtmlSelectElement>().map(|list| list.value()).unwrap_or_default()
}

/// Whether a box was ticked.
pub(crate) fn ticked(event: &Event) -> bool {
    event.target_dyn_into::<web_sys::HtmlInputElement>().is_some_and(|input| input.checked())
}
