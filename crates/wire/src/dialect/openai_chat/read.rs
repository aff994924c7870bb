//! What an openai-chat request means. Total: whatever has not the documented shape is skipped, rules say what is wrong.

use super::super::{exactly, form, offers, texts};
use crate::json::{Kind, Tape, Value};
use crate::turn::{Call, Message, Role, Spot, Tool, Turn};

/// Reads the body of a chat completion request.
#[must_use]
pub fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let mut turn = Turn::new(point);
    let (mut legacy, mut offers_functions) = (false, false);
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
            "functions" => (legacy, offers_functions) = (value.kind() == Kind::Array, offers(value)),
            "tools" => {
                turn.offers_tools = offers(value);
                turn.tools = exactly(value, value.items().filter_map(tool));
            }
            "max_tokens" | "max_completion_tokens" => {
                turn.room = [turn.room, value.as_i64()].into_iter().flatten().min();
            }
            "response_format" => turn.form = form(value),
            "messages" => {
                turn.listed = value.len();
                turn.messages = exactly(value, value.items().enumerate().filter_map(message));
            }
            _ => {}
        }
    }
    turn.legacy_functions = legacy && turn.tools.is_empty();
    turn.offers_tools |= offers_functions;
    turn
}

/// Where the parts of a conversation stand.
pub(in crate::dialect) fn point(spot: Spot) -> String {
    match spot {
        Spot::List => "/messages".to_owned(),
        Spot::Message(message) => format!("/messages/{message}"),
        Spot::Content(message) => format!("/messages/{message}/content"),
        Spot::Calls(message) => format!("/messages/{message}/tool_calls"),
        Spot::Call(message, call) => format!("/messages/{message}/tool_calls/{call}/function"),
        Spot::CallId(message, call) => format!("/messages/{message}/tool_calls/{call}/id"),
        Spot::CallName(message, call) => format!("/messages/{message}/tool_calls/{call}/function/name"),
        Spot::CallArguments(message, call) => {
            format!("/messages/{message}/tool_calls/{call}/function/arguments")
        }
    }
}

/// The most choices that a request may ask for, by the OpenAPI document.
const MOST_CHOICES: u32 = 128;

/// How many are asked for; 1 where it does not say.
pub(in crate::dialect) fn choices(value: Value<'_>) -> u32 {
    let asked = value.as_i64().and_then(|n| u32::try_from(n).ok());
    asked.filter(|n| (1..=MOST_CHOICES).contains(n)).unwrap_or(1)
}

/// What a model can call of an element of `tools`.
pub(in crate::dialect) fn tool(tool: Value<'_>) -> Option<Tool<'_>> {
    let function = tool.get("function");
    let name = function.or_else(|| tool.get("custom"))?.get("name")?.as_str()?;
    Some(Tool { name, schema: function.and_then(|function| function.get("parameters")) })
}

fn message<'t>((index, value): (usize, Value<'t>)) -> Option<Message<'t>> {
    if value.kind() != Kind::Object {
        return None;
    }
    let (mut role, mut content, mut calls, mut answers) = (Role::Unknown, None, None, None);
    for (key, value) in value.entries() {
        let Some(key) = key.as_str() else { continue };
        match &*key {
            "role" => role = role_of(value),
            "content" => content = Some(value),
            "tool_calls" => calls = Some(value),
            "tool_call_id" => answers = Some(value),
            _ => {}
        }
    }
    let content = content.filter(|_| role != Role::Tool);
    let calls = calls.filter(|_| role == Role::Assistant);
    let answers = answers.filter(|_| role == Role::Tool);
    Some(Message {
        index,
        role,
        texts: content.map(|content| texts(content, &["text"])).unwrap_or_default(),
        calls: calls
            .map(|calls| exactly(calls, calls.items().enumerate().filter_map(call)))
            .unwrap_or_default(),
        answers: answers.and_then(Value::as_str).map(|id| vec![id]).unwrap_or_default(),
    })
}

fn role_of(value: Value<'_>) -> Role {
    match value.as_str().as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        Some("system") => Role::System,
        Some("developer") => Role::Developer,
        Some("function") => Role::Function,
        Some(_) | None => Role::Unknown,
    }
}

fn call<'t>((index, value): (usize, Value<'t>)) -> Option<Call<'t>> {
    let id = value.get("id")?.as_str()?;
    let custom = value.get("type").is_some_and(|kind| kind.is_str("custom"));
    let (what, input) = if custom { ("custom", "input") } else { ("function", "arguments") };
    let what = value.get(what)?;
    Some(Call { index, id, name: what.get("name")?.as_str()?, arguments: what.get(input)?.as_str()?, custom })
}
