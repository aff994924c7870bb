//! A streamed message, event by event as the real API sends it, each with its `event:` line.
//!
//! `message_start`, then for each block `content_block_start`, its deltas and `content_block_stop`, with a `ping` behind
//! the first start; `message_delta` with the stop reason and the usage, `message_stop`.

use super::render::{Block, blocks, key, named, opening, stopped, usage};
use crate::dialect::{pieces, push_event};
use crate::frames::Frames;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, Reply};

const PING: &[u8] = b"event: ping\ndata: {\"type\":\"ping\"}\n\n";
const STOP: &[u8] = b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/// A reply as server-sent events.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Frames {
    let mut events = Frames::of_a_stream(0);
    event(&mut events, "message_start", |out| {
        key(out, "message");
        opening(out, envelope);
        out.extend_from_slice(b"],\"stop_reason\":null,\"stop_sequence\":null,\"stop_details\":null");
        key(out, "usage");
        usage(out, reply, reply.usage.completion.min(1));
        out.push(b'}');
    });
    let blocks = blocks(reply, envelope);
    if blocks.is_empty() {
        events.push(PING);
    }
    for (at, block) in blocks.iter().enumerate() {
        start(&mut events, at, block);
        if at == 0 {
            events.push(PING);
        }
        deltas(&mut events, at, block, envelope.piece);
        event(&mut events, "content_block_stop", |out| index(out, at));
    }
    event(&mut events, "message_delta", |out| {
        out.extend_from_slice(b",\"delta\":{");
        stopped(out, reply);
        out.extend_from_slice(b"},\"usage\":{\"input_tokens\":");
        write_number(out, reply.usage.prompt);
        out.extend_from_slice(
            b",\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":",
        );
        write_number(out, reply.usage.completion);
        out.push(b'}');
    });
    events.push(STOP);
    events
}

/// One event; `members` are those behind its type, with the comma before each.
fn event(events: &mut Frames, kind: &str, members: impl FnOnce(&mut Vec<u8>)) {
    events.write(|out| {
        push_event(out, kind);
        members(out);
        out.extend_from_slice(b"}\n\n");
    });
}

fn index(out: &mut Vec<u8>, at: usize) {
    key(out, "index");
    write_number(out, at as u64);
}

fn start(events: &mut Frames, at: usize, block: &Block<'_>) {
    event(events, "content_block_start", |out| {
        index(out, at);
        key(out, "content_block");
        match block {
            Block::Thinking(..) => {
                out.extend_from_slice(b"{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}");
            }
            Block::Text(_) => out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"\"}"),
            Block::Call(call) => {
                named(out, call);
                out.extend_from_slice(b"{}}");
            }
        }
    });
}

fn deltas(events: &mut Frames, at: usize, block: &Block<'_>, piece: usize) {
    match block {
        Block::Thinking(text, signature) => {
            delta(events, at, ("thinking_delta", "thinking"), pieces(text, piece));
            delta(events, at, ("signature_delta", "signature"), [signature.as_str()]);
        }
        Block::Text(text) => delta(events, at, ("text_delta", "text"), pieces(text, piece)),
        Block::Call(call) => {
            // The first piece of an input is always empty.
            let pieces = std::iter::once("").chain(pieces(&call.arguments, piece));
            delta(events, at, ("input_json_delta", "partial_json"), pieces);
        }
    }
}

/// Texts of one kind: most events of a stream, so what is the same in all is put together once.
fn delta<'t>(
    events: &mut Frames,
    at: usize,
    (kind, member): (&str, &str),
    texts: impl IntoIterator<Item = &'t str>,
) {
    let mut lead = Vec::with_capacity(160);
    push_event(&mut lead, "content_block_delta");
    index(&mut lead, at);
    lead.extend_from_slice(b",\"delta\":{\"type\":\"");
    lead.extend_from_slice(kind.as_bytes());
    lead.push(b'"');
    key(&mut lead, member);
    for text in texts {
        events.write(|out| {
            out.extend_from_slice(&lead);
            write_string(out, text);
            out.extend_from_slice(b"}}\n\n");
        });
    }
}
