//! One request head as it came, views into it, and what RFC 9112 forbids in it.

use super::HeadFault;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Room made at once for headers: clients of model providers send ten to twenty.
const FIELDS: usize = 16;

/// A request head with its line ends, from the request line to the empty line. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead(Arc<Read>);

/// A head and what was found in it, once: it is asked often.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read {
    raw: Raw,
    fault: Option<HeadFault>,
    framing: Framing,
    line: LineEnds,
    fields: Vec<Field>,
}

/// The bytes as they came.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Raw {
    /// They are UTF-8, as nearly all heads are: its parts need no second look.
    Text(String),
    Bytes(Vec<u8>),
}

/// Where a header's name and value lie in the head, without the space around them. Heads are far shorter than 4 GiB, and
/// one may hold tens of thousands of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    name: Part,
    value: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    start: u32,
    end: u32,
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
    pub(super) fn read(raw: Vec<u8>) -> Self {
        let mut lines = lines(&raw);
        let (_, request_line) = lines.next().unwrap_or_default();
        let line = LineEnds::of(request_line);
        let mut seen = Seen { fault: request_line_fault(request_line, line), ..Seen::default() };
        let controls = holds_controls(&raw);
        let mut fields = Vec::with_capacity(FIELDS);
        for (start, line) in lines {
            let colon = seen.line(line, controls).or_else(|| line.iter().position(|&byte| byte == b':'));
            fields.extend(colon.and_then(|colon| Field::of(start, line, colon)));
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
        Self(Arc::new(Read { raw: Raw::of(raw), fault: seen.fault, framing, line, fields }))
    }

    /// How the body after it ends.
    pub(super) fn framing(&self) -> Framing {
        self.0.framing
    }

    /// The bytes as they came.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        self.0.raw.bytes()
    }

    /// Bytes of memory that it takes.
    pub(super) fn cost(&self) -> usize {
        size_of::<Read>() + self.raw().len() + self.0.fields.len() * size_of::<Field>()
    }

    /// Writes one byte over some, so that what was found in the head stays as it is.
    pub fn overwrite(&mut self, at: Range<usize>, byte: u8) {
        let read = Arc::make_mut(&mut self.0);
        let mut raw = std::mem::replace(&mut read.raw, Raw::Bytes(Vec::new())).into_bytes();
        if let Some(place) = raw.get_mut(at) {
            place.fill(byte);
        }
        read.raw = Raw::of(raw);
    }

    /// Whether it is the very same head, and not one that equals it.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The first thing in it that RFC 9112 forbids; what leaves the end of the request unknown goes first.
    #[must_use]
    pub fn fault(&self) -> Option<HeadFault> {
        self.0.fault
    }

    /// The method as sent.
    #[must_use]
    pub fn method(&self) -> Cow<'_, str> {
        self.text(0, self.0.line.method)
    }

    /// The target as sent, query included.
    #[must_use]
    pub fn target(&self) -> Cow<'_, str> {
        self.text(self.0.line.method + 1, self.0.line.target)
    }

    /// The version as sent; empty where there is none.
    #[must_use]
    pub fn version(&self) -> Cow<'_, str> {
        self.text(self.0.line.target + 1, self.0.line.version)
    }

    /// Names as sent and values without the space around them. Lines that have no readable name are left out.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let Read { raw, fields, .. } = &*self.0;
        fields.iter().filter_map(|field| {
            let name = match raw {
                Raw::Text(text) => text.get(field.name.range())?,
                Raw::Bytes(bytes) => std::str::from_utf8(bytes.get(field.name.range())?).ok()?,
            };
            Some((name, raw.bytes().get(field.value.range()).unwrap_or_default()))
        })
    }

    /// The same as a list, for those who ask it often.
    #[must_use]
    pub fn header_list(&self) -> Vec<(&str, &[u8])> {
        let mut list = Vec::with_capacity(self.0.fields.len());
        list.extend(self.headers());
        list
    }

    /// The value of a header, whatever the case of its name; the first of several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.headers().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Everything after the request line, as it came.
    #[must_use]
    pub fn header_lines(&self) -> &[u8] {
        let raw = self.raw();
        raw.get(super::until_line_feed(raw) + 1..).unwrap_or_default()
    }

    /// The same as `String::from_utf8_lossy` of a part, which is slow on what is UTF-8; nothing where there is no such part.
    fn text(&self, from: usize, to: usize) -> Cow<'_, str> {
        match &self.0.raw {
            Raw::Text(text) => text.get(from..to).unwrap_or_default().into(),
            Raw::Bytes(bytes) => String::from_utf8_lossy(bytes.get(from..to).unwrap_or_default()),
        }
    }
}

impl Raw {
    fn of(raw: Vec<u8>) -> Self {
        String::from_utf8(raw).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl Field {
    /// The field of a line that begins at `start`; none where its name is no text.
    fn of(start: usize, line: &[u8], colon: usize) -> Option<Self> {
        let name = std::str::from_utf8(&line[..colon]).ok()?;
        let before_name = name.len() - name.trim_start().len();
        let value = &line[colon + 1..];
        let before_value = colon + 1 + value.len() - value.trim_ascii_start().len();
        Some(Self {
            name: Part::of(start + before_name, name.trim().len())?,
            value: Part::of(start + before_value, value.trim_ascii().len())?,
        })
    }
}

impl Part {
    fn of(start: usize, length: usize) -> Option<Self> {
        Some(Self { start: u32::try_from(start).ok()?, end: u32::try_from(start + length).ok()? })
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
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

/// The lines of a head without their ends, up to the empty one, each with where it begins.
fn lines(raw: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        let rest = raw.get(start..).unwrap_or_default();
        let end = super::until_line_feed(rest);
        next = start + end + 1;
        let line = &rest[..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (!line.is_empty()).then_some((start, line))
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

    /// Looks at one header line; at the characters of its value only where the head holds suspicious ones. Returns where its
    /// colon stands, if it is where it should be.
    fn line(&mut self, line: &[u8], controls: bool) -> Option<usize> {
        if matches!(line.first(), Some(b' ' | b'\t')) {
            self.note(HeadFault::Folded);
            return None;
        }
        let token = line.iter().position(|&byte| !is_token(byte)).unwrap_or(line.len());
        let (name, rest) = line.split_at(token);
        let Some((b':', value)) = rest.split_first() else {
            self.note(match rest.iter().position(|&byte| byte == b':') {
                None => HeadFault::NoColon,
                Some(colon) if rest[..colon].iter().all(|byte| matches!(byte, b' ' | b'\t')) => {
                    HeadFault::SpaceBeforeColon
                }
                Some(_) => HeadFault::HeaderName,
            });
            return None;
        };
        if name.is_empty() {
            self.note(HeadFault::HeaderName);
            return None;
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
        Some(token)
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
