//! Holds the merged observation of a reference-form case against its expectations, by the rules of the reference's language.

use super::expect::shown;
use rehearsal_script::workflow::{Loose, LooseCheck};
use serde_json::{Map, Value};

/// What is otherwise than expected, as one sentence; none where it is met. A field that is absent reads as null.
pub(super) fn unmet(expectation: &Loose, observed: &Map<String, Value>) -> Option<String> {
    let found = observed.get(&expectation.field).unwrap_or(&Value::Null);
    let wanted = &expectation.wanted;
    let (met, words) = match expectation.check {
        LooseCheck::Equal => (equal(found, wanted), "be"),
        LooseCheck::Contains => (contains(found, wanted), "contain"),
        LooseCheck::Len => (length(found).is_some_and(|length| equal(&length, wanted)), "have the length"),
        LooseCheck::Truthy => (equal(&Value::Bool(truthy(found)), wanted), "count as"),
    };
    let (field, found) = (&expectation.field, shown(found));
    (!met).then(|| format!("`{field}` is {found}, and must {words} {}", shown(wanted)))
}

/// Equal as in the reference's language, where true is 1 and false is 0.
fn equal(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Bool(flag) => Value::from(u8::from(*flag)),
        other => other.clone(),
    };
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| equal(one, other)))
        }
        (one, other) => super::expect::equal(&number(one), &number(other)),
    }
}

/// A text that holds a text, or a list that holds an equal value; nothing else contains anything.
fn contains(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::String(text), Value::String(part)) => text.contains(part),
        (Value::Array(items), wanted) => items.iter().any(|item| equal(item, wanted)),
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_), _) => false,
    }
}

fn length(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(Value::from(text.chars().count())),
        Value::Array(items) => Some(Value::from(items.len())),
        Value::Object(fields) => Some(Value::from(fields.len())),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rehearsal_script::scenario::Place;
    use serde_json::json;

    #[test]
    fn the_reference_s_rules_hold_as_loose_as_they_are() {
        use LooseCheck::{Contains, Equal, Len, Truthy};
        for (check, wanted, found, met) in [
            (Equal, json!(null), None, true),
            (Equal, json!(1), Some(json!(true)), true),
            (Equal, json!(0), Some(json!(false)), true),
            (Equal, json!(1), Some(json!(1.0)), true),
            (Equal, json!("1"), Some(json!(1)), false),
            (Equal, json!([true]), Some(json!([1])), true),
            (Contains, json!(""), Some(json!("anything")), true),
            (Contains, json!("a"), Some(json!({"a": 1})), false),
            (Contains, json!(1), Some(json!([true])), true),
            (Contains, json!("x"), None, false),
            (Len, json!(2), Some(json!("äö")), true),
            (Len, json!(0), None, false),
            (Len, json!(1), Some(json!(7)), false),
            (Truthy, json!(true), Some(json!([0])), true),
            (Truthy, json!(false), None, true),
            (Truthy, json!(1), Some(json!("x")), true),
            (Truthy, json!(true), Some(json!(0.0)), false),
            (Truthy, json!(false), Some(json!("")), true),
        ] {
            let place = Place { file: String::new(), line: 1, column: 1 };
            let loose = Loose { field: "f".to_owned(), check, wanted, place };
            let observed = found.clone().map(|found| ("f".to_owned(), found)).into_iter().collect();
            assert_eq!(unmet(&loose, &observed).is_none(), met, "{loose:?} {found:?}");
        }
    }
}
