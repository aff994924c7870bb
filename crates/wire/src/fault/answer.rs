//! An answer on its way to the wire: what faults change bit by bit, until it is acts on a socket.
//!
//! Whole body or stream, it is a list of events; then a flow of pieces with waits before them; then a plan.

use super::chunked;
use crate::act::{Act, After, Plan};
use crate::dialect::Dialect;
use crate::head::ResponseHead;
use crate::reply::{Envelope, Reply};
use std::borrow::Cow;
use std::time::Duration;

/// Status, headers and documents, before they are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status and headers without type and length of the body.
    pub head: ResponseHead,
    /// The type of the body.
    pub content_type: Cow<'static, str>,
    /// Whether the body leaves in chunks of the transfer coding, as streams do.
    pub chunked: bool,
    /// The documents: the events of a stream, or the one body.
    pub events: Vec<Event>,
}

/// One document with the lines around it: `event: name\ndata: ` before, a blank line after, in a stream; nothing around a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What stands before the document.
    pub before: String,
    /// The document: JSON, or a word such as `[DONE]`.
    pub data: String,
    /// What stands after it.
    pub after: String,
}

impl Event {
    /// A frame of a stream in its parts: what stands behind the last `data: `, or the JSON from brace to brace.
    #[must_use]
    pub fn read(frame: &[u8]) -> Self {
        let frame = String::from_utf8_lossy(frame).into_owned();
        let line =
            frame.rfind("\ndata: ").map(|at| at + 1).or_else(|| frame.starts_with("data: ").then_some(0));
        let (start, end) = match line {
            Some(line) => {
                let start = line + "data: ".len();
                (start, frame[start..].find(['\r', '\n']).map_or(frame.len(), |length| start + length))
            }
            None => match (frame.find('{'), frame.rfind('}')) {
                (Some(start), Some(last)) if start < last => (start, last + 1),
                _ => (frame.len(), frame.len()),
            },
        };
        Self {
            before: frame[..start].to_owned(),
            data: frame[start..end].to_owned(),
            after: frame[end..].to_owned(),
        }
    }

    /// Lines that hold no document, such as a comment; the blank line is part of the text.
    #[must_use]
    pub fn lines(text: impl Into<String>) -> Self {
        Self { before: text.into(), data: String::new(), after: String::new() }
    }

    /// A document without a name in an event of its own.
    #[must_use]
    pub fn data(data: impl Into<String>) -> Self {
        Self { before: "data: ".to_owned(), data: data.into(), after: "\n\n".to_owned() }
    }

    /// The bytes of all of it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        [self.before.as_bytes(), self.data.as_bytes(), self.after.as_bytes()].concat()
    }
}

impl Answer {
    /// What would leave without a fault.
    #[must_use]
    pub fn unharmed(
        dialect: &Dialect,
        reply: &Reply,
        envelope: &Envelope,
        head: &ResponseHead,
        stream: bool,
    ) -> Self {
        if stream {
            let events = (dialect.stream)(reply, envelope).iter().map(Event::read).collect();
            let head = head.clone().with("cache-control", "no-cache");
            return Self {
                head,
                content_type: Cow::Borrowed(dialect.type_of_stream(envelope.framing)),
                chunked: true,
                events,
            };
        }
        let body = String::from_utf8_lossy(&(dialect.render)(reply, envelope)).into_owned();
        let mut answer = Self {
            head: head.clone(),
            content_type: Cow::Borrowed(dialect.content_type),
            chunked: false,
            events: Vec::new(),
        };
        answer.body(body);
        answer
    }

    /// Puts one body in the place of all documents; it leaves with its length.
    pub fn body(&mut self, text: impl Into<String>) {
        self.chunked = false;
        self.events = vec![Event { before: String::new(), data: text.into(), after: String::new() }];
    }

    /// The bytes, a piece for each document, with no wait and a whole end.
    #[must_use]
    pub fn flow(&self) -> Flow {
        Flow::of(&self.events)
    }
}

/// The body as bytes in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The length that the head of an unchunked body promises.
    pub promised: usize,
    /// The pieces in order. Each is a chunk of its own where the body is chunked; one with a wait is a write of its own, too.
    pub pieces: Vec<Piece>,
    /// What comes behind the last piece.
    pub end: End,
}

/// Bytes that leave together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// How long nothing is sent before it.
    pub wait: Duration,
    /// Never empty, or it is left out.
    pub bytes: Vec<u8>,
}

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As HTTP demands; the connection lives on.
    Whole,
    /// As HTTP demands for what was sent, however little; then FIN.
    Told,
    /// FIN, without the end that HTTP demands.
    Fin,
    /// RST once all has arrived, without the end that HTTP demands.
    Reset,
    /// Nothing: the socket stays open.
    Silent,
}

/// The pause that makes what stands on both sides of it arrive apart: TCP joins writes that follow each other at once.
pub const APART: Duration = Duration::from_millis(20);

impl Flow {
    /// The bytes of some documents, a piece for each, with no wait and a whole end.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let piece = |event: &Event| Piece { wait: Duration::ZERO, bytes: event.bytes() };
        let pieces: Vec<Piece> = events.iter().map(piece).collect();
        Self { promised: pieces.iter().map(|piece| piece.bytes.len()).sum(), pieces, end: End::Whole }
    }

    /// All bytes of the body.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|piece| piece.bytes.iter().copied()).collect()
    }

    /// Leaves only the first so many bytes.
    pub fn cut(&mut self, bytes: usize) {
        let mut left = bytes;
        for piece in &mut self.pieces {
            piece.bytes.truncate(left);
            left -= piece.bytes.len();
        }
        self.pieces.retain(|piece| !piece.bytes.is_empty());
    }

    /// Parts the body before this byte: what follows is a chunk and a write of its own, after this wait. False at its ends.
    pub fn part(&mut self, at: usize, wait: Duration) -> bool {
        let mut start = 0;
        for i in 0..self.pieces.len() {
            let length = self.pieces[i].bytes.len();
            if at > start && at < start + length {
                let bytes = self.pieces[i].bytes.split_off(at - start);
                self.pieces.insert(i + 1, Piece { wait, bytes });
                return true;
            }
            if at == start && i > 0 {
                self.pieces[i].wait = wait;
                return true;
            }
            start += length;
        }
        false
    }

    /// The acts on the socket: the head, then the pieces.
    #[must_use]
    pub fn plan(self, answer: &Answer) -> Plan {
        let head = answer.head.clone().with("content-type", answer.content_type.clone());
        let sent: usize = self.pieces.iter().map(|piece| piece.bytes.len()).sum();
        let head = match (answer.chunked, self.end) {
            (true, _) => head.with("transfer-encoding", "chunked"),
            (false, End::Told) => head.with("content-length", sent.to_string()),
            (false, End::Whole | End::Fin | End::Reset | End::Silent) => {
                head.with("content-length", self.promised.to_string())
            }
        };
        let (mut acts, mut bytes) = (Vec::new(), head.to_bytes());
        for piece in self.pieces.iter().filter(|piece| !piece.bytes.is_empty()) {
            if !piece.wait.is_zero() {
                acts.extend([Act::Write(std::mem::take(&mut bytes)), Act::Wait(piece.wait)]);
            }
            if answer.chunked {
                chunked::chunk(&mut bytes, &piece.bytes);
            } else {
                bytes.extend_from_slice(&piece.bytes);
            }
        }
        if answer.chunked && matches!(self.end, End::Whole | End::Told) {
            bytes.extend_from_slice(chunked::LAST);
        }
        acts.push(Act::Write(bytes));
        let (last, after) = match self.end {
            End::Whole => (None, After::KeepAlive),
            End::Told => (None, After::Close),
            End::Fin => (Some(Act::HalfClose), After::Close),
            End::Reset => (Some(Act::Abort), After::Close),
            End::Silent => (Some(Act::Stall), After::Close),
        };
        acts.extend(last);
        Plan { acts, after }
    }
}
