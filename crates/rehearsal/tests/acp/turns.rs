//! Turns: texts, questions, edits by the client, calls to it, updates of every kind, cancels.

use crate::client::{Client, Said, words};
use rehearsal_journal::daemon::{Closed, Fact};
use serde_json::{Value, json};

const RUNS: &str = "version: 1
runs:
  - id: '[kinds]'
    steps:
      - update: {sessionUpdate: user_message_chunk, content: {type: text, text: you}}
      - update: {sessionUpdate: agent_thought_chunk, content: {type: text, text: hm}}
      - update: {sessionUpdate: tool_call, toolCallId: t1, title: Look, kind: search, status: in_progress}
      - update: {sessionUpdate: tool_call_update, toolCallId: t1, status: completed}
      - update: {sessionUpdate: plan, entries: [{content: one, priority: high, status: pending}]}
      - update: {sessionUpdate: available_commands_update, availableCommands: [{name: c, description: d}]}
      - update: {sessionUpdate: current_mode_update, currentModeId: plan}
      - update: {sessionUpdate: config_option_update, configOptions: []}
      - update: {sessionUpdate: session_info_update, title: 'in {cwd}'}
      - update: {sessionUpdate: usage_update, used: 5, size: 10}
      - note: almost
      - end: {text: done, stop_reason: max_tokens}
  - id: '[calls]'
    steps:
      - call: {method: fs/read_text_file, params: {path: '{cwd}/a.txt', limit: 3}}
      - call: {method: terminal/create, params: {command: ls, args: ['-l']}}
      - call: {method: terminal/wait_for_exit, params: {terminalId: '{result.terminalId}'}}
      - call: {method: nobody/knows}
      - end: succeeded
  - id: '[limit]'
    steps: [{end: {failure: {code: subscription_window_exhausted, resets_after: 1h, next_actions: [wait]}}}]
  - id: '[timeout]'
    steps: [{ask: {question: Quick?, timeout: 1m}}, {after: 1m, end: {text: went on}}]
  - id: '[long]'
    steps: [{end: {text: 0123456789æ, bytes: 100000}}]
";

fn kinds(updates: &[Value]) -> Vec<&str> {
    updates.iter().map(|update| update["sessionUpdate"].as_str().unwrap()).collect()
}

fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

#[test]
fn a_prompt_is_played_to_its_end() {
    let mut client = Client::new("plain", RUNS, &[]);
    let session = client.session();
    let (text, stop) = client.whole(&session, "hello");
    assert!(text.starts_with("FAKE_RUN_RESULT "), "{text}");
    assert_eq!(stop.unwrap(), "end_turn");
    assert_eq!(client.whole(&session, "[FAKE:REFUSE]"), (String::new(), Ok("refusal".to_owned())));
    let (text, stop) = client.whole(&session, "[FAKE:INPUT_REQUIRED]");
    assert!(text.starts_with("INTERIM (not final)"));
    assert_eq!(stop.unwrap(), "end_turn");
    let (text, stop) = client.whole(&session, "[long]");
    assert_eq!((text.len().div_ceil(12), stop.unwrap()), (100_000_usize.div_ceil(12), "end_turn".to_owned()));
    let (text, error) = client.whole(&session, "[limit]");
    let error = error.unwrap_err();
    assert_eq!((text.as_str(), error["code"].as_i64()), ("", Some(-32603)));
    assert_eq!(error["data"]["code"], "subscription_window_exhausted");
    assert!(error["data"]["resetsAt"].is_string());
}

#[test]
fn a_question_is_a_permission_with_the_options_of_the_question() {
    let mut client = Client::new("ask", RUNS, &[]);
    let session = client.session();
    let prompt = client.prompt(&session, "[FAKE:ASK]");
    let (updates, id, method, params) = client.until_asked();
    assert_eq!((method.as_str(), kinds(&updates)), ("session/request_permission", vec!["tool_call"]));
    assert_eq!(params["options"][1], json!({"optionId": "option-2", "name": "9090", "kind": "allow_once"}));
    assert_eq!(params["toolCall"]["toolCallId"], updates[0]["toolCallId"]);
    client.answer(id, &selected("option-2"));
    let (updates, outcome) = client.turn(prompt);
    assert_eq!(kinds(&updates), ["tool_call_update", "agent_message_chunk"]);
    assert_eq!(outcome.unwrap()["stopReason"], "end_turn");

    // Without options of its own it has those of permissions; the answers are told in the end.
    let prompt = client.prompt(&session, "[FAKE:TURN]");
    let (_, id, _, params) = client.until_asked();
    let options: Vec<_> =
        params["options"].as_array().unwrap().iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(options, ["allow_once", "allow_always", "reject_once", "reject_always"]);
    client.answer(id, &selected("reject_once"));
    let (_, id, ..) = client.until_asked();
    client.answer(id, &selected("no such option"));
    let (updates, _) = client.turn(prompt);
    let text = words(&updates);
    assert!(text.contains("after 2 addressed turn(s)") && text.contains("\nReject once\n"), "{text}");
    let facts = client.leave();
    let wrong = |fact: &Fact| matches!(fact, Fact::LineRefused { code, .. } if code == "invalid_params");
    assert_eq!(facts.iter().filter(|fact| wrong(fact)).count(), 1);
}

#[test]
fn a_client_with_forms_is_asked_for_texts() {
    let mut client = Client::started("elicit", RUNS, &[]);
    client.initialize(&json!({"elicitation": {"form": {}}}));
    let session = client.session();
    let prompt = client.prompt(&session, "[FAKE:TURN]");
    let (_, id, method, params) = client.until_asked();
    assert_eq!((method.as_str(), params["mode"].as_str()), ("elicitation/create", Some("form")));
    client.answer(id, &json!({"action": "accept", "content": {"answer": "do æ next"}}));
    let (_, id, ..) = client.until_asked();
    client.answer(id, &json!({"action": "decline"}));
    let (updates, _) = client.turn(prompt);
    assert!(words(&updates).contains("\ndo æ next\n"));
    // One that cannot show a question at all does not hang it.
    let prompt = client.prompt(&session, "[FAKE:ASK]");
    let (_, id, ..) = client.until_asked();
    client.refuse(id, -32601);
    assert!(client.turn(prompt).1.is_ok());
}

#[test]
fn files_are_written_by_the_client_one_after_the_other() {
    let mut client = Client::new("edits", RUNS, &[]);
    let session = client.session();
    let prompt = client.prompt(&session, "[FAKE:MUTATE]");
    for (path, content) in [
        ("/work/delegated_new.txt", "written by the delegated run\n"),
        ("/work/tracked.txt", "one\ntwo\nthree\n"),
    ] {
        let (updates, id, method, params) = client.until_asked();
        assert_eq!(method, "fs/write_text_file");
        assert_eq!((params["path"].as_str(), params["content"].as_str()), (Some(path), Some(content)));
        let call = updates.last().unwrap();
        assert_eq!(
            (call["kind"].as_str(), call["content"][0]["newText"].as_str()),
            (Some("edit"), Some(content))
        );
        client.answer(id, &json!({}));
    }
    assert_eq!(client.turn(prompt).1.unwrap()["stopReason"], "end_turn");
    let prompt = client.prompt(&session, "[FAKE:MUTATE]");
    let (_, id, ..) = client.until_asked();
    client.refuse(id, -32603);
    let (updates, outcome) = client.turn(prompt);
    assert_eq!(updates[0]["status"], "failed");
    assert_eq!(outcome.unwrap_err()["data"]["code"], "workspace_edit_refused");
    let mut poor = Client::started("no-fs", RUNS, &[]);
    poor.initialize(&json!({}));
    let session = poor.session();
    let (_, outcome) = poor.whole(&session, "[FAKE:MUTATE]");
    assert!(outcome.unwrap_err()["message"].as_str().unwrap().contains("fs/write_text_file"));
    assert!(!std::path::Path::new("/work/tracked.txt").exists());
}

#[test]
fn updates_of_every_kind_leave_as_the_file_has_them() {
    let mut client = Client::new("kinds", RUNS, &[]);
    let session = client.session();
    let prompt = client.prompt(&session, "[kinds]");
    let (updates, outcome) = client.turn(prompt);
    assert_eq!(
        kinds(&updates),
        [
            "user_message_chunk",
            "agent_thought_chunk",
            "tool_call",
            "tool_call_update",
            "plan",
            "available_commands_update",
            "current_mode_update",
            "config_option_update",
            "session_info_update",
            "usage_update",
            "agent_message_chunk",
            "agent_message_chunk",
        ]
    );
    assert_eq!(updates[8]["title"], "in /work");
    assert_eq!(
        (words(&updates).as_str(), outcome.unwrap()["stopReason"].as_str()),
        ("almost\n\ndone", Some("max_tokens"))
    );
}

#[test]
fn the_client_is_called_and_its_answers_are_filled_in() {
    let mut client = Client::new("calls", RUNS, &[]);
    let session = client.session();
    let prompt = client.prompt(&session, "[calls]");
    let (_, id, method, params) = client.until_asked();
    assert_eq!(
        (method.as_str(), &params),
        ("fs/read_text_file", &json!({"sessionId": session, "path": "/work/a.txt", "limit": 3}))
    );
    client.answer(id, &json!({"content": "x"}));
    let (_, id, method, _) = client.until_asked();
    assert_eq!(method, "terminal/create");
    client.answer(id, &json!({"terminalId": "term-\"7\""}));
    let (_, id, method, params) = client.until_asked();
    assert_eq!(
        (method.as_str(), params["terminalId"].as_str()),
        ("terminal/wait_for_exit", Some("term-\"7\""))
    );
    client.answer(id, &json!({"exitCode": 0}));
    // The agent hangs on a request that nobody knows until it is refused.
    let (_, id, method, _) = client.until_asked();
    assert_eq!(method, "nobody/knows");
    client.refuse(id, -32601);
    assert!(client.turn(prompt).1.is_ok());
}

#[test]
fn a_cancel_ends_the_turn_of_its_session_alone_and_late_answers_are_no_mistake() {
    let mut client = Client::new("cancel", RUNS, &[]);
    let (one, two) = (client.session(), client.session());
    let asking = client.prompt(&one, "[FAKE:ASK]");
    let (_, question, ..) = client.until_asked();
    let hanging = client.prompt(&two, "[FAKE:HANG]");
    let busy = json!({"sessionId": two, "prompt": [{"type": "text", "text": "x"}]});
    assert_eq!(client.call("session/prompt", &busy).unwrap_err()["code"], -32600);
    client.cancel(&one);
    let (updates, outcome) = client.turn(asking);
    assert_eq!(
        (updates[0]["status"].as_str(), outcome.unwrap()["stopReason"].as_str()),
        (Some("failed"), Some("cancelled"))
    );
    client.answer(question, &json!({"outcome": {"outcome": "cancelled"}}));
    client.cancel("no such session");
    client.cancel(&one);
    assert_eq!(client.whole(&one, "again").1.unwrap(), "end_turn");
    client.notify("$/cancel_request", &json!({"requestId": hanging}));
    assert_eq!(client.turn(hanging).1.unwrap_err()["code"], -32800);
    let hanging = client.prompt(&two, "[FAKE:HANG]");
    let close = client.ask("session/close", &json!({"sessionId": two}));
    assert_eq!(client.turn(hanging).1.unwrap()["stopReason"], "cancelled");
    assert!(client.turn(close).1.is_ok());
    let facts = client.leave();
    assert!(facts.iter().any(|fact| matches!(fact, Fact::QuestionClosed { how: Closed::Released, .. })));
    let strange = |fact: &Fact| matches!(fact, Fact::LineRefused { code, .. } if code == "unknown_response");
    assert!(!facts.iter().any(strange));
    let ended = facts.iter().filter(|fact| matches!(fact, Fact::RunEnded { .. })).count();
    let started = facts.iter().filter(|fact| matches!(fact, Fact::RunStarted { .. })).count();
    assert_eq!((started, ended), (4, 4));
    let text = serde_json::to_string(&facts).unwrap();
    assert!(!text.contains("again"), "texts are not in the journal");
}

#[test]
fn a_kill_loses_no_line_that_left() {
    let mut client = Client::new("kill", RUNS, &[]);
    let session = client.session();
    let prompt = client.prompt(&session, "[FAKE:TURN]");
    let (_, question, ..) = client.until_asked();
    client.answer(question, &selected("allow_once"));
    client.until_asked();
    let facts = client.killed();
    let said = |wanted: &str| {
        let is_it =
            |fact: &&Fact| matches!(fact, Fact::LineSaid(said) if said.method.as_deref() == Some(wanted));
        facts.iter().filter(is_it).count()
    };
    assert_eq!(
        (said("session/request_permission"), said("session/update"), said("session/prompt")),
        (2, 3, 0)
    );
    let heard = |fact: &Fact| matches!(fact, Fact::LineHeard(line) if line.id.as_deref() == Some(&prompt.to_string()));
    assert!(facts.iter().any(heard));
}

#[test]
fn a_question_is_given_up_when_its_time_has_passed() {
    let mut client = Client::new("timeout", RUNS, &["--scripted-clock"]);
    let session = client.session();
    let prompt = client.prompt(&session, "[timeout]");
    let (_, question, ..) = client.until_asked();
    let advance = client.ask("_rehearsal/clock", &json!({"advance": "1m"}));
    let Said::Answers(answered, Ok(body)) = client.hear() else { panic!("the clock answers first") };
    assert_eq!((answered, body["now"].as_str()), (advance, Some("2026-09-01T00:01:00.000Z")));
    let Said::Notice(method, params) = client.hear() else { panic!("it is revoked") };
    assert_eq!((method.as_str(), params["requestId"].as_u64()), ("$/cancel_request", Some(question)));
    let Said::Update(update) = client.hear() else { panic!("its call failed") };
    assert_eq!(update["status"], "failed");
    client.ask("_rehearsal/clock", &json!({"advance": "1m"}));
    assert!(matches!(client.hear(), Said::Answers(_, Ok(_))));
    let (updates, _) = client.turn(prompt);
    assert_eq!(words(&updates), "went on");
}
