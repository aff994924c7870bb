//! q30 to q46: what a provider does not take, what it wants, and how it says so.

use super::raw::{answer, json as whole, said};
use super::{Has, Row, fault, good, row, step};
use serde_json::json;

pub(super) fn rows() -> Vec<Row> {
    [forms(), parameters(), messages(), limits(), shapes()].into_iter().flatten().collect()
}

fn forms() -> Vec<Row> {
    let unrelated = json!({"status": 400, "code": "model_not_found", "param": "model",
                           "message": "The model `m` does not exist; json_schema is not supported either."});
    let grammar =
        r#"{"error":{"message":"Failed to initialize samplers: failed to parse grammar","code":500}}"#;
    let refused = |what: &str| {
        let message = format!("Invalid parameter: 'response_format' of type '{what}' is not supported.");
        let error = json!({"error": {"message": message, "param": "response_format", "code": null}});
        whole("400 Bad Request", &error.to_string())
    };
    vec![
        fault(30, "refuses-json-schema:times=9")
            .wants(&json!({"steps": ["dropped_schema"], "repairs": 0}))
            .requests(2),
        row(31, Has::Script(vec![json!({"api_error": unrelated})]))
            .fails("not_found", None, "The model `m` does not exist")
            .wants(&json!({"steps": []}))
            .requests(1),
        fault(32, "refuses-json-object:times=9").wants(&json!({"steps": []})).requests(1),
        row(32, Has::Raw(vec![refused("json_schema"), refused("json_object"), said(&good())]))
            .wants(&json!({"steps": ["dropped_schema", "dropped_json_object"], "repairs": 0}))
            .requests(3),
        row(33, Has::Fault("ignores-schema", vec![step(&good()), step(&good())]))
            .fails("format", Some("unknown_key"), "at /answer")
            .wants(&json!({"steps": []})),
        fault(34, "refuses-schema-keyword:times=9").wants(&json!({"steps": []})).requests(1),
        row(34, Has::Raw(vec![whole("500 Internal Server Error", grammar), said(&good())]))
            .wants(&json!({"steps": ["dropped_schema"]}))
            .requests(2),
    ]
}

fn parameters() -> Vec<Row> {
    let limited = ["--max-tokens", "500"];
    vec![
        fault(35, "refuses-temperature:times=9").wants(&json!({"steps": []})).requests(1),
        fault(35, "refuses-temperature:times=9")
            .with(&["--temperature", "0"])
            .wants(&json!({"steps": ["dropped_temperature"], "repairs": 0}))
            .requests(2),
        fault(36, "refuses-max-tokens:times=9")
            .with(&limited)
            .wants(&json!({"steps": ["renamed_limit"]}))
            .requests(2),
        fault(37, "refuses-max-completion-tokens:times=9")
            .with(&limited)
            .wants(&json!({"steps": []}))
            .requests(1),
        fault(38, "refuses-both-limits:times=9").with(&limited).wants(&json!({"steps": []})).requests(1),
    ]
}

fn messages() -> Vec<Row> {
    let thought =
        json!({"thinking": "Two or three?", "text": "I do not know.", "usage": {"prompt_tokens": 900}});
    let cut = "context-cut:bytes=100:tokens=3";
    vec![
        fault(39, "refuses-system-role:times=9").wants(&json!({"steps": ["folded_system"]})).requests(2),
        row(39, Has::Fault("roles-must-alternate:times=9", vec![step("no"), step(&good())]))
            .wants(&json!({"repairs": 1, "steps": []}))
            .requests(2),
        row(40, Has::Fault("wants-reasoning-back:times=9", vec![thought, step(&good())]))
            .wants(&json!({"repairs": 1, "steps": ["sent_reasoning"]}))
            .requests(3),
        row(40, Has::Fault("wants-reasoning-back:times=9", vec![step("no"), step(&good())]))
            .wants(&json!({"repairs": 1, "steps": ["sent_reasoning"]})),
        row(40, Has::Raw(vec![said("no"), said(&good())])).requests(2).hears(&["!reasoning"]),
        fault(41, cut)
            .fails("context_length", Some("context_truncated"), "the endpoint counts 3 tokens")
            .requests(1),
        fault(41, cut).with(&["--ignore-token-count"]).requests(1),
    ]
}

fn limits() -> Vec<Row> {
    let rate = r#"{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}}"#;
    let soon = |status: &str, body: &str| answer(status, "retry-after: 0\r\n", "application/json", body);
    let loading = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    vec![
        fault(42, "429-quota:times=9").fails("quota", None, "You exceeded your current quota").requests(1),
        fault(43, "429-quota-in-words:times=1").requests(2),
        fault(43, "429-quota-in-words:times=9")
            .with(&["--attempts", "1"])
            .fails("rate_limited", None, "INSUFFICIENT QUOTA: requests per minute")
            .wants(&json!({"error": {"code": "rate_limit_exceeded", "class": "rate_limited"}})),
        fault(44, "400-rate-limit:times=9").fails("rate_limited", None, "Rate limit reached").requests(1),
        row(44, Has::Raw(vec![soon("400 Bad Request", rate), said(&good())])).requests(2),
        fault(45, "503-loading:times=1").requests(2),
        row(45, Has::Raw(vec![soon("503 Service Unavailable", loading)]))
            .with(&["--attempts", "2"])
            .fails("server", None, "Loading model")
            .requests(2),
    ]
}

fn shapes() -> Vec<Row> {
    let of = |name| fault(46, name).with(&["--attempts", "1"]);
    let empty = row(46, Has::Raw(vec![whole("404 Not Found", "")]));
    vec![
        of("error-string:times=9").fails("bad_request", None, "status 400: The request was not understood."),
        of("error-object:times=9").fails("bad_request", None, "status 400: The request was not understood."),
        of("error-message:times=9").fails("bad_request", None, "status 400: The request was not understood."),
        of("error-detail:times=9").fails("bad_request", None, "status 400: The request was not understood."),
        of("5xx-html:times=9").fails("server", None, "a page of HTML or XML"),
        empty.fails("not_found", None, "/v1/chat/completions: status 404").requests(1),
    ]
}
