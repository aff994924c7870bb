//! One forward: asks the provider once, keeps every byte before it is served, and goes on to the end whether or not the client stays.

use crate::denial::{self, TRANSPORT, UPSTREAM_FAILED};
use crate::exchange::Exchange;
use crate::front::Front;
use crate::mask::{Keys, Mask};
use crate::passing::{self, Header, Way};
use crate::pipe::{self, Form, Pipe};
use crate::serve::Inner;
use bytes::Bytes;
use rehearsal_journal::bridge::Fact;
use rehearsal_wire::relay::coding::Coding;
use rehearsal_world::clock::Clock;
use rehearsal_world::dial::{Answer, BaseUrl, Client, DialError, Limits, Request};
use rehearsal_world::task;
use rehearsal_world::vault::VaultError;
use std::borrow::Cow;
use thiserror::Error;

/// A body up to this many bytes is held in memory until it is whole; a longer one is read again from its file.
const HELD: usize = 1 << 20;
/// The same where the file is not what came: something was left out of it.
const HELD_REDACTED: usize = 64 << 20;
/// Bytes that are put together at once where a file is read again.
const PIECE: usize = 64 * 1024;

/// Pieces after which everybody else has a turn.
const PIECES_AT_ONCE: usize = 16;

/// The provider and how it is asked.
#[derive(Debug)]
pub struct Provider {
    /// Where it is.
    pub base: BaseUrl,
    /// Who asks.
    pub client: Client,
    /// Headers of ours, a key among them.
    pub own: Vec<Header>,
    /// The keys in them. They are written over wherever they come back.
    pub keys: Vec<Vec<u8>>,
    /// What it may cost.
    pub limits: Limits,
}

/// What is asked.
#[derive(Debug)]
pub struct Question {
    /// Method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// All headers, ours among them.
    pub headers: Vec<Header>,
    /// The body.
    pub body: Bytes,
    /// Keys in the client's headers and in ours.
    pub(crate) keys: Keys,
}

/// How a forward is made.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The request.
    pub sequence: u64,
    /// A budget pays for it: each step is a fact, and the connection is its own.
    pub counted: bool,
    /// As for a case: nothing of a body is served before all of it is there, but for a stream of events.
    pub strict: bool,
    /// Keys of answers whose values are generated text.
    pub spare: &'static [&'static str],
}

/// What became of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Status of the provider's answer.
    pub status: Option<u16>,
    /// Its headers.
    pub headers: Vec<Header>,
    /// When its head came, microseconds after the request.
    pub head_us: Option<u64>,
    /// When each piece of its body came, microseconds after the request, and how many bytes it had.
    pub pieces: Vec<(u64, u64)>,
    /// Why it failed.
    pub failure: Option<RelayError>,
}

/// Why a forward failed.
#[derive(Debug, Error)]
pub enum RelayError {
    /// The provider could not be asked, or its answer is not whole.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// It cannot be written down.
    #[error("the record cannot be written: {0}")]
    Record(#[from] VaultError),
    /// Its answer leads elsewhere.
    #[error("the provider answers with a redirect ({0}), and none is ever followed")]
    Redirect(u16),
    /// It would go on in another protocol.
    #[error("the provider answers that it changes the protocol ({0}), which nobody asked it for")]
    Switched(u16),
    /// A stream of events ended within one.
    #[error("the stream broke off within an event")]
    BrokeOff,
    /// What must not be written cannot be found in a coded body.
    #[error(
        "the answer is coded although it was asked for plain, so what `--redact` names cannot be found in it"
    )]
    Coded,
    /// The answer is too long to be held while it is looked through.
    #[error("an answer of more than {0} bytes cannot be served whole while `--redact` looks through it")]
    TooLong(usize),
    /// Its coding is broken.
    #[error("the answer's content coding is broken: {0}")]
    Coding(String),
}

/// Asks and answers. All that came of the answer is in its file when this returns.
pub(crate) async fn run(
    bridge: &Inner,
    question: &Question,
    manner: Manner,
    exchange: &mut Exchange,
    front: &mut Front,
    clock: Clock,
) -> Outcome {
    let mut outcome = Outcome::default();
    let result = relay(bridge, question, manner, exchange, front, (&mut outcome, clock)).await;
    if let Err(error) = result {
        let words =
            "The provider could not be asked, or its answer did not come whole. It is not asked again.";
        let body = denial::body(TRANSPORT, UPSTREAM_FAILED, words);
        front.fail(exchange, &body).await;
        outcome.failure = Some(error);
    }
    outcome
}

async fn relay(
    bridge: &Inner,
    question: &Question,
    manner: Manner,
    exchange: &mut Exchange,
    front: &mut Front,
    (outcome, clock): (&mut Outcome, Clock),
) -> Result<(), RelayError> {
    let provider = bridge.provider();
    let note = |fact: Fact| if manner.counted { bridge.note(&fact) } else { Ok(()) };
    let connected = provider.client.connect(&provider.base, provider.limits, manner.counted).await?;
    note(Fact::Sent { sequence: manner.sequence })?;
    let headers: Vec<(&str, &[u8])> =
        question.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
    let request = Request {
        method: &question.method,
        target: &question.target,
        headers: &headers,
        body: question.body.clone(),
    };
    let answer = connected.ask(request).await?;
    let status = answer.status();
    outcome.head_us = Some(clock.elapsed_us());
    outcome.status = Some(status);
    outcome.headers = answer.headers().map(|(name, value)| (name.to_owned(), value.to_vec())).collect();
    note(Fact::Headed { sequence: manner.sequence, status })?;
    let mask = Mask::new(&question.keys);
    let mut body = Body { answer, mask, pieces: &mut outcome.pieces, clock, end: None };
    if status < 200 {
        return Err(RelayError::Switched(status));
    }
    if matches!(status, 300..=399) && status != 304 {
        while !body.kept(exchange).await?.is_empty() {}
        return Err(RelayError::Redirect(status));
    }
    let redacts = bridge.setting().redactor.is_some();
    if redacts && !pipe::codings(&outcome.headers).is_ok_and(|codings| codings.is_empty()) {
        return Err(RelayError::Coded);
    }
    let form = Form::of(&outcome.headers);
    let hidden = |(name, value): &Header| (name.clone(), question.keys.hidden(value));
    let served: Cow<'_, [Header]> = match question.keys.is_empty() {
        true => Cow::Borrowed(&outcome.headers),
        false => outcome.headers.iter().map(hidden).collect(),
    };
    let plan = Plan::of(bridge, manner, form, status, &served);
    if plan.spooled {
        spool(plan, if redacts { HELD_REDACTED } else { HELD }, &mut body, exchange, front).await
    } else {
        stream(plan, &mut body, exchange, front).await
    }
}

/// How a body is passed on.
struct Plan<'h> {
    status: u16,
    headers: &'h [Header],
    strict: bool,
    pipe: Pipe,
    /// Whether its coding is taken off.
    decoded: bool,
    /// Whether it is served only once it is whole.
    spooled: bool,
    /// Its length, where it leaves as it comes and says how long it is.
    length: Option<u64>,
    /// Whether only the end of the connection says that it is over.
    open_ended: bool,
}

impl<'h> Plan<'h> {
    fn of(bridge: &Inner, manner: Manner, form: Form, status: u16, headers: &'h [Header]) -> Self {
        // A coding that is not known can be neither taken off nor mapped: the body passes as it is.
        let codings: Option<Vec<Coding>> = pipe::codings(headers).ok();
        let names = bridge.setting().names.as_ref().filter(|_| codings.is_some());
        let codings = codings.unwrap_or_default();
        let decoded = names.is_some() && !codings.is_empty();
        let length = pipe::value(headers, "content-length").and_then(|text| text.trim().parse().ok());
        let chunked = pipe::value(headers, "transfer-encoding").is_some();
        Self {
            status,
            headers,
            strict: manner.strict,
            pipe: Pipe::new(names, manner.spare, form, &codings),
            decoded,
            spooled: manner.strict && form != Form::Events,
            length: length.filter(|_| names.is_none()),
            open_ended: form == Form::Events && length.is_none() && !chunked,
        }
    }

    fn head(&self, decoded: bool) -> rehearsal_wire::head::ResponseHead {
        passing::to_client(self.status, self.headers, Way { strict: self.strict, decoded })
    }
}

/// The provider's body as it comes.
struct Body<'o> {
    answer: Answer,
    mask: Mask<'o>,
    pieces: &'o mut Vec<(u64, u64)>,
    clock: Clock,
    /// How it ended, until that is told.
    end: Option<Result<(), DialError>>,
}

impl Body<'_> {
    /// Takes what came next into the exchange: one piece, and those behind it that need not be waited for, so that they are written
    /// at once. None at the end. They are not written yet.
    async fn next(&mut self, exchange: &mut Exchange) -> Result<Vec<Bytes>, RelayError> {
        self.gather(exchange, true).await.map(Option::unwrap_or_default)
    }

    /// The same without waiting for the first one either: nothing where it is not there yet.
    async fn ready(&mut self, exchange: &mut Exchange) -> Result<Option<Vec<Bytes>>, RelayError> {
        self.gather(exchange, false).await
    }

    async fn gather(
        &mut self,
        exchange: &mut Exchange,
        waits: bool,
    ) -> Result<Option<Vec<Bytes>>, RelayError> {
        let (mut pieces, mut bytes) = (Vec::new(), 0);
        while self.end.is_none() {
            if pieces.len() == PIECES_AT_ONCE || bytes > PIECE {
                // A provider that never pauses must not keep the time from passing for everybody else.
                task::give_way().await;
                break;
            }
            let came = match waits && pieces.is_empty() {
                true => Some(self.answer.next().await),
                false => self.answer.ready().await,
            };
            let piece = match came {
                Some(Ok(Some(piece))) => self.mask.push(piece),
                // What could have become a key is kept, too, where nothing more comes.
                Some(ended) => {
                    self.end = Some(ended.map(drop));
                    self.mask.finish()
                }
                None if pieces.is_empty() => return Ok(None),
                None => break,
            };
            if !piece.is_empty() {
                exchange.response.push(&piece);
                self.pieces.push((self.clock.elapsed_us(), piece.len() as u64));
                bytes += piece.len();
                pieces.push(piece);
            }
        }
        // What came before the end is passed on before the end is told.
        match self.end.take_if(|_| pieces.is_empty()) {
            Some(Err(error)) => Err(error.into()),
            Some(Ok(())) | None => Ok(Some(pieces)),
        }
    }

    /// The same for what nobody is served yet: it is written when this returns.
    async fn kept(&mut self, exchange: &mut Exchange) -> Result<Vec<Bytes>, RelayError> {
        let pieces = self.next(exchange).await?;
        exchange.write().await?;
        Ok(pieces)
    }
}

/// Passes a body on as it comes.
async fn stream(
    mut plan: Plan<'_>,
    body: &mut Body<'_>,
    exchange: &mut Exchange,
    front: &mut Front,
) -> Result<(), RelayError> {
    front.prepare(plan.head(plan.decoded), plan.length);
    let broken = |error: rehearsal_wire::relay::coding::CodingError| RelayError::Coding(error.to_string());
    // What came with the head leaves with it; what is still to come does not keep it waiting.
    let mut there = body.ready(exchange).await;
    if !matches!(there, Ok(Some(_))) {
        front.begin();
    }
    loop {
        let pieces = match there? {
            Some(pieces) => pieces,
            None => body.next(exchange).await?,
        };
        there = Ok(None);
        let is_over = pieces.is_empty();
        let (out, piped) = plan.pipe.pass(pieces);
        front.send(exchange, out).await?;
        piped.map_err(broken)?;
        if is_over {
            break;
        }
    }
    if plan.open_ended && plan.pipe.broke_off() {
        return Err(RelayError::BrokeOff);
    }
    front.end();
    Ok(())
}

/// Takes a body whole before any of it is served.
async fn spool(
    mut plan: Plan<'_>,
    most: usize,
    body: &mut Body<'_>,
    exchange: &mut Exchange,
    front: &mut Front,
) -> Result<(), RelayError> {
    let mut held = Vec::new();
    loop {
        let pieces = body.kept(exchange).await?;
        if pieces.is_empty() {
            break;
        }
        for piece in pieces {
            if held.len() + piece.len() <= most {
                held.extend_from_slice(&piece);
            }
        }
    }
    if exchange.response.came() == held.len() as u64 {
        let mut out = Vec::new();
        let piped = plan.pipe.push(&held, &mut out).and_then(|()| plan.pipe.finish(&mut out));
        // What says that it is coded and is not leaves as it came.
        let (decoded, out) = if piped.is_ok() { (plan.decoded, out) } else { (false, held) };
        front.prepare(plan.head(decoded), Some(out.len() as u64));
        front.send(exchange, one(out)).await?;
        front.end();
        return Ok(());
    }
    if most > HELD {
        return Err(RelayError::TooLong(most));
    }
    front.prepare(plan.head(plan.decoded), None);
    let mut at = 0;
    loop {
        let piece = exchange.response.read_at(at, PIECE)?;
        at += piece.len() as u64;
        let mut out = Vec::new();
        let pushed =
            if piece.is_empty() { plan.pipe.finish(&mut out) } else { plan.pipe.push(&piece, &mut out) };
        front.send(exchange, one(out)).await?;
        pushed.map_err(|error| RelayError::Coding(error.to_string()))?;
        if piece.is_empty() {
            break;
        }
    }
    front.end();
    Ok(())
}

/// A piece, unless it is empty.
fn one(out: Vec<u8>) -> Vec<Bytes> {
    if out.is_empty() { Vec::new() } else { vec![out.into()] }
}
