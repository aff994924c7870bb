//! Check 4 of the original stub: top-level keys that only Anthropic requests have, even with null under them.

use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict, say};
pub(super) const ROW: Rule = Rule {
    name: "anthropic-top-keys",
    summary: "top-level system, stop_sequences, max_tokens_to_sample or anthropic_version",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: OPENAI,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"system":"Be terse."}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for (key, fix) in KEYS {
        if asked.top(key).is_some() {
            return Err(say::leak(format!("/{key}"), &format!("`{key}`"), fix));
        }
    }
    Ok(())
}

/// In the original stub's order, each with what to send instead.
const KEYS: &[(&str, &str)] = &[
    ("system", "send it as a message with role `system` or `developer`"),
    ("stop_sequences", "send it as `stop`"),
    ("max_tokens_to_sample", "send it as `max_completion_tokens`"),
    ("anthropic_version", "leave it out"),
];
