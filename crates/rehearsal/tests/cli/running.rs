//! Which cases run, how often, and what a run leaves behind beside its table.

use crate::sandbox::{SUITE, Sandbox, verdicts};
use serde_json::Value;

/// The names of the cases that ran, with their rounds.
fn rounds(file: &Value) -> Vec<(&str, u64)> {
    let cases = file["cases"].as_array().unwrap().iter();
    cases.map(|case| (case["phrasing"].as_str().unwrap(), case["round"].as_u64().unwrap())).collect()
}

#[test]
fn cases_are_named_by_patterns() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    for (patterns, names) in [
        (&["t*"][..], &["text", "tool"][..]),
        (&["*t??"], &["retry"]),
        (&["t??l", "text"], &["text", "tool"]),
        (&["tool/tool"], &["tool"]),
        (&["retry/*"], &["retry"]),
        (&["*"], &["text", "tool", "retry"]),
    ] {
        let flags = patterns.iter().flat_map(|pattern| ["--case", *pattern]);
        let (ended, file, _) =
            sandbox.run_suite(&["suite.yaml"].into_iter().chain(flags).collect::<Vec<_>>());
        assert_eq!(ended.code, Some(0), "{patterns:?}: {}", ended.err);
        let ran: Vec<_> = rounds(&file).into_iter().map(|(name, _)| name).collect();
        assert_eq!(ran, names, "{patterns:?}");
    }
}

#[test]
fn each_round_of_a_case_is_its_own_and_saw_the_same() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    let (ended, file, folder) = sandbox.run_suite(&["suite.yaml", "--repeat", "3", "--case", "t*"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let all = [("text", 1), ("text", 2), ("text", 3), ("tool", 1), ("tool", 2), ("tool", 3)];
    assert_eq!((rounds(&file), &file["repeat"]), (all.to_vec(), &Value::from(3)));
    let digests: Vec<_> = file["cases"].as_array().unwrap().iter().map(|case| &case["normalised"]).collect();
    assert!(digests[..3].iter().all(|digest| *digest == digests[0]), "{digests:?}");
    assert_ne!(digests[0], digests[3]);
    for name in ["tool", "tool%7E2", "tool%7E3"] {
        assert!(folder.join("journals").join(format!("{name}.jsonl")).is_file(), "{name}");
        let written = std::fs::read_to_string(folder.join("cases").join(name).join("workspace/a.txt"));
        assert_eq!(written.unwrap(), "a\n", "each round has a workspace of its own");
    }
    let verified = sandbox.run(&["verify", folder.to_str().unwrap()]);
    assert_eq!(verified.code, Some(0), "{}", verified.err);
}

#[test]
fn a_case_that_has_the_name_of_a_round_is_not_repeated() {
    let suite = SUITE.replace("{id: tool,", "{id: text~2,");
    let sandbox = Sandbox::with(&[("suite.yaml", &suite)]);
    let clash = sandbox.run(&["run", "suite.yaml", "--repeat", "2"]);
    assert_eq!((clash.code, clash.err.lines().count()), (Some(2), 1), "{}", clash.err);
    assert!(clash.err.contains("text~2 is a case and also round 2 of text"), "{}", clash.err);
    assert_eq!(sandbox.run(&["run", "suite.yaml"]).code, Some(0));
}

/// Passes the case `text` and no other.
const ONLY_TEXT: &str = "case \"$REHEARSAL_CASE\" in text) exec BIN agent;; esac\nexit 9\n";

/// The shell agent with our own program in it.
fn with_program(script: &str) -> String {
    script.replace("BIN", env!("CARGO_BIN_EXE_rehearsal"))
}

#[test]
fn the_first_failure_ends_the_run_where_that_is_asked() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", &with_program(ONLY_TEXT))]);
    let flags = ["suite.yaml", "--jobs", "1", "--fail-fast", "--", "sh", "agent.sh"];
    let (ended, file, folder) = sandbox.run_suite(&flags);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let ran: Vec<_> = verdicts(&file).into_iter().map(|(name, verdict, _)| (name, verdict)).collect();
    assert_eq!(ran, [("text", "passed"), ("tool", "failed")]);
    assert_eq!(file["ended_early"], true);
    assert_eq!(sandbox.run(&["verify", folder.to_str().unwrap()]).code, Some(0));

    let shown = sandbox.run(&[&["run"], &flags[..]].concat());
    assert!(shown.out.contains("1 more did not run to their end: --fail-fast"), "{}", shown.out);

    let (_, file, _) = sandbox.run_suite(&["suite.yaml", "--jobs", "1", "--", "sh", "agent.sh"]);
    assert_eq!((rounds(&file).len(), &file["ended_early"]), (3, &Value::Null));
}

/// The case `text` fails once the case `tool` runs, which would run for ever.
const HANGS: &str = r#"cd "$REHEARSAL_WORKSPACE/../.."
case "$REHEARSAL_CASE" in
tool) echo $$ > pid.part; mv pid.part pid; while :; do sleep 600; done;;
text) until [ -f pid ]; do sleep 0.01; done; exit 1;;
esac
"#;

#[test]
fn the_first_failure_ends_the_agents_that_still_run() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", HANGS)]);
    let flags = ["suite.yaml", "--jobs", "2", "--fail-fast", "--case", "t*", "--time-limit", "50s"];
    let (ended, file, folder) = sandbox.run_suite(&[&flags[..], &["--", "sh", "agent.sh"]].concat());
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(rounds(&file), [("text", 1)], "what was ended has no verdict");
    let pid = std::fs::read_to_string(folder.join("cases/pid")).unwrap();
    assert!(crate::agents::is_gone(pid.trim()), "{pid} lives on");
    assert_eq!(sandbox.run(&["verify", folder.to_str().unwrap()]).code, Some(0));
}

#[test]
fn reports_are_written_beside_the_table() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("out/keep", "")]);
    let ended = sandbox.run(&[
        "run",
        "suite.yaml",
        "--report",
        "json=out/run.json",
        "--report",
        "terminal=table.txt",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let table = std::fs::read_to_string(sandbox.path("table.txt")).unwrap();
    assert!(table.contains("3 passed") && ended.out.starts_with(&table), "{table}");
    let file: Value = serde_json::from_slice(&std::fs::read(sandbox.path("out/run.json")).unwrap()).unwrap();
    assert_eq!(rounds(&file).len(), 3);

    let failed =
        sandbox.run(&["run", "suite.yaml", "--case", "text", "--report", "json=f.json", "--", "true"]);
    assert_eq!(failed.code, Some(1));
    assert!(sandbox.path("f.json").is_file(), "a run that failed needs its report most");
}

#[test]
fn findings_weigh_what_the_command_says() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    for (weight, code) in [("error", Some(1)), ("warning", Some(0)), ("note", Some(0)), ("off", Some(0))] {
        let finding = format!("never-asked={weight}");
        let flags =
            ["suite.yaml", "--case", "text", "--finding", &finding, "--finding", "output-contains=off"];
        let more = ["--finding", "script-not-finished=off", "--", "true"];
        let (ended, file, _) = sandbox.run_suite(&[&flags[..], &more].concat());
        assert_eq!(ended.code, code, "{weight}: {file}");
        let severities: Vec<_> = file["cases"][0]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| &finding["severity"])
            .collect();
        assert_eq!(severities, if weight == "off" { vec![] } else { vec![weight] }, "{file}");
    }
}

#[cfg(unix)]
#[test]
fn many_cases_at_once_have_room_for_their_files() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    let program = env!("CARGO_BIN_EXE_rehearsal");
    let command = format!("ulimit -S -n 64; exec {program} run suite.yaml --repeat 20 --jobs 60");
    let ran = std::process::Command::new("sh").args(["-c", &command]).current_dir(sandbox.path("")).output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

/// A suite with an agent of its own that shows what it was given.
const WITH_AGENT: &str = r#"
version: 1
agent:
  command: [sh, agent.sh, "--model={model}", "{home}"]
  env: {WANTED: "case {case}", OPENAI_API_KEY: sk-mine, PORT: 8080}
  files:
    "{home}/.config/agent.toml": "url = \"{base_url}\"\n"
    "{workspace}/notes/todo.txt": "{prompt}"
  stdin: "do: {prompt}\n"
  time_limit: 40s
classes:
  text: {script: [{text: Hello there.}], phrasings: [{id: text, prompt: Say hello., expect_agent: {output_contains: Hello there}}]}
"#;

const SHOWS: &str = r#"printf '%s\n' "$@" "$WANTED" "$PORT" "$OPENAI_API_KEY"
cat "$HOME/.config/agent.toml" notes/todo.txt; echo; cat
BIN agent
"#;

#[test]
fn a_suite_brings_its_own_agent() {
    let sandbox = Sandbox::with(&[
        ("suite/suite.yaml", WITH_AGENT),
        ("suite/agent.sh", &with_program(SHOWS)),
        ("other.sh", &with_program("exec BIN agent\n")),
    ]);
    let ended = sandbox.run(&["run", "--json", "--data", ".rehearsal", "suite"]);
    let file: Value = serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    assert_eq!(ended.code, Some(0), "{file}");
    assert_eq!(
        file["agent"],
        serde_json::json!(["sh", "agent.sh", "--model={model}", "{home}"]),
        "placeholders stay as they were written"
    );
    let case = sandbox.path(".rehearsal/runs").join(file["run"].as_str().unwrap()).join("cases/text");
    let said = std::fs::read_to_string(case.join("stdout.txt")).unwrap();
    let lines: Vec<_> = said.lines().collect();
    let [model, home, wanted, port, key, url, todo, stdin, ..] = lines[..] else { panic!("{said}") };
    assert_eq!((model, wanted, port, key), ("--model=gpt-4o-mini", "case text", "8080", "sk-mine"));
    assert!(home.ends_with("cases/text/home"), "{home}");
    assert!(url.starts_with("url = \"http://127.0.0.1:") && url.ends_with("/v1\""), "{url}");
    assert_eq!((todo, stdin), ("Say hello.", "do: Say hello."));
    let journal =
        sandbox.path(".rehearsal/runs").join(file["run"].as_str().unwrap()).join("journals/text.jsonl");
    let journal = std::fs::read_to_string(journal).unwrap();
    assert!(journal.contains("\"time_limit_ms\":40000"), "{journal}");
    assert!(journal.contains("notes/todo.txt"), "what it was given is seen before it starts");

    let (ended, file, _) = sandbox.run_suite(&["suite", "--data", ".rehearsal", "--", "sh", "other.sh"]);
    assert_eq!((ended.code, &file["agent"]), (Some(0), &serde_json::json!(["sh", "other.sh"])));
    let streams = sandbox.run(&["run", "suite", "--stream"]);
    assert_eq!(streams.code, Some(2), "{}", streams.err);
    assert!(streams.err.contains("--stream is for the built-in agent"), "{}", streams.err);
}

/// One greeting must be sent and another must not.
const WATCHES: &str = r#"
version: 1
classes:
  text:
    script: [{text: Hello there.}]
    phrasings:
      - id: text
        prompt: Say hello.
        expect_agent: {commands: {ran: "greet world", not_ran: "greet moon", watch: [sh]}}
"#;

#[test]
fn watched_commands_are_seen_and_judged() {
    let greet = "#!/bin/sh\necho \"greeted $1\"\n";
    for (moon, verdict, code) in [("", "passed", 0), ("greet moon now", "failed", 1)] {
        let agent = with_program(&format!("greet world\n{moon}\nexec BIN agent\n"));
        let sandbox = Sandbox::with(&[("suite.yaml", WATCHES), ("agent.sh", &agent), ("bin/greet", greet)]);
        let made = std::process::Command::new("chmod").args(["+x"]).arg(sandbox.path("bin/greet")).status();
        assert!(made.unwrap().success());
        let path = format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap());
        let mut command = sandbox.command(&["run", "--json", "suite.yaml", "--", "sh", "agent.sh"]);
        let ended = crate::sandbox::finish(command.env("PATH", path).spawn().unwrap());
        let file: Value =
            serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        assert_eq!(ended.code, Some(code), "{file}");
        assert_eq!(verdicts(&file)[0].1, verdict, "{file}");
        let run = sandbox.path(".rehearsal/runs").join(file["run"].as_str().unwrap());
        let said = std::fs::read_to_string(run.join("cases/text/stdout.txt")).unwrap();
        assert!(said.starts_with("greeted world\n"), "the command itself ran: {said}");
        let journal = std::fs::read_to_string(run.join("journals/text.jsonl")).unwrap();
        let ran: Vec<_> = journal.lines().filter(|line| line.contains("\"command_ran\"")).collect();
        assert_eq!(ran.len(), 1 + usize::from(!moon.is_empty()), "its own start is no command: {ran:?}");
        assert!(ran[0].contains("[\"greet\",\"world\"]") && ran[0].contains("\"folder\":\".\""), "{ran:?}");
        assert!(!run.join("cases/text/shims").exists());
    }
}
