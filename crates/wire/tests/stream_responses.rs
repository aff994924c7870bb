//! What the openai-responses dialect sends: whole responses, streams, ids; and that its reader takes anything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use proptest::prelude::*;
use rehearsal_wire::dialect::{Dialect, Keep, Origin, dialect};
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::{Envelope, IssuedCall, Progress, Reply, Usage, custom_input};
use rehearsal_wire::sse::{SseEvent, SseReader};
use serde_json::{Value, json};

fn responses() -> &'static Dialect {
    dialect("openai-responses").unwrap()
}

fn envelope() -> Envelope {
    Envelope::plain("resp_gate_p_s0_8a".to_owned(), 7, "\"m\"".to_owned())
}

fn asked(echoed: &[(&'static str, &str)]) -> Envelope {
    Envelope { echoed: echoed.iter().map(|(key, text)| (*key, (*text).to_owned())).collect(), ..envelope() }
}

fn render(reply: &Reply, envelope: &Envelope) -> Value {
    serde_json::from_slice(&(responses().render)(reply, envelope)).unwrap()
}

/// The events of a stream as a client reads them: type and data.
fn events(reply: &Reply, envelope: &Envelope) -> Vec<(String, Value)> {
    let mut reader = SseReader::new(1 << 20);
    let mut all = Vec::new();
    for frame in (responses().stream)(reply, envelope).iter() {
        let before = all.len();
        reader.feed(frame).unwrap();
        while let Some(SseEvent { kind, data, .. }) = reader.next_event() {
            all.push((kind, serde_json::from_str(&data).unwrap()));
        }
        assert_eq!(all.len(), before + 1, "a frame is one event");
    }
    all
}

fn says(text: &str) -> Reply {
    Reply { text: Some(text.to_owned()), usage: Usage { prompt: 3, completion: 2 }, ..Reply::default() }
}

fn call(k: usize, name: &str, arguments: &str) -> IssuedCall {
    IssuedCall { id: format!("call_{k}"), name: name.to_owned(), arguments: arguments.to_owned() }
}

#[test]
fn a_text_leaves_in_the_order_and_the_bytes_of_the_api() {
    let frames: Vec<String> = (responses().stream)(&says("Hi é😀 x"), &envelope())
        .iter()
        .map(|frame| String::from_utf8(frame.to_vec()).unwrap())
        .collect();
    let inner: Vec<&str> = frames[2..frames.len() - 1].iter().map(String::as_str).collect();
    assert_eq!(
        inner,
        [
            "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":2,\"output_index\":0,\"item\":{\"id\":\"msg_gate_p_s0_8a\",\"type\":\"message\",\"status\":\"in_progress\",\"content\":[],\"role\":\"assistant\"}}\n\n",
            "event: response.content_part.added\ndata: {\"type\":\"response.content_part.added\",\"sequence_number\":3,\"item_id\":\"msg_gate_p_s0_8a\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"\"}}\n\n",
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_gate_p_s0_8a\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi é\",\"logprobs\":[]}\n\n",
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":5,\"item_id\":\"msg_gate_p_s0_8a\",\"output_index\":0,\"content_index\":0,\"delta\":\"😀 x\",\"logprobs\":[]}\n\n",
            "event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"sequence_number\":6,\"item_id\":\"msg_gate_p_s0_8a\",\"output_index\":0,\"content_index\":0,\"text\":\"Hi é😀 x\",\"logprobs\":[]}\n\n",
            "event: response.content_part.done\ndata: {\"type\":\"response.content_part.done\",\"sequence_number\":7,\"item_id\":\"msg_gate_p_s0_8a\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"Hi é😀 x\"}}\n\n",
            "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":8,\"output_index\":0,\"item\":{\"id\":\"msg_gate_p_s0_8a\",\"type\":\"message\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"Hi é😀 x\"}],\"role\":\"assistant\"}}\n\n",
        ]
    );
    let body = |prefix: &str, status: &str, completed: &str, output: &str, usage: &str| {
        format!(
            "{prefix}{{\"id\":\"resp_gate_p_s0_8a\",\"object\":\"response\",\"created_at\":7,\"status\":\"{status}\",\"background\":false,\"completed_at\":{completed},\"error\":null,\"incomplete_details\":null,\"instructions\":null,\"max_output_tokens\":null,\"max_tool_calls\":null,\"model\":\"m\",\"output\":[{output}],\"parallel_tool_calls\":true,\"previous_response_id\":null,\"prompt_cache_key\":null,\"prompt_cache_retention\":null,\"reasoning\":{{\"effort\":null,\"summary\":null}},\"safety_identifier\":null,\"service_tier\":\"default\",\"store\":true,\"temperature\":1.0,\"text\":{{\"format\":{{\"type\":\"text\"}},\"verbosity\":\"medium\"}},\"tool_choice\":\"auto\",\"tools\":[],\"top_logprobs\":0,\"top_p\":1.0,\"truncation\":\"disabled\",\"usage\":{usage},\"user\":null,\"metadata\":{{}}}}"
        )
    };
    let begin = |kind: &str, number: u32| {
        let prefix =
            format!("event: {kind}\ndata: {{\"type\":\"{kind}\",\"sequence_number\":{number},\"response\":");
        body(&prefix, "in_progress", "null", "", "null") + "}\n\n"
    };
    assert_eq!(frames[0], begin("response.created", 0));
    assert_eq!(frames[1], begin("response.in_progress", 1));
    let output = "{\"id\":\"msg_gate_p_s0_8a\",\"type\":\"message\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"Hi é😀 x\"}],\"role\":\"assistant\"}";
    let usage = "{\"input_tokens\":3,\"input_tokens_details\":{\"cached_tokens\":0,\"cache_write_tokens\":0},\"output_tokens\":2,\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":5}";
    let prefix = "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":9,\"response\":";
    assert_eq!(frames[9], body(prefix, "completed", "7", output, usage) + "}\n\n");
    let plain = String::from_utf8((responses().render)(&says("Hi é😀 x"), &envelope())).unwrap();
    assert_eq!(plain, body("", "completed", "7", output, usage));
}

#[test]
fn every_kind_of_item_has_its_events_in_their_order() {
    let tools = r#"[{"type": "custom", "name": "patch"}, {"type": "namespace", "name": "space", "tools": [{"name": "inner"}]}]"#;
    let envelope = Envelope {
        piece: 100,
        ..asked(&[
            ("tools", tools),
            ("reasoning", r#"{"summary": "auto"}"#),
            ("include", r#"["reasoning.encrypted_content"]"#),
        ])
    };
    let reply = Reply {
        thinking: Some("Hm.".to_owned()),
        text: Some("Words.".to_owned()),
        refusal: Some("No.".to_owned()),
        calls: vec![call(0, "read", "{}"), call(1, "patch", r#"{"input": "*** x"}"#), call(2, "inner", "")],
        ..Reply::default()
    };
    let kinds: Vec<String> = events(&reply, &envelope).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds.join(" ").replace("response.", ""),
        "created in_progress \
         output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.done \
         reasoning_summary_part.done output_item.done \
         output_item.added content_part.added output_text.delta output_text.done content_part.done \
         content_part.added refusal.delta refusal.done content_part.done output_item.done \
         output_item.added function_call_arguments.delta function_call_arguments.done output_item.done \
         output_item.added custom_tool_call_input.delta custom_tool_call_input.done output_item.done \
         output_item.added function_call_arguments.done output_item.done completed"
    );
    assert_eq!(
        render(&reply, &envelope)["output"],
        json!([
            {"id": "rs_gate_p_s0_8a", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAAAABSG0u"},
            {"id": "msg_gate_p_s0_8a", "type": "message", "status": "completed", "role": "assistant", "content": [
                {"type": "output_text", "annotations": [], "logprobs": [], "text": "Words."},
                {"type": "refusal", "refusal": "No."},
            ]},
            {"id": "fc_gate_p_s0_8a_0", "type": "function_call", "status": "completed", "arguments": "{}", "call_id": "call_0", "name": "read"},
            {"id": "ctc_gate_p_s0_8a_1", "type": "custom_tool_call", "status": "completed", "input": "*** x", "call_id": "call_1", "name": "patch"},
            {"id": "fc_gate_p_s0_8a_2", "type": "function_call", "status": "completed", "arguments": "", "call_id": "call_2", "name": "inner", "namespace": "space"},
        ])
    );
    let hidden = &render(&reply, &asked(&[("reasoning", r#"{"summary": null}"#)]))["output"][0];
    assert_eq!(*hidden, json!({"id": "rs_gate_p_s0_8a", "type": "reasoning", "summary": []}));
}

#[test]
fn finish_words_are_statuses() {
    for (finish, status, details) in [
        (None, "completed", Value::Null),
        (Some("stop"), "completed", Value::Null),
        (Some("tool_calls"), "completed", Value::Null),
        (Some("length"), "incomplete", json!({"reason": "max_output_tokens"})),
        (Some("content_filter"), "incomplete", json!({"reason": "content_filter"})),
    ] {
        let reply = Reply { finish: finish.map(str::to_owned), ..says("x") };
        let whole = render(&reply, &envelope());
        assert_eq!((&whole["status"], &whole["incomplete_details"]), (&json!(status), &details));
        assert_eq!(whole["output"][0]["status"], status);
        let last = events(&reply, &envelope()).pop().unwrap();
        assert_eq!(last.0, format!("response.{status}"));
        assert_eq!(last.1["response"], whole);
    }
}

#[test]
fn a_reply_in_the_background_says_how_far_it_is_and_nothing_more() {
    for (progress, status) in
        [(Progress::Queued, "queued"), (Progress::Running, "in_progress"), (Progress::Cancelled, "cancelled")]
    {
        let told = render(&says("x"), &Envelope { progress, ..asked(&[("background", "true")]) });
        assert_eq!((&told["status"], &told["background"]), (&json!(status), &json!(true)));
        assert_eq!((&told["output"], &told["usage"]), (&json!([]), &Value::Null));
    }
}

#[test]
fn what_was_asked_is_given_back_and_what_was_not_has_its_default() {
    let told = render(
        &says("x"),
        &asked(&[
            ("instructions", "\"Be\\nterse\""),
            ("reasoning", "{\"effort\": \"low\"}"),
            ("text", "{}"),
            ("service_tier", "\"auto\""),
            ("metadata", "null"),
            ("temperature", "0.5"),
            ("tools", "[{\"type\": \"web_search\"}]"),
            ("tool_choice", "\"required\""),
            ("store", "false"),
            ("previous_response_id", "\"resp_1\""),
        ]),
    );
    for (key, value) in [
        ("instructions", json!("Be\nterse")),
        ("reasoning", json!({"effort": "low", "summary": null})),
        ("text", json!({"format": {"type": "text"}, "verbosity": "medium"})),
        ("service_tier", json!("default")),
        ("metadata", json!({})),
        ("temperature", json!(0.5)),
        ("tools", json!([{"type": "web_search"}])),
        ("tool_choice", json!("required")),
        ("store", json!(false)),
        ("previous_response_id", json!("resp_1")),
        ("max_output_tokens", Value::Null),
        ("top_p", json!(1.0)),
    ] {
        assert_eq!(told[key], value, "{key}");
    }
    for (tier, told) in [("\"fast\"", "priority"), ("\"ultrafast\"", "ultrafast")] {
        assert_eq!(render(&says("x"), &asked(&[("service_tier", tier)]))["service_tier"], told);
    }
}

#[test]
fn ids_name_phrasing_and_step_and_whether_the_reply_is_kept() {
    for (step, kept, wanted) in [
        (Some(("p_s1", 3)), true, "resp_gate_p_s1_s3_fffffffffffffffe"),
        (Some(("p_s1", 3)), false, "resp_gate_p_s1_s3_7ffffffffffffffe"),
        (None, true, "resp_gate_fffffffffffffffe"),
    ] {
        assert_eq!((responses().id)(&Origin { step, bits: u64::MAX - 3, kept }), wanted);
    }
    let keep = responses().keeping.unwrap().keep;
    for (body, wanted) in [
        ("{}", Keep::Kept),
        (r#"{"store": null}"#, Keep::Kept),
        (r#"{"store": false}"#, Keep::Not),
        (r#"{"background": true}"#, Keep::Background),
        ("[]", Keep::Kept),
    ] {
        assert_eq!(keep(&parse(body.as_bytes()).unwrap()), wanted, "{body}");
    }
}

#[test]
fn input_items_come_in_pages_newest_first_with_ids() {
    let list = |body: &Value, query: &str| -> Value {
        let text = body.to_string();
        let tape = parse(text.as_bytes()).unwrap();
        let told = (responses().keeping.unwrap().items)(&tape, "resp_gate_8a", query);
        serde_json::from_slice(&told).unwrap()
    };
    let ids = |list: &Value| -> Vec<String> {
        let data = list["data"].as_array().unwrap();
        data.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    let one = list(&json!({"input": "hi"}), "");
    assert_eq!(
        one["data"][0],
        json!({"id": "msg_gate_8a_in0", "type": "message", "status": "completed", "role": "user", "content": [{"type": "input_text", "text": "hi"}]})
    );
    let items = json!({"input": [
        {"role": "user", "content": "hi"},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
        {"role": "assistant", "content": "done"},
    ]});
    let all = ["msg_gate_8a_in3", "item_gate_8a_in2", "fc_1", "msg_gate_8a_in0"];
    assert_eq!(ids(&list(&items, "")), all);
    let ascending: Vec<_> = all.into_iter().rev().collect();
    assert_eq!(ids(&list(&items, "order=asc")), ascending);
    let page = list(&items, "limit=2&after=msg_gate_8a_in3");
    assert_eq!(ids(&page), all[1..3]);
    assert_eq!(
        (&page["has_more"], &page["first_id"], &page["last_id"]),
        (&json!(true), &json!(all[1]), &json!(all[2]))
    );
    assert_eq!(list(&items, "order=asc")["data"][3]["content"][0]["type"], "output_text");
    let none = list(&json!({"previous_response_id": "x"}), "limit=0");
    assert_eq!(
        none,
        json!({"object": "list", "data": [], "first_id": null, "last_id": null, "has_more": false})
    );
}

#[test]
fn a_custom_tool_gets_the_one_text_that_its_arguments_hold() {
    for (arguments, input) in [
        (r#"{"input": "a\nb"}"#, "a\nb"),
        (r#"{"patch": "x"}"#, "x"),
        (r#""x""#, "x"),
        ("plain", "plain"),
        (r#"{"a": 1}"#, r#"{"a": 1}"#),
        (r#"{"a": "x", "b": "y"}"#, r#"{"a": "x", "b": "y"}"#),
        ("", ""),
    ] {
        assert_eq!(custom_input(arguments), input, "{arguments}");
    }
}

fn replies() -> impl Strategy<Value = Reply> {
    let words = || prop::option::of("[a-z\"\\\\\n é😀]{0,20}");
    let call = ("[a-z_]{1,9}", "[a-z]{1,9}", "[a-z\"\\\\\n é😀{}]{0,20}")
        .prop_map(|(id, name, arguments)| IssuedCall { id, name, arguments });
    let finish = prop::option::of(prop::sample::select(vec!["stop", "length", "content_filter"]));
    (words(), words(), words(), prop::collection::vec(call, 0..4), finish).prop_map(
        |(thinking, text, refusal, calls, finish)| Reply {
            thinking,
            text,
            refusal,
            calls,
            finish: finish.map(str::to_owned),
            usage: Usage { prompt: u64::MAX, completion: 1 },
        },
    )
}

/// JSON of any shape with the keys and words that the reader looks for.
fn anything() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "input",
        "type",
        "role",
        "content",
        "call_id",
        "id",
        "name",
        "arguments",
        "output",
        "message",
        "user",
        "assistant",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "reasoning",
        "item_reference",
        "call_gate_p_s0_0",
        "call_gate_p_s0_1",
        "fc_gate_p_s0_8a_0",
        "tools",
        "instructions",
        "text",
        "summary",
        "previous_response_id",
        "resp_gate_p_s0_8a",
        "stream",
        "model",
        "é",
        "encrypted_content",
        "tool_choice",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        word.clone().prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|entries| Value::Object(
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_client_that_joins_the_deltas_gets_the_response(reply in replies(), piece in 0..7_usize, shown: bool) {
        let reasoning = if shown { r#"{"summary": "auto"}"# } else { "{}" };
        let envelope = Envelope { piece, ..asked(&[("reasoning", reasoning), ("tools", "[\n]")]) };
        let events = events(&reply, &envelope);
        let whole = render(&reply, &envelope);
        let (mut words, mut refusal, mut summary) = (String::new(), String::new(), String::new());
        let mut arguments = vec![String::new(); 8];
        let mut done = Vec::new();
        for (number, (kind, data)) in events.iter().enumerate() {
            prop_assert_eq!(&data["type"], kind);
            prop_assert_eq!(&data["sequence_number"], number);
            let at = data["output_index"].as_u64().map_or(0, |at| usize::try_from(at).unwrap());
            let delta = data["delta"].as_str().unwrap_or_default();
            match kind.as_str() {
                "response.output_text.delta" => words.push_str(delta),
                "response.refusal.delta" => refusal.push_str(delta),
                "response.reasoning_summary_text.delta" => summary.push_str(delta),
                "response.function_call_arguments.delta" => arguments[at].push_str(delta),
                "response.output_item.done" => {
                    prop_assert_eq!(at, done.len());
                    done.push(data["item"].clone());
                }
                _ => {}
            }
        }
        prop_assert_eq!(&whole["output"], &Value::from(done));
        prop_assert_eq!(&events.last().unwrap().1["response"], &whole);
        prop_assert_eq!(&words, reply.text.as_deref().unwrap_or_default());
        prop_assert_eq!(&refusal, reply.refusal.as_deref().unwrap_or_default());
        prop_assert_eq!(&summary, reply.thinking.as_deref().filter(|_| shown).unwrap_or_default());
        let first = whole["output"].as_array().unwrap().len() - reply.calls.len();
        for (k, call) in reply.calls.iter().enumerate() {
            let item = &whole["output"][first + k];
            prop_assert_eq!(&arguments[first + k], &call.arguments);
            prop_assert_eq!((&item["call_id"], &item["name"], &item["arguments"]), (&json!(call.id), &json!(call.name), &json!(call.arguments)));
        }
    }

    #[test]
    fn a_body_of_any_shape_is_read_and_its_answers_stay(body in anything()) {
        let text = body.to_string();
        let tape = parse(text.as_bytes()).unwrap();
        let turn = (responses().read)(&tape);
        let answers = turn.messages.iter().flat_map(|message| &message.answers).count();
        let sent = body["input"].as_array().into_iter().flatten();
        let sent = sent.filter(|item| {
            let kind = item["type"].as_str().unwrap_or_default();
            matches!(kind, "function_call_output" | "custom_tool_call_output") && item["call_id"].is_string()
        });
        prop_assert_eq!(answers, sent.count());
        (responses().keeping.unwrap().items)(&tape, "resp_gate_8a", &text);
    }
}
