//! The reply asks for several calls at once.

use super::repeat_last_call;
use crate::fault::{Arrives, Dialects, Fault, Group, Param, ParamKind, Params, Work};
use crate::reply::Reply;

const COUNT: Param = Param {
    name: "count",
    kind: ParamKind::Count,
    default: "2",
    doc: "calls in the reply, or more; 128 at most",
};

/// What the chat API takes back in one message.
const MOST: usize = 128;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "parallel-tool-calls",
    group: Group::ToolCalls,
    summary: "the last call is asked for twice in one reply, or oftener",
    dialects: Dialects::All,
    params: &[COUNT],
    example: r#"{"fault": "parallel-tool-calls", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["qwersyk/Newelle#425", "agno-agi/agno#5116"],
    right_reaction: "every call is run and each id answered once",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    repeat_last_call(reply, params.count(&COUNT).min(MOST))
}
