//! Joins the core to the world: finds the lane, takes the decision down, lets it leave, notes what really left.

use crate::compose::{Form, Sent};
use crate::core::{self, Decision, Heard, Hosts, Lane, Setting};
use crate::notice::Notices;
use crate::stored::{Store, Stored};
use crate::taken::{self, Taken};
use crate::{refusal, route};
use bytes::Bytes;
use rehearsal_journal::digest;
use rehearsal_journal::event::{Answered, Asked, CommandRan, Event, Kind};
use rehearsal_script::drill::Drill;
use rehearsal_script::pick::Counts;
use rehearsal_wire::follow::RequestHead;
use rehearsal_world::http::{Answer, App, Left, Refusal, Reply, Request};
use rehearsal_world::record::{Head, RecordError, Recorder};
use rehearsal_world::task::Notify;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

/// A ticket holds the lane's number above these bits and the exchange in them.
const EXCHANGE_BITS: u32 = 40;
/// The bits of the exchange.
const EXCHANGES: u64 = (1 << EXCHANGE_BITS) - 1;

/// The stand-in as an app of the HTTP server.
#[derive(Debug)]
pub struct StandIn {
    setting: Arc<Setting>,
    /// Lane 0 once more: most requests are on it, and need no lock to find it.
    home: Arc<LaneBook>,
    lanes: RwLock<Lanes>,
    /// Hosts that a request may name beside this machine.
    hosts: Vec<String>,
    /// Whether nothing is answered without a token.
    guarded: bool,
    /// Who is told of requests beside the script, if anybody is.
    notices: Option<Notices>,
}

/// A lane in use. Counting its users is left out where it lives as long as the stand-in: all cores would write the count.
#[derive(Debug)]
enum Book<'s> {
    Home(&'s LaneBook),
    Case(Arc<LaneBook>),
}

impl Deref for Book<'_> {
    type Target = LaneBook;

    fn deref(&self) -> &LaneBook {
        match self {
            Self::Home(book) => book,
            Self::Case(book) => book,
        }
    }
}

/// All lanes by number, and the numbers of those that are open by token. Lane 0 is the one of all phrasings.
#[derive(Debug)]
struct Lanes {
    all: BTreeMap<usize, Arc<LaneBook>>,
    /// Number of the lane that is opened next. A number is given once, so that what is late for a closed lane finds none.
    next: usize,
    by_token: BTreeMap<String, usize>,
}

/// One lane: its counters, its journal, and how many of its answers are still leaving.
#[derive(Debug)]
struct LaneBook {
    play: Mutex<Play>,
    /// Replies that clients may ask for later.
    stored: Mutex<Stored>,
    /// Whether anything was ever kept: spares the others a lock.
    keeps: AtomicBool,
    recorder: Arc<Recorder>,
    leaving: AtomicU64,
    left: Notify,
    /// Requests that belong to the script, refused ones and further attempts included. Counted for a case alone.
    scripted: AtomicU64,
    grown: Notify,
}

/// What is played on a lane, and how far it is.
#[derive(Clone, Debug)]
struct Play {
    setting: Arc<Setting>,
    /// The setting without the faults that were laid over it while it served.
    bare: Option<Arc<Setting>>,
    lane: Lane,
}

impl Play {
    /// Lays other faults over the scripts, or none; how many requests met some begins anew.
    fn switch(&mut self, drill: Option<&Drill>) {
        let bare = self.bare.take().unwrap_or_else(|| Arc::clone(&self.setting));
        self.lane.counts = Counts::default();
        self.lane.faulted = 0;
        match drill {
            Some(drill) => {
                self.setting = Arc::new(bare.under(drill));
                self.bare = Some(bare);
            }
            None => self.setting = bare,
        }
    }
}

impl LaneBook {
    fn new(setting: Arc<Setting>, recorder: Arc<Recorder>, only: Option<usize>) -> Arc<Self> {
        recorder.keep_fresh();
        Arc::new(Self {
            stored: Mutex::default(),
            keeps: AtomicBool::new(false),
            play: Mutex::new(Play { setting, bare: None, lane: Lane { only, ..Lane::default() } }),
            recorder,
            leaving: AtomicU64::new(0),
            left: Notify::new(),
            scripted: AtomicU64::new(0),
            grown: Notify::new(),
        })
    }

    fn play(&self) -> MutexGuard<'_, Play> {
        self.play.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks up what the lane keeps that a request may go on from.
    fn recall(&self, head: &RequestHead, path: &str, lane: &mut Lane) {
        if !self.keeps.load(Ordering::Acquire) {
            return;
        }
        let named = route::kept(&head.method(), path);
        let stored = self.stored();
        lane.talks = stored.talks();
        lane.shelf = stored.shelf();
        lane.kept = named.and_then(|id| stored.get(&id));
    }

    fn keep(&self, change: Store) {
        self.stored().change(change);
        self.keeps.store(true, Ordering::Release);
    }

    /// Counts what a decision used up; false where the lane moved on since it was looked at.
    fn settle(&self, setting: &Arc<Setting>, seen: &Lane, decision: &Decision<'_>) -> bool {
        let mut play = self.play();
        if !Arc::ptr_eq(&play.setting, setting) {
            return false;
        }
        let lane = &mut play.lane;
        if decision.faulted && lane.faulted != seen.faulted
            || decision.after_end.is_some() && lane.after_end != seen.after_end
        {
            return false;
        }
        if decision.used.as_ref().is_some_and(|used| !used.commit(&mut lane.counts)) {
            return false;
        }
        if let Some(drill) = &decision.switched {
            play.switch(drill.as_ref());
            return true;
        }
        if !taken::commit(&decision.parts, &mut lane.counts) {
            return false;
        }
        lane.faulted += u64::from(decision.faulted);
        lane.hits += u64::from(decision.hit);
        if decision.after_end.is_some() {
            lane.after_end += 1;
            lane.last_after_end = decision.after_end;
        }
        let kinds = decision.parts.iter().map(|part| part.asked.kind).chain([decision.asked.kind]);
        let scripted = kinds.filter(|kind| is_scripted(*kind)).count() as u64;
        if lane.only.is_some() && scripted > 0 {
            self.scripted.fetch_add(scripted, Ordering::AcqRel);
            self.grown.notify_waiters();
        }
        true
    }
}

fn is_scripted(kind: Kind) -> bool {
    match kind {
        Kind::Scenario | Kind::Overrun | Kind::Hostile => true,
        Kind::Background | Kind::BadJson | Kind::WrongPath | Kind::Unreadable | Kind::Aside => false,
    }
}

impl StandIn {
    /// A stand-in whose requests without a case go to this journal. Call it inside the runtime.
    #[must_use]
    pub fn new(setting: Setting, recorder: Arc<Recorder>) -> Self {
        let setting = Arc::new(setting);
        let home = LaneBook::new(Arc::clone(&setting), recorder, None);
        let lanes = RwLock::new(Lanes {
            all: BTreeMap::from([(0, Arc::clone(&home))]),
            next: 1,
            by_token: BTreeMap::new(),
        });
        Self { setting, home, lanes, hosts: Vec::new(), guarded: false, notices: None }
    }

    /// Guards it. Requests may name these hosts beside this machine. With a token, the lane of all phrasings stands at
    /// `/t/<token>/`, and nothing is answered elsewhere but the lanes of open cases and `/gate/health`; a request that
    /// knows a token may name any host.
    #[must_use]
    pub fn guard(mut self, token: Option<&str>, hosts: Vec<String>) -> Self {
        self.hosts = hosts;
        if let Some(token) = token {
            self.guarded = true;
            let lanes = self.lanes.get_mut().unwrap_or_else(PoisonError::into_inner);
            lanes.by_token.insert(token.to_owned(), 0);
        }
        self
    }

    /// Says why a request that holds a prompt was answered beside the script: one sentence for the first of each reason.
    #[must_use]
    pub fn tell_of_side_calls(mut self, say: fn(&str)) -> Self {
        self.notices = Some(Notices::new(say));
        self
    }

    /// Plays another setting on the lane of all phrasings from the next request on, from its beginning. Cases, and answers
    /// that are on their way, keep to the setting that they began with.
    pub fn replace(&self, setting: Setting) {
        let Some(book) = self.book(0) else { return };
        *book.play() = Play { setting: Arc::new(setting), bare: None, lane: Lane::default() };
    }

    /// Lays faults over the scripts of the lane of all phrasings, or takes them off, as `POST /gate/faults` does.
    pub fn lay(&self, drill: Option<&Drill>) {
        if let Some(book) = self.book(0) {
            book.play().switch(drill);
        }
    }

    /// Resolves once a case got more than so many requests that belong to its script; never for a token without a lane.
    pub async fn exceeded(&self, token: &str, most: u64) {
        let Some((_, book)) = self.find(Some(token)) else { return std::future::pending().await };
        loop {
            let grown = book.grown.notified();
            if book.scripted.load(Ordering::Acquire) > most {
                return;
            }
            grown.await;
        }
    }

    /// What it was set to first.
    #[must_use]
    pub fn setting(&self) -> &Arc<Setting> {
        &self.setting
    }

    /// Opens a lane at `/t/<token>` for one phrasing of a setting with a journal of its own.
    pub fn open_lane(&self, token: &str, phrasing: usize, setting: Arc<Setting>, recorder: Arc<Recorder>) {
        let mut lanes = self.lanes_mut();
        let number = lanes.next;
        lanes.next += 1;
        lanes.all.insert(number, LaneBook::new(setting, recorder, Some(phrasing)));
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
        let (number, book) = {
            let mut lanes = self.lanes_mut();
            let number = lanes.by_token.remove(token)?;
            (number, Arc::clone(lanes.all.get(&number)?))
        };
        rehearsal_world::task::first(book.all_left(), patience).await;
        let head = book.recorder.close();
        // Its counters, its memory and its files go with it: a long run has many lanes, and few of them open.
        self.lanes_mut().all.remove(&number);
        Some(head)
    }

    fn lanes_mut(&self) -> RwLockWriteGuard<'_, Lanes> {
        self.lanes.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn book(&self, number: usize) -> Option<Book<'_>> {
        if number == 0 {
            return Some(Book::Home(&self.home));
        }
        let lanes = self.lanes.read().unwrap_or_else(PoisonError::into_inner);
        lanes.all.get(&number).cloned().map(Book::Case)
    }

    /// The lane of a token; none for a token that nobody gave out.
    fn find(&self, token: Option<&str>) -> Option<(usize, Book<'_>)> {
        let Some(token) = token else { return Some((0, Book::Home(&self.home))) };
        let lanes = self.lanes.read().unwrap_or_else(PoisonError::into_inner);
        let number = *lanes.by_token.get(token)?;
        Some((number, Book::Case(Arc::clone(lanes.all.get(&number)?))))
    }

    /// The lane of a target and the path on it; lane 0 where its token is unknown.
    fn place<'s, 't>(&'s self, target: &'t str) -> Placed<'s, 't> {
        let route::Target { token, path } = route::split(target);
        match self.find(token) {
            Some((number, book)) => Placed { number, book, path, known: true, named: token.is_some() },
            None => Placed { number: 0, book: Book::Home(&self.home), path, known: false, named: false },
        }
    }

    /// Decides, again where another request of the lane was quicker.
    fn decide(&self, head: &RequestHead, body: &Bytes) -> (usize, Book<'_>, Decided) {
        let target = head.target();
        let Placed { number, book, path, known, named } = self.place(&target);
        let headers = head.header_list();
        let open = !self.guarded || path == route::HEALTH;
        let hosts = if self.guarded && (named || open) { Hosts::Any } else { Hosts::Own(&self.hosts) };
        let heard = Heard { head, headers: &headers, path, body, hosts, mount: None };
        loop {
            let Play { setting, mut lane, .. } = book.play().clone();
            book.recall(head, path, &mut lane);
            let decision = if !(named || open) {
                refusal::no_token(heard)
            } else if known {
                core::decide(&setting, &lane, heard)
            } else {
                refusal::no_such_case(&setting, heard)
            };
            // What was looked at is let go of first: what nobody else holds is changed in its place, and not copied.
            lane = Lane { faulted: lane.faulted, after_end: lane.after_end, ..Lane::default() };
            if book.settle(&setting, &lane, &decision) {
                let Decision { asked, sent, ran, store, parts, .. } = decision;
                if let Some(store) = store {
                    book.keep(store);
                }
                let parts = parts.into_iter().map(Taken::of).collect();
                return (number, book, Decided { asked, sent, ran, secret: path == route::COMMAND, parts });
            }
        }
    }

    /// Takes the token that guards the server out of what is written down.
    fn without_token(&self, number: usize, asked: &mut Asked, head: Option<&RequestHead>) {
        if self.guarded && number == 0 {
            let partial = || asked.path.as_str().into();
            asked.path = route::without_token(&head.map_or_else(partial, RequestHead::target));
        }
    }

    async fn deliver(
        &self,
        number: usize,
        book: &LaneBook,
        mut asked: Box<Asked>,
        sent: Sent,
        heard: (Option<RequestHead>, Bytes),
    ) -> Answer {
        let (head, body) = heard;
        self.without_token(number, &mut asked, head.as_ref());
        let ticket = book.recorder.asked(asked, head, body);
        let exchange = ticket.exchange;
        book.leaving.fetch_add(1, Ordering::Relaxed);
        let number = (number as u64) << EXCHANGE_BITS | exchange;
        match book.recorder.commit(ticket).await {
            Ok(()) => Answer { ticket: number, reply: reply(sent), close: false },
            // Nothing may be answered as if it had been written down.
            Err(error) => Answer {
                ticket: number,
                reply: reply(refusal::not_recorded(&error.to_string())),
                close: true,
            },
        }
    }
}

/// A target's lane.
struct Placed<'s, 't> {
    number: usize,
    book: Book<'s>,
    /// The path without lane and query.
    path: &'t str,
    /// Whether the target names an open lane, or none.
    known: bool,
    /// Whether it names an open lane by its token.
    named: bool,
}

/// What is left to do of a decision once it is settled.
struct Decided {
    asked: Box<Asked>,
    sent: Sent,
    ran: Option<CommandRan>,
    /// Whether the body may hold secrets that nobody masks.
    secret: bool,
    /// The requests of a batch.
    parts: Vec<Taken>,
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
        let Decided { mut asked, sent, ran, secret, parts } = decision;
        asked.conn = conn;
        if let Some(ran) = ran {
            book.recorder.note(Event::CommandRan(ran));
        }
        for mut part in parts {
            part.asked.conn = conn;
            self.without_token(number, &mut part.asked, Some(&head));
            part.write(&book.recorder, &head);
        }
        let body = if secret { Bytes::new() } else { body };
        let notice = self.notices.as_ref().and_then(|notices| notices.of(&asked));
        let answer = self.deliver(number, &book, asked, sent, (Some(head), body)).await;
        if let Some(notice) = notice {
            notice.say(answer.ticket & EXCHANGES);
        }
        answer
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        let dialect = refusal.head.as_ref().and_then(|head| {
            let headers = head.header_list();
            route::spoken(head.method().as_ref(), route::split(&head.target()).path, &headers)
        });
        let why = refusal.why.to_string();
        let (mut asked, sent) = refusal::unreadable(&self.setting, dialect, refusal.status, &why);
        asked.conn = refusal.conn;
        let (number, book) = match &refusal.head {
            Some(head) => {
                let Placed { number, book, .. } = self.place(&head.target());
                (number, book)
            }
            None => {
                take_partial(&mut asked, &refusal.partial);
                let Placed { number, book, .. } = self.place("");
                (number, book)
            }
        };
        self.deliver(number, &book, asked, sent, (refusal.head, refusal.body)).await
    }

    fn left(&self, ticket: u64, left: Left) {
        let number = usize::try_from(ticket >> EXCHANGE_BITS).unwrap_or(usize::MAX);
        let Some(book) = self.book(number) else { return };
        let exchange = ticket & EXCHANGES;
        let sha256 = digest::text(&left.sha256);
        book.recorder.answered(Answered { exchange, bytes: left.bytes, sha256, end: left.end });
        if book.leaving.fetch_sub(1, Ordering::AcqRel) == 1 {
            book.left.notify_waiters();
        }
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
        Form::Whole(head, body) => Reply::Whole { head, body },
        Form::Frames(head, frames) => Reply::Chunks { head, frames },
        Form::Acts(plan) => Reply::Acts(plan),
    }
}
