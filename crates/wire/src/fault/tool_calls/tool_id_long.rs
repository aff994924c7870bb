//! The ids of calls are longer than some APIs take.

use super::rename;
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};

const LENGTH: Param = Param {
    name: "length",
    kind: ParamKind::Count,
    default: "64",
    doc: "characters of each id, or more; 65536 at most",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-id-long",
    group: Group::ToolCalls,
    summary: "the id of each call is filled up to 64 characters",
    dialects: Dialects::All,
    params: &[LENGTH],
    example: r#"{"fault": "tool-id-long", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["microsoft/autogen#6377", "langmanus/langmanus#119"],
    right_reaction: "the id goes back as it came; for another API it is made shorter",
    arrives: Arrives::Otherwise,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, given| documents(events, given))],
};

fn documents(events: &mut [Event], given: &Given<'_>) -> bool {
    let length = given.params.count(&LENGTH).min(65_536);
    rename(events, |id| format!("long_{}{id}", "0".repeat(length.saturating_sub(id.len() + "long_".len()))))
}
