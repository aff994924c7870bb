//! A refusal: the peer is at fault, and here is how the provider would have said it.

/// Why a request is refused. Each one is journaled and sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// Name of the rule that refused (its row in the rule table).
    pub rule: &'static str,
    /// HTTP status, 400..=599.
    pub status: u16,
    /// The envelope's `type`, e.g. `invalid_request_error`.
    pub kind: &'static str,
    /// The envelope's `code`; the real API leaves it null in places.
    pub code: Option<&'static str>,
    /// The envelope's `param` as the API spells it; gate codes keep it null.
    pub param: Option<String>,
    /// RFC 6901 pointer into the body; empty where no place in the body is at fault.
    pub pointer: String,
    /// One sentence: what, where and, where possible, what to change. Sent as the envelope's `message`.
    pub message: String,
}

impl Reject {
    /// An `invalid_request_error` for which no place in the body is at fault: a route, a header, the bytes themselves.
    #[must_use]
    pub fn of_no_place(
        rule: &'static str,
        status: u16,
        code: Option<&'static str>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            status,
            kind: "invalid_request_error",
            code,
            param: None,
            pointer: String::new(),
            message: message.into(),
        }
    }
}
