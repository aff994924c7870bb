//! A count of tokens that is plausible and the same for the same request: a token is four characters.

use super::super::characters;
use crate::json::{Tape, Value};
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
    let characters: usize = counted.map(|value| characters(value, UNSAID)).sum();
    Ok(format!("{{\"input_tokens\":{}}}", (characters / 4).max(1)).into_bytes())
}

/// Keys of what is no text of the conversation: words of the format, ids, pictures.
const UNSAID: &[&str] = &["role", "type", "id", "tool_use_id", "signature", "cache_control", "data"];
