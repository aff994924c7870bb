//! Alternatives to log probabilities that are not asked for.

use super::stream_options_needs_stream::is_given;
use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "top-logprobs-needs-logprobs",
    summary: "top_logprobs without logprobs",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"top_logprobs":3}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if !is_given(asked, "top_logprobs") || asked.turn.logprobs {
        return Ok(());
    }
    let message = "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.";
    Err(say::api(None, Some("top_logprobs".to_owned()), "/top_logprobs", message))
}
