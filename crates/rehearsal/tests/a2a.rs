//! The official libraries of A2A, as clients, must get through a whole session with the daemon, over both bindings and without a warning.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::program::Heard;
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::{Program, node, scratch, venv};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a person finds the version of the Python library.
const REQUIREMENTS: &str = "crates/rehearsal/tests/a2a/requirements.txt";
/// The library for Node.js and the version that CI installs.
const PACKAGE: (&str, &str) = ("@a2a-js/sdk", "1.3.0");
const BINDINGS: [&str; 2] = ["JSONRPC", "HTTP+JSON"];

fn main() {
    let python = Trial::ignorable_test("a2a_sdk_for_python_completes_a_session", || {
        let Some(python) = venv::python_with("a2a.client") else {
            return Ok(Completion::ignored_with(venv::missing("the module a2a is", REQUIREMENTS)));
        };
        let mut client = Command::new(python);
        client.args(["-W", "error"]).arg(source("client.py"));
        let parts = [
            "card",
            "send",
            "poll",
            "stream",
            "question",
            "steer",
            "cancel",
            "unwilling",
            "credentials",
            "listing",
            "refusals",
        ];
        completes("python", client, &parts);
        Ok(Completion::Completed)
    });
    let node = Trial::ignorable_test("a2a_js_sdk_for_node_completes_a_session", || {
        let (package, version) = PACKAGE;
        let Some(mut client) = node::with(package) else {
            return Ok(Completion::ignored_with(node::missing(package, version)));
        };
        client.args(["--trace-warnings", "--throw-deprecation"]).arg(source("client.cjs"));
        let parts = ["send", "stream", "question", "poll", "cancel", "unwilling", "listing"];
        completes("node", client, &parts);
        Ok(Completion::Completed)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![python, node]).exit();
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/a2a").join(name)
}

/// Runs a client against a daemon of its own. It prints each binding with each part that went well.
fn completes(name: &str, mut client: Command, parts: &[&str]) {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("a2a/{name}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.current_dir(&folder).args(["daemon", "--config-dir", "cfg", "--data", "data", "--script"]);
    let daemon = Program::start(command.arg(source("runs.yaml")));
    let banner = daemon.hear(PATIENCE);
    assert!(matches!(banner, Heard::Line(_)), "it does not serve: {banner:?}");
    let read = |name: &str| std::fs::read_to_string(folder.join("cfg/daemon").join(name)).unwrap();
    let descriptor: serde_json::Value = serde_json::from_str(&read("control-api.json")).unwrap();
    client.arg(format!("http://127.0.0.1:{}", descriptor["port"])).arg(read("token"));
    let ended = client.output().unwrap();
    let told = [ended.stdout, ended.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(ended.status.success(), "{told}");
    let wanted: Vec<String> = BINDINGS
        .iter()
        .flat_map(|binding| parts.iter().map(move |part| format!("{binding} {part}")))
        .collect();
    assert_eq!(told.lines().collect::<Vec<_>>(), wanted);
    drop(daemon);
    let verified =
        Command::new(env!("CARGO_BIN_EXE_rehearsal")).arg("verify").arg(folder.join("data")).output();
    let verified = verified.unwrap();
    assert!(verified.status.success(), "{}", rehearsal_testkit::said(&verified));
}
