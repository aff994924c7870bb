//! The shards of a suite, and the run that they make together.

use crate::sandbox::{SUITE, Sandbox, files_below};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A case that fails, beside three that pass.
fn suite() -> String {
    SUITE.to_owned()
        + "  wrong: {script: [{text: No.}], phrasings: [{id: wrong, prompt: Say yes., expect_agent: {output_contains: 'Yes'}}]}\n"
}

fn shards(sandbox: &Sandbox, n: usize, more: &[&str]) -> Vec<PathBuf> {
    (1..=n)
        .map(|k| {
            let shard = format!("{k}/{n}");
            let (_, file, folder) = sandbox.run_suite(&[&["suite.yaml", "--shard", &shard], more].concat());
            assert_eq!(file["shard"], serde_json::json!([k, n]));
            folder
        })
        .collect()
}

fn merge(sandbox: &Sandbox, out: &str, folders: &[&Path], more: &[&str]) -> crate::sandbox::Ended {
    let folders: Vec<_> = folders.iter().map(|folder| text(folder)).collect();
    sandbox.run(&[&["merge", out], &folders[..], more].concat())
}

#[test]
fn merged_shards_are_the_run_that_was_never_parted() {
    let sandbox = Sandbox::with(&[("suite.yaml", &suite())]);
    for (n, more) in [(1, &[][..]), (2, &["--repeat", "2"]), (3, &[]), (6, &["--case", "t*"])] {
        let (whole_ended, whole, whole_folder) = sandbox.run_suite(&[&["suite.yaml"], more].concat());
        let folders = shards(&sandbox, n, more);
        // The order in which they are named is of no account.
        let named: Vec<&Path> = folders.iter().rev().map(PathBuf::as_path).collect();
        let out = format!("merged-{n}");
        let ended = merge(&sandbox, &out, &named, &["--json"]);
        assert_eq!(ended.code, whole_ended.code, "{n}: {}", ended.err);
        let merged: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(merged["normalised"], whole["normalised"], "{n} shards");
        assert_eq!((&merged["run"], &merged["shard"]), (&Value::from(out.as_str()), &Value::Null));
        assert_eq!(merged["servers"].as_array().unwrap().len(), n);
        let names = |file: &Value| -> Vec<_> {
            file["cases"]
                .as_array()
                .unwrap()
                .iter()
                .map(|case| (case["phrasing"].clone(), case["round"].clone()))
                .collect()
        };
        assert_eq!(names(&merged), names(&whole));
        let verified = sandbox.run(&["verify", &out]);
        assert_eq!(verified.code, Some(0), "{}", verified.err);
        let heads = names(&whole).len() + n;
        assert!(verified.out.contains(&format!("{heads} heads as in run.json")), "{}", verified.out);
        let same = sandbox.run(&["verify", "--same", &out, text(&whole_folder)]);
        assert_eq!(same.code, Some(0), "{}", same.err);
        assert_eq!(sandbox.run(&["report", &out]).code, whole_ended.code);
        let kept = |folder: &Path| -> Vec<PathBuf> {
            let below = folder.join("cases");
            files_below(&below).iter().map(|path| path.strip_prefix(&below).unwrap().to_owned()).collect()
        };
        assert_eq!(kept(&sandbox.path(&out)), kept(&whole_folder), "workspaces and outputs come along");
    }
}

#[test]
fn a_shard_without_a_case_does_not_fail_a_matrix() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    let ended = sandbox.run(&["run", "suite.yaml", "--shard", "4/4"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.contains("shard 4/4 holds no case"), "{}", ended.out);
}

#[test]
fn runs_that_are_no_parts_of_one_are_refused_by_name() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", "exit 3\n")]);
    let folders = shards(&sandbox, 3, &[]);
    let [one, two, three] = &folders[..] else { panic!("{folders:?}") };
    let (_, _, whole) = sandbox.run_suite(&["suite.yaml"]);
    let second = |more: &[&str]| sandbox.run_suite(&[&["suite.yaml", "--shard", "2/3"], more].concat()).2;
    let seed = second(&["--seed", "2"]);
    let profile = second(&["--profile", "api"]);
    let repeat = second(&["--repeat", "2"]);
    let agent = second(&["--", "sh", "agent.sh"]);
    let of_four = sandbox.run_suite(&["suite.yaml", "--shard", "2/4"]).2;
    let others = sandbox.run_suite(&["suite.yaml", "--shard", "2/3", "--case", "t*", "--case", "retry"]).2;
    sandbox.write("suite.yaml", (SUITE.to_owned() + "# changed\n").as_bytes());
    let suite = second(&[]);
    for (parts, sentence) in [
        (&[one, &whole][..], "is no part of a suite: it ran without --shard"),
        (&[one, two], "shard 3/3 is missing; give all of them, or --partial"),
        (&[two], "shards 1/3, 3/3 are missing"),
        (&[one, &suite, three], "suite.yaml has another content"),
        (&[one, &seed, three], "the seed is 1 in one and 2 in the other"),
        (&[one, &profile, three], "the profile is gate in one and api in the other"),
        (&[one, &agent, three], "the agent is the built-in one in one and sh agent.sh in the other"),
        (&[one, &repeat, three], "--repeat is 1 in one and 2 in the other"),
        (&[one, &of_four, three], "the number of shards is 3 in one and 4 in the other"),
        (&[one, two, two, three], "both hold the case tool"),
        (&[one, two, &others, three], "both hold the case tool"),
    ] {
        let named: Vec<&Path> = parts.iter().map(|folder| folder.as_path()).collect();
        let ended = merge(&sandbox, "out", &named, &[]);
        assert_eq!((ended.code, ended.err.lines().count()), (Some(2), 1), "{sentence}: {}", ended.err);
        assert!(ended.err.contains(sentence), "{sentence}: {}", ended.err);
        if sentence.contains("both") || sentence.contains(" in one and ") {
            let told = named.iter().filter(|folder| ended.err.contains(text(folder))).count();
            assert!(told >= 2 || named[1] == named[2], "both folders are named: {}", ended.err);
        }
        assert!(!sandbox.path("out").exists(), "{sentence}");
    }
    let partial = merge(&sandbox, "out", &[one, three], &["--partial"]);
    assert_eq!(partial.code, Some(0), "{}", partial.err);
    assert!(
        partial.err.contains("shard 2/3 is missing; this verdict does not cover the whole suite"),
        "{}",
        partial.err
    );
    assert!(partial.out.contains("shard 2 is missing, its cases are not judged"), "{}", partial.out);
    let file: Value =
        serde_json::from_str(&std::fs::read_to_string(sandbox.path("out/run.json")).unwrap()).unwrap();
    assert_eq!(file["missing_shards"], serde_json::json!([2]));
    let again = sandbox.run(&["report", "out", "--format", "markdown"]);
    assert!(again.out.contains("shard 2 is missing"), "{}", again.out);
    let taken = merge(&sandbox, "out", &[one, two, three], &[]);
    assert_eq!(taken.code, Some(2));
    assert!(taken.err.contains("out is there already"), "{}", taken.err);
    let left: Vec<_> =
        std::fs::read_dir(sandbox.path(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn a_shard_that_was_changed_is_not_merged() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    let folders = shards(&sandbox, 2, &[]);
    let journal = folders[0].join("journals/text.jsonl");
    let whole = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, whole.replacen("\"stream\":false", "\"stream\":true", 1)).unwrap();
    let ended = merge(&sandbox, "out", &[&folders[0], &folders[1]], &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("text.jsonl") && !sandbox.path("out").exists(), "{}", ended.err);
}

#[test]
fn a_verdict_that_was_changed_in_any_part_of_a_merged_run_is_found() {
    let sandbox = Sandbox::with(&[("suite.yaml", &suite())]);
    let folders = shards(&sandbox, 2, &[]);
    assert_eq!(merge(&sandbox, "out", &[&folders[0], &folders[1]], &[]).code, Some(1), "one case fails");
    let path = sandbox.path("out/run.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    for at in 0..4 {
        let mut run: Value = serde_json::from_str(&whole).unwrap();
        let name = run["cases"][at]["phrasing"].as_str().unwrap().to_owned();
        run["cases"][at]["retries"] = 77.into();
        std::fs::write(&path, run.to_string()).unwrap();
        let ended = sandbox.run(&["verify", "out"]);
        assert_eq!(ended.code, Some(1), "{name}: {}", ended.out);
        let why = format!("run.json says other than the journal about case {name}");
        assert!(ended.err.contains(&why), "{}", ended.err);
        let again = format!("again-{at}");
        let ended = merge(&sandbox, &again, &[&sandbox.path("out")], &[]);
        assert!(ended.err.contains(&why) && !sandbox.path(&again).exists(), "{}", ended.err);
    }
}
