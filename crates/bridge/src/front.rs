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

    /// Begins the answer.
    pub(crate) fn begin(&mut self, mut head: ResponseHead, length: Option<u64>) {
        let Some(reply) = self.reply.take() else { return };
        self.status = Some(head.status);
        head.headers.extend(self.common.headers.iter().cloned());
        let (sender, body) = live(length);
        self.sent = Some(sender.sent());
        self.sender = Some(sender);
        self.alone = reply.send(Reply::Live { head, body }).is_err();
    }

    /// Writes down what is served, where it is another thing than what came, and hands it over.
    ///
    /// # Errors
    /// When it cannot be written: then it is not served either.
    pub(crate) async fn send(&mut self, exchange: &mut Exchange, bytes: Bytes) -> Result<(), VaultError> {
        if bytes.is_empty() || self.sender.is_none() {
            return Ok(());
        }
        if let Some(served) = &mut exchange.served {
            served.write(&bytes)?;
            self.pieces.push((self.clock.elapsed_us(), bytes.len() as u64));
        }
        if let Some(sender) = &mut self.sender
            && sender.send(bytes).await.is_err()
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
        self.begin(head, Some(body.len() as u64));
        // A record that cannot be written is what failed, most likely; the client is told all the same.
        drop(exchange.failed_with(body));
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
