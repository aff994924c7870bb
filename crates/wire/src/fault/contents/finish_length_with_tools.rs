//! The arguments of the last call are cut, and the reply says that its tokens were used up.

use super::{AT, cut_last_call};
use crate::fault::places::BREAKABLE;
use crate::fault::{Arrives, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "finish-length-with-tools",
    group: Group::Contents,
    summary: "the last call has half of its arguments, and the reason is `length`",
    dialects: BREAKABLE,
    params: &[AT],
    example: r#"{"fault": "finish-length-with-tools", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[
        "mastra-ai/mastra#15717",
        "earendil-works/pi#6285",
        "agent0ai/agent-zero#1747",
        "agent0ai/agent-zero#1836",
    ],
    right_reaction: "the call is not run; a bounded number of retries, or an error as its result",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    let is_cut = cut_last_call(reply, params.fraction(&AT));
    if is_cut {
        reply.finish = Some("length".to_owned());
    }
    is_cut
}
