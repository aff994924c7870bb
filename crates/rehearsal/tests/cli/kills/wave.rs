//! A wave: after a kill the same command goes on with it.

use super::{Provider, killed, rounds};
use crate::sandbox::{Sandbox, files_below};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

const ITEMS: [&str; 5] = ["aa", "bb", "cc", "dd", "ee"];

/// Items that each make one file and change another; the last waits for the first.
fn wave(sandbox: &Sandbox) {
    let item = |slug: &&str| {
        let test = format!("grep -qx {slug} {slug}.txt && grep -qx {slug} {slug}.new");
        json!({"slug": slug, "prompt": format!("Write {slug} well"), "owns": [format!("{slug}.txt"), format!("{slug}.new:create")],
               "after": if *slug == "ee" { vec!["aa"] } else { vec![] }, "test": test})
    };
    let items: Vec<Value> = ITEMS.iter().map(item).collect();
    sandbox.write("wave.json", json!({"version": 1, "items": items}).to_string().as_bytes());
    for slug in ITEMS {
        sandbox.write(&format!("tree/{slug}.txt"), b"old\n");
    }
}

/// The item that a request is of.
fn slug_of(body: &str) -> &'static str {
    ITEMS.into_iter().find(|slug| body.contains(&format!("Write {slug} well"))).unwrap()
}

fn item_answer(body: &str) -> String {
    if body.contains("ReviewVerdict") {
        return r#"{"verdict":"approve","reasons":[]}"#.to_owned();
    }
    let slug = slug_of(body);
    let file = |end: &str| json!({"path": format!("{slug}.{end}"), "contents": format!("{slug}\n")});
    json!({"files": [file("txt"), file("new")], "summary": "s", "done": true}).to_string()
}

/// The items that are verified by what the journal says.
fn verified(sandbox: &Sandbox) -> Vec<&'static str> {
    let status = sandbox.run(&["drive", "--status", "--data", "drive", "--json"]);
    let lines = status.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let names = lines
        .filter(|item| item["detail"].as_str().unwrap().ends_with(", verified"))
        .map(|item| item["item"].as_str().unwrap().to_owned());
    names.map(|name| ITEMS.into_iter().find(|slug| *slug == name).unwrap()).collect()
}

/// Waits until the provider heard what a process said before its end: its requests are in no hurry to arrive.
fn settle(provider: &Provider) {
    while provider.answered.recv_timeout(Duration::from_millis(3)).is_ok() {}
}

/// Goes on with a wave of which these items were paid for so often when they were verified.
fn gone_on(sandbox: &Sandbox, provider: &Provider, words: &[&str], paid: &BTreeMap<&str, usize>, what: &str) {
    let ended = sandbox.run(words);
    assert_eq!(ended.code, Some(0), "{what}: {ended:?}");
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    for (item, slug) in report["items"].as_array().unwrap().iter().zip(ITEMS) {
        assert_eq!((&item["slug"], &item["stand"]), (&json!(slug), &json!("verified")), "{what}: {report}");
        if let Some(paid) = paid.get(slug) {
            let now = provider.count(|body| slug_of(body) == slug);
            assert_eq!(
                (now, &item["kept"]),
                (*paid, &json!(true)),
                "{what}: {slug} is paid for once: {report}"
            );
        }
        for end in ["txt", "new"] {
            let text = fs::read_to_string(sandbox.path(&format!("tree/{slug}.{end}"))).unwrap();
            assert_eq!(text, format!("{slug}\n"), "{what}");
        }
    }
    assert_eq!(files_below(&sandbox.path("tree")).len(), 2 * ITEMS.len(), "{what}: nothing else is left");
    assert_eq!(verified(sandbox).len(), ITEMS.len(), "{what}");
    assert_eq!(sandbox.run(&["verify", "drive"]).code, Some(0), "{what}");
}

#[test]
fn killed_at_any_moment_a_wave_goes_on_and_pays_for_nothing_twice_that_was_verified() {
    let (rounds, seed, mut dice) = rounds();
    let provider = Provider::start(Box::new(item_answer));
    let url = provider.url();
    let fixed = ["drive", "--wave", "wave.json", "--model", "m", "--workdir", "tree", "--data", "drive"];
    let words = [&fixed[..], &["--at-once", "3", "--json", "--endpoint", &url]].concat();
    let sandbox = Sandbox::with(&[]);
    wave(&sandbox);
    let started = Instant::now();
    gone_on(&sandbox, &provider, &words, &BTreeMap::new(), "without a kill");
    let whole = started.elapsed();
    let (mut kills, mut kept) = (0, 0);
    // Each takes several times as long as a single task.
    while kills < rounds / 2 {
        let sandbox = Sandbox::with(&[]);
        wave(&sandbox);
        let mut paid: BTreeMap<&str, usize> = BTreeMap::new();
        // Some kills of one wave, then it is let be.
        for _ in 0..=dice.below(4) {
            killed(&mut sandbox.command(&words), || (), dice.within(whole));
            kills += 1;
            settle(&provider);
            for slug in verified(&sandbox) {
                paid.entry(slug).or_insert_with(|| provider.count(|body| slug_of(body) == slug));
            }
        }
        let what = format!("after {kills} kills of REHEARSAL_TEST_SEED={seed}");
        gone_on(&sandbox, &provider, &words, &paid, &what);
        kept += paid.len();
    }
    println!("{kills} kills, {kept} items were verified before one and kept; a wave takes {whole:?}");
}
