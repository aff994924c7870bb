//! Small changes to a JSON text that leave every other byte as it stands.
//!
//! Each gives the new text, or `None` where the place does not exist or the text is no JSON.

use super::{Kind, Value, parse};

/// Puts a value (JSON text, or what is to stand in its place) where one stands.
#[must_use]
pub fn replace(text: &str, pointer: &str, value: &str) -> Option<String> {
    let tape = parse(text.as_bytes()).ok()?;
    let old = tape.root().at(pointer)?;
    Some(spliced(text, old.offset(), old.offset() + old.text().len(), value))
}

/// Sets a key of the object at a pointer: in the place of its value, or behind the last entry.
#[must_use]
pub fn set(text: &str, pointer: &str, key: &str, value: &str) -> Option<String> {
    let tape = parse(text.as_bytes()).ok()?;
    let object = tape.root().at(pointer).filter(|value| value.kind() == Kind::Object)?;
    if let Some(old) = object.get(key) {
        return Some(spliced(text, old.offset(), old.offset() + old.text().len(), value));
    }
    let end = object.offset() + object.text().len() - 1;
    let comma = if object.is_empty() { "" } else { "," };
    Some(spliced(text, end, end, &format!("{comma}\"{key}\":{value}")))
}

/// Takes a key and its value out of the object at a pointer.
#[must_use]
pub fn remove(text: &str, pointer: &str, key: &str) -> Option<String> {
    let tape = parse(text.as_bytes()).ok()?;
    let object = tape.root().at(pointer)?;
    let entries: Vec<(Value<'_>, Value<'_>)> = object.entries().collect();
    let at = entries.iter().position(|(name, _)| name.is_str(key))?;
    let end_of = |value: Value<'_>| value.offset() + value.text().len();
    let (start, end) = match (entries.get(at + 1), at.checked_sub(1)) {
        (Some((next, _)), _) => (entries[at].0.offset(), next.offset()),
        (None, Some(before)) => (end_of(entries[before].1), end_of(entries[at].1)),
        (None, None) => (entries[at].0.offset(), end_of(entries[at].1)),
    };
    Some(spliced(text, start, end, ""))
}

/// Puts an element behind the last one of the array at a pointer.
#[must_use]
pub fn append(text: &str, pointer: &str, element: &str) -> Option<String> {
    let tape = parse(text.as_bytes()).ok()?;
    let array = tape.root().at(pointer).filter(|value| value.kind() == Kind::Array)?;
    let end = array.offset() + array.text().len() - 1;
    let comma = if array.is_empty() { "" } else { "," };
    Some(spliced(text, end, end, &format!("{comma}{element}")))
}

fn spliced(text: &str, start: usize, end: usize, with: &str) -> String {
    [&text[..start], with, &text[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::{append, remove, replace, set};

    const TEXT: &str = r#"{"a": 1, "b": {"c": [1, 2]}, "d": "x"}"#;

    #[test]
    fn only_the_named_place_changes() {
        let is = |made: Option<String>, wanted: &str| assert_eq!(made.as_deref(), Some(wanted));
        is(replace(TEXT, "/b/c/1", "null"), r#"{"a": 1, "b": {"c": [1, null]}, "d": "x"}"#);
        is(replace(TEXT, "/d", "7"), r#"{"a": 1, "b": {"c": [1, 2]}, "d": 7}"#);
        is(set(TEXT, "/b", "e", "true"), r#"{"a": 1, "b": {"c": [1, 2],"e":true}, "d": "x"}"#);
        is(set(TEXT, "", "a", "{}"), r#"{"a": {}, "b": {"c": [1, 2]}, "d": "x"}"#);
        is(set("{}", "", "a", "1"), r#"{"a":1}"#);
        is(remove(TEXT, "", "a"), r#"{"b": {"c": [1, 2]}, "d": "x"}"#);
        is(remove(TEXT, "", "d"), r#"{"a": 1, "b": {"c": [1, 2]}}"#);
        is(remove(r#"{"a": 1}"#, "", "a"), "{}");
        is(append(TEXT, "/b/c", "3"), r#"{"a": 1, "b": {"c": [1, 2,3]}, "d": "x"}"#);
        is(append("[]", "", "3"), "[3]");
    }

    #[test]
    fn what_is_not_there_is_not_changed() {
        assert_eq!(replace(TEXT, "/x", "1"), None);
        assert_eq!(set(TEXT, "/a", "k", "1"), None);
        assert_eq!(remove(TEXT, "", "x"), None);
        assert_eq!(append(TEXT, "/b", "1"), None);
        assert_eq!(replace("no json", "", "1"), None);
    }
}
