//! Bodies beside a completion: errors, the list of models, one model.

use super::render::{key, optional};
use crate::dialect::{ErrorBody, ModelEntry};
use crate::json::{write_number, write_string};

/// An error: `{"error": {"message", "type", "param", "code"}}`, absent parts as null.
pub(in crate::dialect) fn error(body: &ErrorBody<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(96 + body.message.len());
    out.extend_from_slice(b"{\"error\": {\"message\": ");
    write_string(&mut out, body.message);
    for (name, text) in [("type", body.kind), ("param", body.param), ("code", body.code)] {
        key(&mut out, name);
        optional(&mut out, text);
    }
    out.extend_from_slice(b"}}");
    out
}

/// The list of models.
pub(in crate::dialect) fn models(entries: &[ModelEntry<'_>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(40 + 100 * entries.len());
    out.extend_from_slice(b"{\"object\": \"list\", \"data\": [");
    for (i, entry) in entries.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        write_model(&mut out, entry);
    }
    out.extend_from_slice(b"]}");
    out
}

/// One model.
pub(in crate::dialect) fn model(entry: &ModelEntry<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(100);
    write_model(&mut out, entry);
    out
}

fn write_model(out: &mut Vec<u8>, entry: &ModelEntry<'_>) {
    out.extend_from_slice(b"{\"id\": ");
    write_string(out, entry.id);
    out.extend_from_slice(b", \"object\": \"model\", \"created\": ");
    write_number(out, entry.created);
    key(out, "owned_by");
    write_string(out, entry.owned_by);
    out.push(b'}');
}
