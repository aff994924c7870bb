//! Headers that only clients of other APIs send.

use super::foreign::refuse_headers;
use super::{Asked, Check, Example, OLLAMA, Profile, Rule, Stage, Verdict};

pub(super) const ROW: Rule = Rule {
    name: "ollama-foreign-headers",
    summary: "an anthropic-, openai-, x-api-key or x-goog-api-key header in a request to Ollama",
    codes: &["gate_dialect_leak"],
    stage: Stage::Own,
    dialects: OLLAMA,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example {
        headers: &[("x-api-key", b"k")],
        body: r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#,
    },
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    refuse_headers(asked, TELLS, "leave it out; a key of Ollama's cloud is `Authorization: Bearer …`")
}

const TELLS: &[&str] = &[
    "anthropic-version",
    "anthropic-beta",
    "openai-organization",
    "openai-project",
    "openai-beta",
    "x-api-key",
    "x-goog-api-key",
];
