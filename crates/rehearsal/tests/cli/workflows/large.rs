//! What is very large: the case has it whole, the journal and the run file have its beginning, and stay small.

use super::{end, flow, said, servers::with_server, step, verified};
use crate::sandbox::Sandbox;
use serde_json::json;
use std::path::Path;

/// Most bytes that a run file or a journal of a few steps may have.
const SMALL: u64 = 3 << 20;

fn small(folder: &Path) {
    for path in
        crate::sandbox::files_below(&folder.join("journals")).into_iter().chain([folder.join("run.json")])
    {
        let length = path.metadata().unwrap().len();
        assert!(length < SMALL, "{} has {length} bytes", path.display());
    }
}

#[test]
fn ten_mib_of_content_are_written_whole_and_kept_by_their_digest() {
    let content = "0123456789abcdef".repeat(10 << 16);
    // JSON, as it is read quicker.
    let text = json!({
        "version": 1, "workflow": "w", "permissions": ["workspace:read", "workspace:write"],
        "cases": [{"id": "c", "outcome": "success", "artifacts": ["big"], "steps": [
            {"use": "open_session"},
            {"use": "save_artifact", "id": "big", "with": {"filename": "big", "content": content},
             "expect": {"size": 10_485_760, "checksum": {"sha256_of": "big"}}},
            {"use": "read_artifact", "with": {"version_id": "${big.version_id}"},
             "expect": {"size": 10_485_760, "text": {"absent": true}}},
            {"use": "file", "with": {"path": "big"},
             "expect": {"size": 10_485_760, "sha256": "${big.checksum}", "text": {"absent": true}}},
        ]}],
    });
    let text = text.to_string();
    let sandbox = Sandbox::with(&[("flow.json", &text)]);
    let (ended, file, folder) = sandbox.run_suite(&["flow.json"]);
    assert_eq!(end(&file, "w/c"), ("passed", vec![]), "{}{}", said(&file, "w/c"), ended.err);
    verified(&sandbox, &folder);
    small(&folder);
}

#[test]
fn a_flood_of_output_is_counted_and_its_beginning_kept() {
    let text = flow(
        r#"
  - id: flood
    outcome: success
    steps:
      - use: exec
        with: {command: [python3, -c, "import sys\nfor _ in range(64): sys.stdout.write('x' * (1 << 20)); sys.stderr.write('\\x00\\x1b' * (1 << 19))"]}
        expect: {stdout_bytes: 67108864, stderr_bytes: 67108864, stdout: {len: 65536}, stdout_sha256: {len: 64}}
  - id: one-letter-more
    outcome: success
    steps:
      - {use: exec, with: {command: [python3, -c, "print('x' * 65537, end='')"]}, expect: {stdout: {len: 65536}, stdout_bytes: 65537}}
  - id: escapes
    outcome: success
    steps:
      - {use: exec, with: {command: [python3, -c, "import sys; sys.stdout.buffer.write(bytes(1 << 20) + b'\\xff' * (1 << 20))"]}, expect: {stdout_bytes: 2097152}}
"#,
    );
    let sandbox = Sandbox::with(&[("flow.yaml", &text)]);
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml"]);
    for name in ["w/flood", "w/one-letter-more", "w/escapes"] {
        assert_eq!(end(&file, name), ("passed", vec![]), "{}{}", said(&file, name), ended.err);
    }
    verified(&sandbox, &folder);
    small(&folder);
}

#[test]
fn an_answer_of_twenty_mib_is_refused_and_nothing_of_it_kept() {
    let sandbox = with_server(
        r#"
  - {id: c, outcome: permission_denied, refusal: {step: http, code: E_QUOTA}, steps: [{use: service, id: web, with: {command: SERVER}}, {use: http, with: {url: "${web.url}/large"}}]}
"#,
    );
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!(end(&file, "w/c"), ("passed", vec![]), "{}{}", said(&file, "w/c"), ended.err);
    assert_eq!(step(&file, "w/c", "http")["observed"], json!({}));
    verified(&sandbox, &folder);
    small(&folder);
}

#[test]
fn inputs_that_are_long_only_when_they_are_escaped_are_no_reason_to_refuse() {
    let text = "\\x01".repeat(64 << 10);
    let text = flow(&format!(
        "  - id: c\n    outcome: success\n    steps:\n      - {{use: open_session}}\n      - {{use: exec, with: {{command: [sh, -c, 'printf $A | wc -c'], env: {{A: \"{text}\", B: \"{text}\", C: \"{text}\"}}}}, expect: {{stdout: {{matches: ' *65536\\s'}}}}}}\n"
    ));
    let sandbox = Sandbox::with(&[("flow.yaml", &text)]);
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!(end(&file, "w/c"), ("passed", vec![]), "{}{}", said(&file, "w/c"), ended.err);
    verified(&sandbox, &folder);
    small(&folder);
}

#[test]
fn an_answer_of_ten_mib_is_hashed_whole() {
    let sandbox = with_server(
        r#"
  - {id: c, outcome: success, steps: [{use: service, id: web, with: {command: SERVER}}, {use: http, with: {url: "${web.url}/list"}, expect: {bytes: 10485763, json: {len: 5242881}, body: {len: 65536}, sha256: {len: 64}}}]}
"#,
    );
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!(end(&file, "w/c"), ("passed", vec![]), "{}{}", said(&file, "w/c"), ended.err);
    verified(&sandbox, &folder);
    small(&folder);
}
