//! q01 to q29: envelopes, usage, streams, contents and calls.

use super::raw::{answer, json as whole, said};
use super::{Has, Row, fault, good, patch, row, step};
use serde_json::{Value, json};

pub(super) fn rows() -> Vec<Row> {
    [envelopes(), streams(), contents(), ends(), calls()].into_iter().flatten().collect()
}

/// An answer in which these leniencies were needed.
fn lenient(names: &[&str]) -> Value {
    json!({"leniencies": names})
}

fn envelopes() -> Vec<Row> {
    let unknown = json!({"metered": "none", "leniencies": []});
    let error = r#"{"error":{"message":"Too many, wait.","code":429},"choices":null}"#;
    let down = r#"{"error":{"message":"The one behind us is down.","code":502}}"#;
    let nulls = r#"{"id":"secret-id","object":"chat.completion","choices":null}"#;
    let page = answer("200 OK", "", "text/html", "<html>Sign in at the proxy</html>");
    vec![
        fault(1, "usage-null").wants(&unknown),
        fault(1, "usage-null:absent=true").wants(&unknown),
        fault(2, "usage-count-null").wants(&json!({"metered": "some"})),
        fault(2, "usage-details-null").wants(&json!({"metered": "all"})),
        row(4, Has::Raw(vec![whole("200 OK", error), said(&good())])).requests(2),
        row(4, Has::Raw(vec![whole("200 OK", down)])).with(&["--attempts", "1"]).fails(
            "server",
            None,
            "an error inside a 200: The one behind us is down.",
        ),
        row(5, Has::Raw(vec![whole("200 OK", nulls)]))
            .fails("protocol", Some("no_choices"), "id, object, choices")
            .hides("secret-id"),
        fault(5, "choices-null:times=9").fails("protocol", Some("no_choices"), "object").requests(1),
        row(6, Has::Raw(vec![page]))
            .fails("protocol", Some("not_json"), "(content type text/html): <html>Sign in")
            .requests(1),
        fault(7, "done-after-json").wants(&lenient(&["done_after_whole"])),
        fault(8, "sse-when-json").wants(&lenient(&["stream_anyway"])),
    ]
}

fn streams() -> Vec<Row> {
    let stream = ["--stream"];
    vec![
        fault(3, "refuses-stream-options:times=9")
            .with(&stream)
            .wants(&json!({"steps": ["dropped_stream_options"], "metered": "none", "repairs": 0})),
        fault(3, "empty-choices-usage").with(&stream).wants(&json!({"metered": "all", "steps": []})),
        fault(9, "sse-no-space").with(&stream).wants(&lenient(&[])),
        fault(9, "sse-crlf").with(&stream).wants(&lenient(&[])),
        fault(9, "sse-cr-only").with(&stream).wants(&lenient(&[])),
        fault(9, "sse-multiline-data").with(&stream).wants(&lenient(&[])),
        fault(9, "sse-keepalive-comment").with(&stream).wants(&lenient(&[])),
        fault(10, "error-in-stream:times=9")
            .with(&["--stream", "--attempts", "1"])
            .fails("server", None, "an error inside a 200")
            .tells(&json!({"text": null})),
        fault(11, "done-missing").with(&stream).wants(&lenient(&["no_last_event"])),
        fault(11, "cut-clean:times=9").with(&["--stream", "--attempts", "1"]).fails(
            "truncated",
            Some("stream_ended_early"),
            "without a finish reason",
        ),
    ]
}

fn contents() -> Vec<Row> {
    let tags = patch("one\n<think>\nthree\n</think>\n");
    let two = format!("{}\n{}", good(), good());
    vec![
        fault(12, "answer-in-reasoning")
            .fails("empty_content", Some("only_reasoning"), "only thought")
            .requests(1),
        fault(13, "answer-in-reasoning")
            .with(&["--answer-from-reasoning"])
            .wants(&lenient(&["answer_from_reasoning"])),
        fault(14, "think-prefix").wants(&lenient(&["think_block"])),
        row(15, Has::Script(vec![step(&tags)]))
            .wants(&lenient(&[]))
            .file("one\ntwo\n", "one\n<think>\nthree\n</think>\n"),
        fault(16, "code-fence").wants(&lenient(&["fence"])),
        row(17, Has::Fault("other-fence", vec![step(&good()), step(&good())]))
            .fails("format", Some("other_fence"), "")
            .wants(&json!({"repairs": 1})),
        fault(18, "prose-around").wants(&lenient(&["prose_around"])),
        row(18, Has::Script(vec![step(&two), step(&good())])).wants(&json!({"repairs": 1})).requests(2),
        fault(19, "content-parts").wants(&lenient(&["content_parts"])),
        fault(20, "refuses-content-parts:times=9").wants(&json!({"steps": [], "repairs": 0})).requests(1),
        row(20, Has::Script(vec![step("no"), step(&good())])).wants(&json!({"repairs": 1})),
    ]
}

fn ends() -> Vec<Row> {
    let partial = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"CONTENT"},"finish_reason":"content_filter"}]}"#;
    let partial = partial.replace("\"CONTENT\"", &Value::from(good()).to_string());
    vec![
        fault(21, "refusal")
            .fails("refusal", None, "the model refused")
            .wants(&json!({"outcome": "refused", "repairs": 0}))
            .tells(&json!({"text": "~"}))
            .requests(1),
        fault(22, "cut-at-length").fails("truncated", None, "cut at the length limit").requests(1),
        fault(23, "content-filter-empty").fails("filtered", None, "content filter").requests(1),
        row(23, Has::Raw(vec![whole("200 OK", &partial)]))
            .fails("filtered", None, "content filter")
            .requests(1),
        fault(24, "finish-null-final").wants(&lenient(&["no_finish"])),
        fault(24, "finish-empty-string").wants(&lenient(&["no_finish"])),
        fault(24, "finish-unknown").wants(&lenient(&["odd_finish"])),
        fault(24, "finish-tools-without-calls").wants(&lenient(&["odd_finish"])),
    ]
}

/// A completion, or a stream of one, whose only words are these calls.
fn called(stream: bool, calls: &[Value]) -> String {
    let usage = json!({"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909});
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    let part = if stream { "delta" } else { "message" };
    let choice = json!({"index": 0, part: message, "finish_reason": "tool_calls"});
    let body =
        json!({"id": "c", "created": 1, "model": "m", "choices": [choice], "usage": usage}).to_string();
    match stream {
        true => answer("200 OK", "", "text/event-stream", &format!("data: {body}\n\ndata: [DONE]\n\n")),
        false => whole("200 OK", &body),
    }
}

/// A call of a tool that nobody offered, whose arguments are a good answer; other members lie over it.
fn call(arguments: &Value, over: &Value) -> Value {
    let function = json!({"name": "answer", "arguments": arguments});
    let mut call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
    call.as_object_mut().unwrap().extend(over.as_object().unwrap().clone());
    call.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    call
}

fn calls() -> Vec<Row> {
    let text = Value::from(good());
    let object: Value = serde_json::from_str(&good()).unwrap();
    let of = |quirk, stream, calls: &[Value]| {
        let row = row(quirk, Has::Raw(vec![called(stream, calls), said(&good())])).requests(1);
        if stream { row.with(&["--stream"]) } else { row }
    };
    let whole_call = |over: Value| call(&text, &over);
    let other = |over: Value| call(&json!("{}"), &over);
    let both = [whole_call(json!({})), other(json!({"id": "call_2"}))];
    vec![
        fault(25, "tool-instead").wants(&lenient(&["tool_call"])),
        row(25, Has::Raw(vec![called(false, &both), said(&good())]))
            .wants(&json!({"repairs": 1}))
            .requests(2),
        of(26, false, &[call(&object, &json!({}))]).wants(&lenient(&["arguments_as_value", "tool_call"])),
        of(26, true, &[call(&object, &json!({}))]).wants(&lenient(&["arguments_as_value", "tool_call"])),
        of(27, true, &[whole_call(json!({"index": null}))]).wants(&lenient(&["tool_call"])),
        // Two calls under one index are two, and so not an answer.
        of(28, true, &both).wants(&json!({"repairs": 1})).requests(2),
        of(29, false, &[whole_call(json!({"id": null}))]).wants(&lenient(&["id_made", "tool_call"])),
        of(29, true, &[whole_call(json!({"id": "", "index": 1}))]).wants(&lenient(&["id_made", "tool_call"])),
    ]
}
