//! The short way: a request that says nothing unusual is read and answered without the HTTP library.
//!
//! hyper's work on a request costs as much as all our judging of it. So heads that cannot mean two things (HTTP/1.1, GET or
//! POST, an ordinary target, printable headers, one stated length, nothing to expect or upgrade to) are served here, and
//! everything else is handed to hyper untouched, from its first byte on. What is plain is listed, never what is not.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use rehearsal_wire::act::Act;
use rehearsal_wire::follow::RequestHead;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::closing::{Closing, Stage};
use super::connection::play;
use super::ledger::{Line, MOST_RESERVED, Phase, Reading, Turn};
use super::reply::{Asked, Raw, played};
use super::speak::Ended;
use super::step::MOST_HEADERS;
use super::watch::Watch;
use super::{App, Reply, Why};

/// Room for what comes next: more than most heads, less than most people's idle memory.
const ROOM: usize = 4096;

/// How the short way ended.
pub(super) enum Left {
    /// hyper goes on, with these bytes first.
    ToHyper(Bytes),
    /// As hyper's part ends: what comes next is decided in one place. The bytes were read ahead.
    Ended(Ended, Bytes),
    /// The connection is over.
    Over,
}

/// What a plain head says about the request.
#[derive(Clone, Copy)]
struct Plain {
    head: usize,
    body: usize,
    last: bool,
}

/// How a read ended.
enum Got {
    More,
    Nothing(Ended),
}

/// Serves plain requests until something else comes.
pub(super) async fn run<A: App>(
    line: &Line<A>,
    stream: &mut TcpStream,
    front: Bytes,
    closing: &Closing,
) -> Left {
    if line.ledger().in_place.is_some() {
        return Left::ToHyper(front);
    }
    let mut buffer = BytesMut::from(front);
    let mut patience = Patience::new(line, closing);
    let mut known = None;
    loop {
        let next = match first_head(line, &buffer, &mut known) {
            First::Plain(plain) => plain,
            First::Other => return Left::ToHyper(buffer.freeze()),
            // hyper may find the beginning of a head unusual before its end comes.
            First::Unfinished if !buffer.is_empty() => return Left::ToHyper(buffer.freeze()),
            First::Unfinished => match read(line, stream, &mut buffer, ROOM, &mut patience).await {
                Got::More => continue,
                Got::Nothing(ended) => return Left::Ended(ended, buffer.freeze()),
            },
        };
        let Some(head) = begin(line) else { return Left::ToHyper(buffer.freeze()) };
        buffer.advance(next.head);
        while buffer.len() < next.body {
            let missing = (next.body - buffer.len()).min(MOST_RESERVED);
            if let Got::Nothing(ended) = read(line, stream, &mut buffer, missing, &mut patience).await {
                return cut(line, head, buffer, ended);
            }
        }
        let body = buffer.split_to(next.body).freeze();
        line.ledger().phase = Phase::Answer;
        let answering = line.ask(head, body);
        let Some(answer) = patience.unless_told(answering).await else {
            return Left::Ended(Ended::Told, Bytes::new());
        };
        line.ledger().phase = Phase::Between;
        let (ticket, diverts) = (answer.ticket, diverts(&answer.reply));
        let plan = match played(answer, Asked { head_only: false, old: false, last: next.last }) {
            Raw::Plan(plan) if !diverts => plan,
            raw @ (Raw::Plan(_) | Raw::Live(_)) => {
                // What no plain server would do may take long: nothing of this loop is kept meanwhile.
                line.ledger().turn = Some(Turn::Play { ticket, raw });
                return Left::Ended(Ended::ByHyper(None), Bytes::copy_from_slice(&buffer));
            }
        };
        if !play(line, stream, ticket, plan, closing).await {
            return Left::Over;
        }
    }
}

/// Whether a reply does what no plain server would do.
fn diverts(reply: &Reply) -> bool {
    match reply {
        Reply::Acts(plan) => !plan.acts.iter().all(|act| matches!(act, Act::Write(_))),
        Reply::Whole { .. } | Reply::Chunks { .. } | Reply::Live { .. } => false,
    }
}

/// What ends a wait beside what is waited for: a deadline, or the end of the server.
struct Patience<'l, A: App> {
    line: &'l Line<A>,
    closing: &'l Closing,
    watch: Watch,
    /// The bell wakes this task by itself, so it is listened to once for each stage and then only looked at: listening takes a
    /// lock that all connections share.
    bells: [Pin<Box<dyn Future<Output = ()> + Send + 'l>>; 2],
    listening: usize,
}

impl<'l, A: App> Patience<'l, A> {
    fn new(line: &'l Line<A>, closing: &'l Closing) -> Self {
        Self {
            line,
            closing,
            watch: Watch::new(&line.limits),
            bells: [Box::pin(closing.reached(Stage::Finish)), Box::pin(closing.reached(Stage::Leave))],
            listening: 0,
        }
    }

    fn listen(&mut self, cx: &mut Context<'_>) {
        let wanted = if self.closing.at(Stage::Finish) { 2 } else { 1 };
        while self.listening < wanted {
            let _rung = self.bells[self.listening].as_mut().poll(cx);
            self.listening += 1;
        }
    }

    /// Whether a read has waited long enough.
    fn late(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        self.listen(cx);
        match self.watch.late(self.line, cx) {
            Poll::Ready(pace) => Poll::Ready(Ended::Late(pace)),
            Poll::Pending if self.closing.at(Stage::Leave) => Poll::Ready(Ended::Told),
            // What was begun may end; nothing new begins.
            Poll::Pending if self.closing.at(Stage::Finish) && self.line.ledger().phase == Phase::Between => {
                Poll::Ready(Ended::ByHyper(None))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    /// What a future comes to, unless the server leaves first.
    async fn unless_told<T>(&mut self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => {
                self.listen(cx);
                if self.closing.at(Stage::Leave) { Poll::Ready(None) } else { Poll::Pending }
            }
        })
        .await
    }
}

/// What stands at the front of the buffer.
enum First {
    Plain(Plain),
    Other,
    Unfinished,
}

/// Looks at the front of the buffer; a head that is the last one again needs no look.
fn first_head<A: App>(line: &Line<A>, buffer: &BytesMut, known: &mut Option<(RequestHead, Plain)>) -> First {
    let ledger = line.ledger();
    let Some(head) = ledger.follower.peek() else {
        return if ledger.follower.lost() { First::Other } else { First::Unfinished };
    };
    if !buffer.starts_with(head.raw()) {
        return First::Other;
    }
    if let Some((last, plain)) = known
        && last.is(head)
    {
        return First::Plain(*plain);
    }
    let Some(plain) = plain(head, line.limits.body) else { return First::Other };
    *known = Some((head.clone(), plain));
    First::Plain(plain)
}

/// Takes the head and counts the request.
fn begin<A: App>(line: &Line<A>) -> Option<RequestHead> {
    let mut ledger = line.ledger();
    let head = ledger.take_head()?;
    ledger.requests += 1;
    ledger.phase = Phase::Body;
    Some(head)
}

/// A body that did not come whole: the head and what came of it lie ready for the refusal.
fn cut<A: App>(line: &Line<A>, head: RequestHead, buffer: BytesMut, ended: Ended) -> Left {
    let got = buffer.len() as u64;
    let mut reading = Reading::new(head);
    reading.push(buffer.freeze(), 0);
    let mut ledger = line.ledger();
    ledger.reading = Some(reading);
    if let Ended::ByHyper(_) = ended {
        ledger.turn = Some(Turn::Refuse(Why::BodyCut { got }));
    }
    Left::Ended(ended, Bytes::new())
}

/// Reads what comes next and lets the follower see it.
async fn read<A: App>(
    line: &Line<A>,
    stream: &mut TcpStream,
    buffer: &mut BytesMut,
    room: usize,
    patience: &mut Patience<'_, A>,
) -> Got {
    buffer.reserve(room);
    let before = buffer.len();
    let came = {
        let mut read = pin!(stream.read_buf(buffer));
        poll_fn(|cx| match read.as_mut().poll(cx) {
            Poll::Ready(came) => Poll::Ready(Ok(came)),
            Poll::Pending => patience.late(cx).map(Err),
        })
        .await
    };
    let mut ledger = line.ledger();
    match came {
        Ok(Ok(0) | Err(_)) => {
            ledger.client_done = true;
            Got::Nothing(Ended::ByHyper(None))
        }
        Ok(Ok(_)) => {
            ledger.follower.feed(&buffer[before..]);
            Got::More
        }
        Err(ended) => Got::Nothing(ended),
    }
}

/// What a head says, if nothing in it is unusual.
fn plain(head: &RequestHead, most: u64) -> Option<Plain> {
    if head.fault().is_some() || head.version() != "HTTP/1.1" || !matches!(&*head.method(), "GET" | "POST") {
        return None;
    }
    let target = head.target();
    if !target.starts_with('/') || !target.bytes().all(is_ordinary) {
        return None;
    }
    // A head without fault holds no control character and only tokens for names.
    if !head.raw().is_ascii() {
        return None;
    }
    let (mut length, mut last) = (None, false);
    for (number, (name, value)) in head.headers().enumerate() {
        if number >= MOST_HEADERS {
            return None;
        }
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("content-length") {
            let said: u64 = std::str::from_utf8(value).ok()?.parse().ok().filter(|said| *said <= most)?;
            if length.replace(said).is_some() {
                return None;
            }
        } else if is("connection") {
            last = value.eq_ignore_ascii_case(b"close");
            if !last && !value.eq_ignore_ascii_case(b"keep-alive") {
                return None;
            }
        } else if ["transfer-encoding", "expect", "upgrade", "te", "trailer"].into_iter().any(is) {
            return None;
        }
    }
    let body = usize::try_from(length.unwrap_or(0)).ok()?;
    Some(Plain { head: head.raw().len(), body, last })
}

/// Bytes of a target that every reader understands alike (RFC 3986, unreserved, sub-delims and what a path and a query hold).
fn is_ordinary(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'.'
                | b'_'
                | b'~'
                | b'!'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b':'
                | b'@'
                | b'/'
                | b'%'
                | b'?'
        )
}
