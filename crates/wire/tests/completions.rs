//! What the openai-completions dialect sends, and what it reads.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use proptest::prelude::*;
use rehearsal_wire::dialect::{Dialect, dialect};
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::{Envelope, Reply, Usage};
use rehearsal_wire::turn::Role;
use serde_json::Value;

fn completions() -> &'static Dialect {
    dialect("openai-completions").unwrap()
}

fn envelope(echoed: &[(&'static str, &str)]) -> Envelope {
    let echoed = echoed.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
    Envelope { echoed, ..Envelope::plain("cmpl-gate-1".to_owned(), 7, "\"m\"".to_owned()) }
}

fn says(text: &str) -> Reply {
    Reply { text: Some(text.to_owned()), usage: Usage { prompt: 3, completion: 2 }, ..Reply::default() }
}

fn text(bytes: impl Into<Vec<u8>>) -> String {
    String::from_utf8(bytes.into()).unwrap()
}

const HEAD: &str = r#"{"id": "cmpl-gate-1", "object": "text_completion", "created": 7, "model": "m", "system_fingerprint": "fp_rehearsal", "choices": ["#;
const USAGE: &str = r#""usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}"#;

#[test]
fn a_completion_is_rendered_as_the_api_has_it() {
    for (reply, choice) in [
        (says("Hi\n"), r#"{"text": "Hi\n", "index": 0, "logprobs": null, "finish_reason": "stop"}"#),
        (
            Reply { finish: Some("length".to_owned()), ..says("H") },
            r#"{"text": "H", "index": 0, "logprobs": null, "finish_reason": "length"}"#,
        ),
        (
            Reply {
                text: None,
                refusal: Some("No.".to_owned()),
                finish: Some("tool_calls".to_owned()),
                ..says("")
            },
            r#"{"text": "No.", "index": 0, "logprobs": null, "finish_reason": "stop"}"#,
        ),
    ] {
        let body = text((completions().render)(&reply, &envelope(&[])));
        assert_eq!(body, format!("{HEAD}{choice}], {USAGE}"));
    }
}

#[test]
fn a_stream_ends_with_usage_where_it_was_asked_for_and_with_done() {
    let asked = Envelope { include_usage: true, ..envelope(&[("prompt", r#""p""#), ("echo", "true")]) };
    let frames: Vec<_> = (completions().stream)(&says("Hi é"), &asked).iter().map(text).collect();
    let piece = |text: &str, end: &str| {
        format!(
            r#"data: {HEAD}{{"text": "{text}", "index": 0, "logprobs": null, "finish_reason": {end}}}], "usage": null}}{}"#,
            "\n\n"
        )
    };
    let usage = format!("data: {HEAD}], {USAGE}\n\n");
    assert_eq!(
        frames,
        [
            piece("pHi ", "null"),
            piece("é", "null"),
            piece("", r#""stop""#),
            usage,
            "data: [DONE]\n\n".to_owned()
        ]
    );
}

#[test]
fn each_prompt_has_its_choices() {
    for (prompt, echo, choices, wanted) in [
        (r#""a""#, "false", 2, &["x", "x"][..]),
        (r#"["a", "b"]"#, "true", 1, &["ax", "bx"]),
        (r#"["a", "b"]"#, "true", 2, &["ax", "ax", "bx", "bx"]),
        ("[1, 2]", "true", 1, &["x"]),
        ("[[1], [2, 3]]", "null", 1, &["x", "x"]),
        ("[]", "true", 1, &["x"]),
        ("null", "true", 1, &["x"]),
    ] {
        let asked = Envelope { choices, ..envelope(&[("prompt", prompt), ("echo", echo)]) };
        let body: Value = serde_json::from_slice(&(completions().render)(&says("x"), &asked)).unwrap();
        let texts: Vec<_> = body["choices"]
            .as_array()
            .unwrap()
            .iter()
            .map(|choice| choice["text"].as_str().unwrap())
            .collect();
        assert_eq!(texts, wanted, "{prompt}");
    }
}

#[test]
fn prompts_are_what_a_user_says() {
    for (body, texts) in [
        (r#"{"prompt":"a"}"#, &["a"][..]),
        (r#"{"prompt":["a","b"]}"#, &["a", "b"]),
        (r#"{"prompt":[1,2]}"#, &[]),
        (r#"{"prompt":7}"#, &[]),
    ] {
        let tape = parse(body.as_bytes()).unwrap();
        let turn = (completions().read)(&tape);
        assert_eq!(
            (turn.messages.len(), turn.assistants(), turn.messages[0].role),
            (1, 0, Role::User),
            "{body}"
        );
        assert_eq!(turn.messages[0].texts, texts, "{body}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn joined_pieces_are_the_completion(said in prop::option::of("[a-z\"\\\\\n é😀]{0,20}"), piece in 0..7_usize, choices in 1..4_u32) {
        let reply = Reply { text: said, ..Reply::default() };
        let asked = Envelope { piece, choices, ..envelope(&[]) };
        let whole: Value = serde_json::from_slice(&(completions().render)(&reply, &asked)).unwrap();
        let mut joined = vec![String::new(); choices as usize];
        for frame in (completions().stream)(&reply, &asked).iter() {
            let frame = text(frame);
            let data = frame.strip_prefix("data: ").unwrap().strip_suffix("\n\n").unwrap();
            if data == "[DONE]" {
                continue;
            }
            let event: Value = serde_json::from_str(data).unwrap();
            let choice = &event["choices"][0];
            joined[usize::try_from(choice["index"].as_u64().unwrap()).unwrap()].push_str(choice["text"].as_str().unwrap());
        }
        for (index, joined) in joined.iter().enumerate() {
            prop_assert_eq!(&whole["choices"][index]["text"], joined);
        }
    }
}
