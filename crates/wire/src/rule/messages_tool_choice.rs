//! A choice needs tools to choose from, and a chosen tool must be among them. A thread keeps its tools on the server.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "messages-tool-choice",
    summary: "tool_choice without tools, or of an absent tool",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tool_choice":{"type":"any"}}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(choice) = asked.top("tool_choice").filter(|choice| !choice.is_null()) else { return Ok(()) };
    let is = |word| choice.get("type").is_some_and(|kind| kind.is_str(word));
    // Servers of other tools offer what the request does not list.
    if asked.turn.keeps_setting() || asked.top("mcp_servers").is_some() || is("none") {
        return Ok(());
    }
    if asked.top("tools").is_none_or(Value::is_empty) {
        let what = "tool_choice may only be specified while providing tools.";
        return Err(say::api(None, None, "/tool_choice", what));
    }
    // A set of tools names its members on the server.
    let named = asked.top("tools").into_iter().flat_map(Value::items).all(|tool| tool.get("name").is_some());
    let name = choice.get("name").and_then(Value::as_str).filter(|_| is("tool") && named);
    match name {
        Some(name) if asked.turn.tool(&name).is_none() => {
            let what = format!("Tool '{name}' not found in provided tools");
            Err(say::api(None, None, "/tool_choice/name", what))
        }
        Some(_) | None => Ok(()),
    }
}
