//! The faults of tool calls: what exactly leaves, and what a client makes of it that does what is right.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

mod hearing;
mod playing;

use hearing::{Heard, sections};
use playing::{calls, played, words};
use rehearsal_wire::dialect::{DIALECTS, dialect};
use rehearsal_wire::fault::{Arrives, FAULTS, Fault, Group, clash, fault};
use rehearsal_wire::reply::{IssuedCall, Reply, Usage};

/// The rows of the group but the one that is a whole plan of its own.
fn rows() -> impl Iterator<Item = &'static Fault> {
    FAULTS.iter().filter(|row| row.group == Group::ToolCalls && row.name != "tool-pending-forever")
}

/// The replies of the corpus.
fn reply(kind: &str) -> Reply {
    let call = |id: &str, arguments: &str| IssuedCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
    };
    let calls = match kind {
        "call" => vec![call("c1", r#"{"a":"ä"}"#)],
        "calls" => vec![call("c1", r#"{"a":1}"#), call("c2", r#"{"b":2}"#)],
        "nothing" => vec![call("c1", " { } "), call("c2", r#"{"b":2}"#)],
        "nested" => vec![call("c1", r#"{"a": ["x", "y"], "b": "z", "c": {"d": 1}}"#)],
        _ => panic!("no reply is called {kind}"),
    };
    Reply { calls, usage: Usage { prompt: 1, completion: 2 }, ..Reply::default() }
}

#[test]
fn what_leaves_is_what_the_corpus_says() {
    let played = sections(include_str!("../corpus/faults/tool_calls.txt"), reply);
    for row in rows() {
        assert!(played.contains(&row.name), "{}", row.name);
    }
}

#[test]
fn a_reply_without_calls_has_none_to_break() {
    let chat = dialect("openai-chat").unwrap();
    for row in rows().filter(|row| !row.only_words()) {
        for stream in [false, true] {
            assert!(played(&[(row.name, &[])], chat, &words(), stream).is_none(), "{}", row.name);
        }
    }
}

#[test]
fn a_client_that_does_what_is_right_hears_what_was_said() {
    let chat = dialect("openai-chat").unwrap();
    for row in rows() {
        for stream in [false, true] {
            let Some(sent) = played(&[(row.name, &[])], chat, &calls(), stream) else { continue };
            let place = format!("{}, {}", row.name, if stream { "streamed" } else { "plain" });
            let said = sent.faulted.delivered.as_ref().unwrap();
            let heard = Heard::read(&sent, stream);
            heard.is_said(said, &place);
            let same_ids = heard.ids.iter().eq(said.calls.iter().map(|call| &call.id));
            assert_eq!(same_ids, fault(row.name).unwrap().arrives == Arrives::AsSaid, "{place}");
        }
    }
}

#[test]
fn each_dialect_says_it_in_its_own_form() {
    for (name, dialect_name, kind, said) in [
        ("tool-args-empty", "openai-chat", "nothing", r#""name": "read", "arguments": """#),
        ("tool-args-empty", "openai-responses", "nothing", r#""arguments":"","call_id":"c1""#),
        ("tool-args-empty", "anthropic-messages", "nothing", r#""id":"c1","name":"read","input":{}"#),
        ("tool-args-double", "openai-chat", "calls", r#""arguments": "\"{\\\"b\\\":2}\"""#),
        ("tool-args-double", "openai-responses", "calls", r#""arguments":"\"{\\\"b\\\":2}\"""#),
        ("tool-args-invalid", "openai-responses", "calls", r#""arguments":"{\"b\":2","#),
        // An object has its end; only a stream of this API can lack it.
        ("tool-args-invalid", "anthropic-messages", "calls", r#""id":"c2","name":"read","input":{}"#),
        ("tool-args-non-object", "openai-chat", "calls", r#""arguments": "[]""#),
        ("tool-unknown-name", "anthropic-messages", "calls", r#""id":"c2","name":"no_such_tool""#),
        ("tool-unknown-name", "google-gemini", "calls", r#""id":"c2","name":"no_such_tool""#),
        (
            "tool-args-nested-string",
            "anthropic-messages",
            "nested",
            r#""input":{"a": "[\"x\", \"y\"]", "b": "z""#,
        ),
        ("parallel-tool-calls", "google-gemini", "call", r#"{"functionCall":{"id":"c1_1","name":"read","#),
    ] {
        let sent = played(&[(name, &[])], dialect(dialect_name).unwrap(), &reply(kind), false).unwrap();
        assert!(sent.text().contains(said), "{name} in {dialect_name}: {}", sent.text());
    }
    let messages = dialect("anthropic-messages").unwrap();
    let streamed = played(&[("tool-args-invalid", &[])], messages, &reply("calls"), true).unwrap();
    assert!(streamed.text().contains(r#""partial_json":":2"}"#) && !streamed.text().contains(":2}\""));
}

#[test]
fn huge_arguments_are_the_same_object_in_a_megabyte_and_in_pieces_of_no_more_than_16_kib() {
    // Two dialects know no calls.
    let calling =
        DIALECTS.iter().filter(|dialect| !["openai-completions", "ollama-generate"].contains(&dialect.name));
    for dialect in calling {
        for stream in [false, true] {
            let sent = played(&[("tool-args-huge", &[])], dialect, &calls(), stream).unwrap();
            let more = sent.body().len() - sent.unharmed.len();
            assert!(more >= 2 << 20, "{}: {more}", dialect.name);
        }
    }
    let chat = played(&[("tool-args-huge", &[])], dialect("openai-chat").unwrap(), &calls(), true).unwrap();
    let longest = chat.events().iter().map(|event| event.data.len()).max();
    assert!(longest.is_some_and(|longest| (16 << 10..17 << 10).contains(&longest)), "{longest:?}");
}

#[test]
fn faults_of_calls_go_together() {
    let chat = dialect("openai-chat").unwrap();
    for faults in [
        [
            "parallel-tool-calls",
            "tool-index-all-zero",
            "tool-name-repeated",
            "tool-type-repeated",
            "sse-crlf",
        ],
        ["tool-index-out-of-order", "tool-id-empty", "role-every-chunk", "zero-delta", "sse-no-space"],
        [
            "tool-index-duplicate-in-chunk",
            "tool-name-split",
            "empty-choices-first",
            "usage-null",
            "sse-cr-only",
        ],
        [
            "tool-args-invalid",
            "tool-index-drift",
            "envelope-nulls",
            "finish-stop-with-tools",
            "sse-multiline-data",
        ],
    ] {
        let rows: Vec<&'static Fault> = faults.iter().map(|name| fault(name).unwrap()).collect();
        assert_eq!(clash(&rows), None, "{faults:?}");
        let sent = played(&faults.map(|name| (name, [].as_slice())), chat, &calls(), true).unwrap();
        let played = rows.iter().filter(|row| !row.only_words()).map(|row| row.name);
        assert!(played.clone().all(|name| sent.faulted.names.contains(&name)), "{:?}", sent.faulted.names);
        Heard::read(&sent, true).is_said(sent.faulted.delivered.as_ref().unwrap(), &faults.join(" + "));
    }
}
