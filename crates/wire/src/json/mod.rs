//! Strict JSON as a flat tape: one pass, offsets kept, numbers as text, oddities seen and left to the profiles.

mod broken;
pub mod edit;
mod escape;
mod read;
mod same;
mod write;

pub use broken::{Broken, Why};
pub(crate) use escape::plain_run;
pub use read::{MAX_DEPTH, parse};
pub use same::{Likeness, likeness};
pub use write::{quoted, write_number, write_string, write_value, written};

use std::borrow::Cow;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number, kept as its text.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The name with its article, as a message says it: "an array".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// One value on the tape. Strings point between their quotes; everything else at its own text.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    /// Index of the node after this value's whole subtree.
    next: u32,
    /// Elements of an array, entries of an object; for a string 1 if it holds an escape.
    len: u32,
    /// Of an object, the marks of its keys: what has another mark is none of them.
    marks: u32,
    kind: Kind,
}

/// The mark of a key, one bit of 64, from its ends and its length: keys of one object seldom share one.
#[inline(always)]
const fn mark(key: &[u8]) -> u64 {
    let (first, last) = match key {
        [] => (0, 0),
        [only] => (*only, *only),
        [first, .., last] => (*first, *last),
    };
    1 << ((first as u64 + 5 * last as u64 + 11 * key.len() as u64) & 63)
}

/// The marks of some texts: what has another mark is none of them.
#[derive(Clone, Copy)]
pub(crate) struct Marks(u64);

impl Marks {
    /// Those of no text.
    pub(crate) const NONE: Self = Self(0);

    /// Those of one text more.
    pub(crate) const fn with(self, text: &str) -> Self {
        Self(self.0 | mark(text.as_bytes()))
    }
}

/// The same bits, two and two in one.
#[expect(clippy::cast_possible_truncation, reason = "the upper half was laid over the lower one")]
fn halved(marks: u64) -> u32 {
    (marks | marks >> 32) as u32
}

/// A read document. Keys and values stand on the tape in the order of the text.
#[derive(Debug)]
pub struct Tape<'s> {
    source: &'s str,
    nodes: Vec<Node>,
    /// Byte offset of the first key that stood in its object before, if any.
    pub duplicate_key: Option<usize>,
    /// Byte offset of the first escape of half a surrogate pair, if any. It reads as U+FFFD.
    pub lone_surrogate: Option<usize>,
}

impl<'s> Tape<'s> {
    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value { tape: self, at: 0 }
    }

    /// The whole text that was read.
    #[must_use]
    pub fn source(&self) -> &'s str {
        self.source
    }

    /// Whether a string is this text. Asked for each key of each object: lengths differ far more often than letters.
    #[inline(always)]
    fn holds(&self, string: &Node, text: &str) -> bool {
        let length = (string.end - string.start) as usize;
        if string.len != 0 {
            return self.holds_escaped(string, text);
        }
        length == text.len() && self.source.as_bytes()[string.start as usize..][..length] == *text.as_bytes()
    }

    #[inline(never)]
    fn holds_escaped(&self, string: &Node, text: &str) -> bool {
        let raw = &self.source[string.start as usize..string.end as usize];
        // An escape takes at most six bytes for each one that it stands for, and none takes less than that.
        let may_be = text.len() < raw.len() && raw.len() <= 6 * text.len();
        may_be && escape::unescape(raw) == text
    }
}

/// A place on a tape: copy it freely.
#[derive(Clone, Copy)]
pub struct Value<'t> {
    tape: &'t Tape<'t>,
    at: u32,
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl<'t> Value<'t> {
    fn node(self) -> &'t Node {
        &self.tape.nodes[self.at as usize]
    }

    /// What the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The value of a boolean; `None` for anything else.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.text().starts_with('t'))
    }

    /// The text of a number as it was written; `None` for anything else.
    #[must_use]
    pub fn as_number(self) -> Option<&'t str> {
        (self.kind() == Kind::Number).then(|| self.text())
    }

    /// A whole number in the range of `i64`, however it is written (`1`, `1.0`, `10e-1`).
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.as_number().and_then(same::to_i64)
    }

    /// The decoded text of a string; `None` for anything else.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'t, str>> {
        (self.kind() == Kind::String).then(|| self.decoded())
    }

    /// Whether it is exactly this string.
    #[must_use]
    pub fn is_str(self, text: &str) -> bool {
        self.kind() == Kind::String && self.tape.holds(self.node(), text)
    }

    /// Whether it may be a string among those with these marks.
    pub(crate) fn may_be(self, marks: Marks) -> bool {
        let node = self.node();
        node.kind == Kind::String && (node.len != 0 || marks.0 & mark(self.inner().as_bytes()) != 0)
    }

    /// Whether it may be an object with one of the keys with these marks.
    pub(crate) fn may_have(self, marks: Marks) -> bool {
        let node = self.node();
        node.kind == Kind::Object && node.marks & halved(marks.0) != 0
    }

    /// How many elements or entries; 0 for a scalar.
    #[must_use]
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Array | Kind::Object => self.node().len as usize,
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => 0,
        }
    }

    /// Whether it holds no element and no entry.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The elements of an array; nothing for anything else.
    pub fn items(self) -> impl Iterator<Item = Value<'t>> {
        let (mut at, left) = (self.at + 1, if self.kind() == Kind::Array { self.len() } else { 0 });
        (0..left).map(move |_| {
            let value = Value { tape: self.tape, at };
            at = value.node().next;
            value
        })
    }

    /// The entries of an object in text order, keys as string values; nothing for anything else.
    pub fn entries(self) -> impl Iterator<Item = (Value<'t>, Value<'t>)> {
        let (mut at, left) = (self.at + 1, if self.kind() == Kind::Object { self.len() } else { 0 });
        (0..left).map(move |_| {
            let key = Value { tape: self.tape, at };
            let value = Value { tape: self.tape, at: at + 1 };
            at = value.node().next;
            (key, value)
        })
    }

    /// The value under a key; the last one where the key stands twice.
    #[inline(always)]
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'t>> {
        // Most questions are for keys that are not there, and most keys are constants: inlined, so are their marks.
        let node = self.node();
        let may_be = node.kind == Kind::Object && node.marks & halved(mark(key.as_bytes())) != 0;
        if may_be { self.find(node, key) } else { None }
    }

    /// The value under a key of this object.
    #[inline(never)]
    fn find(self, node: &Node, key: &str) -> Option<Value<'t>> {
        let (mut at, mut found) = (self.at + 1, None);
        for _ in 0..node.len {
            let [name, value] = self.tape.nodes.get(at as usize..)?.first_chunk()?;
            if self.tape.holds(name, key) {
                found = Some(Value { tape: self.tape, at: at + 1 });
                // Only a text that repeats a key somewhere needs the walk to the end.
                if self.tape.duplicate_key.is_none() {
                    break;
                }
            }
            at = value.next;
        }
        found
    }

    /// The value at an RFC 6901 pointer (`""` is the value itself); `None` for a pointer without its leading slash too.
    #[must_use]
    pub fn at(self, pointer: &str) -> Option<Value<'t>> {
        let mut parts = pointer.split('/');
        if !parts.next()?.is_empty() {
            return None;
        }
        let mut here = self;
        for part in parts {
            here = match here.kind() {
                Kind::Object if part.contains('~') => {
                    here.get(&part.replace("~1", "/").replace("~0", "~"))?
                }
                Kind::Object => here.get(part)?,
                Kind::Array => here.items().nth(index(part)?)?,
                Kind::Null | Kind::Bool | Kind::Number | Kind::String => return None,
            };
        }
        Some(here)
    }

    /// Byte offset of the value in the text (a string's opening quote).
    #[must_use]
    pub fn offset(self) -> usize {
        let node = self.node();
        node.start as usize - usize::from(node.kind == Kind::String)
    }

    /// The value as it was written, quotes included.
    #[must_use]
    pub fn text(self) -> &'t str {
        let node = self.node();
        let quote = usize::from(node.kind == Kind::String);
        &self.tape.source[node.start as usize - quote..node.end as usize + quote]
    }

    fn inner(self) -> &'t str {
        let node = self.node();
        &self.tape.source[node.start as usize..node.end as usize]
    }

    fn decoded(self) -> Cow<'t, str> {
        if self.node().len == 0 {
            Cow::Borrowed(self.inner())
        } else {
            Cow::Owned(escape::unescape(self.inner()))
        }
    }
}

/// An array index in a pointer: digits without a leading zero.
fn index(part: &str) -> Option<usize> {
    let plain = part == "0" || !part.starts_with('0');
    (plain && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok())?
}
