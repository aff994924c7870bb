//! Streams of tasks, what ends them, and answers that scripts break.

use super::{ask, begin, events, id, rest, send, sending, state, to, told};
use crate::stand::{Got, Stand};
use rehearsal_testkit::{End, RawClient};
use serde_json::{Value, json};

const RUNS: &str = "version: 1
runs:
  - {id: '[later]', steps: [{after: 90s, note: halfway}, {polls: 5, end: {text: In time.}}]}
  - {id: '[cut]', troubles: [{on: start, mode: status_then_cut}]}
  - {id: '[slow]', troubles: [{on: start, mode: slow_body, time: 300ms}], steps: [{polls: 1, end: {text: Late.}}]}
  - {id: '[garbage]', troubles: [{on: start, mode: garbage}]}
  - {id: '[deaf]', troubles: [{on: events, mode: unauthorized_then_cut}], steps: [{hang: true}]}
";

/// Begins a stream; its events are still to be read.
fn stream(stand: &Stand, params: &Value) -> RawClient {
    ask(stand, "POST", "/a2a/message:stream", "", &params.to_string())
}

/// Subscribes to a task, and waits until that has begun.
fn subscribe(stand: &Stand, task: &str) -> RawClient {
    let mut client = ask(stand, "POST", &format!("/a2a/tasks/{task}:subscribe"), "", "");
    let mut length = 100;
    while !String::from_utf8_lossy(client.read_at_least(length)).contains("data: ") {
        length += 20;
    }
    client
}

#[test]
fn a_stream_is_the_task_and_what_becomes_of_it() {
    let stand = Stand::new("a2a-stream");
    let seen = stream(&stand, &sending("m", "[FAKE:TURN]", &json!({}))).read_to_end();
    assert_eq!(seen.end, End::Eof);
    let first = events(&seen);
    assert_eq!(told(&first), ["task SUBMITTED", "WORKING", "INPUT_REQUIRED"]);
    let task = id(&first[0]["task"]);
    assert!(first[1]["statusUpdate"].get("final").is_none());
    assert_eq!(first[2]["statusUpdate"]["taskId"], task);
    assert_eq!(first[2]["statusUpdate"]["contextId"], first[0]["task"]["contextId"]);
    let second = events(&stream(&stand, &to(task, "n", "one")).read_to_end());
    assert_eq!(told(&second), ["task WORKING", "INPUT_REQUIRED"]);
    // Over JSON-RPC each event is an answer under the id of the request.
    let call =
        json!({"jsonrpc": "2.0", "id": 7, "method": "SendStreamingMessage", "params": to(task, "o", "two")});
    let third = events(&ask(&stand, "POST", "/a2a", "", &call.to_string()).read_to_end());
    assert!(third.iter().all(|event| event["jsonrpc"] == "2.0" && event["id"] == 7));
    let third: Vec<Value> = third.into_iter().map(|event| event["result"].clone()).collect();
    assert_eq!(told(&third), ["task WORKING", "output/final.md", "COMPLETED"]);
    assert_eq!(third[1]["artifactUpdate"]["lastChunk"], true);
    assert!(third[1]["artifactUpdate"].get("append").is_none());
}

#[test]
fn all_who_listen_hear_the_same_until_the_task_is_over() {
    let stand = Stand::new("a2a-listen");
    let task = begin(&stand, "m", "[FAKE:TURN]");
    let listeners = [subscribe(&stand, id(&task)), subscribe(&stand, id(&task))];
    // One that goes away changes nothing for the others.
    drop(subscribe(&stand, id(&task)));
    send(&stand, &to(id(&task), "n", "one"));
    send(&stand, &to(id(&task), "o", "two"));
    let heard = listeners.map(|mut client| events(&client.read_to_end()));
    assert_eq!(heard[0], heard[1]);
    let all = ["task INPUT_REQUIRED", "WORKING", "INPUT_REQUIRED", "WORKING", "output/final.md", "COMPLETED"];
    assert_eq!(told(&heard[0]), all);
}

#[test]
fn a_stream_follows_the_clock_and_a_cancel_ends_it() {
    let stand = Stand::scripted("a2a-follow", RUNS, &["--scripted-clock"]);
    let mut client = stream(&stand, &sending("m", "[later]", &json!({})));
    let _ = client.read_at_least(300);
    stand.advance("90s");
    let all = ["task SUBMITTED", "WORKING", "WORKING", "output/final.md", "COMPLETED"];
    assert_eq!(told(&events(&client.read_to_end())), all);

    let mut waiting =
        ask(&stand, "POST", "/a2a/message:send", "", &sending("n", "[FAKE:HANG]", &json!({})).to_string());
    let _ = waiting.read_at_least(20);
    let listed = rest(&stand, "GET", "/tasks?status=TASK_STATE_WORKING", &json!(null)).body;
    let task = id(&listed["tasks"][0]).to_owned();
    let mut listener = subscribe(&stand, &task);
    let canceled = rest(&stand, "POST", &format!("/tasks/{task}:cancel"), &json!({}));
    assert_eq!(state(&canceled.body), "CANCELED");
    assert_eq!(state(&super::got(&waiting.read_to_end()).body["task"]), "CANCELED");
    assert_eq!(told(&events(&listener.read_to_end())), ["task WORKING", "CANCELED"]);
}

#[test]
fn who_listens_to_a_task_without_credentials_hears_it_begin_or_end() {
    let stand = Stand::new("a2a-listen-auth");
    let ghost = |message: &str| {
        let mut params = sending(message, "[FAKE:HANG]", &json!({}));
        params["metadata"] = json!({"credentialProfileId": "ghost-profile"});
        id(&send(&stand, &params)).to_owned()
    };
    let (one, two) = (ghost("a"), ghost("b"));
    let listeners = [subscribe(&stand, &one), subscribe(&stand, &two)];
    let mut params = to(&one, "c", "take these");
    params["metadata"] = json!({"credentialProfileId": "mine"});
    params["configuration"] = json!({"returnImmediately": true});
    assert_eq!(state(&send(&stand, &params)), "SUBMITTED");
    for task in [&one, &two] {
        assert_eq!(rest(&stand, "POST", &format!("/tasks/{task}:cancel"), &json!({})).status, 200);
    }
    let [first, second] = listeners.map(|mut client| told(&events(&client.read_to_end())));
    assert_eq!(first, ["task AUTH_REQUIRED", "WORKING", "CANCELED"]);
    assert_eq!(second, ["task AUTH_REQUIRED", "CANCELED"]);
}

#[test]
fn a_slow_stream_comes_whole() {
    let stand = Stand::scripted("a2a-slow", RUNS, &[]);
    let clock = std::time::Instant::now();
    let mut client = stream(&stand, &sending("m", "[slow]", &json!({})));
    let heard = told(&events(&client.read_to_end()));
    assert_eq!(heard, ["task SUBMITTED", "WORKING", "output/final.md", "COMPLETED"]);
    assert!(clock.elapsed().as_millis() >= 200);
}

#[test]
fn scripts_break_answers_and_what_was_asked_has_happened_all_the_same() {
    let mut stand = Stand::scripted("a2a-broken", RUNS, &[]);
    let cut = sending("m", "[cut]", &json!({}));
    let seen = ask(&stand, "POST", "/a2a/message:send", "", &cut.to_string()).read_to_end();
    assert_eq!((seen.status(), seen.end), (200, End::Reset));
    // The same message again finds the task that the first one began.
    assert_eq!(state(&send(&stand, &cut)), "COMPLETED");
    assert_eq!(stand.run_dirs().len(), 1);
    let garbage = rest(&stand, "POST", "/message:stream", &sending("n", "[garbage]", &json!({})));
    assert_eq!((garbage.status, &garbage.body), (200, &Value::Null));
    let task = begin(&stand, "o", "[deaf]");
    let seen = ask(&stand, "GET", &format!("/a2a/tasks/{}:subscribe", id(&task)), "", "").read_to_end();
    assert_eq!((Got::of(&seen).status, seen.end), (401, End::Reset));
    stand.stop();
    stand.facts();
}
