//! What is not yet written: lines with their chain, new body bytes, where the next segment begins. No I/O.

use super::inbox::Entry;
use super::{Head, Settings, StubLog};
use crate::clock;
use bytes::Bytes;
use rehearsal_journal::body::shared;
use rehearsal_journal::chain::Chain;
use rehearsal_journal::digest::{self, Remembered};
use rehearsal_journal::event::{Asked, Body, Event, Kind, Opened};
use rehearsal_journal::redact;
use rehearsal_wire::follow::RequestHead;
use std::borrow::Cow;
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
    chain: Chain,
    full: Vec<Part>,
    pending: Part,
    segment: u32,
    segment_lines: u64,
    segment_bodies: u64,
    last_body: LastBody,
    /// Whether `last_body` is a long one that nobody outside knows yet.
    news: bool,
    /// Raw header lines of the last request.
    last_headers: Option<Vec<u8>>,
    /// The last logical call of each conversation; one for all where the journal is that of no case.
    last_calls: Vec<Call>,
}

/// The body before: what the next one is told against.
#[derive(Debug)]
enum LastBody {
    /// Copied, so that the buffer it came in is free for the next request.
    Short(Vec<u8>),
    Long(Arc<Memory>),
}

impl LastBody {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short(bytes) => bytes,
            Self::Long(memory) => &memory.body,
        }
    }
}

/// The last long body, as far as it helps with the next one.
#[derive(Debug, Default)]
pub(super) struct Memory {
    body: Bytes,
    remembered: Remembered,
}

/// A long body that was looked at away from the desk.
#[derive(Debug)]
pub(super) struct Weighed {
    sum: [u8; 32],
    remembered: Remembered,
    /// What it was compared with, and the bytes they share.
    against: (Arc<Memory>, usize, usize),
}

impl Weighed {
    /// Takes the digest of a body. Only what is new against `memory` costs time.
    pub(super) fn new(body: &Bytes, memory: Arc<Memory>) -> Self {
        let (head, tail) = shared(&memory.body, body);
        let (sum, remembered) = memory.remembered.follow(body, head);
        Self { sum, remembered, against: (memory, head, tail) }
    }
}

/// A logical call: a further request with its body is a further attempt, and so is one that the client calls a retry where
/// its list is as long.
#[derive(Debug)]
struct Call {
    /// The conversation, where the journal tells them apart.
    phrasing: Option<String>,
    body: [u8; 32],
    n_messages: u64,
    first: u64,
}

impl Ledger {
    pub(super) fn open(settings: Settings) -> Self {
        let mut ledger = Self {
            settings,
            chain: Chain::new(),
            full: Vec::new(),
            pending: Part::default(),
            segment: 0,
            segment_lines: 0,
            segment_bodies: 0,
            last_body: LastBody::Short(Vec::new()),
            news: false,
            last_headers: None,
            last_calls: Vec::new(),
        };
        ledger.begin_segment(0);
        ledger
    }

    /// Turns an entry into a line, and into a record of the stub log.
    pub(super) fn enter(&mut self, entry: Entry, stub_log: Option<&StubLog>) {
        match entry {
            Entry::Other { t_us, event } => {
                self.rotate_if_full(t_us);
                self.write_line(t_us, &event);
            }
            Entry::Asked { t_us, unix_us, exchange, mut asked, head, body, weighed } => {
                self.rotate_if_full(t_us);
                asked.exchange = exchange;
                self.take_head(&mut asked, head.as_ref());
                let sum = weighed.as_ref().map_or_else(|| digest::of(&body), |weighed| weighed.sum);
                asked.attempt_of = self.attempt(&asked, &body, sum);
                asked.body = (!body.is_empty()).then(|| self.keep_body(&body, sum, weighed));
                if let Some(log) = stub_log {
                    log.append(&asked, &body, unix_us);
                }
                self.write_line(t_us, &Event::Asked(asked));
            }
        }
    }

    /// Takes over what the head says, secrets masked. Equal header lines are told once.
    fn take_head(&mut self, asked: &mut Asked, head: Option<&RequestHead>) {
        if let Some(head) = head {
            asked.method = head.method().into_owned();
            // A path that stands there already is the target as it may be shown.
            if asked.path.is_empty() {
                asked.path = head.target().into_owned();
            }
            let lines = head.header_lines();
            if self.last_headers.as_deref() == Some(lines) {
                asked.headers = None;
            } else {
                let last = self.last_headers.get_or_insert_default();
                last.clear();
                last.extend_from_slice(lines);
                let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
                asked.headers =
                    Some(head.headers().map(|(name, value)| (name.to_owned(), text(value))).collect());
            }
        } else {
            // Whatever it brought is written out, and the next request's headers are too.
            asked.headers.get_or_insert_default();
            self.last_headers = None;
        }
        redact::headers(asked.headers.as_deref_mut().unwrap_or_default());
        if let Cow::Owned(masked) = redact::target(&asked.path) {
            asked.path = masked;
        }
    }

    fn attempt(&mut self, asked: &Asked, body: &[u8], sum: [u8; 32]) -> Option<u64> {
        let counts = match asked.kind {
            Kind::Scenario | Kind::Overrun | Kind::Hostile | Kind::BadJson | Kind::WrongPath => {
                !body.is_empty()
            }
            Kind::Background | Kind::Unreadable | Kind::Aside => false,
        };
        if !counts {
            return None;
        }
        // Where many agents share a journal, another's call may be as long.
        let one_agent = self.settings.case.is_some();
        let phrasing = asked.phrasing.as_ref().filter(|_| one_agent);
        let (n_messages, first) = (asked.n_messages, asked.exchange);
        let Some(call) = self.last_calls.iter_mut().find(|call| call.phrasing.as_ref() == phrasing) else {
            self.last_calls.push(Call { phrasing: phrasing.cloned(), body: sum, n_messages, first });
            return None;
        };
        let retried = one_agent && asked.retry.is_some() && call.n_messages == n_messages;
        let again = call.body == sum || retried;
        if again {
            // Of bodies that differ in what does not matter, the next attempt equals the newest.
            call.body = sum;
            return Some(call.first);
        }
        (call.body, call.n_messages, call.first) = (sum, n_messages, first);
        None
    }

    fn keep_body(&mut self, body: &Bytes, sum: [u8; 32], weighed: Option<Weighed>) -> Body {
        let (head, tail) = match (&weighed, &self.last_body) {
            // Nobody came between: what it was compared with is still the last body.
            (Some(Weighed { against: (memory, head, tail), .. }), LastBody::Long(last))
                if Arc::ptr_eq(memory, last) =>
            {
                (*head, *tail)
            }
            _ => shared(self.last_body.bytes(), body),
        };
        let fresh = &body[head..body.len() - tail];
        let at = self.segment_bodies;
        self.pending.bodies.extend_from_slice(fresh);
        self.segment_bodies += fresh.len() as u64;
        match (weighed, &mut self.last_body) {
            (Some(Weighed { remembered, .. }), last) => {
                *last = LastBody::Long(Arc::new(Memory { body: body.clone(), remembered }));
                self.news = true;
            }
            (None, LastBody::Short(last)) => {
                last.clear();
                last.extend_from_slice(body);
            }
            (None, last) => *last = LastBody::Short(body.to_vec()),
        }
        Body { len: body.len() as u64, sha256: digest::text(&sum), head: head as u64, tail: tail as u64, at }
    }

    /// The last long body, once after it changed.
    pub(super) fn new_memory(&mut self) -> Option<Arc<Memory>> {
        match &self.last_body {
            LastBody::Long(memory) if std::mem::take(&mut self.news) => Some(Arc::clone(memory)),
            LastBody::Long(_) | LastBody::Short(_) => None,
        }
    }

    fn write_line(&mut self, t_us: u64, event: &Event) {
        let before = self.pending.lines.len();
        self.chain.line(t_us, event, &mut self.pending.lines);
        self.segment_lines += (self.pending.lines.len() - before) as u64;
    }

    fn rotate_if_full(&mut self, t_us: u64) {
        if self.segment_lines + self.segment_bodies >= self.settings.segment_bytes {
            self.begin_segment(t_us);
        }
    }

    /// A segment can be read without the one before: its first body is whole, its first headers are written out.
    fn begin_segment(&mut self, t_us: u64) {
        self.segment += 1;
        if self.segment > 1 {
            self.full.push(std::mem::take(&mut self.pending));
            self.pending.opens = Some(self.segment);
        }
        (self.segment_lines, self.segment_bodies) = (0, 0);
        self.last_body = LastBody::Short(Vec::new());
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
        self.write_line(t_us, &opened);
    }

    /// Goes on in `spare`, which is empty, unless something waits already.
    pub(super) fn start(&mut self, spare: Part) {
        if self.pending.lines.is_empty() && self.pending.opens.is_none() {
            self.pending = spare;
        }
    }

    /// Takes all that is to be written.
    pub(super) fn take(&mut self) -> Batch {
        Batch { parts: std::mem::take(&mut self.full), last: std::mem::take(&mut self.pending) }
    }

    pub(super) fn head(&self, requests: u64) -> Head {
        Head { segments: self.segment, lines: self.chain.seq(), requests, sum: self.chain.head() }
    }
}
