//! Captures of the Gemini API.

use super::lane::{Breaks, Fit, Lane, changed};
use crate::gemini::{events, joined};
use crate::request::Answer;
use serde_json::{Value, json};

pub(super) const LANE: Lane = Lane {
    name: "google-gemini",
    captures: include_str!("../../../../wire/corpus/google-gemini/client-captures.jsonl"),
    count: 2,
    fit,
    said: |_, answer| {
        Some(joined(&events(answer)).0.iter().filter_map(|part| part["text"].as_str()).collect())
    },
    code,
    mutations: &[
        (Breaks::Echo, "changes an argument", |body| call(body)["args"] = changed(call(body)["args"].take())),
        (Breaks::Echo, "renames the function", |body| call(body)["name"] = json!("other")),
        (Breaks::Echo, "invents an id", |body| {
            call(body)["id"] = json!("call_gate_p_s7_0");
            response(body)["id"] = json!("call_gate_p_s7_0");
        }),
        (Breaks::Echo, "sends the arguments as text", |body| {
            call(body)["args"] = json!(call(body)["args"].to_string());
        }),
        (Breaks::Pairing, "drops the response", |body| drop(contents(body).pop())),
        (Breaks::Pairing, "responds twice", |body| {
            let last = contents(body)[2].clone();
            contents(body).push(last);
        }),
        (Breaks::Pairing, "responds to another call", |body| response(body)["id"] = json!("other")),
        (Breaks::Pairing, "responds to another function", |body| {
            let response = response(body);
            response["name"] = json!("other");
            response.as_object_mut().unwrap().remove("id");
        }),
        (Breaks::Pairing, "drops the call", |body| drop(contents(body).remove(1))),
        (Breaks::Pairing, "speaks before it responds", |body| {
            contents(body)[2]["parts"].as_array_mut().unwrap().insert(0, json!({"text": "Here:"}));
        }),
        (Breaks::Dialect, "asks with a key of another API", |body| body["max_tokens"] = json!(5)),
        (Breaks::Dialect, "speaks in a role of another API", |body| {
            contents(body)[1]["role"] = json!("assistant")
        }),
        (Breaks::Dialect, "calls with a block of another API", |body| {
            contents(body)[1]["parts"][0] = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
        }),
        (Breaks::Dialect, "offers a tool of another API", |body| {
            body["tools"] = json!([{"type": "function", "function": {"name": "f"}}]);
        }),
    ],
};

fn contents(body: &mut Value) -> &mut Vec<Value> {
    body["contents"].as_array_mut().unwrap()
}

fn call(body: &mut Value) -> &mut Value {
    &mut contents(body)[1]["parts"][0]["functionCall"]
}

fn response(body: &mut Value) -> &mut Value {
    &mut contents(body)[2]["parts"][0]["functionResponse"]
}

fn fit(line: &Value) -> Option<Fit> {
    let text = line["body"].to_string().replace("run_shell_command_1795976775890_0", "call_gate_p_s0_0");
    let mut body: Value = serde_json::from_str(&text).unwrap();
    let answered = contents(&mut body).len() > 1;
    let call = answered.then(|| call(&mut body));
    let calls =
        call.map(|call| json!({"name": call["name"], "arguments": call["args"]})).into_iter().collect();
    let prompt = "Run the command: echo hi".to_owned();
    Some(Fit { body, prompt, text: None, calls, step: Some(u64::from(answered)) })
}

fn code(answer: &Answer) -> Option<String> {
    let error = &answer.json()["error"];
    assert_eq!((&error["code"], &error["status"]), (&json!(400), &json!("INVALID_ARGUMENT")));
    error["details"][0]["reason"].as_str().map(str::to_owned)
}
