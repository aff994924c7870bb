//! The `agent` step: an agent at work inside a workflow case, judged as ever, and what it left judged by the steps after it.

#[cfg(unix)]
use super::ends::{none_left, seconds};
use super::{end, flow, said, step, verified};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const SUITE: &str = r##"
version: 1
classes:
  notes:
    script:
      - tool_calls: [{name: write_file, arguments: {path: notes.md, content: "# Notes\n"}}]
      - {text: Written.}
    phrasings: [{id: notes, prompt: Write notes.md., expect_agent: {tools_called: [write_file]}}]
  text: {script: [{text: Hello there.}], phrasings: [{id: text, prompt: Say hello.}]}
"##;

const CASES: &str = r##"
  - id: notes
    outcome: success
    steps:
      - {use: agent, with: {phrasing: notes}, expect: {files: [notes.md], refused: 0, calls: [write_file], status: 0}}
      - {use: file, with: {path: notes.md}, expect: {text: "# Notes\n"}}
  - id: fault
    outcome: recovered
    steps:
      - {use: agent, with: {phrasing: notes, fault: "429-retry-after-seconds"}, expect: {files: [notes.md], retries: {ge: 1}}}
      - {use: file, with: {path: notes.md}, expect: {text: "# Notes\n"}}
"##;

/// An agent that asks once, in a body that is cut.
const CUTS: &str = r#"
import os, urllib.error, urllib.request
key = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
try:
    urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b'{"model": 3', key))
except urllib.error.HTTPError as error:
    print("all is well", error.code)
"#;

/// An agent that writes the file and asks nobody.
const CHEATS: &str = "import os\nopen('notes.md', 'w').write('# Notes\\n')\nprint('Written.')\n";

fn suite(cases: &str) -> Sandbox {
    let flow = flow(cases);
    let files = [("s/suite.yaml", SUITE), ("s/flow.yaml", &flow), ("cuts.py", CUTS), ("cheats.py", CHEATS)];
    Sandbox::with(&files)
}

fn names(file: &Value) -> Vec<&str> {
    file["cases"].as_array().unwrap().iter().map(|case| case["phrasing"].as_str().unwrap()).collect()
}

#[test]
fn what_an_agent_leaves_is_what_later_steps_see() {
    let sandbox = suite(CASES);
    let (ended, file, folder) = sandbox.run_suite(&["--data", ".rehearsal", "s"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(names(&file), ["text", "w/notes", "w/fault"], "what a step plays is no case by itself");
    assert_eq!(step(&file, "w/fault", "agent")["proofs"], json!(["fault_injected"]));
    let journals = super::case(&file, "w/notes")["workflow"]["journals"].as_array().unwrap();
    assert_eq!(journals[0]["journal"], "w/notes:agent");
    assert_eq!(super::case(&file, "w/notes")["requests"], 2);
    verified(&sandbox, &folder);

    for (pattern, ran) in
        [("notes", &["notes"][..]), ("w/notes", &["w/notes"]), ("*notes", &["notes", "w/notes"])]
    {
        let (ended, file, _) = sandbox.run_suite(&["--data", ".rehearsal", "s", "--case", pattern]);
        assert_eq!((ended.code, names(&file)), (Some(0), ran.to_vec()), "{pattern}");
    }
}

#[test]
fn an_agent_that_misbehaves_fails_its_case_with_its_own_finding() {
    let sandbox = suite(CASES);
    let script = sandbox.path("cuts.py").display().to_string();
    let (ended, file, folder) =
        sandbox.run_suite(&["--data", ".rehearsal", "s", "--case", "w/*", "--", "python3", &script]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    for name in ["w/notes", "w/fault"] {
        let (verdict, codes) = end(&file, name);
        assert_eq!((verdict, codes[0]), ("failed", "json"), "{codes:?}");
        let steps = super::case(&file, name)["workflow"]["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 1, "nothing goes on from there");
    }
    verified(&sandbox, &folder);
    let told = sandbox.run(&["report", folder.to_str().unwrap()]);
    assert!(told.out.contains("could not parse the JSON body"), "{}", told.out);

    // The file is there, and so all that the steps ask for; but nobody spoke to the model.
    let script = sandbox.path("cheats.py").display().to_string();
    let (ended, file, _) =
        sandbox.run_suite(&["--data", ".rehearsal", "s", "--case", "w/notes", "--", "python3", &script]);
    let (verdict, codes) = end(&file, "w/notes");
    assert_eq!((ended.code, verdict), (Some(1), "failed"));
    assert!(codes.contains(&"never-asked"), "{codes:?}");
}

#[cfg(unix)]
#[test]
fn an_agent_that_hangs_is_ended_at_the_time_limit_of_its_step_with_all_that_it_started() {
    let sandbox = suite(
        "  - {id: slow, outcome: success, steps: [{use: agent, time_limit: 1s, with: {phrasing: notes}}]}\n  - {id: next, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: x}}]}\n",
    );
    let seconds = seconds();
    let script = format!("setsid sleep {seconds} & sleep {seconds}");
    let flags = ["--data", ".rehearsal", "s", "--case", "w/*", "--jobs", "1", "--", "sh", "-c", &script];
    let (ended, file, folder) = sandbox.run_suite(&flags);
    none_left(&seconds);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(end(&file, "w/slow"), ("timeout", vec!["step-timed-out"]));
    assert_eq!(end(&file, "w/next"), ("passed", vec![]));
    verified(&sandbox, &folder);
}

#[test]
fn several_agents_of_one_case_have_journals_of_their_own_and_one_workspace() {
    let sandbox = suite(
        r#"
  - id: two
    outcome: success
    steps:
      - {use: agent, id: first, with: {phrasing: notes}, expect: {files: [notes.md]}}
      - {use: file, id: change, with: {path: notes.md, content: other}}
      - {use: agent, id: second, with: {phrasing: notes}, expect: {files: [notes.md], requests: "${first.requests}"}}
      - {use: agent, id: third, with: {phrasing: text}, expect: {files: [], calls: []}}
"#,
    );
    let (ended, file, folder) = sandbox.run_suite(&["--data", ".rehearsal", "s", "--case", "w/two"]);
    assert_eq!(end(&file, "w/two"), ("passed", vec![]), "{}{}", said(&file, "w/two"), ended.err);
    let journals = super::case(&file, "w/two")["workflow"]["journals"].as_array().unwrap();
    let names: Vec<_> = journals.iter().map(|journal| journal["journal"].as_str().unwrap()).collect();
    assert_eq!(names, ["w/two:first", "w/two:second", "w/two:third"]);
    verified(&sandbox, &folder);
}

#[test]
fn an_agent_that_met_no_fault_has_recovered_from_none() {
    // A stream that is cut, where none is asked for.
    let sandbox = suite(
        "  - {id: unmet, outcome: recovered, steps: [{use: agent, with: {phrasing: notes, fault: cut-clean}}, {use: file, with: {path: notes.md}, expect: {exists: true}}]}\n",
    );
    let (ended, file, _) = sandbox.run_suite(&["--data", ".rehearsal", "s", "--case", "w/*"]);
    assert_eq!((ended.code, end(&file, "w/unmet")), (Some(1), ("failed", vec!["not-proven"])));
    assert!(said(&file, "w/unmet").contains("no step broke anything"));
}

#[test]
fn an_agent_step_names_what_there_is() {
    for (with, words) in [
        (
            "{phrasing: nodes}",
            &["no phrasing of this suite is called \"nodes\"", "did you mean `notes`?"][..],
        ),
        ("{phrasing: notes, fault: cut-claen}", &["cut-claen", "cut-clean"]),
        ("{phrasing: notes, fault: 'cut-clean,cut-reset'}", &["one fault"]),
        ("{phrasing: notes, fault: 'cut-clean:at=x'}", &["at"]),
        ("{phrasing: '${file.text}'}", &["without references"]),
        ("{}", &["needs the input `phrasing`"]),
    ] {
        let sandbox = suite(&format!(
            "  - {{id: c, outcome: success, steps: [{{use: file, with: {{path: a, content: notes}}}},\n      {{use: agent, with: {with}}}]}}\n"
        ));
        let ended = sandbox.run(&["run", "s"]);
        assert_eq!(ended.code, Some(2), "{with}: {ended:?}");
        assert!(ended.err.contains("flow.yaml:6:"), "{with}: {}", ended.err);
        for words in words {
            assert!(ended.err.contains(words), "{with}: {words} is not in {}", ended.err);
        }
        let linted = sandbox.run(&["lint", "s"]);
        assert_eq!(linted.code, Some(2), "{with}: {linted:?}");
    }
}
