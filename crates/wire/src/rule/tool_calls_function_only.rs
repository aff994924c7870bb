//! The stricter half of check 9d of the original stub: calls of functions only. The API knows custom calls, so only `pinned` holds it.

use super::tool_calls_shape::calls_of;
use super::tool_function::is_custom;
use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
pub(super) const ROW: Rule = Rule {
    name: "tool-calls-function-only",
    summary: "a call in the history that is not of a function",
    codes: &["gate_tool_call_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"assistant","tool_calls":[{"type":"custom","id":"c","custom":{"name":"f","input":"x"}}]},{"role":"tool","tool_call_id":"c","content":""}]}"#,
    ),
    check: Check::Message(check),
};

fn check(asked: &Asked<'_>, (index, message): Element<'_>) -> Verdict {
    let calls = calls_of(asked, index, message).into_iter().flat_map(|calls| calls.items().enumerate());
    let mut custom = calls.filter(|(_, call)| is_custom(*call));
    let Some((at, _)) = custom.next() else { return Ok(()) };
    let pointer = format!("/messages/{index}/tool_calls/{at}/type");
    let what = "the type of a call must be \"function\"";
    Err(say::gate(say::CALLS, pointer, what, "offer and call function tools only"))
}
