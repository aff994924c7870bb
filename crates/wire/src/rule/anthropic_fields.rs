//! Fields, blocks and choices that only Anthropic requests have, beyond those that the original stub knows. Under `api` they are unknown parameters like any other.

use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict, say};
use crate::json::{Kind, Value};

pub(super) const ROW: Rule = Rule {
    name: "anthropic-fields",
    summary: "top_k, thinking, cache_control, image, document and mcp blocks, an Anthropic tool_choice",
    codes: &["gate_dialect_leak"],
    stage: Stage::Api,
    dialects: OPENAI,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"top_k":5}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for (key, value) in asked.tape.root().entries() {
        if let Some((name, fix)) = KEYS.iter().find(|(name, _)| key.is_str(name)) {
            return Err(say::leak(format!("/{name}"), &format!("`{name}`"), fix));
        }
        let is_anthropic = |kind: Value<'_>| kind.is_str("any") || kind.is_str("tool");
        if key.is_str("tool_choice") && value.get("type").is_some_and(is_anthropic) {
            return Err(say::leak("/tool_choice/type".to_owned(), "this form of `tool_choice`", CHOICE));
        }
        for (at, element) in value.items().enumerate() {
            if let Some((place, what, fix)) = tell(element) {
                let Some(list) = key.as_str() else { continue };
                return Err(say::leak(format!("/{list}/{at}{place}"), &what, fix));
            }
        }
    }
    Ok(())
}

const CHOICE: &str = "send \"required\" for any tool, {\"type\": \"function\", …} for a certain one";

/// Top-level keys, each with what to send instead.
const KEYS: &[(&str, &str)] = &[("top_k", "leave it out"), ("thinking", "send `reasoning_effort`")];

/// Types of content blocks, each with what to send instead.
const BLOCKS: &[(&str, &str)] = &[
    ("image", "send an `image_url` part"),
    ("document", "send a `file` part"),
    ("mcp_tool_use", "leave it out"),
    ("mcp_tool_result", "leave it out"),
];

/// What a message or a tool holds of another API: where below it, what, and what to send instead.
fn tell(element: Value<'_>) -> Option<(String, String, &'static str)> {
    for (key, value) in element.entries() {
        let nested = value.kind() == Kind::Object && value.get("cache_control").is_some();
        if key.is_str("cache_control") {
            return Some(("/cache_control".to_owned(), "`cache_control`".to_owned(), "leave it out"));
        } else if nested {
            let place = format!("/{}/cache_control", key.as_str()?);
            return Some((place, "`cache_control`".to_owned(), "leave it out"));
        } else if key.is_str("content") {
            for (at, part) in value.items().enumerate() {
                if part.get("cache_control").is_some() {
                    let place = format!("/content/{at}/cache_control");
                    return Some((place, "`cache_control`".to_owned(), "leave it out"));
                }
                let kind = part.get("type");
                let block = BLOCKS.iter().find(|(name, _)| kind.is_some_and(|kind| kind.is_str(name)));
                if let Some((name, fix)) = block {
                    return Some((format!("/content/{at}"), format!("a `{name}` block"), fix));
                }
            }
        }
    }
    None
}
