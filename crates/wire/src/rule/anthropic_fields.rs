//! Fields, blocks and choices that only Anthropic requests have, beyond those that the original stub knows. Under `api` they are unknown parameters like any other.

use super::foreign::{Leak, NOTHING, Table, first, has, named, refuse};
use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict};
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
    refuse(asked.tape.root(), KEYS, |key, value| {
        let is_anthropic = |kind: Value<'_>| kind.is_str("any") || kind.is_str("tool");
        if key == "tool_choice" && value.get("type").is_some_and(is_anthropic) {
            return Some(Leak::new("/type", "this form of `tool_choice`", CHOICE));
        }
        first(value, element)
    })
}

const CHOICE: &str = "send \"required\" for any tool, {\"type\": \"function\", …} for a certain one";

/// Top-level keys, each with what to send instead.
const KEYS: &Table = &Table::of(&[("top_k", NOTHING), ("thinking", "send `reasoning_effort`")]);

/// Types of content blocks, each with what to send instead.
const BLOCKS: &Table = &Table::of(&[
    ("image", "send an `image_url` part"),
    ("document", "send a `file` part"),
    ("mcp_tool_use", NOTHING),
    ("mcp_tool_result", NOTHING),
]);

/// What a message or a tool holds of another API, its keys in order.
fn element(_: usize, element: Value<'_>) -> Option<Leak> {
    let cached = |value| has(value, "cache_control", NOTHING);
    element.entries().find_map(|(key, value)| {
        if key.is_str("cache_control") {
            return cached(element);
        }
        let nested = cached(value).filter(|_| value.kind() == Kind::Object);
        let found = nested.or_else(|| first(value, part).filter(|_| key.is_str("content")))?;
        Some(found.under(&format!("/{}", key.as_str()?)))
    })
}

fn part(_: usize, part: Value<'_>) -> Option<Leak> {
    has(part, "cache_control", NOTHING).or_else(|| {
        let (name, fix) = named(BLOCKS, part.get("type")?)?;
        Some(Leak::new("", format!("a `{name}` block"), fix))
    })
}
