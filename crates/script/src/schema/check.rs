//! Holds a tree against the table: unknown and missing fields, types and ranges. Meaning is checked elsewhere.

use super::{Field, Kind, Need, Shape};
use crate::finding::{Code, Findings, Spot};
use crate::nearest::nearest;
use crate::node::{Content, Key, Node};
use crate::span;

/// Checks a whole file. `seed` is the form without `version`: there unknown fields are ignored, unless they look misspelt.
pub(crate) fn check(node: &Node, shape: &'static Shape, seed: bool, findings: &mut Findings<'_>) {
    Check { seed, findings }.object(node, shape, shape.name);
}

struct Check<'c, 'f> {
    seed: bool,
    findings: &'c mut Findings<'f>,
}

impl Check<'_, '_> {
    fn object(&mut self, node: &Node, shape: &'static Shape, name: &str) {
        let Content::Map(entries) = &node.content else {
            self.wrong(node, name, "a map");
            return;
        };
        for (key, value) in entries {
            match shape.known(self.seed).find(|field| field.name == key.name) {
                Some(field) => self.kind(value, field.kind, field.name),
                None => self.unknown(key, shape),
            }
        }
        for field in shape.known(self.seed) {
            let needed = match field.need {
                Need::Optional => false,
                Need::Required => true,
                Need::SeedRequired => self.seed,
            };
            if needed && node.get(field.name).is_none() {
                self.missing(node.at, field, shape);
            }
        }
    }

    fn unknown(&mut self, key: &Key, shape: &'static Shape) {
        let near = nearest(&key.name, shape.known(self.seed).map(|field| field.name));
        let newer = self.seed.then(|| shape.fields.iter().find(|field| field.name == key.name)).flatten();
        let message = format!("unknown field `{}` in a {}", key.name, shape.name);
        match (newer, near) {
            (Some(newer), _) => self.findings.warning(
                key.at,
                format!("`{}` is ignored in a file without `version`", newer.name),
                "put `version: 1` at the top of the file, or remove the field",
            ),
            (None, Some(near)) if self.seed || shape.others.is_none() => {
                self.findings.error_with_hint(
                    key.at,
                    Code::UnknownField,
                    message,
                    format!("did you mean `{near}`?"),
                );
            }
            (None, None) if !self.seed && shape.others.is_none() => {
                let names: Vec<&str> = shape.known(self.seed).map(|field| field.name).collect();
                let hint = format!("it knows {}", names.join(", "));
                self.findings.error_with_hint(key.at, Code::UnknownField, message, hint);
            }
            (None, _) => {}
        }
    }

    fn missing(&mut self, at: Spot, field: &Field, shape: &Shape) {
        let message = format!("a {} needs `{}`", shape.name, field.name);
        self.findings.error_with_hint(at, Code::MissingField, message, lower_first(field.doc));
    }

    fn wrong(&mut self, node: &Node, name: &str, wanted: &str) {
        let message = format!("`{name}` must be {wanted}, not {}", node.phrase());
        let quotes = wanted.contains("text") && matches!(node.content, Content::Bool(_) | Content::Number(_));
        let yes = wanted.contains("true or false")
            && node
                .as_text()
                .is_some_and(|text| matches!(text, "yes" | "no" | "on" | "off" | "true" | "false"));
        if quotes {
            self.findings.error_with_hint(node.at, Code::WrongValue, message, "put it in double quotes");
        } else if yes {
            self.findings.error_with_hint(
                node.at,
                Code::WrongValue,
                message,
                "write true or false, without quotes",
            );
        } else {
            self.findings.error(node.at, Code::WrongValue, message);
        }
    }

    fn kind(&mut self, node: &Node, kind: &'static Kind, name: &str) {
        if !fits(node, kind) {
            self.wrong(node, name, &wanted(kind));
            return;
        }
        match kind {
            Kind::Anything | Kind::Text | Kind::Flag => {}
            Kind::Name => {
                if node.as_text().is_some_and(|text| text.trim().is_empty()) {
                    self.findings.error(node.at, Code::WrongValue, format!("`{name}` must not be empty"));
                }
            }
            Kind::Whole(least, most) => match node.as_whole() {
                Some(number) if (*least..=*most).contains(&number) => {}
                _ => {
                    let message = format!("`{name}` must be a whole number from {least} to {most}");
                    self.findings.error(node.at, Code::WrongValue, message);
                }
            },
            Kind::Word(words) => self.word(node, words, name),
            Kind::Span => {
                if node.as_text().is_some_and(|text| span::parse(text).is_none()) {
                    let message = format!("`{name}` must be a duration");
                    let hint = "write a number and a unit: 200ms, 1.5s or 2m";
                    self.findings.error_with_hint(node.at, Code::WrongValue, message, hint);
                }
            }
            Kind::Object(shape) => self.object(node, shape, name),
            Kind::List(inner) => node.items().iter().for_each(|item| self.kind(item, inner, name)),
            Kind::Map(inner) => {
                node.entries().iter().for_each(|(key, value)| self.kind(value, inner, &key.name))
            }
            Kind::Paths(inner) => {
                for (key, value) in node.entries() {
                    self.path(key);
                    self.kind(value, inner, &key.name);
                }
            }
            Kind::OrNull(inner) => {
                if !node.is_null() {
                    self.kind(node, inner, name);
                }
            }
            Kind::Either(kinds) => {
                if let Some(kind) = kinds.iter().find(|kind| fits(node, kind)) {
                    self.kind(node, kind, name);
                }
            }
        }
    }

    fn word(&mut self, node: &Node, words: &'static [&'static str], name: &str) {
        let text = node.as_text().unwrap_or_default();
        if words.contains(&text) {
            return;
        }
        let message = format!("`{name}` cannot be `{text}`");
        let hint = match nearest(text, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it can be {}", words.join(", ")),
        };
        self.findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    }

    /// A path must stay inside the workspace on every system.
    fn path(&mut self, key: &Key) {
        let bad_part = |part: &str| part.is_empty() || part == "." || part == "..";
        let bad_letter = |c: char| c == '\\' || c == ':' || c.is_control();
        if key.name.split('/').any(bad_part) || key.name.contains(bad_letter) {
            let message = format!("`{}` is no path inside the workspace", key.name);
            let hint = "write a relative path with `/` between its parts and without `..`";
            self.findings.error_with_hint(key.at, Code::WrongValue, message, hint);
        }
    }
}

/// Whether the type of the value is right; ranges and words are looked at later.
fn fits(node: &Node, kind: &Kind) -> bool {
    match (kind, &node.content) {
        (Kind::Anything, _) | (Kind::OrNull(_), Content::Null) => true,
        (Kind::OrNull(inner), _) => fits(node, inner),
        (Kind::Either(kinds), _) => kinds.iter().any(|kind| fits(node, kind)),
        (Kind::Text | Kind::Name | Kind::Word(_) | Kind::Span, Content::Text(_))
        | (Kind::Flag, Content::Bool(_))
        | (Kind::Whole(..), Content::Number(_))
        | (Kind::List(_), Content::List(_))
        | (Kind::Object(_) | Kind::Map(_) | Kind::Paths(_), Content::Map(_)) => true,
        (_, Content::Null | Content::Bool(_) | Content::Number(_)) => false,
        (_, Content::Text(_) | Content::List(_) | Content::Map(_)) => false,
    }
}

/// The type that a kind wants, in words.
fn wanted(kind: &Kind) -> String {
    match kind {
        Kind::Anything => "a value".to_owned(),
        Kind::Text | Kind::Name => "a text".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Whole(..) => "a whole number".to_owned(),
        Kind::Word(words) => format!("the text {}", words.join(" or ")),
        Kind::Span => "a duration as text".to_owned(),
        Kind::Object(_) | Kind::Map(_) | Kind::Paths(_) => "a map".to_owned(),
        Kind::List(_) => "a list".to_owned(),
        Kind::OrNull(inner) => format!("{} or null", wanted(inner)),
        Kind::Either(kinds) => kinds.iter().map(|kind| wanted(kind)).collect::<Vec<_>>().join(" or "),
    }
}

fn lower_first(doc: &str) -> String {
    let mut letters = doc.trim_end_matches('.').chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
