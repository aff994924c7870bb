//! The writer: strings and values as JSON text with raw non-ASCII.

use super::escape::plain_run;
use super::{Kind, Value};

/// Appends a string in quotes; escapes only what RFC 8259 demands, so non-ASCII stays as it is.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, after) = rest.split_at(plain_run(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = after.split_first() else { break };
        escape(out, byte);
        rest = after;
    }
    out.push(b'"');
}

/// Appends a whole number in decimal digits.
pub fn write_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a byte that may not stand in a string as it is.
fn escape(out: &mut Vec<u8>, byte: u8) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0C => out.extend_from_slice(b"\\f"),
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        }
    }
}

/// Appends a value with `", "` and `": "` between its parts, key order and number texts kept.
pub fn write_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value.kind() {
        Kind::Array => {
            out.push(b'[');
            for (i, item) in value.items().enumerate() {
                if i > 0 {
                    out.extend_from_slice(b", ");
                }
                write_value(out, item);
            }
            out.push(b']');
        }
        Kind::Object => {
            out.push(b'{');
            for (i, (key, item)) in value.entries().enumerate() {
                if i > 0 {
                    out.extend_from_slice(b", ");
                }
                write_text(out, key);
                out.extend_from_slice(b": ");
                write_value(out, item);
            }
            out.push(b'}');
        }
        Kind::String => write_text(out, value),
        Kind::Null | Kind::Bool | Kind::Number => out.extend_from_slice(value.text().as_bytes()),
    }
}

/// A value as [`write_value`] writes it.
#[must_use]
pub fn written(value: Value<'_>) -> String {
    text(value.text().len(), |out| write_value(out, value))
}

/// A string in quotes, as [`write_string`] writes it.
#[must_use]
pub fn quoted(string: &str) -> String {
    text(string.len() + 2, |out| write_string(out, string))
}

/// About so many bytes of text.
fn text(room: usize, write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::with_capacity(room);
    write(&mut out);
    // What a writer writes is text.
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a string value. One without escapes is written as it was read.
fn write_text(out: &mut Vec<u8>, string: Value<'_>) {
    if string.node().len == 0 {
        out.extend_from_slice(string.text().as_bytes());
    } else {
        write_string(out, &string.decoded());
    }
}
