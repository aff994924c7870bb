//! Holds a tree against the table: unknown and missing fields, types and ranges. Meaning is checked elsewhere.

use super::kind::BARE_NUMBER;
use super::{Field, Kind, Need, Shape};
use crate::finding::{Code, Findings, Spot};
use crate::node::{Content, Key, Node};
use crate::{paths, span};
use rehearsal_wire::names::{hint, nearest};

/// Checks a whole file. In the older form, without `version`, unknown fields are ignored, unless they look misspelt.
pub(crate) fn check(node: &Node, shape: &'static Shape, older: bool, findings: &mut Findings<'_>) {
    Check { older, findings }.object(node, shape, shape.called);
}

struct Check<'c, 'f> {
    older: bool,
    findings: &'c mut Findings<'f>,
}

impl Check<'_, '_> {
    fn object(&mut self, node: &Node, shape: &'static Shape, name: &str) {
        let Content::Map(entries) = &node.content else {
            self.findings.error(
                node.at,
                Code::WrongValue,
                format!("{name} must be a map, not {}", node.phrase()),
            );
            return;
        };
        for (key, value) in entries {
            match shape.known(self.older).find(|field| field.name == key.name) {
                Some(field) if field.need == Need::Filled && value.is_empty() => {}
                Some(field) => self.kind(value, field.kind, &format!("`{}`", field.name)),
                None => self.unknown(key, shape),
            }
        }
        for field in shape.known(self.older) {
            let found = node.get(field.name);
            let missing = match field.need {
                Need::Optional => false,
                Need::Required => found.is_none(),
                Need::Filled => found.is_none_or(Node::is_empty),
                Need::OlderRequired => self.older && found.is_none(),
            };
            if missing {
                self.missing(found.map_or(node.at, |empty| empty.at), field, shape);
            }
        }
    }

    fn unknown(&mut self, key: &Key, shape: &'static Shape) {
        let near = nearest(&key.name, shape.known(self.older).map(|field| field.name));
        let newer = self.older.then(|| shape.fields.iter().find(|field| field.name == key.name)).flatten();
        let message = format!("unknown field `{}` in {}", key.name, shape.called);
        match (newer, near) {
            (Some(newer), _) => self.findings.warning(
                key.at,
                format!("`{}` is ignored in a file without `version`", newer.name),
                "put `version: 1` at the top of the file, or remove the field",
            ),
            (None, Some(near)) if self.older || shape.others.is_none() => {
                self.findings.error_with_hint(
                    key.at,
                    Code::UnknownField,
                    message,
                    format!("did you mean `{near}`?"),
                );
            }
            (None, None) if !self.older && shape.others.is_none() => {
                let names: Vec<&str> = shape.known(self.older).map(|field| field.name).collect();
                let hint = format!("it knows {}", names.join(", "));
                self.findings.error_with_hint(key.at, Code::UnknownField, message, hint);
            }
            (None, _) => {}
        }
    }

    fn missing(&mut self, at: Spot, field: &Field, shape: &Shape) {
        let message = format!("{} needs `{}`", shape.called, field.name);
        self.findings.error_with_hint(at, Code::MissingField, message, lower_first(field.doc));
    }

    fn wrong(&mut self, node: &Node, kind: &Kind, name: &str) {
        let message = format!("{name} must be {}, not {}", kind.wanted(), node.phrase());
        match kind.hint(node) {
            Some(hint) => self.findings.error_with_hint(node.at, Code::WrongValue, message, hint),
            None => self.findings.error(node.at, Code::WrongValue, message),
        }
    }

    fn kind(&mut self, node: &Node, kind: &'static Kind, name: &str) {
        if !kind.fits(node) {
            self.wrong(node, kind, name);
            return;
        }
        match kind {
            Kind::Anything | Kind::Text | Kind::Flag | Kind::Scalar => {}
            Kind::Name => {
                if node.as_text().is_some_and(|text| text.trim().is_empty()) {
                    self.findings.error(node.at, Code::WrongValue, format!("{name} must not be empty"));
                }
            }
            Kind::Whole(least, most) => self.whole(node, *least, *most, name),
            Kind::Factor => {
                if node.as_factor().is_none() {
                    let message = format!("{name} must be a number, 0 or more");
                    self.findings.error(node.at, Code::WrongValue, message);
                }
            }
            Kind::Word(words) => self.word(node, words, name),
            Kind::Span => {
                if node.as_text().is_some_and(|text| span::parse(text).is_none()) {
                    let message = format!("{name} must be a duration");
                    self.findings.error_with_hint(node.at, Code::WrongValue, message, span::FORM);
                }
            }
            Kind::Object(shape) => self.object(node, shape, name),
            Kind::List(inner) => {
                let name = format!("an entry of {name}");
                node.items().iter().for_each(|item| self.kind(item, inner, &name));
            }
            Kind::Map(inner) => node
                .entries()
                .iter()
                .for_each(|(key, value)| self.kind(value, inner, &format!("`{}`", key.name))),
            Kind::Paths(inner) => {
                for (key, value) in node.entries() {
                    self.path(key);
                    self.kind(value, inner, &format!("`{}`", key.name));
                }
            }
            Kind::OrNull(inner) => {
                if !node.is_null() {
                    self.kind(node, inner, name);
                }
            }
            Kind::Either(kinds) => {
                if let Some(kind) = kinds.iter().find(|kind| kind.fits(node)) {
                    self.kind(node, kind, name);
                }
            }
        }
    }

    fn whole(&mut self, node: &Node, least: i64, most: i64, name: &str) {
        if node.as_whole().is_some_and(|number| (least..=most).contains(&number)) {
            return;
        }
        // Where the range is only a guard, its ends would say nothing.
        let message = if least == most {
            format!("{name} must be {least}")
        } else if least >= 0 {
            format!("{name} must be a whole number from {least} to {most}")
        } else if node.as_whole().is_none() {
            format!("{name} must be a whole number")
        } else {
            format!("{name} is out of all bounds")
        };
        self.findings.error(node.at, Code::WrongValue, message);
    }

    fn word(&mut self, node: &Node, words: &'static [&'static str], name: &str) {
        let text = node.as_text().unwrap_or_default();
        if words.contains(&text) {
            return;
        }
        let message = format!("{name} cannot be `{text}`");
        let hint = hint(nearest(text, words.iter().copied()), || match text.parse::<i64>() {
            Ok(_) => BARE_NUMBER.to_owned(),
            Err(_) => format!("it can be {}", words.join(", ")),
        });
        self.findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    }

    /// A path must stay inside the workspace on every system.
    fn path(&mut self, key: &Key) {
        if !paths::is_inside(&key.name) {
            let message = format!("`{}` is no path inside the workspace", key.name);
            let hint = "write a relative path with `/` between its parts and without `..`";
            self.findings.error_with_hint(key.at, Code::WrongValue, message, hint);
        }
    }
}

/// A sentence as a hint: without its full stop, its first letter small unless it begins an abbreviation.
pub(crate) fn lower_first(doc: &str) -> String {
    let doc = doc.trim_end_matches('.');
    let mut letters = doc.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => doc.to_owned(),
    }
}
