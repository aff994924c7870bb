//! Captures of Ollama's native API.

use super::lane::{Breaks, Fit, Lane, changed, first, prompt_of};
use crate::request::Answer;
use serde_json::{Value, json};

pub(super) const LANE: Lane = Lane {
    name: "ollama",
    captures: include_str!("../../../../wire/corpus/ollama/client-captures.jsonl"),
    count: 8,
    fit,
    said,
    code,
    mutations: &[
        (Breaks::Echo, "changes an argument", |body| {
            call(body)["arguments"] = changed(call(body)["arguments"].take());
        }),
        (Breaks::Echo, "says other words", |body| first(body, "assistant")["content"] = json!("Made up.")),
        (Breaks::Pairing, "drops an answer", |body| drop(messages(body).pop())),
        (Breaks::Pairing, "answers once more", |body| {
            let last = messages(body).last().unwrap().clone();
            messages(body).push(last);
        }),
        (Breaks::Pairing, "answers an unknown tool", |body| {
            first(body, "tool")["tool_name"] = json!("other")
        }),
        (Breaks::Dialect, "sends arguments as text", |body| call(body)["arguments"] = json!("{}")),
        (Breaks::Dialect, "limits the answer as OpenAI does", |body| body["max_tokens"] = json!(9)),
        (Breaks::Dialect, "sends parts", |body| {
            first(body, "user")["content"] = json!([{"type": "text", "text": "Weather in Paris?"}]);
        }),
    ],
};

fn messages(body: &mut Value) -> &mut Vec<Value> {
    body["messages"].as_array_mut().unwrap()
}

fn call(body: &mut Value) -> &mut Value {
    &mut first(body, "assistant")["tool_calls"][0]["function"]
}

fn fit(line: &Value) -> Option<Fit> {
    let body = line["body"].clone();
    let prompt = prompt_of(&body["messages"])?;
    let spoken = body["messages"].as_array()?.iter().find(|message| message["role"] == "assistant");
    let of =
        |call: &Value| json!({"name": call["function"]["name"], "arguments": call["function"]["arguments"]});
    let calls =
        spoken.and_then(|spoken| spoken["tool_calls"].as_array()).into_iter().flatten().map(of).collect();
    let text = spoken.and_then(|spoken| spoken["content"].as_str()).map(str::to_owned);
    let offers = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let step = offers.then_some(u64::from(spoken.is_some()));
    Some(Fit { body, prompt, text, calls, step })
}

fn said(line: &Value, answer: &Answer) -> Option<String> {
    let body = answer.json();
    assert_eq!((&body["model"], &body["done"]), (&line["body"]["model"], &json!(true)));
    body["message"]["content"].as_str().or(body["response"].as_str()).map(str::to_owned)
}

fn code(answer: &Answer) -> Option<String> {
    assert!(answer.json()["error"].is_string(), "{}", answer.text());
    None
}
