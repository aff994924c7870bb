//! Why the HTTP layer refuses a request.

use bytes::Bytes;
use rehearsal_wire::follow::{HeadFault, RequestHead};

/// A request that never became whole.
#[derive(Debug)]
pub struct Refusal {
    /// Number of the connection, from 1 in the order of acceptance.
    pub conn: u64,
    /// The status that fits, 400..=599.
    pub status: u16,
    /// What is wrong.
    pub why: Why,
    /// The head, where it came whole.
    pub head: Option<RequestHead>,
    /// What came of the head where it did not.
    pub partial: Vec<u8>,
    /// What came of the body.
    pub body: Bytes,
}

/// What is wrong with a request, as one sentence for the one who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The head breaks RFC 9112.
    #[error("{0}")]
    Head(HeadFault),
    /// What came cannot begin a request.
    #[error("this is not an HTTP request")]
    Malformed,
    /// What came begins a TLS connection.
    #[error("this port speaks plain HTTP, not TLS: use http:// instead of https://")]
    Tls,
    /// The client stopped sending within the head.
    #[error("the request ended within its head")]
    HeadCut,
    /// The head did not end in time.
    #[error("the request head did not arrive in time")]
    HeadTooSlow,
    /// The head is larger than allowed.
    #[error("the request head is larger than {0} bytes")]
    HeadTooLarge(usize),
    /// The request line alone is larger than allowed.
    #[error("the request target is too long; a whole head may have {0} bytes")]
    TargetTooLong(usize),
    /// More headers than allowed.
    #[error("the request has more than {0} headers")]
    TooManyHeaders(usize),
    /// The body is larger than allowed.
    #[error("the request body is larger than {0} bytes")]
    BodyTooLarge(u64),
    /// The body did not end in time.
    #[error("the request body did not arrive in time: {got} bytes came")]
    BodyTooSlow {
        /// Bytes that came.
        got: u64,
    },
    /// The client stopped sending within the body.
    #[error("the request ended within its body: {got} bytes came")]
    BodyCut {
        /// Bytes that came.
        got: u64,
    },
    /// The chunked framing of the body is broken.
    #[error("the chunked framing of the request body is broken after {got} bytes of data")]
    BadChunk {
        /// Bytes of data before that.
        got: u64,
    },
}

impl Why {
    /// The HTTP status that fits.
    pub fn status(self) -> u16 {
        match self {
            Self::Head(fault) => fault.status(),
            Self::Malformed | Self::Tls | Self::HeadCut | Self::BodyCut { .. } | Self::BadChunk { .. } => 400,
            Self::HeadTooSlow | Self::BodyTooSlow { .. } => 408,
            Self::BodyTooLarge(_) => 413,
            Self::TargetTooLong(_) => 414,
            Self::HeadTooLarge(_) | Self::TooManyHeaders(_) => 431,
        }
    }
}
