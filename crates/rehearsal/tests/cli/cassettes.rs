//! Suites whose provider is a recording: what was recorded passes, and what is otherwise is told.

use crate::replaying::Server;
use crate::sandbox::{SUITE, Sandbox, verdicts};
use crate::scripting::agent;
use crate::serving::Provider;
use serde_json::Value;

/// A case of a suite that is played by recordings.
fn suite(cassette: &str, prompt: &str, expected: &str) -> String {
    format!(
        "version: 1\nclasses:\n  tool:\n    cassette: {cassette}\n    phrasings: [{{id: p, prompt: {prompt}, expect_agent: {{{expected}}}}}]\n"
    )
}

const TOOL: &str = "{path: rec, case: tool}";
const WORK: &str = r#"files: {a.txt: "a\n"}, output_contains: Written"#;

/// The built-in agent's two cases, recorded before the stand-in: a tool round, and a text.
fn recorded() -> Sandbox {
    record(SUITE, &[("tool", "Write a.txt."), ("text", "Say hello.")])
}

/// What the built-in agent asks and is answered, each prompt on its lane.
fn record(suite: &str, asked: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(&[("scripted.yaml", suite)]);
    let provider = Provider::start(&sandbox, &["--scenarios", "scripted.yaml"]);
    let url = format!("http://{}", provider.address);
    let record = Server::start(&sandbox, &["record", "--data", "rec", "--upstream", &url]);
    for (lane, prompt) in asked {
        assert_eq!(agent(&sandbox, record.address, lane, prompt).code, Some(0));
    }
    assert_eq!(record.end().code, Some(0));
    sandbox
}

/// The only case of a run, and its only finding's message.
fn only(file: &Value) -> (&Value, &str) {
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 1, "{file:#}");
    (&cases[0], cases[0]["findings"][0]["message"].as_str().unwrap_or_default())
}

#[test]
fn an_agent_that_does_what_was_recorded_passes_and_leaves_the_same_journal_each_time() {
    let sandbox = recorded();
    sandbox.write("suite.yaml", suite(TOOL, "Write a.txt.", WORK).as_bytes());
    assert_eq!(sandbox.run(&["lint", "suite.yaml"]).out, "1 file without mistakes, 0 warnings\n");
    let (ended, one, folder) = sandbox.run_suite(&["suite.yaml"]);
    assert_eq!(verdicts(&one), [("p", "passed", vec![])], "{ended:?} {one:#}");
    assert_eq!(only(&one).0["steps"], serde_json::json!([2, 2]));
    let journal = std::fs::read_to_string(folder.join("journals/p.jsonl")).unwrap();
    assert!(journal.contains(r#""event":"cassette_played","recordings":2,"#), "{journal}");
    assert_eq!(sandbox.run(&["verify", folder.to_str().unwrap()]).code, Some(0));
    let (_, two, _) = sandbox.run_suite(&["suite.yaml", "--seed", "1"]);
    assert_eq!(one["normalised"], two["normalised"]);
    let (ended, many, _) = sandbox.run_suite(&["suite.yaml", "--repeat", "5", "--stream"]);
    let rounds = many["cases"].as_array().unwrap();
    // The streams of the agent were not recorded.
    assert_eq!((ended.code, rounds.len()), (Some(1), 5));
    assert!(
        rounds[4]["findings"][0]["message"].as_str().unwrap().contains("stream: here true, recorded false")
    );
    let (ended, many, _) = sandbox.run_suite(&["suite.yaml", "--repeat", "5", "--netns=auto"]);
    let rounds = many["cases"].as_array().unwrap();
    assert!(ended.code == Some(0) && rounds.iter().all(|round| round["verdict"] == "passed"), "{many:#}");
}

/// Requests of this length are judged on threads of their own.
#[test]
fn a_long_request_is_answered_by_its_recording_too() {
    let long = format!("M-long {}", "0123456789".repeat(4000));
    let scripted =
        "version: 1\nclasses: {c: {script: [{text: Read.}], phrasings: [{id: p, marker: M-long}]}}\n";
    let sandbox = record(scripted, &[("long", &long)]);
    sandbox.write("suite.yaml", suite("rec", &long, "output_contains: Read").as_bytes());
    let (ended, file, folder) = sandbox.run_suite(&["suite.yaml", "--repeat", "8"]);
    assert_eq!(ended.code, Some(0), "{file:#}");
    let journal = std::fs::read_to_string(folder.join("journals/p.jsonl")).unwrap();
    assert_eq!(journal.matches(r#""event":"answered""#).count(), 1, "{journal}");
}

#[test]
fn another_prompt_misses_the_recording_and_is_told_what_differs() {
    let sandbox = recorded();
    sandbox.write("suite.yaml", suite(TOOL, "Write b.txt.", "").as_bytes());
    let (ended, file, _) = sandbox.run_suite(&["suite.yaml"]);
    assert_eq!((ended.code, verdicts(&file)), (Some(1), vec![("p", "failed", vec!["recording-miss"])]));
    let (case, message) = only(&file);
    assert_eq!(
        message,
        "no recording answers POST /v1/chat/completions. The nearest is 0001-tool and differs in user: here \"Write b.txt.\", recorded \"Write a.txt.\". Record this call too, or let `ignore` name a part that must not count"
    );
    assert_eq!(case["steps"], serde_json::json!([0, 2]));
    let also = case["findings"][0]["also"].to_string();
    assert!(also.contains("2 of 2 recordings were never asked for: 0001-tool, 0002-tool"), "{also}");
    let (_, again, _) = sandbox.run_suite(&["suite.yaml"]);
    assert_eq!(file["normalised"], again["normalised"]);
    let ignoring = suite("{path: rec, case: tool, ignore: [user]}", "Write b.txt.", WORK);
    sandbox.write("suite.yaml", ignoring.as_bytes());
    assert_eq!(sandbox.run(&["run", "suite.yaml"]).code, Some(0));
}

#[test]
fn recordings_that_nobody_asked_for_fail_a_case_unless_they_may_be_left() {
    let sandbox = recorded();
    let lighter = "findings: {recordings-unused: warning}\n";
    for (cassette, more, code, found) in [
        ("rec", "", Some(1), &["recordings-unused"][..]),
        ("rec/private/exchanges", lighter, Some(0), &["recordings-unused"]),
        ("{path: rec, allow_unused: true, speed: 1000}", "", Some(0), &[]),
    ] {
        sandbox.write("suite.yaml", (suite(cassette, "Write a.txt.", WORK) + more).as_bytes());
        let (ended, file, _) = sandbox.run_suite(&["suite.yaml"]);
        let codes = verdicts(&file).remove(0).2;
        assert_eq!((ended.code, &*codes), (code, found), "{cassette}: {file:#}");
        let (case, message) = only(&file);
        assert_eq!(case["steps"], serde_json::json!([2, 3]));
        assert!(
            found.is_empty() || message == "1 of 3 recordings were never asked for: 0003-text",
            "{message}"
        );
    }
    let table = sandbox.run(&["run", "suite.yaml"]).out;
    assert!(table.contains("2/3"), "{table}");
}

#[test]
fn each_recording_answers_once_unless_it_is_to_be_repeated() {
    let sandbox = recorded();
    let program = env!("CARGO_BIN_EXE_rehearsal");
    let twice = format!("ls > /dev/null; {program} agent; {program} agent");
    let expected = "commands: {ran: [ls]}, output_contains: Hello there";
    for (more, code, found) in [("", Some(1), &["recording-used-up"][..]), (", repeat: true", Some(0), &[])] {
        let cassette = format!("{{path: rec, case: text{more}}}");
        sandbox.write("suite.yaml", suite(&cassette, "Say hello.", expected).as_bytes());
        let (ended, file, _) = sandbox.run_suite(&["suite.yaml", "--", "sh", "-c", &twice]);
        assert_eq!((ended.code, &*verdicts(&file).remove(0).2), (code, found), "{file:#}");
    }
}

#[test]
fn an_agent_that_asks_without_end_is_stopped() {
    let sandbox = recorded();
    let program = env!("CARGO_BIN_EXE_rehearsal");
    let endless = format!("while :; do {program} agent; done");
    let expected = "max_requests: 3, time_limit: 50s";
    let cassette = "{path: rec, case: text, repeat: true}";
    sandbox.write("suite.yaml", suite(cassette, "Say hello.", expected).as_bytes());
    let (ended, file, _) = sandbox.run_suite(&["suite.yaml", "--", "sh", "-c", &endless]);
    assert_eq!(ended.code, Some(1), "{file:#}");
    assert_eq!(verdicts(&file).remove(0).2, ["too-many-requests"], "{file:#}");
    assert!(file["cases"][0]["ran_ms"].as_u64().unwrap() < 50_000);
}

#[test]
fn scripts_and_recordings_play_side_by_side_and_no_fault_lies_over_a_recording() {
    let sandbox = recorded();
    sandbox.write("suite/scripts.yaml", SUITE.as_bytes());
    std::fs::rename(sandbox.path("rec"), sandbox.path("suite/rec")).unwrap();
    sandbox.write("suite/cassette.yaml", suite(TOOL, "Write a.txt.", WORK).as_bytes());
    let (ended, file, folder) = sandbox.run_suite(&["suite", "--data", ".rehearsal"]);
    assert_eq!((ended.code, verdicts(&file).len()), (Some(0), 4), "{file:#}");
    for case in ["p", "tool", "text", "retry"] {
        // Each answer is noted where its request is.
        let journal = std::fs::read_to_string(folder.join(format!("journals/{case}.jsonl"))).unwrap();
        let count = |event: &str| journal.matches(&format!(r#""event":"{event}""#)).count();
        assert_eq!(count("asked"), count("answered"), "{case}: {journal}");
    }
    assert_eq!(sandbox.run(&["verify", folder.to_str().unwrap()]).code, Some(0));
    let drill = [
        "suite",
        "--data",
        ".rehearsal",
        "--faults",
        "429-retry-after-seconds,mid-body-drop",
        "--case",
        "t*",
        "--case",
        "p",
    ];
    let (_, file, _) = sandbox.run_suite(&drill);
    let outcomes: Vec<_> =
        file["cases"].as_array().unwrap().iter().filter(|case| case["phrasing"] == "p").collect();
    assert_eq!(outcomes.len(), 2);
    assert!(
        outcomes.iter().all(|case| case["outcome"] == "not-met" && case["verdict"] == "passed"),
        "{file:#}"
    );
}

#[test]
fn a_cassette_that_cannot_be_played_is_a_mistake_of_its_class() {
    let sandbox = recorded();
    let told = |cassette: &str, words: &[&str]| {
        sandbox.write("suite.yaml", suite(cassette, "Write a.txt.", "").as_bytes());
        for command in ["run", "lint"] {
            let ended = sandbox.run(&[command, "suite.yaml"]);
            assert_eq!(ended.code, Some(2), "{command} {cassette}: {ended:?}");
            for word in ["suite.yaml:4:15: "].iter().chain(words) {
                assert!(ended.err.contains(word), "{word}: {ended:?}");
            }
        }
    };
    told("nowhere", &["nowhere holds no recording"]);
    told("{path: rec, case: tol}", &["no recording of a case `tol`", "did you mean `tool`?"]);
    told("suite.yaml", &["holds no recording"]);
    let ended = sandbox.run(&["run", "suite.yaml"]);
    assert!(ended.err.contains("suite.yaml holds no recording"), "{ended:?}");
    let file = sandbox.path("rec/private/exchanges/0001-tool.response");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&bytes[..], b" "].concat()).unwrap();
    told("rec", &["0001-tool.response", "was changed"]);
    std::fs::remove_file(&file).unwrap();
    told("rec", &["0001-tool.response is gone"]);
}

#[test]
fn a_server_of_scripts_plays_no_cassette() {
    let sandbox = recorded();
    sandbox.write("suite.yaml", suite(TOOL, "Write a.txt.", "").as_bytes());
    let ended = sandbox.run(&["serve", "--port", "0", "--scenarios", "suite.yaml"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("suite.yaml:4: the cassette rec is played by `rehearsal run`"), "{ended:?}");
}
