//! Headers that only clients of Anthropic or Gemini send, beyond the one that the original stub knows.

use super::foreign::refuse_headers;
use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict};

pub(super) const ROW: Rule = Rule {
    name: "anthropic-headers",
    summary: "an anthropic-beta, x-api-key, x-goog-api-key or empty anthropic-version header",
    codes: &["gate_dialect_leak"],
    stage: Stage::Own,
    dialects: OPENAI,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example {
        headers: &[("x-api-key", b"k")],
        body: r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#,
    },
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let fix = "send the key as `Authorization: Bearer …` and nothing of that API";
    refuse_headers(asked, TELLS, fix)
}

const TELLS: &[&str] = &["anthropic-version", "anthropic-beta", "x-api-key", "x-goog-api-key"];
