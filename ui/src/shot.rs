//! Screenshots out of the store, read when they come near the screen.

use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, Url};
use yew::prelude::*;

use crate::{browser, kept};

#[derive(Properties, PartialEq)]
pub(crate) struct ShotProps {
    pub(crate) session: AttrValue,
    /// The blob's name.
    pub(crate) blob: AttrValue,
    /// What it shows; empty where the words beside it say so.
    #[prop_or_default]
    pub(crate) alt: AttrValue,
    /// Device pixels, so that its place is known before it is there.
    pub(crate) size: (u32, u32),
}

/// One.
#[function_component]
pub(crate) fn Shot(props: &ShotProps) -> Html {
    let near = use_state(|| false);
    let url = use_state(|| None::<String>);
    let place = use_node_ref();
    {
        let near = near.clone();
        use_effect_with(place.clone(), move |place| {
            let watch = place.cast::<Element>().and_then(|element| Watch::begin(&element, move || near.set(true)));
            move || drop(watch)
        });
    }
    {
        let url = url.clone();
        use_effect_with((props.session.clone(), props.blob.clone(), *near), move |(session, blob, near)| {
            let (session, blob) = (session.clone(), blob.clone());
            let near = *near;
            let held = std::rc::Rc::new(std::cell::RefCell::new((true, None::<String>)));
            if near {
                let held = held.clone();
                spawn_local(async move {
                    // The hub may still be writing it.
                    for wait in [0, 300, 1500] {
                        gloo::timers::future::TimeoutFuture::new(wait).await;
                        if !held.borrow().0 {
                            return;
                        }
                        if let Ok(Some(bytes)) = kept::blob(&session, &blob).await
                            && let Ok(made) = browser::blob_url(mime(&blob), &bytes)
                        {
                            if held.borrow().0 {
                                held.borrow_mut().1 = Some(made.clone());
                                url.set(Some(made));
                            } else {
                                let _ = Url::revoke_object_url(&made);
                            }
                            return;
                        }
                    }
                });
            }
            move || {
                let mut held = held.borrow_mut();
                held.0 = false;
                if let Some(made) = held.1.take() {
                    // After the picture that may replace it is up.
                    Timeout::new(1000, move || {
                        let _ = Url::revoke_object_url(&made);
                    })
                    .forget();
                }
            }
        });
    }
    let (width, height) = props.size;
    let ratio = (width > 0 && height > 0).then(|| format!("aspect-ratio:{width}/{height}"));
    html! {
        <span class="shot" ref={place} style={ratio}>
            if let Some(url) = url.as_ref() {
                <img src={url.clone()} alt={props.alt.clone()} />
            }
        </span>
    }
}

fn mime(blob: &str) -> &'static str {
    match blob.rsplit('.').next() {
        Some("webp") => "image/webp",
        Some("jpg" | "jpeg") => "image/jpeg",
        _ => "image/png",
    }
}

/// Waits until an element is near the screen.
struct Watch {
    observer: IntersectionObserver,
    _seen: Closure<dyn FnMut(Array)>,
}

impl Watch {
    fn begin(element: &Element, near: impl Fn() + 'static) -> Option<Watch> {
        let seen: Closure<dyn FnMut(Array)> = Closure::new(move |entries: Array| {
            let shows =
                |entry: wasm_bindgen::JsValue| entry.unchecked_into::<IntersectionObserverEntry>().is_intersecting();
            if entries.iter().any(shows) {
                near();
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root_margin("300px");
        let observer = IntersectionObserver::new_with_options(seen.as_ref().unchecked_ref(), &options).ok()?;
        observer.observe(element);
        Some(Watch { observer, _seen: seen })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
