//! Errors and faults that pass: counted exactly, also where many requests come at once.

use crate::request::{Answer, chat, history, request};
use crate::stand::{CHAT, Served, Stand};
use rehearsal_testkit::raw_client::End;
use serde_json::{Value, json};

/// Trouble in the middle and at the end of a script, on two phrasings.
const SCRIPT: &str = r#"
version: 1
classes:
  troubled:
    script:
      - api_error: {status: 429, message: "Slow down.", type: requests, code: rate_limit_exceeded, headers: {Retry-After: 7, X-Request-Id: req_scripted}}
        times: 2
      - text: first answer
      - api_error: {status: 503, message: "Overloaded."}
        times: 1
      - fault: mid-body-drop
        times: 1
      - text: second answer
      - api_error: {status: 500, message: "Late."}
        times: 1
    phrasings:
      - {id: one, prompt: say one}
      - {id: two, prompt: say two}
  crowd:
    script:
      - api_error: {status: 429, message: "Slow down."}
        times: 7
      - text: through
    phrasings: [{id: crowd, prompt: all together}]
  crowd-cut:
    script:
      - fault: mid-body-drop
        times: 7
      - text: through
    phrasings: [{id: crowd-cut, prompt: all cut}]
"#;

/// What one request meets: its status, or 0 where the connection broke.
fn meet(stand: &Stand, path: &str, body: &Value) -> (u16, String) {
    let mut client = stand.client();
    let headers = [("Content-Type", Some("application/json")), ("Connection", Some("close"))];
    client.send(request("POST", path, &headers, body.to_string().as_bytes()));
    let seen = client.read_to_end();
    if seen.end == End::Reset {
        return (0, String::new());
    }
    let answer = Answer::read(&seen);
    let text = if answer.status == 200 { answer.said() } else { answer.message() };
    (answer.status, text)
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

#[test]
fn trouble_stands_before_its_step_and_takes_no_number_of_its_own() {
    let stand = Served::file("t.yaml", SCRIPT).lane("token", "one").lane("other", "two").start();
    for (path, prompt) in [
        (CHAT, "say one"),
        (CHAT, "say two"),
        ("/t/token/v1/chat/completions", "say one"),
        ("/t/other/v1/chat/completions", "say two"),
    ] {
        let mut met = Vec::new();
        for (history_before, requests) in [
            (vec![], 3),
            (vec![said("first answer")], 3),
            (vec![said("first answer"), said("second answer")], 2),
        ] {
            let body = history(prompt, &history_before, json!({}));
            met.extend((0..requests).map(|_| meet(&stand, path, &body)));
        }
        let exhausted = format!("GATE-SCRIPT-EXHAUSTED {} step 2", &prompt[4..]);
        let met: Vec<_> = met.iter().map(|(status, text)| (*status, text.as_str())).collect();
        assert_eq!(
            met,
            [
                (429, "Slow down."),
                (429, "Slow down."),
                (200, "first answer"),
                (503, "Overloaded."),
                (0, ""),
                (200, "second answer"),
                (500, "Late."),
                (200, exhausted.as_str()),
            ],
            "{path}: each phrasing and each case counts for itself"
        );
    }
    let steps: Vec<_> = stand.asked().iter().take(8).map(|asked| asked.step).collect();
    assert_eq!(steps, [0, 0, 0, 1, 1, 1, 2, 2].map(Some));
}

#[test]
fn a_request_that_is_refused_uses_no_trouble_up() {
    let stand = Served::file("t.yaml", SCRIPT).start();
    let refused =
        json!({"model": "m", "temperature": 9, "messages": [{"role": "user", "content": "say one"}]});
    for _ in 0..5 {
        assert_eq!(stand.chat(&refused).status, 400);
    }
    let statuses: Vec<_> = (0..3).map(|_| stand.chat(&chat("say one", json!({}))).status).collect();
    assert_eq!(statuses, [429, 429, 200]);
}

#[test]
fn of_twenty_requests_at_once_exactly_as_many_meet_the_trouble_as_it_says() {
    for (prompt, trouble) in [("all together", 429), ("all cut", 0)] {
        for path in [CHAT, "/t/token/v1/chat/completions"] {
            let id = if trouble == 0 { "crowd-cut" } else { "crowd" };
            let stand = Served::file("t.yaml", SCRIPT).lane("token", id).start();
            let body = chat(prompt, json!({}));
            let mut statuses: Vec<u16> = std::thread::scope(|scope| {
                let all: Vec<_> = (0..20).map(|_| scope.spawn(|| meet(&stand, path, &body).0)).collect();
                all.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            statuses.sort_unstable_by_key(|status| *status == 200);
            let wanted: Vec<u16> =
                std::iter::repeat_n(trouble, 7).chain(std::iter::repeat_n(200, 13)).collect();
            assert_eq!(statuses, wanted, "{prompt} on {path}");
        }
    }
}

#[test]
fn an_error_carries_what_the_script_says_and_each_header_once() {
    let stand = Served::file("t.yaml", SCRIPT).start();
    let limited = stand.chat(&chat("say one", json!({"stream": true})));
    assert_eq!(
        limited.json(),
        json!({"error": {"message": "Slow down.", "type": "requests", "param": null, "code": "rate_limit_exceeded"}})
    );
    assert_eq!(limited.header("retry-after"), Some("7"));
    assert_eq!(limited.header("x-request-id"), Some("req_scripted"), "a scripted header replaces ours");
    assert_eq!(limited.header("content-type"), Some("application/json"), "an error is never a stream");

    let stand = Served::file(
        "t.yaml",
        "version: 1\nclasses: {c: {script: [{api_error: {status: 404, message: gone, type: null, param: model, code: null}}], phrasings: [{id: p, prompt: go}]}}",
    )
    .start();
    let gone = stand.chat(&chat("go", json!({})));
    assert_eq!(
        (gone.status, gone.json()),
        (404, json!({"error": {"message": "gone", "type": null, "param": "model", "code": null}}))
    );
    assert!(gone.header("x-request-id").is_some_and(|id| id.starts_with("req_")));
    // Without `times` it is a step like any other, and nobody gets past it by asking again.
    assert_eq!(stand.chat(&chat("go", json!({}))).status, 404);
}

/// A script on a provider that wants what the model thought back, whatever step it stands at.
const THOUGHTFUL: &str = r#"
version: 1
classes:
  thoughtful:
    advance: request
    script:
      - {thinking: "Well.", text: first answer}
      - text: second answer
    phrasings: [{id: one, prompt: say one}]
"#;

#[test]
fn what_an_endpoint_does_not_take_it_takes_in_no_step_and_a_request_that_fits_uses_one_up() {
    let stand = Served::file("t.yaml", THOUGHTFUL).start();
    let body = json!({"fault": "wants-reasoning-back:times=2"});
    assert_eq!(meet(&stand, "/gate/faults", &body).0, 200);
    let back = |more: Value| {
        let mut answer = said("first answer");
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        history("say one", &[answer, json!({"role": "user", "content": "and?"})], json!({}))
    };
    assert_eq!(meet(&stand, CHAT, &chat("say one", json!({}))), (200, "first answer".to_owned()));
    for _ in 0..2 {
        let (status, message) = meet(&stand, CHAT, &back(json!({})));
        assert_eq!(status, 400, "{message}");
    }
    let thought = json!({"reasoning_content": "Well."});
    assert_eq!(meet(&stand, CHAT, &back(thought)), (200, "second answer".to_owned()));
}
