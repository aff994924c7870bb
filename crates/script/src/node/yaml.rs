//! YAML text to the tree: one document, the scalars of the YAML 1.2 core schema, aliases bounded.

use super::{Content, Key, MAX_DEPTH, Node};
use crate::finding::{Code, Findings, Spot};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use std::collections::{BTreeMap, BTreeSet};

/// How much all anchors and aliases of a file may stand for, in values plus bytes of text.
const MAX_ALIASED: usize = 1_000_000;

pub(super) fn read(bytes: &[u8], findings: &mut Findings<'_>) -> Option<Node> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = &bytes[..error.valid_up_to()];
            let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
            let start = good.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
            let column = good[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() + 1;
            findings.error(spot(line, column), Code::Syntax, "not UTF-8 from here on");
            return None;
        }
    };
    let mut builder =
        Builder { open: Vec::new(), root: None, anchors: BTreeMap::new(), aliased: 0, findings };
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let message = format!("not YAML: {}", error.info());
                let at = place(error.marker());
                if error.info().contains("flow") {
                    let hint =
                        "within `[…]` and `{…}`, texts that hold brackets, braces or commas need quotes";
                    builder.findings.error_with_hint(at, Code::Syntax, message, hint);
                } else {
                    builder.findings.error(at, Code::Syntax, message);
                }
                return None;
            }
        };
        let at = place(&span.start);
        match event {
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    let message = "a second document in one file";
                    builder.findings.error_with_hint(
                        at,
                        Code::Syntax,
                        message,
                        "put it into a file of its own",
                    );
                    return None;
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            event => builder.event(event, at)?,
        }
    }
    if builder.root.is_none() {
        builder.findings.error(Spot::START, Code::Syntax, "the file is empty");
    }
    builder.root
}

fn spot(line: usize, column: usize) -> Spot {
    let small = |number| u32::try_from(number).unwrap_or(u32::MAX);
    Spot { line: small(line), column: small(column), key: false }
}

fn place(marker: &Marker) -> Spot {
    spot(marker.line().max(1), marker.col() + 1)
}

/// A list or map that is not closed yet.
struct Open {
    node: Node,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<Key>,
    /// Whether that key is a merge key, which is refused: its value is read and dropped.
    merges: bool,
    seen: BTreeSet<String>,
}

struct Builder<'b, 'f> {
    open: Vec<Open>,
    root: Option<Node>,
    anchors: BTreeMap<usize, Node>,
    aliased: usize,
    findings: &'b mut Findings<'f>,
}

impl Builder<'_, '_> {
    fn event(&mut self, event: Event<'_>, at: Spot) -> Option<()> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref(), at),
            Event::SequenceStart(anchor, tag) => {
                self.start(Content::List(Vec::new()), anchor, tag.as_deref(), at)
            }
            Event::MappingStart(anchor, tag) => {
                self.start(Content::Map(Vec::new()), anchor, tag.as_deref(), at)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop()?;
                self.finish(open.node, open.anchor)
            }
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor).cloned() else {
                    self.findings.error(at, Code::Syntax, "this alias stands inside the value that it names");
                    return None;
                };
                self.charge(&node, at)?;
                if self.open.len() + node.height() > MAX_DEPTH {
                    self.findings.error(at, Code::TooMuch, format!("nested deeper than {MAX_DEPTH} levels"));
                    return None;
                }
                self.put(Node { at, ..node })
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd => Some(()),
            Event::DocumentStart(_) | Event::DocumentEnd => Some(()),
        }
    }

    fn start(&mut self, content: Content, anchor: usize, tag: Option<&Tag>, at: Spot) -> Option<()> {
        self.refuse_tag(tag, at)?;
        if self.open.len() == MAX_DEPTH {
            self.findings.error(at, Code::TooMuch, format!("nested deeper than {MAX_DEPTH} levels"));
            return None;
        }
        if self.wants_key() {
            self.findings.error(at, Code::Syntax, "a key must be a text, not a list or a map");
            return None;
        }
        self.open.push(Open {
            node: Node { content, at },
            anchor,
            key: None,
            merges: false,
            seen: BTreeSet::new(),
        });
        Some(())
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        at: Spot,
    ) -> Option<()> {
        let is_text = tag.is_some_and(|tag| {
            (tag.is_yaml_core_schema() && tag.suffix == "str") || (tag.handle.is_empty() && tag.suffix == "!")
        });
        if !is_text {
            self.refuse_tag(tag, at)?;
        }
        if self.wants_key() {
            if anchor > 0 {
                self.anchors.insert(anchor, Node { content: Content::Text(text.to_owned()), at });
            }
            return self.key(text, style, at.of_key());
        }
        let content = if is_text || style != ScalarStyle::Plain {
            Content::Text(text.to_owned())
        } else {
            self.plain(text, at)?
        };
        self.finish(Node { content, at }, anchor)
    }

    /// An unquoted scalar by the core schema.
    fn plain(&mut self, text: &str, at: Spot) -> Option<Content> {
        Some(match text {
            "" | "~" | "null" | "Null" | "NULL" => Content::Null,
            "true" | "True" | "TRUE" => Content::Bool(true),
            "false" | "False" | "FALSE" => Content::Bool(false),
            _ => match number(text) {
                Plain::Text => Content::Text(text.to_owned()),
                Plain::Number(text) => Content::Number(text),
                Plain::NotJson => {
                    let message = format!("`{text}` is no number that JSON can say");
                    self.findings.error_with_hint(
                        at,
                        Code::WrongValue,
                        message,
                        "put it in quotes, if a text is meant",
                    );
                    return None;
                }
            },
        })
    }

    fn wants_key(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| matches!(open.node.content, Content::Map(_)) && open.key.is_none())
    }

    fn key(&mut self, text: &str, style: ScalarStyle, at: Spot) -> Option<()> {
        if text == "<<" && style == ScalarStyle::Plain {
            let hint = "write the keys out, or quote it if a key of this name is meant";
            self.findings.error_with_hint(at, Code::Syntax, "merge keys are not part of YAML 1.2", hint);
        }
        let open = self.open.last_mut()?;
        open.merges = text == "<<" && style == ScalarStyle::Plain;
        if !open.seen.insert(text.to_owned()) {
            self.findings.error(
                at,
                Code::DuplicateKey,
                format!("the key `{text}` stands here a second time"),
            );
        }
        open.key = Some(Key { name: text.to_owned(), at });
        Some(())
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Option<()> {
        if anchor > 0 {
            // The copy behind an anchor is charged too: anchors within anchors would multiply the file.
            self.charge(&node, node.at)?;
            self.anchors.insert(anchor, node.clone());
        }
        self.put(node)
    }

    fn put(&mut self, node: Node) -> Option<()> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Some(());
        };
        match &mut open.node.content {
            Content::List(items) => items.push(node),
            Content::Map(entries) => match open.key.take() {
                Some(_) if open.merges => {}
                Some(key) => entries.push((key, node)),
                None => {
                    self.findings.error(node.at, Code::Syntax, "a key must be a text, not an alias");
                    return None;
                }
            },
            Content::Null | Content::Bool(_) | Content::Number(_) | Content::Text(_) => {}
        }
        Some(())
    }

    fn charge(&mut self, node: &Node, at: Spot) -> Option<()> {
        self.aliased = self.aliased.saturating_add(node.weight());
        if self.aliased > MAX_ALIASED {
            let message = "the anchors and aliases of this file stand for too much text";
            self.findings.error(at, Code::TooMuch, message);
            return None;
        }
        Some(())
    }

    fn refuse_tag(&mut self, tag: Option<&Tag>, at: Spot) -> Option<()> {
        let Some(tag) = tag else { return Some(()) };
        let message = format!("the tag `{}{}` means nothing here", tag.handle, tag.suffix);
        self.findings.error_with_hint(at, Code::Syntax, message, "remove it; quotes make a text");
        None
    }
}

enum Plain {
    Text,
    /// As JSON writes it.
    Number(String),
    /// Infinity, not-a-number, or too long in another base.
    NotJson,
}

/// An unquoted scalar as a number: `[-+]?[0-9]+`, `0o…`, `0x…`, or a float.
fn number(text: &str) -> Plain {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if matches!(rest, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Plain::NotJson;
    }
    for (prefix, base) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|digit| digit.is_digit(base))
        {
            return u128::from_str_radix(digits, base)
                .map_or(Plain::NotJson, |n| Plain::Number(n.to_string()));
        }
    }
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_is_good = exponent.is_none_or(|exponent| {
        let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !power.is_empty() && digits(power)
    });
    let nothing = whole.is_empty() && fraction.is_empty();
    if nothing || !digits(whole) || !digits(fraction) || !exponent_is_good {
        return Plain::Text;
    }
    let whole = whole.trim_start_matches('0');
    let mut out = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if mantissa.contains('.') {
        out.push('.');
        out.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        out.push('e');
        out.push_str(exponent);
    }
    Plain::Number(out)
}
