//! Captures of the Responses API.

use super::chat::code;
use super::lane::{Breaks, Fit, Lane, changed_text, id, prompt, prompt_of};
use crate::request::Answer;
use crate::responses::{response, words};
use serde_json::{Value, json};

pub(super) const LANE: Lane = Lane {
    name: "openai-responses",
    captures: include_str!("../../../../wire/corpus/openai-responses/client-captures.jsonl"),
    count: 45,
    fit,
    said: |_, answer: &Answer| Some(words(&response(answer))),
    code,
    mutations: &[
        (Breaks::Echo, "changes an argument", |body| changed_text(item(body, "function_call"))),
        (Breaks::Echo, "encodes the arguments twice", |body| {
            let call = item(body, "function_call");
            call["arguments"] = json!(call["arguments"].to_string());
        }),
        (Breaks::Echo, "renames the call", |body| item(body, "function_call")["name"] = json!("other")),
        (Breaks::Pairing, "drops an answer", |body| {
            let items = body["input"].as_array_mut().unwrap();
            items.remove(items.iter().position(|item| item["type"] == "function_call_output").unwrap());
        }),
        (Breaks::Pairing, "answers another call", |body| {
            item(body, "function_call_output")["call_id"] = json!("call_other");
        }),
        (Breaks::Dialect, "sends a field of chat completions", |body| body["max_tokens"] = json!(100)),
        (Breaks::Dialect, "sends a field of another API", |body| body["system"] = json!("x")),
    ],
};

fn item<'v>(body: &'v mut Value, kind: &str) -> &'v mut Value {
    let items = body["input"].as_array_mut().unwrap();
    items.iter_mut().find(|item| item["type"] == kind).unwrap()
}

fn fit(line: &Value) -> Option<Fit> {
    let mut body = line["body"].clone();
    let prompt =
        prompt(&body["input"].to_string()).map(str::to_owned).or_else(|| prompt_of(&body["input"]))?;
    let (mut ids, mut calls) = (Vec::new(), Vec::new());
    for item in body["input"].as_array_mut()?.iter_mut().filter(|item| item["call_id"].is_string()) {
        if item["type"] == "function_call" {
            calls.push(json!({"name": item["name"], "arguments_text": item["arguments"]}));
            ids.push(item["call_id"].clone());
        }
        item["call_id"] = id(ids.iter().position(|id| *id == item["call_id"]).unwrap());
    }
    let step = (!body["tools"].is_null()).then_some(u64::from(!calls.is_empty()));
    Some(Fit { body, prompt, text: None, calls, step })
}
