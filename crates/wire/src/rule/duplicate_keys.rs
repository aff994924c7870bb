//! Which of two equal keys counts is not defined, so a request that repeats one means nothing certain. The API takes it.

use super::{Asked, Check, Dialects, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "duplicate-keys",
    summary: "a key that stands twice in its object",
    codes: &["gate_duplicate_key"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(offset) = asked.tape.duplicate_key else { return Ok(()) };
    let rest = asked.tape.source().get(offset..).unwrap_or_default();
    let key = rest.split([':', '\n']).next().unwrap_or_default();
    let what = format!(
        "the key {} stands twice in one object, at byte {offset}",
        say::quoted(key.trim().trim_matches('"'))
    );
    Err(say::gate("gate_duplicate_key", String::new(), &what, "send each key once"))
}
