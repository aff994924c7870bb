//! Bodies beside a reply: errors, the list of models, one model.
//!
//! Errors after Google's guide to errors of its APIs (AIP-193) and the bodies that public threads quote: the status word
//! follows from the HTTP status, codes and waits stand in `details`.

use crate::dialect::{ErrorBody, ModelEntry};
use crate::json::{write_number, write_string};

/// An error: `{"error":{"code","message","status","details"}}`.
pub(super) fn error(body: &ErrorBody<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(160 + body.message.len());
    out.extend_from_slice(b"{\"error\":{\"code\":");
    write_number(&mut out, u64::from(body.status));
    member(&mut out, "message", body.message);
    member(&mut out, "status", status(body));
    let mut details = Vec::new();
    if let Some(code) = body.code {
        detail(&mut details, "ErrorInfo", |out| {
            member(out, "reason", code);
            member(out, "domain", "rehearsal");
        });
    }
    if let Some(field) = body.param {
        detail(&mut details, "BadRequest", |out| {
            out.extend_from_slice(b",\"fieldViolations\":[{\"field\":");
            write_string(out, field);
            member(out, "description", body.message);
            out.extend_from_slice(b"}]");
        });
    }
    if let Some(seconds) = body.retry_after.filter(|seconds| seconds.parse::<u32>().is_ok()) {
        detail(&mut details, "RetryInfo", |out| member(out, "retryDelay", &format!("{seconds}s")));
    }
    if !details.is_empty() {
        out.extend_from_slice(b",\"details\":[");
        out.extend_from_slice(&details);
        out.push(b']');
    }
    out.extend_from_slice(b"}}");
    out
}

/// One more detail of this type; `members` are those behind its type, with the comma before each.
fn detail(out: &mut Vec<u8>, kind: &str, members: impl FnOnce(&mut Vec<u8>)) {
    if !out.is_empty() {
        out.push(b',');
    }
    out.extend_from_slice(b"{\"@type\":");
    write_string(out, &format!("type.googleapis.com/google.rpc.{kind}"));
    members(out);
    out.push(b'}');
}

/// A further text of an object.
fn member(out: &mut Vec<u8>, name: &str, text: &str) {
    out.push(b',');
    write_string(out, name);
    out.push(b':');
    write_string(out, text);
}

/// Every status word that Google's APIs know.
const STATUSES: &[&str] = &[
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
];

/// The status word: what a script says, where the API knows it, else what belongs to the status.
fn status<'e>(body: &ErrorBody<'e>) -> &'e str {
    let said = body.kind.filter(|kind| STATUSES.contains(kind));
    said.unwrap_or(match body.status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        501 => "UNIMPLEMENTED",
        503 | 529 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    })
}

/// The list of models, all on one page.
pub(super) fn models(entries: &[ModelEntry<'_>]) -> Vec<u8> {
    let mut out = b"{\"models\":[".to_vec();
    for (i, entry) in entries.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&model(entry));
    }
    out.extend_from_slice(b"]}");
    out
}

/// One model.
pub(super) fn model(entry: &ModelEntry<'_>) -> Vec<u8> {
    let mut out = b"{\"name\":".to_vec();
    write_string(&mut out, &format!("models/{}", entry.id));
    member(&mut out, "version", "001");
    member(&mut out, "displayName", entry.id);
    out.extend_from_slice(
        b",\"inputTokenLimit\":1048576,\"outputTokenLimit\":65536,\
          \"supportedGenerationMethods\":[\"generateContent\",\"countTokens\"],\
          \"temperature\":1,\"topP\":0.95,\"topK\":64,\"maxTemperature\":2,\"thinking\":true}",
    );
    out
}
