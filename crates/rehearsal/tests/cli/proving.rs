//! `rehearsal drive --test`: what is written only after it was proved, and what never is.

use crate::driving::{approve, drive, patch, url};
use crate::replaying::Server;
use crate::sandbox::{Ended, Sandbox, files_below};
use serde_json::{Value, json};
use std::fs;

/// A provider that gives one step for each request, whatever it says.
pub(crate) fn provider(sandbox: &Sandbox, steps: &[String]) -> Server {
    let step = |text: &String| {
        let usage = "usage: {prompt_tokens: 90000, completion_tokens: 10}";
        format!("      - {{text: {}, {usage}}}\n", Value::from(text.as_str()))
    };
    let script: String = steps.iter().map(step).collect();
    let suite = format!(
        "version: 1\nclasses:\n  task:\n    advance: request\n    script:\n{script}    phrasings:\n      - {{id: t, prompt: Change two}}\n"
    );
    sandbox.write("suite.yaml", suite.as_bytes());
    Server::start(sandbox, &["serve", "--port", "0", "--scenarios", "suite.yaml", "--data", "served"])
}

/// A tree with `a.txt`, which says one, and a test that wants it to say two.
fn tree() -> Sandbox {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.txt", b"one\n");
    sandbox.write("tree/tests/want", b"two\n");
    sandbox.write("tree/.git/config", b"x");
    sandbox
}

const TEST: &str = "cmp a.txt tests/want";

fn prove(sandbox: &Sandbox, server: &Server, more: &[&str]) -> (Ended, Value) {
    drive(sandbox, &url(server), &[&["--owns", "a.txt"], more].concat())
}

/// What each look was, and whether it was green.
fn looks(report: &Value) -> Vec<(String, bool)> {
    let looks = report["verification"]["looks"].as_array().unwrap();
    looks.iter().map(|look| (look["look"].as_str().unwrap().to_owned(), look["green"] == true)).collect()
}

fn look(name: &str, green: bool) -> (String, bool) {
    (name.to_owned(), green)
}

fn holds(sandbox: &Sandbox, text: &str) {
    assert_eq!(fs::read_to_string(sandbox.path("tree/a.txt")).unwrap(), text);
    assert_eq!(fs::read(sandbox.path("tree/tests/want")).unwrap(), b"two\n");
    assert_eq!(files_below(&sandbox.path("tree")).len(), 3, "nothing else lies in the tree");
}

fn told(server: &Server, sandbox: &Sandbox) -> String {
    let _ = server;
    let bodies = files_below(&sandbox.path("served"));
    bodies.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

#[test]
fn what_is_green_twice_and_approved_is_written_and_what_it_cost_is_told() {
    let sandbox = tree();
    let server = provider(&sandbox, &[patch("a.txt", "two\n"), approve()]);
    let more = ["--test", TEST, "--model-for", "verify=judge", "--price", "1,2"];
    let (ended, report) = prove(&sandbox, &server, &more);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let verification = &report["verification"];
    assert_eq!((&report["outcome"], &verification["verified"]), (&json!("applied"), &json!(true)));
    assert_eq!(looks(&report), [look("test", true), look("again", true)]);
    assert_eq!(verification["reviews"], json!([{"verdict": "approve"}]));
    assert_eq!(verification["reviewer"], "judge");
    let tier = json!({"number": 4, "good": 0, "samples": 0, "lowerBound": null, "validateAllJson": true,
                      "spotCheckPercent": 100, "repairCap": 3, "review": true});
    assert_eq!(verification["tier"], tier);
    assert_eq!(report["cost"], json!({"usd": 0.18004, "complete": true}));
    assert_eq!(report["attempts"].as_array().unwrap().len(), 2);
    holds(&sandbox, "two\n");
}

#[test]
fn a_red_test_goes_back_with_its_output_and_the_mended_answer_is_written() {
    let sandbox = tree();
    let server = provider(&sandbox, &[patch("a.txt", "three\n"), patch("a.txt", "two\n"), approve()]);
    let (ended, report) = prove(&sandbox, &server, &["--test", TEST]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(looks(&report), [look("test", false), look("test", true), look("again", true)]);
    assert_eq!((&report["verification"]["rounds"], &report["repairs"]), (&json!(1), &json!(1)));
    assert!(
        told(&server, &sandbox).contains("a.txt tests/want differ"),
        "the model is told what the test said"
    );
    holds(&sandbox, "two\n");
}

#[test]
fn nothing_is_written_that_stays_red_and_a_repeated_answer_ends_it() {
    let sandbox = tree();
    let wrong = |word: &str| patch("a.txt", &format!("{word}\n"));
    let server = provider(&sandbox, &["a", "b", "c", "d", "e"].map(wrong));
    let (ended, report) = prove(&sandbox, &server, &["--test", TEST]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(
        (&report["error"]["class"], &report["error"]["reason"]),
        (&json!("unverified"), &json!("test_failed"))
    );
    assert_eq!(report["attempts"].as_array().unwrap().len(), 4, "three rounds: the cap of tier 4");
    holds(&sandbox, "one\n");
    let again = provider(&sandbox, &[wrong("a"), wrong("a"), patch("a.txt", "two\n")]);
    let (ended, report) = prove(&sandbox, &again, &["--test", TEST]);
    assert_eq!((ended.code, report["attempts"].as_array().unwrap().len()), (Some(1), 2));
    holds(&sandbox, "one\n");
}

#[test]
fn a_green_that_does_not_come_twice_or_fails_the_hidden_check_is_a_fake() {
    let sandbox = tree();
    let flag = sandbox.path("flag").display().to_string();
    let flaky = "if [ -e $FLAG ]; then exit 1; fi; touch $FLAG";
    let answers = ["two\n", "2\n", "too\n", "ii\n"].map(|text| patch("a.txt", text));
    let server = provider(&sandbox, &answers);
    let more = ["--test", flaky, "--test-env", &format!("FLAG={flag}")];
    let (ended, report) = prove(&sandbox, &server, &more);
    assert_eq!(
        (ended.code, &report["verification"]["reason"]),
        (Some(1), &json!("test_failed")),
        "{ended:?}"
    );
    assert_eq!(looks(&report)[..2], [look("test", true), look("again", false)]);
    holds(&sandbox, "one\n");

    let server = provider(&sandbox, &[patch("a.txt", "two \n"), patch("a.txt", "two\n"), approve()]);
    let more = ["--test", "grep -q two a.txt", "--check", TEST];
    let (ended, report) = prove(&sandbox, &server, &more);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let seen = ["test", "again", "check", "test", "again", "check"];
    assert_eq!(
        looks(&report),
        seen.iter().enumerate().map(|(at, name)| look(name, at != 2)).collect::<Vec<_>>()
    );
    assert!(!told(&server, &sandbox).contains("cmp a.txt"), "the model never sees the check");
    holds(&sandbox, "two\n");
}

#[test]
fn tests_that_are_changed_while_they_run_prove_nothing() {
    let sandbox = tree();
    let real = sandbox.path("tree/tests/want").display().to_string();
    for (test, code) in [
        ("echo one > tests/want; cmp a.txt tests/want", 1),
        (&format!("chmod u+w {real}; echo one > {real}"), 1),
    ] {
        let server = provider(&sandbox, &[patch("a.txt", "1\n"), patch("a.txt", "1\n")]);
        let (ended, report) = prove(&sandbox, &server, &["--test", test]);
        assert_eq!((ended.code, &report["error"]["class"]), (Some(code), &json!("unverified")), "{ended:?}");
        let changed = &report["verification"]["looks"][0]["changed"];
        assert!(
            test.starts_with("echo") || changed.as_array().is_some_and(|list| list.len() == 1),
            "{changed}"
        );
        fs::write(sandbox.path("tree/tests/want"), "two\n").unwrap();
        holds(&sandbox, "one\n");
    }
    let server = provider(&sandbox, &[patch("a.txt", "1\n"), patch("a.txt", "1\n")]);
    let test = "cp a.txt tests/want; cmp a.txt tests/want";
    let (ended, report) = prove(&sandbox, &server, &["--test", test]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(report["verification"]["looks"][0]["changed"], json!(["tests/want"]));
    holds(&sandbox, "one\n");
}

#[test]
fn a_reviewer_that_finds_a_fault_sends_it_back_and_one_that_fails_lets_nothing_pass() {
    let sandbox = tree();
    let refute = r#"{"verdict":"refute","reasons":["a.txt: it is a trick"]}"#.to_owned();
    let server = provider(&sandbox, &[patch("a.txt", "two\n"), refute, patch("a.txt", "two!\n"), approve()]);
    let (ended, report) = prove(&sandbox, &server, &["--test", "true"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let reviews = json!([{"verdict": "refute", "reasons": ["a.txt: it is a trick"]}, {"verdict": "approve"}]);
    assert_eq!(report["verification"]["reviews"], reviews);
    assert!(told(&server, &sandbox).contains("it is a trick"));
    holds(&sandbox, "two!\n");

    let server = provider(&sandbox, &[patch("a.txt", "two\n"), "Looks good.".into(), "Really.".into()]);
    let (ended, report) = prove(&sandbox, &server, &["--test", "true"]);
    assert_eq!((ended.code, &report["error"]["reason"]), (Some(1), &json!("review_failed")), "{ended:?}");
    let server = provider(&sandbox, &[patch("a.txt", "two\n")]);
    let (ended, report) = prove(&sandbox, &server, &["--test", "true", "--attempts", "1"]);
    assert_eq!((ended.code, &report["error"]["reason"]), (Some(1), &json!("review_failed")), "{ended:?}");
    assert_eq!(
        report["verification"]["reviews"][0]["class"], "budget",
        "one request in all leaves none for a review"
    );
    holds(&sandbox, "two!\n");
}

#[test]
fn a_test_sees_a_clean_copy_no_key_and_ends_in_time_with_all_that_it_started() {
    let sandbox = tree();
    sandbox.write("tree/drive/x", b"");
    let program = r#"test ! -e .git && test ! -e drive && test -e tests/want && test -w "$HOME" && test -w "$TMPDIR" && env | sort"#;
    let server = provider(&sandbox, &[patch("a.txt", "two\n"), approve()]);
    // As a shell completes the name of a folder.
    let more = ["--test", program, "--without", "./drive/"];
    let (ended, report) = prove(&sandbox, &server, &more);
    assert_eq!(ended.code, Some(0), "{ended:?}\n{report}");
    let said = report["verification"]["looks"][0]["output"].as_str().unwrap();
    let names: Vec<&str> =
        said.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    let given = [
        "HOME",
        "LANG",
        "PATH",
        "PWD",
        "REHEARSAL_LAUNCH",
        "TMPDIR",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "GOPATH",
        "JAVA_HOME",
    ];
    assert!(
        names.iter().all(|name| given.contains(name) || ["_", "OLDPWD", "SHLVL"].contains(name)),
        "{said}"
    );
    let server = provider(&sandbox, &[patch("a.txt", "2\n"), patch("a.txt", "2\n")]);
    let more =
        ["--test", "(setsid cat /dev/zero > /dev/null &) ; exec tail -f /dev/null", "--test-timeout", "1"];
    let (ended, report) = prove(&sandbox, &server, &more);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let look = &report["verification"]["looks"][0];
    assert_eq!((&look["timedOut"], &look["strays"]), (&json!(true), &json!(1)), "{look}");
    let server = provider(&sandbox, &[patch("a.txt", "2\n")]);
    let (ended, _) = prove(&sandbox, &server, &["--test", "true", "--test-env", "OPENAI_API_KEY"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("holds the key, which no test gets"), "{}", ended.err);
    for path in ["../drive", "/drive", "./", "a//b"] {
        let (ended, _) = prove(&sandbox, &server, &["--test", "true", "--without", path]);
        assert_eq!(ended.code, Some(2), "{path}: {ended:?}");
        assert!(ended.err.contains("write a path below the work tree"), "{path}: {}", ended.err);
    }
}

#[test]
fn what_a_copy_lacks_of_the_tree_is_told() {
    let sandbox = tree();
    std::os::unix::fs::symlink(sandbox.path("served"), sandbox.path("tree/out")).unwrap();
    let server = provider(&sandbox, &[patch("a.txt", "2\n"), patch("a.txt", "2\n")]);
    let (ended, report) = prove(&sandbox, &server, &["--test", "test -e out"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let lacked = &report["verification"]["looks"][0]["lacked"];
    assert_eq!(lacked, &json!(["out: a link that leads out of the tree"]));
    let server = provider(&sandbox, &[patch("a.txt", "2\n"), patch("a.txt", "2\n")]);
    let plain = ["drive", "--endpoint", &url(&server), "--model", "m", "--prompt", "Change two", "--workdir"];
    let more = ["tree", "--data", "drive", "--owns", "a.txt", "--test", "test -e out"];
    let ended = sandbox.run(&[&plain[..], &more].concat());
    assert!(ended.err.contains("lacks out: a link that leads out of the tree"), "{ended:?}");
}

#[test]
fn json_that_is_no_json_any_more_goes_back_and_so_does_a_third_answer_in_another_format() {
    let sandbox = tree();
    sandbox.write("tree/a.json", b"{\"a\": 1}\n");
    let server = provider(&sandbox, &[patch("a.json", "{'a': 2}\n"), patch("a.json", "{\"a\": 2}\n")]);
    let (ended, report) = drive(&sandbox, &url(&server), &["--owns", "a.json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!((&report["repairs"], &report["verification"]["jsonValidated"]), (&json!(1), &json!(1)));
    assert_eq!(report["verification"]["reason"], "no_test_command");
    let fenced = "a.txt\n```\ntwo\n```\n".to_owned();
    let server = provider(&sandbox, &["Sure!".to_owned(), "Of course.".to_owned(), fenced]);
    let (ended, report) = prove(&sandbox, &server, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}\n{report}");
    assert_eq!(report["steps"], json!(["switched_format"]));
    assert_eq!(fs::read_to_string(sandbox.path("tree/a.txt")).unwrap(), "two\n");
}
