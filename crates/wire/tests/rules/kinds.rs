//! One request for each kind of refusal of the real API that the strictness corpus does not hold.

#![expect(clippy::needless_pass_by_value, reason = "requests are literals, written where they are used")]

use super::Request;
use super::script::Nothing;
use rehearsal_wire::rule::{Profile, RuleSet};
use serde_json::{Value, json};

/// A plain request with these keys on top.
fn with(keys: Value) -> Value {
    let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
    for (key, value) in keys.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

fn tool(function: Value) -> Value {
    with(json!({"tools": [{"type": "function", "function": function}]}))
}

/// A plain request that goes on with these messages.
fn history(more: Value) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "hi"})];
    messages.extend(more.as_array().unwrap().iter().cloned());
    with(json!({"messages": messages}))
}

fn call(id: &str, name: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
}

fn calls(calls: Value) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn answer(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "x"})
}

/// Bodies with the code (`null` for none) and the param that `api` answers.
#[expect(clippy::too_many_lines, reason = "a table")]
fn cases() -> Vec<(Value, &'static str, &'static str)> {
    let f = json!({"name": "f"});
    let offer = json!([{"type": "function", "function": f}]);
    let user = |message: Value| with(json!({"messages": [message]}));
    let format = |format: Value| with(json!({"response_format": format}));
    vec![
        (
            with(json!({"max_tokens": 5, "max_completion_tokens": 5})),
            "invalid_parameter_combination",
            "max_tokens",
        ),
        (format(json!({"type": "json_schema", "schema": {}})), "unknown_parameter", "response_format.schema"),
        (format(json!({"type": "json_object"})), "null", "messages"),
        (with(json!({"metadata": {"k": 1}})), "invalid_type", "metadata.k"),
        (with(json!({"metadata": {"k": "x".repeat(513)}})), "string_above_max_length", "metadata.k"),
        (with(json!({"reasoning_effort": "much"})), "invalid_value", "reasoning_effort"),
        (with(json!({"logit_bias": []})), "invalid_type", "logit_bias"),
        (with(json!({"top_logprobs": 50, "logprobs": true})), "integer_above_max_value", "top_logprobs"),
        (with(json!({"max_tokens": 1.5})), "invalid_type", "max_tokens"),
        (with(json!({"max_tokens": -5})), "integer_below_min_value", "max_tokens"),
        (with(json!({"n": 0})), "integer_below_min_value", "n"),
        (with(json!({"top_p": 2})), "decimal_above_max_value", "top_p"),
        (with(json!({"presence_penalty": 3})), "decimal_above_max_value", "presence_penalty"),
        (with(json!({"stream": "yes"})), "invalid_type", "stream"),
        (with(json!({"frobnicate": 1})), "unknown_parameter", "frobnicate"),
        (with(json!({"model": 5})), "invalid_type", "model"),
        (with(json!({"tools": {}})), "invalid_type", "tools"),
        (with(json!({"tools": vec![offer[0].clone(); 129]})), "array_above_max_length", "tools"),
        (
            with(json!({"tools": [{"name": "f", "input_schema": {}}]})),
            "missing_required_parameter",
            "tools[0].type",
        ),
        (
            with(json!({"tools": [{"type": "function", "name": "f", "parameters": {}}]})),
            "missing_required_parameter",
            "tools[0].function",
        ),
        (tool(json!({"name": "a.b"})), "invalid_value", "tools[0].function.name"),
        (tool(json!({"name": "x".repeat(65)})), "string_above_max_length", "tools[0].function.name"),
        (
            tool(
                json!({"name": "f", "strict": true, "parameters": {"type": "object", "properties": {"a": {}}}}),
            ),
            "invalid_function_parameters",
            "tools[0].function.parameters",
        ),
        (with(json!({"tool_choice": "auto"})), "null", "tool_choice"),
        (with(json!({"tools": offer, "tool_choice": {"type": "any"}})), "invalid_value", "tool_choice.type"),
        (user(json!({"role": "human", "content": "hi"})), "invalid_value", "messages[0].role"),
        (
            user(json!({"role": "user", "content": [{"type": "image"}]})),
            "invalid_value",
            "messages[0].content[0].type",
        ),
        (history(json!([calls(json!([call("a", "f")]))])), "null", "messages.[1].role"),
        (
            history(json!([calls(json!([call("a", "f"), call("b", "f")])), answer("a")])),
            "null",
            "messages.[2].role",
        ),
        (
            history(json!([calls(json!([call("a", "")])), answer("a")])),
            "empty_string",
            "messages[1].tool_calls[0].function.name",
        ),
        (
            history(json!([calls(json!([call("a", "f")])), {"role": "tool", "content": "x"}])),
            "null",
            "messages.[2].tool_call_id",
        ),
        (
            history(
                json!([calls(json!([call("a", "f")])), {"role": "tool", "tool_call_id": "a", "content": null}]),
            ),
            "null",
            "messages.[2].content",
        ),
        (
            history(json!([
                calls(json!([{"type": "function", "function": {"name": "f", "arguments": "{}"}}])),
                answer("a")
            ])),
            "missing_required_parameter",
            "messages[1].tool_calls[0].id",
        ),
    ]
}

#[test]
fn each_kind_is_answered_with_its_code_and_param_under_api_and_refused_under_gate() {
    let api = RuleSet::new(Profile::Api, &[]).unwrap();
    let gate = RuleSet::new(Profile::Gate, &[]).unwrap();
    for (body, code, param) in cases() {
        let body = body.to_string();
        let reject = Request::of(&body).verdict(&api, &Nothing).unwrap_err();
        let found = (reject.code.unwrap_or("null"), reject.param.as_deref());
        assert_eq!(found, (code, Some(param)), "{body}\n{}", reject.message);
        assert_eq!((reject.status, reject.kind), (400, "invalid_request_error"));
        assert!(Request::of(&body).verdict(&gate, &Nothing).is_err(), "{body}");
    }
}

/// Every documented key with a value that it takes, and every form of tools, calls and parts.
#[test]
fn whatever_is_documented_is_accepted() {
    let parts = json!([
        {"type": "text", "text": "json"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
        {"type": "file", "file": {"file_id": "f"}},
    ]);
    let custom = json!({"id": "c", "type": "custom", "custom": {"name": "patch", "input": "not json"}});
    let grammar = json!({"type": "grammar", "grammar": {"definition": "start: \"a\"", "syntax": "lark"}});
    let full = json!({
        "model": "m",
        "messages": [
            {"role": "developer", "content": [{"type": "text", "text": "Be terse."}], "name": "boss"},
            {"role": "user", "content": parts, "name": "ann"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}], "refusal": null, "audio": {"id": "a"}},
            {"role": "assistant", "tool_calls": [call("a", "f"), custom]},
            answer("c"),
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "x"}], "name": "f"},
            {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": null},
        ],
        "tools": [
            {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}, "strict": null}},
            {"type": "custom", "custom": {"name": "patch", "format": grammar}},
        ],
        "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"type": "function"}]}},
        "parallel_tool_calls": true, "stream": true, "stream_options": {"include_usage": true, "include_obfuscation": false},
        "temperature": 2, "top_p": 0.5, "max_completion_tokens": 1, "n": 128, "stop": ["a", "b"], "seed": -1,
        "response_format": {"type": "json_object"}, "reasoning_effort": "xhigh", "verbosity": "low",
        "presence_penalty": -2, "frequency_penalty": 2, "logprobs": true, "top_logprobs": 20, "logit_bias": {"5": -100},
        "metadata": {"k": "v"}, "store": false, "user": "u", "safety_identifier": "s", "prompt_cache_key": "p",
        "prompt_cache_retention": "24h", "service_tier": "flex", "modalities": ["text", "audio"],
        "audio": {"voice": "alloy", "format": "mp3"}, "prediction": {"type": "content", "content": "x"},
        "web_search_options": {"search_context_size": "low", "user_location": {"type": "approximate", "approximate": {"city": "Paris"}}},
        "functions": [{"name": "g", "parameters": {}}], "function_call": {"name": "g"},
    });
    let mut bodies = vec![full.clone()];
    for choice in [json!("required"), json!({"type": "custom", "custom": {"name": "patch"}})] {
        let mut body = full.clone();
        body["tool_choice"] = choice;
        bodies.push(body);
    }
    for body in bodies {
        for profile in [Profile::Api, Profile::Gate] {
            let rules = RuleSet::new(profile, &[]).unwrap();
            assert_eq!(Request::of(&body.to_string()).verdict(&rules, &Nothing), Ok(()));
        }
    }
}

/// What the request types of the official Python library 3.57.0 hold beyond the document of 2026-08.
#[test]
fn what_is_documented_since_is_accepted_and_held_to_its_words() {
    let breakpoint = json!({"mode": "explicit", "ttl": "12h"});
    let text = json!({"type": "text", "text": "x", "prompt_cache_breakpoint": breakpoint});
    let parts = json!([
        text,
        {"type": "image_url", "image_url": {"url": "u"}, "prompt_cache_breakpoint": {"mode": "explicit"}},
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}, "prompt_cache_breakpoint": breakpoint},
        {"type": "file", "file": {"file_id": "f"}, "prompt_cache_breakpoint": breakpoint},
    ]);
    let policy = json!({"input": {"mode": "score"}, "output": {"mode": "block"}});
    for (more, wanted) in [
        (
            json!({"messages": [{"role": "system", "content": [text]}, {"role": "user", "content": parts}]}),
            None,
        ),
        (json!({"prediction": {"type": "content", "content": [text]}}), None),
        (json!({"prompt_cache_options": {"mode": "implicit", "ttl": "30m"}}), None),
        (json!({"moderation": {"model": "omni-moderation-latest", "policy": policy}}), None),
        (json!({"moderation": {"model": "m", "policy": {"input": null}}, "service_tier": "fast"}), None),
        (json!({"moderation": null, "reasoning_effort": "max"}), None),
        (json!({"moderation": {}}), Some("moderation.model")),
        (
            json!({"moderation": {"model": "m", "policy": {"input": {"mode": "x"}}}}),
            Some("moderation.policy.input.mode"),
        ),
        (json!({"prompt_cache_options": {"ttl": "1h"}}), Some("prompt_cache_options.ttl")),
        (
            json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "x", "prompt_cache_breakpoint": {}}]}]}),
            Some("messages[0].content[0].prompt_cache_breakpoint.mode"),
        ),
        (json!({"service_tier": "ultrafast"}), Some("service_tier")),
    ] {
        let body = with(more).to_string();
        for profile in [Profile::Api, Profile::Gate] {
            let rules = RuleSet::new(profile, &[]).unwrap();
            let told = Request::of(&body).verdict(&rules, &Nothing).err().and_then(|reject| reject.param);
            assert_eq!(told.as_deref(), wanted, "{body}");
        }
    }
}

/// The official Python library's `parse` and `stream` leave their readings in the message, and programs append that.
#[test]
fn what_clients_keep_of_a_reply_is_accepted() {
    let kept = [
        json!({"role": "assistant", "content": "{\"a\": 1}", "parsed": {"a": 1}}),
        json!({"role": "assistant", "content": "x", "parsed": null, "refusal": null, "annotations": [], "audio": null}),
        json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "index": 0,
            "function": {"name": "f", "arguments": "{\"a\": 1}", "parsed_arguments": {"a": 1}}}]}),
        json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function",
            "function": {"name": "f", "arguments": "{}", "parsed_arguments": null}}]}),
    ];
    for message in kept {
        let mut more = vec![message.clone()];
        if message.get("tool_calls").is_some() {
            more.push(answer("a"));
        }
        let body = history(Value::Array(more)).to_string();
        for profile in [Profile::Api, Profile::Gate] {
            let rules = RuleSet::new(profile, &[]).unwrap();
            let verdict = Request::with(&[], &body).verdict(&rules, &Nothing);
            assert!(verdict.is_ok(), "{body}: {verdict:?}");
        }
    }
    for elsewhere in [
        json!([{"role": "user", "content": "x", "parsed": null}]),
        json!([{"role": "assistant", "content": "x", "parsed_arguments": {}}]),
    ] {
        let body = history(elsewhere).to_string();
        let rules = RuleSet::new(Profile::Api, &[]).unwrap();
        assert!(Request::with(&[], &body).verdict(&rules, &Nothing).is_err(), "{body}");
    }
}

#[test]
fn each_way_in_which_calls_and_answers_fail_to_pair_has_a_rule_and_one_that_is_off_is_passed_over() {
    let answer = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let calls = |ids: &[&str]| json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(|id| call(id)).collect::<Vec<_>>()});
    let said = || json!({"role": "user", "content": "and?"});
    let missing = vec![calls(&["a", "b"]), answer("a"), said()];
    let unknown = vec![calls(&["a"]), answer("a"), said(), calls(&["b"]), answer("b"), answer("a")];
    let twice = vec![calls(&["a", "b"]), answer("a"), answer("a")];
    let first = |history: &[Value], off: &[&str]| {
        let switches: Vec<_> = off.iter().map(|name| ((*name).to_owned(), false)).collect();
        let rules = RuleSet::new(Profile::Gate, &switches).unwrap();
        let body = json!({"model": "m", "messages": history}).to_string();
        Request::of(&body).verdict(&rules, &Nothing).map_err(|reject| (reject.rule, reject.code))
    };
    let refused = |rule: &'static str| Err((rule, Some("gate_pairing")));
    assert_eq!(first(&missing, &[]), refused("answer-missing"));
    assert_eq!(first(&unknown, &[]), refused("answer-without-call"));
    assert_eq!(first(&twice, &[]), refused("answer-twice"));
    assert_eq!(first(&twice, &["answer-twice"]), refused("answer-missing"));
    let api = Err(("answers-follow-calls", None));
    assert_eq!(first(&missing, &["answer-missing"]), api);
    assert_eq!(first(&unknown, &["answer-without-call", "answer-missing"]), api);
}
