//! An answer of a provider as it is read, in any dialect: what a recording shows of it, and what a scenario is made of.
//!
//! Never fails: what cannot be understood is left out and told in a note. Whether a body is a stream, lines, an array or one
//! document is seen from the body, since gateways confuse them.

mod draft;
mod split;

pub(in crate::dialect) use draft::{Draft, compact, words};

use super::Dialect;
use crate::json::{Kind, Value, parse};
use crate::reply::Reply;
use crate::sse::SseReader;
use std::borrow::Cow;

/// What was heard of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// What the model says, of several choices the first. Its finish reason is none where it follows from what is said, else a
    /// word of the chat API where there is one for it; empty thoughts and refusals are none. Arguments are the JSON text that
    /// came, compact where they came as a value; the free input of a custom tool stands in `{"input": …}`. Tokens of the prompt
    /// count those that were read from a cache, those of the answer what was thought.
    pub reply: Reply,
    /// The model, as the answer names it.
    pub model: Option<String>,
    /// The answer's id.
    pub id: Option<String>,
    /// Why the model stopped, in the provider's own word.
    pub ended: Option<String>,
    /// The error, where it is one or ends in one.
    pub error: Option<HeardError>,
    /// The tokens that it tells, with what it does not tell.
    pub counted: Counted,
    /// Whether it came to its end: the last event of a stream, an error, or a whole body was seen.
    pub done: bool,
    /// What could not be understood, one sentence each; [`MOST_NOTES`] at most.
    pub notes: Vec<String>,
}

/// Tokens as an answer tells them: what is absent, null or no whole number from 0 on is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Tokens of the prompt, with those that were read from a cache.
    pub prompt: Option<u64>,
    /// Tokens of the answer.
    pub completion: Option<u64>,
    /// Whether a count was there that is no such number.
    pub strange: bool,
}

/// How many notes are kept.
pub const MOST_NOTES: usize = 5;

/// An error of a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeardError {
    /// Its type, or the word for its status.
    pub kind: Option<String>,
    /// Its code; a number as its text.
    pub code: Option<String>,
    /// The parameter that it names.
    pub param: Option<String>,
    /// Its message.
    pub message: String,
}

/// How answers of a dialect are heard.
#[derive(Clone, Copy, Debug)]
pub struct Hearing {
    /// Takes the next document of an answer, the only one of a whole body, and the type of the event that it came in if any.
    /// Says whether it is a part of an answer. Of a whole body `done` is set before.
    pub(in crate::dialect) take: fn(&mut Draft, Value<'_>, &str) -> bool,
    /// The finish reason of a reply that ended with this word of the provider, none where it follows from what is said.
    pub(in crate::dialect) finish: fn(&str, &Reply) -> Option<String>,
    /// The data of the event that ends a stream, where it is no document, and how servers that mean it have sent it.
    pub(in crate::dialect) last: &'static [&'static str],
}

/// Hears a body, decoded of its transfer and content codings. Takes time and memory in proportion to its length, which the
/// caller bounds.
#[must_use]
pub fn hear(dialect: &Dialect, content_type: &str, body: &[u8]) -> Heard {
    let mut draft = Draft::default();
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    // Most bodies are UTF-8, and whether one is, is found out several times as fast as what of it is not.
    let text = std::str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed);
    if matches!(text, Cow::Owned(_)) {
        draft.note("The body is not UTF-8 throughout.");
    }
    if is_stream(content_type, &text) {
        events(dialect, &mut draft, &text);
    } else {
        documents(dialect, &mut draft, &text);
    }
    draft.finish(dialect.hear.finish)
}

/// By look where that is clear, else by the type.
fn is_stream(content_type: &str, text: &str) -> bool {
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{' | b'[') => false,
        Some(_) => {
            let fields = ["data:", "event:", "id:", "retry:", ":"];
            let looks = fields.iter().any(|field| text.trim_ascii_start().starts_with(field));
            looks || content_type.to_ascii_lowercase().contains("text/event-stream")
        }
        None => false,
    }
}

fn events(dialect: &Dialect, draft: &mut Draft, text: &str) {
    // No event can be longer.
    let mut reader = SseReader::new(text.len());
    for line in text.split_inclusive(['\n', '\r']) {
        // Ids are not needed, and each later event would hold a copy of the last one.
        if line.starts_with("id:") || reader.feed(line.as_bytes()).is_err() {
            continue;
        }
        while let Some(event) = reader.next_event() {
            let data = event.data.trim();
            if draft.closed {
                draft.note("More follows behind the last event; it is left out.");
            } else if dialect.hear.last.contains(&data) {
                draft.close();
            } else if data != "[DONE]" {
                // A stream that names no types gives all events this one.
                let kind = if event.kind == "message" { "" } else { &event.kind };
                document(dialect, draft, data, kind);
            }
        }
    }
    if reader.is_mid_event() {
        draft.note("The stream ends within an event, which is left out.");
    } else if !draft.heard.done {
        draft.note("The stream ends without its last event.");
    }
}

fn documents(dialect: &Dialect, draft: &mut Draft, text: &str) {
    // Some gateways end a plain answer as if it were a stream.
    let text = text.trim_ascii();
    let text = text.strip_suffix("data: [DONE]").unwrap_or(text);
    let (found, ending) = split::documents(text);
    match (found.as_slice(), ending) {
        ([only], split::Ending::Whole) => {
            draft.heard.done = true;
            document(dialect, draft, only, "");
        }
        (all, ending) => {
            all.iter().for_each(|one| document(dialect, draft, one, ""));
            match ending {
                split::Ending::Array => draft.heard.done = true,
                split::Ending::Whole if all.is_empty() => draft.note("The body is empty."),
                split::Ending::Whole => {}
                split::Ending::Cut => {
                    draft.heard.done = false;
                    draft.note("The body ends within its JSON.");
                }
                split::Ending::Strange(offset) => {
                    draft.heard.done = false;
                    draft.note(format!("The body is not JSON from byte {offset} on."));
                }
            }
        }
    }
}

fn document(dialect: &Dialect, draft: &mut Draft, text: &str, event: &str) {
    let tape = match parse(text.as_bytes()) {
        Ok(tape) => tape,
        Err(broken) => {
            draft.heard.done = false;
            return draft.note(format!("A part of the answer is not JSON: {broken}."));
        }
    };
    let root = tape.root();
    let failed = error(root);
    let is_error = failed.is_some();
    if let Some(failed) = failed {
        draft.fail(failed);
    }
    if !(dialect.hear.take)(draft, root, event) && !is_error {
        unknown(draft, root);
    }
}

/// The error that a document holds: `{"error": …}` in all dialects, a text or an object.
pub(in crate::dialect) fn error(document: Value<'_>) -> Option<HeardError> {
    let error = document.get("error").filter(|error| !error.is_null())?;
    if let Some(message) = error.as_str() {
        return Some(HeardError { message: message.into_owned(), ..HeardError::default() });
    }
    let word = |key: &str| words(error.get(key));
    let details = error.get("details");
    let reason = details.and_then(|details| details.items().find_map(|detail| words(detail.get("reason"))));
    let code = word("code").or_else(|| words(details.and_then(|details| details.get("error_code"))));
    let number = error.get("code").and_then(Value::as_number).map(str::to_owned);
    Some(HeardError {
        kind: word("type").or_else(|| word("status")),
        code: code.or(reason).or(number),
        param: word("param"),
        message: word("message").unwrap_or_default(),
    })
}

/// Tells of a document that is no part of an answer.
fn unknown(draft: &mut Draft, document: Value<'_>) {
    let list = |key| document.get(key).is_some_and(|list: Value<'_>| list.kind() == Kind::Array);
    if ["data", "models", "embeddings", "embedding", "results"].into_iter().any(list) {
        draft.note("The body lists models, embeddings or the like and holds no reply.");
    } else if let Some(message) = words(document.get("message")).or_else(|| words(document.get("detail"))) {
        draft.fail(HeardError { message, ..HeardError::default() });
    } else {
        let kind = words(document.get("type")).or_else(|| words(document.get("object")));
        let kind = kind.map(|kind| format!(" of type {}", split::excerpt(&kind))).unwrap_or_default();
        draft.note(format!("A document{kind} is no part of a reply of this dialect."));
    }
}
