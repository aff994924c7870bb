//! Workflows that are wrong themselves, and programs in them that do what no program should: none of it makes a case pass.

use crate::sandbox::{Sandbox, finish, verdicts};
use serde_json::Value;

fn flow(cases: &str) -> Sandbox {
    let head =
        "version: 1\nworkflow: w\npermissions: [workspace:read, workspace:write, process:exec]\ncases:\n";
    Sandbox::with(&[("flow.yaml", &format!("{head}{cases}"))])
}

fn ends(file: &Value) -> Vec<(&str, &str, Vec<&str>)> {
    verdicts(file)
}

#[test]
fn a_control_shows_something_only_where_it_fails_for_its_reason() {
    let (ended, file, _) = flow(
        r#"
  - {id: meant, control: negative, because: step-expectation, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: true}}]}
  - {id: code, control: cheat, because: E_NO_FILE, outcome: success, steps: [{use: file, with: {path: a, remove: true}, expect: {exists: true}}]}
  - {id: otherwise, control: negative, because: step-expectation, outcome: success, steps: [{use: file, with: {path: ../a}, expect: {exists: true}}]}
  - id: nowhere
    control: negative
    outcome: success
    steps:
      - {use: file, id: one, with: {path: a}}
      - {use: file, with: {path: "${one.text}"}, expect: {exists: false}}
  - id: unjudged
    control: cheat
    outcome: success
    steps:
      - {use: file, id: one, with: {path: a}}
      - {use: file, with: {path: b}, expect: {path: "${one.text}"}}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(
        ends(&file),
        [
            ("w/meant", "passed", vec!["step-expectation"]),
            ("w/code", "passed", vec!["step-refused"]),
            ("w/otherwise", "failed", vec!["control-otherwise", "step-refused"]),
            ("w/nowhere", "failed", vec!["control-otherwise", "step-refused"]),
            ("w/unjudged", "failed", vec!["control-otherwise", "step-expectation"]),
        ]
    );
}

#[test]
fn a_broken_reference_is_no_refusal_that_a_case_can_declare() {
    let case = |code: &str| {
        format!(
            "  - {{id: c, outcome: failure, refusal: {{step: two, code: {code}}}, steps: [{{use: file, id: one, with: {{path: a}}}}, \
             {{use: file, id: two, with: {{path: '${{one.text}}'}}}}]}}\n"
        )
    };
    let (_, file, _) = flow(&case("E_INPUT")).run_suite(&["flow.yaml"]);
    assert_eq!(ends(&file), [("w/c", "failed", vec!["refused-otherwise"])]);
    let ended = flow(&case("E_REFERENCE")).run(&["lint", "flow.yaml"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("never refuses with `E_REFERENCE`")
            || ended.out.contains("never refuses with `E_REFERENCE`")
    );
}

#[cfg(unix)]
#[test]
fn a_workspace_that_a_program_removes_or_replaces_breaks_the_case() {
    let (ended, file, _) = flow(
        r#"
  - {id: removed, outcome: permission_denied, refusal: {step: write, code: E_READONLY}, steps: [{use: exec, with: {command: [sh, -c, 'w=$PWD; cd /; rm -r "$w"']}}, {use: host_file_write, id: write, with: {path: a, content: x}}]}
  - {id: replaced, outcome: success, steps: [{use: exec, with: {command: [sh, -c, 'w=$PWD; cd ..; mv workspace aside; mkdir elsewhere; ln -s elsewhere workspace']}}, {use: exec, id: after, with: {command: [touch, escaped]}, expect: {status: 0}}]}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    let broken = |name| (name, "broken", vec!["step-failed"]);
    assert_eq!(ends(&file), [broken("w/removed"), broken("w/replaced")]);
}

#[test]
fn what_a_step_refuses_with_can_be_declared() {
    let (_, file, _) = flow(
        r#"
  - id: twice
    outcome: failure
    refusal: {step: derived, code: E_EXISTS}
    steps:
      - {use: open_session}
      - {use: save_artifact, id: raw, with: {filename: a, content: x}}
      - {use: save_artifact, id: derived, with: {filename: b, content: y, derived_from: ["${raw.version_id}", "${raw.version_id}"]}}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ends(&file), [("w/twice", "passed", vec![])]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_a_full_disk_does_not_take_is_no_good_end() {
    let sandbox = flow(
        "  - {id: c, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}\n",
    );
    for flags in [&["run", "flow.yaml"][..], &["run", "--json", "flow.yaml"], &["lint", "flow.yaml"]] {
        let mut command = sandbox.command(flags);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = command.stdout(full).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(3), "{flags:?}");
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.contains("standard output cannot be written: "), "{said}");
    }
    // A reader that has seen enough is no failure.
    let mut child = sandbox.command(&["run", "flow.yaml"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(finish(sandbox.command(&["run", "flow.yaml"]).spawn().unwrap()).code, Some(0));
}
