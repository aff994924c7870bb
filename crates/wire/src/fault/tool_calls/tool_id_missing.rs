//! The calls have no ids.

use super::DELTA;
use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-id-missing",
    group: Group::ToolCalls,
    summary: "no call has an id, in no piece of it",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-id-missing", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[
        "anomalyco/opencode#25925",
        "anomalyco/opencode#30247",
        "BerriAI/litellm#29514",
        "BerriAI/litellm#33223",
        "strands-agents/harness-sdk#2949",
    ],
    right_reaction: "the client makes an id and uses it in the call that it sends back and in its result",
    arrives: Arrives::Otherwise,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| {
        everywhere(events, &[DELTA, "/choices/*/message/tool_calls/*"], |call| call.without("id"))
    })],
};
