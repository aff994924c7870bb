//! What a workflow lists is what its steps may do, and what it names as artifacts is there in the end.

use super::{end, refused, said, sandbox};
use crate::sandbox::Sandbox;

/// Each step with the one permission that it needs.
const STEPS: &[(&str, &str)] = &[
    ("workspace:write", "{use: host_file_write, id: it, with: {path: a, content: x}}"),
    ("workspace:write", "{use: file, id: it, with: {path: a, content: x}}"),
    ("workspace:write", "{use: file, id: it, with: {path: a, remove: true}}"),
    ("workspace:read", "{use: file, id: it, with: {path: a}}"),
    ("workspace:write", "{use: save_artifact, id: it, with: {filename: a, content: x}}"),
    ("workspace:read", "{use: save_artifact, id: it, with: {filename: a}}"),
    ("workspace:read", "{use: read_artifact, id: it, with: {version_id: v-000000000000}}"),
    (
        "workspace:read",
        "{use: assert_lineage, id: it, with: {input: v-000000000000, output: v-000000000001}}",
    ),
    ("workspace:write", "{use: damage_artifact, id: it, with: {version_id: v-000000000000}}"),
    (
        "workspace:write",
        "{use: restore_artifact, id: it, with: {version_id: v-000000000000, filename: a, expected_head: v-000000000000}}",
    ),
    ("process:exec", "{use: exec, id: it, with: {command: [\"true\"]}}"),
    ("process:exec", "{use: service, id: it, with: {command: [\"true\"]}}"),
    ("network:loopback", "{use: http, id: it, with: {url: \"http://127.0.0.1:1/\"}}"),
    ("agent:run", "{use: agent, id: it, with: {phrasing: text}}"),
];

const ALL: [&str; 5] = ["workspace:read", "workspace:write", "process:exec", "network:loopback", "agent:run"];

#[test]
fn each_step_without_its_permission_is_refused_and_does_nothing() {
    let mut text = "version: 1\nworkflow: w\ncases:\n".to_owned();
    for (at, (needs, step)) in STEPS.iter().enumerate() {
        let others: Vec<_> = ALL.iter().filter(|one| *one != needs).copied().collect();
        for (name, permissions) in [("others", others.join(", ")), ("none", String::new())] {
            text.push_str(&format!(
                "  - {{id: {name}-{at}, outcome: permission_denied, refusal: {{step: it, code: E_PERMISSION}}, permissions: [{permissions}], steps: [{step}]}}\n"
            ));
        }
        text.push_str(&format!(
            "  - {{id: only-{at}, control: negative, outcome: permission_denied, refusal: {{step: it, code: E_PERMISSION}}, permissions: [{needs}], steps: [{step}]}}\n"
        ));
    }
    let sandbox = Sandbox::with(&[("flow.yaml", &text), ("suite.yaml", crate::sandbox::SUITE)]);
    let (_, file, _) = sandbox.run_suite(&["flow.yaml", "suite.yaml", "--case", "w/*"]);
    for (at, (needs, step)) in STEPS.iter().enumerate() {
        for name in ["others", "none"] {
            let name = format!("w/{name}-{at}");
            assert_eq!(end(&file, &name), ("passed", vec![]), "{step}: {}", said(&file, &name));
        }
        let name = format!("w/only-{at}");
        assert_eq!(
            end(&file, &name),
            ("passed", vec![]),
            "{step} needs {needs} alone: {}",
            said(&file, &name)
        );
        assert!(!said(&file, &name).contains("E_PERMISSION: "), "{step}: {}", said(&file, &name));
    }
}

#[test]
fn the_permissions_of_the_reference_s_form_are_kept_and_enforced_nowhere() {
    let mut file = super::reference(
        &["host_file_write"],
        "success",
        &serde_json::json!({"host_file_write": {"path": "a"}}),
        &serde_json::json!({"path": "a"}),
    );
    file["permissions"] = serde_json::json!(["telemetry:consent"]);
    file["artifacts"] = serde_json::json!(["never-saved.csv"]);
    let sandbox = Sandbox::with(&[("flow.json", &file.to_string())]);
    let (ended, ..) = sandbox.run_suite(&["flow.json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[test]
fn a_permission_that_is_none_is_a_mistake() {
    let sandbox = Sandbox::with(&[(
        "flow.yaml",
        "version: 1\nworkflow: w\npermissions: [workspace:wriet]\ncases:\n  - {id: c, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}\n",
    )]);
    let said = refused(&sandbox);
    assert!(said.contains("wriet") && said.contains("flow.yaml:3:"), "{said}");
}

#[test]
fn artifacts_that_are_named_are_there_and_whole_at_the_end() {
    let (ended, file, _) = sandbox(
        r#"
  - {id: there, outcome: success, artifacts: [a], steps: [{use: open_session}, {use: save_artifact, with: {filename: a, content: x}}]}
  - {id: missing, outcome: success, artifacts: [a, b], steps: [{use: open_session}, {use: save_artifact, with: {filename: a, content: x}}]}
  - {id: only-a-file, outcome: success, artifacts: [a], steps: [{use: open_session}, {use: file, with: {path: a, content: x}}]}
  - {id: no-session, outcome: success, artifacts: [a], steps: [{use: file, with: {path: a, content: x}}]}
  - {id: damaged, outcome: success, artifacts: [a], steps: [{use: open_session}, {use: save_artifact, id: a, with: {filename: a, content: x}}, {use: damage_artifact, with: {version_id: "${a.version_id}"}}]}
  - {id: refuses, outcome: failure, refusal: {step: last, code: E_UNKNOWN}, steps: [{use: open_session}, {use: read_artifact, id: last, with: {version_id: v-000000000000}}]}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    for name in ["w/there", "w/refuses"] {
        assert_eq!(end(&file, name), ("passed", vec![]), "{name}: {}", said(&file, name));
    }
    for name in ["w/missing", "w/only-a-file", "w/no-session", "w/damaged"] {
        assert_eq!(end(&file, name), ("failed", vec!["artifact-missing"]), "{name}");
    }
    assert!(said(&file, "w/missing").contains("the artifact \"b\" is not in the store"));
    assert!(said(&file, "w/damaged").contains("has other bytes than were stored"));
}
