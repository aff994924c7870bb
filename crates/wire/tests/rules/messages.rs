//! The rules of the Messages API: what real clients send is taken, and each deviation is told in the API's words.

use super::script::{Nothing, Small};
use super::{Request, headers, lines};
use proptest::prelude::*;
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::json::parse;
use rehearsal_wire::reject::Reject;
use rehearsal_wire::rule::{Expected, Profile, RuleSet};
use rehearsal_wire::turn::{Role, Spot};
use serde_json::{Value, json};

const CAPTURES: &str = include_str!("../../corpus/anthropic-messages/client-captures.jsonl");

fn verdict(profile: Profile, headers: &[(&str, &[u8])], body: &Value) -> Result<(), Box<Reject>> {
    let body = body.to_string();
    let request = Request { dialect: dialect("anthropic-messages").unwrap(), headers, body: &body };
    request.verdict(&RuleSet::new(profile, &[]).unwrap(), &Nothing)
}

/// Every place in a value, as JSON pointers.
pub(super) fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| places(item, &format!("{at}/{i}"), all));
        }
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| {
                places(member, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), all);
            });
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

pub(super) fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(-1)),
        Just(json!(1e300)),
        Just(json!("")),
        Just(json!("tool_use")),
        Just(json!([])),
        Just(json!([[], {}, null])),
        Just(json!({})),
        Just(json!({"type": "tool_result"})),
        Just(json!({"role": "user", "content": [{"type": "tool_use", "id": "call_gate_-x", "name": "f"}]})),
    ]
}

proptest! {
    /// Whatever stands in place of anything in a real request, it is judged.
    #[test]
    fn no_value_in_any_place_is_too_odd_to_be_judged(line in 0_usize..24, place: prop::sample::Index, odd in odd_value()) {
        let mut body = captures().nth(line).unwrap()["body"].clone();
        body.as_object_mut().unwrap().insert("thread".to_owned(), json!({"type": "continue", "previous_message_id": "msg_1"}));
        let mut all = Vec::new();
        places(&body, "", &mut all);
        let place: &String = place.get(&all);
        *body.pointer_mut(place).unwrap() = odd;
        for profile in Profile::ALL {
            if let Err(reject) = verdict(profile, VERSION, &body) {
                prop_assert!((400..500).contains(&reject.status) && !reject.rule.is_empty());
            }
        }
    }
}

const VERSION: &[(&str, &[u8])] = &[("anthropic-version", b"2023-06-01")];

/// Turns of a conversation, which a capture that goes on from a thread alone does not hold.
fn captures() -> impl Iterator<Item = Value> {
    let held =
        |line: &Value| line["lane"] == "anthropic-messages" && line["body"]["thread"]["type"] != "continue";
    lines(CAPTURES).into_iter().filter(held)
}

#[test]
fn every_captured_request_of_a_real_client_is_accepted() {
    assert_eq!(captures().count(), 24);
    for line in captures() {
        for profile in Profile::ALL {
            let verdict = verdict(profile, &headers(&line), &line["body"]);
            assert_eq!(verdict, Ok(()), "{} {} {}", profile.name(), line["client"], line["scenario"]);
        }
    }
}

#[test]
fn every_captured_request_is_read_as_the_turn_that_it_is() {
    for line in captures() {
        let whose = format!("{} {}", line["client"], line["scenario"]);
        let (text, body) = (line["body"].to_string(), &line["body"]);
        let tape = parse(text.as_bytes()).unwrap();
        let turn = (dialect("anthropic-messages").unwrap().read)(&tape);
        let sent = body["messages"].as_array().unwrap();
        let blocks = |kind: &str| -> Vec<&Value> {
            let content = sent.iter().filter_map(|message| message["content"].as_array()).flatten();
            content.filter(|block| block["type"] == kind).collect()
        };
        assert_eq!(turn.model.unwrap().as_str().unwrap(), body["model"].as_str().unwrap(), "{whose}");
        assert_eq!((turn.stream, turn.listed), (body["stream"] == true, sent.len()), "{whose}");
        let tools: Vec<_> = body["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert!(turn.tools.iter().map(|tool| &*tool.name).eq(tools), "{whose}");
        let assistants = sent.iter().filter(|message| message["role"] == "assistant").count();
        assert_eq!(turn.assistants(), assistants, "{whose}");
        let systems = turn.messages.iter().filter(|message| message.role == Role::System).count();
        assert_eq!(systems, usize::from(!body["system"].is_null()), "{whose}");
        let calls: Vec<_> = turn.messages.iter().flat_map(|message| &message.calls).collect();
        assert_eq!(calls.len(), blocks("tool_use").len(), "{whose}");
        for (call, sent) in calls.iter().zip(blocks("tool_use")) {
            assert_eq!(
                (&*call.id, &*call.name),
                (sent["id"].as_str().unwrap(), sent["name"].as_str().unwrap())
            );
            assert_eq!(serde_json::from_str::<Value>(&call.arguments).unwrap(), sent["input"], "{whose}");
        }
        let answers: Vec<_> = turn.messages.iter().flat_map(|message| &message.answers).collect();
        let wanted: Vec<_> =
            blocks("tool_result").iter().map(|block| block["tool_use_id"].as_str().unwrap()).collect();
        assert_eq!(answers, wanted, "{whose}");
        let users = turn.messages.iter().filter(|message| message.role == Role::User);
        let said: usize = users.map(|message| message.texts.len()).sum();
        let plain = sent.iter().filter(|message| message["content"].is_string()).count();
        assert_eq!(said, plain + blocks("text").len(), "{whose}");
    }
}

#[test]
fn messages_of_one_turn_are_one_and_keep_their_places() {
    let text = json!({"messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": [{"type": "text", "text": "b"},
            {"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}, {"type": "text", "text": "d"}]},
    ]})
    .to_string();
    let tape = parse(text.as_bytes()).unwrap();
    let turn = (dialect("anthropic-messages").unwrap().read)(&tape);
    let roles: Vec<_> = turn.messages.iter().map(|message| (message.index, message.role)).collect();
    assert_eq!(roles, [(0, Role::User), (1, Role::Assistant), (3, Role::Tool), (3, Role::User)]);
    let said = &turn.messages[1];
    assert_eq!(said.texts, ["a", "b"]);
    assert_eq!((turn.point)(Spot::CallArguments(1, said.calls[0].index)), "/messages/2/content/1/input");
}

fn body(more: Value) -> Value {
    let mut body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
    let Value::Object(more) = more else { panic!("members are an object") };
    body.as_object_mut().unwrap().extend(more);
    body
}

fn user(content: Value) -> Value {
    let mut message = json!({"role": "user"});
    message["content"] = content;
    json!({"messages": [message]})
}

/// Members with a wrong value in a message or beside them, and what the API says.
fn wrong_values() -> Vec<(Value, &'static str)> {
    vec![
        (json!({"max_tokens": null}), "max_tokens: Input should be a valid integer"),
        (json!({"max_tokens": "9"}), "max_tokens: Input should be a valid integer"),
        (json!({"max_tokens": -1}), "max_tokens: Input should be greater than or equal to 0"),
        (json!({"model": ""}), "model: String should have at least 1 character"),
        (json!({"messages": []}), "messages: at least one message is required"),
        (json!({"messages": "hi"}), "messages: Input should be a valid list"),
        (json!({"temperature": 1.5}), "temperature: Input should be less than or equal to 1"),
        (json!({"frobnicate": 1}), "frobnicate: Extra inputs are not permitted"),
        (user(json!(7)), "messages.0.content: Input should be a valid string or a valid list"),
        (
            user(json!("")),
            "messages.0: all messages must have non-empty content except for the optional final assistant message",
        ),
        (user(json!([{"type": "text", "text": ""}])), "messages: text content blocks must be non-empty"),
        (user(json!([{"type": "text"}])), "messages.0.content.0.text.text: Field required"),
        (
            user(json!([{"type": "text", "text": "a", "index": 0}])),
            "messages.0.content.0.text.index: Extra inputs are not permitted",
        ),
        (
            json!({"messages": [{"role": "human", "content": "hi"}]}),
            "messages.0.role: Input should be 'user', 'assistant' or 'system'",
        ),
        (json!({"messages": [{"role": "user"}]}), "messages.0.content: Field required"),
        (
            json!({"messages": [{"role": "user", "content": "hi"}, {"role": "system"}]}),
            "messages.1.content: Field required",
        ),
        (
            json!({"messages": [{"role": "user", "content": "hi"}, {"role": "system", "output_config": {}}]}),
            "messages.1.content: Field required",
        ),
        (
            json!({"thinking": {"type": "adaptive", "display": "full"}}),
            "thinking.adaptive.display: Input should be 'summarized', 'omitted' or 'updates'",
        ),
    ]
}

/// The same of tools, their choice, their calls and the results.
fn wrong_tools() -> Vec<(Value, &'static str)> {
    let tool = |tool: Value| json!({"tools": [tool]});
    let called = |input: Value, rest: Value| {
        let call = json!({"type": "tool_use", "id": "c", "name": "f", "input": input});
        json!({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": [call]}, rest]})
    };
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
    vec![
        (tool(json!({"name": "f"})), "tools.0.custom.input_schema: Field required"),
        (
            tool(json!({"type": "custom", "name": "f g", "input_schema": {}})),
            "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ),
        (
            tool(json!({"name": "f", "input_schema": "{}"})),
            "tools.0.custom.input_schema: Input should be a valid dictionary",
        ),
        (json!({"tool_choice": {"type": "any"}}), "tool_choice may only be specified while providing tools."),
        (
            json!({"tools": [{"name": "f", "input_schema": {}}], "tool_choice": {"type": "tool", "name": "g"}}),
            "Tool 'g' not found in provided tools",
        ),
        (
            json!({"thinking": {"type": "enabled", "budget_tokens": 5}}),
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        ),
        (
            called(json!("{}"), json!({"role": "user", "content": [result("c")]})),
            "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
        ),
        (
            called(json!({}), json!({"role": "user", "content": "on"})),
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        (
            called(json!({}), json!({"role": "user", "content": [result("c"), result("c")]})),
            "messages.2.content: each tool_use must have a single result. Found multiple `tool_result` blocks with id: c",
        ),
        (
            user(json!([result("c")])),
            "messages.0.content: unexpected `tool_use_id` found in `tool_result` blocks: c. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
    ]
}

#[test]
fn deviations_are_told_in_the_words_of_the_api() {
    for (more, wanted) in wrong_values().into_iter().chain(wrong_tools()) {
        let reject = verdict(Profile::Api, VERSION, &body(more.clone())).unwrap_err();
        assert_eq!((reject.status, &*reject.message), (400, wanted), "{more}");
        assert!(verdict(Profile::Gate, VERSION, &body(more.clone())).is_err(), "{more}");
    }
    let mut bare = body(json!({}));
    bare.as_object_mut().unwrap().remove("max_tokens");
    assert_eq!(verdict(Profile::Api, VERSION, &bare).unwrap_err().message, "max_tokens: Field required");
    let reject = verdict(Profile::Api, &[], &body(json!({}))).unwrap_err();
    assert_eq!(reject.message, "anthropic-version: header is required");
}

#[test]
fn what_is_documented_or_may_be_of_a_beta_is_taken() {
    let beta: &[(&str, &[u8])] =
        &[("anthropic-version", b"2023-06-01"), ("anthropic-beta", b"new-2027-01-01")];
    let newer: &[(&str, &[u8])] = &[("anthropic-version", b"2027-01-01")];
    let thinks =
        |budget: i64| json!({"thinking": {"type": "enabled", "budget_tokens": budget}, "max_tokens": 2000});
    let interleaved: &[(&str, &[u8])] =
        &[("anthropic-version", b"2023-06-01"), ("anthropic-beta", b"x, interleaved-thinking-2025-05-14")];
    for (headers, more) in [
        (
            VERSION,
            json!({"system": [{"type": "text", "text": "Be terse.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]}),
        ),
        (
            VERSION,
            json!({"tools": [], "stop_sequences": ["x"], "top_k": 5, "top_p": 0.5, "metadata": {"user_id": null}}),
        ),
        (VERSION, json!({"tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}]})),
        (
            VERSION,
            json!({"tools": [{"type": null, "name": "f", "input_schema": {"type": "object"}}], "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": true}}),
        ),
        (
            VERSION,
            json!({"messages": [{"role": "user", "content": "hi"}, {"role": "system", "content": "Be terse."}]}),
        ),
        (
            VERSION,
            json!({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "The answer is ("}]}),
        ),
        (
            VERSION,
            json!({"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}, {"type": "text", "text": "?"}]}]}),
        ),
        (VERSION, thinks(1024)),
        (interleaved, thinks(5000)),
        (beta, json!({"thinking": {"type": "adaptive", "display": "updates", "block_binding": {}}})),
        (
            beta,
            json!({"messages": [
                {"role": "user", "content": "hi"},
                {"role": "system", "output_config": {"effort": "low"}},
                {"role": "system", "content": "Be terse.", "clear_at": "next_user_message", "output_config": {}},
            ]}),
        ),
        (beta, json!({"frobnicate": 1, "tools": [{"type": "future_20270101", "name": "x"}]})),
        (newer, json!({"frobnicate": 1})),
    ] {
        for profile in [Profile::Api, Profile::Gate] {
            assert_eq!(verdict(profile, headers, &body(more.clone())), Ok(()), "{} {more}", profile.name());
        }
    }
    assert!(verdict(Profile::Api, VERSION, &body(thinks(5000))).is_err());
}

#[test]
fn a_step_may_pin_the_choice_and_whether_tools_are_called_at_once() {
    let refused = |choice: Value, expected: Expected| {
        let script = Small { expected, ..Small::default() };
        let tools = json!([{"name": "f", "input_schema": {}}]);
        let body = body(json!({"tool_choice": choice, "tools": tools})).to_string();
        let request = Request::with(VERSION, &body).spoken("anthropic-messages");
        request.verdict(&RuleSet::new(Profile::Gate, &[]).unwrap(), &script).err().map(|reject| reject.rule)
    };
    let choice = || Expected { require_tool_choice: true, ..Expected::default() };
    let parallel = |pinned| Expected { parallel_tool_calls: Some(pinned), ..Expected::default() };
    let disables = |disable: bool| json!({"type": "auto", "disable_parallel_tool_use": disable});
    let rule = Some("messages-expect-choice");
    for (sent, expected, wanted) in [
        (json!(null), choice(), rule),
        (json!({"type": "any"}), choice(), None),
        (json!({"type": "auto"}), parallel(false), rule),
        (json!({"type": "auto"}), parallel(true), None),
        (disables(true), parallel(false), None),
        (disables(true), parallel(true), rule),
        (disables(false), parallel(false), rule),
        (disables(false), parallel(true), None),
    ] {
        assert_eq!(refused(sent.clone(), expected), wanted, "{sent}");
    }
}

#[test]
fn what_belongs_to_another_api_is_told_as_a_leak() {
    for more in [
        json!({"max_completion_tokens": 9}),
        json!({"response_format": {"type": "json_object"}}),
        json!({"n": 1}),
        json!({"parallel_tool_calls": false}),
        json!({"contents": []}),
        json!({"tool_choice": "auto"}),
        json!({"tool_choice": {"type": "function", "function": {"name": "f"}}}),
        json!({"tools": [{"type": "function", "function": {"name": "f"}}]}),
        json!({"tools": [{"type": "function", "name": "f", "parameters": {}}]}),
        json!({"tools": [{"functionDeclarations": []}]}),
        json!({"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "hi"}]}),
        json!({"messages": [{"role": "developer", "content": "x"}]}),
        json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]}),
        json!({"messages": [{"role": "assistant", "content": null, "tool_calls": []}]}),
        user(json!([{"type": "image_url", "image_url": {"url": "u"}}])),
        user(json!([{"type": "input_text", "text": "x"}])),
    ] {
        let reject = verdict(Profile::Gate, VERSION, &body(more.clone())).unwrap_err();
        assert_eq!(reject.code, Some("gate_dialect_leak"), "{more}: {}", reject.message);
    }
    for line in captures() {
        let mut body = line["body"].clone();
        body["logprobs"] = json!(true);
        let reject = verdict(Profile::Gate, &headers(&line), &body).unwrap_err();
        assert_eq!(reject.code, Some("gate_dialect_leak"), "{}", reject.message);
    }
}
