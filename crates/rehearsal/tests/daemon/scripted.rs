//! Runs that are played by a file: by reads, by the clock, by messages.

use crate::stand::{Stand, command, execution, fresh};
use rehearsal_journal::daemon::{Closed, Fact};
use serde_json::json;
use std::fs;

const RUNS: &str = "version: 1
runs:
  - id: '[clock]'
    steps:
      - ask: {question: Which port?, header: Port, options: ['8080', {label: '9090', description: spare}], multi_select: true, timeout: 10m}
      - {after: 90s, note: still at it}
      - {after: 30s, end: {text: done at last}}
  - id: '[polls]'
    steps:
      - {polls: 3, note: warm}
      - {polls: 2, end: failed}
  - id: '[message]'
    steps: [{on: message, ask: {question: Sure?, id: 'sure-{run}'}}, {end: succeeded}]
  - id: '[edits]'
    steps:
      - edit: {a.txt: \"one\\n\"}
      - {after: 1m, edit: {a.txt: \"two\\n\", deep/b.txt: \"new\\n\"}}
      - {after: 1m, edit: default}
      - end: succeeded
  - id: '[limit]'
    steps: [{after: 5s, end: {failure: {code: subscription_window_exhausted, category: quota, resets_after: 2h, next_actions: [wait, switch_profile]}}}]
  - id: '[outcomes]'
    steps: [{hang: true}]
    messages:
      - {outcome: delivered}
      - {outcome: accepted}
      - {outcome: rejected, reason: rpc_refused}
      - {outcome: not_active, reason: no_active_turn}
      - {outcome: unsupported, reason: multi_attempt}
      - {outcome: delivery_unknown, reason: response_timeout}
  - {id: '[busy]', refuse: {status: 503, code: daemon_stopping, message: it ends}}
";

fn state(stand: &Stand, run: &str) -> String {
    stand.detail(run)["summary"]["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_question_times_out_and_steps_come_due_by_the_scripted_clock() {
    let mut stand = Stand::scripted("by-clock", RUNS, &["--scripted-clock"]);
    let run = stand.start("please [clock]");
    let detail = stand.detail(&run);
    let row = &detail["pendingInteractions"][0];
    assert_eq!(row["requestedAt"], "2026-09-01T00:00:00.000Z");
    assert_eq!(row["timeoutAt"], "2026-09-01T00:10:00.000Z");
    let question = &row["questions"][0];
    assert_eq!((question["multi_select"].as_bool(), question["header"].as_str()), (Some(true), Some("Port")));
    assert_eq!(question["options"][1], json!({"label": "9090", "description": "spare"}));
    let question = row["interactionId"].as_str().unwrap().to_owned();
    stand.advance("599s");
    assert_eq!(stand.pending(&run), question);
    stand.advance("1s");
    assert_eq!(stand.detail(&run)["pendingInteractions"], json!([]));
    let late = stand.answer(&run, &question, &json!([{"freeText": "8080"}]));
    assert_eq!((late.status, late.body["status"].as_str()), (409, Some("already_resolved")));
    for _ in 0..5 {
        assert_eq!(state(&stand, &run), "running");
    }
    stand.advance("119s");
    assert_eq!(state(&stand, &run), "running");
    stand.advance("1s");
    let detail = stand.detail(&run);
    assert_eq!(detail["primaryOutput"]["text"], "done at last");
    let rows: Vec<_> = detail["timeline"].as_array().unwrap().iter().collect();
    let seen: Vec<_> =
        rows.iter().map(|row| (row["type"].as_str().unwrap(), row["at"].as_str().unwrap())).collect();
    assert_eq!(
        seen,
        [
            ("run.started", "2026-09-01T00:00:00.000Z"),
            ("interaction.requested", "2026-09-01T00:00:00.000Z"),
            ("interaction.resolved", "2026-09-01T00:10:00.000Z"),
            ("run.note", "2026-09-01T00:11:30.000Z"),
            ("run.completed", "2026-09-01T00:12:00.000Z"),
        ]
    );
    assert_eq!(stand.get("/_control/clock").body["now"], "2026-09-01T00:12:00.000Z");
    assert_eq!(
        stand.post("/_control/clock", "", &json!({"advance": "soon"})).refusal(),
        (400, "invalid_request")
    );
    stand.stop();
    let facts = stand.facts();
    assert!(facts.iter().any(|fact| matches!(fact, Fact::QuestionClosed { how: Closed::TimedOut, .. })));
    assert!(facts.iter().any(|fact| matches!(fact, Fact::ClockMoved { .. })));
    let plain = Stand::new("own-clock");
    assert_eq!(plain.get("/_control/clock").refusal(), (409, "clock_not_scripted"));
}

#[test]
fn the_clock_moves_runs_that_nobody_reads_and_their_events_say_so() {
    let stand = Stand::scripted("unread", RUNS, &["--scripted-clock"]);
    let run = stand.start("[limit]");
    let mut client = stand.listen(&run, "");
    let _ = client.read_at_least(100);
    stand.advance("5s");
    let seen = client.read_to_end().text();
    assert!(seen.contains("event: run.failed") && seen.contains("event: end"), "{seen}");
    let failure = stand.detail(&run)["failure"].clone();
    assert_eq!(failure["code"], "subscription_window_exhausted");
    assert_eq!(failure["resetsAt"], "2026-09-01T02:00:05.000Z");
    assert_eq!(failure["nextActions"], json!(["wait", "switch_profile"]));
    assert_eq!(stand.detail(&run)["requiredActions"][0]["kind"], "wait");
    // By a clock that runs by itself, too.
    let own = Stand::scripted(
        "unread-own-clock",
        "version: 1\nruns: [{id: x, steps: [{after: 50ms, end: succeeded}]}]\n",
        &[],
    );
    let run = own.start("x");
    assert!(own.listen(&run, "").read_to_end().text().contains("event: run.completed"));
}

#[test]
fn steps_wait_for_reads_and_for_messages() {
    let stand = Stand::scripted("by-poll", RUNS, &[]);
    let run = stand.start("[polls]");
    let states: Vec<_> = (0..6).map(|_| state(&stand, &run)).collect();
    assert_eq!(states, ["running", "running", "running", "running", "failed", "failed"]);
    let run = stand.start("[message]");
    for _ in 0..3 {
        assert_eq!(state(&stand, &run), "running");
    }
    assert_eq!(stand.message(&run, &fresh(), "go on").body["outcome"], "accepted");
    let question = stand.pending(&run);
    assert_eq!(question, format!("sure-{}", &run[..8]));
    assert_eq!(stand.message(&run, &fresh(), "yes").body["reason"], "interaction_pending");
    assert_eq!(stand.answer(&run, &question, &json!([{"freeText": "yes"}])).status, 200);
    assert_eq!(state(&stand, &run), "succeeded");
    let got = stand.start_with(&fresh(), "[busy]", &json!({}));
    assert_eq!(got.refusal(), (503, "daemon_stopping"));
}

#[test]
fn edits_are_written_when_they_come_due_and_a_run_fails_where_they_cannot_be() {
    let stand = Stand::scripted("edits-due", RUNS, &["--scripted-clock"]);
    let (live, work) = stand.workspace("one");
    let got = stand.start_with(&fresh(), "[edits]", &execution(&work, &live));
    let run = got.body["runId"].as_str().unwrap().to_owned();
    let text = |name: &str| fs::read_to_string(work.join(name)).unwrap();
    assert_eq!(text("a.txt"), "one\n");
    stand.advance("60s");
    stand.detail(&run);
    assert_eq!((text("a.txt"), text("deep/b.txt")), ("two\n".to_owned(), "new\n".to_owned()));
    assert!(!work.join("delegated_new.txt").exists());
    fs::create_dir(work.join("delegated_new.txt")).unwrap();
    stand.advance("60s");
    let detail = stand.detail(&run);
    assert_eq!(detail["failure"]["code"], "workspace_edit_refused");
    assert_eq!(text("tracked.txt"), "one\n");
    // Without a private workspace it does not start at all.
    let got = stand.start_with(&fresh(), "[edits]", &json!({}));
    assert_eq!(got.refusal(), (400, "execution_workspace_invalid"));
}

#[test]
fn live_messages_come_to_every_outcome() {
    let mut stand = Stand::scripted("outcomes", RUNS, &[]);
    let run = stand.start("[outcomes]");
    let mut seen = Vec::new();
    for at in 0..7 {
        let got = stand.message(&run, &format!("m-{at}"), "words");
        assert_eq!(got.status, 200);
        assert_eq!(stand.message(&run, &format!("m-{at}"), "words"), got);
        let text = |name: &str| got.body[name].as_str().unwrap_or_default().to_owned();
        seen.push((text("outcome"), text("reason"), got.body["accepted"].as_bool().unwrap()));
    }
    let seen: Vec<_> =
        seen.iter().map(|(outcome, reason, ok)| (outcome.as_str(), reason.as_str(), *ok)).collect();
    assert_eq!(
        seen,
        [
            ("delivered", "", true),
            ("accepted", "", true),
            ("rejected", "rpc_refused", false),
            ("not_active", "no_active_turn", false),
            ("unsupported", "multi_attempt", false),
            ("delivery_unknown", "response_timeout", false),
            ("accepted", "", true),
        ]
    );
    let mismatch = stand.post(
        &format!("/v2/runs/{run}/messages"),
        &fresh(),
        &json!({"text": "x", "expectedAttemptId": "a02"}),
    );
    assert_eq!(mismatch.body["reason"], "attempt_mismatch");
    stand.stop();
    let taken = stand.facts().iter().filter(|fact| matches!(fact, Fact::MessageTaken { .. })).count();
    assert_eq!(taken, 8);
}

#[test]
fn a_file_with_mistakes_is_refused_with_their_places_and_lint_says_the_same() {
    let folder = rehearsal_testkit::scratch(env!("CARGO_TARGET_TMPDIR"), "daemon/mistakes");
    fs::write(folder.join("runs.yaml"), "version: 1\nruns:\n  - {id: a, stepz: []}\n").unwrap();
    let output = command(&folder, &["--script", "runs.yaml"]).output().unwrap();
    let linted = std::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"))
        .current_dir(&folder)
        .args(["lint", "runs.yaml"])
        .output()
        .unwrap();
    for output in [output, linted] {
        let said = rehearsal_testkit::said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("runs.yaml:3:13: unknown field `stepz` in a run"), "{said}");
        assert!(said.contains("did you mean `steps`?"), "{said}");
    }
    assert!(!folder.join("cfg").exists());
    let good = "version: 1\nruns: [{id: a}]\n";
    fs::write(folder.join("runs.yaml"), good).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"))
        .current_dir(&folder)
        .args(["lint", "."])
        .output()
        .unwrap();
    assert!(rehearsal_testkit::said(&output).contains("1 file without mistakes, 0 warnings"));
}
