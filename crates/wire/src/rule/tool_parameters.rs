//! Check 6g of the original stub: parameters are a JSON Schema, and so an object.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "tool-parameters",
    summary: "parameters that are not an object",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":"{}"}}]}"#,
    ),
    check: Check::Tool(check),
};

fn check(_: &Asked<'_>, (index, tool): Element<'_>) -> Verdict {
    match tool.get("function").and_then(|function| function.get("parameters")) {
        Some(parameters) if parameters.kind() != Kind::Object => {
            let what = format!("`parameters` must be an object, not {}", parameters.kind().phrase());
            let fix = "send the JSON Schema itself, not its text";
            Err(say::gate(say::TOOLS, format!("/tools/{index}/function/parameters"), &what, fix))
        }
        _ => Ok(()),
    }
}
