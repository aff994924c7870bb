//! Every known agent that is installed passes the quickstart when it is run by its name, shut into a network of its own where the
//! kernel allows it.
//!
//! They are looked for beside the Node.js and Python packages of the tests (`target/node`, `target/python`), and on PATH.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::print_stderr, reason = "a test that is less than it could be says so")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::outside::ASYNC_OPENAI;
use rehearsal_testkit::{node, venv};
use rehearsal_workflow::agent::{AGENTS, KnownAgent};
use serde_json::Value;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cases without tools.
const WORDS_ALONE: [&str; 6] = ["--case", "text", "--case", "chat-only", "--case", "rate-limit"];

fn main() {
    let trials = AGENTS.iter().map(|row| {
        let name = format!("{}_passes_the_quickstart_by_its_name", row.name.replace('-', "_"));
        Trial::ignorable_test(name, || Ok(by_name(row)))
    });
    let strictest = Trial::ignorable_test("an_agent_on_async_openai_passes_the_quickstart", || {
        let Some(program) = ASYNC_OPENAI.path() else {
            return Ok(Completion::ignored_with(ASYNC_OPENAI.missing));
        };
        Ok(rehearse(&[OsStr::new("--"), program.as_os_str(), OsStr::new("agent")]))
    });
    let mut arguments = Arguments::from_args();
    // Each run starts several agents at once already.
    arguments.test_threads.get_or_insert(1);
    libtest_mimic::run(&arguments, trials.chain([strictest]).collect()).exit();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// PATH and NODE_PATH with the packages of the tests first.
fn paths() -> [(&'static str, OsString); 2] {
    let first = |folders: &[PathBuf], name: &str| {
        let inherited = env::var_os(name).unwrap_or_default();
        let inherited: Vec<_> =
            env::split_paths(&inherited).filter(|path| !path.as_os_str().is_empty()).collect();
        env::join_paths(folders.iter().chain(&inherited)).unwrap()
    };
    let programs = [node::modules().join(".bin"), venv::programs()];
    [("PATH", first(&programs, "PATH")), ("NODE_PATH", first(&[node::modules()], "NODE_PATH"))]
}

fn by_name(row: &KnownAgent) -> Completion {
    let cases = if row.shell.is_none() { &WORDS_ALONE[..] } else { &[] };
    let mut words = vec![OsStr::new("--agent"), OsStr::new(row.name)];
    words.extend(cases.iter().map(OsStr::new));
    rehearse(&words)
}

/// Runs the quickstart with an agent that may be missing.
fn rehearse(agent: &[&OsStr]) -> Completion {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("known_agents");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command
        .arg("run")
        .arg(root().join("examples/quickstart"))
        .args(["--json", "--jobs", "2", "--netns=auto", "--data"])
        .arg(data)
        .args(agent);
    let ran = command.envs(paths()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    // Nothing ran: either it is not installed, or it speaks what is not served.
    let lacks = ["; to install it: ", "which is not served yet"];
    if ran.stdout.is_empty() && lacks.iter().any(|words| said.contains(words)) {
        let why = said.trim_end().trim_start_matches("rehearsal: ");
        return Completion::ignored_with(format!("because {why}"));
    }
    for line in said.lines().filter(|line| line.contains("agents see the network of this machine")) {
        eprintln!("{line}");
    }
    let file: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(ran.status.code(), Some(0), "{said}\n{file:#}");
    assert!(!file["cases"].as_array().unwrap().is_empty());
    Completion::Completed
}
