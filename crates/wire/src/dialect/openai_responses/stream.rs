//! A streamed response: typed events with a sequence number each, in the order in which the API sends them.
//!
//! `response.created`, `response.in_progress`; for each item `output_item.added`, its parts piece by piece, `output_item.done`;
//! last `response.completed`, or `response.incomplete`. Nothing follows.

use super::item::{Item, Of, Part, Stage, items, key, member, summary_part};
use super::render::{self, Status, number};
use crate::dialect::pieces;
use crate::json::write_string;
use crate::reply::{Envelope, Reply};

/// A reply as server-sent events.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Vec<Vec<u8>> {
    let mut events = Events { envelope, events: Vec::with_capacity(16) };
    let status = Status::of(reply);
    for (kind, status) in
        [("response.created", Status::InProgress), ("response.in_progress", Status::InProgress)]
    {
        events.response(kind, reply, status);
    }
    let items = items(reply, envelope);
    for (at, item) in items.iter().enumerate() {
        let end = if at + 1 == items.len() { status.last() } else { Stage::Whole };
        events.item(at as u64, item, end);
    }
    let end = match status {
        Status::Incomplete(_) => "response.incomplete",
        Status::Queued | Status::InProgress | Status::Completed | Status::Cancelled => "response.completed",
    };
    events.response(end, reply, status);
    events.events
}

/// The events so far.
struct Events<'e> {
    envelope: &'e Envelope,
    events: Vec<Vec<u8>>,
}

impl Events<'_> {
    /// One event with its number, and what else it says.
    fn push(&mut self, kind: &str, rest: impl FnOnce(&mut Vec<u8>)) {
        self.push_sized(256, kind, rest);
    }

    /// The same with room for so many bytes.
    fn push_sized(&mut self, room: usize, kind: &str, rest: impl FnOnce(&mut Vec<u8>)) {
        let mut out = Vec::with_capacity(room);
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\ndata: {\"type\":");
        let mut begin = out.len();
        write_string(&mut out, kind);
        number(&mut out, "sequence_number", self.events.len() as u64);
        rest(&mut out);
        // What the request gave may be written over several lines, which would end the event.
        while let Some(at) = memchr::memchr2(b'\n', b'\r', &out[begin..]) {
            begin += at;
            out[begin] = b' ';
        }
        out.extend_from_slice(b"}\n\n");
        self.events.push(out);
    }

    fn response(&mut self, kind: &str, reply: &Reply, status: Status) {
        let envelope = self.envelope;
        self.push_sized(render::room(envelope), kind, |out| {
            key(out, "response");
            render::response(out, envelope, reply, status);
        });
    }

    fn item(&mut self, at: u64, item: &Item<'_>, end: Stage) {
        for (kind, stage) in
            [("response.output_item.added", Stage::Begun), ("response.output_item.done", end)]
        {
            if stage != Stage::Begun {
                self.inside(at, item);
            }
            self.push(kind, |out| {
                number(out, "output_index", at);
                key(out, "item");
                item.write(out, stage);
            });
        }
    }

    /// What comes between the beginning and the end of an item.
    fn inside(&mut self, at: u64, item: &Item<'_>) {
        match item {
            Item::Reasoning { summary: None, .. } => {}
            Item::Reasoning { id, summary: Some(summary), .. } => self.summary(at, id, summary),
            Item::Message { id, text, refusal } => {
                for (index, part) in Part::of(*text, *refusal).enumerate() {
                    self.part(at, id, index as u64, part);
                }
            }
            Item::Call { id, name, input, of, .. } => self.call(at, id, name, input, of),
        }
    }

    fn summary(&mut self, at: u64, id: &str, summary: &str) {
        let place = |out: &mut Vec<u8>| {
            member(out, "item_id", id);
            number(out, "output_index", at);
            number(out, "summary_index", 0);
        };
        let part = |events: &mut Self, kind: &str, text: &str| {
            events.push(kind, |out| {
                place(out);
                key(out, "part");
                summary_part(out, text);
            });
        };
        part(self, "response.reasoning_summary_part.added", "");
        for piece in pieces(summary, self.envelope.piece) {
            self.push("response.reasoning_summary_text.delta", |out| {
                place(out);
                member(out, "delta", piece);
            });
        }
        self.push("response.reasoning_summary_text.done", |out| {
            place(out);
            member(out, "text", summary);
        });
        part(self, "response.reasoning_summary_part.done", summary);
    }

    fn part(&mut self, at: u64, id: &str, index: u64, part: Part<'_>) {
        let place = |out: &mut Vec<u8>| {
            member(out, "item_id", id);
            number(out, "output_index", at);
            number(out, "content_index", index);
        };
        let (words, delta, done, whole) = match part {
            Part::Text(text) => (text, "response.output_text.delta", "response.output_text.done", "text"),
            Part::Refusal(text) => (text, "response.refusal.delta", "response.refusal.done", "refusal"),
        };
        let logprobs = |out: &mut Vec<u8>| {
            if matches!(part, Part::Text(_)) {
                out.extend_from_slice(b",\"logprobs\":[]");
            }
        };
        let frame = |events: &mut Self, kind: &str, whole: bool| {
            events.push(kind, |out| {
                place(out);
                key(out, "part");
                part.write(out, whole);
            });
        };
        frame(self, "response.content_part.added", false);
        for piece in pieces(words, self.envelope.piece) {
            self.push(delta, |out| {
                place(out);
                member(out, "delta", piece);
                logprobs(out);
            });
        }
        self.push(done, |out| {
            place(out);
            member(out, whole, words);
            logprobs(out);
        });
        frame(self, "response.content_part.done", true);
    }

    fn call(&mut self, at: u64, id: &str, name: &str, input: &str, of: &Of) {
        let place = |out: &mut Vec<u8>| {
            member(out, "item_id", id);
            number(out, "output_index", at);
        };
        let (delta, done, whole) = match of {
            Of::Function(_) => (
                "response.function_call_arguments.delta",
                "response.function_call_arguments.done",
                "arguments",
            ),
            Of::Custom => {
                ("response.custom_tool_call_input.delta", "response.custom_tool_call_input.done", "input")
            }
        };
        for piece in pieces(input, self.envelope.piece) {
            self.push(delta, |out| {
                place(out);
                member(out, "delta", piece);
            });
        }
        self.push(done, |out| {
            place(out);
            member(out, whole, input);
            if matches!(of, Of::Function(_)) {
                member(out, "name", name);
            }
        });
    }
}
