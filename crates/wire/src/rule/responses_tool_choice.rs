//! A choice of a tool that is not offered.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "responses-tool-choice",
    summary: "tool_choice that names an absent tool, or demands one where none is offered",
    codes: &["null"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","input":"hi","tool_choice":{"type":"function","name":"g"}}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(choice) = asked.top("tool_choice") else { return Ok(()) };
    let no = |message: String| Err(say::api(None, Some("tool_choice".to_owned()), "/tool_choice", message));
    // Items of the input may offer tools, too.
    let offers = asked.top("tools").is_some_and(|tools| !tools.is_empty()) || asked.turn.offers_tools;
    // A stored prompt may hold tools of its own.
    if asked.top("prompt").is_some_and(|prompt| !prompt.is_null()) {
        return Ok(());
    }
    if choice.is_str("required") && !offers {
        return no("Tool choice 'required' must be specified with 'tools' parameter.".to_owned());
    }
    let named = choice.get("type").is_some_and(|kind| kind.is_str("function") || kind.is_str("custom"));
    let Some(name) = choice.get("name").and_then(Value::as_str).filter(|_| named) else { return Ok(()) };
    if asked.turn.tool(&name).is_some() {
        return Ok(());
    }
    no(format!("Tool choice {} not found in 'tools' parameter.", say::quoted(&name)))
}
