//! Check 6g of the original stub, its stricter half: parameters are there. Real clients leave them out, so only `pinned` holds it.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
pub(super) const ROW: Rule = Rule {
    name: "tool-parameters-present",
    summary: "a function without parameters",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":"d"}}]}"#,
    ),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    let Some(function) = tool.get("function") else { return Ok(()) };
    if function.get("parameters").is_some() {
        return Ok(());
    }
    let what = "`parameters` is missing";
    let fix = "send {\"type\": \"object\", \"properties\": {}} for a function without arguments";
    Err(say::gate(say::TOOLS, format!("/tools/{index}/function/parameters"), what, fix))
}
