//! Ollama's native API over real sockets: what its client sent, what breaks it, what is answered.

use crate::request::{Answer, headers_of, lines, request};
use crate::stand::{Served, Stand};
use rehearsal_journal::event::Kind;
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

const CAPTURES: &str = include_str!("../../../wire/corpus/ollama/client-captures.jsonl");

/// The suite that the captures fit.
const SUITE: &str = r#"
version: 1
classes:
  c:
    script:
      - text: Both.
        tool_calls:
          - {name: get_weather, arguments: {city: Paris}}
          - {name: run_command, arguments: {command: echo hi, n: 1.5}}
          - {name: get_weather, arguments: {city: Rome}}
      - {text: done}
    phrasings: [{id: p, prompt: "Weather in Paris?"}]
"#;

fn served(profile: Profile) -> Stand {
    Served::file("s.yaml", SUITE).lane("tokenp", "p").under(profile).start()
}

fn send(stand: &Stand, line: &Value, body: &Value) -> Answer {
    let target = format!("/t/tokenp{}", line["path"].as_str().unwrap());
    stand.send(&request("POST", &target, &headers_of(line, &[]), body.to_string().as_bytes()))
}

/// The captures whose history holds calls.
fn histories() -> Vec<Value> {
    let all = lines(CAPTURES).into_iter();
    all.filter(|line| line["body"]["messages"].to_string().contains("\"tool_calls\"")).collect()
}

#[test]
fn every_captured_request_is_taken_under_gate_and_under_api() {
    for profile in [Profile::Gate, Profile::Api] {
        for line in lines(CAPTURES) {
            let stand = served(profile);
            let whose = format!("{} {} {}", line["scenario"], line["turn"], profile.name());
            let answer = send(&stand, &line, &line["body"]);
            assert_eq!(answer.status, 200, "{whose}: {}", answer.text());
            let body = answer.json();
            assert_eq!((&body["model"], &body["done"]), (&line["body"]["model"], &json!(true)), "{whose}");
            let asked = stand.asked().remove(0);
            assert!(asked.reject.is_none() && asked.notes.is_empty(), "{whose}: {asked:?}");
            if line["scenario"] == "tools" {
                let step = u64::from(line["turn"] == "second request");
                assert_eq!((asked.kind, asked.step), (Kind::Scenario, Some(step)), "{whose}");
            }
        }
    }
}

type Mutation = (&'static str, fn(&mut Value));

const MUTATIONS: &[Mutation] = &[
    ("changes an argument", |body| {
        body["messages"][2]["tool_calls"][0]["function"]["arguments"]["city"] = json!("Oslo")
    }),
    ("drops an answer", |body| drop(body["messages"].as_array_mut().unwrap().pop())),
    ("answers once more", |body| {
        let messages = body["messages"].as_array_mut().unwrap();
        messages.push(messages[3].clone());
    }),
    ("answers an unknown tool", |body| body["messages"][3]["tool_name"] = json!("other")),
    ("sends arguments as text", |body| {
        body["messages"][2]["tool_calls"][0]["function"]["arguments"] = json!("{}");
    }),
    ("limits the answer as OpenAI does", |body| body["max_tokens"] = json!(9)),
    ("sends parts", |body| {
        body["messages"][1]["content"] = json!([{"type": "text", "text": "Weather in Paris?"}])
    }),
    ("says other words", |body| body["messages"][2]["content"] = json!("Made up.")),
];

#[test]
fn every_broken_history_is_refused_under_gate() {
    for line in histories() {
        for (what, mutate) in MUTATIONS {
            let mut body = line["body"].clone();
            mutate(&mut body);
            let stand = served(Profile::Gate);
            let answer = send(&stand, &line, &body);
            assert_eq!(answer.status, 400, "{} {what}: {}", line["scenario"], answer.text());
            assert!(answer.json()["error"].is_string(), "{}", answer.text());
        }
    }
}

#[test]
fn a_history_that_was_cut_short_keeps_its_own_calls() {
    let suite = r#"
version: 1
classes:
  c:
    script:
      - tool_calls: [{name: f, arguments: {n: 1}}]
      - tool_calls: [{name: f, arguments: {n: 2}}]
      - {text: done}
    phrasings: [{id: p, prompt: say it}]
"#;
    let tools = json!([{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]);
    for (numbers, said) in [(&[1][..], ""), (&[1, 2], "done"), (&[2], "done")] {
        let stand = Served::file("s.yaml", suite).lane("tokenp", "p").start();
        let mut messages = vec![json!({"role": "user", "content": "say it"})];
        for number in numbers {
            messages.push(json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"n": number}}}]}));
            messages.push(json!({"role": "tool", "tool_name": "f", "content": "x"}));
        }
        let body = json!({"model": "m", "stream": false, "messages": messages, "tools": tools});
        let answer = stand.post("/t/tokenp/api/chat", &body.to_string());
        assert_eq!(answer.json()["message"]["content"], said, "{numbers:?}: {}", answer.text());
    }
}

#[test]
fn lines_are_streamed_unless_the_request_says_no_and_any_content_type_does() {
    let stand = served(Profile::Gate);
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
    let form = [("Content-Type", Some("application/x-www-form-urlencoded"))];
    let streamed = stand.send(&request("POST", "/api/chat", &form, body.to_string().as_bytes()));
    assert_eq!(streamed.header("content-type"), Some("application/x-ndjson"));
    let parts: Vec<Value> = streamed.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&parts[0]["message"]["content"], &parts[1]["done"], parts.len()),
        (&json!("ok"), &json!(true), 2)
    );
    assert!(streamed.header("x-request-id").is_none());
}

#[test]
fn what_go_cannot_read_is_refused_in_its_words() {
    let stand = served(Profile::Api);
    for (path, body, message) in [
        ("/api/chat", json!({}), "model is required"),
        ("/api/chat", json!({"model": ""}), "model is required"),
        (
            "/api/chat",
            json!({"model": "m", "stream": "no"}),
            "json: cannot unmarshal string into Go struct field ChatRequest.stream of type bool",
        ),
        (
            "/api/chat",
            json!({"model": "m", "messages": [{"role": "user", "content": 7}]}),
            "json: cannot unmarshal number into Go struct field ChatRequest.messages.content of type string",
        ),
        ("/api/chat", json!([]), "json: cannot unmarshal array into Go value of type api.ChatRequest"),
        (
            "/api/generate",
            json!({"model": "m", "prompt": 7}),
            "json: cannot unmarshal number into Go struct field GenerateRequest.prompt of type string",
        ),
        ("/api/show", json!({}), "model is required"),
        ("/api/embed", json!({"model": "m", "input": 7}), "invalid input type"),
        ("/api/embeddings", json!({}), "model is required"),
    ] {
        let refused = stand.post(path, &body.to_string());
        assert_eq!((refused.status, refused.json()), (400, json!({"error": message})), "{path} {body}");
    }
    for body in
        [json!({"model": "m", "unknown": 1, "messages": null}), json!({"model": "m", "temperature": 1})]
    {
        assert_eq!(stand.post("/api/chat", &body.to_string()).status, 200, "{body}");
    }
}

#[test]
fn what_else_clients_ask_is_answered() {
    let stand = Served::nothing().require_key().start();
    for (path, key) in [("/api/tags", "models"), ("/api/ps", "models"), ("/api/version", "version")] {
        let got = stand.send(&request("GET", path, &[], b""));
        assert!(got.status == 200 && !got.json()[key].is_null(), "{path}: {}", got.text());
        assert_eq!(stand.post(path, "{}").status, 404, "{path}");
    }
    let of = |path: &str, body: Value| stand.post(path, &body.to_string()).json();
    let shown = of("/api/show", json!({"name": "m"}));
    assert!(shown["capabilities"].as_array().unwrap().contains(&json!("tools")), "{shown}");
    let all =
        of("/api/embed", json!({"model": "m", "input": ["a", "b"], "dimensions": 5}))["embeddings"].clone();
    assert_eq!((all.as_array().unwrap().len(), all[0].as_array().unwrap().len()), (2, 5));
    for nothing in [json!(null), json!(""), json!([])] {
        assert_eq!(of("/api/embed", json!({"model": "m", "input": nothing}))["embeddings"], json!([]));
    }
    assert_eq!(
        of("/api/embeddings", json!({"model": "m", "prompt": "a"}))["embedding"].as_array().unwrap().len(),
        768
    );
}
