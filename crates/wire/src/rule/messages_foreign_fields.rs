//! Fields, roles, blocks and tools that other APIs have, in a request to the Messages API.

use super::foreign::{Leak, NOTHING, Table, first, key_of, named, refuse};
use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "messages-foreign-fields",
    summary: "keys, roles, blocks, tools or a tool_choice of another API in a Messages request",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: MESSAGES_API,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"max_completion_tokens":9}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    refuse(asked.tape.root(), KEYS, |key, value| match key {
        "messages" => first(value, message),
        "tools" => first(value, tool),
        "tool_choice" => choice(value),
        _ => None,
    })
}

const KEYS: &Table = &Table::of(&[
    ("max_completion_tokens", "send it as `max_tokens`"),
    ("max_output_tokens", "send it as `max_tokens`"),
    ("stop", "send it as `stop_sequences`"),
    ("n", NOTHING),
    ("logprobs", NOTHING),
    ("top_logprobs", NOTHING),
    ("logit_bias", NOTHING),
    ("frequency_penalty", NOTHING),
    ("presence_penalty", NOTHING),
    ("seed", NOTHING),
    ("user", "send it as `metadata.user_id`"),
    ("store", NOTHING),
    ("verbosity", NOTHING),
    ("stream_options", NOTHING),
    ("parallel_tool_calls", "send `disable_parallel_tool_use` in `tool_choice`"),
    ("functions", "offer `tools`"),
    ("function_call", "send `tool_choice`"),
    ("response_format", "send `output_config.format`"),
    ("reasoning_effort", "send `output_config.effort`"),
    ("reasoning", "send `thinking`"),
    ("input", "send `messages`"),
    ("instructions", "send `system`"),
    ("previous_response_id", "send the whole history"),
    ("contents", "send `messages`"),
    ("systemInstruction", "send `system`"),
    ("system_instruction", "send `system`"),
    ("generationConfig", "send its values as top-level keys"),
    ("toolConfig", "send `tool_choice`"),
]);

const ROLES: &Table = &Table::of(&[
    ("tool", "answer with a `tool_result` block in a user message"),
    ("function", "answer with a `tool_result` block in a user message"),
    ("developer", "send instructions as `system`"),
    ("model", "send the role `assistant`"),
]);

const MESSAGE_KEYS: &Table = &Table::of(&[
    ("tool_calls", "send each call as a `tool_use` block"),
    ("tool_call_id", "answer with a `tool_result` block"),
    ("function_call", "send the call as a `tool_use` block"),
    ("refusal", NOTHING),
    ("reasoning_content", "send thoughts as `thinking` blocks"),
    ("parts", "send `content`"),
]);

const BLOCKS: &Table = &Table::of(&[
    ("image_url", "send an `image` block"),
    ("input_image", "send an `image` block"),
    ("input_text", "send a `text` block"),
    ("output_text", "send a `text` block"),
    ("input_audio", NOTHING),
    ("input_file", "send a `document` block"),
    ("file", "send a `document` block"),
    ("refusal", NOTHING),
    ("function_call", "send a `tool_use` block"),
    ("function_call_output", "send a `tool_result` block"),
]);

const TOOL_KEYS: &Table = &Table::of(&[
    ("function", FLAT),
    ("parameters", "send the schema as `input_schema`"),
    ("functionDeclarations", FLAT),
    ("function_declarations", FLAT),
]);

const FLAT: &str = "send `name`, `description` and `input_schema` in the tool itself";
const CHOICE: &str =
    "send {\"type\": \"auto\"}, {\"type\": \"any\"}, {\"type\": \"tool\", …} or {\"type\": \"none\"}";

fn message(at: usize, message: Value<'_>) -> Option<Leak> {
    if let Some(role) = message.get("role") {
        if let Some((name, fix)) = named(ROLES, role) {
            return Some(Leak::new("/role", format!("the role `{name}`"), fix));
        }
        // Behind a user's words the API takes instructions in the list, at its head it does not.
        if at == 0 && role.is_str("system") {
            let what = "the role `system` at the head of the list";
            return Some(Leak::new("/role", what, "send instructions as `system`"));
        }
    }
    key_of(MESSAGE_KEYS, message).or_else(|| Some(first(message.get("content")?, block)?.under("/content")))
}

fn block(_: usize, block: Value<'_>) -> Option<Leak> {
    let (name, fix) = named(BLOCKS, block.get("type")?)?;
    Some(Leak::new("", format!("a `{name}` block"), fix))
}

fn tool(_: usize, tool: Value<'_>) -> Option<Leak> {
    if tool.get("type").is_some_and(|kind| kind.is_str("function")) {
        return Some(Leak::new("/type", "a tool of type `function`", FLAT));
    }
    key_of(TOOL_KEYS, tool)
}

fn choice(choice: Value<'_>) -> Option<Leak> {
    let kind = choice.get("type");
    let is_foreign = choice.as_str().is_some()
        || kind.is_some_and(|kind| kind.is_str("function") || kind.is_str("allowed_tools"));
    is_foreign.then(|| Leak::new("", "this form of `tool_choice`", CHOICE))
}
