//! Workflows beside scenarios: one folder, one command, and commands that have to do with one of both.

use super::{flow, verified};
use crate::sandbox::{SUITE, Sandbox};
use serde_json::Value;

const CASES: &str = "  - {id: one, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n  - {id: two, outcome: success, steps: [{use: file, with: {path: b, content: x}, expect: {text: x}}]}\n";

fn mixed() -> Sandbox {
    let reference = super::reference(
        &["host_file_write"],
        "success",
        &serde_json::json!({"host_file_write": {"path": "a"}}),
        &serde_json::json!({"path": "a"}),
    );
    Sandbox::with(&[
        ("s/suite.yaml", SUITE),
        ("s/flow.yaml", &flow(CASES)),
        ("s/other/r.json", &reference.to_string()),
    ])
}

fn names(file: &Value) -> Vec<&str> {
    file["cases"].as_array().unwrap().iter().map(|case| case["phrasing"].as_str().unwrap()).collect()
}

#[test]
fn scenarios_and_workflows_of_both_forms_run_in_one_command() {
    let sandbox = mixed();
    let (ended, file, folder) = sandbox.run_suite(&["--data", ".rehearsal", "s"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(names(&file), ["text", "tool", "retry", "w/one", "w/two", "r/c"]);
    verified(&sandbox, &folder);
    for (patterns, ran) in [
        (&["w/*"][..], &["w/one", "w/two"][..]),
        (&["*/c"], &["r/c"]),
        (&["w/one", "text"], &["text", "w/one"]),
        (&["?/*"], &["w/one", "w/two", "r/c"]),
        (&["tool/tool"], &["tool"]),
    ] {
        let flags = patterns.iter().flat_map(|pattern| ["--case", *pattern]);
        let (ended, file, _) =
            sandbox.run_suite(&["--data", ".rehearsal", "s"].into_iter().chain(flags).collect::<Vec<_>>());
        assert_eq!((ended.code, names(&file)), (Some(0), ran.to_vec()), "{patterns:?}");
    }
    let none = sandbox.run(&["run", "s", "--case", "w/tow"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("did you mean `w/two`?"), "{}", none.err);
    assert_eq!(sandbox.run(&["lint", "s"]).code, Some(0));
}

#[test]
fn names_that_clash_are_told_with_both_places() {
    let suite = SUITE.replace("{id: tool,", "{id: w/two,");
    let sandbox = Sandbox::with(&[("s/suite.yaml", &suite), ("s/flow.yaml", &flow(CASES))]);
    let ended = sandbox.run(&["run", "s"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("flow.yaml:6:") && ended.err.contains("suite.yaml:"), "{}", ended.err);
    let sandbox = Sandbox::with(&[("s/a.yaml", &flow(CASES)), ("s/b.yaml", &flow(CASES))]);
    let ended = sandbox.run(&["run", "s"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("w/one") && ended.err.contains("b.yaml:5:"), "{}", ended.err);
}

#[test]
fn a_case_that_has_the_name_of_a_round_or_of_an_agent_s_journal_is_not_run_beside_it() {
    let cases = CASES.replace("id: two", "id: one~2");
    let sandbox = Sandbox::with(&[("s/flow.yaml", &flow(&cases))]);
    let ended = sandbox.run(&["run", "s", "--repeat", "2"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let suite = SUITE.replace("{id: tool,", "{id: 'w/one:agent',");
    let cases = "  - {id: one, outcome: success, steps: [{use: agent, with: {phrasing: text}}]}\n";
    let sandbox = Sandbox::with(&[("s/suite.yaml", &suite), ("s/flow.yaml", &flow(cases))]);
    let ended = sandbox.run(&["run", "s"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("\"w/one:agent\", as is the journal of this step"), "{}", ended.err);
}

#[test]
fn a_case_is_shown_by_the_name_by_which_it_is_chosen() {
    let mut file = super::reference(
        &["host_file_write"],
        "success",
        &serde_json::json!({"host_file_write": {"path": "a"}}),
        &serde_json::json!({"path": "a"}),
    );
    file["cases"][0]["id"] = "elsewhere/c".into();
    let sandbox = Sandbox::with(&[("r.json", &file.to_string())]);
    let ended = sandbox.run(&["run", "r.json", "--case", "elsewhere/c"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains(" elsewhere/c ") && !ended.out.contains("r/elsewhere"), "{}", ended.out);
}

#[test]
fn under_faults_only_scenarios_run() {
    let sandbox = mixed();
    let (ended, file, _) =
        sandbox.run_suite(&["--data", ".rehearsal", "s", "--faults", "sse-comment-as-data"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(
        names(&file).iter().all(|name| !name.contains('/')) && !names(&file).is_empty(),
        "{:?}",
        names(&file)
    );
    let ended = sandbox.run(&["run", "s/flow.yaml", "--faults", "cut-clean"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.err.contains("of a workflow"), "{}", ended.err);
}

#[test]
fn a_server_serves_the_scenarios_beside_them() {
    let sandbox = mixed();
    let banner = |path: &str| {
        let banner = crate::serving::Provider::start(&sandbox, &["--scenarios", path]).banner.clone();
        let (_, told) = banner.split_once('(').unwrap();
        told.split_once(',').unwrap().0.to_owned()
    };
    assert_eq!(banner("s"), banner("s/suite.yaml"));
    assert!(banner("s").ends_with("markers registered"), "{}", banner("s"));
}
