//! The client's side of one forward: what it is served, written down before it leaves, and what of it really left.

use crate::exchange::Exchange;
use bytes::Bytes;
use rehearsal_journal::bridge::Hop;
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::clock::Clock;
use rehearsal_world::http::{LiveSender, Reply, Sent, live};
use rehearsal_world::task::oneshot;
use rehearsal_world::vault::VaultError;

/// The front. The client may leave it at any time; nobody behind it is kept waiting then.
#[derive(Debug)]
pub(crate) struct Front {
    reply: Option<oneshot::Sender<Reply>>,
    /// How the answer begins, and its length where that is known, before it does.
    head: Option<(ResponseHead, Option<u64>)>,
    sender: Option<LiveSender>,
    sent: Option<Sent>,
    /// Headers that every answer of the bridge has.
    common: ResponseHead,
    status: Option<u16>,
    /// When each piece was handed over, microseconds after the request, and how many bytes it had.
    pieces: Vec<(u64, u64)>,
    clock: Clock,
    /// Whether the client left before the end.
    left: bool,
    /// Whether nobody waited for the reply any more.
    alone: bool,
}

impl Front {
    /// A front whose reply goes to whoever waits for it. `common` gives the headers of every answer.
    #[must_use]
    pub(crate) fn new(reply: oneshot::Sender<Reply>, common: ResponseHead, clock: Clock) -> Self {
        Self {
            reply: Some(reply),
            head: None,
            sender: None,
            sent: None,
            common,
            status: None,
            pieces: Vec::new(),
            clock,
            left: false,
            alone: false,
        }
    }

    /// The status that was sent, if any was.
    #[must_use]
    pub(crate) fn status(&self) -> Option<u16> {
        self.status
    }

    /// Whether the client left before the end.
    #[must_use]
    pub(crate) fn left(&self) -> bool {
        self.left
    }

    /// The pieces that were handed over, where they are others than those that came: when, microseconds after the request, and how
    /// many bytes each had.
    #[must_use]
    pub(crate) fn pieces(&self) -> &[(u64, u64)] {
        &self.pieces
    }

    /// Whether the connection will never say what left of it: it was gone before the answer began.
    #[must_use]
    pub(crate) fn alone(&self) -> bool {
        self.alone
    }

    /// Says how the answer begins. Its head leaves with the first pieces, or once [`Front::begin`] is called.
    pub(crate) fn prepare(&mut self, head: ResponseHead, length: Option<u64>) {
        self.head = Some((head, length));
    }

    /// Begins the answer, if it has not begun.
    pub(crate) fn begin(&mut self) {
        let Some((mut head, length)) = self.head.take() else { return };
        let Some(reply) = self.reply.take() else { return };
        self.status = Some(head.status);
        head.headers.extend(self.common.headers.iter().cloned());
        let (sender, body) = live(length);
        self.sent = Some(sender.sent());
        self.sender = Some(sender);
        self.alone = reply.send(Reply::Live { head, body }).is_err();
    }

    /// Writes down what came, and what is served of it where that is another thing, and hands it over: pieces that leave together.
    ///
    /// # Errors
    /// When it cannot be written: then it is not served either.
    pub(crate) async fn send(
        &mut self,
        exchange: &mut Exchange,
        pieces: Vec<Bytes>,
    ) -> Result<(), VaultError> {
        let is_served = self.sender.is_some() || self.head.is_some();
        if let Some(served) = exchange.served.as_mut().filter(|_| is_served) {
            for piece in &pieces {
                served.push(piece);
                self.pieces.push((self.clock.elapsed_us(), piece.len() as u64));
            }
        }
        let written = exchange.write().await;
        self.begin();
        written?;
        if let Some(sender) = self.sender.as_mut().filter(|_| !pieces.is_empty())
            && sender.send_all(pieces).await.is_err()
        {
            self.left = true;
            self.sender = None;
        }
        Ok(())
    }

    /// The answer is whole.
    pub(crate) fn end(&mut self) {
        if let Some(sender) = self.sender.take() {
            sender.finish();
        }
    }

    /// The forward failed: before the answer began the client is told so with 502, afterwards its answer breaks off.
    pub(crate) async fn fail(&mut self, exchange: &mut Exchange, body: &[u8]) {
        if self.reply.is_none() {
            if let Some(sender) = self.sender.take() {
                sender.abort();
            }
            return;
        }
        let head = ResponseHead::new(502).with("content-type", "application/json");
        self.prepare(head, Some(body.len() as u64));
        // A record that cannot be written is what failed, most likely; the client is told all the same.
        drop(exchange.failed_with(body).await);
        self.begin();
        if let Some(sender) = &mut self.sender {
            self.left |= sender.send(Bytes::copy_from_slice(body)).await.is_err();
        }
        self.end();
    }

    /// What of the body really left, once the connection has said that no more will.
    ///
    /// # Errors
    /// When what was served cannot be read again.
    pub(crate) fn served(&mut self, exchange: &mut Exchange) -> Result<Hop, VaultError> {
        let bytes = self.sent.as_ref().map_or(0, Sent::bytes);
        if let Some(served) = &mut exchange.served {
            self.left |= bytes < served.came();
            served.cut(bytes)?;
            return Ok(served.hop());
        }
        self.left |= bytes < exchange.response.came();
        exchange.response.beginning(bytes)
    }
}
