//! Where and why a text is not JSON.

use super::MAX_DEPTH;

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
