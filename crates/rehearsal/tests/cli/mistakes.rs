//! Every wrong flag, path and file gets one clear sentence and the exit code that the help names.

use crate::sandbox::{Ended, SUITE, Sandbox};
use std::net::TcpListener;

const EMPTY_SUITE: &str = "version: 1\nclasses: {}\n";
const BROKEN: &str = "version: 1\nclasses: [\n";
const MISSPELT: &str = "version: 1\nclases: {}\n";

/// A sandbox with good and bad files.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("suite.yaml", SUITE),
        ("none.yaml", EMPTY_SUITE),
        ("broken.yaml", BROKEN),
        ("broken.json", "{\"version\": 1,"),
        ("misspelt.yaml", MISSPELT),
        ("twice/a.yaml", SUITE),
        ("twice/b.yaml", SUITE),
        ("folder/notes.txt", "no scenario"),
        ("newer.yaml", "version: 2\nclasses: {}\n"),
    ]);
    sandbox.write("latin.yaml", b"version: 1\nclasses: {\xe9: {}}\n");
    sandbox
}

/// The command line, the exit code, and what the one sentence holds.
const MISTAKES: &[(&str, i32, &str)] = &[
    ("run suite.yaml --case nobody", 2, "no case is named nobody; there are: text, tool, retry"),
    ("run nowhere.yaml", 2, "there is no file or folder nowhere.yaml"),
    ("run suite.yaml python3", 2, "there is no file or folder python3; an agent's command goes behind `--`"),
    ("run folder", 2, "folder holds no file that ends in .json, .yaml or .yml"),
    ("run none.yaml", 4, "there is no case to run"),
    ("run suite.yaml --rule ehco-text=off", 2, "no rule is named `ehco-text`; did you mean `echo-text`?"),
    ("run suite.yaml --rule foo=off", 2, "no rule is named `foo`; `rehearsal lint --rules` prints all rules"),
    ("run suite.yaml --case toll", 2, "no case is named toll; did you mean `tool`?"),
    ("run suite.yaml --case x*", 2, "no case meets x*; there are: text, tool, retry"),
    ("run suite.yaml --finding filles=off", 2, "no finding has the code filles; did you mean `files`?"),
    ("run suite.yaml --finding frobnicated=off", 2, "`rehearsal explain` lists all codes"),
    ("run suite.yaml --host 0.0.0.0", 2, "other machines reach 0.0.0.0; add --allow-remote to let them"),
    ("run suite.yaml --port 7770", 2, "port 7770 is reserved"),
    ("run suite.yaml --report json=folder", 2, "folder is a folder; a report is a file"),
    ("run suite.yaml --report json=no/report.json", 2, "there is no folder no for the report"),
    ("run suite.yaml --report json=r --report junit=r", 2, "two reports cannot be written to r;"),
    ("run suite.yaml --report json=r --report json=./r", 2, "two reports cannot be written to ./r;"),
    ("merge out folder", 2, "folder holds no run.json"),
    ("merge no/out folder", 2, "there is no folder no to make no/out in"),
    ("merge .. folder", 2, ".. is no name for a new folder"),
    ("run suite.yaml --data suite.yaml", 2, "suite.yaml is a file; --data takes a folder"),
    (
        "serve --port 0 --scenarios suite.yaml --data suite.yaml",
        2,
        "suite.yaml is a file; --data takes a folder",
    ),
    ("run suite.yaml --", 2, "no agent's command stands behind `--`"),
    ("run suite.yaml --case text --", 2, "no agent's command stands behind `--`"),
    ("lint nowhere", 2, "there is no file or folder nowhere"),
    ("serve --port 0", 2, "--scenarios PATH is required"),
    ("replay folder", 2, "folder holds no recording"),
    ("replay folder --redact x --redaction-key suite.yaml", 2, "suite.yaml holds no key of redaction marks"),
    ("script from folder -o suite.yaml", 2, "suite.yaml is there already; remove it, or name another file"),
    ("serve --port 7770 --scenarios suite.yaml", 2, "port 7770 is reserved"),
    ("serve --port 7779 --scenarios suite.yaml", 2, "port 7779 is reserved"),
    ("serve --port 17779 --mode black-hole", 2, "port 17779 is reserved"),
    (
        "serve --port 0 --host 0.0.0.0 --mode black-hole",
        2,
        "other machines reach 0.0.0.0; add --allow-remote to let them",
    ),
    ("serve --port 0 --scenarios nowhere.yaml", 2, "there is no file or folder nowhere.yaml"),
    ("serve --port 0 --scenarios suite.yaml --log folder", 3, "folder"),
    ("verify nowhere", 2, "there is no file or folder nowhere"),
    ("verify --same nowhere nowhere", 2, "there is no folder nowhere"),
    ("verify folder", 2, "folder holds no journal"),
    ("verify --same folder", 2, "folder holds no run.json"),
    ("report folder", 2, "folder holds no run.json"),
    ("report nowhere", 2, "there is no folder nowhere"),
    ("report suite.yaml", 2, "suite.yaml is a file; a finished run is a folder"),
    ("merge out nowhere", 2, "there is no folder nowhere"),
    ("agent", 2, "OPENAI_BASE_URL"),
];

/// What the reader of the command line refuses by itself.
const FLAGS: &[(&str, &str)] = &[
    ("--frob", "unexpected argument '--frob'"),
    ("frobnicate", "unrecognized subcommand 'frobnicate'"),
    ("verfy suite.yaml", "'verify'"),
    ("run", "<PATH>"),
    ("run suite.yaml --frob", "'--frob'"),
    ("run suite.yaml --profile strict", "the profiles are lenient, api, gate, pinned"),
    ("run suite.yaml --rule echo-text", "write NAME=on or NAME=off"),
    ("run suite.yaml --time-limit soon", "a number and a unit"),
    ("run suite.yaml --time-limit 10", "a number and a unit"),
    ("run suite.yaml --time-limit 0s", "up to 24h"),
    ("run suite.yaml --jobs 0", "a whole number from 1 to 1000"),
    ("run suite.yaml --jobs x", "a whole number from 1 to 1000"),
    ("run suite.yaml --jobs 1001", "a whole number from 1 to 1000"),
    ("run suite.yaml --seed x", "'x' for '--seed"),
    ("run suite.yaml --seed abc", "a whole number from 0 to 18446744073709551615"),
    ("run suite.yaml --repeat 0", "a whole number from 1 to 10000"),
    ("run suite.yaml --repeat -1", "'-1' for '--repeat <NUMBER>': a whole number from 1 to 10000"),
    ("run suite.yaml --jobs -1", "'-1' for '--jobs <NUMBER>': a whole number from 1 to 1000"),
    ("run suite.yaml --port -1", "'-1' for '--port <PORT>': a whole number from 0 to 65535"),
    ("run suite.yaml --time-limit -5s", "'-5s' for '--time-limit <TIME>': write a number and a unit"),
    ("run suite.yaml --seed -1", "'-1' for '--seed <NUMBER>': a whole number from 0"),
    ("serve --port 0 --scenarios suite.yaml --seed -1", "'-1' for '--seed <NUMBER>': a whole number from 0"),
    ("run suite.yaml --shard 0/2", "write k/n: part k of n"),
    ("run suite.yaml --shard 3/2", "write k/n: part k of n"),
    ("run suite.yaml --finding files=loud", "write CODE=error, CODE=warning, CODE=note or CODE=off"),
    ("run suite.yaml --report report.xml", "write FORMAT=FILE, such as junit=report.xml"),
    ("run suite.yaml --report frob=report.xml", "the formats are"),
    ("run suite.yaml --host localhost", "an IP address of this machine"),
    ("run suite.yaml --port 65536", "a whole number from 0 to 65535"),
    ("run suite.yaml --public-url box:80", "it must begin with http:// or https://"),
    ("run suite.yaml --public-url http://box:x", "behind the host stands a port"),
    ("run suite.yaml --model ", "a model has a name of one character or more"),
    ("run suite.yaml --model=", "a model has a name of one character or more"),
    ("run suite.yaml --netns=maybe", "write --netns, --netns=require or --netns=auto"),
    ("run suite.yaml --netns --public-url http://box", "cannot be used with"),
    ("merge", "<OUT>"),
    ("merge out", "<RUN>"),
    ("serve --scenarios suite.yaml", "--port"),
    ("serve --port 65536 --scenarios suite.yaml", "a whole number from 0 to 65535"),
    ("serve --port x --scenarios suite.yaml", "'x' for '--port <PORT>': a whole number from 0 to 65535"),
    ("serve --port -1 --scenarios suite.yaml", "'-1' for '--port <PORT>': a whole number from 0 to 65535"),
    (
        "record --upstream http://127.0.0.1 --port x",
        "'x' for '--port <PORT>': a whole number from 0 to 65535",
    ),
    ("replay folder --port x", "'x' for '--port <PORT>': a whole number from 0 to 65535"),
    ("daemon --config-dir d --port x", "'x' for '--port <PORT>': a whole number from 0 to 65535"),
    ("serve --port 0 --mode frob", "the modes are normal, black-hole, mid-body-drop, tool-pending-forever"),
    ("report . --format frob", "the formats are"),
    ("lint --rules suite.yaml", "cannot be used with"),
    ("lint --schema --json", "cannot be used with"),
];

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// No word of an inside that a person cannot read.
fn is_readable(text: &str) -> bool {
    ["Err(", "Os {", "panicked", "kind:", "Error {", "RUST_BACKTRACE"].iter().all(|word| !text.contains(word))
}

#[test]
fn each_mistake_is_one_sentence_and_its_exit_code() {
    let sandbox = sandbox();
    for (line, code, sentence) in MISTAKES {
        let Ended { code: got, out, err } = sandbox.run(&words(line));
        assert_eq!(got, Some(*code), "{line}: {err}");
        assert_eq!(out, "", "{line}");
        assert_eq!(err.lines().count(), 1, "{line}: {err}");
        assert!(
            err.starts_with("rehearsal: ") && err.contains(sentence) && is_readable(&err),
            "{line}: {err}"
        );
    }
}

#[test]
fn each_wrong_flag_is_named_on_the_first_line() {
    let sandbox = sandbox();
    for (line, sentence) in FLAGS {
        let Ended { code, out, err } = sandbox.run(&words(line));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
        assert!(err.starts_with("error: ") && err.contains(sentence) && is_readable(&err), "{line}: {err}");
    }
}

#[test]
fn each_mistake_in_a_file_has_its_place() {
    let sandbox = sandbox();
    for (path, places) in [
        ("broken.yaml", &["broken.yaml:3:1: "][..]),
        ("broken.json", &["broken.json:1:"]),
        ("misspelt.yaml", &["misspelt.yaml:2:1: unknown field `clases`", "did you mean `classes`?"]),
        ("twice", &["b.yaml:4:", "text"]),
        ("newer.yaml", &["newer.yaml:1:10: ", "version 1"]),
        ("latin.yaml", &["latin.yaml:", "UTF-8"]),
    ] {
        for command in [&["lint", path][..], &["run", path], &["serve", "--port", "0", "--scenarios", path]] {
            let Ended { code, out, err } = sandbox.run(command);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{command:?}: {err}");
            assert!(places.iter().all(|place| err.contains(place)), "{command:?}: {err}");
            assert!(err.ends_with("in the files above\n") && is_readable(&err), "{command:?}: {err}");
        }
    }
    assert!(!sandbox.path(".rehearsal").exists(), "nothing is made before the files are read");
}

#[test]
fn a_busy_port_is_told_from_others() {
    let sandbox = sandbox();
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    let Ended { code, out, err } = sandbox.run(&["serve", "--port", &port, "--scenarios", "suite.yaml"]);
    assert_eq!((code, out.as_str(), err.lines().count()), (Some(3), "", 1), "{err}");
    assert!(err.contains(&format!("127.0.0.1:{port} is already in use; ")), "{err}");
}

#[test]
fn help_and_version_are_no_mistakes() {
    let sandbox = sandbox();
    for line in
        ["--help", "--version", "run --help", "serve --help", "help verify", "lint --rules", "lint --schema"]
    {
        let Ended { code, out, err } = sandbox.run(&words(line));
        assert_eq!((code, err.as_str()), (Some(0), ""), "{line}");
        assert!(!out.is_empty(), "{line}");
    }
    for (kind, top) in
        [("", "file"), ("suite", "file"), ("wave", "wave"), ("runs", "runs"), ("workflow", "workflow")]
    {
        let schema = sandbox.run(&words(format!("lint --schema {kind}").trim())).out;
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        assert_eq!(schema["$ref"], format!("#/$defs/{top}"), "{kind}");
    }
    let Ended { code, err, .. } = sandbox.run(&["lint", "--schema", "suit"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("it is suite, wave, runs, workflow"), "{err}");
}

#[test]
fn findings_are_listed_as_json_with_their_pointers() {
    let sandbox = sandbox();
    sandbox.write(
        "flow.yaml",
        b"version: 1\nworkflow: \"a\\\\b\"\ncases:\n  - {id: a, outcome: sucess, steps: []}\n",
    );
    sandbox
        .write("warned.yaml", b"version: 1\nclasses:\n  c: {script: [], phrasings: [{id: p, prompt: x}]}\n");
    let Ended { code, out, err } =
        sandbox.run(&["lint", "--json", "flow.yaml", "misspelt.yaml", "broken.json"]);
    assert_eq!((code, err.as_str()), (Some(2), "rehearsal: 6 mistakes in the files above\n"), "{out}");
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let list = list.as_array().unwrap();
    let part =
        |name: &str| -> Vec<&str> { list.iter().map(|finding| finding[name].as_str().unwrap()).collect() };
    assert_eq!(
        part("pointer"),
        ["/workflow", "/cases/0/outcome", "/cases/0/steps", "", "/clases", ""],
        "{out}"
    );
    assert_eq!(part("severity"), ["error"; 6]);
    assert_eq!(part("code")[..2], ["wrong-value", "wrong-value"]);
    assert_eq!(part("file")[3..], ["misspelt.yaml", "misspelt.yaml", "broken.json"]);
    let first = &list[1];
    assert_eq!((first["line"].as_u64(), first["column"].as_u64()), (Some(4), Some(22)));
    assert_eq!(first["hint"], "did you mean `success`?");
    let keys = |line: &str| line.matches("\": ").count();
    assert!(
        out.lines().filter(|line| line.starts_with("  {\"file\": ")).all(|line| keys(line) >= 8),
        "{out}"
    );

    let Ended { code, out, err } = sandbox.run(&["lint", "--json", "suite.yaml"]);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "[]\n", ""));
    let Ended { code, out, .. } = sandbox.run(&["lint", "--json", "warned.yaml"]);
    assert_eq!(code, Some(0), "{out}");
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let warned = &list[0];
    assert_eq!(warned["severity"], "warning", "{out}");
    assert_eq!(warned["pointer"], "/classes/c/phrasings/0", "{out}");
}

#[test]
fn a_reader_that_goes_away_is_no_mistake() {
    let sandbox = sandbox();
    let mut child = sandbox.command(&["lint", "--schema"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_command_in_one_word_is_told_from_a_missing_program() {
    let sandbox = sandbox();
    let Ended { code, out, err } = sandbox.run(&["run", "suite.yaml", "--", "python3 agent.py"]);
    assert_eq!((code, out.as_str(), err.lines().count()), (Some(2), "", 1), "{err}");
    assert!(
        err.contains("there is no program \"python3 agent.py\"; write its words without quotes"),
        "{err}"
    );
}

#[test]
fn a_file_that_is_no_scenario_is_taken_for_an_agent_that_stands_in_the_wrong_place() {
    let sandbox = sandbox();
    sandbox.write("agent.py", b"import os\nprint(os.environ['REHEARSAL_PROMPT'])\n");
    let hint = "an agent's command goes behind `--`";
    for line in ["run agent.py", "run suite.yaml agent.py", "run folder/notes.txt"] {
        let Ended { code, out, err } = sandbox.run(&words(line));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
        assert!(err.contains("  hint: ") && err.contains(hint), "{line}: {err}");
    }
    for line in ["run misspelt.yaml", "run broken.json", "run agent.py -- python3 agent.py"] {
        let Ended { code, err, .. } = sandbox.run(&words(line));
        assert!(code == Some(2) && !err.contains(hint), "{line}: {err}");
    }
}

#[test]
fn a_placeholder_that_is_misspelt_is_pointed_at() {
    let sandbox = sandbox();
    let Ended { err, .. } = sandbox.run(&["run", "suite.yaml", "--case", "text", "--", "echo", "{promt}"]);
    assert!(err.starts_with("rehearsal: {promt} is passed on as it is; did you mean {prompt}?\n"), "{err}");
}

#[test]
fn files_and_warnings_are_counted_in_words_that_fit() {
    let sandbox = sandbox();
    let hollow = b"version: 1\nclasses:\n  a:\n    script: []\n    phrasings:\n      - {id: a, prompt: hi}\n";
    sandbox.write("hollow.yaml", hollow);
    let Ended { code, out, .. } = sandbox.run(&["lint", "hollow.yaml"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("`a` has no steps"), "{out}");
    assert!(out.ends_with("1 file without mistakes, 1 warning\n"), "{out}");
}

#[test]
fn a_further_conversation_is_no_case() {
    let sandbox = sandbox();
    let suite = "version: 1
classes:
  a:
    script: [{text: Done.}]
    conversations: [{id: sub, prompt: Count the lines., script: [{text: '3'}]}]
    phrasings: [{id: main, prompt: Say done.}]
";
    sandbox.write("parts.yaml", suite.as_bytes());
    let Ended { code, out, .. } = sandbox.run(&["lint", "parts.yaml"]);
    assert_eq!((code, out.as_str()), (Some(0), "1 file without mistakes, 0 warnings\n"));
    let Ended { code, err, .. } = sandbox.run(&["run", "parts.yaml", "--case", "main.sub"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("no case is named main.sub; there are: main\n"), "{err}");
    let Ended { code, out, err } = sandbox.run(&["run", "parts.yaml", "--json"]);
    assert_eq!(code, Some(1), "{err}");
    let file: serde_json::Value = serde_json::from_str(&out).unwrap();
    let cases: Vec<_> = file["cases"].as_array().unwrap().iter().map(|case| &case["phrasing"]).collect();
    assert_eq!(cases, ["main"]);
    // The built-in agent has no sub-agents.
    assert_eq!(file["cases"][0]["steps"], serde_json::json!([1, 2]));
    let findings = &file["cases"][0]["findings"];
    assert_eq!(findings[0]["message"], "the conversation main.sub was never begun");
    assert_eq!(findings.as_array().unwrap().len(), 1, "{findings}");
}

#[test]
fn weights_of_findings_are_checked_against_the_codes_there_are() {
    let sandbox = sandbox();
    let suite = "version: 1\nfindings: {exit-status: warning, exit-statu: off}\nclasses: {a: {script: [{text: a}], phrasings: [{id: a, prompt: hi}]}}\n";
    sandbox.write("weights.yaml", suite.as_bytes());
    let Ended { code, err, .. } = sandbox.run(&["lint", "weights.yaml"]);
    assert_eq!(code, Some(2));
    let wanted = "weights.yaml:2:34: there is no finding `exit-statu`\n  hint: did you mean `exit-status`?\n";
    assert!(err.starts_with(wanted), "{err}");
}
