//! Each piece of a call has the whole name.

use super::{DELTA, opens};
use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};
use crate::json::quoted;

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
    works: &[Work::Documents(|events, given| documents(events, given))],
};

fn documents(events: &mut [Event], given: &Given<'_>) -> bool {
    let mut open = None;
    everywhere(events, &[DELTA], |call| {
        if let Some(id) = call.value.get("id").filter(|_| opens(call.value)) {
            open = given.reply.calls.iter().find(|call| id.is_str(&call.id));
            return None;
        }
        call.set_in("/function", "name", &quoted(&open?.name))
    })
}
