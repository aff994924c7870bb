//! Plays acts on a raw socket: everything a server can do to a client, in order, and what really left.

use std::io;
use std::time::Duration;

use rehearsal_journal::digest::Running;
use rehearsal_wire::act::Act;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use crate::http::{End, Left};

/// How long an abort waits until the client's side has taken all bytes.
const ABORT_PATIENCE: Duration = Duration::from_secs(5);
/// How often it looks. The runtime's timer knows nothing finer.
const ABORT_LOOK: Duration = Duration::from_millis(1);
/// Bytes read at once when they are thrown away.
const SCRATCH: usize = 16 * 1024;

/// How far a play came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Played {
    /// Every act was played and the connection is still usable.
    All,
    /// The connection is over: reset by us, left by the client, or the client took nothing for too long.
    Over,
}

/// Counts and digests what leaves, and reports it exactly once, whatever happens.
pub(crate) struct Sending<F: FnOnce(Left)> {
    bytes: u64,
    digest: Running,
    report: Option<F>,
}

impl<F: FnOnce(Left)> Sending<F> {
    pub(crate) fn new(left: F) -> Self {
        Self { bytes: 0, digest: Running::default(), report: Some(left) }
    }

    pub(crate) fn record(&mut self, part: &[u8]) {
        self.bytes += part.len() as u64;
        self.digest.update(part);
    }

    pub(crate) fn finish(&mut self, end: End) {
        if let Some(report) = self.report.take() {
            let digest = std::mem::take(&mut self.digest);
            report(Left { bytes: self.bytes, sha256: digest.finish(), end });
        }
    }
}

impl<F: FnOnce(Left)> Drop for Sending<F> {
    fn drop(&mut self) {
        self.finish(End::Stopped);
    }
}

/// Plays `acts`. `left` is called once: as soon as the last byte of the last write was accepted by the
/// kernel (so before a trailing stall or abort), or when the client left or took nothing for `patience`.
/// Dropping the future counts as stopped.
pub(crate) async fn play(
    stream: &mut TcpStream,
    acts: Vec<Act>,
    patience: Duration,
    left: impl FnOnce(Left),
) -> Played {
    let mut sending = Sending::new(left);
    let mut writes = acts.iter().filter(|act| matches!(act, Act::Write(_))).count();
    for act in acts {
        if writes == 0 {
            sending.finish(End::Complete);
        }
        match act {
            Act::Write(bytes) => {
                if let Err(end) = write(stream, &bytes, patience, |part| sending.record(part)).await {
                    sending.finish(end);
                    return Played::Over;
                }
                writes -= 1;
            }
            Act::Wait(time) => {
                if wait(stream, time).await.is_err() {
                    sending.finish(End::ClientLeft);
                    return Played::Over;
                }
            }
            Act::HalfClose => {
                if stream.shutdown().await.is_err() {
                    sending.finish(End::ClientLeft);
                    return Played::Over;
                }
            }
            Act::Abort => {
                abort(stream).await;
                return Played::Over;
            }
            Act::Stall => {
                hold(stream).await;
                return Played::Over;
            }
        }
    }
    sending.finish(End::Complete);
    Played::All
}

/// Sees to it that the connection ends with a reset once it is dropped, and that the client has all bytes by then.
pub(crate) async fn abort(stream: &TcpStream) {
    let _arrived = timeout(ABORT_PATIENCE, arrived(stream)).await;
    // Closing with this set sends a reset; the caller closes next.
    let _set = stream.set_zero_linger();
}

/// Sends all of `bytes`, in one write wherever the kernel takes them whole; `took` hears of each part that it took.
pub(crate) async fn write(
    stream: &TcpStream,
    bytes: &[u8],
    patience: Duration,
    mut took: impl FnMut(&[u8]),
) -> Result<(), End> {
    let mut rest = bytes;
    while !rest.is_empty() {
        // Most writes are taken at once: a timer for each would cost more than it guards.
        let taken = match stream.try_write(rest) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                match timeout(patience, stream.writable()).await {
                    Ok(Ok(())) => continue,
                    Ok(Err(_)) => return Err(End::ClientLeft),
                    Err(_) => return Err(End::TimedOut),
                }
            }
            Ok(0) | Err(_) => return Err(End::ClientLeft),
            Ok(taken) => taken,
        };
        let (gone, kept) = rest.split_at(taken);
        took(gone);
        rest = kept;
    }
    Ok(())
}

/// Lets `time` pass; ends early only when the client resets the connection.
async fn wait(stream: &TcpStream, time: Duration) -> io::Result<()> {
    match timeout(time, stream.ready(tokio::io::Interest::ERROR)).await {
        Err(_) => Ok(()),
        // The runtime may report readiness that means nothing, so the socket itself is asked.
        Ok(_) => match stream.take_error()? {
            Some(error) => Err(error),
            None => Err(io::ErrorKind::ConnectionReset.into()),
        },
    }
}

/// Ends when the client resets the connection.
pub(crate) async fn gone(stream: &TcpStream) {
    let _ready = stream.ready(tokio::io::Interest::ERROR).await;
}

/// Reads and forgets until the client closes or resets.
async fn hold(stream: &TcpStream) {
    while stream.readable().await.is_ok() {
        let mut scratch = [0; 1024];
        match stream.try_read(&mut scratch) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

/// Ends once nothing of ours is on its way any more, so that a reset cannot overtake it.
async fn arrived(stream: &TcpStream) {
    while !matches!(in_flight(stream), Ok(0) | Err(_)) {
        pause(ABORT_LOOK).await;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the kernel tells of an empty send queue only to those who ask again"
)]
async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}

/// Bytes that were sent but not yet acknowledged.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
#[expect(unsafe_code, reason = "the request has no safe wrapper")]
fn in_flight(stream: &TcpStream) -> io::Result<u32> {
    use rustix::ioctl::{Getter, ioctl};
    /// From `asm-generic/ioctls.h`, which these architectures use unchanged.
    const TIOCOUTQ: rustix::ioctl::Opcode = 0x5411;
    // SAFETY: the kernel writes one C int through the pointer, which `Getter` owns, and reads nothing.
    let count = unsafe { ioctl(stream, Getter::<TIOCOUTQ, u32>::new()) }?;
    Ok(count)
}

/// Elsewhere nobody can tell: what was sent is given no time of its own.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)))]
fn in_flight(_stream: &TcpStream) -> io::Result<u32> {
    Ok(0)
}

/// Sends FIN, then reads what still comes, at most `most` bytes within `time`, so that a client that is still
/// sending reads our answer instead of a reset.
pub(crate) async fn close(stream: &mut TcpStream, most: u64, time: Duration) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let until = Instant::now() + time;
    let mut left = most;
    let mut scratch = Vec::new();
    while left > 0 && matches!(timeout_at(until, stream.readable()).await, Ok(Ok(()))) {
        scratch.resize(SCRATCH, 0);
        match stream.try_read(&mut scratch) {
            Ok(0) => return,
            Ok(count) => left = left.saturating_sub(count as u64),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}
