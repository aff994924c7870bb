//! A step may ask for tools by name.

use super::{Asked, Check, Dialects, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "expect-tools-include",
    summary: "a tool that the script asks for is not offered",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: Dialects::All,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    if asked.turn.keeps_setting() {
        return Ok(());
    }
    let Some(name) = expected.tools_include.iter().find(|name| asked.turn.tool(name).is_none()) else {
        return Ok(());
    };
    let what = format!("the script expects a tool named {}", say::quoted(name));
    Err(say::gate(say::EXPECT, "/tools".to_owned(), &what, "offer it"))
}
