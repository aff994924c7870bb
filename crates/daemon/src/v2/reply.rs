//! An answer as a value.

use crate::a2a::Leaving;
use bytes::Bytes;

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// HTTP status.
    pub(crate) status: u16,
    /// The rest.
    pub(crate) form: Form,
}

/// What follows the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Bytes of a content type.
    Whole(&'static str, Bytes),
    /// The timeline of a run behind a row, as server-sent events.
    Events {
        /// The run.
        run: String,
        /// The last row that the client has; 0 for none.
        after: u64,
    },
    /// An answer of A2A that leaves piece by piece, or with headers of its own.
    A2a(Leaving),
}

/// The content type of most answers.
pub(crate) const JSON: &str = "application/json";
/// That of refusals (RFC 9457).
pub(crate) const PROBLEM: &str = "application/problem+json";

impl Reply {
    /// A JSON answer.
    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self { status, form: Form::Whole(JSON, Bytes::from(value.to_string())) }
    }

    /// The page that the original fake gives for methods that it does not know.
    pub(crate) fn page() -> Self {
        let page = "<!DOCTYPE HTML>\n<html><head><title>Error response</title></head><body><h1>Error response</h1><p>Error code: 501</p><p>Message: Unsupported method.</p></body></html>\n";
        Self {
            status: 501,
            form: Form::Whole("text/html;charset=utf-8", Bytes::from_static(page.as_bytes())),
        }
    }
}
