//! The arguments of the last call are cut, and the reply does not say so.

use super::{AT, cut_last_call};
use crate::fault::places::BREAKABLE;
use crate::fault::{Arrives, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "finish-tools-truncated",
    group: Group::Contents,
    summary: "the last call has half of its arguments, but the reason is `tool_calls`",
    dialects: BREAKABLE,
    params: &[AT],
    example: r#"{"fault": "finish-tools-truncated", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["NousResearch/hermes-agent#7693", "MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark#55"],
    right_reaction: "the arguments are read before the call is run; an error is its result",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    cut_last_call(reply, params.fraction(&AT))
}
