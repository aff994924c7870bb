//! What goes on with a call has another index than its beginning.

use super::{continued, index_of};
use crate::fault::places::CHAT;
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-index-drift",
    group: Group::ToolCalls,
    summary: "the pieces that go on with a call have an index that no call began under, and no id",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-index-drift", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["dirac-run/dirac#215"],
    right_reaction: "they belong to the call that is open, or the reply is an error; they are not dropped",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Documents(|events, given| documents(events, given))],
};

fn documents(events: &mut [Event], given: &Given<'_>) -> bool {
    let calls = given.reply.calls.len();
    continued(events, |call| call.set("index", &(index_of(call.value)? + calls).to_string()))
}
