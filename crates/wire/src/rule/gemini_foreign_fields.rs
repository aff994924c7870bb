//! Fields, roles, parts and tools that other APIs have, in a request to the Gemini API.

use super::foreign::{Leak, NOTHING, Table, first, key_of, named, refuse};
use super::{Asked, Check, Example, GEMINI, Profile, Rule, Stage, Verdict};
use crate::dialect::google_gemini::read::camel;
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "gemini-foreign-fields",
    summary: "keys, roles, parts or tools of another API in a Gemini request",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: GEMINI,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"contents":[{"parts":[{"text":"hi"}]}],"max_tokens":9}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    refuse(asked.tape.root(), KEYS, |key, value| match &*camel(key) {
        "contents" => first(value, content),
        "tools" => first(value, tool),
        _ => None,
    })
}

const KEYS: &Table = &Table::of(&[
    ("messages", "send `contents`"),
    ("input", "send `contents`"),
    ("system", "send `systemInstruction`"),
    ("instructions", "send `systemInstruction`"),
    ("max_tokens", ROOM),
    ("max_completion_tokens", ROOM),
    ("max_output_tokens", ROOM),
    ("temperature", SETTING),
    ("top_p", SETTING),
    ("top_k", SETTING),
    ("seed", SETTING),
    ("n", "send `candidateCount` in `generationConfig`"),
    ("stop", STOP),
    ("stop_sequences", STOP),
    ("logprobs", SETTING),
    ("top_logprobs", "send `logprobs` in `generationConfig`"),
    ("frequency_penalty", SETTING),
    ("presence_penalty", SETTING),
    ("response_format", "send `responseMimeType` and `responseJsonSchema` in `generationConfig`"),
    ("reasoning", THINKING),
    ("reasoning_effort", THINKING),
    ("thinking", THINKING),
    ("stream", "ask for `:streamGenerateContent?alt=sse`"),
    ("stream_options", NOTHING),
    ("tool_choice", "send `toolConfig.functionCallingConfig`"),
    ("parallel_tool_calls", NOTHING),
    ("functions", "declare them in `tools`"),
    ("function_call", "send `toolConfig.functionCallingConfig`"),
    ("metadata", NOTHING),
    ("user", NOTHING),
    ("previous_response_id", "send the whole history"),
    ("thread", "send the whole history"),
    ("anthropic_version", NOTHING),
]);

const ROOM: &str = "send `maxOutputTokens` in `generationConfig`";
const STOP: &str = "send `stopSequences` in `generationConfig`";
const SETTING: &str = "send it in `generationConfig`";
const THINKING: &str = "send `thinkingConfig` in `generationConfig`";

const ROLES: &Table = &Table::of(&[
    ("assistant", "send the role `model`"),
    ("system", "send instructions as `systemInstruction`"),
    ("developer", "send instructions as `systemInstruction`"),
]);

const CONTENT_KEYS: &Table = &Table::of(&[
    ("content", "send `parts`"),
    ("tool_calls", "send each call as a `functionCall` part"),
    ("tool_call_id", "answer with a `functionResponse` part"),
    ("cache_control", NOTHING),
]);

const PART_KEYS: &Table = &Table::of(&[
    ("type", "name what the part holds by its key, such as `text`"),
    ("image_url", "send `inlineData` or `fileData`"),
    ("input", "send the arguments as `args` in a `functionCall`"),
    ("tool_use_id", "answer with a `functionResponse`"),
    ("cache_control", NOTHING),
]);

const TOOL_KEYS: &Table = &Table::of(&[
    ("type", DECLARED),
    ("function", DECLARED),
    ("name", DECLARED),
    ("input_schema", DECLARED),
    ("parameters", DECLARED),
]);

const DECLARED: &str = "declare functions in `functionDeclarations`";

const FUNCTION_KEYS: &Table = &Table::of(&[
    ("type", NOTHING),
    ("input_schema", "send the schema as `parametersJsonSchema`"),
    ("strict", NOTHING),
    ("cache_control", NOTHING),
]);

fn content(_: usize, content: Value<'_>) -> Option<Leak> {
    if let Some((name, fix)) = content.get("role").and_then(|role| named(ROLES, role)) {
        return Some(Leak::new("/role", format!("the role `{name}`"), fix));
    }
    let part = |_, part| key_of(PART_KEYS, part);
    key_of(CONTENT_KEYS, content).or_else(|| Some(first(content.get("parts")?, part)?.under("/parts")))
}

fn tool(_: usize, tool: Value<'_>) -> Option<Leak> {
    let function = |_, function| key_of(FUNCTION_KEYS, function);
    let declared = |key: &str| Some(first(tool.get(key)?, function)?.under(&format!("/{key}")));
    let nested = || declared("functionDeclarations").or_else(|| declared("function_declarations"));
    key_of(TOOL_KEYS, tool).or_else(nested)
}
