//! Check 10 of the original stub, first part: each call gets its answer before anything else is said.

use super::pairing::Pair;
use super::{Check, Dialects, Example, Profile, Rule, Stage};

pub(super) const ROW: Rule = Rule {
    name: "answer-missing",
    summary: "calls without an answer in the messages right after them",
    codes: &["gate_pairing"],
    stage: Stage::Gate,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"and?"}]}"#,
    ),
    check: Check::Pairs(Pair::Missing),
};
