//! A streamed message, event by event as the real API sends it, each with its `event:` line.
//!
//! `message_start`, then for each block `content_block_start`, its deltas and `content_block_stop`, with a `ping` behind
//! the first start; `message_delta` with the stop reason and the usage, `message_stop`.

use super::render::{Block, blocks, key, named, opening, stopped, usage};
use crate::dialect::pieces;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, Reply};

const PING: &[u8] = b"event: ping\ndata: {\"type\":\"ping\"}\n\n";
const STOP: &[u8] = b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/// A reply as server-sent events.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Vec<Vec<u8>> {
    let mut events = Vec::with_capacity(16);
    events.push(event("message_start", |out| {
        key(out, "message");
        opening(out, envelope);
        out.extend_from_slice(b"],\"stop_reason\":null,\"stop_sequence\":null,\"stop_details\":null");
        key(out, "usage");
        usage(out, reply, reply.usage.completion.min(1));
        out.push(b'}');
    }));
    let blocks = blocks(reply, envelope);
    if blocks.is_empty() {
        events.push(PING.to_vec());
    }
    for (at, block) in blocks.iter().enumerate() {
        events.push(start(at, block));
        if at == 0 {
            events.push(PING.to_vec());
        }
        deltas(&mut events, at, block, envelope.piece);
        events.push(event("content_block_stop", |out| index(out, at)));
    }
    events.push(event("message_delta", |out| {
        out.extend_from_slice(b",\"delta\":{");
        let mut delta = Vec::new();
        stopped(&mut delta, reply);
        out.extend_from_slice(delta.strip_prefix(b",").unwrap_or(&delta));
        out.push(b'}');
        out.extend_from_slice(b",\"usage\":{\"input_tokens\":");
        write_number(out, reply.usage.prompt);
        out.extend_from_slice(
            b",\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":",
        );
        write_number(out, reply.usage.completion);
        out.push(b'}');
    }));
    events.push(STOP.to_vec());
    events
}

/// One event; `members` are those behind its type, with the comma before each.
fn event(kind: &str, members: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\ndata: {\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.push(b'"');
    members(&mut out);
    out.extend_from_slice(b"}\n\n");
    out
}

fn index(out: &mut Vec<u8>, at: usize) {
    key(out, "index");
    write_number(out, at as u64);
}

fn start(at: usize, block: &Block<'_>) -> Vec<u8> {
    event("content_block_start", |out| {
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
    })
}

fn deltas(events: &mut Vec<Vec<u8>>, at: usize, block: &Block<'_>, piece: usize) {
    let mut add = |kind: &str, member: &str, text: &str| {
        events.push(event("content_block_delta", |out| {
            index(out, at);
            out.extend_from_slice(b",\"delta\":{\"type\":\"");
            out.extend_from_slice(kind.as_bytes());
            out.push(b'"');
            key(out, member);
            write_string(out, text);
            out.push(b'}');
        }));
    };
    match block {
        Block::Thinking(text, signature) => {
            pieces(text, piece).for_each(|text| add("thinking_delta", "thinking", text));
            add("signature_delta", "signature", signature);
        }
        Block::Text(text) => pieces(text, piece).for_each(|text| add("text_delta", "text", text)),
        Block::Call(call) => {
            // The first piece of an input is always empty.
            add("input_json_delta", "partial_json", "");
            pieces(&call.arguments, piece).for_each(|text| add("input_json_delta", "partial_json", text));
        }
    }
}
