//! The pieces of calls have no index.

use super::DELTA;
use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-index-missing",
    group: Group::ToolCalls,
    summary: "the pieces of calls have no `index`",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-index-missing", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[
        "openai/openai-python#3246",
        "openai/openai-python#2806",
        "SamSaffron/term-llm#314",
        "AstrBotDevs/AstrBot#6692",
        "jin-bo/agentao#117",
    ],
    right_reaction: "a new id begins a call, what has none goes on with it",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| everywhere(events, &[DELTA], |call| call.without("index")))],
};
