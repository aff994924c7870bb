//! Base URLs of cases: each answers for its own phrasing only, with counts and a journal of its own.

use crate::request::{chat, history, request};
use crate::stand::Served;
use rehearsal_journal::event::{Event, Kind};
use serde_json::json;

const SCRIPT: &str = r#"
version: 1
classes:
  c:
    advance: request
    script: [{text: one}, {text: two}]
    phrasings:
      - {id: first, prompt: "Please go on.", marker: FIRST-MARK}
      - {id: second, prompt: SECOND-MARK}
"#;

const FIRST: &str = "/t/tokenfirst/v1/chat/completions";
const SECOND: &str = "/t/tokensecond/v1/chat/completions";

fn served() -> Served {
    Served::file("t.yaml", SCRIPT).lane("tokenfirst", "first").lane("tokensecond", "second")
}

#[test]
fn a_case_knows_its_prompt_and_its_marker_and_nothing_else() {
    let stand = served().start();
    let ask = |path: &str, prompt: &str| stand.post(path, &chat(prompt, json!({})).to_string()).said();
    assert_eq!(ask(FIRST, "SECOND-MARK"), "ok", "another case's marker is background here");
    assert_eq!(ask(FIRST, "Give this chat a title."), "ok");
    assert_eq!(ask(FIRST, "He said: please go on."), "one");
    assert_eq!(ask(FIRST, "first-mark"), "two");
    assert_eq!(ask(SECOND, "Please go on."), "ok");
    assert_eq!(ask(SECOND, "SECOND-MARK"), "one", "each case counts for itself");
    assert_eq!(ask(crate::stand::CHAT, "SECOND-MARK"), "one", "and so does the lane without a token");
    assert_eq!(ask(crate::stand::CHAT, "Please go on."), "ok", "where only markers decide");
}

#[test]
fn each_case_has_a_journal_of_its_own() {
    let stand = served().start();
    for (path, prompt) in
        [(FIRST, "FIRST-MARK"), (SECOND, "SECOND-MARK"), (FIRST, "FIRST-MARK"), (crate::stand::CHAT, "x")]
    {
        assert_eq!(stand.post(path, &chat(prompt, json!({})).to_string()).status, 200);
    }
    stand.answered(4);
    let mut case = None;
    let mut seen = Vec::new();
    for event in stand.events() {
        match event {
            Event::Opened(opened) => case = opened.case,
            Event::Asked(asked) => seen.push((case.clone(), asked.exchange, asked.path.clone())),
            _ => {}
        }
    }
    seen.sort();
    let first = Some("first".to_owned());
    let wanted = [
        (None, 1, crate::stand::CHAT),
        (first.clone(), 1, FIRST),
        (first, 2, FIRST),
        (Some("second".to_owned()), 1, SECOND),
    ];
    assert_eq!(seen, wanted.map(|(case, exchange, path)| (case, exchange, path.to_owned())));
}

#[test]
fn a_token_that_nobody_gave_out_finds_nothing() {
    let stand = served().start();
    for token in ["nobody", "", "tokenfirs", "TOKENFIRST", "tokenfirst%20"] {
        let path = format!("/t/{token}/v1/chat/completions");
        let answer = stand.post(&path, &chat("FIRST-MARK", json!({})).to_string());
        assert_eq!((answer.status, answer.code()), (404, json!("unknown_route")), "{path}");
        assert!(answer.message().contains("no case is open"), "{path}: {}", answer.message());
        let models = stand.send(&request("GET", &format!("/t/{token}/v1/models"), &[], b""));
        assert_eq!(models.status, 404, "{path}");
    }
    let kinds: Vec<_> = stand.asked().iter().map(|asked| asked.kind).collect();
    assert_eq!(kinds, [[Kind::WrongPath, Kind::Aside]; 5].concat());
}

#[test]
fn the_other_routes_are_there_for_a_case_too() {
    let stand = served().start();
    let get = |path: &str| stand.send(&request("GET", path, &[], b""));
    assert_eq!(get("/t/tokenfirst/v1/models").json(), get("/v1/models").json());
    assert_eq!(stand.post("/t/tokenfirst/v1/other", "{}").status, 404);
    assert_eq!(get("/t/tokenfirst/gate/health").json()["ok"], true);
}

#[test]
fn a_request_that_another_one_repeats_is_a_further_attempt() {
    let stand = served().start();
    let body = history("FIRST-MARK", &[], json!({})).to_string();
    for path in [FIRST, FIRST, SECOND] {
        stand.post(path, &body);
    }
    let mut attempts: Vec<_> =
        stand.asked().iter().map(|asked| (asked.path.clone(), asked.attempt_of)).collect();
    attempts.sort();
    let wanted = [(FIRST, None), (FIRST, Some(1)), (SECOND, None)];
    assert_eq!(attempts, wanted.map(|(path, attempt)| (path.to_owned(), attempt)));
}
