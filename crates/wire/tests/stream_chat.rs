//! What the openai-chat dialect sends: whole replies, streams, errors, models.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

use proptest::prelude::*;
use rehearsal_wire::dialect::{DIALECTS, Dialect, ErrorBody, ModelEntry, dialect};
use rehearsal_wire::json::{Value, parse};
use rehearsal_wire::reject::Reject;
use rehearsal_wire::reply::{Envelope, IssuedCall, Reply, Usage};
use rehearsal_wire::sse::SseReader;

fn chat() -> &'static Dialect {
    dialect("openai-chat").unwrap()
}

fn envelope() -> Envelope {
    Envelope::plain("chatcmpl-gate-0123456789ab".to_owned(), 1_754_000_000, "\"gpt-4o\"".to_owned())
}

fn says(text: &str) -> Reply {
    Reply { text: Some(text.to_owned()), usage: Usage { prompt: 100, completion: 100 }, ..Reply::default() }
}

fn calls(names: &[&str]) -> Reply {
    let call = |(k, name): (usize, &&str)| IssuedCall {
        id: format!("call_gate_p_s0_{k}"),
        name: (*name).to_owned(),
        arguments: format!(r#"{{"n": {k}, "é": "\"😀\""}}"#),
    };
    Reply { calls: names.iter().enumerate().map(call).collect(), ..Reply::default() }
}

fn render(reply: &Reply, envelope: &Envelope) -> String {
    String::from_utf8((chat().render)(reply, envelope)).unwrap()
}

/// The data of each event; also holds that each frame is one event.
fn stream(reply: &Reply, envelope: &Envelope) -> Vec<String> {
    let mut reader = SseReader::new(1 << 20);
    let frames = (chat().stream)(reply, envelope);
    frames
        .iter()
        .map(|frame| {
            reader.feed(frame).unwrap();
            let event = reader.next_event().expect("a frame is a whole event");
            assert!(reader.next_event().is_none() && !reader.is_mid_event() && event.kind == "message");
            event.data
        })
        .collect()
}

#[test]
fn renders_a_text_as_the_api_does() {
    assert_eq!(
        render(&says("Hi \"é\"\n"), &envelope()),
        concat!(
            r#"{"id": "chatcmpl-gate-0123456789ab", "object": "chat.completion", "created": 1754000000, "model": "gpt-4o", "#,
            r#""choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi \"é\"\n", "refusal": null}, "#,
            r#""finish_reason": "stop", "logprobs": null}], "#,
            r#""usage": {"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200}, "#,
            r#""system_fingerprint": "fp_rehearsal"}"#
        )
    );
}

#[test]
fn renders_calls_as_the_api_does() {
    let text = render(&calls(&["read", "write"]), &envelope());
    assert!(
        text.contains(concat!(
            r#""message": {"role": "assistant", "content": null, "refusal": null, "tool_calls": ["#,
            r#"{"id": "call_gate_p_s0_0", "type": "function", "function": {"name": "read", "#,
            r#""arguments": "{\"n\": 0, \"é\": \"\\\"😀\\\"\"}"}}, "#,
            r#"{"id": "call_gate_p_s0_1", "type": "function", "function": {"name": "write", "#,
            r#""arguments": "{\"n\": 1, \"é\": \"\\\"😀\\\"\"}"}}]}, "finish_reason": "tool_calls""#
        )),
        "{text}"
    );
}

#[test]
fn speaks_the_legacy_form_for_a_single_call_only() {
    let legacy = Envelope { legacy_functions: true, ..envelope() };
    let one = render(&calls(&["read"]), &legacy);
    assert!(
        one.contains(r#""function_call": {"name": "read", "arguments": "{\"n\": 0"#)
            && !one.contains("tool_calls")
    );
    assert!(one.contains(r#""finish_reason": "function_call""#));
    let two = render(&calls(&["read", "write"]), &legacy);
    assert!(two.contains(r#""finish_reason": "tool_calls""#) && !two.contains("function_call\""));
    let text = render(&says("x"), &legacy);
    assert!(text.contains(r#""finish_reason": "stop""#));
}

#[test]
fn sends_the_finish_reason_that_the_script_sets() {
    for reason in ["length", "content_filter", "odd \"one\""] {
        let reply = Reply { finish: Some(reason.to_owned()), ..calls(&["read"]) };
        let whole = render(&reply, &envelope());
        let tape = parse(whole.as_bytes()).unwrap();
        assert!(tape.root().at("/choices/0/finish_reason").unwrap().is_str(reason));
        let events = stream(&reply, &envelope());
        let last = parse(events[events.len() - 2].as_bytes()).unwrap();
        assert!(last.root().at("/choices/0/finish_reason").unwrap().is_str(reason));
    }
}

#[test]
fn sends_the_model_as_it_was_asked_for() {
    for model in ["\"gpt-4o\"", "\"\\u00e9\"", "null", "5.0", "{\"a\":\n [1,\r\n2]}"] {
        let envelope = Envelope { model: model.to_owned(), ..envelope() };
        assert!(render(&says("x"), &envelope).contains(&format!("\"model\": {model}, ")));
        for event in &stream(&says("x"), &envelope)[..2] {
            let tape = parse(event.as_bytes()).unwrap();
            let plain = model.replace(['\n', '\r'], " ");
            assert_eq!(tape.root().get("model").unwrap().text(), plain);
        }
    }
}

#[test]
fn streams_a_text_as_the_api_does() {
    let head = concat!(
        r#"{"id":"chatcmpl-gate-0123456789ab","object":"chat.completion.chunk","created":1754000000,"#,
        r#""model":"gpt-4o","system_fingerprint":"fp_rehearsal","choices":["#
    );
    let wanted = [
        &format!(
            r#"{head}{{"index":0,"delta":{{"role":"assistant","content":"","refusal":null}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
        ),
        &format!(
            r#"{head}{{"index":0,"delta":{{"content":"Hi é"}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
        ),
        &format!(
            r#"{head}{{"index":0,"delta":{{"content":"😀"}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
        ),
        &format!(
            r#"{head}{{"index":0,"delta":{{}},"logprobs":null,"finish_reason":"stop"}}],"usage":null}}"#
        ),
        &format!(r#"{head}],"usage":{{"prompt_tokens":100,"completion_tokens":100,"total_tokens":200}}}}"#),
        "[DONE]",
    ];
    assert_eq!(stream(&says("Hi é😀"), &Envelope { include_usage: true, ..envelope() }), wanted);
    let without: Vec<String> = wanted
        .iter()
        .filter(|event| !event.contains("total"))
        .map(|event| event.replace(",\"usage\":null", ""))
        .collect();
    assert_eq!(stream(&says("Hi é😀"), &envelope()), without);
}

#[test]
fn streams_calls_with_id_and_name_first_and_an_index_always() {
    let reply = Reply { text: Some("ok".to_owned()), ..calls(&["read", "write"]) };
    let deltas: Vec<String> = stream(&reply, &Envelope { piece: 40, ..envelope() })
        .iter()
        .filter_map(|event| {
            Some(parse(event.as_bytes()).ok()?.root().at("/choices/0/delta")?.text().to_owned())
        })
        .collect();
    assert_eq!(
        deltas,
        [
            r#"{"role":"assistant","content":"","refusal":null}"#,
            r#"{"content":"ok"}"#,
            r#"{"tool_calls":[{"index":0,"id":"call_gate_p_s0_0","type":"function","function":{"name":"read","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\": 0, \"é\": \"\\\"😀\\\"\"}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"call_gate_p_s0_1","type":"function","function":{"name":"write","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"{\"n\": 1, \"é\": \"\\\"😀\\\"\"}"}}]}"#,
            "{}",
        ]
    );
}

#[test]
fn streams_choices_side_by_side() {
    let events = stream(&says("abcdef"), &Envelope { choices: 3, ..envelope() });
    let order: Vec<String> = events
        .iter()
        .filter_map(|event| {
            Some(parse(event.as_bytes()).ok()?.root().at("/choices/0/index")?.text().to_owned())
        })
        .collect();
    assert_eq!(order.concat(), "012".repeat(4), "role, two pieces, finish");
}

#[test]
fn makes_up_log_probabilities_that_agree_between_whole_and_stream() {
    let envelope = Envelope { logprobs: true, ..envelope() };
    let reply = Reply { refusal: Some("no é".to_owned()), ..says("Hello 😀 wor") };
    let whole = render(&reply, &envelope);
    assert_eq!(whole, render(&reply, &envelope));
    let tape = parse(whole.as_bytes()).unwrap();
    for (member, text) in [("content", &reply.text), ("refusal", &reply.refusal)] {
        let tokens = tape.root().at(&format!("/choices/0/logprobs/{member}")).unwrap();
        let bytes: Vec<u8> = tokens
            .items()
            .flat_map(|token| {
                token
                    .get("bytes")
                    .unwrap()
                    .items()
                    .map(|byte| byte.as_i64().unwrap().try_into().unwrap())
                    .collect::<Vec<u8>>()
            })
            .collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), *text.as_ref().unwrap());
        let streamed: Vec<String> = stream(&reply, &envelope)
            .iter()
            .filter_map(|event| {
                let tape = parse(event.as_bytes()).ok()?;
                let token = tape.root().at(&format!("/choices/0/logprobs/{member}/0"))?;
                assert_eq!(
                    tape.root().at(&format!("/choices/0/delta/{member}")).unwrap().text(),
                    token.get("token").unwrap().text()
                );
                Some(token.text().to_owned())
            })
            .collect();
        let compact: Vec<String> =
            tokens.items().map(|token| token.text().replace(", ", ",").replace(": ", ":")).collect();
        assert_eq!(streamed, compact);
        for token in tokens.items() {
            let value: f64 = token.get("logprob").unwrap().as_number().unwrap().parse().unwrap();
            assert!((-2.0..=0.0).contains(&value) && token.get("top_logprobs").unwrap().is_empty());
        }
    }
    let none = render(&calls(&["read"]), &envelope);
    assert!(none.contains(r#""logprobs": {"content": null, "refusal": null}"#));
}

#[test]
fn writes_errors_as_the_api_does() {
    let body = ErrorBody {
        status: 400,
        message: "no \"é\"",
        kind: Some("invalid_request_error"),
        param: None,
        code: Some("x"),
        request_id: None,
        retry_after: None,
    };
    assert_eq!(
        String::from_utf8((chat().error)(&body)).unwrap(),
        r#"{"error": {"message": "no \"é\"", "type": "invalid_request_error", "param": null, "code": "x"}}"#
    );
    let reject = Reject {
        rule: "r",
        status: 400,
        kind: "k",
        code: None,
        param: Some("messages.[3].role".to_owned()),
        pointer: String::new(),
        message: "m".to_owned(),
    };
    assert_eq!(
        String::from_utf8((chat().error)(&ErrorBody::from(&reject))).unwrap(),
        r#"{"error": {"message": "m", "type": "k", "param": "messages.[3].role", "code": null}}"#
    );
}

#[test]
fn lists_models_as_the_api_does() {
    let one = ModelEntry { id: "a", created: 1, owned_by: "o" };
    let (single, list, none) = ((chat().model)(&one), (chat().models)(&[one, one]), (chat().models)(&[]));
    let single = String::from_utf8(single).unwrap();
    assert_eq!(single, r#"{"id": "a", "object": "model", "created": 1, "owned_by": "o"}"#);
    assert_eq!(
        String::from_utf8(list).unwrap(),
        format!(r#"{{"object": "list", "data": [{single}, {single}]}}"#)
    );
    assert_eq!(none, br#"{"object": "list", "data": []}"#);
}

#[test]
fn every_dialect_has_a_full_row() {
    for row in DIALECTS {
        assert!(
            !row.summary.is_empty() && row.routes.iter().all(|route| route.path.starts_with('/')),
            "{}",
            row.name
        );
        assert_eq!(dialect(row.name).map(|found| found.name), Some(row.name));
    }
    assert!(dialect("none").is_none());
}

fn replies() -> impl Strategy<Value = Reply> {
    let words = || prop::option::of("[a-z\"\\\\\n é😀]{0,20}");
    let call = ("[a-z_]{1,9}", "[a-z]{1,9}", "[a-z\"\\\\\n é😀{}]{0,20}")
        .prop_map(|(id, name, arguments)| IssuedCall { id, name, arguments });
    (words(), words(), prop::collection::vec(call, 0..4), any::<u64>(), any::<u64>()).prop_map(
        |(text, refusal, calls, prompt, completion)| Reply {
            thinking: None,
            text,
            refusal,
            calls,
            finish: None,
            usage: Usage { prompt, completion },
        },
    )
}

fn text_of(value: Option<Value<'_>>) -> Option<String> {
    value.and_then(Value::as_str).map(std::borrow::Cow::into_owned)
}

/// What a client makes of the deltas of one choice.
fn joined(events: &[String], index: &str) -> (Reply, Option<String>) {
    let (mut reply, mut finish) = (Reply::default(), None);
    for event in events.iter().filter(|event| *event != "[DONE]") {
        let tape = parse(event.as_bytes()).unwrap();
        let Some(choice) = tape.root().at("/choices/0") else { continue };
        if choice.get("index").unwrap().text() != index {
            continue;
        }
        let delta = choice.get("delta").unwrap();
        for (slot, member) in [(&mut reply.text, "content"), (&mut reply.refusal, "refusal")] {
            if let Some(piece) = text_of(delta.get(member)) {
                slot.get_or_insert_default().push_str(&piece);
            }
        }
        let calls = delta.get("tool_calls").into_iter().flat_map(|list| list.items().collect::<Vec<_>>());
        for part in calls
            .map(|call| (call.get("index").unwrap().as_i64(), call.get("id"), call.get("function").unwrap()))
            .chain(delta.get("function_call").map(|function| (Some(0), None, function)))
        {
            let at = usize::try_from(part.0.unwrap()).unwrap();
            if let Some(name) = text_of(part.2.get("name")) {
                assert_eq!(at, reply.calls.len());
                reply.calls.push(IssuedCall {
                    id: text_of(part.1).unwrap_or_default(),
                    name,
                    arguments: String::new(),
                });
            }
            reply.calls[at].arguments.push_str(&text_of(part.2.get("arguments")).unwrap());
        }
        finish = text_of(choice.get("finish_reason")).or(finish);
    }
    (reply, finish)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_client_that_joins_the_deltas_gets_the_reply(
        reply in replies(), choices in 1..3_u32, piece in 0..7_usize, usage: bool, legacy: bool, logprobs: bool,
    ) {
        let envelope =
            Envelope { choices, piece, include_usage: usage, legacy_functions: legacy, logprobs, ..envelope() };
        let events = stream(&reply, &envelope);
        prop_assert_eq!(events.last().map(String::as_str), Some("[DONE]"));
        let whole = render(&reply, &envelope);
        let whole = parse(whole.as_bytes()).unwrap();
        prop_assert_eq!(whole.root().get("choices").unwrap().len(), choices as usize);
        for index in 0..choices {
            let (joined, finish) = joined(&events, &index.to_string());
            let mut wanted = Reply { usage: Usage::default(), ..reply.clone() };
            // An empty refusal has no piece to stand in.
            wanted.refusal = wanted.refusal.filter(|text| !text.is_empty());
            if legacy && wanted.calls.len() == 1 {
                wanted.calls[0].id.clear();
            }
            prop_assert_eq!(&joined, &wanted);
            let choice = whole.root().at(&format!("/choices/{index}")).unwrap();
            prop_assert_eq!(finish, text_of(choice.get("finish_reason")));
            prop_assert_eq!(text_of(choice.at("/message/content")), reply.text.clone());
            prop_assert_eq!(text_of(choice.at("/message/refusal")), reply.refusal.clone());
        }
        for event in events.iter().filter(|event| *event != "[DONE]") {
            let tape = parse(event.as_bytes()).unwrap();
            for key in ["id", "object", "created", "model", "system_fingerprint", "choices"] {
                prop_assert!(tape.root().get(key).is_some());
            }
            prop_assert_eq!(tape.root().get("usage").is_some(), usage);
        }
    }
}
