//! Check 3 of the original stub: a header that only Anthropic clients send.

use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict, say};
pub(super) const ROW: Rule = Rule {
    name: "anthropic-version-header",
    summary: "a non-empty anthropic-version header",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: OPENAI,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example {
        headers: &[("anthropic-version", b"2023-06-01")],
        body: r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#,
    },
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    match asked.header("anthropic-version") {
        Some(value) if !value.is_empty() => Err(say::leak(
            String::new(),
            "the header anthropic-version",
            "send OpenAI chat completions without it",
        )),
        _ => Ok(()),
    }
}
