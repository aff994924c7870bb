//! All calls have one id, in a turn and from turn to turn.

use super::rename;
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-id-reused",
    group: Group::ToolCalls,
    summary: "every call has the same id, within a turn and from turn to turn",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "tool-id-reused", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}, {"name": "read_file", "arguments": {"path": "plan.md"}}]}"#,
    reports: &[
        "can1357/oh-my-pi#2055",
        "NousResearch/hermes-agent#11722",
        "openclaw/openclaw#47136",
        "openclaw/openclaw#40996",
        "VicBilibily/GCMP#120",
        "vercel/ai#13307",
    ],
    right_reaction: "the client gives other ids and keeps each call with its result",
    arrives: Arrives::Otherwise,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| rename(events, |_| "call_reused".to_owned()))],
};
