//! What the original fake got wrong about runs, keys, questions and projects: rows 15 to 20 and 24 to 27 of the known defects.

use crate::stand::{Got, Stand, execution, fresh, start_body};
use rehearsal_journal::daemon::Fact;
use serde_json::json;
use std::fs;

#[test]
fn a_cancelled_run_has_no_open_question() {
    let stand = Stand::new("cancelled-question");
    for prompt in ["[FAKE:ASK]", "[FAKE:TURN]"] {
        let run = stand.start(prompt);
        let question = stand.pending(&run);
        stand.cancel(&run);
        let detail = stand.detail(&run);
        assert_eq!(detail["summary"]["waitingOnUser"], false);
        assert_eq!(detail["pendingInteractions"], json!([]));
        let got = stand.answer(&run, &question, &json!([{"freeText": "late"}]));
        assert_eq!((got.status, got.body["status"].as_str()), (409, Some("already_resolved")));
    }
}

#[test]
fn answers_that_are_none_are_rejected_and_the_run_can_still_be_read() {
    let stand = Stand::new("bad-answers");
    let run = stand.start("[FAKE:TURN]");
    let question = stand.pending(&run);
    for row in [
        json!("text"),
        json!(7),
        json!(["x"]),
        json!({"freeText": 7}),
        json!({"questionId": 1}),
        json!({"selectedLabels": "8080"}),
        json!({"selectedLabels": [1]}),
    ] {
        let got = stand.answer(&run, &question, &json!([row]));
        assert_eq!((got.status, got.body["status"].as_str()), (400, Some("rejected")), "{row}");
    }
    let path = format!("/v2/runs/{run}/interactions/{question}/answer");
    let half = stand.raw("POST", &path, "", br#"{"answers": [{"freeText": "\ud800"}]}"#);
    assert_eq!((half.status, half.body["status"].as_str()), (400, Some("rejected")));
    assert_eq!(stand.pending(&run), question);
    assert_eq!(stand.answer(&run, &question, &json!([{"freeText": "good"}])).status, 200);
    assert_ne!(stand.pending(&run), question);
}

#[test]
fn a_key_belongs_to_one_run_and_one_operation() {
    let stand = Stand::new("bound-keys");
    let (one, two) = (stand.start("[FAKE:HANG]"), stand.start("[FAKE:HANG]"));
    let key = fresh();
    assert_eq!(stand.message(&one, &key, "hurry").body["outcome"], "accepted");
    let conflict = (409, "idempotency_conflict");
    assert_eq!(stand.message(&two, &key, "hurry").refusal(), conflict);
    let (key, body) = (fresh(), start_body("work", &json!({})));
    assert_eq!(stand.post("/v2/runs", &key, &body).status, 200);
    assert_eq!(stand.post(&format!("/v2/runs/{one}/messages"), &key, &body).refusal(), conflict);
    let engine = Stand::with("bound-keys-engine", &["--as-engine"]);
    let run = engine.start("[FAKE:HANG]");
    let key = fresh();
    let more = json!({});
    assert_eq!(engine.start_with(&key, "work", &more).status, 200);
    assert_eq!(engine.message(&run, &key, "hurry").body["messageId"], key);
}

#[test]
fn a_mistake_in_a_message_does_not_use_its_key_up() {
    let stand = Stand::new("message-mistake");
    let run = stand.start("[FAKE:HANG]");
    let key = fresh();
    assert_eq!(stand.message(&run, &key, "").refusal(), (400, "invalid_request"));
    let long = "x".repeat(65_537);
    assert_eq!(stand.message(&run, &key, &long).refusal(), (413, "message_too_long"));
    assert_eq!(stand.message(&run, &key, &long[1..]).status, 200);
    assert_eq!(stand.message(&run, &key, "other").refusal(), (409, "idempotency_conflict"));
    let seed = Stand::with("message-mistake-seed", &["--as-seed"]);
    let run = seed.start("[FAKE:HANG]");
    assert_eq!(seed.message(&run, &key, "").status, 400);
    assert_eq!(seed.message(&run, &key, "right").status, 409);
}

#[test]
fn the_cursor_never_falls() {
    let stand = Stand::new("cursor");
    let run = stand.start("[FAKE:ASK]");
    let mut seen: Vec<u64> = (0..7).map(|_| stand.detail(&run)["lastSeq"].as_u64().unwrap()).collect();
    let question = stand.pending(&run);
    stand.answer(&run, &question, &json!([{"freeText": "x"}]));
    seen.push(stand.detail(&run)["lastSeq"].as_u64().unwrap());
    assert!(seen.is_sorted(), "{seen:?}");
    assert_eq!(stand.detail(&stand.start("work"))["lastSeq"], 3);
}

#[test]
fn a_second_cancel_is_fine_and_the_first_reason_stays_but_the_real_daemon_says_conflict() {
    let stand = Stand::new("cancel-twice");
    let run = stand.start("[FAKE:HANG]");
    for _ in 0..2 {
        let got = stand.cancel(&run);
        assert_eq!((got.status, got.body["status"].as_str()), (200, Some("cancelling")));
    }
    let engine = Stand::with("cancel-twice-engine", &["--as-engine"]);
    let run = engine.start("[FAKE:HANG]");
    assert_eq!(
        engine.cancel(&run).body,
        json!({"accepted": true, "status": "applied", "runId": run, "cascadeRunIds": []})
    );
    assert_eq!(engine.cancel(&run).refusal(), (409, "run_terminal"));
}

#[test]
fn a_project_has_one_id_however_its_root_is_spelled() {
    let stand = Stand::new("projects");
    let register =
        |key: &str, root: &serde_json::Value| stand.post("/v2/projects", key, &json!({"root": root}));
    let key = fresh();
    let id = register(&key, &json!("/a/b")).body["id"].clone();
    for root in ["/a/b/", "/a//b", "/a/./b//"] {
        let got = register(&fresh(), &json!(root));
        assert_eq!((got.body["id"].clone(), got.body["created"].clone()), (id.clone(), json!(false)));
    }
    for root in [json!({"a": 1}), json!(7), json!("a/b"), json!("")] {
        assert_eq!(register(&fresh(), &root).refusal(), (400, "invalid_request"));
    }
    assert_eq!(register(&key, &json!("/other")).refusal(), (409, "idempotency_conflict"));
    assert_eq!(register(&key, &json!("/a/b")).status, 200);
}

#[test]
fn a_start_is_read_strictly_and_its_key_is_good_for_what_is_put_right() {
    let stand = Stand::new("strict-start");
    let key = fresh();
    for (more, pointer) in [
        (json!({"prompt": ""}), "/prompt"),
        (json!({"prompt": 7}), "/prompt"),
        (json!({"acces": "readonly"}), "/acces"),
        (json!({"access": 7}), "/access"),
        (json!({"access": "everything"}), "/access"),
        (json!({"scope": "x"}), "/scope"),
        (json!({"threadId": "t"}), "/threadId"),
    ] {
        let got = stand.start_with(&key, "work", &more);
        assert_eq!(got.refusal(), (400, "invalid_request"), "{more}");
        assert_eq!(got.body["fieldErrors"][0]["pointer"], pointer);
    }
    let got = stand.start_with(&"k".repeat(5000), "work", &json!({}));
    assert_eq!(got.refusal(), (400, "invalid_idempotency_key"));
    assert_eq!(stand.start_with(&key, "work", &json!({})).status, 200);
}

#[test]
fn forty_starts_under_one_key_make_one_run() {
    let stand = Stand::new("forty");
    let (live, work) = stand.workspace("one");
    let (key, more) = (fresh(), execution(&work, &live));
    let body = start_body("[FAKE:MUTATE]", &more).to_string();
    let head = stand.head(&format!("Idempotency-Key: {key}\r\nContent-Length: {}\r\n\r\n", body.len()));
    let mut clients: Vec<_> = (0..40).map(|_| stand.connect()).collect();
    for client in &mut clients {
        client.send(format!("POST /v2/runs HTTP/1.1\r\n{head}{body}"));
    }
    let answers: Vec<Got> = clients.iter_mut().map(|client| Got::of(&client.reply())).collect();
    assert!(answers.iter().all(|got| got.status == 200 && got.body == answers[0].body), "{answers:?}");
    assert_eq!(stand.run_dirs().len(), 1);
}

#[test]
fn old_runs_are_let_go_and_say_so() {
    let stand = Stand::with("retention", &["--keep-runs", "2"]);
    let runs: Vec<String> = (0..3)
        .map(|_| {
            let run = stand.start("work");
            stand.detail(&run);
            run
        })
        .collect();
    let gone = stand.get(&format!("/v2/runs/{}", runs[0]));
    assert_eq!(gone.refusal(), (410, "run_expired_by_retention"));
    assert_eq!(stand.detail(&runs[2])["summary"]["state"], "succeeded");
}

#[test]
fn a_kill_loses_no_acknowledged_line() {
    let mut stand = Stand::new("kill");
    let run = stand.start("[FAKE:TURN]");
    let question = stand.pending(&run);
    stand.answer(&run, &question, &json!([{"freeText": "a secret plan"}]));
    stand.message(&run, "message-1", "do hurry");
    stand.cancel(&run);
    stand.kill();
    let facts = stand.facts();
    let has = |wanted: &dyn Fn(&Fact) -> bool| facts.iter().any(wanted);
    assert!(has(&|fact| matches!(fact, Fact::RunStarted { run: id, .. } if *id == run)));
    assert!(has(&|fact| matches!(fact, Fact::QuestionClosed { question: id, .. } if *id == question)));
    assert!(has(&|fact| matches!(fact, Fact::MessageTaken { message, .. } if message == "message-1")));
    assert!(has(&|fact| matches!(fact, Fact::RunEnded { state, .. } if state == "cancelled")));
    let decided = facts.iter().filter(|fact| matches!(fact, Fact::Decided(_))).count();
    assert_eq!(decided, 5);
    let lines = serde_json::to_string(&facts).unwrap();
    assert!(!lines.contains("hurry") && !lines.contains("secret plan"));
    let log = fs::read_to_string(stand.folder.join("wire.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 5);
    assert!(!log.contains(&stand.token));
}

#[test]
fn ids_follow_from_the_seed_and_the_key() {
    let run = |name: &str| {
        let stand = Stand::with(name, &["--seed", "5"]);
        stand.start_with("the-key", "work", &json!({})).body["runId"].clone()
    };
    assert_eq!(run("seeded-one"), run("seeded-two"));
}
