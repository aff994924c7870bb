//! Joins the core to the world: finds the lane, takes the decision down, lets it leave, notes what really left.

use crate::compose::{Form, Sent};
use crate::core::{self, Decision, Heard, Lane, Setting};
use crate::route;
use bytes::Bytes;
use rehearsal_journal::digest;
use rehearsal_journal::event::{Answered, Asked};
use rehearsal_wire::follow::RequestHead;
use rehearsal_world::http::{Answer, App, Left, Refusal, Reply, Request};
use rehearsal_world::record::{Head, RecordError, Recorder};
use rehearsal_world::task::Notify;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// A ticket holds the lane's number above these bits and the exchange in them.
const EXCHANGE_BITS: u32 = 40;

/// The stand-in as an app of the HTTP server.
#[derive(Debug)]
pub struct StandIn {
    setting: Setting,
    lanes: RwLock<Lanes>,
}

/// All lanes by number, and the numbers of those that are open by token. Lane 0 is the one without a token.
#[derive(Debug)]
struct Lanes {
    all: Vec<Arc<LaneBook>>,
    by_token: BTreeMap<String, usize>,
}

/// One lane: its counters, its journal, and how many of its answers are still leaving.
#[derive(Debug)]
struct LaneBook {
    lane: Mutex<Lane>,
    recorder: Arc<Recorder>,
    leaving: AtomicU64,
    left: Notify,
}

impl LaneBook {
    fn new(recorder: Arc<Recorder>, only: Option<usize>) -> Arc<Self> {
        recorder.keep_fresh();
        let lane = Mutex::new(Lane { only, ..Lane::default() });
        Arc::new(Self { lane, recorder, leaving: AtomicU64::new(0), left: Notify::new() })
    }

    fn lane(&self) -> MutexGuard<'_, Lane> {
        self.lane.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what a decision used up; false where the lane moved on since it was looked at.
    fn settle(&self, seen: &Lane, decision: &Decision<'_>) -> bool {
        let mut lane = self.lane();
        if decision.faulted && lane.faulted != seen.faulted {
            return false;
        }
        if decision.used.as_ref().is_some_and(|used| !used.commit(&mut lane.counts)) {
            return false;
        }
        lane.faulted += u64::from(decision.faulted);
        lane.hits += u64::from(decision.hit);
        true
    }
}

impl StandIn {
    /// A stand-in whose requests without a case go to this journal. Call it inside the runtime.
    #[must_use]
    pub fn new(setting: Setting, recorder: Arc<Recorder>) -> Self {
        let lanes = Lanes { all: vec![LaneBook::new(recorder, None)], by_token: BTreeMap::new() };
        Self { setting, lanes: RwLock::new(lanes) }
    }

    /// What it is set to.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Opens a lane at `/t/<token>` for one phrasing with a journal of its own.
    pub fn open_lane(&self, token: &str, phrasing: usize, recorder: Arc<Recorder>) {
        let mut lanes = self.lanes.write().unwrap_or_else(PoisonError::into_inner);
        let number = lanes.all.len();
        lanes.all.push(LaneBook::new(recorder, Some(phrasing)));
        lanes.by_token.insert(token.to_owned(), number);
    }

    /// Waits until all answers of a lane have left, or `patience` ends, and closes its journal; later requests find no lane.
    ///
    /// # Errors
    /// When the journal could not be written; `None` for a token that has no lane.
    pub async fn close_lane(
        &self,
        token: &str,
        patience: impl Future<Output = ()>,
    ) -> Option<Result<Head, RecordError>> {
        let book = {
            let mut lanes = self.lanes.write().unwrap_or_else(PoisonError::into_inner);
            let number = lanes.by_token.remove(token)?;
            Arc::clone(&lanes.all[number])
        };
        rehearsal_world::task::first(book.all_left(), patience).await;
        Some(book.recorder.close())
    }

    fn book(&self, number: usize) -> Option<Arc<LaneBook>> {
        self.lanes.read().unwrap_or_else(PoisonError::into_inner).all.get(number).cloned()
    }

    /// The lane of a token; none for a token that nobody gave out.
    fn find(&self, token: Option<&str>) -> Option<(usize, Arc<LaneBook>)> {
        let lanes = self.lanes.read().unwrap_or_else(PoisonError::into_inner);
        let number = match token {
            None => 0,
            Some(token) => *lanes.by_token.get(token)?,
        };
        Some((number, Arc::clone(&lanes.all[number])))
    }

    /// The lane of a target and the path on it; lane 0 with the whole target where its token is unknown.
    fn place<'t>(&self, target: &'t str) -> (usize, Arc<LaneBook>, &'t str, bool) {
        let split = route::split(target);
        match self.find(split.token) {
            Some((number, book)) => (number, book, split.path, true),
            None => (
                0,
                Arc::clone(&self.lanes.read().unwrap_or_else(PoisonError::into_inner).all[0]),
                split.path,
                false,
            ),
        }
    }

    /// Decides, again where another request of the lane was quicker.
    fn decide(&self, head: &RequestHead, body: &Bytes) -> (usize, Arc<LaneBook>, Decision<'_>) {
        let target = head.target();
        let (number, book, path, known) = self.place(&target);
        let headers: Vec<_> = head.headers().collect();
        let heard = Heard { head, headers: &headers, path, body };
        loop {
            let seen = book.lane().clone();
            let decision = if known {
                core::decide(&self.setting, &seen, heard)
            } else {
                core::no_such_case(&self.setting, heard)
            };
            if book.settle(&seen, &decision) {
                return (number, book, decision);
            }
        }
    }

    async fn deliver(
        &self,
        number: usize,
        book: &LaneBook,
        asked: Box<Asked>,
        sent: Sent,
        heard: (Option<RequestHead>, Bytes),
    ) -> Answer {
        let (head, body) = heard;
        let ticket = book.recorder.asked(asked, head, body);
        let exchange = ticket.exchange;
        book.leaving.fetch_add(1, Ordering::Relaxed);
        let number = (number as u64) << EXCHANGE_BITS | exchange;
        match book.recorder.commit(ticket).await {
            Ok(()) => Answer { ticket: number, reply: reply(sent), close: false },
            // Nothing may be answered as if it had been written down.
            Err(error) => {
                Answer { ticket: number, reply: reply(core::not_recorded(&error.to_string())), close: true }
            }
        }
    }
}

impl LaneBook {
    async fn all_left(&self) {
        loop {
            let left = self.left.notified();
            if self.leaving.load(Ordering::Acquire) == 0 {
                return;
            }
            left.await;
        }
    }
}

impl App for StandIn {
    async fn answer(&self, request: Request) -> Answer {
        let Request { conn, head, body } = request;
        let (number, book, decision) = self.decide(&head, &body);
        let Decision { mut asked, sent, .. } = decision;
        asked.conn = conn;
        self.deliver(number, &book, asked, sent, (Some(head), body)).await
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        let (mut asked, sent) = core::unreadable(&self.setting, refusal.status, &refusal.why.to_string());
        asked.conn = refusal.conn;
        let (number, book) = match &refusal.head {
            Some(head) => {
                let (number, book, _, _) = self.place(&head.target());
                (number, book)
            }
            None => {
                take_partial(&mut asked, &refusal.partial);
                let (number, book, _, _) = self.place("");
                (number, book)
            }
        };
        self.deliver(number, &book, asked, sent, (refusal.head, refusal.body)).await
    }

    fn left(&self, ticket: u64, left: Left) {
        let number = usize::try_from(ticket >> EXCHANGE_BITS).unwrap_or(usize::MAX);
        let Some(book) = self.book(number) else { return };
        let exchange = ticket & ((1 << EXCHANGE_BITS) - 1);
        let sha256 = digest::text(&left.sha256);
        book.recorder.answered(Answered { exchange, bytes: left.bytes, sha256, end: left.end });
        book.leaving.fetch_sub(1, Ordering::AcqRel);
        book.left.notify_waiters();
    }
}

/// The first line of a head that never came whole, as far as it can be told.
fn take_partial(asked: &mut Asked, partial: &[u8]) {
    let line = partial.split(|byte| *byte == b'\r' || *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(&line[..line.len().min(256)]).into_owned();
    let mut words = line.split(' ');
    asked.method = words.next().unwrap_or_default().to_owned();
    asked.path = words.next().unwrap_or_default().to_owned();
}

fn reply(sent: Sent) -> Reply {
    match sent.form {
        Form::Whole(head, body) => Reply::Whole { head, body: Bytes::from(body) },
        Form::Frames(head, frames) => {
            Reply::Chunks { head, frames: frames.into_iter().map(Bytes::from).collect() }
        }
        Form::Acts(plan) => Reply::Acts(plan),
    }
}
