//! A streamed completion, chunk by chunk as the real API sends it: compact JSON, one event a chunk.
//!
//! Role, content pieces, refusal pieces, tool calls (id and name first, then argument pieces, `index` always),
//! finish, usage with empty `choices` where it was asked for, `[DONE]`.

use super::logprobs;
use super::render::{FINGERPRINT, finish, legacy_call};
use crate::dialect::{pieces, push_line};
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, IssuedCall, Reply};

/// The event after which nothing follows.
const DONE: &[u8] = b"data: [DONE]\n\n";

/// A reply as server-sent events.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Vec<Vec<u8>> {
    let mut chunks = Chunks::new(envelope);
    chunks.each_choice(|out| {
        out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
        // A null content stays null when a client joins the deltas; an empty one says that text follows.
        out.extend_from_slice(if reply.text.is_some() { b"\"\"" } else { b"null" });
        out.extend_from_slice(b",\"refusal\":null}");
    });
    for (member, text) in [("content", &reply.text), ("refusal", &reply.refusal)] {
        for piece in pieces(text.as_deref().unwrap_or_default(), envelope.piece) {
            chunks.piece(member, piece);
        }
    }
    match legacy_call(reply, envelope) {
        Some(call) => chunks.legacy(call),
        None => reply.calls.iter().enumerate().for_each(|(at, call)| chunks.call(at, call)),
    }
    chunks.finish(finish(reply, envelope));
    if envelope.include_usage {
        chunks.usage(reply);
    }
    chunks.events.push(DONE.to_vec());
    chunks.events
}

/// The events so far and what stands around each choice.
struct Chunks<'e> {
    envelope: &'e Envelope,
    /// From `data: ` to the bracket of `choices`.
    before: Vec<u8>,
    /// From the bracket to the blank line.
    after: &'static [u8],
    events: Vec<Vec<u8>>,
}

impl<'e> Chunks<'e> {
    fn new(envelope: &'e Envelope) -> Self {
        let mut before = Vec::with_capacity(192);
        before.extend_from_slice(b"data: {\"id\":");
        write_string(&mut before, &envelope.id);
        before.extend_from_slice(b",\"object\":\"chat.completion.chunk\",\"created\":");
        write_number(&mut before, envelope.created);
        before.extend_from_slice(b",\"model\":");
        push_line(&mut before, &envelope.model);
        before.extend_from_slice(b",\"system_fingerprint\":");
        write_string(&mut before, FINGERPRINT);
        before.extend_from_slice(b",\"choices\":[");
        let after: &[u8] = if envelope.include_usage { b"],\"usage\":null}\n\n" } else { b"]}\n\n" };
        Self { envelope, before, after, events: Vec::with_capacity(16) }
    }

    /// One event for each choice, with this delta.
    fn each_choice(&mut self, delta: impl Fn(&mut Vec<u8>)) {
        self.event(delta, |out| out.extend_from_slice(b"null"), None);
    }

    fn event(&mut self, delta: impl Fn(&mut Vec<u8>), logprobs: impl Fn(&mut Vec<u8>), finish: Option<&str>) {
        for index in 0..self.envelope.choices.max(1) {
            let mut out = Vec::with_capacity(self.before.len() + self.after.len() + 128);
            out.extend_from_slice(&self.before);
            out.extend_from_slice(b"{\"index\":");
            write_number(&mut out, u64::from(index));
            out.extend_from_slice(b",\"delta\":");
            delta(&mut out);
            out.extend_from_slice(b",\"logprobs\":");
            logprobs(&mut out);
            out.extend_from_slice(b",\"finish_reason\":");
            match finish {
                Some(reason) => write_string(&mut out, reason),
                None => out.extend_from_slice(b"null"),
            }
            out.push(b'}');
            out.extend_from_slice(self.after);
            self.events.push(out);
        }
    }

    fn piece(&mut self, member: &str, piece: &str) {
        let wanted = self.envelope.logprobs;
        self.event(
            |out| {
                out.push(b'{');
                write_string(out, member);
                out.push(b':');
                write_string(out, piece);
                out.push(b'}');
            },
            |out| {
                if wanted {
                    logprobs::of_piece(out, member, piece);
                } else {
                    out.extend_from_slice(b"null");
                }
            },
            None,
        );
    }

    fn call(&mut self, at: usize, call: &IssuedCall) {
        let at = at as u64;
        self.each_choice(|out| {
            out.extend_from_slice(b"{\"tool_calls\":[{\"index\":");
            write_number(out, at);
            out.extend_from_slice(b",\"id\":");
            write_string(out, &call.id);
            out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
            write_string(out, &call.name);
            out.extend_from_slice(b",\"arguments\":\"\"}}]}");
        });
        for piece in pieces(&call.arguments, self.envelope.piece) {
            self.each_choice(|out| {
                out.extend_from_slice(b"{\"tool_calls\":[{\"index\":");
                write_number(out, at);
                out.extend_from_slice(b",\"function\":{\"arguments\":");
                write_string(out, piece);
                out.extend_from_slice(b"}}]}");
            });
        }
    }

    fn legacy(&mut self, call: &IssuedCall) {
        self.each_choice(|out| {
            out.extend_from_slice(b"{\"function_call\":{\"name\":");
            write_string(out, &call.name);
            out.extend_from_slice(b",\"arguments\":\"\"}}");
        });
        for piece in pieces(&call.arguments, self.envelope.piece) {
            self.each_choice(|out| {
                out.extend_from_slice(b"{\"function_call\":{\"arguments\":");
                write_string(out, piece);
                out.extend_from_slice(b"}}");
            });
        }
    }

    fn finish(&mut self, reason: &str) {
        self.event(|out| out.extend_from_slice(b"{}"), |out| out.extend_from_slice(b"null"), Some(reason));
    }

    fn usage(&mut self, reply: &Reply) {
        let mut out = self.before.clone();
        out.extend_from_slice(b"],\"usage\":{\"prompt_tokens\":");
        write_number(&mut out, reply.usage.prompt);
        out.extend_from_slice(b",\"completion_tokens\":");
        write_number(&mut out, reply.usage.completion);
        out.extend_from_slice(b",\"total_tokens\":");
        write_number(&mut out, reply.usage.prompt.saturating_add(reply.usage.completion));
        out.extend_from_slice(b"}}\n\n");
        self.events.push(out);
    }
}
