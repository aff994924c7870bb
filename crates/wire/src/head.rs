//! The head of a response as bytes. No header is added that the caller did not name: no `Date`, no length.

use crate::json::write_number;
use std::borrow::Cow;

/// Status and headers of a response, in the order in which they leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// HTTP status, 100..=999.
    pub status: u16,
    /// Names and values as they are to be written.
    pub headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
}

impl ResponseHead {
    /// A head without headers.
    #[must_use]
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::with_capacity(8) }
    }

    /// The same head with one more header at its end.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) -> Self {
        self.push(name, value);
        self
    }

    /// Adds a header at the end.
    pub fn push(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) {
        self.headers.push((name.into(), value.into()));
    }

    /// The value of a header, whatever the case of its name; the first of several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// How long it asks the client to wait before it tries again, milliseconds: `retry-after-ms`, else `retry-after` in
    /// seconds. A date is no answer here, where nobody knows what time it is.
    #[must_use]
    pub fn retry_after_ms(&self) -> Option<u64> {
        let millis = self.get("retry-after-ms").and_then(|text| text.trim().parse().ok());
        let seconds = || self.get("retry-after")?.trim().parse::<u64>().ok()?.checked_mul(1000);
        millis.or_else(seconds)
    }

    /// The head as `HTTP/1.1 200 OK`, its header lines and the empty line.
    ///
    /// A control character in a name or value leaves as a space: no scripted header can break the framing.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.room());
        self.write_lines(&mut out);
        out.extend_from_slice(b"\r\n");
        out
    }

    /// Bytes that are enough for most heads like this one.
    #[must_use]
    pub fn room(&self) -> usize {
        64 + 48 * self.headers.len()
    }

    /// Appends all of [`ResponseHead::to_bytes`] but the empty line, so that further header lines can follow.
    pub fn write_lines(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"HTTP/1.1 ");
        write_number(out, self.status.into());
        out.push(b' ');
        out.extend_from_slice(reason(self.status).as_bytes());
        out.extend_from_slice(b"\r\n");
        let start = out.len();
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        // Hardly any text holds one, and to look at all of them at once is much quicker than to look at each.
        if controls(&out[start..]) != 2 * self.headers.len() {
            self.write_harmless(out, start);
        }
    }

    /// Writes the header lines anew from `start` on, a space in the place of each control character.
    #[cold]
    fn write_harmless(&self, out: &mut Vec<u8>, start: usize) {
        let harmless = |text: &str| text.replace(|letter: char| is_control(letter as u32), " ");
        out.truncate(start);
        for (name, value) in &self.headers {
            out.extend_from_slice(format!("{}: {}\r\n", harmless(name), harmless(value)).as_bytes());
        }
    }
}

/// Whether an ASCII character is a control character other than a tab.
fn is_control(letter: u32) -> bool {
    (letter < 0x20 && letter != 0x09) || letter == 0x7F
}

/// How many control characters a text holds, tabs left out.
fn controls(text: &[u8]) -> usize {
    // Sums that fit a byte let the compiler count sixteen bytes at a time.
    let count = |part: &[u8]| part.iter().map(|byte| u8::from(is_control(u32::from(*byte)))).sum::<u8>();
    text.chunks(usize::from(u8::MAX)).map(|part| usize::from(count(part))).sum()
}

/// The reason phrase of a status (IANA registry, plus 529, which providers made up); empty for an unknown one.
#[must_use]
pub fn reason(status: u16) -> &'static str {
    REASONS.iter().find(|(known, _)| *known == status).map_or("", |(_, phrase)| phrase)
}

/// Statuses that a provider or something before it sends, the most frequent first.
const REASONS: &[(u16, &str)] = &[
    (200, "OK"),
    (400, "Bad Request"),
    (404, "Not Found"),
    (429, "Too Many Requests"),
    (500, "Internal Server Error"),
    (401, "Unauthorized"),
    (403, "Forbidden"),
    (405, "Method Not Allowed"),
    (408, "Request Timeout"),
    (409, "Conflict"),
    (413, "Content Too Large"),
    (415, "Unsupported Media Type"),
    (422, "Unprocessable Content"),
    (502, "Bad Gateway"),
    (503, "Service Unavailable"),
    (504, "Gateway Timeout"),
    (529, "Overloaded"),
    (100, "Continue"),
    (101, "Switching Protocols"),
    (102, "Processing"),
    (103, "Early Hints"),
    (201, "Created"),
    (202, "Accepted"),
    (203, "Non-Authoritative Information"),
    (204, "No Content"),
    (205, "Reset Content"),
    (206, "Partial Content"),
    (300, "Multiple Choices"),
    (301, "Moved Permanently"),
    (302, "Found"),
    (303, "See Other"),
    (304, "Not Modified"),
    (307, "Temporary Redirect"),
    (308, "Permanent Redirect"),
    (402, "Payment Required"),
    (406, "Not Acceptable"),
    (407, "Proxy Authentication Required"),
    (410, "Gone"),
    (411, "Length Required"),
    (412, "Precondition Failed"),
    (414, "URI Too Long"),
    (416, "Range Not Satisfiable"),
    (417, "Expectation Failed"),
    (421, "Misdirected Request"),
    (423, "Locked"),
    (424, "Failed Dependency"),
    (425, "Too Early"),
    (426, "Upgrade Required"),
    (428, "Precondition Required"),
    (431, "Request Header Fields Too Large"),
    (451, "Unavailable For Legal Reasons"),
    (501, "Not Implemented"),
    (505, "HTTP Version Not Supported"),
    (507, "Insufficient Storage"),
    (511, "Network Authentication Required"),
];
