//! A count of tokens that is plausible and the same for the same request: a token is four characters.

use super::super::characters;
use super::read::field;
use crate::json::{Tape, Value, write_number};
use crate::reject::Reject;

/// Keys of what is no text of the conversation: words of the format, ids, pictures.
const UNSAID: &[&str] =
    &["role", "id", "data", "mimeType", "mime_type", "thoughtSignature", "thought_signature"];

/// The answer to `POST …:countTokens`: of contents, or of a whole request.
pub(super) fn count(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    let root = tape.root();
    let request = field(root, "generateContentRequest").unwrap_or(root);
    if request.get("contents").is_none_or(Value::is_empty) {
        let message = "* CountTokensRequest.contents: contents is not specified\n";
        let reject = Reject::of_no_place("gemini-contents", 400, None, message);
        return Err(Box::new(Reject { pointer: "/contents".to_owned(), ..reject }));
    }
    let counted =
        ["systemInstruction", "contents", "tools"].into_iter().filter_map(|key| field(request, key));
    let tokens = (counted.map(|value| characters(value, UNSAID)).sum::<usize>() / 4).max(1) as u64;
    let mut out = b"{\"totalTokens\":".to_vec();
    write_number(&mut out, tokens);
    out.extend_from_slice(b",\"promptTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":");
    write_number(&mut out, tokens);
    out.extend_from_slice(b"}]}");
    Ok(out)
}
