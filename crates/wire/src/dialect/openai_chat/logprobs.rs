//! Log probabilities: made up, plausible, and the same for the same words. A token is a piece of the stream.

use crate::dialect::pieces;
use crate::dialect::vectors::mark;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, Reply};

/// The `logprobs` of a whole choice; null where none were asked for.
pub(super) fn whole(out: &mut Vec<u8>, reply: &Reply, envelope: &Envelope) {
    if !envelope.logprobs {
        out.extend_from_slice(b"null");
        return;
    }
    for (name, text) in [("{\"content\": ", &reply.text), (", \"refusal\": ", &reply.refusal)] {
        out.extend_from_slice(name.as_bytes());
        match text {
            Some(text) => tokens(out, pieces(text, envelope.piece), ", ", ": "),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
}

/// The `logprobs` of one streamed piece, compact. `member` is the part of the delta that the piece belongs to.
pub(super) fn of_piece(out: &mut Vec<u8>, member: &str, piece: &str) {
    let other = if member == "content" { "refusal" } else { "content" };
    out.push(b'{');
    write_string(out, member);
    out.push(b':');
    tokens(out, std::iter::once(piece), ",", ":");
    out.push(b',');
    write_string(out, other);
    out.extend_from_slice(b":null}");
}

fn tokens<'p>(out: &mut Vec<u8>, tokens: impl Iterator<Item = &'p str>, comma: &str, colon: &str) {
    out.push(b'[');
    for (i, token) in tokens.enumerate() {
        if i > 0 {
            out.extend_from_slice(comma.as_bytes());
        }
        out.push(b'{');
        name(out, "token", colon);
        write_string(out, token);
        out.extend_from_slice(comma.as_bytes());
        name(out, "logprob", colon);
        // A millionth of a nat is the finest grain; most tokens of a fluent answer lie between 0 and -2.
        let millionths = mark(token.bytes()) % 2_000_000;
        out.extend_from_slice(
            format!("-{}.{:06}", millionths / 1_000_000, millionths % 1_000_000).as_bytes(),
        );
        out.extend_from_slice(comma.as_bytes());
        name(out, "bytes", colon);
        out.push(b'[');
        for (i, byte) in token.bytes().enumerate() {
            if i > 0 {
                out.extend_from_slice(comma.as_bytes());
            }
            write_number(out, u64::from(byte));
        }
        out.push(b']');
        out.extend_from_slice(comma.as_bytes());
        name(out, "top_logprobs", colon);
        out.extend_from_slice(b"[]}");
    }
    out.push(b']');
}

fn name(out: &mut Vec<u8>, name: &str, colon: &str) {
    write_string(out, name);
    out.extend_from_slice(colon.as_bytes());
}
