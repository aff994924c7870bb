//! JUnit XML, as CI systems read it: a suite for each class, a test case for each round of a case.

use crate::rounds::{name, rounds};
use crate::words::{by_weight, moment, reason, remedies, restrictions, sentence, visible, weight};
use crate::{Report, Style};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};
use rehearsal_journal::run::{CaseResult, Finding, RunFile, Severity, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const ROW: Report = Report {
    name: "junit",
    summary: "JUnit XML for CI systems: a testsuite for each class, a testcase for each case and round",
    write,
};

fn write(run: &RunFile, _style: Style) -> String {
    let mut document = Document::new("rehearsal");
    document.set_time(Duration::from_millis(run.took_ms));
    if let Some(start) = moment(run.started_unix_ms) {
        document.set_timestamp(start);
    }
    document.add_test_suites(classes(run).iter().map(|class| suite(run, class)));
    match document.to_string() {
        Ok(text) => text,
        // Every name and text went through `visible`, and writing into memory does not fail.
        Err(error) => unreachable!("a report in memory is always written: {error}"),
    }
}

/// The cases of one class, in the order of the run.
struct Class<'r> {
    name: &'r str,
    cases: Vec<&'r CaseResult>,
    /// Those that failed in one round and passed in another.
    flaky: Vec<String>,
}

/// The classes of a run, in the order of their first cases.
fn classes(run: &RunFile) -> Vec<Class<'_>> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut classes: Vec<Class<'_>> = Vec::new();
    for case in &run.cases {
        let at = *known.entry(&case.class).or_insert(classes.len());
        match classes.get_mut(at) {
            Some(class) => class.cases.push(case),
            None => classes.push(Class { name: &case.class, cases: vec![case], flaky: Vec::new() }),
        }
    }
    for rounds in rounds(run).iter().filter(|rounds| rounds.flaky()) {
        let case = rounds.shown();
        if let Some(class) = known.get(case.class.as_str()).and_then(|at| classes.get_mut(*at)) {
            class.flaky.push(visible(&case.name()));
        }
    }
    classes
}

fn suite(run: &RunFile, class: &Class<'_>) -> TestSuite {
    let mut suite = TestSuite::new(visible(class.name));
    let took = class.cases.iter().fold(0, |sum: u64, case| sum.saturating_add(case.ran_ms));
    suite.set_time(Duration::from_millis(took));
    if let Some(start) = moment(run.started_unix_ms) {
        suite.set_timestamp(start);
    }
    suite.add_property(("run", visible(&run.run).as_str()));
    suite.add_property(("program", visible(&run.program).as_str()));
    suite.add_property(("seed", run.seed.to_string().as_str()));
    suite.add_property(("profile", visible(&run.profile).as_str()));
    if !run.suite_digest.is_empty() {
        suite.add_property(("suite-sha256", visible(&run.suite_digest).as_str()));
    }
    if !class.flaky.is_empty() {
        suite.add_property(("flaky", class.flaky.join(", ").as_str()));
    }
    let restrictions = restrictions(run);
    if !restrictions.is_empty() {
        suite.add_property(("restrictions", restrictions.join("; ").as_str()));
    }
    suite.add_test_cases(class.cases.iter().map(|case| test_case(run, case)));
    suite
}

fn test_case(run: &RunFile, case: &CaseResult) -> TestCase {
    let findings = by_weight(&case.findings);
    let (errors, rest): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.severity == Severity::Error);
    let status = match case.verdict {
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Failed => status(NonSuccessKind::Failure, run, case, &errors),
        Verdict::Broken => status(NonSuccessKind::Error, run, case, &errors),
        // Readers know failures and errors; the type of this one says which it is.
        Verdict::TimedOut => status(NonSuccessKind::Failure, run, case, &errors),
        Verdict::Skipped | Verdict::Unsupported => {
            let mut status = TestCaseStatus::skipped();
            status.set_type(case.verdict.word()).set_message(visible(&reason(case)));
            status
        }
    };
    let round = if run.repeat > 1 { format!(" (round {})", case.round) } else { String::new() };
    let mut test = TestCase::new(visible(&case.name()) + &round, status);
    test.set_classname(visible(&case.class));
    test.set_time(Duration::from_millis(case.ran_ms));
    test.extra.insert("file".into(), visible(&case.place.file).into());
    test.extra.insert("line".into(), case.place.line.to_string().into());
    if let Some(workflow) = &case.workflow {
        test.add_property(("outcome", visible(&workflow.declared).as_str()));
        if let Some(control) = &workflow.control {
            test.add_property(("control", visible(control).as_str()));
        }
        if let Some(kept) = &workflow.kept {
            test.add_property(("folder", visible(kept).as_str()));
        }
    }
    if !rest.is_empty() {
        test.set_system_out(lines(&rest));
    }
    test
}

/// The first error names a case that did not pass; all errors and what to do about them are its text.
fn status(kind: NonSuccessKind, run: &RunFile, case: &CaseResult, errors: &[&Finding]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    let Some(first) = errors.first() else {
        status.set_message(format!("{} did not pass, and its run file says no reason", name(case)));
        return status;
    };
    status.set_type(visible(&first.code)).set_message(visible(&first.message));
    let mut text = lines(errors);
    for (code, remedy) in remedies(run, errors) {
        text.push_str(&format!("What to do about {}: {remedy}\n", visible(code)));
    }
    status.set_description(text);
    status
}

/// Findings, one a line, each with its consequences below it.
fn lines(findings: &[&Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        out.push_str(&format!("{}{}\n", weight(finding.severity), sentence(finding)));
        for also in &finding.also {
            out.push_str(&format!("  also: {}\n", visible(also)));
        }
    }
    out
}
