//! Ollama's native API over real sockets: what is answered, and in which words it refuses.

use crate::request::request;
use crate::stand::Served;
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

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
    let stand = Served::nothing().start();
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
    let stand = Served::nothing().under(Profile::Api).start();
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
