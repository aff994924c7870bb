//! Every fault on raw sockets: what arrives is what the journal says that left, and the same at any time.

use crate::request::{chat, post};
use crate::stand::{CHAT, Served};
use rehearsal_journal::digest;
use rehearsal_journal::event::End;
use rehearsal_testkit::raw_client::{End as Ended, Seen};
use rehearsal_wire::fault::{FAULTS, Fault};
use serde_json::{Value, json};

/// Parameters that make a fault short and small enough for a socket's buffers.
const SHORT: &[(&str, u64)] = &[("bytes", 3000), ("comments", 3), ("every", 1), ("wait", 1), ("apart", 3)];

/// The row's own example as a step, with short times.
fn step(row: &Fault) -> String {
    let mut step: Value = serde_json::from_str(row.example).unwrap();
    let mut fault = match step["fault"].take() {
        Value::Object(fault) => Value::Object(fault),
        name => json!({"name": name}),
    };
    for (name, value) in SHORT.iter().filter(|(name, _)| row.params.iter().any(|param| param.name == *name)) {
        fault[*name] = json!(value);
    }
    step["fault"] = fault;
    step.to_string()
}

/// What a request must hold so that an endpoint refuses it, or cuts it, as the row says.
const PROVOKED_BY: &[(&str, &str)] = &[
    (
        "refuses-json-schema",
        r#"{"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {}}}}"#,
    ),
    ("refuses-json-object", r#"{"response_format": {"type": "json_object"}}"#),
    (
        "refuses-schema-keyword",
        r#"{"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {"enum": [1]}}}}"#,
    ),
    (
        "ignores-schema",
        r#"{"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {}}}}"#,
    ),
    ("refuses-max-tokens", r#"{"max_tokens": 9}"#),
    ("refuses-max-completion-tokens", r#"{"max_completion_tokens": 9}"#),
    ("refuses-both-limits", r#"{"max_tokens": 9, "max_completion_tokens": 9}"#),
    ("refuses-temperature", r#"{"temperature": 0}"#),
    ("refuses-stream-options", r#"{"stream": true, "stream_options": {"include_usage": true}}"#),
    (
        "refuses-system-role",
        r#"{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "go"}]}"#,
    ),
    (
        "refuses-content-parts",
        r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "go"}]}]}"#,
    ),
    (
        "roles-must-alternate",
        r#"{"messages": [{"role": "user", "content": "go"}, {"role": "user", "content": "go"}]}"#,
    ),
    (
        "wants-reasoning-back",
        r#"{"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "go"}]}"#,
    ),
    ("tool-instead", r#"{"tools": null}"#),
];

/// All that arrives of one faulted answer, and the faults that the journal names.
fn arrives(row: &Fault, stream: bool) -> (Seen, Option<String>) {
    let script = format!(
        r#"{{"version": 1, "rules": {{"one-token-limit": false, "json-word": false}}, "classes": {{"c": {{"script": [{}], "phrasings": [{{"id": "p", "prompt": "go"}}]}}}}}}"#,
        step(row)
    );
    let stand = Served::file("t.json", &script).start();
    let tools: Vec<Value> = ["read_file", "write_file"]
        .map(|name| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}))
        .into();
    let mut request = chat("go", json!({"tools": tools, "stream": stream}));
    let provoked_by = PROVOKED_BY.iter().find(|(name, _)| *name == row.name);
    let more: Value = provoked_by.map_or(json!({}), |(_, more)| serde_json::from_str(more).unwrap());
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    if row.name == "context-cut" {
        request["messages"][0]["content"] = json!(format!("go{}", " on".repeat(1500)));
    }
    let stream = request["stream"] == true;
    if request["tools"].is_null() {
        request.as_object_mut().unwrap().remove("tools");
    }
    let mut client = stand.client();
    client.send(post(CHAT, &request.to_string()));
    // Whatever the answer does then, it has left: an open connection ends with the client's own end.
    let left = stand.answered(1).remove(0);
    let seen = client.half_close().read_to_end();
    let whose = format!("{}, stream {stream}", row.name);
    assert_eq!(left.end, End::Complete, "{whose}");
    assert_eq!(left.bytes, seen.bytes.len() as u64, "{whose}: {}", seen.text());
    assert_eq!(left.sha256, digest::text(&digest::of(&seen.bytes)), "{whose}");
    (seen, stand.asked().remove(0).delivered.fault)
}

#[test]
fn what_arrives_under_each_fault_is_what_left_and_the_same_each_time() {
    let mut met = 0;
    for row in FAULTS.iter().filter(|row| row.dialects.include("openai-chat")) {
        let mut breaks = false;
        for stream in [false, true] {
            let (first, fault) = arrives(row, stream);
            let (second, _) = arrives(row, stream);
            assert_eq!((first.text(), first.end), (second.text(), second.end), "{}", row.name);
            if fault.is_some() {
                assert_eq!(fault.as_deref(), Some(row.name));
                breaks = true;
            }
        }
        assert!(breaks, "{} breaks neither a plain answer nor a stream", row.name);
        met += 1;
    }
    assert!(met > 100, "{met} faults");
}

#[test]
fn a_reset_is_a_reset_and_an_end_an_end() {
    for (name, wanted) in [
        ("cut-reset", Ended::Reset),
        ("cut-clean", Ended::Eof),
        ("cut-mid-json", Ended::Eof),
        ("sse-crlf", Ended::Eof),
    ] {
        let row = FAULTS.iter().find(|row| row.name == name).unwrap();
        assert_eq!(arrives(row, true).0.end, wanted, "{name}");
    }
}
