//! Requests as they leave: what each dialect says, and that turns alternate.

use super::*;
use crate::endpoint::answer::Call;
use proptest::prelude::*;
use rehearsal_wire::json::{self, Kind, Value};

const SCHEMA: Schema<'_> = Schema { name: "WorkerPatch", text: "{\"type\":\"object\"}" };

fn turn(repairs: &[Repair], stream: bool) -> Turn<'_> {
    Turn { model: "m", system: "be \"good\"", user: "do\nit", repairs, schema: Some(SCHEMA), stream }
}

fn text(dialect: Dialect, turn: &Turn<'_>, dialing: &Dialing) -> String {
    let body = String::from_utf8(write(dialect, turn, dialing)).unwrap();
    json::parse(body.as_bytes()).unwrap_or_else(|broken| panic!("{broken}: {body}"));
    body
}

fn repair() -> Repair {
    Repair { said: String::new(), reasoning: Some("hm".to_owned()), wanted: "again".to_owned() }
}

#[test]
fn a_chat_request_holds_what_the_dialing_says_and_nothing_else() {
    let plain = text(Dialect::Chat, &turn(&[], false), &Dialing::default());
    assert_eq!(
        plain,
        r#"{"model":"m","messages":[{"role":"system","content":"be \"good\""},{"role":"user","content":"do\nit"}]}"#
    );
    let all = Dialing {
        structured: Structured::JsonSchema,
        temperature: Some(0.0),
        limit: Limit::MaxTokens(9),
        stream_usage: true,
        fold_system: false,
    };
    let tail = r#","response_format":{"type":"json_schema","json_schema":{"name":"WorkerPatch","strict":true,"schema":{"type":"object"}}},"max_tokens":9,"stream_options":{"include_usage":true},"temperature":0,"stream":true}"#;
    assert!(text(Dialect::Chat, &turn(&[], true), &all).ends_with(tail));
}

#[test]
fn q03_the_option_for_tokens_goes_only_with_a_stream() {
    let dialing = Dialing { stream_usage: true, ..Dialing::default() };
    assert!(!text(Dialect::Chat, &turn(&[], false), &dialing).contains("stream_options"));
    assert!(!text(Dialect::Chat, &turn(&[], true), &Dialing::default()).contains("stream_options"));
}

#[test]
fn q30_each_step_of_the_ladder_is_its_own_request() {
    let with =
        |structured| text(Dialect::Chat, &turn(&[], false), &Dialing { structured, ..Dialing::default() });
    assert!(with(Structured::JsonSchema).contains(r#"{"type":"json_schema","#));
    assert!(with(Structured::JsonObject).contains(r#""response_format":{"type":"json_object"}"#));
    assert!(!with(Structured::None).contains("response_format"));
}

#[test]
fn q38_there_is_one_limit_at_most() {
    for (limit, has, has_not) in [
        (Limit::MaxTokens(5), "\"max_tokens\":5", "max_completion_tokens"),
        (Limit::MaxCompletionTokens(5), "\"max_completion_tokens\":5", "max_tokens"),
    ] {
        let body = text(Dialect::Chat, &turn(&[], false), &Dialing { limit, ..Dialing::default() });
        assert!(body.contains(has) && !body.contains(&format!("\"{has_not}\"")), "{body}");
    }
}

#[test]
fn q39_a_folded_system_text_stands_before_the_task() {
    let dialing = Dialing { fold_system: true, ..Dialing::default() };
    for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Messages] {
        let body = text(dialect, &turn(&[], false), &dialing);
        assert!(body.contains(r#"[{"role":"user","content":"be \"good\"\n\ndo\nit"}]"#), "{body}");
        assert!(!body.contains("\"system\"") && !body.contains("instructions"), "{body}");
    }
}

#[test]
fn q40_an_answer_goes_back_as_it_was_with_its_reasoning_where_that_is_wanted() {
    let body = text(Dialect::Chat, &turn(&[repair()], false), &Dialing::default());
    let wanted =
        r#"{"role":"assistant","content":"","reasoning_content":"hm"},{"role":"user","content":"again"}]"#;
    assert!(body.contains(wanted), "{body}");
    let without = [Repair { reasoning: None, ..repair() }];
    assert!(!text(Dialect::Chat, &turn(&without, false), &Dialing::default()).contains("reasoning"));
}

#[test]
fn the_other_dialects_say_the_same_in_their_words() {
    let dialing =
        Dialing { structured: Structured::JsonSchema, limit: Limit::MaxTokens(7), ..Dialing::default() };
    let body = text(Dialect::Responses, &turn(&[repair()], false), &dialing);
    assert_eq!(
        body,
        r#"{"model":"m","instructions":"be \"good\"","input":[{"role":"user","content":"do\nit"},{"role":"assistant","content":"(nothing)"},{"role":"user","content":"again"}],"text":{"format":{"type":"json_schema","name":"WorkerPatch","strict":true,"schema":{"type":"object"}}},"max_output_tokens":7,"store":false}"#
    );
    let body = text(Dialect::Messages, &turn(&[], true), &Dialing { limit: Limit::None, ..dialing });
    assert_eq!(
        body,
        r#"{"model":"m","system":"be \"good\"","messages":[{"role":"user","content":"do\nit"}],"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},"max_tokens":8192,"stream":true}"#
    );
}

#[test]
fn a_temperature_that_is_no_number_is_not_sent() {
    for wild in [f64::NAN, f64::INFINITY] {
        let dialing = Dialing { temperature: Some(wild), ..Dialing::default() };
        assert!(!text(Dialect::Chat, &turn(&[], false), &dialing).contains("temperature"));
    }
}

fn dialing() -> impl Strategy<Value = Dialing> {
    let structured =
        prop_oneof![Just(Structured::JsonSchema), Just(Structured::JsonObject), Just(Structured::None)];
    let limit = prop_oneof![
        Just(Limit::None),
        any::<u32>().prop_map(Limit::MaxTokens),
        any::<u32>().prop_map(Limit::MaxCompletionTokens)
    ];
    (structured, proptest::option::of(any::<f64>()), limit, any::<bool>(), any::<bool>()).prop_map(
        |(structured, temperature, limit, stream_usage, fold_system)| Dialing {
            structured,
            temperature,
            limit,
            stream_usage,
            fold_system,
        },
    )
}

proptest! {
    #[test]
    fn q20_q39_contents_are_plain_strings_and_roles_alternate(
        texts in ("\\PC*", "\\PC*", proptest::collection::vec(("\\PC*", "\\PC*"), 0..4)),
        dialing in dialing(),
        stream in any::<bool>(),
    ) {
        let (system, user, repairs) = texts;
        let repairs: Vec<Repair> =
            repairs.into_iter().map(|(said, wanted)| Repair { said, reasoning: None, wanted }).collect();
        let turn = Turn { model: "m", system: &system, user: &user, repairs: &repairs, schema: Some(SCHEMA), stream };
        for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Messages] {
            let body = write(dialect, &turn, &dialing);
            let tape = json::parse(&body).unwrap();
            prop_assert!(tape.duplicate_key.is_none());
            let talk = tape.root().get("messages").or(tape.root().get("input")).unwrap();
            let roles: Vec<_> = talk.items().filter_map(|it| it.get("role")).filter_map(Value::as_str).collect();
            let roles = if roles[0] == "system" { &roles[1..] } else { &roles[..] };
            prop_assert_eq!(roles.len(), 1 + 2 * repairs.len());
            for (at, role) in roles.iter().enumerate() {
                prop_assert_eq!(role, if at % 2 == 0 { "user" } else { "assistant" });
            }
            prop_assert!(talk.items().all(|it| it.get("content").is_some_and(|it| it.kind() == Kind::String)));
        }
    }
}

fn tools() -> [Tool<'static>; 1] {
    [Tool { name: "look", description: "Look.", parameters: r#"{"type":"object","properties":{}}"# }]
}

fn call(id: &str, arguments: &str) -> Call {
    Call { id: id.to_owned(), name: "look".to_owned(), arguments: arguments.to_owned() }
}

/// A task, a turn with two calls, their results, and another word of the user.
fn talked() -> Vec<Message> {
    let calls = vec![call("a", r#"{ "x":1}"#), call("b", "{\"x\":")];
    let result = |id: &str, text: &str| Message::Result { call: id.to_owned(), text: text.to_owned() };
    vec![
        Message::User("do it".to_owned()),
        Message::Assistant(Said { content: None, reasoning: Some("hm".to_owned()), calls }),
        result("a", "one"),
        result("b", "two"),
        Message::User("go on".to_owned()),
        Message::Assistant(Said {
            content: Some(String::new()),
            calls: vec![call("c", "")],
            reasoning: None,
        }),
        result("c", ""),
    ]
}

fn talk<'t>(messages: &'t [Message], tools: &'t [Tool<'t>]) -> Talk<'t> {
    let (choice, parallel, schema) = (Some(Choice::Any), Some(false), None);
    Talk { model: "m", system: "s", messages, tools, choice, parallel, schema, stream: false }
}

#[test]
fn a_conversation_with_calls_is_written_in_the_words_of_each_api() {
    let (messages, tools) = (talked(), tools());
    let body = |dialect| {
        String::from_utf8(write_talk(dialect, &talk(&messages, &tools), &Dialing::default())).unwrap()
    };
    assert_eq!(
        body(Dialect::Chat),
        r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"do it"},{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{ \"x\":1}"}},{"id":"b","type":"function","function":{"name":"look","arguments":"{\"x\":"}}]},{"role":"tool","tool_call_id":"a","content":"one"},{"role":"tool","tool_call_id":"b","content":"two"},{"role":"user","content":"go on"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":""}}]},{"role":"tool","tool_call_id":"c","content":""}],"tools":[{"type":"function","function":{"name":"look","description":"Look.","parameters":{"type":"object","properties":{}}}}],"tool_choice":"required","parallel_tool_calls":false}"#
    );
    assert_eq!(
        body(Dialect::Responses),
        r#"{"model":"m","instructions":"s","input":[{"role":"user","content":"do it"},{"type":"function_call","call_id":"a","name":"look","arguments":"{ \"x\":1}"},{"type":"function_call","call_id":"b","name":"look","arguments":"{\"x\":"},{"type":"function_call_output","call_id":"a","output":"one"},{"type":"function_call_output","call_id":"b","output":"two"},{"role":"user","content":"go on"},{"type":"function_call","call_id":"c","name":"look","arguments":""},{"type":"function_call_output","call_id":"c","output":""}],"tools":[{"type":"function","name":"look","description":"Look.","parameters":{"type":"object","properties":{}},"strict":false}],"tool_choice":"required","parallel_tool_calls":false,"store":false}"#
    );
    assert_eq!(
        body(Dialect::Messages),
        r#"{"model":"m","system":"s","messages":[{"role":"user","content":"do it"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{ "x":1}},{"type":"tool_use","id":"b","name":"look","input":{"arguments":"{\"x\":"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"one"},{"type":"tool_result","tool_use_id":"b","content":"two"},{"type":"text","text":"go on"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":""}]}],"tools":[{"name":"look","description":"Look.","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"type":"any","disable_parallel_tool_use":true},"max_tokens":8192}"#
    );
}

#[test]
fn tools_are_chosen_only_where_that_is_asked() {
    let (messages, tools) = (vec![Message::User("u".to_owned())], tools());
    let body = |dialect, choice, parallel| {
        let talk = Talk { choice, parallel, ..talk(&messages, &tools) };
        String::from_utf8(write_talk(dialect, &talk, &Dialing::default())).unwrap()
    };
    let all = [Dialect::Chat, Dialect::Responses, Dialect::Messages];
    for dialect in all {
        let plain = body(dialect, None, None);
        assert!(
            plain.contains("\"tools\":[") && !plain.contains("choice") && !plain.contains("parallel"),
            "{plain}"
        );
        let bare = Talk { tools: &[], ..talk(&messages, &tools) };
        let bare = String::from_utf8(write_talk(dialect, &bare, &Dialing::default())).unwrap();
        assert!(!bare.contains("tool"), "{bare}");
    }
    for (choice, wanted) in [
        (Choice::Auto, [r#":"auto""#, r#":"auto""#, r#":{"type":"auto"}"#]),
        (Choice::Never, [r#":"none""#, r#":"none""#, r#":{"type":"none"}"#]),
        (Choice::Any, [r#":"required""#, r#":"required""#, r#":{"type":"any"}"#]),
        (
            Choice::Only("look"),
            [
                r#":{"type":"function","function":{"name":"look"}}"#,
                r#":{"type":"function","name":"look"}"#,
                r#":{"type":"tool","name":"look"}"#,
            ],
        ),
    ] {
        for (dialect, wanted) in all.into_iter().zip(wanted) {
            let body = body(dialect, Some(choice), None);
            assert!(body.contains(&format!("\"tool_choice\"{wanted}")), "{wanted}: {body}");
        }
    }
    assert!(
        body(Dialect::Messages, None, Some(true))
            .contains(r#""tool_choice":{"type":"auto","disable_parallel_tool_use":false}"#)
    );
    assert!(!body(Dialect::Messages, Some(Choice::Never), Some(true)).contains("disable"));
}

#[test]
fn words_beside_calls_stand_before_them() {
    let said = Said { content: Some("I look".to_owned()), calls: vec![call("a", "{}")], reasoning: None };
    let messages = [Message::User("u".to_owned()), Message::Assistant(said)];
    for (dialect, wanted) in [
        (Dialect::Chat, r#""content":"I look","tool_calls":["#),
        (Dialect::Responses, r#"{"role":"assistant","content":"I look"},{"type":"function_call","#),
        (Dialect::Messages, r#""content":[{"type":"text","text":"I look"},{"type":"tool_use","#),
    ] {
        let body = write_talk(dialect, &talk(&messages, &tools()), &Dialing::default());
        json::parse(&body).unwrap();
        let body = String::from_utf8(body).unwrap();
        assert!(body.contains(wanted), "{body}");
    }
}

#[test]
fn a_system_text_is_folded_into_the_first_words_of_the_user_alone() {
    let messages = talked();
    let dialing = Dialing { fold_system: true, ..Dialing::default() };
    for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Messages] {
        let body = String::from_utf8(write_talk(dialect, &talk(&messages, &[]), &dialing)).unwrap();
        assert!(body.contains(r#"[{"role":"user","content":"s\n\ndo it"}"#), "{body}");
        assert_eq!(body.matches("s\\n\\n").count(), 1, "{body}");
        assert!(!body.contains("\"system\"") && !body.contains("instructions"), "{body}");
    }
}

proptest! {
    #[test]
    fn whatever_a_model_called_goes_back_as_json(arguments in "\\PC*", content in proptest::option::of("\\PC*")) {
        let said = Said { content, calls: vec![call("a", &arguments)], reasoning: None };
        let result = Message::Result { call: "a".to_owned(), text: arguments };
        let messages = [Message::User("u".to_owned()), Message::Assistant(said), result];
        for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Messages] {
            let body = write_talk(dialect, &talk(&messages, &tools()), &Dialing::default());
            prop_assert!(json::parse(&body).is_ok_and(|tape| tape.duplicate_key.is_none()));
        }
    }
}
