//! The official library of the Agent Client Protocol talks with `rehearsal daemon --acp` as with any agent.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::{said, scratch, venv};
use std::path::Path;
use std::process::Command;

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
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
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
