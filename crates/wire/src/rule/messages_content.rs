//! What may not be empty: messages but for the last one of the model, and texts.

use super::{Asked, Check, Element, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::dialect::anthropic_messages::speech::says_nothing;

pub(super) const ROW: Rule = Rule {
    name: "messages-content",
    summary: "a message without content or an empty text block",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":""}]}"#),
    check: Check::Message(check),
};

fn check(asked: &Asked<'_>, (index, message): Element<'_>) -> Verdict {
    let Some(content) = message.get("content") else { return Ok(()) };
    let is_last = index + 1 == asked.turn.listed;
    let may_be_empty = is_last && message.get("role").is_some_and(|role| role.is_str("assistant"));
    let pointer = || format!("/messages/{index}/content");
    if says_nothing(content) && !may_be_empty {
        let what = format!(
            "messages.{index}: all messages must have non-empty content except for the optional final assistant message"
        );
        return Err(say::api(None, None, pointer(), what));
    }
    for (at, block) in content.items().enumerate() {
        let is_text = block.get("type").is_some_and(|kind| kind.is_str("text"));
        if is_text && block.get("text").is_some_and(|text| text.is_str("")) {
            let what = "messages: text content blocks must be non-empty";
            return Err(say::api(None, None, format!("{}/{at}/text", pointer()), what));
        }
    }
    Ok(())
}
