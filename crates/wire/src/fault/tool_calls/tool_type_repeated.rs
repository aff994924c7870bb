//! Each piece of a call says its type.

use super::continued;
use crate::fault::places::CHAT;
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-type-repeated",
    group: Group::ToolCalls,
    summary: "each piece of a call has `type: function`",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-type-repeated", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["SillyTavern/SillyTavern#5811"],
    right_reaction: "the type is set once, not joined from repeats",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| continued(events, |call| call.set("type", "\"function\"")))],
};
