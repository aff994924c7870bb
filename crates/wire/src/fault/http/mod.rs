//! An error or another page in the place of the answer.

pub(super) mod cloudflare_json;
pub(super) mod conflict;
pub(super) mod context_length;
pub(super) mod empty_with_200;
pub(super) mod error_shape;
pub(super) mod error_with_200;
pub(super) mod forbidden;
pub(super) mod gateway_html;
pub(super) mod html_with_200;
pub(super) mod huge_retry_after;
pub(super) mod key_revoked;
pub(super) mod model_missing;
pub(super) mod no_retry_after;
pub(super) mod overloaded;
pub(super) mod payload_too_large;
pub(super) mod redirect_307;
pub(super) mod redirect_https;
pub(super) mod request_timeout;
pub(super) mod retry_after_date;
pub(super) mod retry_after_ms;
pub(super) mod retry_after_seconds;
pub(super) mod unknown_parameter;
pub(super) mod unsupported_parameter;

use super::{Answer, Arrives, Dialects, Fault, Given, Group, Param, Work};
use crate::dialect::ErrorBody;
use std::ops::RangeInclusive;

/// Threads about waits that were said and not kept.
const REPORTS: &[&str] =
    &["CopilotKit/CopilotKit#3842", "vercel/fetch-retry#31", "tinyhumansai/openhuman#6504"];

/// What is right where a wait was said.
const WAITED: &str = "the wait is as long as was said at least, up to a limit; a bounded number of retries, then a clear failure";

/// What is right where asking again helps.
const AGAIN: &str = "tried again after a growing wait with some chance in it, a bounded number of times, then a clear failure";

/// What is right where asking again does not help.
const STOP: &str = "the work stops with a clear message; asking again changes nothing";

/// The type of pages for people.
const HTML: &str = "text/html; charset=utf-8";

/// A row of a family of errors, of which each says in its own way that this request is not answered.
const fn final_error(
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    reports: &'static [&'static str],
    right_reaction: &'static str,
    works: &'static [Work],
) -> Fault {
    Fault {
        name,
        group: Group::Http,
        summary,
        dialects: Dialects::All,
        params: &[],
        example,
        reports,
        right_reaction,
        arrives: Arrives::Not,
        may_give_up: true,
        hostile: true,
        works,
    }
}

/// An error without a code or the name of a parameter.
pub(in crate::fault) const fn error<'e>(status: u16, kind: &'e str, message: &'e str) -> ErrorBody<'e> {
    ErrorBody {
        status,
        message,
        kind: Some(kind),
        param: None,
        code: None,
        request_id: None,
        retry_after: None,
    }
}

/// An error in the dialect's form.
fn error_text(given: &Given<'_>, error: &ErrorBody<'_>) -> String {
    String::from_utf8_lossy(&(given.dialect.error)(error)).into_owned()
}

/// Puts an error in the dialect's form in the place of the answer.
pub(in crate::fault) fn refuse(answer: &mut Answer, given: &Given<'_>, error: &ErrorBody<'_>) -> bool {
    page(answer, error.status, given.dialect.content_type, error_text(given, error))
}

/// Says that there were too many requests, and in this header for how long to wait.
fn limited(answer: &mut Answer, given: &Given<'_>, wait: Option<(&'static str, String)>) -> bool {
    let error = error(429, "rate_limit_error", "Rate limit reached for requests. Please try again later.");
    let retry_after =
        wait.as_ref().filter(|(name, _)| *name == "retry-after").map(|(_, value)| value.as_str());
    let code = Some("rate_limit_exceeded");
    refuse(answer, given, &ErrorBody { code, retry_after, ..error });
    answer.head.headers.extend(wait.map(|(name, value)| (name.into(), value.into())));
    true
}

/// Says that there were too many requests, and for how many seconds to wait.
fn limited_for(answer: &mut Answer, given: &Given<'_>, seconds: &Param) -> bool {
    limited(answer, given, Some(("retry-after", given.params.count(seconds).to_string())))
}

/// Puts a body of some type in the place of the answer.
pub(in crate::fault) fn page(
    answer: &mut Answer,
    status: u16,
    content_type: &'static str,
    text: impl Into<String>,
) -> bool {
    answer.head.status = status;
    answer.head.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("cache-control"));
    answer.content_type = content_type.into();
    answer.body(text);
    true
}

/// A status that a file sets, if it is one of these.
fn status(given: &Given<'_>, param: &Param, known: RangeInclusive<u16>, default: u16) -> u16 {
    u16::try_from(given.params.count(param)).ok().filter(|status| known.contains(status)).unwrap_or(default)
}

/// The name of the model without the quotes around it.
fn model(given: &Given<'_>) -> String {
    given.envelope.model.trim_matches('"').to_owned()
}
