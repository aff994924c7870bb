//! A step may require a tool_choice: the same for the Responses API, where a named tool stands beside its type.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "responses-expect-tool-choice",
    summary: "no tool_choice of an accepted form where the script requires one",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","input":"hi"}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    if !expected.require_tool_choice || asked.top("tool_choice").is_some_and(is_accepted) {
        return Ok(());
    }
    let what = "the script expects `tool_choice` here: \"auto\", \"none\", \"required\" or a named tool";
    let fix = "send `tool_choice`, \"auto\" where the model may choose";
    Err(say::gate(say::EXPECT, "/tool_choice".to_owned(), what, fix))
}

fn is_accepted(choice: Value<'_>) -> bool {
    let word = ["auto", "none", "required"].iter().any(|word| choice.is_str(word));
    word || choice.get("type").and_then(Value::as_str).is_some_and(|kind| !kind.is_empty())
}
