//! Requests beside the script: titles, probes, chatter after the end. They are answered, and move nothing.

use crate::request::{Answer, chat, history, tool};
use crate::stand::{Served, Stand};
use crate::stream;
use rehearsal_journal::event::{Asked, Kind, SideCall};
use serde_json::{Value, json};

const PROMPT: &str = "Write the file now, please.";

/// Calls a tool twice, then speaks.
const CALLS: &str = "script: [{tool_calls: [{name: write, arguments: {}}]}, {tool_calls: [{name: write, arguments: {}}]}, {text: done}]";

const CASE: &str = "/t/tokenp/v1/chat/completions";

fn served(class: &str) -> Served {
    let file =
        format!("version: 1\nclasses: {{c: {{phrasings: [{{id: p, prompt: '{PROMPT}'}}], {class}}}}}\n");
    Served::file("t.yaml", &file).lane("tokenp", "p")
}

fn ask(stand: &Stand, body: &Value) -> Answer {
    let answer = stand.post(CASE, &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

fn tools() -> Value {
    json!({"tools": [tool("write")]})
}

fn titles() -> Value {
    json!({"messages": [
        {"role": "system", "content": "You generate titles."},
        {"role": "user", "content": "Generate a title for this conversation:\n"},
        {"role": "user", "content": format!("\"{PROMPT}\"")},
    ], "model": "m"})
}

/// The steps that an agent which does all that it is told is answered with, with further requests before each of its own.
fn steps(stand: &Stand, before: impl Fn(usize) -> Option<Value>) -> Vec<Option<u64>> {
    let mut later = Vec::new();
    for turn in 0..4 {
        if let Some(body) = before(turn) {
            ask(stand, &body);
        }
        if turn == 3 {
            break;
        }
        let answer = ask(stand, &history(PROMPT, &later, tools()));
        let message = answer.json()["choices"][0]["message"].clone();
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        later.push(message);
        for call in calls {
            later.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "fine"}));
        }
    }
    stand.asked().iter().filter(|asked| asked.kind == Kind::Scenario).map(|asked| asked.step).collect()
}

fn side_calls(stand: &Stand) -> Vec<Option<SideCall>> {
    stand.asked().iter().filter(|asked| asked.kind != Kind::Scenario).map(|asked| asked.side_call).collect()
}

#[test]
fn a_title_asked_for_first_in_the_middle_or_last_never_moves_the_script() {
    for advance in ["", "advance: request, "] {
        for at in 0..4 {
            let stand = served(&format!("{advance}{CALLS}")).start();
            let got = steps(&stand, |turn| (turn == at).then(titles));
            assert_eq!(got, [Some(0), Some(1), Some(2)], "{advance} {at}");
            assert_eq!(side_calls(&stand), [Some(SideCall::NoTools)], "{advance} {at}");
        }
    }
}

#[test]
fn what_stands_beside_the_script_is_told_by_its_shape() {
    let told = |more: Value| -> (Kind, Option<SideCall>) {
        let stand = served(CALLS).start();
        ask(&stand, &chat(PROMPT, more));
        let Asked { kind, side_call, .. } = stand.asked().remove(0);
        (kind, side_call)
    };
    let script = (Kind::Scenario, None);
    let aside = |why| (Kind::Background, Some(why));
    for (more, wanted) in [
        (json!({}), aside(SideCall::NoTools)),
        (json!({"max_tokens": 500}), aside(SideCall::NoTools)),
        (json!({"max_tokens": 16}), aside(SideCall::Probe)),
        (json!({"max_completion_tokens": 1}), aside(SideCall::Probe)),
        (tools(), script),
        (json!({"tools": [tool("write")], "max_tokens": 5}), script),
        (json!({"functions": [{"name": "write", "parameters": {}}]}), script),
    ] {
        assert_eq!(told(more.clone()), wanted, "{more}");
    }
}

#[test]
fn where_the_script_only_speaks_the_agents_own_tools_tell_its_requests_from_titles() {
    for advance in ["", "advance: request, "] {
        for at in 0..3 {
            let stand = served(&format!("{advance}script: [{{text: a}}, {{text: b}}]")).start();
            let mut got = Vec::new();
            for turn in 0..3 {
                if turn == at {
                    ask(&stand, &titles());
                }
                if turn < 2 {
                    let later = [
                        json!({"role": "assistant", "content": "a"}),
                        json!({"role": "user", "content": "on"}),
                    ];
                    got.push(ask(&stand, &history(PROMPT, &later[..2 * turn], tools())).said());
                }
            }
            assert_eq!(got, ["a", "b"], "{advance} {at}");
            let overruns = stand.asked().iter().filter(|asked| asked.kind == Kind::Overrun).count();
            assert_eq!(overruns, 0, "{advance} {at}");
        }
    }
}

#[test]
fn a_script_of_words_needs_no_tools() {
    let stand = served("script: [{text: a}, {text: b}]").start();
    assert_eq!(ask(&stand, &chat(PROMPT, json!({}))).said(), "a");
    let later = [json!({"role": "assistant", "content": "a"}), json!({"role": "user", "content": "more"})];
    assert_eq!(ask(&stand, &history(PROMPT, &later, json!({}))).said(), "b");
    assert_eq!(ask(&stand, &chat(PROMPT, json!({"max_tokens": 3}))).said(), "ok");
    assert_eq!(side_calls(&stand), [Some(SideCall::Probe)]);
}

#[test]
fn a_summary_of_the_calls_so_far_is_no_step_but_an_answer_without_tools_is() {
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_gate_p_s0_0", "type": "function", "function": {"name": "write", "arguments": "{}"}}]});
    let answer = json!({"role": "tool", "tool_call_id": "call_gate_p_s0_0", "content": "fine"});
    let stand = served(CALLS).start();
    ask(&stand, &chat(PROMPT, tools()));
    let summary = json!({"role": "user", "content": "Summarise the conversation."});
    assert_eq!(
        ask(&stand, &history(PROMPT, &[call.clone(), answer.clone(), summary], json!({}))).said(),
        "ok"
    );
    // A client that offers no tools in the turn after a call goes on with the script.
    ask(&stand, &history(PROMPT, &[call, answer], json!({})));
    let steps: Vec<_> = stand.asked().iter().map(|asked| asked.step).collect();
    assert_eq!(steps, [Some(0), None, Some(1)]);
}

#[test]
fn chatter_after_the_end_is_answered_five_times() {
    let stand = served("script: [{text: done}]").start();
    ask(&stand, &chat(PROMPT, json!({})));
    let mut later = vec![json!({"role": "assistant", "content": "done"})];
    for turn in 0..7 {
        later.push(json!({"role": "user", "content": format!("What next? {turn}")}));
        let said = ask(&stand, &history(PROMPT, &later, json!({}))).said();
        assert_eq!(said == "ok", turn < 5, "{turn}: {said}");
        later.push(json!({"role": "assistant", "content": said}));
    }
    let kinds: Vec<_> = stand.asked().iter().map(|asked| (asked.kind, asked.side_call)).collect();
    let after = (Kind::Background, Some(SideCall::AfterTheEnd));
    let overrun = (Kind::Overrun, None);
    assert_eq!(kinds, [(Kind::Scenario, None), after, after, after, after, after, overrun, overrun]);
}

#[test]
fn going_on_as_if_nothing_had_ended_is_no_chatter() {
    let done = json!({"role": "assistant", "content": "done"});
    let next = json!({"role": "user", "content": "What next?"});
    for (later, wanted) in [
        (vec![done.clone()], Kind::Overrun),
        (vec![done.clone(), json!({"role": "user", "content": format!("Again: {PROMPT}")})], Kind::Overrun),
        (vec![done.clone(), next.clone()], Kind::Background),
        (vec![done, next, json!({"role": "system", "content": "Be brief."})], Kind::Background),
    ] {
        let stand = served("script: [{text: done}]").start();
        let body = history(PROMPT, &later, json!({}));
        ask(&stand, &body);
        ask(&stand, &body);
        let kinds: Vec<_> = stand.asked().iter().map(|asked| asked.kind).collect();
        assert_eq!(kinds, [wanted, Kind::Overrun], "an equal body is no new chatter: {later:?}");
    }
}

#[test]
fn under_pinned_every_request_with_the_prompt_is_part_of_the_script() {
    let stand = served(&format!("{CALLS}, expect_request: {{}}"))
        .under(rehearsal_wire::rule::Profile::Pinned)
        .start();
    stand.post(CASE, &titles().to_string());
    assert_eq!((stand.asked()[0].kind, stand.asked()[0].side_call), (Kind::Scenario, None));
}

#[test]
fn side_calls_are_judged_by_their_shape_and_not_by_what_the_step_expects() {
    let stand =
        served(&format!("expect_request: {{require_tools: true, tools_include: [write]}}, {CALLS}")).start();
    assert_eq!(ask(&stand, &titles()).said(), "Write the file now, please");
    let refused = stand.post(CASE, &chat(PROMPT, json!({"temperature": 9})).to_string());
    assert_eq!(refused.status, 400);
    assert_eq!(side_calls(&stand), [Some(SideCall::NoTools); 2]);
}

/// A response format, and what is answered.
fn formats() -> Vec<(Value, Value)> {
    let schema =
        |schema: Value| json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema}});
    vec![
        (json!({"type": "json_object"}), json!({})),
        (
            schema(json!({"type": "object", "properties": {
                "title": {"type": "string"}, "n": {"type": "integer"}, "least": {"type": "number", "minimum": 2},
                "yes": {"type": "boolean"}, "list": {"type": "array", "items": {"type": "string"}},
                "kind": {"enum": ["b", "a"]}, "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "either": {"type": ["null", "string"]}, "one": {"const": 7}, "not": {"type": "string"},
                "inner": {"$ref": "#/$defs/inner"}
            }, "required": ["title", "n", "least", "yes", "list", "kind", "maybe", "either", "one", "inner", "unknown"],
            "$defs": {"inner": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}}})),
            json!({"title": "ok", "n": 0, "least": 2, "yes": false, "list": [], "kind": "b", "maybe": "ok",
                "either": null, "one": 7, "inner": {"x": "ok"}, "unknown": null}),
        ),
    ]
}

#[test]
fn an_answer_beside_the_script_has_the_form_that_is_asked_for() {
    for (format, wanted) in formats() {
        for prompt in [PROMPT, "Something else."] {
            let stand = served(CALLS).start();
            let said = ask(
                &stand,
                &chat(
                    prompt,
                    json!({"response_format": format, "messages": [
                {"role": "user", "content": format!("{prompt} Answer in JSON.")}]}),
                ),
            )
            .said();
            assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), wanted, "{said}");
        }
    }
}

#[test]
fn a_schema_that_never_ends_is_answered_all_the_same() {
    let stand = served(CALLS).start();
    let deep = json!({"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}, "required": ["a", "b"]});
    let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": deep}});
    let said = ask(&stand, &chat("x", json!({"response_format": format}))).said();
    assert!(serde_json::from_str::<Value>(&said).unwrap()["a"]["b"].is_object(), "{said}");
}

#[test]
fn a_streamed_side_call_gets_a_stream() {
    let stand = served(CALLS).start();
    let mut body = titles();
    body["stream"] = json!(true);
    let answer = ask(&stand, &body);
    let (message, finish) = &stream::join(&answer, false).choices[0];
    assert_eq!(
        (message["content"].as_str(), finish.as_str()),
        (Some("Write the file now, please"), Some("stop"))
    );
}
