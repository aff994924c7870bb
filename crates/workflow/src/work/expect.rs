//! Holds what a step observed against what our form expects of it. Types count: true is not 1, null is not absent.

use regex_lite::Regex;
use rehearsal_script::workflow::{Check, Expectation, Given, Part, Unresolved};
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// Letters of a value that a message shows.
const SHOWN: usize = 200;

/// What an expectation may ask of the world beside what was observed.
pub(super) struct Around<'a> {
    /// The value of an operand, references replaced.
    pub(super) given: &'a dyn Fn(&Given) -> Result<Value, Unresolved>,
    /// The SHA-256 of a regular file of the workspace, hexadecimal; none where there is none. The error: it cannot be looked at.
    pub(super) sha256: &'a dyn Fn(&str) -> Result<Option<String>, String>,
}

/// An expectation that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unmet {
    /// Why, as one sentence.
    pub(super) said: String,
    /// Whether it was held against what was observed at all. Where it could not be, the file is wrong, and nothing was shown.
    pub(super) was_judged: bool,
}

/// What is otherwise than expected; none where it is met.
pub(super) fn unmet(
    expectation: &Expectation,
    observed: &Map<String, Value>,
    around: &Around<'_>,
) -> Option<Unmet> {
    let field = &expectation.field;
    let found = find(&expectation.path, observed);
    let operand = |given: &Given| (around.given)(given).map_err(|unresolved| Some(unresolved.to_string()));
    let met = match judged(&expectation.check, found, &operand, around) {
        Ok(met) => met,
        Err(why) => {
            let why = why.unwrap_or_else(|| "what it is compared with is no such thing".to_owned());
            return Some(Unmet { said: format!("`{field}` cannot be judged: {why}"), was_judged: false });
        }
    };
    let wanted = met.err()?;
    let is = found.map_or_else(|| "is absent".to_owned(), |value| format!("is {}", shown(value)));
    Some(Unmet { said: format!("`{field}` {is}, and must {wanted}"), was_judged: true })
}

fn find<'o>(path: &[Part], observed: &'o Map<String, Value>) -> Option<&'o Value> {
    let (Part::Key(first), rest) = path.split_first()? else { return None };
    rest.iter().fold(observed.get(first), |value, part| value.and_then(|value| part.of(value)))
}

type Met = Result<(), String>;

/// Whether it is met, or what it must be. The outer error: it cannot be judged.
fn judged(
    check: &Check,
    found: Option<&Value>,
    operand: &dyn Fn(&Given) -> Result<Value, Option<String>>,
    around: &Around<'_>,
) -> Result<Met, Option<String>> {
    let when = |met: bool, wanted: String| if met { Ok(()) } else { Err(wanted) };
    let compared = |given: &Given, words: &str, such: fn(Ordering) -> bool| {
        let wanted = operand(given)?;
        let order = found.and_then(|found| compare(found, &wanted));
        Ok(when(order.is_some_and(such), format!("be {words} {}", shown(&wanted))))
    };
    match check {
        Check::Eq(given) => {
            let wanted = operand(given)?;
            Ok(when(found.is_some_and(|found| equal(found, &wanted)), format!("be {}", shown(&wanted))))
        }
        Check::Ne(given) => {
            let other = operand(given)?;
            let met = found.is_some_and(|found| !equal(found, &other));
            Ok(when(met, format!("be there and not {}", shown(&other))))
        }
        Check::Absent => Ok(when(found.is_none(), "be absent".to_owned())),
        Check::Present => Ok(when(found.is_some(), "be there".to_owned())),
        Check::Contains(given) => {
            let part = operand(given)?;
            Ok(when(found.is_some_and(|found| contains(found, &part)), format!("contain {}", shown(&part))))
        }
        Check::Matches(pattern) => {
            let regex = Regex::new(&format!("^(?:{pattern})$")).map_err(|error| Some(error.to_string()))?;
            let met = found.and_then(Value::as_str).is_some_and(|text| regex.is_match(text));
            Ok(when(met, format!("be a text that {pattern} meets from end to end")))
        }
        Check::Len(wanted) => {
            let met = found.and_then(length).is_some_and(|length| length == *wanted);
            Ok(when(met, format!("have the length {wanted}")))
        }
        Check::Gt(given) => compared(given, "more than", Ordering::is_gt),
        Check::Ge(given) => compared(given, "at least", Ordering::is_ge),
        Check::Lt(given) => compared(given, "less than", Ordering::is_lt),
        Check::Le(given) => compared(given, "at most", Ordering::is_le),
        Check::OneOf(givens) => {
            let choices = givens.iter().map(operand).collect::<Result<Vec<_>, _>>()?;
            let met = found.is_some_and(|found| choices.iter().any(|choice| equal(found, choice)));
            Ok(when(met, format!("be one of {}", shown(&Value::Array(choices)))))
        }
        Check::Sha256Of(given) => {
            let path = operand(given)?;
            let Some(path) = path.as_str() else { return Err(None) };
            let sum = (around.sha256)(path).map_err(Some)?;
            let met = sum.is_some() && found.and_then(Value::as_str) == sum.as_deref();
            let sum = sum.unwrap_or_else(|| "which is not there".to_owned());
            Ok(when(met, format!("be the SHA-256 of {}, {sum}", shown(&Value::from(path)))))
        }
        Check::Exists(wanted) => {
            let there =
                found.and_then(Value::as_str).map(|path| (around.sha256)(path).map_err(Some)).transpose()?;
            let there = there.map(|sum| sum.is_some());
            let words = if *wanted { "be the path of a file" } else { "be a path without a file" };
            Ok(when(there == Some(*wanted), words.to_owned()))
        }
    }
}

/// Equal as JSON values are: types count, numbers by their value.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => order(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| equal(one, other)))
        }
        (one, other) => one == other,
    }
}

fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    let (Value::Number(one), Value::Number(other)) = (one, other) else { return None };
    order(one, other)
}

/// Whole numbers are compared as such: 2^53 and 2^53+1 are one double.
fn order(one: &Number, other: &Number) -> Option<Ordering> {
    let whole = |number: &Number| number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        (Some(one), None) => Some(beside(one, other.as_f64()?)?.reverse()),
        (None, Some(other)) => beside(other, one.as_f64()?),
        (None, None) => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// How a double stands to a whole number, exactly.
fn beside(whole: i128, double: f64) -> Option<Ordering> {
    /// Above it every double is a whole number, and larger than any that JSON's readers give as such.
    const LIMIT: f64 = 18_446_744_073_709_551_616.0;
    if double.is_nan() {
        return None;
    }
    if double.abs() > LIMIT {
        return Some(if double > 0.0 { Ordering::Greater } else { Ordering::Less });
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the floor of a double within the limit is a whole number"
    )]
    let floor = double.floor() as i128;
    Some(floor.cmp(&whole).then(if double > double.floor() { Ordering::Greater } else { Ordering::Equal }))
}

fn contains(found: &Value, part: &Value) -> bool {
    match (found, part) {
        (Value::String(text), Value::String(part)) => !part.is_empty() && text.contains(part),
        (Value::Array(items), part) => items.iter().any(|item| equal(item, part)),
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_), _) => false,
    }
}

fn length(value: &Value) -> Option<u64> {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    u64::try_from(length).ok()
}

/// A value as a message shows it: as JSON, its beginning where it is long.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rehearsal_script::scenario::Place;
    use serde_json::json;

    fn value(value: Value) -> Given {
        Given::Value(value)
    }

    fn unmet_of(check: Check, found: Option<Value>) -> Option<String> {
        let expectation = Expectation {
            path: vec![Part::Key("field".to_owned())],
            field: "field".to_owned(),
            check,
            place: Place { file: String::new(), line: 1, column: 1 },
        };
        let observed: Map<String, Value> =
            found.map(|found| ("field".to_owned(), found)).into_iter().collect();
        let around = Around {
            given: &|given| given.resolve(&|_| None),
            sha256: &|path| match path {
                "there.txt" => Ok(Some("ab".repeat(32))),
                "secret.txt" => Err("it is not to be looked at".to_owned()),
                _ => Ok(None),
            },
        };
        unmet(&expectation, &observed, &around).map(|unmet| unmet.said)
    }

    /// A check, what meets it, and what does not.
    type Row = (Check, Vec<Value>, Vec<Option<Value>>);

    fn hold(rows: Vec<Row>) {
        for (check, good, bad) in rows {
            for found in good {
                assert_eq!(unmet_of(check.clone(), Some(found.clone())), None, "{check:?} {found}");
            }
            for found in bad {
                assert!(unmet_of(check.clone(), found.clone()).is_some(), "{check:?} {found:?}");
            }
        }
    }

    #[test]
    fn values_are_equal_with_their_types_and_by_nothing_else() {
        hold(vec![
            (
                Check::Eq(value(json!(1))),
                vec![json!(1), json!(1.0)],
                vec![Some(json!(true)), Some(json!("1")), None, Some(json!(null)), Some(json!(2))],
            ),
            (
                Check::Eq(value(json!(true))),
                vec![json!(true)],
                vec![Some(json!(1)), Some(json!("true")), None],
            ),
            (Check::Eq(value(json!(null))), vec![json!(null)], vec![None, Some(json!(0)), Some(json!(""))]),
            (
                Check::Eq(value(json!(9_007_199_254_740_993_u64))),
                vec![json!(9_007_199_254_740_993_u64)],
                vec![Some(json!(9_007_199_254_740_992_u64)), Some(json!(9_007_199_254_740_992.0))],
            ),
            (
                Check::Eq(value(json!({"a": [1, {"b": 2}]}))),
                vec![json!({"a": [1.0, {"b": 2}]})],
                vec![Some(json!({"a": [1, {"b": true}]})), Some(json!({"a": [1, {"b": 2}], "c": 1}))],
            ),
            (Check::Ne(value(json!(1))), vec![json!(2), json!(true)], vec![Some(json!(1)), None]),
            (Check::Present, vec![json!(null), json!(0)], vec![None]),
        ]);
        assert_eq!(unmet_of(Check::Absent, None), None);
        assert!(unmet_of(Check::Absent, Some(json!(null))).is_some());
    }

    #[test]
    fn texts_and_lists_are_held_against_what_they_hold() {
        hold(vec![
            (
                Check::Contains(value(json!("b"))),
                vec![json!("abc"), json!(["a", "b"])],
                vec![Some(json!("ac")), Some(json!({"b": 1})), None, Some(json!(["abc"]))],
            ),
            (
                Check::Contains(value(json!(1))),
                vec![json!([1.0])],
                vec![Some(json!([true])), Some(json!("1"))],
            ),
            (Check::Contains(value(json!(""))), vec![json!([""])], vec![Some(json!("abc"))]),
            (
                Check::Matches("a+|b".to_owned()),
                vec![json!("aaa"), json!("b")],
                vec![Some(json!("ab")), Some(json!("xa")), Some(json!(1)), None, Some(json!("a\n"))],
            ),
            (
                Check::Len(2),
                vec![json!("äö"), json!([1, 2]), json!({"a": 1, "b": 2})],
                vec![Some(json!("a")), Some(json!(2)), None],
            ),
        ]);
    }

    #[test]
    fn numbers_choices_and_files_are_compared() {
        let sum = "ab".repeat(32);
        hold(vec![
            (
                Check::Gt(value(json!(1))),
                vec![json!(1.5), json!(2)],
                vec![Some(json!(1)), Some(json!("2")), None],
            ),
            (
                Check::Ge(value(json!(1))),
                vec![json!(1), json!(1.0)],
                vec![Some(json!(0.999)), Some(json!(true))],
            ),
            (Check::Lt(value(json!(1))), vec![json!(-5), json!(0.5)], vec![Some(json!(1)), None]),
            (Check::Le(value(json!(1))), vec![json!(1)], vec![Some(json!(1.000_001))]),
            (
                Check::OneOf(vec![value(json!(1)), value(json!("a"))]),
                vec![json!(1), json!("a")],
                vec![Some(json!(true)), Some(json!("b")), None],
            ),
            (
                Check::Sha256Of(value(json!("there.txt"))),
                vec![json!(sum.clone())],
                vec![Some(json!(sum.to_uppercase())), Some(json!("")), None],
            ),
            (Check::Sha256Of(value(json!("gone.txt"))), vec![], vec![Some(json!(sum.clone())), None]),
            (
                Check::Exists(true),
                vec![json!("there.txt")],
                vec![Some(json!("gone.txt")), Some(json!(1)), None],
            ),
            (
                Check::Exists(false),
                vec![json!("gone.txt")],
                vec![Some(json!("there.txt")), Some(json!("secret.txt")), None],
            ),
            (Check::Exists(true), vec![], vec![Some(json!("secret.txt"))]),
        ]);
    }

    #[test]
    fn what_is_unmet_is_said_with_both_values() {
        let said = unmet_of(Check::Ge(value(json!(2))), Some(json!(1))).unwrap();
        assert_eq!(said, "`field` is 1, and must be at least 2");
        let said = unmet_of(Check::Eq(value(json!("b"))), None).unwrap();
        assert_eq!(said, "`field` is absent, and must be \"b\"");
        let said = unmet_of(Check::Exists(false), Some(json!("secret.txt"))).unwrap();
        assert_eq!(said, "`field` cannot be judged: it is not to be looked at");
        let long = unmet_of(Check::Eq(value(json!("b"))), Some(json!("ä".repeat(1000)))).unwrap();
        assert!(long.chars().count() < 300, "{long}");
    }
}
