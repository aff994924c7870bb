//! What the dialects of Ollama send, and how calls without ids are paired with their answers.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use proptest::prelude::*;
use rehearsal_wire::dialect::{Dialect, ErrorBody, Origin, dialect};
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::{Envelope, IssuedCall, Reply, Usage};
use serde_json::{Value, json};

fn chat() -> &'static Dialect {
    dialect("ollama-chat").unwrap()
}

fn generate() -> &'static Dialect {
    dialect("ollama-generate").unwrap()
}

fn envelope() -> Envelope {
    Envelope::plain("AB".to_owned(), 1_767_225_601, "\"m\"".to_owned())
}

fn says(text: &str) -> Reply {
    Reply { text: Some(text.to_owned()), usage: Usage { prompt: 3, completion: 2 }, ..Reply::default() }
}

fn call(id: &str, arguments: &str) -> IssuedCall {
    IssuedCall { id: id.to_owned(), name: "f".to_owned(), arguments: arguments.to_owned() }
}

fn text(bytes: impl Into<Vec<u8>>) -> String {
    String::from_utf8(bytes.into()).unwrap()
}

const HEAD: &str = r#"{"model":"m","created_at":"2026-01-01T00:00:01Z""#;
const END: &str = r#""done":true,"done_reason":"stop","total_duration":24000000,"load_duration":1000000,"prompt_eval_count":3,"prompt_eval_duration":3000000,"eval_count":2,"eval_duration":20000000"#;

#[test]
fn a_chat_is_one_object_or_lines_of_them() {
    let reply = Reply {
        thinking: Some("Hm".to_owned()),
        calls: vec![call("c1", "{\"a\":\n1.50}"), call("c2", "broken")],
        ..says("Hi <é")
    };
    let first = r#"{"id":"c1","function":{"index":0,"name":"f","arguments":{"a": 1.50}}}"#;
    let second = r#"{"id":"c2","function":{"index":1,"name":"f","arguments":{}}}"#;
    let whole = text((chat().render)(&reply, &envelope()));
    let said = r#""message":{"role":"assistant","content":"Hi \u003cé","thinking":"Hm","tool_calls":"#;
    assert_eq!(whole, format!("{HEAD},{said}[{first},{second}]}},{END}}}"));
    let lines: Vec<_> = (chat().stream)(&reply, &envelope()).iter().map(text).collect();
    let line =
        |message: &str| format!("{HEAD},\"message\":{{\"role\":\"assistant\",{message}}},\"done\":false}}\n");
    let wanted = [
        line(r#""content":"","thinking":"Hm""#),
        line(r#""content":"Hi \u003c""#),
        line(r#""content":"é""#),
        line(&format!(r#""content":"","tool_calls":[{first}]"#)),
        line(&format!(r#""content":"","tool_calls":[{second}]"#)),
        format!("{HEAD},\"message\":{{\"role\":\"assistant\",\"content\":\"\"}},{END}}}\n"),
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn a_completion_ends_with_the_context_to_go_on_from() {
    let whole = text((generate().render)(&says("Hi"), &envelope()));
    assert_eq!(whole, format!("{HEAD},\"response\":\"Hi\",{END},\"context\":[65,66]}}"));
    let lines: Vec<_> = (generate().stream)(&says("Hi"), &envelope()).iter().map(text).collect();
    let wanted = [
        format!("{HEAD},\"response\":\"Hi\",\"done\":false}}\n"),
        format!("{HEAD},\"response\":\"\",{END},\"context\":[65,66]}}\n"),
    ];
    assert_eq!(lines, wanted);
    let id = (generate().id)(&Origin { step: Some(("p", 1)), bits: 1, kept: false });
    let body = json!({"prompt": "more", "context": id.bytes().collect::<Vec<_>>()}).to_string();
    let tape = parse(body.as_bytes()).unwrap();
    assert_eq!((generate().read)(&tape).kept.unwrap().id, id);
    for foreign in ["[1,2,300]", "[1.5]", "[]", "{}", "null"] {
        let body = format!("{{\"prompt\":\"a\",\"context\":{foreign}}}");
        assert!((generate().read)(&parse(body.as_bytes()).unwrap()).kept.is_none(), "{foreign}");
    }
}

#[test]
fn ends_thoughts_and_errors_are_told_in_the_words_of_ollama() {
    for (finish, wanted) in
        [("length", "length"), ("stop", "stop"), ("tool_calls", "stop"), ("content_filter", "stop")]
    {
        let reply = Reply { finish: Some(finish.to_owned()), ..says("x") };
        let body: Value = serde_json::from_slice(&(chat().render)(&reply, &envelope())).unwrap();
        assert_eq!(body["done_reason"], wanted, "{finish}");
    }
    let thinks = Reply { thinking: Some("Hm".to_owned()), ..says("x") };
    for (think, shown) in [("false", false), ("true", true), ("\"high\"", true)] {
        let asked = Envelope { echoed: vec![("think", think.to_owned())], ..envelope() };
        assert_eq!(text((chat().render)(&thinks, &asked)).contains("Hm"), shown, "{think}");
    }
    let error = ErrorBody {
        status: 400,
        message: "a \"b\"",
        kind: Some("k"),
        param: None,
        code: Some("c"),
        request_id: None,
        retry_after: None,
    };
    assert_eq!(text((chat().error)(&error)), r#"{"error":"a \"b\""}"#);
}

#[test]
fn answers_are_paired_by_id_else_by_tool_else_in_order() {
    let made = json!({"role": "assistant", "tool_calls": [
        {"function": {"name": "f", "arguments": {}}},
        {"id": "own", "function": {"name": "g", "arguments": {}}},
        {"function": {"name": "f", "arguments": {}}},
    ]});
    for (answers, wanted) in [
        (json!([{}, {}, {}]), [0, 1, 2]),
        (json!([{"tool_name": "g"}, {"tool_name": "f"}, {"tool_name": "f"}]), [1, 0, 2]),
        (json!([{"name": "f"}, {"tool_call_id": "own"}, {}]), [0, 1, 2]),
        (json!([{"tool_name": "f"}, {"tool_name": "f"}, {"tool_name": "f"}]), [0, 2, 2]),
        (json!([{"tool_call_id": "other"}, {"tool_name": "h"}, {}]), [9, 9, 0]),
    ] {
        let mut messages = vec![json!({"role": "user", "content": "a"}), made.clone()];
        for answer in answers.as_array().unwrap() {
            let mut message = answer.clone();
            message["role"] = json!("tool");
            messages.push(message);
        }
        let body = json!({"messages": messages}).to_string();
        let tape = parse(body.as_bytes()).unwrap();
        let turn = (chat().read)(&tape);
        assert!(turn.unnamed);
        let ids: Vec<_> = turn.messages[1].calls.iter().map(|call| &call.id).collect();
        let place = |id| ids.iter().position(|known| *known == id).unwrap_or(9);
        let got: Vec<_> = turn.messages[2..].iter().map(|message| place(&message.answers[0])).collect();
        assert_eq!(got, wanted, "{answers}");
    }
}

fn replies() -> impl Strategy<Value = Reply> {
    let words = || prop::option::of("[a-z\"\\\\\n <é😀\u{2028}]{0,20}");
    let call = ("[a-z]{1,5}", "[a-z<é\u{2028}\\\\\"]{0,9}")
        .prop_map(|(key, value)| call("c", &json!({ key: value }).to_string()));
    (words(), words(), prop::collection::vec(call, 0..4)).prop_map(|(thinking, text, calls)| Reply {
        thinking,
        text,
        calls,
        ..Reply::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn joined_lines_are_the_whole_answer(reply in replies(), piece in 0..7_usize) {
        let asked = Envelope { piece, ..envelope() };
        for (dialect, place) in [(chat(), "/message"), (generate(), "")] {
            let whole: Value = serde_json::from_slice(&(dialect.render)(&reply, &asked)).unwrap();
            let key = if place.is_empty() { "response" } else { "content" };
            let (mut words, mut thoughts, mut calls) = (String::new(), String::new(), Vec::new());
            for line in (dialect.stream)(&reply, &asked).iter() {
                let line = text(line);
                prop_assert!(line.ends_with('\n') && line.split(['\n', '\u{2028}']).count() == 2, "{line:?}");
                let line: Value = serde_json::from_str(&line).unwrap();
                let part = line.pointer(place).unwrap();
                words.push_str(part[key].as_str().unwrap());
                thoughts.push_str(part["thinking"].as_str().unwrap_or_default());
                calls.extend(part["tool_calls"].as_array().into_iter().flatten().cloned());
            }
            let part = whole.pointer(place).unwrap();
            prop_assert_eq!(&part[key], &words);
            prop_assert_eq!(part["thinking"].as_str().unwrap_or_default(), thoughts);
            prop_assert_eq!(part["tool_calls"].as_array().cloned().unwrap_or_default(), calls);
        }
    }
}
