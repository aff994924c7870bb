//! A parameter that this model does not take.

use super::{error, refuse};
use crate::dialect::ErrorBody;
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};

const PARAMETER: Param = Param {
    name: "parameter",
    kind: ParamKind::Text,
    default: "\"max_tokens\"",
    doc: "which: `max_tokens`, `temperature`, the roles `system` and `developer`, or any other",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "unsupported-parameter",
    group: Group::Http,
    summary: "400: the model takes no `max_tokens`, no `temperature` but the default, or no system role",
    dialects: Dialects::All,
    params: &[PARAMETER],
    example: r#"{"fault": {"name": "unsupported-parameter", "parameter": "temperature"}, "text": "hello"}"#,
    reports: &["screenpipe/screenpipe#2009", "cline/cline#555", "agno-agi/agno#1770", "TheR1D/shell_gpt#717"],
    right_reaction: "the request is made to fit the model, once, or a clear failure names the parameter",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let name = given.params.text(&PARAMETER);
    let (code, param, message) = match name.as_str() {
        "max_tokens" => (
            "unsupported_parameter",
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
                .to_owned(),
        ),
        "temperature" => (
            "unsupported_value",
            "temperature",
            "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported."
                .to_owned(),
        ),
        "system" | "developer" => (
            "unsupported_value",
            "messages[0].role",
            format!("Unsupported value: 'messages[0].role' does not support '{name}' with this model."),
        ),
        other => (
            "unsupported_parameter",
            other,
            format!("Unsupported parameter: '{other}' is not supported with this model."),
        ),
    };
    let error = error(400, "invalid_request_error", &message);
    refuse(answer, given, &ErrorBody { param: Some(param), code: Some(code), ..error })
}
