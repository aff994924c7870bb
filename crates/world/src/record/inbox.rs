//! What happened and is not yet a line. Dropping something in takes one short lock and no other time.

use super::ledger::Weighed;
use bytes::Bytes;
use rehearsal_journal::event::{Asked, Event};
use rehearsal_wire::follow::RequestHead;

/// About how many bytes the line of an event without a body takes.
const LINE_BYTES: usize = 600;

/// Something that happened.
#[derive(Debug)]
pub(super) enum Entry {
    /// A request.
    Asked {
        /// Time since the journal's opening.
        t_us: u64,
        /// Wall clock, where the stub log wants it.
        unix_us: u64,
        exchange: u64,
        asked: Box<Asked>,
        head: Option<RequestHead>,
        body: Bytes,
        /// A long body's digest, taken where nobody waits for it.
        weighed: Option<Weighed>,
    },
    /// Anything else.
    Other { t_us: u64, event: Event },
}

/// The entries that wait, in order.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    pub(super) entries: Vec<Entry>,
    /// Requests so far.
    pub(super) requests: u64,
    /// Nothing more is taken.
    pub(super) closed: bool,
    /// Number of the last entry that was taken.
    mark: u64,
    held: usize,
    /// The task that writes what nobody waits for knows that there is something.
    stirred: bool,
}

/// What taking something in that nobody waits for changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// Bytes that wait now.
    pub(super) held: usize,
    /// The first since the inbox was emptied.
    pub(super) first: bool,
}

impl Inbox {
    /// Numbers a request that is about to be pushed: its exchange and its entry; none once the journal is closed.
    pub(super) fn request(&mut self, body: usize) -> Option<(u64, u64)> {
        if self.closed {
            return None;
        }
        self.requests += 1;
        self.mark += 1;
        self.held += LINE_BYTES + body;
        Some((self.requests, self.mark))
    }

    /// Takes anything else.
    pub(super) fn event(&mut self, t_us: u64, event: Event) -> Taken {
        if !self.closed {
            self.mark += 1;
            self.held += LINE_BYTES;
            self.entries.push(Entry::Other { t_us, event });
        }
        Taken { held: self.held, first: !std::mem::replace(&mut self.stirred, true) }
    }

    /// Takes an event that somebody waits for, and gives the number of its entry.
    pub(super) fn numbered(&mut self, t_us: u64, event: Event) -> u64 {
        self.mark += 1;
        self.held += LINE_BYTES;
        self.entries.push(Entry::Other { t_us, event });
        self.mark
    }

    /// Moves all entries over; gives the number of the last one.
    pub(super) fn empty_into(&mut self, hand: &mut Vec<Entry>) -> u64 {
        self.held = 0;
        self.stirred = false;
        std::mem::swap(&mut self.entries, hand);
        self.mark
    }

    /// Throws everything away and takes nothing more.
    pub(super) fn fail(&mut self) {
        *self = Self { requests: self.requests, closed: true, mark: self.mark, ..Self::default() };
    }
}
