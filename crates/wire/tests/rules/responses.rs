//! The Responses dialect: what real clients sent, what it means, and what is refused when it is broken.

use super::script::{Nothing, Small};
use super::{Request, headers, lines};
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::json;
use rehearsal_wire::rule::{Expected, Profile, RuleSet};
use rehearsal_wire::turn::{Role, Spot};
use serde_json::{Value, json};

pub(crate) const CAPTURES: &str = include_str!("../../corpus/openai-responses/client-captures.jsonl");

/// The code of the refusal of a body; none where it is accepted.
fn refused(profile: Profile, body: &Value) -> Option<(&'static str, String)> {
    let rules = RuleSet::new(profile, &[]).unwrap();
    let body = body.to_string();
    let verdict = Request::of(&body).spoken("openai-responses").verdict(&rules, &Small::default());
    verdict.err().map(|reject| (reject.code.unwrap_or("null"), reject.param.unwrap_or_default()))
}

#[test]
fn every_captured_request_is_accepted_under_every_profile_but_pinned() {
    let captures = lines(CAPTURES);
    assert_eq!(captures.len(), 45);
    let mut wrong = Vec::new();
    for profile in [Profile::Lenient, Profile::Api, Profile::Gate] {
        let rules = RuleSet::new(profile, &[]).unwrap();
        for line in &captures {
            let (headers, body) = (headers(line), line["body"].to_string());
            let request = Request::with(&headers, &body).spoken("openai-responses");
            if let Err(reject) = request.verdict(&rules, &Nothing) {
                wrong.push(format!(
                    "{} {}: {} {}",
                    line["client"], line["scenario"], reject.rule, reject.message
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a request holds, told from its JSON without the reader: roles, call ids with arguments, answered ids.
fn shape(body: &Value) -> (Vec<&'static str>, Vec<(String, String)>, Vec<String>) {
    let (mut roles, mut calls, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    if body["instructions"].is_string() {
        roles.push("system");
    }
    if body["input"].is_string() {
        roles.push("user");
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for item in body["input"].as_array().into_iter().flatten() {
        match item["type"].as_str() {
            Some("function_call") => {
                if roles.last() != Some(&"assistant") {
                    roles.push("assistant");
                }
                calls.push((text(&item["call_id"]), text(&item["arguments"])));
            }
            Some("function_call_output") => {
                roles.push("tool");
                answers.push(text(&item["call_id"]));
            }
            None | Some("message") => roles.push(match item["role"].as_str().unwrap() {
                "user" => "user",
                "system" => "system",
                "developer" => "developer",
                other => panic!("{other}"),
            }),
            Some(other) => panic!("{other}"),
        }
    }
    (roles, calls, answers)
}

fn word(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::Function | Role::Unknown => "unknown",
    }
}

#[test]
fn every_captured_request_is_read_as_what_it_says() {
    let read = dialect("openai-responses").unwrap().read;
    for line in lines(CAPTURES) {
        let (body, whose) = (&line["body"], format!("{} {}", line["client"], line["scenario"]));
        let text = body.to_string();
        let tape = json::parse(text.as_bytes()).unwrap();
        let turn = read(&tape);
        let roles: Vec<_> = turn.messages.iter().map(|message| word(message.role)).collect();
        let calls: Vec<_> = turn.messages.iter().flat_map(|message| &message.calls).collect();
        let made: Vec<_> =
            calls.iter().map(|call| (call.id.to_string(), call.arguments.to_string())).collect();
        let answers: Vec<_> =
            turn.messages.iter().flat_map(|message| &message.answers).map(ToString::to_string).collect();
        assert_eq!((roles, made, answers), shape(body), "{whose}");
        assert_eq!(turn.stream, body["stream"] == true, "{whose}");
        assert_eq!(turn.model.and_then(json::Value::as_str).as_deref(), body["model"].as_str(), "{whose}");
        assert_eq!(turn.listed, body["input"].as_array().map_or(1, Vec::len), "{whose}");
        let prompt =
            ["hi", "x", "Weather in Paris?", "Run the command: echo hi", "Please say 'hello, world'"];
        let users = turn.messages.iter().filter(|message| message.role == Role::User);
        let said = users
            .flat_map(|message| &message.texts)
            .any(|text| prompt.iter().any(|prompt| text.contains(prompt)));
        assert!(said, "{whose}");
        for tool in body["tools"].as_array().into_iter().flatten() {
            for name in [&tool["name"], &tool["tools"][0]["name"]].into_iter().filter_map(Value::as_str) {
                let hidden = tool["type"] == "namespace" && tool["name"] == name;
                assert!(hidden || turn.tool(name).is_some(), "{whose}: {name}");
            }
        }
        for message in turn.messages.iter().filter(|message| message.role == Role::Assistant) {
            for call in &message.calls {
                let at = |spot: fn(usize, usize) -> Spot| {
                    let pointer = (turn.point)(spot(message.index, call.index));
                    body.pointer(&pointer).unwrap_or_else(|| panic!("{pointer}")).clone()
                };
                assert_eq!(at(Spot::CallId), *call.id, "{whose}");
                assert_eq!(at(Spot::CallName), *call.name, "{whose}");
                assert_eq!(at(Spot::CallArguments), *call.arguments, "{whose}");
            }
        }
    }
}

type Mutation = (&'static str, fn(&mut Vec<Value>, usize));

/// Each breaks a list of items whose first answer stands at the given place.
const MUTATIONS: &[Mutation] = &[
    ("drops the answer", |items, answer| drop(items.remove(answer))),
    ("renames the id of the answer", |items, answer| items[answer]["call_id"] = json!("call_other")),
    ("renames the id of the call", |items, _| call(items)["call_id"] = json!("call_other")),
    ("drops the call", |items, _| {
        let place = items.iter().position(|item| item["type"] == "function_call").unwrap();
        items.remove(place);
    }),
    ("sends arguments as an object", |items, _| call(items)["arguments"] = json!({})),
    ("sends the output as an object", |items, answer| items[answer]["output"] = json!({"x": 1})),
    ("answers with a message of chat completions", |items, answer| {
        items[answer] = json!({"role": "tool", "tool_call_id": "call_1", "content": "x"});
    }),
    ("answers with a block of another API", |items, _| {
        let block = json!([{"type": "tool_result", "tool_use_id": "call_1", "content": "x"}]);
        items.push(json!({"role": "user", "content": block}));
    }),
    ("says a text part of chat completions", |items, _| {
        items.push(json!({"role": "user", "content": [{"type": "text", "text": "x"}]}));
    }),
];

fn call(items: &mut [Value]) -> &mut Value {
    items.iter_mut().find(|item| item["type"] == "function_call").unwrap()
}

#[test]
fn every_broken_conversation_is_refused_under_gate_and_all_but_foreign_words_under_api() {
    let mut tried = 0;
    for line in lines(CAPTURES) {
        let Some(items) = line["body"]["input"].as_array() else { continue };
        let Some(answer) = items.iter().position(|item| item["type"] == "function_call_output") else {
            continue;
        };
        for (what, mutate) in MUTATIONS {
            let mut body = line["body"].clone();
            mutate(body["input"].as_array_mut().unwrap(), answer);
            let whose = format!("{} {} {what}", line["client"], line["scenario"]);
            assert!(refused(Profile::Gate, &body).is_some(), "{whose} under gate");
            let grows = what.contains("part of chat") || what.contains("block");
            assert!(grows || refused(Profile::Api, &body).is_some(), "{whose} under api");
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried} mutations");
}

fn with(more: Value) -> Value {
    let mut body = json!({"model": "m", "input": "hi"});
    let Value::Object(more) = more else { panic!("keys are an object") };
    body.as_object_mut().unwrap().extend(more);
    body
}

#[test]
fn foreign_fields_are_leaks_under_gate() {
    for more in [
        json!({"messages": []}),
        json!({"max_tokens": 100}),
        json!({"max_completion_tokens": 100}),
        json!({"response_format": {"type": "json_object"}}),
        json!({"n": 1}),
        json!({"stop": "x"}),
        json!({"reasoning_effort": "low"}),
        json!({"functions": []}),
        json!({"stream": true, "stream_options": {"include_usage": true}}),
        json!({"tools": [{"type": "function", "function": {"name": "f"}}]}),
        json!({"tools": [{"name": "f", "input_schema": {}}]}),
        json!({"tools": [{"type": "function", "name": "f", "parameters": {}, "cache_control": {}}]}),
        json!({"tools": [{"functionDeclarations": []}]}),
        json!({"tool_choice": {"type": "function", "function": {"name": "f"}}}),
        json!({"text": {"format": {"type": "json_schema", "json_schema": {}}}}),
        json!({"system": "x"}),
        json!({"stop_sequences": []}),
        json!({"thinking": {}}),
        json!({"top_k": 1}),
        json!({"contents": []}),
        json!({"input": [{"role": "assistant", "tool_calls": []}]}),
        json!({"input": [{"role": "user", "parts": []}]}),
        json!({"input": [{"role": "user", "content": [{"type": "image_url"}]}]}),
        json!({"input": [{"type": "tool_use"}]}),
    ] {
        let (code, _) =
            refused(Profile::Gate, &with(more.clone())).unwrap_or_else(|| panic!("{more} is taken"));
        assert_eq!(code, "gate_dialect_leak", "{more}");
    }
}

/// Bodies with the code and the param that `api` answers; none where it takes them.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn deviations_are_refused_as_the_api_refuses_them() {
    let item = |item: Value| with(json!({"input": [{"role": "user", "content": "hi"}, item]}));
    let said = |content: Value| item(json!({"role": "assistant", "content": content}));
    let strict = |parameters: Value| {
        with(json!({"tools": [{"type": "function", "name": "f", "strict": true, "parameters": parameters}]}))
    };
    for (body, wanted) in [
        (json!({"input": "hi"}), Some(("missing_required_parameter", "model"))),
        (json!({"model": "m"}), Some(("missing_required_parameter", "input"))),
        (json!({"model": "m", "input": null}), Some(("missing_required_parameter", "input"))),
        (json!({"prompt": {"id": "p"}}), None),
        (json!({"model": "m", "previous_response_id": "resp_gate_p_s0_8a"}), None),
        (
            with(json!({"previous_response_id": "resp_gate_p_s0_0a"})),
            Some(("previous_response_not_found", "previous_response_id")),
        ),
        (
            with(json!({"previous_response_id": "resp_1"})),
            Some(("previous_response_not_found", "previous_response_id")),
        ),
        (
            with(json!({"previous_response_id": "resp_gate_p_s0_8a", "conversation": "conv_1"})),
            Some(("mutually_exclusive_parameters", "")),
        ),
        (with(json!({"max_tokens": 5})), Some(("unsupported_parameter", "max_tokens"))),
        (with(json!({"max_output_tokens": 5})), Some(("integer_below_min_value", "max_output_tokens"))),
        (with(json!({"temperature": 3})), Some(("decimal_above_max_value", "temperature"))),
        (with(json!({"store": "no"})), Some(("invalid_type", "store"))),
        (with(json!({"store": null, "stream": null, "tools": null, "include": null})), None),
        (with(json!({"frobnicate": 1})), Some(("unknown_parameter", "frobnicate"))),
        (with(json!({"input": 5})), Some(("invalid_type", "input"))),
        (with(json!({"input": ["x"]})), Some(("invalid_type", "input[0]"))),
        (
            with(json!({"tools": [{"type": "function"}]})),
            Some(("missing_required_parameter", "tools[0].name")),
        ),
        (with(json!({"tools": [{"name": "f"}]})), Some(("missing_required_parameter", "tools[0].type"))),
        (
            with(json!({"tools": [{"type": "function", "name": "a b"}]})),
            Some(("invalid_value", "tools[0].name")),
        ),
        (with(json!({"tools": [{"type": "of_tomorrow", "more": {}}]})), None),
        (
            with(
                json!({"tools": [{"type": "local_shell"}, {"type": "web_search"}, {"type": "tool_search"}]}),
            ),
            None,
        ),
        (with(json!({"tool_choice": "required"})), Some(("null", "tool_choice"))),
        (with(json!({"tool_choice": {"type": "function", "name": "f"}})), Some(("null", "tool_choice"))),
        (with(json!({"text": {"format": {"type": "json_object"}}})), Some(("null", "input"))),
        (
            with(json!({"text": {"format": {"type": "json_schema"}}})),
            Some(("missing_required_parameter", "text.format.name")),
        ),
        (
            with(
                json!({"text": {"format": {"type": "json_schema", "name": "n", "strict": true, "schema": {"type": "object"}}}}),
            ),
            Some(("invalid_json_schema", "text.format.schema")),
        ),
        (
            strict(json!({"type": "object", "properties": {}})),
            Some(("invalid_function_parameters", "tools[0].parameters")),
        ),
        (strict(json!({"type": "object", "properties": {}, "additionalProperties": false})), None),
        (item(json!({"role": "tool", "content": "x"})), Some(("invalid_value", "input[1].role"))),
        (item(json!({"role": "user"})), Some(("missing_required_parameter", "input[1].content"))),
        (item(json!({"type": "item_of_tomorrow", "x": 1})), None),
        (
            item(json!({"type": "function_call", "name": "f", "arguments": "{}"})),
            Some(("missing_required_parameter", "input[1].call_id")),
        ),
        (item(json!({"type": "item_reference"})), Some(("missing_required_parameter", "input[1].id"))),
        (said(json!([{"type": "input_text", "text": "x"}])), Some(("invalid_value", "input[1].content[0]"))),
        (said(json!([{"type": "output_text", "text": "x", "annotations": [], "logprobs": []}])), None),
        (said(json!("x")), None),
    ] {
        let told = refused(Profile::Api, &body);
        assert_eq!(told.as_ref().map(|(code, param)| (*code, param.as_str())), wanted, "{body}");
        assert_eq!(refused(Profile::Gate, &body).is_some(), wanted.is_some(), "{body} under gate");
    }
}

/// What the request types of the official Python library 3.57.0 hold beyond the document of 2026-08.
#[test]
fn what_is_documented_since_is_taken() {
    let item = |item: Value| with(json!({"input": [{"role": "user", "content": "hi"}, item]}));
    let tool = json!({"type": "function", "name": "f", "parameters": {}});
    let later = |choice: Value| {
        let more = json!({"type": "additional_tools", "role": "developer", "tools": [tool]});
        with(json!({"input": [{"role": "user", "content": "hi"}, more], "tool_choice": choice}))
    };
    let found = json!([
        {"role": "user", "content": "hi"},
        {"type": "tool_search_call", "call_id": "s", "execution": "client", "arguments": {}},
        {"type": "tool_search_output", "call_id": "s", "execution": "client", "tools": [tool]},
    ]);
    let call_id = Some(("missing_required_parameter", "input[1].call_id"));
    for (body, wanted) in [
        (with(json!({"service_tier": "fast"})), None),
        (with(json!({"service_tier": "ultrafast"})), None),
        (with(json!({"service_tier": "fastest"})), Some(("invalid_value", "service_tier"))),
        (
            with(json!({"access_programs": {"cyber": "standard"}, "image": {"context_compression": "auto"}})),
            None,
        ),
        (with(json!({"background": true, "background_options": {"completion_window": "2h"}})), None),
        (with(json!({"multi_agent": {"enabled": true, "max_concurrent_subagents": 2}})), None),
        (item(json!({"id": "msg_1"})), None),
        (item(json!({"type": null, "id": "msg_1"})), None),
        (item(json!({"id": "msg_1", "content": "x"})), Some(("missing_required_parameter", "input[1].role"))),
        (item(json!({})), Some(("missing_required_parameter", "input[1].role"))),
        (item(json!({"type": "function_call_output", "name": "f", "output": "x"})), None),
        (item(json!({"type": "function_call_output", "call_id": null, "name": "f", "output": "x"})), None),
        (item(json!({"type": "function_call_output", "output": "x"})), call_id),
        (item(json!({"type": "function_call_output", "call_id": null, "output": "x"})), call_id),
        (item(json!({"type": "custom_tool_call_output", "name": "f", "output": "x"})), call_id),
        (later(json!("required")), None),
        (later(json!({"type": "function", "name": "f"})), None),
        (later(json!({"type": "function", "name": "g"})), Some(("null", "tool_choice"))),
        (with(json!({"input": found, "tool_choice": {"type": "function", "name": "f"}})), None),
    ] {
        let told = refused(Profile::Api, &body);
        assert_eq!(told.as_ref().map(|(code, param)| (*code, param.as_str())), wanted, "{body}");
        assert_eq!(refused(Profile::Gate, &body).is_some(), wanted.is_some(), "{body} under gate");
    }
}

/// A script may ask for tools, which items of the input may offer.
#[test]
fn tools_of_the_input_are_offered_tools() {
    let expected = Expected { require_tools: true, tools_include: vec!["f".into()], ..Expected::default() };
    let script = Small { expected, ..Small::default() };
    let more = |name: &str| json!({"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": name}]});
    for (name, wanted) in [("f", None), ("g", Some("expect-tools-include"))] {
        let body = with(json!({"input": [{"role": "user", "content": "hi"}, more(name)]})).to_string();
        let rules = RuleSet::new(Profile::Gate, &[]).unwrap();
        let verdict = Request::of(&body).spoken("openai-responses").verdict(&rules, &script);
        assert_eq!(verdict.err().map(|reject| reject.rule), wanted);
    }
}

fn items(calls: &[(&str, Option<&str>)], before: Option<Value>) -> Value {
    let mut input = vec![json!({"role": "user", "content": "hi"})];
    input.extend(before);
    for (id, item) in calls {
        let mut call =
            json!({"type": "function_call", "call_id": id, "name": "write_file", "arguments": "{\"a\":1}"});
        if id.ends_with("0_1") {
            call["name"] = json!("read_file");
        }
        if let Some(item) = item {
            call["id"] = json!(item);
        }
        input.push(call);
    }
    for (id, _) in calls {
        input.push(json!({"type": "function_call_output", "call_id": id, "output": "x"}));
    }
    with(json!({"input": input}))
}

/// The small script thinks at step 0.
#[test]
fn reasoning_comes_back_with_the_calls_that_it_was_given_with() {
    let encrypted = "gAAAAABVHdvIGNhbGxzIHdpbGwgZG8u";
    let reasoning = |content: &str| json!({"type": "reasoning", "id": "rs_gate_p_s0_0a", "summary": [], "encrypted_content": content});
    let ours =
        [("call_gate_p_s0_0", Some("fc_gate_p_s0_0a_0")), ("call_gate_p_s0_1", Some("fc_gate_p_s0_0a_1"))];
    let bare = ours.map(|(id, _)| (id, None));
    let rules = RuleSet::new(Profile::Gate, &[]).unwrap();
    let reference = json!({"type": "item_reference", "id": "rs_gate_p_s0_0a"});
    for (body, wanted) in [
        (items(&ours, Some(reasoning(encrypted))), Ok(&[][..])),
        (items(&ours, Some(reference)), Ok(&[])),
        (items(&ours, Some(json!({"type": "reasoning", "id": "rs_gate_p_s0_0a", "summary": []}))), Ok(&[])),
        (items(&bare, Some(reasoning(encrypted))), Ok(&[])),
        (items(&bare, None), Ok(&["reasoning-dropped"])),
        (items(&ours, None), Err(None)),
        (items(&ours, Some(json!({"type": "reasoning", "id": "rs_other", "summary": []}))), Err(None)),
        (items(&ours, Some(reasoning("gAAAAABother"))), Err(Some("invalid_encrypted_content"))),
        (items(&[("call_1", Some("fc_1"))], None), Ok(&[])),
    ] {
        let text = body.to_string();
        let (verdict, notes) = Request::of(&text).spoken("openai-responses").judge(&rules, &Small::default());
        let codes: Vec<_> = notes.iter().map(|note| note.code).collect();
        match wanted {
            Ok(noted) => assert_eq!((verdict.err(), codes), (None, noted.to_vec()), "{body}"),
            Err(code) => assert_eq!(verdict.map_err(|reject| reject.code), Err(code), "{body}"),
        }
    }
}

/// Items by a letter each: user, calls a and b of one reply of ours, their answers A and B, a call of the next reply and its answer.
fn sequence(letters: &str) -> Value {
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "write_file", "arguments": "{\"a\":1}"});
    let answer = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "x"});
    let item = |letter| match letter {
        'u' => json!({"role": "user", "content": "hi"}),
        'm' => {
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Narrated."}]})
        }
        'r' => json!({"type": "reasoning", "summary": []}),
        'a' => call("call_gate_p_s0_0"),
        'b' => {
            json!({"type": "function_call", "call_id": "call_gate_p_s0_1", "name": "read_file", "arguments": "{\"a\":1}"})
        }
        'c' => call("call_gate_p_s1_0"),
        'A' => answer("call_gate_p_s0_0"),
        'B' => answer("call_gate_p_s0_1"),
        'C' => answer("call_gate_p_s1_0"),
        other => panic!("{other}"),
    };
    with(json!({"input": letters.chars().map(item).collect::<Vec<_>>()}))
}

#[test]
fn calls_and_answers_of_one_reply_may_stand_in_any_order_behind_each_other() {
    let read = dialect("openai-responses").unwrap().read;
    for (letters, roles, taken) in [
        ("uabAB", "uatt", true),
        ("urabBA", "uatt", true),
        ("uaAbB", "uatt", true),
        ("uabAuB", "uattu", true),
        ("uabuAB", "uattu", true),
        ("uabABmcC", "uattat", true),
        ("uabABcCm", "uattata", true),
        ("uabABcuC", "uattatu", true),
        ("uabcABC", "uattt", false),
        ("uabA", "uat", false),
        ("uAab", "uta", false),
        ("uaA", "uat", false),
        ("uabABA", "uattt", false),
    ] {
        let text = sequence(letters).to_string();
        let tape = json::parse(text.as_bytes()).unwrap();
        let told: String = read(&tape).messages.iter().map(|message| &word(message.role)[..1]).collect();
        assert_eq!(told, roles, "{letters}");
        let refused = refused(Profile::Gate, &sequence(letters));
        assert_eq!(refused.is_none(), taken, "{letters}: {refused:?}");
    }
}

#[test]
fn a_custom_call_comes_back_with_its_text() {
    let script = Small { arguments: r#"{"input": "*** Begin Patch\n"}"#, ..Small::default() };
    let rules = RuleSet::new(Profile::Gate, &[]).unwrap();
    for (input, taken) in
        [("*** Begin Patch\n", true), (r#"{"input": "*** Begin Patch\n"}"#, true), ("*** Begin Patch", false)]
    {
        let body = with(json!({"input": [
            {"role": "user", "content": "hi"},
            {"type": "custom_tool_call", "call_id": "call_gate_p_s1_0", "name": "write_file", "input": input},
            {"type": "custom_tool_call_output", "call_id": "call_gate_p_s1_0", "output": "x"},
        ]}));
        let text = body.to_string();
        let verdict = Request::of(&text).spoken("openai-responses").verdict(&rules, &script);
        assert_eq!(verdict.is_ok(), taken, "{input}: {verdict:?}");
    }
}
