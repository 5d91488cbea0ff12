//! JSON-RPC 2.0, as text in and out.

use serde_json::{Value, json};

/// The text is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// It is JSON but no JSON-RPC message.
pub const INVALID_REQUEST: i64 = -32600;
/// No such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit.
pub const INVALID_PARAMS: i64 = -32602;
/// The method is not for this caller.
pub const FORBIDDEN: i64 = -32001;
/// No extension is connected, or it went away before it answered.
pub const NO_EXTENSION: i64 = -32002;
/// The run's step limit is used up.
pub const STEP_LIMIT: i64 = -32003;
/// No answer in time.
pub const TIMEOUT: i64 = -32004;
/// Too many requests at once.
pub const BUSY: i64 = -32005;

/// An error as JSON-RPC has it.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// See the constants of this module; others come from the hub.
    pub code: i64,
    /// What happened and what to do next.
    pub message: String,
    /// More, for programs.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        RpcError { code, message: message.into(), data: None }
    }

    fn from_value(value: &Value) -> Self {
        RpcError {
            code: value.get("code").and_then(Value::as_i64).unwrap_or(-32000),
            message: value
                .get("message")
                .and_then(Value::as_str)
                .map_or_else(|| format!("an error without a message: {value}"), str::to_owned),
            data: value.get("data").cloned(),
        }
    }

    fn to_value(&self) -> Value {
        let mut value = json!({"code": self.code, "message": self.message});
        if let (Some(data), Some(map)) = (&self.data, value.as_object_mut()) {
            map.insert("data".to_owned(), data.clone());
        }
        value
    }
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// Wants an answer.
    Request {
        /// A string, a number or null; echoed.
        id: Value,
        /// What.
        method: String,
        /// An object or an array; null when absent.
        params: Value,
    },
    /// Wants none.
    Notification {
        /// What.
        method: String,
        /// As in a request.
        params: Value,
    },
    /// Answers a request of ours.
    Response {
        /// Ours.
        id: Value,
        /// What came of it.
        result: Result<Value, RpcError>,
    },
    /// Not JSON-RPC.
    Invalid {
        /// The id to answer with; null when it could not be told.
        id: Value,
        /// Why.
        error: RpcError,
    },
}

/// What a text holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// One message.
    One(Incoming),
    /// A batch, not empty.
    Batch(Vec<Incoming>),
}

/// Reads a text frame.
///
/// # Errors
/// What to answer, with id null, when there is nothing to read in it.
pub fn parse(text: &str) -> Result<Parsed, RpcError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|e| RpcError::new(PARSE_ERROR, format!("not JSON: {e}; send one JSON-RPC 2.0 message a frame")))?;
    match value {
        Value::Array(items) if items.is_empty() => Err(RpcError::new(INVALID_REQUEST, "an empty batch")),
        Value::Array(items) => Ok(Parsed::Batch(items.into_iter().map(message).collect())),
        value => Ok(Parsed::One(message(value))),
    }
}

fn message(value: Value) -> Incoming {
    let Value::Object(mut map) = value else {
        return invalid(Value::Null, "a JSON-RPC message is an object");
    };
    let id = map.remove("id");
    if id.as_ref().is_some_and(|id| !matches!(id, Value::String(_) | Value::Number(_) | Value::Null)) {
        return invalid(Value::Null, "an id is a string, a number or null");
    }
    let echoed = id.clone().unwrap_or(Value::Null);
    if map.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(echoed, "\"jsonrpc\" must be \"2.0\"");
    }
    match (map.remove("method"), id) {
        (Some(Value::String(method)), id) => {
            let params = map.remove("params").unwrap_or(Value::Null);
            if !matches!(params, Value::Null | Value::Object(_) | Value::Array(_)) {
                return invalid(echoed, "\"params\" must be an object");
            }
            match id {
                Some(id) => Incoming::Request { id, method, params },
                None => Incoming::Notification { method, params },
            }
        }
        (Some(_), _) => invalid(echoed, "\"method\" must be a string"),
        (None, Some(id)) if map.contains_key("error") => {
            let error = map.remove("error").unwrap_or(Value::Null);
            Incoming::Response { id, result: Err(RpcError::from_value(&error)) }
        }
        (None, Some(id)) if map.contains_key("result") => {
            Incoming::Response { id, result: Ok(map.remove("result").unwrap_or(Value::Null)) }
        }
        (None, _) => invalid(echoed, "neither \"method\" nor \"result\" nor \"error\""),
    }
}

fn invalid(id: Value, why: &str) -> Incoming {
    Incoming::Invalid { id, error: RpcError::new(INVALID_REQUEST, format!("not a JSON-RPC 2.0 message: {why}")) }
}

/// A request as text.
pub fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// An answer.
pub fn response(id: &Value, result: &Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error.to_value()}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbage_is_told_apart_as_the_standard_says() {
        assert_eq!(parse("{").unwrap_err().code, PARSE_ERROR);
        assert_eq!(parse("").unwrap_err().code, PARSE_ERROR);
        assert_eq!(parse("[]").unwrap_err().code, INVALID_REQUEST);
        for (text, id) in [
            ("1", Value::Null),
            ("{}", Value::Null),
            (r#"{"jsonrpc":"1.0","id":7,"method":"x"}"#, json!(7)),
            (r#"{"jsonrpc":"2.0","id":7,"method":1}"#, json!(7)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":3}"#, json!(7)),
            (r#"{"jsonrpc":"2.0","id":7}"#, json!(7)),
        ] {
            match parse(text).unwrap() {
                Parsed::One(Incoming::Invalid { id: seen, error }) => {
                    assert_eq!((seen, error.code), (id, INVALID_REQUEST), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn requests_notifications_and_answers_are_told_apart() {
        assert_eq!(
            parse(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#).unwrap(),
            Parsed::One(Incoming::Request { id: Value::Null, method: "a".into(), params: Value::Null })
        );
        assert_eq!(
            parse(r#"[{"jsonrpc":"2.0","method":"a","params":{}},3]"#).unwrap(),
            Parsed::Batch(vec![
                Incoming::Notification { method: "a".into(), params: json!({}) },
                invalid(Value::Null, "a JSON-RPC message is an object")
            ])
        );
        assert_eq!(
            parse(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}"#).unwrap(),
            Parsed::One(Incoming::Response { id: json!(1), result: Err(RpcError::new(-1, "m")) })
        );
    }
}
