//! Check 14 of the original stub, second part: a step may require tools.

use super::expect_no_tools::offers_tools;
use super::{Asked, Check, Dialects, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "expect-tools",
    summary: "no tools where the script requires them",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: Dialects::All,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    // Items of a Responses request may offer tools beside that list.
    let offers = offers_tools(asked) || !asked.turn.tools.is_empty();
    if !expected.require_tools || offers || asked.turn.keeps_setting() {
        return Ok(());
    }
    let what = "the script expects `tools` to be a non-empty array here";
    Err(say::gate(say::EXPECT, "/tools".to_owned(), what, "offer the tools in every request"))
}
