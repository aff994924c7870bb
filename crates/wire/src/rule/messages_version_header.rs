//! The header without which the Messages API answers nothing. Stand-ins are asked without it often enough, so only `api` holds it.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "messages-version-header",
    summary: "no anthropic-version header",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api],
    example: Example::body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if asked.header("anthropic-version").is_some_and(|version| !version.trim_ascii().is_empty()) {
        return Ok(());
    }
    Err(say::api(None, None, "", "anthropic-version: header is required"))
}
