//! The six ends of a case: what brings each about, which exit code follows, and that every report tells them apart.

use super::{end, said, sandbox, step, verified};
use crate::sandbox::{Sandbox, finish};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A number of seconds that only one test's sleepers have on their command line.
#[cfg(unix)]
pub(super) fn seconds() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("1000.{}{:03}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Sees that no process is left that has this word on its command line.
#[cfg(unix)]
pub(super) fn none_left(word: &str) {
    let told = std::process::Command::new("ps").args(["-A", "-o", "pid=,stat=,args="]).output().unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let left: Vec<_> = told.lines().filter(|line| line.contains(word) && !line.contains(" Z")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(unix)]
#[test]
fn what_takes_too_long_is_ended_with_all_that_it_started_and_the_run_goes_on() {
    let seconds = seconds();
    let text = r#"
  - id: step
    outcome: success
    steps:
      - use: exec
        time_limit: 1s
        with: {command: [sh, -c, "sleep SECONDS & setsid sleep SECONDS & (setsid sh -c 'sleep SECONDS & sleep SECONDS' &) ; sleep SECONDS"]}
      - {use: exec, id: never, with: {command: [echo, never]}}
  - {id: deaf, outcome: success, steps: [{use: exec, time_limit: 300ms, with: {command: [sh, -c, "trap '' TERM INT HUP; sleep SECONDS; sleep SECONDS"]}}]}
  - {id: case, time_limit: 300ms, outcome: success, steps: [{use: exec, with: {command: [sleep, 'SECONDS']}}]}
  - {id: refusing, outcome: failure, refusal: {step: exec, code: E_EXIT}, steps: [{use: exec, time_limit: 300ms, with: {command: [sleep, 'SECONDS']}}]}
  - {id: negative, control: negative, outcome: success, steps: [{use: exec, time_limit: 300ms, with: {command: [sleep, 'SECONDS']}}]}
  - {id: cheat, control: cheat, outcome: success, steps: [{use: exec, time_limit: 300ms, with: {command: [sleep, 'SECONDS']}}]}
  - {id: next, outcome: success, steps: [{use: exec, with: {command: [echo, here]}, expect: {stdout: "here\n"}}]}
"#
    .replace("SECONDS", &seconds);
    let sandbox = sandbox(&text);
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml", "--jobs", "1"]);
    none_left(&seconds);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    for name in ["w/step", "w/deaf", "w/case", "w/refusing", "w/negative"] {
        assert_eq!(end(&file, name), ("timeout", vec!["step-timed-out"]), "{name}");
    }
    assert!(said(&file, "w/step").contains("its time limit of 1s"), "{}", said(&file, "w/step"));
    assert!(said(&file, "w/case").contains("the case took longer"), "{}", said(&file, "w/case"));
    assert_eq!(super::case(&file, "w/step")["steps"], serde_json::json!([0, 2]));
    assert_eq!(end(&file, "w/cheat"), ("passed", vec![]), "a cheat that hangs has not passed");
    assert_eq!(end(&file, "w/next"), ("passed", vec![]));
    verified(&sandbox, &folder);
}

#[cfg(unix)]
#[test]
fn what_a_program_leaves_behind_ends_with_its_step_and_a_service_with_its_case() {
    let seconds = seconds();
    let text = r#"
  - id: left
    outcome: success
    steps:
      - {use: exec, with: {command: [sh, -c, "sleep SECONDS >/dev/null 2>&1 & setsid sleep SECONDS >/dev/null 2>&1 & echo begun"]}, expect: {stdout: "begun\n"}}
      - {use: exec, id: look, with: {command: [sh, -c, "ps -A -o args= | grep -c '[s]leep SECONDS'"], may_fail: true}, expect: {stdout: "0\n"}}
  - id: service
    outcome: success
    steps:
      - {use: file, with: {path: serve.py, content: "import http.server, subprocess, sys\nsubprocess.Popen(['setsid', 'sleep', 'SECONDS'])\nhttp.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()\n"}}
      - {use: service, with: {command: [python3, serve.py, "{port}"]}, expect: {ready: true}}
  - id: deaf-service
    outcome: success
    steps:
      - {use: file, with: {path: serve.py, content: "import http.server, signal, subprocess, sys\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsubprocess.Popen(['sleep', 'SECONDS'])\nhttp.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()\n"}}
      - {use: service, with: {command: [python3, serve.py, "{port}"]}, expect: {ready: true}}
  - id: service-of-a-failure
    outcome: success
    steps:
      - {use: file, with: {path: serve.py, content: "import http.server, subprocess, sys\nsubprocess.Popen(['sleep', 'SECONDS'])\nhttp.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()\n"}}
      - {use: service, with: {command: [python3, serve.py, "{port}"]}, expect: {ready: true}}
      - {use: exec, with: {command: ["false"]}}
"#
    .replace("SECONDS", &seconds);
    let (ended, file, _) = sandbox(&text).run_suite(&["flow.yaml"]);
    none_left(&seconds);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    for name in ["w/left", "w/service", "w/deaf-service"] {
        assert_eq!(end(&file, name), ("passed", vec![]), "{name}: {}", said(&file, name));
    }
    assert_eq!(end(&file, "w/service-of-a-failure"), ("failed", vec!["step-refused"]));
}

#[test]
fn what_is_skipped_is_no_pass_and_no_failure_unless_that_is_asked() {
    let skipped = "  - {id: off, skip: not today, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n  - {id: lacks, needs: [sh, no-such-program-of-ours], outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n";
    let passed = "  - {id: fine, needs: [sh], outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n";
    let all = sandbox(skipped);
    let (ended, file, folder) = all.run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    assert_eq!((end(&file, "w/off").0, end(&file, "w/lacks").0), ("skipped", "skipped"));
    let reason = |name: &str| super::case(&file, name)["workflow"]["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason("w/off"), "not today");
    assert_eq!(reason("w/lacks"), "there is no program no-such-program-of-ours on PATH");
    assert_eq!(all.run(&["report", folder.to_str().unwrap()]).code, Some(4));
    verified(&all, &folder);

    let some = sandbox(&[skipped, passed].concat());
    for (flags, code) in [(&["flow.yaml"][..], 0), (&["flow.yaml", "--strict-skips"], 1)] {
        let (ended, file, folder) = some.run_suite(flags);
        assert_eq!(ended.code, Some(code), "{flags:?} {}", ended.err);
        assert_eq!((end(&file, "w/off").0, end(&file, "w/fine").0), ("skipped", "passed"));
        assert_eq!(some.run(&["report", folder.to_str().unwrap()]).code, Some(code), "{flags:?}");
    }
    let (ended, ..) = all.run_suite(&["flow.yaml", "--strict-skips"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
}

/// One case for each end that this system can bring about.
const ALL: &str = r#"
  - {id: good, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}
  - {id: bad, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: y}}]}
  - {id: late, outcome: success, steps: [{use: exec, time_limit: 200ms, with: {command: [python3, -c, "import time; time.sleep(1000)"]}}]}
  - {id: world, outcome: success, steps: [{use: exec, with: {command: [no-such-program-of-ours]}}]}
  - {id: off, skip: not today, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}
"#;

/// Each case of it with its verdict, and with the word that the table has for that.
const ENDS: [(&str, &str, &str); 5] = [
    ("w/good", "passed", "PASS"),
    ("w/bad", "failed", "FAIL"),
    ("w/late", "timeout", "LIMIT"),
    ("w/world", "broken", "BROKEN"),
    ("w/off", "skipped", "SKIP"),
];

/// A run of them all, and one that another system might have written, in which `w/good` is not supported.
struct Reported {
    sandbox: Sandbox,
    file: Value,
    folder: PathBuf,
    other: PathBuf,
}

impl Reported {
    fn new() -> Self {
        let sandbox = sandbox(ALL);
        let (ended, file, folder) = sandbox.run_suite(&["flow.yaml"]);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        for (name, verdict, _) in ENDS {
            assert_eq!(end(&file, name).0, verdict, "{name}");
        }
        let mut odd: Value = file.clone();
        odd["cases"][0]["verdict"] = "unsupported".into();
        odd["cases"][0]["workflow"]["reason"] = "there is no such thing here".into();
        let other = sandbox.path("other");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join("run.json"), odd.to_string()).unwrap();
        Self { sandbox, file, folder, other }
    }

    /// The report in a format; its exit code is that of the run.
    fn told(&self, format: &str, folder: &Path) -> String {
        let ended = self.sandbox.run(&["report", folder.to_str().unwrap(), "--format", format]);
        assert_eq!(ended.code, Some(1), "{format}: {ended:?}");
        ended.out
    }
}

#[test]
fn reports_for_people_tell_the_ends_apart_with_the_reasons() {
    let run = Reported::new();
    for format in ["terminal", "markdown"] {
        let out = run.told(format, &run.folder);
        for (name, verdict, word) in ENDS {
            let shown = if format == "terminal" { word } else { verdict };
            let row = out.lines().find(|line| line.contains(name) && line.contains(shown));
            assert!(row.is_some(), "{format} has no row of {name} with {shown}:\n{out}");
        }
        assert!(out.contains("not today"), "{format}: {out}");
        let out = run.told(format, &run.other);
        let shown = if format == "terminal" { "N/A" } else { "unsupported" };
        assert!(out.contains(shown) && out.contains("there is no such thing here"), "{format}: {out}");
    }
}

#[test]
fn junit_and_json_tell_the_ends_apart() {
    let run = Reported::new();
    let junit = run.told("junit", &run.folder);
    let element = |name: &str, text: &str| {
        let (_, rest) =
            text.split_once(&format!("name=\"{name}\"")).unwrap_or_else(|| panic!("{name}: {text}"));
        rest.split_once("<testcase").map_or(rest, |(own, _)| own).to_owned()
    };
    for (name, tag, words) in [
        ("w/bad", "<failure", "step-expectation"),
        ("w/late", "<failure", "step-timed-out"),
        ("w/world", "<error", "step-failed"),
        ("w/off", "<skipped message=\"not today\"", "type=\"skipped\""),
    ] {
        let element = element(name, &junit);
        assert!(element.contains(tag) && element.contains(words), "{name}: {junit}");
    }
    let unsupported = element("w/good", &run.told("junit", &run.other));
    assert!(
        unsupported.contains("<skipped") && unsupported.contains("type=\"unsupported\""),
        "{unsupported}"
    );
    let json: Value = serde_json::from_str(&run.told("json", &run.folder)).unwrap();
    assert_eq!(json, run.file);
}

#[test]
fn sarif_has_results_of_what_was_judged_and_a_notification_of_what_could_not_be() {
    let run = Reported::new();
    let sarif: Value = serde_json::from_str(&run.told("sarif", &run.folder)).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let line = |rule: &str| {
        let result = results.iter().find(|result| result["ruleId"] == rule).unwrap();
        result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap()
    };
    assert_eq!((results.len(), line("step-expectation"), line("step-timed-out")), (2, 7, 8));
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let broken = &invocation["toolExecutionNotifications"][0];
    assert_eq!(broken["associatedRule"]["id"], "step-failed", "{invocation:#}");
}

#[test]
fn the_table_shows_what_did_not_end_as_declared_and_where_its_files_are() {
    let sandbox = sandbox(ALL);
    let ended = finish(sandbox.command(&["run", "flow.yaml"]).spawn().unwrap());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.out.contains("`text` is \"x\", and must be \"y\""), "{}", ended.out);
    assert!(ended.out.contains("1 passed") && ended.out.contains("1 skipped"), "{}", ended.out);
}

#[test]
fn the_folder_of_a_case_is_kept_where_it_did_not_pass_and_taken_away_where_it_did() {
    let sandbox = sandbox(
        "  - {id: good, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n  - {id: bad, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: y}}]}\n",
    );
    let (_, file, folder) = sandbox.run_suite(&["flow.yaml"]);
    let kept = super::case(&file, "w/bad")["workflow"]["kept"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(folder.join(kept).join("workspace/a")).unwrap(), "x");
    assert_eq!(super::case(&file, "w/good")["workflow"].get("kept"), None);
    assert_eq!(std::fs::read_dir(folder.join("cases")).unwrap().count(), 1);
    assert_eq!(step(&file, "w/bad", "file")["observed"]["text"], "x");
}

/// `--fail-fast` and workflows; a sandbox of its own as the order of cases counts.
#[test]
fn the_first_case_that_does_not_pass_ends_the_run_where_that_is_asked_and_a_skip_does_not() {
    let text = super::flow(
        "  - {id: off, skip: x, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n  - {id: bad, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: y}}]}\n  - {id: good, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n",
    );
    let sandbox = Sandbox::with(&[("flow.yaml", &text)]);
    let (ended, file, _) = sandbox.run_suite(&["flow.yaml", "--fail-fast", "--jobs", "1"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let ran: Vec<_> = file["cases"].as_array().unwrap().iter().map(|case| &case["phrasing"]).collect();
    assert_eq!(ran, ["w/off", "w/bad"]);
    assert_eq!(file["ended_early"], true);
}
