//! One chunk holds two pieces of the same call.

use super::chunk;
use crate::fault::places::CHAT;
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};
use crate::json::edit;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-index-duplicate-in-chunk",
    group: Group::ToolCalls,
    summary: "the chunk that begins a call holds its first arguments as a second piece with the same index",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-index-duplicate-in-chunk", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[
        "openai/openai-python#3377",
        "openai/openai-python#3241",
        "openai/openai-python#3438",
        "openai/openai-python#3201",
        "openai/openai-python#3425",
    ],
    right_reaction: "the pieces of one index are joined, also within a chunk",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, _: &Given<'_>) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < events.len() {
        if let Some((next, data)) = joined(events, at) {
            events[at].data = data;
            events.remove(next);
            changed = true;
        }
        at += 1;
    }
    changed
}

/// The next piece of the call that begins here, and this chunk with it.
fn joined(events: &[Event], at: usize) -> Option<(usize, String)> {
    let begun = chunk(&events[at]).filter(|chunk| chunk.opens)?;
    let same = |event| chunk(event).filter(|chunk| !chunk.opens && chunk.of == begun.of);
    let (next, piece) =
        events.iter().enumerate().skip(at + 1).find_map(|(i, event)| Some((i, same(event)?)))?;
    Some((next, edit::append(&events[at].data, "/choices/0/delta/tool_calls", &piece.piece)?))
}
