//! The request of one turn: system text, task, repair turns, and what a server was found to take.

use super::config::Dialect;
use rehearsal_wire::json::{write_number, write_string};

/// How a server is asked: one state of what it was found to take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dialing {
    /// What holds the form of the answer.
    pub structured: Structured,
    /// The temperature, where one is sent; one that is no finite number is not.
    pub temperature: Option<f64>,
    /// How long the answer may be.
    pub limit: Limit,
    /// Whether a stream is asked for its tokens, which some servers refuse.
    pub stream_usage: bool,
    /// Whether the system text stands before the task instead of in a message of its own.
    pub fold_system: bool,
}

/// What holds the form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Structured {
    /// The schema itself.
    JsonSchema,
    /// That it is a JSON object. The Messages API has no such thing.
    JsonObject,
    /// Nothing.
    #[default]
    None,
}

/// Most tokens of the answer, under one of the names for it; never both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// `max_tokens`.
    MaxTokens(u32),
    /// `max_completion_tokens`.
    MaxCompletionTokens(u32),
    /// As the server likes. The Messages API wants a number, which is [`USUAL_LIMIT`] then.
    #[default]
    None,
}

/// Most tokens of an answer where an API wants a number and nobody gave one.
pub const USUAL_LIMIT: u32 = 8192;

/// A JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema<'s> {
    /// Its name: letters, digits, `_` and `-`, 64 at most.
    pub name: &'s str,
    /// The schema, one JSON value.
    pub text: &'s str,
}

/// An answer that could not be used, and what is asked then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// What the model said, bounded by the caller; may be empty.
    pub said: String,
    /// What it thought, where the server wants that back (chat alone); else none.
    pub reasoning: Option<String>,
    /// What is wrong with it.
    pub wanted: String,
}

/// One turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'t> {
    /// The model.
    pub model: &'t str,
    /// What it is told before the task; may be empty.
    pub system: &'t str,
    /// The task.
    pub user: &'t str,
    /// What came of it so far, oldest first.
    pub repairs: &'t [Repair],
    /// The form of the answer; sent where the dialing says so.
    pub schema: Option<Schema<'t>>,
    /// Whether the answer is asked for as a stream.
    pub stream: bool,
}

/// Writes the body of the request. Contents are plain strings, and user and assistant take turns, whatever is folded.
#[must_use]
pub fn write(dialect: Dialect, turn: &Turn<'_>, dialing: &Dialing) -> Vec<u8> {
    let mut out = Vec::with_capacity(turn.user.len() + turn.system.len() + 1024);
    out.extend_from_slice(b"{\"model\":");
    write_string(&mut out, turn.model);
    let folded = dialing.fold_system && !turn.system.is_empty();
    let both = folded.then(|| format!("{}\n\n{}", turn.system, turn.user));
    let user = both.as_deref().unwrap_or(turn.user);
    let system = Some(turn.system).filter(|system| !folded && !system.is_empty());
    match dialect {
        Dialect::Chat => chat(&mut out, turn, dialing, system, user),
        Dialect::Responses => responses(&mut out, turn, dialing, system, user),
        Dialect::Messages => messages(&mut out, turn, dialing, system, user),
    }
    if let Some(temperature) = dialing.temperature.filter(|temperature| temperature.is_finite()) {
        key(&mut out, "temperature");
        out.extend_from_slice(temperature.to_string().as_bytes());
    }
    if turn.stream {
        out.extend_from_slice(b",\"stream\":true");
    }
    out.push(b'}');
    out
}

fn chat(out: &mut Vec<u8>, turn: &Turn<'_>, dialing: &Dialing, system: Option<&str>, user: &str) {
    key(out, "messages");
    talk(out, turn, system, user, true);
    match (dialing.structured, turn.schema) {
        (Structured::JsonSchema, Some(schema)) => {
            out.extend_from_slice(b",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{");
            named(out, schema);
            out.extend_from_slice(b"}}");
        }
        (Structured::JsonObject, _) => {
            out.extend_from_slice(b",\"response_format\":{\"type\":\"json_object\"}");
        }
        (Structured::JsonSchema, None) | (Structured::None, _) => {}
    }
    match dialing.limit {
        Limit::MaxTokens(most) => number(out, "max_tokens", most),
        Limit::MaxCompletionTokens(most) => number(out, "max_completion_tokens", most),
        Limit::None => {}
    }
    if turn.stream && dialing.stream_usage {
        out.extend_from_slice(b",\"stream_options\":{\"include_usage\":true}");
    }
}

fn responses(out: &mut Vec<u8>, turn: &Turn<'_>, dialing: &Dialing, system: Option<&str>, user: &str) {
    if let Some(system) = system {
        key(out, "instructions");
        write_string(out, system);
    }
    key(out, "input");
    talk(out, turn, None, user, false);
    match (dialing.structured, turn.schema) {
        (Structured::JsonSchema, Some(schema)) => {
            out.extend_from_slice(b",\"text\":{\"format\":{\"type\":\"json_schema\",");
            named(out, schema);
            out.extend_from_slice(b"}}");
        }
        (Structured::JsonObject, _) => {
            out.extend_from_slice(b",\"text\":{\"format\":{\"type\":\"json_object\"}}");
        }
        (Structured::JsonSchema, None) | (Structured::None, _) => {}
    }
    match dialing.limit {
        Limit::MaxTokens(most) | Limit::MaxCompletionTokens(most) => number(out, "max_output_tokens", most),
        Limit::None => {}
    }
    // A task is nobody's to keep.
    out.extend_from_slice(b",\"store\":false");
}

fn messages(out: &mut Vec<u8>, turn: &Turn<'_>, dialing: &Dialing, system: Option<&str>, user: &str) {
    if let Some(system) = system {
        key(out, "system");
        write_string(out, system);
    }
    key(out, "messages");
    talk(out, turn, None, user, false);
    match (dialing.structured, turn.schema) {
        (Structured::JsonSchema, Some(schema)) => {
            out.extend_from_slice(b",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":");
            out.extend_from_slice(schema.text.trim().as_bytes());
            out.extend_from_slice(b"}}");
        }
        (Structured::JsonSchema, None) | (Structured::JsonObject | Structured::None, _) => {}
    }
    match dialing.limit {
        Limit::MaxTokens(most) | Limit::MaxCompletionTokens(most) => number(out, "max_tokens", most),
        Limit::None => number(out, "max_tokens", USUAL_LIMIT),
    }
}

/// What was said, user first, user last.
fn talk(out: &mut Vec<u8>, turn: &Turn<'_>, system: Option<&str>, user: &str, chat: bool) {
    out.push(b'[');
    if let Some(system) = system {
        message(out, "system", system);
        out.extend_from_slice(b"},");
    }
    message(out, "user", user);
    for repair in turn.repairs {
        out.extend_from_slice(b"},");
        // Only chat takes an empty message back; what it says is known there from its place.
        let said = if chat || !repair.said.trim().is_empty() { &repair.said } else { "(nothing)" };
        message(out, "assistant", said);
        if let Some(reasoning) = repair.reasoning.as_ref().filter(|_| chat) {
            key(out, "reasoning_content");
            write_string(out, reasoning);
        }
        out.extend_from_slice(b"},");
        message(out, "user", &repair.wanted);
    }
    out.extend_from_slice(b"}]");
}

/// A message without its end.
fn message(out: &mut Vec<u8>, role: &str, content: &str) {
    out.extend_from_slice(b"{\"role\":");
    write_string(out, role);
    key(out, "content");
    write_string(out, content);
}

fn named(out: &mut Vec<u8>, schema: Schema<'_>) {
    out.extend_from_slice(b"\"name\":");
    write_string(out, schema.name);
    out.extend_from_slice(b",\"strict\":true,\"schema\":");
    out.extend_from_slice(schema.text.trim().as_bytes());
}

fn number(out: &mut Vec<u8>, name: &str, value: u32) {
    key(out, name);
    write_number(out, u64::from(value));
}

fn key(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

#[cfg(test)]
mod tests;
