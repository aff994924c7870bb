//! What belongs to chat completions, Anthropic or Gemini in a Responses request: keys, tools, roles, parts.

use super::foreign::{Leak, NOTHING, Table, first, has, named, refuse};
use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict};
use crate::json::{Kind, Value};

pub(super) const ROW: Rule = Rule {
    name: "responses-leaks",
    summary: "keys, tools, roles or parts of chat completions, Anthropic or Gemini in a Responses request",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: RESPONSES,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

/// Top-level keys, each with what to send instead.
const KEYS: &Table = &Table::of(&[
    ("messages", "send it as `input`"),
    ("max_tokens", "send it as `max_output_tokens`"),
    ("max_completion_tokens", "send it as `max_output_tokens`"),
    ("response_format", "send it as `text.format`"),
    ("reasoning_effort", "send it as `reasoning.effort`"),
    ("verbosity", "send it as `text.verbosity`"),
    ("functions", "send it as `tools`"),
    ("function_call", "send it as `tool_choice`"),
    ("n", NOTHING),
    ("stop", NOTHING),
    ("seed", NOTHING),
    ("logprobs", "send `top_logprobs`"),
    ("logit_bias", NOTHING),
    ("modalities", NOTHING),
    ("prediction", NOTHING),
    ("web_search_options", "send a tool of type `web_search`"),
    ("contents", "send it as `input`"),
    ("generationConfig", "send its parts as keys of their own"),
    ("systemInstruction", "send it as `instructions`"),
]);

/// Types of items and parts, each with what to send instead.
const KINDS: &Table = &Table::of(&[
    ("text", "send an `input_text` part, or `output_text` from the assistant"),
    ("image_url", "send an `input_image` part"),
    ("tool_use", "send a `function_call` item"),
    ("tool_result", "send a `function_call_output` item"),
    ("thinking", "send the `reasoning` item as it came"),
    ("redacted_thinking", "send the `reasoning` item as it came"),
    ("image", "send an `input_image` part"),
    ("document", "send an `input_file` part"),
]);

/// Keys of items, each with what to send instead.
const ITEM_KEYS: &Table = &Table::of(&[
    ("tool_calls", "send each call as a `function_call` item"),
    ("tool_call_id", "send a `function_call_output` item with `call_id`"),
    ("parts", "send `content`"),
]);

fn check(asked: &Asked<'_>) -> Verdict {
    refuse(asked.tape.root(), KEYS, |key, value| match key {
        "tools" => first(value, tool),
        "input" => first(value, item),
        "tool_choice" => has(value, "function", "send `name` beside `type`"),
        "stream_options" => has(value, "include_usage", "leave it out: the last event holds the usage"),
        "text" => {
            let leak = has(value.get("format")?, "json_schema", "send its keys beside `type`")?;
            Some(leak.under("/format"))
        }
        _ => None,
    })
}

fn tool(_: usize, tool: Value<'_>) -> Option<Leak> {
    if tool.get("function").is_some_and(|function| function.kind() == Kind::Object) {
        return has(tool, "function", "send its keys beside `type`");
    }
    has(tool, "functionDeclarations", "send each function as a tool of its own")
}

fn item(_: usize, item: Value<'_>) -> Option<Leak> {
    let role = item.get("role");
    if role.is_some_and(|role| role.is_str("tool") || role.is_str("function")) {
        let fix = "send a `function_call_output` item with `call_id`";
        return Some(Leak::new("/role", "a message with this role", fix));
    }
    let by_key = ITEM_KEYS.rows.iter().find_map(|(key, fix)| has(item, key, fix));
    by_key.or_else(|| kind(0, item)).or_else(|| Some(first(item.get("content")?, kind)?.under("/content")))
}

fn kind(_: usize, holder: Value<'_>) -> Option<Leak> {
    let (name, fix) = named(KINDS, holder.get("type")?)?;
    Some(Leak::new("/type", format!("the type `{name}`"), fix))
}
