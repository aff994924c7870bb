//! Check 9d of the original stub: calls in the history have the shape in which they were made.

use super::tool_function::is_custom;
use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::{Kind, Value};
use crate::turn::Role;
pub(super) const ROW: Rule = Rule {
    name: "tool-calls-shape",
    summary: "tool_calls of an assistant message of the wrong shape",
    codes: &["gate_tool_call_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"assistant","tool_calls":[]}]}"#),
    check: Check::Message(check),
};

fn check(asked: &Asked<'_>, (index, message): Element<'_>) -> Verdict {
    let Some(calls) = calls_of(asked, index, message) else { return Ok(()) };
    let fail = |place: &str, what: &str, fix: &str| {
        Err(say::gate(say::CALLS, format!("/messages/{index}/tool_calls{place}"), what, fix))
    };
    if calls.kind() != Kind::Array {
        return fail("", "`tool_calls` must be an array", "leave it out where there are no calls");
    }
    if calls.is_empty() {
        return fail("", "`tool_calls` is empty", "leave it out where there are no calls");
    }
    for (at, call) in calls.items().enumerate() {
        if let Some((place, what, fix)) = fault(call) {
            return fail(&format!("/{at}{place}"), what, fix);
        }
    }
    Ok(())
}

/// The calls that an assistant message claims; null counts as none.
pub(super) fn calls_of<'t>(asked: &Asked<'_>, index: usize, message: Value<'t>) -> Option<Value<'t>> {
    let calls = if asked.has_role(index, Role::Assistant) { message.get("tool_calls") } else { None };
    calls.filter(|calls| !calls.is_null())
}

type Fault = (&'static str, &'static str, &'static str);

/// What is wrong with a call: where, what, and what to change. Custom calls are left to the documented shape.
fn fault(call: Value<'_>) -> Option<Fault> {
    if call.kind() != Kind::Object {
        return Some(("", "a call must be an object", "send the call as the model made it"));
    }
    let is_function = call.get("type").is_some_and(|kind| kind.is_str("function"));
    if !is_function && !is_custom(call) {
        return Some((
            "/type",
            "the type of a call must be \"function\"",
            "send the call as the model made it",
        ));
    }
    if !call.get("id").is_some_and(|id| id.kind() == Kind::String && !id.is_str("")) {
        return Some((
            "/id",
            "`id` must be a non-empty string",
            "send the id under which the model made the call",
        ));
    }
    if !is_function {
        return None;
    }
    let function = call.get("function").filter(|function| function.kind() == Kind::Object);
    let is_string =
        |key| function.and_then(|function| function.get(key)).is_some_and(|v| v.kind() == Kind::String);
    if !is_string("name") {
        return Some((
            "/function",
            "`function` must be an object with the name as a string",
            "name the function",
        ));
    }
    if !is_string("arguments") {
        let fix = "send the JSON text of the arguments, not the object";
        return Some(("/function/arguments", "`arguments` must be a string", fix));
    }
    None
}
