//! What the assistant said comes back as output: the API takes no input parts from it.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "responses-parts",
    summary: "an input part in a message of the assistant",
    codes: &["invalid_value"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","input":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"input_text","text":"ok"}]}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for (at, item) in asked.top("input").into_iter().flat_map(Value::items).enumerate() {
        if !item.get("role").is_some_and(|role| role.is_str("assistant")) {
            continue;
        }
        for (part, content) in item.get("content").into_iter().flat_map(Value::items).enumerate() {
            let Some(kind) = content.get("type").and_then(Value::as_str) else { continue };
            if kind.starts_with("input_") {
                let message =
                    format!("Invalid value: '{kind}'. Supported values are: 'output_text' and 'refusal'.");
                let param = format!("input[{at}].content[{part}]");
                let pointer = format!("/input/{at}/content/{part}/type");
                return Err(say::api(Some("invalid_value"), Some(param), pointer, message));
            }
        }
    }
    Ok(())
}
