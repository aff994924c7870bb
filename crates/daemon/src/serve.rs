//! Joins the core to the world: reads a request, has it judged, does what must be done, takes it down, and lets the answer leave.
//!
//! The state is changed under one lock, in which nothing waits: files are written, and the journal, outside of it.

use crate::a2a;
use crate::core::{self, Decision, Heard, Step, Work};
use crate::disk::Disk;
use crate::install::Installed;
use crate::mask::Secret;
use crate::setting::{Manner, Setting};
use crate::state::State;
use crate::stream::Streams;
use crate::v2::{self, Body};
use crate::wire_reply;
use bytes::Bytes;
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::digest;
use rehearsal_journal::event::{Answered, Asked, Event, Kind};
use rehearsal_script::runs::Mode;
use rehearsal_wire::act::{After, Plan};
use rehearsal_wire::follow::RequestHead;
use rehearsal_world::clock;
use rehearsal_world::http::{Answer, App, Left, Refusal, Reply, Request, Why};
use rehearsal_world::process;
use rehearsal_world::record::{Lines, RecordError, Recorder, Ticket};
use rehearsal_world::task::{self, Notify, oneshot};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The daemon as an app of the HTTP server.
#[derive(Clone, Debug)]
pub struct Daemon(pub(crate) Arc<Inner>);

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) setting: Setting,
    state: Mutex<State>,
    disk: Disk,
    pub(crate) recorder: Arc<Recorder>,
    wire: Option<Lines>,
    pub(crate) streams: Streams,
    /// Rung when something that was worked on is done.
    settled: Notify,
    /// Rung when the clock may bring something sooner.
    moved: Notify,
    /// Keeps the folders owned.
    _installed: Installed,
}

/// What stays of a request while it is worked on.
struct Asking {
    head: Option<RequestHead>,
    /// Its target.
    path: String,
    body: Bytes,
    conn: u64,
    /// Whether what is decided may repeat the secret, which somebody sent in a wrong place.
    spoiled: bool,
}

/// A decision that was taken down, and is to leave.
struct Ready {
    ticket: Ticket,
    decision: Box<Decision>,
}

impl Daemon {
    /// A daemon with open folders and an open journal.
    #[must_use]
    pub fn new(
        setting: Setting,
        mut installed: Installed,
        recorder: Arc<Recorder>,
        wire: Option<Lines>,
    ) -> Self {
        recorder.keep_fresh();
        let began = Fact::Began { unix_ms: clock::unix_ms(), pid: process::own_id(), setting: setting.sum() };
        recorder.note(Event::Daemon(began));
        let disk = installed.disk.clone();
        let clock_ms = setting.scripted_clock.then_some(Setting::CLOCK_MS);
        let mut state = State::new(clock_ms);
        state.taken = std::mem::take(&mut installed.earlier).into_iter().collect();
        Self(Arc::new(Inner {
            setting,
            state: Mutex::new(state),
            disk,
            recorder,
            wire,
            streams: Streams::default(),
            settled: Notify::new(),
            moved: Notify::new(),
            _installed: installed,
        }))
    }

    /// Cuts off whoever listens to events or waits for a task: the program is about to end.
    pub fn end_streams(&self) {
        self.0.streams.end();
    }

    /// Brings what the clock brings: questions time out, steps come due. Never ends.
    pub async fn keep_time(&self) {
        let inner = &self.0;
        loop {
            let moved = inner.moved.notified();
            let (due, now_ms, stands) = {
                let state = inner.state();
                (state.next_due(), now_ms(&state), state.clock_ms.is_some())
            };
            match due {
                Some(due) if due <= now_ms => inner.tick(now_ms),
                Some(_) if stands => moved.await,
                Some(due) => task::first(moved, task::after(Duration::from_millis(due - now_ms))).await,
                None => moved.await,
            }
        }
    }
}

impl App for Daemon {
    async fn answer(&self, request: Request) -> Answer {
        let inner = &self.0;
        let Request { conn, head, body } = request;
        let method = head.method().into_owned();
        let target = head.target().into_owned();
        let header = |name: &str| text(head.get(name));
        let (host, origin, key) = (header("host"), header("origin"), header("idempotency-key"));
        let (major, last) = (header("x-claudexor-protocol-major"), header("last-event-id"));
        let (version, content) = (header("a2a-version"), header("content-type"));
        let authorization = head.get("authorization").unwrap_or_default().to_vec();
        // What a stranger sends is neither read nor kept.
        let body = if v2::is_known(&inner.setting, &authorization) { body } else { Bytes::new() };
        let bytes = body.clone();
        let heard = Heard {
            method: &method,
            target: &target,
            authorization: &authorization,
            host: &host,
            origin: Some(origin.as_str()).filter(|origin| !origin.is_empty()),
            key: &key,
            major: &major,
            last_event: &last,
            a2a: a2a::Headers { version: &version, content: &content },
            body: if matches!(method.as_str(), "POST" | "PATCH") { Body::read(&bytes) } else { Body::Empty },
            raw: &bytes,
            looked: core::Looked::default(),
        };
        // What takes its time is done before anybody is kept waiting.
        heard.look(&inner.setting);
        let secret = inner.secret();
        let in_body = secret.is_in(&body);
        let spoiled = in_body || [&method, &target, &key].iter().any(|text| secret.is_in(text.as_bytes()));
        let body = if in_body { Bytes::new() } else { body };
        if let Err(error) = inner.write_wire(&heard) {
            return inner.not_recorded(&target, &error);
        }
        let path = secret.out_of(target.as_str().into()).into_owned();
        let written = Some(secret.out_of_head(head.clone()));
        let mut asking = Some(Asking { head: written, path, body, conn, spoiled });
        let ready = loop {
            let settled = inner.settled.notified();
            match inner.judge(&heard, &mut asking) {
                Judged::Ready(ready) => break Some(ready),
                Judged::Work(work, asking) => break inner.work_for(*work, asking).await,
                Judged::Wait => settled.await,
            }
        };
        match ready {
            Some(ready) => inner.leave(&target, ready, false).await,
            None => inner.not_recorded(&target, &RecordError::Closed),
        }
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        let inner = &self.0;
        let authorization = refusal.head.as_ref().and_then(|head| head.get("authorization"));
        let known = authorization.is_some_and(|it| v2::is_known(&inner.setting, it));
        let (method, target) = refusal
            .head
            .as_ref()
            .map_or_else(Default::default, |head| (head.method().into_owned(), head.target().into_owned()));
        let heard = Heard { method: &method, target: &target, ..Heard::nothing() };
        if let Err(error) = inner.write_wire(&heard) {
            return inner.not_recorded(&target, &error);
        }
        let is_large = matches!(refusal.why, Why::BodyTooLarge(_));
        let (status, why) = (refusal.status, refusal.why.to_string());
        let decision = if inner.is_a2a(&target) {
            a2a::unreadable(&target, a2a::Unreadable { status, why: &why, is_large }, known)
        } else {
            v2::unreadable(&inner.setting, status, &why, is_large, known)
        };
        let path = inner.secret().out_of(target.as_str().into()).into_owned();
        let head = refusal.head.map(|head| inner.secret().out_of_head(head));
        let asking = Asking { head, path, body: Bytes::new(), conn: refusal.conn, spoiled: true };
        let ready = {
            let _order = inner.state();
            inner.take_down(Box::new(decision), asking, Kind::Unreadable)
        };
        inner.leave(&target, ready, true).await
    }

    fn left(&self, ticket: u64, left: Left) {
        let sha256 = digest::text(&left.sha256);
        self.0.recorder.answered(Answered { exchange: ticket, bytes: left.bytes, sha256, end: left.end });
    }
}

/// What came of judging.
enum Judged {
    Ready(Ready),
    Work(Box<Work>, Asking),
    Wait,
}

impl Inner {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Judges a request and, where it is decided, takes it down before anything else is.
    fn judge(&self, heard: &Heard<'_>, asking: &mut Option<Asking>) -> Judged {
        let mut state = self.state();
        let now_ms = now_ms(&state);
        let due = (state.next_due(), state.clock_ms);
        let step = core::judge(&mut state, &self.setting, heard, now_ms);
        let judged = match (step, asking.take()) {
            (Step::Done(decision), Some(asking)) => {
                Judged::Ready(self.take_down(decision, asking, Kind::Aside))
            }
            (Step::Work(work), Some(asking)) => Judged::Work(work, asking),
            (_, given_back) => {
                *asking = given_back;
                Judged::Wait
            }
        };
        if let Judged::Ready(ready) = &judged {
            self.streams.stir(&state, ready.decision.decided.run.as_deref());
        }
        if (state.next_due(), state.clock_ms) != due {
            self.moved.notify_one();
        }
        judged
    }

    /// Takes a decision down. To be called while nobody else can change the state, so that the journal has its order.
    fn take_down(&self, mut decision: Box<Decision>, asking: Asking, kind: Kind) -> Ready {
        let mut asked = Box::new(Asked::of(kind));
        let Asking { head, path, body, conn, spoiled } = asking;
        asked.conn = conn;
        asked.http_status = (decision.reply.status != 0).then_some(decision.reply.status);
        asked.path = path;
        let facts = std::mem::take(&mut decision.facts);
        let ticket = self.recorder.asked_with(asked, head, body, |exchange| {
            decision.decided.exchange = exchange;
            let decided = Fact::Decided(decision.decided.clone());
            let all = std::iter::once(decided).chain(facts);
            all.map(|fact| Event::Daemon(if spoiled { self.secret().out_of_fact(fact) } else { fact }))
                .collect()
        });
        Ready { ticket, decision }
    }

    /// Does a work and all that follows from it, also where nobody waits for the answer any more.
    async fn work_for(self: &Arc<Self>, work: Work, asking: Asking) -> Option<Ready> {
        let (done, waits) = oneshot::channel();
        let inner = Arc::clone(self);
        drop(task::spawn(async move {
            let ready = inner.work(work, Some(asking)).await;
            drop(done.send(ready));
        }));
        waits.await.ok().flatten()
    }

    /// Does a work and all that follows from it.
    async fn work(self: Arc<Self>, mut work: Work, mut asking: Option<Asking>) -> Option<Ready> {
        loop {
            let disk = self.disk.clone();
            let (given_back, outcome) = task::blocking(move || {
                let outcome = disk.perform(&work.effect);
                (work, outcome)
            })
            .await;
            let mut state = self.state();
            let now_ms = now_ms(&state);
            let step = core::resume(&mut state, &self.setting, given_back, outcome, now_ms);
            let ready = match step {
                Step::Work(next) => {
                    work = *next;
                    continue;
                }
                Step::Done(decision) => {
                    let run = decision.decided.run.clone();
                    let ready = match asking.take() {
                        Some(asking) => Some(self.take_down(decision, asking, Kind::Aside)),
                        None => {
                            self.note(*decision);
                            None
                        }
                    };
                    self.streams.stir(&state, run.as_deref());
                    ready
                }
                // Work under way waits for nobody.
                Step::Wait => None,
            };
            drop(state);
            self.settled.notify_waiters();
            self.moved.notify_one();
            return ready;
        }
    }

    /// Lets the clock bring what is due.
    fn tick(self: &Arc<Self>, now_ms: u64) {
        let mut state = self.state();
        for step in core::tick(&mut state, &self.setting, now_ms) {
            self.follow(&state, step);
        }
    }

    /// Lets a run go on that somebody waits for.
    pub(crate) fn play(self: &Arc<Self>, run: &str) {
        let mut state = self.state();
        let now_ms = now_ms(&state);
        if let Some(step) = core::play(&mut state, &self.setting, run, now_ms) {
            self.follow(&state, step);
            self.moved.notify_one();
        }
    }

    /// Follows a step that no request asked for.
    fn follow(self: &Arc<Self>, state: &State, step: Step) {
        match step {
            Step::Done(decision) => {
                let run = decision.decided.run.clone();
                self.note(*decision);
                self.streams.stir(state, run.as_deref());
            }
            Step::Work(work) => {
                let inner = Arc::clone(self);
                drop(task::spawn(async move { inner.work(*work, None).await.is_some() }));
            }
            Step::Wait => {}
        }
    }

    /// Takes down what no request brought.
    fn note(&self, decision: Decision) {
        if !decision.facts.is_empty() {
            let decided = Fact::Decided(decision.decided);
            let all = std::iter::once(decided).chain(decision.facts);
            // Nobody is answered, so nobody waits for it.
            let _ticket = self.recorder.noted(all.map(Event::Daemon).collect());
        }
    }

    async fn leave(self: &Arc<Self>, target: &str, ready: Ready, close: bool) -> Answer {
        let Ready { ticket, decision } = ready;
        if let Err(error) = self.recorder.commit(ticket).await {
            return self.not_recorded(target, &error);
        }
        if let (Some(Mode::SlowHead(time)), v2::Form::Events { .. } | v2::Form::A2a(_)) =
            (decision.trouble, &decision.reply.form)
        {
            task::after(time).await;
        }
        let reply = wire_reply::of(self, *decision);
        Answer { ticket: ticket.exchange, reply, close }
    }

    /// What is said where nothing can be taken down: nothing may be answered as if it had been.
    fn not_recorded(&self, target: &str, error: &RecordError) -> Answer {
        let reply = if self.is_a2a(target) {
            a2a::unavailable(target, &error.to_string())
        } else {
            let problem = v2::Problem::new(503, "journal_unavailable", error.to_string()).later();
            problem.reply(self.setting.manner)
        };
        let nothing = Plan { acts: Vec::new(), after: After::Close };
        Answer { ticket: 0, reply: wire_reply::whole(reply).unwrap_or(Reply::Acts(nothing)), close: true }
    }

    fn is_a2a(&self, target: &str) -> bool {
        self.setting.manner != Manner::Seed && a2a::is_ours(target)
    }

    /// Writes the request into the log that its user named. The token is looked at later.
    fn write_wire(&self, heard: &Heard<'_>) -> Result<(), RecordError> {
        let Some(wire) = &self.wire else { return Ok(()) };
        let text = |text: &str| serde_json::Value::from(self.secret().out_of(text.into()).into_owned());
        let body = String::from_utf8_lossy(&heard.body.shown()).into_owned();
        let line = format!(
            "{{\"method\": {}, \"path\": {}, \"idempotency_key\": {}, \"protocol_major\": {}, \"body\": {}}}\n",
            text(heard.method),
            text(heard.target),
            text(heard.key),
            text(heard.major),
            self.secret().out_of(body.as_str().into()),
        );
        wire.append(line.as_bytes())
    }

    fn secret(&self) -> Secret<'_> {
        Secret(&self.setting.token)
    }
}

/// The time: that of a scripted clock, or of the wall.
fn now_ms(state: &State) -> u64 {
    state.clock_ms.unwrap_or_else(clock::unix_ms)
}

fn text(header: Option<&[u8]>) -> String {
    String::from_utf8_lossy(header.unwrap_or_default()).into_owned()
}
