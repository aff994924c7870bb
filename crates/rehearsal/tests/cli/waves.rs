//! `rehearsal drive --wave`: several items at once, each with files of its own, gone on with where it was ended.

use crate::driving::{approve, patch, url};
use crate::replaying::Server;
use crate::sandbox::{Ended, Sandbox};
use serde_json::{Value, json};
use std::fs;

/// A provider with a conversation for each item, whose prompt is its slug.
fn provider(sandbox: &Sandbox, items: &[(&str, &[String])]) -> Server {
    let mut suite = "version: 1\nclasses:\n".to_owned();
    for (slug, steps) in items {
        suite.push_str(&format!("  {slug}:\n    advance: request\n    script:\n"));
        for step in *steps {
            let usage = "usage: {prompt_tokens: 9000, completion_tokens: 1000}";
            suite.push_str(&format!("      - {{text: {}, {usage}}}\n", Value::from(step.as_str())));
        }
        suite.push_str(&format!("    phrasings: [{{id: {slug}, prompt: Write {slug} well}}]\n"));
    }
    sandbox.write("suite.yaml", suite.as_bytes());
    Server::start(sandbox, &["serve", "--port", "0", "--scenarios", "suite.yaml", "--data", "served"])
}

/// A wave whose items each want their own file to hold their slug.
fn wave(sandbox: &Sandbox, items: &[(&str, &[&str])]) {
    let items: Vec<Value> = items
        .iter()
        .map(|(slug, after)| {
            json!({"slug": slug, "prompt": format!("Write {slug} well"), "owns": [format!("{slug}.txt:create")],
                   "after": after, "test": format!("grep -qx {slug} {slug}.txt")})
        })
        .collect();
    sandbox.write("wave.json", json!({"version": 1, "items": items}).to_string().as_bytes());
}

fn drive(sandbox: &Sandbox, endpoint: &str, more: &[&str]) -> (Ended, Value) {
    let fixed = ["drive", "--wave", "wave.json", "--endpoint", endpoint, "--model", "m", "--workdir", "tree"];
    let ended = sandbox.run(&[&fixed[..], &["--data", "drive", "--json"], more].concat());
    let report = serde_json::from_str(&ended.out).unwrap_or(Value::Null);
    (ended, report)
}

/// How each item stands.
fn stands(report: &Value) -> Vec<(&str, &str)> {
    let items = report["items"].as_array().map_or(&[][..], Vec::as_slice);
    items.iter().map(|item| (item["slug"].as_str().unwrap(), item["stand"].as_str().unwrap())).collect()
}

#[test]
fn items_are_worked_on_in_their_order_and_nothing_is_done_twice() {
    let sandbox = Sandbox::with(&[("tree/x", "")]);
    let good = |slug: &str| vec![patch(&format!("{slug}.txt"), &format!("{slug}\n")), approve()];
    let (a, b, c) = (good("aa"), good("bb"), vec![patch("cc.txt", "no\n"), patch("cc.txt", "no\n")]);
    wave(&sandbox, &[("aa", &[]), ("bb", &["aa"]), ("cc", &[]), ("dd", &["cc"])]);
    let server = provider(&sandbox, &[("aa", &a), ("bb", &b), ("cc", &c)]);
    let (ended, report) = drive(&sandbox, &url(&server), &["--at-once", "2"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let expected = [("aa", "verified"), ("bb", "verified"), ("cc", "failed"), ("dd", "blocked")];
    assert_eq!(stands(&report), expected);
    assert_eq!(report["items"][0]["again"][0]["green"], true, "tier 4 looks at all of them again: {report}");
    assert_eq!(report["usage"], json!({"prompt": 54000, "completion": 6000}));
    assert!(!sandbox.path("tree/cc.txt").exists());
    let reasons: Vec<&Value> =
        report["items"].as_array().unwrap().iter().map(|item| &item["reason"]).collect();
    assert_eq!(reasons, [&Value::Null, &Value::Null, &json!("test_failed"), &Value::Null]);
    let told = |line: &str| {
        ended.err.lines().position(|known| known == line).unwrap_or_else(|| panic!("{}", ended.err))
    };
    assert!(told("bb: begun") > told("aa: applied, verified"), "{}", ended.err);

    let status = sandbox.run(&["drive", "--status", "--data", "drive"]);
    let states: Vec<&str> =
        status.out.lines().filter_map(|line| line.split(&[':', ',']).nth(1)).map(str::trim).collect();
    assert_eq!(states, ["done", "done", "failed", "unknown"], "{}", status.out);
    let verified = sandbox.run(&["verify", "drive"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");

    // The same wave again, with an endpoint that mends what was missing: what is verified is not asked for again.
    drop(server);
    let (c, d) = (good("cc"), good("dd"));
    let server = provider(&sandbox, &[("cc", &c), ("dd", &d)]);
    let (ended, report) = drive(&sandbox, &url(&server), &[]);
    let kept: Vec<bool> =
        report["items"].as_array().unwrap().iter().map(|item| item["kept"] == true).collect();
    assert_eq!((ended.code, kept), (Some(0), vec![true, true, false, false]), "{ended:?}");
}

#[test]
fn what_was_verified_is_kept_as_long_as_its_files_are() {
    let sandbox = Sandbox::with(&[("tree/x", "")]);
    let answers = [patch("aa.txt", "aa\n"), approve(), patch("aa.txt", "aa\n"), approve()];
    wave(&sandbox, &[("aa", &[])]);
    let server = provider(&sandbox, &[("aa", &answers)]);
    let (ended, _) = drive(&sandbox, &url(&server), &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (ended, report) = drive(&sandbox, &url(&server), &[]);
    assert_eq!((ended.code, &report["items"][0]["kept"]), (Some(0), &json!(true)), "{ended:?}");
    assert_eq!(report["items"][0]["report"], Value::Null);
    assert_eq!(report["items"][0]["files"][0]["path"], "aa.txt");
    fs::remove_file(sandbox.path("tree/aa.txt")).unwrap();
    let (ended, report) = drive(&sandbox, &url(&server), &[]);
    assert_eq!((ended.code, &report["items"][0]["kept"]), (Some(0), &json!(false)), "{ended:?}");
    assert_eq!(report["usage"]["prompt"], 36000, "what earlier processes spent counts");
}

#[test]
fn a_ceiling_stops_what_has_not_begun() {
    let sandbox = Sandbox::with(&[("tree/x", "")]);
    let good = |slug: &str| vec![patch(&format!("{slug}.txt"), &format!("{slug}\n")), approve()];
    let (a, b) = (good("aa"), good("bb"));
    wave(&sandbox, &[("aa", &[]), ("bb", &["aa"])]);
    let server = provider(&sandbox, &[("aa", &a), ("bb", &b)]);
    let more = ["--budget-usd", "0.02", "--price", "1,1"];
    let (ended, report) = drive(&sandbox, &url(&server), &more);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(stands(&report), [("aa", "verified"), ("bb", "blocked")]);
    assert_eq!((&report["abortReason"], &report["usd"]), (&json!("cost_ceiling_exceeded"), &json!(0.02)));
    let (ended, report) = drive(&sandbox, &url(&server), &["--budget-tokens", "29000"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let error = &report["items"][1]["report"]["verification"]["reviews"][0];
    assert_eq!(error["class"], "budget", "the ceiling holds inside an item, too: {report}");
}

#[test]
fn what_works_alone_and_not_together_is_found_at_the_end() {
    let sandbox = Sandbox::with(&[("tree/x", "")]);
    let items = json!({"version": 1, "items": [
        {"slug": "aa", "prompt": "Write aa well", "owns": ["aa.txt:create"], "test": "test ! -e bb.txt"},
        {"slug": "bb", "prompt": "Write bb well", "owns": ["bb.txt:create"], "test": "test -e bb.txt", "after": ["aa"]},
        {"slug": "cc", "prompt": "Write cc well", "owns": ["cc.txt:create"]}]});
    sandbox.write("wave.json", items.to_string().as_bytes());
    let good = |slug: &str| vec![patch(&format!("{slug}.txt"), &format!("{slug}\n")), approve()];
    let (a, b, c) = (good("aa"), good("bb"), good("cc"));
    let server = provider(&sandbox, &[("aa", &a), ("bb", &b), ("cc", &c)]);
    let (ended, report) = drive(&sandbox, &url(&server), &[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(stands(&report), [("aa", "failed"), ("bb", "verified"), ("cc", "failed")]);
    assert_eq!(report["items"][0]["reason"], "fake_green");
    assert_eq!(report["items"][2]["reason"], "no_test_command");
}

#[test]
fn what_cannot_be_a_wave_is_said_with_its_place() {
    let sandbox = Sandbox::with(&[("tree/a.py", "")]);
    let item = |slug: &str, owns: &[&str], after: &[&str]| json!({"slug": slug, "prompt": "p", "owns": owns, "after": after, "test": "true"});
    for (items, words) in [
        (json!([item("a", &["a.py"], &[]), item("b", &["A.py"], &[])]), "that may be the same file"),
        (json!([item("a", &["a.py"], &["b"])]), "waits for \"b\", which is no item"),
        (json!([item("a", &["a.py"], &["a"])]), "waits for itself"),
        (json!([item("a", &["./a.py"], &[])]), "wave.json:1:"),
        (json!([item("a", &["tests/a.py"], &[])]), "is protected"),
        (json!([{"slug": "a"}]), "needs `prompt`"),
    ] {
        sandbox.write("wave.json", json!({"version": 1, "items": items}).to_string().as_bytes());
        let (ended, _) = drive(&sandbox, "http://127.0.0.1:9/v1", &[]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains(words), "{words}: {}", ended.err);
    }
    wave(&sandbox, &[("aa", &[])]);
    let (ended, _) = drive(&sandbox, "http://127.0.0.1:9/v1", &["--budget-usd", "1"]);
    assert!(ended.code == Some(2) && ended.err.contains("--price"), "{ended:?}");
}
