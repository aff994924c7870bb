//! A choice of a tool that is not offered.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "tool-choice-offered",
    summary: "tool_choice that names an absent tool",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{}}}],"tool_choice":{"type":"function","function":{"name":"g"}}}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(choice) = asked.top("tool_choice") else { return Ok(()) };
    let named = choice.get("function").or_else(|| choice.get("custom")).and_then(|tool| tool.get("name"));
    let Some(name) = named.and_then(Value::as_str) else { return Ok(()) };
    if asked.turn.tool(&name).is_some() {
        return Ok(());
    }
    let message =
        format!("Invalid value for 'tool_choice': tool {} is not among 'tools'.", say::quoted(&name));
    Err(say::api(None, Some("tool_choice".to_owned()), "/tool_choice", message))
}
