//! The reader: RFC 8259 text to a tape, in one pass without recursion.

use super::escape::{hex4, long_run, low_half, specials};
use super::{Broken, Kind, Node, Tape, Why};
use std::collections::BTreeSet;

/// How deep arrays and objects may nest. The original stub's reader gave up below 1,000; no real client comes near.
pub const MAX_DEPTH: usize = 1024;

/// An object with more keys than this is checked for repeats once, when it closes, instead of key by key.
const WALKED_KEYS: u32 = 24;

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
    let nodes = Vec::with_capacity(bytes.len() / 24 + 16);
    let tape = Tape { source, nodes, duplicate_key: None, lone_surrogate: None };
    let mut reader = Reader { bytes, at: 0, tape, open: Vec::with_capacity(8) };
    reader.document()?;
    Ok(reader.tape)
}

struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    tape: Tape<'s>,
    /// The arrays and objects that are not closed yet.
    open: Vec<Open>,
}

/// An array or object that is not closed yet.
struct Open {
    /// Its node.
    node: u32,
    /// Elements or entries so far.
    len: u32,
    object: bool,
    /// Marks of the keys so far: a key with a new mark stood not here before.
    marks: u64,
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
        self.tape.nodes.push(Node { start: start as u32, end: end as u32, next, len, marks: 0, kind });
    }

    fn document(&mut self) -> Result<(), Broken> {
        self.space();
        if self.at == self.bytes.len() {
            return self.fail(Why::Empty);
        }
        self.value("a value")?;
        while let Some(&Open { len, object, .. }) = self.open.last() {
            self.space();
            match (self.peek(), object) {
                (b'}', true) | (b']', false) => self.close(),
                (b',', _) if len > 0 => {
                    self.at += 1;
                    self.space();
                    self.element(object, "a key in double quotes", "a value")?;
                }
                _ if len == 0 => self.element(object, "a key in double quotes or `}`", "a value or `]`")?,
                _ => return self.fail(Why::Expected(if object { "`,` or `}`" } else { "`,` or `]`" })),
            }
        }
        self.space();
        if self.at < self.bytes.len() { self.fail(Why::Trailing) } else { Ok(()) }
    }

    fn element(&mut self, object: bool, key: &'static str, item: &'static str) -> Result<(), Broken> {
        if !object {
            self.count();
            return self.value(item);
        }
        if self.peek() != b'"' {
            return self.fail(Why::Expected(key));
        }
        self.string()?;
        self.check_key();
        self.space();
        if self.peek() != b':' {
            return self.fail(Why::Expected("`:`"));
        }
        self.at += 1;
        self.space();
        self.count();
        self.value("a value")
    }

    fn count(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.len += 1;
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "parse() refuses texts whose offsets do not fit")]
    fn close(&mut self) {
        self.at += 1;
        let next = self.tape.nodes.len() as u32;
        let Some(open) = self.open.pop() else { return };
        let node = &mut self.tape.nodes[open.node as usize];
        node.end = self.at as u32;
        node.next = next;
        node.len = open.len;
        node.marks = super::halved(open.marks);
        if open.object && open.len > WALKED_KEYS {
            let object = super::Value { tape: &self.tape, at: open.node };
            let mut seen = BTreeSet::new();
            let found =
                object.entries().find(|(key, _)| !seen.insert(key.decoded())).map(|(key, _)| key.offset());
            self.note_duplicate(found);
        }
    }

    /// Looks whether the key that was just read stood in its object before.
    fn check_key(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        let Some((key, earlier)) = self.tape.nodes.split_last() else { return };
        let text = &self.bytes[key.start as usize..key.end as usize];
        let mark = super::mark(text);
        let seen = open.marks & mark != 0;
        open.marks |= mark;
        // An escape hides what the key says from its mark, now and for every later key.
        if key.len != 0 {
            open.marks = u64::MAX;
        }
        if !(seen || key.len != 0) || open.len >= WALKED_KEYS {
            return;
        }
        let at = earlier.len() as u32;
        let mut here = open.node + 1;
        let found = loop {
            if here >= at {
                break None;
            }
            let (old, new) =
                (super::Value { tape: &self.tape, at: here }, super::Value { tape: &self.tape, at });
            if old.decoded() == new.decoded() {
                break Some(new.offset());
            }
            here = self.tape.nodes[here as usize + 1].next;
        };
        self.note_duplicate(found);
    }

    fn note_duplicate(&mut self, found: Option<usize>) {
        self.tape.duplicate_key = match (self.tape.duplicate_key, found) {
            (Some(known), Some(found)) => Some(known.min(found)),
            (known, found) => known.or(found),
        };
    }

    #[expect(clippy::cast_possible_truncation, reason = "parse() refuses texts whose offsets do not fit")]
    fn value(&mut self, expected: &'static str) -> Result<(), Broken> {
        let start = self.at;
        match self.peek() {
            b'"' => self.string(),
            byte @ (b'{' | b'[') => {
                if self.open.len() == MAX_DEPTH {
                    return self.fail(Why::TooDeep);
                }
                let object = byte == b'{';
                self.open.push(Open { node: self.tape.nodes.len() as u32, len: 0, object, marks: 0 });
                self.push(if object { Kind::Object } else { Kind::Array }, start, start, 0);
                self.at += 1;
                Ok(())
            }
            b't' => self.word("true", "`true`", Kind::Bool),
            b'f' => self.word("false", "`false`", Kind::Bool),
            b'n' => self.word("null", "`null`", Kind::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.fail(Why::Expected(expected)),
        }
    }

    fn word(&mut self, word: &'static str, quoted: &'static str, kind: Kind) -> Result<(), Broken> {
        let start = self.at;
        for letter in word.bytes() {
            if self.peek() != letter {
                return self.fail(Why::Expected(quoted));
            }
            self.at += 1;
        }
        self.push(kind, start, self.at, 0);
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

    /// Reads a string, eight bytes at a time and at a stretch where it is long; several escapes in one word cost one look at it.
    fn string(&mut self) -> Result<(), Broken> {
        self.at += 1;
        let (start, mut escaped) = (self.at, 0);
        'words: loop {
            let (base, rest) = (self.at, &self.bytes[self.at..]);
            let word = match rest.first_chunk::<8>() {
                Some(word) => *word,
                None if rest.is_empty() => return self.fail(Why::Cut),
                None => {
                    let mut word = [b' '; 8];
                    word[..rest.len()].copy_from_slice(rest);
                    word
                }
            };
            let mut hits = specials(u64::from_le_bytes(word));
            while hits != 0 {
                self.at = base + hits.trailing_zeros() as usize / 8;
                match self.bytes[self.at] {
                    b'"' => {
                        self.push(Kind::String, start, self.at, escaped);
                        self.at += 1;
                        return Ok(());
                    }
                    b'\\' => {
                        escaped = 1;
                        self.escape()?;
                    }
                    _ => return self.fail(Why::ControlCharacter),
                }
                let used = self.at - base;
                if used >= 8 {
                    continue 'words;
                }
                hits &= u64::MAX << (8 * used);
            }
            self.at = self.bytes.len().min(base + 8);
            // Keys and words end sooner.
            if base > start {
                self.at += long_run(&self.bytes[self.at..]);
            }
        }
    }

    /// Steps over one escape.
    fn escape(&mut self) -> Result<(), Broken> {
        self.at += 1;
        match self.peek() {
            b'n' | b'"' | b'\\' | b't' | b'/' | b'r' | b'b' | b'f' => self.at += 1,
            b'u' => self.unicode_escape()?,
            _ => return self.fail(Why::BadEscape),
        }
        Ok(())
    }

    /// Steps over `uXXXX` behind a backslash, with a second half where it has one; notes half a surrogate pair.
    fn unicode_escape(&mut self) -> Result<(), Broken> {
        let backslash = self.at - 1;
        let Some(unit) = hex4(self.bytes, self.at + 1) else {
            self.at += 1;
            while self.peek().is_ascii_hexdigit() {
                self.at += 1;
            }
            return self.fail(Why::BadEscape);
        };
        self.at += 5;
        let paired = match unit {
            0xD800..0xDC00 => low_half(self.bytes, self.at).is_some(),
            0xDC00..0xE000 => false,
            _ => return Ok(()),
        };
        if paired {
            self.at += 6;
        } else if self.tape.lone_surrogate.is_none() {
            self.tape.lone_surrogate = Some(backslash);
        }
        Ok(())
    }
}
