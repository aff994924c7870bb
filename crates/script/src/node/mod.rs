//! One document as a tree of values with places, whether it was written as JSON or as YAML.

mod json;
mod yaml;

use crate::finding::{Findings, Spot};
use rehearsal_wire::json::write_string;

/// How deep lists and maps may nest in a file.
pub(crate) const MAX_DEPTH: usize = 256;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) at: Spot,
}

/// A key of a map and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) at: Spot,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Null,
    Bool(bool),
    /// The text of a JSON number.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// The type with its article, as a message says it.
    pub(crate) fn phrase(&self) -> &'static str {
        match self.content {
            Content::Null => "null",
            Content::Bool(_) => "a boolean",
            Content::Number(_) => "a number",
            Content::Text(_) => "a text",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.content == Content::Null
    }

    /// Whether it is null, or a text, list or map that holds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.content {
            Content::Null => true,
            Content::Bool(_) | Content::Number(_) => false,
            Content::Text(text) => text.is_empty(),
            Content::List(items) => items.is_empty(),
            Content::Map(entries) => entries.is_empty(),
        }
    }

    pub(crate) fn entries(&self) -> &[(Key, Node)] {
        if let Content::Map(entries) = &self.content { entries } else { &[] }
    }

    pub(crate) fn items(&self) -> &[Node] {
        if let Content::List(items) = &self.content { items } else { &[] }
    }

    pub(crate) fn as_list(&self) -> Option<&[Node]> {
        if let Content::List(items) = &self.content { Some(items) } else { None }
    }

    /// The value under a key of a map.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name.name == key).map(|(_, node)| node)
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Content::Text(text) = &self.content { Some(text) } else { None }
    }

    pub(crate) fn as_flag(&self) -> Option<bool> {
        if let Content::Bool(flag) = self.content { Some(flag) } else { None }
    }

    /// A whole number that is written as one.
    pub(crate) fn as_whole(&self) -> Option<i64> {
        if let Content::Number(text) = &self.content { text.parse().ok() } else { None }
    }

    /// A number that is finite and not negative.
    pub(crate) fn as_factor(&self) -> Option<f64> {
        let Content::Number(text) = &self.content else { return None };
        text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor >= 0.0)
    }

    /// The text under a key, if a text stands there.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    /// The value as JSON text: `", "` and `": "` between parts, raw non-ASCII, key order and number texts kept.
    pub(crate) fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn write(&self, out: &mut Vec<u8>) {
        match &self.content {
            Content::Null => out.extend_from_slice(b"null"),
            Content::Bool(true) => out.extend_from_slice(b"true"),
            Content::Bool(false) => out.extend_from_slice(b"false"),
            Content::Number(text) => out.extend_from_slice(text.as_bytes()),
            Content::Text(text) => write_string(out, text),
            Content::List(items) => {
                out.push(b'[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.extend_from_slice(b", ");
                    }
                    item.write(out);
                }
                out.push(b']');
            }
            Content::Map(entries) => {
                out.push(b'{');
                for (i, (key, item)) in entries.iter().enumerate() {
                    if i > 0 {
                        out.extend_from_slice(b", ");
                    }
                    write_string(out, &key.name);
                    out.extend_from_slice(b": ");
                    item.write(out);
                }
                out.push(b'}');
            }
        }
    }

    /// How many lists and maps nest in it, itself included.
    pub(crate) fn height(&self) -> usize {
        match &self.content {
            Content::Null | Content::Bool(_) | Content::Number(_) | Content::Text(_) => 0,
            Content::List(items) => 1 + items.iter().map(Self::height).max().unwrap_or(0),
            Content::Map(entries) => 1 + entries.iter().map(|(_, node)| node.height()).max().unwrap_or(0),
        }
    }

    /// How much it holds: values plus bytes of text, a measure for limits.
    pub(crate) fn weight(&self) -> usize {
        match &self.content {
            Content::Null | Content::Bool(_) => 1,
            Content::Number(text) | Content::Text(text) => 1 + text.len(),
            Content::List(items) => 1 + items.iter().map(Self::weight).sum::<usize>(),
            Content::Map(entries) => {
                1 + entries.iter().map(|(key, node)| key.name.len() + node.weight()).sum::<usize>()
            }
        }
    }
}

/// Reads one file; what is wrong goes to `findings`. `None` where there is no tree to go on with.
///
/// The name decides: `.json` is JSON, `.yaml` and `.yml` are YAML; under another name a text that begins with `{` is JSON.
pub(crate) fn read(bytes: &[u8], findings: &mut Findings<'_>) -> Option<Node> {
    // Editors on Windows write a byte order mark; it means nothing, so it is no mistake.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let name = findings.file.to_ascii_lowercase();
    let is_json = if name.ends_with(".json") {
        true
    } else if name.ends_with(".yaml") || name.ends_with(".yml") {
        false
    } else {
        bytes.trim_ascii_start().starts_with(b"{")
    };
    if is_json { json::read(bytes, findings) } else { yaml::read(bytes, findings) }
}
