//! The link to the hub: requests, and its state as it changes. The hub may be put to sleep by the browser
//! at any time, so a lost port is opened again; only when that fails is the person told.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::{JSON, Reflect};
use tracerule::edit::StepId;
use tracerule::score::words::Lang;
use tracerule::trace::Step;
use tracerule::wire::panel::{Request, Status};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::{self, Connection};
use crate::said;
use crate::text::t;

/// Retries, in ms; the last one repeats.
const RETRY_MS: [u32; 6] = [100, 400, 1000, 2000, 4000, 8000];

/// What is known of the hub.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Link {
    /// Not heard from yet.
    Waking,
    /// Heard from.
    Up,
    /// Tried and failed; the browser's words.
    Down(String),
}

/// A session that has just ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finished {
    pub(crate) session: String,
    pub(crate) title: String,
}

/// The hub's state and the panel's memory of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    pub(crate) link: Link,
    pub(crate) status: Rc<Status>,
    /// The steps of the session, or of the one that has just ended.
    pub(crate) steps: Rc<Vec<Rc<Step>>>,
    /// What those are called for edits.
    pub(crate) ids: Rc<Vec<StepId>>,
    pub(crate) finished: Option<Finished>,
    /// What the hub refused last, which is shown where it was asked for and need not be shown twice.
    pub(crate) told: Option<String>,
}

/// News of the hub.
pub(crate) enum News {
    Status(Box<Status>),
    Lost(String),
    Told(String),
}

impl Default for Model {
    fn default() -> Model {
        Model {
            link: Link::Waking,
            status: Rc::default(),
            steps: Rc::default(),
            ids: Rc::default(),
            finished: None,
            told: None,
        }
    }
}

impl Reducible for Model {
    type Action = News;

    fn reduce(self: Rc<Self>, news: News) -> Rc<Self> {
        let mut status = match news {
            News::Lost(why) => return Rc::new(Model { link: Link::Down(why), ..(*self).clone() }),
            News::Told(error) => return Rc::new(Model { told: Some(error), ..(*self).clone() }),
            News::Status(status) => *status,
        };
        let steps = std::mem::take(&mut status.steps);
        let ids = std::mem::take(&mut status.step_ids);
        let mut next = Model { link: Link::Up, ..(*self).clone() };
        match (&self.status.session, &status.session) {
            (Some(ended), None) => {
                next.finished = Some(Finished { session: ended.clone(), title: self.status.title.clone() });
                if !steps.is_empty() {
                    next.steps = merge(&self.steps, steps);
                }
            }
            (_, None) => {}
            (_, Some(_)) => {
                next.finished = None;
                next.steps = merge(&self.steps, steps);
                if *self.ids != ids {
                    next.ids = Rc::new(ids);
                }
            }
        }
        if *self.status != status {
            next.status = Rc::new(status);
        }
        if *self == next { self } else { Rc::new(next) }
    }
}

/// The new list, with what did not change shared with the old one, so that its rows are not drawn again.
fn merge(old: &Rc<Vec<Rc<Step>>>, new: Vec<Step>) -> Rc<Vec<Rc<Step>>> {
    let mut changed = old.len() != new.len();
    let list: Vec<Rc<Step>> = new
        .into_iter()
        .enumerate()
        .map(|(index, step)| match old.get(index) {
            Some(known) if **known == step => known.clone(),
            _ => {
                changed = true;
                Rc::new(step)
            }
        })
        .collect();
    if changed { Rc::new(list) } else { old.clone() }
}

/// The hub, for components.
#[derive(Clone, PartialEq)]
pub(crate) struct Hub {
    pub(crate) model: UseReducerHandle<Model>,
}

impl Hub {
    /// Asks, and takes in the state that comes back.
    ///
    /// # Errors
    /// The hub's own words, or that it cannot be reached.
    pub(crate) async fn ask(self, request: Request) -> Result<(), String> {
        let answer = ask(&request).await.inspect_err(|error| self.model.dispatch(News::Told(error.clone())))?;
        if let Some(status) = answer {
            self.model.dispatch(News::Status(Box::new(status)));
        }
        Ok(())
    }

    /// Asks in the background; what goes wrong is told to `problem`, which is cleared first.
    pub(crate) fn tell(&self, request: Request, problem: &UseStateHandle<Option<String>>) {
        let (hub, problem) = (self.clone(), problem.clone());
        problem.set(None);
        spawn_local(async move {
            if let Err(error) = hub.ask(request).await {
                problem.set(Some(error));
            }
        });
    }
}

/// One request and its answer.
pub(crate) async fn ask(request: &Request) -> Result<Option<Status>, String> {
    let text = serde_json::to_string(request).map_err(|error| error.to_string())?;
    let body = JSON::parse(&text).map_err(|error| browser::said(&error))?;
    let message = js_sys::Object::new();
    let _ = Reflect::set(&message, &"panel".into(), &body);
    let answer = browser::send(&message).await.map_err(|error| t!(hub_unreachable, error))?;
    let field = |name: &str| Reflect::get(&answer, &name.into()).ok().filter(|value| !value.is_undefined());
    if let Some(error) = field("error").and_then(|error| error.as_string()) {
        return Err(translated(&error));
    }
    match field("ok") {
        Some(ok) if ok.is_null() => Ok(None),
        Some(ok) => status(&ok).map(Some),
        None => Err(t!(hub_unreachable, t!(hub_silent))),
    }
}

fn status(value: &JsValue) -> Result<Status, String> {
    // Some senders pass text, so that numbers and order stay as written.
    let text = match value.as_string() {
        Some(text) => text,
        None => JSON::stringify(value).map(String::from).map_err(|error| browser::said(&error))?,
    };
    let mut status: Status = serde_json::from_str(&text).map_err(|error| t!(hub_strange, error))?;
    status.problem = status.problem.map(|text| translated(&text));
    Ok(status)
}

/// The hub's words in the person's language.
fn translated(text: &str) -> String {
    said::sentence(Lang::from_tag(&browser::language()), text)
}

/// Keeps a port to the hub open while the component lives.
#[hook]
pub(crate) fn use_hub() -> Hub {
    let model = use_reducer(Model::default);
    let keeper = model.dispatcher();
    use_effect_with((), move |()| {
        let keeper = Rc::new(Keeper { news: keeper, connection: RefCell::default(), timer: RefCell::default() });
        connect(&keeper, 0);
        move || {
            keeper.connection.take();
            keeper.timer.take();
        }
    });
    Hub { model }
}

struct Keeper {
    news: UseReducerDispatcher<Model>,
    connection: RefCell<Option<Connection>>,
    timer: RefCell<Option<Timeout>>,
}

fn connect(keeper: &Rc<Keeper>, tries: usize) {
    let heard = {
        let keeper = Rc::downgrade(keeper);
        move |message: JsValue| {
            let Some(keeper) = keeper.upgrade() else { return };
            match status(&message) {
                Ok(status) => keeper.news.dispatch(News::Status(Box::new(status))),
                Err(error) => keeper.news.dispatch(News::Lost(error)),
            }
        }
    };
    let lost = {
        let keeper = Rc::downgrade(keeper);
        move |_: JsValue| {
            if let Some(keeper) = keeper.upgrade() {
                later(&keeper, 0);
            }
        }
    };
    match Connection::open("panel", heard, lost) {
        Ok(connection) => {
            keeper.connection.replace(Some(connection));
            let keeper = keeper.clone();
            spawn_local(async move {
                match ask(&Request::Status).await {
                    Ok(Some(status)) => keeper.news.dispatch(News::Status(Box::new(status))),
                    Ok(None) => {}
                    Err(error) => {
                        keeper.news.dispatch(News::Lost(error));
                        later(&keeper, tries + 1);
                    }
                }
            });
        }
        Err(error) => {
            keeper.news.dispatch(News::Lost(t!(hub_unreachable, error)));
            later(keeper, tries + 1);
        }
    }
}

fn later(keeper: &Rc<Keeper>, tries: usize) {
    let delay = RETRY_MS[tries.min(RETRY_MS.len() - 1)];
    let again = Rc::downgrade(keeper);
    // Replaces a retry that is already waiting. The old port goes in the timer's turn, not in its own listener's.
    keeper.timer.replace(Some(Timeout::new(delay, move || {
        if let Some(keeper) = again.upgrade() {
            keeper.connection.take();
            connect(&keeper, tries);
        }
    })));
}
