//! Check 14 of the original stub, first part: a step may forbid tools.

use super::{Asked, Check, Dialects, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;

pub(super) const ROW: Rule = Rule {
    name: "expect-no-tools",
    summary: "tools where the script forbids them",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: Dialects::All,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{}}}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    if !expected.forbid_tools || !offers_tools(asked) {
        return Ok(());
    }
    let what = "the script expects a request without tools here";
    Err(say::gate(say::EXPECT, "/tools".to_owned(), what, "leave `tools` out"))
}

/// Whether `tools` is an array that holds something: the original stub's meaning of offered.
pub(super) fn offers_tools(asked: &Asked<'_>) -> bool {
    asked.top("tools").is_some_and(|tools| tools.kind() == Kind::Array && !tools.is_empty())
}
