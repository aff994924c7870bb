//! What came back for one turn, judged: an answer that may be used, or a failure of a class.
//!
//! What was cut or held back is never an answer, whatever else it holds: that is looked at before the words are. What is read
//! more leniently than the letter of the API is told; nothing is ever repaired by guessing.

mod end;
mod facts;
mod form;
mod judge;

use super::class::Failed;
use super::config::Dialect;
use super::mask::Mask;
use rehearsal_wire::json;
use rehearsal_wire::relay::coding::CodingError;
use std::time::Duration;

/// Bytes of a body that a message repeats.
const QUOTED: usize = 200;

/// An answer as it came: its head, and its body without content codings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// The status.
    pub status: u16,
    /// Names in lower case, and values as they came.
    pub headers: Vec<(String, Vec<u8>)>,
    /// How long the peer asks to wait, from the arrival of the head.
    pub retry_after: Option<Duration>,
    /// The body, decoded.
    pub body: Vec<u8>,
    /// Why the body could not be decoded further.
    pub flaw: Option<CodingError>,
    /// Bytes of the body on the wire.
    pub wire_bytes: u64,
    /// Whether it came on a connection that had carried a request before.
    pub reused: bool,
}

impl Received {
    /// The first header of this lower-case name, where it is visible ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(known, _)| known == name)?;
        std::str::from_utf8(value)
            .ok()
            .map(str::trim)
            .filter(|text| text.bytes().all(|b| (0x20..0x7F).contains(&b)))
    }
}

/// How an answer is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'r> {
    /// The API that was asked.
    pub dialect: Dialect,
    /// The URL that was asked, for messages.
    pub url: &'r str,
    /// What messages must not hold.
    pub mask: &'r Mask,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// Whether documents with a key that stands twice are refused.
    pub strict: bool,
    /// Whether what the model thought is its answer where it says nothing else.
    pub answer_from_reasoning: bool,
    /// Whether an answer that says nothing, and ends as one, is an answer.
    pub empty_is_answer: bool,
    /// Bytes of the texts that were sent.
    pub sent: usize,
    /// The most bytes that a token of the prompt can stand for; fewer tokens say that the prompt was cut. None asks nothing.
    pub bytes_per_token: Option<usize>,
}

/// The usual value of [`Reading::bytes_per_token`].
pub const BYTES_PER_TOKEN: usize = 8;

/// An answer that may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The words; none where the model calls tools instead.
    pub text: Option<String>,
    /// The words as they came, which may be empty, for whoever sends the turn back; none where there were none.
    pub content: Option<String>,
    /// Calls of tools, in order; each has an id and a name.
    pub calls: Vec<Call>,
    /// What the model thought.
    pub reasoning: Option<String>,
    /// Why it stopped, in the provider's word.
    pub finish: Option<String>,
    /// The model, as the answer names it.
    pub model: Option<String>,
    /// Tokens.
    pub usage: Tokens,
    /// Choices beside the first one, which alone is used.
    pub other_choices: usize,
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// Where the reading was lenient, each once, in the order of the list.
    pub leniencies: Vec<Leniency>,
    /// What else is strange, one sentence each.
    pub notes: Vec<String>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Its id; one of ours where none came.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as text.
    pub arguments: String,
}

/// Tokens as they were told; what was not told is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Of the prompt.
    pub prompt: Option<u64>,
    /// Of the answer.
    pub completion: Option<u64>,
}

impl Tokens {
    /// Both together, where both are known.
    #[must_use]
    pub fn total(self) -> Option<u64> {
        Some(self.prompt?.saturating_add(self.completion?))
    }
}

/// Where an answer was read more leniently than the letter of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leniency {
    /// A byte order mark before the body.
    ByteOrderMark,
    /// A key that stands twice in its object; the last one counts.
    DuplicateKey,
    /// A whole answer that ends as a stream does.
    DoneAfterWhole,
    /// A stream although none was asked for.
    StreamAnyway,
    /// A whole answer although a stream was asked for.
    WholeAnyway,
    /// A stream without its last event.
    NoLastEvent,
    /// No finish reason.
    NoFinish,
    /// A finish reason that the API does not know, or that does not go with what was said.
    OddFinish,
    /// A content that is a list of parts.
    ContentParts,
    /// Arguments of a call as a value instead of a text.
    ArgumentsAsValue,
    /// A call without an id.
    IdMade,
    /// More than one choice.
    MoreChoices,
    /// The answer was taken from what the model thought.
    AnswerFromReasoning,
}

impl Leniency {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte_order_mark",
            Self::DuplicateKey => "duplicate_key",
            Self::DoneAfterWhole => "done_after_whole",
            Self::StreamAnyway => "stream_anyway",
            Self::WholeAnyway => "whole_anyway",
            Self::NoLastEvent => "no_last_event",
            Self::NoFinish => "no_finish",
            Self::OddFinish => "odd_finish",
            Self::ContentParts => "content_parts",
            Self::ArgumentsAsValue => "arguments_as_value",
            Self::IdMade => "id_made",
            Self::MoreChoices => "more_choices",
            Self::AnswerFromReasoning => "answer_from_reasoning",
        }
    }
}

/// Reads what came.
///
/// # Errors
/// [`Failed`] where it cannot be used, with its class.
pub fn read(received: &Received, reading: &Reading<'_>) -> Result<Told, Box<Failed>> {
    let judged = match received.status {
        200 => judge::success(received, reading),
        status => Err(Box::new(judge::of_status(status, received, reading))),
    };
    let request_id = request_id(received, reading.mask);
    match judged {
        Ok(told) => Ok(Told { request_id, ..told }),
        Err(mut failed) => {
            failed.request_id = request_id;
            Err(failed)
        }
    }
}

/// The provider's name for a request, under any of the names for it.
pub(super) fn request_id(received: &Received, mask: &Mask) -> Option<String> {
    let names = ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "cf-ray"];
    let id = names.into_iter().find_map(|name| received.header(name).filter(|id| !id.is_empty()))?;
    Some(mask.excerpt(id.as_bytes(), QUOTED))
}

/// Whether an event of a stream is the one behind which nothing counts.
pub(super) fn is_over(dialect: Dialect, data: &str, event: &str) -> bool {
    match dialect {
        // Most chunks need no second reading: one without choices, or with this word, may be an error.
        Dialect::Chat if event != "error" && data.contains("\"choices\"") && !data.contains("\"error\"") => {
            false
        }
        Dialect::Chat => {
            let is_error = |tape: json::Tape<'_>| facts::error(tape.root(), event).is_some();
            end::is_done(dialect, data) || json::parse(data.as_bytes()).is_ok_and(is_error)
        }
        Dialect::Responses | Dialect::Messages => {
            json::parse(data.as_bytes()).is_ok_and(|tape| end::is_last(dialect, tape.root(), event))
        }
    }
}

#[cfg(test)]
mod tests;
