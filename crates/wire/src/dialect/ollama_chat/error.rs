//! Bodies beside a chat: errors, the list of models, one model.

use super::super::vectors::mark;
use super::super::{ErrorBody, ModelEntry, push_hex};
use super::escape::escaped;
use crate::calendar::Moment;
use crate::json::{write_number, write_string};

/// An error: `{"error":"…"}`, whatever it is.
pub(in crate::dialect) fn error(body: &ErrorBody<'_>) -> Vec<u8> {
    let mut out = b"{\"error\":".to_vec();
    write_string(&mut out, body.message);
    out.push(b'}');
    escaped(out)
}

/// The models that are there, as `GET /api/tags` lists them.
pub(in crate::dialect) fn models(entries: &[ModelEntry<'_>]) -> Vec<u8> {
    let mut out = b"{\"models\":[".to_vec();
    for (i, entry) in entries.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"" } else { b"," });
        out.extend(model(entry));
    }
    out.extend_from_slice(b"]}");
    out
}

/// One model of the list.
pub(in crate::dialect) fn model(entry: &ModelEntry<'_>) -> Vec<u8> {
    let mut out = b"{\"name\":".to_vec();
    write_string(&mut out, entry.id);
    out.extend_from_slice(b",\"model\":");
    write_string(&mut out, entry.id);
    out.extend_from_slice(b",\"modified_at\":");
    write_string(&mut out, &Moment::of(entry.created).rfc3339());
    let digest = mark(entry.id.bytes());
    out.extend_from_slice(b",\"size\":");
    write_number(&mut out, 1 << 30 | digest & 0xFFF_FFFF);
    let mut hex = String::with_capacity(64);
    (0..4).for_each(|part| push_hex(&mut hex, digest.rotate_left(part * 13), 16));
    out.extend_from_slice(b",\"digest\":");
    write_string(&mut out, &hex);
    out.extend_from_slice(b",\"details\":");
    out.extend_from_slice(DETAILS.as_bytes());
    out.push(b'}');
    out
}

/// What every model here is.
pub(super) const DETAILS: &str = r#"{"parent_model":"","format":"gguf","family":"llama","families":["llama"],"parameter_size":"3.2B","quantization_level":"Q4_K_M"}"#;
