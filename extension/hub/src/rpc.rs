//! JSON-RPC 2.0: what the companion and agents may ask.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracerule::reference::Subject;
use tracerule::trace::archive;
use tracerule::wire::agent::{
    Act, EditSession, EditWhat, Export, From, Import, Note, Observe, Part, Score, Start, Stop, Summary, UNREACHABLE,
    Which,
};

use crate::hub::{self, Trouble};
use crate::{actor, files, relay, session};

/// The text is no JSON.
pub const PARSE: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const NO_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
/// It could not be done; the message says why.
const FAILED: i64 = -32000;
const NOT_ALLOWED: i64 = -32001;

struct Wrong {
    code: i64,
    message: String,
}

impl std::convert::From<Trouble> for Wrong {
    fn from(trouble: Trouble) -> Wrong {
        let code = if matches!(trouble, Trouble::Unreachable { .. }) { UNREACHABLE } else { FAILED };
        Wrong { code, message: trouble.to_string() }
    }
}

/// An error response.
pub fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// Answers a message; `None` for notifications.
pub async fn answer(message: Value) -> Option<Value> {
    let id = message.get("id").cloned();
    let shown = id.clone().unwrap_or(Value::Null);
    let well_formed = message.is_object()
        && message.get("jsonrpc").is_none_or(|version| version == "2.0")
        && id.as_ref().is_none_or(|id| id.is_string() || id.is_number() || id.is_null());
    let Some(method) = message.get("method").and_then(Value::as_str).filter(|_| well_formed) else {
        return Some(error(&shown, INVALID_REQUEST, "this is no JSON-RPC 2.0 request"));
    };
    let params = message.get("params").cloned().unwrap_or_else(|| json!({}));
    let result = if params.is_object() {
        dispatch(method, params).await
    } else {
        Err(Wrong { code: INVALID_PARAMS, message: format!("{method} takes its params as an object") })
    };
    let id = id?;
    Some(match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(wrong) => error(&id, wrong.code, &wrong.message),
    })
}

async fn dispatch(method: &str, params: Value) -> Result<Value, Wrong> {
    let from: From =
        params.get("_from").cloned().and_then(|from| serde_json::from_value(from).ok()).unwrap_or_default();
    if !from.control {
        relay::heard(&from.client);
    }
    let for_all = matches!(method, "session.status" | "observe" | "act" | "note");
    if !from.control && !for_all {
        let known = method.starts_with("session.") || method.starts_with("dialog.");
        let (code, message) = if known {
            (
                NOT_ALLOWED,
                format!("only the companion may call {method}; agents have session.status, observe, act, note"),
            )
        } else {
            (NO_METHOD, format!("there is no method {method:?}"))
        };
        return Err(Wrong { code, message });
    }
    match method {
        "session.start" => value(&session::start(read::<Start>(method, params)?).await?),
        "dialog.event" => {
            crate::dialogs::companion_event(&params).await;
            Ok(json!({}))
        }
        "session.stop" => {
            let ask: Stop = read(method, params)?;
            let id = session::named(ask.session.as_deref())?;
            value(&session::stop(&id, ask.ending).await?)
        }
        "session.status" => value(&status(read::<Which>(method, params)?).await?),
        "session.list" => {
            let stored = hub::store()?.sessions().await.map_err(Trouble::from)?;
            let live = |id: &str| hub::session(id, |s| s.summary());
            let all: Vec<Summary> =
                stored.iter().map(|meta| live(&meta.header.id).unwrap_or_else(|| session::summary(meta))).collect();
            value(&all)
        }
        "session.export" => {
            let ask: Export = read(method, params)?;
            value(&export(&ask).await?)
        }
        "session.import" => value(&import(read::<Import>(method, params)?).await?),
        "session.score" => Ok(score(&read::<Score>(method, params)?).await?),
        "session.edit" => value(&edit(read::<EditSession>(method, params)?).await?),
        "observe" => value(&actor::observe(read::<Observe>(method, params)?, from.control).await),
        "act" => value(&actor::act(read::<Act>(method, params)?, from.control).await),
        "note" => {
            let mut params = params;
            // Agents need not say when: it is now.
            if let Some(usage) = params.get_mut("usage").and_then(Value::as_object_mut) {
                usage.entry("t_ms").or_insert_with(|| hub::now().into());
            }
            actor::note(read::<Note>(method, params)?, from.control).await?;
            Ok(json!({}))
        }
        _ => Err(Wrong { code: NO_METHOD, message: format!("there is no method {method:?}") }),
    }
}

fn read<T: DeserializeOwned>(method: &str, mut params: Value) -> Result<T, Wrong> {
    if let Some(params) = params.as_object_mut() {
        params.remove("_from");
    }
    serde_json::from_value(params)
        .map_err(|e| Wrong { code: INVALID_PARAMS, message: format!("the params of {method} do not fit: {e}") })
}

fn value<T: Serialize>(result: &T) -> Result<Value, Wrong> {
    serde_json::to_value(result).map_err(|e| Wrong { code: FAILED, message: e.to_string() })
}

async fn status(which: Which) -> Result<Summary, Trouble> {
    if let Ok(id) = session::named(which.session.as_deref()) {
        return hub::session(&id, |s| s.summary()).ok_or_else(|| Trouble::NoSession(String::new()));
    }
    let store = hub::store()?;
    match which.session {
        Some(id) => Ok(session::summary(&store.session(&id).await?)),
        None => {
            let newest = store.sessions().await?.into_iter().next();
            newest.map(|meta| session::summary(&meta)).ok_or_else(|| Trouble::NoSession(String::new()))
        }
    }
}

async fn edit(ask: EditSession) -> Result<Summary, Trouble> {
    let named = ask.session.as_deref();
    // What ends with the request is asked for by name afterwards.
    let id = match named {
        Some(id) => id.to_owned(),
        None => session::named(None)?,
    };
    match ask.what {
        EditWhat::Edit { edit } => crate::edit::edit(named, edit).await?,
        EditWhat::Insert { after, replaces, tab } => {
            let tab = async {
                match tab {
                    Some(tab) => Ok(tab),
                    None => crate::panel::looked_at().await,
                }
            };
            crate::edit::insert(named, after, replaces, tab).await?;
        }
        EditWhat::InsertEnd => crate::edit::insert_end(named).await?,
        EditWhat::Pause => session::pause(&session::named(named)?, true),
        EditWhat::Resume => session::pause(&session::named(named)?, false),
    }
    status(Which { session: Some(id) }).await
}

async fn export(ask: &Export) -> Result<Part, Trouble> {
    files::export(&ask.session, ask.part).await
}

async fn import(ask: Import) -> Result<Option<Summary>, Trouble> {
    let Some(bytes) = files::collect(&ask)? else { return Ok(None) };
    let (trace, _warnings) =
        archive::read_zip(&bytes).map_err(|e| Trouble::said(format!("{} cannot be taken in: {e}", ask.name)))?;
    let meta = hub::store()?.import(&trace).await?;
    crate::panel::changed();
    Ok(Some(session::summary(&meta)))
}

async fn score(ask: &Score) -> Result<Value, Trouble> {
    let store = hub::store()?;
    let load =
        async |id: &str| -> Result<Subject, Trouble> { Ok(Subject::Trace(Box::new(store.load_trace(id).await?))) };
    let reference = load(&ask.reference).await?;
    let mut runs = Vec::new();
    for id in &ask.runs {
        runs.push((id.clone(), load(id).await?));
    }
    let report = tracerule::score::score(&reference, &runs);
    serde_json::to_value(report).map_err(|e| Trouble::said(format!("the scores could not be written down: {e}")))
}
