//! Fields, roles, parts and tools that other APIs have, in a request to Ollama, which would pass over them in silence.
//!
//! Left out is what its clients send without harm: `tool_choice`, and settings of sampling beside `options`.

use super::foreign::{Leak, NOTHING, Table, first, key_of, named, refuse};
use super::{Asked, Check, Example, OLLAMA, Profile, Rule, Stage, Verdict};
use crate::json::{Kind, Value};

pub(super) const ROW: Rule = Rule {
    name: "ollama-foreign-fields",
    summary: "keys, roles, parts, arguments or tools of another API in a request to Ollama",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: OLLAMA,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":9}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    refuse(asked.tape.root(), KEYS, |key, value| match key {
        "messages" => first(value, message),
        "tools" => first(value, |_, tool| key_of(TOOL_KEYS, tool)),
        _ => None,
    })
}

const LIMIT: &str = "send it as `options.num_predict`";

const KEYS: &Table = &Table::of(&[
    ("max_tokens", LIMIT),
    ("max_completion_tokens", LIMIT),
    ("max_output_tokens", LIMIT),
    ("max_tokens_to_sample", LIMIT),
    ("stop_sequences", "send them as `options.stop`"),
    ("stream_options", NOTHING),
    ("parallel_tool_calls", NOTHING),
    ("functions", "offer `tools`"),
    ("function_call", NOTHING),
    ("response_format", "send `format`"),
    ("output_config", "send `format`"),
    ("reasoning", "send `think`"),
    ("reasoning_effort", "send `think`"),
    ("thinking", "send `think`"),
    ("input", "send `messages`"),
    ("instructions", "send a message of the role `system`"),
    ("previous_response_id", "send the whole history"),
    ("contents", "send `messages`"),
    ("systemInstruction", "send a message of the role `system`"),
    ("generationConfig", "send `options`"),
    ("toolConfig", NOTHING),
]);

const ROLES: &Table = &Table::of(&[
    ("developer", "send instructions with the role `system`"),
    ("function", "answer with the role `tool`"),
    ("model", "send the role `assistant`"),
]);

const MESSAGE_KEYS: &Table = &Table::of(&[
    ("function_call", "send the call in `tool_calls`"),
    ("reasoning_content", "send thoughts as `thinking`"),
    ("refusal", NOTHING),
    ("parts", "send `content`"),
]);

const TOOL_KEYS: &Table = &Table::of(&[
    ("input_schema", NESTED),
    ("functionDeclarations", NESTED),
    ("function_declarations", NESTED),
]);

const NESTED: &str = "send {\"type\": \"function\", \"function\": {name, description, parameters}}";

fn message(_: usize, message: Value<'_>) -> Option<Leak> {
    if let Some((name, fix)) = message.get("role").and_then(|role| named(ROLES, role)) {
        return Some(Leak::new("/role", format!("the role `{name}`"), fix));
    }
    if message.get("content").is_some_and(|content| content.kind() == Kind::Array) {
        let fix = "send the text as a string and pictures as `images`";
        return Some(Leak::new("/content", "a list of parts", fix));
    }
    let call = message.get("tool_calls").and_then(|calls| Some(first(calls, call)?.under("/tool_calls")));
    call.or_else(|| key_of(MESSAGE_KEYS, message))
}

fn call(_: usize, call: Value<'_>) -> Option<Leak> {
    let arguments = call.at("/function/arguments")?;
    let fix = "send the object itself";
    (arguments.kind() == Kind::String)
        .then(|| Leak::new("/function/arguments", "JSON text as `arguments`", fix))
}
