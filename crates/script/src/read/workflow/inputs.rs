//! Inputs of a step against what its row takes.

use super::given::{Raw, split};
use super::or_list;
use crate::finding::{Code, Findings};
use crate::node::{Content, Key, Node};
use crate::span;
use crate::workflow::{InputKind, StepForm};

/// What a text is to the step that gets it.
enum Said<'t> {
    /// This text, always.
    Plain(std::borrow::Cow<'t, str>),
    /// Some text.
    Pieces,
    /// Any value.
    Reference,
    /// Its references are wrong, which has been told.
    Broken,
}

/// Whether texts may hold references.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    /// As they are.
    Literal,
    /// `${id.field}` is what a step observed.
    Referring,
}

/// Finds an input that the row does not know; says whether it does.
pub(super) fn is_known(key: &Key, form: &StepForm, findings: &mut Findings<'_>) -> bool {
    let known = form.restates() || form.inputs.iter().any(|input| input.name == key.name);
    if !known {
        let message = format!("unknown input `{}` of the step `{}`", key.name, form.name);
        let hint = or_list(&key.name, form.inputs.iter().map(|input| input.name));
        findings.error_with_hint(key.at, Code::UnknownField, message, hint);
    }
    known
}

/// Finds a value of the wrong type, or a word that does not exist.
pub(super) fn check(node: &Node, name: &str, kind: InputKind, texts: Texts, findings: &mut Findings<'_>) {
    let said = said(node, texts);
    if matches!(said, Some(Said::Reference | Said::Broken)) {
        return;
    }
    let each = |inner: &Node, findings: &mut Findings<'_>| {
        check(inner, &format!("an entry of {name}"), InputKind::Text, texts, findings);
    };
    let wanted = match (kind, said, &node.content) {
        (InputKind::Anything, ..)
        | (InputKind::Text, Some(_), _)
        | (InputKind::Flag, _, Content::Bool(_))
        | (InputKind::Span | InputKind::Word(_), Some(Said::Pieces), _) => return,
        (InputKind::Whole, _, Content::Number(text)) if text.parse::<u64>().is_ok() => return,
        (InputKind::Span, Some(Said::Plain(text)), _) => {
            if span::parse(&text).is_none() {
                let message = format!("{name} must be a duration");
                findings.error_with_hint(node.at, Code::WrongValue, message, span::FORM);
            }
            return;
        }
        (InputKind::Word(words), Some(Said::Plain(text)), _) => {
            word(node, &text, name, words, findings);
            return;
        }
        (InputKind::Texts, _, Content::List(items)) => {
            items.iter().for_each(|item| each(item, findings));
            return;
        }
        (InputKind::TextMap, _, Content::Map(entries)) => {
            entries.iter().for_each(|(_, value)| each(value, findings));
            return;
        }
        (InputKind::Text, ..) => "a text",
        (InputKind::Flag, ..) => "true or false",
        (InputKind::Whole, ..) => "a whole number, 0 or more",
        (InputKind::Span, ..) => "a duration as text",
        (InputKind::Texts, ..) => "a list of texts",
        (InputKind::TextMap, ..) => "a map with texts",
        (InputKind::Word(_), ..) => "a text",
    };
    if kind == InputKind::Whole && matches!(node.content, Content::Number(_)) {
        findings.error(node.at, Code::WrongValue, format!("{name} must be {wanted}"));
        return;
    }
    let message = format!("{name} must be {wanted}, not {}", node.phrase());
    let is_scalar = matches!(node.content, Content::Number(_) | Content::Bool(_));
    if is_scalar && kind == InputKind::Text {
        findings.error_with_hint(node.at, Code::WrongValue, message, "put it in double quotes");
    } else if kind == InputKind::Texts && node.as_text().is_some() {
        let hint = "write each word by itself, as in `[python3, run.py]`; no shell splits them";
        findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    } else if is_scalar && kind == InputKind::Span {
        findings.error_with_hint(node.at, Code::WrongValue, message, span::FORM);
    } else {
        findings.error(node.at, Code::WrongValue, message);
    }
}

fn word(node: &Node, text: &str, name: &str, words: &[&str], findings: &mut Findings<'_>) {
    if !words.contains(&text) {
        let message = format!("{name} cannot be `{text}`");
        let hint = or_list(text, words.iter().copied());
        findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    }
}

/// What a text says; nothing where the value is none.
fn said(node: &Node, texts: Texts) -> Option<Said<'_>> {
    let text = node.as_text()?;
    Some(match texts {
        Texts::Literal => Said::Plain(text.into()),
        Texts::Referring => match split(text) {
            Some(mut parts) => match (parts.pop(), parts.is_empty()) {
                (Some(Raw::Text(text)), true) => Said::Plain(text.into()),
                (Some(Raw::Inside(_)), true) => Said::Reference,
                (Some(Raw::Text(_) | Raw::Inside(_)), false) | (None, true | false) => Said::Pieces,
            },
            None => Said::Broken,
        },
    })
}
