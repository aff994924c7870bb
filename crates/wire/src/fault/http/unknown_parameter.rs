//! A parameter that this provider does not know.

use super::{error, refuse};
use crate::dialect::ErrorBody;
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};

const PARAMETER: Param = Param {
    name: "parameter",
    kind: ParamKind::Text,
    default: "\"parallel_tool_calls\"",
    doc: "the key that is refused",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "unknown-parameter",
    group: Group::Http,
    summary: "400 that names a key of the request",
    dialects: Dialects::All,
    params: &[PARAMETER],
    example: r#"{"fault": {"name": "unknown-parameter", "parameter": "store"}, "text": "hello"}"#,
    reports: &[],
    right_reaction: "the key is dropped, once, or a clear failure names it",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let name = given.params.text(&PARAMETER);
    let message = match given.dialect.name {
        "anthropic-messages" => format!("{name}: Extra inputs are not permitted"),
        _ => format!("Unknown parameter: '{name}'."),
    };
    let (param, code) = (Some(name.as_str()), Some("unknown_parameter"));
    refuse(answer, given, &ErrorBody { param, code, ..error(400, "invalid_request_error", &message) })
}
