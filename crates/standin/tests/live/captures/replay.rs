//! Whole conversations of captured clients on one lane: each request finds its step, whatever comes between.

use super::{chat, lane};
use crate::request::lines;
use crate::stand::Served;
use rehearsal_journal::event::SideCall;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The prompt that a client of the captures was given.
fn prompt(line: &Value) -> Option<&'static str> {
    let users = line["body"]["messages"].as_array()?.iter().filter(|message| message["role"] == "user");
    lane::prompt(&users.map(|message| message["content"].to_string()).collect::<String>())
}

fn count(line: &Value, role: &str) -> u64 {
    let messages = line["body"]["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["role"] == role).count() as u64
}

/// Captures by client, model and scenario, in the order in which they were sent.
fn runs() -> BTreeMap<String, Vec<Value>> {
    let mut runs: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let conversations =
        ["one tool call then text", "one tool call then text (reasoning-class model name)", "edit"];
    for line in lines(chat::LANE.captures) {
        let scenario = line["scenario"].as_str().unwrap();
        if conversations.contains(&scenario) && prompt(&line).is_some() {
            runs.entry(format!("{} {scenario}", line["client"])).or_default().push(line);
        }
    }
    runs
}

/// Replays requests on one lane; gives kind and step of each.
fn replay(run: &[Value], whose: &str) -> Vec<(Option<u64>, Option<SideCall>)> {
    let prompt = run.iter().find_map(prompt).unwrap();
    let calls = if whose.contains("aider") { "" } else { "{tool_calls: [{name: any, arguments: {}}]}, " };
    let file = json!(prompt).to_string();
    let file = format!(
        "version: 1\nclasses: {{c: {{script: [{calls}{{text: done}}], phrasings: [{{id: p, prompt: {file}}}]}}}}\n"
    );
    let stand = Served::file("t.yaml", &file).lane("tokenp", "p").start();
    for line in run {
        let answer = lane::send(&stand, "/t/tokenp", line, &line["body"]);
        assert_eq!(answer.status, 200, "{whose}: {}", answer.text());
    }
    stand.asked().iter().map(|asked| (asked.step, asked.side_call)).collect()
}

/// What must come of a request: titles are told apart, anything else is the step that its turns say.
fn wanted(line: &Value) -> (Option<u64>, Option<SideCall>) {
    let turns = if line["client"] == "aider" { 0 } else { count(line, "assistant") };
    let title = line["body"]["tools"].is_null() && turns == 0 && line["client"] != "aider";
    match (title, prompt(line)) {
        (true, Some(_)) => (None, Some(SideCall::NoTools)),
        (_, None) => (None, None),
        (false, Some(_)) => (Some(turns), None),
    }
}

#[test]
fn the_requests_of_every_captured_client_find_their_steps() {
    let runs = runs();
    assert!(runs.len() > 25, "{} runs", runs.len());
    for (whose, run) in &runs {
        let wanted: Vec<_> = run.iter().map(wanted).collect();
        assert_eq!(replay(run, whose), wanted, "{whose}");
    }
    let titles = runs.values().flatten().filter(|line| wanted(line).1.is_some()).count();
    assert!(titles > 0, "a client that asks for a title is among them");
}

#[test]
fn a_title_request_before_between_or_behind_a_clients_own_moves_none_of_them() {
    let runs = runs();
    let is_title = |line: &&Value| wanted(line).1.is_some();
    let title = runs.values().flatten().find(is_title).unwrap();
    for (whose, run) in &runs {
        let run: Vec<_> = run.iter().filter(|line| prompt(line) == prompt(title)).cloned().collect();
        if run.is_empty() || whose.contains("aider") {
            continue;
        }
        for at in 0..=run.len() {
            let mut mixed = run.clone();
            mixed.insert(at, title.clone());
            let wanted: Vec<_> = mixed.iter().map(wanted).collect();
            assert_eq!(replay(&mixed, whose), wanted, "{whose}, a title at {at}");
        }
    }
}
