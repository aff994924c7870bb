//! A streamed reply: each piece of text is a whole response of its own, all calls of a reply come in one, the last one says
//! how it ended. Server-sent events end with CRLF, as the real API writes them; no word follows the last.

use super::super::pieces;
use super::render::{Part, chunk, parts};
use crate::frames::Frames;
use crate::reply::{Envelope, Framing, Reply};

/// A reply as the frames of a stream.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Frames {
    let groups = groups(reply, envelope);
    let last = groups.len() - 1;
    let mut frames = Frames::with_capacity(groups.len(), 320 * groups.len());
    let frame = |out: &mut Vec<u8>, at: usize, parts: &[Part<'_>]| {
        out.extend_from_slice(match (envelope.framing, at) {
            (Framing::Events, _) => b"data: ",
            (Framing::Array, 0) => b"[",
            (Framing::Array, _) => b",\r\n",
        });
        chunk(out, parts, (at == last).then_some(reply), (reply, envelope));
        out.extend_from_slice(match envelope.framing {
            Framing::Events => b"\r\n\r\n",
            Framing::Array if at == last => b"]",
            Framing::Array => b"",
        });
    };
    for (at, parts) in groups.iter().enumerate() {
        frames.write(|out| frame(out, at, parts));
    }
    frames
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
