//! A whole response: one JSON object that gives back most of what was asked.

use super::item::{Stage, given, items, key};
use crate::json::{Kind, parse, write_number, write_string, write_value};
use crate::reply::{Envelope, Progress, Reply};
use std::sync::LazyLock;

/// What a response gives back of its request, and what decides which parts it has.
pub(super) const ECHOES: &[&str] = &[
    "background",
    "conversation",
    "include",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

/// How far a response is, as its `status` says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It waits to be made.
    Queued,
    /// It is made.
    InProgress,
    /// It is whole.
    Completed,
    /// It was cut; the reason.
    Incomplete(&'static str),
    /// Somebody did not want it any more.
    Cancelled,
}

impl Status {
    /// How a reply ends.
    pub(super) fn of(reply: &Reply) -> Self {
        match reply.finish.as_deref() {
            Some("length") => Self::Incomplete("max_output_tokens"),
            Some("content_filter") => Self::Incomplete("content_filter"),
            Some(_) | None => Self::Completed,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete(_) => "incomplete",
            Self::Cancelled => "cancelled",
        }
    }

    /// The stage of the last item at the end.
    pub(super) fn last(self) -> Stage {
        match self {
            Self::Incomplete(_) => Stage::Cut,
            Self::Queued | Self::InProgress | Self::Completed | Self::Cancelled => Stage::Whole,
        }
    }

    fn is_over(self) -> bool {
        match self {
            Self::Completed | Self::Incomplete(_) => true,
            Self::Queued | Self::InProgress | Self::Cancelled => false,
        }
    }
}

/// A reply as the body of one response.
pub(super) fn render(reply: &Reply, envelope: &Envelope) -> Vec<u8> {
    let status = match envelope.progress {
        Progress::Whole => Status::of(reply),
        Progress::Queued => Status::Queued,
        Progress::Running => Status::InProgress,
        Progress::Cancelled => Status::Cancelled,
    };
    let mut out = Vec::with_capacity(room(envelope));
    response(&mut out, envelope, reply, status);
    out
}

/// What stands after the output where the request gave nothing of it, as most small ones do.
static UNASKED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut out = Vec::new();
    after(&mut out, &Envelope::plain(String::new(), 0, String::new()));
    out
});

/// What changes nothing between the output and the usage.
const ELSEWHERE: &[&str] = &[
    "background",
    "conversation",
    "include",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "user",
];

/// What stands after the output, as far as `usage`. A stream tells it three times, each written straight into its event: what is long
/// in it is copied once then, not twice.
fn after(out: &mut Vec<u8>, envelope: &Envelope) {
    for (name, default) in [
        ("parallel_tool_calls", "true"),
        ("previous_response_id", "null"),
        ("prompt_cache_key", "null"),
        ("prompt_cache_retention", "null"),
    ] {
        echo(out, envelope, name, default);
    }
    object(out, envelope, "reasoning", &[("effort", "null"), ("summary", "null")]);
    echo(out, envelope, "safety_identifier", "null");
    tier(out, envelope);
    echo(out, envelope, "store", "true");
    echo(out, envelope, "temperature", "1.0");
    object(out, envelope, "text", &[("format", "{\"type\":\"text\"}"), ("verbosity", "\"medium\"")]);
    for (name, default) in [
        ("tool_choice", "\"auto\""),
        ("tools", "[]"),
        ("top_logprobs", "0"),
        ("top_p", "1.0"),
        ("truncation", "\"disabled\""),
    ] {
        echo(out, envelope, name, default);
    }
}

/// What the request gave, or what stands there where it gave nothing.
fn echo(out: &mut Vec<u8>, envelope: &Envelope, name: &str, default: &str) {
    key(out, name);
    let given = given(envelope, name).filter(|text| *text != "null").unwrap_or(default);
    out.extend_from_slice(given.as_bytes());
}

/// An object whose members are always there, with those that the request gave.
fn object(out: &mut Vec<u8>, envelope: &Envelope, name: &str, members: &[(&str, &str)]) {
    key(out, name);
    let given = given(envelope, name).and_then(|text| parse(text.as_bytes()).ok());
    let given = given.as_ref().map(|tape| tape.root()).filter(|given| given.kind() == Kind::Object);
    for (at, (member, default)) in members.iter().enumerate() {
        out.push(if at == 0 { b'{' } else { b',' });
        write_string(out, member);
        out.push(b':');
        match given.and_then(|given| given.get(member)).filter(|value| !value.is_null()) {
            Some(value) => write_value(out, value),
            None => out.extend_from_slice(default.as_bytes()),
        }
    }
    out.push(b'}');
}

/// The tier that served it: never `auto`, which only asks for one, nor `fast`, which is another name.
fn tier(out: &mut Vec<u8>, envelope: &Envelope) {
    key(out, "service_tier");
    let tier = match given(envelope, "service_tier") {
        None | Some("null" | "\"auto\"") => "\"default\"",
        Some("\"fast\"") => "\"priority\"",
        Some(tier) => tier,
    };
    out.extend_from_slice(tier.as_bytes());
}

/// What stands before the output, from `instructions` on.
fn before(out: &mut Vec<u8>, envelope: &Envelope) {
    for name in ["instructions", "max_output_tokens", "max_tool_calls"] {
        echo(out, envelope, name, "null");
    }
    if let Some(named) = given(envelope, "conversation").filter(|text| *text != "null") {
        key(out, "conversation");
        let (open, close) = if named.starts_with('"') { ("{\"id\":", "}") } else { ("", "") };
        out.extend_from_slice(format!("{open}{named}{close}").as_bytes());
    }
    key(out, "model");
    out.extend_from_slice(envelope.model.as_bytes());
}

/// Bytes that one response and the head before it take, unless its items are long.
pub(super) fn room(envelope: &Envelope) -> usize {
    1536 + envelope.echoed.iter().map(|(_, text)| text.len()).sum::<usize>()
}

/// Writes the response at this status; its output and usage only where it is over.
pub(super) fn response(out: &mut Vec<u8>, envelope: &Envelope, reply: &Reply, status: Status) {
    let Envelope { id, created, .. } = envelope;
    out.extend_from_slice(b"{\"id\":");
    write_string(out, id);
    out.extend_from_slice(b",\"object\":\"response\"");
    number(out, "created_at", *created);
    super::item::member(out, "status", status.word());
    echo(out, envelope, "background", "false");
    if status.is_over() {
        number(out, "completed_at", *created);
    } else {
        out.extend_from_slice(b",\"completed_at\":null");
    }
    out.extend_from_slice(b",\"error\":null,\"incomplete_details\":");
    match status {
        Status::Incomplete(reason) => {
            out.extend_from_slice(b"{\"reason\":");
            write_string(out, reason);
            out.push(b'}');
        }
        Status::Queued | Status::InProgress | Status::Completed | Status::Cancelled => {
            out.extend_from_slice(b"null");
        }
    }
    before(out, envelope);
    out.extend_from_slice(b",\"output\":[");
    if status.is_over() {
        let items = items(reply, envelope);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            item.write(out, if at + 1 == items.len() { status.last() } else { Stage::Whole });
        }
    }
    out.push(b']');
    if envelope.echoed.iter().all(|(name, _)| ELSEWHERE.contains(name)) {
        out.extend_from_slice(&UNASKED);
    } else {
        after(out, envelope);
    }
    key(out, "usage");
    if status.is_over() {
        usage(out, reply.usage.prompt, reply.usage.completion);
    } else {
        out.extend_from_slice(b"null");
    }
    echo(out, envelope, "user", "null");
    echo(out, envelope, "metadata", "{}");
    out.push(b'}');
}

/// The tokens that were read and written.
pub(super) fn usage(out: &mut Vec<u8>, input: u64, output: u64) {
    out.extend_from_slice(b"{\"input_tokens\":");
    write_number(out, input);
    out.extend_from_slice(
        b",\"input_tokens_details\":{\"cached_tokens\":0,\"cache_write_tokens\":0},\"output_tokens\":",
    );
    write_number(out, output);
    out.extend_from_slice(b",\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":");
    write_number(out, input.saturating_add(output));
    out.push(b'}');
}

/// A further member, whose value is a number.
pub(super) fn number(out: &mut Vec<u8>, name: &str, number: u64) {
    key(out, name);
    write_number(out, number);
}

#[cfg(test)]
mod tests {
    use super::{ECHOES, ELSEWHERE, Envelope, UNASKED, after};

    #[test]
    fn whatever_changes_what_stands_after_the_output_is_no_unasked_one() {
        let value = r#"{"format":1,"verbosity":1,"effort":1,"summary":1}"#;
        for name in ECHOES {
            let plain = Envelope::plain(String::new(), 0, String::new());
            let asked = Envelope { echoed: vec![(name, value.to_owned())], ..plain };
            let mut out = Vec::new();
            after(&mut out, &asked);
            assert_eq!(out == *UNASKED, ELSEWHERE.contains(name), "{name}");
        }
    }
}
