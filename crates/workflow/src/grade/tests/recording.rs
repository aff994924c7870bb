//! Cases that a recording plays: what is held against the agent, and what needs a script and is not.

use super::{codes_of, evidence, good, judged, phrasing, rejected, request};
use crate::grade::{grade, most_requests, steps};
use rehearsal_journal::event::{AgentExited, CassettePlayed, CommandRan, Kind, Rejected};
use rehearsal_journal::fold::{Facts, Request};
use rehearsal_script::scenario::{Phrasing, Weight};

fn case(more: &str) -> Phrasing {
    phrasing(&format!("    cassette: {{path: rec{more}}}\n"))
}

/// Two recordings, both asked for.
fn played(unused: &[&str]) -> Facts {
    let unused = unused.iter().map(|name| (*name).to_owned()).collect();
    let played = Some(CassettePlayed { recordings: 2, unused });
    Facts { calls: vec![], answered: vec![], played, ..good() }
}

fn miss(exchange: u64, code: &str, message: &str) -> Request {
    let reject = Rejected {
        code: Some(code.into()),
        message: message.into(),
        ..rejected(&code.replace('_', "-"), code)
    };
    let (kind, http_status) = (Kind::WrongPath, Some(404));
    Request { kind, http_status, reject: Some(reject), ..request(exchange, None) }
}

#[test]
fn an_agent_that_asks_for_what_was_recorded_is_not_blamed() {
    let case = case("");
    assert_eq!(codes_of(&case, &played(&[])), [""; 0]);
    assert_eq!(steps(&case, &[], &played(&[]), None), (2, 2));
    assert_eq!(steps(&case, &[], &played(&["0002-p"]), None), (1, 2));
    assert_eq!(steps(&case, &[], &Facts::default(), None), (0, 0));
    assert_eq!(most_requests(&case, &[], 4), 100);
}

#[test]
fn a_call_that_was_not_recorded_is_told_with_what_is_nearest_and_explains_what_is_left_over() {
    let said = "recording_miss: no recording answers POST /v1/chat/completions. The nearest is 0001-p and differs in turn: here 0, recorded 1.";
    let mut facts = played(&["0002-p"]);
    facts.requests[1] = miss(2, "recording_miss", said);
    let found = grade(&evidence(&case(""), &facts), &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code.as_str(), &*finding.exchanges), ("recording-miss", &[2][..]));
    assert_eq!(finding.message, said.trim_start_matches("recording_miss: ").trim_end_matches('.'));
    assert_eq!(finding.also, ["1 of 2 recordings were never asked for: 0002-p"]);
}

#[test]
fn a_call_that_was_made_too_often_has_a_code_of_its_own() {
    let mut facts = played(&[]);
    facts.requests.push(miss(
        3,
        "recording_used_up",
        "recording_used_up: POST /x was recorded 1 time at turn 0.",
    ));
    assert_eq!(
        judged(&case(""), &facts, false),
        [("recording-used-up".to_owned(), "POST /x was recorded 1 time at turn 0".to_owned())]
    );
}

#[test]
fn what_was_never_asked_for_fails_the_case_unless_it_may_be_left() {
    let left = played(&["0001-p", "0002-p"]);
    let told = "2 of 2 recordings were never asked for: 0001-p, 0002-p";
    assert_eq!(judged(&case(""), &left, false), [("recordings-unused".to_owned(), told.to_owned())]);
    assert_eq!(codes_of(&case(", allow_unused: true"), &left), [""; 0]);
    let hostile = Phrasing { hostile: true, ..case("") };
    assert_eq!(codes_of(&hostile, &left), [""; 0]);
    let off = [("recordings-unused".to_owned(), Weight::Off)];
    assert_eq!(grade(&evidence(&case(""), &left), &off), []);
    let never = Facts { requests: vec![], ..left.clone() };
    assert_eq!(codes_of(&case(""), &never), ["never-asked"]);
    let exited = left.exited.clone().map(|exited| AgentExited { timed_out: true, status: None, ..exited });
    assert_eq!(codes_of(&case(""), &Facts { exited, ..left }), ["time-limit"]);
    let many: Vec<String> = (1..=10).map(|n| format!("{n:04}")).collect();
    let names: Vec<&str> = many.iter().map(String::as_str).collect();
    let (_, message) = judged(&case(""), &played(&names), false).remove(0);
    assert!(message.ends_with("0007, 0008 and 2 more"), "{message}");
}

#[test]
fn what_the_host_saw_is_judged_as_in_any_case() {
    let exit = |change: &dyn Fn(&mut AgentExited)| {
        let mut facts = played(&[]);
        change(facts.exited.as_mut().unwrap());
        facts
    };
    let mut ran = played(&[]);
    ran.commands = vec![CommandRan { argv: vec!["git".into(), "push".into()], folder: ".".into() }];
    let mut soon = played(&[]);
    soon.requests[0] =
        Request { api_error: Some(429), retry_after_ms: Some(5000), step: Some(0), ..request(1, None) };
    soon.requests[1] = Request { attempt_of: Some(1), ..request(2, Some(0)) };
    let table: &[(&str, Facts, &[&str])] = &[
        ("", exit(&|exited| exited.status = Some(3)), &["exit-status"]),
        ("", exit(&|exited| (exited.status, exited.signal) = (None, Some(11))), &["agent-killed"]),
        ("max_requests: 1", played(&[]), &["too-many-requests"]),
        ("output_contains: never said", played(&[]), &["output-contains"]),
        ("files: {a.txt: there}", played(&[]), &["files"]),
        ("commands: {not_ran: [git push]}", ran, &["commands"]),
        ("", soon, &["retried-too-soon"]),
    ];
    for (expected, facts, wanted) in table {
        let case = phrasing(&format!("    cassette: rec\n    expect_agent: {{{expected}}}\n"));
        assert_eq!(codes_of(&case, facts), *wanted, "{expected}");
    }
}

#[test]
fn what_needs_a_script_is_not_judged() {
    let mut facts = played(&[]);
    // Another conversation of the agent goes on after one that got an error.
    facts.requests[0] = Request { api_error: Some(500), ..request(1, Some(0)) };
    facts.requests[1] = Request { n_assistant: 3, ..request(2, Some(3)) };
    assert_eq!(codes_of(&case(""), &facts), [""; 0]);
}
