//! Check 9b of the original stub: content blocks that only Anthropic requests have, in any role.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "message-blocks",
    summary: "tool_use, tool_result, thinking and like content blocks",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result"}]}]}"#,
    ),
    check: Check::Message(check),
};

fn check(_: &Asked<'_>, (index, message): Element<'_>) -> Verdict {
    let Some(content) = message.get("content").filter(|content| content.kind() == Kind::Array) else {
        return Ok(());
    };
    for (part, block) in content.items().enumerate() {
        let Some(kind) = block.get("type") else { continue };
        if let Some((name, fix)) = BLOCKS.iter().find(|(name, _)| kind.is_str(name)) {
            let what = format!("a `{name}` block");
            return Err(say::leak(format!("/messages/{index}/content/{part}"), &what, fix));
        }
    }
    Ok(())
}

/// Types of blocks, each with what to send instead.
const BLOCKS: &[(&str, &str)] = &[
    ("tool_use", "send calls as `tool_calls` of the assistant message"),
    ("tool_result", "send the answer as a message with role `tool` and `tool_call_id`"),
    ("server_tool_use", "leave it out"),
    ("web_search_tool_result", "leave it out"),
    ("thinking", "leave it out"),
    ("redacted_thinking", "leave it out"),
];
