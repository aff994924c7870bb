//! Breaks each captured conversation in every way that a client may break one, and expects a refusal.

use super::captures::CAPTURES;
use super::script::Nothing;
use super::{Request, lines};
use rehearsal_wire::rule::{Profile, RuleSet};
use serde_json::{Value, json};

type Mutation = (&'static str, fn(&mut Vec<Value>, &[usize]));

/// Each breaks a message list whose tool answers stand at the given places.
const MUTATIONS: &[Mutation] = &[
    ("drops an answer", |messages, answers| drop(messages.remove(answers[0]))),
    ("answers twice", |messages, answers| messages.insert(answers[0], messages[answers[0]].clone())),
    ("renames the id of an answer", |messages, answers| {
        messages[answers[0]]["tool_call_id"] = json!("call_other")
    }),
    ("renames the id of a call", |messages, answers| {
        let call = messages[..answers[0]].iter_mut().rev().find(|message| message["tool_calls"].is_array());
        call.unwrap()["tool_calls"][0]["id"] = json!("call_other");
    }),
    ("drops the call", |messages, answers| {
        let call = messages[..answers[0]].iter().rposition(|message| message["tool_calls"].is_array());
        messages.remove(call.unwrap());
    }),
    ("puts words between call and answer", |messages, answers| {
        messages.insert(answers[0], json!({"role": "user", "content": "And?"}));
    }),
    ("ends before the last answer", |messages, answers| messages.truncate(*answers.last().unwrap())),
    ("sends arguments as an object", |messages, answers| {
        let call = messages[..answers[0]].iter_mut().rev().find(|message| message["tool_calls"].is_array());
        call.unwrap()["tool_calls"][0]["function"]["arguments"] = json!({});
    }),
    ("answers with a block of another API", |messages, answers| {
        let block = json!([{"type": "tool_result", "tool_use_id": "call_1", "content": "x"}]);
        messages.push(json!({"role": "user", "content": block}));
        let _ = answers;
    }),
    ("calls with a block of another API", |messages, answers| {
        messages[answers[0]]["content"] =
            json!([{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]);
    }),
];

#[test]
fn every_broken_conversation_is_refused_under_api_and_gate() {
    let mut tried = 0;
    for line in lines(CAPTURES) {
        let messages = line["body"]["messages"].as_array().unwrap();
        let answers: Vec<usize> = messages
            .iter()
            .enumerate()
            .filter(|(_, m)| m["role"] == "tool")
            .map(|(index, _)| index)
            .collect();
        if answers.is_empty() {
            continue;
        }
        for (what, mutate) in MUTATIONS {
            let mut body = line["body"].clone();
            mutate(body["messages"].as_array_mut().unwrap(), &answers);
            for profile in [Profile::Api, Profile::Gate] {
                let rules = RuleSet::new(profile, &[]).unwrap();
                let verdict = Request::of(&body.to_string()).verdict(&rules, &Nothing);
                assert!(
                    verdict.is_err(),
                    "{} {}: {what} under {}",
                    line["client"],
                    line["scenario"],
                    profile.name()
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried} mutations tried");
}

#[test]
fn a_key_of_another_api_is_refused_on_top_of_every_captured_request() {
    for line in lines(CAPTURES) {
        for key in
            ["system", "stop_sequences", "max_tokens_to_sample", "anthropic_version", "top_k", "thinking"]
        {
            let mut body = line["body"].clone();
            body[key] = json!("x");
            let gate = RuleSet::new(Profile::Gate, &[]).unwrap();
            let reject = Request::of(&body.to_string()).verdict(&gate, &Nothing).unwrap_err();
            assert_eq!(reject.code, Some("gate_dialect_leak"), "{}", reject.message);
            let api = RuleSet::new(Profile::Api, &[]).unwrap();
            let reject = Request::of(&body.to_string()).verdict(&api, &Nothing).unwrap_err();
            assert_eq!((reject.code, reject.param.as_deref()), (Some("unknown_parameter"), Some(key)));
        }
    }
}
