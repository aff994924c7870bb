//! Verdicts of made-up steps, by the rules of both forms.

use super::*;
use rehearsal_script::scenario::Place;
use rehearsal_script::workflow::{Check, Expectation, Loose, LooseCheck, Part, WorkflowStep};
use serde_json::json;

fn place() -> Place {
    Place { file: "w.yaml".to_owned(), line: 1, column: 1 }
}

fn step(id: &str, expects: bool) -> WorkflowStep {
    let expectation = Expectation {
        path: vec![Part::Key("a".to_owned())],
        field: "a".to_owned(),
        check: Check::Present,
        place: place(),
    };
    WorkflowStep {
        id: id.to_owned(),
        row: 0,
        called: id.to_owned(),
        with: Vec::new(),
        expect: if expects { vec![expectation] } else { Vec::new() },
        time_limit: None,
        place: place(),
    }
}

fn case(outcome: Outcome, refusal: Option<(usize, &str)>) -> WorkflowCase {
    WorkflowCase {
        name: "w/c".to_owned(),
        title: String::new(),
        outcome,
        refusal: refusal.map(|(at, code)| (at, code.to_owned())),
        control: None,
        skip: None,
        needs: Vec::new(),
        steps: vec![step("one", false), step("two", true)],
        expect: Vec::new(),
        permissions: Vec::new(),
        artifacts: Vec::new(),
        time_limit: None,
        place: place(),
    }
}

fn done(id: &str, observed: &Value, proofs: &[Proof]) -> Seen {
    let observed = observed.as_object().cloned().unwrap();
    let result = StepResult {
        step: id.to_owned(),
        uses: id.to_owned(),
        end: StepEnd::Done,
        observed: observed.clone(),
        volatile: Vec::new(),
        code: None,
        message: None,
        proofs: Vec::new(),
        wall_us: 1,
        cpu_us: None,
        peak_rss_kb: None,
    };
    Seen { result, observed, code: None, proofs: proofs.to_vec(), unmet: Vec::new(), findings: Vec::new() }
}

fn ended(id: &str, end: StepEnd, code: Option<Code>) -> Seen {
    let mut seen = done(id, &json!({}), &[]);
    seen.result.end = end;
    seen.result.code = code.map(|code| code.word().to_owned());
    seen.result.message = Some("why".to_owned());
    seen.code = code;
    seen
}

fn refused(id: &str, code: Code) -> Seen {
    ended(id, StepEnd::Refused, Some(code))
}

fn unmet(id: &str) -> Seen {
    Seen { unmet: vec!["`a` is 1, and must be 2".to_owned()], ..done(id, &json!({"a": 1}), &[]) }
}

fn verdict(form: Form, case: &WorkflowCase, seen: &[Seen]) -> (Verdict, Vec<String>) {
    let judged = judge((form, case), seen, &[], &[]);
    (judged.verdict, judged.findings.into_iter().map(|finding| finding.code).collect())
}

fn own(case: &WorkflowCase, seen: &[Seen]) -> (Verdict, Vec<String>) {
    verdict(Form::Own, case, seen)
}

fn both(proofs: &[Proof]) -> Vec<Seen> {
    vec![done("one", &json!({}), proofs), done("two", &json!({"a": 1}), &[])]
}

#[test]
fn each_outcome_needs_what_it_means() {
    use Outcome::{Cancelled, Provenance, Recovered, Success};
    let passed = (Verdict::Passed, vec![]);
    let unproven = (Verdict::Failed, vec!["not-proven".to_owned()]);
    for (outcome, proofs, expected) in [
        (Success, &[][..], &passed),
        (Cancelled, &[], &unproven),
        (Cancelled, &[Proof::EdgeVerified, Proof::SealVerified, Proof::FaultInjected], &unproven),
        (Cancelled, &[Proof::InterruptAcknowledged], &passed),
        (Recovered, &[], &unproven),
        (Recovered, &[Proof::FaultInjected], &passed),
        (Provenance, &[Proof::FaultInjected, Proof::InterruptAcknowledged], &unproven),
        (Provenance, &[Proof::EdgeVerified], &passed),
        (Provenance, &[Proof::SealVerified], &passed),
    ] {
        assert_eq!(own(&case(outcome, None), &both(proofs)), *expected, "{outcome:?} {proofs:?}");
    }
    // Nothing is expected of a step after the one that broke something.
    let late = [done("one", &json!({}), &[]), done("two", &json!({"a": 1}), &[Proof::FaultInjected])];
    assert_eq!(own(&case(Recovered, None), &late), unproven);
}

#[test]
fn a_refusal_counts_only_from_its_step_and_with_its_code() {
    let declared = case(Outcome::PermissionDenied, Some((1, "E_SYMLINK")));
    let first = done("one", &json!({}), &[]);
    for (seen, expected) in [
        (vec![first.clone(), refused("two", Code::Symlink)], (Verdict::Passed, vec![])),
        (vec![first.clone(), refused("two", Code::Hardlink)], (Verdict::Failed, vec!["refused-otherwise"])),
        (vec![refused("one", Code::Symlink)], (Verdict::Failed, vec!["refused-otherwise"])),
        (both(&[]), (Verdict::Failed, vec!["not-refused"])),
        (vec![unmet("one")], (Verdict::Failed, vec!["step-expectation"])),
        (vec![first.clone(), ended("two", StepEnd::Failed, None)], (Verdict::Broken, vec!["step-failed"])),
        (
            vec![first.clone(), ended("two", StepEnd::TimedOut, None)],
            (Verdict::TimedOut, vec!["step-timed-out"]),
        ),
        (vec![first, ended("two", StepEnd::Unsupported, None)], (Verdict::Unsupported, vec![])),
    ] {
        let (verdict, codes) = own(&declared, &seen);
        assert_eq!((verdict, codes.iter().map(String::as_str).collect::<Vec<_>>()), expected, "{seen:?}");
    }
    let undeclared = case(Outcome::Success, None);
    let seen = [refused("one", Code::Symlink)];
    assert_eq!(own(&undeclared, &seen), (Verdict::Failed, vec!["step-refused".to_owned()]));
}

#[test]
fn declared_artifacts_must_be_there_whole() {
    let missing = [
        Missing { name: "a.csv".to_owned(), damaged: false },
        Missing { name: "b.csv".to_owned(), damaged: true },
    ];
    let judged = judge((Form::Own, &case(Outcome::Success, None)), &both(&[]), &missing, &[]);
    let told: Vec<_> = judged.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "the artifact \"a.csv\" is not in the store",
            "the artifact \"b.csv\" has other bytes than were stored"
        ]
    );
    assert_eq!(judged.verdict, Verdict::Failed);
}

#[test]
fn weights_change_what_a_finding_is_and_so_the_verdict() {
    let seen = [unmet("one")];
    let case = case(Outcome::Success, None);
    let weights = [("step-expectation".to_owned(), Weight::Warning)];
    let judged = judge((Form::Own, &case), &seen, &[], &weights);
    assert_eq!((judged.verdict, judged.findings[0].severity), (Verdict::Passed, Severity::Warning));
}

#[test]
fn a_control_passes_where_its_steps_do_not_end_as_declared() {
    use Control::{Cheat, Negative};
    for (control, seen, expected) in [
        (Negative, both(&[Proof::EdgeVerified]), (Verdict::Failed, vec!["control-passed"])),
        (Cheat, both(&[Proof::EdgeVerified]), (Verdict::Failed, vec!["control-passed"])),
        (Negative, both(&[]), (Verdict::Passed, vec!["not-proven"])),
        (Cheat, both(&[]), (Verdict::Passed, vec!["not-proven"])),
        (Negative, vec![ended("one", StepEnd::TimedOut, None)], (Verdict::TimedOut, vec!["step-timed-out"])),
        (Cheat, vec![ended("one", StepEnd::TimedOut, None)], (Verdict::Passed, vec!["step-timed-out"])),
        // A world that failed shows nothing.
        (Negative, vec![ended("one", StepEnd::Failed, None)], (Verdict::Broken, vec!["step-failed"])),
        (Cheat, vec![ended("one", StepEnd::Failed, None)], (Verdict::Broken, vec!["step-failed"])),
        (Cheat, vec![ended("one", StepEnd::Unsupported, None)], (Verdict::Unsupported, vec![])),
    ] {
        let case = WorkflowCase { control: Some(control), ..case(Outcome::Provenance, None) };
        let judged = judge((Form::Own, &case), &seen, &[], &[]);
        let codes: Vec<_> = judged.findings.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!((judged.verdict, codes), expected, "{control:?} {seen:?}");
        if judged.verdict == Verdict::Passed {
            assert!(judged.findings.iter().all(|finding| finding.severity == Severity::Note));
        }
    }
}

fn loose(field: &str, check: LooseCheck, wanted: Value) -> Loose {
    Loose { field: field.to_owned(), check, wanted, place: place() }
}

#[test]
fn the_reference_s_form_is_judged_by_its_own_rules() {
    let equal = |field: &str, wanted: Value| loose(field, LooseCheck::Equal, wanted);
    let escapes = loose("error", LooseCheck::Contains, json!("why"));
    let first = || done("one", &json!({"a": 1, "b": 1}), &[]);
    let second = || done("two", &json!({"a": 2}), &[]);
    for (outcome, expect, seen, expected) in [
        // Success-like outcomes are one rule, and need no proof.
        (
            Outcome::Provenance,
            vec![equal("a", json!(2)), equal("b", json!(1))],
            vec![first(), second()],
            None,
        ),
        (Outcome::Cancelled, vec![], vec![first(), second()], None),
        (Outcome::Success, vec![equal("gone", json!(null))], vec![first(), second()], None),
        (Outcome::Success, vec![equal("a", json!(1))], vec![first(), second()], Some("step-expectation")),
        (Outcome::Success, vec![], vec![refused("one", Code::Unknown)], Some("step-refused")),
        (Outcome::Failure, vec![equal("a", json!(2))], vec![first(), second()], Some("not-refused")),
        (Outcome::Failure, vec![], vec![refused("one", Code::Unknown)], Some("nothing-expected")),
        (
            Outcome::Failure,
            vec![equal("error_type", json!("KeyError"))],
            vec![refused("one", Code::Unknown)],
            None,
        ),
        (
            Outcome::Failure,
            vec![equal("error", json!("ValueError: why"))],
            vec![refused("one", Code::Unknown)],
            Some("step-expectation"),
        ),
        (Outcome::PermissionDenied, vec![escapes], vec![refused("one", Code::PathParent)], None),
    ] {
        let case = WorkflowCase { expect, ..case(outcome, None) };
        let (verdict, codes) = verdict(Form::Reference, &case, &seen);
        let wanted = if expected.is_some() { Verdict::Failed } else { Verdict::Passed };
        assert_eq!((verdict, codes.first().map(String::as_str)), (wanted, expected), "{outcome:?} {seen:?}");
    }
    // A world that failed is no refusal, whatever the case declares.
    let failed = [ended("one", StepEnd::Failed, None)];
    let case = WorkflowCase { expect: vec![equal("a", json!(null))], ..case(Outcome::Failure, None) };
    assert_eq!(verdict(Form::Reference, &case, &failed).0, Verdict::Broken);
}
