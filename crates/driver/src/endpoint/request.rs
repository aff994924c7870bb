//! The request of one turn: a task with its repair turns, or a conversation with tools, and what a server was found to take.

mod chat;
mod messages;
mod responses;
mod talk;

pub use talk::{Choice, Message, Said, Talk, Tool};

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

/// One turn of a task; [`Talk`] is a conversation with tools.
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

impl Turn<'_> {
    /// Bytes of all its texts.
    pub(super) fn bytes(&self) -> usize {
        let repairs = self.repairs.iter().map(|repair| repair.said.len() + repair.wanted.len());
        self.system.len() + self.user.len() + repairs.sum::<usize>()
    }
}

/// Writes the body of the request. Contents are plain strings, and user and assistant take turns, whatever is folded.
#[must_use]
pub fn write(dialect: Dialect, turn: &Turn<'_>, dialing: &Dialing) -> Vec<u8> {
    let mut messages = vec![Message::User(turn.user.to_owned())];
    for Repair { said, reasoning, wanted } in turn.repairs {
        let (content, reasoning) = (Some(said.clone()), reasoning.clone());
        messages.push(Message::Assistant(Said { content, reasoning, calls: Vec::new() }));
        messages.push(Message::User(wanted.clone()));
    }
    let talk = Talk {
        model: turn.model,
        system: turn.system,
        messages: &messages,
        tools: &[],
        choice: None,
        parallel: None,
        schema: turn.schema,
        stream: turn.stream,
    };
    write_talk(dialect, &talk, dialing)
}

/// Writes the body of the request for a conversation, in the words of each API.
#[must_use]
pub fn write_talk(dialect: Dialect, talk: &Talk<'_>, dialing: &Dialing) -> Vec<u8> {
    let mut out = Vec::with_capacity(talk.bytes() + 1024);
    out.extend_from_slice(b"{\"model\":");
    write_string(&mut out, talk.model);
    // Where no user speaks first there is nothing to fold it into.
    let folded = match talk.messages.first() {
        Some(Message::User(user)) if dialing.fold_system && !talk.system.is_empty() => {
            Some(format!("{}\n\n{user}", talk.system))
        }
        Some(Message::User(_) | Message::Assistant(_) | Message::Result { .. }) | None => None,
    };
    let opening = Opening {
        system: Some(talk.system).filter(|system| folded.is_none() && !system.is_empty()),
        first: folded.as_deref(),
    };
    match dialect {
        Dialect::Chat => chat::write(&mut out, talk, dialing, &opening),
        Dialect::Responses => responses::write(&mut out, talk, dialing, &opening),
        Dialect::Messages => messages::write(&mut out, talk, dialing, &opening),
    }
    if let Some(temperature) = dialing.temperature.filter(|temperature| temperature.is_finite()) {
        key(&mut out, "temperature");
        out.extend_from_slice(temperature.to_string().as_bytes());
    }
    if talk.stream {
        out.extend_from_slice(b",\"stream\":true");
    }
    out.push(b'}');
    out
}

/// How a conversation begins.
struct Opening<'o> {
    /// The system text that stands by itself.
    system: Option<&'o str>,
    /// What the first message says instead of its own text.
    first: Option<&'o str>,
}

impl Opening<'_> {
    /// What a user's message at this place says.
    fn user<'u>(&'u self, at: usize, own: &'u str) -> &'u str {
        self.first.filter(|_| at == 0).unwrap_or(own)
    }
}

/// A message of one text, without its end.
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

/// A list, with commas between.
fn list<T>(out: &mut Vec<u8>, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

fn text(out: &mut Vec<u8>, name: &str, value: &str) {
    key(out, name);
    write_string(out, value);
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
