//! What an answer cost whose end nobody wrote down: a budget of tokens must not get it back.
//!
//! Must not know: files, which request it answered.

use rehearsal_wire::dialect::DIALECTS;
use rehearsal_wire::dialect::heard::hear;

/// Tokens that what came of an answer says it cost, in whatever dialect it is; none where it does not say, or came in a content
/// coding.
#[must_use]
pub(crate) fn of(response: &[u8]) -> Option<u64> {
    let heard = DIALECTS.iter().map(|dialect| hear(dialect, "", response).reply.usage);
    heard.map(|usage| usage.prompt + usage.completion).max().filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
