//! Joins the decisions to the world: sends what is due, follows what may be followed, waits, and tells what came.

use super::answer::{self, BYTES_PER_TOKEN, Reading, Received, Told};
use super::attempts::{Attempt, Attempts, Next, Outcome, Policy, Spent};
use super::budget::Budget;
use super::class::{Class, Failed};
use super::config::{Dialect, Endpoint};
use super::ear::{Ear, Writing};
use super::mask::Mask;
use super::redirect;
use super::request::{self, Dialing, Talk, Turn};
use super::watch::Watch;
use crate::secret::Secret;
use rehearsal_wire::relay::coding::{Coding, Decoder};
use rehearsal_world::clock::Clock;
use rehearsal_world::dial::{self, Answer, BaseUrl, Client, Deadline, DialError, Limits};
use std::sync::Arc;
use std::time::Duration;

/// Most bytes of an answer, as it comes and decoded.
pub const LARGEST_ANSWER: usize = 16 << 20;

/// How an endpoint is asked.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Attempts and time.
    pub policy: Policy,
    /// Longest wait for a connection.
    pub connect: Duration,
    /// Longest silence. Comments of a stream break none.
    pub idle: Duration,
    /// Longest time for one request and its answer, after which it may be sent again; none sets no limit but that for everything.
    pub request: Option<Duration>,
    /// Most bytes of an answer, as it comes and decoded.
    pub largest: usize,
    /// Whether documents with a key that stands twice are refused.
    pub strict: bool,
    /// Whether what the model thought is its answer where it says nothing else.
    pub answer_from_reasoning: bool,
    /// Whether an answer that says nothing is one.
    pub empty_is_answer: bool,
    /// Whether an answer that broke off or cannot be read may be asked for again: where a model works with tools, the next one is
    /// most often whole.
    pub retry_broken: bool,
    /// As [`Reading::bytes_per_token`].
    pub bytes_per_token: Option<usize>,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(120),
            request: None,
            largest: LARGEST_ANSWER,
            strict: false,
            answer_from_reasoning: false,
            empty_is_answer: false,
            retry_broken: false,
            bytes_per_token: Some(BYTES_PER_TOKEN),
        }
    }
}

/// A request that is ready to leave.
#[derive(Clone)]
pub struct Prepared<'p> {
    /// `POST`, or `GET` where something is only looked at.
    pub method: &'static str,
    /// The origin, without a path.
    pub root: &'p BaseUrl,
    /// Path and query.
    pub target: &'p str,
    /// Names and values; the key is among them.
    pub headers: &'p [(&'static str, Secret)],
    /// The body.
    pub body: &'p [u8],
    /// What it may cost.
    pub limits: Limits,
    /// Which API it speaks, which says how a stream ends.
    pub dialect: Dialect,
    /// Whether the connection may carry further requests.
    pub keep: bool,
}

impl std::fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Prepared({}{}, {} bytes)", self.root, self.target, self.body.len())
    }
}

/// What carries a request to where it should go, once, and brings the answer back.
pub trait Transport {
    /// Sends a request and reads its answer, whatever its status. Follows nothing and repeats nothing. Of an answer that is no
    /// 200 what came of the body is enough.
    ///
    /// # Errors
    /// [`DialError`] where there is no whole answer.
    fn send(&self, prepared: Prepared<'_>) -> impl Future<Output = Result<Received, DialError>> + Send;
}

impl<T: Transport + Sync> Transport for &T {
    fn send(&self, prepared: Prepared<'_>) -> impl Future<Output = Result<Received, DialError>> + Send {
        (**self).send(prepared)
    }
}

/// The network: no proxy, no cookies, a connection of its own for each request that does not say otherwise.
#[derive(Clone, Debug)]
pub struct Dialled(Client);

impl Dialled {
    /// Sends through a client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self(client)
    }
}

impl Transport for Dialled {
    async fn send(&self, prepared: Prepared<'_>) -> Result<Received, DialError> {
        let headers: Vec<(&str, &[u8])> =
            prepared.headers.iter().map(|(name, value)| (*name, value.expose().as_bytes())).collect();
        let (target, body) = (prepared.target, prepared.body.to_vec().into());
        let request = dial::Request { method: prepared.method, target, headers: &headers, body };
        let connected = self.0.connect(prepared.root, prepared.limits, !prepared.keep).await?;
        let reused = connected.is_used();
        let received = receive(connected.ask(request).await?, prepared.dialect, prepared.limits).await?;
        Ok(Received { reused, ..received })
    }
}

/// Reads a body to its end, or to that of the stream that it is, and undoes its codings.
async fn receive(mut answer: Answer, dialect: Dialect, limits: Limits) -> Result<Received, DialError> {
    let status = answer.status();
    let mut received = Received {
        status,
        headers: answer.headers().map(|(name, value)| (name.to_owned(), value.to_vec())).collect(),
        retry_after: answer.retry_after(),
        ..Received::default()
    };
    let codings = received.headers.iter().filter(|(name, _)| name == "content-encoding");
    let codings: Vec<_> = codings.map(|(_, value)| String::from_utf8_lossy(value)).collect();
    let mut decoder = match Coding::list(&codings.join(",")) {
        Ok(list) => Decoder::new(&list, limits.body as u64),
        Err(flaw) => return Ok(Received { flaw: Some(flaw), ..received }),
    };
    let mut watch = Watch::new(dialect);
    let mut silence = Deadline::after(limits.idle);
    loop {
        let next = silence.within(answer.next()).await;
        let piece = match next.unwrap_or(Err(DialError::Idle(limits.idle))) {
            Ok(Some(piece)) => piece,
            Ok(None) => {
                received.flaw = decoder.finish(&mut received.body).err();
                return Ok(received);
            }
            // The status alone is an answer, even where its body never comes.
            Err(_) if status != 200 => return Ok(received),
            Err(error) => return Err(error),
        };
        received.wire_bytes += piece.len() as u64;
        let before = received.body.len();
        if let Err(flaw) = decoder.push(&piece, &mut received.body) {
            received.flaw = Some(flaw);
            return Ok(received);
        }
        let mark = watch.progress();
        if watch.push(&received.body[before..], limits.body) && status == 200 {
            return Ok(received);
        }
        // What a coding holds back for now is no comment.
        if watch.progress() != mark || received.body.len() == before {
            silence = Deadline::after(limits.idle);
        }
    }
}

/// What happens while a turn is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Happened<'h> {
    /// A request of this number in its turn failed, from 1.
    Failed(u32, &'h Failed),
    /// Nothing is done for this long.
    Waits(Duration),
}

/// A request whose body is written already.
#[derive(Clone, Copy, Debug)]
pub struct Written<'w> {
    /// The body.
    pub body: &'w [u8],
    /// Whether it asks for a stream.
    pub stream: bool,
    /// As [`Reading::sent`]; 0 asks nothing.
    pub sent: usize,
    /// Whether the connection may carry further requests.
    pub keep: bool,
}

/// What came of such a request.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The answer, or why there is none.
    pub result: Result<Told, Box<Failed>>,
    /// The last answer as it came; none where none came.
    pub received: Option<Received>,
}

/// Asks one endpoint for one task.
pub struct Asker<T = Dialled> {
    endpoint: Endpoint,
    manner: Manner,
    mask: Mask,
    url: String,
    transport: T,
    attempts: Attempts,
    clock: Clock,
    deadline: Deadline,
    budget: Option<Arc<Budget>>,
    ear: Option<Box<dyn Ear>>,
}

impl<T> std::fmt::Debug for Asker<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asker")
            .field("url", &self.url)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

impl Asker {
    /// Asks over the network. The time for everything begins now.
    #[must_use]
    pub fn new(endpoint: Endpoint, manner: Manner, client: Client) -> Self {
        Self::over(endpoint, manner, Dialled::new(client))
    }
}

impl<T: Transport> Asker<T> {
    /// Asks over any transport. The time for everything begins now.
    #[must_use]
    pub fn over(endpoint: Endpoint, manner: Manner, transport: T) -> Self {
        Self {
            mask: endpoint.mask(),
            url: endpoint.url(),
            attempts: Attempts::new(manner.policy),
            clock: Clock::start(),
            deadline: Deadline::after(manner.policy.total),
            endpoint,
            manner,
            transport,
            budget: None,
            ear: None,
        }
    }

    /// The same, within a budget that others may share.
    #[must_use]
    pub fn within(self, budget: Arc<Budget>) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// The same, with somebody who is told of each request.
    #[must_use]
    pub fn telling(self, ear: Box<dyn Ear>) -> Self {
        Self { ear: Some(ear), ..self }
    }

    /// All that was sent, in order.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        self.attempts.records()
    }

    /// Whether the policy lets no further request leave.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.attempts.is_used_up()
    }

    /// Tokens of all attempts.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.attempts.spent()
    }

    /// The URL that is asked.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Takes the key out of texts.
    #[must_use]
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Asks for one turn, as often as policy and provider allow.
    ///
    /// # Errors
    /// [`Failed`], that of the last attempt.
    pub async fn ask(&mut self, turn: &Turn<'_>, dialing: &Dialing) -> Result<Told, Box<Failed>> {
        let body = request::write(self.endpoint.dialect, turn, dialing);
        let written = Written { body: &body, stream: turn.stream, sent: turn.bytes(), keep: false };
        self.exchange(&written, |_| {}).await.result
    }

    /// The same for a body that is written already; gives the answer as it came, too.
    pub async fn ask_written(&mut self, written: &Written<'_>) -> Exchange {
        self.exchange(written, |_| {}).await
    }

    /// Asks how a conversation goes on, as often as policy and provider allow, and tells what happens meanwhile.
    ///
    /// # Errors
    /// [`Failed`], that of the last attempt.
    pub async fn talk(
        &mut self,
        talk: &Talk<'_>,
        dialing: &Dialing,
        tell: impl FnMut(Happened<'_>),
    ) -> Result<Told, Box<Failed>> {
        let body = request::write_talk(self.endpoint.dialect, talk, dialing);
        let written = Written { body: &body, stream: talk.stream, sent: talk.bytes(), keep: false };
        self.exchange(&written, tell).await.result
    }

    async fn exchange(&mut self, written: &Written<'_>, mut tell: impl FnMut(Happened<'_>)) -> Exchange {
        let mut received = None;
        let mut next = self.attempts.open(self.clock.elapsed());
        loop {
            next = match next {
                Next::Send { number, left } => {
                    if let Err(failed) = self.may_send(number) {
                        return Exchange { result: Err(failed), received };
                    }
                    let (outcome, came) = self.send(written, left).await;
                    received = came.or(received);
                    if let Err(failed) = &outcome.result {
                        tell(Happened::Failed(self.attempts.of_turn(), failed));
                    }
                    let next = self.attempts.done(outcome, self.clock.elapsed());
                    self.tell_sent();
                    next
                }
                Next::Wait(wait) => {
                    tell(Happened::Waits(wait));
                    let in_time = self.deadline.wait(wait).await;
                    let total = self.manner.policy.total;
                    self.attempts.waited(if in_time { self.clock.elapsed() } else { total })
                }
                Next::Over(result) => return Exchange { result: *result, received },
            };
        }
    }

    /// Looks at what stands at another path of the endpoint, once: nothing is followed, repeated or counted.
    ///
    /// # Errors
    /// [`Failed`] where no answer comes. Any status is an answer.
    pub async fn look(&self, path: &str) -> Result<Received, Box<Failed>> {
        let headers = self.endpoint.headers(false);
        let own = &self.endpoint.target;
        let base = own.strip_suffix(self.endpoint.dialect.path()).unwrap_or(own);
        let left = self.manner.policy.total.saturating_sub(self.clock.elapsed());
        let (target, root) = (format!("{base}{path}"), &self.endpoint.root);
        let prepared = Prepared { method: "GET", ..self.prepared(root, &target, &headers, &[], left) };
        let sent = self.transport.send(prepared).await;
        sent.map_err(|error| Box::new(Failed::of_dial(&error, &format!("{root}{target}"), &self.mask)))
    }

    fn prepared<'p>(
        &self,
        root: &'p BaseUrl,
        target: &'p str,
        headers: &'p [(&'static str, Secret)],
        body: &'p [u8],
        total: Duration,
    ) -> Prepared<'p> {
        Prepared {
            method: "POST",
            root,
            target,
            headers,
            body,
            limits: Limits {
                connect: self.manner.connect,
                idle: self.manner.idle,
                total,
                body: self.manner.largest,
            },
            dialect: self.endpoint.dialect,
            keep: false,
        }
    }

    /// Tells whoever listens that files are about to be written.
    ///
    /// # Errors
    /// [`Failed`] where it cannot be written down: then nothing is to be written.
    pub fn tell_writing(&mut self, writing: Writing) -> Result<(), Box<Failed>> {
        let Some(ear) = &mut self.ear else { return Ok(()) };
        ear.writing(writing).map_err(|why| Box::new(Failed::new(Class::Write, why)))
    }

    /// Whether another request may leave.
    fn may_send(&mut self, number: u32) -> Result<(), Box<Failed>> {
        if let Some(reached) = self.budget.as_ref().and_then(|budget| budget.reached()) {
            return Err(Box::new(Failed::new(Class::Budget, reached).because("cost_ceiling_exceeded")));
        }
        let Some(ear) = &mut self.ear else { return Ok(()) };
        ear.sending(number).map_err(|why| Box::new(Failed::new(Class::Write, why)))
    }

    fn tell_sent(&mut self) {
        let Some(attempt) = self.attempts.records().last() else { return };
        if let Some(budget) = &self.budget {
            budget.add(attempt);
        }
        if let Some(ear) = &mut self.ear {
            ear.sent(attempt);
        }
    }

    /// One attempt, with the redirects that belong to it.
    async fn send(&self, written: &Written<'_>, left: Duration) -> (Outcome, Option<Received>) {
        let started = self.clock.elapsed();
        let (mut bytes_out, mut bytes_in) = (0, 0);
        let mut headers = self.endpoint.headers(written.stream);
        headers.push(("x-rehearsal-attempt", Secret::new(self.attempts.of_turn().to_string())));
        let limit = self.manner.request.map_or(left, |request| request.min(left));
        let (mut target, mut hops, mut came) = (self.endpoint.target.clone(), 0, None);
        let result = loop {
            let took = match hops {
                0 => Duration::ZERO,
                _ => self.clock.elapsed().saturating_sub(started),
            };
            let total = limit.saturating_sub(took);
            let prepared = Prepared {
                keep: written.keep,
                ..self.prepared(&self.endpoint.root, &target, &headers, written.body, total)
            };
            bytes_out += written.body.len() as u64;
            let received = match self.transport.send(prepared).await {
                Ok(received) => received,
                Err(error) => break Err(self.undialled(&error, limit < left)),
            };
            bytes_in += received.wire_bytes;
            if !redirect::is_redirect(received.status) {
                let read =
                    answer::read(&received, &self.reading(written)).map_err(|failed| self.judged(failed));
                came = Some(received);
                break read;
            }
            let location = received.header("location");
            let root = &self.endpoint.root;
            target = match redirect::follow(received.status, location, root, &target, hops, &self.mask) {
                Ok(target) => target,
                Err(failed) => break Err(failed),
            };
            hops += 1;
        };
        let took = self.clock.elapsed().saturating_sub(started);
        (Outcome { result, took, bytes_out, bytes_in }, came)
    }

    /// What went wrong on the wire; `had_more` says that there is time left for another request.
    fn undialled(&self, error: &DialError, had_more: bool) -> Box<Failed> {
        let failed = Failed::of_dial(error, &self.url, &self.mask);
        if failed.class == Class::TimeoutTotal && had_more {
            return Box::new(Failed { retryable: true, ..failed }.because("request_timeout"));
        }
        Box::new(failed)
    }

    fn judged(&self, failed: Box<Failed>) -> Box<Failed> {
        let retryable = failed.retryable || self.manner.retry_broken && failed.is_broken();
        Box::new(Failed { retryable, ..*failed })
    }

    fn reading(&self, written: &Written<'_>) -> Reading<'_> {
        Reading {
            dialect: self.endpoint.dialect,
            url: &self.url,
            mask: &self.mask,
            stream: written.stream,
            strict: self.manner.strict,
            answer_from_reasoning: self.manner.answer_from_reasoning,
            empty_is_answer: self.manner.empty_is_answer,
            sent: written.sent,
            bytes_per_token: self.manner.bytes_per_token,
        }
    }
}
