//! The calls of the reply are asked for again and again, each time under new ids.

use super::rename;
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-forever",
    group: Group::ToolCalls,
    summary: "the calls of the reply, asked for again in every reply under ids that are new",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "tool-forever", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[],
    right_reaction: "a cap on turns, then a clear failure that says so",
    arrives: Arrives::Otherwise,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(|events, given| {
        rename(events, |id| format!("again_{:04}_{id}", given.ordinal))
    })],
};
