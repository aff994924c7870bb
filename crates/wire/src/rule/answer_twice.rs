//! Check 10 of the original stub, third part: a call is answered once.

use super::pairing::Pair;
use super::{Check, Dialects, Example, Profile, Rule, Stage};

pub(super) const ROW: Rule = Rule {
    name: "answer-twice",
    summary: "one call id answered twice",
    codes: &["gate_pairing"],
    stage: Stage::Gate,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"x"},{"role":"tool","tool_call_id":"call_1","content":"x"}]}"#,
    ),
    check: Check::Pairs(Pair::Twice),
};
