//! Reports as others read them: files are whole, and readers from the Python package index must find in JUnit and SARIF what run.json says.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::{said, scratch, venv};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A class of which the agent passes one case, and one that it fails.
const SUITE: &str = r#"
version: 1
classes:
  talk:
    script: [{text: Hello there.}]
    phrasings:
      - {id: hello, prompt: Say hello., expect_agent: {output_contains: Hello there}}
      - {id: bye, prompt: Say bye., expect_agent: {output_contains: Goodbye}}
  tool:
    script:
      - tool_calls: [{name: write_file, arguments: {path: a.txt, content: "a\n"}}]
      - {text: Written.}
    phrasings: [{id: write, prompt: Write a.txt., expect_agent: {files: {a.txt: "a\n"}}}]
"#;

/// The readers, and where a person finds their versions.
const READERS: &str = "fluidattacks_core.sarif, junitparser";
const REQUIREMENTS: &str = "crates/rehearsal/tests/readers/requirements.txt";
const INSPECT: &str = "crates/rehearsal/tests/readers/inspect.txt";

/// A workflow with a case of each verdict that a file can bring about.
const WORKFLOW: &str = r#"
version: 1
workflow: w
permissions: [workspace:read, process:exec]
cases:
  - {id: good, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}
  - {id: bad, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: true}}]}
  - {id: slow, outcome: success, time_limit: 300ms, steps: [{use: exec, with: {command: [sleep, "1000"]}}]}
  - {id: lost, outcome: success, steps: [{use: exec, with: {command: [no-such-program-anywhere]}}]}
  - {id: left, outcome: success, skip: later, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}
"#;

/// A test that is given the interpreter of the readers.
type Reading = fn(&Path);

fn main() {
    let python = venv::python_with(READERS);
    let tests: &[(&str, Reading)] = &[
        ("readers_count_what_the_run_file_counts", readers_count_what_the_run_file_counts),
        ("readers_tell_broken_cases_and_rounds_apart", readers_tell_broken_cases_and_rounds_apart),
        (
            "the_readers_do_complain_about_a_file_that_is_wrong",
            the_readers_do_complain_about_a_file_that_is_wrong,
        ),
    ];
    let trials = tests.iter().map(|(name, test)| {
        let python = python.clone();
        Trial::ignorable_test(*name, move || {
            let Some(python) = python else {
                return Ok(Completion::ignored_with(venv::missing("the readers are", REQUIREMENTS)));
            };
            test(&python);
            Ok(Completion::Completed)
        })
    });
    let inspect = Trial::ignorable_test("inspect_reads_what_the_run_file_says", || {
        let Some(python) = venv::python_with("inspect_ai") else {
            return Ok(Completion::ignored_with(venv::missing("Inspect is", INSPECT)));
        };
        inspect_reads_what_the_run_file_says(&python);
        Ok(Completion::Completed)
    });
    let plain = Trial::test("a_report_goes_to_standard_output_or_whole_into_a_file", || {
        a_report_goes_to_standard_output_or_whole_into_a_file();
        Ok(())
    });
    libtest_mimic::run(&Arguments::from_args(), trials.chain([inspect, plain]).collect()).exit();
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers").join(name)
}

fn rehearsal(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rehearsal")).args(arguments).current_dir(folder).output().unwrap()
}

/// Runs the suite with the agent that fails some of it, and gives the folder of the run.
fn ran(python: &Path, folder: &Path) -> PathBuf {
    fs::create_dir(folder.join("my tests")).unwrap();
    fs::write(folder.join("my tests/suite.yaml"), SUITE).unwrap();
    let (python, agent) = (python.display().to_string(), source("agent.py").display().to_string());
    let ended = rehearsal(folder, &["run", "my tests/suite.yaml", "--data", "data", "--", &python, &agent]);
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    fs::read_dir(folder.join("data/runs")).unwrap().next().unwrap().unwrap().path()
}

fn run_file(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("run.json")).unwrap()).unwrap()
}

/// Renders a run in both formats, each to a file of its own.
fn render(folder: &Path, run: &Path, code: i32) {
    for (format, file) in [("junit", "junit.xml"), ("sarif", "out.sarif")] {
        let ended =
            rehearsal(folder, &["report", run.to_str().unwrap(), "--format", format, "--output", file]);
        assert_eq!((ended.status.code(), said(&ended)), (Some(code), String::new()), "{format}");
    }
}

fn read(python: &Path, folder: &Path) -> Output {
    Command::new(python)
        .arg(source("count.py"))
        .args(["junit.xml", "out.sarif"])
        .current_dir(folder)
        .output()
        .unwrap()
}

fn counts(python: &Path, folder: &Path) -> Value {
    let ended = read(python, folder);
    assert!(ended.status.success(), "{}", said(&ended));
    serde_json::from_slice(&ended.stdout).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn with_verdict<'v>(file: &'v Value, verdict: &str) -> Vec<&'v Value> {
    list(&file["cases"]).iter().filter(|case| case["verdict"] == verdict).collect()
}

/// What the readers must find, from the run file alone.
fn expected(file: &Value) -> Value {
    let (mut levels, mut kinds) = (BTreeMap::<&str, usize>::new(), BTreeMap::new());
    let (mut notes, mut notifications) = (0, 0);
    for case in list(&file["cases"]) {
        let findings = list(&case["findings"]);
        let broken = case["verdict"] == "broken";
        for finding in findings {
            let severity = finding["severity"].as_str().unwrap();
            notes += usize::from(severity != "error");
            notifications += usize::from(broken);
            if !broken {
                *levels.entry(severity).or_default() += 1;
            }
        }
        let first = findings.iter().find(|finding| finding["severity"] == "error");
        let kind: Vec<_> = first.iter().map(|finding| &finding["code"]).collect();
        let round = if file["repeat"] == 1 { String::new() } else { format!(" (round {})", case["round"]) };
        let (class, phrasing) = (case["class"].as_str().unwrap(), case["phrasing"].as_str().unwrap());
        kinds.insert(format!("{class}/{phrasing}{round}"), json!(kind));
    }
    let rules: Vec<_> = list(&file["codes"]).iter().map(|code| &code["code"]).collect();
    json!({
        "junit": {
            "tests": list(&file["cases"]).len(),
            "failures": with_verdict(file, "failed").len(),
            "errors": with_verdict(file, "broken").len(),
            "kinds": kinds,
            "notes": notes,
        },
        "sarif": {
            "levels": levels,
            "rules": rules,
            "successful": with_verdict(file, "broken").is_empty(),
            "notifications": notifications,
            "uris": ["my%20tests/suite.yaml"],
        },
    })
}

fn readers_count_what_the_run_file_counts(python: &Path) {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "readers/counts");
    let run = ran(python, &folder);
    let file = run_file(&run);
    assert_eq!((with_verdict(&file, "passed").len(), with_verdict(&file, "failed").len()), (1, 2));
    render(&folder, &run, 1);
    assert_eq!(counts(python, &folder), expected(&file));
}

fn inspect_reads_what_the_run_file_says(python: &Path) {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "readers/inspect");
    fs::write(folder.join("w.yaml"), WORKFLOW).unwrap();
    let flags = ["run", "w.yaml", "--data", "data", "--repeat", "2", "--report", "inspect=log.json"];
    let ended = rehearsal(&folder, &flags);
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    let read = Command::new(python)
        .arg(source("inspect_log.py"))
        .arg("log.json")
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(read.status.success(), "{}", said(&read));
    let log: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!((&log["status"], &log["accuracy"]), (&json!("error"), &json!(1.0 / 3.0)), "{log}");
    let samples = list(&log["samples"]);
    for (id, value, said) in [
        ("w/good", json!("C"), ""),
        ("w/bad", json!("I"), "step-expectation"),
        ("w/slow", json!("I"), "step-timed-out"),
        ("w/lost", Value::Null, "no-such-program-anywhere"),
        ("w/left", json!("N"), "later"),
    ] {
        let own: Vec<_> = samples.iter().filter(|sample| sample["id"] == id).collect();
        assert_eq!(
            own.iter().map(|sample| &sample["epoch"]).collect::<Vec<_>>(),
            [&json!(1), &json!(2)],
            "{id}"
        );
        for sample in own {
            let told = if value.is_null() { &sample["error"] } else { &sample["explanation"] };
            assert_eq!(sample["value"], value, "{sample}");
            assert!(told.as_str().unwrap().contains(said), "{sample}");
        }
    }
}

fn a_report_goes_to_standard_output_or_whole_into_a_file() {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "readers/files");
    fs::write(folder.join("suite.yaml"), SUITE).unwrap();
    let ended = rehearsal(&folder, &["run", "suite.yaml", "--data", "data"]);
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    let runs = fs::read_dir(folder.join("data/runs")).unwrap().next().unwrap().unwrap().path();
    let run = runs.to_str().unwrap();
    for report in rehearsal_report::REPORTS {
        let shown = rehearsal(&folder, &["report", run, "--format", report.name]);
        let filed = rehearsal(&folder, &["report", run, "--format", report.name, "--output", "report"]);
        assert_eq!((shown.status.code(), filed.status.code()), (Some(1), Some(1)), "{}", report.name);
        assert_eq!(said(&filed), "", "{}", report.name);
        assert_eq!(fs::read_to_string(folder.join("report")).unwrap(), said(&shown), "{}", report.name);
        // A run without faults has nothing to say of how they were taken.
        let wanted = if report.name == "resilience" { "\"faults\"" } else { "talk" };
        assert!(said(&shown).contains(wanted), "{}: {}", report.name, said(&shown));
    }
    let nowhere = rehearsal(&folder, &["report", run, "--output", "no/such/folder/report"]);
    assert_eq!(nowhere.status.code(), Some(3));
    assert!(said(&nowhere).contains("no/such/folder/report cannot be written"), "{}", said(&nowhere));
}

/// The same run, its file changed to hold what the suite cannot bring about at will: a broken case, two rounds of
/// another, warnings, and texts that want to break out.
fn readers_tell_broken_cases_and_rounds_apart(python: &Path) {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "readers/broken");
    let run = ran(python, &folder);
    let mut file = run_file(&run);
    let finding = |severity: &str, code: &str| {
        json!({
            "code": code, "severity": severity, "exchanges": [1, 3],
            "message": "it said ]]></failure> & \u{1b}[31m\u{0}\u{fffe}\nand {0} [click](here)",
            "also": ["<script>\"'", "größer \u{202e}"],
        })
    };
    let mut again = with_verdict(&file, "failed")[0].clone();
    again["round"] = json!(2);
    again["verdict"] = json!("passed");
    // Warnings without consequences: each is one line for the reader that counts lines.
    let mut warning = finding("warning", "tried-to-leave");
    warning["also"] = json!([]);
    again["findings"] = json!([warning]);
    let cases = file["cases"].as_array_mut().unwrap();
    cases[0]["verdict"] = json!("broken");
    cases[0]["findings"] = json!([finding("error", "world-failed")]);
    cases.push(again);
    file["repeat"] = json!(2);
    for code in ["world-failed", "tried-to-leave"] {
        let codes = file["codes"].as_array_mut().unwrap();
        codes.push(json!({"code": code, "meaning": "what <it> means", "remedy": "what to do"}));
    }
    let changed = folder.join("changed");
    fs::create_dir(&changed).unwrap();
    fs::write(changed.join("run.json"), file.to_string()).unwrap();
    render(&folder, &changed, 1);
    assert_eq!(counts(python, &folder), expected(&file));
}

/// Else their silence would mean nothing.
fn the_readers_do_complain_about_a_file_that_is_wrong(python: &Path) {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "readers/wrong");
    let run = ran(python, &folder);
    render(&folder, &run, 1);
    let mistakes = [
        ("out.sarif", "\"level\": \"error\"", "\"level\": \"fatal\""),
        ("out.sarif", "\"ruleIndex\"", "\"ruleNumber\""),
        ("out.sarif", "\"startLine\": ", "\"startLine\": -"),
        ("out.sarif", "\"executionSuccessful\": true", "\"executionSuccessful\": null"),
        ("junit.xml", "</testcase>", ""),
        ("junit.xml", "failures=\"2\"", "failures=\"3\""),
    ];
    for (file, right, wrong) in mistakes {
        let path = folder.join(file);
        let whole = fs::read_to_string(&path).unwrap();
        let changed = whole.replacen(right, wrong, 1);
        assert_ne!(changed, whole, "{right}");
        fs::write(&path, changed).unwrap();
        assert!(!read(python, &folder).status.success(), "{wrong} was taken");
        fs::write(&path, whole).unwrap();
    }
    assert!(read(python, &folder).status.success());
}
