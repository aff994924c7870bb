//! Follows the raw bytes of one connection and keeps each request head exactly as it came, also with pipelining,
//! so that what the HTTP library hides or repairs can still be judged.
//!
//! Must not know: sockets, the HTTP library. It is fed in any chunking and keeps no body.

mod chunked;
mod fault;
mod head;

pub use fault::HeadFault;
pub use head::RequestHead;

use chunked::Chunked;
use head::Framing;
use std::collections::VecDeque;

/// Heads that wait to be taken may together take this many times the largest head of memory.
const WAITING_HEADS: usize = 16;

/// The largest head that is remembered, in bytes of memory: thousands of connections may be idle.
const REMEMBERED: usize = 4096;

/// Tracks where heads and bodies begin and end.
#[derive(Debug)]
pub struct Follower {
    max_head: usize,
    state: State,
    /// Bytes of a head that is not complete yet.
    partial: Vec<u8>,
    /// The last whole head: most clients send the same one again, as long as their bodies are as long.
    last: Option<RequestHead>,
    done: VecDeque<RequestHead>,
    /// What `done` holds.
    waiting: usize,
}

#[derive(Debug)]
enum State {
    /// In a head, or before one.
    Head(Place),
    /// In a body that goes on for so many bytes.
    Counted(u64),
    Chunked(Chunked),
    /// No longer known.
    Lost,
}

/// Where in a head the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the request line; empty lines are passed over (RFC 9112, 2.2).
    Before,
    /// As above, after a CR.
    BeforeCr,
    Line,
    LineStart,
    LineStartCr,
}

impl Follower {
    /// A follower of a fresh connection. A head of more than `max_head` bytes is not kept: the follower is lost then.
    #[must_use]
    pub fn new(max_head: usize) -> Self {
        Self {
            max_head,
            state: State::Head(Place::Before),
            partial: Vec::new(),
            last: None,
            done: VecDeque::new(),
            waiting: 0,
        }
    }

    /// Takes what came next on the connection.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let used = match &mut self.state {
                State::Head(place) => {
                    let place = *place;
                    self.head(place, rest)
                }
                State::Counted(left) => {
                    let used = usize::try_from(*left).map_or(rest.len(), |left| left.min(rest.len()));
                    *left -= used as u64;
                    if *left == 0 {
                        self.state = State::Head(Place::Before);
                    }
                    used
                }
                State::Chunked(chunked) => match chunked.feed(rest) {
                    chunked::Fed::More => rest.len(),
                    chunked::Fed::Done(used) => {
                        self.state = State::Head(Place::Before);
                        used
                    }
                    chunked::Fed::Broken => {
                        self.state = State::Lost;
                        rest.len()
                    }
                },
                State::Lost => rest.len(),
            };
            rest = &rest[used..];
        }
    }

    /// The next complete head without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<&RequestHead> {
        self.done.front()
    }

    /// The next complete head, in the order of arrival.
    pub fn next_head(&mut self) -> Option<RequestHead> {
        let head = self.done.pop_front()?;
        self.waiting -= head.cost();
        Some(head)
    }

    /// The bytes of a head that is not complete, for a refusal of it; at most `max_head` of them.
    #[must_use]
    pub fn partial(&self) -> &[u8] {
        &self.partial
    }

    /// Whether the framing broke, so that nothing after it can be told apart any more. It stays so.
    #[must_use]
    pub fn lost(&self) -> bool {
        matches!(self.state, State::Lost)
    }

    /// Reads on in a head; returns how many bytes belong to it.
    fn head(&mut self, mut place: Place, bytes: &[u8]) -> usize {
        if place == Place::Before
            && let Some(last) = self.last.as_ref().filter(|last| bytes.starts_with(last.raw()))
        {
            let (last, length) = (last.clone(), last.raw().len());
            self.enter(last);
            return length;
        }
        let skipped = skip_empty_lines(&mut place, bytes);
        let bytes = &bytes[skipped..];
        let room = self.max_head - self.partial.len();
        let looked = &bytes[..bytes.len().min(room)];
        let end = end_of_head(&mut place, looked);
        let Some(end) = end else {
            self.state = if looked.len() < bytes.len() { State::Lost } else { State::Head(place) };
            self.partial.extend_from_slice(looked);
            return skipped + bytes.len();
        };
        let mut raw = std::mem::take(&mut self.partial);
        raw.extend_from_slice(&looked[..end]);
        let head = RequestHead::read(raw);
        self.last = Some(head.clone()).filter(|head| head.cost() <= REMEMBERED);
        self.enter(head);
        skipped + end
    }

    /// Takes a whole head in; its body comes next.
    fn enter(&mut self, head: RequestHead) {
        self.state = match head.framing() {
            Framing::None => State::Head(Place::Before),
            Framing::Counted(bytes) => State::Counted(bytes),
            Framing::Chunked => State::Chunked(Chunked::new(self.max_head)),
            Framing::Broken => State::Lost,
        };
        let cost = head.cost();
        if self.waiting + cost > self.max_head.saturating_mul(WAITING_HEADS) {
            self.state = State::Lost;
        } else {
            self.waiting += cost;
            self.done.push_back(head);
        }
    }
}

/// Passes over empty lines before a request line; returns how many bytes they take.
fn skip_empty_lines(place: &mut Place, bytes: &[u8]) -> usize {
    let mut skipped = 0;
    while matches!(*place, Place::Before | Place::BeforeCr) {
        match bytes.get(skipped) {
            Some(b'\n') => *place = Place::Before,
            Some(b'\r') => *place = Place::BeforeCr,
            Some(_) => {
                *place = Place::Line;
                break;
            }
            None => break,
        }
        skipped += 1;
    }
    skipped
}

/// The place after the empty line that ends a head. A bare LF ends a line too (RFC 9112, 2.2).
fn end_of_head(place: &mut Place, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        *place = match (*place, byte) {
            (Place::LineStart | Place::LineStartCr, b'\n') => return Some(at),
            (Place::LineStart, b'\r') => Place::LineStartCr,
            (_, b'\n') => Place::LineStart,
            _ => {
                at += until_line_feed(&bytes[at..]);
                Place::Line
            }
        };
    }
    None
}

/// How many bytes stand before the next LF (all of them where there is none), eight at a time.
fn until_line_feed(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut run = 0;
    for chunk in bytes.as_chunks::<8>().0 {
        // Zero where the byte is LF; `(x - ONES) & !x & HIGHS` is non-zero exactly when `x` has a zero byte.
        let word = u64::from_le_bytes(*chunk) ^ (ONES * u64::from(b'\n'));
        let zeros = word.wrapping_sub(ONES) & !word & HIGHS;
        if zeros != 0 {
            return run + zeros.trailing_zeros() as usize / 8;
        }
        run += 8;
    }
    run + bytes[run..].iter().take_while(|&&byte| byte != b'\n').count()
}
