//! What one connection knows about itself, shared by the tap, the door and the connection's task. They run in one
//! task, so the lock is never waited for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use rehearsal_journal::digest::Running;
use rehearsal_wire::follow::{Follower, RequestHead};

use super::reply::Raw;
use super::{Answer, App, End, Left, Limits, Request, Why};
use crate::task;

/// How much of what hyper says by itself is kept: enough for its status line.
const OWN_WORDS: usize = 64;

/// Room made at once for a body whose length was only promised.
pub(super) const MOST_RESERVED: usize = 256 * 1024;

/// A connection and whom it serves.
pub(super) struct Line<A: App> {
    pub(super) conn: u64,
    pub(super) app: Arc<A>,
    pub(super) limits: Limits,
    ledger: Mutex<Ledger>,
}

impl<A: App> Line<A> {
    pub(super) fn new(conn: u64, app: Arc<A>, limits: Limits) -> Arc<Self> {
        let ledger = Ledger {
            follower: Follower::new(limits.head),
            in_place: None,
            phase: Phase::Between,
            requests: 0,
            sent: 0,
            client_done: false,
            leaving: None,
            own_words: Vec::new(),
            reading: None,
            turn: None,
        };
        Arc::new(Self { conn, app, limits, ledger: Mutex::new(ledger) })
    }

    /// Asks the app. What takes it long is done aside.
    pub(super) async fn ask(&self, head: RequestHead, body: Bytes) -> Answer {
        let request = Request { conn: self.conn, head, body };
        if request.body.len() < A::ASIDE {
            return self.app.answer(request).await;
        }
        let app = Arc::clone(&self.app);
        task::aside(async move { app.answer(request).await }).await
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // A panic of the app cannot leave it half changed: the app is never called under the lock.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Books bytes of the answer that is leaving, which the kernel took, and reports it once it is complete.
    pub(super) fn book(&self, bytes: &[u8]) {
        let done = self.ledger().book(bytes);
        if let Some((ticket, left)) = done {
            self.app.left(ticket, left);
        }
    }

    /// Reports an answer that will never be complete.
    pub(super) fn give_up(&self, end: End) {
        let leaving = self.ledger().leaving.take();
        if let Some(leaving) = leaving {
            let (ticket, left) = leaving.close(end);
            self.app.left(ticket, left);
        }
    }
}

/// Where a connection stands between requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No request is with the door.
    Between,
    /// The door reads a body.
    Body,
    /// The app thinks.
    Answer,
}

/// What the door leaves behind when it ends hyper's part.
#[derive(Debug)]
pub(super) enum Turn {
    /// Play this on the raw socket.
    Play { ticket: u64, raw: Raw },
    /// Refuse the request that is being read.
    Refuse(Why),
}

/// An answer on its way through hyper.
#[derive(Debug)]
pub(super) struct Leaving {
    ticket: u64,
    /// Bytes after the head.
    body_length: u64,
    /// Bytes still to come; unknown until hyper has written the head.
    to_come: Option<u64>,
    bytes: u64,
    digest: Running,
}

impl Leaving {
    pub(super) fn new(ticket: u64, body_length: u64) -> Self {
        Self { ticket, body_length, to_come: None, bytes: 0, digest: Running::default() }
    }

    /// How many of `bytes`, which begin where this answer stands, belong to it; at least one.
    fn share(&mut self, bytes: &[u8]) -> usize {
        let to_come = match self.to_come {
            Some(to_come) => to_come,
            // hyper hands a head over in one piece; without its end all of it is head.
            None => match end_of_head(bytes) {
                Some(head) => *self.to_come.insert(head as u64 + self.body_length),
                None => return bytes.len(),
            },
        };
        usize::try_from(to_come).map_or(bytes.len(), |to_come| to_come.min(bytes.len()))
    }

    fn close(self, end: End) -> (u64, Left) {
        (self.ticket, Left { bytes: self.bytes, sha256: self.digest.finish(), end })
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// A request that the door is reading.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) head: RequestHead,
    /// A body that came in one piece is never copied.
    first: Bytes,
    /// All pieces, once there are several: many small ones may not cost more than what they hold.
    joined: Vec<u8>,
}

impl Reading {
    pub(super) fn new(head: RequestHead) -> Self {
        Self { head, first: Bytes::new(), joined: Vec::new() }
    }

    /// Takes a piece of the body; returns how many bytes there are now.
    pub(super) fn push(&mut self, part: Bytes, to_come: u64) -> u64 {
        if self.first.is_empty() && self.joined.is_empty() {
            self.first = part;
            return self.first.len() as u64;
        }
        if self.joined.is_empty() {
            let first = std::mem::take(&mut self.first);
            let whole = first.len() as u64 + part.len() as u64 + to_come;
            self.joined.reserve(usize::try_from(whole).unwrap_or(MOST_RESERVED).min(MOST_RESERVED));
            self.joined.extend_from_slice(&first);
        }
        self.joined.extend_from_slice(&part);
        self.joined.len() as u64
    }

    /// Bytes of the body that came.
    pub(super) fn got(&self) -> u64 {
        self.first.len().max(self.joined.len()) as u64
    }

    /// The head and what came of the body.
    pub(super) fn finish(self) -> (RequestHead, Bytes) {
        (self.head, if self.joined.is_empty() { self.first } else { self.joined.into() })
    }
}

/// The state itself.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) follower: Follower,
    /// The head that a rewritten one stands for: hyper cannot read its target, the app can.
    pub(super) in_place: Option<RequestHead>,
    pub(super) phase: Phase,
    /// Requests that reached the door.
    pub(super) requests: u64,
    /// Bytes that left, all answers together.
    pub(super) sent: u64,
    /// The client sends nothing more.
    pub(super) client_done: bool,
    /// The answer on its way through hyper. There is one at most: hyper reads the next head only after it has
    /// handed all of an answer over.
    pub(super) leaving: Option<Leaving>,
    /// The beginning of what hyper wanted to say by itself. It never leaves.
    pub(super) own_words: Vec<u8>,
    pub(super) reading: Option<Reading>,
    pub(super) turn: Option<Turn>,
}

/// What becomes of bytes that hyper writes.
pub(super) enum Fate {
    /// So many belong to answers: send them.
    Answer(usize),
    /// They are an interim response to the request that is being read: send them, count nothing.
    Interim,
    /// hyper says something by itself: drop them.
    Drop,
}

impl Ledger {
    /// The head of the request that hyper has just read.
    pub(super) fn take_head(&mut self) -> Option<RequestHead> {
        self.in_place.take().or_else(|| self.follower.next_head())
    }

    /// Tells what becomes of bytes that hyper writes.
    pub(super) fn fate(&mut self, bytes: &[u8]) -> Fate {
        if let Some(leaving) = &mut self.leaving {
            return Fate::Answer(leaving.share(bytes));
        }
        match self.phase {
            Phase::Body | Phase::Answer => Fate::Interim,
            Phase::Between => {
                let room = OWN_WORDS.saturating_sub(self.own_words.len());
                self.own_words.extend_from_slice(&bytes[..bytes.len().min(room)]);
                Fate::Drop
            }
        }
    }

    /// Books bytes of the answer that is leaving; returns it once it is complete.
    fn book(&mut self, bytes: &[u8]) -> Option<(u64, Left)> {
        self.sent += bytes.len() as u64;
        let leaving = self.leaving.as_mut()?;
        leaving.bytes += bytes.len() as u64;
        leaving.digest.update(bytes);
        let to_come = leaving.to_come.as_mut()?;
        *to_come -= bytes.len() as u64;
        if *to_come > 0 {
            return None;
        }
        Some(self.leaving.take()?.close(End::Complete))
    }
}
