//! Every way in which a request can fail before its answer is whole.

use std::error::Error as _;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::time::Duration;
use thiserror::Error;

/// Why there is no whole answer. No variant holds a byte of the request: it may hold a secret.
#[derive(Debug, Error)]
pub enum DialError {
    /// The host has no address.
    #[error("the host name cannot be resolved")]
    Unresolved(#[source] io::Error),
    /// Nobody listens there.
    #[error("the connection was refused")]
    Refused,
    /// The connection could not be made for another reason.
    #[error("the connection could not be made")]
    Unreachable(#[source] io::Error),
    /// The host should be the machine itself, and its name leads elsewhere.
    #[error("the host name does not lead to this machine alone")]
    NotLoopback,
    /// None of several addresses took the connection.
    #[error("no address took the connection: {}", Each(.0))]
    NoneOf(Vec<(IpAddr, DialError)>),
    /// No connection within the limit.
    #[error("no connection within {}", Seconds(.0))]
    ConnectTimeout(Duration),
    /// Nobody whom we trust vouches for the peer's certificate, or it is not valid now.
    #[error("the certificate of the peer is not trusted")]
    Untrusted(#[source] io::Error),
    /// The certificate of the peer is for another name.
    #[error("the certificate of the peer is for another name")]
    WrongName,
    /// There is no TLS with the peer for another reason.
    #[error("the TLS handshake failed")]
    Handshake(#[source] io::Error),
    /// Nothing arrived for the whole idle limit.
    #[error("nothing arrived for {}", Seconds(.0))]
    Idle(Duration),
    /// The answer was not whole within the total limit.
    #[error("the answer was not whole after {}", Seconds(.0))]
    Total(Duration),
    /// The peer reset the connection.
    #[error("the connection was reset")]
    Reset,
    /// The connection ended before the answer was whole.
    #[error("the connection ended before the answer was whole")]
    Cut,
    /// The body is larger than the limit, in bytes.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// What came is not HTTP.
    #[error("the answer is not valid HTTP")]
    BadResponse(#[source] hyper::Error),
    /// The method of the request cannot be sent.
    #[error("the method of the request is none that can be sent")]
    BadMethod,
    /// The target of the request cannot be sent.
    #[error("the target of the request does not begin with / or holds a character that no target may hold")]
    BadTarget,
    /// A header of the request cannot be sent; its value is not repeated.
    #[error("the header {0} cannot be sent: its name or its value holds what no header may hold")]
    BadHeader(String),
}

struct Each<'e>(&'e [(IpAddr, DialError)]);

impl std::fmt::Display for Each<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (address, error)) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { "; " };
            write!(f, "{between}{address}: {error}")?;
        }
        Ok(())
    }
}

struct Seconds<'d>(&'d Duration);

impl std::fmt::Display for Seconds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.subsec_millis() == 0 {
            write!(f, "{} s", self.0.as_secs())
        } else {
            write!(f, "{} ms", self.0.as_millis())
        }
    }
}

impl DialError {
    pub(super) fn of_connect(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::ConnectionRefused => Self::Refused,
            ErrorKind::ConnectionReset => Self::Reset,
            _ => Self::Unreachable(error),
        }
    }

    /// Sorts what hyper says. Its kinds hide the socket's own error one or two sources deep.
    pub(super) fn of_exchange(error: hyper::Error) -> Self {
        let mut source = error.source();
        while let Some(cause) = source {
            match cause.downcast_ref::<io::Error>().map(io::Error::kind) {
                Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted) => {
                    return Self::Reset;
                }
                Some(ErrorKind::UnexpectedEof) => return Self::Cut,
                Some(_) | None => source = cause.source(),
            }
        }
        // Closed and cancelled: the connection's task ended first, which only a closing peer brings about.
        if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
            return Self::Cut;
        }
        Self::BadResponse(error)
    }
}
