//! Check 6e of the original stub: a function has a name.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "tool-name",
    summary: "a function without a non-empty name",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":""}}]}"#,
    ),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    let Some(function) = tool.get("function") else { return Ok(()) };
    if function.get("name").is_some_and(|name| name.kind() == Kind::String && !name.is_str("")) {
        return Ok(());
    }
    let what = "`name` must be a non-empty string";
    Err(say::gate(say::TOOLS, format!("/tools/{index}/function/name"), what, "name the function"))
}
