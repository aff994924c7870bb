//! The official library of the Agent Client Protocol talks with `rehearsal daemon --acp` as with any agent.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::outside::ACP_SCHEMA;
use rehearsal_testkit::{said, scratch, venv};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const REQUIREMENTS: &str = "crates/rehearsal/tests/acp_sdk/requirements.txt";
/// What the client prints once a part went well.
const PARTS: [&str; 6] = ["begin", "texts", "permission", "question", "cancel", "load"];

fn main() {
    let trial = Trial::ignorable_test("the_official_library_completes_a_scripted_session", || {
        let Some(python) = venv::python_with("acp") else {
            return Ok(Completion::ignored_with(venv::missing("the library of ACP is", REQUIREMENTS)));
        };
        session(&python);
        Ok(Completion::Completed)
    });
    let schema = Trial::ignorable_test("what_the_agent_says_is_held_against_the_official_schema", || {
        let Some(program) = ACP_SCHEMA.path() else {
            return Ok(Completion::ignored_with(ACP_SCHEMA.missing));
        };
        schema(&program);
        Ok(Completion::Completed)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial, schema]).exit();
}

/// The tests of `acp` hold each message by this program; here it is seen to tell good ones from bad ones.
fn schema(program: &Path) {
    let update = |kind: &str, content: &str| {
        format!(
            r#"{{"what":"agent_notification","method":"session/update","body":{{"sessionId":"s","update":{{"sessionUpdate":"{kind}","content":{content}}}}}}}"#
        )
    };
    let text = r#"{"type":"text","text":"x"}"#;
    for (line, good) in [
        (update("agent_message_chunk", text), true),
        (update("agent_message_chunk", r#"{"type":"text"}"#), false),
        (update("agent_message_chunk", r#"{"type":"text","text":"x","tone":"low"}"#), false),
        (update("no_such_kind", text), false),
    ] {
        let child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap();
        child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        assert_eq!(child.wait().unwrap().success(), good, "{line}");
    }
}

fn session(python: &Path) {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "acp_sdk");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp_sdk");
    let talked = Command::new(python)
        .arg(source.join("session.py"))
        .arg(env!("CARGO_BIN_EXE_rehearsal"))
        .args(["daemon", "--acp", "--data", "data", "--script"])
        .arg(source.join("runs.yaml"))
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(talked.status.success(), "{}", said(&talked));
    let parts = String::from_utf8(talked.stdout).unwrap();
    assert!(parts.lines().eq(PARTS), "{parts}");
    let program = env!("CARGO_BIN_EXE_rehearsal");
    let verified = Command::new(program).arg("verify").arg(folder.join("data")).output().unwrap();
    assert!(verified.status.success(), "{}", said(&verified));
}
