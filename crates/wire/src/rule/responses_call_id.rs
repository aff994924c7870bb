//! The output of a function names its call, or the function: the official Python library 3.57.0 documents `call_id` as optional
//! and `name` as the tool that produced the output, so one of them must be there.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};
use crate::json::{Kind, Value};

pub(super) const ROW: Rule = Rule {
    name: "responses-call-id",
    summary: "a function_call_output that names neither its call nor its function",
    codes: &["missing_required_parameter"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","input":[{"role":"user","content":"hi"},{"type":"function_call_output","output":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let items = asked.top("input").into_iter().flat_map(Value::items).enumerate();
    let given =
        |item: Value<'_>, key| item.get(key).is_some_and(|value: Value<'_>| value.kind() == Kind::String);
    let mut outputs =
        items.filter(|(_, item)| item.get("type").is_some_and(|kind| kind.is_str("function_call_output")));
    let Some((at, _)) = outputs.find(|(_, item)| !given(*item, "call_id") && !given(*item, "name")) else {
        return Ok(());
    };
    let param = format!("input[{at}].call_id");
    let message = format!("Missing required parameter: '{param}'.");
    let pointer = format!("/input/{at}/call_id");
    Err(say::api(Some("missing_required_parameter"), Some(param), pointer, message))
}
