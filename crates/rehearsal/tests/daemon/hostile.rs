//! Answers that are broken on the wire. What they say has happened all the same.

use crate::stand::{Got, Stand, fresh, start_body};
use rehearsal_journal::daemon::Fact;
use rehearsal_testkit::{End, RawClient};
use serde_json::json;

const RUNS: &str = "version: 1
runs:
  - {id: '[slow-head]', troubles: [{on: poll, mode: slow_head, time: 300ms}]}
  - {id: '[slow-body]', troubles: [{on: poll, mode: slow_body, time: 300ms}]}
  - {id: '[cut]', troubles: [{on: poll, skip: 1, mode: status_then_cut}], steps: [{polls: 3, end: succeeded}]}
  - {id: '[garbage]', troubles: [{on: start, mode: garbage}]}
  - {id: '[stranger]', troubles: [{on: control, times: 2, mode: unauthorized_then_cut}], steps: [{hang: true}]}
  - {id: '[message]', troubles: [{on: message, mode: status_then_cut}], steps: [{hang: true}]}
  - {id: '[answer]', troubles: [{on: answer, mode: garbage}], steps: [{ask: {question: Well?}}]}
  - {id: '[events]', troubles: [{on: events, mode: status_then_cut}], steps: [{hang: true}]}
";

/// Sends a request; its answer is still to be read.
fn ask(stand: &Stand, method: &str, path: &str, key: &str, body: &str) -> RawClient {
    let mut client = stand.connect();
    let key = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
    let head = stand.head(&format!("{key}Content-Length: {}\r\n\r\n", body.len()));
    client.send(format!("{method} {path} HTTP/1.1\r\n{head}{body}"));
    client
}

#[test]
fn slow_answers_come_whole_and_the_connection_serves_on() {
    let stand = Stand::scripted("slow", RUNS, &[]);
    for (prompt, early) in [("[slow-head]", 0), ("[slow-body]", 200)] {
        let run = stand.start(prompt);
        let path = format!("/v2/runs/{run}");
        let mut client = ask(&stand, "GET", &path, "", "");
        let (clock, status) = (std::time::Instant::now(), client.read_at_least(9).len());
        assert!(status >= 9);
        let first = clock.elapsed();
        let got = Got::of(&client.reply());
        assert_eq!((got.status, got.body["summary"]["state"].as_str()), (200, Some("succeeded")));
        assert!(clock.elapsed().as_millis() >= 200);
        // A slow head shows nothing before; a slow body shows the head at once.
        assert!(early == 200 || first.as_millis() >= 200, "{prompt}: {first:?}");
        client.send(format!("GET {path} HTTP/1.1\r\n{}", stand.head("\r\n")));
        assert_eq!(client.reply().status(), 200);
    }
}

#[test]
fn cut_answers_break_off_where_the_file_says() {
    let mut stand = Stand::scripted("cut", RUNS, &[]);
    let run = stand.start("[cut]");
    let path = format!("/v2/runs/{run}");
    assert_eq!(stand.get(&path).status, 200);
    let seen = ask(&stand, "GET", &path, "", "").read_to_end();
    assert_eq!((seen.status(), seen.end, seen.body()), (200, End::Reset, &b""[..]));
    // The read counted.
    assert_eq!(stand.detail(&run)["summary"]["state"], "succeeded");

    let run = stand.start("[stranger]");
    let path = format!("/v2/runs/{run}/control");
    let cancel = json!({"control": {"kind": "cancel"}}).to_string();
    for _ in 0..2 {
        let seen = ask(&stand, "POST", &path, "", &cancel).read_to_end();
        assert_eq!((seen.status(), seen.end), (401, End::Reset));
        assert!(serde_json::from_slice::<serde_json::Value>(seen.body()).is_err());
    }
    assert_eq!(stand.detail(&run)["summary"]["state"], "cancelled");

    let run = stand.start("[message]");
    let path = format!("/v2/runs/{run}/messages");
    let seen = ask(&stand, "POST", &path, "the-key", r#"{"text": "x"}"#).read_to_end();
    assert_eq!((seen.status(), seen.end), (200, End::Reset));
    assert_eq!(stand.message(&run, "the-key", "x").body["outcome"], "accepted");

    let run = stand.start("[events]");
    let seen = stand.listen(&run, "").read_to_end();
    assert_eq!((seen.status(), seen.end), (200, End::Reset));
    stand.cancel(&run);
    assert!(stand.listen(&run, "").read_to_end().text().contains("event: end"));
    stand.stop();
    let broken: Vec<_> = stand
        .facts()
        .into_iter()
        .filter_map(|fact| match fact {
            Fact::Decided(decided) => decided.broken,
            _ => None,
        })
        .collect();
    let cut = "status_then_cut";
    assert_eq!(broken, [cut, "unauthorized_then_cut", "unauthorized_then_cut", cut, cut]);
}

#[test]
fn a_start_whose_answer_is_garbage_made_its_run_and_the_key_finds_it() {
    let stand = Stand::scripted("garbage", RUNS, &[]);
    let (key, body) = (fresh(), start_body("[garbage]", &json!({})).to_string());
    let seen = ask(&stand, "POST", "/v2/runs", &key, &body).reply();
    assert_eq!(seen.status(), 200);
    assert!(serde_json::from_slice::<serde_json::Value>(seen.body()).is_err());
    let runs = stand.run_dirs();
    assert_eq!(runs.len(), 1);
    assert_eq!(stand.start_with(&key, "[garbage]", &json!({})).body["runId"], runs[0].as_str());

    let run = stand.start("[answer]");
    let question = stand.pending(&run);
    let got = stand.answer(&run, &question, &json!([{"freeText": "x"}]));
    assert_eq!((got.status, got.body), (200, serde_json::Value::Null));
    assert_eq!(stand.answer(&run, &question, &json!([{"freeText": "x"}])).status, 409);
}

#[test]
fn problems_of_the_real_daemon_come_in_the_place_of_answers() {
    let script = "version: 1
runs:
  - id: '[m]'
    steps: [{hang: true}]
    troubles:
      - {on: message, times: 2, mode: problem, code: delivery_in_progress}
      - {on: poll, mode: problem, code: idempotency_status_unavailable}
      - {on: control, mode: problem, code: delegation_cancel_incomplete, status: 502}
      - {on: events, mode: problem, code: daemon_stopping}
";
    let stand = Stand::scripted("problems", script, &[]);
    let run = stand.start("[m]");
    let key = fresh();
    for _ in 0..2 {
        let got = stand.message(&run, &key, "hurry");
        assert_eq!(
            (got.refusal(), got.body["retryable"].as_bool()),
            ((409, "delivery_in_progress"), Some(true))
        );
        assert!(got.head.contains("application/problem+json"), "{}", got.head);
    }
    // It arrived with the first, and once.
    assert_eq!(stand.message(&run, &key, "hurry").body["outcome"], "accepted");
    assert_eq!(stand.get(&format!("/v2/runs/{run}")).refusal(), (503, "idempotency_status_unavailable"));
    let rows = stand.detail(&run)["timeline"].clone();
    assert_eq!(rows.as_array().unwrap().iter().filter(|row| row["type"] == "message.accepted").count(), 1);
    assert_eq!(Got::of(&stand.listen(&run, "").reply()).refusal(), (503, "daemon_stopping"));
    assert_eq!(stand.cancel(&run).refusal(), (502, "delegation_cancel_incomplete"));
    assert_eq!(stand.detail(&run)["summary"]["state"], "cancelled");
    let broken =
        |fact: &Fact| matches!(fact, Fact::Decided(decided) if decided.broken.as_deref() == Some("problem"));
    assert_eq!(stand.facts().iter().filter(|fact| broken(fact)).count(), 5);
}
