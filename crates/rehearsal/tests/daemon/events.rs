//! The events of a run, and the output behind its preview.

use crate::stand::{Stand, fresh};
use rehearsal_testkit::{End, Seen};
use serde_json::{Value, json};

/// Number, type and data of each event, in order; chunk borders taken out. The last one has no number.
fn events(seen: &Seen) -> Vec<(String, String, Value)> {
    assert_eq!(seen.end, End::Eof);
    let text = whole(str::from_utf8(seen.body()).unwrap());
    assert!(text.starts_with(": connected\n\n"), "{text}");
    let frames = text.split("\n\n").filter(|frame| !frame.is_empty() && !frame.starts_with(':'));
    frames
        .map(|frame| {
            let field = |name: &str| {
                let line = frame.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                line.unwrap_or_default().to_owned()
            };
            (field("id"), field("event"), serde_json::from_str(&field("data")).unwrap())
        })
        .collect()
}

/// A chunked body without its borders.
fn whole(chunked: &str) -> String {
    let (mut out, mut rest) = (String::new(), chunked);
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        out.push_str(&tail[..size]);
        rest = &tail[size + 2..];
    }
    out
}

fn kinds(events: &[(String, String, Value)]) -> Vec<&str> {
    events.iter().map(|(_, kind, _)| kind.as_str()).collect()
}

#[test]
fn events_come_while_a_run_lives_and_end_with_it() {
    let stand = Stand::new("events");
    let run = stand.start("[FAKE:ASK]");
    let mut client = stand.listen(&run, "");
    // It listens before anything goes on.
    let _ = client.read_at_least(100);
    let question = stand.pending(&run);
    stand.message(&run, &fresh(), "too early");
    stand.answer(&run, &question, &json!([{"freeText": "8080"}]));
    stand.message(&run, "m-1", "hurry");
    stand.detail(&run);
    let seen = client.read_to_end();
    assert!(seen.text().to_ascii_lowercase().contains("content-type: text/event-stream"));
    let events = events(&seen);
    let all = [
        "run.started",
        "interaction.requested",
        "message.refused",
        "interaction.resolved",
        "message.accepted",
        "run.completed",
        "end",
    ];
    assert_eq!(kinds(&events), all);
    for (at, (id, kind, data)) in events.iter().take(6).enumerate() {
        assert_eq!((id, data["seq"].as_u64()), (&(at + 1).to_string(), Some(at as u64 + 1)));
        assert_eq!(
            (data["type"].as_str(), data["runId"].as_str()),
            (Some(kind.as_str()), Some(run.as_str()))
        );
    }
    assert_eq!(events[2].2["reason"], "interaction_pending");
    assert_eq!(events[4].2["messageId"], "m-1");
    assert!(!seen.text().contains("hurry"));
    assert_eq!(events[6].0, "");
}

#[test]
fn events_go_on_behind_any_row_and_other_cursors_are_refused() {
    let stand = Stand::new("resume");
    let run = stand.start("[FAKE:HANG]");
    stand.cancel(&run);
    let all = ["run.started", "run.cancelling", "run.failed", "end"];
    for (after, from) in [("", 0), ("0", 0), ("1", 1), ("2", 2), ("3", 3)] {
        assert_eq!(kinds(&events(&stand.listen(&run, after).read_to_end())), all[from..]);
    }
    for after in ["4", "-1", "+1", "x", "99999999999999999999999", "1.0"] {
        let got = crate::stand::Got::of(&stand.listen(&run, after).reply());
        assert_eq!(got.refusal(), (400, "invalid_run_event_cursor"), "{after}");
    }
    assert_eq!(stand.get("/v2/runs/none/events").refusal(), (404, "run_not_found"));
    // What comes behind the end is no event.
    assert_eq!(stand.message(&run, &fresh(), "late").body["reason"], "run_terminal");
    for (after, from) in [("1", 1), ("3", 3), ("4", 3)] {
        assert_eq!(kinds(&events(&stand.listen(&run, after).read_to_end())), all[from..]);
    }
    let input = stand.start("[FAKE:INPUT_REQUIRED]");
    stand.detail(&input);
    assert_eq!(kinds(&events(&stand.listen(&input, "1").read_to_end())), ["run.blocked", "end"]);
    let seed = Stand::with("resume-seed", &["--as-seed"]);
    let run = seed.start("work");
    assert_eq!(seed.get(&format!("/v2/runs/{run}/events")).refusal(), (404, "not_found"));
}

#[test]
fn many_listeners_of_one_run_hear_the_same() {
    let stand = Stand::new("listeners");
    let run = stand.start("[FAKE:HANG]");
    let mut clients: Vec<_> = (0..20).map(|_| stand.listen(&run, "")).collect();
    for client in &mut clients {
        let _ = client.read_at_least(100);
    }
    // One that leaves disturbs nobody.
    drop(clients.pop());
    stand.cancel(&run);
    for mut client in clients {
        assert_eq!(kinds(&events(&client.read_to_end())).last(), Some(&"end"));
    }
}

const LONG: &str = "version: 1
runs:
  - {id: '[long]', steps: [{polls: 2, end: {text: \"0123456789 æ\\n\", bytes: 400000}}]}
  - {id: '[huge]', steps: [{end: {bytes: 17000000}}]}
  - {id: '[short]', steps: [{end: {text: done}}]}
";

#[test]
fn the_detail_shows_the_beginning_and_the_artifact_the_whole() {
    let mut stand = Stand::scripted("artifacts", LONG, &["--keep-runs", "3"]);
    let run = stand.start("[long]");
    let path = format!("/v2/runs/{run}/artifacts/output/final.md");
    let early = stand.get(&path);
    assert_eq!(early.refusal(), (409, "artifact_not_ready"));
    assert_eq!(early.body["retryable"], true);
    stand.detail(&run);
    let detail = stand.detail(&run);
    let output = &detail["primaryOutput"];
    let shown = output["text"].as_str().unwrap();
    assert!(shown.len() <= 256 * 1024 && shown.len() > 256 * 1024 - 4);
    let bytes = output["bytes"].as_u64().unwrap();
    assert_eq!(
        (output["truncated"].as_bool(), output["path"].as_str()),
        (Some(true), Some("output/final.md"))
    );
    assert_eq!(detail["artifacts"][0]["bytes"].as_u64(), Some(bytes));
    let head = stand.head("\r\n");
    let seen = stand.connect().send(format!("GET {path} HTTP/1.1\r\n{head}")).reply();
    assert_eq!((seen.status(), seen.body().len() as u64), (200, bytes));
    assert!(seen.body().starts_with(shown.as_bytes()) && bytes.abs_diff(400_000) < 14);
    let list = stand.get(&format!("/v2/runs/{run}/artifacts"));
    assert_eq!(list.body["artifacts"][0]["path"], "output/final.md");
    let other = stand.get(&format!("/v2/runs/{run}/artifacts/../token"));
    assert_eq!(other.refusal(), (404, "artifact_not_found"));
    let huge = stand.start("[huge]");
    let detail = stand.detail(&huge);
    assert!(detail["primaryOutput"]["text"].as_str().unwrap().len() <= 256 * 1024);
    assert_eq!(
        stand.get(&format!("/v2/runs/{huge}/artifacts/output/final.md")).refusal(),
        (413, "artifact_too_large")
    );
    let short = stand.start("[short]");
    let output = &stand.detail(&short)["primaryOutput"];
    assert_eq!((output["text"].as_str(), output["truncated"].as_bool()), (Some("done"), Some(false)));
    let last = stand.start("[short]");
    stand.detail(&last);
    assert_eq!(stand.get(&path).refusal(), (410, "run_expired_by_retention"));
    stand.stop();
    stand.facts();
}
