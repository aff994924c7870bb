//! Every known agent that is installed passes the shell suite when it is run by its name.
//!
//! They are looked for in the folder that REHEARSAL_TEST_AGENTS names, else in `target/agents` (`node_modules` and `.venv` in
//! it), in `target/python`, and on PATH.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::venv;
use rehearsal_workflow::agent::{AGENTS, KnownAgent};
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cases without tools.
const WORDS_ALONE: [&str; 4] = ["--case", "text", "--case", "rate-limit"];

fn main() {
    let trials = AGENTS.iter().map(|row| {
        let name = format!("{}_passes_the_shell_suite_by_its_name", row.name.replace('-', "_"));
        Trial::ignorable_test(name, || Ok(rehearse(row)))
    });
    let mut arguments = Arguments::from_args();
    // Each run starts several agents at once already.
    arguments.test_threads.get_or_insert(1);
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// PATH and NODE_PATH with the agents of the tests first.
fn paths() -> [(&'static str, OsString); 2] {
    let agents =
        env::var_os("REHEARSAL_TEST_AGENTS").map_or_else(|| root().join("target/agents"), PathBuf::from);
    let first = |folders: &[PathBuf], name: &str| {
        let inherited = env::var_os(name).unwrap_or_default();
        let inherited: Vec<_> =
            env::split_paths(&inherited).filter(|path| !path.as_os_str().is_empty()).collect();
        env::join_paths(folders.iter().chain(&inherited)).unwrap()
    };
    let programs = [agents.join("node_modules/.bin"), agents.join(".venv/bin"), venv::programs()];
    [("PATH", first(&programs, "PATH")), ("NODE_PATH", first(&[agents.join("node_modules")], "NODE_PATH"))]
}

fn rehearse(row: &KnownAgent) -> Completion {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("known_agents");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command
        .arg("run")
        .arg(root().join("examples/shell"))
        .args(["--json", "--jobs", "2", "--agent", row.name]);
    if row.shell.is_none() {
        command.args(WORDS_ALONE);
    }
    let ran = command.arg("--data").arg(data).envs(paths()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    // Nothing ran: either it is not installed, or it speaks what is not served.
    let lacks = ["; to install it: ", "which is not served yet"];
    if ran.stdout.is_empty() && lacks.iter().any(|words| said.contains(words)) {
        let why = said.trim_end().trim_start_matches("rehearsal: ");
        return Completion::ignored_with(format!("because {why}"));
    }
    let file: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(ran.status.code(), Some(0), "{said}\n{file:#}");
    assert!(!file["cases"].as_array().unwrap().is_empty());
    Completion::Completed
}
