//! Messages that are sent again, and what is taken down of all of it.

use super::{ask, begin, events, got, id, rest, rpc, send, sending, state, to, told};
use crate::stand::Stand;
use rehearsal_journal::daemon::Fact;
use serde_json::json;
use std::fs;

#[test]
fn a_message_that_is_sent_again_is_the_same_task() {
    let stand = Stand::new("a2a-again");
    let params = sending("m", "[FAKE:ASK]", &json!({}));
    let task = send(&stand, &params);
    assert_eq!(send(&stand, &params), task);
    // However it is answered.
    assert_eq!(begin(&stand, "m", "[FAKE:ASK]"), task);
    assert_eq!(rpc(&stand, "SendMessage", &params).body["result"]["task"], task);
    let seen = ask(&stand, "POST", "/a2a/message:stream", "", &params.to_string()).read_to_end();
    assert_eq!(told(&events(&seen)), ["task INPUT_REQUIRED"]);
    // An answer counts once, too, and what is said again is how the task stands now.
    let answer = to(id(&task), "n", "8080");
    let done = send(&stand, &answer);
    assert_eq!((state(&done), &send(&stand, &answer), &send(&stand, &params)), ("COMPLETED", &done, &done));
    assert_eq!(stand.run_dirs().len(), 1);
}

#[test]
fn a_key_that_was_used_for_something_else_is_refused_and_the_first_message_stays() {
    let stand = Stand::new("a2a-conflict");
    let task = send(&stand, &sending("m", "[FAKE:ASK]", &json!({})));
    let told = rest(&stand, "POST", "/message:send", &sending("m", "something else", &json!({})));
    let facts = &told.body["error"]["details"][0]["metadata"];
    assert_eq!((told.status, facts["code"].as_str()), (400, Some("idempotency_conflict")));
    assert_eq!(
        (facts["pointer"].as_str(), facts["taskId"].as_str()),
        (Some("/message/messageId"), Some(id(&task)))
    );
    // The same message to another task is another message.
    let other = begin(&stand, "o", "[FAKE:HANG]");
    send(&stand, &to(id(&task), "a", "8080"));
    assert_eq!(rest(&stand, "POST", "/message:send", &to(id(&other), "a", "8080")).status, 400);
    // What was refused is not kept.
    let wrong = json!({"message": {"messageId": "w", "role": "user", "parts": [{"text": "x"}]}});
    assert_eq!(rest(&stand, "POST", "/message:send", &wrong).status, 400);
    assert_eq!(state(&send(&stand, &sending("w", "work", &json!({})))), "COMPLETED");
}

#[test]
fn an_idempotency_key_stands_for_its_message() {
    let stand = Stand::new("a2a-key");
    let post = |key: &str, params: &serde_json::Value| {
        let header = format!("Idempotency-Key: {key}\r\n");
        got(&ask(&stand, "POST", "/a2a/message:send", &header, &params.to_string()).read_to_end())
    };
    let params = sending("m", "work", &json!({}));
    let first = post("k", &params);
    assert_eq!(post("k", &params), first);
    let other = post("k", &sending("n", "work", &json!({})));
    let facts = &other.body["error"]["details"][0]["metadata"];
    assert_eq!((other.status, facts["code"].as_str()), (400, Some("idempotency_conflict")));
    assert_eq!(post(&"k".repeat(257), &sending("o", "work", &json!({}))).status, 400);
    assert_eq!(stand.run_dirs().len(), 1);
}

#[test]
fn many_at_once_with_one_id_make_one_task() {
    let stand = Stand::new("a2a-burst");
    for round in 0..5 {
        let params = sending(&format!("m{round}"), "[FAKE:MUTATE]", &json!({})).to_string();
        let clients: Vec<_> =
            (0..20).map(|_| ask(&stand, "POST", "/a2a/message:send", "", &params)).collect();
        let mut ids: Vec<String> = clients
            .into_iter()
            .map(|mut client| got(&client.read_to_end()))
            .map(|got| id(&got.body["task"]).to_owned())
            .collect();
        ids.dedup();
        assert_eq!(ids.len(), 1);
        assert_eq!(stand.run_dirs().len(), round + 1);
    }
}

#[test]
fn every_request_is_in_the_journal_and_the_wire_log_and_no_text_is_in_the_journal() {
    let mut stand = Stand::new("a2a-journal");
    let task = begin(&stand, "m1", "[FAKE:ASK] secret plan");
    send(&stand, &to(id(&task), "m2", "secret answer"));
    send(&stand, &sending("m3", "[FAKE:REFUSE]", &json!({})));
    rest(&stand, "GET", "/tasks/none", &json!(null));
    rpc(&stand, "Nothing", &json!({}));
    rest(&stand, "GET", "/tasks", &json!(null));
    stand.kill();
    let facts = stand.facts();
    let decided: Vec<_> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Decided(decided) => Some(decided),
            _ => None,
        })
        .map(|decided| {
            (decided.operation.as_str(), decided.status, decided.code.as_deref().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        decided,
        [
            ("a2a.send", 200, ""),
            ("a2a.send", 200, ""),
            ("a2a.send", 200, ""),
            ("a2a.get", 404, "TASK_NOT_FOUND"),
            ("none", 200, "METHOD_NOT_FOUND"),
            ("a2a.list", 200, ""),
        ]
    );
    let keys: Vec<_> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Decided(decided) => decided.key.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(keys, ["m1", "m2", "m3"]);
    let has = |wanted: &dyn Fn(&Fact) -> bool| facts.iter().filter(|fact| wanted(fact)).count();
    assert_eq!(has(&|fact| matches!(fact, Fact::RunStarted { key, .. } if key == "m1")), 1);
    assert_eq!(has(&|fact| matches!(fact, Fact::RunEnded { run, .. } if run == id(&task))), 1);
    assert_eq!(
        has(
            &|fact| matches!(fact, Fact::ItemChanged { item, state, .. } if item == "a2a_task" && state == "rejected")
        ),
        1
    );
    let journal = fs::read_dir(stand.folder.join("data/daemon")).unwrap().next().unwrap().unwrap().path();
    let lines = fs::read_to_string(journal.join("journal-0001.jsonl")).unwrap();
    let told = fs::read_to_string(stand.folder.join("wire.jsonl")).unwrap();
    assert_eq!(told.lines().count(), 6);
    assert!(told.contains("secret plan") && !told.contains(&stand.token));
    assert!(!lines.contains("secret plan") && !lines.contains(&stand.token));
}
