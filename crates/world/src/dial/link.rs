//! One connection to a provider, made and moved.
//!
//! It moves bytes only while somebody waits for them: no task outlives its request, and the socket closes the moment the
//! connection is dropped.

use super::socket::{Socket, Stream};
use super::tls::Tls;
use super::{BaseUrl, DialError};
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::task::Poll;
use tokio::net::TcpStream;

/// A connection on which HTTP is spoken.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) sender: http1::SendRequest<Full<Bytes>>,
    pub(super) wire: Wire,
    socket: Socket,
}

impl Link {
    /// Connects to the first address that takes it.
    pub(super) async fn open(base: &BaseUrl, tls: &Tls) -> Result<Self, DialError> {
        let socket = Socket::new(connect(base).await?);
        let stream = match base.is_tls() {
            false => Stream::Plain(socket.clone()),
            true => Stream::Tls(tls.shake(base, socket.clone()).await?),
        };
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(DialError::of_exchange)?;
        Ok(Self { sender, wire: Wire(Some(Box::new(connection))), socket })
    }

    /// Whether the peer has said and done nothing since the last answer.
    pub(super) fn is_quiet(&self) -> bool {
        self.socket.is_quiet()
    }

    /// Whether, after a whole answer, the connection can carry another request.
    pub(super) async fn is_reusable(&mut self) -> bool {
        poll_fn(|context| {
            let sender = &mut self.sender;
            let alive = self.wire.step(context) && matches!(sender.poll_ready(context), Poll::Ready(Ok(())));
            Poll::Ready(alive)
        })
        .await
    }
}

type Connection = http1::Connection<TokioIo<Stream>, Full<Bytes>>;

/// What moves the bytes; none once the connection is over.
#[derive(Debug)]
pub(super) struct Wire(Option<Box<Connection>>);

impl Wire {
    /// Moves what can be moved; false once the connection is over.
    fn step(&mut self, context: &mut std::task::Context<'_>) -> bool {
        // Its errors come out of the request or the body as well.
        if self.0.as_mut().is_some_and(|connection| Pin::new(connection).poll(context).is_ready()) {
            self.0 = None;
        }
        self.0.is_some()
    }

    /// Waits for an event that the connection brings about.
    pub(super) async fn moving<T>(&mut self, event: impl Future<Output = T>) -> T {
        let mut event = pin!(event);
        poll_fn(|context| {
            self.step(context);
            event.as_mut().poll(context)
        })
        .await
    }
}

#[cfg(test)]
impl Wire {
    pub(super) fn break_off(&mut self) {
        self.0 = None;
    }
}

async fn connect(base: &BaseUrl) -> Result<TcpStream, DialError> {
    let mut failures = Vec::new();
    for address in addresses(base).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failures.push((address.ip(), DialError::of_connect(error))),
        }
    }
    match failures.pop() {
        // Which of them was meant is known only to whoever chose the name.
        Some(last) if base.only_loopback() && !failures.is_empty() => {
            failures.push(last);
            Err(DialError::NoneOf(failures))
        }
        Some((_, last)) => Err(last),
        None => Err(DialError::Unresolved(std::io::ErrorKind::NotFound.into())),
    }
}

/// The addresses of a host, in the order in which they are tried.
async fn addresses(base: &BaseUrl) -> Result<Vec<SocketAddr>, DialError> {
    let found = tokio::net::lookup_host((base.host(), base.port())).await;
    if !base.only_loopback() {
        return found.map(Iterator::collect).map_err(DialError::Unresolved);
    }
    // A resolver may know one family of `localhost`, or not the name at all.
    let mut all: Vec<SocketAddr> = match found {
        Ok(found) => found.collect(),
        Err(_) if base.is_localhost() => Vec::new(),
        Err(error) => return Err(DialError::Unresolved(error)),
    };
    if !all.iter().all(|address| address.ip().to_canonical().is_loopback()) {
        return Err(DialError::NotLoopback);
    }
    if base.is_localhost() {
        all.extend([
            SocketAddr::new(Ipv4Addr::LOCALHOST.into(), base.port()),
            SocketAddr::new(Ipv6Addr::LOCALHOST.into(), base.port()),
        ]);
    }
    let mut seen = BTreeSet::new();
    all.retain(|address| seen.insert(address.ip()));
    Ok(all)
}
