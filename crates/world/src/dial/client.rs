//! A client: connections that are made or used again, and one request on each.

use super::answer::Answer;
use super::budget::Budget;
use super::link::Link;
use super::pool::Pool;
use super::tls::{Tls, Trust};
use super::{BaseUrl, DialError, Limits, Request};
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONNECTION, HOST, HeaderName, HeaderValue};
use hyper::http::uri::PathAndQuery;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// For so long a connection that was looked at is not looked at again.
const JUST_LOOKED: Duration = Duration::from_millis(1);

/// Asks providers. Copies share their connections.
///
/// A connection waits at most 15 s to be used again, at most 64 for each host; the next use of the client closes those
/// beyond. Dropping the last copy closes all.
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
}

/// What the copies of a client share.
#[derive(Debug)]
pub(super) struct Shared {
    tls: Tls,
    pub(super) pool: Pool,
}

impl Client {
    /// A client without connections. Roots of the system are read when the first `https` URL is used.
    #[must_use]
    pub fn new(trust: Trust) -> Self {
        Self::with(trust, Pool::new())
    }

    pub(super) fn with(trust: Trust, pool: Pool) -> Self {
        Self { shared: Arc::new(Shared { tls: Tls::new(trust), pool }) }
    }

    /// Connects, or takes a connection that waits; nothing is sent yet. A `fresh` connection is made for this one request
    /// and closed after it: what is sent on it is sent once or not at all, and no earlier answer can leak into it.
    ///
    /// # Errors
    /// [`DialError`] when there is no connection in time.
    pub async fn connect(&self, base: &BaseUrl, limits: Limits, fresh: bool) -> Result<Connected, DialError> {
        let budget = Budget::new(limits);
        let shared = Arc::clone(&self.shared);
        let kept = if fresh { None } else { shared.pool.take(base.origin()) };
        let used = kept.is_some();
        let link = match kept {
            Some(link) => link,
            None => budget.connect(Link::open(base, &shared.tls)).await?,
        };
        let taken = Instant::now();
        Ok(Connected { shared, base: base.clone(), budget, link, fresh, used, taken })
    }

    /// One request on a connection of its own. A base URL that already ends with the target is taken as it is.
    ///
    /// # Errors
    /// [`DialError`] when no head of an answer arrives whole and in time. Any status is an answer.
    pub async fn ask(
        &self,
        base: &BaseUrl,
        request: Request<'_>,
        limits: Limits,
    ) -> Result<Answer, DialError> {
        let message = assemble(base, &base.target(request.target), &request, true)?;
        self.connect(base, limits, true).await?.send(message).await
    }
}

/// A connection on which nothing of the request has been sent.
#[derive(Debug)]
pub struct Connected {
    shared: Arc<Shared>,
    base: BaseUrl,
    budget: Budget,
    link: Link,
    /// Made for this request and closed after it.
    fresh: bool,
    /// Has carried a request before.
    used: bool,
    /// When it was found good.
    taken: Instant,
}

impl Connected {
    /// Whether it carried a request before: the peer kept it open.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.used
    }

    /// Sends a request, its target behind the path of the base URL, and waits for the head of its answer. It is sent once:
    /// another connection is tried only where the first one was closed by the peer before a byte of it was written.
    ///
    /// # Errors
    /// [`DialError`] when no head arrives whole and in time. Any status is an answer.
    pub async fn ask(self, request: Request<'_>) -> Result<Answer, DialError> {
        let message = assemble(&self.base, &self.base.behind(request.target), &request, self.fresh)?;
        self.send(message).await
    }

    async fn send(mut self, mut message: Message) -> Result<Answer, DialError> {
        // The peer may have closed it while the caller did something else, such as writing down what it is about to do.
        if self.used && self.taken.elapsed() > JUST_LOOKED && !self.link.is_quiet() {
            self.renew().await?;
        }
        let (head, body) = loop {
            let sent = self.link.wire.moving(self.link.sender.try_send_request(message));
            let mut error = match self.budget.next(sent).await? {
                Ok(answer) => break answer.into_parts(),
                Err(error) => error,
            };
            // hyper gives the message back only where it has not begun to write it.
            message = match error.take_message() {
                Some(message) if self.used => message,
                Some(_) | None => return Err(DialError::of_exchange(error.into_error())),
            };
            self.renew().await?;
        };
        let home = (!self.fresh).then_some((self.shared, self.base));
        Ok(Answer::new(head, body, self.budget, self.link, home))
    }

    /// Takes another connection in place of one that the peer had closed.
    async fn renew(&mut self) -> Result<(), DialError> {
        match self.shared.pool.take(self.base.origin()) {
            Some(link) => self.link = link,
            None => {
                self.used = false;
                self.link = self.budget.connect(Link::open(&self.base, &self.shared.tls)).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
impl Connected {
    /// Lets the connection end as if the peer had closed it at the last moment.
    pub(super) fn break_off(&mut self) {
        self.link.wire.break_off();
    }
}

type Message = hyper::Request<Full<Bytes>>;

/// Headers that belong to one connection (RFC 9110, 7.6.1) or follow from the body and the URL.
const OURS: [&str; 9] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Whether a header is the connection's own: such ones are left out of requests.
#[must_use]
pub fn is_ours(name: &str) -> bool {
    OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

fn assemble(base: &BaseUrl, target: &str, request: &Request<'_>, last: bool) -> Result<Message, DialError> {
    let mut message = hyper::Request::new(Full::new(request.body.clone()));
    let method = hyper::Method::from_bytes(request.method.as_bytes());
    *message.method_mut() =
        method.ok().filter(|method| *method != hyper::Method::CONNECT).ok_or(DialError::BadMethod)?;
    // The reader of targets takes `#` for the end of one.
    if !request.target.starts_with('/') || request.target.contains('#') {
        return Err(DialError::BadTarget);
    }
    *message.uri_mut() = PathAndQuery::try_from(target).map_err(|_| DialError::BadTarget)?.into();
    let bad = |name: &str| DialError::BadHeader(name.to_owned());
    let headers = message.headers_mut();
    headers.reserve(request.headers.len() + 3);
    headers.insert(HOST, HeaderValue::from_str(base.authority()).map_err(|_| bad("host"))?);
    if last {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in request.headers {
        if is_ours(name) {
            continue;
        }
        let mut value = HeaderValue::from_bytes(value).map_err(|_| bad(name))?;
        value.set_sensitive(true);
        headers.append(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(name))?, value);
    }
    Ok(message)
}
