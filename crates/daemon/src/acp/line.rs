//! One line of JSON-RPC 2.0 as ACP frames it: read strictly, written plainly.

use rehearsal_wire::json::{self, Kind, Tape, Value};
use serde_json::json;

/// What a client's line says.
#[derive(Debug)]
pub(super) enum Incoming<'t> {
    /// It wants an answer. The id is kept as JSON text.
    Request { id: String, method: String, params: Option<Value<'t>> },
    /// It wants none.
    Notification { method: String, params: Option<Value<'t>> },
    /// It answers a request of ours: the result, or the error's code.
    Response { id: Value<'t>, outcome: Result<Value<'t>, i64> },
}

/// An error as an answer has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// Its word in the journal.
    pub(super) word: &'static str,
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Box<serde_json::Value>>,
}

impl Fault {
    fn new(word: &'static str, code: i64, message: impl Into<String>) -> Self {
        Self { word, code, message: message.into(), data: None }
    }

    pub(super) fn parse(why: impl Into<String>) -> Self {
        Self::new("parse_error", -32700, why)
    }

    pub(super) fn request(why: impl Into<String>) -> Self {
        Self::new("invalid_request", -32600, why)
    }

    pub(super) fn method(name: &str) -> Self {
        Self::new("method_not_found", -32601, format!("there is no method {name:?}"))
    }

    pub(super) fn params(why: impl Into<String>) -> Self {
        Self::new("invalid_params", -32602, why)
    }

    pub(super) fn internal(why: impl Into<String>) -> Self {
        Self::new("internal_error", -32603, why)
    }

    pub(super) fn recalled() -> Self {
        Self::new("request_cancelled", -32800, "the request was cancelled")
    }

    pub(super) fn auth() -> Self {
        Self::new("auth_required", -32000, "authenticate first, by one of the authMethods")
    }

    pub(super) fn missing(what: &str) -> Self {
        Self::new("not_found", -32002, format!("there is no {what}"))
    }
}

/// Reads a line. The error comes with the id that it answers, JSON text.
pub(super) fn read<'t>(tape: &'t Tape<'_>) -> Result<Incoming<'t>, (String, Fault)> {
    let root = tape.root();
    let nobody = || "null".to_owned();
    if root.kind() != Kind::Object {
        let why = format!("a message is an object, not {}", root.kind().phrase());
        return Err((nobody(), Fault::request(why)));
    }
    let id = root.get("id");
    let id_text = match id.map(|id| (id, id.kind())) {
        None => None,
        Some((id, Kind::Number | Kind::String | Kind::Null)) => Some(text(id)),
        Some((_, kind)) => {
            return Err((nobody(), Fault::request(format!("`id` must not be {}", kind.phrase()))));
        }
    };
    let refuse = |why: &str| Err((id_text.clone().unwrap_or_else(nobody), Fault::request(why)));
    if !root.get("jsonrpc").is_some_and(|version| version.is_str("2.0")) {
        return refuse("`jsonrpc` must be \"2.0\"");
    }
    let params = root.get("params").filter(|params| !params.is_null());
    if params.is_some_and(|params| params.kind() != Kind::Object) {
        return refuse("`params` must be an object");
    }
    match (root.get("method").map(Value::as_str), &id_text, id) {
        (Some(None), _, _) => refuse("`method` must be a text"),
        (Some(Some(method)), Some(id), _) => {
            Ok(Incoming::Request { id: id.clone(), method: method.into_owned(), params })
        }
        (Some(Some(method)), None, _) => Ok(Incoming::Notification { method: method.into_owned(), params }),
        (None, _, Some(id)) => match (root.get("result"), root.get("error")) {
            (Some(result), None) => Ok(Incoming::Response { id, outcome: Ok(result) }),
            (None, Some(error)) => {
                let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
                Ok(Incoming::Response { id, outcome: Err(code) })
            }
            _ => refuse("a message has a `method`, or else a `result` or an `error`"),
        },
        (None, _, None) => refuse("a message has a `method`, a `result` or an `error`"),
    }
}

/// A value as JSON text on one line.
pub(super) fn text(value: Value<'_>) -> String {
    let mut out = Vec::new();
    json::write_value(&mut out, value);
    String::from_utf8_lossy(&out).into_owned()
}

/// A request of ours.
pub(super) fn request(id: u64, method: &str, params: &serde_json::Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A notification of ours.
pub(super) fn notification(method: &str, params: &serde_json::Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

/// An answer. The id is JSON text.
pub(super) fn answer(id: &str, outcome: &Result<serde_json::Value, Fault>) -> String {
    let rest = match outcome {
        Ok(result) => json!({"result": result}),
        Err(fault) => {
            let mut error = json!({"code": fault.code, "message": fault.message});
            if let Some(data) = &fault.data {
                error["data"] = (**data).clone();
            }
            json!({"error": error})
        }
    };
    let rest = rest.to_string();
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{}", rest.trim_start_matches('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<String, (String, i64)> {
        let tape = json::parse(text.as_bytes()).unwrap();
        read(&tape)
            .map(|line| format!("{line:?}").chars().take(7).collect())
            .map_err(|(id, fault)| (id, fault.code))
    }

    #[test]
    fn messages_are_told_apart_and_broken_ones_answered_under_their_id() {
        let request = |text: &str| read_text(&text.replace('V', "\"jsonrpc\": \"2.0\""));
        assert_eq!(request(r#"{V, "id": "a", "method": "m"}"#).unwrap(), "Request");
        assert_eq!(request(r#"{V, "id": null, "method": "m", "params": null}"#).unwrap(), "Request");
        assert_eq!(request(r#"{V, "method": "m", "params": {}}"#).unwrap(), "Notific");
        assert_eq!(request(r#"{V, "id": 1, "result": null}"#).unwrap(), "Respons");
        for (text, id) in [
            ("[]", "null"),
            (r#"{"id": 7, "method": "m"}"#, "7"),
            (r#"{V, "id": "x", "method": 7}"#, "\"x\""),
            (r#"{V, "id": {}, "method": "m"}"#, "null"),
            (r#"{V, "id": 1.5, "method": "m", "params": []}"#, "1.5"),
            (r#"{V, "id": 1, "result": 1, "error": {}}"#, "1"),
            (r#"{V}"#, "null"),
        ] {
            assert_eq!(request(text), Err((id.to_owned(), -32600)), "{text}");
        }
    }

    #[test]
    fn an_answer_has_the_id_as_it_came() {
        assert_eq!(
            answer("\"a\\u0041\"", &Ok(json!({}))),
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0041\",\"result\":{}}"
        );
        let fault = answer("null", &Err(Fault::method("x")));
        assert!(fault.starts_with("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,"), "{fault}");
    }
}
