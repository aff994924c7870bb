//! Check 6b of the original stub: the Anthropic form of a tool.

use super::{Asked, Check, Element, Example, OPENAI, Profile, Rule, Stage, Verdict, say};
pub(super) const ROW: Rule = Rule {
    name: "tool-input-schema",
    summary: "input_schema in a tool or its function",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: OPENAI,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{}}]}"#,
    ),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    let place = if tool.get("input_schema").is_some() {
        ""
    } else if tool.get("function").is_some_and(|function| function.get("input_schema").is_some()) {
        "/function"
    } else {
        return Ok(());
    };
    let fix = "send the schema as `function.parameters`";
    Err(say::leak(format!("/tools/{index}{place}/input_schema"), "`input_schema`", fix))
}
