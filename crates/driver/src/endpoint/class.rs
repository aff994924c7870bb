//! The classes of failures, and which of them may pass.

mod failed;
mod words;

pub use failed::Failed;
pub(super) use words::{may_pass, of_complaint};

/// What kind of failure it is: a closed list, the same in every report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Something that was given cannot be used.
    Config,
    /// The key is not accepted.
    Auth,
    /// The key may not do this.
    Permission,
    /// There is no such model or path.
    NotFound,
    /// The request is refused for what it says.
    BadRequest,
    /// A parameter of the request is not taken.
    UnsupportedParam,
    /// The request is longer than the model reads, or was cut to what it reads.
    ContextLength,
    /// Too much was asked in too little time.
    RateLimited,
    /// What was paid for is used up.
    Quota,
    /// The server failed.
    Server,
    /// The server has too much to do.
    Overloaded,
    /// There was no connection, or it ended before the answer was whole.
    Connect,
    /// The peer is not who it should be, or speaks no TLS.
    Tls,
    /// No connection in time.
    TimeoutConnect,
    /// Nothing arrived for too long.
    TimeoutIdle,
    /// The time for everything is used up.
    TimeoutTotal,
    /// A redirect that is not followed.
    Redirect,
    /// What came is no answer of the API.
    Protocol,
    /// The provider tells of an error that fits no other class.
    ProviderError,
    /// The model refused.
    Refusal,
    /// The answer was cut.
    Truncated,
    /// The answer was held back.
    Filtered,
    /// The answer says nothing.
    EmptyContent,
    /// The answer has not the form that was asked for.
    Format,
    /// The answer touches what it does not own.
    OwnershipViolation,
    /// A path leads where nothing may be written.
    UnsafePath,
    /// A file changed meanwhile.
    StaleBase,
    /// A file could not be written.
    Write,
    /// The answer did not pass the tests, the second look or the review.
    Unverified,
    /// A budget is used up.
    Budget,
    /// Nobody wants it any more.
    Cancelled,
}

impl Class {
    /// All of them, in the order in which reports list them.
    pub const ALL: [Self; 31] = [
        Self::Config,
        Self::Auth,
        Self::Permission,
        Self::NotFound,
        Self::BadRequest,
        Self::UnsupportedParam,
        Self::ContextLength,
        Self::RateLimited,
        Self::Quota,
        Self::Server,
        Self::Overloaded,
        Self::Connect,
        Self::Tls,
        Self::TimeoutConnect,
        Self::TimeoutIdle,
        Self::TimeoutTotal,
        Self::Redirect,
        Self::Protocol,
        Self::ProviderError,
        Self::Refusal,
        Self::Truncated,
        Self::Filtered,
        Self::EmptyContent,
        Self::Format,
        Self::OwnershipViolation,
        Self::UnsafePath,
        Self::StaleBase,
        Self::Write,
        Self::Unverified,
        Self::Budget,
        Self::Cancelled,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Auth => "auth",
            Self::Permission => "permission",
            Self::NotFound => "not_found",
            Self::BadRequest => "bad_request",
            Self::UnsupportedParam => "unsupported_param",
            Self::ContextLength => "context_length",
            Self::RateLimited => "rate_limited",
            Self::Quota => "quota",
            Self::Server => "server",
            Self::Overloaded => "overloaded",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::TimeoutConnect => "timeout_connect",
            Self::TimeoutIdle => "timeout_idle",
            Self::TimeoutTotal => "timeout_total",
            Self::Redirect => "redirect",
            Self::Protocol => "protocol",
            Self::ProviderError => "provider_error",
            Self::Refusal => "refusal",
            Self::Truncated => "truncated",
            Self::Filtered => "filtered",
            Self::EmptyContent => "empty_content",
            Self::Format => "format",
            Self::OwnershipViolation => "ownership_violation",
            Self::UnsafePath => "unsafe_path",
            Self::StaleBase => "stale_base",
            Self::Write => "write",
            Self::Unverified => "unverified",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the same request may fare better, where nothing else is known.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        match self {
            Self::RateLimited
            | Self::Server
            | Self::Overloaded
            | Self::Connect
            | Self::TimeoutConnect
            | Self::TimeoutIdle
            | Self::ProviderError => true,
            Self::Config
            | Self::Auth
            | Self::Permission
            | Self::NotFound
            | Self::BadRequest
            | Self::UnsupportedParam
            | Self::ContextLength
            | Self::Quota
            | Self::Tls
            | Self::TimeoutTotal
            | Self::Redirect
            | Self::Protocol
            | Self::Refusal
            | Self::Truncated
            | Self::Filtered
            | Self::EmptyContent
            | Self::Format
            | Self::OwnershipViolation
            | Self::UnsafePath
            | Self::StaleBase
            | Self::Write
            | Self::Unverified
            | Self::Budget
            | Self::Cancelled => false,
        }
    }
}

#[cfg(test)]
mod tests;
