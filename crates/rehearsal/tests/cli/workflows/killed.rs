//! `kill -9` of a run in the middle of workflow cases: what is left of it, and that the next run is none the worse.
#![cfg(target_os = "linux")]

use super::{end, flow};
use crate::agents::is_gone;
use crate::sandbox::{PATIENCE, Sandbox, finish};
use rehearsal_lab::store::{Moments, Store};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A case with a session, a server and a program that all stand while the run is killed.
const CASES: &str = r#"
  - id: stands
    outcome: success
    steps:
      - {use: open_session}
      - {use: save_artifact, with: {filename: a, content: x}}
      - {use: service, id: web, with: {command: [python3, -m, http.server, "{port}", --bind, 127.0.0.1]}}
      - {use: exec, with: {command: [sh, -c, "echo $$ > part; mv part pid; exec sleep 1000"]}}
"#;

/// The file that a program writes when it runs.
fn written(runs: &Path) -> Option<PathBuf> {
    let runs = std::fs::read_dir(runs).ok()?;
    let case = runs.flatten().map(|run| run.path().join("cases/w%2Fstands"));
    case.map(|case| case.join("workspace/pid")).find(|path| path.is_file())
}

#[test]
fn a_run_that_was_killed_leaves_a_whole_store_and_the_next_one_works() {
    let sandbox = Sandbox::with(&[("flow.yaml", &flow(CASES))]);
    let mut child = sandbox.command(&["run", "flow.yaml"]).spawn().unwrap();
    let runs = sandbox.path(".rehearsal/runs");
    let pid = until_written(&sandbox);
    child.kill().unwrap();
    child.wait().unwrap();
    // Nobody is left to end the program: it is its own master now, and ends when it likes or is killed by hand.
    let program = std::fs::read_to_string(&pid).unwrap().trim().to_owned();
    let case = pid.parent().and_then(Path::parent).unwrap().to_owned();
    for left in running_in(&case.join("workspace")) {
        std::process::Command::new("kill").args(["-9", &left]).output().unwrap();
        assert!(is_gone(&left), "{left}");
    }
    assert!(is_gone(&program), "{program}");

    let mut store = Store::open(&case.join("store"), Moments::new(1, "w/stands")).unwrap();
    let artifacts = store.artifacts();
    assert!(artifacts.is_err() || artifacts.is_ok_and(|all| all.iter().all(|artifact| artifact.intact)));
    drop(store.open_session("benchmark").unwrap());
    drop(store);

    let run = runs.join(case.parent().and_then(Path::parent).unwrap().file_name().unwrap());
    let looked = sandbox.run(&["report", run.to_str().unwrap()]);
    assert_eq!(looked.code, Some(2), "a run without its file is no run: {looked:?}");
    let text = flow(&CASES.replace("exec sleep 1000", "true"));
    sandbox.write("flow.yaml", text.as_bytes());
    let (ended, file, _) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!((ended.code, end(&file, "w/stands")), (Some(0), ("passed", vec![])), "{}", ended.err);
}

/// The processes whose working folder this is.
fn running_in(folder: &Path) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let at = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder)
    };
    all.filter(at).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_run_that_is_asked_to_end_ends_all_that_its_cases_started_and_keeps_what_was_seen() {
    for signal in ["-INT", "-TERM"] {
        let sandbox = Sandbox::with(&[("flow.yaml", &flow(CASES))]);
        let child = sandbox.command(&["run", "flow.yaml"]).spawn().unwrap();
        let pid = until_written(&sandbox);
        let program = std::fs::read_to_string(&pid).unwrap().trim().to_owned();
        let sent =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).output().unwrap();
        assert!(sent.status.success(), "{sent:?}");
        let ended = finish(child);
        assert_eq!(ended.code, Some(3), "{signal}: {ended:?}");
        assert!(is_gone(&program), "{signal}: {program} lives on");
        nothing_runs_in(pid.parent().unwrap());
        let runs = sandbox.path(".rehearsal/runs");
        let run = std::fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
        super::verified(&sandbox, &run);
        let journal = std::fs::read_to_string(run.join("journals/w%2Fstands.jsonl")).unwrap();
        assert!(journal.contains("\"step\":\"save_artifact\""), "{journal}");
    }
}

#[test]
fn the_first_failure_ends_what_other_cases_have_running() {
    let fails = "  - {id: fails, outcome: success, steps: [{use: exec, with: {command: [sh, -c, \"until [ -f ../../w%2Fstands/workspace/pid ]; do sleep 0.01; done; exit 1\"]}}]}\n";
    let sandbox = Sandbox::with(&[("flow.yaml", &flow(&[CASES.trim_start_matches('\n'), fails].concat()))]);
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml", "--fail-fast", "--jobs", "2"]);
    assert_eq!((ended.code, end(&file, "w/fails").0), (Some(1), "failed"), "{}", ended.err);
    assert_eq!(file["cases"].as_array().unwrap().len(), 1, "what was ended has no verdict");
    nothing_runs_in(&folder.join("cases/w%2Fstands/workspace"));
    super::verified(&sandbox, &folder);
}

/// Waits until the program of the case runs, and gives the file that it wrote.
fn until_written(sandbox: &Sandbox) -> PathBuf {
    let begun = Instant::now();
    loop {
        if let Some(path) = written(&sandbox.path(".rehearsal/runs")) {
            return path;
        }
        assert!(begun.elapsed() < PATIENCE, "the program never ran");
        std::thread::yield_now();
    }
}

fn nothing_runs_in(folder: &Path) {
    for left in running_in(folder) {
        assert!(is_gone(&left), "{left} lives on in {}", folder.display());
    }
}
