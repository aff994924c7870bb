//! Check 6c of the original stub: function tools only. Real clients also offer custom tools, so only `pinned` holds it.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
pub(super) const ROW: Rule = Rule {
    name: "tool-function-type",
    summary: "a tool whose type is not function",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"custom","custom":{"name":"f"}}]}"#,
    ),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    if tool.get("type").is_some_and(|kind| kind.is_str("function")) {
        return Ok(());
    }
    let what = "the type of a tool must be \"function\"";
    Err(say::gate(say::TOOLS, format!("/tools/{index}/type"), what, "offer function tools only"))
}
