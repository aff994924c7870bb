//! What the anthropic-messages dialect sends: whole replies, streams, errors, models.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

mod any;

use any::any_reply;
use proptest::prelude::*;
use rehearsal_wire::dialect::{Dialect, ErrorBody, ModelEntry, Origin, dialect};
use rehearsal_wire::json::parse;
use rehearsal_wire::reject::Reject;
use rehearsal_wire::reply::{Envelope, IssuedCall, Reply, Usage};
use rehearsal_wire::sse::SseReader;
use serde_json::{Map, Value, json};

fn messages() -> &'static Dialect {
    dialect("anthropic-messages").unwrap()
}

fn envelope() -> Envelope {
    let id = "msg_gate_p_s0_0123456789ab".to_owned();
    Envelope { include_usage: true, ..Envelope::plain(id, 1_754_000_000, "\"claude-x\"".to_owned()) }
}

/// For a request with this `thinking`.
fn thinking(wanted: &str) -> Envelope {
    Envelope { echoed: vec![("thinking", wanted.to_owned())], ..envelope() }
}

fn call(k: usize, arguments: &str) -> IssuedCall {
    IssuedCall {
        id: format!("call_gate_p_s0_{k}"),
        name: "get_weather".to_owned(),
        arguments: arguments.to_owned(),
    }
}

/// Thinks, speaks and calls.
fn all() -> Reply {
    Reply {
        thinking: Some("Hm.".to_owned()),
        text: Some("Look: é".to_owned()),
        calls: vec![call(0, r#"{"city": "Rom"}"#), call(1, "{}")],
        usage: Usage { prompt: 7, completion: 9 },
        ..Reply::default()
    }
}

fn render(reply: &Reply, envelope: &Envelope) -> String {
    String::from_utf8((messages().render)(reply, envelope)).unwrap()
}

fn rendered(reply: &Reply, envelope: &Envelope) -> Value {
    serde_json::from_str(&render(reply, envelope)).unwrap()
}

/// The events; also holds that each frame is one event whose data names its type.
fn stream(reply: &Reply, envelope: &Envelope) -> Vec<Value> {
    let mut reader = SseReader::new(1 << 20);
    let read = |frame: &[u8]| {
        reader.feed(frame).unwrap();
        let event = reader.next_event().expect("a frame is a whole event");
        assert!(reader.next_event().is_none() && !reader.is_mid_event());
        let data: Value = serde_json::from_str(&event.data).unwrap();
        assert_eq!(data["type"], event.kind, "{}", event.data);
        data
    };
    (messages().stream)(reply, envelope).iter().map(read).collect()
}

#[test]
fn a_whole_message_is_written_as_the_api_writes_it() {
    assert_eq!(
        render(&all(), &thinking(r#"{"type":"enabled","budget_tokens":1024}"#)),
        concat!(
            r#"{"model":"claude-x","id":"msg_gate_p_s0_0123456789ab","type":"message","role":"assistant","content":["#,
            r#"{"type":"thinking","thinking":"Hm.","signature":"gate-thinking-496e6e19cdb3904042a9945b9b2e4f90"},"#,
            r#"{"type":"text","text":"Look: é"},"#,
            r#"{"type":"tool_use","id":"call_gate_p_s0_0","name":"get_weather","input":{"city": "Rom"}},"#,
            r#"{"type":"tool_use","id":"call_gate_p_s0_1","name":"get_weather","input":{}}],"#,
            r#""stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"#,
            r#""usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"#,
            r#""cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"#,
            r#""output_tokens":9,"service_tier":"standard"}}"#
        )
    );
}

#[test]
fn a_streamed_message_has_the_events_of_the_api_in_their_order() {
    let frames = (messages().stream)(&all(), &thinking(r#"{"type":"adaptive"}"#));
    let text = String::from_utf8(frames.bytes().to_vec()).unwrap();
    let (start, rest) = text.split_once("\n\n").unwrap();
    assert!(
        start.starts_with("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":")
    );
    assert!(start.contains(r#""content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":7,"#));
    let delta = |index, delta: &str| {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{delta}}}\n\n"
        )
    };
    let begin = |index, block: &str| {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{block}}}\n\n"
        )
    };
    let end = |index| {
        format!("event: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":{index}}}\n\n")
    };
    let wanted = [
        begin(0, r#"{"type":"thinking","thinking":"","signature":""}"#),
        "event: ping\ndata: {\"type\":\"ping\"}\n\n".to_owned(),
        delta(0, r#"{"type":"thinking_delta","thinking":"Hm."}"#),
        delta(0, r#"{"type":"signature_delta","signature":"gate-thinking-496e6e19cdb3904042a9945b9b2e4f90"}"#),
        end(0),
        begin(1, r#"{"type":"text","text":""}"#),
        delta(1, r#"{"type":"text_delta","text":"Look"}"#),
        delta(1, r#"{"type":"text_delta","text":": é"}"#),
        end(1),
        begin(2, r#"{"type":"tool_use","id":"call_gate_p_s0_0","name":"get_weather","input":{}}"#),
        delta(2, r#"{"type":"input_json_delta","partial_json":""}"#),
        delta(2, r#"{"type":"input_json_delta","partial_json":"{\"ci"}"#),
        delta(2, r#"{"type":"input_json_delta","partial_json":"ty\":"}"#),
        delta(2, r#"{"type":"input_json_delta","partial_json":" \"Ro"}"#),
        delta(2, r#"{"type":"input_json_delta","partial_json":"m\"}"}"#),
        end(2),
        begin(3, r#"{"type":"tool_use","id":"call_gate_p_s0_1","name":"get_weather","input":{}}"#),
        delta(3, r#"{"type":"input_json_delta","partial_json":""}"#),
        delta(3, r#"{"type":"input_json_delta","partial_json":"{}"}"#),
        end(3),
        concat!(
            "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",",
            "\"stop_sequence\":null,\"stop_details\":null},\"usage\":{\"input_tokens\":7,",
            "\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":9}}\n\n"
        )
        .to_owned(),
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n".to_owned(),
    ];
    assert_eq!(rest, wanted.concat());
}

#[test]
fn stop_reasons_are_those_of_the_api() {
    let reason = |finish: Option<&str>, refusal: Option<&str>, calls: usize| {
        let reply = Reply {
            finish: finish.map(str::to_owned),
            refusal: refusal.map(str::to_owned),
            calls: (0..calls).map(|k| call(k, "{}")).collect(),
            ..Reply::default()
        };
        let whole = rendered(&reply, &envelope())["stop_reason"].clone();
        let streamed = stream(&reply, &envelope());
        assert_eq!(streamed[streamed.len() - 2]["delta"]["stop_reason"], whole);
        whole
    };
    for (finish, refusal, calls, wanted) in [
        (None, None, 0, "end_turn"),
        (None, None, 1, "tool_use"),
        (None, Some("no"), 0, "refusal"),
        (Some("stop"), None, 0, "end_turn"),
        (Some("length"), None, 1, "max_tokens"),
        (Some("tool_calls"), None, 1, "tool_use"),
        (Some("content_filter"), None, 0, "refusal"),
        (Some("pause_turn"), None, 0, "pause_turn"),
    ] {
        assert_eq!(reason(finish, refusal, calls), wanted, "{finish:?} {refusal:?} {calls}");
    }
}

#[test]
fn a_refusal_is_told_in_the_details() {
    let reply = Reply { refusal: Some("I will not.".to_owned()), ..Reply::default() };
    let details = json!({"type": "refusal", "category": null, "explanation": "I will not."});
    let whole = rendered(&reply, &envelope());
    assert_eq!((&whole["stop_details"], &whole["content"]), (&details, &json!([])));
    let events = stream(&reply, &envelope());
    let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["message_start", "ping", "message_delta", "message_stop"]);
    assert_eq!(events[2]["delta"]["stop_details"], details);
}

#[test]
fn thoughts_are_shown_hidden_or_kept_as_the_request_wants() {
    let thought = |envelope: &Envelope| {
        let first = rendered(&all(), envelope)["content"][0].clone();
        (first["type"] == "thinking").then(|| first["thinking"].as_str().unwrap().to_owned())
    };
    for (wanted, shown) in [
        (r#"{"type":"enabled","budget_tokens":1024}"#, Some("Hm.")),
        (r#"{"type":"adaptive"}"#, Some("Hm.")),
        (r#"{"type":"adaptive","display":"summarized"}"#, Some("Hm.")),
        (r#"{"type":"enabled","budget_tokens":1024,"display":"omitted"}"#, Some("")),
        (r#"{"type":"disabled"}"#, None),
        ("null", None),
        ("\"enabled\"", None),
    ] {
        assert_eq!(thought(&thinking(wanted)).as_deref(), shown, "{wanted}");
    }
    assert_eq!(thought(&envelope()), None);
}

#[test]
fn arguments_that_a_script_broke_are_streamed_broken_and_left_out_of_a_whole_message() {
    let reply = Reply { calls: vec![call(0, r#"{"city": "Ro"#)], ..Reply::default() };
    assert_eq!(rendered(&reply, &envelope())["content"][0]["input"], json!({}));
    let list = Reply { calls: vec![call(0, "[1]")], ..Reply::default() };
    assert_eq!(
        rendered(&list, &envelope())["content"][0]["input"],
        json!({}),
        "the API takes nothing but objects back"
    );
    let pieces: String = stream(&reply, &envelope())
        .iter()
        .filter_map(|event| event["delta"]["partial_json"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(pieces, r#"{"city": "Ro"#);
}

#[test]
fn errors_have_the_type_that_belongs_to_their_status() {
    let error = |status, kind, code, id| {
        let body = ErrorBody {
            status,
            message: "no \"é\"",
            kind,
            param: Some("p"),
            code,
            request_id: id,
            retry_after: None,
        };
        String::from_utf8((messages().error)(&body)).unwrap()
    };
    assert_eq!(
        error(400, Some("invalid_request_error"), None, Some("req_1")),
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"no \"é\""},"request_id":"req_1"}"#
    );
    assert_eq!(
        error(404, None, Some("gone"), None),
        r#"{"type":"error","error":{"type":"not_found_error","message":"no \"é\"","details":{"error_code":"gone"}}}"#
    );
    for (status, kind, wanted) in [
        (400, None, "invalid_request_error"),
        (401, Some("invalid_request_error"), "authentication_error"),
        (402, None, "billing_error"),
        (403, None, "permission_error"),
        (409, None, "conflict_error"),
        (413, None, "request_too_large"),
        (415, None, "invalid_request_error"),
        (422, None, "invalid_request_error"),
        (429, Some("rate_limit_exceeded"), "rate_limit_error"),
        (500, Some("server_error"), "api_error"),
        (503, None, "api_error"),
        (504, None, "timeout_error"),
        (529, None, "overloaded_error"),
        (500, Some("overloaded_error"), "overloaded_error"),
    ] {
        let told: Value = serde_json::from_str(&error(status, kind, None, None)).unwrap();
        assert_eq!(told["error"]["type"], wanted, "{status} {kind:?}");
    }
    let reject = Reject::of_no_place("r", 400, Some("gate_pairing"), "m");
    let told: Value = serde_json::from_slice(&(messages().error)(&ErrorBody::from(&reject))).unwrap();
    assert_eq!(told["error"]["details"]["error_code"], "gate_pairing");
}

#[test]
fn models_are_listed_as_the_api_does() {
    let one = ModelEntry { id: "claude-x", created: 1_767_225_600, owned_by: "o" };
    let single = String::from_utf8((messages().model)(&one)).unwrap();
    assert_eq!(
        single,
        r#"{"type":"model","id":"claude-x","display_name":"claude-x","created_at":"2026-01-01T00:00:00Z","lifecycle":"active","max_input_tokens":200000,"max_tokens":64000}"#
    );
    assert_eq!(
        String::from_utf8((messages().models)(&[one, one])).unwrap(),
        format!(
            r#"{{"data":[{single},{single}],"has_more":false,"first_id":"claude-x","last_id":"claude-x"}}"#
        )
    );
    assert_eq!(
        String::from_utf8((messages().models)(&[])).unwrap(),
        r#"{"data":[],"has_more":false,"first_id":null,"last_id":null}"#
    );
}

#[test]
fn ids_say_where_a_reply_comes_from() {
    let id = |step| (messages().id)(&Origin { step, bits: 0x0123_4567_89ab_cdef, kept: false });
    assert_eq!(id(Some(("p_x", 3))), "msg_gate_p_x_s3_0123456789ab");
    assert_eq!(id(None), "msg_gate_0123456789abcdef");
}

/// What the deltas of a stream say when a client joins them, in the form of a whole message's content.
fn joined(events: &[Value]) -> Value {
    let (mut blocks, mut inputs) = (Vec::<Map<String, Value>>::new(), Vec::<String>::new());
    for event in events {
        let at = usize::try_from(event["index"].as_u64().unwrap_or_default()).unwrap();
        match event["type"].as_str().unwrap() {
            "content_block_start" => {
                assert_eq!(at, blocks.len(), "blocks are numbered in their order");
                blocks.push(event["content_block"].as_object().unwrap().clone());
                inputs.push(String::new());
            }
            "content_block_delta" => {
                let delta = &event["delta"];
                let mut add = |key: &str| {
                    let text =
                        format!("{}{}", blocks[at][key].as_str().unwrap(), delta[key].as_str().unwrap());
                    blocks[at].insert(key.to_owned(), json!(text));
                };
                match delta["type"].as_str().unwrap() {
                    "text_delta" => add("text"),
                    "thinking_delta" => add("thinking"),
                    "signature_delta" => add("signature"),
                    "input_json_delta" => inputs[at].push_str(delta["partial_json"].as_str().unwrap()),
                    other => panic!("{other}"),
                }
            }
            _ => {}
        }
    }
    for (block, input) in blocks.iter_mut().zip(inputs) {
        if block["type"] == "tool_use" {
            let value = serde_json::from_str(&input).ok().filter(Value::is_object).unwrap_or(json!({}));
            block.insert("input".to_owned(), value);
        }
    }
    json!(blocks)
}

proptest! {
    #[test]
    fn any_reply_is_json_and_its_stream_says_the_same(reply in any_reply(), piece in 0_usize..9, thinks: bool) {
        let wanted = if thinks { r#"{"type":"adaptive"}"# } else { "null" };
        let envelope = Envelope { piece, ..thinking(wanted) };
        let whole = rendered(&reply, &envelope);
        let events = stream(&reply, &envelope);
        prop_assert_eq!(&joined(&events), &whole["content"]);
        let end = &events[events.len() - 2];
        prop_assert_eq!(&end["delta"]["stop_reason"], &whole["stop_reason"]);
        prop_assert_eq!(&end["delta"]["stop_details"], &whole["stop_details"]);
        prop_assert_eq!(&end["usage"]["output_tokens"], &whole["usage"]["output_tokens"]);
        let text = reply.text.unwrap_or_default();
        let said: String = whole["content"].as_array().unwrap().iter()
            .filter_map(|block| block["text"].as_str()).collect();
        prop_assert_eq!(said, text);
    }

    #[test]
    fn any_json_is_read(text in "[\\[\\]{}:,\"a-z0-9 ]{0,80}") {
        if let Ok(tape) = parse(text.as_bytes()) {
            (messages().read)(&tape);
        }
    }
}
