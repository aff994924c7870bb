//! A chat answer, whole and in lines: the last line, and a whole answer, say why it ends and what it took.

use super::super::{object_text, pieces, push_line};
use super::escape::escaped;
use crate::calendar::Moment;
use crate::frames::Frames;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, IssuedCall, Reply};

/// The key of a request that says whether thoughts are wanted.
pub(in crate::dialect) const THINK: &str = "think";

/// A reply as the body of one response.
pub(super) fn render(reply: &Reply, envelope: &Envelope) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    opening(&mut out, envelope);
    message(&mut out, said(reply), thought(reply, envelope), &reply.calls, 0);
    ending(&mut out, reply);
    out.push(b'}');
    escaped(out)
}

/// A reply as lines: thoughts, words, calls, the end.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Frames {
    let line = |text: &str, thought: Option<&str>, calls: &[IssuedCall], first: usize| {
        let mut out = Vec::with_capacity(192);
        opening(&mut out, envelope);
        message(&mut out, text, thought, calls, first);
        out.extend_from_slice(b",\"done\":false}\n");
        escaped(out)
    };
    let thoughts = pieces(thought(reply, envelope).unwrap_or_default(), envelope.piece);
    let mut lines: Frames = thoughts.map(|piece| line("", Some(piece), &[], 0)).collect();
    lines.extend(pieces(said(reply), envelope.piece).map(|piece| line(piece, None, &[], 0)));
    lines.extend(
        reply.calls.iter().enumerate().map(|(at, call)| line("", None, std::slice::from_ref(call), at)),
    );
    let mut last = Vec::with_capacity(384);
    opening(&mut last, envelope);
    message(&mut last, "", None, &[], 0);
    ending(&mut last, reply);
    last.extend_from_slice(b"}\n");
    lines.push(&last);
    lines
}

/// From the brace to the time.
pub(in crate::dialect) fn opening(out: &mut Vec<u8>, envelope: &Envelope) {
    out.extend_from_slice(b"{\"model\":");
    push_line(out, &envelope.model);
    out.extend_from_slice(b",\"created_at\":");
    write_string(out, &Moment::of(envelope.created).rfc3339());
}

fn message(out: &mut Vec<u8>, text: &str, thought: Option<&str>, calls: &[IssuedCall], first: usize) {
    out.extend_from_slice(b",\"message\":{\"role\":\"assistant\",\"content\":");
    write_string(out, text);
    if let Some(thought) = thought {
        out.extend_from_slice(b",\"thinking\":");
        write_string(out, thought);
    }
    for (at, call) in calls.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b",\"tool_calls\":[{\"id\":" } else { b",{\"id\":" });
        write_string(out, &call.id);
        out.extend_from_slice(b",\"function\":{\"index\":");
        write_number(out, (first + at) as u64);
        out.extend_from_slice(b",\"name\":");
        write_string(out, &call.name);
        out.extend_from_slice(b",\"arguments\":");
        push_line(out, object_text(&call.arguments));
        out.extend_from_slice(b"}}");
    }
    out.extend_from_slice(if calls.is_empty() { b"}" } else { b"]}" });
}

/// Why the answer ends and what it took. Times are in nanoseconds: a millisecond for a token that is read, ten for one that is
/// written.
pub(in crate::dialect) fn ending(out: &mut Vec<u8>, reply: &Reply) {
    const MILLISECOND: u64 = 1_000_000;
    out.extend_from_slice(b",\"done\":true,\"done_reason\":");
    write_string(out, if reply.finish.as_deref() == Some("length") { "length" } else { "stop" });
    let (read, written) = (reply.usage.prompt, reply.usage.completion);
    let (reading, writing) = (read.saturating_mul(MILLISECOND), written.saturating_mul(10 * MILLISECOND));
    for (name, number) in [
        ("total_duration", reading.saturating_add(writing).saturating_add(MILLISECOND)),
        ("load_duration", MILLISECOND),
        ("prompt_eval_count", read),
        ("prompt_eval_duration", reading),
        ("eval_count", written),
        ("eval_duration", writing),
    ] {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        // What clients hold times in is signed.
        write_number(out, number.min(i64::MAX as u64));
    }
}

/// The words; a refusal has no place of its own here.
pub(in crate::dialect) fn said(reply: &Reply) -> &str {
    reply.text.as_deref().or(reply.refusal.as_deref()).unwrap_or_default()
}

/// The thoughts, unless the request wants none.
pub(in crate::dialect) fn thought<'r>(reply: &'r Reply, envelope: &Envelope) -> Option<&'r str> {
    let unwanted = envelope.echoed.iter().any(|(key, value)| *key == THINK && value == "false");
    reply.thinking.as_deref().filter(|_| !unwanted)
}
