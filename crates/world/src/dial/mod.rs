//! Asks a provider: one HTTP/1.1 request, a deadline on everything, a name for every way to fail.
//!
//! No proxy, no redirects, no pool: a connection serves one request, so nothing of an earlier answer can leak into a
//! later one. Must not know: dialects, retries, what the bytes mean.

mod deadline;
mod fail;
mod url;

pub use deadline::Deadline;
pub use fail::DialError;
pub use url::{BaseUrl, UrlError};

use crate::clock;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

/// What one request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest wait for name and connection.
    pub connect: Duration,
    /// Longest silence: before the head of the answer, and between two pieces of its body.
    pub idle: Duration,
    /// Longest time for everything, from the look-up of the name to the last byte.
    pub total: Duration,
    /// Most bytes of the answer's body.
    pub body: usize,
}

/// How the endpoint is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST`.
    Post,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// Method.
    pub method: Method,
    /// Path below the base URL, e.g. `/chat/completions`.
    pub endpoint: &'r str,
    /// Headers beside `Host`, `Connection` and `Content-Length`. Values are never logged.
    pub headers: &'r [(&'r str, &'r str)],
    /// The body.
    pub body: &'r [u8],
}

/// An answer whose head has arrived. Dropping it closes the connection.
#[derive(Debug)]
pub struct Answer {
    status: u16,
    headers: HeaderMap,
    arrived: SystemTime,
    body: Incoming,
    read: usize,
    budget: Budget,
    wire: Wire,
}

/// Sends one request and waits for the head of its answer.
///
/// # Errors
/// [`DialError`] when no head arrives whole and in time. Any status is an answer.
pub async fn ask(base: &BaseUrl, request: Request<'_>, limits: Limits) -> Result<Answer, DialError> {
    let message = assemble(base, request)?;
    let budget = Budget { limits, end: after(limits.total) };
    let stream = budget.connect(connect(base)).await?;
    // Small requests leave at once; nothing is lost if the option cannot be set.
    let _ = stream.set_nodelay(true);
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(DialError::of_exchange)?;
    let mut wire = Wire(Some(connection));
    let sent = wire.moving(sender.send_request(message));
    let answer = budget.next(sent).await?.map_err(DialError::of_exchange)?;
    let (head, body) = answer.into_parts();
    Ok(Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        arrived: UNIX_EPOCH + Duration::from_millis(clock::unix_ms()),
        body,
        read: 0,
        budget,
        wire,
    })
}

impl Answer {
    /// The status, 100 to 999.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// A header's value, where it is there once or more and is visible ASCII; the first one.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// How long the peer asks to wait, from the arrival of the head: `retry-after-ms`, or `Retry-After` in seconds or
    /// as a date (one that has passed is no wait). What cannot be read is no wish.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let milliseconds = self.header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
        if let Some(wait) = milliseconds.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()) {
            return Some(wait);
        }
        let text = self.header(RETRY_AFTER.as_str())?.trim();
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        let date = httpdate::parse_http_date(text).ok()?;
        Some(date.duration_since(self.arrived).unwrap_or(Duration::ZERO))
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// [`DialError`] when the body breaks off, stalls, takes too long or grows too large.
    pub async fn next(&mut self) -> Result<Option<Bytes>, DialError> {
        loop {
            let Some(frame) = self.budget.next(self.wire.moving(self.body.frame())).await? else {
                return Ok(None);
            };
            // Trailers say nothing that anybody here asks for.
            let Ok(piece) = frame.map_err(DialError::of_exchange)?.into_data() else { continue };
            self.read += piece.len();
            if self.read > self.budget.limits.body {
                return Err(DialError::TooLarge(self.budget.limits.body));
            }
            return Ok(Some(piece));
        }
    }

    /// The rest of the body.
    ///
    /// # Errors
    /// As [`Answer::next`].
    pub async fn whole(&mut self) -> Result<Vec<u8>, DialError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

/// The connection, which moves bytes only while somebody waits for them: no task outlives its answer, and the socket
/// closes the moment the answer is dropped.
#[derive(Debug)]
struct Wire(Option<http1::Connection<TokioIo<TcpStream>, Full<Bytes>>>);

impl Wire {
    async fn moving<T>(&mut self, event: impl Future<Output = T>) -> T {
        let mut event = pin!(event);
        poll_fn(|context| {
            // Its errors come out of the request or the body as well.
            if self.0.as_mut().is_some_and(|connection| Pin::new(connection).poll(context).is_ready()) {
                self.0 = None;
            }
            event.as_mut().poll(context)
        })
        .await
    }
}

/// The limits of one request and the moment at which all of it must be over.
#[derive(Clone, Copy, Debug)]
struct Budget {
    limits: Limits,
    end: Instant,
}

impl Budget {
    async fn connect(
        self,
        connecting: impl Future<Output = Result<TcpStream, DialError>>,
    ) -> Result<TcpStream, DialError> {
        let until = after(self.limits.connect).min(self.end);
        timeout_at(until, connecting)
            .await
            .unwrap_or(Err(DialError::ConnectTimeout(self.limits.connect.min(self.limits.total))))
    }

    async fn next<T>(self, event: impl Future<Output = T>) -> Result<T, DialError> {
        let idle = after(self.limits.idle);
        timeout_at(idle.min(self.end), event).await.map_err(|_| {
            if idle < self.end {
                DialError::Idle(self.limits.idle)
            } else {
                DialError::Total(self.limits.total)
            }
        })
    }
}

/// A moment from now; one too far to name is a century away.
fn after(wait: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    Instant::now() + wait.min(CENTURY)
}

async fn connect(base: &BaseUrl) -> Result<TcpStream, DialError> {
    let addresses = tokio::net::lookup_host((base.host.as_str(), base.port));
    let mut failure = None;
    for address in addresses.await.map_err(DialError::Unresolved)? {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = Some(DialError::of_connect(error)),
        }
    }
    Err(failure.unwrap_or_else(|| DialError::Unresolved(std::io::ErrorKind::NotFound.into())))
}

fn assemble(base: &BaseUrl, request: Request<'_>) -> Result<hyper::Request<Full<Bytes>>, DialError> {
    let mut message = hyper::Request::new(Full::new(Bytes::copy_from_slice(request.body)));
    *message.method_mut() = match request.method {
        Method::Get => hyper::Method::GET,
        Method::Post => hyper::Method::POST,
    };
    let bad = |name: &str| DialError::BadHeader(name.to_owned());
    *message.uri_mut() = base.target(request.endpoint).parse().map_err(|_| bad(":path"))?;
    let headers = message.headers_mut();
    headers.insert(HOST, HeaderValue::from_str(&base.authority).map_err(|_| bad("host"))?);
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    for (name, value) in request.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| bad(name))?;
        value.set_sensitive(true);
        headers.append(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(name))?, value);
    }
    Ok(message)
}

#[cfg(test)]
mod tests;
