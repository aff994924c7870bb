//! The Messages API over real sockets: what is answered, and what keeps a conversation whole.

use crate::request::{Answer, request};
use crate::stand::{Served, Stand};
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

const PATH: &str = "/v1/messages";

/// Thinks, speaks and calls twice; then speaks.
const SUITE: &str = r#"
version: 1
classes:
  c:
    phrasings: [{id: "look.up é", prompt: "Look it up for me, please."}]
    script:
      - thinking: Hm. Well.
        text: Let me see.
        tool_calls: [{name: look, arguments: {n: 1}}, {name: look, arguments: {n: 2}}]
      - text: Found.
      - text: Once more.
  slow:
    phrasings: [{id: slow, prompt: "Answer at the second attempt."}]
    script:
      - api_error: {status: 429, message: slow, headers: {retry-after: "2"}}
        times: 1
      - api_error: {status: 529, message: full}
        times: 1
      - text: Now.
"#;

fn post(stand: &Stand, headers: &[(&str, &str)], body: &Value) -> Answer {
    let json = ("content-type", Some("application/json"));
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, Some(*value))).chain([json]).collect();
    stand.send(&request("POST", PATH, &headers, body.to_string().as_bytes()))
}

const CLIENT: &[(&str, &str)] = &[("x-api-key", "test"), ("anthropic-version", "2023-06-01")];

fn ask(prompt: &str, more: Value) -> Value {
    let mut body = json!({"model": "m", "max_tokens": 2000, "messages": [{"role": "user", "content": prompt}],
        "tools": [{"name": "look", "input_schema": {"type": "object"}}]});
    let Value::Object(more) = more else { panic!("members are an object") };
    body.as_object_mut().unwrap().extend(more);
    body
}

fn thinks() -> Value {
    json!({"thinking": {"type": "enabled", "budget_tokens": 1024}})
}

/// The answers to all calls of a message.
fn results(message: &Value) -> Value {
    let calls = message["content"].as_array().unwrap().iter().filter(|block| block["type"] == "tool_use");
    let result = |call: &Value| json!({"type": "tool_result", "tool_use_id": call["id"], "content": "x"});
    json!({"role": "user", "content": calls.map(result).collect::<Vec<_>>()})
}

/// The request of the second turn, with the first one's blocks as they are given.
fn second(message: &Value, blocks: &[Value]) -> Value {
    let mut body = ask("Look it up for me, please.", thinks());
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": blocks}));
    messages.push(results(message));
    body
}

#[test]
fn a_conversation_is_played_with_ids_in_letters_that_the_api_allows() {
    let stand = Served::file("t.yaml", SUITE).start();
    let first = post(&stand, CLIENT, &ask("Look it up for me, please.", thinks())).json();
    let blocks = first["content"].as_array().unwrap();
    let kinds: Vec<_> = blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use", "tool_use"]);
    assert_eq!(blocks[3]["id"], "call_gate_look-x2e-up-x20--xe9-_s0_1");
    assert_eq!(post(&stand, CLIENT, &second(&first, blocks)).json()["content"][0]["text"], "Found.");
    let mut changed = blocks.clone();
    changed[3]["input"]["n"] = json!(3);
    let refused = post(&stand, CLIENT, &second(&first, &changed)).json();
    assert_eq!(refused["error"]["details"]["error_code"], "gate_echo_mismatch");
    let steps: Vec<_> = stand.asked().iter().map(|asked| asked.step).collect();
    assert_eq!(steps, [Some(0), Some(1), None]);
}

#[test]
fn a_thought_comes_back_whole_or_the_request_is_refused_under_gate_and_api() {
    for profile in [Profile::Gate, Profile::Api] {
        let stand = Served::file("t.yaml", SUITE).under(profile).start();
        let first = post(&stand, CLIENT, &ask("Look it up for me, please.", thinks())).json();
        let blocks = first["content"].as_array().unwrap();
        let mut changed = blocks.clone();
        changed[0]["thinking"] = json!("Hm. Hm.");
        let said = |blocks: &[Value]| {
            let answer = post(&stand, CLIENT, &second(&first, blocks));
            (answer.status, answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned())
        };
        assert_eq!(said(blocks).0, 200);
        let (status, message) = said(&changed);
        assert_eq!(
            (status, &*message),
            (400, "messages.1.content.0: Invalid `signature` in `thinking` block")
        );
        let (status, message) = said(&blocks[1..]);
        assert_eq!(status, 400);
        assert!(message.starts_with("messages.1.content.0.type: Expected `thinking`"), "{message}");
        let mut calm = second(&first, &blocks[1..]);
        calm.as_object_mut().unwrap().remove("thinking");
        assert_eq!(post(&stand, CLIENT, &calm).status, 200, "who no longer thinks may leave thoughts out");
    }
}

#[test]
fn a_thread_goes_on_from_the_reply_that_it_names() {
    let stand = Served::file("t.yaml", SUITE).start();
    let first = post(&stand, CLIENT, &ask("Look it up for me, please.", json!({}))).json();
    let on = |id: &Value, message: Value| {
        let thread = json!({"type": "continue", "previous_message_id": id});
        let body = json!({"model": "m", "max_tokens": 2000, "messages": [message], "thread": thread});
        post(&stand, CLIENT, &body)
    };
    let second = on(&first["id"], results(&first)).json();
    assert_eq!(second["content"][0]["text"], "Found.");
    let third = on(&second["id"], json!({"role": "user", "content": "And now?"})).json();
    assert_eq!(third["content"][0]["text"], "Once more.");
    let unanswered = on(&first["id"], json!({"role": "user", "content": "And now?"}));
    assert_eq!(unanswered.json()["error"]["details"]["error_code"], "gate_pairing");
    let unknown = on(&json!("msg_other"), json!({"role": "user", "content": "And now?"}));
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["error"]["details"]["error_code"], "thread_not_found");
}

#[test]
fn scripted_errors_keep_their_status_and_headers_and_get_the_type_of_the_api() {
    let stand = Served::file("t.yaml", SUITE).start();
    let body = ask("Answer at the second attempt.", json!({"stream": true}));
    let (slow, full) = (post(&stand, CLIENT, &body), post(&stand, CLIENT, &body));
    assert_eq!((slow.status, slow.header("retry-after")), (429, Some("2")));
    assert_eq!(slow.json()["error"], json!({"type": "rate_limit_error", "message": "slow"}));
    assert_eq!(slow.json()["request_id"].as_str(), slow.header("request-id"));
    assert_eq!((full.status, &full.json()["error"]["type"]), (529, &json!("overloaded_error")));
    let streamed = post(&stand, CLIENT, &body);
    assert!(streamed.text().ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
}

#[test]
fn a_key_may_come_in_either_header() {
    let stand = Served::file("t.yaml", SUITE).under(Profile::Api).start();
    let version = ("anthropic-version", "2023-06-01");
    let body = ask("hi", json!({}));
    for (key, status) in [
        (Some(("x-api-key", "test")), 200),
        (Some(("authorization", "Bearer test")), 200),
        (Some(("authorization", "Bearer")), 401),
        (None, 401),
    ] {
        let headers: Vec<_> = key.into_iter().chain([version]).collect();
        let answer = post(&stand, &headers, &body);
        assert_eq!(answer.status, status, "{key:?}");
        if status == 401 {
            assert_eq!(answer.json()["error"]["type"], "authentication_error");
        }
    }
}

#[test]
fn models_and_refusals_beside_the_route_speak_as_the_client_does() {
    let stand = Served::nothing().start();
    let get = |path: &str, headers: &[(&str, Option<&str>)]| stand.send(&request("GET", path, headers, b""));
    let version = ("anthropic-version", Some("2023-06-01"));
    assert_eq!(get("/v1/models", &[version]).json()["data"][0]["type"], "model");
    assert_eq!(get("/v1/models/claude-x", &[version]).json()["id"], "claude-x");
    assert_eq!(get("/v1/models", &[]).json()["object"], "list");
    let wrong = get("/v1/other", &[version]);
    assert_eq!((wrong.status, &wrong.json()["error"]["type"]), (404, &json!("not_found_error")));
    let wrong = get(PATH, &[]);
    assert_eq!((wrong.status, &wrong.json()["type"]), (405, &json!("error")));
    assert_eq!(get("/v1/other", &[]).json()["error"]["code"], "unknown_route");
    let case = get("/t/gone/v1/messages", &[]).json();
    assert_eq!(case["error"]["type"], "not_found_error");
    let long = [("content-length", Some("99999999999")), ("content-type", Some("application/json"))];
    let large = Answer::read(&stand.client().send(request("POST", PATH, &long, b"{}")).reply());
    assert_eq!((large.status, &large.json()["error"]["type"]), (413, &json!("request_too_large")));
}

#[test]
fn an_answer_beside_the_script_has_the_form_that_is_asked_for() {
    let stand = Served::nothing().start();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let format = json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}});
    let answer = post(&stand, CLIENT, &ask("hi", format)).json();
    assert_eq!(answer["content"][0]["text"], r#"{"n":0}"#);
}

#[test]
fn what_the_offered_schema_or_a_double_explains_is_noted_and_not_refused() {
    let script = r#"
version: 1
classes:
  c:
    phrasings: [{id: p, prompt: "Look it up for me, please."}]
    script:
      - tool_calls: [{name: look, arguments: {n: 9007199254740993, extra: 1}}]
      - text: Found.
"#;
    for (input, code) in [
        (json!({"n": 9_007_199_254_740_992_u64, "extra": 1}), Some("arguments-through-doubles")),
        (json!({"n": 9_007_199_254_740_993_u64}), Some("arguments-stripped")),
        (json!({"extra": 1.0, "n": 9_007_199_254_740_993_u64}), None),
    ] {
        let stand = Served::file("t.yaml", script).start();
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let mut body = ask("Look it up for me, please.", json!({}));
        body["tools"][0]["input_schema"] = schema;
        let call = json!({"type": "tool_use", "id": "call_gate_p_s0_0", "name": "look", "input": input});
        let messages = body["messages"].as_array_mut().unwrap();
        messages.push(json!({"role": "assistant", "content": [call]}));
        let answered = results(&messages[1]);
        messages.push(answered);
        assert_eq!(post(&stand, CLIENT, &body).json()["content"][0]["text"], "Found.", "{input}");
        let notes: Vec<_> = stand.asked()[0].notes.iter().map(|note| note.code.clone()).collect();
        assert_eq!(notes.first().map(String::as_str), code, "{input}");
    }
}

#[test]
fn faults_break_what_this_api_would_have_sent() {
    let stand = Served::nothing().mode("tool-pending-forever").start();
    let pending = post(&stand, CLIENT, &ask("hi", json!({}))).json();
    assert_eq!(
        (&pending["stop_reason"], &pending["content"][0]["type"]),
        (&json!("tool_use"), &json!("tool_use"))
    );
    let stand = Served::nothing().mode("mid-body-drop").start();
    let body = ask("hi", json!({})).to_string();
    let headers = [("content-type", Some("application/json"))];
    let seen = stand.client().send(request("POST", PATH, &headers, body.as_bytes())).read_to_end();
    let cut = seen.body().to_vec();
    assert!(cut.starts_with(b"{\"model\":") && serde_json::from_slice::<Value>(&cut).is_err());
}
