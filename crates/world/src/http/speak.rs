//! hyper's part of a connection: serve until it is done, something takes too long, or the server shuts down.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::App;
use super::closing::{Closing, Stage};
use super::door::pass;
use super::ledger::Line;
use super::tap::Tap;
use super::watch::{Pace, Watch};

/// The smallest buffer that hyper takes.
const LEAST_BUFFER: usize = 8192;

/// How hyper's part ended.
pub(super) enum Ended {
    /// hyper is done, or says why it cannot go on.
    ByHyper(Option<hyper::Error>),
    /// Something took too long.
    Late(Pace),
    /// The server leaves at once.
    Told,
}

/// Lets hyper serve; gives the socket back with what was read ahead.
pub(super) async fn speak<A: App>(
    line: &Arc<Line<A>>,
    stream: TcpStream,
    front: Bytes,
    closing: &Closing,
) -> (Ended, TcpStream, Bytes) {
    let tap = TokioIo::new(Tap::new(Arc::clone(line), stream, front));
    let mut hyper = http1::Builder::new()
        .half_close(true)
        .auto_date_header(false)
        .header_read_timeout(None)
        .max_buf_size(line.limits.head.max(LEAST_BUFFER))
        .writev(false)
        .serve_connection(tap, service_fn(|request| pass(Arc::clone(line), request)));
    let ended = {
        let mut watch = Watch::new(&line.limits);
        let mut finish = pin!(closing.reached(Stage::Finish));
        let mut leave = pin!(closing.reached(Stage::Leave));
        let mut finishing = false;
        let mut listening = false;
        // hyper's own end of it, a shutdown of the socket, does nothing on a tap.
        poll_fn(|cx| {
            if let Poll::Ready(result) = Pin::new(&mut hyper).poll(cx) {
                return Poll::Ready(Ended::ByHyper(result.err()));
            }
            // The bell wakes this task by itself, so it is listened to once and then only looked at.
            if !listening {
                listening = true;
                let _rung = finish.as_mut().poll(cx);
            }
            if closing.at(Stage::Finish) && !finishing {
                finishing = true;
                let _rung = leave.as_mut().poll(cx);
                Pin::new(&mut hyper).graceful_shutdown();
                // An idle connection is over by this alone.
                if let Poll::Ready(result) = Pin::new(&mut hyper).poll(cx) {
                    return Poll::Ready(Ended::ByHyper(result.err()));
                }
            }
            if closing.at(Stage::Leave) {
                return Poll::Ready(Ended::Told);
            }
            watch.late(line, cx).map(Ended::Late)
        })
        .await
    };
    let parts = hyper.into_parts();
    // A copy, so that a few bytes, or none, do not keep hyper's whole buffer for as long as a stall lasts.
    (ended, parts.io.into_inner().stream, Bytes::copy_from_slice(&parts.read_buf))
}
