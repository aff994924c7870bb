//! Bodies beside a message: errors, the list of models, one model.
//!
//! Errors after the API's page of errors and the types of the official Python library 2.14.0: the type follows from the
//! status, the code stands in `details`.

use super::render::key;
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
    for (name, end) in [("first_id", entries.first()), ("last_id", entries.last())] {
        key(&mut out, name);
        match end {
            Some(entry) => write_string(&mut out, entry.id),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
    out
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
    write_string(out, &date(entry.created));
    out.extend_from_slice(b",\"lifecycle\":\"active\",\"max_input_tokens\":200000,\"max_tokens\":64000}");
}

/// Seconds since 1970 as a date of RFC 3339. The days are taken apart after Hinnant, "chrono-compatible low-level date
/// algorithms": years that begin in March have their leap day at the end.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn seconds_are_dated() {
        for (seconds, wanted) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_767_225_600, "2026-01-01T00:00:00Z"),
            (1_772_323_199, "2026-02-28T23:59:59Z"),
        ] {
            assert_eq!(date(seconds), wanted);
        }
    }
}
