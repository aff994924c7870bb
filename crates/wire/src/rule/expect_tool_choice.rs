//! Check 14 of the original stub, third part: a step may require a tool_choice.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::{Kind, Value};

pub(super) const ROW: Rule = Rule {
    name: "expect-tool-choice",
    summary: "no tool_choice of an accepted form where the script requires one",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    if !expected.require_tool_choice || asked.top("tool_choice").is_some_and(is_accepted) {
        return Ok(());
    }
    let what = "the script expects `tool_choice` here: \"auto\", \"none\", \"required\" or a named function";
    Err(say::gate(
        say::EXPECT,
        "/tool_choice".to_owned(),
        what,
        "send `tool_choice`, \"auto\" where the model may choose",
    ))
}

fn is_accepted(choice: Value<'_>) -> bool {
    match choice.kind() {
        Kind::String => ["auto", "none", "required"].iter().any(|word| choice.is_str(word)),
        Kind::Object => {
            let named = choice.get("function").and_then(|function| function.get("name"));
            choice.get("type").is_some_and(|kind| kind.is_str("function"))
                && named.is_some_and(says_something)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::Array => false,
    }
}

/// The original stub takes any name that is not empty; the documented shape asks for a string.
fn says_something(name: Value<'_>) -> bool {
    match name.kind() {
        Kind::Null => false,
        Kind::Bool => name.as_bool() == Some(true),
        Kind::Number => name.as_i64() != Some(0),
        Kind::String => !name.is_str(""),
        Kind::Array | Kind::Object => !name.is_empty(),
    }
}
