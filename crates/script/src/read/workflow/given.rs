//! Values that files give to steps, and references in their texts: `${id.field}`.

use super::{Planned, or_list};
use crate::finding::{Code, Findings, Spot};
use crate::node::{Content, Node};
use crate::read::Known;
use crate::workflow::{Given, Part, Piece, Reference};
use serde_json::{Number, Value};

/// What references of one step can lead to.
pub(super) struct Scope<'s> {
    /// All steps of the case.
    pub(super) steps: &'s [Planned<'s>],
    /// Place of the step whose texts are read.
    pub(super) at: usize,
    pub(super) known: &'s Known<'s>,
}

/// How to write what is no reference.
const LITERAL: &str = "where the text `${` itself is meant, write `$${`";

/// How many steps before its own an unknown name is compared with.
const NEAR: usize = 64;

/// A part of a text: as it is, or what stands between `${` and `}`.
#[derive(Debug, PartialEq)]
pub(super) enum Raw<'t> {
    Text(String),
    Inside(&'t str),
}

/// The parts of a text; nothing where a reference has no end.
pub(super) fn split(text: &str) -> Option<Vec<Raw<'_>>> {
    let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            plain.push_str(before);
            plain.push_str("${");
            rest = after;
            continue;
        }
        plain.push_str(before);
        if !plain.is_empty() {
            parts.push(Raw::Text(std::mem::take(&mut plain)));
        }
        let (inside, after) = after.split_once('}')?;
        parts.push(Raw::Inside(inside));
        rest = after;
    }
    plain.push_str(rest);
    if !plain.is_empty() || parts.is_empty() {
        parts.push(Raw::Text(plain));
    }
    Some(parts)
}

/// A way to a value: `field`, `field.key`, `field[0]`. A name holds anything but dots, brackets and braces.
pub(super) fn way(text: &str) -> Option<Vec<Part>> {
    let name = |text: &str| -> Option<usize> {
        let end = text.find(['.', '[', ']', '{', '}']).unwrap_or(text.len());
        (end > 0).then_some(end)
    };
    let end = name(text)?;
    let (mut parts, mut rest) = (vec![Part::Key(text[..end].to_owned())], &text[end..]);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = name(after)?;
            parts.push(Part::Key(after[..end].to_owned()));
            rest = &after[end..];
        } else {
            let (number, after) = rest.strip_prefix('[')?.split_once(']')?;
            let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            parts.push(Part::At(number.parse().ok().filter(|_| digits)?));
            rest = after;
        }
    }
    Some(parts)
}

/// A value that may hold references. What is wrong with it is told, and null stands in its place.
pub(super) fn given(node: &Node, scope: &Scope<'_>, findings: &mut Findings<'_>) -> Given {
    match &node.content {
        Content::Null | Content::Bool(_) | Content::Number(_) => Given::Value(value(node, findings)),
        Content::Text(text) => self::text(text, node.at, scope, findings),
        Content::List(items) => {
            let items: Vec<Given> = items.iter().map(|item| given(item, scope, findings)).collect();
            if items.iter().all(|item| matches!(item, Given::Value(_))) {
                Given::Value(Value::Array(items.into_iter().filter_map(plain).collect()))
            } else {
                Given::List(items)
            }
        }
        Content::Map(entries) => {
            let entries: Vec<(String, Given)> =
                entries.iter().map(|(key, item)| (key.name.clone(), given(item, scope, findings))).collect();
            if entries.iter().all(|(_, item)| matches!(item, Given::Value(_))) {
                let entries = entries.into_iter().filter_map(|(key, item)| Some((key, plain(item)?)));
                Given::Value(Value::Object(entries.collect()))
            } else {
                Given::Map(entries)
            }
        }
    }
}

fn plain(given: Given) -> Option<Value> {
    match given {
        Given::Value(value) => Some(value),
        Given::Reference(_) | Given::Text(_) | Given::List(_) | Given::Map(_) => None,
    }
}

/// A value in which `${` means nothing.
pub(super) fn value(node: &Node, findings: &mut Findings<'_>) -> Value {
    match &node.content {
        Content::Null => Value::Null,
        Content::Bool(flag) => Value::Bool(*flag),
        Content::Number(text) => match number(text) {
            Some(number) => Value::Number(number),
            None => {
                let message = format!("the number {} cannot be kept as it is", shortened(text));
                let hint =
                    "whole numbers have 64 bits, others are doubles; put it in quotes, if a text will do";
                findings.error_with_hint(node.at, Code::WrongValue, message, hint);
                Value::Null
            }
        },
        Content::Text(text) => Value::String(text.clone()),
        Content::List(items) => Value::Array(items.iter().map(|item| value(item, findings)).collect()),
        Content::Map(entries) => Value::Object(
            entries.iter().map(|(key, item)| (key.name.clone(), value(item, findings))).collect(),
        ),
    }
}

/// Numbers have no longest form; a message does.
fn shortened(text: &str) -> String {
    if text.len() <= 40 {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(40).collect::<String>())
    }
}

/// A number that 64 bits or a double hold. A whole number that a double would round is none, nor one that it takes for nothing.
pub(super) fn number(text: &str) -> Option<Number> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    if !text.contains(['.', 'e', 'E']) {
        return None;
    }
    let double: f64 = text.parse().ok()?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let vanished = double == 0.0 && mantissa.contains(|digit: char| matches!(digit, '1'..='9'));
    if vanished { None } else { Number::from_f64(double) }
}

/// A text: itself, one reference, or pieces.
fn text(text: &str, at: Spot, scope: &Scope<'_>, findings: &mut Findings<'_>) -> Given {
    let Some(parts) = split(text) else {
        let message = "a reference that begins with `${` has no `}`";
        findings.error_with_hint(at, Code::WrongValue, message, LITERAL);
        return Given::Value(Value::Null);
    };
    let alone = parts.len() == 1;
    let mut pieces = Vec::new();
    for part in parts {
        match part {
            Raw::Text(text) if alone => return Given::Value(Value::String(text)),
            Raw::Text(text) => pieces.push(Piece::Text(text)),
            Raw::Inside(inside) => match reference(inside, at, scope, findings) {
                Some(reference) if alone => return Given::Reference(reference),
                Some(reference) => pieces.push(Piece::Reference(reference)),
                None => return Given::Value(Value::Null),
            },
        }
    }
    Given::Text(pieces)
}

/// What stands between `${` and `}`.
fn reference(inside: &str, at: Spot, scope: &Scope<'_>, findings: &mut Findings<'_>) -> Option<Reference> {
    let written = format!("${{{inside}}}");
    let parts = way(inside).unwrap_or_default();
    let [Part::Key(id), rest @ ..] = &parts[..] else {
        let message = format!("`{written}` is no reference");
        let hint = format!("write `${{id.field}}`, `${{id.field.key}}` or `${{id.field[0]}}`; {LITERAL}");
        findings.error_with_hint(at, Code::WrongValue, message, hint);
        return None;
    };
    let earlier = scope.steps.get(..scope.at).unwrap_or_default().iter().rev().take(NEAR);
    let Some(place) = scope.steps.iter().position(|step| step.id == *id) else {
        let message = format!("`{written}` refers to `{id}`, which is no step of the case");
        let hint = format!("{}; {LITERAL}", or_list(id, earlier.map(|step| step.id.as_str())));
        findings.error_with_hint(at, Code::UnknownName, message, hint);
        return None;
    };
    if place >= scope.at {
        let what = if place == scope.at { "its own step" } else { "a later step" };
        let message = format!("`{written}` refers to {what}");
        let hint = "only steps that have run before have observed something";
        findings.error_with_hint(at, Code::Contradiction, message, hint);
        return None;
    }
    let step = &scope.steps[place];
    let [Part::Key(field), ..] = rest else {
        let message = format!("`{written}` names no field");
        let hint = match step.form(scope.known) {
            Some(form) => format!("`{}` observes {}", step.called, fields(form.gives)),
            None => "write `${id.field}`".to_owned(),
        };
        findings.error_with_hint(at, Code::WrongValue, message, hint);
        return None;
    };
    is_observed(field, &written, step, scope.known, at, findings).then(|| Reference {
        step: place,
        path: rest.to_vec(),
        text: written,
    })
}

fn fields(gives: &[(&str, &str)]) -> String {
    if gives.is_empty() { "nothing".to_owned() } else { names(gives).collect::<Vec<_>>().join(", ") }
}

fn names<'n>(gives: &'n [(&'n str, &'n str)]) -> impl Iterator<Item = &'n str> {
    gives.iter().map(|(name, _)| *name)
}

/// Whether a step can observe a field; if not, it is told.
pub(super) fn is_observed(
    field: &str,
    written: &str,
    step: &Planned<'_>,
    known: &Known<'_>,
    at: Spot,
    findings: &mut Findings<'_>,
) -> bool {
    // A step that is not known has been told.
    let Some(form) = step.form(known) else { return true };
    if form.gives_more || names(form.gives).any(|name| name == field) {
        return true;
    }
    let message = format!("`{written}`: the step `{}` observes no `{field}`", form.name);
    findings.error_with_hint(at, Code::UnknownName, message, or_list(field, names(form.gives)));
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_at_references() {
        let text = |text: &str| Raw::Text(text.to_owned());
        for (written, parts) in [
            ("", vec![text("")]),
            ("a $b {c} }", vec![text("a $b {c} }")]),
            ("${a.b}", vec![Raw::Inside("a.b")]),
            ("x${a.b}y${c.d}", vec![text("x"), Raw::Inside("a.b"), text("y"), Raw::Inside("c.d")]),
            ("$${a.b}", vec![text("${a.b}")]),
            ("é$${${a.b}}", vec![text("é${"), Raw::Inside("a.b"), text("}")]),
            ("${}", vec![Raw::Inside("")]),
        ] {
            assert_eq!(split(written), Some(parts), "{written}");
        }
        for written in ["${a.b", "$${a}${", "a ${"] {
            assert_eq!(split(written), None, "{written}");
        }
    }

    #[test]
    fn ways_have_keys_and_places() {
        let key = |key: &str| Part::Key(key.to_owned());
        for (written, parts) in [
            ("a", vec![key("a")]),
            ("a.b-c", vec![key("a"), key("b-c")]),
            ("a[0][12].b", vec![key("a"), Part::At(0), Part::At(12), key("b")]),
        ] {
            assert_eq!(way(written), Some(parts), "{written}");
        }
        for written in [
            "",
            ".",
            ".a",
            "a.",
            "a..b",
            "[0]",
            "a[",
            "a[]",
            "a[x]",
            "a[+1]",
            "a[1]b",
            "a]",
            "a{",
            "a[99999999999999999999]",
        ] {
            assert_eq!(way(written), None, "{written}");
        }
    }

    #[test]
    fn numbers_are_kept_or_refused() {
        for kept in [
            "0",
            "-0",
            "1",
            "-9223372036854775808",
            "18446744073709551615",
            "1.0",
            "1e3",
            "0.1",
            "0e999",
            "0.0",
        ] {
            assert!(number(kept).is_some(), "{kept}");
        }
        for refused in ["1e400", "-1e400", "1e-400", "18446744073709551616", "-9223372036854775809"] {
            assert_eq!(number(refused), None, "{refused}");
        }
    }
}
