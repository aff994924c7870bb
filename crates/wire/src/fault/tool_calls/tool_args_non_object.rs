//! The arguments of the last call are JSON, but no object.

use super::{TEXTS, argue, last};
use crate::fault::{Arrives, Fault, Group, Param, ParamKind, Params, Work};
use crate::reply::Reply;

const VALUE: Param = Param {
    name: "value",
    kind: ParamKind::Text,
    default: "\"[]\"",
    doc: "the arguments as JSON, such as `null`, `1` or `\"x\"`",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-args-non-object",
    group: Group::ToolCalls,
    summary: "the arguments of the last call are `[]`, or other JSON that is no object",
    dialects: TEXTS,
    params: &[VALUE],
    example: r#"{"fault": {"name": "tool-args-non-object", "value": "null"}, "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["langchain-ai/langchain#35997", "langchain-ai/langchain#36009"],
    right_reaction: "a call that cannot be run, answered with an error; no crash",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    argue(last(reply), |_| Some(params.text(&VALUE)))
}
