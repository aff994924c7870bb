//! The reader: RFC 8259 text to a tape, in one pass without recursion.

use super::{Kind, Node, Tape};
use std::collections::BTreeSet;

/// How deep arrays and objects may nest. The seed's reader gave up below 1,000; no real client comes near.
pub const MAX_DEPTH: usize = 1024;

/// An object with more keys than this is checked for repeats through a set instead of pairwise.
const PAIRWISE_KEYS: usize = 12;

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Byte offset at which the reader gave up (the text's length when it ended too early).
    pub offset: usize,
    /// What was wrong there.
    pub why: Why,
}

/// What was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// A byte order mark before the text.
    ByteOrderMark,
    /// Nothing but white space.
    Empty,
    /// The text ends inside a value.
    Cut,
    /// A byte that cannot stand here; the words name what could.
    Expected(&'static str),
    /// A control character inside a string.
    ControlCharacter,
    /// An unknown or cut escape.
    BadEscape,
    /// Something that looks like a number and is none.
    BadNumber,
    /// More text after the value.
    Trailing,
    /// Deeper than [`MAX_DEPTH`].
    TooDeep,
    /// 4 GiB or more.
    TooLong,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.why {
            Why::NotUtf8 => f.write_str("not UTF-8")?,
            Why::ByteOrderMark => f.write_str("a byte order mark before the text")?,
            Why::Empty => f.write_str("no value at all")?,
            Why::Cut => f.write_str("the text ends inside a value")?,
            Why::Expected(what) => write!(f, "expected {what}")?,
            Why::ControlCharacter => f.write_str("a control character inside a string must be escaped")?,
            Why::BadEscape => f.write_str("an unknown escape in a string")?,
            Why::BadNumber => f.write_str("a malformed number")?,
            Why::Trailing => f.write_str("more text after the value")?,
            Why::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels")?,
            Why::TooLong => f.write_str("longer than 4 GiB")?,
        }
        write!(f, " at byte {}", self.offset)
    }
}

impl std::error::Error for Broken {}

/// Reads one JSON text.
///
/// # Errors
/// [`Broken`] when the bytes are not exactly one JSON value in UTF-8.
pub fn parse(bytes: &[u8]) -> Result<Tape<'_>, Broken> {
    let broken = |offset, why| Err(Broken { offset, why });
    if u32::try_from(bytes.len()).is_err() {
        return broken(0, Why::TooLong);
    }
    if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        return broken(0, Why::ByteOrderMark);
    }
    let source = match std::str::from_utf8(bytes) {
        Ok(source) => source,
        Err(error) => return broken(error.valid_up_to(), Why::NotUtf8),
    };
    let mut reader = Reader {
        bytes,
        at: 0,
        tape: Tape {
            source,
            nodes: Vec::with_capacity(bytes.len() / 12 + 4),
            duplicate_key: None,
            lone_surrogate: None,
        },
        open: Vec::new(),
    };
    reader.document()?;
    Ok(reader.tape)
}

struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    tape: Tape<'s>,
    /// Indices of the arrays and objects that are not closed yet.
    open: Vec<u32>,
}

impl Reader<'_> {
    fn fail<T>(&self, why: Why) -> Result<T, Broken> {
        let why = if self.at >= self.bytes.len() && !matches!(why, Why::Empty) { Why::Cut } else { why };
        Err(Broken { offset: self.at, why })
    }

    fn peek(&self) -> u8 {
        // A zero byte is legal nowhere outside a string, so it can stand for the end.
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "parse() refuses texts whose offsets do not fit")]
    fn push(&mut self, kind: Kind, start: usize, end: usize, len: u32) {
        let next = self.tape.nodes.len() as u32 + 1;
        self.tape.nodes.push(Node { start: start as u32, end: end as u32, next, len, kind });
    }

    fn document(&mut self) -> Result<(), Broken> {
        self.space();
        if self.at == self.bytes.len() {
            return self.fail(Why::Empty);
        }
        self.value()?;
        while let Some(&container) = self.open.last() {
            self.space();
            let is_object = self.tape.nodes[container as usize].kind == Kind::Object;
            let first = self.tape.nodes[container as usize].len == 0;
            match self.peek() {
                b'}' if is_object => self.close(container)?,
                b']' if !is_object => self.close(container)?,
                b',' if !first => {
                    self.at += 1;
                    self.space();
                    self.element(container, is_object)?;
                }
                _ if first => self.element(container, is_object)?,
                _ => return self.fail(Why::Expected(if is_object { "`,` or `}`" } else { "`,` or `]`" })),
            }
        }
        self.space();
        if self.at < self.bytes.len() { self.fail(Why::Trailing) } else { Ok(()) }
    }

    fn element(&mut self, container: u32, is_object: bool) -> Result<(), Broken> {
        if is_object {
            if self.peek() != b'"' {
                return self.fail(Why::Expected("a key in double quotes"));
            }
            self.string()?;
            self.space();
            if self.peek() != b':' {
                return self.fail(Why::Expected("`:`"));
            }
            self.at += 1;
            self.space();
        }
        self.tape.nodes[container as usize].len += 1;
        self.value()
    }

    #[expect(clippy::cast_possible_truncation, reason = "parse() refuses texts whose offsets do not fit")]
    fn close(&mut self, container: u32) -> Result<(), Broken> {
        self.at += 1;
        self.open.pop();
        let next = self.tape.nodes.len() as u32;
        let node = &mut self.tape.nodes[container as usize];
        node.end = self.at as u32;
        node.next = next;
        if node.kind == Kind::Object && node.len > 1 && self.tape.duplicate_key.is_none() {
            self.find_duplicate(container);
        }
        Ok(())
    }

    fn find_duplicate(&mut self, container: u32) {
        let object = super::Value { tape: &self.tape, at: container };
        let mut found = None;
        if object.len() <= PAIRWISE_KEYS {
            'keys: for (i, (key, _)) in object.entries().enumerate() {
                for (earlier, _) in object.entries().take(i) {
                    let plain = key.node().len == 0 && earlier.node().len == 0;
                    if if plain { key.inner() == earlier.inner() } else { key.decoded() == earlier.decoded() } {
                        found = Some(key.offset());
                        break 'keys;
                    }
                }
            }
        } else {
            let mut seen = BTreeSet::new();
            found = object.entries().find(|(key, _)| !seen.insert(key.decoded())).map(|(key, _)| key.offset());
        }
        self.tape.duplicate_key = found;
    }

    #[expect(clippy::cast_possible_truncation, reason = "parse() refuses texts whose offsets do not fit")]
    fn value(&mut self) -> Result<(), Broken> {
        let start = self.at;
        match self.peek() {
            b'"' => self.string(),
            open @ (b'{' | b'[') => {
                if self.open.len() == MAX_DEPTH {
                    return self.fail(Why::TooDeep);
                }
                self.open.push(self.tape.nodes.len() as u32);
                self.push(if open == b'{' { Kind::Object } else { Kind::Array }, start, start, 0);
                self.at += 1;
                Ok(())
            }
            b't' => self.word("true", Kind::Bool),
            b'f' => self.word("false", Kind::Bool),
            b'n' => self.word("null", Kind::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.fail(Why::Expected("a value")),
        }
    }

    fn word(&mut self, word: &'static str, kind: Kind) -> Result<(), Broken> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return self.fail(Why::Expected("a value"));
        }
        self.push(kind, self.at, self.at + word.len(), 0);
        self.at += word.len();
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Broken> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at == start { self.fail(Why::BadNumber) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), Broken> {
        let start = self.at;
        if self.peek() == b'-' {
            self.at += 1;
        }
        if self.peek() == b'0' {
            self.at += 1;
            if self.peek().is_ascii_digit() {
                return self.fail(Why::BadNumber);
            }
        } else {
            self.digits()?;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(Kind::Number, start, self.at, 0);
        Ok(())
    }

    fn string(&mut self) -> Result<(), Broken> {
        self.at += 1;
        let start = self.at;
        let mut escaped = 0;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.push(Kind::String, start, self.at, escaped);
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    escaped = 1;
                    self.escape()?;
                }
                Some(_) => return self.fail(Why::ControlCharacter),
                None => return self.fail(Why::Cut),
            }
        }
    }

    /// Steps over one escape; notes half a surrogate pair.
    fn escape(&mut self) -> Result<(), Broken> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let start = self.at;
                let Some(unit) = hex4(self.bytes, start + 2) else { return self.fail(Why::BadEscape) };
                self.at += 6;
                let paired = match unit {
                    0xD800..0xDC00 => low_half(self.bytes, self.at).is_some(),
                    0xDC00..0xE000 => false,
                    _ => return Ok(()),
                };
                if paired {
                    self.at += 6;
                } else if self.tape.lone_surrogate.is_none() {
                    self.tape.lone_surrogate = Some(start);
                }
            }
            Some(_) => return self.fail(Why::BadEscape),
            None => {
                self.at = self.bytes.len();
                return self.fail(Why::Cut);
            }
        }
        Ok(())
    }
}

/// How many bytes from the start need no look: no quote, no backslash, no control character.
///
/// Eight bytes at a time: a byte `b` of `word` equals `n` where `word ^ (n * ONES)` has a zero byte, and
/// `(x - ONES) & !x & HIGHS` is non-zero exactly when `x` has a zero byte; below 0x20 likewise with 0x20 taken off.
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut run = 0;
    let (chunks, _) = bytes.as_chunks::<8>();
    for chunk in chunks {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * u64::from(b'"'));
        let slash = word ^ (ONES * u64::from(b'\\'));
        let hit = (quote.wrapping_sub(ONES) & !quote)
            | (slash.wrapping_sub(ONES) & !slash)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        if hit & HIGHS != 0 {
            break;
        }
        run += 8;
    }
    run + bytes[run..].iter().take_while(|&&b| b != b'"' && b != b'\\' && b >= 0x20).count()
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}

fn low_half(bytes: &[u8], at: usize) -> Option<u32> {
    (bytes.get(at..at + 2)? == b"\\u").then(|| hex4(bytes, at + 2))?.filter(|unit| (0xDC00..0xE000).contains(unit))
}

/// Decodes the escapes of a string that [`parse`] accepted; half a surrogate pair becomes U+FFFD.
pub(super) fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(run) = text[at..].find('\\') {
        out.push_str(&text[at..at + run]);
        at += run;
        let (letter, width) = match bytes.get(at + 1) {
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'u') => {
                let unit = hex4(bytes, at + 2).unwrap_or(0xFFFD);
                match (unit, low_half(bytes, at + 6)) {
                    (0xD800..0xDC00, Some(low)) => {
                        let scalar = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        (char::from_u32(scalar).unwrap_or('\u{FFFD}'), 12)
                    }
                    _ => (char::from_u32(unit).unwrap_or('\u{FFFD}'), 6),
                }
            }
            Some(&other) => (char::from(other), 2),
            None => break,
        };
        out.push(letter);
        at += width;
    }
    out.push_str(&text[at..]);
    out
}
