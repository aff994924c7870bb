//! Captures of chat completions.

use super::lane::{Breaks, Fit, Lane, changed_text, first, id, prompt_of};
use crate::request::Answer;
use crate::stream;
use serde_json::{Value, json};

pub(super) const LANE: Lane = Lane {
    name: "openai-chat",
    captures: include_str!("../../../../wire/corpus/openai-chat/client-captures.jsonl"),
    count: 232,
    fit,
    said,
    code,
    mutations: &[
        (Breaks::Echo, "changes an argument", |body| changed_text(call(body))),
        (Breaks::Echo, "encodes the arguments twice", |body| {
            call(body)["arguments"] = json!(call(body)["arguments"].to_string());
        }),
        (Breaks::Echo, "renames the tool", |body| call(body)["name"] = json!("other")),
        (Breaks::Pairing, "drops an answer", |body| {
            let messages = body["messages"].as_array_mut().unwrap();
            messages.remove(messages.iter().position(|message| message["role"] == "tool").unwrap());
        }),
        (Breaks::Pairing, "answers another call", |body| {
            first(body, "tool")["tool_call_id"] = json!("call_other")
        }),
        (Breaks::Pairing, "answers twice", |body| {
            let messages = body["messages"].as_array_mut().unwrap();
            let at = messages.iter().position(|message| message["role"] == "tool").unwrap();
            messages.insert(at, messages[at].clone());
        }),
        (Breaks::Dialect, "instructs with a key of another API", |body| body["system"] = json!("Be terse.")),
        (Breaks::Dialect, "calls with a block of another API", |body| {
            first(body, "assistant")["content"] =
                json!([{"type": "tool_use", "id": "a", "name": "f", "input": {}}]);
        }),
        (Breaks::Dialect, "answers with a block of another API", |body| {
            let block = json!([{"type": "tool_result", "tool_use_id": "a", "content": "x"}]);
            body["messages"].as_array_mut().unwrap().push(json!({"role": "user", "content": block}));
        }),
    ],
};

/// The function of the first call.
fn call(body: &mut Value) -> &mut Value {
    &mut first(body, "assistant")["tool_calls"][0]["function"]
}

fn fit(line: &Value) -> Option<Fit> {
    let mut body = line["body"].clone();
    let prompt = prompt_of(&body["messages"])?;
    let (mut ids, mut calls, mut turns) = (Vec::new(), Vec::new(), 0);
    for message in body["messages"].as_array_mut()? {
        turns += u64::from(message["role"] == "assistant");
        for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
            let function = &call["function"];
            calls.push(json!({"name": function["name"], "arguments_text": function["arguments"]}));
            ids.push(call["id"].take());
            call["id"] = id(ids.len() - 1);
        }
        if message["role"] == "tool" {
            let number = ids.iter().position(|id| *id == message["tool_call_id"]).unwrap();
            message["tool_call_id"] = id(number);
        }
    }
    if turns > 0 && calls.is_empty() {
        return None;
    }
    let step = (turns > 0 || !body["tools"].is_null()).then_some(turns);
    Some(Fit { body, prompt, text: None, calls, step })
}

fn said(line: &Value, answer: &Answer) -> Option<String> {
    if line["body"]["stream"] != true {
        return Some(answer.said());
    }
    let usage = line["body"]["stream_options"]["include_usage"] == true;
    let (message, _) = &stream::join(answer, usage).choices[0];
    Some(message["content"].as_str().unwrap_or_default().to_owned())
}

/// The code in an error of OpenAI.
pub(super) fn code(answer: &Answer) -> Option<String> {
    assert_eq!(answer.json()["error"]["type"], "invalid_request_error");
    answer.code().as_str().map(str::to_owned)
}
