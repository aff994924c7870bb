//! Sends a live reply on the raw socket: each piece as soon as it is there, all that wait in one write.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use rehearsal_wire::fault::chunked;
use tokio::net::TcpStream;
use tokio::sync::mpsc::error::TryRecvError;

use super::super::reply::Framing;
use super::super::{End, Left};
use super::{Live, LiveBody};
use crate::pump::{self, Sending};

/// Bytes from which pieces that wait are no longer joined into one write.
const JOINED: usize = 64 * 1024;

/// How a live reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Played {
    /// All of it left and the client knows that it is whole.
    Whole,
    /// It broke off; the client sees that once the connection is closed.
    Broken,
    /// The connection is over: reset by us, left by the client, or the client took nothing for too long.
    Over,
}

/// Sends a reply until its sender ends. `left` is called once: as soon as the kernel took the last byte (so also where the
/// sender aborts, before the client learns it), or when the client left or took nothing for `patience`. Dropping the
/// future counts as stopped.
pub(in super::super) async fn play(
    stream: &mut TcpStream,
    live: Live,
    patience: Duration,
    left: impl FnOnce(Left),
) -> Played {
    let mut sending = Sending::new(left);
    let mut out = Out::new(live.head, live.framing);
    let Some(mut body) = live.body else {
        return match leave(stream, &mut out, None, patience, &mut sending).await {
            Ok(()) => end(&mut sending, End::Complete, Played::Whole),
            Err(end_of_it) => end(&mut sending, end_of_it, Played::Over),
        };
    };
    let mut next = body.ready();
    loop {
        // What already waits leaves in the same write.
        while let Next::Pieces(pieces) = next {
            pieces.iter().for_each(|piece| out.push(piece));
            next = match () {
                () if out.surplus => Next::End { finished: false },
                () if out.bytes.len() < JOINED => body.ready(),
                () => Next::Later,
            };
        }
        let whole = match next {
            Next::End { finished } => Some(finished && out.close()),
            Next::Pieces(_) | Next::Later => None,
        };
        if let Err(end_of_it) = leave(stream, &mut out, Some(&body), patience, &mut sending).await {
            return end(&mut sending, end_of_it, Played::Over);
        }
        match whole {
            Some(true) => return end(&mut sending, End::Complete, Played::Whole),
            Some(false) => {
                sending.finish(End::Complete);
                return break_off(stream, live.framing).await;
            }
            None => {}
        }
        next = tokio::select! {
            biased;
            next = body.next() => next,
            () = pump::gone(stream) => return end(&mut sending, End::ClientLeft, Played::Over),
        };
    }
}

fn end<F: FnOnce(Left)>(sending: &mut Sending<F>, end: End, played: Played) -> Played {
    sending.finish(end);
    played
}

/// Lets the client see that the body is not whole. Where only the end of the connection would tell it, that must be a reset.
async fn break_off(stream: &TcpStream, framing: Framing) -> Played {
    match framing {
        Framing::Length(_) | Framing::Chunked => Played::Broken,
        Framing::ToTheEnd => {
            pump::abort(stream).await;
            Played::Over
        }
    }
}

/// Sends what is ready.
async fn leave<F: FnOnce(Left)>(
    stream: &TcpStream,
    out: &mut Out,
    body: Option<&LiveBody>,
    patience: Duration,
    sending: &mut Sending<F>,
) -> Result<(), End> {
    let mut at = 0;
    let took = |part: &[u8]| {
        sending.record(part);
        if let Some(body) = body {
            body.progress.sent.fetch_add(out.body_within(at..at + part.len()), Ordering::Release);
        }
        at += part.len();
    };
    pump::write(stream, &out.bytes, patience, took).await?;
    out.clear();
    Ok(())
}

/// What comes of a body next.
enum Next {
    Pieces(Vec<Bytes>),
    /// Nothing yet.
    Later,
    End {
        finished: bool,
    },
}

impl LiveBody {
    /// What is there already.
    fn ready(&mut self) -> Next {
        match self.pieces.try_recv() {
            Ok(pieces) => Next::Pieces(pieces),
            Err(TryRecvError::Empty) => Next::Later,
            Err(TryRecvError::Disconnected) => self.end(),
        }
    }

    /// Waits for the next pieces or the end.
    async fn next(&mut self) -> Next {
        match self.pieces.recv().await {
            Some(pieces) => Next::Pieces(pieces),
            None => self.end(),
        }
    }

    fn end(&self) -> Next {
        Next::End { finished: self.progress.finished.load(Ordering::Acquire) }
    }
}

/// Bytes that are ready to leave.
struct Out {
    bytes: Vec<u8>,
    /// Where in them the body's own bytes lie.
    body: Vec<Range<usize>>,
    framing: Framing,
    /// Bytes still missing of a length that was said.
    missing: u64,
    /// More came than was said.
    surplus: bool,
}

impl Out {
    fn new(head: Vec<u8>, framing: Framing) -> Self {
        let missing = match framing {
            Framing::Length(length) => length,
            Framing::Chunked | Framing::ToTheEnd => u64::MAX,
        };
        Self { bytes: head, body: Vec::new(), framing, missing, surplus: false }
    }

    /// Adds a piece with its framing.
    fn push(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        if self.framing == Framing::Chunked {
            chunked::promise(&mut self.bytes, piece.len());
        }
        let fits = usize::try_from(self.missing).map_or(piece.len(), |missing| missing.min(piece.len()));
        self.surplus |= fits < piece.len();
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&piece[..fits]);
        self.body.push(start..start + fits);
        match self.framing {
            Framing::Length(_) => self.missing -= fits as u64,
            Framing::Chunked => self.bytes.extend_from_slice(b"\r\n"),
            Framing::ToTheEnd => {}
        }
    }

    /// Adds the end of the body; false where what was said of it does not hold.
    fn close(&mut self) -> bool {
        match self.framing {
            Framing::Length(_) => self.missing == 0,
            Framing::Chunked => {
                self.bytes.extend_from_slice(chunked::LAST);
                true
            }
            Framing::ToTheEnd => true,
        }
    }

    /// How many bytes of the body lie between two places.
    fn body_within(&self, part: Range<usize>) -> u64 {
        let shared = |own: &Range<usize>| own.end.min(part.end).saturating_sub(own.start.max(part.start));
        self.body.iter().map(shared).sum::<usize>() as u64
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.body.clear();
    }
}
