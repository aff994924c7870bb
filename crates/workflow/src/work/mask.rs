//! Values as journals and reports may show them: what goes by a name of a secret is masked.

use rehearsal_journal::redact::{REDACTED, is_secret};
use serde_json::{Map, Value};

/// Masks the texts that stand under names of secrets, at any depth.
pub(super) fn masked(mut fields: Map<String, Value>) -> Map<String, Value> {
    mask(&mut fields);
    fields
}

fn mask(fields: &mut Map<String, Value>) {
    for (name, value) in fields {
        match value {
            Value::String(text) if is_secret(name) => REDACTED.clone_into(text),
            other => within(other),
        }
    }
}

fn within(value: &mut Value) {
    match value {
        Value::Object(fields) => mask(fields),
        Value::Array(items) => items.iter_mut().for_each(within),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let fields = json!({
            "url": "http://127.0.0.1:1/", "headers": {"Authorization": "Bearer x", "accept": "a"},
            "env": {"API_KEY": "k", "HOME": "/h"}, "list": [{"password": "p"}], "tokens": 3,
        });
        let masked = masked(fields.as_object().cloned().unwrap());
        assert_eq!(
            Value::Object(masked),
            json!({
                "url": "http://127.0.0.1:1/", "headers": {"Authorization": REDACTED, "accept": "a"},
                "env": {"API_KEY": REDACTED, "HOME": "/h"}, "list": [{"password": REDACTED}], "tokens": 3,
            })
        );
    }
}
