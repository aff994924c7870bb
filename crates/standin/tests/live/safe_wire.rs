//! The safe wire, point by point in each dialect: what an answer must hold so that every known client reads it. What a client
//! could do without is held all the same, for another one breaks on it.

use crate::request::{Answer, headers_for, request};
use crate::stand::{Served, Stand};
use crate::{gemini, responses};
use rehearsal_wire::dialect::dialect;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Says words and makes two calls.
const SUITE: &str = r#"
version: 1
classes:
  c:
    script: [{text: "Both of them, at once.", tool_calls: [{name: f, arguments: {a: one}}, {name: g, arguments: {}}]}]
    phrasings: [{id: p, prompt: Do both.}]
  words:
    script: [{text: "Only words, in pieces."}]
    phrasings: [{id: w, prompt: Say words.}]
"#;

/// How one dialect holds each point.
struct Row {
    dialect: &'static str,
    /// Where a whole answer and where a stream is asked for.
    paths: [&'static str; 2],
    /// The request, without what asks for a stream.
    body: &'static str,
    /// What asks for a whole answer, and what for a stream: once for each form that a stream has, first without usage.
    asks: (&'static str, &'static [&'static str]),
    /// The documents of a stream.
    documents: fn(&Answer) -> Vec<Value>,
    /// Places of a whole answer that hold something.
    whole: &'static [&'static str],
    /// Places of every document of a stream that hold the same in all of them.
    same: &'static [&'static str],
    /// What else tells of a document which answer and which part of it it belongs to.
    placed: fn(&[Value]),
    /// Who speaks is said as soon as something is; none where only the model can speak.
    role: Option<fn(&[Value])>,
    /// Id, type, index and name stand once for each call; none where there are no calls.
    calls: Option<fn(&[Value])>,
    /// Why it ended is said once, behind all that was said.
    finish: fn(&[Value]),
    /// Usage stands where it is asked for, or where the API always has it, and nowhere else.
    usage: fn(&[Value], bool),
    /// The stream ends in the words of its API.
    last: fn(&str),
}

const TOOLS: &str = r#"[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}},
    {"type": "function", "function": {"name": "g", "parameters": {"type": "object"}}}]"#;

const ROWS: &[Row] = &[
    Row {
        dialect: "openai-chat",
        paths: ["/v1/chat/completions"; 2],
        body: r#"{"model": "m", "messages": [{"role": "user", "content": "Do both."}], "tools": TOOLS}"#,
        asks: ("{}", OPENAI_STREAMS),
        documents: done_events,
        whole: &[
            "/id",
            "/object",
            "/created",
            "/model",
            "/choices/0/index",
            "/choices/0/finish_reason",
            "/choices/0/message/role",
            "/choices/0/message/tool_calls/1/id",
            "/choices/0/message/tool_calls/1/type",
            "/choices/0/message/tool_calls/1/function/name",
            "/usage/total_tokens",
        ],
        same: &["/id", "/object", "/created", "/model"],
        placed: choices_have_indexes,
        role: Some(|chunks| {
            assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
            assert_eq!(having(chunks, "/choices/0/delta/role").len(), 1);
        }),
        calls: Some(|chunks| {
            let deltas = each(chunks, "/choices/0/delta/tool_calls");
            for index in 0..2 {
                let of: Vec<_> = deltas.iter().filter(|delta| delta["index"] == index).cloned().collect();
                for place in ["/id", "/type", "/function/name"] {
                    assert_eq!(having(&of, place), [0], "{place} stands in the first delta of a call alone");
                }
                assert!(of.len() > 1, "arguments follow");
            }
            assert!(deltas.iter().all(|delta| delta["index"].is_u64()));
        }),
        finish: |chunks| {
            let ends = having(chunks, "/choices/0/finish_reason");
            assert_eq!(ends, [having(chunks, "/choices/0").len() - 1]);
            assert_eq!(chunks[ends[0]]["choices"][0]["finish_reason"], "tool_calls");
        },
        usage: usage_chunk,
        last: ends_with_done,
    },
    Row {
        dialect: "openai-completions",
        paths: ["/v1/completions"; 2],
        body: r#"{"model": "m", "prompt": "Say words."}"#,
        asks: ("{}", OPENAI_STREAMS),
        documents: done_events,
        whole: &[
            "/id",
            "/object",
            "/created",
            "/model",
            "/choices/0/index",
            "/choices/0/finish_reason",
            "/choices/0/text",
            "/usage/total_tokens",
        ],
        same: &["/id", "/object", "/created", "/model"],
        placed: choices_have_indexes,
        role: None,
        calls: None,
        finish: |chunks| {
            let ends = having(chunks, "/choices/0/finish_reason");
            assert_eq!(ends, [having(chunks, "/choices/0").len() - 1]);
        },
        usage: usage_chunk,
        last: ends_with_done,
    },
    Row {
        dialect: "openai-responses",
        paths: ["/v1/responses"; 2],
        body: r#"{"model": "m", "input": "Do both.", "tools": [{"type": "function", "name": "f"}, {"type": "function", "name": "g"}]}"#,
        asks: ("{}", &[r#"{"stream": true}"#]),
        documents: responses::events,
        whole: &[
            "/id",
            "/object",
            "/created_at",
            "/model",
            "/status",
            "/output/0/id",
            "/output/0/role",
            "/output/2/id",
            "/output/2/call_id",
            "/output/2/name",
            "/output/2/type",
            "/usage/total_tokens",
        ],
        same: &[],
        placed: events_have_places,
        role: Some(|events| {
            let items = begun(events);
            assert_eq!((&items[0]["type"], &items[0]["role"]), (&json!("message"), &json!("assistant")));
        }),
        calls: Some(|events| {
            let calls: Vec<_> =
                begun(events).into_iter().filter(|item| item["type"] == "function_call").collect();
            assert_eq!(calls.len(), 2);
            for place in ["/id", "/call_id", "/name"] {
                assert_eq!(having(&calls, place), [0, 1], "{place}");
            }
            let named = events.iter().filter(|event| event["type"].as_str().unwrap().ends_with(".delta"));
            assert!(named.clone().count() > 2 && named.into_iter().all(|delta| delta["name"].is_null()));
        }),
        finish: |events| {
            let ended = |event: &&Value| event["response"]["status"] == "completed";
            assert_eq!(events.iter().filter(ended).count(), 1);
            assert_eq!(events.last().unwrap()["response"]["status"], "completed");
        },
        usage: |events, _| assert_eq!(having(events, "/response/usage"), [events.len() - 1]),
        last: |text| assert!(text.contains("event: response.completed") && !text.contains("[DONE]")),
    },
    Row {
        dialect: "anthropic-messages",
        paths: ["/v1/messages"; 2],
        body: r#"{"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "Do both."}],
            "tools": [{"name": "f", "input_schema": {"type": "object"}}, {"name": "g", "input_schema": {"type": "object"}}]}"#,
        asks: ("{}", &[r#"{"stream": true}"#]),
        documents: |answer| {
            let text = answer.text();
            let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
            data.map(|data| serde_json::from_str(data).unwrap()).collect()
        },
        whole: &[
            "/id",
            "/type",
            "/role",
            "/model",
            "/stop_reason",
            "/content/0/type",
            "/content/2/id",
            "/content/2/name",
            "/content/2/type",
            "/content/2/input",
            "/usage/input_tokens",
            "/usage/output_tokens",
        ],
        same: &[],
        placed: |events| {
            for place in ["/message/id", "/message/type", "/message/model"] {
                assert_eq!(having(events, place), [0], "{place} stands in the first event");
            }
            let blocks =
                events.iter().filter(|event| event["type"].as_str().unwrap().starts_with("content_block"));
            assert!(blocks.into_iter().all(|event| event["index"].is_u64()));
        },
        role: Some(|events| assert_eq!(events[0]["message"]["role"], "assistant")),
        calls: Some(|events| {
            let calls = events.iter().filter(|event| event["content_block"]["type"] == "tool_use");
            let calls: Vec<_> =
                calls.map(|event| json!([event["index"], event["content_block"]["name"]])).collect();
            assert_eq!(calls, [json!([1, "f"]), json!([2, "g"])]);
            assert_eq!(having(events, "/content_block/id").len(), 2);
        }),
        finish: |events| {
            let ends = having(events, "/delta/stop_reason");
            assert_eq!(ends, [events.len() - 2]);
            assert_eq!(events[ends[0]]["delta"]["stop_reason"], "tool_use");
        },
        usage: |events, _| {
            assert_eq!(having(events, "/message/usage/input_tokens"), [0]);
            assert_eq!(having(events, "/usage/output_tokens"), [events.len() - 2]);
        },
        last: |text| assert!(text.ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")),
    },
    Row {
        dialect: "google-gemini",
        paths: ["/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent?alt=sse"],
        body: r#"{"contents": [{"role": "user", "parts": [{"text": "Do both."}]}],
            "tools": [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}]}"#,
        asks: ("{}", &["{}"]),
        documents: gemini::events,
        whole: &[
            "/responseId",
            "/modelVersion",
            "/candidates/0/index",
            "/candidates/0/finishReason",
            "/candidates/0/content/role",
            "/candidates/0/content/parts/2/functionCall/id",
            "/candidates/0/content/parts/2/functionCall/name",
            "/candidates/0/content/parts/2/functionCall/args",
            "/usageMetadata/totalTokenCount",
        ],
        same: &["/responseId", "/modelVersion", "/candidates/0/index", "/candidates/0/content/role"],
        placed: |_| {},
        role: Some(|responses| assert_eq!(responses[0]["candidates"][0]["content"]["role"], "model")),
        calls: Some(|responses| {
            let parts = each(responses, "/candidates/0/content/parts");
            let calls: Vec<_> = parts.into_iter().filter(|part| part["functionCall"].is_object()).collect();
            assert_eq!(calls.len(), 2);
            for place in ["/functionCall/id", "/functionCall/name", "/functionCall/args"] {
                assert_eq!(having(&calls, place), [0, 1], "{place}");
            }
        }),
        finish: |responses| {
            assert_eq!(having(responses, "/candidates/0/finishReason"), [responses.len() - 1])
        },
        usage: |responses, _| {
            assert_eq!(having(responses, "/usageMetadata/totalTokenCount").len(), responses.len());
        },
        last: |text| assert!(text.ends_with("}\r\n\r\n") && !text.contains("[DONE]")),
    },
    Row {
        dialect: "ollama-chat",
        paths: ["/api/chat"; 2],
        body: r#"{"model": "m", "messages": [{"role": "user", "content": "Do both."}], "tools": TOOLS}"#,
        asks: (r#"{"stream": false}"#, &["{}", r#"{"stream": true}"#]),
        documents: json_lines,
        whole: &[
            "/model",
            "/created_at",
            "/message/role",
            "/message/tool_calls/1/id",
            "/message/tool_calls/1/function/name",
            "/message/tool_calls/1/function/arguments",
            "/done",
            "/done_reason",
            "/prompt_eval_count",
            "/eval_count",
        ],
        same: &["/model", "/created_at", "/message/role"],
        placed: |_| {},
        role: Some(|lines| assert_eq!(lines[0]["message"]["role"], "assistant")),
        calls: Some(|lines| {
            let calls = each(lines, "/message/tool_calls");
            let told: Vec<_> = calls
                .iter()
                .map(|call| json!([call["function"]["index"], call["function"]["name"]]))
                .collect();
            assert_eq!(told, [json!([0, "f"]), json!([1, "g"])]);
            assert_eq!(having(&calls, "/id"), [0, 1]);
        }),
        finish: lines_end_once,
        usage: |lines, _| assert_eq!(having(lines, "/eval_count"), [lines.len() - 1]),
        last: |text| assert!(text.ends_with("}\n") && !text.contains("[DONE]")),
    },
    Row {
        dialect: "ollama-generate",
        paths: ["/api/generate"; 2],
        body: r#"{"model": "m", "prompt": "Say words."}"#,
        asks: (r#"{"stream": false}"#, &["{}", r#"{"stream": true}"#]),
        documents: json_lines,
        whole: &[
            "/model",
            "/created_at",
            "/response",
            "/done",
            "/done_reason",
            "/prompt_eval_count",
            "/eval_count",
        ],
        same: &["/model", "/created_at"],
        placed: |_| {},
        role: None,
        calls: None,
        finish: lines_end_once,
        usage: |lines, _| assert_eq!(having(lines, "/eval_count"), [lines.len() - 1]),
        last: |text| assert!(text.ends_with("}\n") && !text.contains("[DONE]")),
    },
];

/// A stream of the older OpenAI APIs without usage, and one with it.
const OPENAI_STREAMS: &[&str] =
    &[r#"{"stream": true}"#, r#"{"stream": true, "stream_options": {"include_usage": true}}"#];

/// The numbers of the documents that hold something at this place.
fn having(documents: &[Value], place: &str) -> Vec<usize> {
    let holds = |document: &Value| document.pointer(place).is_some_and(|value| !value.is_null());
    documents.iter().enumerate().filter(|(_, document)| holds(document)).map(|(at, _)| at).collect()
}

/// The elements of the arrays at this place, of all documents.
fn each(documents: &[Value], place: &str) -> Vec<Value> {
    let arrays = documents.iter().filter_map(|document| document.pointer(place)?.as_array());
    arrays.flatten().cloned().collect()
}

fn done_events(answer: &Answer) -> Vec<Value> {
    let text = answer.text();
    let events = text.trim_end().split("\n\n").map(|event| event.strip_prefix("data: ").unwrap());
    events.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

fn json_lines(answer: &Answer) -> Vec<Value> {
    answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn choices_have_indexes(chunks: &[Value]) {
    assert!(each(chunks, "/choices").iter().all(|choice| choice["index"] == 0));
}

fn usage_chunk(chunks: &[Value], wanted: bool) {
    let last = chunks.len() - 1;
    let with_usage = if wanted { vec![last] } else { Vec::new() };
    assert_eq!(having(chunks, "/usage"), with_usage);
    assert_eq!(chunks[last]["choices"] == json!([]), wanted, "only usage stands without choices");
    assert_eq!(having(chunks, "/choices/0").len(), chunks.len() - with_usage.len());
}

fn ends_with_done(text: &str) {
    assert!(text.ends_with("\n\ndata: [DONE]\n\n") && text.matches("[DONE]").count() == 1);
}

/// Each event of the Responses API has its number, and those of an item the item's place and id.
fn events_have_places(events: &[Value]) {
    let ids: BTreeSet<_> = events.iter().filter_map(|event| event["response"]["id"].as_str()).collect();
    assert_eq!(ids.len(), 1);
    let items = begun(events);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
        if event["response"].is_null() {
            let at = usize::try_from(event["output_index"].as_u64().unwrap()).unwrap();
            let id = if event["item"].is_null() { &event["item_id"] } else { &event["item"]["id"] };
            assert_eq!(*id, items[at]["id"], "{event}");
        } else {
            for place in ["/id", "/object", "/created_at", "/model"] {
                assert!(
                    event["response"].pointer(place).is_some_and(|value| !value.is_null()),
                    "{place}: {event}"
                );
            }
        }
    }
}

/// The items of a response as they begin.
fn begun(events: &[Value]) -> Vec<Value> {
    let added = events.iter().filter(|event| event["type"] == "response.output_item.added");
    added.map(|event| event["item"].clone()).collect()
}

fn lines_end_once(lines: &[Value]) {
    let done: Vec<_> = lines.iter().map(|line| line["done"].as_bool().unwrap()).collect();
    assert_eq!(done.iter().position(|done| *done), Some(lines.len() - 1));
    assert_eq!(having(lines, "/done_reason"), [lines.len() - 1]);
}

/// Asks in the words of a row; `more` are members beside those of its body.
fn ask(stand: &Stand, row: &Row, stream: bool, more: &str) -> Answer {
    let mut body: Value = serde_json::from_str(&row.body.replace("TOOLS", TOOLS)).unwrap();
    let more: Value = serde_json::from_str(more).unwrap();
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let headers = headers_for(dialect(row.dialect).unwrap());
    let path = row.paths[usize::from(stream)];
    let answer = stand.send(&request("POST", path, &headers, body.to_string().as_bytes()));
    assert_eq!(answer.status, 200, "{}: {}", row.dialect, answer.text());
    answer
}

#[test]
fn a_whole_answer_says_all_that_a_client_may_ask_of_it() {
    let stand = Served::file("t.yaml", SUITE).start();
    for row in ROWS {
        let answer = ask(&stand, row, false, row.asks.0);
        assert_eq!(answer.header("content-type"), Some(dialect(row.dialect).unwrap().content_type));
        let body = answer.json();
        for place in row.whole {
            assert_eq!(having(std::slice::from_ref(&body), place), [0], "{}: {place} in {body}", row.dialect);
        }
    }
}

#[test]
fn a_stream_holds_every_point_of_the_safe_wire_in_every_dialect() {
    let stand = Served::file("t.yaml", SUITE).start();
    for row in ROWS {
        for asks in row.asks.1 {
            // The row in the message of whichever point fails.
            println!("{} {asks}", row.dialect);
            let answer = ask(&stand, row, true, asks);
            assert_eq!(answer.header("content-type"), Some(dialect(row.dialect).unwrap().stream_type));
            let documents = (row.documents)(&answer);
            assert!(documents.len() > 3, "{}", answer.text());
            for place in row.same {
                let values: BTreeSet<_> =
                    documents.iter().map(|document| document.pointer(place).unwrap().to_string()).collect();
                assert!(values.len() == 1 && !values.contains("null"), "{place}: {values:?}");
            }
            (row.placed)(&documents);
            row.role.into_iter().chain(row.calls).for_each(|holds| holds(&documents));
            (row.finish)(&documents);
            (row.usage)(&documents, asks.contains("include_usage"));
            (row.last)(&answer.text());
        }
    }
}

#[test]
#[should_panic(expected = "/type stands in the first delta of a call alone")]
fn a_call_without_its_type_is_noticed() {
    let delta = |index: u64, first: bool| {
        let call = if first {
            json!({"index": index, "id": "c", "function": {"name": "f"}})
        } else {
            json!({"index": index})
        };
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    };
    let holds = ROWS[0].calls.unwrap();
    holds(&[delta(0, true), delta(0, false), delta(1, true), delta(1, false)]);
}
