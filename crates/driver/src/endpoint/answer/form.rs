//! Whether a body is one document or a stream, and its text: seen from the body, since gateways confuse the two.

use super::Leniency;
use crate::endpoint::mask::Mask;

/// A body that is text.
#[derive(Debug)]
pub(super) enum Form<'b> {
    /// One JSON document, without what stood around it.
    Whole { text: &'b str, marked: bool, done_after: bool },
    /// Server-sent events, the last one ended with its blank line.
    Stream { text: String, marked: bool },
}

impl Form<'_> {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Whole { text, .. } => text,
            Self::Stream { text, .. } => text,
        }
    }

    /// The content type that it should have.
    pub(super) fn content_type(&self) -> &'static str {
        match self {
            Self::Whole { .. } => "application/json",
            Self::Stream { .. } => "text/event-stream",
        }
    }

    /// Where its form alone is lenient; `stream` says whether one was asked for.
    pub(super) fn leniencies(&self, stream: bool) -> impl Iterator<Item = Leniency> {
        let (marked, done_after, is_stream) = match self {
            Self::Whole { marked, done_after, .. } => (*marked, *done_after, false),
            Self::Stream { marked, .. } => (*marked, false, true),
        };
        [
            (marked, Leniency::ByteOrderMark),
            (done_after, Leniency::DoneAfterWhole),
            (is_stream && !stream, Leniency::StreamAnyway),
            (!is_stream && stream, Leniency::WholeAnyway),
        ]
        .into_iter()
        .filter_map(|(is, leniency)| is.then_some(leniency))
    }
}

/// Why a body is none of the API.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) reason: &'static str,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(reason: &'static str, what: impl Into<String>) -> Self {
        Self { reason, what: what.into() }
    }
}

/// Field names with which a line of a stream begins; `error` is one that llama.cpp made up.
const FIELDS: [&str; 6] = ["data:", "event:", "id:", "retry:", "error:", ":"];
/// How servers end a stream.
pub(super) const DONE: [&str; 2] = ["[DONE]", "DONE"];

/// Reads a body; `typed_stream` says whether its type is that of a stream.
pub(super) fn read(body: &[u8], typed_stream: bool) -> Result<Form<'_>, Fault> {
    let (body, marked) = match body.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => (rest, true),
        None => (body, false),
    };
    let (text, broken) = match std::str::from_utf8(body) {
        Ok(text) => (text, None),
        Err(error) => {
            let (good, _) = body.split_at(error.valid_up_to());
            (std::str::from_utf8(good).unwrap_or_default(), Some(error))
        }
    };
    let begin = text.trim_ascii_start();
    let looks = FIELDS.iter().any(|field| begin.starts_with(field));
    let is_stream = !begin.starts_with(['{', '[']) && (looks || typed_stream);
    // A stream may end within a character: where it broke off, or behind its last event.
    if let Some(error) = broken.filter(|error| !is_stream || error.error_len().is_some()) {
        let what = format!("the body is not UTF-8 at byte {}", error.valid_up_to());
        return Err(Fault::new("not_utf8", what));
    }
    if begin.is_empty() {
        return Err(Fault::new("empty_body", "the body is empty"));
    }
    if !is_stream {
        let whole = begin.trim_ascii_end();
        let cut = without_end(whole);
        return Ok(Form::Whole { text: cut.unwrap_or(whole), marked, done_after: cut.is_some() });
    }
    // By the letter an event without its blank line is none; servers that close early mean it.
    Ok(Form::Stream { text: format!("{begin}\n\n"), marked })
}

/// A whole answer without the end of a stream that stands behind it.
fn without_end(text: &str) -> Option<&str> {
    let before = DONE.iter().find_map(|done| text.strip_suffix(done))?;
    before.trim_ascii_end().strip_suffix("data:").map(str::trim_ascii_end)
}

/// What can be shown of a body that is not what it should be.
pub(super) fn excerpt(body: &[u8], mask: &Mask, most: usize) -> String {
    let text = mask.excerpt(body, most);
    if text.is_empty() { "the body is empty".to_owned() } else { text }
}
