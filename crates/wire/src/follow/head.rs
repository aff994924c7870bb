//! One request head as it came, views into it, and what RFC 9112 forbids in it.

use super::HeadFault;
use std::borrow::Cow;

/// A request head with its line ends, from the request line to the empty line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// The bytes as they came.
    pub raw: Vec<u8>,
    fault: Option<HeadFault>,
    line: LineEnds,
}

/// Where the parts of a request line end in the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LineEnds {
    method: usize,
    target: usize,
    version: usize,
}

/// How the body after a head ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    None,
    Counted(u64),
    Chunked,
    Broken,
}

/// What the framing headers said, line by line.
#[derive(Default)]
struct Seen {
    fault: Option<HeadFault>,
    length: Option<u64>,
    encoding: bool,
    /// Whether the last `Transfer-Encoding` ends in `chunked`.
    chunked: bool,
    hosts: usize,
}

impl RequestHead {
    /// Reads a head that ends with its empty line.
    pub(super) fn read(raw: Vec<u8>) -> (Self, Framing) {
        let mut lines = lines(&raw);
        let request_line = lines.next().unwrap_or_default();
        let line = LineEnds::of(request_line);
        let mut seen = Seen { fault: request_line_fault(request_line, line), ..Seen::default() };
        let controls = holds_controls(&raw);
        for line in lines {
            seen.line(line, controls);
        }
        let old = request_line.ends_with(b"HTTP/1.0");
        if seen.encoding {
            if seen.length.is_some() {
                seen.note(HeadFault::LengthAndEncoding);
            }
            if old || !seen.chunked {
                seen.note(HeadFault::Encoding);
            }
        }
        match seen.hosts {
            0 if !old => seen.note(HeadFault::HostMissing),
            0 | 1 => {}
            _ => seen.note(HeadFault::HostDoubled),
        }
        let framing = match (seen.fault, seen.length) {
            (Some(fault), _) if fault.breaks_framing() => Framing::Broken,
            (_, Some(bytes)) if bytes > 0 => Framing::Counted(bytes),
            _ if seen.encoding => Framing::Chunked,
            _ => Framing::None,
        };
        (Self { fault: seen.fault, raw, line }, framing)
    }

    /// The first thing in it that RFC 9112 forbids; what leaves the end of the request unknown goes first.
    #[must_use]
    pub fn fault(&self) -> Option<HeadFault> {
        self.fault
    }

    /// The method as sent.
    #[must_use]
    pub fn method(&self) -> Cow<'_, str> {
        text(self.line.parts(&self.raw).0)
    }

    /// The target as sent, query included.
    #[must_use]
    pub fn target(&self) -> Cow<'_, str> {
        text(self.line.parts(&self.raw).1)
    }

    /// The version as sent; empty where there is none.
    #[must_use]
    pub fn version(&self) -> Cow<'_, str> {
        text(self.line.parts(&self.raw).2)
    }

    /// Names as sent and values without the space around them. Lines that have no readable name are left out.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        lines(&self.raw).skip(1).filter_map(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            let name = std::str::from_utf8(&line[..colon]).ok()?;
            Some((name.trim(), line[colon + 1..].trim_ascii()))
        })
    }

    /// The value of a header, whatever the case of its name; the first of several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.headers().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Everything after the request line, as it came.
    #[must_use]
    pub fn header_lines(&self) -> &[u8] {
        self.raw.get(super::until_line_feed(&self.raw) + 1..).unwrap_or_default()
    }
}

/// The same as `String::from_utf8_lossy`, which is slow on what is UTF-8.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

impl LineEnds {
    /// The method ends before the first space, the target before the last one.
    fn of(line: &[u8]) -> Self {
        let space = |byte: &u8| *byte == b' ';
        let Some(method) = line.iter().position(space) else {
            return Self { method: line.len(), target: line.len(), version: line.len() };
        };
        let target = line[method + 1..].iter().rposition(space).map_or(line.len(), |last| method + 1 + last);
        Self { method, target, version: line.len() }
    }

    /// Method, target and version of the line at the front of `head`.
    fn parts(self, head: &[u8]) -> (&[u8], &[u8], &[u8]) {
        let after_space = |from: usize, to: usize| head.get(from + 1..to).unwrap_or_default();
        (&head[..self.method], after_space(self.method, self.target), after_space(self.target, self.version))
    }
}

/// The lines of a head without their ends, up to the empty one.
fn lines(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let end = super::until_line_feed(rest);
        let (line, after) = rest.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (!line.is_empty()).then_some(line)
    })
}

fn request_line_fault(line: &[u8], ends: LineEnds) -> Option<HeadFault> {
    let (method, target, version) = ends.parts(line);
    if method.is_empty()
        || !method.iter().all(|&byte| is_token(byte))
        || target.is_empty()
        || target.iter().any(|&byte| byte <= b' ' || byte == 0x7F)
    {
        return Some(HeadFault::RequestLine);
    }
    match version {
        b"HTTP/1.1" | b"HTTP/1.0" => None,
        b"" => Some(HeadFault::RequestLine),
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', b'0'..=b'9'] => None,
        [b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => Some(HeadFault::UnsupportedVersion),
        _ => Some(HeadFault::Version),
    }
}

impl Seen {
    /// Keeps the first fault, but lets one that breaks the framing take the place of one that does not.
    fn note(&mut self, fault: HeadFault) {
        if self.fault.is_none_or(|known| !known.breaks_framing() && fault.breaks_framing()) {
            self.fault = Some(fault);
        }
    }

    /// Looks at one header line; at the characters of its value only where the head holds suspicious ones.
    fn line(&mut self, line: &[u8], controls: bool) {
        if matches!(line.first(), Some(b' ' | b'\t')) {
            return self.note(HeadFault::Folded);
        }
        let token = line.iter().position(|&byte| !is_token(byte)).unwrap_or(line.len());
        let (name, rest) = line.split_at(token);
        let Some((b':', value)) = rest.split_first() else {
            return self.note(match rest.iter().position(|&byte| byte == b':') {
                None => HeadFault::NoColon,
                Some(colon) if rest[..colon].iter().all(|byte| matches!(byte, b' ' | b'\t')) => {
                    HeadFault::SpaceBeforeColon
                }
                Some(_) => HeadFault::HeaderName,
            });
        };
        if name.is_empty() {
            return self.note(HeadFault::HeaderName);
        }
        if controls && value.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()) {
            self.note(HeadFault::HeaderValue);
        }
        match name.len() {
            4 if name.eq_ignore_ascii_case(b"host") => self.hosts += 1,
            14 if name.eq_ignore_ascii_case(b"content-length") => self.length(value.trim_ascii()),
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                self.encoding = true;
                let last = value.rsplit(|&byte| byte == b',').next().unwrap_or_default();
                self.chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
            }
            _ => {}
        }
    }

    fn length(&mut self, digits: &[u8]) {
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return self.note(HeadFault::LengthNotDigits);
        }
        let length = digits
            .iter()
            .try_fold(0_u64, |length, &digit| length.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
        match (length, self.length) {
            (None, _) => self.note(HeadFault::LengthTooLarge),
            (Some(length), Some(earlier)) if length != earlier => self.note(HeadFault::LengthsDiffer),
            (Some(length), _) => self.length = Some(length),
        }
    }
}

/// Whether a head holds control characters other than tabs and line ends, in one pass without a way out, which runs
/// many bytes at a time.
fn holds_controls(raw: &[u8]) -> bool {
    let (mut bad, mut returns, mut feeds) = (false, 0_u32, 0_u32);
    for &byte in raw {
        returns += u32::from(byte == b'\r');
        feeds += u32::from(byte == b'\n');
        bad |= ((byte < b' ') & (byte != b'\t') & (byte != b'\r') & (byte != b'\n')) | (byte == 0x7F);
    }
    // A CR that ends no line is one as well; so may be one in a head with bare line feeds.
    bad || returns != feeds
}

/// Whether a byte may stand in a token (RFC 9110, 5.6.2).
const fn is_token(byte: u8) -> bool {
    TOKEN[byte as usize]
}

const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'!' | b'#'
                    | b'$'
                    | b'%'
                    | b'&'
                    | b'\''
                    | b'*'
                    | b'+'
                    | b'-'
                    | b'.'
                    | b'^'
                    | b'_'
                    | b'`'
                    | b'|'
                    | b'~'
            );
        byte += 1;
    }
    table
};
