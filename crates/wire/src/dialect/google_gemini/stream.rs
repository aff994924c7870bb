//! A streamed reply: each piece of text is a whole response of its own, all calls of a reply come in one, the last one says
//! how it ended. Server-sent events end with CRLF, as the real API writes them; no word follows the last.

use super::super::pieces;
use super::render::{Part, chunk, parts};
use crate::reply::{Envelope, Framing, Reply};

/// A reply as the frames of a stream.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Vec<Vec<u8>> {
    let groups = groups(reply, envelope);
    let last = groups.len() - 1;
    let frame = |(at, parts): (usize, &Vec<Part<'_>>)| {
        let mut out = Vec::with_capacity(320);
        out.extend_from_slice(match (envelope.framing, at) {
            (Framing::Events, _) => b"data: ",
            (Framing::Array, 0) => b"[",
            (Framing::Array, _) => b",\r\n",
        });
        chunk(&mut out, parts, (at == last).then_some(reply), (reply, envelope));
        out.extend_from_slice(match envelope.framing {
            Framing::Events => b"\r\n\r\n",
            Framing::Array if at == last => b"]",
            Framing::Array => b"",
        });
        out
    };
    groups.iter().enumerate().map(frame).collect()
}

/// The parts of each response of the stream; one at least.
fn groups<'r>(reply: &'r Reply, envelope: &Envelope) -> Vec<Vec<Part<'r>>> {
    let mut groups = Vec::new();
    let mut calls = Vec::new();
    for part in parts(reply, envelope) {
        match part {
            Part::Thought(text) => {
                groups.extend(pieces(text, envelope.piece).map(|text| vec![Part::Thought(text)]))
            }
            Part::Text(text, seal) => {
                groups.extend(pieces(text, envelope.piece).map(|text| vec![Part::Text(text, None)]));
                // A signature comes last, with no words of its own.
                if text.is_empty() || seal.is_some() {
                    groups.push(vec![Part::Text("", seal)]);
                }
            }
            Part::Call(..) => calls.push(part),
        }
    }
    if !calls.is_empty() || groups.is_empty() {
        groups.push(calls);
    }
    groups
}
