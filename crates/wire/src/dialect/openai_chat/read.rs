//! What an openai-chat request means. Total: whatever has not the documented shape is skipped, rules say what is wrong.

use crate::json::{Kind, Tape, Value};
use crate::turn::{Call, Message, Role, Turn};
use std::borrow::Cow;

/// Reads the body of a chat completion request.
#[must_use]
pub fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let mut turn = Turn {
        model: None,
        stream: false,
        include_usage: false,
        choices: 1,
        logprobs: false,
        legacy_functions: false,
        tools: Vec::new(),
        messages: Vec::new(),
        listed: 0,
    };
    let mut legacy = false;
    // One walk over the entries, so that a key that stands twice counts with its last value.
    for (key, value) in tape.root().entries() {
        let Some(key) = key.as_str() else { continue };
        match &*key {
            "model" => turn.model = Some(value),
            "stream" => turn.stream = value.as_bool() == Some(true),
            "stream_options" => {
                turn.include_usage = value.get("include_usage").and_then(Value::as_bool) == Some(true);
            }
            "n" => turn.choices = choices(value),
            "logprobs" => turn.logprobs = value.as_bool() == Some(true),
            "functions" => legacy = value.kind() == Kind::Array,
            "tools" => turn.tools = value.items().filter_map(tool_name).collect(),
            "messages" => {
                turn.listed = value.len();
                turn.messages = value.items().enumerate().filter_map(message).collect();
            }
            _ => {}
        }
    }
    turn.legacy_functions = legacy && turn.tools.is_empty();
    turn
}

/// The most choices that a request may ask for, by the OpenAPI document.
const MOST_CHOICES: u32 = 128;

fn choices(value: Value<'_>) -> u32 {
    let asked = value.as_i64().and_then(|n| u32::try_from(n).ok());
    asked.filter(|n| (1..=MOST_CHOICES).contains(n)).unwrap_or(1)
}

fn tool_name(tool: Value<'_>) -> Option<Cow<'_, str>> {
    tool.get("function").or_else(|| tool.get("custom"))?.get("name")?.as_str()
}

fn message<'t>((index, value): (usize, Value<'t>)) -> Option<Message<'t>> {
    if value.kind() != Kind::Object {
        return None;
    }
    let (mut role, mut content, mut calls, mut answers) = (Role::Unknown, None, None, None);
    for (key, value) in value.entries() {
        if key.is_str("role") {
            role = role_of(value);
        } else if key.is_str("content") {
            content = Some(value);
        } else if key.is_str("tool_calls") {
            calls = Some(value);
        } else if key.is_str("tool_call_id") {
            answers = Some(value);
        }
    }
    let content = content.filter(|_| role != Role::Tool);
    let calls = calls.filter(|_| role == Role::Assistant);
    let answers = answers.filter(|_| role == Role::Tool);
    Some(Message {
        index,
        role,
        texts: content.map(texts).unwrap_or_default(),
        calls: calls.map(|calls| calls.items().enumerate().filter_map(call).collect()).unwrap_or_default(),
        answers: answers.and_then(Value::as_str).into_iter().collect(),
    })
}

fn role_of(value: Value<'_>) -> Role {
    const ROLES: &[(&str, Role)] = &[
        ("user", Role::User),
        ("assistant", Role::Assistant),
        ("tool", Role::Tool),
        ("system", Role::System),
        ("developer", Role::Developer),
        ("function", Role::Function),
    ];
    ROLES.iter().find(|(name, _)| value.is_str(name)).map_or(Role::Unknown, |(_, role)| *role)
}

fn texts(content: Value<'_>) -> Vec<Cow<'_, str>> {
    match content.kind() {
        Kind::String => content.as_str().into_iter().collect(),
        Kind::Array => content.items().filter_map(text_part).collect(),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Object => Vec::new(),
    }
}

fn text_part(part: Value<'_>) -> Option<Cow<'_, str>> {
    part.get("type").filter(|kind| kind.is_str("text"))?;
    part.get("text")?.as_str()
}

fn call<'t>((index, value): (usize, Value<'t>)) -> Option<Call<'t>> {
    let id = value.get("id")?.as_str()?;
    let custom = value.get("type").is_some_and(|kind| kind.is_str("custom"));
    let (what, input) = if custom { ("custom", "input") } else { ("function", "arguments") };
    let what = value.get(what)?;
    Some(Call { index, id, name: what.get("name")?.as_str()?, arguments: what.get(input)?.as_str()?, custom })
}
