//! Expectations: the operators of our form, and the suffixes of the reference's.

use super::given::{Scope, given, is_observed, value, way};
use super::or_list;
use crate::finding::{Code, Findings};
use crate::node::{Content, Key, Node};
use crate::workflow::{Check, Expectation, Given, Loose, LooseCheck, Part};
use serde_json::Value;

/// What a step of our form expects of what it observes.
pub(super) fn own(node: &Node, scope: &Scope<'_>, findings: &mut Findings<'_>) -> Vec<Expectation> {
    let mut all = Vec::new();
    if matches!(&node.content, Content::Map(entries) if entries.is_empty()) {
        findings.error(node.at, Code::MissingField, "`expect` expects nothing");
    }
    for (key, node) in node.entries() {
        let Some(path) = way(&key.name) else {
            let message = format!("`{}` is no way to a value", key.name.escape_debug());
            let hint = "write `field`, `field.key` or `field[0]`";
            findings.error_with_hint(key.at, Code::WrongValue, message, hint);
            continue;
        };
        if let [Part::Key(field), ..] = &path[..] {
            is_observed(field, &key.name, &scope.steps[scope.at], scope.known, key.at, findings);
        }
        let place = findings.place(key.at);
        let expectation =
            |check| Expectation { path: path.clone(), field: key.name.clone(), check, place: place.clone() };
        match &node.content {
            Content::Map(operators) => {
                together(node, key, findings);
                let checks = operators.iter().filter_map(|(word, value)| check(word, value, scope, findings));
                all.extend(checks.map(expectation));
            }
            Content::Null | Content::Bool(_) | Content::Number(_) | Content::Text(_) | Content::List(_) => {
                all.push(expectation(Check::Eq(given(node, scope, findings))));
            }
        }
    }
    all
}

/// Operators that say nothing, or that never hold at once.
fn together(node: &Node, key: &Key, findings: &mut Findings<'_>) {
    if node.entries().is_empty() {
        let message = format!("nothing is expected of `{}`", key.name);
        let hint = "write an operator, such as `present: true`; to be equal to an empty map is `eq: {}`";
        findings.error_with_hint(node.at, Code::MissingField, message, hint);
    }
    let absent = node.entries().iter().find(|(word, _)| word.name == "absent");
    if let Some((absent, _)) = absent.filter(|_| node.entries().len() > 1) {
        let message = format!("`absent` stands beside other operators of `{}`", key.name);
        let hint = "of a field that is not there nothing else holds";
        findings.error_with_hint(absent.at, Code::Contradiction, message, hint);
    }
}

/// One operator. What is wrong with it is told; types that the table knows have been looked at.
fn check(word: &Key, node: &Node, scope: &Scope<'_>, findings: &mut Findings<'_>) -> Option<Check> {
    let wrong = |message: &str, hint: &str, findings: &mut Findings<'_>| {
        findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    };
    Some(match word.name.as_str() {
        "eq" => Check::Eq(given(node, scope, findings)),
        "ne" => Check::Ne(given(node, scope, findings)),
        "absent" | "present" => {
            if node.as_flag() == Some(false) {
                let other = if word.name == "absent" { "present" } else { "absent" };
                let hint = format!("write `{other}: true`");
                wrong(&format!("`{}` is true, or is left out", word.name), &hint, findings);
            }
            if word.name == "absent" { Check::Absent } else { Check::Present }
        }
        "contains" => {
            if node.as_text() == Some("") {
                wrong("every text holds an empty one", "`present: true` is met by any value", findings);
            }
            Check::Contains(given(node, scope, findings))
        }
        "matches" => {
            let pattern = node.as_text()?;
            // The pattern as it is, and as it is used: a comment in it must not swallow what is put behind it.
            let regex = scope.known.regex;
            if let Err(why) = regex(pattern).and_then(|()| regex(&format!("^(?:{pattern})$"))) {
                let message = format!("`matches` is no regular expression: {why}");
                findings.error(node.at, Code::WrongValue, message);
            }
            Check::Matches(pattern.to_owned())
        }
        "len" => Check::Len(node.as_whole().and_then(|length| u64::try_from(length).ok())?),
        "gt" => Check::Gt(number(&word.name, node, scope, findings)),
        "ge" => Check::Ge(number(&word.name, node, scope, findings)),
        "lt" => Check::Lt(number(&word.name, node, scope, findings)),
        "le" => Check::Le(number(&word.name, node, scope, findings)),
        "one_of" => {
            if matches!(&node.content, Content::List(items) if items.is_empty()) {
                wrong("nothing is one of none", "name at least one value", findings);
            }
            Check::OneOf(node.items().iter().map(|item| given(item, scope, findings)).collect())
        }
        "sha256_of" => Check::Sha256Of(given(node, scope, findings)),
        "exists" => Check::Exists(node.as_flag()?),
        // It has been told.
        _ => return None,
    })
}

/// A number, or what may turn out to be one.
fn number(word: &str, node: &Node, scope: &Scope<'_>, findings: &mut Findings<'_>) -> Given {
    let given = given(node, scope, findings);
    let fits = matches!(given, Given::Reference(_)) || matches!(node.content, Content::Number(_));
    // A broken reference has been told.
    let broken = node.as_text().is_some() && given == Given::Value(Value::Null);
    if !fits && !broken {
        let message = format!("`{word}` must be a number, not {}", node.phrase());
        findings.error(node.at, Code::WrongValue, message);
    }
    given
}

/// The suffixes of the reference's form.
const SUFFIXES: [(&str, LooseCheck); 3] =
    [("__contains", LooseCheck::Contains), ("__len", LooseCheck::Len), ("__truthy", LooseCheck::Truthy)];

/// What a case of the reference's form expects of all that was observed.
pub(super) fn reference(node: &Node, findings: &mut Findings<'_>) -> Vec<Loose> {
    node.entries().iter().filter_map(|(key, node)| loose(key, node, findings)).collect()
}

fn loose(key: &Key, node: &Node, findings: &mut Findings<'_>) -> Option<Loose> {
    let (field, check) = match key.name.rfind("__").map(|at| key.name.split_at(at)) {
        None => (key.name.as_str(), LooseCheck::Equal),
        Some((field, suffix)) => match SUFFIXES.iter().find(|(known, _)| *known == suffix) {
            Some((_, check)) => (field, *check),
            None => {
                let message = format!("there is no operator `{}`", suffix.escape_debug());
                let hint = or_list(suffix, SUFFIXES.iter().map(|(known, _)| *known));
                findings.error_with_hint(key.at, Code::UnknownName, message, hint);
                return None;
            }
        },
    };
    if field.is_empty() {
        findings.error(key.at, Code::WrongValue, "an expectation needs the name of a field");
    }
    fits(check, &key.name, node, findings);
    Some(Loose {
        field: field.to_owned(),
        check,
        wanted: value(node, findings),
        place: findings.place(key.at),
    })
}

/// Whether anything could be equal to what is wanted.
fn fits(check: LooseCheck, name: &str, node: &Node, findings: &mut Findings<'_>) {
    let wanted = match check {
        LooseCheck::Equal | LooseCheck::Contains => return,
        LooseCheck::Len if node.as_whole().is_some_and(|length| length >= 0) => return,
        LooseCheck::Truthy if node.as_flag().is_some() => return,
        LooseCheck::Len => "a whole number, 0 or more",
        LooseCheck::Truthy => "true or false",
    };
    let mut message = format!("`{name}` must be {wanted}");
    if check != LooseCheck::Len || !matches!(node.content, Content::Number(_)) {
        message += &format!(", not {}", node.phrase());
    }
    findings.error(node.at, Code::WrongValue, message);
}
