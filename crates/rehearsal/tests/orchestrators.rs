//! Orchestrators as the agent under test: the one of the examples passes, and each bug of `broken.py` is told by its own code.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::said;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bug of `broken.py` and the case in which it shows.
struct Broken {
    /// Its name there.
    bug: &'static str,
    /// The case, of the example's suite or of the one beside `broken.py`.
    case: &'static str,
    /// The code that must tell it, and no other.
    code: &'static str,
}

/// One that is named by its code.
const fn named(code: &'static str, case: &'static str) -> Broken {
    Broken { bug: code, case, code }
}

const BROKEN: [Broken; 31] = [
    named("daemon-unauthorized", "good"),
    named("protocol-major", "good"),
    Broken { bug: "protocol-major-missing", case: "good", code: "protocol-major" },
    named("key-missing", "good"),
    named("key-conflict", "start-lost"),
    named("daemon-refused", "good"),
    named("start-under-another-key", "start-lost"),
    named("refusal-unread", "refused"),
    Broken { bug: "refusal-repeated", case: "refused", code: "refusal-unread" },
    named("message-id", "message"),
    named("message-id-mismatch", "message"),
    named("message-repeated", "message"),
    named("message-under-another-id", "delivery-unknown"),
    named("message-retry-loop", "delivery-unknown"),
    named("message-to-settled-run", "settled"),
    named("live-input-unread", "message"),
    named("message-unsupported", "no-live-input"),
    named("question-answered-twice", "question"),
    named("question-not-open", "question"),
    named("answer-invalid", "question"),
    Broken { bug: "answer-invalid-rows", case: "question", code: "answer-invalid" },
    named("polled-without-pause", "waits"),
    named("too-many-daemon-requests", "hang"),
    named("daemon-never-asked", "good"),
    named("run-left", "hang"),
    named("token-in-output", "good"),
    named("message-in-output", "message"),
    named("daemon-runs", "good"),
    named("daemon-answers", "answers"),
    named("daemon-messages", "messages"),
    named("daemon-cancelled", "cancelled"),
];

fn main() {
    let python = Command::new("python3").arg("--version").output().is_ok_and(|ran| ran.status.success());
    let with_python = |name: String, test: Box<dyn Fn() + Send>| {
        Trial::ignorable_test(name, move || {
            if !python {
                return Ok(Completion::ignored_with("because python3 is not installed"));
            }
            test();
            Ok(Completion::Completed)
        })
    };
    let mut trials = vec![
        Trial::test("every_check_of_daemons_has_a_broken_orchestrator", || {
            every_check_of_daemons_has_a_broken_orchestrator();
            Ok(())
        }),
        with_python(
            "the_orchestrator_of_the_examples_passes_without_a_remark_and_leaves_the_same_each_time"
                .to_owned(),
            Box::new(the_orchestrator_of_the_examples_passes_without_a_remark_and_leaves_the_same_each_time),
        ),
        with_python(
            "a_daemon_is_reached_in_a_network_of_the_agents_own".to_owned(),
            Box::new(a_daemon_is_reached_in_a_network_of_the_agents_own),
        ),
        with_python(
            "a_client_of_a2a_is_judged_by_its_tasks".to_owned(),
            Box::new(a_client_of_a2a_is_judged_by_its_tasks),
        ),
        with_python(
            "an_orchestrator_without_a_bug_passes_the_cases_of_the_bugs".to_owned(),
            Box::new(an_orchestrator_without_a_bug_passes_the_cases_of_the_bugs),
        ),
        with_python(
            "a_case_may_have_a_model_and_a_daemon".to_owned(),
            Box::new(a_case_may_have_a_model_and_a_daemon),
        ),
    ];
    for broken in &BROKEN {
        let name = format!("the_bug_{}_is_told_by_its_own_code", broken.bug.replace('-', "_"));
        trials.push(with_python(name, Box::new(|| is_told(broken))));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn example() -> PathBuf {
    root().join("examples/orchestrator")
}

fn beside() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/orchestrators")
}

/// The suite that has a case.
fn suite(case: &str) -> PathBuf {
    let own = ["answers", "cancelled", "messages", "waits", "both"].contains(&case);
    if own { beside().join("suite.yaml") } else { example() }
}

/// A run of a suite, by its run file.
fn rehearsed(suite: &Path, cases: &[&str], agent: &[&str]) -> Value {
    with_flags(suite, &[], cases, agent)
}

fn with_flags(suite: &Path, flags: &[&str], cases: &[&str], agent: &[&str]) -> Value {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("orchestrators");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("run").arg(suite).args(["--json", "--data"]).arg(scratch);
    for case in cases {
        command.args(["--case", case]);
    }
    command.args(flags);
    if !agent.is_empty() {
        command.arg("--").args(agent);
    }
    let ran = command.output().unwrap();
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&ran)))
}

fn with_bug(suite: &Path, cases: &[&str], bug: &str) -> Value {
    let program = beside().join("broken.py");
    rehearsed(suite, cases, &["python3", program.to_str().unwrap(), bug])
}

/// The codes of all findings of a run.
fn codes(file: &Value) -> Vec<&str> {
    let cases = file["cases"].as_array().unwrap().iter();
    let findings = cases.flat_map(|case| case["findings"].as_array().unwrap());
    findings.map(|finding| finding["code"].as_str().unwrap()).collect()
}

fn passed(file: &Value) -> bool {
    let cases = file["cases"].as_array().unwrap();
    !cases.is_empty() && cases.iter().all(|case| case["verdict"] == "passed")
}

fn is_told(broken: &Broken) {
    let file = with_bug(&suite(broken.case), &[broken.case], broken.bug);
    assert_eq!(codes(&file), [broken.code], "{file:#}");
    let is_warning = broken.code == "polled-without-pause";
    assert_eq!(passed(&file), is_warning, "{file:#}");
}

/// A code of a table that no program here breaks is one that nobody has seen told.
fn every_check_of_daemons_has_a_broken_orchestrator() {
    let text = std::fs::read_to_string(root().join("crates/workflow/src/grade/mod.rs")).unwrap();
    let rows = text.lines().filter(|line| line.trim_start().starts_with("daemon::")).count();
    let mut codes: Vec<&str> = BROKEN.iter().map(|broken| broken.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), rows);
    for code in codes {
        assert!(rehearsal_workflow::grade::CHECKS.iter().any(|check| check.code == code), "{code}");
    }
}

fn the_orchestrator_of_the_examples_passes_without_a_remark_and_leaves_the_same_each_time() {
    let (one, two) = (rehearsed(&example(), &[], &[]), rehearsed(&example(), &[], &[]));
    for file in [&one, &two] {
        assert!(passed(file) && codes(file).is_empty(), "{file:#}");
        assert!(file["cases"].as_array().unwrap().len() >= 6);
    }
    assert_eq!(one["normalised"], two["normalised"]);
    let files = one["suite"].as_array().unwrap();
    assert!(files.iter().any(|file| file[0].as_str().unwrap().ends_with("runs.yaml")), "{files:?}");
}

/// The rules of `/v2` are not asked of it; what is left behind is.
fn a_client_of_a2a_is_judged_by_its_tasks() {
    let (suite, program) = (beside().join("suite.yaml"), beside().join("tasks.py"));
    let program = program.to_str().unwrap();
    let good = [
        rehearsed(&suite, &["waits"], &["python3", program]),
        rehearsed(&suite, &["waits"], &["python3", program]),
    ];
    for file in &good {
        assert!(passed(file) && codes(file).is_empty(), "{file:#}");
    }
    assert_eq!(good[0]["normalised"], good[1]["normalised"]);
    let left = rehearsed(&suite, &["waits"], &["python3", program, "leave"]);
    assert_eq!(codes(&left), ["run-left"], "{left:#}");
}

/// Where the kernel gives agents no network of their own, this is the test above once more.
fn a_daemon_is_reached_in_a_network_of_the_agents_own() {
    let file = with_flags(&example(), &["--netns=auto"], &["good", "question", "hang"], &[]);
    assert!(passed(&file) && codes(&file).is_empty(), "{file:#}");
}

fn an_orchestrator_without_a_bug_passes_the_cases_of_the_bugs() {
    let file = with_bug(&beside().join("suite.yaml"), &["answers", "cancelled", "messages"], "none");
    assert!(passed(&file) && codes(&file).is_empty(), "{file:#}");
}

fn a_case_may_have_a_model_and_a_daemon() {
    let suite = beside().join("suite.yaml");
    let program = beside().join("broken.py");
    let line = format!("{} agent && python3 {} none", env!("CARGO_BIN_EXE_rehearsal"), program.display());
    let file = rehearsed(&suite, &["both"], &["sh", "-c", &line]);
    assert!(passed(&file) && codes(&file).is_empty(), "{file:#}");
    assert_eq!(file["cases"][0]["steps"], serde_json::json!([1, 1]));
    // Each of the two may be what was forgotten.
    let file = with_bug(&suite, &["both"], "none");
    assert_eq!(codes(&file), ["never-asked"]);
    let file = rehearsed(&suite, &["both"], &[env!("CARGO_BIN_EXE_rehearsal"), "agent"]);
    assert_eq!(codes(&file), ["daemon-never-asked"]);
}
