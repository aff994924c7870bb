//! JSON mode wants the word in the messages, else a model may send white space without end.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "json-word",
    summary: "response_format json_object without the word json in the messages",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let kind = asked.top("response_format").and_then(|format| format.get("type"));
    if !kind.is_some_and(|kind| kind.is_str("json_object")) {
        return Ok(());
    }
    let messages = asked.top("messages").into_iter().flat_map(Value::items);
    if messages.filter_map(|message| message.get("content")).any(has_word) {
        return Ok(());
    }
    let message = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    Err(say::api(None, Some("messages".to_owned()), "/messages", message))
}

/// Looks at the text as written: no letter of the word needs an escape, and who escapes one is spared.
fn has_word(content: Value<'_>) -> bool {
    const WORD: &[u8] = b"json";
    content.text().as_bytes().windows(WORD.len()).any(|window| window.eq_ignore_ascii_case(WORD))
}
