//! An answer: its head, and its body piece by piece as it comes off the wire.

use super::budget::Budget;
use super::client::Shared;
use super::link::Link;
use super::{BaseUrl, DialError};
use crate::clock;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming};
use hyper::header::{HeaderMap, RETRY_AFTER};
use hyper::http::response::Parts;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An answer whose head has arrived. Dropping it before its end closes the connection.
#[derive(Debug)]
pub struct Answer {
    status: u16,
    headers: HeaderMap,
    arrived: SystemTime,
    body: Incoming,
    read: usize,
    budget: Budget,
    /// None once the body has ended cleanly.
    link: Option<Link>,
    /// Where the connection goes then.
    home: Option<(Arc<Shared>, BaseUrl)>,
}

impl Answer {
    pub(super) fn new(
        head: Parts,
        body: Incoming,
        budget: Budget,
        link: Link,
        home: Option<(Arc<Shared>, BaseUrl)>,
    ) -> Self {
        let arrived = UNIX_EPOCH + Duration::from_millis(clock::unix_ms());
        let (status, headers) = (head.status.as_u16(), head.headers);
        Self { status, headers, arrived, body, read: 0, budget, link: Some(link), home }
    }

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

    /// All headers: names in lower case, in the order in which each came first, and values as they came; those of one name
    /// follow each other.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
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

    /// The next piece of the body, as it came off the wire: no more than one chunk and one read, nothing joined. `None` at
    /// its end, which is where the framing says: a body without length or chunks ends cleanly with the connection.
    ///
    /// # Errors
    /// [`DialError`] when the body breaks off, stalls, takes too long or grows too large.
    pub async fn next(&mut self) -> Result<Option<Bytes>, DialError> {
        loop {
            let Some(link) = &mut self.link else { return Ok(None) };
            let frame = self.budget.next(link.wire.moving(self.body.frame())).await?;
            if let Some(piece) = self.took(frame).await {
                return piece;
            }
        }
    }

    /// The same where it need not be waited for; else `None`. No limit of time is looked at: whoever calls this again and again
    /// calls [`Answer::next`] now and then.
    pub async fn ready(&mut self) -> Option<Result<Option<Bytes>, DialError>> {
        loop {
            let Some(link) = &mut self.link else { return Some(Ok(None)) };
            let frame = {
                let mut event = pin!(link.wire.moving(self.body.frame()));
                poll_fn(|context| Poll::Ready(event.as_mut().poll(context))).await
            };
            let Poll::Ready(frame) = frame else { return None };
            if let Some(piece) = self.took(frame).await {
                return Some(piece);
            }
        }
    }

    /// What a frame of the body means; `None` where it says nothing.
    async fn took(
        &mut self,
        frame: Option<Result<Frame<Bytes>, hyper::Error>>,
    ) -> Option<Result<Option<Bytes>, DialError>> {
        let Some(frame) = frame else {
            self.go_home().await;
            return Some(Ok(None));
        };
        // Trailers say nothing that anybody here asks for.
        let piece = match frame.map_err(DialError::of_exchange).map(Frame::into_data) {
            Ok(Ok(piece)) => piece,
            Ok(Err(_)) => return None,
            Err(error) => return Some(Err(error)),
        };
        self.read += piece.len();
        if self.read > self.budget.limits.body {
            return Some(Err(DialError::TooLarge(self.budget.limits.body)));
        }
        Some(Ok(Some(piece)))
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

    /// The body is over: the connection is kept or closed.
    async fn go_home(&mut self) {
        let (Some(mut link), Some((shared, base))) = (self.link.take(), self.home.take()) else { return };
        if link.is_reusable().await {
            shared.pool.put(base.origin(), link);
        }
    }
}
