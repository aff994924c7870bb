//! Consequences stand below their causes, and none is lost.

use super::{CALLS, evidence, good, phrasing, rejected, request};
use crate::grade::fold::{Judged, fold};
use crate::grade::{CHECKS, Found, Tier, codes, grade};
use proptest::prelude::*;
use rehearsal_journal::event::{Kind, Noted};
use rehearsal_journal::fold::Request;
use rehearsal_journal::run::{Finding, Severity};

fn count(findings: &[Finding]) -> usize {
    findings.iter().map(|finding| 1 + finding.also.len()).sum()
}

#[test]
fn one_refusal_explains_what_comes_of_it() {
    let case = phrasing(&format!(
        "{CALLS}    expect_agent: {{tools_called: [look], output_contains: never said, files: {{a.txt: there}}}}\n"
    ));
    let mut facts = good();
    facts.requests[1] = Request {
        http_status: Some(400),
        reject: Some(rejected("answer-missing", "gate_pairing")),
        ..request(2, None)
    };
    facts.requests.push(Request { attempt_of: Some(2), ..facts.requests[1].clone() });
    facts.requests[2].exchange = 3;
    (facts.calls[0].answered_in, facts.answered) = (None, vec![]);
    facts.exited.as_mut().unwrap().status = Some(1);
    let found = grade(&evidence(&case, &facts), &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code.as_str(), &*finding.exchanges), ("answer-missing", &[2, 3][..]));
    assert_eq!(
        finding.message,
        "/tools: wrong; do it right (400 gate_pairing); 1 further request was refused for this"
    );
    let starts = [
        "request 2 was answered with the refusal 400 (answer-missing)",
        "the agent gave up at step 2 of 2",
        "the call call_1 of look was never answered by a tool result",
        "the agent ended with status 1",
        "tools answered in this order: none",
        "standard output does not contain",
        "a.txt is not in the workspace",
    ];
    assert_eq!(finding.also.len(), starts.len(), "{:?}", finding.also);
    for (also, start) in finding.also.iter().zip(starts) {
        assert!(also.starts_with(start), "{also} does not start with {start}");
    }
}

#[test]
fn two_rules_that_refused_are_two_findings() {
    let case = phrasing(CALLS);
    let mut facts = good();
    facts.requests[0].reject = Some(rejected("expect-tools", "gate_expect"));
    facts.requests[1].reject = Some(rejected("answer-twice", "gate_pairing"));
    let found = grade(&evidence(&case, &facts), &[]);
    let codes: Vec<_> = found.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["expect-tools", "answer-twice"]);
    assert!(found[0].also.len() == 1 && found[1].also.is_empty(), "{found:?}");
}

#[test]
fn a_note_at_the_place_of_a_refusal_is_no_finding_of_its_own() {
    let case = phrasing(CALLS);
    let mut facts = good();
    facts.requests[1].reject = Some(rejected("echoed-calls", "gate_echo_mismatch"));
    let note = |pointer: &str| Noted {
        code: "arguments-stripped".into(),
        pointer: pointer.into(),
        message: format!("note at {pointer}"),
    };
    facts.notes = vec![(2, note("/tools")), (2, note("/messages/1")), (1, note("/messages/2"))];
    let found = grade(&evidence(&case, &facts), &[]);
    let told: Vec<_> = found.iter().map(|finding| (finding.code.as_str(), finding.severity)).collect();
    let small = ("arguments-stripped", Severity::Note);
    assert_eq!(told, [("echoed-calls", Severity::Error), small, small]);
    assert!(found[0].also.contains(&"note at /tools".to_owned()), "{found:?}");
}

#[test]
fn an_agent_that_loops_for_ever_is_told_once() {
    let case = phrasing(CALLS);
    let mut facts = good();
    let past = |exchange| Request { kind: Kind::Overrun, ..request(exchange, Some(2)) };
    facts.requests.extend((3..=90).map(past));
    let exited = facts.exited.as_mut().unwrap();
    (exited.status, exited.signal, exited.timed_out) = (None, Some(9), true);
    let found = grade(&evidence(&case, &facts), &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!(finding.code, "too-many-requests");
    assert_eq!(finding.message, "the agent sent 90 requests, all attempts counted; 80 is the most it may");
    assert_eq!(finding.also.len(), 2, "{:?}", finding.also);
}

#[test]
fn an_agent_that_asks_once_more_and_ends_is_told_that_even_where_a_bound_is_broken_by_it() {
    let case = phrasing(&format!("{CALLS}    expect_agent: {{max_requests: 2}}\n"));
    let mut facts = good();
    facts.requests.push(Request { kind: Kind::Overrun, ..request(3, Some(2)) });
    let found = grade(&evidence(&case, &facts), &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code.as_str(), finding.also.len()), ("asked-past-the-end", 1));
}

/// Anything that a check, a rule or a note can have found.
fn any_judged() -> impl Strategy<Value = (usize, u8, Option<u8>, u8)> {
    (0..codes().len(), 0u8..4, proptest::option::of(0u8..2), 0u8..3)
}

proptest! {
    #[test]
    fn folding_loses_no_sentence_and_keeps_an_error(all in proptest::collection::vec(any_judged(), 0..14)) {
        let codes = codes();
        let judged: Vec<Judged> = all.iter().enumerate().map(|(number, (code, weight, pointer, exchange))| {
            let code = codes[*code];
            let check = CHECKS.iter().find(|check| check.code == code);
            let tier = check.map_or(Some(Tier::Wire), |check| Some(check.tier));
            let (severity, tier) = match weight {
                0 => (Severity::Note, None),
                1 => (Severity::Warning, tier),
                2 => (Severity::Error, None),
                _ => (Severity::Error, tier),
            };
            Judged {
                code: code.to_owned(),
                severity,
                tier,
                pointer: pointer.map(|place| format!("/{place}")),
                found: Found::at(format!("sentence {number}"), [u64::from(*exchange)]),
            }
        }).collect();
        let had_error = judged.iter().any(|judged| judged.severity == Severity::Error);
        let mut wanted: Vec<_> = judged.iter().map(|judged| judged.found.message.clone()).collect();
        let findings = fold(judged);
        prop_assert_eq!(count(&findings), all.len());
        let mut told: Vec<_> =
            findings.iter().flat_map(|finding| std::iter::once(&finding.message).chain(&finding.also)).cloned().collect();
        told.sort();
        wanted.sort();
        prop_assert_eq!(told, wanted);
        prop_assert_eq!(findings.iter().any(|finding| finding.severity == Severity::Error), had_error);
    }
}
