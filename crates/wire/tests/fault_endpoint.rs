//! Faults of what an endpoint does not take: whom they answer, in which words, and whom they leave alone.

#![expect(clippy::expect_used, reason = "a helper of tests fails as they do")]

#[expect(dead_code, reason = "each test of a group reads what it needs of what leaves")]
mod playing;

use playing::{answered, played};
use rehearsal_wire::dialect::{Dialect, dialect};
use rehearsal_wire::fault::{Arrives, FAULTS, Group};
use rehearsal_wire::reply::{Reply, Usage};

fn chat() -> &'static Dialect {
    dialect("openai-chat").expect("chat is a dialect")
}

fn says(text: &str) -> Reply {
    Reply { text: Some(text.to_owned()), usage: Usage { prompt: 900, completion: 9 }, ..Reply::default() }
}

/// A fault, what is asked, and what stands in the answer; without words the answer leaves unharmed.
const ASKED: &[(&str, &str, &str)] = &[
    ("refuses-json-schema", r#"{"response_format":{"type":"json_schema"}}"#, r#""param": "response_format""#),
    ("refuses-json-schema", r#"{"response_format":{"type":"json_object"}}"#, ""),
    (
        "refuses-json-object",
        r#"{"response_format":{"type":"json_object"}}"#,
        "'json_object' is not supported",
    ),
    ("refuses-json-object", r#"{"response_format":{"type":"json_schema"}}"#, ""),
    (
        "refuses-schema-keyword",
        r#"{"response_format":{"json_schema":{"schema":{"properties":{"a":{"enum":["b"]}}}}}}"#,
        "failed to compile the grammar",
    ),
    ("refuses-schema-keyword", r#"{"response_format":{"json_schema":{"schema":{"type":"object"}}}}"#, ""),
    (
        "ignores-schema",
        r#"{"response_format":{"json_schema":{"schema":{}}}}"#,
        r#"{\"answer\": \"It is done.\"}"#,
    ),
    ("ignores-schema", r#"{"messages":[]}"#, ""),
    ("refuses-max-tokens", r#"{"max_tokens":1}"#, "Use 'max_completion_tokens' instead."),
    ("refuses-max-tokens", r#"{"max_completion_tokens":1}"#, ""),
    ("refuses-max-completion-tokens", r#"{"max_completion_tokens":1}"#, "Extra inputs are not permitted"),
    ("refuses-max-completion-tokens", r#"{"max_tokens":1,"max_completion_tokens":null}"#, ""),
    ("refuses-both-limits", r#"{"max_tokens":1,"max_completion_tokens":1}"#, "at the same time"),
    ("refuses-both-limits", r#"{"max_tokens":1}"#, ""),
    ("refuses-temperature", r#"{"temperature":0}"#, r#""param": "temperature""#),
    ("refuses-temperature", r#"{"temperature":1.0}"#, ""),
    (
        "refuses-stream-options",
        r#"{"stream":true,"stream_options":{}}"#,
        "Unknown parameter: 'stream_options'.",
    ),
    ("refuses-stream-options", r#"{"stream":true}"#, ""),
    ("refuses-tools", r#"{"tools":[]}"#, "does not support tools"),
    ("refuses-tools", "{}", ""),
    ("refuses-system-role", r#"{"messages":[{"role":"system"}]}"#, r#""param": "messages[0].role""#),
    ("refuses-system-role", r#"{"messages":[{"role":"user"}]}"#, ""),
    ("refuses-content-parts", r#"{"messages":[{"role":"user","content":[]}]}"#, "expected a string"),
    ("refuses-content-parts", r#"{"messages":[{"role":"user","content":"x"}]}"#, ""),
    ("roles-must-alternate", r#"{"messages":[{"role":"user"},{"role":"user"}]}"#, "roles must alternate"),
    ("roles-must-alternate", r#"{"messages":[{"role":"system"},{"role":"user"},{"role":"assistant"}]}"#, ""),
    ("wants-reasoning-back", r#"{"messages":[{"role":"assistant"}]}"#, "must be passed back"),
    ("wants-reasoning-back", r#"{"messages":[{"role":"assistant","reasoning_content":""}]}"#, ""),
    ("context-cut", r#"{"messages":[]}"#, ""),
    ("tool-instead", "{}", r#""name": "answer""#),
    ("tool-instead", r#"{"tools":[{}]}"#, ""),
];

#[test]
fn a_request_is_refused_for_what_it_holds_and_others_are_left_alone() {
    for (name, request, words) in ASKED {
        let sent = answered(&[(name, &[])], chat(), &says("Ready."), false, Some(request));
        match sent {
            None => assert_eq!(*words, "", "{name} leaves {request} alone"),
            Some(sent) => {
                let spaced = sent.text().replace("\":", "\": ").replace("\":  ", "\": ");
                assert!(!words.is_empty() && spaced.contains(words), "{name} to {request}: {}", sent.text());
            }
        }
    }
}

#[test]
fn every_refusal_is_asked_for_and_left_alone_in_the_table() {
    let refusals = FAULTS.iter().filter(|row| row.group == Group::Refusals);
    for row in refusals {
        for with_words in [true, false] {
            let found =
                ASKED.iter().any(|(name, _, words)| *name == row.name && words.is_empty() != with_words);
            assert!(found, "{}, with words {with_words}", row.name);
        }
        assert_eq!(row.arrives, Arrives::Not, "{}", row.name);
    }
}

/// A fault, the words of the model, and what stands in the plain answer.
const WORDED: &[(&str, &str, &str)] = &[
    ("think-prefix", "Ready.", r"<think>\nWhat is asked for?\n</think>\n\nReady."),
    ("code-fence", r#"{"a":1}"#, r#"```json\n{\"a\":1}\n```"#),
    ("other-fence", r#"{"a":1}"#, r#"```bash\nls\n```\n{\"a\":1}"#),
    ("prose-around", r#"{"a":1}"#, r#"Here is what you asked for:\n{\"a\":1}\n"#),
    ("content-parts", "Ready.", r#"[{"type":"text","text":"Ready."}]"#),
    ("answer-in-reasoning", "Ready.", r#""reasoning_content":"Ready.""#),
    ("cut-at-length", "Ready.", r#""finish_reason": "length""#),
    ("choices-null", "Ready.", r#""choices": null"#),
    ("usage-count-null", "Ready.", r#""completion_tokens": null"#),
    ("done-after-json", "Ready.", "}\n\ndata: [DONE]\n\n"),
    ("context-cut", "Ready.", r#""prompt_tokens": 512"#),
    ("429-quota", "Ready.", r#""code": "insufficient_quota""#),
    ("429-quota-in-words", "Ready.", "INSUFFICIENT QUOTA"),
    ("400-rate-limit", "Ready.", r#""code": "rate_limit_exceeded""#),
    ("503-loading", "Ready.", "Loading model"),
];

#[test]
fn an_endpoint_words_things_as_the_row_says() {
    for (name, text, words) in WORDED {
        let sent = played(&[(name, &[])], chat(), &says(text), false).expect(name);
        assert!(sent.text().contains(words), "{name}: {}", sent.text());
        assert!(sent.whole, "{name}");
    }
    for (name, _, _) in WORDED.iter().filter(|(name, ..)| name.contains("fence") || name.contains("prose")) {
        assert!(played(&[(name, &[])], chat(), &says("Ready."), false).is_none(), "{name} finds no JSON");
    }
}
