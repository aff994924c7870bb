//! The same comes to the same: rounds, seeds, shuffles, and shards that are joined.

use super::{case, end, flow, sandbox, verified};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const SUITE: &str = r#"
version: 1
classes:
  notes:
    script:
      - tool_calls: [{name: write_file, arguments: {path: notes.md, content: "x"}}]
      - {text: Written.}
    phrasings: [{id: notes, prompt: Write notes.md.}]
  text: {script: [{text: Hello there.}], phrasings: [{id: text, prompt: Say hello.}]}
"#;

/// A case of each kind: the store, a program, a server, a refusal, an agent.
const KINDS: &str = r#"
  - id: store
    outcome: provenance
    steps:
      - {use: open_session}
      - {use: save_artifact, id: raw, with: {filename: raw.csv, content: "a\n"}}
      - {use: save_artifact, id: derived, with: {filename: d.csv, content: "b\n", derived_from: ["${raw.version_id}"]}}
      - {use: assert_lineage, with: {input: "${raw.version_id}", output: "${derived.version_id}"}}
  - {id: exec, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "cat; pwd; echo $HOME $TMPDIR; env | sort | grep -v '^PATH=' | grep -v REHEARSAL_LAUNCH"], stdin: in}, expect: {status: 0}}]}
  - id: server
    outcome: success
    steps:
      - {use: file, with: {path: index.html, content: hello}}
      - {use: service, id: web, with: {command: [python3, -m, http.server, "{port}", --bind, 127.0.0.1], ready: /}}
      - {use: http, with: {url: "${web.url}/nothing"}, expect: {status: 404}}
      - {use: exec, with: {command: [python3, -c, "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())", "${web.url}/index.html"]}, expect: {stdout: "hello\n"}}
  - {id: refused, outcome: permission_denied, refusal: {step: file, code: E_PATH_PARENT}, steps: [{use: file, with: {path: ../a}}]}
  - {id: agent, outcome: success, steps: [{use: agent, with: {phrasing: notes}, expect: {files: [notes.md]}}]}
"#;

fn kinds() -> Sandbox {
    Sandbox::with(&[("s/suite.yaml", SUITE), ("s/flow.yaml", &flow(KINDS))])
}

fn normalised(file: &Value, name: &str) -> Vec<String> {
    let cases = file["cases"].as_array().unwrap().iter().filter(|case| case["phrasing"] == name);
    cases.map(|case| case["normalised"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn rounds_come_to_the_same_whatever_steps_do() {
    let sandbox = kinds();
    let (ended, file, first) = sandbox.run_suite(&["--data", ".rehearsal", "s", "--repeat", "3"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    for name in ["w/store", "w/exec", "w/server", "w/refused", "w/agent"] {
        let all = normalised(&file, name);
        assert!(all.len() == 3 && all.iter().all(|one| *one == all[0] && !one.is_empty()), "{name}: {all:?}");
        assert!(case(&file, name)["findings"].as_array().unwrap().is_empty(), "{name}");
    }
    verified(&sandbox, &first);
    let (_, _, second) =
        sandbox.run_suite(&["--data", ".rehearsal", "s", "--repeat", "3", "--jobs", "1", "--shuffle=5"]);
    let same = sandbox.run(&["verify", "--same", first.to_str().unwrap(), second.to_str().unwrap()]);
    assert_eq!(same.code, Some(0), "{same:?}");
    let (_, _, other) = sandbox.run_suite(&["--data", ".rehearsal", "s", "--repeat", "3", "--seed", "9"]);
    let same = sandbox.run(&["verify", "--same", first.to_str().unwrap(), other.to_str().unwrap()]);
    assert_eq!(same.code, Some(1), "{same:?}");
}

/// Prints another number each time.
const RANDOM: &str = "  - {id: odd, outcome: success, steps: [{use: exec, with: {command: [python3, -c, \"import secrets; print(secrets.token_hex())\"]}, expect: {status: 0}}]}\n  - {id: even, outcome: success, steps: [{use: exec, with: {command: [echo, even]}, expect: {status: 0}}]}\n";

#[test]
fn a_program_that_differs_from_round_to_round_is_told_of_and_fails_where_that_is_asked() {
    let sandbox = sandbox(RANDOM);
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml", "--repeat", "3"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let found = |file: &Value| -> Vec<(String, u64, String)> {
        let cases = file["cases"].as_array().unwrap().iter();
        let found = cases.flat_map(|case| {
            case["findings"].as_array().unwrap().iter().map(|finding| {
                assert_eq!(finding["code"], "rounds-differ");
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                (text(&case["phrasing"]), case["round"].as_u64().unwrap(), text(&finding["severity"]))
            })
        });
        found.collect()
    };
    // The first round stands for all where all end alike, so it tells of the others.
    let of_rounds = |weight: &str| [("w/odd".to_owned(), 1, weight.to_owned())];
    assert_eq!(found(&file), of_rounds("warning"));
    verified(&sandbox, &folder);
    let flags = ["flow.yaml", "--repeat", "3", "--finding", "rounds-differ=error"];
    let (ended, file, folder) = sandbox.run_suite(&flags);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(found(&file), of_rounds("error"));
    verified(&sandbox, &folder);
    let (ended, file, _) =
        sandbox.run_suite(&["flow.yaml", "--repeat", "3", "--finding", "rounds-differ=off"]);
    assert_eq!((ended.code, found(&file)), (Some(0), vec![]));
}

/// The order in which cases began: that in which their journals' first lines were written.
fn order(err: &str) -> Vec<String> {
    err.lines().filter_map(|line| Some(line.split_once("] ")?.1.to_owned())).collect()
}

#[test]
fn a_shuffle_is_printed_and_its_seed_gives_the_same_order_again() {
    let cases: String = (0..8)
        .map(|at| format!("  - {{id: c{at}, outcome: success, steps: [{{use: file, with: {{path: a, content: x}}, expect: {{text: x}}}}]}}\n"))
        .collect();
    let sandbox = sandbox(&cases);
    let run = |flag: &str| sandbox.run(&["run", "flow.yaml", "--jobs", "1", flag]);
    let thrown = run("--shuffle");
    assert_eq!(thrown.code, Some(0), "{thrown:?}");
    let told = thrown.out.lines().find_map(|line| line.strip_prefix("shuffled; ")).unwrap();
    let flag = told.split_whitespace().next().unwrap();
    let again = run(flag);
    assert_eq!(order(&thrown.err).len(), 8, "{}", thrown.err);
    assert_eq!(order(&thrown.err), order(&again.err), "{flag}");
    let plain: Vec<_> = (0..8).map(|at| format!("w/c{at} passed")).collect();
    let orders: Vec<_> = (0..4).map(|seed| order(&run(&format!("--shuffle={seed}")).err)).collect();
    assert!(orders.iter().any(|names| bare(names) != bare(&plain)), "{orders:?}");
    for names in &orders {
        let mut sorted = bare(names);
        sorted.sort_unstable();
        assert_eq!(sorted, bare(&plain));
    }
}

fn bare(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn ids_come_from_the_seed_and_the_case() {
    let sandbox = sandbox(
        "  - {id: a, outcome: success, steps: [{use: open_session, expect: {project_id: {matches: 'proj_[0-9a-f]{12}'}}}]}\n  - {id: b, outcome: success, steps: [{use: open_session, expect: {project_id: {matches: 'proj_[0-9a-f]{12}'}}}]}\n",
    );
    let ids = |flags: &[&str]| {
        let (ended, file, _) = sandbox.run_suite(&[&["flow.yaml"], flags].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        ["w/a", "w/b"]
            .map(|name| super::step(&file, name, "open_session")["observed"]["root_frame_id"].to_string())
    };
    let first = ids(&[]);
    assert_eq!(first, ids(&["--jobs", "1", "--case", "w/*"]));
    assert_ne!(first[0], first[1]);
    let other = ids(&["--seed", "77"]);
    assert!(other[0] != first[0] && other[1] != first[1], "{first:?} {other:?}");
}

#[test]
fn shards_with_workflows_are_joined_to_the_run_that_was_never_parted() {
    let sandbox = kinds();
    let (_, whole, whole_folder) = sandbox.run_suite(&["--data", ".rehearsal", "s"]);
    let folders: Vec<_> = (1..=3)
        .map(|k| {
            let (ended, file, folder) =
                sandbox.run_suite(&["--data", ".rehearsal", "s", "--shard", &format!("{k}/3")]);
            assert_eq!((ended.code, &file["shard"]), (Some(0), &json!([k, 3])), "{}", ended.err);
            folder.display().to_string()
        })
        .collect();
    let line: Vec<&str> =
        ["merge", "out", "--json"].into_iter().chain(folders.iter().map(String::as_str)).collect();
    let ended = sandbox.run(&line);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let merged: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(merged["normalised"], whole["normalised"]);
    assert_eq!(end(&merged, "w/agent"), ("passed", vec![]));
    assert_eq!(case(&merged, "w/agent")["workflow"]["journals"][0]["journal"], "w/agent:agent");
    assert!(
        sandbox.path("out/journals/w%2Fagent%3Aagent.jsonl").is_file(),
        "the agent's journal comes along"
    );
    verified(&sandbox, &sandbox.path("out"));
    let same = sandbox.run(&["verify", "--same", "out", whole_folder.to_str().unwrap()]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert_eq!(sandbox.run(&["report", "out"]).code, Some(0));
}

#[test]
fn a_shard_of_which_all_is_skipped_fails_no_matrix_and_a_suite_of_which_all_is_does() {
    let off = |id: &str| {
        format!(
            "  - {{id: {id}, skip: why, outcome: success, steps: [{{use: file, with: {{path: a}}, expect: {{exists: false}}}}]}}\n"
        )
    };
    let good =
        "  - {id: good, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}\n";
    for (cases, code) in [([off("a"), good.to_owned()], 0), ([off("a"), off("b")], 4)] {
        let sandbox = sandbox(&cases.concat());
        let folders = ["1/2", "2/2"].map(|shard| {
            let (ended, _, folder) = sandbox.run_suite(&["flow.yaml", "--shard", shard]);
            assert_eq!(ended.code, Some(0), "{shard}: {}", ended.err);
            folder.display().to_string()
        });
        let merged = sandbox.run(&["merge", "out", &folders[0], &folders[1]]);
        assert_eq!(merged.code, Some(code), "{merged:?}");
        verified(&sandbox, &sandbox.path("out"));
        assert_eq!(sandbox.run(&["report", "out"]).code, Some(code));
    }
}
