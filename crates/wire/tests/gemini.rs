//! What the google-gemini dialect sends and reads: whole replies, streams in both framings, errors, models, turns.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

mod any;

use any::any_reply;
use proptest::prelude::*;
use rehearsal_wire::dialect::{Dialect, ErrorBody, ModelEntry, dialect};
use rehearsal_wire::fault::Event;
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::{Envelope, Framing, IssuedCall, Reply, Usage};
use rehearsal_wire::sse::SseReader;
use rehearsal_wire::turn::Spot;
use serde_json::{Value, json};

fn gemini() -> &'static Dialect {
    dialect("google-gemini").unwrap()
}

fn envelope() -> Envelope {
    Envelope::plain("gate-0123456789abcdef".to_owned(), 1_754_000_000, "\"gemini-x\"".to_owned())
}

/// For a request that wants to see thoughts.
fn shown() -> Envelope {
    let setting = r#"{"thinking_config":{"includeThoughts":true}}"#.to_owned();
    Envelope { echoed: vec![("generationConfig", setting)], ..envelope() }
}

fn call(k: usize, arguments: &str) -> IssuedCall {
    let (id, name) = (format!("call_gate_p_s0_{k}"), "get_weather".to_owned());
    IssuedCall { id, name, arguments: arguments.to_owned() }
}

/// Thinks, speaks and calls.
fn all() -> Reply {
    Reply {
        thinking: Some("Hm.".to_owned()),
        text: Some("Look: é".to_owned()),
        calls: vec![call(0, "{\"city\":\n\"Rom\"}"), call(1, "{}")],
        usage: Usage { prompt: 7, completion: 9 },
        ..Reply::default()
    }
}

fn render(reply: &Reply, envelope: &Envelope) -> String {
    String::from_utf8((gemini().render)(reply, envelope)).unwrap()
}

fn rendered(reply: &Reply, envelope: &Envelope) -> Value {
    serde_json::from_str(&render(reply, envelope)).unwrap()
}

/// The responses of a stream; also holds that each frame is one event, and that the array says the same.
fn stream(reply: &Reply, envelope: &Envelope) -> Vec<Value> {
    let mut reader = SseReader::new(1 << 20);
    let read = |frame: &[u8]| -> Value {
        assert!(frame.ends_with(b"\r\n\r\n"));
        reader.feed(frame).unwrap();
        let event = reader.next_event().expect("a frame is a whole event");
        assert!(reader.next_event().is_none() && !reader.is_mid_event() && event.kind == "message");
        serde_json::from_str(&event.data).unwrap()
    };
    let events: Vec<_> = (gemini().stream)(reply, envelope).iter().map(read).collect();
    let array = (gemini().stream)(reply, &Envelope { framing: Framing::Array, ..envelope.clone() });
    assert_eq!(array.len(), events.len());
    assert_eq!(serde_json::from_slice::<Value>(array.bytes()).unwrap(), json!(events));
    events
}

/// All parts of a stream, with the texts that follow each other as one.
fn joined(events: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for part in
        events.iter().filter_map(|event| event["candidates"][0]["content"]["parts"].as_array()).flatten()
    {
        let last = all.last_mut().filter(|last| last["thought"] == part["thought"]);
        match (last, part["text"].as_str()) {
            (Some(last), Some(text)) if last["text"].is_string() => {
                last["text"] = json!(format!("{}{text}", last["text"].as_str().unwrap()));
                if let Some(seal) = part.get("thoughtSignature") {
                    last["thoughtSignature"] = seal.clone();
                }
            }
            _ => all.push(part.clone()),
        }
    }
    all
}

const USAGE: &str = concat!(
    r#""usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":9,"totalTokenCount":16,"#,
    r#""promptTokensDetails":[{"modality":"TEXT","tokenCount":7}]},"#,
    r#""modelVersion":"gemini-x","responseId":"gate-0123456789abcdef"}"#
);

const CALLS: &str = concat!(
    r#"{"functionCall":{"id":"call_gate_p_s0_0","name":"get_weather","args":{"city": "Rom"}},"#,
    r#""thoughtSignature":"Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9wX3MwXzA="},"#,
    r#"{"functionCall":{"id":"call_gate_p_s0_1","name":"get_weather","args":{}}}"#
);

#[test]
fn a_whole_reply_is_written_as_the_api_writes_it() {
    assert_eq!(
        render(&all(), &shown()),
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"Hm.","thought":true}},{{"text":"Look: é"}},{CALLS}],"role":"model"}},"finishReason":"STOP","index":0}}],{USAGE}"#
        )
    );
}

#[test]
fn a_streamed_reply_is_a_response_for_each_piece_and_one_for_all_calls() {
    let frames = (gemini().stream)(&all(), &shown());
    let frame = |parts: &str, end: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{parts}],\"role\":\"model\"}},{end}\"index\":0}}],{USAGE}\r\n\r\n"
        )
    };
    let wanted = [
        frame(r#"{"text":"Hm.","thought":true}"#, ""),
        frame(r#"{"text":"Look"}"#, ""),
        frame(r#"{"text":": é"}"#, ""),
        frame(CALLS, "\"finishReason\":\"STOP\","),
    ];
    assert_eq!(String::from_utf8(frames.bytes().to_vec()).unwrap(), wanted.concat());
}

#[test]
fn faults_find_the_documents_of_a_stream_whose_lines_end_with_cr_lf() {
    for frame in (gemini().stream)(&all(), &shown()).iter() {
        let event = Event::read(frame);
        assert_eq!((event.before.as_str(), event.after.as_str()), ("data: ", "\r\n\r\n"));
        assert_eq!(event.bytes(), frame);
    }
}

#[test]
fn thoughts_are_shown_to_who_asks_and_a_reply_without_calls_is_signed_at_its_end() {
    let reply = Reply { thinking: Some("Hm.".to_owned()), text: Some("Yes".to_owned()), ..Reply::default() };
    let seal = "Z2F0ZS10aG91Z2h0OkhtLg==";
    let said = json!({"text": "Yes", "thoughtSignature": seal});
    assert_eq!(rendered(&reply, &envelope())["candidates"][0]["content"]["parts"], json!([said]));
    let last = stream(&reply, &shown()).pop().unwrap();
    let part = json!({"text": "", "thoughtSignature": seal});
    assert_eq!(last["candidates"][0]["content"]["parts"], json!([part]));
}

#[test]
fn finish_reasons_are_those_of_the_api() {
    for (finish, refusal, wanted) in [
        (None, None, "STOP"),
        (None, Some("no"), "SAFETY"),
        (Some("stop"), None, "STOP"),
        (Some("tool_calls"), None, "STOP"),
        (Some("function_call"), None, "STOP"),
        (Some("length"), None, "MAX_TOKENS"),
        (Some("content_filter"), None, "SAFETY"),
        (Some("RECITATION"), None, "RECITATION"),
    ] {
        let reply = Reply {
            finish: finish.map(str::to_owned),
            refusal: refusal.map(str::to_owned),
            ..Reply::default()
        };
        let whole = rendered(&reply, &envelope());
        assert_eq!(whole["candidates"][0]["finishReason"], wanted, "{finish:?} {refusal:?}");
        assert_eq!(whole["candidates"][0]["finishMessage"].as_str(), refusal);
        assert_eq!(whole["candidates"][0]["content"].is_null(), refusal.is_some());
        assert_eq!(stream(&reply, &envelope()), [whole], "one response says all");
    }
}

#[test]
fn each_candidate_that_is_asked_for_says_the_same() {
    let whole = rendered(&all(), &Envelope { choices: 3, ..envelope() });
    let candidates = whole["candidates"].as_array().unwrap();
    let numbers: Vec<_> = candidates.iter().map(|candidate| candidate["index"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2]);
    assert!(candidates.iter().all(|candidate| candidate["content"] == candidates[0]["content"]));
}

#[test]
fn errors_have_the_status_word_that_belongs_to_their_status() {
    let plain = ErrorBody {
        status: 400,
        message: "no \"é\"",
        kind: None,
        param: None,
        code: None,
        request_id: Some("r"),
        retry_after: None,
    };
    let error = |body: &ErrorBody<'_>| String::from_utf8((gemini().error)(body)).unwrap();
    assert_eq!(error(&plain), r#"{"error":{"code":400,"message":"no \"é\"","status":"INVALID_ARGUMENT"}}"#);
    let all = ErrorBody {
        status: 429,
        code: Some("gate_pairing"),
        param: Some("contents[0]"),
        retry_after: Some("20"),
        ..plain
    };
    assert_eq!(
        error(&all),
        concat!(
            r#"{"error":{"code":429,"message":"no \"é\"","status":"RESOURCE_EXHAUSTED","details":["#,
            r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"gate_pairing","domain":"rehearsal"},"#,
            r#"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"contents[0]","description":"no \"é\""}]},"#,
            r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"20s"}]}}"#
        )
    );
    let dated = ErrorBody { retry_after: Some("Wed, 21 Oct 2026 07:28:00 GMT"), ..plain };
    assert_eq!(error(&dated), error(&plain), "a wait is told in seconds or not at all");
    for (status, kind, wanted) in [
        (400, Some("FAILED_PRECONDITION"), "FAILED_PRECONDITION"),
        (400, Some("invalid_request_error"), "INVALID_ARGUMENT"),
        (401, None, "UNAUTHENTICATED"),
        (403, None, "PERMISSION_DENIED"),
        (404, None, "NOT_FOUND"),
        (409, None, "ABORTED"),
        (413, None, "INVALID_ARGUMENT"),
        (499, None, "CANCELLED"),
        (500, Some("server_error"), "INTERNAL"),
        (501, None, "UNIMPLEMENTED"),
        (503, None, "UNAVAILABLE"),
        (504, None, "DEADLINE_EXCEEDED"),
        (529, None, "UNAVAILABLE"),
    ] {
        let told: Value = serde_json::from_str(&error(&ErrorBody { status, kind, ..plain })).unwrap();
        assert_eq!((&told["error"]["status"], &told["error"]["code"]), (&json!(wanted), &json!(status)));
    }
}

#[test]
fn models_are_listed_as_the_api_does() {
    let entry = ModelEntry { id: "gemini-x", created: 0, owned_by: "o" };
    let one: Value = serde_json::from_slice(&(gemini().model)(&entry)).unwrap();
    assert_eq!((&one["name"], &one["displayName"]), (&json!("models/gemini-x"), &json!("gemini-x")));
    let list: Value = serde_json::from_slice(&(gemini().models)(&[entry, entry])).unwrap();
    assert_eq!(list, json!({"models": [one, one]}));
    assert_eq!((gemini().models)(&[]), b"{\"models\":[]}");
}

/// A history in one line: `u` says something, `m` calls, `t` answers; `name` or `name#id`, signed where it ends in `!`.
fn history(line: &[(&str, &[&str])]) -> Value {
    let part = |role: &str, word: &str| {
        let signed = word.ends_with('!');
        let (name, id) =
            word.trim_end_matches('!').split_once('#').unwrap_or((word.trim_end_matches('!'), ""));
        let mut made = if role == "m" {
            json!({"name": name, "args": {}})
        } else {
            json!({"name": name, "response": {}})
        };
        if !id.is_empty() {
            made["id"] = json!(id);
        }
        let mut part = match role {
            "m" => json!({ "functionCall": made }),
            "t" => json!({ "functionResponse": made }),
            _ => json!({ "text": name }),
        };
        if signed {
            part["thoughtSignature"] = json!("Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9wX3MwXzA");
        }
        part
    };
    let content = |(role, words): &(&str, &[&str])| {
        let parts: Vec<_> = words.iter().map(|word| part(role, word)).collect();
        json!({"role": if *role == "m" { "model" } else { "user" }, "parts": parts})
    };
    json!({ "contents": line.iter().map(content).collect::<Vec<_>>() })
}

#[test]
fn a_response_answers_the_call_that_its_id_or_else_its_function_says() {
    type Line = &'static [(&'static str, &'static [&'static str])];
    let rows: &[(Line, &[&str], &[&str])] = &[
        (&[("m", &["f#a", "f#b"]), ("t", &["f#b", "f#a"])], &["a", "b"], &["b", "a"]),
        (&[("m", &["f#a", "g#b"]), ("t", &["g", "f"])], &["a", "b"], &["b", "a"]),
        (&[("m", &["f#a", "f#b"]), ("t", &["f", "f", "f"])], &["a", "b"], &["a", "b", "b"]),
        (&[("m", &["f#a"]), ("t", &["f#c"])], &["a"], &["c"]),
        (&[("m", &["f"]), ("t", &["f#c"])], &["f (contents[0].parts[0])"], &["f (contents[0].parts[0])"]),
        (
            &[("m", &["f!", "f"]), ("t", &["f"]), ("t", &["f"])],
            &["call_gate_p_s0_0", "call_gate_p_s0_1"],
            &["call_gate_p_s0_0", "call_gate_p_s0_1"],
        ),
        (&[("m", &["f#x!"]), ("t", &["f#x"])], &["call_gate_p_s0_0"], &["call_gate_p_s0_0"]),
        (
            &[("m", &["f!"]), ("m", &["g"]), ("t", &["g", "f"])],
            &["call_gate_p_s0_0", "call_gate_p_s0_1"],
            &["call_gate_p_s0_1", "call_gate_p_s0_0"],
        ),
        (&[("t", &["f"])], &[], &["f"]),
    ];
    for (line, calls, answers) in rows {
        let text = history(line).to_string();
        let tape = parse(text.as_bytes()).unwrap();
        let turn = (gemini().read)(&tape);
        let made: Vec<_> =
            turn.messages.iter().flat_map(|message| &message.calls).map(|call| &*call.id).collect();
        let given: Vec<_> =
            turn.messages.iter().flat_map(|message| &message.answers).map(|id| &**id).collect();
        assert_eq!((made, given), (calls.to_vec(), answers.to_vec()), "{text}");
        assert!(turn.assistants() <= 1, "contents of the model that follow each other are one turn");
    }
}

#[test]
fn the_parts_of_a_conversation_are_found_where_they_stand() {
    for key in ["functionCall", "function_call"] {
        let line = history(&[("u", &["hi"]), ("m", &["f#a"]), ("m", &["g#b"])]);
        let text = line.to_string().replace("functionCall", key);
        let tape = parse(text.as_bytes()).unwrap();
        let turn = (gemini().read)(&tape);
        let message = &turn.messages[1];
        let name = |call: usize| {
            let place = (turn.point)(Spot::CallName(message.index, message.calls[call].index));
            tape.root().at(&place).unwrap().as_str().unwrap().into_owned()
        };
        assert_eq!((name(0), name(1)), ("f".to_owned(), "g".to_owned()));
        let place = (turn.point)(Spot::CallArguments(message.index, message.calls[1].index));
        assert_eq!(place, format!("/contents/2/parts/0/{key}/args"));
    }
}

/// JSON of any shape that speaks in this dialect's words.
fn anything() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "contents",
        "parts",
        "role",
        "model",
        "user",
        "text",
        "functionCall",
        "function_call",
        "functionResponse",
        "name",
        "id",
        "args",
        "thoughtSignature",
        "Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9wX3MwXzA",
        "systemInstruction",
        "tools",
        "function_declarations",
        "generationConfig",
        "call_gate_p_s0_0",
        "_",
        "é",
        "thought",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        word.clone().prop_map(Value::from)
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        let entries = prop::collection::vec((word.clone(), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            entries.prop_map(|entries| entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_reply_is_json_and_its_stream_says_the_same(reply in any_reply(), piece in 0_usize..9, thinks: bool) {
        let envelope = Envelope { piece, ..if thinks { shown() } else { envelope() } };
        let whole = rendered(&reply, &envelope);
        let events = stream(&reply, &envelope);
        let candidate = &whole["candidates"][0];
        let says = |part: &Value| part["text"] != "" || part.get("thoughtSignature").is_some();
        let parts: Vec<_> = joined(&events).into_iter().filter(says).collect();
        let held = || candidate["content"]["parts"].as_array().into_iter().flatten();
        let said: Vec<_> = held().filter(|part| says(part)).cloned().collect();
        prop_assert_eq!(&parts, &said);
        let (last, before) = events.split_last().unwrap();
        for key in ["finishReason", "finishMessage"] {
            prop_assert_eq!(&last["candidates"][0][key], &candidate[key]);
        }
        prop_assert!(before.iter().all(|event| event["candidates"][0]["finishReason"].is_null()));
        prop_assert_eq!(&last["usageMetadata"], &whole["usageMetadata"]);
        let calls = said.iter().filter(|part| part["functionCall"].is_object());
        prop_assert_eq!(calls.count(), reply.calls.len());
    }

    #[test]
    fn a_body_of_any_shape_is_read(body in anything()) {
        let text = body.to_string();
        let tape = parse(text.as_bytes()).unwrap();
        let turn = (gemini().read)(&tape);
        for message in &turn.messages {
            for call in &message.calls {
                prop_assert!(parse(call.arguments.as_bytes()).is_ok());
                prop_assert!(!call.id.is_empty());
            }
        }
    }
}
