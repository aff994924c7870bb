//! The suite that `init` writes: it passes, it overwrites nothing, and its comments keep their word.

use crate::sandbox::{Sandbox, files_below, verdicts};

/// A new suite, changed by its owner.
fn changed(change: impl Fn(&str) -> String) -> Sandbox {
    let sandbox = Sandbox::with(&[]);
    assert_eq!(sandbox.run(&["init"]).code, Some(0));
    let path = sandbox.path("rehearsal/suite.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let after = change(&text);
    assert_ne!(text, after);
    std::fs::write(path, after).unwrap();
    sandbox
}

#[test]
fn a_new_suite_has_no_mistakes_and_passes_without_a_remark() {
    for folder in ["rehearsal", "deep/er", "with a blank"] {
        let sandbox = Sandbox::with(&[]);
        let made =
            if folder == "rehearsal" { sandbox.run(&["init"]) } else { sandbox.run(&["init", folder]) };
        assert_eq!(made.code, Some(0), "{}", made.err);
        let next =
            format!("rehearsal run {}", if folder.contains(' ') { "\"with a blank\"" } else { folder });
        assert!(made.out.ends_with(&format!("next: {next}\n")), "{}", made.out);
        let text = std::fs::read_to_string(sandbox.path(folder).join("suite.yaml")).unwrap();
        assert!(text.contains(&format!("#   {next} ")) && !text.contains("FOLDER"), "{text}");
        let ignored = std::fs::read_to_string(sandbox.path(folder).join(".gitignore")).unwrap();
        assert!(ignored.ends_with("\n.rehearsal/\n"), "{ignored}");

        let linted = sandbox.run(&["lint", folder]);
        assert_eq!(linted.out, "1 file without mistakes, 0 warnings\n", "{}", linted.err);
        let in_ci = ["--report", "junit=report.xml"];
        assert!(text.contains(&in_ci.join(" ")));
        let (ended, file, _) = sandbox.run_suite(&[&[folder, "--data", ".rehearsal"], &in_ci[..]].concat());
        assert_eq!(ended.code, Some(0), "{file}");
        assert!(sandbox.path("report.xml").is_file());
        let cases = ["chat", "one-tool", "rate-limit"].map(|case| (case, "passed", Vec::new()));
        assert_eq!(verdicts(&file), cases);
    }
}

#[test]
fn init_overwrites_nothing_and_then_writes_nothing() {
    for taken in
        ["rehearsal/suite.yaml", "rehearsal/.gitignore", "rehearsal/suite.yaml/notes.txt", "rehearsal"]
    {
        let sandbox = Sandbox::with(&[(taken, "mine")]);
        let ended = sandbox.run(&["init"]);
        let named = taken.trim_end_matches("/notes.txt");
        assert_eq!(ended.code, Some(2), "{taken}: {}", ended.err);
        assert!(ended.err.contains(named), "{taken}: {}", ended.err);
        assert_eq!(files_below(&sandbox.path("")), [sandbox.path(taken)]);
        assert_eq!(std::fs::read_to_string(sandbox.path(taken)).unwrap(), "mine");
    }
}

#[test]
fn init_adds_to_a_folder_that_holds_other_files() {
    let sandbox = Sandbox::with(&[("mine/agent.py", "mine")]);
    assert_eq!(sandbox.run(&["init", "mine"]).code, Some(0));
    assert_eq!(files_below(&sandbox.path("mine")).len(), 3);
    assert_eq!(sandbox.run(&["init", "mine"]).code, Some(2));
}

#[test]
fn a_new_suite_shows_a_failure_where_it_says_so() {
    let sandbox = changed(|text| text.replace("output_contains: Paris", "output_contains: Rome"));
    let (ended, file, _) = sandbox.run_suite(&["rehearsal", "--data", ".rehearsal", "--case", "chat"]);
    assert_eq!((ended.code, verdicts(&file)), (Some(1), vec![("chat", "failed", vec!["output-contains"])]));
    assert_eq!(sandbox.run(&["explain", "output-contains"]).code, Some(0));
}

#[test]
fn the_agent_that_a_new_suite_leaves_out_can_be_put_in() {
    let sandbox = changed(|text| {
        let (before, rest) = text.split_once("# agent:\n").unwrap();
        let (agent, after) = rest.split_once("\n\n").unwrap();
        format!("{before}agent:\n{}\n\n{after}", agent.replace("# ", ""))
    });
    let linted = sandbox.run(&["lint", "rehearsal"]);
    assert_eq!(linted.out, "1 file without mistakes, 0 warnings\n", "{}", linted.err);
}
