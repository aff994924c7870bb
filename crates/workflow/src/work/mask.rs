//! Values as journals and reports may hold them: what goes by a name of a secret is masked, and what is too long is cut.

use super::hush::{Hush, is_command, is_url};
use rehearsal_journal::digest;
use rehearsal_journal::redact::{self, REDACTED, is_secret};
use serde_json::{Map, Value};

/// Bytes of one text, at most. A fact's own texts are no longer.
const TEXT: usize = 64 << 10;

/// Bytes of all texts and names of one step together, at most: a line of the journal holds it sixfold escaped.
const ALL: usize = 512 << 10;

/// What stands where there was no more room.
const CUT: &str = "…";

/// Masks the texts that stand under names of secrets, at any depth, and what the case was given as a secret wherever it stands;
/// cuts what does not fit.
pub(super) fn masked(fields: &Map<String, Value>, hush: &Hush) -> Map<String, Value> {
    let mut room = ALL;
    within_map(fields, hush, &mut room)
}

fn within_map(fields: &Map<String, Value>, hush: &Hush, room: &mut usize) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in fields {
        if !take(room, name.len() + 8) {
            kept.insert(CUT.to_owned(), Value::from(fields.len() - kept.len()));
            break;
        }
        let value = match value {
            Value::String(_) if is_secret(name) => Value::from(REDACTED),
            Value::String(url) if is_url(name) => within(&Value::from(&*redact::target(url)), hush, room),
            Value::Array(items) if is_secret(name) || is_command(name) => {
                within(&Value::from(without(name, items)), hush, room)
            }
            other => within(other, hush, room),
        };
        kept.insert(name.clone(), value);
    }
    kept
}

/// The texts of a list that is a secret, or of a command line that may hold some.
fn without(name: &str, items: &[Value]) -> Vec<Value> {
    let texts: Vec<String> = items.iter().map(|item| item.as_str().unwrap_or_default().to_owned()).collect();
    let command = if is_command(name) { redact::arguments(&texts) } else { Vec::new() };
    let masked = |(at, item): (usize, &Value)| match item {
        Value::String(_) => command.get(at).map_or(REDACTED, String::as_str).into(),
        other => other.clone(),
    };
    items.iter().enumerate().map(masked).collect()
}

fn within(value: &Value, hush: &Hush, room: &mut usize) -> Value {
    match value {
        Value::Object(fields) => Value::Object(within_map(fields, hush, room)),
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items {
                if !take(room, 8) {
                    kept.push(Value::from(CUT));
                    break;
                }
                kept.push(within(item, hush, room));
            }
            Value::Array(kept)
        }
        Value::String(text) => Value::from(cut(&hush.told(text), room)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A text, or its beginning with the length and the digest of the whole.
fn cut(text: &str, room: &mut usize) -> String {
    if text.len() <= TEXT && take(room, text.len()) {
        return text.to_owned();
    }
    let most = TEXT.min(*room);
    let end = (0..=most.min(text.len())).rfind(|end| text.is_char_boundary(*end)).unwrap_or(0);
    *room -= end.min(*room);
    let sum = digest::text(&digest::of(text.as_bytes()));
    format!("{}{CUT} ({} bytes, sha256 {sum})", &text[..end], text.len())
}

fn take(room: &mut usize, bytes: usize) -> bool {
    let fits = bytes <= *room;
    if fits {
        *room -= bytes;
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: &Value) -> Value {
        Value::Object(masked(value.as_object().unwrap(), &Hush::default()))
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let fields = json!({
            "url": "http://127.0.0.1:1/?key=k", "headers": {"Authorization": "Bearer x", "accept": "a"},
            "env": {"API_KEY": "k", "HOME": "/h"}, "list": [{"password": "p"}], "tokens": 3, "keys": ["k", 1],
            "command": ["run", "--api-key", "k", "x"],
        });
        let expected = json!({
            "url": "http://127.0.0.1:1/?key=<redacted>", "headers": {"Authorization": REDACTED, "accept": "a"},
            "env": {"API_KEY": REDACTED, "HOME": "/h"}, "list": [{"password": REDACTED}], "tokens": 3, "keys": [REDACTED, 1],
            "command": ["run", "--api-key", REDACTED, "x"],
        });
        assert_eq!(of(&fields), expected);
    }

    #[test]
    fn what_is_too_long_is_cut_and_still_told_apart() {
        let long = |letter: &str| json!({"text": letter.repeat(TEXT)});
        let (one, other) = (of(&long("ä")), of(&long("ö")));
        assert_ne!(one, other);
        assert!(one["text"].as_str().unwrap().ends_with(')'), "{one}");
        assert!(one.to_string().len() < TEXT + 200);
        assert_eq!(of(&json!({"text": "a".repeat(TEXT)}))["text"].as_str().unwrap().len(), TEXT);
    }

    #[test]
    fn whatever_it_is_it_fits() {
        let texts: Vec<_> = (0..1000).map(|_| "x".repeat(10_000)).collect();
        let many: Map<String, Value> = (0..200_000).map(|at| (format!("key{at}"), json!(at))).collect();
        let deep = (0..100).fold(json!("x"), |inner, _| json!([inner]));
        for fields in [
            json!({ "texts": texts }),
            Value::Object(many),
            json!({"list": vec![0; 1_000_000], "deep": deep}),
        ] {
            assert!(of(&fields).to_string().len() < 2 * ALL, "it is too long");
        }
    }
}
