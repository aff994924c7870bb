//! What stands around the turns: initialize, authenticate, sessions and their settings, and lines that are no good.

use crate::client::{Client, Said, words};
use rehearsal_journal::daemon::Fact;
use rehearsal_testkit::program::lines;
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::scratch;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;

fn code(outcome: Result<Value, Value>) -> i64 {
    outcome.unwrap_err()["code"].as_i64().unwrap()
}

#[test]
fn nothing_goes_before_initialize_and_version_one_is_spoken_with_everybody() {
    let mut client = Client::started("initialize", "", &[]);
    let new = json!({"cwd": "/work", "mcpServers": []});
    assert_eq!(code(client.call("session/new", &new)), -32600);
    assert_eq!(code(client.call("initialize", &json!({}))), -32602);
    let body = client.call("initialize", &json!({"protocolVersion": 7, "clientCapabilities": {}})).unwrap();
    assert_eq!(
        (body["protocolVersion"].as_i64(), body["agentCapabilities"]["loadSession"].as_bool()),
        (Some(1), Some(true))
    );
    assert_eq!(body["authMethods"], json!([]));
    assert!(client.call("session/new", &new).is_ok());
    assert_eq!(code(client.call("session/never", &json!({}))), -32601);
    assert_eq!(code(client.call("authenticate", &json!({"methodId": "rehearsal"}))), -32602);
}

#[test]
fn sessions_need_authentication_where_that_is_asked() {
    let mut client = Client::started("auth", "", &["--require-auth"]);
    let body = client.initialize(&json!({}));
    assert_eq!(body["authMethods"][0]["id"], "rehearsal");
    let new = json!({"cwd": "/work", "mcpServers": []});
    assert_eq!(code(client.call("session/new", &new)), -32000);
    assert_eq!(code(client.call("authenticate", &json!({"methodId": "other"}))), -32602);
    assert!(client.call("authenticate", &json!({"methodId": "rehearsal"})).is_ok());
    assert!(client.call("session/new", &new).is_ok());
    assert!(client.call("logout", &json!({})).is_ok());
    assert_eq!(code(client.call("session/new", &new)), -32000);
}

#[test]
fn a_session_is_told_again_when_it_is_loaded_and_not_when_it_is_resumed() {
    let mut client = Client::new("load", "", &[]);
    let session = client.session();
    assert!(client.whole(&session, "hello there").1.is_ok());
    let params = json!({"sessionId": session, "cwd": "/other", "mcpServers": []});
    assert!(client.call("session/close", &json!({"sessionId": session})).is_ok());
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "x"}]});
    assert_eq!(code(client.call("session/prompt", &prompt)), -32602);
    assert!(client.call("session/resume", &params).unwrap()["modes"].is_object());
    let id = client.ask("session/load", &params);
    let (updates, outcome) = client.turn(id);
    assert!(outcome.is_ok());
    assert_eq!(updates[0]["sessionUpdate"], "user_message_chunk");
    assert_eq!(updates[0]["content"]["text"], "hello there");
    assert!(words(&updates).contains("FAKE_RUN_RESULT"));
    let list = |client: &mut Client, params: Value| {
        client.call("session/list", &params).unwrap()["sessions"].clone()
    };
    assert_eq!(list(&mut client, json!({"cwd": "/other"}))[0]["title"], "hello there");
    assert_eq!(list(&mut client, json!({"cwd": "/work"})), json!([]));
    assert!(client.call("session/delete", &json!({"sessionId": session})).is_ok());
    assert_eq!(list(&mut client, json!({})), json!([]));
    for method in ["session/load", "session/resume", "session/close", "session/delete", "session/prompt"] {
        let params = json!({"sessionId": session, "cwd": "/w", "mcpServers": [], "prompt": [{"type": "text", "text": "x"}]});
        assert_eq!(code(client.call(method, &params)), -32002, "{method}");
    }
}

#[test]
fn modes_and_options_are_set_to_what_there_is() {
    let mut client = Client::new("modes", "", &["--model", "m-1"]);
    let session = client.session();
    assert!(client.call("session/set_mode", &json!({"sessionId": session, "modeId": "plan"})).is_ok());
    assert_eq!(
        code(client.call("session/set_mode", &json!({"sessionId": session, "modeId": "fast"}))),
        -32602
    );
    let set = |option: &str, value: &str| json!({"sessionId": session, "configId": option, "value": value});
    let body = client.call("session/set_config_option", &set("model", "m-1-mini")).unwrap();
    assert_eq!(body["configOptions"][0]["currentValue"], "m-1-mini");
    assert_eq!(code(client.call("session/set_config_option", &set("model", "m-2"))), -32602);
    assert_eq!(code(client.call("session/set_config_option", &set("speed", "m-1"))), -32602);
}

#[test]
fn lines_that_are_no_good_are_answered_and_taken_down() {
    let mut client = Client::new("bad-lines", "", &[]);
    for (line, wanted) in [
        ("{", -32700),
        ("[]", -32600),
        ("{\"jsonrpc\": \"2.0\"}", -32600),
        ("{\"method\": \"session/list\"}", -32600),
    ] {
        client.say(line);
        let Said::Answers(0, Err(error)) = client.hear() else { panic!("{line}") };
        assert_eq!(error["code"], wanted, "{line}");
    }
    let session = client.session();
    for (params, why) in [
        (json!({"sessionId": session}), "no prompt"),
        (json!({"sessionId": session, "prompt": []}), "an empty one"),
        (json!({"sessionId": session, "prompt": [{"type": "text"}]}), "no text"),
        (json!({"sessionId": session, "prompt": [{"type": "smell"}]}), "no such type"),
        (json!({"prompt": [{"type": "text", "text": "x"}]}), "no session"),
    ] {
        assert_eq!(code(client.call("session/prompt", &params)), -32602, "{why}");
    }
    for params in
        [json!({"cwd": "work", "mcpServers": []}), json!({"cwd": "/work"}), json!({"mcpServers": []})]
    {
        assert_eq!(code(client.call("session/new", &params)), -32602, "{params}");
    }
    // A notification that nobody knows, and an answer to nothing, are taken down only.
    client.notify("session/shout", &json!({}));
    client.answer(99, &json!({}));
    assert!(client.call("session/list", &json!({})).is_ok());
    let log = std::fs::read_to_string(client.folder.join("wire.jsonl")).unwrap();
    assert!(log.lines().any(|line| line == r#"{"from":"client","line":"{"}"#), "{log}");
    let facts = client.leave();
    let refused: Vec<&str> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::LineRefused { code, .. } => Some(code.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(refused.len(), 14);
    assert_eq!(refused[0], "parse_error");
    assert_eq!(refused[12..], ["method_not_found", "unknown_response"]);
}

#[test]
fn half_a_surrogate_pair_is_no_text() {
    let mut client = Client::new("half-text", "", &[]);
    for line in [
        r#"{"jsonrpc": "2.0", "id": "\ud800", "method": "session/list"}"#,
        r#"{"jsonrpc": "2.0", "id": 5, "method": "session/new", "params": {"cwd": "/\udfff", "mcpServers": []}}"#,
    ] {
        client.say(line);
        let Said::Answers(0, Err(error)) = client.hear() else { panic!("{line}") };
        assert_eq!(error["code"], -32700);
        assert!(error["message"].as_str().unwrap().contains("half a surrogate pair"), "{error}");
    }
}

#[test]
fn a_client_that_reads_nothing_keeps_no_agent_alive_that_is_asked_to_end() {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "acp/never-reads");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.current_dir(&folder).args(["daemon", "--acp", "--data", "data"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Its answers are more than a pipe holds.
    let line =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";
    child.stdin.as_mut().unwrap().write_all(line.repeat(400).as_bytes()).unwrap();
    let mut first = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    let end = lines(child.stderr.take().unwrap()).recv_timeout(PATIENCE);
    let ended = matches!(end, Err(RecvTimeoutError::Disconnected));
    drop(child.kill());
    child.wait().unwrap();
    assert!(ended, "{end:?}");
}
