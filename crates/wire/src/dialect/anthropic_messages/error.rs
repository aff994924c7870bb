//! Bodies beside a message: errors, the list of models, one model.
//!
//! Errors after the API's page of errors and the types of the official Python library 2.14.0: the type follows from the
//! status, the code stands in `details`.

use super::render::key;
use crate::calendar::Moment;
use crate::dialect::{ErrorBody, ModelEntry};
use crate::json::write_string;

/// An error: `{"type":"error","error":{"type","message"},"request_id"}`.
pub(super) fn error(body: &ErrorBody<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(128 + body.message.len());
    out.extend_from_slice(b"{\"type\":\"error\",\"error\":{\"type\":");
    write_string(&mut out, kind(body));
    key(&mut out, "message");
    write_string(&mut out, body.message);
    if let Some(code) = body.code {
        out.extend_from_slice(b",\"details\":{\"error_code\":");
        write_string(&mut out, code);
        out.push(b'}');
    }
    out.push(b'}');
    if let Some(id) = body.request_id {
        key(&mut out, "request_id");
        write_string(&mut out, id);
    }
    out.push(b'}');
    out
}

/// Every type that the API documents.
const KINDS: &[&str] = &[
    "invalid_request_error",
    "authentication_error",
    "billing_error",
    "permission_error",
    "not_found_error",
    "conflict_error",
    "request_too_large",
    "rate_limit_error",
    "timeout_error",
    "api_error",
    "overloaded_error",
];

/// The type: what a script says, where the API knows it and no rule said it, else what belongs to the status.
fn kind<'e>(body: &ErrorBody<'e>) -> &'e str {
    let said = body.kind.filter(|kind| KINDS.contains(kind) && *kind != "invalid_request_error");
    said.unwrap_or(match body.status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    })
}

/// The list of models, all on one page.
pub(super) fn models(entries: &[ModelEntry<'_>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(80 + 160 * entries.len());
    out.extend_from_slice(b"{\"data\":[");
    for (i, entry) in entries.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_model(&mut out, entry);
    }
    out.extend_from_slice(b"],\"has_more\":false");
    ends(&mut out, entries.first().map(|entry| entry.id), entries.last().map(|entry| entry.id));
    out.push(b'}');
    out
}

/// The ids at the ends of a list.
pub(super) fn ends(out: &mut Vec<u8>, first: Option<&str>, last: Option<&str>) {
    for (name, end) in [("first_id", first), ("last_id", last)] {
        key(out, name);
        match end {
            Some(id) => write_string(out, id),
            None => out.extend_from_slice(b"null"),
        }
    }
}

/// One model.
pub(super) fn model(entry: &ModelEntry<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(160);
    write_model(&mut out, entry);
    out
}

fn write_model(out: &mut Vec<u8>, entry: &ModelEntry<'_>) {
    out.extend_from_slice(b"{\"type\":\"model\",\"id\":");
    write_string(out, entry.id);
    key(out, "display_name");
    write_string(out, entry.id);
    key(out, "created_at");
    write_string(out, &Moment::of(entry.created).rfc3339());
    out.extend_from_slice(b",\"lifecycle\":\"active\",\"max_input_tokens\":200000,\"max_tokens\":64000}");
}
