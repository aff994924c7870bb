//! A2A on the daemon's port, over raw sockets: what no library would send, and what none would show.

mod idempotent;
mod refusals;
mod streams;
mod tasks;

use crate::stand::{Got, Stand};
use rehearsal_testkit::{RawClient, Seen};
use serde_json::{Value, json};

/// Sends a request with a version and headers; its answer is still to be read. The connection closes after it.
fn ask(stand: &Stand, method: &str, path: &str, extra: &str, body: &str) -> RawClient {
    let mut client = stand.connect();
    let more =
        format!("A2A-Version: 1.0\r\n{extra}Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    client.send(format!("{method} {path} HTTP/1.1\r\n{}{body}", stand.head(&more)));
    client
}

/// Asks over HTTP+JSON.
fn rest(stand: &Stand, method: &str, path: &str, body: &Value) -> Got {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    got(&ask(stand, method, &format!("/a2a{path}"), "", &body).read_to_end())
}

/// Asks over JSON-RPC.
fn rpc(stand: &Stand, method: &str, params: &Value) -> Got {
    let body = json!({"jsonrpc": "2.0", "id": "i", "method": method, "params": params});
    let got = got(&ask(stand, "POST", "/a2a", "", &body.to_string()).read_to_end());
    assert_eq!(got.body["id"], "i", "{got:?}");
    got
}

/// An answer whose body may have come in chunks.
fn got(seen: &Seen) -> Got {
    let got = Got::of(seen);
    let body = serde_json::from_str(&whole(seen, &got)).unwrap_or_default();
    Got { body, ..got }
}

/// The body of an answer, without the borders of its chunks.
fn whole(seen: &Seen, got: &Got) -> String {
    let mut rest = str::from_utf8(seen.body()).unwrap();
    if !got.head.contains("transfer-encoding: chunked") {
        return rest.to_owned();
    }
    let mut out = String::new();
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        out.push_str(&tail[..size]);
        rest = &tail[size + 2..];
    }
    out
}

/// The events of a stream that ended: what each holds, comments left out.
fn events(seen: &Seen) -> Vec<Value> {
    let got = Got::of(seen);
    assert!(got.head.contains("content-type: text/event-stream"), "{got:?}");
    let text = whole(seen, &got);
    let lines = text.split("\n\n").filter(|frame| !frame.is_empty() && !frame.starts_with(':'));
    lines.map(|frame| serde_json::from_str(frame.strip_prefix("data: ").unwrap()).unwrap()).collect()
}

/// The states that events tell of, in order; artifacts by their names.
fn told(events: &[Value]) -> Vec<String> {
    let word = |status: &Value| status["state"].as_str().unwrap().replace("TASK_STATE_", "");
    let one = |event: &Value| {
        if let Some(task) = event.get("task") {
            return format!("task {}", word(&task["status"]));
        }
        match event.get("statusUpdate") {
            Some(update) => word(&update["status"]),
            None => event["artifactUpdate"]["artifact"]["name"].as_str().unwrap().to_owned(),
        }
    };
    events.iter().map(one).collect()
}

fn message(id: &str, text: &str) -> Value {
    json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]})
}

/// A message and how it is answered.
fn sending(id: &str, text: &str, configuration: &Value) -> Value {
    json!({"message": message(id, text), "configuration": configuration})
}

/// A message to a task.
fn to(task: &str, id: &str, text: &str) -> Value {
    let mut message = message(id, text);
    message["taskId"] = json!(task);
    json!({"message": message})
}

/// Sends a message and does not wait. Gives the task.
fn begin(stand: &Stand, id: &str, text: &str) -> Value {
    let got = rest(stand, "POST", "/message:send", &sending(id, text, &json!({"returnImmediately": true})));
    assert_eq!(got.status, 200, "{got:?}");
    got.body["task"].clone()
}

/// Sends what is waited for. Gives the task.
fn send(stand: &Stand, params: &Value) -> Value {
    let got = rest(stand, "POST", "/message:send", params);
    assert_eq!(got.status, 200, "{got:?}");
    got.body["task"].clone()
}

fn id(task: &Value) -> &str {
    task["id"].as_str().unwrap()
}

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap().strip_prefix("TASK_STATE_").unwrap()
}
