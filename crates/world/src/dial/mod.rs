//! Asks a provider: HTTP/1.1, plain or over TLS, a deadline on everything, a name for every way to fail.
//!
//! No proxy, no redirects, no cookies, and nothing is ever sent twice. Must not know: dialects, retries, what the bytes mean.

mod answer;
mod budget;
mod client;
mod deadline;
mod fail;
mod link;
mod pool;
mod socket;
mod tls;
mod url;

pub use answer::Answer;
pub use client::{Client, Connected, is_ours};
pub use deadline::Deadline;
pub use fail::DialError;
pub use tls::{Trust, TrustError};
pub use url::{BaseUrl, UrlError};

use bytes::Bytes;
use std::time::Duration;

/// What one request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest wait for name, connection and, where there is one, TLS handshake.
    pub connect: Duration,
    /// Longest silence: before the head of the answer, and between two pieces of its body.
    pub idle: Duration,
    /// Longest time for everything, from the look-up of the name to the last byte.
    pub total: Duration,
    /// Most bytes of the answer's body.
    pub body: usize,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// Any method but `CONNECT`, as it is sent.
    pub method: &'r str,
    /// Path and query below the base URL, e.g. `/chat/completions?x=y`, as they are sent.
    pub target: &'r str,
    /// Names and values, in the order in which they are sent; several of one name stay together. Those of the connection
    /// (`Host`, `Connection`, `Content-Length` and their like) are ours and are left out. Values are never logged.
    pub headers: &'r [(&'r str, &'r [u8])],
    /// The body.
    pub body: Bytes,
}

#[cfg(test)]
mod tests;
