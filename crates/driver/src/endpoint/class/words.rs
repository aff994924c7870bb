//! The class of an error that a provider tells, by its code, its type and its status, and whether it may pass.

use super::Class;
use crate::endpoint::complaint::Complaint;
use std::time::Duration;

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
pub(in crate::endpoint) fn of_complaint(status: Option<u16>, told: &Complaint) -> Class {
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
pub(in crate::endpoint) fn may_pass(
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
