//! The socket as hyper sees it: what comes is also given to the follower, what leaves is booked, and what hyper says by
//! itself never leaves.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::App;
use super::ledger::{Fate, Line};

pub(super) struct Tap<A: App> {
    pub(super) stream: TcpStream,
    /// What was read before hyper took over; the follower knows it already.
    front: Bytes,
    line: Arc<Line<A>>,
}

impl<A: App> Tap<A> {
    pub(super) fn new(line: Arc<Line<A>>, stream: TcpStream, front: Bytes) -> Self {
        Self { stream, front, line }
    }
}

impl<A: App> AsyncRead for Tap<A> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let tap = self.get_mut();
        if tap.front.has_remaining() {
            let taken = tap.front.len().min(buf.remaining());
            buf.put_slice(&tap.front.split_to(taken));
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        let room = buf.remaining();
        ready!(Pin::new(&mut tap.stream).poll_read(cx, buf))?;
        let came = &buf.filled()[before..];
        let mut ledger = tap.line.ledger();
        if came.is_empty() && room > 0 {
            ledger.client_done = true;
        } else {
            ledger.follower.feed(came);
        }
        Poll::Ready(Ok(()))
    }
}

impl<A: App> AsyncWrite for Tap<A> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tap = self.get_mut();
        let fate = tap.line.ledger().fate(bytes);
        match fate {
            Fate::Answer(ours) => {
                let taken = ready!(Pin::new(&mut tap.stream).poll_write(cx, &bytes[..ours]))?;
                tap.line.book(&bytes[..taken]);
                Poll::Ready(Ok(taken))
            }
            Fate::Interim => Pin::new(&mut tap.stream).poll_write(cx, bytes),
            Fate::Drop => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A socket has nothing to flush.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Closing is the connection's task, and not before it has answered in hyper's place.
        Poll::Ready(Ok(()))
    }
}
