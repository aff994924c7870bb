//! What is not yet written: lines with their chain, new body bytes, where the next segment begins. No I/O.

use super::{Head, Settings, Ticket};
use crate::clock::{self, Clock};
use bytes::Bytes;
use rehearsal_journal::body::shared;
use rehearsal_journal::chain::Chain;
use rehearsal_journal::digest::{self, Remembered};
use rehearsal_journal::event::{Asked, Body, Event, Kind, Opened};
use std::sync::Arc;

/// Bytes for one segment.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// The segment that begins with it, where it does not go on with the one before.
    pub(super) opens: Option<u32>,
    pub(super) lines: Vec<u8>,
    pub(super) bodies: Vec<u8>,
}

/// All that is to be written, in order.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) parts: Vec<Part>,
    pub(super) last: Part,
    /// Number of its last line.
    pub(super) mark: u64,
}

/// Memory larger than this is given back after use.
const ROOM: usize = 1 << 20;

impl Part {
    /// Empties it and keeps its memory, unless a burst made it large.
    pub(super) fn clear(&mut self) {
        self.opens = None;
        for bytes in [&mut self.lines, &mut self.bodies] {
            bytes.clear();
            bytes.shrink_to(ROOM);
        }
    }
}

#[derive(Debug)]
pub(super) struct Ledger {
    settings: Settings,
    clock: Clock,
    chain: Chain,
    full: Vec<Part>,
    pending: Part,
    segment: u32,
    segment_lines: u64,
    segment_bodies: u64,
    requests: u64,
    memory: Arc<Memory>,
    last_headers: Option<Vec<(String, String)>>,
    last_call: Option<Call>,
    stopped: bool,
}

/// The last body, as far as it helps with the next one.
#[derive(Debug, Default)]
pub(super) struct Memory {
    body: Bytes,
    remembered: Remembered,
}

/// A body that was looked at before the ledger is locked.
#[derive(Debug)]
pub(super) struct Weighed {
    body: Bytes,
    sum: [u8; 32],
    remembered: Remembered,
    /// What it was compared with, and the bytes they share.
    against: Option<(Arc<Memory>, usize, usize)>,
}

impl Weighed {
    /// Takes the digest of a body. Against a `memory` only what is new costs time.
    pub(super) fn new(body: &Bytes, memory: Option<Arc<Memory>>) -> Self {
        let Some(memory) = memory else {
            let (sum, remembered) = (digest::of(body), Remembered::default());
            return Self { body: body.clone(), sum, remembered, against: None };
        };
        let (head, tail) = shared(&memory.body, body);
        let (sum, remembered) = memory.remembered.follow(body, head);
        Self { body: body.clone(), sum, remembered, against: Some((memory, head, tail)) }
    }
}

/// The last logical call: a further request with its body is a further attempt.
#[derive(Debug)]
struct Call {
    body: [u8; 32],
    first: u64,
}

impl Ledger {
    pub(super) fn open(settings: Settings, clock: Clock) -> Self {
        let mut ledger = Self {
            settings,
            clock,
            chain: Chain::new(),
            full: Vec::new(),
            pending: Part::default(),
            segment: 0,
            segment_lines: 0,
            segment_bodies: 0,
            requests: 0,
            memory: Arc::default(),
            last_headers: None,
            last_call: None,
            stopped: false,
        };
        ledger.begin_segment();
        ledger
    }

    /// Fills in what only the journal knows. The caller hands the event to [`Ledger::line`] under the same lock.
    pub(super) fn asked(&mut self, mut asked: Box<Asked>, body: Weighed) -> Option<(Ticket, Event)> {
        if self.stopped {
            return None;
        }
        self.rotate_if_full();
        self.requests += 1;
        asked.exchange = self.requests;
        if asked.headers == self.last_headers {
            asked.headers = None;
        } else {
            self.last_headers.clone_from(&asked.headers);
        }
        asked.attempt_of = self.attempt(&asked, &body);
        asked.body = (!body.body.is_empty()).then(|| self.keep_body(body));
        let ticket =
            Ticket { exchange: asked.exchange, attempt_of: asked.attempt_of, mark: self.chain.seq() + 1 };
        Some((ticket, Event::Asked(asked)))
    }

    fn attempt(&mut self, asked: &Asked, body: &Weighed) -> Option<u64> {
        let counts = match asked.kind {
            Kind::Scenario | Kind::Overrun | Kind::Hostile | Kind::BadJson | Kind::WrongPath => {
                !body.body.is_empty()
            }
            Kind::Background | Kind::Unreadable | Kind::Aside => false,
        };
        if !counts {
            return None;
        }
        match &self.last_call {
            Some(call) if call.body == body.sum => Some(call.first),
            Some(_) | None => {
                self.last_call = Some(Call { body: body.sum, first: asked.exchange });
                None
            }
        }
    }

    fn keep_body(&mut self, weighed: Weighed) -> Body {
        let Weighed { body, sum, remembered, against } = weighed;
        let (head, tail) = match against {
            // Nobody came between: what it was compared with is still the last body.
            Some((memory, head, tail)) if Arc::ptr_eq(&memory, &self.memory) => (head, tail),
            Some(_) | None => shared(&self.memory.body, &body),
        };
        let fresh = &body[head..body.len() - tail];
        let at = self.segment_bodies;
        self.pending.bodies.extend_from_slice(fresh);
        self.segment_bodies += fresh.len() as u64;
        let len = body.len() as u64;
        self.memory = Arc::new(Memory { body, remembered });
        Body { len, sha256: digest::text(&sum), head: head as u64, tail: tail as u64, at }
    }

    /// The last body, for a look at the next one without holding the ledger.
    pub(super) fn memory(&self) -> Arc<Memory> {
        Arc::clone(&self.memory)
    }

    pub(super) fn line(&mut self, event: &Event) {
        if self.stopped {
            return;
        }
        // A request has already had its look, before its body went into a segment.
        if !matches!(event, Event::Asked(_)) {
            self.rotate_if_full();
        }
        self.write_line(event);
    }

    fn write_line(&mut self, event: &Event) {
        let before = self.pending.lines.len();
        self.chain.line(self.clock.elapsed_us(), event, &mut self.pending.lines);
        self.segment_lines += (self.pending.lines.len() - before) as u64;
    }

    fn rotate_if_full(&mut self) {
        if self.segment_lines + self.segment_bodies >= self.settings.segment_bytes {
            self.begin_segment();
        }
    }

    /// A segment can be read without the one before: its first body is whole, its first headers are written out.
    fn begin_segment(&mut self) {
        self.segment += 1;
        if self.segment > 1 {
            self.full.push(std::mem::take(&mut self.pending));
            self.pending.opens = Some(self.segment);
        }
        (self.segment_lines, self.segment_bodies) = (0, 0);
        self.memory = Arc::default();
        self.last_headers = None;
        let Settings { run, case, seed, program, folder: _, name: _, segment_bytes: _, keep: _ } =
            &self.settings;
        let opened = Event::Opened(Opened {
            run: run.clone(),
            case: case.clone(),
            seed: *seed,
            unix_ms: clock::unix_ms(),
            program: program.clone(),
            segment: self.segment,
        });
        self.write_line(&opened);
    }

    /// Takes all that is to be written and goes on with `spare`, which is empty.
    pub(super) fn take(&mut self, spare: Part) -> Batch {
        let last = std::mem::replace(&mut self.pending, spare);
        Batch { parts: std::mem::take(&mut self.full), last, mark: self.chain.seq() }
    }

    pub(super) fn close(&mut self) -> Head {
        self.line(&Event::Closed { requests: self.requests });
        self.stopped = true;
        Head {
            segments: self.segment,
            lines: self.chain.seq(),
            requests: self.requests,
            sum: self.chain.head(),
        }
    }

    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.full = Vec::new();
        self.pending = Part::default();
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// Bytes that wait.
    pub(super) fn held(&self) -> usize {
        let full: usize = self.full.iter().map(|part| part.lines.len() + part.bodies.len()).sum();
        full + self.pending.lines.len() + self.pending.bodies.len()
    }
}
