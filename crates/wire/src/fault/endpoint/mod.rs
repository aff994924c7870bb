//! What an endpoint does not take, and how it words what others word otherwise.
//!
//! Refusals look at the request and leave those alone that ask for nothing of the kind: a client that asks otherwise gets on.

pub(super) mod answer_in_reasoning;
pub(super) mod around;
pub(super) mod choices_null;
pub(super) mod content_parts;
pub(super) mod context_cut;
pub(super) mod cut_at_length;
pub(super) mod done_after_json;
pub(super) mod ignores_schema;
pub(super) mod loading;
pub(super) mod quota;
pub(super) mod refuses_format;
pub(super) mod refuses_key;
pub(super) mod refuses_limit;
pub(super) mod refuses_message;
pub(super) mod tool_instead;
pub(super) mod usage_count_null;

use super::http::{error, refuse};
use super::places::CHAT;
use super::{Answer, Arrives, Fault, Given, Group, Work};
use crate::dialect::ErrorBody;
use crate::json::Value;

/// What is right where a part of a request is refused.
const ASK_OTHERWISE: &str = "the request is made without it, once, and stays so for this endpoint; or a clear failure names what is refused";

/// A row of the family of refusals.
const fn refusing(
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    reports: &'static [&'static str],
    works: &'static [Work],
) -> Fault {
    Fault {
        name,
        group: Group::Refusals,
        summary,
        dialects: CHAT,
        params: &[],
        example,
        reports,
        right_reaction: ASK_OTHERWISE,
        arrives: Arrives::Not,
        may_give_up: true,
        hostile: true,
        works,
    }
}

/// Refuses a request with 400 where it holds what is not taken.
fn refuses(
    answer: &mut Answer,
    given: &Given<'_>,
    finds: impl FnOnce(Value<'_>) -> bool,
    param: &str,
    code: &str,
    message: &str,
) -> bool {
    let (param, code) = (Some(param), Some(code));
    given.asks(finds)
        && refuse(answer, given, &ErrorBody { param, code, ..error(400, "invalid_request_error", message) })
}

/// Whether a key says something.
fn has(request: Value<'_>, key: &str) -> bool {
    request.get(key).is_some_and(|value| !value.is_null())
}

/// The messages of a request.
fn messages<'r>(request: Value<'r>) -> impl Iterator<Item = Value<'r>> {
    request.get("messages").into_iter().flat_map(Value::items)
}

/// Whether a message has this role.
fn is_of(message: Value<'_>, role: &str) -> bool {
    message.get("role").is_some_and(|said| said.is_str(role))
}
