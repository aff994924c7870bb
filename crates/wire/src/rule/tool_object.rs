//! Check 6a of the original stub: a tool is an object.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "tool-object",
    summary: "a tool that is not an object",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":["f"]}"#),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    if tool.kind() == Kind::Object {
        return Ok(());
    }
    let what = format!("a tool must be an object, not {}", tool.kind().phrase());
    let fix = "send {\"type\": \"function\", \"function\": {…}}";
    Err(say::gate(say::TOOLS, format!("/tools/{index}"), &what, fix))
}
