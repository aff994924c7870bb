//! The arguments are encoded twice.

use super::{TEXTS, argue, is_object};
use crate::fault::{Arrives, Fault, Group, Params, Work};
use crate::json::quoted;
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-args-double",
    group: Group::ToolCalls,
    summary: "the arguments of each call decode to a text that holds the object",
    dialects: TEXTS,
    params: &[],
    example: r#"{"fault": "tool-args-double", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[
        "FoundationAgents/OpenManus#989",
        "quarkiverse/quarkus-langchain4j#2642",
        "MoonshotAI/kimi-cli#2513",
        "MoonshotAI/kimi-cli#2572",
        "JetBrains/koog#2070",
        "tailcallhq/forgecode#2764",
        "tridz-dev/huf#676",
    ],
    right_reaction: "a clear error as the result, or decoded once more and no oftener; sent back as they came",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    argue(&mut reply.calls, |text| is_object(text).then(|| quoted(text)))
}
