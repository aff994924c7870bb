//! A completion, whole and in lines. Calls have no place here and are left out.

use super::super::ollama_chat::escape::escaped;
use super::super::ollama_chat::render::{ending, opening, said, thought};
use super::super::pieces;
use crate::frames::Frames;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, Reply};

/// A reply as the body of one response.
pub(super) fn render(reply: &Reply, envelope: &Envelope) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    opening(&mut out, envelope);
    response(&mut out, said(reply), thought(reply, envelope));
    ended(&mut out, reply, envelope);
    escaped(out)
}

/// A reply as lines: thoughts, words, the end.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Frames {
    let line = |text: &str, thought: Option<&str>| {
        let mut out = Vec::with_capacity(160);
        opening(&mut out, envelope);
        response(&mut out, text, thought);
        out.extend_from_slice(b",\"done\":false}\n");
        escaped(out)
    };
    let thoughts = pieces(thought(reply, envelope).unwrap_or_default(), envelope.piece);
    let mut lines: Frames = thoughts.map(|piece| line("", Some(piece))).collect();
    lines.extend(pieces(said(reply), envelope.piece).map(|piece| line(piece, None)));
    let mut last = Vec::with_capacity(384);
    opening(&mut last, envelope);
    response(&mut last, "", None);
    ended(&mut last, reply, envelope);
    last.push(b'\n');
    lines.push(&last);
    lines
}

fn response(out: &mut Vec<u8>, text: &str, thought: Option<&str>) {
    out.extend_from_slice(b",\"response\":");
    write_string(out, text);
    if let Some(thought) = thought {
        out.extend_from_slice(b",\"thinking\":");
        write_string(out, thought);
    }
}

/// The end, and the context: the letters of the id as numbers.
fn ended(out: &mut Vec<u8>, reply: &Reply, envelope: &Envelope) {
    ending(out, reply);
    out.extend_from_slice(b",\"context\":[");
    for (i, letter) in envelope.id.bytes().enumerate() {
        out.extend_from_slice(if i == 0 { b"" } else { b"," });
        write_number(out, u64::from(letter));
    }
    out.extend_from_slice(b"]}");
}
