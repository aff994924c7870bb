//! Reads one line: strict, byte for byte the form that `chain` writes; an older reader names a newer version.

use crate::digest;
use crate::event::{Event, VERSION};
use thiserror::Error;

/// Longest line that is read, in bytes.
pub const MAX_LINE: usize = 16 << 20;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its number in the journal, from 1.
    pub seq: u64,
    /// Microseconds since the opening.
    pub t_us: u64,
    /// Sum of the line before it, hexadecimal.
    pub prev: String,
    /// What happened.
    pub event: Event,
    /// Its own sum, hexadecimal. Reading does not check it: `verify` does.
    pub sum: String,
}

/// Why a line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// It was written by a later program.
    #[error("written in format version {0}, this program reads up to version {VERSION}")]
    Newer(u64),
    /// It has not the form of a journal line.
    #[error("not a journal line: {0}")]
    Form(&'static str),
    /// Its JSON is broken or says something that this version does not know.
    #[error("bad JSON: {0}")]
    Json(String),
}

/// A line taken apart, nothing decoded yet.
pub(crate) struct Parts<'a> {
    pub(crate) seq: u64,
    pub(crate) t_us: u64,
    pub(crate) prev: &'a [u8],
    /// The event's fields without braces.
    pub(crate) fields: &'a [u8],
    /// What the sum is over.
    pub(crate) covered: &'a [u8],
    pub(crate) sum: &'a [u8],
}

/// Reads one line, without its line feed.
///
/// # Errors
/// When it is not exactly what a writer of this version would have written.
pub fn read_line(text: &str) -> Result<Line, LineError> {
    let parts = take_apart(text.as_bytes())?;
    let event = read_event(parts.fields, &mut Vec::new())?;
    Ok(Line { seq: parts.seq, t_us: parts.t_us, prev: plain(parts.prev), event, sum: plain(parts.sum) })
}

/// Hexadecimal digits as text.
pub(crate) fn plain(digits: &[u8]) -> String {
    digits.iter().map(|&digit| char::from(digit)).collect()
}

pub(crate) const SUM_MARK: &[u8] = b",\"sum\":\"";
/// Bytes from the sum's mark to the closing brace.
pub(crate) const SUM_LEN: usize = SUM_MARK.len() + 64 + 2;

pub(crate) fn take_apart(line: &[u8]) -> Result<Parts<'_>, LineError> {
    let rest = line.strip_prefix(b"{\"v\":").ok_or(LineError::Form("it does not begin with its version"))?;
    let (version, rest) = number(rest).ok_or(LineError::Form("its version is no number"))?;
    if version > u64::from(VERSION) {
        return Err(LineError::Newer(version));
    }
    if version == 0 {
        return Err(LineError::Form("version 0 does not exist"));
    }
    let rest = rest.strip_prefix(b",\"seq\":").ok_or(LineError::Form("its number is missing"))?;
    let (seq, rest) = number(rest).ok_or(LineError::Form("its number is no number"))?;
    let rest = rest.strip_prefix(b",\"t\":").ok_or(LineError::Form("its time is missing"))?;
    let (t_us, rest) = number(rest).ok_or(LineError::Form("its time is no number"))?;
    let rest = rest.strip_prefix(b",\"prev\":\"").ok_or(LineError::Form("the sum before it is missing"))?;
    let (prev, rest) = rest.split_at_checked(64).ok_or(LineError::Form("it ends too early"))?;
    let rest = rest.strip_prefix(b"\",").ok_or(LineError::Form("the sum before it is no sum"))?;
    let end = rest.len().checked_sub(SUM_LEN).ok_or(LineError::Form("its sum is missing"))?;
    let (fields, tail) = rest.split_at(end);
    let sum = tail
        .strip_prefix(SUM_MARK)
        .and_then(|tail| tail.strip_suffix(b"\"}"))
        .ok_or(LineError::Form("its sum is missing"))?;
    if !digest::is_hex(prev) || !digest::is_hex(sum) {
        return Err(LineError::Form("a sum is 64 lower-case hexadecimal digits"));
    }
    Ok(Parts { seq, t_us, prev, fields, covered: &line[..line.len() - SUM_LEN], sum })
}

/// Decodes an event's fields; `scratch` is reused from line to line.
pub(crate) fn read_event(fields: &[u8], scratch: &mut Vec<u8>) -> Result<Event, LineError> {
    scratch.clear();
    scratch.push(b'{');
    scratch.extend_from_slice(fields);
    scratch.push(b'}');
    serde_json::from_slice(scratch).map_err(|error| LineError::Json(error.to_string()))
}

/// A decimal number without sign and without leading zeros.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = bytes.split_at(digits);
    if number.is_empty() || (number.len() > 1 && number[0] == b'0') {
        return None;
    }
    let mut value: u64 = 0;
    for &digit in number {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    Some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Chain;

    fn written(event: &Event) -> String {
        let mut out = Vec::new();
        Chain::new().line(7, event, &mut out);
        out.pop();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn reads_what_the_chain_writes() {
        let event = Event::Closed { requests: 3 };
        let line = read_line(&written(&event)).unwrap();
        assert_eq!((line.seq, line.t_us, line.event), (1, 7, event));
        assert_eq!(line.prev, "0".repeat(64));
    }

    #[test]
    fn a_newer_version_is_named() {
        let text = written(&Event::Closed { requests: 3 }).replacen("\"v\":1", "\"v\":2", 1);
        let error = read_line(&text).unwrap_err();
        assert_eq!(error.to_string(), "written in format version 2, this program reads up to version 1");
    }

    #[test]
    fn unknown_fields_and_events_are_refused() {
        let text = written(&Event::Closed { requests: 3 });
        for (from, to) in [
            ("\"requests\":3", "\"requests\":3,\"more\":1"),
            ("\"requests\":3", "\"requests\":3,\"requests\":3"),
            ("\"closed\"", "\"shut\""),
            ("\"requests\":3", "\"requests\":-3"),
            ("\"requests\":3", "\"requests\":"),
        ] {
            let error = read_line(&text.replace(from, to)).unwrap_err();
            assert!(matches!(error, LineError::Json(_)), "{to}: {error}");
        }
    }

    #[test]
    fn other_forms_are_refused_with_a_reason() {
        let good = written(&Event::Closed { requests: 3 });
        for bad in [
            "",
            "{}",
            "{\"v\":x",
            "{\"v\":0,",
            "{\"v\":1,\"seq\":01",
            "{\"v\":1,\"seq\":1,\"t\":99999999999999999999",
            &good.replace("\"sum\"", "\"Sum\""),
            &good.replace("\"prev\":\"0", "\"prev\":\"A"),
            &format!("{good} "),
        ] {
            assert!(matches!(read_line(bad), Err(LineError::Form(_))), "{bad}");
        }
    }
}
