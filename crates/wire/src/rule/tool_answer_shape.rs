//! Check 9c of the original stub: a tool message says which call it answers, and has a content (null is fine).

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
use crate::turn::Role;
pub(super) const ROW: Rule = Rule {
    name: "tool-answer-shape",
    summary: "a tool message without tool_call_id or content",
    codes: &["gate_messages_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"tool","content":"x"}]}"#),
    check: Check::Message(check),
};

fn check(asked: &Asked<'_>, (index, message): Element<'_>) -> Verdict {
    if !asked.has_role(index, Role::Tool) {
        return Ok(());
    }
    let (place, what, fix) =
        if !message.get("tool_call_id").is_some_and(|id| id.kind() == Kind::String && !id.is_str("")) {
            (
                "tool_call_id",
                "`tool_call_id` must be a non-empty string",
                "send the id of the call that this answers",
            )
        } else if message.get("content").is_none() {
            ("content", "`content` is missing", "send what the tool returned, an empty string for nothing")
        } else {
            return Ok(());
        };
    Err(say::gate(say::MESSAGES, format!("/messages/{index}/{place}"), what, fix))
}
