//! The last call is of a tool that was never offered.

use crate::fault::{Arrives, Dialects, Fault, Group, Param, ParamKind, Params, Work};
use crate::reply::Reply;

const NAME: Param = Param {
    name: "name",
    kind: ParamKind::Text,
    default: "\"no_such_tool\"",
    doc: "the name; models said `multi_tool_use.parallel`, which no API takes back",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-unknown-name",
    group: Group::ToolCalls,
    summary: "the last call is of a tool that was never offered",
    dialects: Dialects::All,
    params: &[NAME],
    example: r#"{"fault": "tool-unknown-name", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["vercel/ai#2786"],
    right_reaction: "an error as the result says so to the model; the other calls are run",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    let Some(call) = reply.calls.last_mut() else { return false };
    let name = params.text(&NAME);
    let changed = call.name != name;
    call.name = name;
    changed
}
