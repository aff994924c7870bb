//! Headers that only clients of other APIs send.

use super::foreign::refuse_headers;
use super::{Asked, Check, Example, GEMINI, Profile, Rule, Stage, Verdict};

pub(super) const ROW: Rule = Rule {
    name: "gemini-foreign-headers",
    summary: "an anthropic-version, anthropic-beta, x-api-key or openai- header in a Gemini request",
    codes: &["gate_dialect_leak"],
    stage: Stage::Own,
    dialects: GEMINI,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example { headers: &[("x-api-key", b"k")], body: r#"{"contents":[{"parts":[{"text":"hi"}]}]}"# },
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    refuse_headers(asked, TELLS, "send the key as `x-goog-api-key: …` and nothing of that API")
}

const TELLS: &[&str] = &[
    "anthropic-version",
    "anthropic-beta",
    "x-api-key",
    "openai-organization",
    "openai-project",
    "openai-beta",
];
