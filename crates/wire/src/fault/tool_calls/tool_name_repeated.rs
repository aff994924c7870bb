//! Each piece of a call has the whole name.

use super::{continued, index_of};
use crate::fault::places::{CHAT, quoted};
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-name-repeated",
    group: Group::ToolCalls,
    summary: "each piece of a call has the tool's whole name",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-name-repeated", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["NousResearch/hermes-agent#12230", "continuedev/continue#5849"],
    right_reaction: "the name is set once, not joined from repeats",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    continued(events, |call| {
        let name = &given.reply.calls.get(index_of(call.value)?)?.name;
        call.set_in("/function", "name", &quoted(name))
    })
}
