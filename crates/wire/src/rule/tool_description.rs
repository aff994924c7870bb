//! Check 6f of the original stub: a function is described. The API and real clients leave it out, so only `pinned` holds it.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "tool-description",
    summary: "a function without a non-empty description",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}]}"#,
    ),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    let Some(function) = tool.get("function") else { return Ok(()) };
    if function.get("description").is_some_and(|text| text.kind() == Kind::String && !text.is_str("")) {
        return Ok(());
    }
    let what = "`description` must be a non-empty string";
    let fix = "describe the function, models choose by it";
    Err(say::gate(say::TOOLS, format!("/tools/{index}/function/description"), what, fix))
}
