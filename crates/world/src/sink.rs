//! A proxy that refuses everything: what an agent tries to reach outside of this machine is told, and gets nowhere.
//!
//! Every answer is a 403. Nothing is ever dialled, and no byte of a client can keep it from ending.

mod heard;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rehearsal_journal::event::EscapeTried;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::listen::{self, BindError, Listener};
use crate::pump;

/// Most bytes of a request that are looked at.
const HEAD: usize = 16 << 10;
/// How long a client may take to say where it wants to.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most connections at once; more wait to be accepted.
const CONNECTIONS: usize = 64;
/// Most attempts that are told: a client in a loop must not fill a journal.
const TOLD: u32 = 1000;
/// Most bytes that are thrown away after an answer, and how long that may take.
const DRAIN: (u64, Duration) = (64 << 10, Duration::from_secs(1));
/// How long [`Sink::finish`] waits for clients that have not said all.
const LAST_MOMENT: Duration = Duration::from_secs(1);
/// How long nobody is accepted after the system refused a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// A refusing proxy. It runs until it is dropped.
#[derive(Debug)]
pub struct Sink {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Sink {
    /// Opens a sink on a free port of this loopback address. `tell` hears of each attempt before the client is answered,
    /// at most 1000 times; it must be short. Call it inside the runtime.
    ///
    /// # Errors
    /// As [`listen::bind`].
    pub fn open(
        host: Ipv4Addr,
        tell: impl Fn(EscapeTried) + Send + Sync + 'static,
    ) -> Result<Self, BindError> {
        let listener = listen::bind(IpAddr::V4(host), 0, false)?;
        let address = listener.address();
        Self::on(listener, tell).map_err(|source| BindError::System { address, source })
    }

    /// The same on a socket that listens already, such as one in another network namespace.
    ///
    /// # Errors
    /// When the runtime cannot take the socket over.
    pub fn on(listener: Listener, tell: impl Fn(EscapeTried) + Send + Sync + 'static) -> io::Result<Self> {
        let address = listener.address();
        let listener = listener.into_async()?;
        let (stop, stopped) = oneshot::channel();
        let ear = Arc::new(Ear { tell, left: AtomicU32::new(TOLD) });
        let task = tokio::spawn(run(listener, ear, stopped));
        Ok(Self { address, stop: Some(stop), task })
    }

    /// Where it listens: the value of a proxy variable is `http://` and this.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it in order: whoever has connected until now is still told of.
    pub async fn finish(mut self) {
        if let Some(stop) = self.stop.take() {
            let _gone = stop.send(());
        }
        // A panic of `tell` ended one connection, not this task.
        let _ended = (&mut self.task).await;
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Who is told, and how often still.
struct Ear<F> {
    tell: F,
    left: AtomicU32,
}

impl<F: Fn(EscapeTried)> Ear<F> {
    fn tell(&self, attempt: EscapeTried) {
        let one_less = |left: u32| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
            (self.tell)(attempt);
        }
    }
}

async fn run<F: Fn(EscapeTried) + Send + Sync + 'static>(
    listener: TcpListener,
    ear: Arc<Ear<F>>,
    mut stopped: oneshot::Receiver<()>,
) {
    // Dropping the set ends the connections.
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            Some(_) = open.join_next() => {}
            accepted = listener.accept(), if open.len() < CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    open.spawn(refuse(stream, Arc::clone(&ear)));
                }
                Err(_) => pause().await,
            },
        }
    }
    // Clients that the kernel has let in already, though nobody took them up.
    if let Ok(listener) = listener.into_std() {
        while let Ok((stream, _)) = listener.accept() {
            if let Ok(stream) = nonblocking(stream) {
                open.spawn(refuse(stream, Arc::clone(&ear)));
            }
        }
    }
    let _late = timeout(LAST_MOMENT, async { while open.join_next().await.is_some() {} }).await;
}

fn nonblocking(stream: std::net::TcpStream) -> io::Result<TcpStream> {
    stream.set_nonblocking(true)?;
    TcpStream::from_std(stream)
}

#[expect(clippy::disallowed_methods, reason = "no event tells that descriptors are free again")]
async fn pause() {
    tokio::time::sleep(ACCEPT_PAUSE).await;
}

/// Hears one client out, tells of it, refuses it.
async fn refuse<F: Fn(EscapeTried)>(mut stream: TcpStream, ear: Arc<Ear<F>>) {
    let mut bytes = Vec::new();
    // At the deadline, and where the client leaves, what came until then says what it wanted.
    let _whole = timeout(PATIENCE, read(&mut stream, &mut bytes)).await;
    if bytes.is_empty() {
        // A connection on which nobody says anything asks for nothing.
        return;
    }
    let attempt = heard::attempt(&bytes);
    let answer = heard::refusal(&attempt.target);
    ear.tell(attempt);
    if let Ok(Ok(())) = timeout(PATIENCE, stream.write_all(&answer)).await {
        pump::close(&mut stream, DRAIN.0, DRAIN.1).await;
    }
}

async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) {
    let mut block = vec![0; HEAD];
    while !heard::is_enough(bytes) && bytes.len() < HEAD {
        match stream.read(&mut block[..HEAD - bytes.len()]).await {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&block[..count]),
        }
    }
}
