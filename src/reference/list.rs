//! Plain step lists.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Error, meant};
use crate::action::Action;

/// A sequence of steps without evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepList {
    /// What it is called; may be empty.
    pub title: String,
    /// Its steps; may be empty.
    pub steps: Vec<ListStep>,
}

/// A step of a [`StepList`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListStep {
    /// The action's name as written, known or not.
    pub action: String,
    /// On what; targets are the same when these strings are.
    pub target: Option<String>,
    /// The text filled, the option chosen, the address.
    pub value: Option<String>,
    /// The key pressed.
    pub key: Option<String>,
}

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<(StepList, Vec<String>), Error> {
    let file = || name.to_owned();
    let wrong = |why: String| Error::List { file: file(), why };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|e| Error::Neither {
        file: file(),
        why: if bytes.trim_ascii().is_empty() { "it is empty".to_owned() } else { format!("as JSON, {e}") },
    })?;
    let object = match value {
        Value::Object(object) => object,
        Value::Array(_) => return Err(wrong("it is an array; put it in an object, as {\"steps\": […]}".to_owned())),
        other => return Err(wrong(format!("it is {}; wanted is {{\"steps\": […]}}", kind(&other)))),
    };
    let title = match object.get("title") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(title)) => title.clone(),
        Some(other) => return Err(wrong(format!("`title` is {}; wanted is a text", kind(other)))),
    };
    let steps = match object.get("steps") {
        Some(Value::Array(steps)) => steps,
        Some(other) => return Err(wrong(format!("`steps` is {}; wanted is an array", kind(other)))),
        None => return Err(wrong("it has no `steps`".to_owned())),
    };
    let steps = steps
        .iter()
        .enumerate()
        .map(|(index, value)| step(value).map_err(|why| Error::Step { file: file(), index, why }))
        .collect::<Result<Vec<_>, _>>()?;
    let warnings = warnings(&steps);
    Ok((StepList { title, steps }, warnings))
}

fn step(value: &Value) -> Result<ListStep, String> {
    let Value::Object(object) = value else {
        return Err(format!(
            "it is {}; wanted is an object as {{\"action\": \"click\", \"target\": \"login\"}}",
            kind(value)
        ));
    };
    let action = match object.get("action") {
        Some(Value::String(action)) if !action.is_empty() => action.clone(),
        Some(Value::String(_)) => return Err("`action` is empty".to_owned()),
        Some(other) => return Err(format!("`action` is {}; wanted is a name, as \"click\"", kind(other))),
        None => {
            let hint = ["type", "event", "name", "kind", "Action"].into_iter().find(|key| object.contains_key(*key));
            return Err(match hint {
                Some(key) => format!("it has no `action` (it has `{key}`: rename it)"),
                None => "it has no `action`".to_owned(),
            });
        }
    };
    Ok(ListStep {
        action,
        target: text(object, "target", false)?,
        value: text(object, "value", true)?,
        key: text(object, "key", false)?,
    })
}

/// A text of a step; where `lax`, numbers and truth values are taken as written.
fn text(object: &Map<String, Value>, key: &str, lax: bool) -> Result<Option<String>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(scalar @ (Value::Number(_) | Value::Bool(_))) if lax => Ok(Some(scalar.to_string())),
        Some(other) => Err(format!("`{key}` is {}; wanted is a text", kind(other))),
    }
}

/// One warning for each name outside the vocabulary.
fn warnings(steps: &[ListStep]) -> Vec<String> {
    let mut unknown: BTreeMap<&str, usize> = BTreeMap::new();
    for step in steps.iter().filter(|step| Action::from_name(&step.action).is_none()) {
        *unknown.entry(&step.action).or_default() += 1;
    }
    unknown
        .into_iter()
        .map(|(name, count)| {
            let name_shown: String = name.chars().take(60).collect();
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            match meant(name) {
                Some(action) => format!(
                    "the action {name_shown:?} ({times}) is not in the vocabulary and counts as unknown; \
                     probably meant: \"{action}\""
                ),
                None => format!("the action {name_shown:?} ({times}) is not in the vocabulary and counts as unknown"),
            }
        })
        .collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Subject, read};

    fn warned(json: &str) -> Vec<String> {
        read("a.json", json.as_bytes()).unwrap().1
    }

    fn refused(json: &str) -> String {
        read("a.json", json.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn lists_are_kept_as_written() {
        let json =
            r#"{"title":"T","steps":[{"action":"fill","target":"name","value":7,"note":[1]},{"action":"Click"}]}"#;
        let (Subject::List(list), warnings) = read("a.json", json.as_bytes()).unwrap() else { panic!() };
        assert_eq!((list.title.as_str(), list.steps.len()), ("T", 2));
        assert_eq!(list.steps[0].value.as_deref(), Some("7"));
        assert_eq!(list.steps[1].action, "Click");
        assert_eq!(warnings.len(), 1);
        assert!(warned(r#"{"steps":[]}"#).is_empty());
    }

    #[test]
    fn likely_meanings_are_named() {
        for (name, action) in [
            ("type", "fill"),
            ("navigate", "goto"),
            ("goto_url", "goto"),
            ("wait_for_selector", "wait"),
            ("waitForTimeout", "wait"),
            ("tap", "click"),
            ("Click", "click"),
            ("doubleClick", "dblclick"),
        ] {
            let warnings = warned(&format!(r#"{{"steps":[{{"action":"{name}"}},{{"action":"{name}"}}]}}"#));
            assert!(warnings.len() == 1 && warnings[0].ends_with(&format!("\"{action}\"")), "{name}: {warnings:?}");
            assert!(warnings[0].contains("2 times"));
        }
        assert!(warned(r#"{"steps":[{"action":"levitate"}]}"#)[0].ends_with("as unknown"));
    }

    #[test]
    fn refusals_say_file_and_place() {
        for (json, wanted) in [
            ("", "a.json: neither"),
            ("not json", "a.json: neither"),
            ("[]", "put it in an object"),
            ("7", "it is a number"),
            ("{}", "no `steps`"),
            (r#"{"steps":{}}"#, "`steps` is an object"),
            (r#"{"title":1,"steps":[]}"#, "`title` is a number"),
            (r#"{"steps":[{"action":"click"},7]}"#, "a.json: steps[1]: it is a number"),
            (r#"{"steps":[{"type":"click"}]}"#, "rename it"),
            (r#"{"steps":[{"action":""}]}"#, "`action` is empty"),
            (r#"{"steps":[{"action":["click"]}]}"#, "`action` is an array"),
            (r#"{"steps":[{"action":"click","target":{}}]}"#, "`target` is an object"),
        ] {
            let said = refused(json);
            assert!(said.contains(wanted), "{json}: {said}");
        }
        assert!(read("x.trace.zip", b"not a zip").unwrap_err().to_string().contains("not a zip archive"));
        assert!(refused(r#"{"format":"tracerule-trace","version":9}"#).contains("update Tracerule"));
        let many = format!(r#"{{"steps":[{}{{"action":"wait"}}]}}"#, r#"{"action":"wait"},"#.repeat(10_000));
        assert!(refused(&many).contains("10001 steps"));
    }
}
