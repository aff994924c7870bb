//! A server that others can reach: tokens, hosts, another setting, commands that a shim tells of.

use crate::request::{chat, request};
use crate::stand::{CHAT, Served, Stand};
use rehearsal_journal::event::{CommandRan, Event, Kind};
use serde_json::{Value, json};
use std::pin::pin;
use std::task::{Context, Waker};

const FILE: &str = "version: 1\nclasses: {c: {script: [{text: one}, {text: two}], phrasings: [{id: p, prompt: first prompt}, {id: q, prompt: second prompt}]}}\n";
const CASE: &str = "/t/casep/v1/chat/completions";
const GUARDED: &str = "/t/secret/v1/chat/completions";

fn served() -> Served {
    Served::file("t.yaml", FILE).lane("casep", "p")
}

/// The status of a chat request to a path that names this host, and the code of its error.
fn ask(stand: &Stand, path: &str, host: &str, prompt: &str) -> (u16, Value) {
    let headers = [("host", Some(host)), ("content-type", Some("application/json"))];
    let body = chat(prompt, json!({})).to_string();
    let answer = stand.send(&request("POST", path, &headers, body.as_bytes()));
    (answer.status, answer.code())
}

#[test]
fn a_guarded_server_answers_below_its_token_and_in_open_cases_only() {
    let stand = served().guard(Some("secret"), &[]).start();
    let refused = (403, json!("token_required"));
    let fine = (200, Value::Null);
    assert_eq!(ask(&stand, CHAT, "127.0.0.1", "second prompt"), refused);
    assert_eq!(ask(&stand, "/t/other/v1/chat/completions", "127.0.0.1", "second prompt"), refused);
    assert_eq!(ask(&stand, GUARDED, "machine.example:7000", "second prompt"), fine);
    assert_eq!(ask(&stand, CASE, "[2001:db8::1]:7000", "first prompt"), fine);
    let get = |path: &str| stand.send(&request("GET", path, &[("host", Some("machine.example"))], b""));
    assert_eq!(get("/gate/health").status, 200);
    assert_eq!(get("/gate/stats").status, 403);
    assert_eq!(get("/t/secret/gate/stats").json()["chat_hits"], 1);
    let kinds: Vec<_> = stand.asked().iter().map(|asked| asked.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == Kind::WrongPath).count(), 2, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == Kind::Scenario).count(), 2, "{kinds:?}");
}

#[test]
fn further_hosts_are_named_one_by_one() {
    let stand = served().guard(None, &["host.docker.internal"]).start();
    for (host, wanted) in [
        ("host.docker.internal:80", 200),
        ("HOST.docker.internal", 200),
        ("127.0.0.1", 200),
        ("evil.example", 403),
    ] {
        assert_eq!(ask(&stand, CHAT, host, "second prompt").0, wanted, "{host}");
        assert_eq!(ask(&stand, CASE, host, "first prompt").0, wanted, "{host}");
    }
}

#[test]
fn another_setting_is_played_from_its_beginning() {
    let counted = |first: &str| {
        let file = format!(
            "version: 1\nclasses: {{c: {{advance: request, script: [{{text: {first}}}, {{text: then}}], phrasings: [{{id: p, prompt: first prompt}}]}}}}\n"
        );
        Served::file("t.yaml", &file)
    };
    let stand = counted("old").lane("casep", "p").guard(Some("secret"), &[]).start();
    let said = |path: &str, times: usize| -> Vec<String> {
        let body = |n: usize| chat("first prompt", json!({"user": n.to_string()})).to_string();
        (0..times).map(|n| stand.post(path, &body(n)).said()).collect()
    };
    assert_eq!(said(GUARDED, 2), ["old", "then"]);
    assert_eq!(said(CASE, 1), ["old"]);
    stand.standin.replace(counted("new").setting());
    assert_eq!(said(GUARDED, 2), ["new", "then"]);
    assert_eq!(said(CASE, 2)[1], "then", "a case keeps to what it began with");
    assert_eq!(stand.asked().len(), 7, "the journal goes on");
}

#[test]
fn a_command_is_taken_down_on_the_lane_of_a_case() {
    let stand = served().start();
    let tell = |path: &str, body: &str| {
        let headers = [("content-type", Some("application/json"))];
        let answer = stand.send(&request("POST", path, &headers, body.as_bytes()));
        (answer.status, answer.body.len())
    };
    let told = json!({"argv": ["git", "push", "--token", "hush"], "folder": "src"}).to_string();
    assert_eq!(tell("/t/casep/gate/command", &told), (204, 0));
    assert_eq!(tell("/gate/command", &told).0, 404);
    let long = json!({"argv": vec!["x"; 1001], "folder": "."}).to_string();
    let large = json!({"argv": ["x".repeat(70_000)], "folder": "."}).to_string();
    for wrong in [
        "",
        "[]",
        r#"{"argv": [], "folder": "."}"#,
        r#"{"argv": ["a"]}"#,
        r#"{"argv": ["--token", "hush", 1], "folder": "."}"#,
        &long,
        &large,
    ] {
        assert_eq!(tell("/t/casep/gate/command", wrong).0, 400, "{wrong:.60}");
    }
    let ran: Vec<_> = stand
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::CommandRan(ran) => Some(ran),
            _ => None,
        })
        .collect();
    let argv = ["git", "push", "--token", "<redacted>"].map(str::to_owned).to_vec();
    assert_eq!(ran, [CommandRan { argv, folder: "src".to_owned() }]);
    assert!(stand.asked().iter().all(|asked| matches!(asked.kind, Kind::Aside | Kind::WrongPath)));
    for (path, bytes) in stand.files() {
        assert!(!bytes.windows(4).any(|four| four == b"hush"), "{path}");
    }
}

#[test]
fn who_asks_more_than_the_most_is_known_at_once() {
    let stand = served().start();
    let ask = |prompt: &str| assert_eq!(stand.post(CASE, &chat(prompt, json!({})).to_string()).status, 200);
    for prompt in ["first prompt", "background", "first prompt"] {
        ask(prompt);
    }
    let mut look = Context::from_waker(Waker::noop());
    let mut more_than_one = pin!(stand.standin.exceeded("casep", 1));
    let mut more_than_two = pin!(stand.standin.exceeded("casep", 2));
    let mut nobody = pin!(stand.standin.exceeded("nobody", 0));
    assert!(more_than_one.as_mut().poll(&mut look).is_ready());
    assert!(more_than_two.as_mut().poll(&mut look).is_pending());
    ask("first prompt");
    assert!(more_than_two.as_mut().poll(&mut look).is_ready());
    assert!(nobody.as_mut().poll(&mut look).is_pending());
}
