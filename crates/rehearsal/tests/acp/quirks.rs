//! What agents are known to get wrong, played where a file asks for it.

use crate::client::{Client, Said};
use serde_json::json;

const RUNS: &str = "version: 1
runs:
  - {id: '[silent]', quirks: [never_answers]}
  - {id: '[deaf]', quirks: [ignores_cancel], steps: [{ask: {question: Go on?}}]}
  - {id: '[all]', quirks: [cancels_all], steps: [{hang: true}]}
  - {id: '[spoils]', quirks: [spoils_next]}
  - {id: '[noisy]', quirks: [noise], steps: [{note: one}, {note: two}]}
";

#[test]
fn a_prompt_is_never_answered_though_its_text_came() {
    let mut client = Client::new("silent", RUNS, &[]);
    let session = client.session();
    client.prompt(&session, "[silent]");
    assert!(matches!(client.hear(), Said::Update(_)));
    // What comes next is the answer to something else.
    assert!(client.call("session/list", &json!({})).is_ok());
}

#[test]
fn a_cancel_changes_nothing() {
    let mut client = Client::new("deaf", RUNS, &[]);
    let session = client.session();
    let prompt = client.prompt(&session, "[deaf]");
    let (_, question, ..) = client.until_asked();
    client.cancel(&session);
    assert!(client.call("session/list", &json!({})).is_ok());
    client.answer(question, &json!({"outcome": {"outcome": "selected", "optionId": "allow_once"}}));
    assert_eq!(client.turn(prompt).1.unwrap()["stopReason"], "end_turn");
}

#[test]
fn a_cancel_of_one_session_cancels_all() {
    let mut client = Client::new("all", RUNS, &[]);
    let (one, two) = (client.session(), client.session());
    let first = client.prompt(&one, "[all]");
    let second = client.prompt(&two, "[FAKE:HANG]");
    client.cancel(&one);
    let mut cancelled = Vec::new();
    for _ in 0..2 {
        let Said::Answers(id, Ok(body)) = client.hear() else { panic!("two prompts are answered") };
        assert_eq!(body["stopReason"], "cancelled");
        cancelled.push(id);
    }
    cancelled.sort_unstable();
    assert_eq!(cancelled, [first, second]);
}

#[test]
fn a_cancel_while_nothing_runs_spoils_the_next_prompt() {
    let mut client = Client::new("spoils", RUNS, &[]);
    let session = client.session();
    assert_eq!(client.whole(&session, "[spoils]").1.unwrap(), "end_turn");
    client.cancel(&session);
    assert_eq!(client.whole(&session, "next").1.unwrap(), "cancelled");
    assert_eq!(client.whole(&session, "next").1.unwrap(), "end_turn");
}

#[test]
fn log_lines_stand_between_the_messages() {
    let mut client = Client::new("noisy", RUNS, &[]);
    let session = client.session();
    let prompt = client.prompt(&session, "[noisy]");
    let mut noise = 0;
    loop {
        match client.hear() {
            Said::Noise(line) => {
                assert!(line.starts_with("[info] agent: "), "{line}");
                noise += 1;
            }
            Said::Update(_) => {}
            Said::Answers(id, outcome) => {
                assert_eq!((id, outcome.is_ok()), (prompt, true));
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(noise, 3);
}
