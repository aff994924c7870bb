//! What goes on with a call has an empty id and an empty name.

use super::continued;
use crate::fault::places::CHAT;
use crate::fault::{Arrives, Event, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-id-empty",
    group: Group::ToolCalls,
    summary: r#"the pieces that go on with a call have `id: ""` and `name: ""`"#,
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-id-empty", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["anomalyco/opencode#37841", "anomalyco/opencode#40969", "vercel/ai#19091"],
    right_reaction: "empty is as absent: the id and the name of the beginning stay",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| documents(events))],
};

fn documents(events: &mut [Event]) -> bool {
    let ids = continued(events, |call| call.set("id", "\"\""));
    continued(events, |call| call.set_in("/function", "name", "\"\"")) || ids
}
