//! Check 10 of the original stub, second part: an answer stands behind the turn that made its call.

use super::pairing::Pair;
use super::{Check, Dialects, Example, Profile, Rule, Stage};

pub(super) const ROW: Rule = Rule {
    name: "answer-without-call",
    summary: "answers to calls that the turn before them did not make",
    codes: &["gate_pairing"],
    stage: Stage::Gate,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"call_1","content":"x"}]}"#,
    ),
    check: Check::Pairs(Pair::Unknown),
};
