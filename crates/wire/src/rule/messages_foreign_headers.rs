//! Headers that only clients of other APIs send.

use super::foreign::refuse_headers;
use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict};

pub(super) const ROW: Rule = Rule {
    name: "messages-foreign-headers",
    summary: "an openai-organization, openai-project, openai-beta or x-goog-api-key header in a Messages request",
    codes: &["gate_dialect_leak"],
    stage: Stage::Own,
    dialects: MESSAGES_API,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example {
        headers: &[("openai-beta", b"assistants=v2")],
        body: r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#,
    },
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let fix = "send the key as `x-api-key: …` or `Authorization: Bearer …` and nothing of that API";
    refuse_headers(asked, TELLS, fix)
}

const TELLS: &[&str] = &["openai-organization", "openai-project", "openai-beta", "x-goog-api-key"];
