//! A count of tokens that is plausible and the same for the same request: a token is four characters.
//!
//! The answer to `POST /v1/responses/input_tokens`, after the types of the official Python library 3.57.0: no key is required.

use super::super::characters;
use crate::json::{Tape, write_number};
use crate::reject::Reject;

/// Keys of what is no text of the conversation: words of the format, ids, pictures.
const UNSAID: &[&str] =
    &["role", "type", "id", "call_id", "status", "encrypted_content", "image_url", "file_data"];

/// The answer. What the server keeps of earlier requests is not counted.
pub(super) fn count(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    let counted = ["instructions", "input", "tools"].into_iter().filter_map(|key| tape.root().get(key));
    let tokens = (counted.map(|value| characters(value, UNSAID)).sum::<usize>() / 4).max(1) as u64;
    let mut out = b"{\"object\":\"response.input_tokens\",\"input_tokens\":".to_vec();
    write_number(&mut out, tokens);
    out.push(b'}');
    Ok(out)
}
