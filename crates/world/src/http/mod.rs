//! An HTTP/1.1 server that lets nothing pass unseen: every request, also one that the HTTP library would refuse
//! by itself, reaches the [`App`], and the app learns what really left for each of its answers.
//!
//! hyper serves what is ordinary; a tap below it keeps the raw heads, counts and digests the answers and swallows
//! hyper's own refusals; what no HTTP library would do is played on the raw socket by the pump.

mod closing;
mod connection;
mod door;
mod ledger;
mod live;
mod plain;
mod refusal;
mod reply;
mod serve;
mod speak;
mod step;
mod tap;
mod watch;

use std::time::Duration;

use bytes::Bytes;
use rehearsal_wire::act::Plan;
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::frames::Frames;
use rehearsal_wire::head::ResponseHead;

pub use live::{ClientGone, LiveBody, LiveSender, Sent, live};
pub use refusal::{Refusal, Why};
pub use rehearsal_journal::event::End;
pub use serve::serve;

/// What is served. One value serves all connections.
pub trait App: Send + Sync + 'static {
    /// Bytes of a body from which judging a request takes so long (here, about 50 µs) that other connections should not wait
    /// for it: it is answered on threads of its own, which have timers but no sockets. An app that itself waits for sockets
    /// says `usize::MAX`.
    const ASIDE: usize = 16 * 1024;

    /// A whole request was read: answer it. The future may be dropped when the server shuts down, and when the client
    /// resets the connection.
    fn answer(&self, request: Request) -> impl Future<Output = Answer> + Send;

    /// The HTTP layer refuses a request: say so in the app's own words. The connection closes afterwards.
    fn refuse(&self, refusal: Refusal) -> impl Future<Output = Answer> + Send;

    /// What really left for the answer with this ticket. Called exactly once for each answer: as soon as the kernel
    /// took its last byte, or when that can no longer happen. It runs between two steps of the connection, so it must be short.
    fn left(&self, ticket: u64, left: Left);
}

/// A whole request.
#[derive(Debug)]
pub struct Request {
    /// Number of the connection, from 1 in the order of acceptance.
    pub conn: u64,
    /// The head as it came; it has no [`RequestHead::fault`].
    pub head: RequestHead,
    /// The body with its framing removed; a content coding is left in.
    pub body: Bytes,
}

/// What the app says.
#[derive(Debug)]
pub struct Answer {
    /// Comes back in [`App::left`].
    pub ticket: u64,
    /// What is sent.
    pub reply: Reply,
    /// Whether the connection closes afterwards. An [`Reply::Acts`] says so itself.
    pub close: bool,
}

/// What is sent. A head needs neither `Content-Length` nor `Transfer-Encoding` nor `Connection`.
#[derive(Debug)]
pub enum Reply {
    /// A head and a body of known length. A request with HEAD gets the head only.
    Whole {
        /// Status 200..=999 and headers.
        head: ResponseHead,
        /// The body. One with room for the head behind it leaves without a further buffer.
        body: Vec<u8>,
    },
    /// A chunked body; head and chunks leave in one write where the kernel takes them.
    Chunks {
        /// Status 200..=999 and headers.
        head: ResponseHead,
        /// Each becomes an HTTP chunk; empty ones are left out.
        frames: Frames,
    },
    /// A head at once, and a body that is made while it leaves: see [`live`].
    Live {
        /// Status 200..=999 and headers.
        head: ResponseHead,
        /// The other end of a [`LiveSender`].
        body: LiveBody,
    },
    /// Bytes and other acts for the raw socket, head included.
    Acts(Plan),
}

/// What really left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// Bytes that the kernel took, head and framing included.
    pub bytes: u64,
    /// SHA-256 of these bytes.
    pub sha256: [u8; 32],
    /// How it ended.
    pub end: End,
}

/// Bounds on what a client may take from us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest request head in bytes, at least 8192.
    pub head: usize,
    /// Largest request body in bytes.
    pub body: u64,
    /// Longest time from the first byte of a head (on a fresh connection: from its acceptance) to its end.
    pub head_time: Duration,
    /// Longest time from the end of a head to the end of its body.
    pub body_time: Duration,
    /// Longest time between an answer and the next request.
    pub idle_time: Duration,
    /// Longest time in which a client takes no byte of an answer.
    pub write_time: Duration,
    /// Most connections at once; more wait to be accepted.
    pub connections: u32,
    /// Most bytes read and thrown away after an answer that ends a connection.
    pub drain: u64,
    /// Longest time for that.
    pub drain_time: Duration,
    /// How long outstanding answers may take once the server shuts down.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: 64 * 1024,
            body: 32 * 1024 * 1024,
            head_time: Duration::from_secs(15),
            body_time: Duration::from_secs(30),
            idle_time: Duration::from_secs(75),
            write_time: Duration::from_secs(60),
            connections: 16 * 1024,
            drain: 64 * 1024 * 1024,
            drain_time: Duration::from_secs(5),
            grace: Duration::from_secs(5),
        }
    }
}
