//! What an answer cost whose end nobody wrote down: a budget of tokens must not get it back.
//!
//! Must not know: files, which request it answered.

use rehearsal_wire::dialect::DIALECTS;
use rehearsal_wire::dialect::heard::hear;
use rehearsal_wire::relay::coding::{Coding, Decoder};
use std::borrow::Cow;

/// Most bytes that a coded body may become here.
const LONGEST: u64 = 32 << 20;
/// Content codings that a body tells by how it begins: no header of it is known.
const CODINGS: &[(&[u8], &str)] = &[(b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd")];

/// Tokens that what came of an answer says it cost, in whatever dialect it is; none where it does not say.
#[must_use]
pub(crate) fn of(response: &[u8]) -> Option<u64> {
    let response = decoded(response);
    let heard = DIALECTS.iter().map(|dialect| hear(dialect, "", &response).reply.usage);
    heard.map(|usage| usage.prompt + usage.completion).max().filter(|tokens| *tokens > 0)
}

fn decoded(response: &[u8]) -> Cow<'_, [u8]> {
    let coding = CODINGS.iter().find(|(beginning, _)| response.starts_with(beginning));
    let Some(codings) = coding.and_then(|(_, name)| Coding::list(name).ok()) else { return response.into() };
    let mut out = Vec::new();
    let mut decoder = Decoder::new(&codings, LONGEST);
    // Of a cut body what could be decoded is heard.
    let _cut = decoder.push(response, &mut out).and_then(|()| decoder.finish(&mut out));
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coded_answer_is_heard_as_far_as_it_came() {
        // One stored block of a gzip file, its end cut off.
        let text = br#"{"usage":{"prompt_tokens":5,"completion_tokens":6}}"#;
        let length = u16::try_from(text.len()).unwrap();
        let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
        file.extend_from_slice(&length.to_le_bytes());
        file.extend_from_slice(&(!length).to_le_bytes());
        file.extend_from_slice(text);
        assert_eq!(of(&file), Some(11));
    }

    #[test]
    fn a_cost_is_found_in_every_dialect_and_in_half_an_answer() {
        for (text, cost) in [
            (
                r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11}}"#,
                Some(11),
            ),
            (
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\nevent: content_bl",
                Some(8),
            ),
            (r#"{"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":3}}"#, Some(5)),
            (
                "{\"message\":{},\"done\":false}\n{\"done\":true,\"prompt_eval_count\":4,\"eval_count\":5}\n",
                Some(9),
            ),
            (r#"{"choices":[],"usage":{"prompt_tok"#, None),
            ("", None),
            ("<html>", None),
        ] {
            assert_eq!(of(text.as_bytes()), cost, "{text}");
        }
    }
}
