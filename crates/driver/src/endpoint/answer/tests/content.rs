//! Words, ends, and calls that nobody offered.

use super::*;

fn message(message: &str, finish: &str) -> Received {
    json_of(completion(message, finish))
}

#[test]
fn q12_an_answer_that_only_thought_is_empty() {
    for content in ["null", "\"\"", "\" \\n\"", "[]"] {
        for key in ["reasoning_content", "reasoning"] {
            let body = format!(r#"{{"content":{content},"{key}":"I should write a file"}}"#);
            let failed = failed(&message(&body, "\"stop\""));
            assert_eq!((failed.class, failed.reason), (Class::EmptyContent, Some("only_reasoning")));
            assert_eq!(failed.usage.total(), Some(13), "it was paid for");
        }
        let plain = failed(&message(&format!(r#"{{"content":{content}}}"#), "\"stop\""));
        assert_eq!((plain.class, plain.reason), (Class::EmptyContent, Some("no_words")));
    }
    let cut = message(r#"{"content":null,"reasoning_content":"I should"}"#, "\"length\"");
    assert_eq!(failed(&cut).class, Class::Truncated);
}

#[test]
fn q13_what_was_thought_is_the_answer_only_where_that_is_wished() {
    let received = message(r#"{"content":"","reasoning_content":"{\"done\":true}"}"#, "\"stop\"");
    let told = read_as(Dialect::Chat, &received, |reading| reading.answer_from_reasoning = true).unwrap();
    assert_eq!(told.text.as_deref(), Some(r#"{"done":true}"#));
    assert_eq!(told.leniencies, [Leniency::AnswerFromReasoning]);
    // Where there are words they are the answer.
    let both = message(r#"{"content":"x","reasoning_content":"y"}"#, "\"stop\"");
    let told = read_as(Dialect::Chat, &both, |reading| reading.answer_from_reasoning = true).unwrap();
    assert_eq!((told.text.as_deref(), told.reasoning.as_deref()), (Some("x"), Some("y")));
}

#[test]
fn q14_to_q18_words_come_through_as_they_are() {
    for words in
        ["<think>a</think>{}", "```json\\n{}\\n```", "Here: {} Bye", "{\\\"a\\\":\\\"<think>\\\"}", " {} "]
    {
        let received = message(&format!(r#"{{"content":"{words}"}}"#), "\"stop\"");
        let plain = words.replace("\\n", "\n").replace("\\\"", "\"");
        assert_eq!(told(&received).text.as_deref(), Some(plain.as_str()));
    }
}

#[test]
fn q19_parts_of_a_content_are_joined_in_order() {
    let parts = r#"[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#;
    let told = told(&message(&format!(r#"{{"content":{parts}}}"#), "\"stop\""));
    assert_eq!((told.text.as_deref(), told.reasoning.as_deref()), (Some("ab"), Some("t")));
    assert_eq!((told.leniencies, told.notes.len()), (vec![Leniency::ContentParts], 1));
}

#[test]
fn q21_a_refusal_is_kept_in_its_words() {
    let refused = failed(&message(r#"{"content":null,"refusal":"I cannot"}"#, "\"stop\""));
    assert_eq!((refused.class, refused.text.as_deref()), (Class::Refusal, Some("I cannot")));
    assert!(!refused.retryable);
    let pieces = [delta(r#"{"refusal":"I can"}"#, "null"), delta(r#"{"refusal":"not"}"#, "\"stop\"")];
    let refused = failed(&stream(&[&pieces[0], &pieces[1], "[DONE]"]));
    assert_eq!((refused.class, refused.text.as_deref()), (Class::Refusal, Some("I cannot")));
    assert_eq!(told(&message(r#"{"content":"x","refusal":""}"#, "\"stop\"")).text.as_deref(), Some("x"));
}

#[test]
fn q22_what_was_cut_is_no_answer_though_it_looks_whole() {
    for word in ["length", "LENGTH", "max_tokens", "model_length", "max_output_tokens"] {
        let finish = format!("\"{word}\"");
        for body in [
            r#"{"content":"{\"done\":true}"}"#,
            r#"{"content":null,"refusal":"no"}"#,
            r#"{"content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#,
        ] {
            let failed = failed(&message(body, &finish));
            assert_eq!((failed.class, failed.retryable), (Class::Truncated, false), "{word}");
            assert_eq!(failed.finish.as_deref(), Some(word));
        }
        // Another end after it takes nothing back.
        let pieces = [delta(r#"{"content":"{}"}"#, &finish), delta("{}", "\"stop\"")];
        assert_eq!(failed(&stream(&[&pieces[0], &pieces[1], "[DONE]"])).class, Class::Truncated);
    }
    let twice = completion(r#"{"content":"x"}"#, "\"length\",\"finish_reason\":\"stop\"");
    assert_eq!(failed(&json_of(twice)).class, Class::Truncated);
}

#[test]
fn q23_what_was_held_back_is_no_answer() {
    for word in ["content_filter", "SAFETY", "sensitive"] {
        let failed = failed(&message(r#"{"content":"{\"done\":true}"}"#, &format!("\"{word}\"")));
        assert_eq!((failed.class, failed.retryable), (Class::Filtered, false), "{word}");
    }
}

#[test]
fn q24_an_odd_finish_reason_leaves_the_decision_to_the_content() {
    for (finish, leniency) in [
        ("null", Leniency::NoFinish),
        ("\"\"", Leniency::NoFinish),
        ("\"eos\"", Leniency::OddFinish),
        ("\"tool_calls\"", Leniency::OddFinish),
    ] {
        let told = told(&message(r#"{"content":"x"}"#, finish));
        assert_eq!((told.text.as_deref(), told.leniencies), (Some("x"), vec![leniency]), "{finish}");
    }
    assert_eq!(told(&message(r#"{"content":"x"}"#, "\"end_turn\"")).leniencies, []);
    let call = r#"{"content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    assert_eq!(told(&message(call, "\"stop\"")).leniencies, [Leniency::OddFinish]);
    for calls in ["[]", "null"] {
        let none = format!(r#"{{"content":null,"tool_calls":{calls}}}"#);
        let failed = failed(&message(&none, "\"tool_calls\""));
        assert_eq!((failed.class, failed.reason), (Class::Format, Some("tool_calls_missing")));
    }
    // A stream that ends with its last event and no reason.
    let pieces = stream(&[&delta(r#"{"content":"x"}"#, "null"), "[DONE]"]);
    assert_eq!(told(&pieces).leniencies, [Leniency::StreamAnyway, Leniency::NoFinish]);
}

#[test]
fn q25_a_call_in_place_of_words_is_told() {
    let body = r#"{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"WorkerPatch","arguments":"{\"done\":true}"}}]}"#;
    let told = told(&message(body, "\"tool_calls\""));
    assert_eq!((told.text, told.leniencies), (None, vec![]));
    let arguments = r#"{"done":true}"#.to_owned();
    assert_eq!(told.calls, [Call { id: "a".to_owned(), name: "WorkerPatch".to_owned(), arguments }]);
}

#[test]
fn q26_arguments_that_are_a_value_are_accepted_and_told() {
    let body =
        r#"{"content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"done": true}}}]}"#;
    let told = told(&message(body, "\"tool_calls\""));
    assert_eq!(told.calls[0].arguments, r#"{"done":true}"#);
    assert_eq!(told.leniencies, [Leniency::ArgumentsAsValue]);
}

/// The calls of a stream with these pieces of them.
fn calls(pieces: &[&str]) -> Vec<(String, String, String)> {
    let mut documents: Vec<String> =
        pieces.iter().map(|piece| delta(&format!(r#"{{"tool_calls":[{piece}]}}"#), "null")).collect();
    documents.push(delta("{}", "\"tool_calls\""));
    documents.push("[DONE]".to_owned());
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    told(&stream(&documents)).calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

#[test]
fn q27_pieces_without_an_index_go_by_id_else_to_the_call_before() {
    let pieces = [
        r#"{"id":"a","function":{"name":"f","arguments":""}}"#,
        r#"{"function":{"arguments":"{}"}}"#,
        r#"{"id":"b","function":{"name":"g","arguments":"["}}"#,
        r#"{"function":{"arguments":"]"}}"#,
        r#"{"id":"a","function":{"arguments":" "}}"#,
    ];
    assert_eq!(calls(&pieces), [call("a", "f", "{} "), call("b", "g", "[]")]);
}

#[test]
fn q28_a_new_id_at_the_same_index_begins_a_new_call() {
    let pieces = [
        r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
        r#"{"index":0,"id":"b","function":{"name":"f","arguments":"["}}"#,
        r#"{"index":0,"function":{"arguments":"]"}}"#,
    ];
    assert_eq!(calls(&pieces), [call("a", "f", "{}"), call("b", "f", "[]")]);
}

#[test]
fn q29_calls_without_an_id_get_a_stable_one() {
    let pieces = [
        r#"{"index":1,"id":"","function":{"name":"f","arguments":"{}"}}"#,
        r#"{"index":2,"id":"call_0_0","function":{"name":"g","arguments":"{}"}}"#,
    ];
    let first = calls(&pieces);
    assert_eq!(first, [call("call_0_1", "f", "{}"), call("call_0_0", "g", "{}")]);
    assert_eq!(first, calls(&pieces));
    let whole = message(
        r#"{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}"#,
        "\"tool_calls\"",
    );
    assert_eq!(told(&whole).leniencies, [Leniency::IdMade]);
    let legacy =
        message(r#"{"content":null,"function_call":{"name":"f","arguments":"{}"}}"#, "\"function_call\"");
    assert_eq!(told(&legacy).calls.len(), 1);
}

#[test]
fn of_several_choices_the_first_is_used_and_the_others_are_counted() {
    let body = r#"{"choices":[{"index":1,"message":{"content":"b"},"finish_reason":"length"},{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}"#;
    let told = told(&json_of(body));
    assert_eq!((told.text.as_deref(), told.other_choices), (Some("a"), 1));
    assert_eq!(told.leniencies, [Leniency::MoreChoices]);
}

#[test]
fn many_calls_without_an_id_are_no_burden() {
    let call = r#"{"function":{"name":"f","arguments":"{}"}}"#;
    let all = vec![call; 50_000].join(",");
    let told = told(&message(&format!(r#"{{"content":null,"tool_calls":[{all}]}}"#), "\"tool_calls\""));
    let ids: std::collections::BTreeSet<_> = told.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), told.calls.len());
}
