//! What may not be empty: messages but for the last one of the model, and texts.
//!
//! Instructions in the list may have `output_config` in the place of content: "a message with neither content nor output_config
//! fields is rejected" (types of the official Python library 2.14.0).

use super::{Asked, Check, Element, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::dialect::anthropic_messages::speech::says_nothing;
use crate::json::Value;

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
    let Some(content) = message.get("content") else { return sets(index, message) };
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

/// Whether instructions without content set something. Of other messages the documented shape says that it is missing.
fn sets(index: usize, message: Value<'_>) -> Verdict {
    let settings = message.get("output_config").map_or(0, |settings| settings.entries().count());
    if settings > 0 || !message.get("role").is_some_and(|role| role.is_str("system")) {
        return Ok(());
    }
    let what = format!("messages.{index}.content: Field required");
    Err(say::api(None, None, format!("/messages/{index}/content"), what))
}
