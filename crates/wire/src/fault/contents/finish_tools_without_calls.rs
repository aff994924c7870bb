//! The reply ends for its tool calls, but has none.

use super::CALL_REASONS;
use crate::fault::{Arrives, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "finish-tools-without-calls",
    group: Group::Contents,
    summary: "a reply without tool calls whose reason is `tool_calls`",
    dialects: CALL_REASONS,
    params: &[],
    example: r#"{"fault": "finish-tools-without-calls", "text": "hello"}"#,
    reports: &["mastra-ai/mastra#14187"],
    right_reaction: "taken as `stop`: the answer is the last one, nothing is asked again",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    if !reply.calls.is_empty() {
        return false;
    }
    reply.finish = Some("tool_calls".to_owned());
    true
}
