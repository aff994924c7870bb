//! The rules for a client of a daemon, by what a daemon took down.

use super::{evidence, good};
use crate::grade::{Call, Evidence, Talk, grade, steps};
use rehearsal_journal::daemon::{Closed, Decided, Fact, Sum};
use rehearsal_journal::event::{Answered, Asked, End, Event, Kind};
use rehearsal_journal::fold::Facts;
use rehearsal_script::scenario::Phrasing;
use rehearsal_script::{File, Known};
use rehearsal_wire::fault::FAULTS;
use std::collections::BTreeMap;

const RUN: &str = "0123456789abcdef";
const ID: &str = "f47ac10b-58cc-4372-a567-0e02b2c3d479";
const OTHER_ID: &str = "f47ac10b-58cc-4372-a567-0e02b2c3d470";

/// A case with a daemon and nothing else; `daemon` and `rest` are flow maps of YAML.
fn case(daemon: &str, rest: &str) -> Phrasing {
    let text = format!(
        "version: 1\ndaemon: {daemon}\nclasses: {{c: {{phrasings: [{{id: p, prompt: do it{rest}}}]}}}}\n"
    );
    let known =
        Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] };
    let file = File { name: "suite.yaml", bytes: text.as_bytes() };
    rehearsal_script::read(&[file], &known).unwrap().phrasings.remove(0)
}

fn plain() -> Phrasing {
    case("{}", "")
}

/// What a client did, request by request, a tenth of a second apart.
#[derive(Default)]
struct Client(Talk);

impl Client {
    /// One that has read what can be done, and started a run.
    fn new() -> Self {
        let mut client = Self::default();
        client.ask("operation.list", "", 200);
        client.ask("harness.list", "", 200);
        client.start("key-1", "digest-1");
        client
    }

    fn ask(&mut self, operation: &str, run: &str, status: u16) -> &mut Call {
        let exchange = self.0.requests().count() as u64 + 1;
        let decided = Decided {
            exchange,
            operation: operation.into(),
            run: Some(run.to_owned()).filter(|run| !run.is_empty()),
            status,
            ..Decided::default()
        };
        self.0.calls.push(Call {
            exchange,
            route: format!("POST /v2/runs/{run}"),
            major: Some("3".into()),
            decided,
            asked_us: exchange * 100_000,
            left_us: Some(exchange * 100_000 + 1000),
            ..Call::default()
        });
        self.0.calls.last_mut().unwrap()
    }

    fn start(&mut self, key: &str, digest: &str) -> &mut Call {
        let started =
            Fact::RunStarted { run: RUN.into(), key: key.into(), script: "ASK".into(), prompt: "sum".into() };
        let call = self.ask("run.start", "", 200);
        (call.decided.key, call.decided.digest) = (Some(key.into()), Some(digest.into()));
        call.facts.push(started);
        call
    }

    fn refused_start(&mut self, key: &str, status: u16, code: &str) -> &mut Call {
        let call = self.start(key, "digest-1");
        call.facts.clear();
        (call.decided.status, call.decided.code) = (status, Some(code.into()));
        call
    }

    fn read(&mut self) -> &mut Call {
        self.ask("run.read", RUN, 200)
    }

    /// A read that brings the run's end.
    fn read_end(&mut self) {
        self.read().facts.push(end());
    }

    /// What the clock brings.
    fn clock(&mut self, fact: Fact) {
        let decided = Decided { operation: "clock".into(), run: Some(RUN.into()), ..Decided::default() };
        self.0.calls.push(Call { decided, facts: vec![fact], ..Call::default() });
    }

    fn message(&mut self, id: &str, text: &str, outcome: &str) -> &mut Call {
        let known = self.0.calls.iter().any(|call| call.decided.key.as_deref() == Some(id));
        let call = self.ask("run.message", RUN, 200);
        call.decided.key = Some(id.into());
        call.decided.replayed = known;
        call.body = format!(r#"{{"text": "{text}"}}"#).into_bytes();
        if !known {
            call.facts.push(Fact::MessageTaken {
                run: RUN.into(),
                message: id.into(),
                outcome: outcome.into(),
                reason: None,
                text: Sum::of(text.as_bytes()),
            });
        }
        call
    }

    fn answer(&mut self, question: &str, status: u16, body: &str) -> &mut Call {
        let call = self.ask("run.answer", RUN, status);
        call.route = format!("POST /v2/runs/{RUN}/interactions/{question}/answer?x=1");
        call.body = body.into();
        match status {
            200 => call.facts.push(closed(question, Closed::Answered)),
            409 => call.decided.code = Some("already_resolved".into()),
            _ => call.decided.code = Some("rejected".into()),
        }
        call
    }

    fn judged(&self, phrasing: &Phrasing) -> Vec<(String, String)> {
        let facts = Facts { requests: vec![], calls: vec![], answered: vec![], ..good() };
        let evidence = Evidence { talk: Some(&self.0), ..evidence(phrasing, &facts) };
        grade(&evidence, &[]).into_iter().map(|finding| (finding.code, finding.message)).collect()
    }

    /// The codes of a case that asks for nothing more.
    fn codes(&self) -> Vec<String> {
        self.judged(&plain()).into_iter().map(|(code, _)| code).collect()
    }
}

fn end() -> Fact {
    Fact::RunEnded { run: RUN.into(), state: "succeeded".into(), failure: None }
}

fn asked(question: &str) -> Fact {
    Fact::QuestionAsked { run: RUN.into(), question: question.into() }
}

fn closed(question: &str, how: Closed) -> Fact {
    Fact::QuestionClosed { run: RUN.into(), question: question.into(), how }
}

const NONE: [&str; 0] = [];

#[test]
fn a_client_that_reads_its_run_to_the_end_passes_and_its_runs_are_its_steps() {
    let mut client = Client::new();
    client.read();
    client.read_end();
    assert_eq!(client.codes(), NONE);
    assert_eq!(steps(&plain(), &[], &good(), Some(&client.0)), (1, 1));
}

#[test]
fn a_message_may_be_sent_once_more_where_nobody_knows_what_became_of_it() {
    type Change = fn(&mut Call);
    let lost: [(Change, bool); 7] = [
        (|_| {}, false),
        (|call| call.left_us = None, true),
        (|call| call.decided.broken = Some("garbage".into()), true),
        // Nobody knows whether the client waited.
        (|call| call.decided.broken = Some("slow_body".into()), true),
        (|call| call.decided.status = 503, true),
        (|call| call.decided.status = 409, true),
        (|call| call.decided.status = 422, false),
    ];
    for (at, (change, unknown)) in lost.into_iter().enumerate() {
        let mut client = Client::new();
        change(client.message(ID, "go left", "accepted"));
        client.message(ID, "go left", "");
        client.read_end();
        let wanted = if unknown { vec![] } else { vec!["message-repeated"] };
        assert_eq!(client.codes(), wanted, "{at}");
    }
}

#[test]
fn the_id_of_a_message_is_a_uuid_that_nothing_else_has() {
    for (id, wanted) in [(ID, vec![]), ("message-1", vec!["message-id"]), (OTHER_ID, vec!["message-id"])] {
        let mut client = Client::new();
        client.start(OTHER_ID, "digest-2").facts.clear();
        client.message(id, "go left", "accepted");
        client.read_end();
        assert_eq!(client.codes(), wanted, "{id}");
    }
}

#[test]
fn a_third_sending_is_a_loop_also_where_the_outcome_stays_unknown() {
    let mut client = Client::new();
    client.message(ID, "go left", "delivery_unknown");
    client.message(ID, "go left", "");
    client.read();
    assert_eq!(client.codes(), ["run-left"]);
    client.message(ID, "go left", "");
    client.read_end();
    assert_eq!(client.codes(), ["message-retry-loop"]);
}

#[test]
fn the_same_words_under_another_id_are_a_second_message_only_after_a_known_result() {
    for (outcome, wanted) in
        [("delivery_unknown", vec!["message-under-another-id"]), ("not_active", vec![]), ("accepted", vec![])]
    {
        let mut client = Client::new();
        client.message(ID, "go left", outcome);
        client.message(OTHER_ID, "go left", "accepted");
        client.read_end();
        assert_eq!(client.codes(), wanted, "{outcome}");
    }
}

#[test]
fn a_run_that_ended_behind_the_clients_back_is_not_settled_for_it() {
    for (seen, wanted) in [(false, vec![]), (true, vec!["message-to-settled-run"])] {
        let mut client = Client::new();
        client.read();
        client.clock(end());
        if seen {
            client.read();
        }
        client.message(ID, "go left", "not_active");
        client.read();
        assert_eq!(client.codes(), wanted, "{seen}");
    }
}

#[test]
fn what_can_be_done_counts_only_where_both_pages_came() {
    for lost in [1, 2] {
        let mut client = Client::new();
        client.message(ID, "go left", "accepted");
        client.read_end();
        assert_eq!(client.codes(), NONE);
        client.0.calls[lost - 1].left_us = None;
        assert_eq!(client.codes(), ["live-input-unread"]);
    }
    let mut client = Client::new();
    client.message(ID, "go left", "unsupported");
    client.read_end();
    assert_eq!(client.codes(), NONE, "a script that says so is no harness that takes none");
    let judged = client.judged(&case("{live_input: none}", ""));
    assert_eq!(judged[0].0, "message-unsupported");
}

#[test]
fn an_answer_may_come_again_where_it_was_lost_and_late_where_nobody_said_so() {
    let row = r#"{"answers": [{"questionId": "q1", "selectedLabels": ["8080"]}]}"#;
    let question = "int-01234567";
    for (arrived, wanted) in [(true, vec!["question-answered-twice"]), (false, vec![])] {
        let mut client = Client::new();
        client.read().facts.push(asked(question));
        if !arrived {
            client.answer(question, 200, row).left_us = None;
        } else {
            client.answer(question, 200, row);
        }
        client.answer(question, 409, row);
        client.read_end();
        assert_eq!(client.codes(), wanted, "{arrived}");
    }
    let mut impatient = Client::new();
    impatient.read().facts.push(asked(question));
    impatient.answer(question, 200, row).decided.broken = Some("slow_head".into());
    impatient.answer(question, 409, row);
    impatient.read_end();
    assert_eq!(impatient.codes(), NONE, "it may not have waited for the first answer");
    let mut unaware = Client::new();
    unaware.read().facts.push(asked(question));
    unaware.clock(closed(question, Closed::TimedOut));
    unaware.message(ID, "go left", "accepted");
    unaware.answer(question, 409, row);
    unaware.read_end();
    assert_eq!(unaware.codes(), NONE, "the receipt of a message says nothing of questions");
    for (seen, wanted) in [(true, vec!["question-not-open"]), (false, vec![])] {
        let mut client = Client::new();
        client.read().facts.push(asked(question));
        client.clock(closed(question, Closed::TimedOut));
        if seen {
            client.read();
        }
        client.answer(question, 409, row);
        client.read_end();
        assert_eq!(client.codes(), wanted, "{seen}");
    }
}

#[test]
fn an_answer_is_held_against_what_was_asked() {
    let rows = |row: &str| format!(r#"{{"answers": [{row}]}}"#);
    for (row, why) in [
        (r#"{"questionId": "q1", "selectedLabels": ["9090"]}"#, ""),
        (r#"{"selectedLabels": [], "freeText": "another one"}"#, ""),
        (r#"{"questionId": "q1", "selectedLabels": ["7070"]}"#, "chooses \"7070\", which was not offered"),
        (r#"{"questionId": "q2", "selectedLabels": ["9090"]}"#, "is for the part \"q2\""),
        (r#"{"questionId": "q1", "selectedLabels": ["8080", "9090"]}"#, "chooses 2 options"),
        (r#"{"questionId": "q1", "freeText": " "}"#, "says nothing"),
    ] {
        let mut client = Client::new();
        client.read().facts.push(asked("int-01234567"));
        client.answer("int-01234567", 200, &rows(row));
        client.read_end();
        let judged = client.judged(&plain());
        match judged.as_slice() {
            [] => assert_eq!(why, "", "{row}"),
            [(code, message)] => {
                assert!(
                    code == "answer-invalid" && !why.is_empty() && message.contains(why),
                    "{row}: {message}"
                );
            }
            more => panic!("{row}: {more:?}"),
        }
    }
}

#[test]
fn reads_in_a_row_need_a_pause_and_what_changed_something_may_be_looked_at_at_once() {
    for (gap_us, codes) in [(9_000, vec!["polled-without-pause"]), (10_000, vec![])] {
        let mut client = Client::new();
        for at in 0..6 {
            let call = client.read();
            call.asked_us = 1_000_000 + at * (1000 + gap_us);
            call.left_us = Some(call.asked_us + 1000);
        }
        client.read_end();
        assert_eq!(client.codes(), codes, "{gap_us}");
        for call in client.0.calls.iter_mut().filter(|call| call.exchange % 3 == 0) {
            call.facts.push(asked("int-01234567"));
        }
        assert_eq!(client.codes(), NONE);
    }
}

#[test]
fn a_run_is_seen_to_its_end_by_a_read_a_stream_or_a_cancel() {
    let left = |client: &Client| client.codes() == ["run-left"];
    let mut client = Client::new();
    client.clock(end());
    assert!(left(&client), "nobody looked");
    client.read().decided.broken = Some("status_then_cut".into());
    assert!(left(&client), "what was lost was not seen");
    let mut read = Client(client.0.clone());
    read.read();
    assert!(!left(&read));
    client.ask("run.events", RUN, 200);
    assert!(!left(&client));
    let mut cancelled = Client::new();
    cancelled.ask("run.control", RUN, 400).decided.code = Some("run_terminal".into());
    assert!(left(&cancelled), "{:?}", cancelled.codes());
    cancelled.ask("run.control", RUN, 200).facts.push(Fact::CancelAsked { run: RUN.into(), late: false });
    assert!(!left(&cancelled));
    for code in ["run.list", "run.read"] {
        let mut told = Client::new();
        told.clock(end());
        let call = told.ask(code, if code == "run.read" { RUN } else { "" }, 200);
        if code == "run.read" {
            (call.decided.status, call.decided.code) = (410, Some("run_expired_by_retention".into()));
        }
        assert_eq!(told.codes(), NONE, "{code}: it was told that the run is over");
    }
    let expected = case("{}", ", expect_daemon: {runs: [running]}");
    assert!(Client::new().judged(&expected).is_empty(), "it is to be left");
}

#[test]
fn a_refusal_is_final_until_something_was_done_about_it() {
    let (registers, later) = ("project.register", "project_not_registered");
    let mut client = Client::default();
    client.refused_start("key-1", 404, later);
    client.ask(registers, "", 200);
    client.start("key-2", "digest-1");
    client.read_end();
    assert_eq!(client.codes(), NONE);
    client.0.calls.remove(1);
    assert_eq!(client.codes(), ["refusal-unread"]);
    let mut client = Client::default();
    client.refused_start("key-1", 429, "too_many");
    client.start("key-1", "digest-1");
    client.read_end();
    assert_eq!(client.codes(), NONE, "429 says later");
    let mut client = Client::default();
    client.refused_start("key-1", 400, "fake_route_refused");
    assert_eq!(client.codes(), NONE, "a refusal that is read");
    client.ask("run.read", "None", 404).decided.code = Some("run_not_found".into());
    assert_eq!(client.codes(), ["refusal-unread"]);
    client.0.calls.remove(0);
    assert_eq!(client.codes(), ["daemon-refused"], "a run that there is not");
}

#[test]
fn a_lost_start_is_found_again_under_its_key_alone() {
    let lost = |key: &str| {
        let mut client = Client::default();
        client.start("key-1", "digest-1").left_us = None;
        client.start(key, "digest-1").facts.clear();
        client.read_end();
        client.codes()
    };
    assert_eq!(lost("key-1"), NONE);
    assert_eq!(lost("key-2"), ["start-under-another-key"]);
}

#[test]
fn a_run_whose_start_was_never_answered_is_left_with_that_said() {
    for (left_us, why) in [(None, "answer to its start was lost"), (Some(1), "neither read to its end")] {
        let mut client = Client::default();
        client.start("key-1", "digest-1").left_us = left_us;
        let judged = client.judged(&plain());
        assert!(judged.len() == 1 && judged[0].0 == "run-left" && judged[0].1.contains(why), "{judged:?}");
    }
}

#[test]
fn who_wants_two_equal_runs_may_start_the_second_before_it_finds_the_first() {
    let mut client = Client::default();
    client.start("key-1", "digest-1").left_us = None;
    client.start("key-2", "digest-1").facts.clear();
    assert_eq!(client.codes(), ["start-under-another-key"]);
    client.start("key-1", "digest-1").facts.clear();
    client.read_end();
    assert_eq!(client.codes(), NONE);
}

#[test]
fn a_start_that_the_disk_refused_may_come_again_under_another_key() {
    for (key, wanted) in [("key-2", vec![]), ("key-1", vec!["refusal-unread"])] {
        let mut client = Client::default();
        let refused = Fact::WriteRefused { run: RUN.into(), why: "it is a folder".into() };
        client.refused_start("key-1", 409, "workspace_edit_refused").facts.push(refused);
        client.start(key, "digest-1");
        client.read_end();
        assert_eq!(client.codes(), wanted, "{key}");
    }
}

#[test]
fn what_the_real_daemon_serves_and_its_stand_in_does_not_is_no_mistake_of_its_client() {
    for (route, operation, wanted) in [
        ("GET /v2/threads/7", "none", vec![]),
        ("POST /v2/runs/x/apply", "none", vec![]),
        ("GET /v2/trust", "trust.read", vec![]),
        ("GET /v2/run", "none", vec!["daemon-refused"]),
        ("POST /v2/runs/x/message", "none", vec!["daemon-refused"]),
    ] {
        let mut client = Client::new();
        let call = client.ask(operation, "", 404);
        (call.route, call.decided.code) = (route.into(), Some("not_found".into()));
        client.read_end();
        assert_eq!(client.codes(), wanted, "{route}");
    }
}

#[test]
fn the_wire_is_judged_by_codes_and_headers() {
    for (code, status, wanted) in [
        ("unauthorized", 401, "daemon-unauthorized"),
        ("incompatible_protocol_major", 426, "protocol-major"),
        ("missing_idempotency_key", 400, "key-missing"),
        ("idempotency_key_required", 400, "key-missing"),
        ("invalid_idempotency_key", 400, "key-missing"),
        ("idempotency_conflict", 409, "key-conflict"),
        ("invalid_request", 400, "daemon-refused"),
        ("unknown_control", 400, "daemon-refused"),
        ("body_too_large", 413, "daemon-refused"),
    ] {
        let mut client = Client::new();
        client.ask("run.control", RUN, status).decided.code = Some(code.into());
        client.read_end();
        assert_eq!(client.codes(), [wanted], "{code}");
    }
    let mut client = Client::new();
    client.ask("handshake", "", 200).major = None;
    client.read_end();
    assert_eq!(client.codes(), NONE, "the handshake comes before the header");
    client.0.calls[0].major = None;
    assert_eq!(client.codes(), ["protocol-major"]);
}

#[test]
fn what_an_agent_prints_holds_no_token_and_no_message() {
    let mut client = Client::new();
    client.0.token = "fake-daemon-token-1".into();
    client.message(ID, "turn \\\"left\\\" now", "accepted");
    client.read_end();
    let facts = Facts { requests: vec![], calls: vec![], answered: vec![], ..good() };
    let codes = |phrasing: &Phrasing, stdout: &str, stderr: &str| -> Vec<String> {
        let evidence = Evidence { talk: Some(&client.0), stdout, stderr, ..evidence(phrasing, &facts) };
        grade(&evidence, &[]).into_iter().map(|finding| finding.code).collect()
    };
    assert_eq!(codes(&plain(), "turn left", "token"), NONE);
    assert_eq!(codes(&plain(), "", "a fake-daemon-token-1 b"), ["token-in-output"]);
    assert_eq!(codes(&plain(), "it says turn \"left\" now", ""), ["message-in-output"]);
    assert_eq!(codes(&plain(), "", r#"{"text": "turn \"left\" now"}"#), ["message-in-output"]);
    let wanted = case("{}", r#", expect_agent: {output_contains: 'says turn "left" now'}"#);
    assert_eq!(codes(&wanted, "it says turn \"left\" now", ""), NONE, "where it must be printed, it may be");
}

#[test]
fn what_is_declared_is_compared_with_what_was_taken_down() {
    let mut client = Client::new();
    client.read().facts.push(asked("int-01234567"));
    client.answer("int-01234567", 200, r#"{"answers": [{"selectedLabels": ["8080"]}]}"#);
    client.message(ID, "go left", "delivered");
    client.read_end();
    let met = "{runs: [succeeded], answers: 1, messages: 1, cancelled: 0, most_requests: 7}";
    for (expected, code, message) in [
        (met, "", ""),
        ("{runs: 1}", "", ""),
        ("{runs: 2}", "daemon-runs", "1 runs were started, expected: 2"),
        ("{runs: [failed]}", "daemon-runs", "the runs ended as: succeeded; expected: failed"),
        ("{answers: 2}", "daemon-answers", "questions that were answered: 1; expected: 2"),
        ("{messages: 0}", "daemon-messages", "live messages that were accepted: 1; expected: 0"),
        ("{cancelled: 1}", "daemon-cancelled", "runs that were cancelled: 0; expected: 1"),
        (
            "{most_requests: 6}",
            "too-many-daemon-requests",
            "the agent sent 7 requests to the daemon; 6 is the most it may",
        ),
    ] {
        let judged = client.judged(&case("{}", &format!(", expect_daemon: {expected}")));
        let wanted: Vec<_> = [(code.to_owned(), message.to_owned())]
            .into_iter()
            .filter(|(code, _)| !code.is_empty())
            .collect();
        assert_eq!(judged, wanted, "{expected}");
    }
}

#[test]
fn a_daemon_that_nobody_asks_is_told_unless_nothing_is_expected() {
    let client = Client::default();
    assert_eq!(client.codes(), ["daemon-never-asked"]);
    assert!(client.judged(&case("{}", ", expect_daemon: {runs: 0}")).is_empty());
    assert!(client.judged(&case("{}", ", expect_daemon: {runs: []}")).is_empty());
}

#[test]
fn a_talk_is_folded_from_the_lines_of_a_journal() {
    let request = |exchange: u64, headers: Option<&str>| {
        let headers = headers.map(|major| vec![("x-claudexor-PROTOCOL-major".to_owned(), major.to_owned())]);
        let (method, path) = ("POST".to_owned(), "/v2/runs".to_owned());
        Event::Asked(Box::new(Asked { exchange, headers, method, path, ..Asked::of(Kind::Aside) }))
    };
    let decided = |exchange: u64| {
        Event::Daemon(Fact::Decided(Decided {
            exchange,
            operation: "run.start".into(),
            ..Decided::default()
        }))
    };
    let answered =
        |exchange, end| Event::Answered(Answered { exchange, bytes: 1, sha256: String::new(), end });
    let began = Fact::Began { unix_ms: 1, pid: 1, setting: String::new() };
    let events = [
        Event::Daemon(began),
        request(1, Some("3")),
        decided(1),
        Event::Daemon(end()),
        // A request to the model, with other headers.
        request(2, None),
        answered(1, End::Complete),
        request(3, None),
        decided(3),
        answered(3, End::ClientLeft),
        decided(0),
        Event::Daemon(asked("q")),
    ];
    let bodies = BTreeMap::from([(1, b"{}".to_vec()), (2, b"{}".to_vec())]);
    let times = (0..).map(|at| at * 10);
    let talk = Talk::of(times.zip(&events), bodies, "t".into(), Default::default());
    let seen: Vec<_> = talk
        .calls
        .iter()
        .map(|call| (call.exchange, call.major.as_deref(), call.facts.len(), call.left_us, call.body.len()))
        .collect();
    assert_eq!(seen, [(1, Some("3"), 1, Some(50), 2), (3, Some("3"), 0, None, 0), (0, None, 1, None, 0)]);
    assert_eq!(talk.calls[0].route, "POST /v2/runs");
}
