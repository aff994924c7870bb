//! A streamed response: typed events with a sequence number each, in the order in which the API sends them.
//!
//! `response.created`, `response.in_progress`; for each item `output_item.added`, its parts piece by piece, `output_item.done`;
//! last `response.completed`, or `response.incomplete`. Nothing follows.

use super::item::{Item, Of, Part, Stage, items, key, member, summary_part};
use super::render::{self, Status, number};
use crate::dialect::{pieces, push_event};
use crate::frames::Frames;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, Reply};

/// A reply as server-sent events.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Frames {
    let mut events = Events { envelope, frames: Frames::of_a_stream(3 * render::room(envelope)) };
    let status = Status::of(reply);
    events.begun(reply);
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
    events.frames
}

/// The events so far.
struct Events<'e> {
    envelope: &'e Envelope,
    frames: Frames,
}

impl Events<'_> {
    /// One event with its number, and what else it says.
    fn push(&mut self, kind: &str, rest: impl FnOnce(&mut Vec<u8>)) {
        let number = self.frames.len() as u64;
        self.frames.write(|out| {
            opened(out, kind);
            write_number(out, number);
            rest(out);
            out.extend_from_slice(b"}\n\n");
        });
    }

    /// One event for each piece of a text: most events of a stream, so what is the same in all is put together once.
    fn deltas(&mut self, kind: &str, text: &str, place: impl FnOnce(&mut Vec<u8>), after: &[u8]) {
        let mut lead = Vec::with_capacity(128);
        opened(&mut lead, kind);
        let numbered = lead.len();
        place(&mut lead);
        key(&mut lead, "delta");
        for piece in pieces(text, self.envelope.piece) {
            let number = self.frames.len() as u64;
            self.frames.write(|out| {
                out.extend_from_slice(&lead[..numbered]);
                write_number(out, number);
                out.extend_from_slice(&lead[numbered..]);
                write_string(out, piece);
                out.extend_from_slice(after);
                out.extend_from_slice(b"}\n\n");
            });
        }
    }

    /// The two events before the items: the same response in both.
    fn begun(&mut self, reply: &Reply) {
        let mut response = Vec::with_capacity(render::room(self.envelope));
        on_one_line(&mut response, self.envelope, reply, Status::InProgress);
        for kind in ["response.created", "response.in_progress"] {
            self.push(kind, |out| out.extend_from_slice(&response));
        }
    }

    fn response(&mut self, kind: &str, reply: &Reply, status: Status) {
        let envelope = self.envelope;
        self.push(kind, |out| on_one_line(out, envelope, reply, status));
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
        self.deltas("response.reasoning_summary_text.delta", summary, place, b"");
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
        let logprobs: &[u8] = match part {
            Part::Text(_) => b",\"logprobs\":[]",
            Part::Refusal(_) => b"",
        };
        let frame = |events: &mut Self, kind: &str, whole: bool| {
            events.push(kind, |out| {
                place(out);
                key(out, "part");
                part.write(out, whole);
            });
        };
        frame(self, "response.content_part.added", false);
        self.deltas(delta, words, place, logprobs);
        self.push(done, |out| {
            place(out);
            member(out, whole, words);
            out.extend_from_slice(logprobs);
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
        self.deltas(delta, input, place, b"");
        self.push(done, |out| {
            place(out);
            member(out, whole, input);
            if matches!(of, Of::Function(_)) {
                member(out, "name", name);
            }
        });
    }
}

/// An event to its number.
fn opened(out: &mut Vec<u8>, kind: &str) {
    push_event(out, kind);
    key(out, "sequence_number");
}

/// The member that holds the response. What the request gave may be written over several lines, which would end the event.
fn on_one_line(out: &mut Vec<u8>, envelope: &Envelope, reply: &Reply, status: Status) {
    key(out, "response");
    let mut begin = out.len();
    render::response(out, envelope, reply, status);
    while let Some(at) = memchr::memchr2(b'\n', b'\r', &out[begin..]) {
        begin += at;
        out[begin] = b' ';
    }
}
