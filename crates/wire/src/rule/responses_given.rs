//! A response needs a model, and something to respond to.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};
use crate::json::Kind;

pub(super) const ROW: Rule = Rule {
    name: "responses-given",
    summary: "no model, or neither input nor anything that it could come from",
    codes: &["missing_required_parameter", "mutually_exclusive_parameters"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m"}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if asked.tape.root().kind() != Kind::Object {
        return Ok(());
    }
    let given = |key: &&str| asked.top(key).is_some_and(|value| !value.is_null());
    let missing = |name: &str| {
        let message = format!("Missing required parameter: '{name}'.");
        Err(say::api(Some("missing_required_parameter"), Some(name.to_owned()), format!("/{name}"), message))
    };
    if !given(&"model") && !given(&"prompt") {
        return missing("model");
    }
    if !["input", "previous_response_id", "prompt", "conversation"].iter().any(given) {
        return missing("input");
    }
    if ["previous_response_id", "conversation"].iter().all(given) {
        let message = "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of them.";
        let code = Some("mutually_exclusive_parameters");
        return Err(say::api(code, None, "/conversation", message));
    }
    Ok(())
}
