//! Agents that repeat, compact, nest: which step their requests are answered by on the lane of a case.

use crate::request::{chat, history, post, request, tool};
use crate::stand::{Served, Stand};
use rehearsal_journal::event::Kind;
use serde_json::{Value, json};

const CASE: &str = "/t/tokenp/v1/chat/completions";

fn served(class: &str) -> Served {
    let file =
        format!("version: 1\nclasses: {{c: {{phrasings: [{{id: p, prompt: do the work}}], {class}}}}}\n");
    Served::file("t.yaml", &file).lane("tokenp", "p")
}

fn said(stand: &Stand, body: &Value) -> String {
    stand.post(CASE, &body.to_string()).said()
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

#[test]
fn an_agent_that_compacts_its_history_goes_on_with_the_next_step() {
    let stand = served("script: [{text: a}, {text: b}, {text: c}, {text: d}]").start();
    let user = |text: &str| json!({"role": "user", "content": text});
    assert_eq!(said(&stand, &chat("do the work", json!({}))), "a");
    assert_eq!(said(&stand, &history("do the work", &[assistant("a"), user("on")], json!({}))), "b");
    let compacted = "So far a and b were said. The task was: do the work";
    assert_eq!(said(&stand, &chat(compacted, json!({}))), "c");
    assert_eq!(said(&stand, &chat(compacted, json!({}))), "c", "an attempt is no step");
    assert_eq!(said(&stand, &history(compacted, &[assistant("c"), user("on")], json!({}))), "d");
    let steps: Vec<_> = stand.asked().iter().map(|asked| (asked.step, asked.attempt_of)).collect();
    assert_eq!(
        steps,
        [(Some(0), None), (Some(1), None), (Some(2), None), (Some(2), Some(3)), (Some(3), None)]
    );
    assert_eq!(
        said(&stand, &chat("do the work", json!({}))),
        "a",
        "who begins again begins at the beginning"
    );
}

#[test]
fn without_a_token_nothing_is_remembered() {
    let stand = served("script: [{text: a}, {text: b}]").start();
    let ask = |prompt: &str| stand.chat(&chat(prompt, json!({}))).said();
    assert_eq!([ask("do the work"), ask("Another agent: do the work"), ask("do the work")], ["a", "a", "a"]);
}

#[test]
fn calls_that_come_back_hold_the_place_where_earlier_turns_were_dropped() {
    let class = "script: [{tool_calls: [{name: look, arguments: {}}]}, {tool_calls: [{name: look, arguments: {}}]}, {text: done}]";
    let stand = served(class).start();
    let tools = || json!({"tools": [tool("look")]});
    let kept = [
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_gate_p_s1_0", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": "call_gate_p_s1_0", "content": "fine"}),
    ];
    assert_eq!(said(&stand, &history("do the work", &kept, tools())), "done");
    let answer = stand.chat(&history("do the work", &kept, tools())).said();
    assert_eq!(answer, "done", "and so without a token");
}

#[test]
fn thirty_attempts_are_one_logical_call() {
    for advance in ["request", "assistants"] {
        let stand = served(&format!("advance: {advance}, script: [{{text: a}}, {{text: b}}]")).start();
        let body = chat("do the work", json!({})).to_string();
        for _ in 0..30 {
            assert_eq!(stand.post(CASE, &body).said(), "a", "{advance}");
        }
        let asked = stand.asked();
        assert_eq!((asked[0].attempt_of, asked[0].step), (None, Some(0)));
        assert!(asked[1..].iter().all(|asked| asked.attempt_of == Some(1) && asked.step == Some(0)));
        assert_eq!(said(&stand, &history("do the work", &[assistant("a")], json!({}))), "b", "{advance}");
    }
}

#[test]
fn attempts_at_once_are_attempts_all_the_same() {
    let stand = served("advance: request, script: [{text: a}, {text: b}]").start();
    let body = chat("do the work", json!({})).to_string();
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..30).map(|_| scope.spawn(|| stand.post(CASE, &body).said())).collect();
        for said in asking {
            assert_eq!(said.join().unwrap(), "a");
        }
    });
    assert_eq!(stand.asked().iter().filter(|asked| asked.attempt_of == Some(1)).count(), 29);
}

#[test]
fn retries_that_only_their_header_gives_away_are_attempts() {
    let stand = served("advance: request, script: [{text: a}, {text: b}]").start();
    let send = |nonce: usize, retry: &str, later: &[Value]| {
        let body =
            history("do the work", later, json!({"metadata": {"nonce": nonce.to_string()}})).to_string();
        let headers = [("content-type", Some("application/json")), ("X-Stainless-Retry-Count", Some(retry))];
        stand.send(&request("POST", CASE, &headers, body.as_bytes())).said()
    };
    for retry in 0..30 {
        assert_eq!(send(retry, &retry.to_string(), &[]), "a", "{retry}");
    }
    assert_eq!(send(30, "0", &[assistant("a")]), "b");
    let asked = stand.asked();
    let retries: Vec<_> = asked.iter().map(|asked| asked.retry.unwrap_or(0)).collect();
    assert_eq!(retries, (0..30).chain([0]).collect::<Vec<_>>());
    assert!(asked[1..30].iter().all(|asked| asked.attempt_of == Some(1)));
    assert_eq!(asked[30].attempt_of, None);
}

#[test]
fn attempts_after_errors_move_on_and_belong_together() {
    let class = "advance: request, script: [{api_error: {status: 429, message: slow}, times: 28}, {fault: mid-body-drop, times: 1}, {text: a}, {text: b}]";
    let stand = served(class).start();
    let body = chat("do the work", json!({})).to_string();
    for _ in 0..28 {
        assert_eq!(stand.post(CASE, &body).status, 429);
    }
    let mut cut = stand.client();
    cut.send(post(CASE, &body));
    assert_eq!(cut.read_to_end().status(), 200);
    assert_eq!(stand.post(CASE, &body).said(), "a");
    let asked = stand.asked();
    assert_eq!(asked.len(), 30);
    assert!(asked[1..].iter().all(|asked| asked.attempt_of == Some(1)));
}

const CONVERSATIONS: &str = r#"
version: 1
classes:
  c:
    advance: request
    phrasings:
      - id: boss
        prompt: Report on both.
        script: [{tool_calls: [{name: task, arguments: {prompt: "Count the sheep."}}, {name: task, arguments: {prompt: "Count the goats."}}]}, {text: all counted}]
        conversations:
          - {id: sheep, prompt: Count the sheep., script: [{text: one sheep}, {text: two sheep}]}
          - {id: goats, prompt: Count the goats., script: [{tool_calls: [{name: look, arguments: {}}]}, {text: no goats}]}
"#;

#[test]
fn the_conversations_of_one_case_each_have_counts_and_ids_of_their_own() {
    let stand = Served::file("t.yaml", CONVERSATIONS).lane("tokenp", "boss").start();
    let tools = || json!({"tools": [tool("task"), tool("look")]});
    let message = |answer: &crate::request::Answer| answer.json()["choices"][0]["message"].clone();
    let ask = |prompt: &str, later: &[Value]| {
        let answer = stand.post(CASE, &history(prompt, later, tools()).to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        message(&answer)
    };
    let boss = ask("Report on both.", &[]);
    assert_eq!(boss["tool_calls"][1]["id"], "call_gate_boss_s0_1");
    // The helpers take turns.
    let goats = ask("You are a helper. Count the goats.", &[]);
    assert_eq!(ask("You are a helper. Count the sheep.", &[])["content"], "one sheep");
    assert_eq!(goats["tool_calls"][0]["id"], "call_gate_boss.goats_s0_0");
    let looked = json!({"role": "tool", "tool_call_id": "call_gate_boss.goats_s0_0", "content": "none"});
    assert_eq!(
        ask("You are a helper. Count the goats.", &[goats.clone(), looked.clone()])["content"],
        "no goats"
    );
    assert_eq!(ask("You are a helper. Count the sheep.", &[])["content"], "one sheep");
    let answers = ["call_gate_boss_s0_0", "call_gate_boss_s0_1"]
        .map(|id| json!({"role": "tool", "tool_call_id": id, "content": "Count the sheep."}));
    let later = [&[boss][..], &answers].concat();
    assert_eq!(ask("Report on both.", &later)["content"], "all counted");
    let asked = stand.asked();
    let seen: Vec<_> =
        asked.iter().map(|asked| (asked.phrasing.as_deref().unwrap_or_default(), asked.step)).collect();
    let wanted = [
        ("boss", 0),
        ("boss.goats", 0),
        ("boss.sheep", 0),
        ("boss.goats", 1),
        ("boss.sheep", 0),
        ("boss", 1),
    ];
    assert_eq!(seen, wanted.map(|(phrasing, step)| (phrasing, Some(step))));
    assert_eq!(asked[4].attempt_of, Some(3), "attempts are found in their own conversation");
    let foreign = stand.post(CASE, &history("Count the sheep.", &[goats, looked], tools()).to_string());
    assert_eq!((foreign.status, foreign.code()), (400, json!("gate_echo_mismatch")));
    assert!(asked.iter().all(|asked| asked.kind == Kind::Scenario));
}
