//! Captures of the Messages API, and of its counting.

use super::lane::{Breaks, Fit, Lane, changed, prompt_of};
use crate::request::Answer;
use serde_json::{Value, json};

pub(super) const LANE: Lane = Lane {
    name: "anthropic-messages",
    captures: include_str!("../../../../wire/corpus/anthropic-messages/client-captures.jsonl"),
    count: 26,
    fit,
    said,
    code,
    mutations: &[
        (Breaks::Echo, "changes an argument", |body| {
            let call = block(body, "tool_use");
            call["input"] = changed(call["input"].take());
        }),
        (Breaks::Echo, "renames the tool", |body| block(body, "tool_use")["name"] = json!("other")),
        (Breaks::Echo, "sends the input as text", |body| {
            let call = block(body, "tool_use");
            call["input"] = json!(call["input"].to_string());
        }),
        (Breaks::Pairing, "drops the answers", |body| drop(messages(body).pop())),
        (Breaks::Pairing, "answers twice", |body| {
            let last = messages(body).last().unwrap().clone();
            messages(body).push(last);
        }),
        (Breaks::Pairing, "answers another call", |body| {
            block(body, "tool_result")["tool_use_id"] = json!("toolu_other");
        }),
        (Breaks::Pairing, "speaks before it answers", |body| {
            let last = messages(body).last_mut().unwrap();
            last["content"].as_array_mut().unwrap().insert(0, json!({"type": "text", "text": "Here:"}));
        }),
        (Breaks::Dialect, "answers in a message of another API", |body| {
            let answer = json!({"role": "tool", "tool_call_id": "call_gate_p_s0_0", "content": "x"});
            *messages(body).last_mut().unwrap() = answer;
        }),
        (Breaks::Dialect, "asks with a key of another API", |body| body["max_completion_tokens"] = json!(5)),
        (Breaks::Dialect, "offers a tool of another API", |body| {
            body["tools"][0] = json!({"type": "function", "function": {"name": "f", "parameters": {}}});
        }),
        (Breaks::Dialect, "instructs in a message", |body| {
            messages(body).insert(0, json!({"role": "system", "content": "Be terse."}));
        }),
    ],
};

fn messages(body: &mut Value) -> &mut Vec<Value> {
    body["messages"].as_array_mut().unwrap()
}

/// The last block of this type.
fn block<'b>(body: &'b mut Value, kind: &str) -> &'b mut Value {
    let blocks = messages(body).iter_mut().filter_map(|message| message["content"].as_array_mut()).flatten();
    blocks.filter(|block| block["type"] == kind).last().unwrap()
}

fn fit(line: &Value) -> Option<Fit> {
    if line["lane"] != "anthropic-messages" {
        return None;
    }
    let blocks =
        line["body"]["messages"].as_array()?.iter().filter_map(|message| message["content"].as_array());
    let uses: Vec<_> = blocks.flatten().filter(|block| block["type"] == "tool_use").collect();
    let mut text = line["body"].to_string();
    for (number, call) in uses.iter().enumerate() {
        text = text.replace(call["id"].as_str()?, &format!("call_gate_p_s0_{number}"));
    }
    // Of a thread only the answer to the call that the server keeps is sent.
    text = text.replace("msg_cap46", "msg_gate_p_s0_0123456789ab").replace("toolu_cap46", "call_gate_p_s0_0");
    let body: Value = serde_json::from_str(&text).unwrap();
    let calls = uses.iter().map(|call| json!({"name": call["name"], "arguments": call["input"]})).collect();
    let turns =
        body["messages"].as_array()?.iter().filter(|message| message["role"] == "assistant").count() as u64;
    let (prompt, step) = if body["thread"]["type"] == "continue" {
        ("Weather in Paris?".to_owned(), Some(1))
    } else {
        (prompt_of(&body["messages"])?, (!body["tools"].is_null()).then_some(turns))
    };
    Some(Fit { body, prompt, text: None, calls, step })
}

fn said(line: &Value, answer: &Answer) -> Option<String> {
    if line["lane"] == "anthropic-count-tokens" {
        assert_eq!(answer.text(), r#"{"input_tokens":4}"#);
        return None;
    }
    if line["body"]["stream"] != true {
        let message = answer.json();
        let texts = message["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str());
        return Some(texts.collect());
    }
    let whole = answer.text();
    let data = whole.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = data.map(|data| serde_json::from_str::<Value>(data).unwrap());
    Some(events.filter_map(|event| event["delta"]["text"].as_str().map(str::to_owned)).collect())
}

fn code(answer: &Answer) -> Option<String> {
    let told = answer.json();
    assert_eq!((&told["type"], &told["error"]["type"]), (&json!("error"), &json!("invalid_request_error")));
    assert_eq!(told["request_id"].as_str(), answer.header("request-id"));
    told["error"]["details"]["error_code"].as_str().map(str::to_owned)
}
