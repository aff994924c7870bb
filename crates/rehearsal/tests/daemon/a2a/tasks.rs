//! Tasks: how they stand, what they wait for, what they leave, how they are listed.

use super::{ask, begin, got, id, message, rest, rpc, send, sending, state, to};
use crate::stand::{Got, Stand};
use serde_json::{Value, json};
use std::fs;

const RUNS: &str = "version: 1
runs:
  - {id: '[later]', steps: [{after: 90s, note: halfway}, {polls: 5, end: {text: In time.}}]}
  - {id: '[patience]', steps: [{ask: {question: Well?, timeout: 15m}}, {after: 1s, end: {text: Given up.}}]}
  - {id: '[long]', steps: [{end: {text: abcdefgh, bytes: 300000}}]}
  - {id: '[unknown]', messages: [{outcome: delivery_unknown, reason: transport_lost}, {outcome: rejected, reason: rpc_refused}], steps: [{hang: true}]}
";

fn get(stand: &Stand, task: &str) -> Value {
    let got = rest(stand, "GET", &format!("/tasks/{task}"), &json!(null));
    assert_eq!(got.status, 200, "{got:?}");
    got.body
}

#[test]
fn both_bindings_tell_the_same_of_one_task() {
    let stand = Stand::new("a2a-same");
    let task = begin(&stand, "m", "[FAKE:ASK] serve it");
    assert_eq!(state(&task), "INPUT_REQUIRED");
    let asked = &task["status"]["message"];
    assert_eq!((asked["role"].as_str(), asked["taskId"].as_str()), (Some("ROLE_AGENT"), Some(id(&task))));
    assert_eq!(asked["parts"][1]["data"]["options"][0]["label"], "8080");
    assert_eq!(task["history"][0]["parts"][0]["text"], "[FAKE:ASK] serve it");
    let over_rpc = rpc(&stand, "GetTask", &json!({"id": id(&task)})).body["result"].clone();
    assert_eq!((&over_rpc, &get(&stand, id(&task))), (&task, &task));
    let done = rpc(&stand, "SendMessage", &to(id(&task), "n", "8080")).body["result"]["task"].clone();
    assert_eq!(state(&done), "COMPLETED");
    assert_eq!(done["history"].as_array().unwrap().len(), 3);
    assert_eq!(get(&stand, id(&task)), done);
    // The run of the task is one like all others.
    let detail = stand.detail(id(&task));
    assert_eq!(detail["summary"]["state"], "succeeded");
    assert_eq!(detail["primaryOutput"]["text"], done["artifacts"][0]["parts"][0]["text"]);
}

#[test]
fn an_answer_waits_for_rest_and_the_clock_brings_it() {
    let stand = Stand::scripted("a2a-waits", RUNS, &["--scripted-clock"]);
    let body = sending("m", "[later]", &json!({"historyLength": 1})).to_string();
    let mut client = ask(&stand, "POST", "/a2a/message:send", "", &body);
    // The head is there at once, the task once it is at rest.
    let _ = client.read_at_least(20);
    stand.advance("90s");
    let told = got(&client.read_to_end());
    assert!(told.head.contains("content-type: application/a2a+json"), "{}", told.head);
    let task = &told.body["task"];
    assert_eq!(
        (state(task), task["artifacts"][0]["parts"][0]["text"].as_str()),
        ("COMPLETED", Some("In time."))
    );
    assert_eq!(task["status"]["timestamp"], "2026-09-01T00:01:30.000Z");
    let history = task["history"].as_array().unwrap();
    assert_eq!((history.len(), history[0]["parts"][0]["text"].as_str()), (1, Some("halfway")));
}

#[test]
fn a_question_is_given_up_when_its_time_has_passed() {
    let stand = Stand::scripted("a2a-patience", RUNS, &["--scripted-clock"]);
    let task = send(&stand, &sending("m", "[patience]", &json!({})));
    assert_eq!(state(&task), "INPUT_REQUIRED");
    stand.advance("15m");
    assert_eq!(state(&get(&stand, id(&task))), "WORKING");
    stand.advance("1s");
    let done = get(&stand, id(&task));
    assert_eq!(
        (state(&done), done["artifacts"][0]["parts"][0]["text"].as_str()),
        ("COMPLETED", Some("Given up."))
    );
}

#[test]
fn live_messages_that_are_not_taken_are_refused_with_outcome_and_reason() {
    let stand = Stand::scripted("a2a-live", RUNS, &[]);
    let task = begin(&stand, "m", "[unknown]");
    let tell = |stand: &Stand, message: &str, text: &str| {
        let mut params = to(id(&task), message, text);
        params["configuration"] = json!({"returnImmediately": true});
        rest(stand, "POST", "/message:send", &params)
    };
    let facts = |got: &Got| got.body["error"]["details"][0]["metadata"].clone();
    let lost = tell(&stand, "a", "left");
    assert_eq!((lost.status, facts(&lost)["outcome"].as_str()), (500, Some("delivery_unknown")));
    let refused = tell(&stand, "b", "left");
    assert_eq!((refused.status, facts(&refused)["reason"].as_str()), (400, Some("rpc_refused")));
    // What was not taken can be sent again, and is then in the history.
    let taken = tell(&stand, "b", "left");
    assert_eq!(taken.status, 200, "{taken:?}");
    let said: Vec<_> = taken.body["task"]["history"].as_array().unwrap().iter().collect();
    assert_eq!((said.len(), said[1]["messageId"].as_str()), (2, Some("b")));
    let long = tell(&stand, "c", &"x".repeat(65_537));
    assert_eq!((long.status, facts(&long)["pointer"].as_str()), (400, Some("/message/parts")));

    let deaf = Stand::with("a2a-deaf", &["--live-input", "none"]);
    let other = begin(&deaf, "m", "[FAKE:HANG]");
    let told = rest(&deaf, "POST", "/message:send", &to(id(&other), "n", "left"));
    assert_eq!((told.status, facts(&told)["outcome"].as_str()), (400, Some("unsupported")));
}

#[test]
fn edits_are_artifacts_and_are_written_only_where_a_private_workspace_is_named() {
    let stand = Stand::new("a2a-edits");
    let names = |task: &Value| {
        let all = task["artifacts"].as_array().unwrap();
        all.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = ["delegated_new.txt", "tracked.txt", "output/final.md"];
    let task = send(&stand, &sending("m", "[FAKE:MUTATE]", &json!({})));
    assert_eq!((state(&task), names(&task)), ("COMPLETED", all.map(str::to_owned).to_vec()));
    let part = &task["artifacts"][1]["parts"][0];
    assert_eq!(
        (part["text"].as_str(), part["filename"].as_str()),
        (Some("one\ntwo\nthree\n"), Some("tracked.txt"))
    );
    assert!(!stand.folder.join("tracked.txt").exists());

    let (live, work) = stand.workspace("mutate");
    let mut params = sending("n", "[FAKE:MUTATE]", &json!({}));
    params["message"]["metadata"] = json!({"workspaceRoot": work, "scopeRoot": live});
    assert_eq!(names(&send(&stand, &params)), all);
    assert_eq!(fs::read_to_string(work.join("tracked.txt")).unwrap(), "one\ntwo\nthree\n");
    assert_eq!(fs::read_to_string(live.join("tracked.txt")).unwrap(), "one\n");

    for root in [json!(live), json!("work"), json!(stand.folder.join("none"))] {
        let before = stand.run_dirs();
        let mut params = sending("wrong", "[FAKE:MUTATE]", &json!({}));
        params["message"]["metadata"] = json!({"workspaceRoot": root, "scopeRoot": live});
        let told = rest(&stand, "POST", "/message:send", &params);
        let facts = &told.body["error"]["details"][0];
        assert_eq!((told.status, facts["reason"].as_str()), (400, Some("INVALID_PARAMS")), "{root}");
        assert_eq!(facts["metadata"]["field"], "workspaceRoot");
        assert_eq!(stand.run_dirs(), before);
    }
    let listed = rest(&stand, "GET", "/tasks", &json!(null)).body;
    assert_eq!(listed["totalSize"], 2);
    // The message is as if it had never been sent: its id is good for another one.
    assert_eq!(state(&send(&stand, &sending("wrong", "work", &json!({})))), "COMPLETED");
}

#[test]
fn a_long_output_is_cut_and_says_so() {
    let stand = Stand::scripted("a2a-long", RUNS, &[]);
    let task = send(&stand, &sending("m", "[long]", &json!({})));
    let output = &task["artifacts"][0];
    assert_eq!(output["metadata"], json!({"bytes": 300_000, "truncated": true}));
    assert_eq!(output["parts"][0]["text"].as_str().unwrap().len(), 256 * 1024);
}

#[test]
fn a_task_that_lacks_credentials_begins_once_others_are_named() {
    let stand = Stand::with("a2a-auth", &["--ghost-profile", "ghost"]);
    let mut params = sending("m", "[FAKE:ASK] work", &json!({}));
    params["metadata"] = json!({"credentialProfileId": "ghost"});
    let task = send(&stand, &params);
    assert_eq!(state(&task), "AUTH_REQUIRED");
    assert_eq!(task["status"]["message"]["parts"][1]["data"]["credentialProfileId"], "ghost");
    assert_eq!(stand.run_dirs().len(), 0);
    let mut again = to(id(&task), "n", "take these");
    again["metadata"] = json!({"credentialProfileId": "ghost"});
    assert_eq!(state(&send(&stand, &again)), "AUTH_REQUIRED");
    again["message"]["messageId"] = json!("o");
    again["metadata"] = json!({"credentialProfileId": "mine"});
    let asking = send(&stand, &again);
    assert_eq!((state(&asking), asking["history"].as_array().unwrap().len()), ("INPUT_REQUIRED", 3));
    assert_eq!(stand.run_dirs(), [id(&task)]);

    params["message"]["messageId"] = json!("p");
    let other = send(&stand, &params);
    let canceled = rest(
        &stand,
        "POST",
        &format!("/tasks/{}:cancel", id(&other)),
        &json!({"metadata": {"reason": "enough"}}),
    );
    assert_eq!(state(&canceled.body), "CANCELED");
    assert_eq!(canceled.body["status"]["message"]["parts"][0]["text"], "enough");
    assert_eq!(rest(&stand, "POST", &format!("/tasks/{}:cancel", id(&other)), &json!(null)).status, 400);
}

#[test]
fn tasks_are_listed_newest_first_page_by_page() {
    let stand = Stand::with("a2a-list", &["--scripted-clock"]);
    let mut made = Vec::new();
    for at in 0..5 {
        let text = if at % 2 == 0 { "[FAKE:ASK]" } else { "[FAKE:REFUSE]" };
        let mut params = sending(&format!("m{at}"), text, &json!({}));
        params["message"]["contextId"] = json!("of mine");
        made.insert(0, id(&send(&stand, &params)).to_owned());
        stand.advance("1s");
    }
    let list = |query: &str| {
        let got = rest(&stand, "GET", &format!("/tasks{query}"), &json!(null));
        assert_eq!(got.status, 200, "{got:?}");
        let page = &got.body;
        let ids: Vec<_> = page["tasks"].as_array().unwrap().iter().map(|task| id(task).to_owned()).collect();
        (
            ids,
            page["totalSize"].as_u64().unwrap(),
            page["nextPageToken"].as_str().unwrap().to_owned(),
            page.clone(),
        )
    };
    let (ids, total, next, page) = list("?contextId=of+mine&pageSize=2");
    assert_eq!((ids.as_slice(), total, page["pageSize"].as_u64()), (&made[..2], 5, Some(2)));
    assert!(page["tasks"][0].get("artifacts").is_none());
    // What is made meanwhile moves nothing.
    let newer = begin(&stand, "newer", "[FAKE:HANG]");
    let (ids, _, next, _) = list(&format!("?contextId=of%20mine&pageSize=2&pageToken={next}"));
    assert_eq!(ids, made[2..4]);
    let (ids, _, next, _) = list(&format!("?contextId=of%20mine&pageSize=2&pageToken={next}"));
    assert_eq!((ids.as_slice(), next.as_str()), (&made[4..], ""));
    assert_eq!(list("?status=TASK_STATE_REJECTED").1, 2);
    assert_eq!(list("?contextId=nobody").1, 0);
    assert_eq!(list("?statusTimestampAfter=2026-09-01T00:00:03Z").1, 3);
    let (ids, total, _, page) = list("?includeArtifacts=true&historyLength=0");
    assert_eq!((ids[0].as_str(), total), (id(&newer), 6));
    assert_eq!(page["tasks"][0]["artifacts"], json!([]));
    assert!(page["tasks"][0].get("history").is_none());
    // Who listed did not read: the tasks stand as before.
    let over_rpc = rpc(&stand, "ListTasks", &json!({"includeArtifacts": true, "historyLength": 0}));
    assert_eq!(over_rpc.body["result"], page);
}

#[test]
fn tasks_that_are_no_longer_kept_are_not_found() {
    let stand = Stand::with("a2a-kept", &["--keep-runs", "1"]);
    let over = |id: &str, text: &str| super::id(&send(&stand, &sending(id, text, &json!({})))).to_owned();
    let tasks =
        [over("a", "work"), over("b", "work"), over("c", "[FAKE:REFUSE]"), over("d", "[FAKE:REFUSE]")];
    let status = |task: &String| rest(&stand, "GET", &format!("/tasks/{task}"), &json!(null)).status;
    assert_eq!(tasks.each_ref().map(status), [404, 200, 404, 200]);
    // A message of such a task is as good as new.
    assert_ne!(over("a", "work"), tasks[0]);
}

#[test]
fn a_context_goes_on_in_tasks_and_is_never_another_one() {
    let stand = Stand::new("a2a-context");
    let task = send(&stand, &sending("m", "[FAKE:ASK]", &json!({})));
    let context = task["contextId"].as_str().unwrap();
    let mut second = message("n", "work");
    second["contextId"] = json!(context);
    assert_eq!(send(&stand, &json!({"message": second}))["contextId"], context);
    let mut wrong = to(id(&task), "o", "8080");
    wrong["message"]["contextId"] = json!("another");
    let told = rest(&stand, "POST", "/message:send", &wrong);
    let facts = &told.body["error"]["details"][0]["metadata"];
    assert_eq!((told.status, facts["pointer"].as_str()), (400, Some("/message/contextId")));
    wrong["message"]["contextId"] = json!(context);
    assert_eq!(state(&send(&stand, &wrong)), "COMPLETED");
}
