//! JSON text to the tree.

use super::{Content, Key, MAX_DEPTH, Node};
use crate::finding::{Code, Findings, Spot};
use rehearsal_wire::json::{Broken, Kind, Value, Why, parse};
use std::collections::BTreeSet;

pub(super) fn read(bytes: &[u8], findings: &mut Findings<'_>) -> Option<Node> {
    let tape = match parse(bytes) {
        Ok(tape) => tape,
        Err(broken) => {
            let (message, hint) = words(bytes, broken);
            let at = Cursor::new(bytes).spot(broken.offset);
            match hint {
                Some(hint) => findings.error_with_hint(at, Code::Syntax, message, hint),
                None => findings.error(at, Code::Syntax, message),
            }
            return None;
        }
    };
    if let Some(offset) = tape.lone_surrogate {
        findings.error_with_hint(
            Cursor::new(bytes).spot(offset),
            Code::Syntax,
            "half a surrogate pair is not a character",
            "write both halves, or the character itself",
        );
    }
    let mut cursor = Cursor::new(bytes);
    node(tape.root(), &mut cursor, findings, 0)
}

fn node(
    value: Value<'_>,
    cursor: &mut Cursor<'_>,
    findings: &mut Findings<'_>,
    depth: usize,
) -> Option<Node> {
    let at = cursor.spot(value.offset());
    if depth > MAX_DEPTH {
        findings.error(at, Code::TooMuch, format!("nested deeper than {MAX_DEPTH} levels"));
        return None;
    }
    let content = match value.kind() {
        Kind::Null => Content::Null,
        Kind::Bool => Content::Bool(value.as_bool() == Some(true)),
        Kind::Number => Content::Number(value.text().to_owned()),
        Kind::String => Content::Text(value.as_str().unwrap_or_default().into_owned()),
        Kind::Array => {
            let items = value.items().map(|item| node(item, cursor, findings, depth + 1));
            Content::List(items.collect::<Option<_>>()?)
        }
        Kind::Object => {
            let mut seen = BTreeSet::new();
            let mut entries = Vec::with_capacity(value.len());
            for (key, item) in value.entries() {
                let key_at = cursor.spot(key.offset()).of_key();
                let name = key.as_str().unwrap_or_default().into_owned();
                if !seen.insert(name.clone()) {
                    findings.error(
                        key_at,
                        Code::DuplicateKey,
                        format!("the key `{name}` stands here a second time"),
                    );
                }
                entries.push((Key { name, at: key_at }, node(item, cursor, findings, depth + 1)?));
            }
            Content::Map(entries)
        }
    };
    Some(Node { content, at })
}

/// The reader's words, and a hint where the text shows a habit of another notation.
fn words(bytes: &[u8], broken: Broken) -> (String, Option<&'static str>) {
    let rest = bytes.get(broken.offset..).unwrap_or_default();
    let starts = |words: &[&str]| words.iter().any(|word| rest.starts_with(word.as_bytes()));
    let hint = if starts(&["NaN", "Infinity", "-Infinity", "nan", "inf"]) || rest.starts_with(b"I") {
        Some("JSON has no such number; write a finite one, or a text")
    } else if starts(&["//", "/*", "#"]) {
        Some("JSON has no comments; use a `comment` field, or write the file as YAML")
    } else if starts(&["True", "False", "None"]) {
        Some("write true, false or null")
    } else if starts(&["'"]) {
        Some("texts and keys stand in double quotes")
    } else if starts(&["}", "]"]) && matches!(broken.why, Why::Expected(_)) {
        Some("remove the comma before it")
    } else {
        None
    };
    let message = match broken.why {
        Why::NotUtf8 => "not UTF-8 from here on".to_owned(),
        Why::Expected(what) => format!("not JSON: expected {what}"),
        Why::Empty => "the file is empty".to_owned(),
        Why::Cut => "not JSON: the text ends inside a value".to_owned(),
        Why::ControlCharacter => {
            "not JSON: a line break or control character inside a text must be escaped".to_owned()
        }
        Why::BadEscape => "not JSON: an unknown escape in a text".to_owned(),
        Why::BadNumber => "not JSON: a malformed number".to_owned(),
        Why::Trailing => "not JSON: more text after the value".to_owned(),
        Why::TooDeep => format!("nested deeper than {MAX_DEPTH} levels"),
        Why::ByteOrderMark | Why::TooLong => broken.to_string(),
    };
    (message, hint)
}

/// Byte offsets to lines and columns, for offsets that mostly grow.
struct Cursor<'b> {
    bytes: &'b [u8],
    offset: usize,
    at: Spot,
}

impl<'b> Cursor<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, offset: 0, at: Spot::START }
    }

    fn spot(&mut self, offset: usize) -> Spot {
        if offset < self.offset {
            *self = Self::new(self.bytes);
        }
        for &byte in self.bytes.get(self.offset..offset).unwrap_or_default() {
            if byte == b'\n' {
                self.at = Spot { line: self.at.line.saturating_add(1), column: 1, key: false };
            } else if byte & 0xC0 != 0x80 {
                // Only the first byte of a character counts.
                self.at.column = self.at.column.saturating_add(1);
            }
        }
        self.offset = self.offset.max(offset);
        self.at
    }
}
