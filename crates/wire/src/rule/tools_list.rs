//! Check 5 of the original stub: tools come in an array.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "tools-list",
    summary: "tools that are not an array",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":{}}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    match asked.top("tools") {
        Some(tools) if !matches!(tools.kind(), Kind::Array | Kind::Null) => {
            let what = format!("`tools` must be an array, not {}", tools.kind().phrase());
            Err(say::gate(say::TOOLS, "/tools".to_owned(), &what, "wrap the tools in an array"))
        }
        _ => Ok(()),
    }
}
