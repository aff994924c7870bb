//! `rehearsal drive`: a task with owned files at a scripted provider.

use crate::replaying::Server;
use crate::sandbox::{Ended, Sandbox, finish};
use serde_json::{Value, json};
use std::fs;

/// What the model says, in order.
fn provider(sandbox: &Sandbox, steps: &[&str]) -> Server {
    let step = |text: &&str| {
        format!(
            "      - {{text: {}, usage: {{prompt_tokens: 900, completion_tokens: 9}}}}\n",
            Value::from(*text)
        )
    };
    let script: String = steps.iter().map(step).collect();
    let suite = format!(
        "version: 1\nclasses:\n  task:\n    script:\n{script}    phrasings:\n      - {{id: t, prompt: Change two}}\n"
    );
    sandbox.write("suite.yaml", suite.as_bytes());
    Server::start(sandbox, &["serve", "--port", "0", "--scenarios", "suite.yaml", "--data", "served"])
}

pub(crate) fn drive(sandbox: &Sandbox, endpoint: &str, more: &[&str]) -> (Ended, Value) {
    let fixed =
        ["drive", "--endpoint", endpoint, "--model", "m", "--prompt", "Change two", "--workdir", "tree"];
    let ended = sandbox.run(&[&fixed[..], &["--data", "drive", "--json"], more].concat());
    let report = serde_json::from_str(&ended.out).unwrap_or(Value::Null);
    (ended, report)
}

/// What a worker answers that makes one file hold this.
pub(crate) fn patch(path: &str, contents: &str) -> String {
    json!({"files": [{"path": path, "contents": contents}], "summary": "s", "done": true}).to_string()
}

/// What a reviewer answers that finds nothing.
pub(crate) fn approve() -> String {
    r#"{"verdict":"approve","reasons":[]}"#.to_owned()
}

pub(crate) fn url(server: &Server) -> String {
    format!("http://{}/v1", server.address)
}

const GOOD: &str = r#"{"files":[{"path":"a.py","contents":"one\nthree\n"},{"path":"sub/new.py","contents":"x = 1\n"}],"summary":"Done.","done":true}"#;

#[test]
fn an_answer_that_cannot_be_read_goes_back_and_the_good_one_is_written_whole() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.py", b"one\r\ntwo\r\n");
    let server = provider(&sandbox, &["I think {\"files\": []", GOOD]);
    let (ended, report) = drive(&sandbox, &url(&server), &["--owns", "a.py", "--owns", "sub/new.py:create"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!((&report["outcome"], &report["repairs"]), (&"applied".into(), &1.into()));
    assert_eq!(report["attempts"].as_array().unwrap().len(), 2);
    assert_eq!((&report["metered"], &report["usage"]["prompt"]), (&"all".into(), &1800.into()));
    assert_eq!(fs::read(sandbox.path("tree/a.py")).unwrap(), b"one\r\nthree\r\n");
    assert_eq!(fs::read(sandbox.path("tree/sub/new.py")).unwrap(), b"x = 1\n");
}

#[test]
fn a_path_that_is_not_owned_refuses_the_whole_answer() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.py", b"one\n");
    let server = provider(&sandbox, &[GOOD]);
    let (ended, report) = drive(&sandbox, &url(&server), &["--owns", "a.py"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(report["error"]["class"], "ownership_violation");
    assert_eq!(fs::read(sandbox.path("tree/a.py")).unwrap(), b"one\n");
    assert!(!sandbox.path("tree/sub").exists());
}

#[test]
fn a_recorder_with_a_budget_of_one_is_asked_once() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.py", b"one\n");
    let server = provider(&sandbox, &["not json", GOOD]);
    let upstream = format!("http://{}", server.address);
    let record = Server::start(
        &sandbox,
        &["record", "--upstream", &upstream, "--data", "rec", "--budget-requests", "1"],
    );
    let (ended, report) = drive(&sandbox, &url(&record), &["--owns", "a.py", "--attempts", "1"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(report["error"]["class"], "format");
    assert_eq!(report["attempts"].as_array().unwrap().len(), 1);
    let exchanges = crate::sandbox::files_below(&sandbox.path("rec/private/exchanges"));
    let requests = exchanges.iter().filter(|path| path.extension().is_some_and(|end| end == "request"));
    assert_eq!(requests.count(), 1);
}

#[test]
fn what_the_one_request_was_refused_for_is_what_is_told() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.py", b"one\n");
    sandbox.write("suite.yaml", b"version: 1\nclasses:\n  task:\n    script: [{text: ready}]\n    phrasings: [{id: t, prompt: Change two}]\n");
    let fault = ["--fault", "refuses-json-schema:times=9"];
    let serve = ["serve", "--port", "0", "--scenarios", "suite.yaml", "--data", "served"];
    let server = Server::start(&sandbox, &[&serve[..], &fault].concat());
    let (ended, report) = drive(&sandbox, &url(&server), &["--owns", "a.py", "--attempts", "1"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(
        (&report["error"]["class"], &report["error"]["status"]),
        (&"unsupported_param".into(), &400.into())
    );
    assert_eq!(report["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(report["steps"].as_array().unwrap().len(), 0, "nothing was asked otherwise");
}

#[test]
fn what_cannot_be_a_task_is_said_in_one_sentence() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.py", b"one\n");
    let local = "http://127.0.0.1:9/v1";
    for (endpoint, more, words) in [
        (
            "http://example.com/v1",
            &["--owns", "a.py"][..],
            "only an endpoint at a loopback address needs none",
        ),
        ("ftp://x", &["--owns", "a.py"], "http"),
        (local, &["--owns", "../a.py"], "--owns: "),
        (local, &["--owns", "tests/test_a.py"], "is protected"),
        (local, &["--owns", "a.py", "--owns", "A.py"], "are the same file"),
        (local, &["--owns", "a.py", "--format", "xml"], "the formats are json_patch, fenced, diff"),
        (local, &["--owns", "a.py", "--ca", "none.pem"], "none.pem"),
    ] {
        let (ended, _) = drive(&sandbox, endpoint, more);
        assert_eq!(ended.code, Some(2), "{more:?}: {ended:?}");
        assert!(ended.err.contains(words), "{more:?}: {}", ended.err);
    }
    let (ended, report) = drive(&sandbox, local, &["--owns", "gone.py"]);
    assert_eq!((ended.code, &report["error"]["class"]), (Some(1), &"config".into()), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn a_worker_that_is_asked_to_end_says_so_and_leaves_the_tree() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.py", b"one\n");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1", silent.local_addr().unwrap());
    let fixed = ["drive", "--endpoint", &endpoint, "--model", "m", "--prompt", "p", "--workdir", "tree"];
    let mut command =
        sandbox.command(&[&fixed[..], &["--data", "drive", "--json", "--owns", "a.py"]].concat());
    let child = command.spawn().unwrap();
    // Whoever connects has its task written down and waits for an answer.
    let (_waiting, _) = silent.accept().unwrap();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let ended = finish(child);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((ended.code, &report["error"]["class"]), (Some(3), &"cancelled".into()), "{ended:?}");
    assert_eq!(fs::read(sandbox.path("tree/a.py")).unwrap(), b"one\n");
    let ended = sandbox.run(&["drive", "--status", "--data", "drive"]);
    assert!(ended.out.starts_with("task: failed"), "{ended:?}");
}
