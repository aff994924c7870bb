//! Two calls, and both have the index 0.

use super::{DELTA, two_calls};
use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-index-all-zero",
    group: Group::ToolCalls,
    summary: "two calls with ids of their own, both under `index: 0`; a single call is made twice",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-index-all-zero", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}, {"name": "read_file", "arguments": {"path": "plan.md"}}]}"#,
    reports: &["apache/maka#1976", "vercel/ai#14277", "huggingface/smolagents#1958", "ai-dynamo/dynamo#4723"],
    right_reaction: "a new id begins a new call: both are run",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[
        Work::Words(two_calls),
        Work::Documents(|events, _| everywhere(events, &[DELTA], |call| call.set("index", "0"))),
    ],
};
