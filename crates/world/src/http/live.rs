//! A reply whose body is made while it leaves: a sender for whoever makes it, and a body that the connection takes from.
//!
//! Must not know: what is sent, or why it broke off.

mod raw;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use rehearsal_wire::head::ResponseHead;
use tokio::sync::mpsc;

pub(super) use raw::{Played, play};

use super::reply::{Asked, Framing, bare, open};

/// How often something may be handed over and wait to leave. With it a slow client slows the sender; more would only be memory.
const WAITING: usize = 4;

/// A body in the making. With a `length`, in bytes, the client is told it beforehand; without one the body leaves in
/// chunks, or, to a client of HTTP/1.0, until the connection ends.
///
/// A body that is shorter than its length when it is finished counts as aborted. What goes beyond it is never sent, for
/// the client would take it for the next answer, and the connection closes.
#[must_use]
pub fn live(length: Option<u64>) -> (LiveSender, LiveBody) {
    let (sender, pieces) = mpsc::channel(WAITING);
    let progress = Arc::new(Progress::default());
    let sender = LiveSender { pieces: sender, progress: Arc::clone(&progress) };
    (sender, LiveBody { length, pieces, progress })
}

/// The client left, took nothing for too long, or wants no body; or the server shuts down. Nothing more can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client is gone")]
pub struct ClientGone;

/// Sends a body piece by piece. Dropped without [`LiveSender::finish`], it aborts.
#[derive(Debug)]
pub struct LiveSender {
    pieces: mpsc::Sender<Vec<Bytes>>,
    progress: Arc<Progress>,
}

impl LiveSender {
    /// Hands over the next piece, which leaves as a chunk of its own where there are chunks; an empty one is no piece.
    /// Waits while some already wait to leave. That it returns does not mean that the piece has left: see [`Sent`].
    ///
    /// # Errors
    /// [`ClientGone`] when nothing more can be sent.
    pub async fn send(&mut self, piece: Bytes) -> Result<(), ClientGone> {
        self.send_all(vec![piece]).await
    }

    /// The same for several pieces that are there at once: they leave together, each as a chunk of its own.
    ///
    /// # Errors
    /// As [`LiveSender::send`].
    pub async fn send_all(&mut self, pieces: Vec<Bytes>) -> Result<(), ClientGone> {
        self.pieces.send(pieces).await.map_err(|_| ClientGone)
    }

    /// Ends the body: what was handed over still leaves, and the client sees that it is whole.
    pub fn finish(self) {
        self.progress.finished.store(true, Ordering::Release);
    }

    /// Breaks the body off: what was handed over still leaves, and the client sees that it is not whole.
    pub fn abort(self) {
        drop(self);
    }

    /// Ends once nothing more can be sent. A client that only closed its own side may still read: it is known to be
    /// gone when it resets, or by the next piece.
    pub async fn gone(&self) {
        self.pieces.closed().await;
    }

    /// Whether it is known that nothing more can be sent.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.pieces.is_closed()
    }

    /// How much of the body has left.
    #[must_use]
    pub fn sent(&self) -> Sent {
        Sent(Arc::clone(&self.progress))
    }
}

/// Tells how much of a body has left; lives on after the sender.
#[derive(Clone, Debug)]
pub struct Sent(Arc<Progress>);

impl Sent {
    /// Bytes of the body, without framing, that the kernel has taken so far; final once `App::left` was called.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.sent.load(Ordering::Acquire)
    }
}

/// What both ends know.
#[derive(Debug, Default)]
struct Progress {
    sent: AtomicU64,
    finished: AtomicBool,
}

/// The body of a reply, as the connection takes it. Dropped, it tells its sender that the client is gone.
#[derive(Debug)]
pub struct LiveBody {
    length: Option<u64>,
    pieces: mpsc::Receiver<Vec<Bytes>>,
    progress: Arc<Progress>,
}

/// A live reply, ready for the socket.
#[derive(Debug)]
pub(super) struct Live {
    head: Vec<u8>,
    framing: Framing,
    /// Whether the connection ends with it.
    last: bool,
    /// None where only the head leaves.
    body: Option<LiveBody>,
}

impl Live {
    /// Frames a reply as the request allows.
    pub(super) fn new(head: ResponseHead, body: LiveBody, asked: Asked, close: bool) -> Self {
        let framing = body.length.map_or_else(|| Framing::unknown(asked), Framing::Length);
        let bare = bare(&head, asked);
        let (head, last) = open(head, framing, asked, close, 0);
        Self { head, framing, last, body: (!bare).then_some(body) }
    }

    /// Whether the connection ends with it, however it ends.
    pub(super) fn last(&self) -> bool {
        self.last
    }
}
