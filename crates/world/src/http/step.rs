//! What a connection does once hyper's part has ended.

use std::borrow::Cow;

use bytes::Bytes;
use hyper::Uri;
use rehearsal_wire::follow::{Follower, HeadFault, RequestHead};

use super::ledger::{Ledger, Line, Phase, Turn};
use super::refusal::{Refusal, Why};
use super::reply::Raw;
use super::speak::Ended;
use super::watch::Pace;
use super::{App, End};

/// hyper refuses heads with more headers.
pub(super) const MOST_HEADERS: usize = 100;

/// The next step.
pub(super) enum Step {
    /// Drop the connection.
    Leave,
    /// Close it gently.
    Close,
    /// hyper again, with these bytes first.
    Again(Bytes),
    /// Play a reply; then, if it lets the connection live, hyper again.
    Play { ticket: u64, raw: Raw, front: Bytes },
    /// Have the app refuse, and close.
    Refuse(Refusal),
}

/// Decides. `front` is what hyper had read ahead.
pub(super) fn next_step<A: App>(line: &Line<A>, ended: Ended, front: Bytes) -> Step {
    let mut ledger = line.ledger();
    ledger.phase = Phase::Between;
    let turn = ledger.turn.take();
    let error = match ended {
        Ended::Told => {
            drop(ledger);
            line.give_up(End::Stopped);
            return Step::Leave;
        }
        Ended::Late(pace) => {
            let step = late(line, &mut ledger, pace);
            drop(ledger);
            line.give_up(End::TimedOut);
            return step;
        }
        Ended::ByHyper(error) => error,
    };
    match turn {
        Some(Turn::Play { ticket, raw }) => Step::Play { ticket, raw, front },
        Some(Turn::Refuse(why)) => refuse(line, &mut ledger, why),
        None if !ledger.own_words.is_empty() || error.as_ref().is_some_and(hyper::Error::is_parse) => {
            in_place_of_hyper(line, &mut ledger, &front)
        }
        None if ledger.client_done && !ledger.follower.partial().is_empty() => {
            refuse(line, &mut ledger, Why::HeadCut)
        }
        None if error.is_some() || ledger.client_done => Step::Leave,
        None => Step::Close,
    }
}

fn late<A: App>(line: &Line<A>, ledger: &mut Ledger, pace: Pace) -> Step {
    match pace {
        Pace::Fresh | Pace::Idle | Pace::Write | Pace::Answer => Step::Leave,
        Pace::Head => refuse(line, ledger, Why::HeadTooSlow),
        Pace::Body => {
            let got = ledger.reading.as_ref().map_or(0, super::ledger::Reading::got);
            refuse(line, ledger, Why::BodyTooSlow { got })
        }
    }
}

fn refuse<A: App>(line: &Line<A>, ledger: &mut Ledger, why: Why) -> Step {
    let (head, body) = match ledger.reading.take() {
        Some(reading) => {
            let (head, body) = reading.finish();
            (Some(head), body)
        }
        None => (None, Bytes::new()),
    };
    refusal(line, ledger, why, head, body)
}

fn refusal<A: App>(
    line: &Line<A>,
    ledger: &Ledger,
    why: Why,
    head: Option<RequestHead>,
    body: Bytes,
) -> Step {
    let partial = if head.is_some() { Vec::new() } else { ledger.follower.partial().to_vec() };
    Step::Refuse(Refusal { conn: line.conn, status: why.status(), why, head, partial, body })
}

/// hyper refuses by itself. What it says says little, so the raw head is judged in its place.
fn in_place_of_hyper<A: App>(line: &Line<A>, ledger: &mut Ledger, front: &Bytes) -> Step {
    let rewritten = ledger.in_place.is_some();
    let Some(head) = ledger.take_head() else {
        let why = partial_fault(ledger, line.limits.head);
        return refuse(line, ledger, why);
    };
    let why = match head.fault() {
        Some(fault) => Why::Head(fault),
        None if !matches!(&*head.version(), "HTTP/1.1" | "HTTP/1.0") => {
            Why::Head(HeadFault::UnsupportedVersion)
        }
        None if head.headers().count() > MOST_HEADERS => Why::TooManyHeaders(MOST_HEADERS),
        None if !rewritten && !hyper_reads(&head) => {
            let again = [&readable(&head), after_head(&head, front)].concat();
            ledger.in_place = Some(head);
            ledger.own_words.clear();
            return Step::Again(again.into());
        }
        None => Why::Malformed,
    };
    refusal(line, ledger, why, Some(head), Bytes::new())
}

/// Whether hyper can read the target.
fn hyper_reads(head: &RequestHead) -> bool {
    has_utf8_target(head) && head.target().parse::<Uri>().is_ok()
}

/// Whether the target came as UTF-8: nothing in it had to be replaced.
fn has_utf8_target(head: &RequestHead) -> bool {
    matches!(head.target(), Cow::Borrowed(_))
}

/// What hyper has read beyond a head. It takes the head off its buffer before it looks at the target, but a target that
/// is no UTF-8 stops it earlier, with all of the head still there.
fn after_head<'f>(head: &RequestHead, front: &'f [u8]) -> &'f [u8] {
    if has_utf8_target(head) {
        return front;
    }
    let blank = front.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    front[blank..].strip_prefix(head.raw()).unwrap_or(front)
}

/// The same head with a target that hyper can read.
fn readable(head: &RequestHead) -> Vec<u8> {
    let rest = head.raw().iter().position(|&byte| byte == b'\n').map_or(head.raw().len(), |at| at + 1);
    let mut readable = format!("{} / {}\r\n", head.method(), head.version()).into_bytes();
    readable.extend_from_slice(&head.raw()[rest..]);
    readable
}

/// What is wrong with a head that did not even end.
fn partial_fault(ledger: &Ledger, most: usize) -> Why {
    let partial = ledger.follower.partial();
    let last_line_end = partial.iter().rposition(|&byte| byte == b'\n');
    if partial.starts_with(b"\x16\x03") {
        Why::Tls
    } else if ledger.follower.lost() || partial.len() >= most {
        if last_line_end.is_some() { Why::HeadTooLarge(most) } else { Why::TargetTooLong(most) }
    } else {
        // The lines that came whole are judged as if the head ended there; a missing Host may yet have come.
        let mut judge = Follower::new(most + 2);
        judge.feed(&partial[..last_line_end.map_or(0, |at| at + 1)]);
        judge.feed(b"\r\n");
        match judge.next_head().and_then(|head| head.fault()) {
            None | Some(HeadFault::HostMissing) => Why::Malformed,
            Some(fault) => Why::Head(fault),
        }
    }
}
