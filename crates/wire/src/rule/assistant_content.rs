//! An assistant message says something, calls something or refuses.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::turn::Role;

pub(super) const ROW: Rule = Rule {
    name: "assistant-content",
    summary: "an assistant message without content, calls or refusal",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(messages) = asked.top("messages") else { return Ok(()) };
    for message in asked.turn.messages.iter().filter(|message| message.role == Role::Assistant) {
        if !message.texts.is_empty() || !message.calls.is_empty() {
            continue;
        }
        let Some(value) = messages.items().nth(message.index) else { continue };
        if SAYING.iter().any(|key| value.get(key).is_some_and(|value| !value.is_null())) {
            continue;
        }
        let param = format!("messages.[{}].content", message.index);
        let pointer = format!("/messages/{}/content", message.index);
        let message = "Invalid value for 'content': expected a string, got null.";
        return Err(say::api(None, Some(param), pointer, message));
    }
    Ok(())
}

/// Keys of which one has a value in every assistant message.
const SAYING: &[&str] = &["content", "tool_calls", "function_call", "refusal", "audio"];
