//! A step may require a tool_choice and pin whether tools may be called at once: both stand in one object here.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "messages-expect-choice",
    summary: "no tool_choice where the script requires one, or another disable_parallel_tool_use than it pins",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    let choice = asked.top("tool_choice");
    if expected.require_tool_choice && !choice.is_some_and(is_accepted) {
        let what = "the script expects `tool_choice` here, of type auto, any, tool or none";
        let fix = "send `tool_choice`, {\"type\": \"auto\"} where the model may choose";
        return Err(say::gate(say::EXPECT, "/tool_choice".to_owned(), what, fix));
    }
    let disabled = choice.and_then(|choice| choice.get("disable_parallel_tool_use")).and_then(Value::as_bool);
    match expected.parallel_tool_calls {
        // What is left out is false: tools may be called at once.
        Some(pinned) if disabled.unwrap_or(false) == pinned => {
            let (wanted, place) = (!pinned, "/tool_choice/disable_parallel_tool_use".to_owned());
            let what = format!("the script expects `disable_parallel_tool_use` {wanted} here");
            let fix = format!("send \"disable_parallel_tool_use\": {wanted} in `tool_choice`");
            Err(say::gate(say::EXPECT, place, &what, &fix))
        }
        Some(_) | None => Ok(()),
    }
}

fn is_accepted(choice: Value<'_>) -> bool {
    let kind = choice.get("type");
    ["auto", "any", "tool", "none"].iter().any(|word| kind.is_some_and(|kind| kind.is_str(word)))
}
