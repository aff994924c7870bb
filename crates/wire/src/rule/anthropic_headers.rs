//! Headers that only Anthropic clients send, beyond the one that the original stub knows.

use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "anthropic-headers",
    summary: "an anthropic-beta, x-api-key or empty anthropic-version header",
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
    let Some(name) = TELLS.iter().find(|name| asked.header(name).is_some()) else { return Ok(()) };
    Err(say::leak(
        String::new(),
        &format!("the header {name}"),
        "send the key as `Authorization: Bearer …` and nothing of that API",
    ))
}

const TELLS: &[&str] = &["anthropic-version", "anthropic-beta", "x-api-key"];
