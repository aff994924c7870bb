//! One server for all cases: gives each request to the stand-in, or to the recordings that play the provider of its case.
//!
//! A case that a cassette plays has a lane of the stand-in, too: whatever is no call of a model, such as the reports of watched
//! commands and what could not be read, is taken down there, in the same journal.

use crate::run::RunError;
use rehearsal_bridge::replay::serve::Replay;
use rehearsal_journal::event::{CassettePlayed, Event};
use rehearsal_standin::serve::StandIn;
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::target::split;
use rehearsal_world::http::{Answer, App, Left, Refusal, Request};
use rehearsal_world::record::{Head, Recorder};
use rehearsal_world::task::{self, Notify};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// Tickets of recordings have this bit; those of the stand-in never do.
const RECORDED: u64 = 1 << 63;
/// Below it stands the line's number, and in these bits the exchange.
const EXCHANGE_BITS: u32 = 40;
/// The bits of the exchange.
const EXCHANGES: u64 = (1 << EXCHANGE_BITS) - 1;

/// How the paths begin that are ours and no provider's.
const OURS: &str = "/gate/";

/// The app.
#[derive(Debug)]
pub(crate) struct Switchboard {
    standin: StandIn,
    lines: RwLock<Lines>,
}

/// All lines by number, and the numbers of those that are open by token.
#[derive(Debug, Default)]
struct Lines {
    all: BTreeMap<u64, Arc<Line>>,
    /// Number of the line that is opened next. A number is given once, so that what is late for a closed line finds none.
    next: u64,
    by_token: BTreeMap<String, u64>,
}

/// The recordings of one case.
#[derive(Debug)]
struct Line {
    number: u64,
    replay: Replay,
    recorder: Arc<Recorder>,
    leaving: AtomicU64,
    left: Notify,
    /// Requests so far.
    asked: AtomicU64,
    grown: Notify,
}

impl Line {
    async fn answer(&self, request: Request) -> Answer {
        self.asked.fetch_add(1, Ordering::AcqRel);
        self.grown.notify_waiters();
        let answer = self.replay.answer(request).await;
        self.leaving.fetch_add(1, Ordering::AcqRel);
        let ticket = RECORDED | self.number << EXCHANGE_BITS | answer.ticket & EXCHANGES;
        Answer { ticket, ..answer }
    }

    fn left(&self, ticket: u64, left: Left) {
        self.replay.left(ticket & EXCHANGES, left);
        if self.leaving.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.left.notify_waiters();
        }
    }

    async fn all_left(&self) {
        loop {
            let left = self.left.notified();
            if self.leaving.load(Ordering::Acquire) == 0 {
                return;
            }
            left.await;
        }
    }

    async fn exceeded(&self, most: u64) {
        loop {
            let grown = self.grown.notified();
            if self.asked.load(Ordering::Acquire) > most {
                return;
            }
            grown.await;
        }
    }

    fn played(&self) -> CassettePlayed {
        let shelf = self.replay.shelf();
        let unused = shelf.unused().map(|recording| recording.name.clone()).collect();
        CassettePlayed { recordings: shelf.len() as u64, unused }
    }
}

impl Switchboard {
    pub(crate) fn new(standin: StandIn) -> Self {
        Self { standin, lines: RwLock::default() }
    }

    pub(crate) fn standin(&self) -> &StandIn {
        &self.standin
    }

    /// Lets recordings play the provider at `/t/<token>`. The stand-in must have a lane of this token with the same journal.
    pub(crate) fn connect(&self, token: &str, replay: Replay, recorder: Arc<Recorder>) {
        let mut lines = self.lines_mut();
        let number = lines.next;
        lines.next += 1;
        let line = Line {
            number,
            replay: replay.behind_secret(),
            recorder,
            leaving: AtomicU64::new(0),
            left: Notify::new(),
            asked: AtomicU64::new(0),
            grown: Notify::new(),
        };
        lines.all.insert(number, Arc::new(line));
        lines.by_token.insert(token.to_owned(), number);
    }

    /// Resolves once a case got more than so many requests of its agent.
    pub(crate) async fn exceeded(&self, token: &str, most: u64) {
        match self.line(token) {
            Some(line) => line.exceeded(most).await,
            None => self.standin.exceeded(token, most).await,
        }
    }

    /// Waits until all answers of a case have left, at most `patience` for those of each kind, takes down what of its cassette was
    /// asked for, and closes its journal; later requests find nobody. None for a token that has no lane.
    ///
    /// # Errors
    /// When the journal could not be written, or a recording could not be read any more.
    pub(crate) async fn close(&self, token: &str, patience: Duration) -> Result<Option<Head>, RunError> {
        let line = self.line(token);
        if let Some(line) = &line {
            self.lines_mut().by_token.remove(token);
            task::first(line.all_left(), task::after(patience)).await;
            line.recorder.note(Event::CassettePlayed(line.played()));
            self.lines_mut().all.remove(&line.number);
        }
        let head = self.standin.close_lane(token, task::after(patience)).await.transpose()?;
        match line.and_then(|line| line.replay.lost()) {
            Some(lost) => Err(RunError::Lost(lost)),
            None => Ok(head),
        }
    }

    fn lines(&self) -> RwLockReadGuard<'_, Lines> {
        self.lines.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines_mut(&self) -> RwLockWriteGuard<'_, Lines> {
        self.lines.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self, token: &str) -> Option<Arc<Line>> {
        let lines = self.lines();
        lines.all.get(lines.by_token.get(token)?).cloned()
    }

    /// Who plays the provider for a request, where that is not the stand-in.
    fn line_of(&self, head: &RequestHead) -> Option<Arc<Line>> {
        if self.lines().by_token.is_empty() {
            return None;
        }
        let target = head.target();
        let asked = split(&target);
        self.line(asked.token?).filter(|_| !asked.path.starts_with(OURS))
    }
}

impl App for Switchboard {
    async fn answer(&self, request: Request) -> Answer {
        match self.line_of(&request.head) {
            Some(line) => line.answer(request).await,
            None => self.standin.answer(request).await,
        }
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        self.standin.refuse(refusal).await
    }

    fn left(&self, ticket: u64, left: Left) {
        if ticket & RECORDED == 0 {
            return self.standin.left(ticket, left);
        }
        let number = (ticket & !RECORDED) >> EXCHANGE_BITS;
        let line = self.lines().all.get(&number).cloned();
        if let Some(line) = line {
            line.left(ticket, left);
        }
    }
}
