//! Writes one journal: lines and bodies in segment files, many requests with one write, nothing lost that was acknowledged.
//!
//! Must not know: what a request means. Secrets are masked here, so that no caller can forget it.

mod check;
mod copy;
mod durable;
mod error;
mod inbox;
mod ledger;
mod lines;
mod name;
mod segment;
mod stub_log;

pub use check::{CheckError, Journal, read_journal, read_journal_with, read_journals, verify_journals};
pub use copy::copy_journal;
pub use durable::{Durable, DurableError, Sync};
pub use error::RecordError;
pub use lines::Lines;
pub use name::{Name, file_stem};
pub use stub_log::StubLog;

use crate::clock::{self, Clock};
use bytes::Bytes;
use inbox::{Entry, Inbox};
use ledger::{Batch, Ledger, Memory, Weighed};
use rehearsal_journal::event::{Answered, Asked, Event};
use rehearsal_journal::{bound, digest};
use rehearsal_wire::follow::RequestHead;
use segment::Writer;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// Bytes of lines and bodies after which the next segment begins.
pub const SEGMENT_BYTES: u64 = 64 << 20;

/// Longest time that a line which nobody waits for stays in memory.
const TICK: Duration = Duration::from_millis(200);

/// Bytes in memory after which a line that nobody waits for is written at once.
const HELD_BYTES: usize = 1 << 20;

/// How often a commit lets others go first before it waits for the writer. A turn of the others is useful work, a wait is none.
const PATIENCE: u32 = 64;

/// What a journal is and where it lies.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder; made with its parents where it is missing.
    pub folder: PathBuf,
    /// How its files are named.
    pub name: Name,
    /// Id of the run.
    pub run: String,
    /// The case, or none for what belongs to no case.
    pub case: Option<String>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Program and version.
    pub program: String,
    /// Bytes after which the next segment begins: [`SEGMENT_BYTES`] unless there is a reason.
    pub segment_bytes: u64,
    /// How many segments are kept; all where it does not say. 1 or more.
    pub keep: Option<u32>,
}

/// A line that waits to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a reply may leave only after its ticket is committed"]
pub struct Ticket {
    /// Number of the request in its journal, from 1; 0 where it was not taken down.
    pub exchange: u64,
    /// Number of its entry.
    mark: u64,
}

impl Ticket {
    /// A request that came when the journal was closed or broken: its commit fails.
    const NEVER: Self = Self { exchange: 0, mark: u64::MAX };
}

/// What a run file says of a closed journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Segments written.
    pub segments: u32,
    /// Lines over all segments.
    pub lines: u64,
    /// Requests over all segments.
    pub requests: u64,
    /// Sum of the last line, hexadecimal.
    pub sum: String,
}

/// One open journal. Shared between all tasks that serve its case.
///
/// What happens is dropped into the inbox, which takes no time. Whoever commits first sits down at the desk and turns all
/// that lies in the inbox into lines, for the others too: one after the other is quicker than each for itself.
#[derive(Debug)]
pub struct Recorder {
    inbox: Mutex<Inbox>,
    desk: Mutex<Desk>,
    /// The last long body, for a look at the next one away from the desk.
    memory: Mutex<Arc<Memory>>,
    /// Number of the last entry that the kernel has.
    written: AtomicU64,
    failed: OnceLock<RecordError>,
    clock: Clock,
    stub_log: Option<Arc<StubLog>>,
    stir: Arc<Notify>,
}

/// Where lines are made and written.
#[derive(Debug)]
struct Desk {
    ledger: Ledger,
    writer: Writer,
    /// Room for the entries at hand.
    hand: Vec<Entry>,
}

impl Recorder {
    /// Makes the first segment's files and writes its opening. `clock` gives the lines their time.
    ///
    /// # Errors
    /// When the folder or the files cannot be made; a journal that is already there is never touched.
    pub fn open(
        settings: Settings,
        clock: Clock,
        stub_log: Option<Arc<StubLog>>,
    ) -> Result<Self, RecordError> {
        let writer = Writer::create(settings.folder.clone(), settings.name.clone(), settings.keep)?;
        let recorder = Self {
            inbox: Mutex::default(),
            desk: Mutex::new(Desk { ledger: Ledger::open(settings), writer, hand: Vec::new() }),
            memory: Mutex::default(),
            written: AtomicU64::new(0),
            failed: OnceLock::new(),
            clock,
            stub_log,
            stir: Arc::default(),
        };
        recorder.flush()?;
        Ok(recorder)
    }

    /// Takes down a request: its method and headers from `head`, where it has one, and its target, unless `asked` has a path
    /// to show in its place. Secrets are masked, headers left out where they are those of the request before. Sets
    /// `exchange`, `body` and `attempt_of`. An empty `body` is none.
    ///
    /// The reply may leave once [`Recorder::commit`] says that the ticket is written.
    pub fn asked(&self, mut asked: Box<Asked>, head: Option<RequestHead>, body: Bytes) -> Ticket {
        bound::asked(&mut asked);
        // A short body costs less than a look at the last one.
        let weighed = (body.len() >= digest::STRIDE).then(|| Weighed::new(&body, self.last_long_body()));
        let t_us = self.clock.elapsed_us();
        let unix_us = self.stub_log.as_ref().map_or(0, |_| clock::unix_us());
        let mut inbox = self.inbox();
        let Some((exchange, mark)) = inbox.request(body.len()) else { return Ticket::NEVER };
        inbox.entries.push(Entry::Asked { t_us, unix_us, exchange, asked, head, body, weighed });
        Ticket { exchange, mark }
    }

    /// The same, with events that stand right behind the request's line and are written with it: they are made of its number.
    pub fn asked_with(
        &self,
        mut asked: Box<Asked>,
        head: Option<RequestHead>,
        body: Bytes,
        events: impl FnOnce(u64) -> Vec<Event>,
    ) -> Ticket {
        bound::asked(&mut asked);
        let weighed = (body.len() >= digest::STRIDE).then(|| Weighed::new(&body, self.last_long_body()));
        let t_us = self.clock.elapsed_us();
        let mut inbox = self.inbox();
        let Some((exchange, mut mark)) = inbox.request(body.len()) else { return Ticket::NEVER };
        inbox.entries.push(Entry::Asked { t_us, unix_us: 0, exchange, asked, head, body, weighed });
        for event in events(exchange) {
            mark = inbox.numbered(t_us, event);
        }
        Ticket { exchange, mark }
    }

    /// Takes down what no request brought, to be committed as a request is. It waits for nothing.
    pub fn noted(&self, events: Vec<Event>) -> Ticket {
        let t_us = self.clock.elapsed_us();
        let mut inbox = self.inbox();
        if inbox.closed {
            return Ticket::NEVER;
        }
        let mut mark = 0;
        for event in events {
            mark = inbox.numbered(t_us, event);
        }
        Ticket { exchange: 0, mark }
    }

    /// Waits until the ticket's line and body are written. Gives other requests one turn to join the same write.
    ///
    /// # Errors
    /// When it could not be written: then no reply may pretend that it was. The journal stays failed.
    pub async fn commit(&self, ticket: Ticket) -> Result<(), RecordError> {
        let mut turns = 0;
        loop {
            if self.written.load(Ordering::Acquire) >= ticket.mark {
                return Ok(());
            }
            if turns > 0 && self.write_or_leave(turns > PATIENCE) {
                return self.outcome(ticket.mark);
            }
            turns += 1;
            tokio::task::yield_now().await;
        }
    }

    /// Takes down what really left for a request. It is written with the next commit, or soon.
    pub fn answered(&self, answered: Answered) {
        self.note(Event::Answered(answered));
    }

    /// Takes down anything else. It is written with the next commit, or soon.
    pub fn note(&self, event: Event) {
        let t_us = self.clock.elapsed_us();
        let taken = self.inbox().event(t_us, event);
        if taken.held > HELD_BYTES {
            self.write_or_leave(false);
        }
        if taken.first {
            self.stir.notify_one();
        }
    }

    /// Writes all that is held.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn flush(&self) -> Result<(), RecordError> {
        self.write_or_leave(true);
        self.failure().map_or(Ok(()), Err)
    }

    /// Writes the closing line. What comes later is not taken down.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn close(&self) -> Result<Head, RecordError> {
        let requests = {
            let mut inbox = self.inbox();
            let requests = inbox.requests;
            inbox.event(self.clock.elapsed_us(), Event::Closed { requests });
            inbox.closed = true;
            requests
        };
        self.flush()?;
        Ok(self.desk().ledger.head(requests))
    }

    /// Why the journal can no longer be written, if so.
    #[must_use]
    pub fn failure(&self) -> Option<RecordError> {
        self.failed.get().cloned()
    }

    /// Starts the task that writes what nobody waits for. It sleeps while there is nothing, and ends with the recorder.
    pub fn keep_fresh(self: &Arc<Self>) {
        let (recorder, stir) = (Arc::downgrade(self), Arc::clone(&self.stir));
        drop(tokio::spawn(async move {
            loop {
                stir.notified().await;
                if Weak::strong_count(&recorder) > 0 {
                    tick().await;
                }
                let Some(recorder) = recorder.upgrade() else { return };
                recorder.write_or_leave(true);
            }
        }));
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_long_body(&self) -> Arc<Memory> {
        Arc::clone(&self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes everything held, unless another thread is at it and we need not `wait`. Says whether it had its turn.
    fn write_or_leave(&self, wait: bool) -> bool {
        let mut desk = match self.desk.try_lock() {
            Ok(desk) => desk,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if wait => self.desk(),
            Err(TryLockError::WouldBlock) => return false,
        };
        if self.failed.get().is_some() {
            return true;
        }
        if let Err(error) = self.work(&mut desk) {
            // Nothing is held any more, so that a full disk does not become a full memory.
            self.inbox().fail();
            drop(self.failed.set(error));
        }
        true
    }

    /// Turns all that lies in the inbox into lines and writes them.
    fn work(&self, desk: &mut Desk) -> Result<(), RecordError> {
        let mark = self.inbox().empty_into(&mut desk.hand);
        let spare = desk.writer.spare();
        desk.ledger.start(spare);
        for entry in desk.hand.drain(..) {
            desk.ledger.enter(entry, self.stub_log.as_deref());
        }
        if let Some(memory) = desk.ledger.new_memory() {
            *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = memory;
        }
        let batch: Batch = desk.ledger.take();
        desk.writer.write(batch)?;
        if let Some(log) = &self.stub_log {
            log.flush()?;
        }
        self.written.store(mark, Ordering::Release);
        Ok(())
    }

    fn outcome(&self, mark: u64) -> Result<(), RecordError> {
        match self.failed.get() {
            _ if self.written.load(Ordering::Acquire) >= mark => Ok(()),
            Some(error) => Err(error.clone()),
            None => Err(RecordError::Closed),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a tick needs a timer, and this is `world`")]
async fn tick() {
    tokio::time::sleep(TICK).await;
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nobody is left to hear of an error: a caller that cares has closed the journal.
        self.write_or_leave(true);
        self.stir.notify_one();
    }
}
