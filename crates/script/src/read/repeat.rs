//! `repeat`: a step written several times, its number put in.

use crate::finding::{Code, Findings, Spot};
use crate::node::{Content, Key, Node};
use std::collections::BTreeSet;

/// How often a step stands in the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Once, as it is written.
    None,
    /// So many times, numbered from 1.
    Times(usize),
    /// It answers every later request.
    Forever,
}

/// Reads the field.
pub(super) fn of(step: &Node, older: bool, findings: &mut Findings<'_>) -> Repeat {
    let Some(node) = step.get("repeat") else { return Repeat::None };
    if node.as_text() == Some("forever") {
        if older {
            let message = "`repeat: forever` needs `version: 1`";
            findings.error(node.at, Code::WrongValue, message);
        }
        return Repeat::Forever;
    }
    match node.as_whole() {
        Some(times) if times < 1 && !older => {
            let message = "`repeat` must be 1 or more";
            findings.error_with_hint(
                node.at,
                Code::WrongValue,
                message,
                "remove the step if it is not wanted",
            );
            Repeat::Times(0)
        }
        // The older form writes such a step no times.
        Some(times) => Repeat::Times(usize::try_from(times.max(0)).unwrap_or(usize::MAX)),
        None => Repeat::None,
    }
}

/// The step with `{NN}` replaced by the two-digit number and `{N}` by the number, keys and names included.
pub(super) fn numbered(step: &Node, number: usize, findings: &mut Findings<'_>) -> Node {
    Numbering { short: number.to_string(), long: format!("{number:02}") }.node(step, findings)
}

struct Numbering {
    short: String,
    long: String,
}

impl Numbering {
    fn text(&self, text: &str) -> String {
        if text.contains("{N") {
            text.replace("{NN}", &self.long).replace("{N}", &self.short)
        } else {
            text.to_owned()
        }
    }

    fn node(&self, node: &Node, findings: &mut Findings<'_>) -> Node {
        let content = match &node.content {
            Content::Null => Content::Null,
            Content::Bool(flag) => Content::Bool(*flag),
            Content::Number(text) => Content::Number(text.clone()),
            Content::Text(text) => Content::Text(self.text(text)),
            Content::List(items) => {
                Content::List(items.iter().map(|item| self.node(item, findings)).collect())
            }
            Content::Map(entries) => Content::Map(self.entries(entries, findings)),
        };
        Node { content, at: node.at }
    }

    fn entries(&self, entries: &[(Key, Node)], findings: &mut Findings<'_>) -> Vec<(Key, Node)> {
        let numbered: Vec<(Key, Node)> = entries
            .iter()
            .map(|(key, node)| (Key { name: self.text(&key.name), at: key.at }, self.node(node, findings)))
            .collect();
        if entries.iter().any(|(key, _)| key.name.contains("{N")) {
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            let twice: Vec<(Spot, &str)> = numbered
                .iter()
                .filter(|(key, _)| !seen.insert(&key.name))
                .map(|(key, _)| (key.at, key.name.as_str()))
                .collect();
            for (at, name) in twice {
                let message = format!("once numbered, the key `{name}` stands here a second time");
                findings.error(at, Code::DuplicateKey, message);
            }
        }
        numbered
    }
}
