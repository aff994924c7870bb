//! Suites with a daemon beside their cases: what agents are told of it, where it leaves what, and what is said of its files.

use crate::sandbox::{Sandbox, verdicts};
use serde_json::Value;
use std::path::Path;

/// A suite whose one case has a daemon; `daemon` is a flow map of YAML.
fn suite(daemon: &str, more: &str) -> String {
    format!(
        "version: 1\ndaemon: {daemon}\nclasses: {{c: {{phrasings: [{{id: p, prompt: Do it.{more}}}]}}}}\n"
    )
}

const RUNS: &str = "version: 1\nruns: [{id: slow, steps: [{hang: true}]}]\n";

#[test]
fn an_agent_is_told_where_its_daemon_is_and_a_suite_without_one_tells_nothing() {
    let nothing = ", expect_daemon: {runs: 0}";
    let sandbox =
        Sandbox::with(&[("suite.yaml", &suite("{}", nothing)), ("none.yaml", crate::sandbox::SUITE)]);
    let script = r#"set -e
        test "$CLAUDEXOR_CONFIG_DIR" = "$1"; test "$REHEARSAL_DAEMON_CONFIG_DIR" = "$1"
        test "$REHEARSAL_DAEMON_URL" = "$2"; test "$REHEARSAL_DAEMON_PROJECT" = "$3"
        test -d "$3"; echo "$2"; cat "$1/daemon/control-api.json"; cat "$1/daemon/token""#;
    let told = ["{daemon_config_dir}", "{daemon_url}", "{daemon_project}"];
    let agent = [&["suite.yaml", "--", "sh", "-c", script, "sh"], &told[..]].concat();
    for more in [&[][..], &["--netns=auto"]] {
        let (ended, file, folder) = sandbox.run_suite(&[more, &agent].concat());
        // The script prints the token on purpose.
        assert_eq!(verdicts(&file), [("p", "failed", vec!["token-in-output"])], "{ended:?} {file:#}");
        let case = folder.join("cases/p");
        let printed = std::fs::read_to_string(case.join("stdout.txt")).unwrap();
        let (url, rest) = printed.split_once('\n').unwrap();
        let (descriptor, token) = rest.split_once('\n').unwrap();
        let descriptor: Value = serde_json::from_str(descriptor).unwrap();
        assert_eq!(url, format!("http://127.0.0.1:{}/v2", descriptor["port"]));
        assert_eq!(
            descriptor["tokenPath"].as_str().unwrap(),
            case.join("daemon/daemon/token").to_str().unwrap()
        );
        assert!(token.starts_with("fake-daemon-token-") && token.len() == 50, "{token}");
        assert_private(&case.join("daemon/daemon/token"));
        assert_private(&case.join("daemon/daemon/control-api.json"));
        let journal = std::fs::read_to_string(folder.join("journals/p.jsonl")).unwrap();
        assert!(
            journal.contains(r#""event":"daemon","fact":"began""#) && !journal.contains(token),
            "{journal}"
        );
        assert_eq!(sandbox.run(&["verify", folder.to_str().unwrap()]).code, Some(0));
    }
    let silent = "test -z \"$REHEARSAL_DAEMON_URL$CLAUDEXOR_CONFIG_DIR\" && echo none {daemon_url}.";
    let (_, _, folder) = sandbox.run_suite(&["none.yaml", "--case", "text", "--", "sh", "-c", silent]);
    assert_eq!(std::fs::read_to_string(folder.join("cases/text/stdout.txt")).unwrap(), "none .\n");
}

#[cfg(unix)]
fn assert_private(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{}", path.display());
}

#[cfg(not(unix))]
fn assert_private(path: &Path) {
    assert!(path.is_file());
}

#[test]
fn a_file_of_run_scripts_lies_beside_its_suite_and_is_no_part_of_it() {
    let named = suite("{runs: runs.yaml}", ", expect_daemon: {runs: 0}");
    let sandbox = Sandbox::with(&[("suite/suite.yaml", &named), ("suite/runs.yaml", RUNS)]);
    assert_eq!(sandbox.run(&["lint", "suite"]).out, "2 files without mistakes, 0 warnings\n");
    let (ended, file, _) = sandbox.run_suite(&["suite", "--data", ".rehearsal", "--", "true"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let files: Vec<_> =
        file["suite"].as_array().unwrap().iter().map(|file| file[0].as_str().unwrap()).collect();
    assert_eq!(files, ["suite/suite.yaml", "suite/runs.yaml"]);
    assert_eq!(sandbox.run(&["run", "suite/suite.yaml", "--", "true"]).code, Some(0));
    // Other scripts are another suite: what it was is told by the digests of its files.
    sandbox.write("suite/runs.yaml", RUNS.replace("slow", "slower").as_bytes());
    let (_, other, _) = sandbox.run_suite(&["suite", "--data", ".rehearsal", "--", "true"]);
    assert_ne!(file["suite"], other["suite"]);
}

#[test]
fn what_is_wrong_with_a_file_of_run_scripts_is_said_where_it_stands() {
    let sandbox = Sandbox::with(&[
        ("gone.yaml", &suite("{runs: nowhere.yaml}", "")),
        ("suite.yaml", &suite("{runs: none.yaml}", "")),
        ("none.yaml", crate::sandbox::SUITE),
        ("folder/suite.yaml", &suite("{runs: runs.yaml}", "")),
        ("folder/runs.yaml", "version: 1\nruns: [{id: slow, steps: [{hnag: true}]}]\n"),
    ]);
    for (arguments, wanted) in [
        ("gone.yaml", "gone.yaml:2:16: `runs` of the daemon: cannot read nowhere.yaml"),
        (
            "suite.yaml",
            "suite.yaml:2:16: `runs` of the daemon names none.yaml, which is no file of run scripts",
        ),
        (
            "folder/suite.yaml",
            "folder/runs.yaml:2:28: unknown field `hnag` in a step of a run\n  hint: did you mean `hang`?",
        ),
    ] {
        for command in ["lint", "run"] {
            let ended = sandbox.run(&[command, arguments]);
            let said = format!("{}{}", ended.out, ended.err);
            assert!(ended.code == Some(2) && said.contains(wanted), "{command} {arguments}: {ended:?}");
        }
    }
    let ended = sandbox.run(&["lint", "folder"]);
    let said = format!("{}{}", ended.out, ended.err);
    assert_eq!(said.matches("unknown field `hnag`").count(), 1, "a mistake is said once: {said}");
}

#[test]
fn an_agent_that_never_asks_its_daemon_is_told_so() {
    let sandbox = Sandbox::with(&[("suite.yaml", &suite("{}", ""))]);
    let (_, file, _) = sandbox.run_suite(&["suite.yaml", "--", "true"]);
    assert_eq!(verdicts(&file), [("p", "failed", vec!["daemon-never-asked"])]);
    let explained = sandbox.run(&["explain", "daemon-never-asked"]);
    assert!(explained.out.contains("no request reached the daemon of the case"), "{explained:?}");
    // What a suite makes lighter fails nothing.
    let lighter = suite("{}", "") + "findings: {daemon-never-asked: note}\n";
    sandbox.write("suite.yaml", lighter.as_bytes());
    assert_eq!(sandbox.run(&["run", "suite.yaml", "--", "true"]).code, Some(0));
    let served = sandbox.run(&["serve", "--scenarios", "suite.yaml", "--port", "0"]);
    assert!(
        served.code == Some(2) && served.err.contains("`rehearsal daemon --script FILE` plays"),
        "{served:?}"
    );
    // Faults of the wire to a model find nothing to break.
    assert_eq!(sandbox.run(&["run", "suite.yaml", "--faults", "sse-crlf", "--", "true"]).code, Some(0));
}
