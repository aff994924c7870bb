//! Each check by facts that set it off, and by facts that must not.

mod conduct;
mod daemon;
mod folding;
mod outcome;
mod reaction;
mod recording;
mod words;

use super::{CHECKS, Evidence, grade, steps};
use rehearsal_journal::digest;
use rehearsal_journal::event::{
    AgentExited, AgentStarted, Kind, Network, Noted, Output, Rejected, WorkspaceSeen,
};
use rehearsal_journal::fold::{Facts, Request, ToolCall};
use rehearsal_journal::run::Severity;
use rehearsal_script::scenario::Phrasing;
use rehearsal_script::{File, Known};
use rehearsal_wire::fault::FAULTS;

/// The one phrasing of a suite whose class holds these lines of YAML.
fn phrasing(class: &str) -> Phrasing {
    let text = format!("version: 1\nclasses:\n  c:\n{class}    phrasings: [{{id: p, prompt: do it}}]\n");
    let known =
        Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] };
    let file = File { name: "suite.yaml", bytes: text.as_bytes() };
    rehearsal_script::read(&[file], &known).unwrap().phrasings.remove(0)
}

const CALLS: &str = "    script: [{tool_calls: [{name: look, arguments: {}}]}, {text: done}]\n";

fn request(exchange: u64, step: Option<u64>) -> Request {
    Request {
        exchange,
        kind: Kind::Scenario,
        route: "POST /t/token/v1/chat/completions".into(),
        step,
        attempt_of: None,
        phrasing: None,
        side_call: None,
        reject: None,
        http_status: Some(200),
        api_error: None,
        fault: None,
        retry_after_ms: None,
        n_assistant: step.unwrap_or(0),
        asked_us: exchange * 1_000_000,
        left_us: Some(exchange * 1_000_000 + 1000),
    }
}

fn rejected(rule: &str, code: &str) -> Rejected {
    Rejected {
        rule: rule.into(),
        kind: "invalid_request_error".into(),
        code: Some(code.into()),
        param: None,
        pointer: "/tools".into(),
        message: "/tools: wrong; do it right".into(),
    }
}

/// What is seen of an agent that does everything right with [`CALLS`].
fn good() -> Facts {
    let exited = AgentExited {
        status: Some(0),
        signal: None,
        timed_out: false,
        ran_ms: 5,
        stdout: Output::default(),
        stderr: Output::default(),
    };
    let call = ToolCall { id: "call_1".into(), name: "look".into(), issued_in: 1, answered_in: Some(2) };
    Facts {
        notes: vec![],
        requests: vec![request(1, Some(0)), request(2, Some(1))],
        calls: vec![call],
        answered: vec!["call_1".into()],
        started: Some(AgentStarted {
            argv: vec![],
            pid: 1,
            prompt: "do it".into(),
            time_limit_ms: 60_000,
            network: Network::Host,
        }),
        exited: Some(exited),
        workspace: Some(WorkspaceSeen::default()),
        workspace_before: Some(WorkspaceSeen::default()),
        commands: vec![],
        escapes: vec![],
        played: None,
    }
}

fn evidence<'e>(phrasing: &'e Phrasing, facts: &'e Facts) -> Evidence<'e> {
    Evidence {
        phrasing,
        parts: &[],
        pinned: false,
        facts,
        stdout: "done\n",
        stderr: "first\nError: the reason\n\n",
        contents: &[],
        talk: None,
    }
}

fn judged(phrasing: &Phrasing, facts: &Facts, pinned: bool) -> Vec<(String, String)> {
    let evidence = Evidence { pinned, ..evidence(phrasing, facts) };
    grade(&evidence, &[]).into_iter().map(|finding| (finding.code, finding.message)).collect()
}

fn codes_of(phrasing: &Phrasing, facts: &Facts) -> Vec<String> {
    judged(phrasing, facts, false).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn every_check_has_a_code_of_its_own_and_says_what_it_means_and_what_to_do() {
    for (i, check) in CHECKS.iter().enumerate() {
        assert!(CHECKS[..i].iter().all(|other| other.code != check.code), "{} stands twice", check.code);
        assert!(check.meaning.len() > 10 && check.remedy.len() > 10, "{}", check.code);
    }
}

#[test]
fn an_agent_that_does_as_declared_is_not_blamed() {
    let all = "    expect_agent: {tools_called: [look], output_contains: done, output_matches: ^done, max_requests: 2}\n";
    let case = phrasing(&(CALLS.to_owned() + all));
    assert_eq!(codes_of(&case, &good()), [""; 0]);
    assert_eq!(steps(&case, &[], &good(), None), (2, 2));
}

#[test]
fn each_failing_is_told_under_its_own_code() {
    let seen = |change: &dyn Fn(&mut Facts)| {
        let mut facts = good();
        change(&mut facts);
        facts
    };
    let exit = |change: &dyn Fn(&mut AgentExited)| {
        let mut facts = good();
        change(facts.exited.as_mut().unwrap());
        facts
    };
    let never = |facts: &mut Facts| (facts.requests, facts.calls, facts.answered) = (vec![], vec![], vec![]);
    let table: &[(&str, Facts, &[&str])] = &[
        ("", exit(&|exited| (exited.status, exited.timed_out) = (None, true)), &["time-limit"]),
        ("", exit(&|exited| (exited.status, exited.signal) = (None, Some(11))), &["agent-killed"]),
        ("", exit(&|exited| exited.status = Some(3)), &["exit-status"]),
        ("exit: 3", exit(&|exited| exited.status = Some(3)), &[]),
        ("", seen(&never), &["never-asked"]),
        (
            "",
            seen(&|facts| facts.requests[1].reject = Some(rejected("answer-missing", "gate_pairing"))),
            &["answer-missing"],
        ),
        ("", seen(&|facts| facts.requests.truncate(1)), &["script-not-finished"]),
        ("", seen(&|facts| facts.requests[1].api_error = Some(503)), &["script-not-finished"]),
        (
            "",
            seen(&|facts| facts.requests.push(Request { kind: Kind::Overrun, ..request(3, Some(2)) })),
            &["asked-past-the-end"],
        ),
        (
            "",
            seen(&|facts| facts.requests.push(Request { kind: Kind::WrongPath, ..request(3, None) })),
            &["route"],
        ),
        (
            "",
            seen(&|facts| facts.requests.push(Request { kind: Kind::Unreadable, ..request(3, None) })),
            &["http"],
        ),
        ("", seen(&|facts| facts.calls[0].answered_in = None), &["call-not-answered"]),
        ("max_requests: 1", good(), &["too-many-requests"]),
        ("tools_called: []", good(), &["tools-called"]),
        ("output_contains: never said", good(), &["output-contains"]),
        ("output_matches: ^never", good(), &["output-matches"]),
        ("files: {a.txt: there}", good(), &["files"]),
    ];
    for (expected, facts, wanted) in table {
        let case = phrasing(&format!("{CALLS}    expect_agent: {{{expected}}}\n"));
        assert_eq!(codes_of(&case, facts), *wanted, "{expected}");
    }
}

#[test]
fn a_request_that_nobody_could_understand_is_told_once() {
    let case = phrasing("    script: [{text: done}]\n");
    let mut facts = good();
    for (kind, code) in [
        (Kind::BadJson, "json"),
        (Kind::WrongPath, "route"),
        (Kind::Unreadable, "content-type"),
        (Kind::Unreadable, "http"),
    ] {
        let reject = Some(rejected(code, "some_code"));
        facts.requests = vec![Request { kind, reject, ..request(1, None) }];
        facts.calls.clear();
        assert_eq!(codes_of(&case, &facts), [code]);
    }
}

#[test]
fn a_route_is_told_without_the_token_of_its_case() {
    let mut facts = good();
    let route = "POST /t/some-token/v1/v1/chat/completions".to_owned();
    facts.requests.push(Request { kind: Kind::WrongPath, route, ..request(3, None) });
    let (_, message) = judged(&phrasing(CALLS), &facts, false).remove(0);
    assert_eq!(
        message,
        "POST /v1/v1/chat/completions is no route of this provider (404); the base URL ends in /v1 already"
    );
}

#[test]
fn a_refusal_names_its_rule_and_under_pinned_how_to_lift_it() {
    let case = phrasing(CALLS);
    let mut facts = good();
    facts.requests[0].http_status = Some(400);
    let told = |facts: &Facts, pinned| judged(&case, facts, pinned).remove(0).1;
    facts.requests[0].reject = Some(rejected("expect-parallel", "gate_expect"));
    assert_eq!(told(&facts, false), "/tools: wrong; do it right (400 gate_expect)");
    assert!(told(&facts, true).contains("--rule expect-parallel=off"));
    facts.requests[0].reject = Some(rejected("tool-description", "gate_tools_shape"));
    assert!(told(&facts, true).contains("--profile gate lifts it"));
    facts.requests[0].reject = Some(rejected("answer-missing", "gate_pairing"));
    assert!(!told(&facts, true).contains("--profile"), "{}", told(&facts, true));
}

#[test]
fn an_exit_status_comes_with_the_agents_last_words() {
    let mut facts = good();
    facts.exited.as_mut().unwrap().status = Some(1);
    let (_, message) = judged(&phrasing(CALLS), &facts, false).remove(0);
    assert_eq!(
        message,
        "the agent ended with status 1; 0 was expected; its last words: \"Error: the reason\""
    );
}

#[test]
fn in_a_hostile_case_giving_up_is_right_whatever_the_status() {
    let case = phrasing("    script: [{fault: black-hole}]\n");
    let mut facts = good();
    facts.exited.as_mut().unwrap().status = Some(3);
    facts.requests = vec![Request { fault: Some("black-hole".into()), ..request(1, Some(0)) }];
    facts.calls.clear();
    assert_eq!(codes_of(&case, &facts), [""; 0]);
    assert_eq!(steps(&case, &[], &facts, None), (1, 1));
    facts.requests = (1..=61).map(|exchange| request(exchange, Some(0))).collect();
    assert_eq!(codes_of(&case, &facts), ["too-many-requests"]);
    facts.requests.truncate(3);
    (facts.exited.as_mut().unwrap().timed_out, facts.exited.as_mut().unwrap().status) = (true, None);
    assert_eq!(codes_of(&case, &facts), ["time-limit"]);
}

#[test]
fn an_error_without_times_has_no_good_end_so_giving_up_is_right() {
    let case = phrasing("    script: [{api_error: {status: 401, message: no}}, {text: never reached}]\n");
    let mut facts = good();
    facts.exited.as_mut().unwrap().status = Some(1);
    facts.requests = vec![Request { api_error: Some(401), ..request(1, Some(0)) }];
    facts.calls.clear();
    assert_eq!(codes_of(&case, &facts), [""; 0]);
}

#[test]
fn trouble_before_a_step_does_not_count_as_the_step() {
    let case = phrasing("    script: [{api_error: {status: 429, message: later}, times: 1}, {text: done}]\n");
    let mut facts = good();
    facts.requests = vec![Request { api_error: Some(429), ..request(1, Some(0)) }];
    facts.calls.clear();
    assert_eq!(steps(&case, &[], &facts, None), (0, 1));
    let (code, message) = judged(&case, &facts, false).remove(0);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "script-not-finished",
            "the agent gave up after an error 429 before step 1 of 1; it should have tried again"
        )
    );
}

#[test]
fn a_file_is_compared_by_what_lies_on_disk() {
    let case = phrasing(&format!("{CALLS}    expect_agent: {{files: {{a.txt: right}}}}\n"));
    let mut facts = good();
    let mut lies = |content: &str| {
        let sum = digest::text(&digest::of(content.as_bytes()));
        facts.workspace = Some(WorkspaceSeen {
            files: vec![("a.txt".into(), content.len() as u64, sum)],
            unread: vec![],
            capped: false,
        });
        judged(&case, &facts, false)
    };
    assert_eq!(lies("right"), []);
    assert_eq!(lies("wrong")[0].1, "a.txt holds 5 bytes, not \"right\"");
}

#[test]
fn what_is_noted_often_is_told_once_and_fails_nothing() {
    let noted = |message: &str| Noted {
        code: "arguments-stripped".into(),
        pointer: "/messages/1".into(),
        message: message.into(),
    };
    let mut facts = good();
    facts.notes = vec![(1, noted("cut short")), (2, noted("other")), (3, noted("cut short"))];
    let found = grade(&evidence(&phrasing(CALLS), &facts), &[]);
    assert!(found.iter().all(|note| note.severity == Severity::Note), "{found:?}");
    let told: Vec<_> = found.into_iter().map(|note| (note.message, note.exchanges)).collect();
    assert_eq!(told, [("cut short".to_owned(), vec![1, 3]), ("other".to_owned(), vec![2])]);
}

#[test]
fn an_agent_that_ends_before_it_asks_is_told_why_in_every_case() {
    for script in [CALLS, "    script: [{fault: black-hole}]\n"] {
        let mut facts = good();
        (facts.requests, facts.calls, facts.answered) = (vec![], vec![], vec![]);
        facts.exited.as_mut().unwrap().status = Some(2);
        let told: Vec<_> = judged(&phrasing(script), &facts, false);
        assert_eq!(told[0].0, "never-asked");
        assert_eq!(
            told[0].1,
            "no request arrived before the agent ended with status 2; its last words: \"Error: the reason\""
        );
        assert!(told[1..].iter().all(|(_, message)| !message.contains("last words")), "{told:?}");
    }
}

#[test]
fn the_end_of_a_long_last_line_is_what_is_quoted() {
    assert_eq!(super::quote_end("short é"), "\"short é\"");
    let long = format!("{}é: no such file", "/long/path".repeat(40));
    let quoted = super::quote_end(&long);
    assert!(quoted.starts_with("… \"") && quoted.ends_with("é: no such file\""), "{quoted}");
    assert_eq!(super::quote_end(&"é".repeat(160)), format!("{:?}", "é".repeat(160)));
}
