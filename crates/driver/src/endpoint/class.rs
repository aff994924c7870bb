//! The classes of failures, which of them may pass, and one failure with all that is told of it.
//!
//! Every text in a failure went through the mask before.

use super::answer::{Leniency, Tokens};
use super::complaint::Complaint;
use super::mask::Mask;
use rehearsal_world::dial::DialError;
use std::error::Error as _;
use std::time::Duration;

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
    /// A budget is used up.
    Budget,
    /// Nobody wants it any more.
    Cancelled,
}

impl Class {
    /// All of them, in the order in which reports list them.
    pub const ALL: [Self; 30] = [
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
            | Self::Budget
            | Self::Cancelled => false,
        }
    }
}

/// Why there is no answer that can be used. No field holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Its class.
    pub class: Class,
    /// A name of ours for it, where the class says too little, e.g. `redirect_method_change`.
    pub reason: Option<&'static str>,
    /// Whether the same request may fare better.
    pub retryable: bool,
    /// What happened, one sentence.
    pub message: String,
    /// The status of the answer, where there was one.
    pub status: Option<u16>,
    /// The type of the provider's error.
    pub kind: Option<String>,
    /// Its code.
    pub code: Option<String>,
    /// The parameter that it names.
    pub param: Option<String>,
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// The beginning of the body, where that says more than the message: 2 KiB at most.
    pub body: Option<String>,
    /// What the model said nevertheless: a refusal, or what came before the cut.
    pub text: Option<String>,
    /// Why the model stopped, in the provider's word.
    pub finish: Option<String>,
    /// Tokens that were spent.
    pub usage: Tokens,
    /// Where the reading was lenient.
    pub leniencies: Vec<Leniency>,
    /// Whether the provider may have spent tokens on it, told or not.
    pub may_cost: bool,
}

impl Failed {
    /// A failure of a class, judged by the class alone. The message must be free of secrets.
    #[must_use]
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self {
            class,
            reason: None,
            retryable: class.is_retryable(),
            message: message.into(),
            status: None,
            kind: None,
            code: None,
            param: None,
            request_id: None,
            retry_after: None,
            body: None,
            text: None,
            finish: None,
            usage: Tokens::default(),
            leniencies: Vec::new(),
            may_cost: false,
        }
    }

    /// The same with a name of ours for it.
    #[must_use]
    pub fn because(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// What went wrong on the wire.
    #[must_use]
    pub fn of_dial(error: &DialError, url: &str, mask: &Mask) -> Self {
        let (class, reason) = class_of_dial(error);
        let cause = error.source().map(|cause| format!(" ({cause})")).unwrap_or_default();
        let mut failed = Self::new(class, mask.hide(&format!("{url}: {error}{cause}")));
        failed.reason = reason;
        // Before the connection is made the model cannot have worked.
        failed.may_cost = matches!(
            error,
            DialError::Idle(_)
                | DialError::Total(_)
                | DialError::Reset
                | DialError::Cut
                | DialError::TooLarge(_)
                | DialError::BadResponse(_)
        );
        failed
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failed {}

fn class_of_dial(error: &DialError) -> (Class, Option<&'static str>) {
    match error {
        DialError::Unresolved(_) => (Class::Connect, Some("unresolved")),
        DialError::Refused | DialError::Unreachable(_) | DialError::NoneOf(_) => (Class::Connect, None),
        DialError::ConnectTimeout(_) => (Class::TimeoutConnect, None),
        DialError::Untrusted(_) | DialError::WrongName | DialError::Handshake(_) => (Class::Tls, None),
        DialError::Idle(_) => (Class::TimeoutIdle, None),
        DialError::Total(_) => (Class::TimeoutTotal, None),
        DialError::Reset => (Class::Connect, Some("reset")),
        DialError::Cut => (Class::Connect, Some("cut")),
        DialError::TooLarge(_) => (Class::Protocol, Some("too_large")),
        DialError::BadResponse(_) => (Class::Protocol, Some("not_http")),
        DialError::NotLoopback => (Class::Config, Some("not_loopback")),
        DialError::BadMethod | DialError::BadTarget | DialError::BadHeader(_) => (Class::Config, None),
    }
}

/// Words under which providers tell of errors, in `code` or `type`, in lower case.
const WORDS: &[(&str, Class)] = &[
    ("account_deactivated", Class::Permission),
    ("api_error", Class::Server),
    ("authentication_error", Class::Auth),
    ("billing_error", Class::Quota),
    ("billing_hard_limit_reached", Class::Quota),
    ("billing_not_active", Class::Quota),
    ("content_filter", Class::Filtered),
    ("content_policy_violation", Class::Filtered),
    ("context_length_exceeded", Class::ContextLength),
    ("engine_overloaded", Class::Overloaded),
    ("exceed_context_size_error", Class::ContextLength),
    ("insufficient_balance", Class::Quota),
    ("insufficient_credits", Class::Quota),
    ("insufficient_quota", Class::Quota),
    ("internal_error", Class::Server),
    ("internal_server_error", Class::Server),
    ("invalid_api_key", Class::Auth),
    ("model_not_found", Class::NotFound),
    ("model_overloaded", Class::Overloaded),
    ("not_found_error", Class::NotFound),
    ("overloaded", Class::Overloaded),
    ("overloaded_error", Class::Overloaded),
    ("permission_denied", Class::Permission),
    ("permission_error", Class::Permission),
    ("rate_limit_error", Class::RateLimited),
    ("rate_limit_exceeded", Class::RateLimited),
    ("rate_limit_reached", Class::RateLimited),
    ("resource_exhausted", Class::RateLimited),
    ("server_error", Class::Server),
    ("server_is_overloaded", Class::Overloaded),
    ("string_above_max_length", Class::ContextLength),
    ("timeout_error", Class::Server),
    ("too_many_requests", Class::RateLimited),
    ("unauthenticated", Class::Auth),
    ("unknown_parameter", Class::UnsupportedParam),
    ("unsupported_parameter", Class::UnsupportedParam),
    ("unsupported_value", Class::UnsupportedParam),
];

/// Words that say less than any status.
const WEAK_WORDS: &[(&str, Class)] = &[
    ("bad_request", Class::BadRequest),
    ("badrequesterror", Class::BadRequest),
    ("invalid_argument", Class::BadRequest),
    ("invalid_request_error", Class::BadRequest),
    ("unavailable", Class::Server),
    ("unavailable_error", Class::Server),
];

/// Parameters that a request can do without, or has another name for.
const OPTIONAL: &[&str] = &[
    "format",
    "json_schema",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "output_config",
    "response_format",
    "store",
    "stream_options",
    "temperature",
    "text",
];

/// The class of an error, by its code and type first, then by its status; words in its message count only where the status
/// already says that the request is at fault.
pub(super) fn of_complaint(status: Option<u16>, told: &Complaint) -> Class {
    let status = status.or(told.status);
    let find = |words: &[(&str, Class)]| {
        [&told.code, &told.kind].into_iter().flatten().find_map(|word| {
            let word = word.to_ascii_lowercase();
            words.iter().find(|(known, _)| *known == word).map(|(_, class)| *class)
        })
    };
    let message = told.message.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let names_optional = told.param.as_deref().is_some_and(is_optional);
    if let Some(class) = find(WORDS) {
        // A server that cannot compile a schema fails again with the same one.
        return if class == Class::Server && says(SCHEMA_WORDS) { Class::UnsupportedParam } else { class };
    }
    match status {
        Some(400 | 422) if names_optional => Class::UnsupportedParam,
        Some(400 | 413 | 422) if says(CONTEXT_WORDS) => Class::ContextLength,
        Some(500 | 501) if says(SCHEMA_WORDS) => Class::UnsupportedParam,
        Some(401 | 407) => Class::Auth,
        Some(402) => Class::Quota,
        Some(403) => Class::Permission,
        Some(404 | 410) => Class::NotFound,
        // Of the client errors these two pass by themselves.
        Some(408 | 409) => Class::Server,
        Some(429) => Class::RateLimited,
        Some(529) => Class::Overloaded,
        Some(400..=499) => Class::BadRequest,
        Some(500..=599) => Class::Server,
        Some(_) | None => find(WEAK_WORDS).unwrap_or(Class::ProviderError),
    }
}

const SCHEMA_WORDS: &[&str] = &["grammar", "json schema", "json_schema"];
const CONTEXT_WORDS: &[&str] =
    &["maximum context length", "context size", "context window", "prompt is too long", "context_length"];

/// Whether a parameter, or the outermost name of a path like `text.format`, can be left out.
fn is_optional(param: &str) -> bool {
    let outer = param.split(['.', '[', '/']).find(|part| !part.is_empty()).unwrap_or(param);
    OPTIONAL.contains(&outer)
}

/// Whether a further attempt may help: by the class, unless the provider itself says otherwise.
pub(super) fn may_pass(
    class: Class,
    status: u16,
    retry_after: Option<Duration>,
    should_retry: Option<&str>,
) -> bool {
    match (class, should_retry) {
        // No wait brings a quota back.
        (Class::Quota, _) => false,
        (_, Some("true")) => true,
        (_, Some("false")) => false,
        // A rate that is told as a bad request is one only where a wait is named.
        (Class::RateLimited, _) if status == 400 => retry_after.is_some(),
        (class, _) => class.is_retryable(),
    }
}

#[cfg(test)]
mod tests;
