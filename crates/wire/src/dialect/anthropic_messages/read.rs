//! What an anthropic-messages request means. Total: whatever has not the documented shape is skipped, rules say what is wrong.
//!
//! Beside the list, `system` is a message of its own at the head of the turn. A user message with `tool_result` blocks
//! becomes a tool message for each run of them and a user message for what is said between, in their order. Assistant
//! messages that follow each other are one turn, as the API takes them.

use super::super::{PARTS, form, offers, text_part, texts};
use super::ids::meant;
use crate::json::{Kind, Tape, Value};
use crate::turn::{Call, KEPT, Kept, Message, Role, Spot, Tool, Turn};
use std::borrow::Cow;

/// The types of parts that hold words.
const TEXT: &[&str] = &["text"];

/// Reads the body of a messages request.
#[must_use]
pub fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let mut turn = Turn { include_usage: true, ..Turn::new(point) };
    let (mut system, mut messages) = (None, None);
    for (key, value) in tape.root().entries() {
        let Some(key) = key.as_str() else { continue };
        match &*key {
            "model" => turn.model = Some(value),
            "stream" => turn.stream = value.as_bool() == Some(true),
            "tools" => {
                turn.offers_tools = offers(value);
                turn.tools = value.items().filter_map(tool).collect();
            }
            "max_tokens" => turn.room = value.as_i64(),
            "output_config" => turn.form = value.get("format").and_then(form).or(turn.form),
            // The name of the same before it was in `output_config`.
            "output_format" => turn.form = turn.form.or(form(value)),
            "system" => system = Some(value),
            "thread" => turn.kept = kept(value),
            "messages" => messages = Some(value),
            _ => {}
        }
    }
    let instructions = system.map(|content| texts(content, TEXT)).filter(|texts| !texts.is_empty());
    turn.messages.extend(instructions.map(|texts| said(0, Role::System, texts)));
    if let Some(messages) = messages {
        turn.listed = messages.len();
        turn.messages.reserve(messages.len());
        for (index, value) in messages.items().enumerate() {
            message(&mut turn.messages, index, value);
        }
    }
    turn
}

/// Where a thread says what it goes on from.
const KEPT_AT: &str = "/thread/previous_message_id";

fn kept(thread: Value<'_>) -> Option<Kept<'_>> {
    thread.get("type").filter(|kind| kind.is_str("continue"))?;
    let id = thread.get("previous_message_id")?.as_str()?;
    Some(Kept { id, pointer: KEPT_AT, with_setting: true })
}

/// Where the parts of a conversation stand.
fn point(spot: Spot) -> String {
    let block = |message: usize, call: usize| {
        format!("/messages/{}/content/{}", message + call / PARTS, call % PARTS)
    };
    match spot {
        Spot::List => "/messages".to_owned(),
        Spot::Message(KEPT)
        | Spot::Content(KEPT)
        | Spot::Calls(KEPT)
        | Spot::Call(KEPT, _)
        | Spot::CallId(KEPT, _)
        | Spot::CallName(KEPT, _)
        | Spot::CallArguments(KEPT, _) => KEPT_AT.to_owned(),
        Spot::Message(message) => format!("/messages/{message}"),
        Spot::Content(message) | Spot::Calls(message) => format!("/messages/{message}/content"),
        Spot::Call(message, call) => block(message, call),
        Spot::CallId(message, call) => block(message, call) + "/id",
        Spot::CallName(message, call) => block(message, call) + "/name",
        Spot::CallArguments(message, call) => block(message, call) + "/input",
    }
}

fn said(index: usize, role: Role, texts: Vec<Cow<'_, str>>) -> Message<'_> {
    Message { index, role, texts, calls: Vec::new(), answers: Vec::new() }
}

/// Adds what one element of the list says.
fn message<'t>(messages: &mut Vec<Message<'t>>, index: usize, value: Value<'t>) {
    if value.kind() != Kind::Object {
        return;
    }
    let content = value.get("content");
    match value.get("role").and_then(Value::as_str).as_deref() {
        Some("assistant") => assistant(messages, index, content),
        Some("user") => user(messages, index, content),
        Some("system") => {
            messages.push(said(
                index,
                Role::System,
                content.map(|content| texts(content, TEXT)).unwrap_or_default(),
            ));
        }
        Some(_) | None => messages.push(said(
            index,
            Role::Unknown,
            content.map(|content| texts(content, TEXT)).unwrap_or_default(),
        )),
    }
}

fn assistant<'t>(messages: &mut Vec<Message<'t>>, index: usize, content: Option<Value<'t>>) {
    if messages.last().is_none_or(|last| last.role != Role::Assistant) {
        messages.push(said(index, Role::Assistant, Vec::new()));
    }
    let Some(turn) = messages.last_mut() else { return };
    let Some(content) = content else { return };
    turn.texts.extend(texts(content, TEXT));
    let before = (index - turn.index).saturating_mul(PARTS);
    turn.calls.extend(content.items().enumerate().filter_map(|(at, block)| call(before + at, block)));
}

fn user<'t>(messages: &mut Vec<Message<'t>>, index: usize, content: Option<Value<'t>>) {
    let from = messages.len();
    let Some(content) = content else { return messages.push(said(index, Role::User, Vec::new())) };
    if content.kind() != Kind::Array {
        return messages.push(said(index, Role::User, texts(content, TEXT)));
    }
    for block in content.items() {
        let answers = block.get("type").is_some_and(|kind| kind.is_str("tool_result"));
        let role = if answers { Role::Tool } else { Role::User };
        if messages.len() == from || messages.last().is_none_or(|last| last.role != role) {
            messages.push(said(index, role, Vec::new()));
        }
        let Some(message) = messages.last_mut() else { return };
        if answers {
            message.answers.extend(block.get("tool_use_id").and_then(Value::as_str).map(meant));
        } else {
            message.texts.extend(text_part(block, TEXT));
        }
    }
    if messages.len() == from {
        messages.push(said(index, Role::User, Vec::new()));
    }
}

fn tool(tool: Value<'_>) -> Option<Tool<'_>> {
    Some(Tool { name: tool.get("name")?.as_str()?, schema: tool.get("input_schema") })
}

fn call(index: usize, block: Value<'_>) -> Option<Call<'_>> {
    block.get("type").filter(|kind| kind.is_str("tool_use"))?;
    let id = meant(block.get("id")?.as_str()?);
    let name = block.get("name")?.as_str()?;
    // The input is the value itself; its text is what other dialects send as a string.
    let arguments = Cow::Borrowed(block.get("input").map_or("", Value::text));
    Some(Call { index, id, name, arguments, custom: false })
}
