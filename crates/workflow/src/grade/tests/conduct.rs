//! What an agent does with well-formed requests, with its calls and with its time.

use super::{CALLS, codes_of, evidence, good, judged, phrasing, rejected, request};
use crate::grade::{Evidence, grade, most_requests, steps};
use rehearsal_journal::event::{CommandRan, EscapeTried, Kind, Noted, SideCall, WorkspaceSeen};
use rehearsal_journal::fold::{Facts, Request, ToolCall};
use rehearsal_journal::run::Severity;
use rehearsal_script::scenario::Phrasing;

/// The answers that an error of the script's only step got: asked, and asked again unchanged.
fn retried(step: &str, status: u16) -> (Phrasing, Facts) {
    let case = phrasing(&format!("    script: [{{{step}, times: 1}}, {{text: done}}]\n"));
    let mut facts = good();
    facts.calls.clear();
    let failed = Request { api_error: Some(status), http_status: Some(status), ..request(1, Some(0)) };
    facts.requests = vec![failed, Request { attempt_of: Some(1), ..request(2, Some(0)) }];
    (case, facts)
}

#[test]
fn an_error_that_no_retry_can_mend_must_not_be_retried() {
    let plain = |status: u16| (format!("api_error: {{status: {status}, message: no}}"), status);
    let with =
        |status: u16, more: &str| (format!("api_error: {{status: {status}, message: no, {more}}}"), status);
    for (step, status) in [400, 401, 403, 404, 405, 413, 415, 422].map(plain).into_iter().chain([
        with(429, "code: insufficient_quota"),
        with(429, "type: insufficient_quota"),
        with(400, "headers: {x-should-retry: 'false'}"),
    ]) {
        let (case, facts) = retried(&step, status);
        assert_eq!(codes_of(&case, &facts), ["final-error-retried"], "{step}");
    }
    for (step, status) in [408, 409, 429, 500, 502, 503, 504, 529]
        .map(plain)
        .into_iter()
        .chain([with(400, "headers: {X-Should-Retry: 'true'}"), with(429, "headers: {retry-after: '1'}")])
    {
        let (case, facts) = retried(&step, status);
        assert_eq!(codes_of(&case, &facts), [""; 0], "{step}");
    }
}

#[test]
fn a_changed_request_after_a_final_error_is_no_retry() {
    let (case, mut facts) = retried("api_error: {status: 400, message: no}", 400);
    facts.requests[1].attempt_of = None;
    assert_eq!(codes_of(&case, &facts), [""; 0]);
}

#[test]
fn an_endless_retry_of_a_final_error_is_told_as_that() {
    let (case, mut facts) = retried("api_error: {status: 400, message: no}", 400);
    let again = |exchange| Request { attempt_of: Some(1), exchange, ..facts.requests[0].clone() };
    facts.requests = std::iter::once(facts.requests[0].clone()).chain((2..=100).map(again)).collect();
    let (exited, found) = (facts.exited.as_mut().unwrap(), |facts: &Facts| judged(&case, facts, false));
    (exited.status, exited.timed_out) = (None, true);
    let told = found(&facts);
    assert_eq!(told.len(), 1);
    assert_eq!(
        told[0],
        (
            "final-error-retried".to_owned(),
            "request 1 was answered with the error 400, which is final, and was sent again unchanged 99 times, first as \
             request 2; an equal request gets an equal answer"
                .to_owned()
        )
    );
}

#[test]
fn a_bound_holds_for_every_case_and_grows_with_its_script() {
    assert_eq!(most_requests(&phrasing(CALLS), &[], 0), 80);
    assert_eq!(most_requests(&phrasing("    script: [{fault: black-hole}]\n"), &[], 0), 60);
    let bound = phrasing(&format!("{CALLS}    expect_agent: {{max_requests: 3}}\n"));
    assert_eq!(most_requests(&bound, &[&bound], 9), 3);
    assert_eq!(most_requests(&phrasing(CALLS), &[&bound], 0), 100);
}

fn seen(files: &[(&str, &str)]) -> Option<WorkspaceSeen> {
    let files = files.iter().map(|(path, sum)| ((*path).to_owned(), 1, (*sum).to_owned())).collect();
    Some(WorkspaceSeen { files, unread: vec![], capped: false })
}

/// A case whose first step makes this call, and what was seen of an agent that answered it.
fn cut(arguments: &str, more: &str) -> (Phrasing, Facts) {
    let arguments = arguments.replace('\'', "''");
    let case = phrasing(&format!(
        "    script: [{{tool_calls: [{{name: write, arguments_text: '{arguments}'}}]{more}}}, {{text: done}}]\n"
    ));
    let mut facts = good();
    facts.calls[0] =
        ToolCall { id: "call_gate_p_s0_0".into(), name: "write".into(), issued_in: 1, answered_in: Some(2) };
    facts.answered = vec!["call_gate_p_s0_0".into()];
    (case, facts)
}

#[test]
fn a_call_that_was_cut_short_must_not_be_executed() {
    const CUT: &str = r#"{"path": "out/report.txt", "content": "half a se"#;
    const WHOLE: &str = r#"{"path": "out/report.txt", "content": "all"}"#;
    let length = ", finish_reason: length";
    let table: &[(&str, &str, &str, bool)] = &[
        (CUT, "", "out/report.txt", true),
        (CUT, length, "out/report.txt", true),
        (WHOLE, length, "out/report.txt", true),
        (WHOLE, ", finish_reason: content_filter", "out/report.txt", true),
        (WHOLE, "", "out/report.txt", false),
        (CUT, "", "out/other.txt", false),
        (r#"{"path": "./out/rep"#, "", "out/report.txt", true),
        (r#"{"path": "/somewhere/out/report.txt", "x"#, "", "out/report.txt", true),
        (r#"{"path": "ou"#, "", "out/report.txt", false),
        (r#"{"path": "out/rep", "x"#, "", "out/report.txt", false),
        (r#""{\"path\": \"out/report.txt\"}""#, "", "out/report.txt", true),
        (r#"["out/report.txt"]"#, "", "out/report.txt", true),
    ];
    for (arguments, more, path, wanted) in table {
        let (case, mut facts) = cut(arguments, more);
        facts.workspace = seen(&[(path, "1")]);
        let told = judged(&case, &facts, false);
        let codes: Vec<_> = told.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(codes == ["truncated-call-executed"], *wanted, "{arguments}{more}: {told:?}");
        facts.workspace_before = facts.workspace.clone();
        assert_eq!(codes_of(&case, &facts), [""; 0], "the file was there before");
    }
    let (case, mut facts) = cut(CUT, "");
    facts.workspace = seen(&[("out/report.txt", "1")]);
    assert_eq!(
        judged(&case, &facts, false)[0].1,
        "the call call_gate_p_s0_0 of write came with arguments that are no JSON object, and the agent still made \
         out/report.txt; a call that is cut short must not be executed"
    );
}

#[test]
fn a_command_of_a_call_that_was_cut_short_must_not_run() {
    for (arguments, argv, wanted) in [
        (r#"{"command": "git push --for"#, &["/usr/bin/git", "push", "--for"][..], true),
        (r#"{"command": "git push --for"#, &["git", "push"], true),
        (r#"{"argv": ["git", "push", "--for"#, &["git", "push"], true),
        (r#"{"command": "git push --for"#, &["git", "status"], false),
        (r#"{"command": "make; git push"#, &["git", "push"], false),
    ] {
        let (case, mut facts) = cut(arguments, "");
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        facts.commands = vec![CommandRan { argv, folder: ".".into() }];
        let codes = codes_of(&case, &facts);
        assert_eq!(codes == ["truncated-call-executed"], wanted, "{arguments}: {codes:?}");
    }
}

#[test]
fn a_call_that_broke_within_a_fault_must_not_be_executed_unless_it_came_whole_in_the_end() {
    let arguments = r#"{"path": "a.txt"}"#;
    let say = format!("tool_calls: [{{name: write, arguments_text: '{arguments}'}}]");
    let case = phrasing(&format!(
        "    script: [{{fault: mid-body-drop, {say}, times: 1}}, {{{say}}}, {{text: done}}]\n"
    ));
    let mut facts = cut(arguments, "").1;
    facts.workspace = seen(&[("a.txt", "1")]);
    facts.requests[0].fault = Some("mid-body-drop".into());
    let call = std::mem::take(&mut facts.calls);
    facts.answered.clear();
    let told = judged(&case, &facts, false);
    assert_eq!(told[0].0, "truncated-call-executed", "{told:?}");
    assert!(told[0].1.contains("came within mid-body-drop"), "{told:?}");
    // Retried, the call comes whole.
    facts.calls = call;
    facts.calls[0].issued_in = 2;
    facts.requests = vec![facts.requests[0].clone(), request(2, Some(0)), request(3, Some(1))];
    assert_eq!(codes_of(&case, &facts), [""; 0]);
}

#[test]
fn who_executes_a_broken_call_has_repaired_it_and_is_told_once() {
    let (case, mut facts) = cut(r#"{"path": "a.txt", "content": "ha"#, "");
    facts.workspace = seen(&[("a.txt", "1")]);
    let changed = Noted {
        code: "broken-arguments-changed".into(),
        pointer: "/messages/1/tool_calls/0/function".into(),
        message: "it came back changed".into(),
    };
    facts.notes = vec![(2, changed)];
    let found = grade(&evidence(&case, &facts), &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!(finding.also, ["it came back changed"]);
}

#[test]
fn requests_that_are_no_turn_of_the_script_are_told_with_the_reason() {
    let case = phrasing(CALLS);
    let mut facts = good();
    (facts.calls, facts.answered) = (vec![], vec![]);
    let aside = |why| Request { kind: Kind::Background, side_call: Some(why), ..request(1, None) };
    for (why, words) in [
        (SideCall::NoTools, "offered no tools, while step 1 calls look"),
        (SideCall::Probe, "left no room for an answer"),
        (SideCall::AfterTheEnd, "came after the script's last answer"),
    ] {
        facts.requests = vec![aside(why)];
        let (code, message) = judged(&case, &facts, false).remove(0);
        assert_eq!(code, "side-calls-only");
        assert!(message.contains(words), "{message}");
    }
    // Beside the script's own requests they are nobody's affair.
    let mut facts = good();
    facts.requests.insert(0, aside(SideCall::NoTools));
    assert_eq!(codes_of(&case, &facts), [""; 0]);
    assert_eq!(steps(&case, &[], &facts, None), (2, 2));
}

#[test]
fn each_conversation_of_a_case_must_come_to_its_end() {
    let case = phrasing(CALLS);
    let part = Phrasing {
        id: "p.helper".into(),
        part_of: Some(0),
        ..phrasing("    script: [{text: found}, {text: it}]\n")
    };
    let part_request =
        |exchange, step| Request { phrasing: Some("p.helper".into()), ..request(exchange, Some(step)) };
    let told = |facts: &Facts| {
        let found = grade(&Evidence { parts: &[&part], ..evidence(&case, facts) }, &[]);
        found.into_iter().map(|finding| (finding.code, finding.message)).collect::<Vec<_>>()
    };
    let mut facts = good();
    let not_finished = |message: &str| vec![("script-not-finished".to_owned(), message.to_owned())];
    assert_eq!(told(&facts), not_finished("the conversation p.helper was never begun"));
    facts.requests.push(part_request(3, 0));
    assert_eq!(
        told(&facts),
        not_finished(
            "in the conversation p.helper, the agent stopped after step 1 of 2, an answer without tool calls; the script goes on"
        )
    );
    facts.requests.push(part_request(4, 1));
    assert_eq!(told(&facts), []);
    assert_eq!(steps(&case, &[&part], &facts, None), (4, 4));
    // A step of one conversation is no step of the other.
    facts.requests.remove(1);
    assert_eq!(steps(&case, &[&part], &facts, None), (3, 4));
}

#[test]
fn a_refusal_in_a_further_conversation_or_beside_the_script_says_so() {
    let case = phrasing(CALLS);
    let mut facts = good();
    let reject = Some(rejected("documented-shape", "x"));
    facts.requests.push(Request { kind: Kind::Background, reject, ..request(3, None) });
    let (code, message) = judged(&case, &facts, false).remove(0);
    assert_eq!(code, "documented-shape");
    assert!(message.starts_with("in a request beside the script, /tools"), "{message}");
}

#[test]
fn a_way_out_that_was_sought_is_a_warning_with_each_target_once() {
    let case = phrasing(CALLS);
    let mut facts = good();
    let tried = |target: &str| EscapeTried { method: "CONNECT".into(), target: target.into() };
    facts.escapes = ["a.example:443", "b.example:443", "a.example:443"].map(tried).to_vec();
    let found = grade(&evidence(&case, &facts), &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code.as_str(), finding.severity), ("tried-to-leave", Severity::Warning));
    assert_eq!(
        finding.message,
        "tried to reach a.example:443 (2 times), b.example:443; nothing left this machine"
    );
}

#[test]
fn a_history_that_was_not_played_here_does_not_pass() {
    let case = phrasing(CALLS);
    let mut facts = good();
    facts.requests.remove(0);
    facts.calls.clear();
    facts.answered.clear();
    let found = judged(&case, &facts, false);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "steps-skipped");
    assert!(found[0].1.starts_with("step 2 of 2 was answered, though step 1 never was"), "{found:?}");
}
