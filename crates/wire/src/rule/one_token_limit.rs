//! The old and the new name of one limit.

use super::stream_options_needs_stream::is_given;
use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "one-token-limit",
    summary: "max_tokens together with max_completion_tokens",
    codes: &["invalid_parameter_combination"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":5,"max_completion_tokens":5}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if !is_given(asked, "max_tokens") || !is_given(asked, "max_completion_tokens") {
        return Ok(());
    }
    let message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    Err(say::api(
        Some("invalid_parameter_combination"),
        Some("max_tokens".to_owned()),
        "/max_tokens",
        message,
    ))
}
