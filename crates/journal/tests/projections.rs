//! Normalised form, stub log and facts over one and the same small case.

use rehearsal_journal::event::{
    AgentExited, AgentStarted, Answered, Asked, BadJson, Body, CassettePlayed, CommandRan, Delivered, End,
    EscapeTried, Event, Kind, Network, Noted, Opened, Output, Rejected, WorkspaceSeen,
};
use rehearsal_journal::fold::facts;
use rehearsal_journal::normal::{digest, normalised};
use rehearsal_journal::run::{CaseResult, JournalHead, Place, Verdict};
use rehearsal_journal::stub_log::{Around, is_recorded, record};

/// What differs between two runs of the same case.
struct Varies {
    run: &'static str,
    token: &'static str,
    port: u16,
    pid: u32,
    late_answers: bool,
}

const ONE: Varies = Varies { run: "r1", token: "abcDEF_-9", port: 40001, pid: 7, late_answers: false };
const TWO: Varies = Varies { run: "r2", token: "zzz", port: 5, pid: 123_456, late_answers: true };

fn asked(exchange: u64, varies: &Varies) -> Asked {
    // The first run wrote the headers once, the second each time: an accident of order that must not show.
    let headers = (exchange == 1 || varies.late_answers).then(|| {
        let (host, length) = (format!("127.0.0.1:{}", varies.port), format!("{}", 100 + varies.port));
        [("Host", host), ("content-length", length), ("user-agent", "agent/1".to_owned())]
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec()
    });
    Asked {
        exchange,
        conn: u64::from(varies.pid) + exchange,
        method: "POST".to_owned(),
        path: format!("/t/{}/v1/chat/completions", varies.token),
        headers,
        body: Some(Body {
            len: u64::from(varies.port),
            sha256: varies.run.to_owned(),
            head: 0,
            tail: 0,
            at: exchange,
        }),
        class: Some("tools".to_owned()),
        phrasing: Some("p1".to_owned()),
        step: Some(exchange - 1),
        n_messages: exchange,
        n_assistant: exchange - 1,
        http_status: Some(200),
        ..Asked::of(Kind::Scenario)
    }
}

fn answered(exchange: u64, end: End) -> Event {
    Event::Answered(Answered { exchange, bytes: 500, sha256: "a".repeat(64), end })
}

#[expect(clippy::too_many_lines, reason = "one of each event")]
fn case(varies: &Varies) -> Vec<Event> {
    let output = Output { bytes: u64::from(varies.port), sha256: varies.run.to_owned(), capped: false };
    let first = Asked {
        delivered: Delivered {
            calls: vec![("call_gate_p1_s0_0".to_owned(), "read_file".to_owned())],
            finish_reason: Some("tool_calls".into()),
            ..Delivered::default()
        },
        ..asked(1, varies)
    };
    let refused = Asked {
        reject: Some(Rejected {
            rule: "answer-missing".to_owned(),
            kind: "invalid_request_error".to_owned(),
            code: Some("gate_pairing".to_owned()),
            param: None,
            pointer: "/messages/1".to_owned(),
            message: format!("no answer at http://localhost:{}/t/{}/v1", varies.port, varies.token),
        }),
        step: None,
        http_status: Some(400),
        answers: vec!["call_gate_p1_s0_0".to_owned()],
        ..asked(2, varies)
    };
    let good = Asked {
        step: Some(1),
        answers: vec!["call_gate_p1_s0_0".to_owned(), "foreign".to_owned()],
        notes: vec![Noted {
            code: "arguments-not-json".to_owned(),
            pointer: String::new(),
            message: "odd".to_owned(),
        }],
        delivered: Delivered {
            finish_reason: Some("stop".into()),
            fault: Some("mid-body-drop".to_owned()),
            ..Delivered::default()
        },
        ..asked(3, varies)
    };
    let again = Asked { attempt_of: Some(3), ..Asked { exchange: 4, ..good.clone() } };
    let mut events = vec![
        Event::Opened(Opened {
            run: varies.run.to_owned(),
            case: Some("tools/p1".to_owned()),
            seed: 7,
            unix_ms: u64::from(varies.pid),
            program: "rehearsal 0.1.0".to_owned(),
            segment: 1,
        }),
        Event::AgentStarted(AgentStarted {
            argv: vec!["python3".to_owned(), format!("/tmp/{}/agent.py", varies.run), "--fast".to_owned()],
            pid: varies.pid,
            prompt: format!("work in /home/{}/w", varies.run),
            time_limit_ms: 1000,
            network: Network::Host,
        }),
    ];
    let asks = [first, refused, good, again].map(|asked| Event::Asked(Box::new(asked)));
    let mut answers =
        vec![answered(1, End::Complete), answered(2, End::Complete), answered(3, End::Complete)];
    if varies.late_answers {
        events.extend(asks);
        answers.reverse();
        events.append(&mut answers);
        events.push(Event::Opened(Opened {
            run: varies.run.to_owned(),
            case: Some("tools/p1".to_owned()),
            seed: 7,
            unix_ms: 5,
            program: "rehearsal 0.1.0".to_owned(),
            segment: 2,
        }));
    } else {
        let mut answers = answers.into_iter();
        for ask in asks {
            events.push(ask);
            events.extend(answers.next());
        }
        events.push(answered(4, End::ClientLeft));
    }
    events.push(Event::AgentExited(AgentExited {
        status: Some(0),
        signal: None,
        timed_out: false,
        ran_ms: u64::from(varies.port),
        stdout: output.clone(),
        stderr: output,
    }));
    events.push(Event::WorkspaceSeen(WorkspaceSeen {
        files: vec![("a".to_owned(), 1, "b".to_owned())],
        unread: vec![],
        capped: false,
    }));
    events.push(Event::Closed { requests: 4 });
    events
}

fn normal(varies: &Varies) -> Vec<String> {
    normalised(&case(varies), &[(&format!("/home/{}/w", varies.run), "{workspace}")])
}

#[test]
fn two_runs_of_the_same_case_are_equal_once_normalised() {
    let (one, two) = (normal(&ONE), normal(&TWO));
    assert_eq!(one, two);
    assert_eq!(digest(&one), digest(&two));
    let text = one.join("\n");
    assert!(text.contains("work in {workspace}"), "{text}");
    assert!(text.contains("http://localhost:*/t/*/v1"), "{text}");
    for trace in [ONE.run, ONE.token, "40001"] {
        assert!(
            !text.contains(&format!("{trace}\"")) && !text.contains(&format!("{trace}/")),
            "{trace}: {text}"
        );
    }
}

#[test]
fn a_real_difference_survives_normalising() {
    let whole = normal(&ONE);
    let changes: [&dyn Fn(&mut Asked); 6] = [
        &|asked| asked.step = Some(9),
        &|asked| asked.n_messages += 1,
        &|asked| asked.stream = true,
        &|asked| asked.http_status = Some(500),
        &|asked| asked.delivered.calls.clear(),
        &|asked| asked.body = None,
    ];
    for change in changes {
        let mut events = case(&ONE);
        let Event::Asked(asked) = &mut events[2] else { panic!("the third line asks") };
        change(asked);
        assert_ne!(normalised(&events, &[]), whole);
    }
    let mut events = case(&ONE);
    let Event::Answered(answered) = &mut events[3] else { panic!("the fourth line answers") };
    answered.sha256 = "b".repeat(64);
    assert_ne!(digest(&normalised(&events, &[])), digest(&whole));
}

#[test]
fn facts_tell_requests_refusals_and_calls_apart() {
    let events = case(&ONE);
    let facts = facts(events.iter().zip(1..).map(|(event, t_us)| (t_us, event)));
    assert_eq!(facts.requests[0].left_us.map(|left| left > facts.requests[0].asked_us), Some(true));
    assert_eq!(facts.requests.len(), 4);
    let repeated = facts.requests.iter().map(|request| request.attempt_of).collect::<Vec<_>>();
    assert_eq!(repeated, [None, None, None, Some(3)]);
    assert_eq!(facts.rejects().map(|(request, _)| request.exchange).collect::<Vec<_>>(), [2]);
    assert_eq!(facts.answered, ["call_gate_p1_s0_0", "foreign"]);
    assert_eq!(facts.tools_answered(), ["read_file"], "what nobody issued is no tool of ours");
    assert_eq!(facts.calls.len(), 1);
    assert_eq!(facts.calls[0].answered_in, Some(3), "a refused request answers nothing");
    assert_eq!(facts.unanswered().count(), 0);
    assert!(facts.exited.is_some() && facts.workspace.is_some() && facts.started.is_some());
}

fn told(asked: &Asked, dump: Result<&str, &str>) -> String {
    let around =
        Around { unix_us: 1_796_000_000_000_042, mode: "normal", seq: 3, run: "r1", dump, raw_len: 12 };
    let mut out = Vec::new();
    record(asked, &around, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn plain(kind: Kind) -> Asked {
    Asked { kind, path: "/v1/chat/completions?é".to_owned(), ..asked(1, &ONE) }
}

#[test]
fn a_seed_record_has_the_seeds_keys_in_the_seeds_order() {
    let mut asked = plain(Kind::Scenario);
    asked.delivered.calls =
        vec![("id".to_owned(), "read_file".to_owned()), ("id2".to_owned(), "b\"c".to_owned())];
    asked.delivered.finish_reason = Some("tool_calls".into());
    assert_eq!(
        told(&asked, Err("")),
        "{\"ts\": 1796000000.000042, \"path\": \"/v1/chat/completions?é\", \"mode\": \"normal\", \"kind\": \"scenario\", \
         \"scenario_class\": \"tools\", \"phrasing\": \"p1\", \"step\": 0, \"n_messages\": 1, \"n_assistant\": 0, \
         \"validation\": \"ok\", \"validation_detail\": null, \"delivered\": {\"tool_calls\": [\"read_file\", \"b\\\"c\"], \
         \"finish_reason\": \"tool_calls\", \"api_error\": null}, \"http_status\": 200, \"seq\": 3, \"run\": \"r1\"}\n"
    );
}

#[test]
fn a_broken_body_is_diagnosable_from_its_record_even_if_the_dump_fails() {
    let bad = BadJson {
        offset: 18,
        byte: Some("0x2c".to_owned()),
        near: "x".to_owned(),
        why: "no value".to_owned(),
    };
    let asked =
        Asked { bad_json: Some(bad), class: None, phrasing: None, step: None, ..plain(Kind::BadJson) };
    let text = told(&asked, Ok("log.badbody.3"));
    assert!(
        text.contains(
            "\"http_status\": 200, \"raw_len\": 12, \"raw_dump\": \"log.badbody.3\", \"err_pos\": 18, \
             \"err_byte\": \"0x2c\", \"err_near\": \"x\", \"seq\": 3"
        ),
        "{text}"
    );
    assert!(text.contains("\"validation\": \"rejected\""), "{text}");
    assert!(told(&asked, Err("disk full")).contains("\"raw_dump\": \"not written: disk full\""));
}

#[test]
fn words_of_replies_outside_the_script_are_not_called_delivered() {
    for kind in [Kind::Background, Kind::Overrun] {
        let mut asked = plain(kind);
        asked.delivered.finish_reason = Some("stop".into());
        assert!(
            told(&asked, Err(""))
                .contains("{\"tool_calls\": [], \"finish_reason\": null, \"api_error\": null}")
        );
    }
}

#[test]
fn what_gets_a_record_and_what_is_called_refused() {
    let reject = Rejected {
        rule: "route".to_owned(),
        kind: "invalid_request_error".to_owned(),
        code: None,
        param: None,
        pointer: String::new(),
        message: "no such route".to_owned(),
    };
    for (kind, method, recorded, validation) in [
        (Kind::Scenario, "POST", true, "rejected"),
        (Kind::Background, "POST", true, "rejected"),
        (Kind::BadJson, "POST", true, "rejected"),
        (Kind::WrongPath, "POST", true, "ok"),
        (Kind::Hostile, "POST", true, "ok"),
        (Kind::Unreadable, "", true, "rejected"),
        (Kind::WrongPath, "GET", false, "ok"),
        (Kind::Aside, "GET", false, "rejected"),
    ] {
        let asked = Asked { method: method.to_owned(), reject: Some(reject.clone()), ..plain(kind) };
        assert_eq!(is_recorded(&asked), recorded, "{kind:?} {method}");
        assert!(
            told(&asked, Err("")).contains(&format!("\"validation\": \"{validation}\"")),
            "{kind:?} {method}"
        );
    }
}

#[test]
fn the_order_of_commands_and_the_number_of_escapes_are_no_difference() {
    let ran = |word: &str| {
        Event::CommandRan(CommandRan { argv: vec!["git".into(), word.into()], folder: ".".into() })
    };
    let tried = |port: u32| {
        let target = format!("127.0.0.1:{port}");
        Event::EscapeTried(EscapeTried { method: "CONNECT".into(), target })
    };
    let lines = |events: &[Event]| normalised(events, &[]);
    let first = lines(&[ran("add"), tried(1), ran("commit"), tried(1)]);
    assert_eq!(first, lines(&[ran("commit"), tried(2), ran("add")]));
    assert_ne!(first, lines(&[ran("commit"), tried(2), ran("push")]));
}

#[test]
fn what_of_a_cassette_was_never_asked_for_is_a_fact_and_a_difference() {
    let played = |unused: &[&str]| CassettePlayed {
        recordings: 2,
        unused: unused.iter().map(|name| (*name).to_owned()).collect(),
    };
    let (all, one) = (Event::CassettePlayed(played(&[])), Event::CassettePlayed(played(&["0002-a"])));
    assert_eq!(facts([(1, &one)]).played, Some(played(&["0002-a"])));
    assert_eq!(facts([(1, &Event::Closed { requests: 0 })]).played, None);
    assert_ne!(normalised([&all], &[]), normalised([&one], &[]));
    assert_eq!(normalised([&all], &[]), [r#"{"event":"cassette_played","recordings":2}"#]);
}

#[test]
fn a_verdict_has_a_digest_of_all_that_is_said_of_its_case() {
    let case = CaseResult {
        class: "c".into(),
        phrasing: "p".into(),
        fault: None,
        outcome: None,
        place: Place::default(),
        round: 2,
        verdict: Verdict::Passed,
        findings: vec![],
        requests: 2,
        retries: 0,
        steps: (1, 1),
        ran_ms: 3,
        status: Some(0),
        workflow: None,
        journal: JournalHead::default(),
        normalised: String::new(),
    };
    let judged = case.judged();
    assert_eq!((judged.case.as_str(), judged.round, judged.sha256.len()), ("p", 2, 64));
    let read: CaseResult = serde_json::from_str(&serde_json::to_string_pretty(&case).unwrap()).unwrap();
    assert_eq!(read.judged(), judged, "what is read back is judged alike");
    for other in [
        CaseResult { verdict: Verdict::Failed, ..case.clone() },
        CaseResult { retries: 1, ..case.clone() },
        CaseResult { status: None, ..case.clone() },
        CaseResult { steps: (0, 1), ..case },
    ] {
        assert_ne!(other.judged().sha256, judged.sha256, "{other:?}");
    }
}

#[test]
fn calls_that_reached_the_client_under_other_ids_are_paired_with_the_answers_in_their_order() {
    let events = case(&ONE);
    let unpaired = || {
        let mut facts = facts(events.iter().zip(1..).map(|(event, t_us)| (t_us, event)));
        facts.calls[0].answered_in = None;
        facts.answered = vec!["made_up".to_owned(), "foreign".to_owned()];
        facts
    };
    let mut facts = unpaired();
    let issued_in = facts.calls[0].issued_in;
    facts.pair_renamed(|request| request.exchange == issued_in);
    assert_eq!(facts.answered, [facts.calls[0].id.as_str(), "foreign"]);
    assert_eq!((facts.calls[0].answered_in, facts.tools_answered()), (Some(3), vec!["read_file"]));
    let mut facts = unpaired();
    facts.pair_renamed(|request| request.exchange != issued_in);
    assert_eq!((facts.unanswered().count(), facts.answered[0].as_str()), (1, "made_up"));
}
