//! Parameters of chat completions that the Responses API knows under other names; the API says where they are now.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "responses-moved",
    summary: "a parameter of chat completions that has another name in the Responses API",
    codes: &["unsupported_parameter"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","input":"hi","max_tokens":100}"#),
    check: Check::Request(check),
};

/// Old and new names.
const MOVED: &[(&str, &str)] = &[
    ("messages", "input"),
    ("response_format", "text.format"),
    ("max_tokens", "max_output_tokens"),
    ("max_completion_tokens", "max_output_tokens"),
    ("reasoning_effort", "reasoning.effort"),
    ("verbosity", "text.verbosity"),
    ("functions", "tools"),
    ("function_call", "tool_choice"),
];

fn check(asked: &Asked<'_>) -> Verdict {
    let Some((old, new)) = MOVED.iter().find(|(old, _)| asked.top(old).is_some()) else { return Ok(()) };
    let message = format!(
        "Unsupported parameter: '{old}'. In the Responses API, this parameter has moved to '{new}'. Try again with the new parameter."
    );
    Err(say::api(Some("unsupported_parameter"), Some((*old).to_owned()), format!("/{old}"), message))
}
