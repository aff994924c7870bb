//! There are tool calls, but the reply ends as one without them.

use super::CALL_REASONS;
use crate::fault::{Arrives, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "finish-stop-with-tools",
    group: Group::Contents,
    summary: "a reply with tool calls whose reason is `stop`",
    dialects: CALL_REASONS,
    params: &[],
    example: r#"{"fault": "finish-stop-with-tools", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[
        "anomalyco/opencode#14972",
        "anomalyco/opencode#14973",
        "vercel/workflow#1387",
        "vercel/ai#12218",
        "sgl-project/sglang#2877",
        "Mirascope/mirascope#257",
    ],
    right_reaction: "the calls are run: they count, not the reason",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    if reply.calls.is_empty() {
        return false;
    }
    reply.finish = Some("stop".to_owned());
    true
}
