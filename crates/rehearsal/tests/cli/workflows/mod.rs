//! Workflows, end to end: the program on files of both forms, and what it says, keeps and gives back as its exit code.

mod agent;
mod ends;
mod killed;
mod large;
mod outcomes;
mod permissions;
mod rounds;
mod secrets;
mod servers;
mod suites;
mod tampered;
mod weak;
mod world;

use crate::sandbox::{Ended, Sandbox};
use serde_json::Value;

/// A workflow `w` of our form that may do everything; its cases follow.
const HEAD: &str = "version: 1\nworkflow: w\npermissions: [workspace:read, workspace:write, process:exec, network:loopback, agent:run]\ncases:\n";

/// A workflow of our form with these cases.
fn flow(cases: &str) -> String {
    format!("{HEAD}{cases}")
}

/// A sandbox with one workflow in it, `flow.yaml`.
fn sandbox(cases: &str) -> Sandbox {
    Sandbox::with(&[("flow.yaml", &flow(cases))])
}

/// A workflow of the reference's form, `r`, with one case `r/c`.
fn reference(steps: &[&str], outcome: &str, inputs: &Value, expect: &Value) -> Value {
    serde_json::json!({
        "id": "r", "version": "1.0.0", "title": "R", "summary": "S", "steps": steps, "failure_conditions": ["f"],
        "cases": [{"id": "r/c", "title": "C", "outcome": outcome, "inputs": inputs, "expect": expect}],
    })
}

/// The case of a run file.
fn case<'f>(file: &'f Value, name: &str) -> &'f Value {
    let cases = file["cases"].as_array().unwrap();
    cases.iter().find(|case| case["phrasing"] == name).unwrap_or_else(|| panic!("no {name} in {file:#}"))
}

/// Its verdict with the codes of its errors.
fn end<'f>(file: &'f Value, name: &str) -> (&'f str, Vec<&'f str>) {
    let case = case(file, name);
    let findings = case["findings"].as_array().unwrap().iter();
    let errors = findings.filter(|finding| finding["severity"] == "error");
    let codes = errors.map(|finding| finding["code"].as_str().unwrap()).collect();
    (case["verdict"].as_str().unwrap(), codes)
}

/// What all its findings say.
fn said(file: &Value, name: &str) -> String {
    let findings = case(file, name)["findings"].as_array().unwrap().iter();
    findings.map(|finding| format!("{}\n", finding["message"].as_str().unwrap())).collect()
}

/// A step of a case, by its id.
fn step<'f>(file: &'f Value, name: &str, id: &str) -> &'f Value {
    let steps = case(file, name)["workflow"]["steps"].as_array().unwrap();
    steps.iter().find(|step| step["step"] == id).unwrap_or_else(|| panic!("no {id} in {steps:#?}"))
}

/// Runs `flow.yaml` and sees that it is refused before anything runs; gives what is said of it.
fn refused(sandbox: &Sandbox) -> String {
    let ended = sandbox.run(&["run", "flow.yaml"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(!sandbox.path(".rehearsal").exists(), "nothing ran");
    ended.err
}

/// Sees that the chain of journals in a folder of runs is whole.
fn verified(sandbox: &Sandbox, folder: &std::path::Path) -> Ended {
    let ended = sandbox.run(&["verify", folder.to_str().unwrap()]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended
}
