//! What is changed afterwards in the folder of a run with workflow cases is found.

use super::{flow, verified};
use crate::sandbox::Sandbox;
use serde_json::Value;
use std::path::Path;

const SUITE: &str = "version: 1\nclasses:\n  text: {script: [{text: Hello there.}], phrasings: [{id: text, prompt: Say hello.}]}\n";

const CASES: &str = "  - {id: file, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n  - {id: bad, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: y}}]}\n  - {id: agent, outcome: success, steps: [{use: agent, with: {phrasing: text}}]}\n  - {id: off, skip: why, outcome: success, steps: [{use: agent, with: {phrasing: text}}]}\n";

fn refused(sandbox: &Sandbox, folder: &Path, what: &str) {
    let ended = sandbox.run(&["verify", folder.to_str().unwrap()]);
    assert_eq!(ended.code, Some(1), "{what}: {}{}", ended.out, ended.err);
}

#[test]
fn a_byte_that_was_changed_in_a_journal_is_found() {
    let sandbox = Sandbox::with(&[("s/suite.yaml", SUITE), ("s/flow.yaml", &flow(CASES))]);
    let (ended, _, folder) = sandbox.run_suite(&["--data", ".rehearsal", "s"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    verified(&sandbox, &folder);
    let mut seen = 0;
    for entry in std::fs::read_dir(folder.join("journals")).unwrap() {
        let path = entry.unwrap().path();
        let whole = std::fs::read(&path).unwrap();
        for at in [whole.len() / 5, whole.len() / 2, whole.len().saturating_sub(10)] {
            if whole.is_empty() {
                continue;
            }
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            refused(&sandbox, &folder, &format!("byte {at} of {}", path.display()));
            seen += 1;
        }
        std::fs::write(&path, &whole).unwrap();
        std::fs::remove_file(&path).unwrap();
        refused(&sandbox, &folder, &format!("{} is gone", path.display()));
        std::fs::write(&path, &whole).unwrap();
    }
    assert!(seen > 12, "only {seen}");
    verified(&sandbox, &folder);
}

#[test]
fn what_was_changed_in_a_case_of_the_run_file_is_found() {
    let sandbox = Sandbox::with(&[("s/suite.yaml", SUITE), ("s/flow.yaml", &flow(CASES))]);
    let (_, _, folder) = sandbox.run_suite(&["--data", ".rehearsal", "s"]);
    let path = folder.join("run.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    type Change = fn(&mut Value);
    let changes: [(Change, &str); 9] = [
        (|case| case["verdict"] = "passed".into(), "verdict"),
        (|case| case["findings"] = Value::Array(Vec::new()), "findings"),
        (|case| case["workflow"]["declared"] = "provenance".into(), "declared"),
        (|case| case["workflow"]["control"] = "cheat".into(), "control"),
        (|case| case["workflow"]["steps"][0]["observed"]["text"] = "y".into(), "observed"),
        (|case| case["workflow"]["steps"][0]["proofs"] = serde_json::json!(["edge_verified"]), "proofs"),
        (|case| case["workflow"]["steps"] = Value::Array(Vec::new()), "steps"),
        (|case| case["workflow"]["kept"] = Value::Null, "kept"),
        (|case| drop(case.as_object_mut().unwrap().remove("workflow")), "workflow"),
    ];
    for (change, what) in changes {
        let mut run: Value = serde_json::from_str(&whole).unwrap();
        let cases = run["cases"].as_array_mut().unwrap();
        change(cases.iter_mut().find(|case| case["phrasing"] == "w/bad").unwrap());
        std::fs::write(&path, run.to_string()).unwrap();
        refused(&sandbox, &folder, what);
    }
    std::fs::write(&path, whole).unwrap();
    verified(&sandbox, &folder);
}
