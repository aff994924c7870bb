//! The paths of Azure: deployments, versions, the key header, the words of the gateway before the API.

use crate::request::{Answer, request, tool};
use crate::stand::{Served, Stand};
use rehearsal_journal::event::Kind;
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

const VERSION: &str = "?api-version=2024-10-21";

const SUITE: &str = r#"
version: 1
classes:
  c: {script: [{tool_calls: [{name: one, arguments: {a: 1}}]}, {text: done}], phrasings: [{id: p, prompt: say it}]}
"#;

fn post(stand: &Stand, target: &str, body: &Value) -> Answer {
    let headers = [("Content-Type", Some("application/json")), ("api-key", Some("secret-of-azure"))];
    stand.send(&request("POST", target, &headers, body.to_string().as_bytes()))
}

fn said(prompt: &str) -> Value {
    json!({"messages": [{"role": "user", "content": prompt}], "tools": [tool("one")]})
}

#[test]
fn a_deployment_is_the_model_where_the_body_names_none() {
    for profile in [Profile::Gate, Profile::Api] {
        let stand = Served::file("s.yaml", SUITE).lane("tokenp", "p").under(profile).start();
        let target = format!("/t/tokenp/openai/deployments/my%20gpt/chat/completions{VERSION}");
        let first = post(&stand, &target, &said("say it")).json();
        assert_eq!((&first["model"], &first["object"]), (&json!("my gpt"), &json!("chat.completion")));
        let mut body = said("say it");
        body["model"] = json!("gpt-4o");
        assert_eq!(post(&stand, &target, &body).json()["model"], "gpt-4o");
        let call = first["choices"][0]["message"].clone();
        let id = call["tool_calls"][0]["id"].clone();
        let mut body = said("say it");
        let later = [call, json!({"role": "tool", "tool_call_id": id, "content": "x"})];
        body["messages"].as_array_mut().unwrap().extend(later);
        assert_eq!(post(&stand, &target, &body).said(), "done");
        assert!(stand.asked().iter().all(|asked| asked.kind == Kind::Scenario && asked.reject.is_none()));
    }
}

#[test]
fn the_newer_paths_serve_what_the_api_serves() {
    let stand = Served::file("s.yaml", SUITE).start();
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
    assert_eq!(post(&stand, "/openai/v1/chat/completions", &body).said(), "ok");
    for target in [
        "/openai/v1/responses",
        "/openai/v1/responses?api-version=preview",
        "/openai/responses?api-version=2025-04-01-preview",
    ] {
        let first = post(&stand, target, &json!({"model": "m", "input": "hi"})).json();
        let kept = target.replace("responses", &format!("responses/{}", first["id"].as_str().unwrap()));
        let again = stand.send(&request("GET", &kept, &[("api-key", Some("k"))], b""));
        assert_eq!(again.json()["id"], first["id"], "{kept}");
    }
    let models = stand.send(&request("GET", &format!("/openai/models{VERSION}"), &[], b""));
    assert_eq!(models.json()["object"], "list");
}

#[test]
fn without_a_version_nothing_is_found_in_the_words_of_the_gateway() {
    let stand = Served::file("s.yaml", SUITE).start();
    for target in
        ["/openai/deployments/d/chat/completions", "/openai/responses", "/openai/responses?api-version="]
    {
        let answer = post(&stand, target, &said("say it"));
        assert_eq!(answer.text(), r#"{"error":{"code":"404","message": "Resource not found"}}"#, "{target}");
        assert_eq!(answer.status, 404);
    }
    for target in ["/openai/deployments/d/responses", "/openai/chat/completions", "/openai/nothing"] {
        assert_eq!(post(&stand, &format!("{target}{VERSION}"), &said("say it")).status, 404, "{target}");
    }
    assert!(stand.asked().iter().all(|asked| asked.kind == Kind::WrongPath && asked.reject.is_some()));
}

#[test]
fn the_key_may_come_in_the_header_of_azure_there_and_nowhere_else() {
    let stand = Served::file("s.yaml", SUITE).require_key().start();
    let azure = format!("/openai/deployments/d/chat/completions{VERSION}");
    let bare = [("Content-Type", Some("application/json"))];
    let body = said("say it").to_string();
    let refused = stand.send(&request("POST", &azure, &bare, body.as_bytes()));
    assert_eq!((refused.status, refused.code()), (401, json!("401")), "{}", refused.text());
    assert_eq!(post(&stand, &azure, &said("say it")).status, 200);
    let bearer = [bare[0], ("Authorization", Some("Bearer token"))];
    assert_eq!(stand.send(&request("POST", &azure, &bearer, body.as_bytes())).status, 200);
    assert_eq!(post(&stand, "/v1/chat/completions", &said("say it")).status, 401);
    for (path, bytes) in stand.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains("secret-of-azure"), "{path} holds the key");
    }
}
