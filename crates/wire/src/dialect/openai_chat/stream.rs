//! A streamed completion, chunk by chunk as the real API sends it: compact JSON, one event a chunk.
//!
//! Role, content pieces, refusal pieces, tool calls (id and name first, then argument pieces, `index` always),
//! finish, usage with empty `choices` where it was asked for, `[DONE]`.

use super::logprobs;
use super::render::{FINGERPRINT, finish, legacy_call};
use crate::dialect::{pieces, push_line};
use crate::frames::Frames;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, IssuedCall, Reply};

/// The event after which nothing follows.
const DONE: &[u8] = b"data: [DONE]\n\n";

/// A reply as server-sent events.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Frames {
    let mut chunks = Chunks::new(envelope);
    chunks.each_choice(|out| {
        out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
        // A null content stays null when a client joins the deltas; an empty one says that text follows.
        out.extend_from_slice(if reply.text.is_some() { b"\"\"" } else { b"null" });
        out.extend_from_slice(b",\"refusal\":null}");
    });
    for (member, text) in [("content", &reply.text), ("refusal", &reply.refusal)] {
        if let Some(text) = text {
            chunks.pieces(member, text);
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
    chunks.frames.push(DONE);
    chunks.frames
}

/// The events so far and what stands around each choice.
struct Chunks<'e> {
    envelope: &'e Envelope,
    /// From `data: ` to the bracket of `choices`.
    before: Vec<u8>,
    /// From the bracket to the blank line.
    after: &'static [u8],
    frames: Frames,
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
        Self { envelope, before, after, frames: Frames::of_a_stream(0) }
    }

    /// One event for each choice, with this delta.
    fn each_choice(&mut self, delta: impl Fn(&mut Vec<u8>)) {
        self.event(delta, None);
    }

    fn event(&mut self, delta: impl Fn(&mut Vec<u8>), finish: Option<&str>) {
        for index in 0..self.envelope.choices.max(1) {
            self.frames.write(|out| {
                lead(out, &self.before, index);
                delta(out);
                out.extend_from_slice(b",\"logprobs\":null,\"finish_reason\":");
                match finish {
                    Some(reason) => write_string(out, reason),
                    None => out.extend_from_slice(b"null"),
                }
                out.push(b'}');
                out.extend_from_slice(self.after);
            });
        }
    }

    /// The pieces of a text: most events of a stream, so what is the same in all is put together once.
    fn pieces(&mut self, member: &str, text: &str) {
        let leads: Vec<Vec<u8>> = (0..self.envelope.choices.max(1))
            .map(|index| {
                let mut out = Vec::with_capacity(self.before.len() + 48);
                lead(&mut out, &self.before, index);
                out.push(b'{');
                write_string(&mut out, member);
                out.push(b':');
                out
            })
            .collect();
        for piece in pieces(text, self.envelope.piece) {
            for lead in &leads {
                self.frames.write(|out| {
                    out.extend_from_slice(lead);
                    write_string(out, piece);
                    if self.envelope.logprobs {
                        out.extend_from_slice(b"},\"logprobs\":");
                        logprobs::of_piece(out, member, piece);
                        out.extend_from_slice(b",\"finish_reason\":null}");
                    } else {
                        out.extend_from_slice(b"},\"logprobs\":null,\"finish_reason\":null}");
                    }
                    out.extend_from_slice(self.after);
                });
            }
        }
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
        self.event(|out| out.extend_from_slice(b"{}"), Some(reason));
    }

    fn usage(&mut self, reply: &Reply) {
        self.frames.write(|out| {
            out.extend_from_slice(&self.before);
            out.extend_from_slice(b"],\"usage\":{\"prompt_tokens\":");
            write_number(out, reply.usage.prompt);
            out.extend_from_slice(b",\"completion_tokens\":");
            write_number(out, reply.usage.completion);
            out.extend_from_slice(b",\"total_tokens\":");
            write_number(out, reply.usage.prompt.saturating_add(reply.usage.completion));
            out.extend_from_slice(b"}}\n\n");
        });
    }
}

/// What stands before the delta of a choice.
fn lead(out: &mut Vec<u8>, before: &[u8], index: u32) {
    out.extend_from_slice(before);
    out.extend_from_slice(b"{\"index\":");
    write_number(out, u64::from(index));
    out.extend_from_slice(b",\"delta\":");
}
