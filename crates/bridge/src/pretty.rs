//! JSON for people: indented, keys in the order in which they are said, numbers and texts of a body as they came.

use rehearsal_wire::json::{Kind, Value, write_number, write_string};

/// Columns by which each level is indented.
const INDENT: usize = 2;
/// An array of plain values up to this many bytes stands on one line.
const LINE: usize = 100;
/// Bytes that most documents have at least.
const ROOM: usize = 4096;

/// A document in the making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Number(u64),
    /// A text.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object.
    Object(Vec<(&'static str, Node)>),
    /// JSON that is written already, indented as a member of the outermost object.
    Raw(String),
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Node {
    fn from(value: u64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Node {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Node {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&String> for Node {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl<T: Into<Node>> From<Option<T>> for Node {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Node>> From<Vec<T>> for Node {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

/// The document as text, a line feed at its end.
#[must_use]
pub fn print(node: &Node) -> Vec<u8> {
    let mut out = Vec::with_capacity(ROOM);
    write(&mut out, node, 0);
    out.push(b'\n');
    out
}

/// A value that came, for [`Node::Raw`]: `depth` levels stand above it.
#[must_use]
pub fn raw(value: Value<'_>, depth: usize) -> Node {
    let mut out = Vec::new();
    copy(&mut out, value, depth);
    Node::Raw(String::from_utf8(out).unwrap_or_default())
}

fn write(out: &mut Vec<u8>, node: &Node, depth: usize) {
    match node {
        Node::Null => out.extend_from_slice(b"null"),
        Node::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Node::Number(value) => write_number(out, *value),
        Node::Text(text) => write_string(out, text),
        Node::Raw(text) => out.extend_from_slice(text.as_bytes()),
        Node::List(nodes) => {
            let start = out.len();
            let plain = nodes.iter().all(|node| !matches!(node, Node::Object(_) | Node::Raw(_)));
            if plain {
                out.push(b'[');
                separated(out, nodes.iter(), b", ", |out, node| write(out, node, depth));
                out.push(b']');
                if out.len() - start <= LINE || nodes.is_empty() {
                    return;
                }
                out.truncate(start);
            }
            block(out, b"[]", depth, nodes.iter(), |out, node| write(out, node, depth + 1));
        }
        Node::Object(entries) => block(out, b"{}", depth, entries.iter(), |out, (key, node)| {
            // Names of ours need no escapes.
            out.push(b'"');
            out.extend_from_slice(key.as_bytes());
            out.extend_from_slice(b"\": ");
            write(out, node, depth + 1);
        }),
    }
}

fn copy(out: &mut Vec<u8>, value: Value<'_>, depth: usize) {
    match value.kind() {
        Kind::Array if !value.is_empty() => {
            block(out, b"[]", depth, value.items(), |out, item| copy(out, item, depth + 1));
        }
        Kind::Object if !value.is_empty() => {
            block(out, b"{}", depth, value.entries(), |out, (key, item)| {
                out.extend_from_slice(key.text().as_bytes());
                out.extend_from_slice(b": ");
                copy(out, item, depth + 1);
            });
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
            out.extend_from_slice(value.text().as_bytes());
        }
        Kind::Array => out.extend_from_slice(b"[]"),
        Kind::Object => out.extend_from_slice(b"{}"),
    }
}

fn block<T>(
    out: &mut Vec<u8>,
    brackets: &[u8; 2],
    depth: usize,
    members: impl Iterator<Item = T>,
    member: impl Fn(&mut Vec<u8>, T),
) {
    let indent = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.resize(out.len() + INDENT * depth, b' ');
    };
    out.push(brackets[0]);
    let start = out.len();
    for one in members {
        if out.len() > start {
            out.push(b',');
        }
        indent(out, depth + 1);
        member(out, one);
    }
    if out.len() > start {
        indent(out, depth);
    }
    out.push(brackets[1]);
}

fn separated<T>(
    out: &mut Vec<u8>,
    members: impl Iterator<Item = T>,
    separator: &[u8],
    member: impl Fn(&mut Vec<u8>, T),
) {
    for (at, one) in members.enumerate() {
        if at > 0 {
            out.extend_from_slice(separator);
        }
        member(out, one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rehearsal_wire::json::parse;

    #[test]
    fn a_body_keeps_its_order_its_numbers_and_its_escapes() {
        let body = r#"{"z":1.0,"a":[1e5,{"\u00e9":[]}],"n":{}}"#;
        let tape = parse(body.as_bytes()).unwrap();
        let node = Node::Object(vec![
            ("version", Node::Number(1)),
            ("pieces", Node::List(vec![vec![1_u64, 2].into(), vec![3_u64].into()])),
            ("body", raw(tape.root(), 1)),
            ("none", None::<String>.into()),
        ]);
        let text = String::from_utf8(print(&node)).unwrap();
        let wanted = r#"{
  "version": 1,
  "pieces": [[1, 2], [3]],
  "body": {
    "z": 1.0,
    "a": [
      1e5,
      {
        "\u00e9": []
      }
    ],
    "n": {}
  },
  "none": null
}
"#;
        assert_eq!(text, wanted);
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
