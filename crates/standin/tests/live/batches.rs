//! Message batches: their requests are played at once, and told when the client asks a second time.

use crate::request::{Answer, request};
use crate::stand::{Served, Stand};
use rehearsal_journal::event::Kind;
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

const SUITE: &str = r#"
version: 1
classes:
  c: {script: [{text: first}, {text: second}], phrasings: [{id: p, prompt: say it}]}
  e: {script: [{api_error: {status: 529, message: much}, times: 1}, {text: late}], phrasings: [{id: q, prompt: fail it}]}
"#;

const PATH: &str = "/v1/messages/batches";

fn send(stand: &Stand, method: &str, path: &str, body: &str) -> Answer {
    let headers = [
        ("Content-Type", Some("application/json")),
        ("anthropic-version", Some("2023-06-01")),
        ("x-api-key", Some("k")),
    ];
    stand.send(&request(method, path, &headers, body.as_bytes()))
}

fn asking(name: &str, prompt: &str, more: &Value) -> Value {
    let mut params =
        json!({"model": "m", "max_tokens": 90, "messages": [{"role": "user", "content": prompt}]});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"custom_id": name, "params": params})
}

fn begin(stand: &Stand, lane: &str, requests: &[Value]) -> Value {
    let answer = send(stand, "POST", &format!("{lane}{PATH}"), &json!({"requests": requests}).to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Asks until the batch has ended; gives its results by name.
fn results(stand: &Stand, lane: &str, id: &Value) -> Vec<Value> {
    let path = format!("{lane}{PATH}/{}", id.as_str().unwrap());
    for status in ["in_progress", "ended", "ended"] {
        assert_eq!(send(stand, "GET", &path, "").json()["processing_status"], status);
    }
    let url = send(stand, "GET", &path, "").json()["results_url"].as_str().unwrap().to_owned();
    assert_eq!(url, format!("http://127.0.0.1{path}/results"));
    let lines = send(stand, "GET", &format!("{path}/results"), "");
    assert_eq!(lines.header("content-type"), Some("application/x-jsonl"));
    lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_request_of_a_batch_is_played_judged_and_written_down() {
    let stand = Served::file("s.yaml", SUITE).start();
    let batch = begin(
        &stand,
        "",
        &[
            asking("a", "say it", &json!({})),
            asking("b", "something else", &json!({})),
            asking("c", "say it", &json!({"max_completion_tokens": 9})),
            asking("d", "say it", &json!({"stream": true})),
        ],
    );
    assert_eq!(
        batch["request_counts"],
        json!({"processing": 4, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0})
    );
    assert!(batch["results_url"].is_null() && batch["ended_at"].is_null(), "{batch}");
    let told = results(&stand, "", &batch["id"]);
    let said: Vec<_> = told.iter().map(|line| (&line["custom_id"], &line["result"]["type"])).collect();
    let (succeeded, errored) = (json!("succeeded"), json!("errored"));
    assert_eq!(
        said,
        [
            (&json!("a"), &succeeded),
            (&json!("b"), &succeeded),
            (&json!("c"), &errored),
            (&json!("d"), &errored)
        ]
    );
    assert_eq!(told[0]["result"]["message"]["content"][0]["text"], "first");
    assert_eq!(told[1]["result"]["message"]["content"][0]["text"], "ok");
    assert_eq!(told[2]["result"]["error"]["error"]["type"], "invalid_request_error");
    let kinds: Vec<_> =
        stand.asked().iter().map(|asked| (asked.kind, asked.reject.is_some())).take(5).collect();
    let scenario = |refused| (Kind::Scenario, refused);
    assert_eq!(
        kinds,
        [scenario(false), (Kind::Background, false), scenario(true), scenario(false), (Kind::Aside, false)]
    );
    let asked = stand.asked().len();
    assert_eq!(stand.answered(asked).len(), asked);
}

#[test]
fn what_a_batch_uses_up_is_used_up_in_its_order() {
    let stand = Served::file("s.yaml", SUITE).lane("tokenq", "q").start();
    let ask = |name| asking(name, "fail it", &json!({}));
    let batch = begin(&stand, "/t/tokenq", &[ask("a"), ask("b")]);
    let told = results(&stand, "/t/tokenq", &batch["id"]);
    assert_eq!(told[0]["result"]["error"]["error"]["type"], "overloaded_error");
    assert_eq!(
        told[1]["result"]["message"]["content"][0]["text"], "late",
        "the error was used up by the request before"
    );
}

#[test]
fn batches_are_listed_cancelled_and_forgotten() {
    let stand = Served::file("s.yaml", SUITE).start();
    let ids: Vec<_> =
        ["a", "b"].map(|name| begin(&stand, "", &[asking(name, "say it", &json!({}))])["id"].clone()).into();
    assert_ne!(ids[0], ids[1]);
    let list = send(&stand, "GET", PATH, "").json();
    assert_eq!((&list["data"][0]["id"], &list["first_id"], &list["last_id"]), (&ids[1], &ids[1], &ids[0]));
    let path = format!("{PATH}/{}", ids[0].as_str().unwrap());
    assert_eq!(send(&stand, "GET", &format!("{path}/results"), "").status, 400);
    assert_eq!(send(&stand, "DELETE", &path, "").status, 400);
    let cancelled = send(&stand, "POST", &format!("{path}/cancel"), "").json();
    assert_eq!(cancelled["processing_status"], "canceling", "{cancelled}");
    let ended = send(&stand, "GET", &path, "").json();
    assert_eq!(
        (&ended["processing_status"], &ended["request_counts"]["canceled"]),
        (&json!("ended"), &json!(1))
    );
    assert!(ended["cancel_initiated_at"].is_string(), "{ended}");
    assert_eq!(send(&stand, "POST", &format!("{path}/cancel"), "").json(), ended, "it ended before");
    let line = send(&stand, "GET", &format!("{path}/results"), "").text();
    assert_eq!(line, "{\"custom_id\":\"a\",\"result\":{\"type\":\"canceled\"}}\n");
    assert_eq!(send(&stand, "DELETE", &path, "").json()["type"], "message_batch_deleted");
    for (method, more) in [("GET", ""), ("DELETE", ""), ("GET", "/results"), ("POST", "/cancel")] {
        let gone = send(&stand, method, &format!("{path}{more}"), "");
        assert_eq!(
            (gone.status, &gone.json()["error"]["type"]),
            (404, &json!("not_found_error")),
            "{method} {more}"
        );
    }
}

#[test]
fn a_batch_that_holds_no_requests_by_name_is_refused() {
    let stand = Served::nothing().under(Profile::Api).start();
    let whole = asking("a", "hi", &json!({}));
    for (requests, message) in [
        (Value::Null, "requests: Input should be a valid list"),
        (json!([]), "requests: List should have at least 1 item after validation, not 0"),
        (json!([{"params": {}}]), "requests.0.custom_id: Field required"),
        (
            json!([{"custom_id": "a b", "params": {}}]),
            "requests.0.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
        ),
        (json!([{"custom_id": "a"}]), "requests.0.params: Field required"),
        (json!([{"custom_id": "a", "params": []}]), "requests.0.params: Input should be a valid dictionary"),
        (json!([whole, whole]), "requests.1.custom_id: custom_id must be unique within a batch"),
    ] {
        let refused = send(&stand, "POST", PATH, &json!({"requests": requests}).to_string());
        assert_eq!((refused.status, refused.message().as_str()), (400, message));
    }
    let missing = send(&stand, "POST", PATH, "{}");
    assert_eq!(missing.message(), "requests: Field required");
    assert_eq!(send(&stand, "POST", PATH, "{").status, 400);
    assert_eq!(
        stand.send(&request("GET", PATH, &[("anthropic-version", Some("2023-06-01"))], b"")).status,
        401
    );
}
