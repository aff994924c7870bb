//! A count of tokens that is plausible and the same for the same request: a token is four characters.

use crate::json::{Kind, Tape, Value};
use crate::reject::Reject;

/// The answer to `POST /v1/messages/count_tokens`.
pub(super) fn count(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    let body = tape.root();
    for key in ["model", "messages"] {
        if body.get(key).is_none_or(Value::is_null) {
            let message = format!("{key}: Field required");
            let reject = Reject::of_no_place("messages-documented-shape", 400, None, message);
            return Err(Box::new(Reject { pointer: format!("/{key}"), ..reject }));
        }
    }
    let counted = ["system", "messages", "tools"].into_iter().filter_map(|key| body.get(key));
    let characters: usize = counted.map(characters).sum();
    Ok(format!("{{\"input_tokens\":{}}}", (characters / 4).max(1)).into_bytes())
}

/// Keys of what is no text of the conversation: words of the format, ids, pictures.
const UNSAID: &[&str] = &["role", "type", "id", "tool_use_id", "signature", "cache_control", "data"];

/// Characters of all texts in a value. The depth is that of the document, which its reader bounds.
fn characters(value: Value<'_>) -> usize {
    match value.kind() {
        Kind::String => value.as_str().map_or(0, |text| text.chars().count()),
        Kind::Array => value.items().map(characters).sum(),
        Kind::Object => {
            let said = value.entries().filter(|(key, _)| !UNSAID.iter().any(|unsaid| key.is_str(unsaid)));
            said.map(|(_, value)| characters(value)).sum()
        }
        Kind::Null | Kind::Bool | Kind::Number => 0,
    }
}
