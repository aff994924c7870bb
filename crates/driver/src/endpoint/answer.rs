//! What came back for one turn, judged: an answer that may be used, or a failure of a class.
//!
//! What was cut or held back is never an answer, whatever else it holds: that is looked at before the words are. What is read
//! more leniently than the letter of the API is told; nothing is ever repaired by guessing.

mod facts;
mod form;

use super::class::{self, Class, Failed};
use super::complaint::{self, Complaint};
use super::config::Dialect;
use super::mask::Mask;
use facts::{End, Facts};
use rehearsal_wire::dialect::heard::{Heard, hear};
use rehearsal_wire::json;
use rehearsal_wire::relay::coding::CodingError;
use std::time::Duration;

/// Most bytes of a body that a failure keeps.
const KEPT: usize = 2 << 10;
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
    /// Calls of tools, in order; each has an id.
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

/// A call of a tool that was not offered.
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
        200 => success(received, reading),
        status => Err(of_status(status, received, reading)),
    };
    let request_id = request_id(received, reading.mask);
    match judged {
        Ok(told) => Ok(Told { request_id, ..told }),
        Err(failed) => Err(Box::new(Failed { request_id, ..failed })),
    }
}

/// The provider's name for a request, under any of the names for it.
pub(super) fn request_id(received: &Received, mask: &Mask) -> Option<String> {
    let names = ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "cf-ray"];
    let id = names.into_iter().find_map(|name| received.header(name).filter(|id| !id.is_empty()))?;
    Some(mask.excerpt(id.as_bytes(), QUOTED))
}

/// An answer whose status is no success, or one that only looks like it.
fn of_status(status: u16, received: &Received, reading: &Reading<'_>) -> Failed {
    let mask = reading.mask;
    if !(400..600).contains(&status) {
        let (class, reason) = match status {
            300..=399 => (Class::Redirect, "redirect_not_followed"),
            _ => (Class::Protocol, "status_not_200"),
        };
        let kind = content_type(received, mask);
        let message = format!("{}: status {status} ({kind}) where only 200 is an answer", reading.url);
        return Failed { status: Some(status), ..Failed::new(class, mask.hide(&message)).because(reason) };
    }
    let body = received.body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&received.body);
    let told = match json::parse(body) {
        Ok(tape) => complaint::nested(tape.root()).or_else(|| complaint::flat(tape.root())),
        Err(_) => None,
    };
    let told = told.unwrap_or_default();
    let class = class::of_complaint(Some(status), &told);
    let said = match told.message.is_empty() {
        false => mask.excerpt(told.message.as_bytes(), KEPT),
        true => form::excerpt(body, mask, QUOTED),
    };
    let message = format!("{}: status {status}: {said}", mask.hide(reading.url));
    let retryable = class::may_pass(class, status, received.retry_after, received.header("x-should-retry"));
    let failed = complained(class, &told, message, mask);
    let kept = (!body.is_empty()).then(|| mask.excerpt(body, KEPT));
    Failed { status: Some(status), retryable, retry_after: received.retry_after, body: kept, ..failed }
}

fn complained(class: Class, told: &Complaint, message: String, mask: &Mask) -> Failed {
    let hide = |text: &Option<String>| text.as_ref().map(|text| mask.excerpt(text.as_bytes(), QUOTED));
    Failed {
        kind: hide(&told.kind),
        code: hide(&told.code),
        param: hide(&told.param),
        ..Failed::new(class, mask.hide(&message))
    }
}

fn content_type(received: &Received, mask: &Mask) -> String {
    match received.header("content-type").filter(|kind| !kind.is_empty()) {
        Some(kind) => format!("content type {}", mask.excerpt(kind.as_bytes(), 100)),
        None => "no content type".to_owned(),
    }
}

fn success(received: &Received, reading: &Reading<'_>) -> Result<Told, Failed> {
    let mask = reading.mask;
    // From here on the model may have worked.
    let costly = |failed: Failed| Failed { status: Some(200), may_cost: true, ..failed };
    let protocol = |reason, what: &str| {
        let kind = content_type(received, mask);
        let begins = form::excerpt(&received.body, mask, QUOTED);
        let message = mask.hide(&format!("{}: {what} ({kind}): {begins}", reading.url));
        let body = (!received.body.is_empty()).then(|| mask.excerpt(&received.body, KEPT));
        costly(Failed { body, ..Failed::new(Class::Protocol, message).because(reason) })
    };
    if let Some(flaw) = &received.flaw {
        return Err(protocol("bad_encoding", &format!("the body cannot be decoded: {flaw}")));
    }
    let is_stream = received
        .header("content-type")
        .is_some_and(|kind| kind.to_ascii_lowercase().contains("text/event-stream"));
    let form = form::read(&received.body, is_stream).map_err(|fault| protocol(fault.reason, &fault.what))?;
    let facts = Facts::gather(reading.dialect, &form, reading.stream)
        .map_err(|fault| protocol(fault.reason, &fault.what))?;
    let heard = hear(reading.dialect.row(), form.content_type(), form.text().as_bytes());
    let usage = Tokens { prompt: heard.counted.prompt, completion: heard.counted.completion };
    let finish = facts.finish.clone().map(|word| mask.excerpt(word.as_bytes(), QUOTED));
    let leniencies: Vec<_> = facts.leniencies.iter().copied().collect();
    let about = |failed: Failed| {
        costly(Failed { usage, finish: finish.clone(), leniencies: leniencies.clone(), ..failed })
    };
    if reading.strict && facts.leniencies.contains(&Leniency::DuplicateKey) {
        return Err(about(protocol("duplicate_key", "a key stands twice in its object")));
    }
    if let Some(failed) = held_back(&facts, &heard, received, reading) {
        return Err(about(failed));
    }
    if let Some(what) = &facts.missing {
        // The names of the keys are enough; values may be anything.
        let message = mask.hide(&format!("{}: {what}", reading.url));
        return Err(about(Failed::new(Class::Protocol, message).because("no_choices")));
    }
    said(facts, heard, usage, reading).map_err(about)
}

/// Why nothing of what came may be used, whatever its words are.
fn held_back(facts: &Facts, heard: &Heard, received: &Received, reading: &Reading<'_>) -> Option<Failed> {
    let mask = reading.mask;
    let words = heard.reply.text.as_deref().filter(|text| !text.is_empty());
    let partial = words.map(|text| mask.hide(text));
    let failed = |class, what: &str| Failed {
        text: partial.clone(),
        ..Failed::new(class, mask.hide(&format!("{}: {what}", reading.url)))
    };
    match facts.end {
        End::Length => return Some(failed(Class::Truncated, "the answer was cut at the length limit")),
        End::Filtered => {
            return Some(failed(Class::Filtered, "the answer was held back by a content filter"));
        }
        End::Broken | End::Refused | End::Whole => {}
    }
    let told = facts.complaint.clone().or_else(|| {
        let error = heard.error.clone()?;
        let flat = Complaint {
            message: error.message,
            kind: error.kind,
            code: error.code,
            param: error.param,
            status: None,
        };
        Some(flat)
    });
    if let Some(told) = told {
        let class = class::of_complaint(None, &told);
        let status = told.status.unwrap_or(200);
        let said = if told.message.is_empty() { "no message" } else { told.message.as_str() };
        let said = mask.excerpt(said.as_bytes(), KEPT);
        let message = format!("{}: an error inside a 200: {said}", reading.url);
        let retryable =
            class::may_pass(class, status, received.retry_after, received.header("x-should-retry"));
        let body = Some(mask.excerpt(&received.body, KEPT));
        let retry_after = received.retry_after;
        return Some(Failed { retryable, retry_after, body, ..complained(class, &told, message, mask) });
    }
    if facts.end == End::Broken {
        return Some(failed(Class::ProviderError, "the provider broke off its own answer"));
    }
    if facts.cut {
        let failed = failed(Class::Truncated, "the stream ended without a finish reason");
        return Some(failed.because("stream_ended_early"));
    }
    let refusal = heard.reply.refusal.as_deref().filter(|text| !text.trim().is_empty());
    if refusal.is_some() || facts.end == End::Refused {
        let text = refusal.map(|text| mask.hide(text)).or(partial.clone());
        return Some(Failed { text, ..failed(Class::Refusal, "the model refused") });
    }
    let bound = reading.bytes_per_token.filter(|&most| most > 0).map(|most| reading.sent / most);
    match (heard.counted.prompt, bound) {
        // No prompt has no tokens: a server that says so does not count.
        (Some(read @ 1..), Some(least)) if read < least as u64 => {
            let sent = reading.sent;
            let what =
                format!("the model read {read} tokens of {sent} bytes: the prompt was cut to its window");
            Some(failed(Class::ContextLength, &what).because("context_truncated"))
        }
        _ => None,
    }
}

/// What the model said, where it may be used and says something.
fn said(mut facts: Facts, heard: Heard, usage: Tokens, reading: &Reading<'_>) -> Result<Told, Failed> {
    let mask = reading.mask;
    let failed = |class, what: &str| Failed::new(class, mask.hide(&format!("{}: {what}", reading.url)));
    let reply = heard.reply;
    let is_spoken = |text: &String| !text.trim().is_empty();
    let mut text = reply.text.filter(is_spoken);
    let reasoning = reply.thinking.filter(is_spoken);
    let mut calls: Vec<Call> = reply
        .calls
        .into_iter()
        .map(|call| Call { id: call.id, name: call.name, arguments: call.arguments })
        .collect();
    if calls.iter().any(|call| call.id.is_empty()) {
        facts.leniencies.insert(Leniency::IdMade);
    }
    name_calls(&mut calls);
    if text.is_none() && calls.is_empty() {
        if facts.ends_with_calls {
            let what = "the finish reason tells of tool calls, and there is none";
            return Err(failed(Class::Format, what).because("tool_calls_missing"));
        }
        if !(reading.answer_from_reasoning && reasoning.is_some()) {
            let (what, reason) = match reasoning {
                Some(_) => ("the answer is empty; the model only thought", "only_reasoning"),
                None => ("the answer is empty", "no_words"),
            };
            return Err(failed(Class::EmptyContent, what).because(reason));
        }
        facts.leniencies.insert(Leniency::AnswerFromReasoning);
        text.clone_from(&reasoning);
    }
    if facts.ends_with_calls == calls.is_empty() && facts.finish.is_some() {
        facts.leniencies.insert(Leniency::OddFinish);
    }
    let mut notes: Vec<String> = heard.notes.iter().map(|note| mask.hide(note)).collect();
    if heard.counted.strange {
        notes.push("A count of tokens is no whole number; it is unknown.".to_owned());
    }
    Ok(Told {
        text,
        calls,
        reasoning,
        finish: facts.finish.map(|word| mask.excerpt(word.as_bytes(), QUOTED)),
        model: heard.model.map(|model| mask.excerpt(model.as_bytes(), QUOTED)),
        usage,
        other_choices: facts.other_choices,
        request_id: None,
        leniencies: facts.leniencies.into_iter().collect(),
        notes,
    })
}

/// Whether an event of a stream is the one behind which nothing counts.
pub(super) fn is_over(dialect: Dialect, data: &str, event: &str) -> bool {
    if form::DONE.contains(&data) {
        return true;
    }
    match dialect {
        Dialect::Chat => false,
        Dialect::Responses | Dialect::Messages => {
            json::parse(data.as_bytes()).is_ok_and(|tape| facts::is_last(dialect, tape.root(), event))
        }
    }
}

/// Gives calls without an id one that no other call has, the same for the same answer.
fn name_calls(calls: &mut [Call]) {
    for at in 0..calls.len() {
        let mut salt = 0;
        while calls[at].id.is_empty() {
            let id = format!("call_{at}_{salt}");
            if calls.iter().all(|call| call.id != id) {
                calls[at].id = id;
            }
            salt += 1;
        }
    }
}

#[cfg(test)]
mod tests;
