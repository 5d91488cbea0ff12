//! Tool calls to requests of the agents' JSON-RPC.

use serde_json::{Map, Value, json};
use tracerule::trace::{Button, Usage};
use tracerule::wire::agent::{self, Act, Called, Note, Observe, Verb};

/// What a tool call becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapped {
    /// `act`.
    Act {
        /// Its params.
        params: Value,
        /// What was done, for the answer.
        did: String,
    },
    /// Several, in order.
    Acts(Vec<(Value, String)>),
    /// `observe`.
    Observe {
        /// Its params.
        params: Value,
        /// What was done, for the answer.
        did: String,
    },
    /// `note`.
    Note(Value),
}

/// Maps a call of a tool of [`super::schema`].
///
/// # Errors
/// What is wrong with the arguments, for the agent.
pub fn map(name: &str, arguments: &Value) -> Result<Mapped, String> {
    let empty = Map::new();
    let args = Arguments(arguments.as_object().unwrap_or(&empty));
    let called = Called { name: name.to_owned(), arguments: arguments.clone() };
    let element = args.text("element")?;
    let act = |verb: Verb, did: String| to_act(verb, element.clone(), called.clone(), did).map(Mapped::from);
    match name {
        "browser_navigate" => {
            let url = args.needed("url")?;
            act(Verb::Goto { url: url.clone() }, format!("Went to {url}"))
        }
        "browser_navigate_back" => act(Verb::Back, "Went one page back".to_owned()),
        "browser_snapshot" => observe(false, called, ""),
        "browser_take_screenshot" => {
            for whole in ["fullPage", "target", "ref"] {
                if args.0.get(whole).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false))) {
                    return Err(format!(
                        "'{whole}' is not supported: a screenshot shows what the tab shows; scroll first"
                    ));
                }
            }
            observe(true, called, "Took a screenshot of the viewport")
        }
        "browser_click" => {
            let target = args.target()?;
            let double = args.flag("doubleClick")?;
            let button = match args.text("button")?.as_deref() {
                None => None,
                Some("left") => Some(Button::Left),
                Some("right") => Some(Button::Right),
                Some("middle") => Some(Button::Middle),
                Some(other) => return Err(format!("'button' is left, right or middle, not '{other}'")),
            };
            let modifiers = args
                .texts("modifiers")?
                .iter()
                .map(|name| agent::modifier(name).ok_or_else(|| format!("'modifiers' knows no '{name}'")))
                .collect::<Result<_, _>>()?;
            let how = if double { "Double-clicked" } else { "Clicked" };
            let did = format!("{how} {target}");
            act(Verb::Click { target, button, double, modifiers, position: None, count: None }, did)
        }
        "browser_hover" => {
            let target = args.target()?;
            act(Verb::Hover { target: target.clone() }, format!("Moved the pointer onto {target}"))
        }
        "browser_drag" => {
            let end = |names: [&str; 2]| -> Result<String, String> {
                let found = args.text(names[0])?.or(args.text(names[1])?).filter(|target| !target.trim().is_empty());
                found.ok_or_else(|| {
                    format!("'{}' is missing: give a ref of the snapshot, a locator or a CSS selector", names[0])
                })
            };
            let (target, onto) = (end(["startTarget", "startRef"])?, end(["endTarget", "endRef"])?);
            let did = format!("Dragged {target} onto {onto}");
            act(Verb::Drag { target, position: None, onto: Some(onto), to: None, modifiers: Vec::new() }, did)
        }
        "browser_type" => {
            let (target, value) = (args.target()?, args.needed("text")?);
            let verb = Verb::Fill {
                target: target.clone(),
                value,
                submit: args.flag("submit")?,
                slowly: args.flag("slowly")?,
            };
            act(verb, format!("Typed into {target}"))
        }
        "browser_press_key" => {
            let key = args.needed("key")?;
            let target = args.text("target")?.or(args.text("ref")?);
            act(Verb::Press { key: key.clone(), target }, format!("Pressed {key}"))
        }
        "browser_select_option" => {
            let (target, values) = (args.target()?, args.texts("values")?);
            if values.is_empty() {
                return Err("'values' is missing or empty; give the labels or values of the options".to_owned());
            }
            let did = format!("Selected {} in {target}", values.join(", "));
            act(Verb::Select { target, values }, did)
        }
        "browser_fill_form" => form(&args),
        "browser_wait_for" => {
            let (time, text, text_gone) = (args.number("time")?, args.text("text")?, args.text("textGone")?);
            let shown = args.text("target")?.or(args.text("ref")?);
            if time.is_none() && text.is_none() && text_gone.is_none() && shown.is_none() {
                return Err("give 'time', 'text', 'textGone' or 'target'".to_owned());
            }
            if time.is_some_and(|time| !(0.0..=60.0).contains(&time)) {
                return Err("'time' is in seconds, from 0 to 60".to_owned());
            }
            act(Verb::Wait { time, text, text_gone, shown }, "Waited".to_owned())
        }
        "browser_mouse_wheel" => {
            let (dx, dy) = (args.number("deltaX")?.unwrap_or(0.0), args.number("deltaY")?.unwrap_or(0.0));
            let target = args.text("target")?.or(args.text("ref")?);
            act(Verb::Scroll { target, dx, dy }, format!("Scrolled by {dx}, {dy}"))
        }
        "browser_handle_dialog" => {
            let accept = args.wanted_flag("accept")?;
            let text = args.text("promptText")?;
            if !accept && text.is_some() {
                return Err("'promptText' goes with 'accept': true".to_owned());
            }
            let did = if accept { "Accepted the dialog" } else { "Dismissed the dialog" };
            act(Verb::Dialog { accept, text }, did.to_owned())
        }
        "browser_tabs" => {
            let index = args.index("index")?;
            match args.needed("action")?.as_str() {
                "list" => observe(false, called, ""),
                "new" | "create" => act(Verb::TabOpen { url: args.text("url")? }, "Opened a tab".to_owned()),
                "close" => act(Verb::TabClose { index }, "Closed a tab".to_owned()),
                "select" => {
                    let index = index.ok_or("'index' is missing: which tab?")?;
                    act(Verb::TabSwitch { index }, format!("Selected tab {index}"))
                }
                other => Err(format!("'action' is list, new, close or select, not '{other}'")),
            }
        }
        "tracerule_note" => note(&args),
        other => Err(format!("there is no tool '{other}'")),
    }
}

impl From<(Value, String)> for Mapped {
    fn from((params, did): (Value, String)) -> Self {
        Mapped::Act { params, did }
    }
}

fn to_act(verb: Verb, element: Option<String>, called: Called, did: String) -> Result<(Value, String), String> {
    let act = Act {
        session: None,
        verb,
        recorded: None,
        element,
        reason: None,
        screenshot: false,
        no_snapshot: false,
        call: Some(called),
    };
    serde_json::to_value(act).map(|params| (params, did)).map_err(|e| e.to_string())
}

fn observe(screenshot: bool, called: Called, did: &str) -> Result<Mapped, String> {
    let observe = Observe { session: None, screenshot, no_snapshot: screenshot, call: Some(called) };
    let params = serde_json::to_value(observe).map_err(|e| e.to_string())?;
    Ok(Mapped::Observe { params, did: did.to_owned() })
}

fn form(args: &Arguments<'_>) -> Result<Mapped, String> {
    let fields = args.0.get("fields").and_then(Value::as_array).filter(|fields| !fields.is_empty());
    let fields = fields.ok_or("'fields' is missing or empty; give [{\"type\", \"target\", \"value\"}, …]")?;
    let mut acts = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let at = |why: String| format!("fields[{index}]: {why}");
        let map = field.as_object().ok_or_else(|| at("is no object".to_owned()))?;
        let args = Arguments(map);
        let target = args.target().map_err(at)?;
        let value = match map.get("value") {
            Some(Value::Bool(on)) => on.to_string(),
            Some(Value::Number(number)) => number.to_string(),
            _ => args.needed("value").map_err(at)?,
        };
        let verb = match args.text("type").map_err(at)?.as_deref() {
            None | Some("textbox" | "slider") => {
                Verb::Fill { target: target.clone(), value, submit: false, slowly: false }
            }
            Some("checkbox" | "radio") if value == "true" => Verb::Check { target: target.clone() },
            Some("checkbox" | "radio") if value == "false" => Verb::Uncheck { target: target.clone() },
            Some("checkbox" | "radio") => return Err(at(format!("'value' is true or false, not '{value}'"))),
            Some("combobox") => Verb::Select { target: target.clone(), values: vec![value] },
            Some(other) => return Err(at(format!("'type' knows no '{other}'"))),
        };
        // Each field is one call of the recording, with its own arguments.
        let called = Called { name: "browser_fill_form".to_owned(), arguments: json!({"fields": [field]}) };
        acts.push(to_act(verb, args.text("name").map_err(at)?, called, format!("Filled {target}"))?);
    }
    Ok(Mapped::Acts(acts))
}

fn note(args: &Arguments<'_>) -> Result<Mapped, String> {
    let count = |key: &str| -> Result<Option<u64>, String> {
        match args.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| format!("'{key}' is a whole number, not {value}")),
        }
    };
    let (input, output) = (count("input_tokens")?, count("output_tokens")?);
    let (cost_usd, model) = (args.number("cost_usd")?, args.text("model")?);
    let usage = (input.is_some() || output.is_some() || cost_usd.is_some()).then(|| Usage {
        t_ms: 0.0,
        input_tokens: input.unwrap_or(0),
        output_tokens: output.unwrap_or(0),
        cost_usd,
        model,
    });
    let note =
        Note { session: None, text: args.text("text")?, usage, rate_limited_ms: args.number("rate_limited_ms")? };
    if note.text.is_none() && note.usage.is_none() && note.rate_limited_ms.is_none() {
        return Err("nothing to note: give 'text', tokens or 'rate_limited_ms'".to_owned());
    }
    serde_json::to_value(note).map(Mapped::Note).map_err(|e| e.to_string())
}

/// Arguments with complaints that an agent understands.
#[derive(Clone, Copy)]
struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn text(&self, key: &str) -> Result<Option<String>, String> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(format!("'{key}' is a string, not {other}")),
        }
    }

    fn needed(&self, key: &str) -> Result<String, String> {
        self.text(key)?.ok_or_else(|| format!("'{key}' is missing"))
    }

    fn target(&self) -> Result<String, String> {
        let target = self.text("target")?.or(self.text("ref")?).filter(|target| !target.trim().is_empty());
        target.ok_or_else(|| "'target' is missing: give a ref of the snapshot, a locator or a CSS selector".to_owned())
    }

    fn flag(&self, key: &str) -> Result<bool, String> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(other) => Err(format!("'{key}' is true or false, not {other}")),
        }
    }

    fn wanted_flag(&self, key: &str) -> Result<bool, String> {
        match self.0.get(key) {
            None | Some(Value::Null) => Err(format!("'{key}' is missing: true or false")),
            Some(_) => self.flag(key),
        }
    }

    fn number(&self, key: &str) -> Result<Option<f64>, String> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or_else(|| format!("'{key}' is a number, not {value}")),
        }
    }

    fn index(&self, key: &str) -> Result<Option<u32>, String> {
        let number = self.number(key)?;
        match number {
            None => Ok(None),
            Some(n) if n >= 0.0 && n <= f64::from(u32::MAX) && n.fract() == 0.0 => {
                // In range and whole, checked just above.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                Ok(Some(n as u32))
            }
            Some(n) => Err(format!("'{key}' is a whole number from 0, not {n}")),
        }
    }

    /// A list of strings; a single string counts as a list of one.
    fn texts(&self, key: &str) -> Result<Vec<String>, String> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(one)) => Ok(vec![one.clone()]),
            Some(Value::Array(all)) => all
                .iter()
                .map(|value| {
                    value.as_str().map(str::to_owned).ok_or_else(|| format!("'{key}' holds strings, not {value}"))
                })
                .collect(),
            Some(other) => Err(format!("'{key}' is a list of strings, not {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(name: &str, arguments: Value) -> Value {
        match map(name, &arguments).unwrap() {
            Mapped::Act { params, .. } => params,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn target_and_the_older_ref_are_the_same() {
        let new = act("browser_click", json!({"target": "e3"}));
        let old = act("browser_click", json!({"ref": "e3", "element": "Save button"}));
        assert_eq!((&new["action"], &new["target"]), (&json!("click"), &json!("e3")));
        assert_eq!((&old["target"], &old["element"]), (&json!("e3"), &json!("Save button")));
        // The hub reads what we write, and the trace keeps the call as it was made.
        let read: Act = serde_json::from_value(old.clone()).unwrap();
        assert_eq!(read.call.unwrap().arguments, json!({"ref": "e3", "element": "Save button"}));
    }

    #[test]
    fn every_tool_is_mapped() {
        let arguments = json!({
            "target": "e1", "startRef": "e1", "endRef": "e2", "url": "http://a/", "text": "t", "key": "Enter", "values": ["a"], "action": "list",
            "fields": [{"type": "checkbox", "ref": "e2", "value": "true"}], "accept": true,
        });
        for tool in super::super::schema::tools() {
            let arguments = match &*tool.name {
                "browser_take_screenshot" => json!({"type": "png", "fullPage": false}),
                _ => arguments.clone(),
            };
            assert!(map(&tool.name, &arguments).is_ok(), "{}", tool.name);
        }
        assert!(map("browser_evaluate", &arguments).is_err());
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (name, arguments, word) in [
            ("browser_click", json!({}), "'target'"),
            ("browser_click", json!({"target": 3}), "'target'"),
            ("browser_click", json!({"target": "e1", "button": "paw"}), "'paw'"),
            ("browser_click", json!({"target": "e1", "modifiers": ["Hyper"]}), "'Hyper'"),
            ("browser_type", json!({"target": "e1"}), "'text'"),
            ("browser_wait_for", json!({}), "'time'"),
            ("browser_wait_for", json!({"time": 3600}), "60"),
            ("browser_handle_dialog", json!({}), "'accept'"),
            ("browser_handle_dialog", json!({"accept": false, "promptText": "x"}), "'promptText'"),
            ("browser_tabs", json!({"action": "select"}), "'index'"),
            ("browser_tabs", json!({"action": "select", "index": -1}), "'index'"),
            ("browser_fill_form", json!({"fields": []}), "'fields'"),
            (
                "browser_fill_form",
                json!({"fields": [{"type": "checkbox", "ref": "e2", "value": "maybe"}]}),
                "fields[0]",
            ),
            ("browser_take_screenshot", json!({"fullPage": true}), "'fullPage'"),
            ("tracerule_note", json!({}), "note"),
        ] {
            let why = map(name, &arguments).unwrap_err();
            assert!(why.contains(word), "{name}: {why}");
        }
    }
}
