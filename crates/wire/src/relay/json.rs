//! JSON with the real id replaced in its string values, in any chunking; every other byte leaves exactly as it came.
//!
//! Not the tape of [`crate::json`]: an answer is mapped while it comes, may be endless, and may stop being JSON.

use super::Names;
use super::escape::{Escape, Taken};
use super::scalar::Scalar;
use super::search::Search;
use crate::json::plain_run;

/// How deep arrays and objects may nest; what is deeper is mapped as plain text.
pub const MAX_DEPTH: usize = 2048;

const MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// The map of a body: one JSON document, or several with white space between them.
///
/// Strings that are the value of a key (anywhere inside it too) of `spare` are left alone, and so are all keys. What is no
/// JSON is mapped as plain text from where it stops being it, and so is a scalar that is cut.
#[derive(Debug)]
pub struct JsonMap {
    search: Search,
    real: Vec<u8>,
    spare: &'static [&'static str],
    place: Place,
    depth: usize,
    /// A bit for each level that is open: set for an object.
    objects: Vec<u64>,
    /// The depth of the object whose value is spared.
    spared_at: Option<usize>,
    escape: Escape,
    /// The key that is read, as far as it can be one of `spare`.
    key: Vec<u8>,
    /// A number or word (or a byte order mark) that is held back, since it may turn out to be the beginning of an id.
    token: Vec<u8>,
    /// The last byte outside strings that left.
    last: u8,
    /// Whole documents so far.
    documents: usize,
}

/// Where in the text we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the very beginning, where a byte order mark may stand.
    Beginning,
    /// Before a document.
    Document,
    /// Before a value.
    Value,
    /// Behind `[`.
    FirstItem,
    /// Behind `{`.
    FirstKey,
    /// Behind a comma in an object.
    Key,
    /// Behind a key.
    Colon,
    /// Behind a value.
    After,
    /// In a string.
    Text(Role),
    /// In a number or a word.
    Scalar(Scalar),
    /// Behind what is no JSON.
    Broken,
}

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Key,
    Spared,
    Mapped,
}

/// What a byte outside strings did.
enum Step {
    /// It stays with the others.
    On,
    /// A string begins behind it.
    Text,
    /// It is the first of a number or word, or of a byte order mark.
    Token,
    /// It cannot stand here.
    Break,
}

impl JsonMap {
    /// A map at the start of a body. Values under a key of `spare` (compared as decoded) are left alone, at any depth.
    #[must_use]
    pub fn new(names: &Names, spare: &'static [&'static str]) -> Self {
        Self {
            search: Search::new(names, true),
            real: names.real().as_bytes().to_vec(),
            spare,
            place: Place::Beginning,
            depth: 0,
            objects: Vec::new(),
            spared_at: None,
            escape: Escape::default(),
            key: Vec::new(),
            token: Vec::new(),
            last: 0,
            documents: 0,
        }
    }

    /// Takes what came next and appends what can leave.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = match self.place {
                Place::Broken => {
                    self.search.plain(rest, out);
                    rest.len()
                }
                Place::Text(role) if self.escape.raw().is_empty() => self.text(role, rest, out),
                Place::Text(role) => self.escaped(role, rest[0], out),
                Place::Scalar(_) => self.scalar(rest, out),
                Place::Beginning if !self.token.is_empty() => self.mark(rest[0], out),
                Place::Beginning
                | Place::Document
                | Place::Value
                | Place::FirstItem
                | Place::FirstKey
                | Place::Key
                | Place::Colon
                | Place::After => self.structure(rest, out),
            };
            rest = &rest[taken..];
        }
    }

    /// The body is at its end: what was held back leaves. The map is ready for another body.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        match self.place {
            Place::Text(Role::Mapped) => {
                self.search.end(out);
                out.extend_from_slice(self.escape.raw());
            }
            Place::Scalar(scalar) if scalar.is_whole() => out.append(&mut self.token),
            Place::Scalar(_) | Place::Beginning => self.break_off(out),
            Place::Text(Role::Key | Role::Spared)
            | Place::Document
            | Place::Value
            | Place::FirstItem
            | Place::FirstKey
            | Place::Key
            | Place::Colon
            | Place::After
            | Place::Broken => {}
        }
        self.search.end(out);
        self.search.become_quoted();
        self.escape.clear();
        self.token.clear();
        self.place = Place::Beginning;
        (self.depth, self.spared_at, self.last, self.documents) = (0, None, 0, 0);
    }

    /// Whether what was fed since the start (or the last [`JsonMap::finish`]) is exactly one JSON value.
    #[must_use]
    pub fn is_one_value(&self) -> bool {
        match self.place {
            Place::Document | Place::After => self.depth == 0 && self.documents == 1,
            Place::Scalar(scalar) => self.depth == 0 && self.documents == 0 && scalar.is_whole(),
            Place::Beginning
            | Place::Value
            | Place::FirstItem
            | Place::FirstKey
            | Place::Key
            | Place::Colon
            | Place::Text(_)
            | Place::Broken => false,
        }
    }

    /// How many bytes are held back: less than the id and one character, as they are written, and one escape.
    #[must_use]
    pub fn pending(&self) -> usize {
        let escape = if self.place == Place::Text(Role::Mapped) { self.escape.raw().len() } else { 0 };
        self.search.pending() + self.token.len() + escape
    }

    /// A line end between two lines of one document: it counts as white space and does not leave.
    pub(super) fn line_end(&mut self, out: &mut Vec<u8>) {
        self.push(b"\n", out);
        // An id holds no control character, so nothing waits behind one: it is the last byte that left.
        let end = out.pop();
        debug_assert!(end == Some(b'\n') && self.pending() == 0, "a line end was held back");
    }

    /// Bytes outside strings, numbers and words, up to one of these.
    fn structure(&mut self, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let (mut taken, mut step) = (rest.len(), Step::On);
        for (place, &byte) in rest.iter().enumerate() {
            step = self.step(byte);
            match step {
                Step::On => continue,
                Step::Text => taken = place + 1,
                Step::Token | Step::Break => taken = place,
            }
            break;
        }
        out.extend_from_slice(&rest[..taken]);
        self.last = rest[..taken].last().copied().unwrap_or(self.last);
        match step {
            Step::On | Step::Text => taken,
            Step::Token => {
                self.token.push(rest[taken]);
                if self.place != Place::Beginning && self.real[0] != rest[taken] {
                    self.let_go(out);
                }
                taken + 1
            }
            Step::Break => {
                self.break_off(out);
                taken
            }
        }
    }

    fn step(&mut self, byte: u8) -> Step {
        if self.place == Place::Beginning {
            if byte == MARK[0] {
                return Step::Token;
            }
            self.place = Place::Document;
        }
        if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            if self.place == Place::After && self.depth == 0 {
                self.place = Place::Document;
            }
            return Step::On;
        }
        match (self.place, byte) {
            (Place::Document | Place::Value | Place::FirstItem, b'"') => {
                let spared = self.spared_at.is_some();
                self.place = Place::Text(if spared { Role::Spared } else { Role::Mapped });
                return Step::Text;
            }
            (Place::FirstKey | Place::Key, b'"') => {
                self.key.clear();
                self.place = Place::Text(Role::Key);
                return Step::Text;
            }
            (Place::Document | Place::Value | Place::FirstItem, b'{' | b'[') if self.depth < MAX_DEPTH => {
                self.open(byte == b'{');
            }
            (Place::FirstItem, b']') | (Place::FirstKey, b'}') => self.close(),
            (Place::After, b']') if self.in_array() => self.close(),
            (Place::After, b'}') if self.in_object() => self.close(),
            (Place::Colon, b':') => {
                if self.spared_at.is_none() && self.spare.iter().any(|name| name.as_bytes() == self.key) {
                    self.spared_at = Some(self.depth);
                }
                self.place = Place::Value;
            }
            (Place::After, b',') if self.in_object() => self.place = Place::Key,
            (Place::After, b',') if self.in_array() => self.place = Place::Value,
            (Place::Document | Place::Value | Place::FirstItem, _) => match Scalar::begun(byte) {
                Some(scalar) => {
                    self.place = Place::Scalar(scalar);
                    return Step::Token;
                }
                None => return Step::Break,
            },
            _ => return Step::Break,
        }
        Step::On
    }

    fn open(&mut self, object: bool) {
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        if word == self.objects.len() {
            self.objects.push(0);
        }
        if object {
            self.objects[word] |= bit;
        } else {
            self.objects[word] &= !bit;
        }
        self.depth += 1;
        self.place = if object { Place::FirstKey } else { Place::FirstItem };
    }

    fn in_object(&self) -> bool {
        let inner = self.depth.wrapping_sub(1);
        self.objects.get(inner / 64).is_some_and(|word| word >> (inner % 64) & 1 == 1)
    }

    fn in_array(&self) -> bool {
        self.depth > 0 && !self.in_object()
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.value_ended();
    }

    fn value_ended(&mut self) {
        self.documents += usize::from(self.depth == 0);
        if self.spared_at == Some(self.depth) {
            self.spared_at = None;
        }
        self.place = Place::After;
    }

    /// Bytes of a string that stand for themselves, and the one that ends them.
    fn text(&mut self, role: Role, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let run = plain_run(rest);
        match role {
            Role::Mapped => self.search.plain(&rest[..run], out),
            Role::Spared => out.extend_from_slice(&rest[..run]),
            Role::Key => {
                out.extend_from_slice(&rest[..run]);
                self.key_goes_on(&rest[..run]);
            }
        }
        match rest.get(run) {
            None => run,
            Some(b'"') => {
                if role == Role::Mapped {
                    self.search.end(out);
                }
                out.push(b'"');
                self.last = b'"';
                if role == Role::Key {
                    self.place = Place::Colon;
                } else {
                    self.value_ended();
                }
                run + 1
            }
            Some(b'\\') => {
                self.escape.begin();
                if role != Role::Mapped {
                    out.push(b'\\');
                }
                run + 1
            }
            Some(_) => {
                self.break_off(out);
                run
            }
        }
    }

    /// A byte behind a backslash.
    fn escaped(&mut self, role: Role, byte: u8, out: &mut Vec<u8>) -> usize {
        let (unit, taken) = match self.escape.take(byte) {
            Taken::More => (None, 1),
            Taken::Whole(unit) => (Some(unit), 1),
            Taken::Alone(unit) => (Some(unit), 0),
            Taken::Broken => {
                self.break_off(out);
                return 0;
            }
        };
        if role != Role::Mapped && taken == 1 {
            out.push(byte);
        }
        match (role, unit) {
            (Role::Mapped, Some(unit)) => self.search.escape(unit.decoded(), unit.raw(), out),
            (Role::Key, Some(unit)) => self.key_goes_on(unit.decoded()),
            (Role::Spared, Some(_)) | (_, None) => {}
        }
        taken
    }

    fn key_goes_on(&mut self, decoded: &[u8]) {
        let longest = self.spare.iter().map(|name| name.len()).max().unwrap_or(0);
        let room = (longest + 1).saturating_sub(self.key.len());
        self.key.extend_from_slice(&decoded[..room.min(decoded.len())]);
    }

    /// The bytes of a number or word.
    fn scalar(&mut self, rest: &[u8], out: &mut Vec<u8>) -> usize {
        for (taken, &byte) in rest.iter().enumerate() {
            let Place::Scalar(scalar) = self.place else { return taken };
            if let Some(next) = scalar.after(byte) {
                self.place = Place::Scalar(next);
                if !self.token.is_empty() {
                    self.token.push(byte);
                    if !self.real.starts_with(&self.token) {
                        self.let_go(out);
                    }
                } else {
                    out.push(byte);
                    self.last = byte;
                }
            } else if scalar.is_whole() && matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b']' | b'}') {
                self.let_go(out);
                self.value_ended();
                return taken;
            } else {
                self.break_off(out);
                return taken;
            }
        }
        rest.len()
    }

    /// The second or third byte of what may be a byte order mark.
    fn mark(&mut self, byte: u8, out: &mut Vec<u8>) -> usize {
        if byte != MARK[self.token.len()] {
            self.break_off(out);
            return 0;
        }
        self.token.push(byte);
        if self.token == MARK {
            self.let_go(out);
            self.place = Place::Document;
        }
        1
    }

    /// The token is no beginning of an id.
    fn let_go(&mut self, out: &mut Vec<u8>) {
        self.last = self.token.last().copied().unwrap_or(self.last);
        out.append(&mut self.token);
    }

    /// The text is no JSON from here on. What is held back is looked at as text.
    fn break_off(&mut self, out: &mut Vec<u8>) {
        match self.place {
            Place::Text(Role::Mapped) => {
                self.search.become_text();
                self.search.plain(self.escape.raw(), out);
            }
            Place::Text(Role::Key | Role::Spared) => {
                self.search.become_text();
                self.search.stands_after(self.escape.raw());
            }
            Place::Beginning
            | Place::Document
            | Place::Value
            | Place::FirstItem
            | Place::FirstKey
            | Place::Key
            | Place::Colon
            | Place::After
            | Place::Scalar(_)
            | Place::Broken => {
                self.search.become_text();
                self.search.stands_after(&[self.last]);
                self.search.plain(&std::mem::take(&mut self.token), out);
            }
        }
        self.escape.clear();
        self.place = Place::Broken;
    }
}

/// A whole body with the real id replaced, as [`JsonMap`] does it.
#[must_use]
pub fn mapped_json(names: &Names, spare: &'static [&'static str], body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut map = JsonMap::new(names, spare);
    map.push(body, &mut out);
    map.finish(&mut out);
    out
}
