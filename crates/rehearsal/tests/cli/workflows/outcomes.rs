//! What the declared outcomes rest on: nothing that a program says of itself.

use super::{end, flow, refused, said, sandbox, step};
use crate::sandbox::Sandbox;

/// Waits until it is interrupted, and says so before it waits.
#[cfg(unix)]
const PATIENT: &str = r#"
import signal, sys, time
def ends(*_):
    print('interrupted', flush=True)
    sys.exit(0)
signal.signal(signal.SIGINT, ends)
while True: time.sleep(0.05)
"#;

/// Takes no interrupt: nor did the shell that started it.
#[cfg(unix)]
const DEAF: &str = r#"
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: time.sleep(0.05)
"#;

#[cfg(unix)]
#[test]
fn cancelled_is_what_acknowledges_an_interrupt() {
    let cases = r#"
  - {id: taken, outcome: cancelled, steps: [{use: exec, with: {command: [python3, "FOLDER/patient.py"], interrupt: 2s}, expect: {interrupted.acknowledged: true}}]}
  - {id: deaf, outcome: cancelled, steps: [{use: exec, with: {command: [sh, -c, "trap '' INT; exec python3 FOLDER/deaf.py"], interrupt: 2s}}]}
  - {id: over, outcome: cancelled, steps: [{use: exec, with: {command: [echo, "interrupted: acknowledged"], interrupt: 30s}}]}
  - {id: says-so, control: cheat, outcome: cancelled, steps: [{use: exec, with: {command: [echo, "KeyboardInterrupt"], interrupt: 30s}, expect: {stdout: {contains: KeyboardInterrupt}}}]}
"#;
    let sandbox = Sandbox::with(&[("patient.py", PATIENT), ("deaf.py", DEAF)]);
    let folder = sandbox.path("").display().to_string();
    let cases = cases.replace("FOLDER/", &folder);
    sandbox.write("flow.yaml", flow(&cases).as_bytes());
    let (ended, file, _) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(end(&file, "w/taken"), ("passed", vec![]), "{}", said(&file, "w/taken"));
    assert_eq!(step(&file, "w/taken", "exec")["proofs"], serde_json::json!(["interrupt_acknowledged"]));
    assert_eq!(end(&file, "w/deaf"), ("failed", vec!["not-proven"]));
    let observed = &step(&file, "w/deaf", "exec")["observed"]["interrupted"];
    assert_eq!(observed["acknowledged"], false, "{observed}");
    assert_eq!(end(&file, "w/over"), ("failed", vec!["not-proven"]));
    assert!(said(&file, "w/over").contains("no step saw an interrupt acknowledged"));
    assert_eq!(end(&file, "w/says-so"), ("passed", vec![]));
}

#[test]
fn cancelled_needs_a_step_that_interrupts() {
    let said = refused(&sandbox(
        "  - {id: c, outcome: cancelled, steps: [{use: exec, with: {command: [sleep, '1']}}]}\n",
    ));
    assert!(
        said.contains("a step must interrupt something") && said.contains("`exec` with `interrupt`"),
        "{said}"
    );
}

const SAVED: &str =
    "{use: open_session}, {use: save_artifact, id: raw, with: {filename: raw.csv, content: \"a\\n\"}}";

#[test]
fn recovered_is_a_damage_and_what_is_well_after_it() {
    let damage = "{use: damage_artifact, with: {version_id: '${raw.version_id}'}}";
    let restore = "{use: restore_artifact, id: again, with: {version_id: '${raw.version_id}', filename: raw.csv, expected_head: '${raw.version_id}'}";
    let cases = format!(
        "  - {{id: whole, outcome: recovered, artifacts: [raw.csv], steps: [{SAVED}, {damage}, {restore}, expect: {{checksum: '${{raw.checksum}}'}}}}, {{use: read_artifact, with: {{version_id: '${{again.version_id}}'}}, expect: {{text: \"a\\n\"}}}}]}}\n  \
         - {{id: not-well, outcome: recovered, steps: [{SAVED}, {damage}, {{use: read_artifact, with: {{version_id: '${{raw.version_id}}'}}, expect: {{size: 2}}}}]}}\n  \
         - {{id: damaged-at-the-end, outcome: recovered, artifacts: [raw.csv], steps: [{SAVED}, {{use: save_artifact, id: other, with: {{filename: other, content: b}}}}, {damage}, {{use: read_artifact, with: {{version_id: '${{other.version_id}}'}}, expect: {{text: b}}}}]}}\n"
    );
    let (ended, file, _) = sandbox(&cases).run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(end(&file, "w/whole"), ("passed", vec![]), "{}", said(&file, "w/whole"));
    assert_eq!(step(&file, "w/whole", "damage_artifact")["proofs"], serde_json::json!(["fault_injected"]));
    assert_eq!(end(&file, "w/not-well"), ("failed", vec!["step-refused"]));
    assert!(said(&file, "w/not-well").contains("E_DIGEST"));
    assert_eq!(end(&file, "w/damaged-at-the-end"), ("failed", vec!["artifact-missing"]));
    assert!(said(&file, "w/damaged-at-the-end").contains("has other bytes than were stored"));

    for (steps, words) in [
        (
            format!("[{SAVED}, {damage}, {{use: file, with: {{path: raw.csv}}}}]"),
            "something must be expected after the break",
        ),
        (
            format!("[{SAVED}, {{use: file, with: {{path: raw.csv}}, expect: {{size: 2}}}}]"),
            "a step must break something",
        ),
    ] {
        let said = refused(&sandbox(&format!(
            "  - {{id: c, outcome: recovered, artifacts: [raw.csv], steps: {steps}}}\n"
        )));
        assert!(said.contains(words), "{steps}: {said}");
    }
}

#[test]
fn provenance_is_an_edge_that_was_verified_and_no_claim_of_one() {
    let derived = "{use: save_artifact, id: derived, with: {filename: d.csv, content: b, derived_from: ['${raw.version_id}']}}";
    let asked = "{use: assert_lineage, with: {input: '${raw.version_id}', output: '${derived.version_id}'";
    let cases = format!(
        "  - {{id: edge, outcome: provenance, steps: [{SAVED}, {derived}, {asked}}}}}]}}\n  \
         - {{id: only-saved, outcome: provenance, steps: [{SAVED}, {derived}, {{use: assert, with: {{edges: '${{derived.edges}}'}}, expect: {{edges: {{len: 1}}}}}}]}}\n  \
         - {{id: claimed, outcome: provenance, steps: [{SAVED}, {{use: exec, with: {{command: [echo, edge_verified seal_verified]}}, expect: {{stdout: {{contains: edge_verified}}}}}}]}}\n  \
         - {{id: no-edge, outcome: provenance, steps: [{SAVED}, {derived}, {{use: assert_lineage, with: {{input: '${{derived.version_id}}', output: '${{raw.version_id}}', absent: true}}}}]}}\n"
    );
    let (ended, file, _) = sandbox(&cases).run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(end(&file, "w/edge"), ("passed", vec![]), "{}", said(&file, "w/edge"));
    assert_eq!(step(&file, "w/edge", "assert_lineage")["proofs"], serde_json::json!(["edge_verified"]));
    for name in ["w/only-saved", "w/claimed", "w/no-edge"] {
        assert_eq!(end(&file, name), ("failed", vec!["not-proven"]), "{name}");
    }
    assert!(said(&file, "w/claimed").contains("no step verified a line of descent or a seal"));
}

#[test]
fn a_control_passes_only_where_it_does_not_end_as_declared() {
    let (ended, file, _) = sandbox(
        r#"
  - {id: negative, control: negative, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: y}}]}
  - {id: cheat, control: cheat, outcome: failure, refusal: {step: file, code: E_NO_FILE}, steps: [{use: file, with: {path: ../a}}]}
  - {id: passes, control: negative, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}
  - {id: works, control: cheat, outcome: success, steps: [{use: exec, with: {command: [echo, x]}, expect: {stdout: "x\n"}}]}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    for name in ["w/negative", "w/cheat"] {
        assert_eq!(end(&file, name), ("passed", vec![]), "{name}");
        assert!(!said(&file, name).is_empty(), "what was found stays as a note");
    }
    for name in ["w/passes", "w/works"] {
        assert_eq!(end(&file, name), ("failed", vec!["control-passed"]), "{name}");
    }
}
