//! Which step answers, what a step expects of a request, and how a file sets the server.

use crate::request::{chat, history, tool};
use crate::stand::Served;
use rehearsal_journal::event::Kind;
use serde_json::{Value, json};

fn one_class(class: &str) -> Served {
    Served::file(
        "t.yaml",
        &format!("version: 1\nclasses: {{c: {{phrasings: [{{id: p, prompt: go}}], {class}}}}}\n"),
    )
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

#[test]
fn the_step_is_the_number_of_assistant_messages_unless_requests_are_counted() {
    for (advance, wanted) in
        [("assistants", ["a", "a", "c", "b"]), ("request", ["a", "b", "c", "GATE-SCRIPT-EXHAUSTED p step 3"])]
    {
        let stand =
            one_class(&format!("advance: {advance}, script: [{{text: a}}, {{text: b}}, {{text: c}}]"))
                .start();
        let histories: [&[Value]; 4] = [&[], &[], &[said("x"), said("y")], &[said("x")]];
        let got = histories.map(|later| stand.chat(&history("go", later, json!({}))).said());
        assert_eq!(got, wanted, "{advance}");
    }
}

#[test]
fn a_refused_request_is_no_answered_request() {
    let stand = one_class("advance: request, script: [{text: a}, {text: b}]").start();
    let refused = chat("go", json!({"n": 0}));
    let good = chat("go", json!({}));
    let statuses = [&refused, &good, &refused, &good].map(|body| stand.chat(body).status);
    assert_eq!(statuses, [400, 200, 400, 200]);
    let steps: Vec<_> = stand.asked().iter().map(|asked| asked.step).collect();
    assert_eq!(steps, [0, 0, 1, 1].map(Some));
}

#[test]
fn a_last_step_without_end_answers_every_later_request_under_an_id_of_its_own() {
    let stand = one_class(
        "script: [{text: first}, {tool_calls: [{name: look, arguments: {at: here}}], repeat: forever}]",
    )
    .start();
    let mut later = vec![said("first")];
    for step in 1..6 {
        let answer = stand.chat(&history("go", &later, json!({"tools": [tool("look")]})));
        let message = answer.json()["choices"][0]["message"].clone();
        let id = format!("call_gate_p_s{step}_0");
        assert_eq!(message["tool_calls"][0]["id"], id, "{}", answer.text());
        later.extend([message, json!({"role": "tool", "tool_call_id": id, "content": "nothing new"})]);
    }
}

#[test]
fn a_step_written_several_times_is_numbered() {
    let stand = one_class("script: [{text: 'take {N} of {NN}', repeat: 2}]").start();
    let got = [&[][..], &[said("x")], &[said("x"), said("y")]]
        .map(|later| stand.chat(&history("go", later, json!({}))).said());
    assert_eq!(got, ["take 1 of 01", "take 2 of 02", "GATE-SCRIPT-EXHAUSTED p step 2"]);
    assert_eq!(stand.asked()[2].kind, Kind::Overrun);
}

/// What a step may expect; a request that does not hold it, one that does, and the place that the refusal must name.
fn expectations() -> Vec<(&'static str, Value, Value, &'static str)> {
    let tools = || json!([tool("one"), tool("two")]);
    vec![
        ("require_tools: true", json!({}), json!({"tools": tools()}), "/tools"),
        ("forbid_tools: true", json!({"tools": tools()}), json!({}), "/tools"),
        (
            "tools_include: [one, three]",
            json!({"tools": tools()}),
            json!({"tools": [tool("three"), tool("one")]}),
            "/tools",
        ),
        ("tools_include: one", json!({}), json!({"tools": tools()}), "/tools"),
        (
            "require_tool_choice: true",
            json!({"tools": tools()}),
            json!({"tools": tools(), "tool_choice": "auto"}),
            "/tool_choice",
        ),
        (
            "parallel_tool_calls: false",
            json!({"tools": tools()}),
            json!({"tools": tools(), "parallel_tool_calls": false}),
            "/parallel_tool_calls",
        ),
        (
            "system_contains: Be brief",
            json!({}),
            json!({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "go"}]}),
            "/messages",
        ),
        ("values: {/temperature: 0}", json!({"temperature": 1}), json!({"temperature": 0.0}), "/temperature"),
        ("values: {/metadata/run: \"7\"}", json!({}), json!({"metadata": {"run": "7"}}), "/metadata/run"),
        (
            "values: {/messages/0/content: go}",
            json!({"messages": [{"role": "user", "content": "Please go"}]}),
            json!({}),
            "/messages/0/content",
        ),
    ]
}

#[test]
fn a_request_without_what_the_step_expects_is_refused_with_the_place_named() {
    for (expect, without, with, pointer) in expectations() {
        let stand = one_class(&format!("script: [{{text: fine, expect_request: {{{expect}}}}}]")).start();
        let refused = stand.chat(&chat("go", without));
        assert_eq!(
            (refused.status, refused.code()),
            (400, json!("gate_expect")),
            "{expect}: {}",
            refused.text()
        );
        assert!(refused.message().starts_with(&format!("{pointer}: ")), "{expect}: {}", refused.message());
        assert_eq!(
            refused.json()["error"]["param"],
            Value::Null,
            "codes of the gate leave param to the message"
        );
        let fine = stand.chat(&chat("go", with));
        assert_eq!((fine.status, fine.said()), (200, "fine".to_owned()), "{expect}: {}", fine.text());
        let asked = stand.asked();
        let reject = asked[0].reject.as_ref().unwrap();
        assert_eq!((reject.pointer.as_str(), asked[0].step), (pointer, Some(0)), "{expect}");
    }
}

#[test]
fn narrower_expectations_win_key_by_key() {
    let stand = Served::file(
        "t.yaml",
        r#"
version: 1
defaults: {expect_request: {require_tools: true, values: {/temperature: 0}}}
classes:
  c:
    expect_request: {values: {/temperature: 1}}
    script: [{text: a}, {text: b, expect_request: {require_tools: false}}]
    phrasings: [{id: p, prompt: go}]
"#,
    )
    .start();
    let with_tools = json!({"tools": [tool("one")], "temperature": 1});
    assert_eq!(stand.chat(&chat("go", with_tools)).status, 200);
    assert_eq!(stand.chat(&chat("go", json!({"temperature": 1}))).status, 400);
    assert_eq!(stand.chat(&history("go", &[said("a")], json!({"temperature": 1}))).status, 200);
    assert_eq!(
        stand.chat(&history("go", &[said("a")], json!({"tools": [tool("one")], "temperature": 0}))).status,
        400
    );
}

/// A request that only some profiles refuse: the key given twice only by a gate, the other one by the provider as well.
fn statuses(served: &Served) -> [u16; 3] {
    let stand = served.clone().start();
    let twice = r#"{"model":"m","messages":[{"role":"user","content":"x"}],"messages":[{"role":"user","content":"go"}]}"#;
    let hot = chat("go", json!({"temperature": 9})).to_string();
    let bare = chat("go", json!({"tools": [{"type": "function", "function": {"name": "one"}}]})).to_string();
    [twice, hot.as_str(), bare.as_str()].map(|body| stand.post(crate::stand::CHAT, body).status)
}

#[test]
fn the_profile_of_the_file_decides_what_is_refused() {
    for (profile, wanted) in [
        ("lenient", [200, 200, 200]),
        ("api", [200, 400, 200]),
        ("gate", [400, 400, 200]),
        ("pinned", [400, 400, 400]),
    ] {
        let file = format!(
            "version: 1\nprofile: {profile}\nclasses: {{c: {{script: [{{text: a}}], phrasings: [{{id: p, prompt: go}}]}}}}"
        );
        assert_eq!(statuses(&Served::file("t.yaml", &file)), wanted, "{profile}");
    }
}

#[test]
fn single_rules_are_switched_by_the_file_and_then_by_the_command() {
    let file = "version: 1\nrules: {duplicate-keys: false, tool-parameters-present: true}\nclasses: {c: {script: [{text: a}], phrasings: [{id: p, prompt: go}]}}";
    let served = Served::file("t.yaml", file);
    assert_eq!(statuses(&served), [200, 400, 400]);
    assert_eq!(statuses(&served.clone().switched("documented-shape", false)), [200, 200, 400]);
    assert_eq!(
        statuses(&served.switched("tool-parameters-present", false).switched("duplicate-keys", true)),
        [400, 400, 200]
    );
}

#[test]
fn what_holds_no_marker_is_background_and_leaves_the_script_alone() {
    let stand = one_class("advance: request, script: [{text: a}]").start();
    let talk = stand.chat(&chat("Suggest a title for this chat.", json!({})));
    assert_eq!((talk.said().as_str(), &talk.json()["usage"]["total_tokens"]), ("ok", &json!(2)));
    assert_eq!(stand.chat(&chat("go", json!({}))).said(), "a");
    let asked = stand.asked();
    assert_eq!((asked[0].kind, asked[0].phrasing.as_deref(), asked[0].step), (Kind::Background, None, None));
    assert_eq!(
        (asked[1].kind, asked[1].phrasing.as_deref(), asked[1].step),
        (Kind::Scenario, Some("p"), Some(0))
    );
}
