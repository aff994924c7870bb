//! Joins the core to the world: numbers requests, takes every decision where the state cannot change meanwhile, and writes each
//! request's end down once.

use crate::core::{self, Act, Heard, Verdict};
use crate::denial::{self, Denial, GUARD};
use crate::exchange::{Exchange, Shelf};
use crate::forward;
use crate::outline::{blank, hop, outline, shown};
use crate::records::{Marks, Records, RecordsError};
use crate::relay::Provider;
use crate::replay::instead::{self, Instead};
use crate::setting::Setting;
use crate::state::State;
use crate::traffic::Traffic;
use crate::unpack::Unpacker;
use rehearsal_journal::bridge::{Action, Done, Fact, Kind};
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::clock::{self, Clock};
use rehearsal_world::files;
use rehearsal_world::http::{Answer, App, End, Left, Refusal, Request, Why};
use rehearsal_world::task::{self, Notify, oneshot};
use rehearsal_world::vault::{Folder, VaultError};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longest frozen system prompt, in bytes.
const LONGEST_SYSTEM: u64 = 1 << 20;
/// The bridge as an app of the HTTP server.
#[derive(Debug)]
pub struct Bridge(pub(crate) Arc<Inner>);

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Inner {
    setting: Setting,
    provider: Provider,
    /// The file of the frozen system prompt, read anew for each request.
    system: Option<PathBuf>,
    book: Mutex<Book>,
    marks: Marks,
    exchanges: Folder,
    /// Where what no budget pays for is written first.
    pub(crate) traffic: Option<Arc<Traffic>>,
    unpacker: Arc<Mutex<Option<Unpacker>>>,
    /// Rung when the log has more.
    pub(crate) logged: Notify,
    /// What is served of what was recorded before, if anything is.
    instead: Option<Instead>,
    leaving: Mutex<HashMap<u64, Leaving>>,
    /// Rung when the public state is behind.
    pub(crate) stale: Notify,
    /// Rung when a forward has ended.
    ended: Notify,
}

/// The state and where it is written: they change together.
#[derive(Debug)]
pub(crate) struct Book {
    records: Records,
    pub(crate) state: State,
    /// Forwards that are under way.
    pub(crate) under_way: usize,
    /// The last end that could not be written.
    lost: Option<VaultError>,
}

/// An answer on its way out.
#[derive(Debug)]
pub(crate) enum Leaving {
    /// One of our own words; its end is written once it has left.
    Own(Box<Done>, Clock),
    /// One of the provider's; whoever relays it waits.
    Relayed(oneshot::Sender<Left>),
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct Asking {
    pub(crate) done: Box<Done>,
    pub(crate) clock: Clock,
}

impl Bridge {
    /// A bridge over open records.
    #[must_use]
    pub fn new(
        setting: Setting,
        provider: Provider,
        system: Option<PathBuf>,
        records: Records,
        state: State,
    ) -> Self {
        let (marks, exchanges, traffic) = (records.marks(), records.exchanges(), records.traffic());
        let unpacker =
            traffic.as_ref().and_then(|traffic| Unpacker::new(traffic.folder(), exchanges.clone()).ok());
        let book = Book { records, state, under_way: 0, lost: None };
        Self(Arc::new(Inner {
            setting,
            provider,
            system,
            book: Mutex::new(book),
            marks,
            exchanges,
            traffic,
            unpacker: Arc::new(Mutex::new(unpacker)),
            logged: Notify::new(),
            instead: None,
            leaving: Mutex::default(),
            stale: Notify::new(),
            ended: Notify::new(),
        }))
    }

    /// Serves what was recorded before in the place of forwards. To be called before anything is served.
    #[must_use]
    pub fn with_recordings(mut self, instead: Instead) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.instead = Some(instead);
        }
        self
    }

    /// Writes the public state.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&self) -> Result<(), RecordsError> {
        let book = self.0.book();
        book.records.show(&self.0.setting, &book.state)
    }

    /// Waits until all forwards have ended, for `patience` at most. What has not ended by then is found at the next start.
    pub async fn drain(&self, patience: Duration) {
        let ended = async {
            loop {
                let wait = self.0.ended.notified();
                if self.0.book().under_way == 0 {
                    return;
                }
                wait.await;
            }
        };
        task::first(ended, task::after(patience)).await;
    }

    /// The counters and the armed case, for the operator's terminal.
    #[must_use]
    pub fn state(&self) -> State {
        self.0.book().state.clone()
    }

    /// What is served of what was recorded before, if anything is.
    #[must_use]
    pub fn instead(&self) -> Option<&Instead> {
        self.0.instead.as_ref()
    }

    /// What could not be written, if anything.
    #[must_use]
    pub fn lost(&self) -> Option<VaultError> {
        self.0.book().lost.clone()
    }
}

impl App for Bridge {
    /// Forwards need the runtime that has the sockets.
    const ASIDE: usize = usize::MAX;

    async fn answer(&self, request: Request) -> Answer {
        let inner = &self.0;
        let clock = Clock::start();
        let unix_ms = clock::unix_ms();
        let head = &request.head;
        let mut heard = core::hear(&inner.setting, head, &request.body, inner.frozen(head).as_deref());
        heard.lane = heard.lane.map(|lane| inner.setting.kept_text(&lane));
        let (sequence, verdict) = inner.admit(&heard);
        let mut done = outline(&heard, &verdict, sequence, unix_ms);
        done.path = inner.setting.kept_text(&done.path);
        done.method = inner.setting.kept_text(&done.method);
        done.origin = done.origin.map(|origin| inner.setting.kept_text(&origin));
        let mut asking = Asking { done: Box::new(done), clock };
        // What was recorded costs nothing, so that a spent budget does not stand before it.
        let forwards = matches!(verdict.act, Act::Forward { .. } | Act::Deny(Denial::Budget));
        if let Some(instead) = inner.instead.as_ref().filter(|_| forwards) {
            match instead::answer(inner, instead, &heard, &request, asking) {
                Ok(answer) => return answer,
                Err(given_back) => asking = given_back,
            }
        }
        match verdict.act {
            Act::Forward { counted } => {
                forward::answer(inner, forward::Wanted { heard, counted, request }, asking).await
            }
            act @ (Act::Deny(_)
            | Act::Health
            | Act::Status
            | Act::Arm(_)
            | Act::Disarm(_)
            | Act::Preflight) => inner.own_words(&act, &heard, asking, &request.body),
        }
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        let denial = match refusal.why {
            Why::BodyTooLarge(_) => Denial::BodyTooLarge,
            Why::Head(_)
            | Why::Malformed
            | Why::Tls
            | Why::HeadCut
            | Why::HeadTooSlow
            | Why::HeadTooLarge(_)
            | Why::TargetTooLong(_)
            | Why::TooManyHeaders(_)
            | Why::BodyTooSlow { .. }
            | Why::BodyCut { .. }
            | Why::BadChunk { .. } => Denial::InvalidBody,
        };
        let words = denial.words();
        let inner = &self.0;
        let sequence = inner.number();
        let text = |part: fn(&RequestHead) -> String| refusal.head.as_ref().map(part).unwrap_or_default();
        let mut done = blank(sequence, clock::unix_ms(), Kind::Invalid, Action::Denied);
        done.method = inner.setting.kept_text(&text(|head| head.method().into_owned()));
        done.path = inner.setting.kept_text(&shown(&text(|head| head.target().into_owned())));
        done.code = Some(words.code.to_owned());
        done.request = hop(&inner.setting.kept(&refusal.body));
        done.error = Some(refusal.why.to_string());
        let body = denial::body(GUARD, words.code, &format!("{} ({})", words.message, refusal.why));
        let status = if denial == Denial::BodyTooLarge { words.status } else { refusal.status };
        inner.leave(done, Clock::start(), ResponseHead::new(status), body, true)
    }

    fn left(&self, ticket: u64, left: Left) {
        let leaving = self.0.leaving().remove(&ticket);
        match leaving {
            Some(Leaving::Own(mut done, clock)) => {
                done.took_us = clock.elapsed_us();
                if left.end != End::Complete {
                    done.client_left = true;
                    done.served = hop(b"");
                }
                self.0.finish(*done);
            }
            Some(Leaving::Relayed(waits)) => drop(waits.send(left)),
            None => {}
        }
    }
}

impl Inner {
    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    pub(crate) fn exchanges(&self) -> &Folder {
        &self.exchanges
    }

    pub(crate) fn provider(&self) -> &Provider {
        &self.provider
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn leaving(&self) -> MutexGuard<'_, HashMap<u64, Leaving>> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The frozen system prompt, where the request may be one for a case.
    fn frozen(&self, head: &RequestHead) -> Option<String> {
        let path = self.system.as_deref().filter(|_| head.method() == "POST")?;
        files::read_text(path, LONGEST_SYSTEM).ok()
    }

    fn number(&self) -> u64 {
        let mut book = self.book();
        book.state.sequence += 1;
        book.state.sequence
    }

    /// Numbers a request and judges it. What only changes the state is done here and now.
    fn admit(&self, heard: &Heard) -> (u64, Verdict) {
        let mut guard = self.book();
        let book = &mut *guard;
        book.state.sequence += 1;
        let sequence = book.state.sequence;
        let mut verdict = core::judge(&self.setting, &book.state, heard);
        let fact = match &verdict.act {
            Act::Arm(case) => Fact::Armed { sequence, case: case.clone() },
            Act::Disarm(case) => Fact::Disarmed { sequence, case: case.clone() },
            Act::Deny(_) | Act::Health | Act::Status | Act::Preflight | Act::Forward { .. } => {
                return (sequence, verdict);
            }
        };
        let noted = book.records.note(fact.clone()).is_ok() && book.state.apply(&fact).is_ok();
        if !noted {
            verdict.act = Act::Deny(Denial::NotRecorded);
        }
        (sequence, verdict)
    }

    /// Judges once more and, where it still holds, spends the budget: from here on it is spent, whatever happens.
    pub(crate) fn reserve(
        &self,
        heard: &Heard,
        sequence: u64,
    ) -> Result<(rehearsal_world::record::Sync, Option<String>), (Denial, Option<VaultError>)> {
        let mut guard = self.book();
        let book = &mut *guard;
        let verdict = core::judge(&self.setting, &book.state, heard);
        match verdict.act {
            Act::Forward { .. } => {}
            Act::Deny(denial) => return Err((denial, None)),
            Act::Health | Act::Status | Act::Arm(_) | Act::Disarm(_) | Act::Preflight => {
                return Err((Denial::CaseNotArmed, None));
            }
        }
        let case = verdict
            .case
            .filter(|case| book.state.cases.contains_key(case) && !self.setting.cases().is_empty());
        let fact = Fact::Reserved { sequence, case: case.clone() };
        let sync = book.records.reserve(fact.clone()).map_err(|error| (Denial::NotRecorded, Some(error)))?;
        book.state.apply(&fact).map_err(|_| (Denial::Consumed, None))?;
        Ok((sync, case))
    }

    /// Writes a fact down.
    pub(crate) fn note(&self, fact: &Fact) -> Result<(), VaultError> {
        let mut guard = self.book();
        let book = &mut *guard;
        book.records.note(fact.clone())?;
        // A fact about a forward that was reserved always fits.
        drop(book.state.apply(fact));
        Ok(())
    }

    /// What an exchange is kept in: with `at_once` in files, where there is room for them, else in the log first, where there is one.
    pub(crate) fn open(
        &self,
        sequence: u64,
        name: String,
        at_once: bool,
        (request, upstream): (&[u8], Option<&[u8]>),
        maps: bool,
    ) -> Result<Exchange, VaultError> {
        if at_once {
            self.book().records.prove_room()?;
        }
        let folder = self.exchanges.clone();
        let log = self.traffic.clone().filter(|_| !at_once);
        let redactor = self.setting.redactor.clone();
        Exchange::open(Shelf { folder, log, sequence, name: name.into(), redactor }, request, upstream, maps)
    }

    /// A forward begins; what it waits for when its answer has left.
    pub(crate) fn begin(&self, sequence: u64) -> oneshot::Receiver<Left> {
        let (sender, receiver) = oneshot::channel();
        self.leaving().insert(sequence, Leaving::Relayed(sender));
        self.book().under_way += 1;
        receiver
    }

    /// A forward is over.
    pub(crate) fn end(&self, done: Done) {
        self.leaving().remove(&done.sequence);
        self.finish(done);
        self.book().under_way -= 1;
        self.ended.notify_waiters();
        self.logged.notify_one();
    }

    /// Unpacks a part of the log on a thread that may wait.
    pub(crate) async fn unpack(&self, until: (u64, u64), most: usize) -> Result<bool, VaultError> {
        let unpacker = Arc::clone(&self.unpacker);
        task::blocking(move || {
            let mut unpacker = unpacker.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(unpacker) = unpacker.as_mut() else { return Ok(true) };
            let unpacked = unpacker.unpack(until, most);
            // The journal has them already.
            drop(unpacker.ended());
            unpacked
        })
        .await
    }

    /// How many segments of the log were written since the one that is being unpacked.
    pub(crate) fn segments_behind(&self, traffic: &Traffic) -> u64 {
        let unpacked = self.unpacker().as_ref().map_or(u64::MAX, Unpacker::segment);
        traffic.number().saturating_sub(unpacked)
    }

    pub(crate) fn unpacker(&self) -> MutexGuard<'_, Option<Unpacker>> {
        self.unpacker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what waits.
    pub(crate) fn flush(&self) {
        let flushed = self.book().records.flush();
        if let Err(error) = flushed {
            self.lose(error);
        }
    }

    /// Writes down what waits, log and journal together: what stands before the place that this gives may leave the log.
    pub(crate) fn flush_both(&self, traffic: &Traffic) -> Result<(u64, u64), VaultError> {
        let mut book = self.book();
        let until = traffic.flush()?;
        book.records.flush().map(|()| until)
    }

    pub(crate) fn lose(&self, error: VaultError) {
        self.book().lost = Some(error);
    }

    /// Writes a request's end down.
    fn finish(&self, done: Done) {
        let at = clock::rfc3339(done.unix_ms);
        let mut guard = self.book();
        let book = &mut *guard;
        let fact = Fact::Done(Box::new(done.clone()));
        // What no budget paid for may wait a moment.
        let at_once = self.traffic.is_none() || book.state.begun.contains_key(&done.sequence);
        if let Err(error) = book.records.done(&self.setting, done, &at, at_once) {
            book.lost = Some(error);
        }
        // In memory it is over in any case: nothing that was spent comes back by this.
        drop(book.state.apply(&fact));
        drop(guard);
        self.stale.notify_one();
    }
}
