//! What belongs to chat completions, Anthropic or Gemini in a Responses request: keys, tools, roles, parts.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};
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
pub(super) const KEYS: &[(&str, &str)] = &[
    ("messages", "send it as `input`"),
    ("max_tokens", "send it as `max_output_tokens`"),
    ("max_completion_tokens", "send it as `max_output_tokens`"),
    ("response_format", "send it as `text.format`"),
    ("reasoning_effort", "send it as `reasoning.effort`"),
    ("verbosity", "send it as `text.verbosity`"),
    ("functions", "send it as `tools`"),
    ("function_call", "send it as `tool_choice`"),
    ("n", "leave it out"),
    ("stop", "leave it out"),
    ("seed", "leave it out"),
    ("logprobs", "send `top_logprobs`"),
    ("logit_bias", "leave it out"),
    ("modalities", "leave it out"),
    ("prediction", "leave it out"),
    ("web_search_options", "send a tool of type `web_search`"),
    ("contents", "send it as `input`"),
    ("generationConfig", "send its parts as keys of their own"),
    ("systemInstruction", "send it as `instructions`"),
];

/// Types of items and parts, each with what to send instead.
const KINDS: &[(&str, &str)] = &[
    ("text", "send an `input_text` part, or `output_text` from the assistant"),
    ("image_url", "send an `input_image` part"),
    ("tool_use", "send a `function_call` item"),
    ("tool_result", "send a `function_call_output` item"),
    ("thinking", "send the `reasoning` item as it came"),
    ("redacted_thinking", "send the `reasoning` item as it came"),
    ("image", "send an `input_image` part"),
    ("document", "send an `input_file` part"),
];

/// Keys of items, each with what to send instead.
const ITEM_KEYS: &[(&str, &str)] = &[
    ("tool_calls", "send each call as a `function_call` item"),
    ("tool_call_id", "send a `function_call_output` item with `call_id`"),
    ("parts", "send `content`"),
];

fn check(asked: &Asked<'_>) -> Verdict {
    for (key, value) in asked.tape.root().entries() {
        if let Some((name, fix)) = KEYS.iter().find(|(name, _)| key.is_str(name)) {
            return Err(say::leak(format!("/{name}"), &format!("`{name}`"), fix));
        }
        let found = if key.is_str("tools") {
            first(value, tool)
        } else if key.is_str("input") {
            first(value, item)
        } else if key.is_str("tool_choice") {
            nested(value, "function", "send `name` beside `type`")
        } else if key.is_str("stream_options") {
            nested(value, "include_usage", "leave it out: the last event holds the usage")
        } else if key.is_str("text") {
            value.get("format").and_then(|format| {
                let leak = nested(format, "json_schema", "send its keys beside `type`")?;
                Some(Leak { place: format!("/format{}", leak.place), ..leak })
            })
        } else {
            None
        };
        if let (Some(Leak { place, what, fix }), Some(key)) = (found, key.as_str()) {
            return Err(say::leak(format!("/{key}{place}"), &what, fix));
        }
    }
    Ok(())
}

/// What belongs elsewhere: where below a value, what, and what to send instead.
struct Leak {
    place: String,
    what: String,
    fix: &'static str,
}

fn first(list: Value<'_>, tell: fn(Value<'_>) -> Option<Leak>) -> Option<Leak> {
    list.items().enumerate().find_map(|(at, element)| {
        let leak = tell(element)?;
        Some(Leak { place: format!("/{at}{}", leak.place), ..leak })
    })
}

fn nested(value: Value<'_>, key: &str, fix: &'static str) -> Option<Leak> {
    value.get(key)?;
    Some(Leak { place: format!("/{key}"), what: format!("`{key}`"), fix })
}

fn tool(tool: Value<'_>) -> Option<Leak> {
    let chat = tool.get("function").filter(|function| function.kind() == Kind::Object);
    if chat.is_some() {
        return nested(tool, "function", "send its keys beside `type`");
    }
    nested(tool, "functionDeclarations", "send each function as a tool of its own")
}

fn item(item: Value<'_>) -> Option<Leak> {
    let role = item.get("role");
    if role.is_some_and(|role| role.is_str("tool") || role.is_str("function")) {
        let what = "a message with this role".to_owned();
        let fix = "send a `function_call_output` item with `call_id`";
        return Some(Leak { place: "/role".to_owned(), what, fix });
    }
    let by_key = ITEM_KEYS.iter().find_map(|(key, fix)| nested(item, key, fix));
    by_key.or_else(|| kind(item)).or_else(|| {
        let leak = first(item.get("content")?, kind)?;
        Some(Leak { place: format!("/content{}", leak.place), ..leak })
    })
}

fn kind(holder: Value<'_>) -> Option<Leak> {
    let word = holder.get("type")?;
    let (name, fix) = KINDS.iter().find(|(name, _)| word.is_str(name))?;
    Some(Leak { place: "/type".to_owned(), what: format!("the type `{name}`"), fix })
}
