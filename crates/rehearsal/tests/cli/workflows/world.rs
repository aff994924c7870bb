//! The world fails: a disk that is full, a program that is not there. That is never what a case declared.
#![cfg(unix)]

use super::{HEAD, end, reference, said, sandbox};
use crate::sandbox::{Ended, Sandbox, finish};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Runs the program by a shell that has done something first.
fn by_shell(sandbox: &Sandbox, first: &str, suite: &str) -> (Ended, Value) {
    let mut shell = Command::new("sh");
    let line = format!("{first}; exec \"$0\" run {suite} --json --data data");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_rehearsal")]).current_dir(sandbox.path("."));
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ended = finish(shell.spawn().unwrap());
    let file = serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (ended, file)
}

/// Files may not grow beyond one MiB or two, and whoever tries is told so rather than killed.
const SMALL_FILES: &str = "trap '' XFSZ; ulimit -f 2048";

/// A workflow of our form, as JSON, which is read quicker where it is long.
fn own(cases: &[Value]) -> String {
    json!({"version": 1, "workflow": "w", "permissions": ["workspace:read", "workspace:write"], "cases": cases}).to_string()
}

/// Four MiB.
fn large() -> String {
    "x".repeat(4 << 20)
}

#[test]
fn a_full_disk_is_broken_whatever_the_case_declares() {
    let large = large();
    let step = json!({"use": "host_file_write", "id": "write", "with": {"path": "big", "content": large}});
    let refusing = |id: &str, outcome: &str, code: &str| json!({"id": id, "outcome": outcome, "refusal": {"step": "write", "code": code}, "steps": [step]});
    let mut control = refusing("control", "failure", "E_NO_FILE");
    control["control"] = "negative".into();
    let small = json!({"use": "file", "with": {"path": "a", "content": "x"}, "expect": {"text": "x"}});
    let text = own(&[
        refusing("failure", "failure", "E_NO_FILE"),
        refusing("denied", "permission_denied", "E_QUOTA"),
        control,
        json!({"id": "small", "outcome": "success", "steps": [small]}),
    ]);
    let inputs = json!({"save_artifact": {"filename": "a", "content": "x"}, "host_file_write": {"path": "big", "content": large}});
    let expect = json!({"checksum__len": 64});
    let loose =
        |outcome| reference(&["open_session", "save_artifact", "host_file_write"], outcome, &inputs, &expect);
    let named = json!({"error_type": "OSError"});
    let denied = reference(
        &["host_file_write"],
        "permission_denied",
        &json!({"host_file_write": {"path": "big", "content": large}}),
        &named,
    );
    let sandbox = Sandbox::with(&[
        ("flow.json", &text),
        ("failure.json", &loose("failure").to_string()),
        ("denied.json", &denied.to_string()),
    ]);
    let (ended, file) = by_shell(&sandbox, SMALL_FILES, "flow.json");
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    for name in ["w/failure", "w/denied", "w/control"] {
        assert_eq!(end(&file, name), ("broken", vec!["step-failed"]), "{name}: {}", said(&file, name));
    }
    assert_eq!(end(&file, "w/small"), ("passed", vec![]));
    for suite in ["failure.json", "denied.json"] {
        let (ended, file) = by_shell(&sandbox, SMALL_FILES, suite);
        assert_eq!((ended.code, end(&file, "r/c")), (Some(3), ("broken", vec!["step-failed"])), "{suite}");
    }
}

/// A disk of a few MiB, which only this shell and what it starts see.
const SMALL_DISK: &str = "mkdir -p data; mount -t tmpfs -o size=3m none data || exit 77";

#[cfg(target_os = "linux")]
#[test]
fn a_disk_without_room_breaks_the_case_and_the_run_is_told_whole() {
    let step = json!({"use": "host_file_write", "id": "write", "with": {"path": "big", "content": large()}});
    let refusal = json!({"step": "write", "code": "E_NO_FILE"});
    let text = own(&[json!({"id": "full", "outcome": "failure", "refusal": refusal, "steps": [step]})]);
    let sandbox = Sandbox::with(&[("flow.json", &text)]);
    let line = format!("{SMALL_DISK}; exec \"$0\" run flow.json --json --data data");
    let mut shell = Command::new("unshare");
    shell.args(["-Urm", "sh", "-c", &line, env!("CARGO_BIN_EXE_rehearsal")]).current_dir(sandbox.path("."));
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(child) = shell.spawn() else { return };
    let ended = finish(child);
    if ended.out.is_empty() && ended.code != Some(3) {
        eprintln!("not tested: this user may mount nothing: {}", ended.err);
        return;
    }
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let file: Value = serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    assert_eq!(end(&file, "w/full"), ("broken", vec!["step-failed"]));
}

#[test]
fn a_program_that_is_not_there_breaks_the_case_and_no_refusal_is_met_by_it() {
    let (ended, file, _) = sandbox(
        r#"
  - {id: missing, outcome: success, steps: [{use: exec, with: {command: [no-such-program-of-ours]}}]}
  - {id: declared, outcome: failure, refusal: {step: exec, code: E_EXIT}, steps: [{use: exec, with: {command: [no-such-program-of-ours]}}]}
  - {id: service, outcome: failure, refusal: {step: service, code: E_EXIT}, steps: [{use: service, with: {command: [./not-there]}}]}
  - {id: cheat, control: cheat, outcome: success, steps: [{use: exec, with: {command: [no-such-program-of-ours]}}]}
  - {id: fine, outcome: success, steps: [{use: exec, with: {command: ["true"]}}]}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    for name in ["w/missing", "w/declared", "w/service", "w/cheat"] {
        assert_eq!(end(&file, name), ("broken", vec!["step-failed"]), "{name}");
    }
    assert!(said(&file, "w/missing").contains("no-such-program-of-ours"), "{file:#}");
    assert_eq!(end(&file, "w/fine"), ("passed", vec![]));
}

#[test]
fn a_failure_goes_before_what_is_broken() {
    let cases = "  - {id: a, outcome: success, steps: [{use: exec, with: {command: [no-such-program-of-ours]}}]}\n  - {id: b, outcome: success, steps: [{use: exec, with: {command: ['false']}}]}\n";
    let sandbox = Sandbox::with(&[("flow.yaml", &format!("{HEAD}{cases}"))]);
    let (ended, file, _) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!((ended.code, end(&file, "w/a").0, end(&file, "w/b").0), (Some(1), "broken", "failed"));
}
