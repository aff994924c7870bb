//! Check 6d of the original stub: a function tool holds its function. Custom tools hold none.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::{Kind, Value};
pub(super) const ROW: Rule = Rule {
    name: "tool-function",
    summary: "a tool without an object under function",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function"}]}"#,
    ),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    if tool.get("function").is_some_and(|function| function.kind() == Kind::Object) || is_custom(tool) {
        return Ok(());
    }
    let what = "`function` must be an object";
    let fix = "put name, description and parameters into it";
    Err(say::gate(say::TOOLS, format!("/tools/{index}/function"), what, fix))
}

/// Whether the element says that it is a custom tool or a call of one.
pub(super) fn is_custom(element: Value<'_>) -> bool {
    element.get("type").is_some_and(|kind| kind.is_str("custom"))
}
