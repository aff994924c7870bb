//! The faults of contents: what exactly leaves, and what a client makes of it that does what is right.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

mod hearing;
mod playing;

use hearing::{Heard, sections};
use playing::{calls, played, words};
use rehearsal_wire::act::Act;
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::fault::{Arrives, FAULTS, Fault, Group, Named, Wanted, fault, play};
use rehearsal_wire::head::ResponseHead;
use rehearsal_wire::reply::{Envelope, IssuedCall, Reply, Usage};

fn rows() -> impl Iterator<Item = &'static Fault> {
    FAULTS.iter().filter(|row| row.group == Group::Contents)
}

/// The replies of the corpus.
fn reply(kind: &str) -> Reply {
    let hi = Reply {
        text: Some("Hi 😀!".to_owned()),
        usage: Usage { prompt: 1, completion: 2 },
        ..Reply::default()
    };
    let call = |id: &str, arguments: &str| IssuedCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
    };
    match kind {
        "words" => hi,
        "calls" => Reply { text: None, calls: vec![call("c1", "{}"), call("c2", r#"{"a":"ä"}"#)], ..hi },
        "thought" => Reply { thinking: Some("Well.".to_owned()), ..hi },
        "refusal" => Reply { text: None, refusal: Some("No.".to_owned()), ..hi },
        _ => panic!("no reply is called {kind}"),
    }
}

#[test]
fn what_leaves_is_what_the_corpus_says() {
    let played = sections(include_str!("../corpus/faults/contents.txt"), reply);
    for row in rows().filter(|row| row.name != "empty-choices-usage") {
        assert!(played.contains(&row.name), "{}", row.name);
    }
}

/// Faults of words, a dialect, a reply, and how the whole body says it.
const IN_WORDS: &[(&str, &str, &str, &str)] = &[
    ("finish-unknown", "openai-chat", "words", r#""finish_reason": "eos""#),
    ("finish-unknown", "anthropic-messages", "words", r#""stop_reason":"eos""#),
    ("finish-unknown", "google-gemini", "words", r#""finishReason":"eos""#),
    ("finish-stop-with-tools", "openai-chat", "calls", r#""finish_reason": "stop""#),
    ("finish-stop-with-tools", "anthropic-messages", "calls", r#""stop_reason":"end_turn""#),
    ("finish-tools-without-calls", "openai-chat", "words", r#""finish_reason": "tool_calls""#),
    ("finish-tools-without-calls", "anthropic-messages", "words", r#""stop_reason":"tool_use""#),
    (
        "finish-length-with-tools",
        "openai-chat",
        "calls",
        r#""arguments": "{\"a\":"}}]}, "finish_reason": "length""#,
    ),
    (
        "finish-length-with-tools",
        "openai-responses",
        "calls",
        r#""incomplete_details":{"reason":"max_output_tokens"}"#,
    ),
    (
        "finish-length-with-tools",
        "openai-responses",
        "calls",
        r#""status":"incomplete","arguments":"{\"a\":""#,
    ),
    ("finish-length-with-tools", "anthropic-messages", "calls", r#""stop_reason":"max_tokens""#),
    (
        "content-filter-empty",
        "openai-chat",
        "words",
        r#""content": null, "refusal": null}, "finish_reason": "content_filter""#,
    ),
    (
        "content-filter-empty",
        "openai-responses",
        "words",
        r#""incomplete_details":{"reason":"content_filter"}"#,
    ),
    ("content-filter-empty", "openai-responses", "words", r#""output":[]"#),
    ("content-filter-empty", "anthropic-messages", "words", r#""content":[],"stop_reason":"refusal""#),
    ("content-filter-empty", "google-gemini", "words", r#""finishReason":"SAFETY""#),
    (
        "refusal",
        "openai-chat",
        "calls",
        r#""content": null, "refusal": "I can't help with that."}, "finish_reason": "stop""#,
    ),
    ("refusal", "openai-responses", "calls", r#"{"type":"refusal","refusal":"I can't help with that."}"#),
    ("refusal", "anthropic-messages", "calls", r#""content":[],"stop_reason":"refusal""#),
    ("refusal-empty-content", "openai-chat", "calls", r#""content": "", "refusal": "I can't"#),
    (
        "content-null-no-tools",
        "openai-chat",
        "words",
        r#""content": null, "refusal": null}, "finish_reason": "stop""#,
    ),
    ("content-null-no-tools", "openai-responses", "words", r#""output":[]"#),
    ("content-null-no-tools", "anthropic-messages", "words", r#""content":[],"stop_reason":"end_turn""#),
];

#[test]
fn each_dialect_says_it_in_its_own_words() {
    for (name, dialect_name, kind, said) in IN_WORDS {
        let sent = played(&[(name, &[])], dialect(dialect_name).unwrap(), &reply(kind), false).unwrap();
        assert!(sent.text().contains(said), "{name} in {dialect_name}: {}", sent.text());
    }
}

/// The data of a stream in the chat API of two choices, of which nobody asked for the usage.
fn two_choices(name: &str, reply: &Reply) -> Vec<String> {
    let plain = Envelope::plain("id".to_owned(), 1, "\"m\"".to_owned());
    let envelope = Envelope { choices: 2, ..plain };
    let wanted = Wanted {
        dialect: dialect("openai-chat").unwrap(),
        reply: Some(reply),
        envelope: &envelope,
        stream: true,
        request: None,
        head: &ResponseHead::new(200),
        params: &[],
        seed: 7,
        ordinal: 1,
    };
    let faulted = play(&[Named { row: fault(name).unwrap(), params: &[] }], &wanted).unwrap();
    let [Act::Write(bytes)] = faulted.plan.acts.as_slice() else { panic!("{name} leaves in one write") };
    let text = String::from_utf8(bytes.clone()).unwrap();
    text.lines().filter_map(|line| Some(line.strip_prefix("data: ")?.to_owned())).collect()
}

#[test]
fn a_usage_that_nobody_asked_for_comes_last_and_without_choices() {
    let data = two_choices("empty-choices-usage", &reply("words"));
    assert_eq!(
        data[data.len() - 2..],
        [
            concat!(
                r#"{"id":"id","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":"fp_rehearsal","#,
                r#""choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#
            ),
            "[DONE]"
        ]
    );
    let chat = dialect("openai-chat").unwrap();
    for stream in [false, true] {
        // The usage was asked for, or no stream was.
        assert!(played(&[("empty-choices-usage", &[])], chat, &reply("words"), stream).is_none());
    }
}

#[test]
fn thoughts_come_in_each_choice_before_its_words() {
    let data = two_choices("reasoning-content", &reply("thought"));
    let order: Vec<(bool, bool)> =
        data.iter().map(|data| (data.contains("reasoning_content"), data.contains("\"index\":1"))).collect();
    assert_eq!(order[2..6], [(true, false), (true, true), (true, false), (true, true)]);
    assert_eq!(order.iter().filter(|(thought, _)| *thought).count(), 4);
}

#[test]
fn a_client_that_does_what_is_right_hears_what_was_said() {
    let chat = dialect("openai-chat").unwrap();
    for row in rows().filter(|row| row.dialects.include(chat.name) && row.arrives != Arrives::Not) {
        for (reply, stream) in [(words(), false), (words(), true), (calls(), false), (calls(), true)] {
            let Some(sent) = played(&[(row.name, &[])], chat, &reply, stream) else { continue };
            let place = format!("{}, {}", row.name, if stream { "streamed" } else { "plain" });
            let said = sent.faulted.delivered.as_ref().unwrap();
            let heard = Heard::read(&sent, stream);
            heard.is_said(said, &place);
            assert!(heard.ids.iter().eq(said.calls.iter().map(|call| &call.id)), "{place}");
        }
    }
}
