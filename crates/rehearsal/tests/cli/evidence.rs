//! Runs can be repeated, and what they left behind cannot be changed unseen.

use crate::sandbox::{SUITE, Sandbox, files_below, verdicts};
use std::path::{Path, PathBuf};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("suite.yaml", SUITE)])
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Everything that a run's journals are made of: lines and bodies, of the cases and of the server.
fn journals(folder: &Path) -> Vec<PathBuf> {
    let is_journal = |path: &PathBuf| {
        let above = path.parent().unwrap();
        let inside = above == folder || above == folder.join("journals");
        inside && path.extension().is_some_and(|end| end == "jsonl" || end == "bodies" || end == "bin")
    };
    files_below(folder).into_iter().filter(is_journal).collect()
}

#[test]
fn a_folder_above_the_runs_names_the_newest_of_them() {
    let sandbox = Sandbox::with(&[("suite/suite.yaml", SUITE)]);
    assert_eq!(sandbox.run(&["run", "suite"]).code, Some(0));
    let runs = sandbox.path("suite/.rehearsal/runs");
    let newest = std::fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
    // Older ones, and a newer one that did not come to its end.
    for (name, finished) in [("20000101-000000-aaaaaa", true), ("99990101-000000-aaaaaa", false)] {
        std::fs::create_dir(runs.join(name)).unwrap();
        if finished {
            std::fs::copy(newest.join("run.json"), runs.join(name).join("run.json")).unwrap();
        }
    }
    let name = newest.file_name().unwrap().to_str().unwrap();
    for (folder, below) in [
        ("suite", "suite/.rehearsal/runs"),
        ("suite/.rehearsal", "suite/.rehearsal/runs"),
        ("suite/.rehearsal/runs", "suite/.rehearsal/runs"),
    ] {
        for command in [&["report", folder][..], &["merge", "out", folder]] {
            let ended = sandbox.run(command);
            let hint = format!("; the newest run below it is {below}/{name}\n");
            assert_eq!(ended.code, Some(2), "{command:?}: {}", ended.err);
            assert!(ended.err.ends_with(&hint), "{command:?}: {}", ended.err);
        }
    }
}

#[test]
fn a_suite_passes_twice_with_equal_normalised_journals() {
    let sandbox = sandbox();
    let (one, file, first) = sandbox.run_suite(&["suite.yaml"]);
    assert_eq!(one.code, Some(0), "{}", one.err);
    assert_eq!(
        verdicts(&file),
        [("text", "passed", vec![]), ("tool", "passed", vec![]), ("retry", "passed", vec![])]
    );
    assert_eq!(file["cases"][2]["requests"], 3, "an error, a cut, an answer");
    let (two, again, second) = sandbox.run_suite(&["suite.yaml", "--jobs", "1"]);
    assert_eq!(two.code, Some(0), "{}", two.err);
    assert_eq!(file["normalised"], again["normalised"], "however many cases run at once");

    let verified = sandbox.run(&["verify", text(&first), text(&second)]);
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    assert_eq!(verified.out.matches("4 heads as in run.json").count(), 2, "{}", verified.out);
    let same = sandbox.run(&["verify", "--same", text(&first), text(&second)]);
    assert_eq!((same.code, same.err.as_str()), (Some(0), ""));

    let (_, _, other) = sandbox.run_suite(&["suite.yaml", "--seed", "2"]);
    let differ = sandbox.run(&["verify", "--same", text(&first), text(&other)]);
    assert_eq!(differ.code, Some(1));
    assert!(differ.err.contains("cases differ: text, tool, retry"), "{}", differ.err);
    let (_, _, fewer) = sandbox.run_suite(&["suite.yaml", "--case", "text"]);
    assert_eq!(sandbox.run(&["verify", "--same", text(&first), text(&fewer)]).code, Some(1));
    assert_eq!(
        sandbox.run(&["verify", "--same", text(&first)]).code,
        Some(2),
        "one run is not the same as anything"
    );
}

#[test]
fn streams_are_rehearsed_as_well() {
    let sandbox = sandbox();
    let (ended, file, folder) = sandbox.run_suite(&["suite.yaml", "--stream"]);
    assert_eq!(ended.code, Some(0), "{file}");
    let journal = std::fs::read_to_string(folder.join("journals/text.jsonl")).unwrap();
    assert!(journal.contains("\"stream\":true"), "{journal}");
}

#[test]
fn one_changed_byte_in_any_journal_is_found() {
    let sandbox = sandbox();
    let (_, _, folder) = sandbox.run_suite(&["suite.yaml"]);
    let mut tried = 0;
    for path in journals(&folder) {
        let whole = std::fs::read(&path).unwrap();
        let last = whole.len().saturating_sub(1);
        for at in [0, last / 3, last / 2, last].into_iter().filter(|at| *at < whole.len()) {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            let ended = sandbox.run(&["verify", text(&folder)]);
            assert_eq!(ended.code, Some(1), "byte {at} of {}: {}{}", path.display(), ended.out, ended.err);
            assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
            assert!(ended.err.contains(path.file_stem().unwrap().to_str().unwrap()), "{}", ended.err);
            tried += 1;
        }
        std::fs::write(&path, whole).unwrap();
    }
    assert!(tried >= 4 * 7, "{tried} bytes changed");
    assert_eq!(sandbox.run(&["verify", text(&folder)]).code, Some(0), "as it was");
}

#[test]
fn a_cut_in_any_journal_is_found() {
    let sandbox = sandbox();
    let (_, _, folder) = sandbox.run_suite(&["suite.yaml"]);
    for path in journals(&folder).into_iter().filter(|path| path.metadata().unwrap().len() > 0) {
        let whole = std::fs::read(&path).unwrap();
        let last_line = whole.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // A part of the last line, all of it, everything.
        for kept in [whole.len() - 2, last_line, 0] {
            std::fs::write(&path, &whole[..kept]).unwrap();
            let ended = sandbox.run(&["verify", text(&folder)]);
            assert_eq!(ended.code, Some(1), "{kept} bytes of {}: {}{}", path.display(), ended.out, ended.err);
        }
        std::fs::write(&path, whole).unwrap();
    }
    let journal = folder.join("journals/text.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    std::fs::remove_file(&journal).unwrap();
    assert_eq!(sandbox.run(&["verify", text(&folder)]).code, Some(1), "a journal that is gone");
    std::fs::write(&journal, [&whole[..], b"{}\n"].concat()).unwrap();
    assert_eq!(sandbox.run(&["verify", text(&folder)]).code, Some(1), "a line that nobody wrote");
}

#[test]
fn a_finished_run_is_shown_again_as_it_was() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["run", "suite.yaml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let folder = std::fs::read_dir(sandbox.path(".rehearsal/runs")).unwrap().next().unwrap().unwrap().path();
    let shown = sandbox.run(&["report", text(&folder)]);
    assert_eq!(shown.code, Some(0));
    assert!(ran.out.starts_with(&shown.out), "{}\n{}", ran.out, shown.out);
    let json = sandbox.run(&["report", text(&folder), "--format", "json"]);
    assert_eq!(json.out, std::fs::read_to_string(folder.join("run.json")).unwrap());

    let failed = sandbox.run(&["run", "suite.yaml", "--case", "text", "--", "true"]);
    assert_eq!(failed.code, Some(1), "{}", failed.out);
    let runs = std::fs::read_dir(sandbox.path(".rehearsal/runs")).unwrap().map(|entry| entry.unwrap().path());
    let mut codes: Vec<_> = runs.map(|folder| sandbox.run(&["report", text(&folder)]).code).collect();
    codes.sort();
    assert_eq!(codes, [Some(0), Some(1)], "a failed run fails when it is shown, too");
}

#[test]
fn a_file_of_bodies_that_is_gone_is_found() {
    let sandbox = sandbox();
    let (_, _, folder) = sandbox.run_suite(&["suite.yaml"]);
    std::fs::remove_file(folder.join("journals/tool.bodies")).unwrap();
    let ended = sandbox.run(&["verify", text(&folder)]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("tool.bodies: the file is gone"), "{}", ended.err);
}

#[test]
fn runs_are_compared_only_where_nothing_was_changed() {
    let sandbox = sandbox();
    let (_, _, first) = sandbox.run_suite(&["suite.yaml"]);
    let (_, _, second) = sandbox.run_suite(&["suite.yaml"]);
    let same = || sandbox.run(&["verify", "--same", text(&first), text(&second)]);
    assert_eq!(same().code, Some(0));
    for (name, from, to, why) in [
        ("journals/text.jsonl", "\"stream\":false", "\"stream\":true", "text.jsonl"),
        ("run.json", "\"normalised\": \"", "\"normalised\": \"0", "run.json"),
    ] {
        let path = second.join(name);
        let whole = std::fs::read_to_string(&path).unwrap();
        assert!(whole.contains(from));
        std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
        let ended = same();
        assert_eq!(ended.code, Some(1), "{name}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(why), "{}", ended.err);
        std::fs::write(&path, whole).unwrap();
    }
    assert_eq!(same().code, Some(0));
}

#[test]
fn a_verdict_that_was_changed_left_out_or_told_twice_is_found() {
    let sandbox = sandbox();
    let (_, _, folder) = sandbox.run_suite(&["suite.yaml"]);
    let path = folder.join("run.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    type Change = fn(&mut serde_json::Value);
    let changes: [(Change, &str); 5] = [
        (|run| run["cases"][1]["verdict"] = "failed".into(), "says other than the journal about case tool"),
        (|run| run["cases"][0]["requests"] = 9.into(), "says other than the journal about case text"),
        (|run| run["cases"][2]["round"] = 2.into(), "says other than the journal about case retry, round 2"),
        (
            |run| drop(run["cases"].as_array_mut().unwrap().remove(0)),
            "lacks case text, which the journal judged",
        ),
        (
            |run| {
                let again = run["cases"][0].clone();
                run["cases"].as_array_mut().unwrap().push(again);
            },
            "holds case text twice",
        ),
    ];
    for (change, why) in changes {
        let mut run: serde_json::Value = serde_json::from_str(&whole).unwrap();
        change(&mut run);
        std::fs::write(&path, run.to_string()).unwrap();
        let ended = sandbox.run(&["verify", text(&folder)]);
        assert_eq!(ended.code, Some(1), "{why}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(why), "{why}: {}", ended.err);
    }
    std::fs::write(&path, whole).unwrap();
    assert_eq!(sandbox.run(&["verify", text(&folder)]).code, Some(0));
}

#[test]
fn a_code_is_explained_and_a_slip_in_it_is_answered_with_the_code_that_is_meant() {
    let sandbox = sandbox();
    for (code, part) in [
        ("call-not-answered", "send one tool result for each call"),
        ("arguments-double-encoded", "gate_echo_mismatch"),
        ("black-hole", "right reaction"),
    ] {
        let told = sandbox.run(&["explain", code]);
        assert_eq!(told.code, Some(0), "{}", told.err);
        assert!(told.out.starts_with(&format!("{code}: ")) && told.out.contains(part), "{}", told.out);
        assert!(sandbox.run(&["explain"]).out.contains(code) || code == "black-hole");
    }
    let slip = sandbox.run(&["explain", "call-not-answerd"]);
    assert_eq!(slip.code, Some(2));
    assert!(slip.err.contains("did you mean `call-not-answered`?"), "{}", slip.err);
}
