//! Options of a stream that is not asked for.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "stream-options-needs-stream",
    summary: "stream_options without stream",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream_options":{"include_usage":true}}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if !is_given(asked, "stream_options") || asked.turn.stream {
        return Ok(());
    }
    let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    Err(say::api(None, Some("stream_options".to_owned()), "/stream_options", message))
}

/// Whether a top-level key has a value other than null.
pub(super) fn is_given(asked: &Asked<'_>, key: &str) -> bool {
    asked.top(key).is_some_and(|value| !value.is_null())
}
